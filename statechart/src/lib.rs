//! Statecharts: importer, chart model, the STATEMATE step semantics as a reference simulator, and the lowering to
//! synchronous processes.
//!
//! ```text
//! .xml ─► import ─► model::Chart ─┬─► sim     (says what a chart means, rule by rule)
//!          labels, types          ├─► lower   (an ir::Program with a System)
//!                                 └─► draw    (a drawing, for Graphviz)
//! ```
//! `sim` and `lower` share the chart model and nothing else: each is judged by the other.

pub mod draw;
pub mod import;
pub mod lower;
pub mod model;
pub mod sim;
