//! `syncline.toml`: what is to be checked, and how, for one model or several (`docs/project.md`).
//!
//! ```text
//! file     the file as it is written         requirement   always, never, leads to, until
//! check    its models, one after the other   commands      compile_commands.json
//! cache    results by what they depend on    make          stamps and dependencies
//! init     `syncline init`
//! ```

pub mod cache;
pub mod check;
mod commands;
mod file;
pub mod init;
mod make;
mod requirement;

use crate::args::{CheckArgs, CheckKind, EngineName};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use syncline_frontend::reactive::Spec;

/// The name of the file.
pub const NAME: &str = "syncline.toml";

/// One program of the file, and what is asked of it.
#[derive(Debug)]
pub struct Model {
    pub name: String,
    pub files: Vec<PathBuf>,
    include: Vec<String>,
    define: Vec<String>,
    stand_ins: Vec<String>,
    ilp32: Option<bool>,
    entry: Option<String>,
    checks: Vec<CheckKind>,
    engine: Option<EngineName>,
    time: Option<f64>,
    memory: Option<u64>,
    spec: Spec,
}

impl Model {
    /// The arguments of a check of this model: what the command line says beside the file comes first.
    fn arguments(&self, args: &CheckArgs) -> CheckArgs {
        let mut args = args.clone();
        let input = &mut args.input;
        input.files = self.files.clone();
        input.include.extend(self.include.iter().cloned());
        input.define.extend(self.define.iter().cloned());
        input.stand_in.extend(self.stand_ins.iter().cloned());
        if !input.ilp32 && !input.lp64 {
            input.ilp32 = self.ilp32.unwrap_or(false);
        }
        if let Some(entry) = &self.entry {
            input.entry = entry.clone();
        }
        input.check.extend(self.checks.iter().copied());
        input.spec = Some(Arc::new(self.spec.clone()));
        args.engine = args.engine.or(self.engine);
        args.time = args.time.or(self.time);
        args.memory = args.memory.or(self.memory);
        args
    }
}

/// The project file that the arguments name, or the one that is here if they name nothing.
pub fn named(files: &[PathBuf]) -> Option<PathBuf> {
    match files {
        [] => Path::new(NAME).exists().then(|| PathBuf::from(NAME)),
        [one] if one.extension().is_some_and(|e| e == "toml") => Some(one.clone()),
        [one] if one.is_dir() && one.join(NAME).exists() => Some(one.join(NAME)),
        _ => None,
    }
}
