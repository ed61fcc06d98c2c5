//! Verification conditions with block Booleans (RMT, section 3.1), over a program that is unwound as the engine asks.
//!
//! The program is lifted, loop-closed SSA (`passes::prepare`). An *instance* is a block in a scope: an activation and
//! the iteration numbers of the loops around the block. Instances form a DAG, encoded in topological order; each has
//! a [`guard::Guard`], its block Boolean. Where the paper constrains a Boolean from its successors, an instance here
//! is constrained from its predecessors, so that a loop can be extended at its end: reaching an instance implies
//! that one of its incoming edges is taken.
//!
//! * A join that can get no more edges is *closed*: its guard and values are terms over those of its edges, no
//!   symbol is spent, and constants flow through.
//! * A loop is cut after some iterations, a recursion at some depth: a [`Hole`]. Joins that the missing part may
//!   reach are *open*: their guard is a fresh Boolean `b`, their parameters fresh symbols, with the constraints
//!   `b -> edge_1 | ... | edge_n | open_h` and `edge_i -> parameters = arguments_i`. Expanding the hole adds
//!   `b & open_h -> new edges | open_h'`. So nothing is ever asserted twice or taken back: assuming every current
//!   `open_h` false gives exactly the runs that stay within the unwinding.
//!
//! **Why that is sound.** A run is determined by its inputs (the havoc symbols) and visits each instance at most once.
//! By induction along the DAG, with all `open_h` false: a guard that is true in a model is the guard of an instance
//! that the run of the model's inputs visits, and the instance's terms have the run's values. So no two edges of a
//! join are taken at once, and a true target is a real violation. Conversely a run within the unwinding satisfies all
//! constraints, with every `b` on its way true.

mod encode;
pub mod guard;
pub mod range;
mod shape;
mod unroll;

pub use guard::{Guard, Guards};
pub use unroll::{header_origin, Constraint, Event, Hole, HoleId, LoopKey, Options, Target, TargetKind, Unrolling};
