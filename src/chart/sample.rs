//! Runs of a chart on random inputs, before any engine: most states are entered and most transitions fire soon, and
//! one run shows many of them at once (`Map::hits`).
//!
//! Short runs come first, so that what they find has few steps. Every other run goes on from where an earlier one found
//! something, rather from where that was late: what is behind a wait, or behind a state that is hard to come to, is found
//! in the same way as that. A run that shows a fault is then made smaller: visits of
//! the environment are left out, events and changes of items taken back, as long as the interpreter still finds the fault.

use super::Charted;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use syncline_engines::task::Trace;
use syncline_ir::interp::{
    Boundary, Inputs, Limits, NoObserver, Observer, Outcome, Prepared, SiteQueues, Values, ZeroInputs,
};
use syncline_ir::{Const, InstData, Prop, Scalar, Site, Type};
use syncline_statechart::lower::InputMeaning;

/// Steps of runs, and how many runs of such a length make a round.
const LENGTHS: [(u64, u32); 5] = [(6, 200), (24, 100), (100, 40), (400, 20), (2000, 4)];
/// Rounds in a row without anything new are the end.
const IDLE_ROUNDS: u32 = 3;
/// What a trace may take to be made smaller, and all of them together.
const SHRINK_TIME: Duration = Duration::from_millis(300);
const ALL_SHRINK_TIME: Duration = Duration::from_secs(3);

/// The properties of the list that random runs violate, with a run each.
pub fn search(charted: &Charted, props: &[Prop], until: Instant) -> BTreeMap<Prop, Trace> {
    let mut sampler = Sampler::new(charted, props, until);
    sampler.run();
    let Sampler { found, prepared, fuel_of_step, .. } = sampler;
    let shrinker = Shrinker { charted, prepared: &prepared, fuel_of_step };
    let until = Instant::now() + ALL_SHRINK_TIME;
    let shrink = |(prop, trace): (Prop, Trace)| {
        (prop, if is_shown(charted, prop) { shrinker.shrink(prop, trace, until) } else { trace })
    };
    found.into_iter().map(shrink).collect()
}

/// The run that an engine found, made smaller as those found here are.
pub fn smaller(charted: &Charted, prop: Prop, trace: Trace, until: Instant) -> Trace {
    if !is_shown(charted, prop) {
        return trace;
    }
    let prepared = Prepared::new(&charted.program);
    let fuel_of_step = fuel_of_step(charted, &prepared, until);
    Shrinker { charted, prepared: &prepared, fuel_of_step }.shrink(prop, trace, until)
}

/// Whether a violation is a fault, whose run the user sees.
fn is_shown(charted: &Charted, prop: Prop) -> bool {
    charted.question(prop).is_some_and(|q| !q.check.wants_violation())
}

/// What a step may take, by a run on nothing but zeros.
fn fuel_of_step(charted: &Charted, prepared: &Prepared, until: Instant) -> u64 {
    let insts = charted.program.procs.values().map(|p| p.insts.len()).sum::<usize>() as u64;
    let mut steps = Steps::default();
    let fuel = (insts * 64).max(1 << 21);
    prepared.run(&mut ZeroInputs, &mut steps, Limits { fuel, deadline: Some(until), ..Limits::default() });
    fuel.div_ceil(steps.0.max(1))
}

struct Sampler<'c> {
    charted: &'c Charted,
    prepared: Prepared<'c>,
    wanted: BTreeSet<Prop>,
    found: BTreeMap<Prop, Trace>,
    /// The same in the order they were found.
    order: Vec<Prop>,
    /// Constants of the program, by width: values worth trying.
    constants: FxHashMap<u32, Vec<u128>>,
    sites: BTreeMap<Site, InputMeaning>,
    /// Inputs of the environment, and choices.
    free: FxHashSet<Site>,
    fuel_of_step: u64,
    until: Instant,
    random: Random,
}

impl<'c> Sampler<'c> {
    fn new(charted: &'c Charted, props: &[Prop], until: Instant) -> Sampler<'c> {
        let prepared = Prepared::new(&charted.program);
        let fuel_of_step = fuel_of_step(charted, &prepared, until);
        Sampler {
            charted,
            prepared,
            wanted: props.iter().copied().collect(),
            found: BTreeMap::new(),
            order: Vec::new(),
            constants: constants(charted),
            sites: charted.map.input_sites(),
            free: charted.map.input_sites().into_keys().chain(charted.map.choices.iter().copied()).collect(),
            fuel_of_step,
            until,
            random: Random(0x9e37_79b9_7f4a_7c15),
        }
    }

    fn run(&mut self) {
        let mut idle = 0;
        while idle < IDLE_ROUNDS {
            let before = self.found.len();
            for (steps, runs) in LENGTHS {
                for _ in 0..runs {
                    if self.wanted.is_empty() || Instant::now() >= self.until {
                        return;
                    }
                    self.sample(steps);
                }
            }
            idle = if self.found.len() == before { idle + 1 } else { 0 };
        }
    }

    fn sample(&mut self, steps: u64) {
        let (roll, speed) = (self.random.next(), self.random.next());
        let rare = [2, 2, 8, 64, 1024][(roll % 5) as usize];
        let steady = [2, 8, 64, 1024][(roll >> 8) as usize % 4];
        let silent = self.sites.keys().copied().filter(|_| self.random.next().is_multiple_of(4)).collect();
        let script = self.script();
        let steps = steps + script.inputs.values().map(Values::len).max().unwrap_or(0) as u64;
        let mut source = Source {
            charted: self.charted,
            random: &mut self.random,
            constants: &self.constants,
            sites: &self.sites,
            rare,
            steady,
            fast: speed.is_multiple_of(2),
            silent,
            free: &self.free,
            script,
            log: BTreeMap::new(),
            last: FxHashMap::default(),
            wanted: &mut self.wanted,
            found: &mut self.found,
            order: &mut self.order,
        };
        let limits =
            Limits { fuel: self.fuel_of_step.saturating_mul(steps), deadline: Some(self.until), ..Limits::default() };
        self.prepared.run(&mut source, &mut NoObserver, limits);
    }

    /// What a run begins with: nothing, or all of one that found something.
    fn script(&mut self) -> Trace {
        let roll = self.random.next();
        if self.order.is_empty() || roll.is_multiple_of(2) {
            return Trace::default();
        }
        let mut any = || self.random.next() as usize % self.order.len();
        let late = any().max(any());
        self.found.get(&self.order[late]).cloned().unwrap_or_default()
    }
}

/// Constants of bit-vector types in the program.
fn constants(charted: &Charted) -> FxHashMap<u32, Vec<u128>> {
    let mut found: FxHashMap<u32, BTreeSet<u128>> = FxHashMap::default();
    for inst in charted.program.procs.values().flat_map(|p| p.insts.values()) {
        if let InstData::Const(Const::Bv { width, bits }) = inst.data {
            found.entry(width).or_default().extend([bits, bits.wrapping_add(1), bits.wrapping_sub(1)]);
        }
    }
    // Expressions have 32 bits whatever the width of the items in them.
    let wide: Vec<u128> = found.get(&32).into_iter().flatten().copied().collect();
    for width in 2..32 {
        found.entry(width).or_default().extend(&wide);
    }
    found.into_iter().map(|(width, values)| (width, values.into_iter().take(500).collect())).collect()
}

/// Counts steps.
#[derive(Default)]
struct Steps(u64);

impl Observer for Steps {
    fn boundary(&mut self, _: &Boundary) {
        self.0 += 1;
    }
}

/// Random inputs, which notes what it gave and what was violated.
struct Source<'s> {
    charted: &'s Charted,
    random: &'s mut Random,
    constants: &'s FxHashMap<u32, Vec<u128>>,
    sites: &'s BTreeMap<Site, InputMeaning>,
    /// One event in so many comes.
    rare: u64,
    /// An item changes once in so many visits.
    steady: u64,
    /// Time passes as fast as it can.
    fast: bool,
    /// Events that do not come in this run, and items that keep their first value.
    silent: FxHashSet<Site>,
    free: &'s FxHashSet<Site>,
    /// What comes first, before anything random.
    script: Trace,
    log: BTreeMap<Site, Values>,
    last: FxHashMap<Site, Const>,
    wanted: &'s mut BTreeSet<Prop>,
    found: &'s mut BTreeMap<Prop, Trace>,
    order: &'s mut Vec<Prop>,
}

impl Inputs for Source<'_> {
    fn next(&mut self, site: Site, ty: Type) -> Const {
        if let Some(&prop) = self.charted.map.hits.get(&site) {
            if self.wanted.remove(&prop) {
                let trace = asking(self.charted, prop, Trace { inputs: self.log.clone() });
                self.found.insert(prop, trace);
                self.order.push(prop);
            }
            return Const::zero(ty);
        }
        if !self.free.contains(&site) {
            return Const::zero(ty);
        }
        let log = self.log.get(&site).map_or(0, Values::len);
        let value = match self.script.inputs.get(&site).and_then(|values| values.get(log)) {
            Some(value) => value.clone(),
            None => self.value(site, ty),
        };
        self.log.entry(site).or_default().push(value.clone());
        self.last.insert(site, value.clone());
        value
    }
}

impl Source<'_> {
    fn value(&mut self, site: Site, ty: Type) -> Const {
        let roll = self.random.next();
        let silent = self.silent.contains(&site);
        match self.sites.get(&site) {
            Some(InputMeaning::Event(_)) => Const::Bool(!silent && roll.is_multiple_of(self.rare)),
            Some(InputMeaning::Advance) if self.fast => self.any(ty),
            Some(InputMeaning::Advance) => Const::zero(ty),
            Some(InputMeaning::Item(..)) => match self.last.get(&site) {
                Some(last) if silent || !roll.is_multiple_of(self.steady) => last.clone(),
                _ => self.any(ty),
            },
            None => self.any(ty),
        }
    }

    fn any(&mut self, ty: Type) -> Const {
        let roll = self.random.next();
        match ty {
            Type::Scalar(Scalar::Bool) => Const::Bool(roll.is_multiple_of(2)),
            Type::Scalar(Scalar::Bv(width)) => match self.constants.get(&width) {
                Some(values) if !roll.is_multiple_of(3) => {
                    Const::bv(width, values[(roll >> 8) as usize % values.len()])
                }
                _ => Const::bv(width, u128::from(self.random.next())),
            },
            Type::Scalar(Scalar::Float(format)) => {
                let whole = (self.random.next() % 4001) as f64 - 2000.0;
                let bits = u128::from((whole / if roll.is_multiple_of(2) { 1.0 } else { 16.0 }).to_bits());
                Const::Float { format, bits }
            }
            Type::Array { .. } => Const::zero(ty),
        }
    }
}

/// The trace with the question it answers.
fn asking(charted: &Charted, prop: Prop, mut trace: Trace) -> Trace {
    if let Some((_, site)) = charted.map.asked {
        trace.inputs.insert(site, Values::from_iter([Const::bv(32, u128::from(prop.as_u32()) + 1)]));
    }
    trace
}

struct Shrinker<'c> {
    charted: &'c Charted,
    prepared: &'c Prepared<'c>,
    fuel_of_step: u64,
}

impl Shrinker<'_> {
    /// A smaller run that violates the property.
    fn shrink(&self, prop: Prop, mut trace: Trace, until: Instant) -> Trace {
        let until = until.min(Instant::now() + SHRINK_TIME);
        let sites: Vec<Site> = self.sites();
        loop {
            let before = size(&trace);
            let count =
                |trace: &Trace| sites.iter().filter_map(|s| trace.inputs.get(s)).map(Values::len).max().unwrap_or(0);
            let visits = count(&trace);
            let fuel = self.fuel_of_step.saturating_mul(visits as u64 + 2).saturating_mul(4);
            let mut chunk = (visits / 2).max(1);
            // Visits of the environment, many at once first.
            while chunk > 0 {
                let mut at = 0;
                while at < count(&trace) {
                    let fewer = without(&trace, &sites, at, chunk);
                    match self.violates(prop, &fewer, fuel, until) {
                        true => trace = fewer,
                        false => at += chunk,
                    }
                    if Instant::now() >= until {
                        return trace;
                    }
                }
                chunk /= 2;
            }
            for &site in &sites {
                for n in 0..trace.inputs.get(&site).map_or(0, Values::len) {
                    let calmer = calmer(&trace, site, n);
                    if calmer != trace && self.violates(prop, &calmer, fuel, until) {
                        trace = calmer;
                    }
                    if Instant::now() >= until {
                        return trace;
                    }
                }
            }
            if size(&trace) >= before {
                return trace;
            }
        }
    }

    /// The sites of the environment.
    fn sites(&self) -> Vec<Site> {
        self.charted.map.input_sites().into_keys().collect()
    }

    fn violates(&self, prop: Prop, trace: &Trace, fuel: u64, until: Instant) -> bool {
        let limits = Limits { fuel, deadline: Some(until), ..Limits::default() };
        let outcome = self.prepared.run(&mut SiteQueues::new(&trace.inputs), &mut NoObserver, limits);
        outcome == Outcome::Violated(prop)
    }
}

/// Values that are not zero, and visits.
fn size(trace: &Trace) -> usize {
    let weight = |(value, times): (&Const, usize)| times * (1 + usize::from(*value != Const::zero(value.ty())));
    trace.inputs.values().flat_map(Values::runs).map(weight).sum()
}

/// Without some visits of the environment.
fn without(trace: &Trace, sites: &[Site], at: usize, count: usize) -> Trace {
    let mut trace = trace.clone();
    for site in sites {
        if let Some(values) = trace.inputs.get_mut(site) {
            values.replace(at..at + count, []);
        }
    }
    trace
}

/// With an event that does not come, or an item that stays as it is.
fn calmer(trace: &Trace, site: Site, n: usize) -> Trace {
    let mut trace = trace.clone();
    if let Some(values) = trace.inputs.get_mut(&site) {
        let calm = match (values.get(n), n.checked_sub(1).and_then(|before| values.get(before))) {
            (None, _) => return trace,
            (Some(value @ Const::Bool(_)), _) | (Some(value), None) => Const::zero(value.ty()),
            (Some(_), Some(before)) => before.clone(),
        };
        values.replace(n..n + 1, [calm]);
    }
    trace
}

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
