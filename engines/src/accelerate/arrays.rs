//! What iterations write to arrays: range-writes, and that they are right, through one symbolic cell.
//!
//! A path may write an array at indices that change by a constant from iteration to iteration. What n iterations make of it
//! is then said of each cell by itself: the index says which iteration writes it, if one does, and the closed forms of
//! the numbers say what that iteration writes. An iteration may read arrays, the one it writes included, as long as it
//! reads nothing that an earlier one of the n has written: `a[i] = a[i] + i` is one, `a[i] = a[i-1]` is not.
//!
//! That this is so is confirmed by a query about one cell k of which nothing is known: from the array after n iterations,
//! one more writes to k what n + 1 iterations do. Ranges are of no concern here, since indices wrap as the numbers do; only
//! an even stride comes back to a cell before all of them are written, and bounds n.

use super::closed::Closed;
use super::feasible;
use super::path::Path;
use crate::cuts::CutSystem;
use crate::logic::{Answer, Limits, Node, Solver, Symbol, Term, TermStore};
use crate::vc::range::number_of;
use std::time::Instant;
use syncline_ir::{BinOp, Type, UnOp};

/// More writes in an iteration are not looked at.
const MAX_WRITES: usize = 8;

/// One write that each iteration makes.
#[derive(Clone, Debug)]
pub struct Write {
    /// The array's place among the cells of the cut, and its symbol.
    pub place: usize,
    array: Term,
    /// The index and what is written, about the state before the iteration; the first index is that of the first.
    pub index: Term,
    content: Term,
    pub stride: u128,
    /// What iteration j writes, about the state before the first.
    pub value: Term,
}

/// What all iterations write, in the order of one.
#[derive(Clone, Debug)]
pub struct Writes {
    /// The symbol of j.
    pub number: Term,
    pub writes: Vec<Write>,
    /// What must hold of n.
    pub ranges: Vec<Term>,
}

impl Writes {
    /// The writes of a path to the arrays that it changes; `None` if they are of another kind.
    pub fn of(system: &mut CutSystem, path: &Path, closed: &Closed) -> Option<Writes> {
        let cells = &system.cuts[path.cut].cells;
        let places: Vec<(usize, Term)> =
            cells.iter().enumerate().map(|(n, c)| (n, system.symbols[c])).filter(|(_, s)| closed.writes(*s)).collect();
        let store = &mut system.store;
        let number = store.new_symbol("j", store.ty(closed.count));
        let mut all = Writes { number, writes: Vec::new(), ranges: Vec::new() };
        for (place, array) in places {
            for (index, content) in chain(store, path.values[place], array)? {
                all.add(store, closed, place, array, index, content)?;
            }
        }
        (all.writes.len() <= MAX_WRITES).then_some(all)
    }

    fn add(
        &mut self,
        store: &mut TermStore,
        closed: &Closed,
        place: usize,
        array: Term,
        index: Term,
        content: Term,
    ) -> Option<()> {
        let late = |store: &TermStore, t: Term| closed.changing(store, t).iter().any(|f| !f.from_start);
        if closed.reads_written(store, index) || late(store, index) {
            return None;
        }
        let (slope, ranges) = feasible::progression(store, closed, index)?;
        let width = store.width(index);
        let stride = slope as u128 & (u128::MAX >> (128 - width));
        if stride == 0 {
            return None;
        }
        self.ranges.extend(ranges);
        let (rest, wide) = (width - stride.trailing_zeros(), store.width(closed.count));
        if wide > rest {
            let all = store.bv(wide, 1 << rest);
            self.ranges.push(store.bin(BinOp::Ule, closed.count, all));
        }
        let mut value = closed.at(store, content, self.number);
        if late(store, content) {
            let zero = store.bv(wide, 0);
            let first = store.eq(self.number, zero);
            value = store.ite(first, content, value);
        }
        self.writes.push(Write { place, array, index, content, stride, value });
        Some(())
    }

    /// A cell of an array after so many iterations.
    fn cell(&self, store: &mut TermStore, array: Term, cell: Term, count: Term) -> Term {
        let mut value = store.bin(BinOp::Select, array, cell);
        for write in self.writes.iter().filter(|w| w.array == array) {
            let (hit, number) = number_of(store, cell, write.index, write.stride, count);
            let written = match store.as_symbol(self.number) {
                Some(symbol) => store.substitute(write.value, [(symbol, number)]),
                None => write.value,
            };
            value = store.ite(hit, written, value);
        }
        value
    }

    /// A cell of an array after one iteration from a state in which so many have been made.
    fn one_more(&self, store: &mut TermStore, closed: &Closed, after: &[(Term, Term)], write: Once) -> Term {
        let map: Vec<(Symbol, Term)> = after.iter().filter_map(|&(a, b)| Some((store.as_symbol(a)?, b))).collect();
        let before = after.iter().find(|(a, _)| *a == write.array).map_or(write.array, |(_, b)| *b);
        let mut value = store.bin(BinOp::Select, before, write.cell);
        for w in self.writes.iter().filter(|w| w.array == write.array) {
            let (index, content) = match write.count {
                Some(count) => (closed.at(store, w.index, count), closed.at(store, w.content, count)),
                None => (w.index, w.content),
            };
            let content = store.substitute(content, map.iter().copied());
            let here = store.eq(index, write.cell);
            value = store.ite(here, content, value);
        }
        value
    }

    /// The induction over n, for one cell of each array.
    pub fn confirmed(
        &self,
        store: &mut TermStore,
        closed: &Closed,
        constraint: Term,
        solver: &mut dyn Solver,
        until: Instant,
    ) -> bool {
        let mut arrays: Vec<Term> = self.writes.iter().map(|w| w.array).collect();
        arrays.dedup();
        let mut after = Vec::new();
        for &array in &arrays {
            let (index, all) = (cell_of(store, array, "cell"), store.new_symbol("after", store.ty(array)));
            let value = self.cell(store, array, index, closed.count);
            solver.assert_cells(store, all, index, value);
            after.push((array, all));
        }
        let one = store.bv(store.width(closed.count), 1);
        let more = store.add(closed.count, one);
        let (first, next) = (closed.with_count(store, constraint, one), closed.with_count(store, constraint, more));
        let both = store.and(constraint, next);
        let mut wrong = Vec::new();
        for &array in &arrays {
            let cell = cell_of(store, array, "k");
            for (given, after, count, by) in [(first, &[][..], None, one), (both, &after[..], Some(closed.count), more)]
            {
                let single = self.one_more(store, closed, after, Once { array, cell, count });
                let all = self.cell(store, array, cell, by);
                let same = store.eq(single, all);
                let differs = store.not(same);
                wrong.push(store.and(given, differs));
            }
        }
        let wrong = store.or_all(wrong);
        wrong == store.ff() || solver.check(store, &[wrong], &Limits::until(until)) == Answer::Unsat
    }

    /// In words: `a[i + j] = 42`.
    pub fn describe(&self, store: &mut TermStore, closed: &Closed) -> Vec<String> {
        let mut text = Vec::new();
        for write in &self.writes {
            let index = closed.at(store, write.index, self.number);
            let (array, index) = (words(store, write.array, 0), words(store, index, 0));
            text.push(format!("{array}[{index}] = {}", words(store, write.value, 0)));
        }
        text
    }
}

/// What is asked of one iteration: a cell of an array, after so many iterations or at the start.
struct Once {
    array: Term,
    cell: Term,
    count: Option<Term>,
}

fn cell_of(store: &mut TermStore, array: Term, name: &str) -> Term {
    let width = match store.ty(array) {
        Type::Array { index, .. } => index,
        Type::Scalar(_) => unreachable!("only arrays are written cell by cell"),
    };
    store.new_symbol(name, Type::bv(width))
}

/// The writes that make a value of an array, in their order.
fn chain(store: &TermStore, value: Term, array: Term) -> Option<Vec<(Term, Term)>> {
    let (mut at, mut writes) = (value, Vec::new());
    while at != array {
        let Node::Store(inner, index, content) = store.node(at) else { return None };
        writes.push((index, content));
        if writes.len() > MAX_WRITES {
            return None;
        }
        at = inner;
    }
    writes.reverse();
    Some(writes)
}

/// How deep terms are written out.
const MAX_WORDS: u32 = 6;

fn words(store: &TermStore, t: Term, depth: u32) -> String {
    if let Some(bits) = store.as_bits(t) {
        return super::poly::signed(store.width(t), bits).to_string();
    }
    if depth > MAX_WORDS {
        return "...".into();
    }
    let of = |t: Term| words(store, t, depth + 1);
    match store.node(t) {
        Node::Var(s) => store.symbol_name(s).to_string(),
        Node::Bin(BinOp::Select, a, i) => format!("{}[{}]", of(a), of(i)),
        Node::Bin(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => {
            let sign = match op {
                BinOp::Add => " + ",
                BinOp::Sub => " - ",
                _ => "*",
            };
            format!("{}{sign}{}", of(a), of(b))
        }
        Node::Un(UnOp::ZExt(_) | UnOp::SExt(_) | UnOp::Extract { lo: 0, .. }, a) => of(a),
        Node::Const(_) | Node::Un(..) | Node::Bin(..) | Node::Ite(..) | Node::Store(..) => "...".into(),
    }
}
