//! Properties that hold because no run comes to them: reported, with the assumption that excludes all runs if there is one;
//! and not reported of properties that some run comes to, however hard it is to find.

use std::path::PathBuf;
use std::process::Command;

/// A name, the program, and its properties that are to be reported, with a word of what is said.
type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const CASES: &[Case] = &[
    (
        "excluded",
        "int main(void) {\n    int x = nondet();\n    assume(x > 5);\n    assume(x < 3);\n    assert(x == 4);\n    if (x == 77) reach_error();\n    return 0;\n}\n",
        &[("main.assertion.1", "past the assumption at"), ("main.reach.1", ":9:5")],
    ),
    (
        "dead",
        "int main(void) {\n    int x = nondet(), y = 0;\n    while (1) {\n        if (x > 0) { x--; y = 1; } else x = 3;\n\
         \x20       if (x > 2000000000 && x < 1999999999) assert(y == 2);\n        assert(y == 0 || y == 1);\n    }\n    assert(y == 5);\n}\n",
        &[("main.assertion.1", "no run reaches it"), ("main.assertion.3", "no run reaches it")],
    ),
    (
        "never_called",
        "static void f(int x) { assert(x > 0); }\nint main(void) {\n    int x = nondet();\n    if (x > 5 && x < 3) f(x);\n    assert(1 < 2);\n    return 0;\n}\n",
        &[("f.assertion.1", "no run reaches it")],
    ),
    (
        "reached",
        "static void check(int c) { if (!c) reach_error(); }\nint main(void) {\n    int x = nondet(), y = nondet();\n    assume(x > 5);\n    assert(x != 4);\n    if (x == 3) reach_error();\n\
         \x20   if (x == 2) assert(0);\n    assert(1);\n    assert(sizeof(int) == 4);\n    if (x == 123456789 && y == x * 7u + 3) assert(y != x);\n    check(x != y || x > 5);\n    return 0;\n}\n",
        &[],
    ),
    (
        "late",
        "int main(void) {\n    unsigned n = 0;\n    while (n < 300) {\n        n++;\n        assume(nondet() > 0);\n    }\n    assert(n == 300);\n    return 0;\n}\n",
        &[],
    ),
    (
        "stuck",
        "int main(void) {\n    unsigned n = 0;\n    while (1) {\n        n = (n + 2) % 64;\n        assume(n % 2);\n        assert(n < 64);\n    }\n}\n",
        &[("main.assertion.1", "past the assumption at")],
    ),
    (
        "check",
        "int main(void) {\n    int x = nondet(), d = 0;\n    assume(x > 5 && x < 50);\n    if (x == 51) d = 7 / (x - 51);\n    d = 100 / x;\n    return d;\n}\n",
        &[("main.division.1", "no run reaches it")],
    ),
];

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int);\nextern void reach_error(void);\n#include <assert.h>\n\
    #define nondet __VERIFIER_nondet_int\n";

fn run(name: &str, program: &str, args: &[&str]) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("vacuity_{name}.c"));
    let program = program.replace("assume(", "__VERIFIER_assume(");
    std::fs::write(&path, format!("{HEAD}{program}")).expect("a file");
    let mut tool = Command::new(env!("CARGO_BIN_EXE_syncline"));
    let output = tool.arg("check").args(args).arg(&path).output().expect("the tool starts");
    assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The properties of a text output that are said to be vacuous, with what is said.
fn vacuous(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let said = lines.windows(2).filter_map(|pair| {
        let words = pair[1].trim_start().strip_prefix("vacuous: ")?;
        assert!(pair[0].contains(" SAFE "), "{text}");
        Some((pair[0].split(' ').next()?.to_string(), words.to_string()))
    });
    said.collect()
}

#[test]
fn vacuous_properties_are_reported_and_no_others() {
    for (name, program, expected) in CASES {
        for engine in ["auto", "bmc", "kinduction"] {
            // Bounded search alone does not come to the end of endless loops.
            if engine == "bmc" && program.contains("while (1)") {
                continue;
            }
            let text = run(name, program, &["--engine", engine, "--check", "div"]);
            let found = vacuous(&text);
            let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
            let wanted: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, wanted, "{name} with {engine}:\n{text}");
            for ((_, words), (_, part)) in found.iter().zip(*expected) {
                assert!(words.contains(part), "{name}: {words}");
            }
        }
    }
}

#[test]
fn reports_have_it_and_it_can_be_left_out() {
    let (name, program, _) = CASES[0];
    let text = run(name, program, &["--json", "-"]);
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let schema = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/report.schema.json"));
    let schema: serde_json::Value = serde_json::from_str(&schema.expect("the schema")).expect("JSON");
    assert!(jsonschema::is_valid(&schema, &json));
    assert!(json["properties"][0]["vacuous"].as_str().is_some_and(|words| words.starts_with("no run reaches it")));
    let sarif: serde_json::Value = serde_json::from_str(&run(name, program, &["--sarif", "-"])).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"][0]["kind"], "review");
    assert!(run(name, program, &["--html", "-"]).contains("SAFE (vacuous)"));
    assert!(!run(name, program, &["--no-vacuity"]).contains("vacuous"));
}

/// A requirement whose cause never comes up, beside one whose cause does.
#[test]
fn requirements_that_ask_nothing() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let model = "int n;\nvoid lift_step(_Bool up) { if (up && n < 3) n++; else n = 0; }\n";
    std::fs::write(folder.path().join("lift.c"), model).expect("a file");
    let run = |rest: &str| {
        let project = format!(
            "sources = [\"lift.c\"]\n{rest}\n[requirements]\nseldom = \"n == 7 leads to n == 0 within 2 steps\"\n\
             often = \"n == 3 leads to n == 0 within 1 step\"\nat_once = \"n == 2 leads to n > 0 within 0 steps\"\n\
             never = \"after n < 0, n < 0 until n > 5\"\nlater = \"after n == 3, n == 3 until n == 0\"\n\
             bounded = \"always n <= 3\"\n"
        );
        std::fs::write(folder.path().join("syncline.toml"), project).expect("a file");
        let mut tool = Command::new(env!("CARGO_BIN_EXE_syncline"));
        let output = tool.arg("check").current_dir(folder.path()).output().expect("the tool starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{text}");
        vacuous(&text)
    };
    let nothing = "what it asks about never comes up".to_string();
    let name = |name: &str| (format!("{name}.requirement.1"), nothing.clone());
    assert_eq!(run(""), [name("seldom"), name("never")]);
    let all = run("assumptions = [\"n > 0\"]");
    assert_eq!(all.len(), 6, "{all:?}");
    assert!(all.iter().all(|(_, words)| words.contains("no run gets past the assumption at")), "{all:?}");
}

#[test]
fn synchronous_systems() {
    let run = |body: &str| {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("vacuity_system.c");
        std::fs::write(&path, body).expect("a file");
        let mut tool = Command::new(env!("CARGO_BIN_EXE_syncline"));
        let output = tool.arg("check").arg(&path).output().expect("the tool starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let head = "#include <syncline.h>\n#include <assert.h>\nint n;\nvoid p(void)\n{\nagain:\n    atomic {\n        if (n < 3) n = n + 1;\n\
        \x20       if (n > 5) assert(n == 9);\n        goto again;\n    }\n}\n";
    let text = run(&format!("{head}int main(void) {{ sync(p); sync_time(synchronous); always(n <= 3); }}\n"));
    assert_eq!(vacuous(&text), [("p.assertion.1".to_string(), "no run reaches it".to_string())], "{text}");
    let all = "extern void __VERIFIER_assume(int);\nint main(void) { __VERIFIER_assume(n == 1); sync(p); sync_time(synchronous); always(n <= 3); }\n";
    let text = run(&format!("{head}{all}"));
    assert_eq!(vacuous(&text).len(), 2, "{text}");
    assert!(vacuous(&text).iter().all(|(_, words)| words.contains("past the assumption at")), "{text}");
    let mutex = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/synchronous/mutex.c"));
    let text = run(&mutex.expect("an example"));
    assert!(text.contains(" SAFE ") && !text.contains("vacuous"), "{text}");
}
