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
mod instrument;
mod interleaving;
mod stability;

use crate::analysis::system::{accesses, locations, Accesses};
use crate::consts::Const;
use crate::entities::{Block, Origin, Proc, Slot, Value, Var};
use crate::inst::{BlockCall, InstData, Place, Terminator};
use crate::ops::{BinOp, UnOp};
use crate::program::{
    bits_for, Initial, Procedure, Program, SharedVar, Stability, System, TimeModel, VarData, WriteKind,
};
use crate::types::Type;
use cranelift_entity::{EntityRef, SecondaryMap};

/// A system as a sequential program.
pub struct Sequential {
    pub program: Program,
    /// Where a step begins: the header of the endless loop.
    pub head: Block,
    /// Where the turn of each process begins.
    pub turns: Vec<Block>,
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
    let Sequentialiser { mut out, body, head, turns, .. } = pass;
    out.entry = Some(out.procs.push(body));
    super::run(&mut out, "sequentialise", super::remove_unreachable_procs);
    Some(Sequential { program: out, head, turns })
}

/// How a variable that processes write at the boundary is kept during a step.
#[derive(Clone)]
enum Pending {
    /// No process writes it, or it is written at once.
    None,
    /// One process writes it, or the last that does counts (then there is no writer here).
    Single { writer: Option<usize>, next: Var },
    /// (who, pending value, whether it has written) in the order of the processes.
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
            self.processes.push(ProcessVars { at, width, locations, slots: SecondaryMap::with_default(Slot::new(0)) });
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
        let wrote = self.variable(format!("{name} written by {process}"), Const::Bool(false));
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
        let origins: Vec<Origin> = self.system.processes.iter().map(|p| self.program.procs[p.body].origin).collect();
        self.turns = origins.iter().map(|&origin| self.body.add_block(origin)).collect();
        let boundary = self.body.add_block(self.at);
        if self.schedule == Schedule::Interleaving {
            self.build_any_order(boundary);
            return self.build_boundary(boundary);
        }
        let after: Vec<Block> = self.turns.iter().skip(1).copied().chain([boundary]).collect();
        self.build_head(after.len().checked_sub(1).map_or(boundary, |_| self.turns[0]));
        for (n, next) in after.into_iter().enumerate() {
            self.build_turn(n, next);
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

    /// The turn of a process: its body with the ends of steps leading to the next turn.
    fn build_turn(&mut self, n: usize, next: Block) {
        let turn = self.turns[n];
        self.start_pending(turn, n);
        let from = self.read(turn, self.processes[n].at);
        let mut original = self.program.procs[self.system.processes[n].body].clone();
        self.instrument(&mut original, n);
        let blocks = self.splice(n, &original);
        let cases = self.processes[n].locations.iter().enumerate();
        let cases = cases.map(|(k, &block)| (k as u128, BlockCall::from(blocks[block]))).collect();
        let term = Terminator::Switch { value: from, cases, default: next.into() };
        self.body.set_term(turn, term, self.body.blocks[turn].term_origin);
        for &block in &original.layout {
            self.end_turn(n, blocks[block], from, next, &original.blocks[block].term, &blocks);
        }
    }

    fn start_pending(&mut self, turn: Block, n: usize) {
        for (k, pending) in self.pending.clone().into_iter().enumerate() {
            let var = self.system.shared[k].var;
            match pending {
                Pending::Single { writer, next } if writer == Some(n) => {
                    let value = self.read(turn, var);
                    self.write(turn, next, value);
                }
                Pending::Several(writers) => {
                    for (_, next, wrote) in writers.into_iter().filter(|(who, ..)| *who == n) {
                        let value = self.read(turn, var);
                        self.write(turn, next, value);
                        self.write_const(turn, wrote, Const::Bool(false));
                    }
                }
                Pending::None | Pending::Single { .. } => {}
            }
        }
    }

    /// Copies blocks, slots and instructions; terminators keep the original's values and targets.
    fn splice(&mut self, n: usize, original: &Procedure) -> SecondaryMap<Block, Block> {
        let mut blocks = SecondaryMap::with_default(self.head);
        let mut values: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
        for (slot, data) in original.slots.iter() {
            let mut data = data.clone();
            data.name = format!("{}.{}", self.system.processes[n].name, data.name);
            self.processes[n].slots[slot] = self.body.slots.push(data);
        }
        for &block in &original.layout {
            blocks[block] = self.body.add_block(original.blocks[block].term_origin);
            for &param in &original.blocks[block].params {
                values[param] = Some(self.body.add_param(blocks[block], original.value_type(param)));
            }
        }
        let first = self.body.insts.len();
        for &block in &original.layout {
            for &inst in &original.blocks[block].insts {
                let node = &original.insts[inst];
                let types: Vec<Type> = node.results.iter().map(|&r| original.value_type(r)).collect();
                let mut data = node.data.clone();
                move_slots(&mut data, &self.processes[n].slots);
                let copy = self.body.append(blocks[block], data, &types, node.origin);
                for (&old, &new) in node.results.iter().zip(&self.body.insts[copy].results.clone()) {
                    values[old] = Some(new);
                }
            }
        }
        // Definitions may stand after uses in the layout, so operands come last.
        let of = |v: Value| values[v].unwrap_or(v);
        for k in first..self.body.insts.len() {
            self.body.insts[crate::entities::Inst::new(k)].data.map_args(of);
        }
        for &block in &original.layout {
            let mut term = original.blocks[block].term.clone();
            term.map_args(of);
            self.body.set_term(blocks[block], term, original.blocks[block].term_origin);
        }
        blocks
    }

    /// Gives a copied block its terminator in the whole.
    fn end_turn(
        &mut self,
        n: usize,
        block: Block,
        from: Value,
        next: Block,
        original: &Terminator,
        blocks: &SecondaryMap<Block, Block>,
    ) {
        let origin = self.body.blocks[block].term_origin;
        let number = |to: Block| self.processes[n].locations.iter().position(|&b| b == to);
        match original {
            Terminator::Step(to) => {
                let place = number(to.block).unwrap_or(0);
                self.arrive(n, block, Some(from), place);
                self.body.set_term(block, Terminator::Jump(next.into()), origin);
            }
            Terminator::Return(_) => {
                let over = self.processes[n].locations.len();
                self.arrive(n, block, None, over);
                self.forget(n, block, None);
                self.body.set_term(block, Terminator::Jump(next.into()), origin);
            }
            Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Switch { .. } | Terminator::Stop => {
                self.body.blocks[block].term.targets_mut().for_each(|t| t.block = blocks[t.block]);
            }
        }
    }

    /// Sets the location; the process has fired if it is another one than before.
    fn arrive(&mut self, n: usize, block: Block, from: Option<Value>, place: usize) {
        let ProcessVars { at, width, .. } = self.processes[n];
        let here = self.constant(block, Const::bv(width, place as u128));
        self.write(block, at, here);
        let Some(fired) = self.fired.filter(|_| !self.system.processes[n].silent) else { return };
        let moved = match from {
            Some(from) => {
                let same = self.binary(block, BinOp::Eq, from, here);
                self.not(block, same)
            }
            None => self.constant(block, Const::Bool(true)),
        };
        let before = self.read(block, fired);
        let value = self.binary(block, BinOp::Or, before, moved);
        self.write(block, fired, value);
    }

    /// The slots of a process are zero when it begins; on a condition, or always.
    fn forget(&mut self, n: usize, block: Block, cond: Option<Value>) {
        let slots: Vec<Slot> = {
            let original = &self.program.procs[self.system.processes[n].body];
            original.slots.keys().map(|slot| self.processes[n].slots[slot]).collect()
        };
        for slot in slots {
            let ty = self.body.slots[slot].ty;
            let mut value = self.constant(block, Const::zero(ty));
            if let Some(cond) = cond {
                let old = self.body.append1(block, InstData::Read { place: Place::Local(slot) }, ty, self.at);
                value = self.body.ite(block, cond, value, old, self.at);
            }
            self.body.append(block, InstData::Write { place: Place::Local(slot), value }, &[], self.at);
        }
    }

    fn stability(&self) -> Option<Stability> {
        self.system.stability
    }

    // Emitting.

    fn call(&mut self, block: Block, callee: Proc) {
        let procedure = &self.program.procs[callee];
        let types: Vec<Type> = procedure.params().iter().map(|&v| procedure.value_type(v)).collect();
        let results = procedure.results.clone();
        let args = types.into_iter().map(|ty| self.constant(block, Const::zero(ty))).collect();
        self.body.append(block, InstData::Call { callee, args }, &results, self.at);
    }

    fn jump(&mut self, block: Block, to: Block) {
        self.body.set_term(block, Terminator::Jump(to.into()), self.at);
    }

    fn constant(&mut self, block: Block, value: Const) -> Value {
        self.body.constant(block, value, self.at)
    }

    fn read(&mut self, block: Block, var: Var) -> Value {
        let ty = self.out.vars[var].ty;
        self.body.append1(block, InstData::Read { place: Place::Global(var) }, ty, self.at)
    }

    fn write(&mut self, block: Block, var: Var, value: Value) {
        self.body.append(block, InstData::Write { place: Place::Global(var), value }, &[], self.at);
    }

    fn write_const(&mut self, block: Block, var: Var, value: Const) {
        let value = self.constant(block, value);
        self.write(block, var, value);
    }

    fn binary(&mut self, block: Block, op: BinOp, a: Value, b: Value) -> Value {
        self.body.binary(block, op, a, b, self.at)
    }

    fn not(&mut self, block: Block, value: Value) -> Value {
        self.body.unary(block, UnOp::Not, value, self.at)
    }
}

fn free_name(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut names = std::iter::once(wanted.to_string()).chain((2u32..).map(|n| format!("{wanted}#{n}")));
    names.find(|name| !taken(name)).unwrap_or_default()
}

fn move_slots(data: &mut InstData, slots: &SecondaryMap<Slot, Slot>) {
    match data {
        InstData::Read { place }
        | InstData::Write { place, .. }
        | InstData::Load { place, .. }
        | InstData::Store { place, .. } => {
            if let Place::Local(slot) = place {
                *slot = slots[*slot];
            }
        }
        InstData::Const(_)
        | InstData::Unary { .. }
        | InstData::Binary { .. }
        | InstData::Ite { .. }
        | InstData::Update { .. }
        | InstData::Havoc { .. }
        | InstData::Call { .. }
        | InstData::Assume { .. }
        | InstData::Assert { .. }
        | InstData::Unsupported { .. }
        | InstData::Print { .. } => {}
    }
}
