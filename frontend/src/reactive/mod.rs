//! Reactive programs without `main`: a step function that something outside calls for ever.
//!
//! ```text
//! names   what the text says of types         plan   which functions, objects and inputs there are
//! find    the step function and its `init`    text   the harness as C
//! paths   what traces call cells of memory    pure   what requirements may say
//! survey  the models that files hold
//! ```
//!
//! The harness is C text behind the file that defines the step function (`docs/decisions/0012-reactive.md`):
//!
//! ```c
//! void syncline_main(void) { init(); for (;;) { syncline_inputs(); step(); syncline_requirement_r1(); ... } }
//! ```
//!
//! So it sees the types, macros and static objects of that file, requirements are checked by the C front end, and a
//! test written for gcc has it too. Line markers lead back to the file the requirements are in.

mod find;
mod names;
mod paths;
mod plan;
mod pure;
pub mod survey;
mod text;

pub use plan::Role;

use crate::error::{Errors, FrontError, Place};
use crate::hir::{Loc, Unit};
use crate::lower::MemoryMap;
use crate::preprocess::{self, Text};
use crate::{parse, sema};
use names::Names;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use syncline_ir::{OriginData, Program};

/// The function that stands for `main`.
pub const ENTRY: &str = "syncline_main";
/// The function in which inputs get their values.
pub const INPUTS: &str = "syncline_inputs";
/// What requirements' functions begin with.
const REQUIREMENT: &str = "syncline_requirement_";
/// Where the text of the harness itself is from.
pub const FILE: &str = "<harness>";

/// Words of C, and where the user wrote them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub text: String,
    pub place: Place,
}

impl Said {
    pub fn error(&self, message: impl Into<String>) -> Errors {
        FrontError::new(self.place.clone(), message).into()
    }

    /// Whether it can stand in parentheses: it closes what it opens, and has no statements, comments or lines.
    fn check_expression(&self) -> Result<(), Errors> {
        let mut open = Vec::new();
        let mut quote = None;
        let mut chars = self.text.chars();
        while let Some(c) = chars.next() {
            match (quote, c) {
                (_, '\n' | '\r') => return Err(self.error("an expression is on one line")),
                (Some(_), '\\') => drop(chars.next()),
                (Some(q), c) if c == q => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '(' | '[') => open.push(c),
                (None, ')') if open.pop() == Some('(') => {}
                (None, ']') if open.pop() == Some('[') => {}
                (None, ')' | ']') => return Err(self.error(format!("`{c}` closes nothing"))),
                (None, ';' | '{' | '}' | '#') => return Err(self.error(format!("`{c}` has no place in an expression"))),
                (None, _) => {}
            }
        }
        if self.text.contains("//") || self.text.contains("/*") {
            return Err(self.error("a comment has no place in an expression"));
        }
        match (open.pop(), quote, self.text.trim().is_empty()) {
            (Some(c), ..) => Err(self.error(format!("`{c}` is not closed"))),
            (None, Some(_), _) => Err(self.error("a quote is not closed")),
            (None, None, true) => Err(self.error("an expression is missing")),
            (None, None, false) => Ok(()),
        }
    }
}

#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Number {
    Int(i128),
    Float(f64),
}

/// An object, a member of one or an array, all of whose values are between two numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    pub name: Said,
    pub range: Option<(Number, Number)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// A C identifier.
    pub name: String,
    pub kind: Kind,
    pub whole: Said,
}

/// Judged after every step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Always(Said),
    Never(Said),
    /// Whenever the first holds, the second holds after this step or after one of the next n.
    LeadsTo(Said, Said, u32),
    /// Once the first holds the second does, from the same step on, up to and without the step after which the third
    /// holds.
    AfterUntil(Said, Said, Said),
}

/// What is said about a reactive program; the rest is found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spec {
    pub init: Option<Said>,
    pub step: Option<Said>,
    pub inputs: Vec<Input>,
    /// Hold before every step, of its inputs and the state before it.
    pub assumptions: Vec<Said>,
    pub requirements: Vec<Requirement>,
}

impl Kind {
    fn expressions(&self) -> Vec<&Said> {
        match self {
            Kind::Always(e) | Kind::Never(e) => vec![e],
            Kind::LeadsTo(cause, effect, _) => vec![cause, effect],
            Kind::AfterUntil(after, holds, until) => vec![after, holds, until],
        }
    }
}

impl Spec {
    /// Whether anything is said.
    pub fn is_empty(&self) -> bool {
        *self == Spec::default()
    }
}

/// An input, and the values it has if nobody says more.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundInput {
    pub name: String,
    /// `None`: all of a floating-point type, or something else.
    pub bounds: Option<(i128, i128)>,
    /// Its type says what its values are.
    pub known: bool,
}

/// What was found, for those who tell it.
#[derive(Clone, Debug, Default)]
pub struct Harness {
    /// The file it is appended to, by number.
    pub file: usize,
    pub text: String,
    pub step: String,
    pub init: Option<String>,
    pub inputs: Vec<FoundInput>,
    /// Places that get any value before a step although the step writes them: nobody needs to see it.
    quiet: Vec<String>,
    /// Objects that are no news in a trace: locals, and pointers the harness sets.
    hidden: BTreeSet<String>,
    /// The names of cells of memory by their address.
    pub cells: BTreeMap<u64, String>,
    /// What verdicts rest on.
    pub notes: Vec<String>,
    place: (String, u32, u32),
}

impl Harness {
    /// Whether the value of an input is worth a word.
    pub fn shows(&self, place: &str) -> bool {
        !self.quiet.iter().any(|q| q == place)
    }

    /// Whether a write to a place by a function is worth a word: what requirements remember is not, nor what ends with
    /// the step.
    pub fn tells(&self, place: &str, function: &str) -> bool {
        let root = place.split(['.', '[']).next().unwrap_or_default();
        !self.hidden.contains(place) && !self.hidden.contains(root) && !function.starts_with(REQUIREMENT)
    }

    /// The program is lowered: what traces call things.
    pub(crate) fn learn(&mut self, unit: &Unit, map: &MemoryMap) {
        self.cells = paths::cells(unit, map);
        self.hidden.extend(paths::locals(unit));
    }

    /// Names of properties as the user knows them, and what the verdicts rest on.
    pub fn describe(&self, program: &mut Program) {
        for prop in program.props.values_mut() {
            if let Some(rest) = prop.name.strip_prefix(REQUIREMENT) {
                prop.name = rest.replacen(".assertion.", ".requirement.", 1);
            } else if let Some(rest) = prop.name.strip_prefix(text::EXPRESSION) {
                prop.name = rest.to_string();
            }
        }
        let (file, line, column) = &self.place;
        let file = program.files.iter().position(|f| f == file).unwrap_or(0) as u32;
        let origin = program.origins.push(OriginData::Source { file, line: *line, column: *column });
        program.assumptions.splice(0..0, self.notes.iter().map(|note| (origin, note.clone())));
    }
}

/// The texts of a program, and what they mean so far.
pub(crate) struct Sources<'a> {
    pub files: &'a [PathBuf],
    pub options: &'a preprocess::Options,
    pub texts: Vec<Text>,
    pub unit: Unit,
}

/// Finds the harness of a program; `None` if nothing is said of one and nothing looks like a step function.
pub(crate) fn harness(sources: &Sources<'_>, spec: &Spec) -> Result<Option<Harness>, Errors> {
    let required = spec.requirements.iter().flat_map(|r| r.kind.expressions());
    for said in spec.assumptions.iter().chain(required) {
        said.check_expression()?;
    }
    let mut names = Vec::new();
    for (path, text) in sources.files.iter().zip(&sources.texts) {
        names.push(Names::of(&parse::parse(text.clone(), &path.display().to_string())?));
    }
    let Some(found) = find::find(&sources.unit, &names, spec)? else { return Ok(None) };
    let plan = plan::plan(&sources.unit, &names[found.file], &found, spec)?;
    let text = text::text(&plan, spec);
    let unit = &sources.unit;
    let function = unit.functions.values().find(|f| f.name == found.step && f.body.is_some());
    let loc = function.map(|f| f.loc).unwrap_or_default();
    Ok(Some(Harness {
        file: found.file,
        text,
        step: found.step.clone(),
        init: found.init.clone(),
        inputs: plan.inputs.iter().filter(|i| i.role == Role::Input).map(|i| i.found(unit.types.model)).collect(),
        quiet: plan.inputs.iter().filter(|i| i.role == Role::Output).map(|i| i.place.clone()).collect(),
        hidden: plan.links.iter().map(|l| l.pointer.clone()).collect(),
        cells: BTreeMap::new(),
        notes: plan.notes(),
        place: place(unit, loc),
    }))
}

/// What is wrong with the program as a whole.
fn fault(words: impl Into<String>) -> Errors {
    FrontError::new(Place::file("reactive program"), words.into()).into()
}

fn place(unit: &Unit, loc: Loc) -> (String, u32, u32) {
    (unit.files.get(loc.file as usize).cloned().unwrap_or_default(), loc.line, loc.column)
}

/// The typed program with its harness.
pub(crate) fn with_harness(sources: Sources<'_>, harness: &Harness) -> Result<Unit, Errors> {
    let Sources { files, options, mut texts, unit } = sources;
    let path = &files[harness.file];
    texts[harness.file] = preprocess::followed(path, &harness.text, options)?;
    let parsed = parse::parse(texts[harness.file].clone(), &path.display().to_string())?;
    pure::check(&parsed, &unit)?;
    sema::analyse_texts(files, texts, options)
}

/// The file the harness is in, as the front end reads it.
pub fn harnessed(path: &std::path::Path, harness: &Harness, options: &preprocess::Options) -> Result<Text, Errors> {
    preprocess::followed(path, &harness.text, options)
}
