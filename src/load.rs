//! From the command line's input to a program, with errors as the user should see them.

use crate::args::{CheckKind, InputArgs};
use crate::chart::{self, Charted};
use std::sync::Arc;
use syncline_frontend::lower::MemoryMap;
use syncline_frontend::reactive::Harness;
use syncline_frontend::{lower::LowerOptions, preprocess, types::DataModel, Errors, FrontError, Options, Place};
use syncline_ir::{Program, PropKind};

/// What `--propertyfile` adds.
#[derive(Default, Clone)]
pub struct Wanted {
    pub entry: Option<String>,
    /// Functions whose call is the violation, instead of the usual ones.
    pub error_functions: Option<Vec<String>>,
    pub checks: Vec<PropKind>,
    /// The program is to be run: strings it prints are wanted.
    pub prints: bool,
}

/// A program, and where its memory is.
#[derive(Default)]
pub struct Loaded {
    pub program: Arc<Program>,
    pub map: MemoryMap,
    /// The chart it was made of.
    pub chart: Option<Arc<Charted>>,
    /// What calls it step by step.
    pub harness: Option<Harness>,
}

pub fn program(args: &InputArgs, wanted: &Wanted) -> Result<Program, Errors> {
    if args.files.is_empty() {
        return Err(FrontError::new(Place::file("syncline"), "no FILE is given").into());
    }
    if chart::is_chart(&args.files) {
        return Ok(Program::clone(&chart::load(args)?.program));
    }
    syncline_frontend::load(&args.files, &options(args, wanted))
}

pub fn loaded(args: &InputArgs, wanted: &Wanted) -> Result<Loaded, Errors> {
    if chart::is_chart(&args.files) {
        let chart = Arc::new(chart::load(args)?);
        return Ok(Loaded { program: chart.program.clone(), chart: Some(chart), ..Loaded::default() });
    }
    let (program, map, harness) = syncline_frontend::load_mapped(&args.files, &options(args, wanted))?;
    Ok(Loaded { program: Arc::new(program), map, chart: None, harness })
}

fn options(args: &InputArgs, wanted: &Wanted) -> Options {
    let mut lower =
        LowerOptions { entry: args.entry.clone(), strict_calls: args.strict_calls, ..LowerOptions::default() };
    lower.malloc_may_fail = args.malloc_may_fail;
    lower.print_strings = wanted.prints;
    lower.checks = checks(&args.check);
    lower.checks.extend(wanted.checks.iter().copied());
    if let Some(entry) = &wanted.entry {
        lower.entry = entry.clone();
    }
    if let Some(functions) = &wanted.error_functions {
        lower.error_functions = functions.clone();
    }
    Options { source: source_options(args), lower, reactive: args.reactive() }
}

/// How the input is preprocessed.
pub fn source_options(args: &InputArgs) -> preprocess::Options {
    let model = if args.ilp32 { DataModel::Ilp32 } else { DataModel::Lp64 };
    preprocess::Options {
        includes: args.include.clone(),
        defines: args.define.clone(),
        stand_ins: args.stand_in.clone(),
        ..preprocess::Options::new(model)
    }
}

fn checks(kinds: &[CheckKind]) -> Vec<PropKind> {
    let mut checks = Vec::new();
    for kind in kinds {
        match kind {
            CheckKind::Overflow => checks.push(PropKind::Overflow),
            CheckKind::Shift => checks.push(PropKind::Shift),
            CheckKind::Div => checks.push(PropKind::Division),
            CheckKind::Bounds => checks.push(PropKind::Bounds),
            CheckKind::Pointer => checks.push(PropKind::Pointer),
            CheckKind::Race => checks.push(PropKind::Race),
            CheckKind::Nondeterminism => checks.push(PropKind::Nondeterminism),
            CheckKind::Stability => checks.push(PropKind::Stability),
            CheckKind::Conflict
            | CheckKind::Unreachable
            | CheckKind::Dead
            | CheckKind::Range
            | CheckKind::Constant
            | CheckKind::Requirement => {}
            CheckKind::All => checks.extend([
                PropKind::Overflow,
                PropKind::Shift,
                PropKind::Division,
                PropKind::Bounds,
                PropKind::Pointer,
            ]),
        }
    }
    checks.dedup();
    checks
}

/// Prints errors with their source lines.
pub fn print_errors(errors: &Errors) {
    for error in &errors.0 {
        eprintln!("{error}");
        if let Some(line) = source_line(&error.loc.file, error.loc.line) {
            eprintln!("{:>6} | {line}", error.loc.line);
            if error.loc.column > 0 {
                let blank: String =
                    line.chars().take(error.loc.column as usize - 1).map(|c| if c == '\t' { c } else { ' ' }).collect();
                eprintln!("       | {blank}^");
            }
        }
    }
}

/// A line of a source file, cut to what fits a terminal; `None` if the file cannot be read (again).
pub fn source_line(file: &str, line: u32) -> Option<String> {
    use std::io::{BufRead, BufReader, Read};
    let file = std::fs::File::open(file).ok()?;
    if line == 0 || !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut reader = BufReader::new(file.take(64 << 20));
    let mut bytes = Vec::new();
    for _ in 0..line {
        bytes.clear();
        if reader.by_ref().take(1 << 20).read_until(b'\n', &mut bytes).ok()? == 0 {
            return None;
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_end();
    (text.chars().count() <= 400 && !text.contains('\0')).then(|| text.to_string())
}

/// Reads an SV-COMP property file: `CHECK( init(main()), LTL(G ! call(reach_error())) )`.
pub fn property_file(text: &str) -> Result<Wanted, String> {
    let flat: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut wanted = Wanted::default();
    let mut functions = Vec::new();
    let mut known = 0;
    for check in flat.split("CHECK(").skip(1) {
        let entry = between(check, "init(", "())").ok_or("a CHECK without init(...)")?;
        wanted.entry = Some(entry.to_string());
        let formula = between(check, "LTL(", "))").ok_or("a CHECK without LTL(...)")?;
        if let Some(call) = formula.strip_prefix("G!call(") {
            let name = call.split('(').next().unwrap_or_default();
            functions.push(name.to_string());
        } else if formula.starts_with("G!overflow") {
            wanted.checks.push(PropKind::Overflow);
        } else {
            return Err(format!("the property LTL({formula}) is not one this tool decides"));
        }
        known += 1;
    }
    if known == 0 {
        return Err("no CHECK( init(main()), LTL(...) ) found".into());
    }
    wanted.error_functions = Some(functions);
    Ok(wanted)
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let start = text.find(open)? + open.len();
    let end = text[start..].find(close)? + start;
    Some(&text[start..end])
}
