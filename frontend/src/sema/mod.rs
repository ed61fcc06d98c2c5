//! The syntax tree, checked: names resolved, types computed, conversions made explicit.
//!
//! One [`Sema`] walks one translation unit; what is shared between units (types, objects, functions, external
//! names) is in [`Linked`], which travels from one to the next. What is wrong is reported with its place and
//! skipped at the next statement or declaration, so one run finds several errors. What is right C but not modelled
//! becomes `Unsupported`, never an error.
//!
//! Limits: `const` is not kept, so `_Generic` does not tell `const T *` from `T *`; local labels (`__label__`) are
//! labels of the function; bit-fields wider than `int` take part in arithmetic only as `Unsupported`.

mod builtin;
mod call;
mod decl;
mod declarator;
mod expr;
mod flags;
mod fold;
mod init;
mod literal;
mod ops;
mod scope;
mod specs;
mod stmt;
mod typing;
mod variadic;

pub use crate::preprocess::Options;
pub use typing::{promoted, usual};

use crate::error::{Errors, FrontError};
use crate::hir::{Expr, ExprKind, Func, Loc, Obj, Unit};
use crate::library;
use crate::parse::{self, Parsed};
use crate::preprocess::{self, Text};
use crate::tokens::Source;
use crate::types::{DataModel, TypeId, TypeTable};
use cranelift_entity::PrimaryMap;
use lang_c::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Scope;
use std::path::PathBuf;
use stmt::Body;
use typing::Basic;

/// How many errors are worth reading.
const MAX_ERRORS: usize = 20;

/// An error has been reported; the construct is to be skipped.
#[derive(Copy, Clone, Debug)]
struct Reported;

type Res<T> = Result<T, Reported>;

/// What an external name stands for.
#[derive(Copy, Clone, Debug)]
enum External {
    Object(Obj),
    Func(Func),
}

/// What translation units have in common.
struct Linked {
    unit: Unit,
    basic: Basic,
    externals: FxHashMap<String, External>,
    /// All names that objects and functions of static storage have in the unit.
    taken: FxHashMap<String, External>,
    /// Functions that only a call has declared so far.
    implicit: FxHashSet<Func>,
    /// Functions whose body is `extern inline`: a real definition may replace it.
    inline_only: FxHashSet<Func>,
    errors: Vec<FrontError>,
}

struct Sema<'a> {
    unit: Unit,
    basic: Basic,
    externals: FxHashMap<String, External>,
    taken: FxHashMap<String, External>,
    implicit: FxHashSet<Func>,
    inline_only: FxHashSet<Func>,
    errors: Vec<FrontError>,
    source: &'a Source,
    /// The line that was looked up last.
    near: usize,
    /// The unit's number for each of the source's files.
    files: Vec<u32>,
    scope: Scope<'a>,
    /// The function being defined.
    body: Option<Body<'a>>,
    /// Parameters of the function declarator that was finished last.
    parameters: Vec<declarator::Parameter<'a>>,
    /// By variable-length array, the variables that hold its sizes, the outermost first.
    vla_sizes: FxHashMap<Obj, Vec<Obj>>,
    /// Inside a parameter list, where sizes may name parameters.
    prototype_depth: u32,
}

/// Reads, parses and checks files that form one program.
pub fn analyse(files: &[PathBuf], options: &Options) -> Result<Unit, Errors> {
    let mut linked = Linked::new(options.model);
    for path in files {
        let text = preprocess::preprocess(path, options)?;
        linked = translation_unit(linked, text, &path.display().to_string())?;
    }
    linked.finish()
}

/// As [`analyse`] for files whose texts are preprocessed already.
pub fn analyse_texts(files: &[PathBuf], texts: Vec<Text>, options: &Options) -> Result<Unit, Errors> {
    let mut linked = Linked::new(options.model);
    for (path, text) in files.iter().zip(texts) {
        linked = translation_unit(linked, text, &path.display().to_string())?;
    }
    linked.finish()
}

/// As [`analyse`] for one text that is preprocessed already.
pub fn analyse_source(name: &str, text: &str, options: &Options) -> Result<Unit, Errors> {
    analyse_sources(&[(name, text)], options)
}

pub fn analyse_sources(sources: &[(&str, &str)], options: &Options) -> Result<Unit, Errors> {
    let mut linked = Linked::new(options.model);
    for (name, text) in sources {
        linked = translation_unit(linked, Text { text: text.to_string(), latin1: false }, name)?;
    }
    linked.finish()
}

fn translation_unit(linked: Linked, text: Text, name: &str) -> Result<Linked, Errors> {
    let parsed = parse::parse(text, name)?;
    let mut sema = Sema::new(linked, &parsed);
    sema.translation_unit(&parsed.unit);
    Ok(sema.into_linked())
}

impl Linked {
    fn new(model: DataModel) -> Linked {
        let mut types = TypeTable::new(model);
        let basic = Basic::new(&mut types);
        let unit = Unit {
            types,
            files: Vec::new(),
            objects: PrimaryMap::new(),
            functions: PrimaryMap::new(),
            strings: PrimaryMap::new(),
        };
        Linked {
            unit,
            basic,
            externals: FxHashMap::default(),
            taken: FxHashMap::default(),
            implicit: FxHashSet::default(),
            inline_only: FxHashSet::default(),
            errors: Vec::new(),
        }
    }

    fn finish(self) -> Result<Unit, Errors> {
        if !self.errors.is_empty() {
            return Err(Errors(self.errors));
        }
        let mut whole = self.with_library()?;
        flags::compute(&mut whole.unit);
        Ok(whole.unit)
    }

    /// Adds the bodies of library functions that are declared only. Where a declaration does not fit, the function
    /// stays without a body.
    fn with_library(mut self) -> Result<Linked, Errors> {
        let declared = self.unit.functions.values().filter(|f| f.body.is_none()).map(|f| (f.name.clone(), f.ty));
        for (name, ty) in declared.collect::<Vec<_>>() {
            let Some(text) = library::text(&name, &self.unit.types, ty) else { continue };
            self = translation_unit(self, Text { text, latin1: false }, library::FILE)?;
            self.errors.clear();
            if let Some(External::Func(func)) = self.externals.get(&name) {
                let function = &mut self.unit.functions[*func];
                function.library = function.body.is_some();
            }
        }
        Ok(self)
    }
}

impl<'a> Sema<'a> {
    fn new(linked: Linked, parsed: &'a Parsed) -> Sema<'a> {
        let mut unit = linked.unit;
        let mut file_id = |name: &String| match unit.files.iter().position(|f| f == name) {
            Some(i) => i as u32,
            None => {
                unit.files.push(name.clone());
                unit.files.len() as u32 - 1
            }
        };
        let files = parsed.source.files().iter().map(&mut file_id).collect();
        Sema {
            unit,
            basic: linked.basic,
            externals: linked.externals,
            taken: linked.taken,
            implicit: linked.implicit,
            inline_only: linked.inline_only,
            errors: linked.errors,
            source: &parsed.source,
            near: 0,
            files,
            scope: Scope::new(),
            body: None,
            parameters: Vec::new(),
            prototype_depth: 0,
            vla_sizes: FxHashMap::default(),
        }
    }

    fn into_linked(self) -> Linked {
        Linked {
            unit: self.unit,
            basic: self.basic,
            externals: self.externals,
            taken: self.taken,
            implicit: self.implicit,
            inline_only: self.inline_only,
            errors: self.errors,
        }
    }

    fn loc(&mut self, span: Span) -> Loc {
        let p = self.source.position_near(span.start, &mut self.near);
        Loc { file: self.files[p.file as usize], line: p.line, column: p.column }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(FrontError::new(self.source.place(span.start), message));
        }
        Reported
    }

    /// `Err` with a report.
    fn fail<T>(&mut self, span: Span, message: impl Into<String>) -> Res<T> {
        Err(self.error(span, message))
    }

    fn unsupported(&mut self, ty: TypeId, span: Span, text: impl Into<String>) -> Expr {
        Expr { ty, loc: self.loc(span), kind: ExprKind::Unsupported(text.into()) }
    }
}
