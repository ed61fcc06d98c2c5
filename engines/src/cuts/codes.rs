//! Cells that only ever get constants, or copies of each other: their state is which of the constants they have.
//!
//! A state machine's variable is an `int` (or, of an output, a `double`) with a handful of values. If every value that an arrival gives a cell is a
//! choice between constants and such cells, the set of constants is closed: the cell has one of them at every cut, by
//! induction over the cuts of a run. Its symbol is then a number for the value, of few bits, and the cell is a tree of
//! choices over these bits, into which comparisons and arithmetic with constants are pushed when terms are made.

use crate::annotation::Cell;
use crate::logic::{Node, Term, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};
use syncline_ir::{Const, Type};

/// More constants are not counted.
const MAX_VALUES: usize = 64;

/// The constants each coded cell may have, in the order of their codes.
pub type Codes = FxHashMap<Cell, Vec<Const>>;

/// The cells with few values, given what each arrival gives each cell.
pub fn find(store: &TermStore, arrivals: &[(Cell, Term)], cell_of: &FxHashMap<Term, Cell>) -> Codes {
    let mut constants: FxHashMap<Cell, FxHashSet<Const>> = FxHashMap::default();
    let mut copies: Vec<(Cell, Cell)> = Vec::new();
    let mut open: FxHashSet<Cell> = FxHashSet::default();
    let mut seen: FxHashSet<(Cell, Term)> = FxHashSet::default();
    let mut stack: Vec<(Cell, Term)> = arrivals.to_vec();
    while let Some((cell, t)) = stack.pop() {
        if open.contains(&cell) || !seen.insert((cell, t)) {
            continue;
        }
        if let Some(&from) = cell_of.get(&t) {
            copies.push((cell, from));
            continue;
        }
        match store.node(t) {
            Node::Const(id) if place(store.const_value(id)).is_some() => {
                constants.entry(cell).or_default().insert(store.const_value(id).clone());
            }
            Node::Ite(_, a, b) => stack.extend([(cell, a), (cell, b)]),
            Node::Const(_) | Node::Var(_) | Node::Un(..) | Node::Bin(..) | Node::Store(..) => {
                open.insert(cell);
            }
        }
    }
    close(&mut constants, &copies, &mut open);
    let few = |cell: &Cell, set: &FxHashSet<Const>| !open.contains(cell) && set.len() <= MAX_VALUES;
    let sorted = |set: FxHashSet<Const>| {
        let mut values: Vec<Const> = set.into_iter().collect();
        values.sort_by_key(place);
        values
    };
    constants.into_iter().filter(|(cell, set)| few(cell, set)).map(|(cell, set)| (cell, sorted(set))).collect()
}

/// Where the constant stands among others of its type, if it can be one of few: a bit-vector, or a float. (Booleans are
/// codes of themselves.)
fn place(constant: &Const) -> Option<u128> {
    match constant {
        Const::Bv { bits, .. } | Const::Float { bits, .. } => Some(*bits),
        Const::Bool(_) | Const::Array(_) => None,
    }
}

/// A copy brings along what the other cell may have.
fn close(constants: &mut FxHashMap<Cell, FxHashSet<Const>>, copies: &[(Cell, Cell)], open: &mut FxHashSet<Cell>) {
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &(cell, from) in copies {
            if open.contains(&from) {
                changed |= open.insert(cell);
                continue;
            }
            let more = constants.get(&from).cloned().unwrap_or_default();
            let set = constants.entry(cell).or_default();
            let before = set.len();
            set.extend(more);
            changed |= set.len() > before;
            if set.len() > MAX_VALUES {
                changed |= open.insert(cell);
            }
        }
    }
}

/// The type of the code of so many values.
pub fn code_type(values: usize) -> Type {
    Type::bv((usize::BITS - values.saturating_sub(1).leading_zeros()).max(1))
}

/// The cell's value as a tree of choices over the bits of its code. Codes beyond the last stand for the last value.
pub fn decode(store: &mut TermStore, code: Term, values: &[Const]) -> Term {
    let width = store.width(code);
    let last = values.len() - 1;
    let mut level: Vec<Term> = (0..1usize << width).map(|n| store.constant_term(values[n.min(last)].clone())).collect();
    for bit in 0..width {
        let one = store.bv(1, 1);
        let extracted = store.extract(bit, bit, code);
        let set = store.eq(extracted, one);
        level = level.chunks(2).map(|pair| store.ite(set, pair[1], pair[0])).collect();
    }
    level[0]
}

/// The code of a value that is one of the constants. `known` has the codes of whole cells by their trees.
pub fn encode(store: &mut TermStore, value: Term, values: &[Const], known: &FxHashMap<Term, Term>) -> Term {
    let width = code_type(values.len()).width().unwrap_or(1);
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    let mut stack = vec![value];
    while let Some(&t) = stack.last() {
        if done.contains_key(&t) {
            stack.pop();
            continue;
        }
        let code = match store.node(t) {
            _ if known.contains_key(&t) => known[&t],
            Node::Ite(c, a, b) => match (done.get(&a).copied(), done.get(&b).copied()) {
                (Some(x), Some(y)) => store.ite(c, x, y),
                (x, y) => {
                    stack.extend(x.is_none().then_some(a));
                    stack.extend(y.is_none().then_some(b));
                    continue;
                }
            },
            Node::Const(_) | Node::Var(_) | Node::Un(..) | Node::Bin(..) | Node::Store(..) => {
                let mut code = store.bv(width, values.len() as u128 - 1);
                for (n, c) in values.iter().enumerate().rev().skip(1) {
                    let constant = store.constant_term(c.clone());
                    let equal = store.eq(t, constant);
                    let number = store.bv(width, n as u128);
                    code = store.ite(equal, number, code);
                }
                code
            }
        };
        done.insert(t, code);
    }
    done[&value]
}
