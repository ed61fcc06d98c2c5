//! `syncline sim`: what it prints, its exit statuses, bad input.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn sim(chart: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_syncline")).arg("sim").arg(chart).args(arguments).output().unwrap()
}

fn rule(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/statechart/rules").join(name)
}

/// A file in the test's own directory.
fn file(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn texts(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_run_without_faults() {
    let inputs = file("s3.csv", "go\n1\n0\n0\n1\n");
    let (status, out, err) = texts(&sim(&rule("S3.xml"), &["--inputs", &inputs]));
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 6, "{out}");
    assert!(lines[0].starts_with("step  time  inputs  transitions"), "{out}");
    assert!(lines[2].contains("a -> b: go/e") && lines[2].trim_end().ends_with('e'), "{out}");
    assert!(lines[3].contains("c -> d: e"), "{out}");
    assert_eq!(lines[4].split_whitespace().collect::<Vec<_>>(), ["3", "3"]);
    let (status, out, _) = texts(&sim(&rule("S3.xml"), &["--inputs", &inputs, "--csv"]));
    assert_eq!(status, Some(0));
    assert_eq!(out.lines().nth(2), Some("1,1,go,a -> b: go/e,a,b,e,"));
}

#[test]
fn faults_and_violations_show_in_the_exit_status() {
    let inputs = file("a3.csv", "go\n1\n");
    let (status, out, _) = texts(&sim(&rule("A3.xml"), &["--inputs", &inputs]));
    assert_eq!(status, Some(10));
    assert!(out.contains("race on x: 1 | 2") && out.contains("x = 1"), "{out}");
    let by_chance = |seed: &str| texts(&sim(&rule("A3.xml"), &["--inputs", &inputs, "--seed", seed])).1;
    let chosen: Vec<bool> = (1..20).map(|seed| by_chance(&seed.to_string()).contains("x = 2")).collect();
    assert!(chosen.contains(&true) && chosen.contains(&false));
    assert_eq!(by_chance("5"), by_chance("5"));
    let inputs = file("r.csv", "x\n3\n8\n");
    let (status, out, _) = texts(&sim(&rule("R.xml"), &["--inputs", &inputs]));
    assert_eq!(status, Some(10));
    assert!(out.lines().nth(3).unwrap().ends_with("R1 is violated; R4 is violated"), "{out}");
    assert_eq!(sim(&rule("R.xml"), &["--steps", "5"]).status.code(), Some(0));
}

#[test]
fn bad_input_is_said_with_its_place() {
    let (status, _, err) = texts(&sim(Path::new("no-such.xml"), &[]));
    assert_eq!(status, Some(2));
    assert!(err.contains("no-such.xml"), "{err}");
    let inputs = file("bad.csv", "go,gone\n1,0\n7,0\n");
    let (status, out, err) = texts(&sim(&rule("S3.xml"), &["--inputs", &inputs]));
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert!(err.contains("bad.csv:1:4: `gone` is no input of the chart; its inputs are time, go"), "{err}");
    assert!(err.contains("bad.csv:3:1: `7` is neither 0 nor 1, and the column is an event"), "{err}");
    let (status, _, err) = texts(&sim(&rule("S3.xml"), &["--inputs", "no-such.csv"]));
    assert_eq!(status, Some(2));
    assert!(err.contains("no-such.csv"), "{err}");
    let chart = file("bad.xml", "<statechart name=\"c\"><stat name=\"a\"/></statechart>");
    let (status, _, err) = texts(&sim(Path::new(&chart), &[]));
    assert_eq!(status, Some(2));
    assert!(err.contains("bad.xml:1:23"), "{err}");
    assert_eq!(sim(&rule("S3.xml"), &["--what"]).status.code(), Some(1));
}
