//! C to IR.
//!
//! ```text
//! preprocess (gcc -E) ─► tokens (rewriter) ─► parse (lang-c) ─► sema ─► hir ─► lower ─► ir::Program
//! ```
//! [`hir`] is the seam: names resolved, types known, every conversion explicit. `sema` never sees the IR, `lower`
//! never sees the syntax tree.

pub mod error;
pub mod hir;
pub mod layout;
pub mod leaves;
mod library;
pub mod lower;
mod mathlib;
pub mod parse;
mod points;
pub mod preprocess;
pub mod sema;
pub mod tokens;
pub mod types;

pub use error::{Errors, FrontError, Place};

use std::path::PathBuf;
use syncline_ir::Program;

/// How to read C and what to make of it.
pub struct Options {
    pub source: preprocess::Options,
    pub lower: lower::LowerOptions,
}

/// Reads C files as one program and lowers it. Runs on a stack of its own that suits deep nesting.
pub fn load(files: &[PathBuf], options: &Options) -> Result<Program, Errors> {
    load_mapped(files, options).map(|(program, _)| program)
}

/// As [`load`], with where memory is.
pub fn load_mapped(files: &[PathBuf], options: &Options) -> Result<(Program, lower::MemoryMap), Errors> {
    let work = || {
        let unit = sema::analyse(files, &options.source)?;
        lower::lower_mapped(&unit, &options.lower).map_err(|e| errors_of(files, &unit, e))
    };
    let no_thread = |e: std::io::Error| {
        Errors::from(FrontError::new(Place::default(), format!("no thread for the front end: {e}")))
    };
    parse::on_big_stack(work).map_err(no_thread)?
}

fn errors_of(files: &[PathBuf], unit: &hir::Unit, error: lower::LowerError) -> Errors {
    let lower::LowerError::System(faults) = &error else {
        let file = files.first().map(|f| f.display().to_string()).unwrap_or_default();
        return FrontError::new(Place::file(file), error.to_string()).into();
    };
    let place = |loc: &hir::Loc| {
        let file = unit.files.get(loc.file as usize).cloned().unwrap_or_default();
        Place { file, line: loc.line, column: loc.column }
    };
    Errors(faults.iter().map(|(loc, words)| FrontError::new(place(loc), words)).collect())
}
