//! The step function and the one that is called before the first step, by what they are called.

use super::names::{Names, Param, Shape};
use super::{fault, Said, Spec};
use crate::error::Errors;
use crate::hir::Unit;
use std::collections::BTreeSet;

/// The endings of functions that bring a model to its start, the likeliest first.
const INITS: &[&str] = &["initialize", "Initialize", "init", "Init", "INIT", "reset", "Reset", "RESET"];

pub struct Found {
    /// The file that defines the step function.
    pub file: usize,
    pub step: String,
    pub init: Option<String>,
    /// Functions of the program that neither of them calls.
    pub idle: Vec<String>,
}

/// `None` if nothing is said and there is no candidate.
pub fn find(unit: &Unit, names: &[Names], spec: &Spec) -> Result<Option<Found>, Errors> {
    let step = match &spec.step {
        Some(said) => defined(unit, said)?,
        None => match candidates(names).as_slice() {
            [] if spec.is_empty() => return Ok(None),
            [] => return Err(fault("no step function was found: name it with --step, or `step` in syncline.toml")),
            [one] => one.clone(),
            several => {
                let words = several.join(", ");
                return Err(fault(format!(
                    "several step functions: {words}; name one with --step, or `step` in syncline.toml"
                )));
            }
        },
    };
    let init = match &spec.init {
        Some(said) => Some(defined(unit, said)?),
        None => initial(names, &step),
    };
    let file = names.iter().position(|n| n.functions.contains_key(&step));
    let Some(file) = file else { return Err(fault(format!("the definition of `{step}` was not found in the text"))) };
    let mut run = reached(names, &step);
    run.extend(init.iter().flat_map(|init| reached(names, init)));
    let defined: BTreeSet<&String> = names.iter().flat_map(|n| n.functions.keys()).collect();
    let idle = defined.into_iter().filter(|f| !run.contains(*f) && *f != "main");
    Ok(Some(Found { file, idle: idle.cloned().collect(), step, init }))
}

/// The function a user has named.
fn defined(unit: &Unit, said: &Said) -> Result<String, Errors> {
    match unit.functions.values().find(|f| f.name == said.text) {
        Some(f) if f.body.is_some() && !f.library => Ok(said.text.clone()),
        Some(_) => Err(said.error(format!("`{}` is only declared: give the file that defines it too", said.text))),
        None => {
            let defined = unit.functions.values().filter(|f| f.body.is_some() && !f.library);
            let known: Vec<&str> = defined.take(8).map(|f| f.name.as_str()).collect();
            Err(said.error(format!("there is no function `{}` (defined are: {})", said.text, known.join(", "))))
        }
    }
}

/// Functions that look like steps and that no other function calls.
fn candidates(names: &[Names]) -> Vec<String> {
    let found: BTreeSet<String> = names.iter().flat_map(|own| steps(names.iter(), own)).collect();
    found.into_iter().collect()
}

/// Those of one of the files.
pub fn steps<'n>(all: impl Iterator<Item = &'n Names>, own: &Names) -> Vec<String> {
    // A file with `main` is an example of how to call them.
    let calls = all.filter(|n| !n.functions.contains_key("main")).flat_map(|n| &n.calls);
    let called: BTreeSet<&String> =
        calls.flat_map(|(caller, callees)| callees.iter().filter(move |callee| *callee != caller)).collect();
    let has_context = |name: &String, params: &[Param]| {
        let context = format!("outC_{name}");
        params.iter().any(|p| p.base.alias.as_ref() == Some(&context) && own.shape(p) == Shape::Pointer)
    };
    let looks = |(name, params): &(&String, &Vec<Param>)| stem(name).is_some() || has_context(name, params);
    let found = own.functions.iter().filter(looks).map(|(name, _)| name);
    found.filter(|name| !called.contains(name)).cloned().collect()
}

/// What is before `step` in the name of a step function; empty if it is all of it.
fn stem(name: &str) -> Option<&str> {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = name.strip_suffix("step").or_else(|| name.strip_suffix("Step"))?;
    (stem.is_empty() || stem.ends_with('_')).then(|| stem.trim_end_matches('_'))
}

/// The function that begins: named as the step is, or the only one of such a name.
fn initial(names: &[Names], step: &str) -> Option<String> {
    let defined = |name: &str| names.iter().any(|n| n.functions.contains_key(name));
    let stem = stem(step).unwrap_or(step);
    for ending in INITS {
        let name = if stem.is_empty() { ending.to_string() } else { format!("{stem}_{ending}") };
        if defined(&name) {
            return Some(name);
        }
    }
    let reached = reached(names, step);
    let ends = |name: &str| INITS.iter().any(|e| name == *e || name.ends_with(&format!("_{e}")));
    let all = names.iter().flat_map(|n| n.functions.keys());
    let mut others = all.filter(|name| ends(name) && !reached.contains(*name));
    match (others.next(), others.next()) {
        (Some(one), None) => Some(one.clone()),
        _ => None,
    }
}

/// The functions a function calls, itself among them.
fn reached(names: &[Names], from: &str) -> BTreeSet<String> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from.to_string()]);
    while let Some(name) = open.pop() {
        let callees = names.iter().filter_map(|n| n.calls.get(&name)).flatten().cloned();
        open.extend(callees.filter(|c| !reached.contains(c)));
        reached.insert(name);
    }
    reached
}
