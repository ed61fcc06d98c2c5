//! One fact of C a program: every file under `tests/conformance/<topic>` is judged by gcc and by `syncline`, in both
//! data models.
//!
//! Lines at the top of a program say what is expected:
//!
//! - `// verdict: TRUE`, or `// verdict 32: FALSE` and `// verdict 64: TRUE` where the models differ. `FALSE` alone is
//!   a failing `assert` or a reached error; `FALSE overflow` names the kind of property. `UNKNOWN` is for what the
//!   semantics page declares unsupported; anywhere else it is a failure.
//! - `// options: --check overflow` adds arguments for `syncline`.
//! - `// gcc: no, REASON` where gcc cannot judge, because the fact is undefined in C or needs an input;
//!   `// gcc: traps` where the compiled program is ended by the machine.
//!
//! gcc judges by running the program: one that is expected TRUE must end normally, one that is expected FALSE must
//! abort. So a wrong expectation fails here too. Adding a case is adding a file.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

const SIGABRT: i32 = 6;
const SIGFPE: i32 = 8;
const SIGSEGV: i32 = 11;

const GCC: [&str; 5] = ["-std=gnu11", "-O0", "-fwrapv", "-fgnu89-inline", "-w"];

/// What a compiled program may refer to beside the library. Inputs have no place in programs that gcc judges.
const VERIFIER: &str = "
void abort(void);
void exit(int);
void __VERIFIER_error(void) { abort(); }
void reach_error(void) { abort(); }
void __VERIFIER_assume(int truth) { if (!truth) exit(0); }
void __VERIFIER_assert(int truth) { if (!truth) abort(); }
";

struct Model {
    bits: &'static str,
    option: &'static str,
    gcc: &'static [&'static str],
}

const MODELS: [Model; 2] = [
    Model { bits: "32", option: "--32", gcc: &["-m32", "-msse2", "-mfpmath=sse"] },
    Model { bits: "64", option: "--64", gcc: &["-m64"] },
];

struct Case {
    path: PathBuf,
    text: String,
}

impl Case {
    /// The text after `// key:` at the top of the file.
    fn note(&self, key: &str) -> Option<&str> {
        let prefix = format!("// {key}:");
        let mut top = self.text.lines().take_while(|line| line.starts_with("//"));
        top.find_map(|line| line.strip_prefix(&prefix)).map(str::trim)
    }

    fn verdict(&self, model: &Model) -> Result<&str, String> {
        let own = self.note(&format!("verdict {}", model.bits));
        own.or_else(|| self.note("verdict")).ok_or_else(|| "no expected verdict".to_string())
    }
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let entries = |dir: &Path| -> Vec<PathBuf> {
        let read = std::fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
        read.map(|entry| entry.expect("an entry").path()).collect()
    };
    let mut paths: Vec<PathBuf> =
        entries(&root).iter().filter(|path| path.is_dir()).flat_map(|topic| entries(topic)).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "c"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Case { path, text }
    };
    paths.into_iter().map(read).collect()
}

/// A folder for compiled programs that is gone when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        let path = std::env::temp_dir().join(format!("syncline-conformance-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for compiled programs");
        Scratch(path)
    }

    fn verifier(&self, model: &Model) -> PathBuf {
        self.0.join(format!("verifier{}.o", model.bits))
    }

    fn compile_verifiers(&self) {
        let source = self.0.join("verifier.c");
        std::fs::write(&source, VERIFIER).expect("a file for the verifier's functions");
        for model in &MODELS {
            let mut gcc = Command::new("gcc");
            gcc.args(GCC).args(model.gcc).arg("-c").arg(&source).arg("-o").arg(self.verifier(model));
            let output = gcc.output().expect("gcc starts");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed stays in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Compiles and runs the program; `number` tells the programs apart.
fn execute(case: &Case, model: &Model, scratch: &Scratch, number: usize) -> Result<ExitStatus, String> {
    let program = scratch.0.join(format!("{number}-{}", model.bits));
    let mut gcc = Command::new("gcc");
    gcc.args(GCC).args(model.gcc).arg(&case.path).arg(scratch.verifier(model)).arg("-lm").arg("-o").arg(&program);
    let output = gcc.output().map_err(|error| format!("gcc does not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("gcc: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let output = Command::new("timeout").arg("10").arg(&program).output();
    let output = output.map_err(|error| format!("the compiled program does not start: {error}"))?;
    // As many programs as there are cases would fill the folder.
    let _ = std::fs::remove_file(&program);
    Ok(output.status)
}

fn judge_by_gcc(case: &Case, model: &Model, scratch: &Scratch, number: usize) -> Result<(), String> {
    let word = case.note("gcc").unwrap_or("yes");
    if word.starts_with("no") {
        return Ok(());
    }
    let status = execute(case, model, scratch, number)?;
    // `timeout` ends itself by the signal that ended the program.
    let agrees = match (word, case.verdict(model)?) {
        ("traps", "TRUE") => matches!(status.signal(), Some(SIGFPE | SIGSEGV)),
        ("yes", "TRUE") => status.code() == Some(0),
        ("yes", "FALSE") => status.signal() == Some(SIGABRT),
        (word, verdict) => return Err(format!("gcc cannot judge {verdict} with `{word}`")),
    };
    agrees.then_some(()).ok_or_else(|| format!("compiled by gcc, the run ends with {status}"))
}

/// Whether the last line of output is what the verdict asks for.
fn is_verdict(last: &str, verdict: &str) -> bool {
    let name = last.strip_prefix("FALSE(").and_then(|rest| rest.strip_suffix(')'));
    let has_kind = |kind: &str| name.is_some_and(|name| name.contains(&format!(".{kind}.")));
    match verdict.split_once(' ') {
        Some(("FALSE", kind)) => has_kind(kind),
        None if verdict == "FALSE" => has_kind("assertion") || has_kind("reach"),
        None if verdict == "UNKNOWN" => last.starts_with("UNKNOWN"),
        _ => last == verdict,
    }
}

fn judge_by_syncline(case: &Case, model: &Model) -> Result<(), String> {
    let verdict = case.verdict(model)?;
    let binary = std::env::var_os("SYNCLINE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_syncline").into());
    let options = case.note("options").unwrap_or("").split_whitespace();
    let output = Command::new(binary)
        .args(["check", "--time", "60", model.option])
        .args(options)
        .arg(&case.path)
        .output()
        .map_err(|error| format!("syncline does not start: {error}"))?;
    let out = String::from_utf8_lossy(&output.stdout);
    let last = out.lines().last().unwrap_or("nothing");
    if is_verdict(last, verdict) {
        return Ok(());
    }
    let err = String::from_utf8_lossy(&output.stderr);
    Err(format!("expected {verdict}, got {last}  {}", err.lines().next().unwrap_or("")))
}

fn judge(case: &Case, scratch: &Scratch, number: usize) -> Vec<String> {
    let mut complaints = Vec::new();
    for model in &MODELS {
        let mut add = |outcome: Result<(), String>| {
            if let Err(message) = outcome {
                complaints.push(format!("{} {}: {message}", case.path.display(), model.option));
            }
        };
        add(judge_by_gcc(case, model, scratch, number));
        add(judge_by_syncline(case, model));
    }
    complaints
}

#[test]
fn every_fact_gets_its_verdict() {
    let cases = cases();
    assert!(cases.len() >= 200, "only {} programs found", cases.len());
    let scratch = Scratch::new();
    scratch.compile_verifiers();
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(case) = cases.get(number) else { break };
                // Judged before the lock is taken, or the threads would wait for each other.
                let found = judge(case, &scratch, number);
                complaints.lock().expect("no panic holds it").extend(found);
            });
        }
    });
    let mut complaints = complaints.into_inner().expect("no panic holds it");
    complaints.sort();
    let (wrong, all) = (complaints.len(), cases.len() * MODELS.len());
    assert!(complaints.is_empty(), "{wrong} complaints about {all} runs:\n{}", complaints.join("\n"));
}
