//! Stability as a safety property.
//!
//! *Bound*: the steps since the last quiet one are counted. *Lasso*: the state is saved at a step boundary that an input
//! names, and must not come again before a quiet step. The state is finite, so a system that goes on for ever without a
//! stable state has such a lasso; and inputs come after quiet steps only, so none come on it (A. Biere, C. Artho,
//! V. Schuppan, "Liveness checking as safety checking", 2002).

use super::Sequentialiser;
use crate::analysis::system::accesses_of;
use crate::analysis::CallGraph;
use crate::consts::Const;
use crate::entities::{Block, Prop, Site, Value, Var};
use crate::inst::{InstData, Place};
use crate::ops::BinOp;
use crate::program::{SharedVar, Stability, StabilityAsk};
use crate::types::Type;

/// Bounds that are counted in unary.
const MOST_UNARY: u32 = 64;

/// A scalar of the state: a place, or a cell of it.
struct Part {
    place: Place,
    index: Option<Value>,
}

impl Sequentialiser<'_> {
    pub(super) fn look_at_stability(&mut self, block: Block, stability: Stability) {
        let Some(fired) = self.fired else { return };
        let fired = self.read(block, fired);
        match stability.ask {
            StabilityAsk::Bound(bound) => self.count(block, stability.prop, bound, fired),
            StabilityAsk::Lasso(site) => self.lasso(block, stability.prop, site, fired),
        }
    }

    /// The steps since the last quiet one, in unary: the k-th Boolean says that there are at least k. "At least k" is
    /// what engines have to say, and that is one literal here.
    fn count(&mut self, block: Block, prop: Prop, bound: u32, fired: Value) {
        if bound > MOST_UNARY {
            return self.count_in_binary(block, prop, bound, fired);
        }
        let mut now = fired;
        for k in 1..=bound {
            let busy = self.variable(format!("at least {k} steps since the last quiet one"), Const::Bool(false));
            self.counter.push(busy);
            let before = self.read(block, busy);
            self.write(block, busy, now);
            now = self.binary(block, BinOp::And, fired, before);
        }
        let cond = self.not(block, now);
        self.body.append(block, InstData::Assert { prop, cond }, &[], self.program.props[prop].origin);
    }

    fn count_in_binary(&mut self, block: Block, prop: Prop, bound: u32, fired: Value) {
        let busy = self.variable("steps since the last quiet one".into(), Const::bv(32, 0));
        let (zero, one) = (self.constant(block, Const::bv(32, 0)), self.constant(block, Const::bv(32, 1)));
        let before = self.read(block, busy);
        let more = self.binary(block, BinOp::Add, before, one);
        let now = self.body.ite(block, fired, more, zero, self.at);
        self.write(block, busy, now);
        let most = self.constant(block, Const::bv(32, u128::from(bound)));
        let cond = self.binary(block, BinOp::Ule, now, most);
        self.body.append(block, InstData::Assert { prop, cond }, &[], self.program.props[prop].origin);
    }

    fn lasso(&mut self, block: Block, prop: Prop, site: Site, fired: Value) {
        let Some(state) = self.state(block) else {
            return self.give_up(block, "stability of a system whose steps change large arrays, or local ones");
        };
        let saved = self.variable("a state is saved".into(), Const::Bool(false));
        let was_saved = self.read(block, saved);
        let still = self.binary(block, BinOp::And, was_saved, fired);
        let mut same = still;
        let mut copies = Vec::new();
        for Part { place, index } in state {
            let (ty, read) = match (index, self.type_of(place)) {
                (Some(index), Type::Array { elem, .. }) => (elem.into(), InstData::Load { place, index }),
                (Some(_) | None, ty) => (ty, InstData::Read { place }),
            };
            let copy = self.variable(format!("saved {}", self.name_of(place)), Const::zero(ty));
            let now = self.body.append1(block, read, ty, self.at);
            let then = self.read(block, copy);
            let equal = self.binary(block, BinOp::Eq, now, then);
            same = self.binary(block, BinOp::And, same, equal);
            copies.push((copy, now, then));
        }
        let cond = self.not(block, same);
        self.body.append(block, InstData::Assert { prop, cond }, &[], self.program.props[prop].origin);
        let ask = self.body.append1(block, InstData::Havoc { site }, Type::BOOL, self.program.sites[site].origin);
        let free = self.not(block, still);
        let may = self.binary(block, BinOp::And, free, fired);
        let take = self.binary(block, BinOp::And, may, ask);
        for (copy, now, then) in copies {
            let value = self.body.ite(block, take, now, then, self.at);
            self.write(block, copy, value);
        }
        let value = self.binary(block, BinOp::Or, still, take);
        self.write(block, saved, value);
    }

    /// The system's state between steps: locations, locals, and the variables that steps can change, arrays cell by cell.
    /// `None` if the cells of one are not known.
    fn state(&mut self, block: Block) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        for place in self.places() {
            let Type::Array { index, .. } = self.type_of(place) else {
                parts.push(Part { place, index: None });
                continue;
            };
            let is_it = |shared: &&SharedVar| Place::Global(shared.var) == place && shared.cells > 0;
            let cells = self.system.shared.iter().find(is_it)?.cells;
            for n in 0..cells {
                let index = self.constant(block, Const::bv(index, n.into()));
                parts.push(Part { place, index: Some(index) });
            }
        }
        Some(parts)
    }

    fn places(&self) -> Vec<Place> {
        let calls = CallGraph::compute(self.program);
        let inputs = self.system.environment.map(|proc| accesses_of(self.program, &calls, proc));
        let changes = |var: &Var| self.accesses.iter().chain(&inputs).any(|a| a.writes.contains(*var));
        let mut places: Vec<Place> = self.program.vars.keys().filter(changes).map(Place::Global).collect();
        for (n, process) in self.system.processes.iter().enumerate() {
            places.push(Place::Global(self.processes[n].at));
            let slots = self.program.procs[process.body].slots.keys();
            places.extend(slots.map(|slot| Place::Local(self.processes[n].slots[slot])));
        }
        places
    }

    fn type_of(&self, place: Place) -> Type {
        match place {
            Place::Global(var) => self.out.vars[var].ty,
            Place::Local(slot) => self.body.slots[slot].ty,
        }
    }

    fn name_of(&self, place: Place) -> String {
        match place {
            Place::Global(var) => self.out.vars[var].name.clone(),
            Place::Local(slot) => self.body.slots[slot].name.clone(),
        }
    }
}
