//! Cells that all states seen have in one order: `x <= y` and `x < y`, signed and unsigned, and the same of sums and
//! differences with one.

use super::Columns;
use crate::logic::{Term, TermStore};
use syncline_ir::{consts::sign_extend, BinOp};

/// Cells beyond which pairs are too many.
const MAX_CELLS: usize = 20;
/// The fewest states that say something.
const FEWEST: usize = 3;

pub fn relations(store: &mut TermStore, columns: &Columns) -> Vec<Term> {
    let cells = &columns.cells;
    let mut found = Vec::new();
    if columns.rows.len() < FEWEST || cells.len() > MAX_CELLS {
        return found;
    }
    let one = store.bv(columns.width, 1);
    for a in 0..cells.len() {
        for b in 0..cells.len() {
            if a == b {
                continue;
            }
            let all = |holds: &dyn Fn(u128, u128) -> bool| columns.rows.iter().all(|row| holds(row[a], row[b]));
            let signed = |bits: u128| sign_extend(columns.width, bits);
            let (ule, sle) = (all(&|x, y| x <= y), all(&|x, y| signed(x) <= signed(y)));
            for (op, strict, holds) in [(BinOp::Ule, BinOp::Ult, ule), (BinOp::Sle, BinOp::Slt, sle)] {
                if holds {
                    found.push(store.bin(op, cells[a], cells[b]));
                    found.push(store.bin(strict, cells[a], cells[b]));
                    continue;
                }
                // `x <= y + 1`, where nothing stronger holds.
                let next = store.bin(BinOp::Add, cells[b], one);
                found.push(store.bin(op, cells[a], next));
            }
        }
    }
    found
}
