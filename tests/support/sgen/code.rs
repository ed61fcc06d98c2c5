//! A process as a list of operations; a location is a place in it.

use super::{Cond, Expr, Process, State, Stmt, System};

pub enum Op {
    Set(usize, Expr),
    /// To the cell of this index.
    SetAt(Expr, Expr),
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

pub struct Code {
    pub ops: Vec<Op>,
    pub locals: Vec<u8>,
}

impl Code {
    /// Jumps take no time: the place they lead to is the location.
    pub fn location(&self, mut at: usize) -> usize {
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

pub fn code(system: &System, n: usize, process: &Process) -> Code {
    let mut coder = Coder::new(system, n);
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
    fn new(asked: &System, n: usize) -> Coder<'_> {
        Coder {
            ops: Vec::new(),
            name: format!("p{n}"),
            states: Vec::new(),
            open: Vec::new(),
            section: None,
            asserts: 0,
            choices: 0,
            asked,
        }
    }

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
            Stmt::SetAt(index, e) => self.simple(Op::SetAt(index.clone(), e.clone())),
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

/// The properties in the text of a process.
pub fn names(system: &System, n: usize, process: &Process) -> Vec<String> {
    let mut coder = Coder::new(system, n);
    process.states.iter().for_each(|s| coder.state(s));
    coder.properties()
}

/// How many processes may write a variable.
pub fn writers(system: &System, codes: &[Code], var: usize) -> usize {
    let writes = |op: &Op| match op {
        Op::Set(v, _) => *v == var,
        Op::SetAt(..) => system.is_cell(var),
        _ => false,
    };
    codes.iter().filter(|c| c.ops.iter().any(writes)).count()
}
