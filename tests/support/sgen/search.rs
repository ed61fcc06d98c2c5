//! All that a generated system can do, step by step, as `docs/synchronous-c.md` says it.
//!
//! A process becomes a list of operations; a location is a place in it. Everything unknown is tried: the inputs, which
//! of the enabled transitions is taken, and for every variable by itself whose value counts.

use super::{Cond, Expr, Process, State, Stmt, System};
use std::collections::{BTreeMap, BTreeSet};

/// What was found.
pub struct Found {
    pub states: usize,
    /// The names of properties that some run violates before any other.
    pub violated: BTreeSet<String>,
    /// All properties.
    pub properties: BTreeSet<String>,
    /// Some step wrote two values to one variable, a choice had two enabled transitions, or none.
    pub raced: bool,
    /// Processes that may write the same variable.
    pub writers: usize,
    pub two_enabled: bool,
    pub stayed: bool,
    pub ended: bool,
}

enum Op {
    Set(usize, Expr),
    SetLocal(usize, Expr),
    /// Goes on if it holds, else there.
    Test(Cond, usize),
    Jump(usize),
    /// The step ends, the next one begins there.
    End(usize),
    Assert(Cond, String),
    /// Guards with their targets, and where to go if none holds.
    Choice(Vec<(Cond, usize)>, usize, String),
    Start(usize),
    Stop(usize),
    Over,
}

struct Code {
    ops: Vec<Op>,
    locals: Vec<u8>,
}

impl Code {
    /// Jumps take no time: the place they lead to is the location.
    fn location(&self, mut at: usize) -> usize {
        for _ in 0..self.ops.len() {
            match self.ops[at] {
                Op::Jump(to) => at = to,
                _ => break,
            }
        }
        at
    }
}

struct Coder<'s> {
    ops: Vec<Op>,
    name: String,
    states: Vec<usize>,
    /// Jumps to states that are not placed yet: (operation, state).
    open: Vec<(usize, usize)>,
    /// Where the section began.
    section: Option<usize>,
    asserts: usize,
    choices: usize,
    asked: &'s System,
}

fn code(system: &System, n: usize, process: &Process) -> Code {
    let mut coder = Coder {
        ops: Vec::new(),
        name: format!("p{n}"),
        states: Vec::new(),
        open: Vec::new(),
        section: None,
        asserts: 0,
        choices: 0,
        asked: system,
    };
    for (k, init) in process.locals.iter().enumerate() {
        coder.ops.push(Op::SetLocal(k, Expr::Const(*init)));
    }
    for state in &process.states {
        coder.states.push(coder.ops.len());
        coder.state(state);
    }
    coder.ops.push(Op::Over);
    for (at, state) in std::mem::take(&mut coder.open) {
        coder.ops[at] = Op::End(coder.states[state]);
    }
    Code { ops: coder.ops, locals: vec![0; process.locals.len()] }
}

impl Coder<'_> {
    fn state(&mut self, state: &State) {
        let start = self.ops.len();
        match state {
            State::Plain(stmts) => return self.stmts(stmts),
            State::Atomic(stmts) => {
                self.section = Some(start);
                self.stmts(stmts);
            }
            State::Choice(transitions, otherwise) => {
                self.section = Some(start);
                self.choice(start, transitions, otherwise.as_deref());
            }
        }
        self.section = None;
        let next = self.ops.len() + 1;
        self.ops.push(Op::End(next));
    }

    fn choice(&mut self, start: usize, transitions: &[(Cond, Vec<Stmt>)], otherwise: Option<&[Stmt]>) {
        let at = self.ops.len();
        self.ops.push(Op::Over);
        let mut name = String::new();
        if transitions.len() > 1 {
            self.choices += 1;
            name = format!("{}.nondeterminism.{}", self.name, self.choices);
        }
        let mut guards = Vec::new();
        let mut exits = Vec::new();
        for (guard, stmts) in transitions {
            guards.push((guard.clone(), self.ops.len()));
            self.stmts(stmts);
            exits.push(self.ops.len());
            self.ops.push(Op::Over);
        }
        let none = self.ops.len();
        match otherwise {
            Some(stmts) => self.stmts(stmts),
            None => self.ops.push(Op::End(start)),
        }
        let after = self.ops.len();
        exits.into_iter().for_each(|exit| self.ops[exit] = Op::Jump(after));
        self.ops[at] = Op::Choice(guards, none, name);
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|s| self.stmt(s));
    }

    /// A statement that is a step of its own outside sections.
    fn simple(&mut self, op: Op) {
        self.ops.push(op);
        self.end_outside();
    }

    fn end_outside(&mut self) {
        if self.section.is_none() {
            let next = self.ops.len() + 1;
            self.ops.push(Op::End(next));
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Set(n, e) | Stmt::Put(n, e) => self.simple(Op::Set(*n, e.clone())),
            Stmt::SetLocal(n, e) => self.simple(Op::SetLocal(*n, e.clone())),
            Stmt::Assert(c) => {
                self.asserts += 1;
                let name = format!("{}.assertion.{}", self.name, self.asserts);
                self.simple(Op::Assert(c.clone(), name));
            }
            Stmt::Start(n) => self.simple(Op::Start(*n)),
            Stmt::Stop(n) => self.simple(Op::Stop(*n)),
            Stmt::Empty => self.end_outside(),
            Stmt::Idle => match self.section {
                Some(start) => self.ops.push(Op::End(start)),
                None => self.end_outside(),
            },
            Stmt::Goto(n) => {
                self.open.push((self.ops.len(), *n));
                self.ops.push(Op::Over);
            }
            Stmt::If(c, then, other) => {
                let test = self.ops.len();
                self.ops.push(Op::Over);
                self.stmts(then);
                let exit = self.ops.len();
                self.ops.push(Op::Over);
                self.ops[test] = Op::Test(c.clone(), self.ops.len());
                self.stmts(other);
                self.ops[exit] = Op::Jump(self.ops.len());
            }
            Stmt::Repeat(times, stmts) => {
                // The properties inside are the same each time.
                let (asserts, choices) = (self.asserts, self.choices);
                for _ in 0..*times {
                    (self.asserts, self.choices) = (asserts, choices);
                    self.stmts(stmts);
                }
            }
            Stmt::Skip(c, stmts, _) => {
                let test = self.ops.len();
                self.ops.push(Op::Over);
                self.stmts(stmts);
                self.ops[test] = Op::Test(Cond::Not(Box::new(c.clone())), self.ops.len());
            }
            Stmt::While(c, stmts) => {
                let head = self.ops.len();
                self.ops.push(Op::Over);
                self.stmts(stmts);
                self.ops.push(Op::Jump(head));
                self.ops[head] = Op::Test(c.clone(), self.ops.len());
            }
        }
    }

    fn properties(&self) -> Vec<String> {
        let asserts = (1..=self.asserts).map(|n| format!("{}.assertion.{n}", self.name));
        let choices = (1..=self.choices).filter(|_| self.asked.nondeterminism);
        asserts.chain(choices.map(|n| format!("{}.nondeterminism.{n}", self.name))).collect()
    }
}

/// Between two steps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Boundary {
    shared: Vec<u8>,
    inputs: Vec<bool>,
    /// Location and locals; `None` if the process is not active.
    processes: Vec<Option<(usize, Vec<u8>)>>,
    quiet: bool,
}

/// In a step.
#[derive(Clone)]
struct Step {
    start: Vec<u8>,
    now: Boundary,
    /// For each variable who wrote which value.
    written: Vec<BTreeMap<usize, u8>>,
    readers: Vec<BTreeSet<usize>>,
    writers: Vec<BTreeSet<usize>>,
    fired: bool,
    /// By process: start it, or stop it.
    orders: BTreeMap<usize, bool>,
}

/// A property is violated: the run ends.
struct Violation;

struct Search<'s> {
    system: &'s System,
    codes: Vec<Code>,
    found: Found,
}

/// Everything the system can do; `None` if that is too much.
pub fn search(system: &System, limit: usize) -> Option<Found> {
    let mut properties = BTreeSet::from(["always.assertion.1".to_string()]);
    let mut codes = Vec::new();
    for (n, process) in system.processes.iter().enumerate() {
        codes.push(code(system, n, process));
        properties.extend(names(system, n, process));
    }
    let may_write: Vec<usize> = (0..system.shared.len()).map(|v| writers(&codes, v)).collect();
    if system.race {
        let written = (0..system.shared.len()).filter(|&v| may_write[v] > 0);
        properties.extend(written.map(|v| format!("v{v}.race.1")));
    }
    if system.stability {
        properties.insert("system.stability.1".into());
    }
    let found = Found {
        states: 0,
        violated: BTreeSet::new(),
        properties,
        raced: false,
        writers: may_write.iter().copied().max().unwrap_or(0),
        two_enabled: false,
        stayed: false,
        ended: false,
    };
    Search { system, codes, found }.run(limit)
}

fn names(system: &System, n: usize, process: &Process) -> Vec<String> {
    let mut coder = Coder {
        ops: Vec::new(),
        name: format!("p{n}"),
        states: Vec::new(),
        open: Vec::new(),
        section: None,
        asserts: 0,
        choices: 0,
        asked: system,
    };
    process.states.iter().for_each(|s| coder.state(s));
    coder.properties()
}

fn writers(codes: &[Code], var: usize) -> usize {
    codes.iter().filter(|c| c.ops.iter().any(|op| matches!(op, Op::Set(v, _) if *v == var))).count()
}

impl Search<'_> {
    fn run(mut self, limit: usize) -> Option<Found> {
        let first = Boundary {
            shared: self.system.shared.iter().map(|s| s.init).collect(),
            inputs: vec![false; self.system.inputs],
            processes: (0..self.codes.len())
                .map(|n| self.system.processes[n].parent.is_none().then(|| self.fresh(n)))
                .collect(),
            quiet: true,
        };
        let mut numbers: BTreeMap<Boundary, usize> = BTreeMap::new();
        let mut busy: Vec<Vec<usize>> = Vec::new();
        let mut work = Vec::new();
        if self.holds_always(&first) {
            numbers.insert(first.clone(), 0);
            busy.push(Vec::new());
            work.push(first);
        }
        let mut steps = 0;
        while let Some(state) = work.pop() {
            let from = numbers[&state];
            for next in self.step(&state) {
                steps += 1;
                if numbers.len() > limit || steps > 40 * limit {
                    return None;
                }
                let count = numbers.len();
                let to = *numbers.entry(next.clone()).or_insert(count);
                if to == count {
                    busy.push(Vec::new());
                    work.push(next.clone());
                }
                // Inputs come after quiet steps only, so a cycle of others is a run without a stable state.
                if !next.quiet && !state.quiet {
                    busy[from].push(to);
                }
            }
        }
        self.found.states = numbers.len();
        if self.system.stability && has_cycle(&busy) {
            self.found.violated.insert("system.stability.1".into());
        }
        Some(self.found)
    }

    fn fresh(&self, n: usize) -> (usize, Vec<u8>) {
        (self.codes[n].location(0), self.codes[n].locals.clone())
    }

    fn holds_always(&mut self, state: &Boundary) -> bool {
        let mut step = Step::new(state, self.system);
        let holds = self.cond(&mut step, None, &self.system.always.clone()).unwrap_or(true);
        if !holds {
            self.found.violated.insert("always.assertion.1".into());
        }
        holds
    }

    fn step(&mut self, state: &Boundary) -> Vec<Boundary> {
        let mut results = Vec::new();
        let inputs = match !self.system.asynchronous || state.quiet {
            true => (0..1u32 << self.system.inputs)
                .map(|bits| (0..self.system.inputs).map(|k| bits >> k & 1 == 1).collect())
                .collect(),
            false => vec![state.inputs.clone()],
        };
        for inputs in inputs {
            let mut step = Step::new(state, self.system);
            step.now.inputs = inputs;
            let mut steps = vec![step];
            for n in 0..self.codes.len() {
                steps = steps.into_iter().flat_map(|step| self.turn(step, n)).collect();
            }
            for step in steps {
                results.extend(self.boundary(step));
            }
        }
        results.sort();
        results.dedup();
        results
    }

    /// All ways in which a process can take its turn.
    fn turn(&mut self, step: Step, n: usize) -> Vec<Step> {
        let Some((from, _)) = step.now.processes[n].clone() else { return vec![step] };
        let mut done = Vec::new();
        let mut work = vec![(step, from)];
        while let Some((mut step, mut at)) = work.pop() {
            loop {
                match self.operation(&mut step, n, at, &mut work) {
                    Ok(Some(Go::On(to))) => at = to,
                    Ok(Some(Go::End(to))) => {
                        let to = to.map(|to| self.codes[n].location(to));
                        step.fired |= to != Some(from);
                        let locals = step.now.processes[n].take().map(|(_, locals)| locals).unwrap_or_default();
                        step.now.processes[n] = to.map(|to| (to, locals));
                        self.found.ended |= to.is_none();
                        done.push(step);
                        break;
                    }
                    // Every way on is in `work`, or the run has ended.
                    Ok(None) | Err(Violation) => break,
                }
            }
        }
        done
    }

    fn operation(
        &mut self,
        step: &mut Step,
        n: usize,
        at: usize,
        work: &mut Vec<(Step, usize)>,
    ) -> Result<Option<Go>, Violation> {
        let next = Ok(Some(Go::On(at + 1)));
        // The operations are borrowed apart from what is found.
        let codes = std::mem::take(&mut self.codes);
        let result = match &codes[n].ops[at] {
            Op::Set(v, e) => self.expr(step, Some(n), e).and_then(|value| self.set(step, n, *v, value)).and(next),
            Op::SetLocal(k, e) => self.expr(step, Some(n), e).and_then(|value| {
                if let Some((_, locals)) = &mut step.now.processes[n] {
                    locals[*k] = value;
                }
                step.fired = true;
                next
            }),
            Op::Test(c, other) => {
                self.cond(step, Some(n), c).map(|holds| Some(Go::On(if holds { at + 1 } else { *other })))
            }
            Op::Jump(to) => Ok(Some(Go::On(*to))),
            Op::End(to) => Ok(Some(Go::End(Some(*to)))),
            Op::Over => Ok(Some(Go::End(None))),
            Op::Assert(c, name) => match self.cond(step, Some(n), c) {
                Ok(true) => next,
                Ok(false) => self.violate(name),
                Err(violation) => Err(violation),
            },
            Op::Choice(guards, none, name) => self.choose(step, n, guards, *none, name, work),
            Op::Start(child) | Op::Stop(child) => {
                step.orders.insert(*child, matches!(codes[n].ops[at], Op::Start(_)));
                step.fired = true;
                next
            }
        };
        self.codes = codes;
        result
    }

    fn violate<T>(&mut self, name: &str) -> Result<T, Violation> {
        self.found.violated.insert(name.to_string());
        Err(Violation)
    }

    fn choose(
        &mut self,
        step: &mut Step,
        n: usize,
        guards: &[(Cond, usize)],
        none: usize,
        name: &str,
        work: &mut Vec<(Step, usize)>,
    ) -> Result<Option<Go>, Violation> {
        let mut enabled = Vec::new();
        for (guard, target) in guards {
            if self.cond(step, Some(n), guard)? {
                enabled.push(*target);
            }
        }
        self.found.two_enabled |= enabled.len() > 1;
        self.found.stayed |= enabled.is_empty();
        if enabled.len() > 1 && self.system.nondeterminism {
            return self.violate(name);
        }
        if enabled.is_empty() {
            return Ok(Some(Go::On(none)));
        }
        work.extend(enabled.into_iter().map(|target| (step.clone(), target)));
        Ok(None)
    }

    fn set(&mut self, step: &mut Step, n: usize, v: usize, value: u8) -> Result<(), Violation> {
        step.fired = true;
        if !self.system.shared[v].blocking {
            step.written[v].insert(n, value);
            return Ok(());
        }
        let others = |users: &BTreeSet<usize>| users.iter().any(|&p| p != n);
        if self.system.race && (others(&step.writers[v]) || others(&step.readers[v])) {
            return self.violate(&format!("v{v}.race.1"));
        }
        step.writers[v].insert(n);
        step.now.shared[v] = value;
        Ok(())
    }

    /// Who reads is a process, or nobody that could race.
    fn expr(&mut self, step: &mut Step, who: Option<usize>, e: &Expr) -> Result<u8, Violation> {
        Ok(match e {
            Expr::Const(value) => *value,
            Expr::Local(k) => {
                let process = who.and_then(|n| step.now.processes[n].as_ref());
                process.map_or(0, |(_, locals)| locals[*k])
            }
            Expr::Add(a, b) => {
                let a = self.expr(step, who, a)?;
                (a + self.expr(step, who, b)?) & 3
            }
            Expr::Shared(v) if !self.system.shared[*v].blocking => step.start[*v],
            Expr::Shared(v) => {
                if let Some(n) = who {
                    if self.system.race && step.writers[*v].iter().any(|&p| p != n) {
                        return self.violate(&format!("v{v}.race.1"));
                    }
                    step.readers[*v].insert(n);
                }
                step.now.shared[*v]
            }
        })
    }

    fn cond(&mut self, step: &mut Step, who: Option<usize>, c: &Cond) -> Result<bool, Violation> {
        Ok(match c {
            Cond::Input(k) => step.now.inputs[*k],
            Cond::Eq(a, b) => self.expr(step, who, a)? == self.expr(step, who, b)?,
            Cond::Less(a, b) => self.expr(step, who, a)? < self.expr(step, who, b)?,
            Cond::Not(a) => !self.cond(step, who, a)?,
            Cond::And(a, b) => self.cond(step, who, a)? && self.cond(step, who, b)?,
            Cond::Or(a, b) => self.cond(step, who, a)? || self.cond(step, who, b)?,
        })
    }

    /// All ways in which a step can end.
    fn boundary(&mut self, step: Step) -> Vec<Boundary> {
        for v in 0..self.system.shared.len() {
            let values: BTreeSet<u8> = step.written[v].values().copied().collect();
            self.found.raced |= values.len() > 1;
            if values.len() > 1 && self.system.race {
                self.found.violated.insert(format!("v{v}.race.1"));
                return Vec::new();
            }
        }
        let mut results = vec![step.now.clone()];
        for v in 0..self.system.shared.len() {
            let values: BTreeSet<u8> = step.written[v].values().copied().collect();
            if !values.is_empty() {
                let with = |state: &Boundary, value: u8| {
                    let mut state = state.clone();
                    state.shared[v] = value;
                    state
                };
                results = results
                    .iter()
                    .flat_map(|s| values.iter().map(|&value| with(s, value)).collect::<Vec<_>>())
                    .collect();
            }
        }
        for state in &mut results {
            state.quiet = !step.fired;
            self.control(state, &step.orders);
        }
        results.retain(|state| self.holds_always(state));
        results
    }

    fn control(&self, state: &mut Boundary, orders: &BTreeMap<usize, bool>) {
        for n in 0..self.codes.len() {
            let mut up = self.system.processes[n].parent;
            let mut gone = orders.get(&n) == Some(&false);
            while let Some(parent) = up {
                gone |= orders.contains_key(&parent);
                up = self.system.processes[parent].parent;
            }
            if gone {
                state.processes[n] = None;
            } else if orders.get(&n) == Some(&true) {
                state.processes[n] = Some(self.fresh(n));
            }
        }
    }
}

enum Go {
    On(usize),
    End(Option<usize>),
}

impl Step {
    fn new(state: &Boundary, system: &System) -> Step {
        let count = system.shared.len();
        Step {
            start: state.shared.clone(),
            now: state.clone(),
            written: vec![BTreeMap::new(); count],
            readers: vec![BTreeSet::new(); count],
            writers: vec![BTreeSet::new(); count],
            fired: false,
            orders: BTreeMap::new(),
        }
    }
}

/// Whether some run through the edges goes on for ever.
fn has_cycle(edges: &[Vec<usize>]) -> bool {
    let mut left: Vec<usize> = edges.iter().map(Vec::len).collect();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for (from, targets) in edges.iter().enumerate() {
        targets.iter().for_each(|&to| before[to].push(from));
    }
    let mut work: Vec<usize> = (0..edges.len()).filter(|&n| left[n] == 0).collect();
    let mut gone = work.len();
    while let Some(n) = work.pop() {
        for &from in &before[n] {
            left[from] -= 1;
            if left[from] == 0 {
                work.push(from);
                gone += 1;
            }
        }
    }
    gone < edges.len()
}
