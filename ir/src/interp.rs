//! The concrete interpreter: it says what a program means, and engines replay their traces on it.
//!
//! A procedure is decoded at its first call (`decode`) into flat code over registers, and run by `machine` with an
//! explicit stack, so depth of recursion costs no host stack. Scalars are raw bits, arrays share structure (`array`).
//! Programs must be verified; slots and `read`/`write`/`load`/`store` work the same before and after SSA construction.
//!
//! A program is deterministic up to its [`Inputs`]. Slots are zero at each activation, and so are parameters of the
//! entry procedure. Systems (programs with processes and steps) are run by [`system`].

mod array;
mod code;
mod decode;
mod machine;
pub mod printf;
pub mod system;
mod values;

pub use values::{SiteQueues, Values};

use crate::consts::{ArrayConst, Const};
use crate::entities::{Block, Obligation, Origin, Proc, Prop, Site};
use crate::eval;
use crate::inst::Place;
use crate::program::Program;
use crate::types::{Scalar, Type};
use std::collections::VecDeque;
use std::time::Instant;

/// Where the unknown values of a run come from.
pub trait Inputs {
    /// The value of a `havoc`, or of a variable that starts as [`crate::Initial::Any`]; the latter are asked for first,
    /// in the order of the variables. An answer of another type than `ty` counts as zero.
    fn next(&mut self, site: Site, ty: Type) -> Const;

    /// Whether a run that still goes on is none of those asked for. Looked at every few thousand instructions.
    fn is_over(&self) -> bool {
        false
    }
}

/// Every input is zero.
#[derive(Copy, Clone, Debug, Default)]
pub struct ZeroInputs;

impl Inputs for ZeroInputs {
    fn next(&mut self, _site: Site, ty: Type) -> Const {
        Const::zero(ty)
    }
}

/// One number for each input in the order of execution, cut to its width (any number but zero is `true`, a float is
/// given by its bits, an array has the number in every cell); zero when they are used up.
#[derive(Clone, Debug, Default)]
pub struct Sequence(pub VecDeque<u128>);

impl Inputs for Sequence {
    fn next(&mut self, _site: Site, ty: Type) -> Const {
        let number = self.0.pop_front().unwrap_or(0);
        let (index, scalar) = match ty {
            Type::Scalar(scalar) => (None, scalar),
            Type::Array { index, elem } => (Some(index), elem),
        };
        let cell = match scalar {
            Scalar::Bool => Const::Bool(number != 0),
            Scalar::Bv(_) | Scalar::Float(_) => eval::from_bits(scalar, number),
        };
        match index {
            None => cell,
            Some(index) => Const::Array(ArrayConst::filled(index, cell)),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The entry procedure returned these.
    Returned(Vec<Const>),
    /// `stop`.
    Stopped,
    Violated(Prop),
    /// The `assume` of this origin: what went before is no run of the program.
    AssumeFailed(Origin),
    Unsupported(Obligation),
    /// Out of instructions, past the deadline, or [`Inputs::is_over`].
    OutOfFuel,
    /// More activations, or more memory for them, than allowed.
    StackOverflow,
    /// This program is none the interpreter runs, for this reason.
    NotRunnable(&'static str),
}

/// What can be seen of a run while it goes on.
pub trait Observer {
    /// Whether anything but `print` is of interest; asked once. Without it a run is faster.
    fn watches(&self) -> bool {
        true
    }
    fn input(&mut self, _site: Site, _value: &Const, _origin: Origin) {}
    /// A variable got a value, or one cell of it did. Of a local, `_proc` says whose.
    fn write(&mut self, _proc: Proc, _place: Place, _index: Option<u128>, _value: &Const, _origin: Origin) {}
    /// A procedure is entered; the origin is the call's (for the entry procedure its own).
    fn enter(&mut self, _proc: Proc, _origin: Origin) {}
    fn leave(&mut self, _proc: Proc) {}
    fn print(&mut self, _text: &str) {}
    /// A `branch` or `switch` went to its n-th target (in the order of [`crate::Terminator::targets`]).
    fn branch(&mut self, _proc: Proc, _block: Block, _target: usize, _origin: Origin) {}
    /// A synchronous system has come to a step boundary.
    fn boundary(&mut self, _boundary: &Boundary) {}
}

/// The state of a synchronous system between two steps.
#[derive(Clone, Debug)]
pub struct Boundary {
    /// How many steps have been made.
    pub step: u64,
    /// For each process the block where its next step begins; `None` if it is not active.
    pub locations: Vec<Option<Block>>,
    /// The shared variables, in their order.
    pub shared: Vec<Const>,
    /// Some process fired in the step.
    pub fired: bool,
}

/// Looks at nothing.
#[derive(Copy, Clone, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn watches(&self) -> bool {
        false
    }
}

/// What a run may use.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    /// Instructions and terminators. Default: unlimited.
    pub fuel: u64,
    /// Activations at one time. Default: 100,000. Their registers are limited to 1 GiB besides.
    pub depth: u32,
    /// Looked at every few thousand instructions. Default: none.
    pub deadline: Option<Instant>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { fuel: u64::MAX, depth: 100_000, deadline: None }
    }
}

/// Runs a program from its entry procedure to the end.
pub fn run(program: &Program, inputs: &mut dyn Inputs, observer: &mut dyn Observer, limits: Limits) -> Outcome {
    Prepared::new(program).run(inputs, observer, limits)
}

/// A program to run more than once: what is decoded is kept.
pub struct Prepared<'p> {
    program: &'p Program,
    codes: decode::Codes<'p>,
}

impl<'p> Prepared<'p> {
    pub fn new(program: &'p Program) -> Prepared<'p> {
        Prepared { program, codes: decode::Codes::new(program) }
    }

    pub fn run(&self, inputs: &mut dyn Inputs, observer: &mut dyn Observer, limits: Limits) -> Outcome {
        let Some(entry) = self.program.entry else {
            return Outcome::NotRunnable("the program has no entry procedure");
        };
        let machine = machine::Machine::new(self.program, &self.codes, inputs, observer, limits, entry);
        match &self.program.system {
            Some(system) => machine.run_system(system, entry),
            None => machine.run(),
        }
    }
}
