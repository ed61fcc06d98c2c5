//! Programs that judge generated programs: compiled by gcc, run once, and believed in what they print.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::process::{compile, run, Model};

/// The harness is optimised (with the same semantics) and stops at undefined behaviour.
const HARNESS_OPTIONS: [&str; 4] =
    ["-O1", "-fsanitize=undefined", "-fno-sanitize=shift-base", "-fno-sanitize-recover=all"];

/// Compiles and runs a harness; gives what it prints.
pub fn harness(model: Model, dir: &Path, name: &str, text: &str) -> Result<String, String> {
    let (source, program) = (dir.join(format!("{name}.c")), dir.join(format!("{name}.exe")));
    std::fs::write(&source, text).map_err(|error| error.to_string())?;
    compile(model, &source, &program, &HARNESS_OPTIONS)?;
    let outcome = run(&mut Command::new(&program), Duration::from_secs(60));
    let _ = std::fs::remove_file(&program);
    match outcome.status {
        Some(0) if outcome.stderr.is_empty() => {
            let _ = std::fs::remove_file(&source);
            Ok(String::from_utf8_lossy(&outcome.stdout).into_owned())
        }
        status => Err(format!("{} ends with {status:?}: {}", source.display(), outcome.last_error_line())),
    }
}
