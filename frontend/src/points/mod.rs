//! What pointers can point to: a unification-based, field-sensitive analysis over the whole program.
//!
//! ```text
//! graph   nodes (sets of objects), their cells, references; joining them
//! walk    what expressions and statements say about them
//! place   the nodes of objects, the places of lvalues
//! calls   arguments, results, calls through pointers
//! ```
//!
//! A [`Node`] stands for one or more objects that some pointer may not tell apart. A pointer is a [`Ref`]; what it
//! points to is a node and an offset in it, in bytes. A node whose objects are arrays has a stride, and offsets are
//! taken modulo it. Its cells are the places that are accessed: each holds scalars of one kind, or is a row of
//! bytes where accesses disagree. Two accesses that can touch the same byte are in the same cell, always.
//!
//! After Steensgaard's analysis with structures, as data structure analysis does it: where two offsets of one node
//! meet, or strides disagree, the node collapses into one row of bytes. Integers carry no reference: a pointer that
//! becomes an integer, or whose bytes lie in a row of bytes, is exposed; all exposed nodes are one, and an integer
//! that becomes a pointer points there.

mod calls;
mod graph;
mod place;
mod walk;

pub use calls::typed_bytes;
pub use graph::{Cell, Item, Node, NodeData, Target, Unit as CellUnit};
pub use place::indexed;
pub use walk::{analyse, Points};
