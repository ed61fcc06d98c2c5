//! Closed forms: what the cells are after n iterations along a path, whatever its conditions.
//!
//! The template is the thesis's (section 3.2.2): a sum of start values, of start values times n, of n and of n². Its
//! coefficients are those of Newton's interpolation through the first iterates, which are polynomials themselves:
//! `x(n) = x(0) + d1 n + d2 n(n-1)/2`, where `d1` and `d2` are the first and second difference (so that no coefficient
//! is a fraction). A cell whose start value does not count, such as one that is set anew in each iteration, has the same
//! from its first iterate on. That the third difference is zero suggests the form; that it is the form is confirmed by
//! induction: the body applied to the form is the form of n + 1, as polynomials over bit-vectors ([`super::poly`]).
//! (A solver has no answer to such questions once there are products: multipliers are compared bit by bit.)
//!
//! Unknown values that come in are taken to be the same in all n iterations.

use super::path::Path;
use super::poly::{Atom, Poly, Reader};
use crate::cuts::CutSystem;
use crate::logic::{Symbol, Term, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};
use syncline_ir::{BinOp, Scalar, Type};

/// A wider count is not needed: nothing counts so far.
const MAX_COUNT: u32 = 64;

/// What one cell is after n iterations, n at least 1.
#[derive(Clone, Debug)]
pub struct Form {
    /// The cell's place among those of the cut, and its symbol.
    pub place: usize,
    pub symbol: Term,
    /// The form as a polynomial, if it is one.
    pub poly: Option<Poly>,
    /// Whether it also holds for n = 0.
    pub from_start: bool,
    pub after: Term,
}

/// What all cells are; those not listed stay as they are.
#[derive(Clone, Debug)]
pub struct Closed {
    /// The symbol of n.
    pub count: Term,
    pub forms: Vec<Form>,
    /// The symbols of the arrays that change: what of them is known is [`super::arrays`]'s.
    pub arrays: Vec<Term>,
}

impl Closed {
    /// The closed forms of a path, if all cells have one and some cell counts.
    pub fn of(system: &mut CutSystem, path: &Path) -> Option<Closed> {
        let cells = system.cuts[path.cut].cells.clone();
        let symbols: Vec<Term> = cells.iter().map(|c| system.symbols[c]).collect();
        let changed: Vec<usize> = (0..cells.len()).filter(|&n| path.values[n] != symbols[n]).collect();
        let number = |n: &usize| {
            matches!(system.store.ty(symbols[*n]), Type::Scalar(Scalar::Bv(_)))
                && !system.codes.contains_key(&cells[*n])
        };
        let numbers: Vec<usize> = changed.iter().copied().filter(number).collect();
        let store = &mut system.store;
        let body = Body { symbols: &symbols, values: &path.values, changed: &changed };
        let polys = body.polynomials(store, numbers)?;
        let counts = |p: &&(usize, Poly, bool)| !p.1.is_free_of_count();
        let width = polys.iter().filter(counts).map(|(_, p, _)| p.width).max()?;
        let width = polys.iter().map(|(_, p, _)| p.width).max()?.max(width);
        if width > MAX_COUNT {
            return None;
        }
        let count = store.new_symbol("n", Type::bv(width));
        let mut forms = Vec::new();
        for (place, poly, from_start) in polys {
            let after = poly.term(store, count);
            forms.push(Form { place, symbol: symbols[place], poly: Some(poly), from_start, after });
        }
        let is_array = |store: &TermStore, n: usize| store.ty(symbols[n]).is_array();
        let arrays = changed.iter().filter(|&&n| is_array(store, n)).map(|&n| symbols[n]).collect();
        let mut closed = Closed { count, forms, arrays };
        let rest = changed.iter().copied().filter(|&n| closed.forms.iter().all(|f| f.place != n)).collect::<Vec<_>>();
        let scalars: Vec<usize> = rest.iter().copied().filter(|&n| !is_array(store, n)).collect();
        let derived: Option<Vec<Form>> =
            scalars.iter().map(|&n| closed.derived(store, &rest, &symbols, n, path.values[n])).collect();
        closed.forms.extend(derived?);
        closed.forms.sort_by_key(|f| f.place);
        Some(closed)
    }

    /// A cell that is computed in each iteration from cells that have a form: its value is that of the last iteration.
    fn derived(
        &self,
        store: &mut TermStore,
        rest: &[usize],
        symbols: &[Term],
        place: usize,
        value: Term,
    ) -> Option<Form> {
        let mut from_start = true;
        for symbol in store.symbols_of(&[value]) {
            let symbol = store.symbol_term(symbol);
            if rest.iter().any(|&n| symbols[n] == symbol) {
                return None;
            }
            from_start &= self.forms.iter().find(|f| f.symbol == symbol).is_none_or(|f| f.from_start);
        }
        let one = store.bv(store.width(self.count), 1);
        let before = store.bin(BinOp::Sub, self.count, one);
        let mut after = self.at(store, value, before);
        if !from_start {
            let first = store.eq(self.count, one);
            after = store.ite(first, value, after);
        }
        Some(Form { place, symbol: symbols[place], poly: None, from_start: false, after })
    }

    /// A term about the header, as it is when `count` iterations have been made.
    pub fn at(&self, store: &mut TermStore, t: Term, count: Term) -> Term {
        let Some(symbol) = store.as_symbol(self.count) else { return t };
        let mut map: Vec<(Symbol, Term)> = Vec::new();
        for form in &self.forms {
            let after = store.substitute(form.after, [(symbol, count)]);
            map.extend(store.as_symbol(form.symbol).map(|s| (s, after)));
        }
        store.substitute(t, map)
    }

    /// A term in which n occurs, for another n.
    pub fn with_count(&self, store: &mut TermStore, t: Term, count: Term) -> Term {
        match store.as_symbol(self.count) {
            Some(symbol) => store.substitute(t, [(symbol, count)]),
            None => t,
        }
    }

    /// Whether this is the symbol of an array that changes.
    pub fn writes(&self, symbol: Term) -> bool {
        self.arrays.contains(&symbol)
    }

    /// Whether the term speaks of an array that changes.
    pub fn reads_written(&self, store: &TermStore, t: Term) -> bool {
        !self.arrays.is_empty() && store.symbols_of(&[t]).into_iter().any(|s| self.writes(store.symbol_term(s)))
    }

    /// The numbers that change in this term.
    pub fn changing<'c>(&'c self, store: &TermStore, t: Term) -> Vec<&'c Form> {
        let symbols: FxHashSet<Symbol> = store.symbols_of(&[t]).into_iter().collect();
        let occurs = |f: &&Form| store.as_symbol(f.symbol).is_some_and(|s| symbols.contains(&s));
        self.forms.iter().filter(occurs).collect()
    }
}

/// A path's assignments.
struct Body<'b> {
    symbols: &'b [Term],
    values: &'b [Term],
    changed: &'b [usize],
}

impl Body<'_> {
    /// The numbers that have a polynomial as closed form, and whether that holds from the start.
    fn polynomials(&self, store: &TermStore, mut numbers: Vec<usize>) -> Option<Vec<(usize, Poly, bool)>> {
        loop {
            let found = self.try_polynomials(store, &numbers);
            let before = numbers.len();
            match found {
                Ok(forms) if forms.is_empty() => return None,
                Ok(forms) => return Some(forms),
                Err(without) => numbers.retain(|n| !without.contains(n)),
            }
            if numbers.is_empty() || numbers.len() == before {
                return None;
            }
        }
    }

    /// The forms of these cells, or the ones that have none.
    fn try_polynomials(&self, store: &TermStore, numbers: &[usize]) -> Result<Vec<(usize, Poly, bool)>, Vec<usize>> {
        let start = |&n: &usize| (n, Poly::atom(store.width(self.symbols[n]), Atom::Term(self.symbols[n])));
        let mut iterates: Vec<FxHashMap<usize, Poly>> = vec![numbers.iter().map(start).collect()];
        for k in 0..4 {
            let next = self.apply(store, numbers, &iterates[k])?;
            iterates.push(next);
        }
        let mut forms = Vec::new();
        let mut without = Vec::new();
        for &n in numbers {
            match interpolate(&iterates, n) {
                Some((poly, from_start)) => forms.push((n, poly, from_start)),
                None => without.push(n),
            }
        }
        if !without.is_empty() {
            return Err(without);
        }
        // The inductive step.
        let after: FxHashMap<usize, Poly> = forms.iter().map(|(n, p, _)| (*n, p.clone())).collect();
        let next = self.apply(store, numbers, &after)?;
        let wrong = forms.iter().filter(|(n, p, _)| p.next().as_ref() != Some(&next[n])).map(|f| f.0);
        let wrong: Vec<usize> = wrong.collect();
        if wrong.is_empty() {
            Ok(forms)
        } else {
            Err(wrong)
        }
    }

    /// The body applied to these values of the cells.
    fn apply(
        &self,
        store: &TermStore,
        numbers: &[usize],
        values: &FxHashMap<usize, Poly>,
    ) -> Result<FxHashMap<usize, Poly>, Vec<usize>> {
        let place: FxHashMap<Term, usize> = self.changed.iter().map(|&n| (self.symbols[n], n)).collect();
        let of = |t: Term| place.get(&t).map(|n| values.get(n).cloned());
        let mut reader = Reader::new(store, of);
        let mut next = FxHashMap::default();
        let mut without = Vec::new();
        for &n in numbers {
            match reader.read(self.values[n], store.width(self.symbols[n])) {
                Some(poly) => drop(next.insert(n, poly)),
                None => without.push(n),
            }
        }
        if without.is_empty() {
            Ok(next)
        } else {
            Err(without)
        }
    }
}

/// Newton's polynomial of degree two through the iterates of a cell: from its start, or from the first one on.
fn interpolate(iterates: &[FxHashMap<usize, Poly>], n: usize) -> Option<(Poly, bool)> {
    for start in [0, 1] {
        let Some(x) = (0..4).map(|k| iterates.get(start + k)?.get(&n)).collect::<Option<Vec<_>>>() else { continue };
        let first = x[1].sub(x[0]);
        let second = x[2].sub(x[1]).sub(&first);
        let third = x[3].sub(x[2]).sub(&x[2].sub(x[1])).sub(&second);
        if !third.is_zero() {
            continue;
        }
        let width = x[0].width;
        let (count, pairs) = (Poly::atom(width, Atom::Count), Poly::atom(width, Atom::Pairs));
        // With n - 1 iterations behind the first one, there are n(n-1)/2 - (n-1) pairs of them.
        let before = count.sub(&Poly::constant(width, 1));
        let (count, pairs) = if start == 0 { (count, pairs) } else { (before.clone(), pairs.sub(&before)) };
        let form = x[0].add(&first.mul(&count)?).add(&second.mul(&pairs)?);
        return Some((form, start == 0));
    }
    None
}
