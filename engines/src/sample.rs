//! Concrete runs on guessed inputs: the cheapest way to a violation that many inputs lead to, or that lies behind
//! a hundred thousand iterations of a loop.
//!
//! Inputs are guessed ([`crate::guesser`]). Runs are short first and longer later. The bounded search has its models gone on from here
//! ([`Sampler::go_on`]): what comes in first is the model's, and leads past assumptions that no guess would meet. What is
//! found is a counterexample like any other; nothing is ever proved here. The guesses are the same in every call: a
//! verdict can be repeated.

use crate::guesser::Guesser;
use crate::task::{Context, Task, Trace, Verdict};
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};
use syncline_ir::interp::{self, Inputs, Limits, NoObserver, Outcome, Prepared, SiteQueues};
use syncline_ir::{ArrayConst, Const, Program, Prop, Site, Type};

/// Instructions of a run, by rounds.
const FUEL: [u64; 5] = [2_000, 20_000, 200_000, 2_000_000, 40_000_000];
/// Runs in a round; the long ones are few.
const RUNS: [u32; 5] = [60, 200, 60, 12, 4];
/// The share of the time left that is spent here, and the most.
const SHARE: u32 = 20;
const MOST: Duration = Duration::from_millis(1500);
/// Instructions of a run that goes on from a model, and how many such runs there are.
const GO_ON_FUEL: u64 = 1_000_000;
const GO_ON_RUNS: u32 = 4;
/// A longer trace helps nobody. Zeros do not count: they are what a trace does not say.
const MAX_INPUTS: usize = 200_000;
/// Guesses for what one access reads outside its object.
const MAX_OUTSIDE: usize = 4;

/// Looks for violations of the properties; the ones found leave the list.
pub fn search(task: &Task, props: &mut Vec<Prop>, context: &mut Context) {
    search_for(MOST, task, props, context);
}

/// Looks for them no longer than this, and no longer than a share of the time left.
pub fn search_for(most: Duration, task: &Task, props: &mut Vec<Prop>, context: &mut Context) {
    if !context.guesses {
        return;
    }
    let start = Instant::now();
    let left = context.deadline.saturating_duration_since(start);
    let deadline = start + (left / SHARE).min(most);
    let mut sampler = Sampler::new(task.program);
    for (fuel, runs) in FUEL.into_iter().zip(RUNS) {
        for run in 0..runs {
            if props.is_empty() || Instant::now() >= deadline || context.must_stop().is_some() {
                return;
            }
            let limits = Limits { fuel, deadline: Some(deadline), ..Limits::default() };
            match sampler.run(&Trace::default(), run == 0, limits, props, context) {
                Ended::Never => return,
                // Nothing was guessed: all runs are this one.
                Ended::Only { out_of_fuel: true } => break,
                Ended::Only { out_of_fuel: false } => return,
                Ended::OneOfMany => {}
            }
        }
    }
}

/// How the run on these inputs ends, if it does within so many instructions.
pub fn replay(program: &Program, trace: &Trace, fuel: u64, deadline: Instant) -> Outcome {
    let mut inputs = SiteQueues::new(&trace.inputs);
    interp::run(program, &mut inputs, &mut NoObserver, Limits { fuel, deadline: Some(deadline), ..Limits::default() })
}

/// What a run says about further runs.
enum Ended {
    /// The program is none the interpreter runs.
    Never,
    /// No input was asked for.
    Only {
        out_of_fuel: bool,
    },
    OneOfMany,
}

/// Runs a program on guessed inputs.
pub struct Sampler<'p> {
    program: &'p Program,
    prepared: Prepared<'p>,
    guesser: Guesser,
}

impl<'p> Sampler<'p> {
    pub fn new(program: &'p Program) -> Sampler<'p> {
        Sampler { program, prepared: Prepared::new(program), guesser: Guesser::new(program) }
    }

    /// Runs that begin with the inputs of this one and go on with others, for so long; the properties they violate
    /// leave the list.
    pub fn go_on(&mut self, first: &Trace, most: Duration, props: &mut Vec<Prop>, context: &mut Context) {
        let deadline = (Instant::now() + most).min(context.deadline);
        for run in 0..if context.guesses { GO_ON_RUNS } else { 0 } {
            if props.is_empty() || Instant::now() >= deadline {
                return;
            }
            let limits = Limits { fuel: GO_ON_FUEL, deadline: Some(deadline), ..Limits::default() };
            self.run(first, run == 0, limits, props, context);
        }
    }

    /// One run: the inputs given, then zeros or guesses.
    fn run(
        &mut self,
        first: &Trace,
        zero: bool,
        limits: Limits,
        props: &mut Vec<Prop>,
        context: &mut Context,
    ) -> Ended {
        let mut guess = Guess {
            program: self.program,
            guesser: &mut self.guesser,
            first,
            zero,
            trace: Trace::default(),
            seen: FxHashMap::default(),
            count: 0,
        };
        let outcome = self.prepared.run(&mut guess, &mut NoObserver, limits);
        let Guess { trace, count, seen, .. } = guess;
        let out_of_fuel = outcome == Outcome::OutOfFuel;
        match outcome {
            Outcome::Violated(prop) if props.contains(&prop) && count <= MAX_INPUTS => {
                props.retain(|p| *p != prop);
                context.found(prop, Verdict::Unsafe(trace));
                Ended::OneOfMany
            }
            Outcome::NotRunnable(_) => Ended::Never,
            _ if seen.is_empty() => Ended::Only { out_of_fuel },
            _ => Ended::OneOfMany,
        }
    }
}

struct Guess<'a> {
    program: &'a Program,
    guesser: &'a mut Guesser,
    /// What comes in first.
    first: &'a Trace,
    zero: bool,
    trace: Trace,
    /// Values each site has been asked for.
    seen: FxHashMap<Site, usize>,
    /// Values in the trace.
    count: usize,
}

impl Guess<'_> {
    /// Puts a value into the trace: the site's nth.
    fn note(&mut self, site: Site, nth: usize, value: &Const) {
        let zero = Const::zero(value.ty());
        if *value == zero {
            return;
        }
        let values = self.trace.inputs.entry(site).or_default();
        self.count += nth - values.len();
        if self.count <= MAX_INPUTS {
            values.push_times(zero, nth - 1 - values.len());
            values.push(value.clone());
        }
    }
}

impl Inputs for Guess<'_> {
    fn next(&mut self, site: Site, ty: Type) -> Const {
        let nth = *self.seen.entry(site).and_modify(|n| *n += 1).or_insert(1);
        if let Some(value) = self.first.inputs.get(&site).and_then(|values| values.get(nth - 1)) {
            let value = value.clone();
            self.note(site, nth, &value);
            return value;
        }
        // What is read outside an object matters to few programs. Memory that is not written yet is zero: as one
        // number in all its cells it would be a content no run of the compiled program can be given.
        let outside = self.program.sites[site].name.starts_with("read outside") && nth > MAX_OUTSIDE;
        if outside || (ty.is_array() && self.guesser.is_memory(site)) {
            return Const::zero(ty);
        }
        let value = match ty {
            _ if self.zero => Const::zero(ty),
            Type::Scalar(scalar) => self.guesser.scalar(scalar),
            Type::Array { index, elem } => Const::Array(ArrayConst::filled(index, self.guesser.scalar(elem))),
        };
        self.note(site, nth, &value);
        value
    }
}
