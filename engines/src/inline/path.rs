//! A way through the program to something asked for, and the condition under which a run takes it.
//!
//! A counterexample of an abstraction is a path of the program: its blocks in the order of the run. The path is run
//! symbolically from the initial values on; of each variable a Boolean says whether it is tracked. Where it is true, a read
//! gives what was written, where it is false any value: so Fig. 5's `b_v`, and with constants for them Fig. 3. A write needs no
//! Boolean, since only reads see it.
//!
//! # Deviations
//! In the paper an expression with an untracked variable has any value, so that a condition that has one is dropped. Here the
//! read has any value and the condition stays, as in the abstraction itself ([`super::body`]): both are monotone in what is
//! tracked, and the second leaves out a little more.

use super::region::Regions;
use crate::logic::{Term, TermStore};
use crate::vc::TargetKind;
use rustc_hash::FxHashMap;
use syncline_ir::{BinOp, Block, BlockCall, Const, Initial, Inst, InstData, Place, Proc, Site, Terminator, Value, Var};

/// The blocks of a run up to a target, through calls and back.
pub struct Path {
    pub blocks: Vec<Block>,
    pub target: TargetKind,
}

/// When a run takes a path.
pub struct Condition {
    pub taken: Term,
    /// The unknown values it takes in, in their order.
    pub inputs: Vec<(Site, Term)>,
}

/// The condition of a path, with a Boolean term for each variable that can be tracked or not. `None`: the program has no
/// such path.
pub fn condition(
    path: &Path,
    regions: &Regions,
    tracked: &FxHashMap<Var, Term>,
    store: &mut TermStore,
) -> Option<Condition> {
    let (guard, taken) = (store.tt(), store.ff());
    let mut inputs = Vec::new();
    let mut globals: FxHashMap<Var, Term> = FxHashMap::default();
    for (var, data) in regions.program.vars.iter() {
        let value = match &data.init {
            Initial::Const(c) => store.constant_term(c.clone()),
            Initial::Any(site) => {
                let value = store.new_symbol(&data.name, data.ty);
                inputs.push((*site, value));
                value
            }
        };
        globals.insert(var, value);
    }
    let mut run = Run { path, regions, tracked, store, globals, stack: Vec::new(), next: 0, guard, taken, inputs };
    let entry = regions.program.entry?;
    let params = regions.program.procs[entry].params().iter();
    // The interpreter gives parameters of the entry the value zero.
    let zeros = params.map(|&p| Const::zero(regions.program.procs[entry].value_type(p)));
    let zeros: Vec<Const> = zeros.collect();
    let args = zeros.into_iter().map(|c| run.store.constant_term(c)).collect();
    run.activate(entry, args)?;
    while run.step()? {}
    Some(Condition { taken: run.taken, inputs: run.inputs })
}

struct Run<'a, 'p> {
    path: &'a Path,
    regions: &'a Regions<'p>,
    tracked: &'a FxHashMap<Var, Term>,
    store: &'a mut TermStore,
    globals: FxHashMap<Var, Term>,
    stack: Vec<Frame>,
    /// How many blocks of the path were entered.
    next: usize,
    guard: Term,
    taken: Term,
    inputs: Vec<(Site, Term)>,
}

/// An activation: the block it is in, and the instruction that is next.
struct Frame {
    proc: Proc,
    block: Block,
    at: usize,
    slots: FxHashMap<Place, Term>,
    values: FxHashMap<Value, Term>,
}

/// The path goes on, or ends here.
type Goes = bool;

impl<'p> Run<'_, 'p> {
    /// Enters a procedure, if that is where the path goes on; `None` if it goes on elsewhere.
    fn activate(&mut self, proc: Proc, args: Vec<Term>) -> Option<Goes> {
        let body = &self.regions.program.procs[proc];
        let Some(&block) = self.path.blocks.get(self.next) else { return Some(false) };
        if block != body.entry {
            return None;
        }
        self.next += 1;
        let mut slots = FxHashMap::default();
        for (slot, data) in body.slots.iter() {
            slots.insert(Place::Local(slot), self.store.constant_term(Const::zero(data.ty)));
        }
        let values = body.params().iter().copied().zip(args).collect();
        self.stack.push(Frame { proc, block, at: 0, slots, values });
        Some(true)
    }

    /// One instruction, or the end of a block.
    fn step(&mut self) -> Option<Goes> {
        let Some(frame) = self.stack.last_mut() else { return Some(false) };
        let body = &self.regions.program.procs[frame.proc];
        let data = &body.blocks[frame.block];
        frame.at += 1;
        match data.insts.get(frame.at - 1) {
            Some(&inst) => self.inst(inst),
            None => self.terminator(&data.term),
        }
    }

    fn get(&self, value: Value) -> Option<Term> {
        self.stack.last()?.values.get(&value).copied()
    }

    /// The run goes on if this holds.
    fn assume(&mut self, cond: Term) -> Option<Goes> {
        self.guard = self.store.and(self.guard, cond);
        Some(self.guard != self.store.ff())
    }

    /// The target is reached if this holds; the blocks of the path must be behind.
    fn hit(&mut self, cond: Term) {
        if self.next == self.path.blocks.len() {
            let here = self.store.and(self.guard, cond);
            self.taken = self.store.or(self.taken, here);
        }
    }

    fn inst(&mut self, inst: Inst) -> Option<Goes> {
        let program = self.regions.program;
        let body = &program.procs[self.stack.last()?.proc];
        let node = &body.insts[inst];
        let result = match &node.data {
            InstData::Const(c) => self.store.constant_term(c.clone()),
            InstData::Unary { op, arg } => {
                let arg = self.get(*arg)?;
                self.store.un(*op, arg)
            }
            InstData::Binary { op, args } => {
                let (a, b) = (self.get(args[0])?, self.get(args[1])?);
                self.store.bin(*op, a, b)
            }
            InstData::Ite { cond, then, other } => {
                let (c, a, b) = (self.get(*cond)?, self.get(*then)?, self.get(*other)?);
                self.store.ite(c, a, b)
            }
            InstData::Update { array, index, value } => {
                let (a, i, v) = (self.get(*array)?, self.get(*index)?, self.get(*value)?);
                self.store.store(a, i, v)
            }
            InstData::Havoc { site } => {
                let value = self.store.new_symbol(&program.sites[*site].name, body.value_type(node.results[0]));
                self.inputs.push((*site, value));
                value
            }
            InstData::Read { place } => {
                let value = self.stored(*place)?;
                self.seen(*place, value)
            }
            InstData::Load { place, index } => {
                let (array, index) = (self.stored(*place)?, self.get(*index)?);
                let value = self.store.select(array, index);
                self.seen(*place, value)
            }
            InstData::Write { place, value } => {
                let value = self.get(*value)?;
                self.write(*place, value)?;
                return Some(true);
            }
            InstData::Store { place, index, value } => {
                let (array, index, value) = (self.stored(*place)?, self.get(*index)?, self.get(*value)?);
                let changed = self.store.store(array, index, value);
                self.write(*place, changed)?;
                return Some(true);
            }
            InstData::Assume { cond } => {
                let cond = self.get(*cond)?;
                return self.assume(cond);
            }
            InstData::Assert { prop, cond } => {
                let cond = self.get(*cond)?;
                if self.path.target == TargetKind::Violation(*prop) {
                    let negated = self.store.not(cond);
                    self.hit(negated);
                }
                return self.assume(cond);
            }
            InstData::Unsupported { obligation } => {
                if self.path.target == TargetKind::Unsupported(*obligation) {
                    let always = self.store.tt();
                    self.hit(always);
                }
                return Some(false);
            }
            InstData::Print { .. } => return Some(true),
            InstData::Call { callee, args } => {
                let args = args.iter().map(|&a| self.get(a)).collect::<Option<_>>()?;
                return self.activate(*callee, args);
            }
        };
        self.stack.last_mut()?.values.insert(node.results[0], result);
        Some(true)
    }

    fn stored(&self, place: Place) -> Option<Term> {
        match place {
            Place::Global(var) => self.globals.get(&var).copied(),
            Place::Local(_) => self.stack.last()?.slots.get(&place).copied(),
        }
    }

    /// What a read sees: what is there, or anything if the variable is not tracked.
    fn seen(&mut self, place: Place, value: Term) -> Term {
        let Place::Global(var) = place else { return value };
        let Some(&tracked) = self.tracked.get(&var) else { return value };
        if tracked == self.store.tt() {
            return value;
        }
        let any = self.store.new_symbol("any", self.store.ty(value));
        self.store.ite(tracked, value, any)
    }

    fn write(&mut self, place: Place, value: Term) -> Option<()> {
        match place {
            Place::Global(var) => drop(self.globals.insert(var, value)),
            Place::Local(_) => drop(self.stack.last_mut()?.slots.insert(place, value)),
        }
        Some(())
    }

    fn terminator(&mut self, term: &'p Terminator) -> Option<Goes> {
        match term {
            Terminator::Jump(target) => {
                let always = self.store.tt();
                self.take(&[(always, target)])
            }
            Terminator::Branch { cond, then, other } => {
                let cond = self.get(*cond)?;
                let negated = self.store.not(cond);
                self.take(&[(cond, then), (negated, other)])
            }
            Terminator::Switch { value, cases, default } => {
                let value = self.get(*value)?;
                let width = self.store.width(value);
                let mut edges = Vec::with_capacity(cases.len() + 1);
                let mut rest = self.store.tt();
                for (constant, target) in cases {
                    let constant = self.store.bv(width, *constant);
                    let equal = self.store.bin(BinOp::Eq, value, constant);
                    edges.push((equal, target));
                    let differs = self.store.not(equal);
                    rest = self.store.and(rest, differs);
                }
                edges.push((rest, default));
                self.take(&edges)
            }
            Terminator::Return(values) => {
                let values = values.iter().map(|&v| self.get(v)).collect::<Option<Vec<Term>>>()?;
                self.stack.pop();
                let Some(caller) = self.stack.last_mut() else { return Some(false) };
                let body = &self.regions.program.procs[caller.proc];
                let call = body.blocks[caller.block].insts[caller.at - 1];
                caller.values.extend(body.insts[call].results.iter().copied().zip(values));
                Some(true)
            }
            Terminator::Stop => Some(false),
            Terminator::Step(_) => None,
        }
    }

    /// Goes on to the next block of the path over any of the edges that lead there; their conditions exclude each other.
    fn take(&mut self, edges: &[(Term, &BlockCall)]) -> Option<Goes> {
        let Some(&block) = self.path.blocks.get(self.next) else { return Some(false) };
        self.next += 1;
        let mut cond = self.store.ff();
        let mut args: Option<Vec<Term>> = None;
        for (when, target) in edges.iter().filter(|(_, target)| target.block == block) {
            cond = self.store.or(cond, *when);
            let brought = target.args.iter().map(|&a| self.get(a)).collect::<Option<Vec<Term>>>()?;
            args = Some(match args {
                None => brought,
                Some(others) => brought.iter().zip(others).map(|(&a, b)| self.store.ite(*when, a, b)).collect(),
            });
        }
        let frame = self.stack.last_mut()?;
        let params = self.regions.program.procs[frame.proc].blocks[block].params.iter().copied();
        frame.values.extend(params.zip(args?));
        (frame.block, frame.at) = (block, 0);
        self.assume(cond)
    }
}
