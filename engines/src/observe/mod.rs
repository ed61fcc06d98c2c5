//! States that concrete runs of a cut-point system come to, and what all of them have in common: candidates for
//! invariants, and a quick way to see that a candidate is none.
//!
//! A run starts where a solver says that runs can start, its first inputs as near to guessed ones as the program's
//! assumptions allow; from there it goes on by evaluating segments on guessed inputs. What is seen is true of these runs
//! only: nothing here is used without a proof.

mod affine;
mod order;

use crate::cuts::{Cut, CutSystem, Segment};
use crate::guesser::Guesser;
use crate::logic::eval::Evaluator;
use crate::logic::{Answer, Limits, ModelView, Solver, Symbol, Term};
use crate::task::Context;
use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Instant;
use syncline_ir::{ArrayConst, Const, Type};

/// Runs, cuts on each, and guesses at a cut where no input led on.
const RUNS: usize = 24;
const LENGTH: usize = 48;
const TRIES: usize = 4;
/// States kept for a cut.
const MAX_STATES: usize = 160;

/// The state of runs at a cut: the values of its cells, in their order.
pub type State = Vec<Const>;

/// What was seen at each cut.
#[derive(Default)]
pub struct Observed {
    pub states: SecondaryMap<Cut, Vec<State>>,
}

/// Runs the system until the time is over.
pub fn observe(system: &mut CutSystem, until: Instant, context: &Context) -> Observed {
    let mut guesser = Guesser::new(&system.inlined.program);
    let mut starts = Starts { solver: (context.solver)(), closed: false };
    let mut seen: SecondaryMap<Cut, FxHashSet<String>> = SecondaryMap::new();
    let mut observed = Observed::default();
    for _ in 0..RUNS {
        let mut at = match starts.next(system, &mut guesser, until) {
            Some(first) => Some(first),
            None => break,
        };
        for _ in 0..LENGTH {
            let Some((cut, state)) = at.take() else { break };
            if Instant::now() >= until {
                return observed;
            }
            let next = go_on(system, &system.segments[cut], cut, &state, &mut guesser);
            if observed.states[cut].len() < MAX_STATES && seen[cut].insert(format!("{state:?}")) {
                observed.states[cut].push(state);
            }
            at = next;
        }
    }
    observed
}

impl Observed {
    /// The candidates that no state seen contradicts.
    pub fn keep(&self, system: &CutSystem, candidates: &mut Vec<(Cut, Term)>, until: Instant) {
        for (cut, states) in self.states.iter() {
            for state in states {
                if Instant::now() >= until {
                    return;
                }
                let model = model(system, cut, state);
                let mut evaluator = Evaluator::new();
                candidates
                    .retain(|&(c, t)| c != cut || evaluator.eval(&system.store, t, &model).as_bool() == Some(true));
            }
        }
    }

    /// What all states seen at a cut have in common.
    pub fn candidates(&self, system: &mut CutSystem) -> Common {
        let mut common = Common::default();
        for cut in system.cuts.keys().collect::<Vec<_>>() {
            let states = &self.states[cut];
            for columns in columns(system, cut, states) {
                common.linear.extend(affine::linear(&mut system.store, &columns).into_iter().map(|t| (cut, t)));
                common.linear.extend(order::relations(&mut system.store, &columns).into_iter().map(|t| (cut, t)));
                common.products.extend(affine::quadratic(&mut system.store, &columns).into_iter().map(|t| (cut, t)));
            }
        }
        common
    }
}

/// What states have in common.
#[derive(Default)]
pub struct Common {
    /// Relations between cells.
    pub linear: Vec<(Cut, Term)>,
    /// Relations that products of cells are in.
    pub products: Vec<(Cut, Term)>,
}

/// Cells of one width, and their values in each state seen.
struct Columns {
    width: u32,
    cells: Vec<Term>,
    rows: Vec<Vec<u128>>,
}

/// The bit-vector cells of a cut that differ between states, by width; coded cells are no numbers.
fn columns(system: &CutSystem, cut: Cut, states: &[State]) -> Vec<Columns> {
    let mut found: Vec<Columns> = Vec::new();
    for (n, cell) in system.cuts[cut].cells.iter().enumerate() {
        let symbol = system.symbols[cell];
        let (Type::Scalar(syncline_ir::Scalar::Bv(width)), None) = (system.store.ty(symbol), system.codes.get(cell))
        else {
            continue;
        };
        let at = found.iter().position(|c| c.width == width).unwrap_or_else(|| {
            found.push(Columns { width, cells: Vec::new(), rows: vec![Vec::new(); states.len()] });
            found.len() - 1
        });
        found[at].cells.push(symbol);
        for (row, state) in found[at].rows.iter_mut().zip(states) {
            row.push(state[n].as_bits().unwrap_or(0));
        }
    }
    found
}

pub(crate) fn model(system: &CutSystem, cut: Cut, state: &State) -> FxHashMap<Symbol, Const> {
    let of = |(cell, value): (_, &Const)| Some((system.store.as_symbol(system.symbols[cell])?, value.clone()));
    system.cuts[cut].cells.iter().zip(state).filter_map(of).collect()
}

fn guess(guesser: &mut Guesser, ty: Type) -> Const {
    match ty {
        Type::Scalar(scalar) => guesser.scalar(scalar),
        Type::Array { index, elem } => Const::Array(ArrayConst::filled(index, guesser.scalar(elem))),
    }
}

/// The next cut of a run that is here now, and its state there.
pub(crate) fn go_on(
    system: &CutSystem,
    segment: &Segment,
    cut: Cut,
    state: &State,
    guesser: &mut Guesser,
) -> Option<(Cut, State)> {
    let here = model(system, cut, state);
    for _ in 0..TRIES {
        let mut model = here.clone();
        for input in &segment.inputs {
            let Some(symbol) = system.store.as_symbol(input.value) else { continue };
            model.insert(symbol, guess(guesser, system.store.symbol_type(symbol)));
        }
        let mut evaluator = Evaluator::new();
        for arrival in &segment.arrivals {
            if evaluator.eval(&system.store, arrival.guard, &model).as_bool() == Some(true) {
                let values = arrival.values.iter().map(|&v| evaluator.eval(&system.store, v, &model)).collect();
                return Some((arrival.cut, values));
            }
        }
        if segment.inputs.is_empty() {
            break;
        }
    }
    None
}

/// Where runs start.
struct Starts {
    solver: Box<dyn Solver>,
    /// There are no starts, or the solver does not find them.
    closed: bool,
}

impl Starts {
    /// A first cut, with inputs as near to guessed ones as can be.
    fn next(&mut self, system: &mut CutSystem, guesser: &mut Guesser, until: Instant) -> Option<(Cut, State)> {
        if self.closed || system.init.arrivals.is_empty() {
            return None;
        }
        let guards: Vec<Term> = system.init.arrivals.iter().map(|a| a.guard).collect();
        let any = system.store.or_all(guards);
        let mut wanted = Vec::new();
        for input in system.init.inputs.clone() {
            let ty = system.store.ty(input.value);
            if ty.is_array() {
                continue;
            }
            let value = guess(guesser, ty);
            let value = system.store.constant_term(value);
            wanted.push(system.store.eq(input.value, value));
        }
        loop {
            let mut assumptions = vec![any];
            assumptions.extend(&wanted);
            match self.solver.check(&mut system.store, &assumptions, &Limits::until(until)) {
                Answer::Sat => break,
                Answer::Unknown(_) => return None,
                Answer::Unsat => {
                    let core = self.solver.core();
                    let before = wanted.len();
                    wanted.retain(|w| !core.contains(w));
                    if wanted.len() == before {
                        self.closed = true;
                        return None;
                    }
                }
            }
        }
        let mut model = ModelView::new(&mut *self.solver);
        let arrival = system.init.arrivals.iter().find(|a| model.is_true(&system.store, a.guard))?;
        let values = arrival.values.iter().map(|&v| model.value_of(&system.store, v)).collect();
        Some((arrival.cut, values))
    }
}
