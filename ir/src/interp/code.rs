//! The flat code that procedures are decoded into: operations over registers, with their tables.

use super::array::Array;
use crate::entities::{Block, Obligation, Origin, Proc, Prop, Site, Slot, Var};
use crate::ops::{BinOp, UnOp};
use crate::types::{Scalar, Type};
use std::sync::Arc;

/// A register of one of the two files.
#[derive(Copy, Clone, Debug)]
pub(super) enum Reg {
    Scalar(u32),
    Array(u32),
}

/// One instruction or terminator. Plain numbers are registers of the file the operation implies, or places in the
/// tables of [`Code`]; `take` says that the array operand dies here.
#[derive(Copy, Clone)]
pub(super) enum Op {
    Const {
        dst: u32,
        pool: u32,
    },
    ConstArray {
        dst: u32,
        pool: u32,
    },
    Unary {
        dst: u32,
        arg: u32,
        op: u32,
    },
    Binary {
        op: BinOp,
        ty: Scalar,
        dst: u32,
        a: u32,
        b: u32,
    },
    Ite {
        dst: u32,
        cond: u32,
        then: u32,
        other: u32,
    },
    IteArray {
        dst: u32,
        cond: u32,
        then: u32,
        other: u32,
    },
    /// Also a load from a local array.
    Select {
        dst: u32,
        array: u32,
        index: u32,
    },
    Update {
        dst: u32,
        array: u32,
        index: u32,
        value: u32,
        take: bool,
    },
    Havoc {
        site: u32,
    },
    ReadLocal {
        dst: u32,
        src: u32,
    },
    ReadLocalArray {
        dst: u32,
        src: u32,
    },
    WriteLocal {
        dst: u32,
        src: u32,
        slot: Slot,
    },
    WriteLocalArray {
        dst: u32,
        src: u32,
        slot: Slot,
        take: bool,
    },
    ReadGlobal {
        dst: u32,
        var: Var,
    },
    ReadGlobalArray {
        dst: u32,
        var: Var,
    },
    WriteGlobal {
        var: Var,
        src: u32,
    },
    WriteGlobalArray {
        var: Var,
        src: u32,
        take: bool,
    },
    LoadGlobal {
        dst: u32,
        var: Var,
        index: u32,
    },
    StoreLocal {
        array: u32,
        index: u32,
        src: u32,
        slot: Slot,
    },
    StoreGlobal {
        var: Var,
        index: u32,
        src: u32,
    },
    Call {
        site: u32,
    },
    Assume {
        cond: u32,
    },
    Assert {
        cond: u32,
        prop: Prop,
    },
    Unsupported {
        obligation: Obligation,
    },
    Print {
        site: u32,
    },
    Jump {
        edge: u32,
    },
    /// The edge of `then` is `edge`, that of `other` the next one.
    Branch {
        cond: u32,
        edge: u32,
    },
    Switch {
        value: u32,
        table: u32,
    },
    Return {
        list: u32,
    },
    Stop,
    Step {
        edge: u32,
    },
}

/// A jump with its parallel assignment to the target's parameters, as (destination, source).
pub(super) struct Edge {
    pub target: u32,
    pub scalars: Box<[(u32, u32)]>,
    pub arrays: Box<[(u32, u32)]>,
    /// Some source is a destination too.
    pub overlap: bool,
}

pub(super) struct Switch {
    /// Constants by rising value, each with its target's number.
    pub cases: Vec<(u128, u32)>,
    /// The targets' edges follow one another from here, the default last.
    pub first_edge: u32,
    pub default: u32,
}

pub(super) struct CallSite {
    pub callee: Proc,
    pub args: Box<[Reg]>,
    pub results: Box<[Reg]>,
}

pub(super) struct HavocSite {
    pub site: Site,
    pub dst: Reg,
    pub ty: Type,
}

pub(super) struct PrintSite {
    pub format: Arc<str>,
    pub args: Vec<(u32, Scalar)>,
}

/// A decoded procedure.
#[derive(Default)]
pub(super) struct Code {
    pub ops: Vec<Op>,
    /// Beside `ops`.
    pub origins: Vec<Origin>,
    /// Where each block of the layout begins, rising.
    pub starts: Vec<(u32, Block)>,
    pub entry: u32,
    pub params: Box<[Reg]>,
    /// Sizes of the register files.
    pub scalars: u32,
    pub arrays: u32,
    /// The scalar slots are the registers from here to `slots_end`.
    pub slots_begin: u32,
    pub slots_end: u32,
    /// The register of each slot.
    pub slots: Box<[Reg]>,
    pub consts: Vec<u128>,
    pub array_consts: Vec<Array>,
    pub unaries: Vec<(UnOp, Scalar)>,
    pub edges: Vec<Edge>,
    pub switches: Vec<Switch>,
    pub calls: Vec<CallSite>,
    pub havocs: Vec<HavocSite>,
    pub prints: Vec<PrintSite>,
    pub returns: Vec<Box<[(Reg, Type)]>>,
}

impl Code {
    /// Where a slot is in the register file of its kind.
    pub fn slot_register(&self, slot: Slot) -> usize {
        match self.slots[slot.as_u32() as usize] {
            Reg::Scalar(reg) | Reg::Array(reg) => reg as usize,
        }
    }

    /// The block that holds the operation.
    pub fn block_at(&self, pc: usize) -> Block {
        let after = self.starts.partition_point(|(start, _)| *start as usize <= pc);
        self.starts[after - 1].1
    }
}
