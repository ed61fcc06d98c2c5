//! Instructions and terminators.

use crate::consts::Const;
use crate::entities::{Block, Obligation, Proc, Prop, Site, Slot, Value, Var};
use crate::ops::{BinOp, UnOp};
use std::sync::Arc;

/// A variable: of the program, or of the current activation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Place {
    Global(Var),
    Local(Slot),
}

/// What an instruction does. All but `Call` have at most one result.
#[derive(Clone, PartialEq, Debug)]
pub enum InstData {
    Const(Const),
    Unary {
        op: UnOp,
        arg: Value,
    },
    Binary {
        op: BinOp,
        args: [Value; 2],
    },
    /// `cond ? then : other`, both sides evaluated, any type.
    Ite {
        cond: Value,
        then: Value,
        other: Value,
    },
    /// The array with one cell changed.
    Update {
        array: Value,
        index: Value,
        value: Value,
    },
    /// An unknown value of the result's type.
    Havoc {
        site: Site,
    },
    /// The whole value of a variable.
    Read {
        place: Place,
    },
    Write {
        place: Place,
        value: Value,
    },
    /// One cell of an array variable.
    Load {
        place: Place,
        index: Value,
    },
    Store {
        place: Place,
        index: Value,
        value: Value,
    },
    Call {
        callee: Proc,
        args: Vec<Value>,
    },
    /// Runs on which the value is false are not runs of the program.
    Assume {
        cond: Value,
    },
    /// A run on which the value is false violates the property and ends.
    Assert {
        prop: Prop,
        cond: Value,
    },
    /// A run that comes here is not modelled any further: nothing is proved that depends on it.
    Unsupported {
        obligation: Obligation,
    },
    /// Output of a program that is interpreted; no effect on any verdict. The format is `printf`'s.
    Print {
        format: Arc<str>,
        args: Vec<Value>,
    },
}

/// A jump target with the values of its block's parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockCall {
    pub block: Block,
    pub args: Vec<Value>,
}

impl BlockCall {
    pub fn new(block: Block, args: Vec<Value>) -> BlockCall {
        BlockCall { block, args }
    }
}

impl From<Block> for BlockCall {
    fn from(block: Block) -> BlockCall {
        BlockCall { block, args: Vec::new() }
    }
}

/// How a block ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminator {
    Jump(BlockCall),
    Branch {
        cond: Value,
        then: BlockCall,
        other: BlockCall,
    },
    /// The first case whose constant equals the (bit-vector) value; the constants are distinct.
    Switch {
        value: Value,
        cases: Vec<(u128, BlockCall)>,
        default: BlockCall,
    },
    Return(Vec<Value>),
    /// The run ends and violates nothing: `exit`, `abort`, a trap.
    Stop,
    /// The process's step ends; it goes on here in the next one.
    Step(BlockCall),
}

impl InstData {
    /// The values read, in order.
    pub fn for_each_arg(&self, mut f: impl FnMut(Value)) {
        match self {
            InstData::Const(_) | InstData::Havoc { .. } | InstData::Read { .. } | InstData::Unsupported { .. } => {}
            InstData::Unary { arg, .. } => f(*arg),
            InstData::Binary { args, .. } => args.iter().copied().for_each(f),
            InstData::Ite { cond, then, other } => [*cond, *then, *other].into_iter().for_each(f),
            InstData::Update { array, index, value } => [*array, *index, *value].into_iter().for_each(f),
            InstData::Write { value, .. } => f(*value),
            InstData::Load { index, .. } => f(*index),
            InstData::Store { index, value, .. } => [*index, *value].into_iter().for_each(f),
            InstData::Call { args, .. } | InstData::Print { args, .. } => args.iter().copied().for_each(f),
            InstData::Assume { cond } | InstData::Assert { cond, .. } => f(*cond),
        }
    }

    /// Replaces the values read.
    pub fn map_args(&mut self, mut f: impl FnMut(Value) -> Value) {
        let mut each = |v: &mut Value| *v = f(*v);
        match self {
            InstData::Const(_) | InstData::Havoc { .. } | InstData::Read { .. } | InstData::Unsupported { .. } => {}
            InstData::Unary { arg, .. } => each(arg),
            InstData::Binary { args, .. } => args.iter_mut().for_each(each),
            InstData::Ite { cond, then, other } => [cond, then, other].into_iter().for_each(each),
            InstData::Update { array, index, value } => [array, index, value].into_iter().for_each(each),
            InstData::Write { value, .. } => each(value),
            InstData::Load { index, .. } => each(index),
            InstData::Store { index, value, .. } => [index, value].into_iter().for_each(each),
            InstData::Call { args, .. } | InstData::Print { args, .. } => args.iter_mut().for_each(each),
            InstData::Assume { cond } | InstData::Assert { cond, .. } => each(cond),
        }
    }

    /// Replaces the slots read and written.
    pub fn map_slots(&mut self, f: impl FnOnce(Slot) -> Slot) {
        match self {
            InstData::Read { place: Place::Local(slot) }
            | InstData::Write { place: Place::Local(slot), .. }
            | InstData::Load { place: Place::Local(slot), .. }
            | InstData::Store { place: Place::Local(slot), .. } => *slot = f(*slot),
            InstData::Read { place: Place::Global(_) }
            | InstData::Write { place: Place::Global(_), .. }
            | InstData::Load { place: Place::Global(_), .. }
            | InstData::Store { place: Place::Global(_), .. }
            | InstData::Const(_)
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

    /// Whether the instruction only computes its result: it may be dropped when the result is unused.
    /// (A dropped `havoc` loses an input of no consequence; a dropped `read` nothing.)
    pub fn is_pure(&self) -> bool {
        match self {
            InstData::Const(_)
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Ite { .. }
            | InstData::Update { .. }
            | InstData::Havoc { .. }
            | InstData::Read { .. }
            | InstData::Load { .. } => true,
            InstData::Write { .. }
            | InstData::Store { .. }
            | InstData::Call { .. }
            | InstData::Assume { .. }
            | InstData::Assert { .. }
            | InstData::Unsupported { .. }
            | InstData::Print { .. } => false,
        }
    }
}

impl Terminator {
    /// The targets, in order.
    pub fn targets(&self) -> impl Iterator<Item = &BlockCall> {
        let (first, cases, last): (Option<&BlockCall>, &[(u128, BlockCall)], Option<&BlockCall>) = match self {
            Terminator::Jump(t) | Terminator::Step(t) => (Some(t), &[], None),
            Terminator::Branch { then, other, .. } => (Some(then), &[], Some(other)),
            Terminator::Switch { cases, default, .. } => (None, cases, Some(default)),
            Terminator::Return(_) | Terminator::Stop => (None, &[], None),
        };
        first.into_iter().chain(cases.iter().map(|(_, t)| t)).chain(last)
    }

    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut BlockCall> {
        let (first, cases, last): (Option<&mut BlockCall>, &mut [(u128, BlockCall)], Option<&mut BlockCall>) =
            match self {
                Terminator::Jump(t) | Terminator::Step(t) => (Some(t), &mut [], None),
                Terminator::Branch { then, other, .. } => (Some(then), &mut [], Some(other)),
                Terminator::Switch { cases, default, .. } => (None, cases, Some(default)),
                Terminator::Return(_) | Terminator::Stop => (None, &mut [], None),
            };
        first.into_iter().chain(cases.iter_mut().map(|(_, t)| t)).chain(last)
    }

    /// The values read: the condition, the arguments of the targets, the results returned.
    pub fn for_each_arg(&self, mut f: impl FnMut(Value)) {
        match self {
            Terminator::Branch { cond: v, .. } | Terminator::Switch { value: v, .. } => f(*v),
            Terminator::Return(values) => values.iter().copied().for_each(&mut f),
            Terminator::Jump(_) | Terminator::Step(_) | Terminator::Stop => {}
        }
        self.targets().for_each(|t| t.args.iter().copied().for_each(&mut f));
    }

    pub fn map_args(&mut self, mut f: impl FnMut(Value) -> Value) {
        match self {
            Terminator::Branch { cond: v, .. } | Terminator::Switch { value: v, .. } => *v = f(*v),
            Terminator::Return(values) => values.iter_mut().for_each(|v| *v = f(*v)),
            Terminator::Jump(_) | Terminator::Step(_) | Terminator::Stop => {}
        }
        self.targets_mut().for_each(|t| t.args.iter_mut().for_each(|v| *v = f(*v)));
    }
}
