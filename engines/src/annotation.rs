//! Formulas about the state of a program at its loop headers: facts that travel between engines, and the annotations
//! of certificates.
//!
//! Engines name the state as the inlined program has it ([`Cell`]), certificates as the program as lowered has it
//! ([`Original`]): a variable there is a variable of one activation, which is named by the calls that lead to it.

use std::collections::BTreeMap;
use syncline_ir::inline::{Activation, Inlined};
use syncline_ir::{BinOp, Block, Const, Inst, Slot, UnOp, Value, Var};

/// Part of the state of the inlined program.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cell {
    Global(Var),
    Local(Slot),
    /// A value that is used after the place where the state is looked at, or a parameter of the header itself.
    Value(Value),
}

/// Part of the state of the program as lowered: `calls` are the instructions that call, from the entry down.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Original {
    Global(Var),
    Local { calls: Vec<Inst>, slot: Slot },
    Value { calls: Vec<Inst>, value: Value },
}

/// What a procedure or a loop takes in and gives back: a cell where it is entered, the same where it is left, a result.
/// Cells are those of the program as lowered.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Face {
    In(Cell),
    Out(Cell),
    Result(u32),
}

/// A block in one activation of its procedure: a loop header, or a block that cuts a long loop body. The state there is
/// that after the jump to the block: its parameters have their values, none of its instructions has run.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Location {
    pub calls: Vec<Inst>,
    pub header: Block,
}

/// What a formula about n iterations of a loop speaks of: the state at its header before them, n, and the unknown values
/// that come in.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Counted<N> {
    State(N),
    Count,
    Input(usize),
}

/// A node of a formula; operands are nodes before it.
#[derive(Clone, PartialEq, Debug)]
pub enum FormulaNode<N> {
    Const(Const),
    State(N),
    Un(UnOp, u32),
    Bin(BinOp, u32, u32),
    Ite(u32, u32, u32),
}

/// A Boolean formula as a DAG; the last node is its root.
#[derive(Clone, PartialEq, Debug)]
pub struct Formula<N> {
    pub nodes: Vec<FormulaNode<N>>,
}

impl<N> Default for Formula<N> {
    fn default() -> Formula<N> {
        Formula { nodes: Vec::new() }
    }
}

impl<N> Formula<N> {
    /// Adds a node, which becomes the root; its number.
    pub fn push(&mut self, node: FormulaNode<N>) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Makes it say the other one too.
    pub fn and(&mut self, other: Formula<N>) {
        let Some(left) = self.nodes.len().checked_sub(1) else {
            *self = other;
            return;
        };
        let begin = self.nodes.len() as u32;
        self.nodes.extend(other.nodes.into_iter().map(|node| match node {
            FormulaNode::Const(_) | FormulaNode::State(_) => node,
            FormulaNode::Un(op, a) => FormulaNode::Un(op, a + begin),
            FormulaNode::Bin(op, a, b) => FormulaNode::Bin(op, a + begin, b + begin),
            FormulaNode::Ite(c, a, b) => FormulaNode::Ite(c + begin, a + begin, b + begin),
        }));
        let right = self.nodes.len() as u32 - 1;
        self.push(FormulaNode::Bin(BinOp::And, left as u32, right));
    }

    /// The formula about the same state under other names; `None` if one has no other name.
    pub fn rename<M>(&self, mut name: impl FnMut(&N) -> Option<M>) -> Option<Formula<M>> {
        let each = |node: &FormulaNode<N>| {
            Some(match node {
                FormulaNode::Const(c) => FormulaNode::Const(c.clone()),
                FormulaNode::State(n) => FormulaNode::State(name(n)?),
                FormulaNode::Un(op, a) => FormulaNode::Un(*op, *a),
                FormulaNode::Bin(op, a, b) => FormulaNode::Bin(*op, *a, *b),
                FormulaNode::Ite(c, a, b) => FormulaNode::Ite(*c, *a, *b),
            })
        };
        Some(Formula { nodes: self.nodes.iter().map(each).collect::<Option<_>>()? })
    }
}

/// What iterations write to an array: in each, counted from 0 by j, the cell `from + stride * j` gets the value. `from` speaks of
/// the state before all of them, and so does the value, which also speaks of j: that is its [`Counted::Count`].
#[derive(Clone, PartialEq, Debug)]
pub struct RangeWrite<N> {
    pub array: N,
    pub from: Formula<Counted<N>>,
    pub stride: u128,
    pub value: Formula<Counted<N>>,
}

/// Formulas that hold whenever a run of the inlined program comes to the loop header.
pub type Facts = BTreeMap<Block, Vec<Formula<Cell>>>;

/// Names of the program as lowered for what the inlined one has.
pub fn original(inlined: &Inlined, cell: Cell) -> Option<Original> {
    let path = |activation: Activation| inlined.call_path(activation);
    Some(match cell {
        Cell::Global(var) => Original::Global(var),
        Cell::Local(slot) => {
            let (activation, slot) = inlined.slots[slot]?;
            Original::Local { calls: path(activation), slot }
        }
        Cell::Value(value) => {
            let (activation, value) = inlined.values[value]?;
            Original::Value { calls: path(activation), value }
        }
    })
}

/// The place of a loop header of the inlined program. A header is always the first piece of its block.
pub fn location(inlined: &Inlined, header: Block) -> Option<Location> {
    let (activation, header, true) = inlined.blocks[header]? else { return None };
    Some(Location { calls: inlined.call_path(activation), header })
}
