//! States as formulas: for each loop header what is known of the parts of the state that are used again.
//!
//! Bounds are formulas of their own, so that who uses them may drop some. What another formula of the same header says
//! already is left out.

use super::domain::{bounded, Abs, Num};
use super::state::{Bound, State, UNBOUNDED};
use super::tables::Tables;
use crate::annotation::{Cell, Formula, FormulaNode};
use rustc_hash::FxHashMap;
use syncline_ir::{eval, BinOp, Block, Const, Scalar, Type, UnOp};

/// What a node is called in a formula.
#[derive(Copy, Clone)]
enum Name {
    Whole(Cell),
    Element { array: Cell, width: u32, index: u128 },
}

/// The formulas of a header no run comes to.
pub(super) fn unreachable() -> Vec<Formula<Cell>> {
    vec![Formula { nodes: vec![FormulaNode::Const(Const::FALSE)] }]
}

/// The formulas of a header.
pub(super) fn facts(tables: &Tables<'_>, header: Block, state: &State) -> Vec<Formula<Cell>> {
    let mut emitter = Emitter { tables, state, names: FxHashMap::default(), out: Vec::new() };
    let params = tables.body.blocks[header].params.iter().filter_map(|&p| tables.nodes.shared_value(p));
    let mut nodes: Vec<u32> = tables.live.at(header).into_iter().chain(params).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes.iter().for_each(|&node| emitter.name(node));
    let mut named: Vec<(u32, Name)> = emitter.names.iter().map(|(&node, &name)| (node, name)).collect();
    named.sort_unstable_by_key(|n| n.0);
    for &(node, name) in &named {
        emitter.values(node, name);
    }
    for &(node, name) in &named {
        emitter.equality(node, name);
    }
    let mut pairs: Vec<(u32, Bound)> = Vec::new();
    state.for_each_pair(|pair, bound| pairs.push((pair, *bound)));
    pairs.sort_unstable_by_key(|p| p.0);
    for (pair, bound) in pairs {
        emitter.difference(pair, bound);
    }
    emitter.out
}

struct Emitter<'t, 'a> {
    tables: &'t Tables<'a>,
    state: &'t State,
    names: FxHashMap<u32, Name>,
    out: Vec<Formula<Cell>>,
}

type Draft = Formula<Cell>;

fn constant(draft: &mut Draft, ty: Scalar, bits: u128) -> u32 {
    draft.push(FormulaNode::Const(eval::from_bits(ty, bits)))
}

fn term(draft: &mut Draft, name: Name) -> u32 {
    match name {
        Name::Whole(cell) => draft.push(FormulaNode::State(cell)),
        Name::Element { array, width, index } => {
            let array = draft.push(FormulaNode::State(array));
            let index = constant(draft, Scalar::Bv(width), index);
            draft.push(FormulaNode::Bin(BinOp::Select, array, index))
        }
    }
}

impl Emitter<'_, '_> {
    /// Names a node, or the cells of one that is an array.
    fn name(&mut self, node: u32) {
        let Some(cell) = self.tables.nodes.cell(node) else { return };
        match self.tables.node_type(node) {
            Some(Type::Array { index: width, .. }) => {
                for &(index, element) in self.tables.elements(node) {
                    self.names.insert(element, Name::Element { array: cell, width, index });
                }
            }
            Some(Type::Scalar(_)) => {
                self.names.insert(node, Name::Whole(cell));
            }
            None => {}
        }
    }

    fn compare(&mut self, op: BinOp, name: Name, ty: Scalar, bits: u128, constant_first: bool) {
        let mut draft = Draft::default();
        let (x, c) = (term(&mut draft, name), constant(&mut draft, ty, bits));
        let (a, b) = if constant_first { (c, x) } else { (x, c) };
        draft.push(FormulaNode::Bin(op, a, b));
        self.out.push(draft);
    }

    fn values(&mut self, node: u32, name: Name) {
        let Some(ty) = self.tables.node_scalar(node) else { return };
        match self.state.get(node) {
            Abs::Bottom | Abs::Top => {}
            Abs::Set(values) => self.set(name, ty, values),
            Abs::Num(num) => self.bounds(name, ty, num),
        }
    }

    fn set(&mut self, name: Name, ty: Scalar, values: &[u128]) {
        if let ([value], Scalar::Bool) = (values, ty) {
            let mut draft = Draft::default();
            let x = term(&mut draft, name);
            if *value == 0 {
                draft.push(FormulaNode::Un(UnOp::Not, x));
            }
            return self.out.push(draft);
        }
        if let ([_, _, _, ..], Some(width)) = (values, bounded(ty)) {
            let num = Abs::Set(values.to_vec()).bounds(width);
            let consecutive = |(lo, hi): (i128, i128)| hi - lo + 1 == values.len() as i128;
            if consecutive(num.unsigned) || consecutive(num.signed) {
                return self.bounds(name, ty, &Num { modulus: 1, residue: 0, ..num });
            }
        }
        let mut draft = Draft::default();
        let x = term(&mut draft, name);
        let mut any = None;
        for &value in values {
            let c = constant(&mut draft, ty, value);
            let is = draft.push(FormulaNode::Bin(BinOp::Eq, x, c));
            any = Some(match any {
                Some(before) => draft.push(FormulaNode::Bin(BinOp::Or, before, is)),
                None => is,
            });
        }
        self.out.push(draft);
    }

    fn bounds(&mut self, name: Name, ty: Scalar, num: &Num) {
        let full = Num::full(num.width);
        let one_sign = num.unsigned.1 < num.size() / 2 || num.unsigned.0 >= num.size() / 2;
        // Of numbers of one sign both readings say the same.
        if num.unsigned.0 > full.unsigned.0 {
            self.compare(BinOp::Ule, name, ty, num.unsigned.0 as u128, true);
        }
        if num.unsigned.1 < full.unsigned.1 {
            self.compare(BinOp::Ule, name, ty, num.unsigned.1 as u128, false);
        }
        if num.signed.0 > full.signed.0 && !one_sign {
            self.compare(BinOp::Sle, name, ty, num.signed.0 as u128, true);
        }
        if num.signed.1 < full.signed.1 && !one_sign {
            self.compare(BinOp::Sle, name, ty, num.signed.1 as u128, false);
        }
        if num.modulus > 1 {
            self.stride(name, ty, num);
        }
    }

    fn stride(&mut self, name: Name, ty: Scalar, num: &Num) {
        let mut draft = Draft::default();
        let x = term(&mut draft, name);
        let (low, low_type) = match num.modulus.count_ones() {
            1 => {
                let bits = num.modulus.trailing_zeros();
                (draft.push(FormulaNode::Un(UnOp::Extract { hi: bits - 1, lo: 0 }, x)), Scalar::Bv(bits))
            }
            _ => {
                let m = constant(&mut draft, ty, num.modulus as u128);
                (draft.push(FormulaNode::Bin(BinOp::URem, x, m)), ty)
            }
        };
        let residue = constant(&mut draft, low_type, num.residue as u128);
        draft.push(FormulaNode::Bin(BinOp::Eq, low, residue));
        self.out.push(draft);
    }

    /// The equality with the first node this one equals.
    fn equality(&mut self, node: u32, name: Name) {
        if self.state.get(node).single().is_some() {
            return;
        }
        let Some(list) = self.state.equals(node) else { return };
        let first = list.iter().find(|&&n| n < node && self.names.contains_key(&n));
        let Some(&first) = first.and_then(|n| self.names.get(n)) else { return };
        let mut draft = Draft::default();
        let (a, b) = (term(&mut draft, first), term(&mut draft, name));
        draft.push(FormulaNode::Bin(BinOp::Eq, a, b));
        self.out.push(draft);
    }

    fn difference(&mut self, pair: u32, bound: Bound) {
        let (a, b) = self.tables.pairs[pair as usize];
        let (Some(&x), Some(&y)) = (self.names.get(&a), self.names.get(&b)) else { return };
        let width = |node: u32| self.tables.node_scalar(node).and_then(bounded);
        let (Some(wa), Some(wb)) = (width(a), width(b)) else { return };
        if self.state.equals(a).is_some_and(|list| list.contains(&b)) {
            return;
        }
        for (low, high, most) in [(x, y, bound.hi), (y, x, -bound.lo)] {
            if most < UNBOUNDED {
                self.at_most(low, high, wa == wb, wa.max(wb), most);
            }
        }
    }

    /// `low - high <= most`, in enough bits for it not to wrap.
    fn at_most(&mut self, low: Name, high: Name, one_width: bool, width: u32, most: i128) {
        let mut draft = Draft::default();
        let (a, b) = (term(&mut draft, low), term(&mut draft, high));
        let op = match most {
            0 if one_width => Some(BinOp::Sle),
            -1 if one_width => Some(BinOp::Slt),
            _ => None,
        };
        if let Some(op) = op {
            draft.push(FormulaNode::Bin(op, a, b));
        } else {
            let wide = width + 2;
            let a = draft.push(FormulaNode::Un(UnOp::SExt(wide), a));
            let b = draft.push(FormulaNode::Un(UnOp::SExt(wide), b));
            let difference = draft.push(FormulaNode::Bin(BinOp::Sub, a, b));
            let limit = constant(&mut draft, Scalar::Bv(wide), most as u128);
            draft.push(FormulaNode::Bin(BinOp::Sle, difference, limit));
        }
        self.out.push(draft);
    }
}
