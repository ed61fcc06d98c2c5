//! `syncline check` of a project file: its models, one after the other.

use super::{cache, file, Model};
use crate::args::CheckArgs;
use crate::{load, BAD_INPUT, INTERNAL, USAGE};
use std::path::Path;

/// Exit statuses, those first that say most about the whole.
const WORST: [u8; 6] = [INTERNAL, BAD_INPUT, USAGE, 10, 5, 0];

pub fn main(args: &CheckArgs, path: &Path) -> u8 {
    let models = match file::read(path) {
        Ok(models) => models,
        Err(errors) => {
            load::print_errors(&errors);
            return BAD_INPUT;
        }
    };
    let wanted: Vec<&Model> = models.iter().filter(|m| args.model.is_empty() || args.model.contains(&m.name)).collect();
    if let Some(name) = args.model.iter().find(|name| !models.iter().any(|m| m.name == **name)) {
        let known: Vec<&str> = models.iter().map(|m| m.name.as_str()).collect();
        eprintln!("error: there is no model {name} in {}; there are: {}", path.display(), known.join(", "));
        return USAGE;
    }
    if let [one] = wanted.as_slice() {
        return check(one, args, path);
    }
    if args.writes_files() || args.stamp.is_some() {
        eprintln!("error: a file for the results of several models: choose one with --model");
        return USAGE;
    }
    several(&wanted, args, path)
}

fn check(model: &Model, args: &CheckArgs, path: &Path) -> u8 {
    cache::check(model.arguments(args), &[path.to_path_buf()])
}

/// The models with a heading each, and a line for each at the end.
fn several(models: &[&Model], args: &CheckArgs, path: &Path) -> u8 {
    let mut statuses = Vec::new();
    for model in models {
        say!("== {} ==", model.name);
        statuses.push(check(model, args, path));
        say!("");
    }
    let word = |status: u8| match status {
        0 => "TRUE",
        5 => "UNKNOWN",
        10 => "FALSE",
        _ => "ERROR",
    };
    let width = models.iter().map(|m| m.name.len()).max().unwrap_or(0);
    for (model, &status) in models.iter().zip(&statuses) {
        say!("{:width$}  {}", model.name, word(status));
    }
    let worst = WORST.into_iter().find(|status| statuses.contains(status)).unwrap_or(INTERNAL);
    let which = models.iter().zip(&statuses).find(|(_, &status)| status == worst).map_or("", |(m, _)| &m.name);
    match worst {
        0 => say!("TRUE"),
        _ => say!("{}({which})", word(worst)),
    }
    worst
}
