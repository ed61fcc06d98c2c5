//! Runs of the system on given inputs.

use super::Inputs;
use crate::cuts::{Cut, CutSystem};
use crate::logic::{Evaluator, Model, Symbol, Term, TermStore};
use crate::task::Trace;
use rustc_hash::FxHashMap;
use syncline_ir::{Const, Prop};

/// Values of cells and inputs.
struct Values(FxHashMap<Symbol, Const>);

impl Model for Values {
    fn value(&self, _store: &TermStore, symbol: Symbol) -> Option<Const> {
        self.0.get(&symbol).cloned()
    }
}

/// Runs the system on the inputs: what each site brings in, in the order of the run, and whether that violates the property.
pub fn trace(system: &CutSystem, prop: Prop, inputs: &[Inputs]) -> (Trace, bool) {
    let mut trace = Trace::default();
    let mut state: FxHashMap<Symbol, Const> = FxHashMap::default();
    let mut at: Option<Cut> = None;
    for step in inputs {
        let segment = system.segment(at);
        state.extend(step.iter().cloned());
        let values = Values(std::mem::take(&mut state));
        let mut evaluator = Evaluator::new();
        let mut eval = |t: Term| evaluator.eval(&system.store, t, &values);
        for input in &segment.inputs {
            if eval(input.guard).as_bool() == Some(true) {
                trace.inputs.entry(input.site).or_default().push(eval(input.value));
            }
        }
        if segment.violations.iter().any(|&(p, guard)| p == prop && eval(guard).as_bool() == Some(true)) {
            return (trace, true);
        }
        let arrival = segment.arrivals.iter().find(|a| eval(a.guard).as_bool() == Some(true));
        let Some(arrival) = arrival else { return (trace, false) };
        let cells = system.cuts[arrival.cut].cells.iter().zip(&arrival.values);
        let symbols = cells.filter_map(|(cell, &value)| Some((system.store.as_symbol(system.symbols[cell])?, value)));
        let next = symbols.map(|(symbol, value)| (symbol, eval(value))).collect();
        at = Some(arrival.cut);
        state = next;
    }
    (trace, false)
}
