//! When a path can be taken n times in a row: its feasibility constraint and its range constraints (sections 3.2.2 and
//! 3.2.3 of the thesis), without a quantifier over the iterations.
//!
//! A condition that nothing changes is asked once. A comparison of numbers that grow or fall evenly is monotonic in the
//! iterations as long as these numbers do not wrap, which is its *range constraint*; where it can only become false, it
//! is asked of the last iteration, where it can only become true, of the first. An inequation `x != c` needs no range:
//! there is one iteration, counted from the start and modulo the width, in which `x` would be `c`, and n is at most
//! that. Other conditions that change must be *asserted*: an iteration that is otherwise along the path, and in which one
//! of them fails, violates a property. They are no part of the constraint, since what lies behind a violation is of no interest;
//! but where there are any, it does not say that the path is taken.
//!
//! Each such condition also bounds n, and one of these bounds (or the smaller of two) is the largest n, which is confirmed by
//! a query of its own.
//!
//! What comes out is confirmed by a query, whatever it rests on: the constraint for 1 implies the path's conditions, and
//! the constraint for n + 1 implies that for n and the conditions after n iterations. By induction it implies that all
//! of the n iterations are feasible.

use super::closed::{Closed, Form};
use super::path::Path;
use super::poly::{signed, Reader};
use crate::cuts::CutSystem;
use crate::logic::{Answer, Limits, Node, Solver, Term, TermStore};
use crate::vc::range::inverse;
use std::time::{Duration, Instant};
use syncline_ir::{BinOp, Scalar, Type, UnOp, MAX_WIDTH};

/// Bounds of n that are tried, alone and in pairs, and how long one may take.
const MAX_BOUNDS: usize = 4;
const PATIENCE: Duration = Duration::from_millis(400);

/// When a path can be taken n times: terms over the header's cells, the inputs and n.
pub struct Feasible {
    pub constraint: Term,
    /// What must hold at the header for one iteration, as far as the constraint is about it.
    pub enabled: Term,
    /// What the path also needs in each iteration, and without which the iteration violates a property.
    pub asserted: Vec<Term>,
    /// The largest n, without n in it, wherever the path can be taken at all.
    pub most: Option<Term>,
}

/// The constraint on n under which the path can be taken n times. `ranges` are part of it.
pub fn constraint(
    system: &mut CutSystem,
    path: &Path,
    closed: &Closed,
    ranges: &[Term],
    solver: &mut dyn Solver,
    until: Instant,
) -> Option<Feasible> {
    let store = &mut system.store;
    let mut parts = ranges.to_vec();
    let (mut enabled, mut asserted) = (Vec::new(), Vec::new());
    let mut bounds = Vec::new();
    for &literal in &path.literals {
        let mut conditions = Conditions { store, closed, ranges: Vec::new(), bounds: Vec::new() };
        let Some(later) = conditions.later(literal) else {
            asserted.push(literal);
            continue;
        };
        bounds.extend(conditions.bounds);
        parts.push(literal);
        parts.extend(later);
        enabled.push(literal);
    }
    if !asserted.iter().all(|&literal| violates(store, path, literal, solver, until)) {
        return None;
    }
    let enabled = store.and_all(enabled);
    let zero = store.bv(store.width(closed.count), 0);
    let none = store.eq(closed.count, zero);
    parts.push(store.not(none));
    let constraint = store.and_all(parts);
    if !confirmed(store, enabled, closed, constraint, solver, until) {
        return None;
    }
    let most = match asserted.is_empty() {
        true => most(store, enabled, closed, constraint, &bounds, solver, until),
        false => None,
    };
    Some(Feasible { constraint, enabled, asserted, most })
}

/// Whether an iteration that differs from the path in this condition alone violates a property.
fn violates(store: &mut TermStore, path: &Path, literal: Term, solver: &mut dyn Solver, until: Instant) -> bool {
    let others = store.and_all(path.literals.iter().copied().filter(|&l| l != literal));
    let (fails, goes_on) = (store.not(literal), store.not(path.violated));
    let wrong = store.and_all([others, fails, goes_on]);
    wrong == store.ff() || solver.check(store, &[wrong], &Limits::until(until)) == Answer::Unsat
}

/// By how much a number changes in each iteration, and what must hold of n for that.
pub fn progression(store: &mut TermStore, closed: &Closed, number: Term) -> Option<(i128, Vec<Term>)> {
    let mut conditions = Conditions { store, closed, ranges: Vec::new(), bounds: Vec::new() };
    let slope = conditions.slope(number)?;
    let one = conditions.store.bv(conditions.store.width(closed.count), 1);
    let steps = conditions.store.bin(BinOp::Sub, closed.count, one);
    let ranges = std::mem::take(&mut conditions.ranges);
    let within = ranges.iter().map(|r| conditions.within(r.number, r, steps)).collect::<Option<_>>()?;
    Some((slope, within))
}

/// The largest n as a term: a bound of one condition, or the smaller of two, that a query confirms to be the largest.
fn most(
    store: &mut TermStore,
    enabled: Term,
    closed: &Closed,
    constraint: Term,
    bounds: &[Term],
    solver: &mut dyn Solver,
    until: Instant,
) -> Option<Term> {
    let mut candidates = bounds.to_vec();
    candidates.sort_unstable();
    candidates.dedup();
    candidates.truncate(MAX_BOUNDS);
    for i in 0..candidates.len() {
        for j in 0..i {
            let (a, b) = (candidates[i], candidates[j]);
            let less = store.bin(BinOp::Ult, a, b);
            candidates.push(store.ite(less, a, b));
        }
    }
    let width = store.width(closed.count);
    let (zero, one) = (store.bv(width, 0), store.bv(width, 1));
    candidates.into_iter().find(|&most| {
        let more = store.add(most, one);
        let (holds, beyond) = (closed.with_count(store, constraint, most), closed.with_count(store, constraint, more));
        let some = store.bin(BinOp::Ult, zero, most);
        let ends = store.not(beyond);
        let right = store.and_all([some, holds, ends]);
        let wrong = store.not(right);
        let wrong = store.and(enabled, wrong);
        let until = until.min(Instant::now() + PATIENCE);
        wrong == store.ff() || solver.check(store, &[wrong], &Limits::until(until)) == Answer::Unsat
    })
}

/// The induction over n.
fn confirmed(
    store: &mut TermStore,
    conditions: Term,
    closed: &Closed,
    constraint: Term,
    solver: &mut dyn Solver,
    until: Instant,
) -> bool {
    let one = store.bv(store.width(closed.count), 1);
    let more = store.add(closed.count, one);
    let (first, next) = (closed.with_count(store, constraint, one), closed.with_count(store, constraint, more));
    let then = closed.at(store, conditions, closed.count);
    let base = store.implies(first, conditions);
    let zero = store.bv(store.width(closed.count), 0);
    let some = store.bin(BinOp::Ult, zero, closed.count);
    let premise = store.and(some, next);
    let conclusion = store.and(constraint, then);
    let step = store.implies(premise, conclusion);
    let both = store.and(base, step);
    let broken = store.not(both);
    broken == store.ff() || solver.check(store, &[broken], &Limits::until(until)) == Answer::Unsat
}

/// A number that changes by the same amount in each iteration must not wrap, read as signed or as unsigned.
struct Range {
    number: Term,
    slope: i128,
    signed: bool,
}

struct Conditions<'s> {
    store: &'s mut TermStore,
    closed: &'s Closed,
    ranges: Vec<Range>,
    /// What n is at most, by conditions that hold from the start.
    bounds: Vec<Term>,
}

impl Conditions<'_> {
    /// When the condition holds in all iterations but the first, where it is asked by itself; `None` if that is not known.
    fn later(&mut self, literal: Term) -> Option<Vec<Term>> {
        if self.closed.reads_written(self.store, literal) {
            return None;
        }
        let changing = self.closed.changing(self.store, literal);
        if changing.is_empty() {
            return Some(Vec::new());
        }
        // Forms that hold from the start make the first iteration one like the others.
        let first = u128::from(!changing.iter().all(|f| f.from_start));
        let width = self.store.width(self.closed.count);
        let one = self.store.bv(width, 1);
        let always = self.closed.at(self.store, literal, self.closed.count);
        let free = |store: &TermStore, t: Term| {
            store.symbols_of(&[t]).into_iter().all(|s| store.symbol_term(s) != self.closed.count)
        };
        let later = if free(self.store, always) { vec![always] } else { self.evenly(literal, first)? };
        if first == 0 {
            return Some(later);
        }
        let only = self.store.eq(self.closed.count, one);
        let all = self.store.and_all(later);
        Some(vec![self.store.or(only, all)])
    }

    /// The condition in iterations `first` to n - 1, counted from 0.
    fn evenly(&mut self, literal: Term, first: u128) -> Option<Vec<Term>> {
        let (atom, holds) = match self.store.node(literal) {
            Node::Un(UnOp::Not, a) => (a, false),
            _ => (literal, true),
        };
        let Node::Bin(op, a, b) = self.store.node(atom) else { return None };
        if !matches!(self.store.ty(a), Type::Scalar(Scalar::Bv(_))) {
            return None;
        }
        if op == BinOp::Eq {
            return self.differ(a, b, holds, first);
        }
        let by_sign = match op {
            BinOp::Ult | BinOp::Ule => false,
            BinOp::Slt | BinOp::Sle => true,
            _ => return None,
        };
        let (left, right) = (self.slope(a)?, self.slope(b)?);
        for (number, slope) in [(a, left), (b, right)] {
            if slope != 0 {
                self.ranges.push(Range { number, slope, signed: by_sign });
            }
        }
        let grows = right.checked_sub(left)?;
        let falls = if holds { grows < 0 } else { grows > 0 };
        let width = self.store.width(self.closed.count);
        let one = self.store.bv(width, 1);
        let last = self.store.bin(BinOp::Sub, self.closed.count, one);
        let begin = self.store.bv(width, first);
        let at = if falls { last } else { begin };
        if falls && first == 0 {
            let (less, greater) = if holds { (a, b) } else { (b, a) };
            self.bound(less, greater, grows.unsigned_abs(), holds);
        }
        let mut parts = vec![self.closed.at(self.store, literal, at)];
        let steps = self.store.bin(BinOp::Sub, last, begin);
        for range in std::mem::take(&mut self.ranges) {
            let start = self.closed.at(self.store, range.number, begin);
            let start = if first == 0 { range.number } else { start };
            parts.push(self.within(start, &range, steps)?);
        }
        Some(parts)
    }

    /// How often a comparison holds whose sides come nearer by `by` in each iteration.
    fn bound(&mut self, less: Term, greater: Term, by: u128, strict: bool) {
        let (width, count) = (self.store.width(less), self.store.width(self.closed.count));
        if width > count {
            return;
        }
        let one = self.store.bv(width, 1);
        let mut gap = self.store.bin(BinOp::Sub, greater, less);
        if strict {
            gap = self.store.bin(BinOp::Sub, gap, one);
        }
        let by = self.store.bv(width, by);
        let times = self.store.bin(BinOp::UDiv, gap, by);
        let times = self.store.add(times, one);
        let times = self.store.un(UnOp::ZExt(count), times);
        self.bounds.push(times);
    }

    /// The number stays within its range for so many steps from its start.
    fn within(&mut self, start: Term, range: &Range, steps: Term) -> Option<Term> {
        let width = self.store.width(start);
        let (least, most) = match range.signed {
            false => (0, u128::MAX >> (128 - width)),
            true => (1u128 << (width - 1), (u128::MAX >> (128 - width)) >> 1),
        };
        let room = if range.slope > 0 {
            let most = self.store.bv(width, most);
            self.store.bin(BinOp::Sub, most, start)
        } else {
            let least = self.store.bv(width, least);
            self.store.bin(BinOp::Sub, start, least)
        };
        let by = range.slope.unsigned_abs();
        if by == 1 && width == self.store.width(steps) {
            // Less than a whole round: it has wrapped if it came back.
            let op = if range.signed { BinOp::Sle } else { BinOp::Ule };
            let (up, down) = (BinOp::Add, BinOp::Sub);
            let end = self.store.bin(if range.slope > 0 { up } else { down }, start, steps);
            return Some(match range.slope > 0 {
                true => self.store.bin(op, start, end),
                false => self.store.bin(op, end, start),
            });
        }
        if width == self.store.width(steps) {
            let one = self.store.bv(width, 1);
            let by = self.store.bv(width, by);
            let times = self.store.bin(BinOp::UDiv, room, by);
            let times = self.store.add(times, one);
            self.bounds.push(times);
        }
        let wide = width.max(self.store.width(steps)) + (128 - by.leading_zeros());
        if wide > MAX_WIDTH {
            return None;
        }
        let by = self.store.bv(wide, by);
        let steps = self.store.un(UnOp::ZExt(wide), steps);
        let room = self.store.un(UnOp::ZExt(wide), room);
        let way = self.store.bin(BinOp::Mul, by, steps);
        Some(self.store.bin(BinOp::Ule, way, room))
    }

    /// `a != b` where the difference changes by a constant: the iteration in which it would be 0 is not reached.
    fn differ(&mut self, a: Term, b: Term, equal: bool, first: u128) -> Option<Vec<Term>> {
        let width = self.store.width(a);
        let forms = &self.closed.forms;
        let of = |t: Term| forms.iter().find(|f| f.symbol == t).map(|f: &Form| f.poly.clone());
        let mut reader = Reader::new(self.store, of);
        let difference = reader.read(a, width)?.sub(&reader.read(b, width)?);
        if difference.is_free_of_count() {
            let zero = self.store.bv(width, 0);
            let value = difference.term(self.store, self.closed.count);
            let same = self.store.eq(value, zero);
            return Some(vec![if equal { same } else { self.store.not(same) }]);
        }
        if equal || first > 0 {
            return None;
        }
        let slope = difference.slope()?;
        let twos = slope.trailing_zeros();
        let odd = (slope >> twos) as u128;
        let start = difference.start().term(self.store, self.closed.count);
        // start + slope j = 0 has a solution if the power of two divides the start; it is unique below 2^(width - twos).
        let missing = self.store.un(UnOp::BvNeg, start);
        let rest = width - twos;
        let quotient = self.store.extract(width - 1, twos, missing);
        let inverse = self.store.bv(rest, inverse(odd));
        let when = self.store.bin(BinOp::Mul, quotient, inverse);
        let wide = rest.max(self.store.width(self.closed.count));
        let (when, count) = (self.store.un(UnOp::ZExt(wide), when), self.store.un(UnOp::ZExt(wide), self.closed.count));
        if wide == self.store.width(self.closed.count) {
            self.bounds.push(when);
        }
        let mut safe = self.store.bin(BinOp::Ule, count, when);
        if twos > 0 {
            let low = self.store.extract(twos - 1, 0, missing);
            let zero = self.store.bv(twos, 0);
            let divides = self.store.eq(low, zero);
            let never = self.store.not(divides);
            safe = self.store.or(never, safe);
        }
        Some(vec![safe])
    }

    /// By how much the number changes in each iteration, with the ranges in which that is so.
    fn slope(&mut self, t: Term) -> Option<i128> {
        let width = self.store.width(t);
        if self.closed.changing(self.store, t).is_empty() {
            return Some(0);
        }
        let wrap = |slope: i128| signed(width, slope as u128);
        match self.store.node(t) {
            Node::Var(_) => {
                let form = self.closed.forms.iter().find(|f| f.symbol == t)?;
                let poly = form.poly.as_ref()?;
                if poly.is_free_of_count() {
                    return Some(0);
                }
                poly.slope()
            }
            Node::Bin(BinOp::Add, a, b) => Some(wrap(self.slope(a)?.wrapping_add(self.slope(b)?))),
            Node::Bin(BinOp::Sub, a, b) => Some(wrap(self.slope(a)?.wrapping_sub(self.slope(b)?))),
            Node::Bin(BinOp::Mul, a, b) => {
                let (factor, number) = match (self.store.as_bits(a), self.store.as_bits(b)) {
                    (Some(bits), None) => (bits, b),
                    (None, Some(bits)) => (bits, a),
                    _ => return None,
                };
                Some(wrap(self.slope(number)?.wrapping_mul(factor as i128)))
            }
            Node::Un(UnOp::BvNeg | UnOp::BvNot, a) => Some(wrap(self.slope(a)?.wrapping_neg())),
            Node::Un(UnOp::Extract { lo: 0, .. }, a) => Some(wrap(self.slope(a)?)),
            Node::Un(op @ (UnOp::ZExt(_) | UnOp::SExt(_)), a) => {
                let slope = self.slope(a)?;
                if slope != 0 {
                    self.ranges.push(Range { number: a, slope, signed: matches!(op, UnOp::SExt(_)) });
                }
                Some(slope)
            }
            Node::Const(_) | Node::Un(..) | Node::Bin(..) | Node::Ite(..) | Node::Store(..) => None,
        }
    }
}
