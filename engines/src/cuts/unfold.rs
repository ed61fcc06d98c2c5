//! Runs of a cut-point system, cut by cut: layer n holds the state at the n-th cut of a run.
//!
//! Nothing is asserted: the state of a layer is terms over that of the first layer and the inputs in between, so that
//! constants flow and equal layers share. A run is at one cut of a layer at most.

use super::{Arrival, Cut, CutSystem, Input, Segment};
use crate::annotation::Cell;
use crate::logic::subst::Substitution;
use crate::logic::{Symbol, Term, TermStore};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use syncline_ir::{Obligation, Prop};

/// Where runs begin.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// At the start of the program: layer 0 holds the first cuts.
    Init,
    /// At any cut in any state; the cells of layer 0 are their symbols.
    Anywhere,
}

/// The state of runs at their n-th cut.
#[derive(Clone, Default)]
pub struct Layer {
    /// When runs are at a cut, for each cut they may be at.
    pub at: Vec<(Cut, Term)>,
    pub cells: FxHashMap<Cell, Term>,
}

/// What runs do between two layers.
#[derive(Clone, Default)]
pub struct Step {
    pub inputs: Vec<Input>,
    pub violations: Vec<(Prop, Term)>,
    pub unsupported: Vec<(Obligation, Term)>,
}

impl Step {
    /// The property is violated, or the run leaves the modelled part.
    pub fn bad(&self, store: &mut TermStore, prop: Prop) -> Term {
        let violations = self.violations.iter().filter(|(p, _)| *p == prop).map(|&(_, guard)| guard);
        let unsupported = self.unsupported.iter().map(|&(_, guard)| guard);
        store.or_all(violations.chain(unsupported))
    }
}

pub struct Unfolding {
    pub layers: Vec<Layer>,
    /// What leads to each layer; of the first, what comes before it.
    pub steps: Vec<Step>,
}

impl Unfolding {
    pub fn new(system: &mut CutSystem, start: Start) -> Unfolding {
        let (step, layer) = match start {
            Start::Init => {
                let segment = system.init.clone();
                let mut leaving = Leaving::default();
                leaving.add(system, &segment, system.store.tt(), &mut Substitution::default());
                leaving.finish(system)
            }
            Start::Anywhere => (Step::default(), anywhere(system)),
        };
        Unfolding { layers: vec![layer], steps: vec![step] }
    }

    /// One layer more; what leads there is the last of the steps. The first time, inputs are the segments' own symbols;
    /// later each step has new ones.
    pub fn extend(&mut self, system: &mut CutSystem) {
        let last = &self.layers[self.layers.len() - 1];
        let mut leaving = Leaving::default();
        for &(cut, at) in &last.at {
            let segment = system.segments[cut].clone();
            let cells = system.cuts[cut].cells.clone();
            let mut map: Vec<(Symbol, Term)> = Vec::new();
            for cell in cells {
                map.extend(system.store.as_symbol(system.symbols[&cell]).map(|s| (s, last.cells[&cell])));
            }
            let renewed = if self.layers.len() == 1 { &[][..] } else { &segment.inputs };
            for input in renewed {
                let Some(symbol) = system.store.as_symbol(input.value) else { continue };
                let name = system.store.symbol_name(symbol).to_string();
                let ty = system.store.symbol_type(symbol);
                map.push((symbol, system.store.new_symbol(&name, ty)));
            }
            let mut substitution = Substitution::new(&system.store, map);
            leaving.add(system, &segment, at, &mut substitution);
        }
        let (step, layer) = leaving.finish(system);
        self.steps.push(step);
        self.layers.push(layer);
    }

    /// The state of a layer differs from those of the layers before it: it is at another cut, or some cell has another
    /// value. Cuts with arrays in their state are left out.
    pub fn differs(&self, system: &mut CutSystem, layer: usize) -> Vec<Term> {
        let mut found = Vec::new();
        for &(cut, at) in &self.layers[layer].at {
            let cells = system.cuts[cut].cells.clone();
            if cells.iter().any(|c| system.store.ty(system.symbols[c]).is_array()) {
                continue;
            }
            for earlier in &self.layers[..layer] {
                let Some(&(_, before)) = earlier.at.iter().find(|(c, _)| *c == cut) else { continue };
                let mut alike = system.store.and(before, at);
                for cell in &cells {
                    let same = system.store.eq(earlier.cells[cell], self.layers[layer].cells[cell]);
                    alike = system.store.and(alike, same);
                }
                found.push(system.store.not(alike));
            }
        }
        found
    }

    /// A term about the state at a cut, as one about the state of a layer; `None` if no run has all its cells there.
    pub fn word(&self, system: &mut CutSystem, layer: usize, term: Term) -> Option<Term> {
        let cells = &self.layers[layer].cells;
        let known = |s: &Symbol| system.cell_of.get(s).is_some_and(|cell| cells.contains_key(cell));
        let all = system.store.symbols_of(&[term]).iter().all(known);
        all.then(|| self.at_layer(system, layer, term))
    }

    /// A term about the state at a cut, as one about the state of a layer.
    pub fn at_layer(&self, system: &mut CutSystem, layer: usize, term: Term) -> Term {
        let cells = &self.layers[layer].cells;
        let symbols = system.store.symbols_of(&[term]);
        let of = |s: Symbol| Some((s, *cells.get(system.cell_of.get(&s)?)?));
        let map: Vec<(Symbol, Term)> = symbols.into_iter().filter_map(of).collect();
        system.store.substitute(term, map)
    }
}

/// Some cut, any state.
fn anywhere(system: &mut CutSystem) -> Layer {
    let count = system.cuts.len() as u128;
    let width = u128::BITS - count.leading_zeros();
    let pc = system.store.new_symbol("cut", syncline_ir::Type::bv(width.max(1)));
    let cuts: Vec<Cut> = system.cuts.keys().collect();
    let mut layer = Layer::default();
    for (number, cut) in (0..).zip(cuts) {
        let constant = system.store.bv(width.max(1), number);
        let at = system.store.eq(pc, constant);
        layer.at.push((cut, at));
        let cells = &system.cuts[cut].cells;
        layer.cells.extend(cells.iter().map(|&c| (c, system.symbols[&c])));
    }
    layer
}

/// Everything that leaves a layer.
#[derive(Default)]
struct Leaving {
    step: Step,
    arrivals: Vec<Arrival>,
}

impl Leaving {
    fn add(&mut self, system: &mut CutSystem, segment: &Segment, at: Term, substitution: &mut Substitution) {
        let store = &mut system.store;
        let mut guarded = |guard: Term| {
            let guard = substitution.apply(store, guard);
            store.and(at, guard)
        };
        let mut arrivals = Vec::new();
        for input in &segment.inputs {
            self.step.inputs.push(Input { guard: guarded(input.guard), ..*input });
        }
        self.step.violations.extend(segment.violations.iter().map(|&(p, g)| (p, guarded(g))));
        self.step.unsupported.extend(segment.unsupported.iter().map(|&(o, g)| (o, guarded(g))));
        for arrival in &segment.arrivals {
            arrivals.push((arrival, guarded(arrival.guard)));
        }
        let from = self.step.inputs.len() - segment.inputs.len();
        for input in &mut self.step.inputs[from..] {
            input.value = substitution.apply(store, input.value);
        }
        for (arrival, guard) in arrivals {
            if guard != store.ff() {
                let values = arrival.values.iter().map(|&v| substitution.apply(store, v)).collect();
                self.arrivals.push(Arrival { cut: arrival.cut, guard, values });
            }
        }
        let ff = store.ff();
        self.step.violations.retain(|&(_, g)| g != ff);
        self.step.unsupported.retain(|&(_, g)| g != ff);
    }

    /// Joins the arrivals: guards of one cut, and values of one cell whatever the cut.
    fn finish(self, system: &mut CutSystem) -> (Step, Layer) {
        let mut at: SecondaryMap<Cut, Option<Term>> = SecondaryMap::new();
        let mut cells: FxHashMap<Cell, Term> = FxHashMap::default();
        for arrival in &self.arrivals {
            let before = at[arrival.cut].unwrap_or(system.store.ff());
            at[arrival.cut] = Some(system.store.or(before, arrival.guard));
            for (&cell, &value) in system.cuts[arrival.cut].cells.iter().zip(&arrival.values) {
                let joined = match cells.get(&cell) {
                    Some(&other) => system.store.ite(arrival.guard, value, other),
                    None => value,
                };
                cells.insert(cell, joined);
            }
        }
        let at = at.iter().filter_map(|(cut, at)| Some((cut, (*at)?))).collect();
        (self.step, Layer { at, cells })
    }
}
