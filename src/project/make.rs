//! For make: a stamp when everything is SAFE, what it depends on, and the fragment with the targets.

use super::{cache, Model, NAME};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use syncline_frontend::preprocess::Text;

/// The fragment's name.
pub const FRAGMENT: &str = "syncline.mk";
/// Where results and stamps are.
const DIR: &str = ".syncline";

/// Writes the stamp if the verdict allows it, and beside it the dependencies in any case.
pub fn stamp(path: &Path, safe: bool, texts: &[Text], beside: &[PathBuf]) -> Result<(), String> {
    let failed = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    let mut list = path.as_os_str().to_owned();
    list.push(".d");
    let list = PathBuf::from(list);
    cache::replace(&list, dependencies(path, texts, beside).as_bytes()).map_err(|e| failed(&list, e))?;
    match safe {
        true => cache::replace(path, b"every property is SAFE\n").map_err(|e| failed(path, e)),
        false => Ok(()),
    }
}

/// The files the texts come from, as make reads them; one that is gone is no error.
fn dependencies(target: &Path, texts: &[Text], beside: &[PathBuf]) -> String {
    // The tool too: another build may decide otherwise.
    let tool = std::env::current_exe().ok();
    let mut files: BTreeSet<String> = beside.iter().chain(&tool).map(|p| p.display().to_string()).collect();
    files.extend(texts.iter().flat_map(|t| t.text.lines()).filter_map(marked).map(str::to_string));
    let words: Vec<String> = files.iter().map(|f| escaped(f)).collect();
    let mut out = format!("{}: \\\n  {}\n", escaped(&target.display().to_string()), words.join(" \\\n  "));
    words.iter().for_each(|word| {
        let _ = write!(out, "\n{word}:\n");
    });
    out
}

/// The file of a line marker: `# 12 "file.h" 1`.
fn marked(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("# ")?.trim_start_matches(|c: char| c.is_ascii_digit());
    let name = rest.strip_prefix(" \"")?.split('"').next()?;
    (!name.is_empty() && !name.starts_with('<') && !name.ends_with('/')).then_some(name)
}

fn escaped(name: &str) -> String {
    name.replace('$', "$$").replace(' ', "\\ ").replace('#', "\\#").replace(':', "\\:")
}

/// The fragment with a target for each model.
pub fn fragment(models: &[Model]) -> String {
    let mut out = String::from(
        "# Written by `syncline init --make`: include it in a Makefile, or call `make -f syncline.mk verify`.\n\
         # `verify` checks all models; a model is checked again when a file it depends on has changed.\n\
         SYNCLINE ?= syncline\n\nSYNCLINE_MODELS :=",
    );
    models.iter().for_each(|m| {
        let _ = write!(out, " {}", m.name);
    });
    let _ = write!(
        out,
        "\n\n.PHONY: verify $(SYNCLINE_MODELS:%=verify-%)\n\
         verify: $(SYNCLINE_MODELS:%=verify-%)\n\
         $(SYNCLINE_MODELS:%=verify-%): verify-%: {DIR}/%.safe\n\n\
         $(SYNCLINE_MODELS:%={DIR}/%.safe): {DIR}/%.safe: {NAME}\n\
         \t@$(SYNCLINE) check {NAME} --model $* --cache {DIR} --stamp $@\n\n\
         -include $(SYNCLINE_MODELS:%={DIR}/%.safe.d)\n"
    );
    out
}
