//! Guessed values: what the program itself mentions, its neighbours, small numbers, and now and then any bits. The same
//! guesses in every call, so that what rests on them can be repeated.

use rustc_hash::FxHashSet;
use syncline_ir::{eval, Const, FloatFormat, Initial, InstData, Program, Scalar, Site, Terminator};

/// Constants of the program that are tried.
const MAX_CONSTANTS: usize = 512;

/// Guesses values for a program.
pub struct Guesser {
    words: Words,
    random: Random,
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
pub(crate) struct Random(u64);

impl Random {
    pub fn new() -> Random {
        Random(0x9e37_79b9_7f4a_7c15)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Between -1 and 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

impl Guesser {
    pub fn new(program: &Program) -> Guesser {
        Guesser { words: Words::of(program), random: Random::new() }
    }

    /// Whether the site is what a variable holds before the run.
    pub fn is_memory(&self, site: Site) -> bool {
        self.words.memory.contains(&site)
    }

    pub fn scalar(&mut self, scalar: Scalar) -> Const {
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
