//! Programs without `main`: the harness that calls them step by step.
//!
//! Every program of `tests/harness` says in its first lines what arguments it needs and what the verdicts are. A
//! counterexample is judged by gcc: `--test` writes the program with its harness, and running it must abort.

use serde_json::Value as Json;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SIGABRT: i32 = 6;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/harness")
}

fn syncline(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_syncline")).args(args).current_dir(folder()).output().expect("syncline runs")
}

/// The verdicts of a run, by property.
fn verdicts(output: &Output) -> Vec<(String, String)> {
    let json: Json = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    let text = |p: &Json, key: &str| p[key].as_str().expect("a text").to_string();
    let properties = json["properties"].as_array().expect("properties");
    properties.iter().map(|p| (text(p, "name"), text(p, "verdict"))).collect()
}

/// What the first lines say: arguments, and pairs of property and verdict.
fn head(path: &Path) -> (Vec<String>, Vec<(String, String)>) {
    let text = std::fs::read_to_string(path).expect("a program");
    let (mut args, mut expected) = (Vec::new(), Vec::new());
    for line in text.lines().map_while(|l| l.strip_prefix("// ")) {
        if let Some(rest) = line.strip_prefix("args:") {
            args.extend(rest.split_whitespace().map(String::from));
        } else if let Some((name, verdict @ ("SAFE" | "UNSAFE"))) = line.split_once(' ') {
            expected.push((name.to_string(), verdict.to_string()));
        }
    }
    (args, expected)
}

/// Compiles a test with the command of its first line, and runs it.
fn aborts(test: &Path) {
    let text = std::fs::read_to_string(test).expect("a test was written");
    let command = text.lines().next().and_then(|l| l.strip_prefix("// ")).expect("a command");
    let here = test.parent().expect("a folder");
    let words: Vec<&str> = command.split_whitespace().collect();
    let compiled = Command::new(words[0]).args(&words[1..]).current_dir(here).output().expect("gcc runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(test.with_extension("")).output().expect("the test runs");
    assert_eq!(ran.status.signal(), Some(SIGABRT), "{}: {ran:?}", test.display());
}

#[test]
fn programs_have_their_verdicts() {
    let temp = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder()).expect("programs").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    for path in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "c")) {
        let (args, expected) = head(path);
        for model in ["--32", "--64"] {
            let name = format!("{}{model}.c", path.file_stem().unwrap_or_default().to_string_lossy());
            let test = temp.path().join(name);
            let mut all = vec!["check", "--time", "60", "--json", "-", model, "--test"];
            all.extend([test.to_str().expect("UTF-8"), path.to_str().expect("UTF-8")]);
            all.extend(args.iter().map(String::as_str));
            let output = syncline(&all);
            assert_eq!(verdicts(&output), expected, "{} {model}", path.display());
            if expected.iter().any(|(_, verdict)| verdict == "UNSAFE") {
                aborts(&test);
            }
        }
    }
}

#[test]
fn a_trace_is_a_table_of_steps() {
    let output = syncline(&["check", "kcg.c"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows: Vec<&str> = text.lines().skip_while(|l| !l.contains("step  inputs")).collect();
    assert!(rows[1].trim_start().starts_with("0 ") && rows[1].contains("outC.init = 1"), "{text}");
    assert!(rows[2].trim_start().starts_with("1 ") && rows[2].contains("inC.up = "), "{text}");
    assert!(rows[4].contains("outC.pos = 2"), "{text}");
    assert!(text.contains("`Lift` is called for ever, after `Lift_reset`"), "{text}");
}

#[test]
fn what_is_wrong_is_said() {
    let cases: &[(&[&str], &str)] = &[
        (&["kcg.c", "--step", "Lift2"], "--step: error: there is no function `Lift2`"),
        (&["kcg.c", "--init", "no"], "--init: error: there is no function `no`"),
        (&["kcg.c", "--input", "inC.down"], "no input is called `inC.down`; there are: inC.up, inC.floor"),
        (&["kcg.c", "--input", "inC.floor=5..1"], "the range 5..1 of `inC.floor` is empty"),
        (&["kcg.c", "--input", "inC.up=-1..1"], "is not inside of its type"),
        (&["kcg.c", "--input", "inC.floor=0.5..1"], "must be of whole numbers"),
        (&["kcg.c", "heptagon.c"], "several step functions: Hept__main_step, Lift"),
    ];
    for (args, words) in cases {
        let output = syncline(&[&["check"], *args].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(words), "{args:?}: {said}");
    }
    let output = syncline(&["check", "kcg.c", "--input", "inC.floor=1"]);
    assert_eq!(output.status.code(), Some(1));
}
