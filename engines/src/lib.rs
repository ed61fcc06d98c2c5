//! Engines that decide properties of programs, the logic they reason in, and the checks their verdicts must pass.
//!
//! Start at [`task`]: what an engine is asked and what it answers. [`bmc`] is the first engine, [`vc`] its formulas,
//! [`logic`] the terms and solvers below; [`evidence`] checks every verdict again before anyone sees it.

pub mod annotation;
pub mod bmc;
pub mod cuts;
pub mod evidence;
pub mod explicit;
pub mod houdini;
pub mod invariants;
pub mod kinduction;
pub mod logic;
pub mod pdr;
pub mod sample;
pub mod task;
pub mod vc;
