//! What is said about arrays only once a model contradicts it: lemmas on demand (Brummayer, Biere: Lemmas on Demand for
//! the Extensional Theory of Arrays, JSAT 2010).
//!
//! Two things grow with the square of a program: cells of one symbol, compared pair by pair, and reads of long runs of
//! constant writes. Small ones are spelled out at once. Of large ones every model is asked: cells whose indices have one
//! value must have one value, and a read must have the value of what was written at its index. Where that fails, the
//! instance that the model violates is asserted, and the solver asked again. A read that has been corrected
//! [`PATIENCE`] times is spelled out after all. So every round adds something new of finitely many, and an answer
//! `Sat` comes with a model of the arrays; `Unsat` needs no more, since what is asserted is valid.
//!
//! Unlike the paper, reads over writes at unknown indices, conditionals and links stay eager: they are few.

use super::super::term::{Term, TermStore};
use super::patch::{Patch, Patches};
use rustc_hash::{FxHashMap, FxHashSet};
use syncline_ir::{BinOp, Const};

/// A symbol with more cells than this compares them on demand.
pub const MANY_CELLS: usize = 32;
/// A run of more writes than this is read on demand.
pub const MANY_WRITES: u32 = 64;
/// How many values a read is given one by one.
const PATIENCE: u32 = 12;

/// The values of array-free terms in the last model.
pub type Values<'a> = dyn FnMut(&TermStore, Term) -> Const + 'a;

/// `value` is what a read of the patch at `index` gives, and `rest` where nothing was written.
struct Read {
    patch: Patch,
    index: Term,
    rest: Term,
    value: Term,
    lemmas: u32,
}

#[derive(Default)]
pub struct Lazy {
    reads: Vec<Read>,
    /// Pairs of cells that are compared already.
    compared: FxHashSet<(Term, Term)>,
}

impl Lazy {
    pub fn read(&mut self, patch: Patch, index: Term, rest: Term, value: Term) {
        self.reads.push(Read { patch, index, rest, value, lemmas: 0 });
    }

    /// Compares the cells (index, value) of one symbol that the model has at one index with different values.
    pub fn cells(&mut self, store: &mut TermStore, cells: &[(Term, Term)], values: &mut Values) -> Vec<Term> {
        let mut first: FxHashMap<Const, (Term, Term, Const)> = FxHashMap::default();
        let mut lemmas = Vec::new();
        for &(index, cell) in cells {
            let (at, value) = (values(store, index), values(store, cell));
            let &mut (i, other, ref old) = first.entry(at).or_insert_with(|| (index, cell, value.clone()));
            if *old != value && self.compared.insert((other, cell)) {
                let (same_index, same_cell) = (store.eq(i, index), store.eq(other, cell));
                lemmas.push(store.implies(same_index, same_cell));
            }
        }
        lemmas
    }

    /// Corrects the reads that the model has wrong.
    pub fn reads(&mut self, store: &mut TermStore, patches: &mut Patches, values: &mut Values) -> Vec<Term> {
        let mut lemmas = Vec::new();
        self.reads.retain_mut(|read| {
            let Some(at) = values(store, read.index).as_bits() else { return true };
            let width = store.width(read.index);
            let run = patches.run(read.patch, width, at);
            let written = run.value.unwrap_or(read.rest);
            if values(store, written) == values(store, read.value) {
                return true;
            }
            read.lemmas += 1;
            if read.lemmas > PATIENCE {
                let all = patches.read(store, read.patch, read.index, read.rest);
                lemmas.push(store.eq(read.value, all));
                return false;
            }
            let (first, last) = (store.bv(width, run.first), store.bv(width, run.last));
            let (from, to) = (store.bin(BinOp::Ule, first, read.index), store.bin(BinOp::Ule, read.index, last));
            let (inside, same) = (store.and(from, to), store.eq(read.value, written));
            lemmas.push(store.implies(inside, same));
            true
        });
        lemmas
    }
}
