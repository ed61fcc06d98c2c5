//! Engines that decide properties of programs, the logic they reason in, and the checks their verdicts must pass.
//!
//! Start at [`task`]: what an engine is asked and what it answers. [`bmc`] searches ([`vc`] has its formulas, [`sample`]
//! its concrete runs, [`accelerate`] makes many iterations at once); [`kinduction`], [`pdr`], [`lawi`] and [`explicit`] prove,
//! at the cut points of the inlined program ([`cuts`]) and with facts from [`invariants`] and [`houdini`]; [`inline`] opens
//! procedures and loops as the question asks for it; [`logic`] has the terms and solvers below; [`annotation`] what
//! certificates say, [`portfolio`] which engines fit a program and what they tell each other, and [`evidence`] checks every
//! verdict again before anyone sees it.

pub mod accelerate;
pub mod annotation;
pub mod bmc;
mod companion;
pub mod cuts;
pub mod evidence;
pub mod explicit;
mod guesser;
pub mod houdini;
pub mod inline;
pub mod invariants;
pub mod kinduction;
pub mod lawi;
pub mod logic;
pub mod observe;
pub mod pdr;
pub mod portfolio;
mod relation;
pub mod sample;
mod search;
pub mod task;
pub mod vc;
