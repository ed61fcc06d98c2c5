//! Concrete runs on guessed inputs: the cheapest way to a violation that many inputs lead to, or that lies behind
//! a hundred thousand iterations of a loop.
//!
//! Inputs come from what the program itself mentions: its constants and their neighbours, small numbers, and now and
//! then any bits. Runs are short first and longer later. What is found is a counterexample like any other; nothing
//! is ever proved here. The guesses are the same in every call: a verdict can be repeated.

use crate::task::{Context, Task, Trace, Verdict};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::{Duration, Instant};
use syncline_ir::interp::{Inputs, Limits, NoObserver, Outcome, Prepared};
use syncline_ir::{
    eval, ArrayConst, Const, FloatFormat, Initial, InstData, Program, Prop, Scalar, Site, Terminator, Type,
};

/// Instructions of a run, by rounds.
const FUEL: [u64; 5] = [2_000, 20_000, 200_000, 2_000_000, 40_000_000];
/// Runs in a round; the long ones are few.
const RUNS: [u32; 5] = [60, 200, 60, 12, 4];
/// The share of the time left that is spent here, and the most.
const SHARE: u32 = 20;
const MOST: Duration = Duration::from_millis(1500);
/// Constants of the program that are tried.
const MAX_CONSTANTS: usize = 512;
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
    let start = Instant::now();
    let left = context.deadline.saturating_duration_since(start);
    let deadline = start + (left / SHARE).min(most);
    let prepared = Prepared::new(task.program);
    let words = Words::of(task.program);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (fuel, runs) in FUEL.into_iter().zip(RUNS) {
        for run in 0..runs {
            if props.is_empty() || Instant::now() >= deadline || context.must_stop().is_some() {
                return;
            }
            let mut guess = Guess {
                program: task.program,
                words: &words,
                random: &mut random,
                zero: run == 0,
                trace: Trace::default(),
                seen: FxHashMap::default(),
                count: 0,
            };
            let limits = Limits { fuel, deadline: Some(deadline), ..Limits::default() };
            let outcome = prepared.run(&mut guess, &mut NoObserver, limits);
            let Guess { trace, count, seen, .. } = guess;
            match outcome {
                Outcome::Violated(prop) if props.contains(&prop) && count <= MAX_INPUTS => {
                    props.retain(|p| *p != prop);
                    (context.found)(prop, Verdict::Unsafe(trace));
                }
                Outcome::NotRunnable(_) => return,
                // Nothing was guessed: all runs are this one.
                Outcome::OutOfFuel if seen.is_empty() => break,
                _ if seen.is_empty() => return,
                _ => {}
            }
        }
    }
}

/// What the program mentions.
struct Words {
    numbers: Vec<u128>,
    floats: Vec<f64>,
    /// What variables hold before the run.
    memory: FxHashSet<Site>,
}

impl Words {
    fn of(program: &Program) -> Words {
        let unknown = program.vars.values().filter_map(|v| match v.init {
            Initial::Any(site) => Some(site),
            Initial::Const(_) => None,
        });
        let mut words = Words { numbers: vec![0, 1], floats: vec![0.0, 1.0], memory: unknown.collect() };
        for proc in program.procs.values() {
            for &block in &proc.layout {
                for &inst in &proc.blocks[block].insts {
                    if let InstData::Const(value) = &proc.insts[inst].data {
                        words.add(value);
                    }
                }
                if let Terminator::Switch { cases, .. } = &proc.blocks[block].term {
                    words.numbers.extend(cases.iter().map(|c| c.0).take(MAX_CONSTANTS));
                }
            }
        }
        words.numbers.sort_unstable();
        words.numbers.dedup();
        words.numbers.truncate(MAX_CONSTANTS);
        words.floats.truncate(MAX_CONSTANTS);
        words
    }

    fn add(&mut self, value: &Const) {
        match value {
            Const::Bv { bits, .. } if self.numbers.len() < 8 * MAX_CONSTANTS => self.numbers.push(*bits),
            Const::Float { format: FloatFormat::F32, bits } => self.floats.push(f32::from_bits(*bits as u32).into()),
            Const::Float { format: FloatFormat::F64, bits } => self.floats.push(f64::from_bits(*bits as u64)),
            _ => {}
        }
    }
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

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Between -1 and 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

struct Guess<'a> {
    program: &'a Program,
    words: &'a Words,
    random: &'a mut Random,
    zero: bool,
    trace: Trace,
    /// Values each site has been asked for.
    seen: FxHashMap<Site, usize>,
    /// Values in the trace.
    count: usize,
}

impl Guess<'_> {
    fn scalar(&mut self, scalar: Scalar) -> Const {
        if self.zero {
            return Const::zero(scalar.into());
        }
        match scalar {
            Scalar::Bool => Const::Bool(self.random.next().is_multiple_of(2)),
            Scalar::Bv(width) => Const::bv(width, self.number()),
            Scalar::Float(format) => self.float(format),
        }
    }

    fn number(&mut self) -> u128 {
        let word = self.words.numbers[self.random.below(self.words.numbers.len())];
        match self.random.below(16) {
            0..=7 => word,
            8 => word.wrapping_add(1),
            9 => word.wrapping_sub(1),
            10..=12 => self.random.below(8) as u128,
            13 => (self.random.below(64) as u128).wrapping_sub(32),
            _ => u128::from(self.random.next()) << 64 | u128::from(self.random.next()),
        }
    }

    fn float(&mut self, format: FloatFormat) -> Const {
        let word = self.words.floats[self.random.below(self.words.floats.len())];
        let value = match self.random.below(8) {
            0 => word,
            1..=3 => word * self.random.unit(),
            4 | 5 => self.random.unit() * 2.0,
            6 => self.random.unit() * 1000.0,
            _ => {
                let bits = u128::from(self.random.next()) << 64 | u128::from(self.random.next());
                return eval::from_bits(Scalar::Float(format), bits & u128::MAX >> (128 - format.storage_bits()));
            }
        };
        let double = Const::Float { format: FloatFormat::F64, bits: value.to_bits().into() };
        eval::unary(syncline_ir::UnOp::FToF(format), &double)
    }
}

impl Inputs for Guess<'_> {
    fn next(&mut self, site: Site, ty: Type) -> Const {
        let nth = *self.seen.entry(site).and_modify(|n| *n += 1).or_insert(1);
        // What is read outside an object matters to few programs. Memory that is not written yet is zero: as one
        // number in all its cells it would be a content no run of the compiled program can be given.
        let outside = self.program.sites[site].name.starts_with("read outside") && nth > MAX_OUTSIDE;
        if outside || (ty.is_array() && self.words.memory.contains(&site)) {
            return Const::zero(ty);
        }
        let value = match ty {
            Type::Scalar(scalar) => self.scalar(scalar),
            Type::Array { index, elem } => Const::Array(ArrayConst::filled(index, self.scalar(elem))),
        };
        if value != Const::zero(ty) {
            let values = self.trace.inputs.entry(site).or_default();
            self.count += nth - values.len();
            if self.count <= MAX_INPUTS {
                values.resize(nth - 1, Const::zero(ty));
                values.push(value.clone());
            }
        }
        value
    }
}
