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
pub mod reactive;
pub mod sema;
pub mod standin;
pub mod tokens;
pub mod types;

pub use error::{Errors, FrontError, Place};

use std::path::PathBuf;
use syncline_ir::Program;

/// How to read C and what to make of it.
pub struct Options {
    pub source: preprocess::Options,
    pub lower: lower::LowerOptions,
    /// A program that is called step by step. What is not said is found; where nothing is said at all, only a program
    /// without the function it would start in is taken for one.
    pub reactive: reactive::Spec,
}

/// A program, where its memory is, and the harness it is called from.
pub type Loaded = (Program, lower::MemoryMap, Option<reactive::Harness>);

/// Reads C files as one program and lowers it. Runs on a stack of its own that suits deep nesting.
pub fn load(files: &[PathBuf], options: &Options) -> Result<Program, Errors> {
    load_mapped(files, options).map(|(program, ..)| program)
}

/// As [`load`], with where memory is.
pub fn load_mapped(files: &[PathBuf], options: &Options) -> Result<Loaded, Errors> {
    let work = || {
        let (unit, mut harness) = typed(files, options)?;
        let mut lower = options.lower.clone();
        if harness.is_some() {
            lower.entry = reactive::ENTRY.to_string();
        }
        let (mut program, map) = lower::lower_mapped(&unit, &lower).map_err(|e| errors_of(files, &unit, e))?;
        if let Some(harness) = &mut harness {
            harness.describe(&mut program);
            harness.learn(&unit, &map);
        }
        for (file, name) in unit.files.iter().enumerate().filter_map(|(n, file)| Some((n, standin::name(file)?))) {
            let place = syncline_ir::OriginData::Source { file: file as u32, line: 1, column: 1 };
            let origin = program.origins.push(place);
            program.assumptions.push((origin, standin::note(name)));
        }
        Ok((program, map, harness))
    };
    let no_thread = |e: std::io::Error| {
        Errors::from(FrontError::new(Place::default(), format!("no thread for the front end: {e}")))
    };
    parse::on_big_stack(work).map_err(no_thread)?
}

/// The typed program, with a harness if it needs one.
fn typed(files: &[PathBuf], options: &Options) -> Result<(hir::Unit, Option<reactive::Harness>), Errors> {
    if options.reactive.is_empty() {
        let unit = sema::analyse(files, &options.source)?;
        let entry = &options.lower.entry;
        if entry != "main" || unit.functions.values().any(|f| f.name == *entry) {
            return Ok((unit, None));
        }
    }
    let read = |path: &PathBuf| preprocess::preprocess(path, &options.source);
    let texts: Vec<preprocess::Text> = files.iter().map(read).collect::<Result<_, _>>()?;
    let unit = sema::analyse_texts(files, texts.clone(), &options.source)?;
    let sources = reactive::Sources { files, options: &options.source, texts, unit };
    match reactive::harness(&sources, &options.reactive)? {
        Some(harness) => Ok((reactive::with_harness(sources, &harness)?, Some(harness))),
        None => Ok((sources.unit, None)),
    }
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
