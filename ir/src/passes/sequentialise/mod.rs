//! A synchronous system as a sequential program with one endless loop, each turn of it a step.
//!
//! ```text
//! start:     call entry; jump head
//! head:      call observer; [fired := false]; call environment (asynchronous time: if the last step was quiet)
//! turn of p: pending values := values; switch at(p) to the places where p's steps begin
//!            ... `step` to the n-th place: at(p) := n; fired or= at(p) has changed; jump to the next turn ...
//! boundary:  races; values := pending values; start and stop processes; quiet := not fired; jump head
//! ```
//!
//! After SYMPARA's encoding (*Scalable Safety Verification of Statechart-like Programs*, 2018, 2.4): the schedule is
//! fixed, and races are resolved by *concurrent SSA*. Where several processes may write a variable, each has a pending
//! value and a flag of its own, and at the boundary one conditional on an input picks a value, for every variable by
//! itself. An order of the processes would tie all writes of one process together; that is another system.
//!
//! * A variable that at most one process may write (by the calls and writes in its code) pays nothing but the pending
//!   value: no flag, no choice.
//! * Process locations are variables, so the control of the result is the cut point and `sp`, the process whose turn it
//!   is ([`Sequential::turns`]): control vectors, of which there are exponentially many, are left to the formulas.
//! * Locals of a process become slots of the one procedure. Functions that write variables are copied for each
//!   process that calls them ([`instrument`]), since the pending value depends on whose turn it is.
//! * Pending values and flags are set anew in each turn, so they are no state at the step boundary.
//!
//! [`Schedule::Interleaving`] is there to compare with: the turns come in any order, and the last writer wins. It ties all
//! writes of one process together, so it has fewer runs than the system; verdicts on the system never rest on it.
//!
//! Properties, obligations, sites and origins keep their numbers: a trace of the result is a run of the system
//! ([`crate::interp::system`] replays it). The result has no `System`; certificates are about the result.

mod boundary;
mod emit;
mod instrument;
mod interleaving;
mod stability;
mod turn;

use crate::analysis::system::{accesses, locations, Accesses};
use crate::consts::Const;
use crate::entities::{Block, Origin, Slot, Var};
use crate::inst::Terminator;
use crate::program::{bits_for, Initial, Procedure, Program, SharedVar, System, TimeModel, VarData, WriteKind};
use crate::types::{Scalar, Type};
use cranelift_entity::{EntityRef, SecondaryMap};

/// A system as a sequential program.
pub struct Sequential {
    pub program: Program,
    /// Where a step begins: the header of the endless loop.
    pub head: Block,
    /// Where the turn of each process begins.
    pub turns: Vec<Block>,
    /// Booleans that count the steps since the last quiet one, if stability asks for that: the k-th says that there are
    /// at least k.
    pub counter: Vec<Var>,
}

/// The order of turns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// That of the processes; races are resolved by choices.
    Fixed,
    /// Every order, to compare with.
    Interleaving,
}

/// `None` if the program is no system.
pub fn sequentialise(program: &Program) -> Option<Sequential> {
    build(program, Schedule::Fixed)
}

/// The system with its turns in any order. `None` if the program is no system, or has what an order decides: blocking
/// variables, and races as properties.
pub fn interleaved(program: &Program) -> Option<Sequential> {
    let ordered = |s: &SharedVar| s.write == WriteKind::Blocking || s.race.is_some();
    match program.system.as_ref()?.shared.iter().any(ordered) {
        true => None,
        false => build(program, Schedule::Interleaving),
    }
}

fn build(program: &Program, schedule: Schedule) -> Option<Sequential> {
    let system = program.system.as_ref()?;
    let mut pass = Sequentialiser::new(program, system, schedule);
    pass.build();
    let Sequentialiser { mut out, body, head, turns, counter, .. } = pass;
    out.entry = Some(out.procs.push(body));
    super::run(&mut out, "sequentialise", super::remove_unreachable_procs);
    Some(Sequential { program: out, head, turns, counter })
}

/// How a variable that processes write at the boundary is kept during a step.
#[derive(Clone)]
enum Pending {
    /// No process writes it, or it is written at once.
    None,
    /// One process writes it, or the last that does counts (then there is no writer here).
    Single { writer: Option<usize>, next: Var },
    /// (who, pending value, whether it has written, of an array for each cell) in the order of the processes.
    Several(Vec<(usize, Var, Var)>),
}

/// Who has accessed a blocking variable in the step: 0 nobody, n + 1 the n-th process, the last number several.
#[derive(Copy, Clone)]
struct Accessed {
    reader: Var,
    writer: Var,
}

struct ProcessVars {
    /// Its location: the place in `locations`, their number if it is not active.
    at: Var,
    width: u32,
    locations: Vec<Block>,
    slots: SecondaryMap<Slot, Slot>,
    /// Its code as it is in its turn.
    body: Procedure,
}

struct Sequentialiser<'p> {
    program: &'p Program,
    system: &'p System,
    schedule: Schedule,
    accesses: Vec<Accesses>,
    out: Program,
    body: Procedure,
    head: Block,
    turns: Vec<Block>,
    counter: Vec<Var>,
    processes: Vec<ProcessVars>,
    /// Beside `System::shared`.
    pending: Vec<Pending>,
    accessed: Vec<Option<Accessed>>,
    /// For each variable its place in `System::shared`.
    shared: SecondaryMap<Var, Option<usize>>,
    /// Some process has fired in this step; where that matters.
    fired: Option<Var>,
    /// No process fired in the last step.
    quiet: Option<Var>,
    /// What instructions of the pass itself are from.
    at: Origin,
}

impl<'p> Sequentialiser<'p> {
    fn new(program: &'p Program, system: &'p System, schedule: Schedule) -> Sequentialiser<'p> {
        let mut out = program.clone();
        out.system = None;
        let at = program.entry.map_or(program.no_origin(), |entry| program.procs[entry].origin);
        let name = free_name("system", |name| program.procs.values().any(|p| p.name == name));
        let mut body = Procedure::new(name, at);
        let head = body.add_block(at);
        let mut shared = SecondaryMap::new();
        for (n, s) in system.shared.iter().enumerate() {
            shared[s.var] = Some(n);
        }
        let mut pass = Sequentialiser {
            program,
            system,
            schedule,
            accesses: accesses(program, system),
            out,
            body,
            head,
            turns: Vec::new(),
            counter: Vec::new(),
            processes: Vec::new(),
            pending: Vec::new(),
            accessed: Vec::new(),
            shared,
            fired: None,
            quiet: None,
            at,
        };
        pass.make_variables();
        pass
    }

    fn make_variables(&mut self) {
        for n in 0..self.system.processes.len() {
            let process = &self.system.processes[n];
            let locations = locations(&self.program.procs[process.body]);
            let width = bits_for(locations.len() + 1);
            let first = if process.control.is_some() { locations.len() } else { 0 };
            let at = self.variable(format!("{}.at", process.name), Const::bv(width, first as u128));
            let slots = SecondaryMap::with_default(Slot::new(0));
            let body = self.program.procs[process.body].clone();
            self.processes.push(ProcessVars { at, width, locations, slots, body });
        }
        for &shared in &self.system.shared {
            let pending = self.make_pending(shared);
            self.pending.push(pending);
            let accessed = self.make_accessed(shared);
            self.accessed.push(accessed);
        }
        let asynchronous = self.system.time == TimeModel::Asynchronous;
        if asynchronous || self.system.stability.is_some() {
            self.fired = Some(self.variable("a process has fired".into(), Const::Bool(false)));
        }
        if asynchronous && self.system.environment.is_some() {
            self.quiet = Some(self.variable("the last step was quiet".into(), Const::Bool(true)));
        }
    }

    fn variable(&mut self, wanted: String, init: Const) -> Var {
        let vars = &self.out.vars;
        let name = free_name(&wanted, |name| vars.values().any(|v| v.name == name));
        let (ty, origin) = (init.ty(), self.at);
        self.out.vars.push(VarData { name, ty, init: Initial::Const(init), origin })
    }

    fn make_pending(&mut self, shared: SharedVar) -> Pending {
        let writes = |n: &usize| self.accesses[*n].writes.contains(shared.var);
        let writers: Vec<usize> = (0..self.accesses.len()).filter(writes).collect();
        let VarData { name, ty, .. } = self.program.vars[shared.var].clone();
        if shared.write == WriteKind::Blocking {
            return Pending::None;
        }
        match writers[..] {
            [] => Pending::None,
            [writer] => {
                let next = self.variable(format!("{name}.next"), Const::zero(ty));
                Pending::Single { writer: Some(writer), next }
            }
            _ if self.schedule == Schedule::Interleaving => {
                let next = self.variable(format!("{name}.next"), Const::zero(ty));
                Pending::Single { writer: None, next }
            }
            _ => Pending::Several(writers.into_iter().map(|n| self.make_writer(n, &name, ty)).collect()),
        }
    }

    fn make_writer(&mut self, n: usize, name: &str, ty: Type) -> (usize, Var, Var) {
        let process = &self.system.processes[n].name;
        let next = self.variable(format!("{name}.next by {process}"), Const::zero(ty));
        let flag = match ty {
            Type::Scalar(_) => Type::BOOL,
            Type::Array { index, .. } => Type::Array { index, elem: Scalar::Bool },
        };
        let wrote = self.variable(format!("{name} written by {process}"), Const::zero(flag));
        (n, next, wrote)
    }

    /// Conflicts on a blocking variable need two processes, and a property that asks for them.
    fn make_accessed(&mut self, shared: SharedVar) -> Option<Accessed> {
        let var = shared.var;
        let writes = self.accesses.iter().any(|a| a.writes.contains(var));
        let users = self.accesses.iter().filter(|a| a.writes.contains(var) || a.reads.contains(var)).count();
        if shared.write != WriteKind::Blocking || shared.race.is_none() || !writes || users < 2 {
            return None;
        }
        let name = self.program.vars[var].name.clone();
        let nobody = Const::bv(self.user_width(), 0);
        let reader = self.variable(format!("{name} read by"), nobody.clone());
        let writer = self.variable(format!("{name} written by"), nobody);
        Some(Accessed { reader, writer })
    }

    fn user_width(&self) -> u32 {
        bits_for(self.system.processes.len() + 2)
    }

    fn build(&mut self) {
        let start = self.body.entry;
        if let Some(entry) = self.program.entry {
            self.call(start, entry);
        }
        self.jump(start, self.head);
        self.make_bodies();
        let origins: Vec<Origin> = self.system.processes.iter().map(|p| self.program.procs[p.body].origin).collect();
        self.turns = origins.iter().map(|&origin| self.body.add_block(origin)).collect();
        let boundary = self.body.add_block(self.at);
        match self.schedule {
            Schedule::Fixed => {
                let after: Vec<Block> = self.turns.iter().skip(1).copied().chain([boundary]).collect();
                self.build_head(self.turns.first().copied().unwrap_or(boundary));
                for (n, next) in after.into_iter().enumerate() {
                    self.build_turn(n, next);
                }
            }
            Schedule::Interleaving => self.build_any_order(boundary),
        }
        self.build_boundary(boundary);
    }

    fn build_head(&mut self, first: Block) {
        let head = self.head;
        if let Some(observer) = self.system.observer {
            self.call(head, observer);
        }
        if let Some(fired) = self.fired {
            self.write_const(head, fired, Const::Bool(false));
        }
        for Accessed { reader, writer } in self.accessed.clone().into_iter().flatten() {
            let nobody = Const::bv(self.user_width(), 0);
            self.write_const(head, reader, nobody.clone());
            self.write_const(head, writer, nobody);
        }
        let Some(environment) = self.system.environment else { return self.jump(head, first) };
        let Some(quiet) = self.quiet else {
            self.call(head, environment);
            return self.jump(head, first);
        };
        let inputs = self.body.add_block(self.at);
        self.call(inputs, environment);
        self.jump(inputs, first);
        let cond = self.read(head, quiet);
        let term = Terminator::Branch { cond, then: inputs.into(), other: first.into() };
        self.body.set_term(head, term, self.at);
    }
}

fn free_name(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut names = std::iter::once(wanted.to_string()).chain((2u32..).map(|n| format!("{wanted}#{n}")));
    names.find(|name| !taken(name)).unwrap_or_default()
}
