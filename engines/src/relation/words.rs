//! What the state at the cuts is made of, for cubes: words, whose bits are literals.
//!
//! A cell is a word. An array is one word for each constant index that the system reads it at; what it holds elsewhere is in no
//! cube. A float is in no cube either. A predicate is a word of one bit.

use crate::annotation::Cell;
use crate::cuts::{Cut, CutSystem};
use crate::logic::{Node, Symbol, Term};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use syncline_ir::{BinOp, Scalar, Type};

/// More constant indices of one array are not looked at.
const MAX_INDICES: usize = 256;
/// Cells of more values are always numbers in binary.
const MAX_VALUES: usize = 24;

/// A part of the state at some cuts.
pub struct Word {
    /// Over the cells' symbols.
    pub term: Term,
    pub cells: Vec<Cell>,
    /// Of the cells and their elements; none for a predicate.
    pub width: u32,
}

/// How a cell with few values is made of bits.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Coding {
    /// Those of the number of its value.
    Binary,
    /// One for each value.
    Values,
}

/// The words of all cells, and of these predicates.
pub fn words(system: &mut CutSystem, predicates: &[Term], coding: Coding) -> Vec<Word> {
    let indices = indices(system);
    let mut words = Vec::new();
    let cells: BTreeSet<Cell> = system.cuts.values().flat_map(|data| &data.cells).copied().collect();
    for cell in cells {
        let symbol = system.symbols[&cell];
        let codes = system.codes.get(&cell).map_or(0, Vec::len);
        if coding == Coding::Values && (3..=MAX_VALUES).contains(&codes) {
            let width = system.store.width(symbol);
            for code in 0..codes as u128 {
                let code = system.store.bv(width, code);
                words.push(Word { term: system.store.eq(symbol, code), cells: vec![cell], width: 1 });
            }
            continue;
        }
        let elements: Vec<Term> = match system.store.ty(symbol) {
            Type::Scalar(_) => vec![symbol],
            Type::Array { .. } => {
                let here = indices.iter().filter(|i| i.0 == symbol).map(|i| i.1).take(MAX_INDICES);
                here.map(|index| system.store.select(symbol, index)).collect()
            }
        };
        for term in elements {
            let width = bit_count(system.store.ty(term));
            words.push(Word { term, cells: vec![cell], width });
        }
    }
    for &term in predicates {
        let symbols = system.store.symbols_of(&[term]);
        let cells: Option<Vec<Cell>> = symbols.into_iter().map(|s| system.cell_of(s)).collect();
        words.extend(cells.map(|cells| Word { term, cells, width: 1 }));
    }
    words
}

/// The constants that arrays are read at, with the array's symbol.
fn indices(system: &CutSystem) -> Vec<(Term, Term)> {
    let store = &system.store;
    let mut roots = Vec::new();
    for segment in std::iter::once(&system.init).chain(system.segments.values()) {
        roots.extend(segment.arrivals.iter().flat_map(|a| a.values.iter().copied().chain([a.guard])));
        roots.extend(segment.violations.iter().map(|v| v.1));
        roots.extend(segment.unsupported.iter().map(|u| u.1));
    }
    let mut found: Vec<(Term, Term)> = Vec::new();
    let mut seen = FxHashSet::default();
    for t in store.reachable(&roots) {
        let Node::Bin(BinOp::Select, array, index) = store.node(t) else { continue };
        if store.constant(index).is_none() {
            continue;
        }
        let mut below = vec![array];
        while let Some(array) = below.pop() {
            if !seen.insert((array, index)) {
                continue;
            }
            match store.node(array) {
                Node::Var(_) => found.push((array, index)),
                Node::Store(array, ..) => below.push(array),
                Node::Ite(_, a, b) => below.extend([a, b]),
                Node::Const(_) | Node::Un(..) | Node::Bin(..) => {}
            }
        }
    }
    found
}

/// The first cell that cubes do not have as a whole.
pub fn beyond_bits(system: &CutSystem) -> Option<&str> {
    let whole = |symbol: &Term| bit_count(system.store.ty(*symbol)) > 0;
    let cells = system.cuts.values().flat_map(|data| &data.cells);
    let symbol = cells.map(|cell| system.symbols[cell]).find(|s| !whole(s))?;
    Some(system.store.as_symbol(symbol).map_or("", |s: Symbol| system.store.symbol_name(s)))
}

/// Whether a run at the cut has all cells of the word.
pub fn is_at(system: &CutSystem, word: &Word, cut: Cut) -> bool {
    word.cells.iter().all(|cell| system.cuts[cut].cells.contains(cell))
}

/// The bits of a term of this type; none for what is no bit-vector.
fn bit_count(ty: Type) -> u32 {
    match ty {
        Type::Scalar(Scalar::Bool) => 1,
        Type::Scalar(Scalar::Bv(width)) => width,
        Type::Scalar(Scalar::Float(_)) | Type::Array { .. } => 0,
    }
}
