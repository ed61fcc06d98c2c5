//! What the abstract interpretation ([`crate::invariants`]) says at loop headers, as candidates: that a loop requires it, and that
//! it holds of what the loop gives back, where it was changed there.
//!
//! The interpretation is of the program with its calls in place, as far as it is small enough; calls that are not may do
//! anything. So one loop has facts for each activation of its procedure, and what is kept is what holds in all of them.

use super::contract::{Kind, Search};
use super::named;
use super::region::RegionId;
use super::values::Flow;
use crate::annotation::{Cell, Face, Formula};
use crate::cuts::Source;
use crate::invariants;
use crate::logic::Term;
use rustc_hash::FxHashMap;
use std::time::Instant;
use syncline_ir::inline::{Activation, Inlined};
use syncline_ir::{Block, Proc};

/// Instructions of the program with all its calls in place up to which they are.
const EAGER: u64 = 30_000;
/// The part of the time that this may take.
const SHARE: u32 = 8;

impl Search<'_, '_> {
    pub(super) fn propose_facts(&mut self, flow: &Flow) {
        let until = Instant::now() + self.until.saturating_duration_since(Instant::now()) / SHARE;
        let program = self.tree.regions.program;
        let source = Source::sliced(program.clone(), program, &[], EAGER);
        let Ok(inlined) = source.inlined() else { return };
        let loops: FxHashMap<(Proc, Option<Block>), RegionId> =
            self.regions().map(|id| (named::key(self.tree, id), id)).collect();
        for (header, formulas) in invariants::facts(&inlined, until) {
            // A header is never cut by a call before it: it is the first piece of its block.
            let Some((activation, block, _)) = inlined.blocks[header] else { continue };
            let proc = inlined.activations[activation].proc;
            let Some(&id) = loops.get(&(proc, Some(block))) else { continue };
            let formulas = formulas.iter().filter_map(|f| f.rename(|&cell| as_lowered(&inlined, activation, cell)));
            self.add_facts(id, flow, &formulas.collect::<Vec<_>>());
        }
    }

    fn add_facts(&mut self, id: RegionId, flow: &Flow, formulas: &[Formula<Cell>]) {
        let outputs = self.outputs[id.0 as usize].clone();
        let mut faces = named::names(self.tree, id, &outputs);
        faces.retain(|(t, _)| flow.relevant.contains(t));
        let faces: FxHashMap<Face, Term> = faces.into_iter().map(|(t, face)| (face, t)).collect();
        let changes = self.tree.regions.get(id).outputs.clone();
        let out = |&cell: &Cell| if changes.contains(&cell) { Face::Out(cell) } else { Face::In(cell) };
        for formula in formulas {
            for (kind, named) in [
                (Kind::Requires, formula.rename(|&cell| Some(Face::In(cell)))),
                (Kind::Ensures, formula.rename(|cell| Some(out(cell)))),
            ] {
                if let Some(t) = named.and_then(|f| named::term(&mut self.tree.store, &f, &faces)) {
                    self.add(id, kind, t);
                }
            }
        }
    }
}

/// What a cell is in the program as lowered, if it is one of this activation.
fn as_lowered(inlined: &Inlined, activation: Activation, cell: Cell) -> Option<Cell> {
    match cell {
        Cell::Global(_) => Some(cell),
        Cell::Local(slot) => inlined.slots[slot].filter(|s| s.0 == activation).map(|s| Cell::Local(s.1)),
        Cell::Value(value) => inlined.values[value].filter(|v| v.0 == activation).map(|v| Cell::Value(v.1)),
    }
}
