//! `--test`: the counterexample, compiled by gcc with the command of its first line, aborts at the property.
//!
//! Every program of `tests/testcase` and `tests/verdict/unsafe` is tried in both data models, unless a line such as
//! `// args: --32` at its top chooses one; other arguments there are passed on.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

const SIGABRT: i32 = 6;

/// Programs whose run rests on what gcc does not do; the tool must say so.
const LEFT_TO_GCC: [&str; 1] = ["shift_by_too_much.c"];

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut paths = Vec::new();
    for folder in ["testcase", "verdict/unsafe"] {
        paths.extend(std::fs::read_dir(root.join(folder)).expect(folder).map(|e| e.expect("an entry").path()));
    }
    paths.sort();
    paths
}

fn arguments(path: &Path) -> Vec<String> {
    let text = String::from_utf8_lossy(&std::fs::read(path).expect("a program")).into_owned();
    let lines = text.lines().take_while(|l| l.starts_with("//")).filter_map(|l| l.strip_prefix("// args:"));
    lines.flat_map(str::split_whitespace).map(String::from).collect()
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("syncline-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn check(path: &Path, model: &str, test: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncline"));
    command.args(["check", "--time", "60", model]).args(arguments(path)).arg("--test").arg(test).arg(path);
    command.output().expect("syncline runs")
}

/// Compiles with the command of the first line, and runs.
fn run(folder: &Path, test: &str) -> Result<Output, String> {
    let first = test.lines().next().unwrap_or_default();
    let words: Vec<&str> = first.strip_prefix("// ").unwrap_or_default().split_whitespace().collect();
    let [gcc, args @ ..] = words.as_slice() else { return Err(format!("no command in {first:?}")) };
    let compiled = Command::new(gcc).args(args).current_dir(folder).output().map_err(|e| e.to_string())?;
    if !compiled.status.success() {
        return Err(format!("gcc: {}", String::from_utf8_lossy(&compiled.stderr)));
    }
    Command::new(folder.join("t")).current_dir(folder).output().map_err(|e| e.to_string())
}

fn tried(path: &Path, model: &str) -> Result<(), String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = Folder::new(&format!("{name}{model}"));
    let file = folder.0.join("t.c");
    let output = check(path, model, &file);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() != Some(10) {
        return Err(format!("exit status {:?}: {said}", output.status.code()));
    }
    if std::fs::read_to_string(path).is_ok_and(|text| text.contains("#include <syncline.h>")) {
        let why = "the trace of a synchronous system is no run of a C program";
        return if said.contains(why) && !file.exists() { Ok(()) } else { Err(format!("no word of why: {said}")) };
    }
    let bytes = std::fs::read(&file).map_err(|e| format!("no test: {e}; {said}"))?;
    let test = String::from_utf8_lossy(&bytes);
    if LEFT_TO_GCC.contains(&name.as_str()) {
        return if said.contains("no edit of the source") { Ok(()) } else { Err("does not say why".into()) };
    }
    let output = run(&folder.0, &test)?;
    match output.status.signal() {
        Some(SIGABRT) => Ok(()),
        _ => Err(format!("{:?}: {}{said}", output.status, String::from_utf8_lossy(&output.stderr))),
    }
}

#[test]
fn every_test_aborts_at_its_property() {
    let programs = programs();
    let models = ["--32", "--64"];
    let fixed = |p: &Path| arguments(p).iter().any(|a| models.contains(&a.as_str()));
    let cases: Vec<(&Path, &str)> = programs
        .iter()
        .flat_map(|p| models.map(|m| (p.as_path(), m)))
        .filter(|&(p, m)| !fixed(p) || arguments(p).iter().any(|a| a == m))
        .collect();
    assert!(cases.len() >= 60, "only {} cases found", cases.len());
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(&(path, model)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(message) = tried(path, model) {
                        let message = format!("{} {model}: {message}", path.display());
                        failures.lock().expect("no panic holds it").push(message);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic holds it");
    assert!(failures.is_empty(), "{} of {} fail:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

#[test]
fn says_why_there_is_no_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/testcase");
    let folder = Folder::new("several");
    let file = folder.0.join("t.c");
    std::fs::write(folder.0.join("other.c"), "int other_file;\n").expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_syncline"))
        .args(["check", "--json", "-", "--test"])
        .arg(&file)
        .arg(root.join("nondet_in_order.c"))
        .arg(folder.0.join("other.c"))
        .output()
        .expect("syncline runs");
    assert_eq!(output.status.code(), Some(10));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no test of main.reach.1: a test is one file"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("a test is one file"));
    assert!(!file.exists());
}
