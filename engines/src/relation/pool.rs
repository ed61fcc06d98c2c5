//! The predicates that labels may use beside the bits of the state: the program's own conditions on its cells, what its
//! assignments make true, and small differences of cells that it compares. A predicate is available at the cuts that have
//! its cells; earlier labels are made of the same literals and are tried on every new node.

use crate::cuts::CutSystem;
use crate::houdini::{comparisons, roots};
use crate::logic::{Node, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use syncline_ir::{BinOp, Scalar, Type};

/// More predicates are not looked at.
const MAX_PREDICATES: usize = 400;
/// Cells of so few bits have no differences.
const MAX_CODE: u32 = 8;
/// The largest difference of cells that is a predicate.
const MAX_OFFSET: i128 = 3;

/// Predicates over the cells' symbols, none twice.
pub fn predicates(system: &mut CutSystem) -> Vec<Term> {
    let mut predicates = conditions(system);
    predicates.extend(assignments(system));
    predicates.extend(differences(system));
    let mut seen = FxHashSet::default();
    predicates.retain(|&t| seen.insert(t));
    predicates.truncate(MAX_PREDICATES);
    predicates
}

/// The program's conditions on its state: comparisons over cells alone, without those that are a cell.
fn conditions(system: &CutSystem) -> Vec<Term> {
    let symbols = system.symbols.values().filter_map(|&t| system.store.as_symbol(t)).collect();
    let found = comparisons(system, &symbols, None);
    found.into_iter().filter(|&t| system.store.as_symbol(t).is_none()).collect()
}

/// That a cell is what some segment gives it, where that is a small term over other cells.
fn assignments(system: &mut CutSystem) -> Vec<Term> {
    let cells: FxHashSet<Term> = system.symbols.values().copied().collect();
    let mut work: Vec<(Term, Term)> = Vec::new();
    for segment in std::iter::once(&system.init).chain(system.segments.values()) {
        for arrival in &segment.arrivals {
            let given = system.cuts[arrival.cut].cells.iter().zip(&arrival.values);
            work.extend(given.map(|(cell, &value)| (system.symbols[cell], value)));
        }
    }
    let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
    while let Some((symbol, t)) = work.pop() {
        if !seen.insert((symbol, t)) || !matches!(system.store.ty(symbol), Type::Scalar(Scalar::Bv(_))) {
            continue;
        }
        if let Node::Ite(_, a, b) = system.store.node(t) {
            work.extend([(symbol, a), (symbol, b)]);
            continue;
        }
        let parts = system.store.reachable(&[t]);
        let leaf = |&p: &Term| system.store.node(p).args().next().is_none();
        let known = |&p: &Term| !leaf(&p) || system.store.constant(p).is_some() || cells.contains(&p);
        if parts.len() <= 4 && parts.iter().all(known) && !parts.contains(&symbol) {
            found.push(system.store.eq(symbol, t));
        }
    }
    found.retain(|&t| system.store.as_bool(t).is_none());
    found
}

/// For cells that some condition, however large, compares: that one is the other, or a little more or less.
fn differences(system: &mut CutSystem) -> Vec<Term> {
    let cells: FxHashSet<Symbol> = system.symbols.values().filter_map(|&t| system.store.as_symbol(t)).collect();
    let store = &system.store;
    let is_wide = |s: &Symbol| {
        matches!(store.symbol_type(*s), Type::Scalar(Scalar::Bv(width)) if width > MAX_CODE) && cells.contains(s)
    };
    let mut pairs: BTreeSet<(Symbol, Symbol)> = BTreeSet::new();
    // The wide cells below each term, as long as they are at most two.
    let mut below: FxHashMap<Term, Vec<Symbol>> = FxHashMap::default();
    for t in store.reachable(&roots(system)) {
        let mut symbols: Vec<Symbol> = store.as_symbol(t).into_iter().filter(is_wide).collect();
        let parts: Option<Vec<&Vec<Symbol>>> = store.node(t).args().map(|a| below.get(&a)).collect();
        let Some(parts) = parts else { continue };
        symbols.extend(parts.into_iter().flatten());
        symbols.sort_unstable();
        symbols.dedup();
        if let (Node::Bin(BinOp::Eq | BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle, ..), [a, b]) =
            (store.node(t), &symbols[..])
        {
            pairs.insert((*a, *b));
        }
        // A condition has been seen; what is built on it compares nothing.
        if store.ty(t) == Type::BOOL {
            symbols.clear();
        }
        if symbols.len() <= 2 {
            below.insert(t, symbols);
        }
    }
    let mut found = Vec::new();
    for (a, b) in pairs {
        let (a, b) = (system.store.symbol_term(a), system.store.symbol_term(b));
        if system.store.ty(a) != system.store.ty(b) {
            continue;
        }
        for offset in (-MAX_OFFSET..=MAX_OFFSET).map(|k: i128| k as u128) {
            let offset = system.store.bv(system.store.width(a), offset);
            let sum = system.store.bin(BinOp::Add, b, offset);
            found.push(system.store.eq(a, sum));
        }
    }
    found
}
