//! Invariants by elimination: of candidates for each cut, the largest set that holds at first and is kept by every
//! segment.
//!
//! Candidates are the facts of the abstract interpretation ([`crate::invariants`]), and others made from the program's
//! own conditions: each comparison of cells with constants or with each other that some guard makes, and its negation
//! (before the first cut, comparisons of inputs that cells keep); for cells that only ever get constants, that they have
//! one of these; of coded cells, that they never have one of their values at this cut; and what the states of concrete
//! runs have in common ([`crate::observe`]); what engines beside this one have proved ([`Houdini::try_news`]). Concrete
//! runs also rule out most of what does not hold.

mod eliminate;
mod support;
#[cfg(test)]
mod tests;

pub use support::{support, support_on_simple_paths};

use crate::annotation::{location, original, Cell, Location, Original};
use crate::cuts::{Cut, CutData, CutSystem};
use crate::invariants;
use crate::logic::{Node, Symbol, Term};
use crate::observe::{observe, Common};
use crate::task::Context;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use syncline_ir::{BinOp, Scalar, Type, UnOp};

/// More candidates than this are not tried.
const MAX_CANDIDATES: usize = 4000;
/// Different constants a cell may get for these to be a candidate.
const MAX_VALUES: usize = 24;
/// The share of the time left that may be spent.
const SHARE: u32 = 4;

/// The most that may be spent on what other engines have proved.
const HEARING: Duration = Duration::from_secs(2);

/// The share of that for concrete runs, and for asking them about the candidates.
const OBSERVING: u32 = 8;

pub struct Houdini {
    pub kept: Vec<(Cut, Term)>,
    /// Candidates that are left for [`Houdini::try_products`].
    products: Vec<(Cut, Term)>,
    pub candidates: usize,
    /// Facts of other engines that were tried already.
    heard: usize,
}

/// What is kept of the candidates; nothing if time does not suffice.
pub fn invariants(system: &mut CutSystem, context: &mut Context) -> Houdini {
    if !context.invariants {
        return Houdini { kept: Vec::new(), products: Vec::new(), candidates: 0, heard: 0 };
    }
    let now = Instant::now();
    let until = now + context.deadline.saturating_duration_since(now) / SHARE;
    let facts = facts(system, now + (until - now) / 2);
    let observed = observe(system, Instant::now() + (until - now) / OBSERVING, context);
    let Common { linear, products } = observed.candidates(system);
    let mut candidates = facts;
    candidates.extend(linear);
    candidates.extend(self::candidates(system));
    let mut seen = FxHashSet::default();
    candidates.retain(|&(cut, term)| system.store.as_bool(term).is_none() && seen.insert((cut, term)));
    observed.keep(system, &mut candidates, Instant::now() + (until - now) / OBSERVING);
    candidates.truncate(MAX_CANDIDATES);
    let count = candidates.len() + products.len();
    (context.progress)(&format!("{count} candidates for invariants"));
    let kept = keep(system, candidates, until, context).unwrap_or_default();
    Houdini { kept, products, candidates: count, heard: 0 }
}

impl Houdini {
    /// Tries what other engines have proved since the last time, beside what is kept already; true if that gives more.
    pub fn try_news(&mut self, system: &mut CutSystem, context: &Context) -> bool {
        let news = context.news.facts_from(self.heard);
        if news.is_empty() {
            return false;
        }
        self.heard += news.len();
        let places = |(cut, data): (Cut, &CutData)| Some((location(&system.inlined, data.header)?, cut));
        let places: BTreeMap<Location, Cut> = system.cuts.iter().filter_map(places).collect();
        let constants = system.cuts.values().flat_map(|data| data.constants.iter().map(|(cell, _)| *cell));
        let cells = system.symbols.keys().copied().chain(constants);
        let names = cells.filter_map(|cell| Some((original(&system.inlined, cell)?, cell)));
        let names: BTreeMap<Original, Cell> = names.collect();
        let mut more = Vec::new();
        let mut seen: FxHashSet<(Cut, Term)> = self.kept.iter().copied().collect();
        for (place, formula) in news {
            let Some(&cut) = places.get(&place) else { continue };
            let Some(formula) = formula.rename(|name| names.get(name).copied()) else { continue };
            let Some(term) = system.term(cut, &formula) else { continue };
            if system.store.as_bool(term).is_none() && seen.insert((cut, term)) {
                more.push((cut, term));
            }
        }
        self.candidates += more.len();
        self.try_more(system, more, HEARING, context)
    }

    /// Tries relations with products of cells beside what is kept already; true if that gives more. It takes long: such
    /// products are hard for a solver.
    pub fn try_products(&mut self, system: &mut CutSystem, context: &Context) -> bool {
        let products = std::mem::take(&mut self.products);
        self.try_more(system, products, Duration::MAX, context)
    }

    /// Tries more candidates beside what is kept already, for so long and no longer than a share of the time.
    ///
    /// Nothing that is kept is lost, though its question may be too hard beside the others: engines have assumed it since.
    /// Two sets that are each kept by every segment are so together.
    fn try_more(&mut self, system: &mut CutSystem, more: Vec<(Cut, Term)>, most: Duration, context: &Context) -> bool {
        if more.is_empty() {
            return false;
        }
        let now = Instant::now();
        let until = now + (context.deadline.saturating_duration_since(now) / SHARE).min(most);
        let all = self.kept.iter().copied().chain(more).collect();
        let Some(mut found) = keep(system, all, until, context) else { return false };
        found.retain(|fact| !self.kept.contains(fact));
        self.kept.extend_from_slice(&found);
        !found.is_empty()
    }
}

/// What is kept of these candidates; `None` if time does not suffice.
fn keep(
    system: &mut CutSystem,
    candidates: Vec<(Cut, Term)>,
    until: Instant,
    context: &Context,
) -> Option<Vec<(Cut, Term)>> {
    let initial = eliminate::hold_at_start(system, candidates, until, context)?;
    eliminate::keep(system, initial, until, context)
}

/// Comparisons over cells alone in the conditions of any segment.
pub(crate) fn comparisons(system: &CutSystem, cells: &FxHashSet<Symbol>, more: Option<Term>) -> Vec<Term> {
    let mut roots = roots(system);
    roots.extend(more);
    comparisons_in(system, &roots, cells)
}

/// Comparisons over cells alone in these terms.
fn comparisons_in(system: &CutSystem, roots: &[Term], cells: &FxHashSet<Symbol>) -> Vec<Term> {
    let store = &system.store;
    let reachable = store.reachable(roots);
    // Terms over cells only, bottom up; small ones, since a candidate should say something simple.
    let mut size: FxHashMap<Term, u32> = FxHashMap::default();
    let mut found = Vec::new();
    for t in reachable {
        let own = match store.node(t) {
            Node::Const(_) => Some(0),
            Node::Var(s) => cells.contains(&s).then_some(1),
            Node::Store(..) => None,
            node @ (Node::Un(..) | Node::Bin(..) | Node::Ite(..)) => {
                node.args().try_fold(1u32, |sum, a| Some(sum + size.get(&a)?))
            }
        };
        let Some(own) = own.filter(|&n| n <= 12) else { continue };
        size.insert(t, own);
        let compares =
            matches!(store.node(t), Node::Bin(BinOp::Eq | BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle, _, _));
        let is_cell = store.ty(t) == Type::BOOL && store.as_symbol(t).is_some();
        if own > 0 && (compares || is_cell) {
            found.push(t);
        }
    }
    found
}

/// All terms of the segments.
pub(crate) fn roots(system: &CutSystem) -> Vec<Term> {
    let mut roots = Vec::new();
    for segment in std::iter::once(&system.init).chain(system.segments.values()) {
        roots.extend(segment.arrivals.iter().map(|a| a.guard));
        roots.extend(segment.arrivals.iter().flat_map(|a| &a.values));
        roots.extend(segment.violations.iter().map(|v| v.1));
        roots.extend(segment.unsupported.iter().map(|u| u.1));
    }
    roots
}

/// What the first run to the cut has gone through, as if said of the cells that keep its inputs.
fn assumed_at_start(system: &mut CutSystem, cut: Cut) -> Option<Term> {
    let arrival = system.init.arrivals.iter().find(|a| a.cut == cut)?.clone();
    let cells = &system.cuts[cut].cells;
    let kept = |(cell, &value): (_, &Term)| Some((system.store.as_symbol(value)?, system.symbols[cell]));
    let mut map: FxHashMap<Symbol, Term> = FxHashMap::default();
    for (symbol, cell) in cells.iter().zip(&arrival.values).filter_map(kept) {
        map.entry(symbol).or_insert(cell);
    }
    map.retain(|&symbol, &mut cell| system.store.symbol_type(symbol) == system.store.ty(cell));
    Some(system.store.substitute(arrival.guard, map))
}

fn candidates(system: &mut CutSystem) -> Vec<(Cut, Term)> {
    let cuts: Vec<Cut> = system.cuts.keys().collect();
    let cells: FxHashSet<Symbol> = system.symbols.values().filter_map(|&t| system.store.as_symbol(t)).collect();
    let anywhere = comparisons(system, &cells, None).into_iter();
    let anywhere: Vec<(Term, Vec<Symbol>)> = anywhere.map(|t| (t, system.store.symbols_of(&[t]))).collect();
    let mut all = Vec::new();
    for cut in cuts {
        let assumed = assumed_at_start(system, cut);
        let symbols: FxHashSet<Symbol> = {
            let of = |c| system.store.as_symbol(system.symbols[c]);
            system.cuts[cut].cells.iter().filter_map(of).collect()
        };
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut add = |t: Term| {
            if seen.insert(t) {
                all.push((cut, t));
            }
        };
        let here = anywhere.iter().filter(|(_, of)| of.iter().all(|s| symbols.contains(s))).map(|&(t, _)| t);
        let mut atoms: Vec<Term> = here.collect();
        atoms.extend(assumed.map(|t| comparisons_in(system, &[t], &symbols)).unwrap_or_default());
        for atom in atoms {
            let negated = system.store.un(UnOp::Not, atom);
            add(atom);
            add(negated);
            for t in neighbours(system, atom) {
                add(t);
            }
        }
        for t in value_sets(system, cut) {
            add(t);
        }
    }
    all
}

/// What the abstract interpretation says of the cuts. It holds, but not always by itself: some of it may rest on cells
/// that are not part of the state.
fn facts(system: &mut CutSystem, deadline: Instant) -> Vec<(Cut, Term)> {
    let mut found = Vec::new();
    for (header, formulas) in invariants::facts(&system.inlined, deadline) {
        let Some(cut) = system.cut_at(header) else { continue };
        for formula in formulas {
            found.extend(system.term(cut, &formula).map(|t| (cut, t)));
        }
    }
    found
}

/// From `x = c` and `x < c`: the bounds c is on either side, for both signs; and that x is not below zero.
fn neighbours(system: &mut CutSystem, atom: Term) -> Vec<Term> {
    let Node::Bin(_, a, b) = system.store.node(atom) else { return Vec::new() };
    let mut found = Vec::new();
    for (x, c) in [(a, b), (b, a)] {
        if !matches!(system.store.ty(x), Type::Scalar(Scalar::Bv(_))) || system.store.constant(x).is_some() {
            continue;
        }
        let zero = system.store.bv(system.store.width(x), 0);
        for bound in [c, zero] {
            for op in [BinOp::Sle, BinOp::Ule] {
                found.push(system.store.bin(op, x, bound));
                found.push(system.store.bin(op, bound, x));
            }
        }
    }
    found
}

/// Cells that every arrival gives a constant or leaves alone: one of these constants; coded cells: not this value.
fn value_sets(system: &mut CutSystem, cut: Cut) -> Vec<Term> {
    let mut found = Vec::new();
    for (i, cell) in system.cuts[cut].cells.clone().into_iter().enumerate() {
        let symbol = system.symbols[&cell];
        if system.store.ty(symbol).is_array() {
            continue;
        }
        if let Some(values) = system.codes.get(&cell) {
            let width = system.store.width(symbol);
            for code in 0..values.len() as u128 {
                let code = system.store.bv(width, code);
                let equal = system.store.eq(symbol, code);
                found.push(system.store.not(equal));
            }
            continue;
        }
        let mut constants: Vec<Term> = Vec::new();
        let mut only_constants = true;
        let segments = std::iter::once(&system.init).chain(system.segments.values());
        let values: Vec<Term> = segments
            .flat_map(|s| &s.arrivals)
            .filter_map(|a| {
                let at = system.cuts[a.cut].cells.iter().position(|&c| c == cell);
                at.or((a.cut == cut).then_some(i)).map(|i| a.values[i])
            })
            .collect();
        let mut stack = values;
        let mut seen = FxHashSet::default();
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            match system.store.node(t) {
                Node::Const(_) => constants.push(t),
                Node::Ite(_, a, b) => stack.extend([a, b]),
                _ if t == symbol => {}
                Node::Var(_) | Node::Un(..) | Node::Bin(..) | Node::Store(..) => only_constants = false,
            }
        }
        if only_constants && !constants.is_empty() && constants.len() <= MAX_VALUES {
            let equal: Vec<Term> = constants.iter().map(|&c| system.store.eq(symbol, c)).collect();
            found.push(system.store.or_all(equal));
        }
    }
    found
}
