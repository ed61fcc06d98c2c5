//! Report files, each held against the schema of its format: SARIF against the official one (it comes with the package
//! `serde-sarif`), JSON against `docs/report.schema.json`, JUnit and witnesses against transcriptions of their rules in
//! `tests/schemas`. What they say must agree with each other and with the exit status.

use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A directory of a test's own, empty.
fn directory(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("reports").join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a directory");
    path
}

/// Runs the tool in the project's root.
fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_syncline")).current_dir(root()).args(args).output().expect("the tool starts")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn json(path: &Path) -> Json {
    serde_json::from_str(&read(path)).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Fails with every place where the value is not as the schema wants it.
fn validate(schema: &Json, value: &Json, what: &str) {
    let validator = jsonschema::validator_for(schema).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path)).collect();
    assert!(errors.is_empty(), "{what}:\n{}", errors.join("\n"));
}

/// The platform this is, in cargo's words: packages for others need not be here.
fn platform() -> String {
    let output = Command::new("rustc").arg("-vV").output().expect("rustc starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find_map(|line| line.strip_prefix("host: ")).expect("the host").to_string()
}

/// The official schema of SARIF, from the sources of a package that has it.
fn sarif_schema() -> Json {
    let output = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["metadata", "--offline", "--format-version", "1", "--filter-platform", &platform()])
        .output()
        .expect("cargo starts");
    let metadata: Json =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("cargo's metadata: {e}: {output:?}"));
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|p| p["name"] == "serde-sarif").expect("serde-sarif");
    let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
    let schema = json(&manifest.with_file_name("src").join("schema.json"));
    assert_eq!(schema["title"], "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema");
    schema
}

fn validate_junit(path: &Path) {
    let schema = root().join("tests/schemas/junit.xsd");
    let output = Command::new("xmllint").arg("--noout").arg("--schema").arg(schema).arg(path).output();
    let output = output.expect("xmllint starts; tools/setup.sh installs it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Inputs with the options they want: faults, proofs and open questions, of C, synchronous C and charts.
const INPUTS: &[(&str, &[&str])] = &[
    ("window", &["--time", "5", "examples/window.c"]),
    ("switch", &["examples/synchronous/switch.c"]),
    ("lamp", &["examples/statecharts/lamp.xml"]),
    ("open", &["--unwind", "2", "examples/window.c"]),
    ("none", &["--property", "main.assertion.1", "--check", "all", "examples/window.c"]),
];

#[test]
fn all_reports_of_one_run_are_valid_and_agree() {
    let (schema, sarif) = (json(&root().join("docs/report.schema.json")), sarif_schema());
    for (name, args) in INPUTS {
        let dir = directory(name);
        let path = |file: &str| dir.join(file).to_str().expect("a path").to_string();
        let (json_path, sarif_path, junit_path) = (path("r.json"), path("r.sarif"), path("r.xml"));
        let mut all = vec!["check", "--json", &json_path, "--sarif", &sarif_path, "--junit", &junit_path];
        all.extend_from_slice(args);
        let output = run(&all);
        let report = json(Path::new(&json_path));
        validate(&schema, &report, name);
        assert_eq!(report["exit_status"].as_i64(), output.status.code().map(i64::from), "{name}");
        let log = json(Path::new(&sarif_path));
        validate(&sarif, &log, name);
        validate_junit(Path::new(&junit_path));
        agree(&report, &log, &read(Path::new(&junit_path)), name);
    }
}

/// As many faults, proofs and open questions in each report.
fn agree(report: &Json, log: &Json, junit: &str, name: &str) {
    let properties = report["properties"].as_array().expect("properties");
    let is_fault = |p: &&Json| match p.get("chart") {
        Some(chart) => chart["fault"] == true,
        None => p["verdict"] == "UNSAFE",
    };
    let faults = properties.iter().filter(is_fault).count();
    let open = properties.iter().filter(|p| p["verdict"] == "UNKNOWN").count();
    let results = log["runs"][0]["results"].as_array().expect("results");
    let of_kind = |kind: &str| results.iter().filter(|r| r["kind"] == kind).count();
    assert_eq!((of_kind("fail"), of_kind("open")), (faults, open), "{name}");
    assert_eq!(results.len(), properties.len(), "{name}");
    let count = |text: &str| junit.matches(text).count();
    assert_eq!((count("<failure "), count("<error ")), (faults, open), "{name}");
    assert_eq!(count("<testcase "), properties.len(), "{name}");
    // Every fault that has a run shows it.
    for (property, result) in properties.iter().zip(results) {
        let run = match property.get("chart") {
            Some(chart) => !chart["run"].is_null(),
            None => !property["trace"].is_null(),
        };
        assert_eq!(result.get("codeFlows").is_some(), run, "{name}: {}", property["name"]);
    }
}

#[test]
fn a_violated_schema_is_seen() {
    let dir = directory("wrong");
    let path = dir.join("r.json");
    run(&["check", "--json", path.to_str().expect("a path"), "examples/synchronous/switch.c"]);
    let mut report = json(&path);
    let schema = json(&root().join("docs/report.schema.json"));
    let is_valid = |report: &Json| jsonschema::is_valid(&schema, report);
    assert!(is_valid(&report));
    report["properties"][0]["verdict"] = "MAYBE".into();
    assert!(!is_valid(&report));
    let wrong = dir.join("wrong.xml");
    std::fs::write(&wrong, "<testsuites><testsuite name=\"x\"/></testsuites>").expect("a file");
    let schema = root().join("tests/schemas/junit.xsd");
    let output = Command::new("xmllint").arg("--noout").arg("--schema").arg(schema).arg(&wrong).output();
    assert!(!output.expect("xmllint starts").status.success());
}

#[test]
fn reports_that_cannot_be_written() {
    let output = run(&["check", "--sarif", "/no/such/directory/r.sarif", "examples/synchronous/switch.c"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/no/such/directory/r.sarif"));
    let output = run(&["check", "--json", "-", "--junit", "-", "examples/window.c"]);
    assert_eq!(output.status.code(), Some(1), "one report on standard output");
    let output = run(&["check", "--junit", "-", "examples/synchronous/switch.c"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("<?xml") && text.ends_with("</testsuites>\n"), "{text}");
}

/// How many elements have this class.
fn classes(svg: &str, class: &str) -> usize {
    svg.matches(&format!("class=\"{class}\"")).count()
}

#[test]
fn drawings_have_every_state_and_transition_and_mark_a_run() {
    let dir = directory("draw");
    let path = |file: &str| dir.join(file).to_str().expect("a path").to_string();
    let (plain, marked, report) = (path("plain.svg"), path("marked.svg"), path("report.json"));
    for chart in ["lamp", "cruise_control", "elevator", "traffic_light"] {
        let source = format!("examples/statecharts/{chart}.xml");
        let output = run(&["draw", &source, "-o", &plain]);
        assert_eq!(output.status.code(), Some(0), "{chart}: {}", String::from_utf8_lossy(&output.stderr));
        let svg = read(Path::new(&plain));
        let output = Command::new("xmllint").args(["--noout", &plain]).output().expect("xmllint starts");
        assert!(output.status.success(), "{chart} is no XML");
        let text = read(&root().join(&source));
        let of = |element: &str| text.matches(&format!("<{element} ")).count();
        let defaults = of("default");
        assert_eq!(classes(&svg, "edge"), of("transition") + defaults + 1, "{chart}: with the root's default");
        assert_eq!(classes(&svg, "cluster"), of("or-state") + of("and-state") + 1, "{chart}: with the root");
    }
    run(&["check", "--json", &report, "--check", "conflict", "examples/statecharts/lamp.xml"]);
    let output = run(&["draw", "examples/statecharts/lamp.xml", "--trace", &report, "-o", &marked]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let (plain, svg) = (path("lamp.dot"), path("marked.dot"));
    run(&["draw", "examples/statecharts/lamp.xml", "-o", &plain]);
    run(&["draw", "examples/statecharts/lamp.xml", "--trace", &report, "--property", "cabin.conflict.1", "-o", &svg]);
    // The run enters all states, takes both defaults, goes from dark to lit and to fading.
    let marks = |path: &str| read(Path::new(path)).lines().filter(|l| l.contains("#c62828")).count();
    assert_eq!((marks(&plain), marks(&svg)), (0, 5 + 2 + 2));
}

#[test]
fn drawings_that_cannot_be_made() {
    let dir = directory("no-draw");
    let path = |file: &str| dir.join(file).to_str().expect("a path").to_string();
    let fails = |args: &[&str], status: i32, words: &str| {
        let output = run(args);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{args:?}: {text}");
        assert!(text.contains(words), "{args:?}: {text}");
    };
    let lamp = "examples/statecharts/lamp.xml";
    let (svg, report, wrong) = (path("a.svg"), path("report.json"), path("wrong.json"));
    fails(&["draw", "examples/window.c", "-o", &svg], 1, "only charts");
    fails(&["draw", "no/such.xml", "-o", &svg], 2, "no/such.xml");
    fails(&["draw", lamp, "-o", "/no/such/a.svg"], 2, "/no/such/a.svg");
    fails(&["draw", lamp, "--trace", "no/such.json", "-o", &svg], 2, "no/such.json");
    std::fs::write(&wrong, "{ \"properties\": 3 }").expect("a file");
    fails(&["draw", lamp, "--trace", &wrong, "-o", &svg], 2, "no properties");
    std::fs::write(&wrong, "half {").expect("a file");
    fails(&["draw", lamp, "--trace", &wrong, "-o", &svg], 2, "not a report");
    run(&["check", "--json", &report, "--check", "conflict", lamp]);
    fails(&["draw", lamp, "--trace", &report, "--property", "x", "-o", &svg], 2, "no property x");
    fails(&["draw", "examples/statecharts/mutex.xml", "--trace", &report, "-o", &svg], 2, "another version");
    // Without Graphviz.
    let mut tool = Command::new(env!("CARGO_BIN_EXE_syncline"));
    let output =
        tool.current_dir(root()).env("PATH", &dir).args(["draw", lamp, "-o", &svg]).output().expect("the tool starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Graphviz"));
}

#[test]
fn pages_are_whole() {
    let dir = directory("html");
    for (name, args) in INPUTS {
        let page = dir.join(format!("{name}.html"));
        let mut all = vec!["check", "--html", page.to_str().expect("a path")];
        all.extend_from_slice(args);
        run(&all);
        let text = read(&page);
        for what in ["src=", "href=\"http", "@import", "<script"] {
            assert!(!text.contains(what), "{name}: the page needs nothing from outside, but has {what}");
        }
        for element in ["table", "tr", "td", "section", "svg", "details", "html"] {
            let count = |tag: String| text.matches(&tag).count();
            assert_eq!(count(format!("<{element}")), count(format!("</{element}>")), "{name}: {element}");
        }
    }
    let lamp = read(&dir.join("lamp.html"));
    assert!(lamp.contains("The run in the chart") && lamp.contains("class=\"plot\""));
    assert_eq!(lamp.matches("<svg").count(), 3, "the chart, the run's signals, the run in the chart");
}

/// A loop whose end is a matter of multiplication: no engine decides it in this time.
const HARD: &str = "extern unsigned long __VERIFIER_nondet_ulong(void);\n#include <assert.h>\n\
    int main(void)\n{\n    unsigned long x = __VERIFIER_nondet_ulong(), y = __VERIFIER_nondet_ulong();\n\
    for (int i = 0; i < 1000; i++) { x = x * y * y + (x >> 7) * y + 3; y = y * x + (y >> 9); }\n\
    assert(x * y != 0x123456789abcdef1);\n    return 0;\n}\n";

#[test]
fn unknown_says_who_met_which_limit_and_what_to_try() {
    let dir = directory("unknown");
    let (hard, report) = (dir.join("hard.c"), dir.join("r.json"));
    std::fs::write(&hard, HARD).expect("a file");
    let (hard, report) = (hard.to_str().expect("a path"), report.to_str().expect("a path"));
    let check = |args: &[&str]| {
        let mut all = vec!["check", "--json", report];
        all.extend_from_slice(args);
        let output = run(&all);
        assert_eq!(output.status.code(), Some(5), "{args:?}");
        (String::from_utf8_lossy(&output.stdout).into_owned(), json(Path::new(report))["properties"][0].clone())
    };
    let advises = |property: &Json, words: &str| {
        let advice = property["advice"].as_array().expect("a list");
        assert!(advice.iter().any(|a| a.as_str().is_some_and(|a| a.contains(words))), "{words}: {advice:?}");
    };
    let (text, property) = check(&["--time", "2", "--engine", "bmc", hard]);
    assert!(text.contains("because: out of time") && text.contains("tried:   bmc, "), "{text}");
    assert_eq!(property["attempts"][0]["engine"], "bmc");
    assert!(property["attempts"][0]["progress"].as_str().is_some_and(|p| p.starts_with("bmc: depth")), "{property}");
    advises(&property, "--time 20");
    advises(&property, "leave out --engine");
    let (text, property) = check(&["--time", "2", "--no-invariants", hard]);
    assert!(property["attempts"].as_array().is_some_and(|list| list.len() > 1), "{text}");
    advises(&property, "leave out --no-invariants");
    let (_, property) = check(&["--unwind", "3", "--property", "main.assertion.1", "examples/window.c"]);
    advises(&property, "leave out --unwind");
    advises(&property, "--unwind 12");
    let missing = dir.join("missing.c");
    std::fs::write(&missing, "int f(void);\n#include <assert.h>\nint main(void) { assert(f() == 1); return 0; }\n")
        .expect("a file");
    let (text, property) = check(&["--strict-calls", missing.to_str().expect("a path")]);
    assert!(text.contains("unsupported"), "{text}");
    advises(&property, "leave out --strict-calls");
}
