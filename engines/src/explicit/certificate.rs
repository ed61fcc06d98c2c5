//! The reached states of a header as a formula: a decision diagram over its cells, written with sharing.
//!
//! Cells with one value come first, as equations. The others are the levels of a diagram whose nodes test one cell and
//! are shared where the rest of the states is the same; consecutive values with the same rest are one range. The order
//! of the cells is the best of a few. An array is told by the cells that some run has read: nothing else of it can
//! have had a consequence.

use super::code::{is_boxed, Header, Interner, StateCell};
use super::states::States;
use crate::annotation::{Cell, Formula, FormulaNode};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use syncline_ir::{eval, BinOp, Const, Scalar, Type};

/// A table of more words than this is not made.
const MAX_WORDS: usize = 1 << 27;
/// Orders are compared on tables below this.
const MAX_TRIED: usize = 1 << 22;

/// What a word of a state's row is: a scalar cell, or an array's at an index.
#[derive(Clone)]
struct Column {
    cell: Cell,
    index: Option<Const>,
    ty: Scalar,
}

/// The formulas for one header, none if every state satisfies them; `None` if they would be too large.
pub(super) fn formulas(
    header: &Header,
    states: &States,
    cells: &[Cell],
    boxed: &mut Interner,
    read: &BTreeSet<(u32, u128)>,
) -> Option<Vec<Formula<Cell>>> {
    let mut builder = Builder { formula: Formula::default(), columns: Vec::new(), nodes: FxHashMap::default() };
    if states.len() == 0 {
        builder.formula.push(FormulaNode::Const(Const::FALSE));
        return Some(vec![builder.formula]);
    }
    let (columns, rows) = table(header, states, cells, boxed, read)?;
    let width = columns.len();
    builder.columns = columns;
    let mut varying = Vec::new();
    let mut formulas = Vec::new();
    for column in 0..width {
        let first = rows[column];
        if rows.chunks_exact(width).any(|row| row[column] != first) {
            varying.push(column);
            continue;
        }
        builder.test(column, first, first, boxed);
        formulas.push(builder.take());
    }
    if !varying.is_empty() {
        let diagram = best_diagram(&rows, width, &varying);
        builder.write(&diagram, boxed);
        formulas.push(builder.take());
    }
    Some(formulas)
}

/// Equations for cells that are constants; an array is told by the cells that were read.
pub(super) fn equations(constants: &[(Cell, Const)], read: &BTreeSet<(u32, u128)>) -> Vec<Formula<Cell>> {
    let mut formulas = Vec::new();
    let mut equation = |cell: Cell, index: Option<Const>, value: Const| {
        let mut formula = Formula::default();
        let mut node = formula.push(FormulaNode::State(cell));
        if let Some(index) = index {
            let index = formula.push(FormulaNode::Const(index));
            node = formula.push(FormulaNode::Bin(BinOp::Select, node, index));
        }
        let value = formula.push(FormulaNode::Const(value));
        formula.push(FormulaNode::Bin(BinOp::Eq, node, value));
        formulas.push(formula);
    };
    for (cell, value) in constants {
        match value.as_array() {
            None => equation(*cell, None, value.clone()),
            Some(array) => {
                for &(width, at) in read.range((array.index, 0)..=(array.index, u128::MAX)) {
                    equation(*cell, Some(Const::bv(width, at)), array.get(at).clone());
                }
            }
        }
    }
    formulas
}

/// The states as rows of words, array cells spread out.
fn table(
    header: &Header,
    states: &States,
    cells: &[Cell],
    boxed: &mut Interner,
    read: &BTreeSet<(u32, u128)>,
) -> Option<(Vec<Column>, Vec<u64>)> {
    let mut columns: Vec<Column> = Vec::new();
    let mut sources: Vec<(&StateCell, Option<u128>)> = Vec::new();
    for state_cell in &header.cells {
        let cell = cells[state_cell.cell as usize];
        match state_cell.ty {
            Type::Scalar(ty) => {
                columns.push(Column { cell, index: None, ty });
                sources.push((state_cell, None));
            }
            Type::Array { index, elem } => {
                for &(_, at) in read.range((index, 0)..=(index, u128::MAX)) {
                    columns.push(Column { cell, index: Some(Const::bv(index, at)), ty: elem });
                    sources.push((state_cell, Some(at)));
                }
            }
        }
    }
    if columns.len().checked_mul(states.len())? > MAX_WORDS {
        return None;
    }
    let mut rows = Vec::with_capacity(columns.len() * states.len());
    for state in states.iter() {
        for (cell, index) in &sources {
            let word = header.unpack(cell, state);
            rows.push(match index {
                None => word,
                Some(at) => {
                    let value = boxed.get(word).as_array()?.get(*at).clone();
                    boxed.word(value)
                }
            });
        }
    }
    Some((columns, rows))
}

/// Nodes in an order in which children come first; 0 stands for `true`.
struct Diagram {
    nodes: Vec<(usize, Vec<(u64, u32)>)>,
}

fn best_diagram(rows: &[u64], width: usize, varying: &[usize]) -> Diagram {
    let mut counted: Vec<(usize, usize)> = varying
        .iter()
        .map(|&column| {
            let values: rustc_hash::FxHashSet<u64> = rows.chunks_exact(width).map(|row| row[column]).collect();
            (values.len(), column)
        })
        .collect();
    counted.sort_unstable();
    let rising: Vec<usize> = counted.iter().map(|&(_, column)| column).collect();
    let mut orders = vec![rising.clone()];
    if rows.len() <= MAX_TRIED {
        orders.push(rising.into_iter().rev().collect());
        orders.push(varying.to_vec());
    }
    let diagrams = orders.iter().map(|order| diagram(rows, width, order));
    let smallest = diagrams.min_by_key(|d| d.nodes.iter().map(|(_, edges)| edges.len()).sum::<usize>());
    smallest.unwrap_or(Diagram { nodes: Vec::new() })
}

/// Sorted rows that agree on the first columns lie together, so nodes can be made from the last column to the first.
fn diagram(rows: &[u64], width: usize, order: &[usize]) -> Diagram {
    let row = |n: u32| &rows[n as usize * width..][..width];
    let mut sorted: Vec<u32> = (0..(rows.len() / width) as u32).collect();
    sorted.sort_unstable_by(|&a, &b| {
        let (a, b) = (row(a), row(b));
        order.iter().map(|&c| a[c].cmp(&b[c])).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    // A row, the node for the rest of it, and the first level where it differs from the row before.
    let mut open: Vec<(u32, u32, usize)> = Vec::with_capacity(sorted.len());
    for (n, &this) in sorted.iter().enumerate() {
        let before = n.checked_sub(1).map(|p| row(sorted[p]));
        let differs = before.map_or(Some(0), |b| order.iter().position(|&c| b[c] != row(this)[c]));
        if let Some(level) = differs {
            open.push((this, 0, level));
        }
    }
    let mut diagram = Diagram { nodes: Vec::new() };
    for level in (0..order.len()).rev() {
        let mut known: FxHashMap<Vec<(u64, u32)>, u32> = FxHashMap::default();
        let mut groups: Vec<(u32, u32, usize)> = Vec::new();
        let mut n = 0;
        while n < open.len() {
            let first = open[n];
            let mut edges = Vec::new();
            while n < open.len() && (edges.is_empty() || open[n].2 >= level) {
                edges.push((row(open[n].0)[order[level]], open[n].1));
                n += 1;
            }
            let node = *known.entry(edges).or_insert_with_key(|edges| {
                diagram.nodes.push((order[level], edges.clone()));
                diagram.nodes.len() as u32
            });
            groups.push((first.0, node, first.2));
        }
        open = groups;
    }
    diagram
}

struct Builder {
    formula: Formula<Cell>,
    columns: Vec<Column>,
    /// What is written already, by operator and operands: state cells, constants and tests.
    nodes: FxHashMap<(u32, u64, u64), u32>,
}

impl Builder {
    fn take(&mut self) -> Formula<Cell> {
        self.nodes.clear();
        std::mem::take(&mut self.formula)
    }

    /// The column's value as a node.
    fn column(&mut self, column: usize) -> u32 {
        if let Some(&node) = self.nodes.get(&(column as u32, u64::MAX, 0)) {
            return node;
        }
        let Column { cell, index, .. } = self.columns[column].clone();
        let mut node = self.formula.push(FormulaNode::State(cell));
        if let Some(index) = index {
            let index = self.formula.push(FormulaNode::Const(index));
            node = self.formula.push(FormulaNode::Bin(BinOp::Select, node, index));
        }
        self.nodes.insert((column as u32, u64::MAX, 0), node);
        node
    }

    /// Whether the column lies in the range of words.
    fn test(&mut self, column: usize, lo: u64, hi: u64, boxed: &Interner) -> u32 {
        if let Some(&node) = self.nodes.get(&(column as u32, lo, hi)) {
            return node;
        }
        let ty = self.columns[column].ty;
        let value = |word: u64| match is_boxed(ty.into()) {
            true => boxed.get(word).clone(),
            false => eval::from_bits(ty, u128::from(word)),
        };
        let (lo_value, hi_value) = (value(lo), value(hi));
        let state = self.column(column);
        let lo_node = self.formula.push(FormulaNode::Const(lo_value));
        let node = if lo == hi {
            self.formula.push(FormulaNode::Bin(BinOp::Eq, state, lo_node))
        } else {
            let hi_node = self.formula.push(FormulaNode::Const(hi_value));
            let above = self.formula.push(FormulaNode::Bin(BinOp::Ule, lo_node, state));
            let below = self.formula.push(FormulaNode::Bin(BinOp::Ule, state, hi_node));
            self.formula.push(FormulaNode::Bin(BinOp::And, above, below))
        };
        self.nodes.insert((column as u32, lo, hi), node);
        node
    }

    fn write(&mut self, diagram: &Diagram, boxed: &Interner) {
        // Written nodes of the formula, `None` for `true`.
        let mut written: Vec<Option<u32>> = vec![None];
        for (column, edges) in &diagram.nodes {
            let node = self.node(*column, edges, &written, boxed);
            written.push(Some(node));
        }
    }

    /// One of the values, and the rest that belongs to it.
    fn node(&mut self, column: usize, edges: &[(u64, u32)], written: &[Option<u32>], boxed: &Interner) -> u32 {
        let ordered = matches!(self.columns[column].ty, Scalar::Bv(width) if width <= 64);
        let mut by_child: Vec<(u32, u64, u64)> = Vec::new();
        let mut edges: Vec<(u32, u64)> = edges.iter().map(|&(value, child)| (child, value)).collect();
        edges.sort_unstable();
        for (child, value) in edges {
            match by_child.last_mut() {
                Some((c, _, hi)) if ordered && *c == child && hi.checked_add(1) == Some(value) => *hi = value,
                _ => by_child.push((child, value, value)),
            }
        }
        let mut result: Option<u32> = None;
        let mut n = 0;
        while n < by_child.len() {
            let child = by_child[n].0;
            let mut any: Option<u32> = None;
            while n < by_child.len() && by_child[n].0 == child {
                let test = self.test(column, by_child[n].1, by_child[n].2, boxed);
                any = Some(self.join(BinOp::Or, any, test));
                n += 1;
            }
            let Some(mut part) = any else { continue };
            if let Some(rest) = written[child as usize] {
                part = self.formula.push(FormulaNode::Bin(BinOp::And, part, rest));
            }
            result = Some(self.join(BinOp::Or, result, part));
        }
        result.unwrap_or_else(|| self.formula.push(FormulaNode::Const(Const::FALSE)))
    }

    fn join(&mut self, op: BinOp, before: Option<u32>, node: u32) -> u32 {
        before.map_or(node, |b| self.formula.push(FormulaNode::Bin(op, b, node)))
    }
}
