//! Facts by abstract interpretation: what holds whenever a run comes to a loop header of the inlined program.
//!
//! Domains, in a reduced product ([`state`]): small sets of values, bounds of both readings of a bit-vector and strides
//! under wrap-around ([`domain`], [`ops`]); equalities of variables; and zones (Miné, "A New Numerical Abstract Domain
//! Based on Difference-Bound Matrices", 2001) on the pairs of variables the program compares, without closure. A
//! difference is one of mathematical values, so it survives only what is shown not to wrap. Conditions are followed back
//! to the variables they are about ([`refine`]). The iteration ([`fixpoint`]) goes over loops from the inside out
//! (Bourdoncle, "Efficient Chaotic Iteration Strategies with Widenings", 1993), widens to constants of the program, and
//! ends with passes that do not widen.
//!
//! States share structure ([`map`]) and hold only what is read again ([`liveness`]), so that time follows what blocks
//! change rather than how much there is.
//!
//! Limits: floats are constants or unknown, bit-vectors above 64 bits are small sets or unknown, cells of arrays are
//! looked at singly only where the program indexes them by a constant, differences of values are not looked at.

mod domain;
mod emit;
mod fixpoint;
mod liveness;
mod map;
mod ops;
mod refine;
mod state;
mod tables;
mod transfer;

use crate::annotation::Facts;
use cranelift_entity::EntityRef;
use fixpoint::Fixpoint;
use std::time::Instant;
use syncline_ir::analysis::{cut_points, Cfg, LoopNest};
use syncline_ir::inline::Inlined;
use syncline_ir::Block;
use tables::Tables;

/// Times the analysis is done again because it found accesses of arrays whose index is a constant after all.
const ROUNDS: usize = 3;

/// The facts of each loop header; none if the time does not suffice for sound ones.
pub fn facts(inlined: &Inlined, deadline: Instant) -> Facts {
    let cfg = Cfg::compute(inlined.body());
    let nest = LoopNest::of(&cfg);
    let headers = cut_points(&nest);
    let mut facts = Facts::new();
    let mut elements = Vec::new();
    for _ in 0..ROUNDS {
        if headers.is_empty() || Instant::now() >= deadline {
            break;
        }
        let tables = Tables::new(inlined, &cfg, &elements);
        // What an earlier round found is as sound as what this one would have.
        let Some(states) = Fixpoint::solve(&tables, &nest, deadline) else { break };
        let of = |header: Block| match &states[header.index()] {
            Some(state) => emit::facts(&tables, header, state),
            None => emit::unreachable(),
        };
        facts = headers.iter().map(|&header| (header, of(header))).filter(|(_, facts)| !facts.is_empty()).collect();
        let before = elements.len();
        for &block in cfg.rpo() {
            if let Some(state) = &states[block.index()] {
                transfer::indices(&tables, block, state, &mut elements);
            }
        }
        elements.sort_unstable();
        elements.dedup();
        if elements.len() == before {
            break;
        }
    }
    facts
}
