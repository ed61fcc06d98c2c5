//! The state of the plain symbolic execution: what variables and values are at a place of the unwinding.

use super::emit::{Name, Script};
use cranelift_entity::{EntityRef, EntitySet, SecondaryMap};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use syncline_ir::analysis::LoopNest;
use syncline_ir::{eval, Block, BlockCall, Const, InstData, Place, Procedure, Value, ValueDef};

/// What control and variables are at a place of the unwinding.
#[derive(Clone)]
pub(super) struct State {
    pub guard: Name,
    pub globals: Rc<Vec<Name>>,
    pub slots: Rc<Vec<Name>>,
    /// Values used outside the block that defines them.
    pub values: Rc<Vec<Option<Name>>>,
}

/// An edge with the arguments of its target.
pub(super) type Edge = (State, Vec<Name>);

/// What is known of a procedure before its code is run.
pub(super) struct Shape {
    pub nest: LoopNest,
    /// The number of each value that is used outside its block, among those.
    pub wide: SecondaryMap<Value, Option<u32>>,
    pub wide_count: usize,
    /// Blocks from which the procedure itself can reach something asked for.
    pub hits: EntitySet<Block>,
    /// Blocks from which it can return.
    pub returns: EntitySet<Block>,
}

/// Edges that wait for their block.
pub(super) type Pending = BTreeMap<Block, Vec<Edge>>;

pub(super) fn take(pending: &mut Pending, wanted: impl Fn(Block) -> bool) -> Pending {
    let blocks: Vec<Block> = pending.keys().copied().filter(|&b| wanted(b)).collect();
    blocks.into_iter().filter_map(|b| pending.remove(&b).map(|edges| (b, edges))).collect()
}

/// A block being run.
pub(super) struct Run {
    pub state: State,
    pub local: FxHashMap<Value, Name>,
    pub shape: Rc<Shape>,
}

impl Run {
    pub fn define(&mut self, value: Value, name: Name) {
        match self.shape.wide[value] {
            Some(n) => Rc::make_mut(&mut self.state.values)[n as usize] = Some(name),
            None => drop(self.local.insert(value, name)),
        }
    }

    pub fn get(&self, value: Value) -> Name {
        let name = match self.shape.wide[value] {
            Some(n) => self.state.values[n as usize],
            None => self.local.get(&value).copied(),
        };
        match name {
            Some(name) => name,
            None => unreachable!("{value} is used where it is not defined: the verifier refuses that"),
        }
    }

    /// Hands control to a block, unless it is known that no run goes there.
    pub fn edge(&self, script: &Script, guard: Name, target: &BlockCall, pending: &mut Pending) {
        if script.is_known(guard, false) {
            return;
        }
        let args = target.args.iter().map(|&a| self.get(a)).collect();
        let state = State { guard, ..self.state.clone() };
        pending.entry(target.block).or_default().push((state, args));
    }
}

impl State {
    pub fn read(&self, place: Place) -> Name {
        match place {
            Place::Global(var) => self.globals[var.index()],
            Place::Local(slot) => self.slots[slot.index()],
        }
    }

    pub fn write(&mut self, place: Place, name: Name) {
        match place {
            Place::Global(var) => Rc::make_mut(&mut self.globals)[var.index()] = name,
            Place::Local(slot) => Rc::make_mut(&mut self.slots)[slot.index()] = name,
        }
    }
}

/// Numbers the values that are used in another block than the one that defines them.
pub(super) fn wide_values(body: &Procedure) -> (SecondaryMap<Value, Option<u32>>, usize) {
    let mut home: SecondaryMap<Value, Option<Block>> = SecondaryMap::new();
    for &block in &body.layout {
        let data = &body.blocks[block];
        data.params.iter().for_each(|&p| home[p] = Some(block));
        data.insts.iter().flat_map(|&i| &body.insts[i].results).for_each(|&r| home[r] = Some(block));
    }
    let mut wide: SecondaryMap<Value, Option<u32>> = SecondaryMap::new();
    let mut count = 0;
    for &block in &body.layout {
        let data = &body.blocks[block];
        let mut used = |v: Value| {
            if home[v] != Some(block) && wide[v].is_none() {
                wide[v] = Some(count);
                count += 1;
            }
        };
        data.insts.iter().for_each(|&i| body.insts[i].data.for_each_arg(&mut used));
        data.term.for_each_arg(&mut used);
    }
    (wide, count as usize)
}

/// The blocks from which a block of the kind can be reached.
pub(super) fn backwards(body: &Procedure, wanted: impl Fn(Block) -> bool) -> EntitySet<Block> {
    let mut preds: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
    for &block in &body.layout {
        body.successors(block).for_each(|t| preds[t.block].push(block));
    }
    let mut work: Vec<Block> = body.layout.iter().copied().filter(|&b| wanted(b)).collect();
    let mut found = EntitySet::new();
    while let Some(block) = work.pop() {
        if found.insert(block) {
            work.extend(preds[block].iter().copied());
        }
    }
    found
}

/// Whether a condition is computed from constants alone, and true. Such an assertion need not be reached.
pub(super) fn always_true(body: &Procedure, cond: Value) -> bool {
    constant(body, cond).and_then(|c| c.as_bool()) == Some(true)
}

/// The constant a value is computed to be from constants alone, by a few instructions.
pub(super) fn constant(body: &Procedure, value: Value) -> Option<Const> {
    constant_within(body, value, &mut 64)
}

fn constant_within(body: &Procedure, value: Value, steps: &mut u32) -> Option<Const> {
    *steps = steps.checked_sub(1)?;
    let ValueDef::Result(inst, _) = body.values[value].def else { return None };
    let mut of = |v: Value| constant_within(body, v, steps);
    match &body.insts[inst].data {
        InstData::Const(c) => Some(c.clone()),
        InstData::Unary { op, arg } => Some(eval::unary(*op, &of(*arg)?)),
        InstData::Binary { op, args } => Some(eval::binary(*op, &of(args[0])?, &of(args[1])?)),
        InstData::Ite { cond, then, other } => {
            if of(*cond)?.as_bool()? {
                of(*then)
            } else {
                of(*other)
            }
        }
        InstData::Update { .. }
        | InstData::Havoc { .. }
        | InstData::Read { .. }
        | InstData::Write { .. }
        | InstData::Load { .. }
        | InstData::Store { .. }
        | InstData::Call { .. }
        | InstData::Assume { .. }
        | InstData::Assert { .. }
        | InstData::Unsupported { .. }
        | InstData::Print { .. } => None,
    }
}
