//! Which engines fit a program, in which order, and what they tell each other while they run side by side.
//!
//! Nothing is decided here: whoever starts the engines has their verdicts checked like any others. Each choice has its
//! reason in words, for who wants to know why an engine ran.
//!
//! *Order.* Engines start one after the other, each a little later than the one before it, when a core is free: what the first
//! one decides at once costs nobody a second process, and engines that share a core are half as fast. The first is k-induction, whose turns hold a bounded
//! search, random runs and induction with facts: it has an answer to everything that is easy. What is found early by the
//! others is what they are made for: few states (explicit search), control that needs lemmas (PDR, lazy abstraction).
//!
//! *News* ([`News`]): properties that another engine has decided, and facts that another one has proved. The first are work that is
//! not worth doing; the second are candidates for invariants like any others, proved again by who uses them, so that
//! a wrong one does no harm.

mod news;
mod text;

pub use news::News;
pub use text::{read_fact, write_fact};

use std::time::Duration;
use syncline_ir::analysis::callgraph::{roots, CallGraph};
use syncline_ir::analysis::{cut_points, LoopNest};
use syncline_ir::{Const, InstData, Program, Scalar, Type};

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Engine {
    Bmc,
    Kinduction,
    Pdr,
    /// PDR with one set of frames for all properties.
    Together,
    Explicit,
    Lawi,
    Inline,
}

impl Engine {
    pub fn name(self) -> &'static str {
        match self {
            Engine::Bmc => "bmc",
            Engine::Kinduction => "kinduction",
            Engine::Pdr => "pdr",
            Engine::Together => "together",
            Engine::Explicit => "explicit",
            Engine::Lawi => "lawi",
            Engine::Inline => "inline",
        }
    }
}

/// An engine that fits, when it starts, and why it was chosen.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    pub engine: Engine,
    pub start: Start,
    pub why: &'static str,
}

/// When an engine starts. If no other one is left it starts at once.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Start {
    /// Not before this, if a core is free then.
    pub after: Duration,
    /// From then on even if none is.
    pub at_last: Option<Duration>,
}

impl Start {
    pub const AT_ONCE: Start = Start { after: Duration::ZERO, at_last: Some(Duration::ZERO) };

    /// Whether to start, so long after the first one.
    pub fn is_due(self, elapsed: Duration, core_is_free: bool) -> bool {
        elapsed >= self.after && core_is_free || self.at_last.is_some_and(|last| elapsed >= last)
    }
}

/// Where a program comes from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    Sequential,
    Synchronous,
    Chart,
}

/// When the others start. The first engine has tried random runs and the cheapest proofs by then.
const SECOND: Start = at(120, Some(120));
const THIRD: Start = at(400, Some(2500));
const SPARE: Start = at(600, None);
const LATE: Start = at(2500, None);
const DEEP: Start = at(1500, Some(6000));
/// Instructions and procedures of a program in which most of them have nothing to do with a property.
const LARGE: usize = 7_000;
const MANY: usize = 10;
/// Steps that are too many for engines that make them one by one, and no bits of a mask or a negative number.
const FAR: std::ops::Range<u128> = 20_000..0x4000_0000;

const fn at(after: u64, at_last: Option<u64>) -> Start {
    let at_last = match at_last {
        Some(last) => Some(Duration::from_millis(last)),
        None => None,
    };
    Start { after: Duration::from_millis(after), at_last }
}

/// The engines that fit a program, as it was lowered, by the time they start.
pub fn choose(program: &Program, kind: Kind) -> Vec<Choice> {
    let shape = Shape::of(program);
    let choice = |engine, start, why| Choice { engine, start, why };
    match kind {
        Kind::Chart => {
            let waits = match shape.far {
                true => {
                    choice(Engine::Bmc, SECOND, "there is a large number: it may be a long wait, gone through at once")
                }
                false => choice(Engine::Bmc, DEEP, "a fault may be behind a long wait, which is gone through at once"),
            };
            let mut chosen = vec![
                choice(Engine::Together, Start::AT_ONCE, "properties of a chart need much the same lemmas"),
                choice(Engine::Pdr, THIRD, "some property may need lemmas of its own"),
                waits,
                choice(Engine::Kinduction, LATE, "some property may follow from many steps before it"),
            ];
            chosen.sort_by_key(|c| c.start.after);
            chosen
        }
        Kind::Synchronous => vec![
            choice(
                Engine::Kinduction,
                Start::AT_ONCE,
                "steps without end: induction with facts, beside a bounded search",
            ),
            choice(Engine::Pdr, SECOND, "processes are control that needs lemmas"),
            choice(Engine::Lawi, LATE, "processes in lock step are what lazy abstraction is for"),
            choice(Engine::Explicit, LATE, "there may be few states"),
        ],
        Kind::Sequential if shape.recursive => vec![
            choice(Engine::Bmc, Start::AT_ONCE, "a function is recursive: unwinding goes through it"),
            choice(Engine::Inline, SECOND, "a function is recursive: contracts may prove what no unwinding ends"),
        ],
        Kind::Sequential if !shape.loops => {
            vec![choice(Engine::Bmc, Start::AT_ONCE, "there are no loops: one unwinding has every run")]
        }
        Kind::Sequential => {
            let mut chosen = vec![choice(
                Engine::Kinduction,
                Start::AT_ONCE,
                "there are loops: induction with facts, beside a bounded search",
            )];
            if shape.large {
                let why = "it is large: procedures are opened only where a property asks for it";
                chosen.push(choice(Engine::Inline, SECOND, why));
            }
            if shape.inputs {
                chosen.push(choice(Engine::Explicit, SECOND, "there may be few states"));
            }
            chosen.push(choice(Engine::Pdr, THIRD, "loops may need lemmas that no candidate has"));
            if !shape.beyond_bits {
                let why = "the state is all bits: lazy abstraction may find other lemmas";
                chosen.push(choice(Engine::Lawi, LATE, why));
            }
            if !shape.large {
                let start = if shape.beyond_bits { SPARE } else { LATE };
                let why = "a core is free: contracts of loops and procedures, whatever the state is made of";
                chosen.push(choice(Engine::Inline, start, why));
            }
            chosen
        }
    }
}

/// What a choice rests on.
struct Shape {
    recursive: bool,
    loops: bool,
    /// Some value is unknown.
    inputs: bool,
    /// There are floats or arrays.
    beyond_bits: bool,
    /// There is much code in many procedures.
    large: bool,
    /// There is a number that nobody counts to one by one.
    far: bool,
}

impl Shape {
    fn of(program: &Program) -> Shape {
        let graph = CallGraph::compute(program);
        let reached = graph.reachable(roots(program).into_iter().chain(program.entry));
        let bodies = || program.procs.iter().filter(|(p, _)| reached.contains(*p));
        let recursive = bodies().any(|(p, _)| graph.is_recursive(p));
        let loops = bodies().any(|(_, body)| !cut_points(&LoopNest::compute(body)).is_empty());
        let is_input = |data: &InstData| matches!(data, InstData::Havoc { .. });
        let inputs = bodies().any(|(_, body)| body.insts.values().any(|i| is_input(&i.data)));
        let wide = |ty: Type| !matches!(ty, Type::Scalar(Scalar::Bool | Scalar::Bv(_)));
        let beyond_bits = program.vars.values().any(|v| wide(v.ty))
            || bodies()
                .any(|(_, body)| body.values.values().any(|v| wide(v.ty)) || body.slots.values().any(|s| wide(s.ty)));
        let is_far = |data: &InstData| matches!(data, InstData::Const(Const::Bv { bits, .. }) if FAR.contains(bits));
        let far = bodies().any(|(_, body)| body.insts.values().any(|i| is_far(&i.data)));
        let size: usize = bodies().map(|(_, body)| body.insts.len()).sum();
        let large = size > LARGE && bodies().count() > MANY;
        Shape { recursive, loops, inputs, beyond_bits, large, far }
    }
}
