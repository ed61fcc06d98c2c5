//! All that a generated system can do, step by step, as `docs/synchronous-c.md` says it.
//!
//! Everything unknown is tried: the inputs, which of the enabled transitions is taken, and for every variable by itself
//! (of the array every cell) whose value counts.

use super::code::{code, names, writers, Code, Op};
use super::{Cond, Expr, System, CELLS};
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
    /// The same for the cells of the array; and some step wrote two values to one of them.
    pub cell_writers: usize,
    pub cell_raced: bool,
    pub two_enabled: bool,
    pub stayed: bool,
    pub ended: bool,
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
    let may_write: Vec<usize> = (0..system.shared.len()).map(|v| writers(system, &codes, v)).collect();
    if system.race {
        let written = (0..system.shared.len()).filter(|&v| may_write[v] > 0);
        properties.extend(written.map(|v| system.race_name(v)));
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
        cell_writers: (0..may_write.len()).filter(|&v| system.is_cell(v)).map(|v| may_write[v]).max().unwrap_or(0),
        cell_raced: false,
        two_enabled: false,
        stayed: false,
        ended: false,
    };
    Search { system, codes, found }.run(limit)
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
            Op::SetAt(index, e) => self
                .expr(step, Some(n), index)
                .and_then(|index| {
                    let value = self.expr(step, Some(n), e)?;
                    self.set(step, n, usize::from(index) % CELLS, value)
                })
                .and(next),
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
            Expr::At(index) => {
                let index = self.expr(step, who, index)?;
                step.start[usize::from(index) % CELLS]
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
            self.found.cell_raced |= values.len() > 1 && self.system.is_cell(v);
            if values.len() > 1 && self.system.race {
                self.found.violated.insert(self.system.race_name(v));
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
