//! Generated synchronous systems: small variables, two to four processes, races on purpose.
//!
//! A [`System`] is the generator's own data: `text` writes it as C, and `search` enumerates what
//! `docs/synchronous-c.md` says it does, on the operations that `code` makes of a process. None knows the tool.

mod code;
pub mod search;
pub mod text;

use super::rng::Rng;
use std::collections::BTreeSet;

/// What the suite must have seen.
pub const KINDS: [&str; 24] = [
    "asynchronous",
    "synchronous",
    "blocking",
    "several writers",
    "real race",
    "array with several writers",
    "real race on a cell",
    "idle process",
    "choice",
    "two transitions enabled",
    "otherwise",
    "choice that stays",
    "plain statements",
    "loop in a section",
    "jump in a section",
    "local variable",
    "helper function",
    "sub-process",
    "sub-process stopped",
    "process that ends",
    "assertion in a process",
    "race asked for",
    "nondeterminism asked for",
    "stability asked for",
];

#[derive(Clone, Debug)]
pub enum Expr {
    Const(u8),
    Shared(usize),
    /// A cell of the array, by this index modulo its length.
    At(Box<Expr>),
    Local(usize),
    /// Modulo 4.
    Add(Box<Expr>, Box<Expr>),
}

impl Expr {
    fn is_constant(&self) -> bool {
        match self {
            Expr::Const(_) => true,
            Expr::Add(a, b) => a.is_constant() && b.is_constant(),
            Expr::Shared(_) | Expr::At(_) | Expr::Local(_) => false,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Cond {
    Input(usize),
    Eq(Expr, Expr),
    Less(Expr, Expr),
    Not(Box<Cond>),
    And(Box<Cond>, Box<Cond>),
    Or(Box<Cond>, Box<Cond>),
}

/// Statements. In a section `Goto` leaves it.
#[derive(Clone, Debug)]
pub enum Stmt {
    Set(usize, Expr),
    /// The same by a call of a function.
    Put(usize, Expr),
    /// To the cell of this index.
    SetAt(Expr, Expr),
    SetLocal(usize, Expr),
    If(Cond, Vec<Stmt>, Vec<Stmt>),
    Goto(usize),
    Idle,
    Empty,
    Assert(Cond),
    /// So many times; in sections only.
    Repeat(u8, Vec<Stmt>),
    /// A jump over the statements, inside a section; the number makes the label.
    Skip(Cond, Vec<Stmt>, usize),
    /// Outside sections, the body takes a step.
    While(Cond, Vec<Stmt>),
    Start(usize),
    Stop(usize),
}

/// What stands at a label.
#[derive(Clone, Debug)]
pub enum State {
    Atomic(Vec<Stmt>),
    Choice(Vec<(Cond, Vec<Stmt>)>, Option<Vec<Stmt>>),
    Plain(Vec<Stmt>),
}

#[derive(Clone, Debug)]
pub struct Process {
    pub locals: Vec<u8>,
    pub states: Vec<State>,
    /// The process that starts it.
    pub parent: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Shared {
    pub blocking: bool,
    pub init: u8,
}

/// The cells of the array.
pub const CELLS: usize = 2;

#[derive(Clone, Debug)]
pub struct System {
    pub asynchronous: bool,
    pub inputs: usize,
    /// If there is an array, its cells come first.
    pub shared: Vec<Shared>,
    pub array: bool,
    pub processes: Vec<Process>,
    pub always: Cond,
    pub race: bool,
    pub nondeterminism: bool,
    pub stability: bool,
    pub kinds: BTreeSet<&'static str>,
}

impl System {
    pub fn is_cell(&self, v: usize) -> bool {
        self.array && v < CELLS
    }

    /// The property that there is no race on this variable.
    pub fn race_name(&self, v: usize) -> String {
        if self.is_cell(v) {
            "a.race.1".to_string()
        } else {
            format!("v{v}.race.1")
        }
    }
}

/// The system of this seed and number.
pub fn system(seed: u64, index: u64) -> System {
    let mut maker =
        Maker { rng: Rng::new(seed, index), kinds: BTreeSet::new(), inputs: 0, shared: Vec::new(), cells: 0, skips: 0 };
    maker.system()
}

struct Maker {
    rng: Rng,
    kinds: BTreeSet<&'static str>,
    inputs: usize,
    shared: Vec<Shared>,
    /// How many of them are cells of the array.
    cells: usize,
    skips: usize,
}

/// Where a statement stands.
#[derive(Copy, Clone)]
struct Place {
    states: usize,
    locals: usize,
    child: Option<usize>,
    section: bool,
    depth: u32,
}

impl Maker {
    fn saw(&mut self, kind: &'static str) {
        self.kinds.insert(kind);
    }

    fn system(&mut self) -> System {
        let asynchronous = self.rng.chance(50);
        self.saw(if asynchronous { "asynchronous" } else { "synchronous" });
        self.inputs = self.rng.below(3);
        let count = 2 + self.rng.below(3);
        if self.rng.chance(15) {
            self.cells = CELLS;
        }
        for n in 0..self.cells + 2 + self.rng.below(2) {
            let blocking = self.rng.chance(30) && n >= self.cells;
            let init = self.rng.below(4) as u8;
            if blocking {
                self.saw("blocking");
            }
            self.shared.push(Shared { blocking, init });
        }
        let mut parents: Vec<Option<usize>> = vec![None; count];
        for (before, parent) in parents.iter_mut().skip(1).enumerate() {
            if self.rng.chance(25) {
                // Sub-processes come right after their parent: the order is that of the text.
                *parent = Some(before);
                self.saw("sub-process");
            }
        }
        let processes = (0..count).map(|n| {
            let child = (n + 1 < count && parents[n + 1] == Some(n)).then_some(n + 1);
            self.process(parents[n], child)
        });
        let processes = processes.collect();
        let always = self.always();
        let (race, nondeterminism) = (self.rng.chance(35), self.rng.chance(35));
        let stability = asynchronous && self.rng.chance(40);
        for (asked, kind) in
            [(race, "race asked for"), (nondeterminism, "nondeterminism asked for"), (stability, "stability asked for")]
        {
            if asked {
                self.saw(kind);
            }
        }
        let (inputs, shared, kinds) = (self.inputs, self.shared.clone(), self.kinds.clone());
        let array = self.cells > 0;
        System { asynchronous, inputs, shared, array, processes, always, race, nondeterminism, stability, kinds }
    }

    /// A condition that holds at first, most often.
    fn always(&mut self) -> Cond {
        let n = self.scalar();
        let other = (self.shared[n].init + self.rng.range(1, 3) as u8) & 3;
        let hit = Cond::Eq(Expr::Shared(n), Expr::Const(other));
        let also = self.cond(0, 1);
        Cond::Not(Box::new(Cond::And(Box::new(hit), Box::new(also))))
    }

    /// A variable that is no cell.
    fn scalar(&mut self) -> usize {
        self.cells + self.rng.below(self.shared.len() - self.cells)
    }

    fn set(&mut self, place: Place) -> Stmt {
        if self.cells > 0 && self.rng.chance(60) {
            return Stmt::SetAt(self.expr(place.locals, 0), self.expr(place.locals, 1));
        }
        Stmt::Set(self.scalar(), self.expr(place.locals, 1))
    }

    fn process(&mut self, parent: Option<usize>, child: Option<usize>) -> Process {
        let locals = if self.rng.chance(30) { vec![self.rng.below(4) as u8] } else { Vec::new() };
        if !locals.is_empty() {
            self.saw("local variable");
        }
        let states = 1 + self.rng.below(3);
        let place = Place { states, locals: locals.len(), child, section: true, depth: 0 };
        let mut made: Vec<State> = (0..states).map(|_| self.state(place)).collect();
        if let Some(child) = child {
            // Somebody must start it.
            match &mut made[0] {
                State::Atomic(stmts) | State::Plain(stmts) => stmts.insert(0, Stmt::Start(child)),
                State::Choice(transitions, _) => transitions[0].1.insert(0, Stmt::Start(child)),
            }
        }
        Process { locals, states: made, parent }
    }

    fn state(&mut self, place: Place) -> State {
        match self.rng.weighted(&[5, 3, 2]) {
            0 => State::Atomic(self.stmts(place, 3, true)),
            1 => {
                self.saw("choice");
                let count = 1 + self.rng.below(3);
                let transitions =
                    (0..count).map(|_| (self.cond(place.locals, 1), self.stmts(place, 2, true))).collect();
                let otherwise = self.rng.chance(40).then(|| self.stmts(place, 1, true));
                if otherwise.is_some() {
                    self.saw("otherwise");
                }
                State::Choice(transitions, otherwise)
            }
            _ => {
                self.saw("plain statements");
                State::Plain(self.stmts(Place { section: false, ..place }, 3, true))
            }
        }
    }

    /// One to `most` statements, often with a jump at the end.
    fn stmts(&mut self, place: Place, most: usize, jumps: bool) -> Vec<Stmt> {
        let count = 1 + self.rng.below(most);
        let mut stmts: Vec<Stmt> = (0..count).map(|_| self.stmt(place)).collect();
        if jumps && self.rng.chance(75) {
            stmts.push(Stmt::Goto(self.rng.below(place.states)));
        }
        stmts
    }

    fn stmt(&mut self, place: Place) -> Stmt {
        let inner = Place { depth: place.depth + 1, ..place };
        match self.rng.weighted(&[10, 3, 4, 6, 1, 1, 2, 2, 2]) {
            1 if place.locals > 0 => Stmt::SetLocal(0, self.expr(place.locals, 1)),
            2 => {
                self.saw("helper function");
                Stmt::Put(self.scalar(), self.expr(place.locals, 1))
            }
            3 if place.depth < 2 => {
                let other = if self.rng.chance(50) { self.stmts(inner, 1, true) } else { Vec::new() };
                Stmt::If(self.cond(place.locals, 1), self.stmts(inner, 2, true), other)
            }
            4 => {
                self.saw("idle process");
                Stmt::Idle
            }
            5 => {
                self.saw("assertion in a process");
                // One that is not violated at once by most systems.
                let (a, b) = (self.cond(place.locals, 1), self.cond(place.locals, 1));
                Stmt::Assert(Cond::Or(Box::new(a), Box::new(b)))
            }
            6 if place.section && place.depth < 2 => {
                self.saw("loop in a section");
                Stmt::Repeat(1 + self.rng.below(2) as u8, self.stmts(Place { depth: 2, ..place }, 2, false))
            }
            6 if place.depth == 0 && !place.section => {
                // A loop that could go round without a step is refused.
                let mut body = vec![Stmt::Empty];
                body.extend(self.stmts(inner, 2, false));
                Stmt::While(self.cond(place.locals, 1), body)
            }
            7 if place.section && place.depth < 2 => {
                self.saw("jump in a section");
                self.skips += 1;
                Stmt::Skip(self.cond(place.locals, 1), self.stmts(Place { depth: 2, ..place }, 1, false), self.skips)
            }
            7 if !place.section => Stmt::Empty,
            8 => match place.child {
                Some(child) if self.rng.chance(50) => {
                    self.saw("sub-process stopped");
                    Stmt::Stop(child)
                }
                Some(child) => Stmt::Start(child),
                None => self.set(place),
            },
            _ => self.set(place),
        }
    }

    fn expr(&mut self, locals: usize, depth: u32) -> Expr {
        match self.rng.weighted(&[4, 3, 2, 2]) {
            1 if self.cells > 0 && self.rng.chance(50) => Expr::At(Box::new(Expr::Const(self.rng.below(2) as u8))),
            1 => Expr::Shared(self.scalar()),
            2 if locals > 0 => Expr::Local(0),
            3 if depth > 0 => Expr::Add(Box::new(self.expr(locals, depth - 1)), Box::new(self.expr(locals, depth - 1))),
            _ => Expr::Const(self.rng.pick(&[0, 1, 2, 3])),
        }
    }

    fn cond(&mut self, locals: usize, depth: u32) -> Cond {
        match self.rng.weighted(&[4, 3, 3, 1, 2, 2]) {
            0 if self.inputs > 0 => Cond::Input(self.rng.below(self.inputs)),
            1 => match (self.expr(locals, 1), self.expr(locals, 0)) {
                // What constants decide has no property: choices behind it would have other names.
                (a, Expr::Const(b)) if a.is_constant() => Cond::Less(Expr::Shared(self.scalar()), Expr::Const(b)),
                (a, b) => Cond::Less(a, b),
            },
            3 if depth > 0 => Cond::Not(Box::new(self.cond(locals, depth - 1))),
            4 if depth > 0 => Cond::And(Box::new(self.cond(locals, depth - 1)), Box::new(self.cond(locals, depth - 1))),
            5 if depth > 0 => Cond::Or(Box::new(self.cond(locals, depth - 1)), Box::new(self.cond(locals, depth - 1))),
            _ => Cond::Eq(Expr::Shared(self.scalar()), self.expr(locals, 0)),
        }
    }
}
