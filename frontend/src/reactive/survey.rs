//! Which models a set of files holds, before anybody has said so: each step function, with the files it needs.

use super::names::Names;
use super::{find, Harness, Sources, Spec};
use crate::error::Errors;
use crate::hir::{Storage, Unit};
use crate::preprocess;
use crate::{parse, sema};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// One file by itself.
pub struct Surveyed {
    pub path: PathBuf,
    names: Names,
    defines: BTreeSet<String>,
    needs: BTreeSet<String>,
}

/// A step function, and the files of its program: its own first.
pub struct Candidate {
    pub step: String,
    pub files: Vec<PathBuf>,
}

/// Reads one file.
pub fn read(path: &PathBuf, options: &preprocess::Options) -> Result<Surveyed, Errors> {
    let work = || {
        let text = preprocess::preprocess(path, options)?;
        let names = Names::of(&parse::parse(text.clone(), &path.display().to_string())?);
        let unit = sema::analyse_texts(std::slice::from_ref(path), vec![text], options)?;
        let (defines, needs) = symbols(&unit, &names);
        Ok(Surveyed { path: path.clone(), names, defines, needs })
    };
    parse::on_big_stack(work).unwrap_or_else(|e| Err(super::fault(format!("no thread for the front end: {e}"))))
}

/// The names a file defines for others, and those it expects of others.
fn symbols(unit: &Unit, names: &Names) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut defines, mut needs) = (BTreeSet::new(), BTreeSet::new());
    for function in unit.functions.values().filter(|f| !f.library) {
        let called = names.calls.values().any(|callees| callees.contains(&function.name));
        match (function.body.is_some(), called) {
            (true, _) => drop(defines.insert(function.name.clone())),
            (false, true) => drop(needs.insert(function.name.clone())),
            (false, false) => {}
        }
    }
    for object in unit.objects.values().filter(|o| o.storage == Storage::Global) {
        let into = if object.defined { &mut defines } else { &mut needs };
        into.insert(object.name.clone());
    }
    (defines, needs)
}

/// The step functions of all files. Files that define `main` belong to none.
pub fn candidates(files: &[Surveyed]) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (own, file) in files.iter().enumerate() {
        for step in find::steps(files.iter().map(|f| &f.names), &file.names) {
            found.push(Candidate { step, files: program(files, own) });
        }
    }
    found
}

/// A file and those that define what is needed; of several that do, the one whose name begins most alike.
fn program(files: &[Surveyed], own: usize) -> Vec<PathBuf> {
    let (mut taken, mut open) = (vec![own], files[own].needs.clone());
    while let Some(name) = open.pop_first() {
        if taken.iter().any(|&n| files[n].defines.contains(&name)) {
            continue;
        }
        let defines = |&n: &usize| files[n].defines.contains(&name) && !files[n].defines.contains("main");
        let alike = |n: &usize| common(&files[*n].path, &files[own].path);
        if let Some(n) = (0..files.len()).filter(defines).max_by_key(alike) {
            taken.push(n);
            open.extend(files[n].needs.iter().cloned());
        }
    }
    taken.into_iter().map(|n| files[n].path.clone()).collect()
}

fn common(a: &std::path::Path, b: &std::path::Path) -> usize {
    let (a, b) = (a.to_string_lossy(), b.to_string_lossy());
    a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count()
}

/// The harness a program would get.
pub fn harness(files: &[PathBuf], options: &preprocess::Options, spec: &Spec) -> Result<Option<Harness>, Errors> {
    let work = || {
        let texts: Vec<_> = files.iter().map(|f| preprocess::preprocess(f, options)).collect::<Result<_, _>>()?;
        let unit = sema::analyse_texts(files, texts.clone(), options)?;
        super::harness(&Sources { files, options, texts, unit }, spec)
    };
    parse::on_big_stack(work).unwrap_or_else(|e| Err(super::fault(format!("no thread for the front end: {e}"))))
}
