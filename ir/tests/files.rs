//! Runs every `tests/ir/*.ir`. The first line of a file names what is done with the rest:
//!
//! - `test roundtrip`: the text is exactly what the writer gives for the program it reads as, which verifies.
//!   `BLESS=1` writes the file anew.
//! - `test read`: it reads and verifies, and the writer's text for it reads back as the same program.
//! - `test read-fail: SUBSTRING`: it does not read; the error (`line:column: message`) has this in it.
//! - `test verify-fail: SUBSTRING`: it reads and does not verify; a violation has this in it.
//! - `test pass NAME`: belongs to the tests of the passes.
//!
//! Lines count from the file's first, so positions in errors are the file's.

use std::fs;
use std::path::{Path, PathBuf};
use syncline_ir::{read, verify, write, Program};

pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ir")
}

fn read_ok(text: &str) -> Result<Program, String> {
    read::program(text).map_err(|e| e.to_string())
}

fn verify_ok(program: &Program) -> Result<(), String> {
    verify::verify(program).map_err(|all| all.iter().map(|v| format!("{v}\n")).collect())
}

fn roundtrip(path: &Path, first: &str, body: &str) -> Result<(), String> {
    let program = read_ok(&format!("\n{body}"))?;
    verify_ok(&program)?;
    let written = write::program(&program);
    if written == body {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() {
        return fs::write(path, format!("{first}\n{written}")).map_err(|e| e.to_string());
    }
    let differs = written.lines().zip(body.lines()).find(|(w, b)| w != b);
    Err(format!("the writer gives another text, first {differs:?}"))
}

fn reads(body: &str) -> Result<(), String> {
    let program = read_ok(&format!("\n{body}"))?;
    verify_ok(&program)?;
    let written = write::program(&program);
    let again = read_ok(&written)?;
    if format!("{program:?}") != format!("{again:?}") {
        return Err(format!("another program after a round trip:\n{written}"));
    }
    match write::program(&again) == written {
        true => Ok(()),
        false => Err("another text after a round trip".to_string()),
    }
}

fn has(found: &str, wanted: &str) -> Result<(), String> {
    match found.contains(wanted) {
        true => Ok(()),
        false => Err(format!("`{wanted}` is not in: {found}")),
    }
}

fn read_fails(body: &str, wanted: &str) -> Result<(), String> {
    match read::program(&format!("\n{body}")) {
        Ok(_) => Err("it reads".to_string()),
        Err(error) => has(&error.to_string(), wanted),
    }
}

fn verify_fails(body: &str, wanted: &str) -> Result<(), String> {
    match verify_ok(&read_ok(&format!("\n{body}"))?) {
        Ok(()) => Err("it verifies".to_string()),
        Err(all) => has(&all, wanted),
    }
}

fn run(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
    let (first, body) = text.split_once('\n').ok_or("no first line")?;
    let command = first.strip_prefix("test ").ok_or("the first line is not `test ...`")?;
    match command.split_once(": ").unwrap_or((command, "")) {
        ("roundtrip", "") => roundtrip(path, first, body),
        ("read", "") => reads(body),
        ("read-fail", wanted) => read_fails(body, wanted),
        ("verify-fail", wanted) => verify_fails(body, wanted),
        (pass, _) if pass.starts_with("pass ") => Ok(()),
        _ => Err(format!("unknown test `{command}`")),
    }
}

#[test]
fn every_file() {
    let entries = fs::read_dir(directory()).expect("tests/ir is there");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("a readable entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "ir"));
    paths.sort();
    let mut failures = String::new();
    for path in &paths {
        if let Err(message) = run(path) {
            failures += &format!("{}: {message}\n", path.display());
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
    assert!(!paths.is_empty());
}
