//! C to IR.
//!
//! ```text
//! preprocess (gcc -E) ─► tokens (rewriter) ─► parse (lang-c) ─► sema ─► hir ─► lower ─► ir::Program
//! ```
//! [`hir`] is the seam: names resolved, types known, every conversion explicit. `sema` never sees the IR, `lower`
//! never sees the syntax tree.

pub mod hir;
pub mod types;
