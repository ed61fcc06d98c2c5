//! The folder is the expected verdict: every program under `tests/verdict/{safe,unsafe,unknown,error}` is checked.
//!
//! Lines at the top of a program say more: `// args: --32 --unwind 3` adds arguments, `// last: FALSE(main.reach.1)`
//! is the expected last line of output, `// says: text` must occur in what is printed. Adding a case is adding a file.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

const FOLDERS: [(&str, i32); 4] = [("safe", 0), ("unsafe", 10), ("unknown", 5), ("error", 2)];

struct Case {
    path: PathBuf,
    status: i32,
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdict");
    let mut cases = Vec::new();
    for (folder, status) in FOLDERS {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(root.join(folder)).expect(folder).map(|e| e.expect("an entry").path()).collect();
        paths.sort();
        cases.extend(paths.into_iter().map(|path| Case { path, status }));
    }
    cases
}

/// The texts after `// key:` at the top of the file.
fn notes<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let prefix = format!("// {key}:");
    text.lines().take_while(|l| l.starts_with("//")).filter_map(|l| l.strip_prefix(&prefix)).map(str::trim).collect()
}

/// Checks a program with these options before its own.
fn check(path: &Path, text: &str, options: &[&str]) -> Result<Output, String> {
    let args = notes(text, "args").into_iter().flat_map(str::split_whitespace);
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncline"));
    command.arg("check").args(options).args(args).arg(path);
    command.output().map_err(|e| e.to_string())
}

fn run(case: &Case) -> Result<(), String> {
    let bytes = std::fs::read(&case.path).map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&bytes);
    let output = check(&case.path, &text, &["--time", "60"])?;
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    let fail = |what: String| Err(format!("{}: {what}\n{out}{err}", case.path.display()));
    if output.status.code() != Some(case.status) {
        return fail(format!("exit status {:?}, expected {}", output.status.code(), case.status));
    }
    if let Some(expected) = notes(&text, "last").first() {
        if out.lines().last() != Some(*expected) {
            return fail(format!("the last line is not {expected}"));
        }
    }
    for expected in notes(&text, "says") {
        if !out.contains(expected) && !err.contains(expected) {
            return fail(format!("does not say {expected}"));
        }
    }
    Ok(())
}

/// With this engine alone (and its options): the same verdict, or none. Whether there was one.
fn agrees(case: &Case, engine: &str) -> Result<bool, String> {
    let bytes = std::fs::read(&case.path).map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&bytes);
    if notes(&text, "args").iter().any(|a| a.contains("--engine") || a.contains("--unwind")) {
        return Ok(false);
    }
    let options: Vec<&str> = ["--time", "1", "--engine"].into_iter().chain(engine.split_whitespace()).collect();
    let output = check(&case.path, &text, &options)?;
    let out = String::from_utf8_lossy(&output.stdout);
    match output.status.code() {
        // An engine that cannot show what it says is wrong, whatever comes of it.
        Some(5) if !out.contains("the evidence was refused") => Ok(false),
        Some(status) if status == case.status => Ok(true),
        status => Err(format!(
            "{} with {engine}: exit status {status:?}, expected {}\n{out}",
            case.path.display(),
            case.status
        )),
    }
}

/// Works on all items with two threads.
fn for_all<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(item);
                }
            });
        }
    });
}

#[test]
fn every_program_gets_its_verdict() {
    let cases = cases();
    assert!(cases.len() >= 40, "only {} cases found", cases.len());
    let failures = Mutex::new(Vec::new());
    for_all(&cases, |case| {
        if let Err(message) = run(case) {
            failures.lock().expect("no panic holds it").push(message);
        }
    });
    let failures = failures.into_inner().expect("no panic holds it");
    assert!(failures.is_empty(), "{} of {} fail:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

/// Engines that need not decide everything (the first test asks all of them side by side), and the least share (in percent) of the programs that each decides. Variants,
/// which are there to compare with, are asked about every sixth program; a small bound costs nothing.
const ENGINES: [(&str, usize); 15] = [
    ("auto --no-guesses --no-invariants --no-accelerate", 40),
    ("bmc", 40),
    ("bmc --unwind 2", 10),
    ("kinduction", 60),
    ("kinduction --simple-path", 60),
    ("pdr", 30),
    ("explicit", 20),
    ("lawi", 30),
    ("lawi --lawi-vectors", 30),
    ("lawi --lawi-edges statements", 30),
    ("kinduction --eager 0", 60),
    ("lawi --eager 0", 30),
    ("inline", 40),
    ("inline --inline-bare --inline-strategy tree", 40),
    ("inline --inline-refine vc", 40),
];

#[test]
fn no_engine_contradicts() {
    let cases: Vec<Case> = cases().into_iter().filter(|c| c.status == 0 || c.status == 10).collect();
    let all = cases;
    for (n, (engine, least)) in ENGINES.into_iter().enumerate() {
        let is_asked = |k: usize| !engine.contains(' ') || engine.contains("--unwind") || k % 6 == n % 6;
        let cases: Vec<&Case> = all.iter().enumerate().filter(|&(k, _)| is_asked(k)).map(|(_, case)| case).collect();
        let decided = AtomicUsize::new(0);
        let failures = Mutex::new(Vec::new());
        for_all(&cases, |case| match agrees(case, engine) {
            Ok(true) => {
                decided.fetch_add(1, Ordering::Relaxed);
            }
            Ok(false) => {}
            Err(message) => failures.lock().expect("no panic holds it").push(message),
        });
        let failures = failures.into_inner().expect("no panic holds it");
        assert!(failures.is_empty(), "{engine}: {} wrong:\n{}", failures.len(), failures.join("\n"));
        let decided = decided.into_inner();
        println!("{engine} decides {decided} of {}", cases.len());
        assert!(decided * 100 >= cases.len() * least, "{engine} decides only {decided} of {}", cases.len());
    }
}
