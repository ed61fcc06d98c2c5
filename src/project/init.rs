//! `syncline init`: looks at C files and writes `syncline.toml` with the models it finds, to be completed.

use super::{file, make, NAME};
use crate::args::InitArgs;
use crate::{load, BAD_INPUT, USAGE};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use syncline_frontend::preprocess::Options;
use syncline_frontend::reactive::survey::{self, Candidate, Surveyed};
use syncline_frontend::reactive::{FoundInput, Harness, Said, Spec};
use syncline_frontend::types::DataModel;
use syncline_frontend::Place;

/// How deep directories are looked into.
const DEPTH: usize = 8;
/// How many directories may be added for `#include`.
const MAX_INCLUDES: usize = 32;
/// Inputs a file lists.
const MAX_INPUTS: usize = 200;

pub fn main(args: InitArgs) -> u8 {
    let exists = Path::new(NAME).exists();
    if exists && !args.force && !args.make {
        eprintln!("error: there is a {NAME} already; --force replaces it");
        return USAGE;
    }
    if !exists || args.force {
        if let Err(words) = project(&args) {
            eprintln!("error: {words}");
            return BAD_INPUT;
        }
    }
    if args.make {
        return fragment();
    }
    0
}

/// Writes the file.
fn project(args: &InitArgs) -> Result<(), String> {
    let tree = Tree::of(&args.paths)?;
    if tree.sources.is_empty() {
        return Err("there are no C files here".to_string());
    }
    let first = if args.ilp32 { DataModel::Ilp32 } else { DataModel::Lp64 };
    let (mut options, mut candidates, mut left) = look(&tree, args, first);
    // Code for small processors often refuses to be compiled for large ones.
    if candidates.is_empty() && !left.is_empty() && first == DataModel::Lp64 {
        let narrow = look(&tree, args, DataModel::Ilp32);
        if !narrow.1.is_empty() {
            (options, candidates, left) = narrow;
        }
    }
    for (words, count) in &left {
        eprintln!("note: left out {}: {words}", counted(*count, "file"));
    }
    if candidates.is_empty() {
        let words = "no step function was found (`step`, `*_step`, or one with a context of SCADE)";
        return Err(format!("{words}; write {NAME} by hand, with `step` in it"));
    }
    let text = text(&candidates, &options);
    std::fs::write(NAME, &text).map_err(|e| format!("{NAME}: {e}"))?;
    say!("{NAME}: {}", counted(candidates.len(), "model"));
    Ok(())
}

/// The options that were needed, the models, and why files were left out, with how many there were.
type Look = (Options, Vec<Candidate>, BTreeMap<String, usize>);

fn look(tree: &Tree, args: &InitArgs, model: DataModel) -> Look {
    let mut options = Options { includes: args.include.clone(), defines: args.define.clone(), ..Options::new(model) };
    let (mut read, mut left) = (Vec::new(), BTreeMap::new());
    for path in &tree.sources {
        match tree.survey(path, &mut options) {
            Ok(file) => read.push(file),
            Err(words) => *left.entry(words).or_default() += 1,
        }
    }
    (options, survey::candidates(&read), left)
}

fn counted(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

/// Writes the fragment for make.
fn fragment() -> u8 {
    let models = match file::read(Path::new(NAME)) {
        Ok(models) => models,
        Err(errors) => {
            load::print_errors(&errors);
            return BAD_INPUT;
        }
    };
    if let Err(e) = std::fs::write(make::FRAGMENT, make::fragment(&models)) {
        eprintln!("error: {}: {e}", make::FRAGMENT);
        return BAD_INPUT;
    }
    say!("{}: `verify`, and {}", make::FRAGMENT, counted(models.len(), "target"));
    0
}

/// The C files below some directories, and where headers are.
struct Tree {
    sources: Vec<PathBuf>,
    headers: Vec<PathBuf>,
}

impl Tree {
    fn of(paths: &[PathBuf]) -> Result<Tree, String> {
        let mut tree = Tree { sources: Vec::new(), headers: Vec::new() };
        let here = [PathBuf::from(".")];
        for path in if paths.is_empty() { &here[..] } else { paths } {
            match path.is_dir() {
                true => tree.look(path, DEPTH),
                false if path.is_file() => tree.sources.push(path.clone()),
                false => return Err(format!("there is no {}", path.display())),
            }
        }
        tree.sources.sort();
        tree.sources.dedup();
        Ok(tree)
    }

    fn look(&mut self, dir: &Path, depth: usize) {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|e| e.path()).collect();
        paths.sort();
        for path in paths {
            let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
            let path = path.strip_prefix(".").map(Path::to_path_buf).unwrap_or(path);
            match path.extension().and_then(|e| e.to_str()) {
                _ if hidden => {}
                _ if path.is_dir() && depth > 0 => self.look(&path, depth - 1),
                Some("c") => self.sources.push(path),
                Some("h") => self.headers.push(path),
                _ => {}
            }
        }
    }

    /// Reads a file; headers that are not found are looked for below, and their directories added to the options. If that does
    /// not help, others stand in for them.
    fn survey(&self, path: &PathBuf, options: &mut Options) -> Result<Surveyed, String> {
        let mut tried = options.clone();
        let mut absent = None;
        loop {
            let errors = match survey::read(path, &tried) {
                Ok(file) => {
                    *options = tried;
                    return Ok(file);
                }
                Err(errors) => errors,
            };
            let missing = |m: &str| m.split_once(": No such file").map(|(name, _)| Path::new(name).to_path_buf());
            let name = errors.0.iter().find_map(|e| missing(&e.message));
            let header = name.as_ref().and_then(|name| self.headers.iter().find(|h| h.ends_with(name)));
            let dir = header.zip(name.as_ref()).and_then(|(h, name)| h.ancestors().nth(name.iter().count()));
            let dir = dir.map(|d| if d.as_os_str().is_empty() { ".".to_string() } else { d.display().to_string() });
            let words = || errors.0.first().map(|e| e.to_string()).unwrap_or_default();
            match (dir, name.map(|name| name.display().to_string())) {
                (Some(dir), _) if !tried.includes.contains(&dir) && tried.includes.len() < MAX_INCLUDES => {
                    tried.includes.push(dir);
                }
                (_, Some(name)) if !tried.stand_ins.contains(&name) && tried.stand_ins.len() < MAX_INCLUDES => {
                    absent.get_or_insert_with(words);
                    tried.stand_ins.push(name);
                }
                // What is said then is a consequence of a header that is not there.
                _ => return Err(absent.unwrap_or_else(words)),
            }
        }
    }
}

fn text(candidates: &[Candidate], options: &Options) -> String {
    let mut out =
        String::from("# Written by `syncline init`: what was found, to be completed. `syncline check` decides it.\n");
    let mut names = BTreeSet::new();
    for candidate in candidates {
        let first = candidate.files[0].display().to_string();
        let base = file::stem(&first);
        let mut tries = std::iter::once(base.clone()).chain((2..).map(|n| format!("{base}_{n}")));
        let name = tries.find(|name| names.insert(name.clone())).unwrap_or(base);
        model(&mut out, &name, candidate, options);
    }
    out
}

/// Appends one model. Writing to a string does not fail.
fn model(out: &mut String, name: &str, candidate: &Candidate, options: &Options) {
    let list = |items: &[String]| items.iter().map(|i| quoted(i)).collect::<Vec<_>>().join(", ");
    let files: Vec<String> = candidate.files.iter().map(|f| f.display().to_string()).collect();
    let step = Said { text: candidate.step.clone(), place: Place::default() };
    let spec = Spec { step: Some(step), ..Spec::default() };
    let harness = survey::harness(&candidate.files, options, &spec);
    let _ = write!(out, "\n[[model]]\nname = {}\nsources = [{}]\n", quoted(name), list(&files));
    if !options.includes.is_empty() {
        let _ = writeln!(out, "include = [{}]", list(&options.includes));
    }
    if !options.defines.is_empty() {
        let _ = writeln!(out, "define = [{}]", list(&options.defines));
    }
    if !options.stand_ins.is_empty() {
        out.push_str("# Headers that were not found and are taken as empty; it is better to name their directory in `include`.\n");
        let _ = writeln!(out, "stand-ins = [{}]", list(&options.stand_ins));
    }
    if options.model == DataModel::Ilp32 {
        out.push_str("data-model = 32\n");
    }
    let _ = writeln!(out, "step = {}", quoted(&candidate.step));
    match harness {
        Ok(Some(harness)) => found(out, &harness),
        Ok(None) => {}
        Err(errors) => {
            for error in errors.0 {
                let _ = writeln!(out, "# {}", error.to_string().replace('\n', " "));
            }
        }
    }
}

fn found(out: &mut String, harness: &Harness) {
    if let Some(init) = &harness.init {
        let _ = writeln!(out, "init = {}", quoted(init));
    }
    out.push_str("checks = [\"overflow\", \"shift\", \"div\", \"bounds\", \"pointer\"]\n");
    let open: Vec<&FoundInput> = harness.inputs.iter().filter(|i| !i.known).take(MAX_INPUTS).collect();
    out.push_str("\n# What inputs are between; without a line they have any value of their type.\n[model.inputs]\n");
    for input in open {
        match input.bounds {
            Some((lo, hi)) => {
                let _ = writeln!(out, "# {} = \"{lo}..{hi}\"", quoted(&input.name));
            }
            None => {
                let _ = writeln!(out, "# {} = \"-1.0..1.0\"", quoted(&input.name));
            }
        }
    }
    out.push_str(
        "\n# What holds after every step, in C: always E, never E, E leads to F within n steps, after E, F until G.\n\
         [model.requirements]\n# name = \"always E\"\n",
    );
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}
