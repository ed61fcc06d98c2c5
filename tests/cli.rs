//! The command line: exit statuses, reports, bad input, interruption.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn syncline() -> Command {
    Command::new(env!("CARGO_BIN_EXE_syncline"))
}

/// A file in the tests' own directory.
fn file(name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("a file for the test");
    path
}

fn run(args: &[&str], path: &std::path::Path) -> Output {
    syncline().args(args).arg(path).output().expect("the tool starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const UNSAFE: &str = "extern int __VERIFIER_nondet_int(void);\n#include <assert.h>\n\
    int main(void)\n{\n    int x = __VERIFIER_nondet_int();\n    int y = x + 1;\n    assert(y != 8);\n    assert(x == x);\n    return 0;\n}\n";

#[test]
fn usage_errors_are_1() {
    for args in
        [&["check"][..], &["check", "--engine", "magic", "f.c"], &["frobnicate"], &["check", "--time", "x", "f.c"]]
    {
        let output = syncline().args(args).output().expect("the tool starts");
        assert_eq!(output.status.code(), Some(1), "{args:?}");
    }
    let path = file("usage.c", UNSAFE);
    let output = run(&["check", "--property", "main.assertion.9"], &path);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("main.assertion.1"), "names what there is: {}", stderr(&output));
    assert_eq!(syncline().arg("--help").output().expect("the tool starts").status.code(), Some(0));
}

#[test]
fn missing_file_and_directory() {
    for name in ["no/such/file.c", "/"] {
        let output = run(&["check"], std::path::Path::new(name));
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(name));
    }
}

#[test]
fn json_on_standard_output_has_everything() {
    let path = file("json.c", UNSAFE);
    let output = run(&["check", "--json", "-", "--stats"], &path);
    assert_eq!(output.status.code(), Some(10));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    assert_eq!(json["verdict"], "FALSE(main.assertion.1)");
    assert_eq!(json["exit_status"], 10);
    let properties = json["properties"].as_array().expect("a list");
    assert_eq!(properties.len(), 2);
    assert_eq!(properties[0]["verdict"], "UNSAFE");
    assert_eq!(properties[0]["location"]["line"], 7);
    assert_eq!(properties[1]["verdict"], "SAFE");
    assert_eq!(properties[1]["certificate"]["kind"], "inductive");
    let trace = properties[0]["trace"]["first"].as_array().expect("steps");
    assert!(trace.iter().any(|s| s["line"] == 5 && s["changes"][0]["value"] == "7"), "{trace:?}");
    assert!(json["statistics"]["solver"]["checks"].as_u64().is_some());
}

#[test]
fn json_file_beside_the_text() {
    let path = file("json_file.c", UNSAFE);
    let report = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("report.json");
    let output = run(&["check", "--json", report.to_str().expect("a path")], &path);
    assert!(stdout(&output).ends_with("FALSE(main.assertion.1)\n"), "{}", stdout(&output));
    let json: serde_json::Value = serde_json::from_slice(&fs::read(report).expect("a report")).expect("JSON");
    assert_eq!(json["properties"].as_array().map(Vec::len), Some(2));
}

#[test]
fn one_property_only() {
    let path = file("one.c", UNSAFE);
    let output = run(&["check", "--property", "main.assertion.2"], &path);
    assert_eq!((output.status.code(), stdout(&output).lines().last()), (Some(0), Some("TRUE")));
}

#[test]
fn property_files() {
    let source = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n#include <assert.h>\n\
        int main(void) { int x = __VERIFIER_nondet_int(); assert(x != 3); if (x == 4) reach_error(); return 0; }\n\
        int other(void) { reach_error(); return 0; }\n";
    let path = file("property.c", source);
    let check = |text: &str| {
        let prp = file(&format!("p{}.prp", text.len()), text);
        run(&["check", "--propertyfile", prp.to_str().expect("a path")], &path)
    };
    let reach = check("CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    assert_eq!(stdout(&reach).lines().last(), Some("FALSE(main.reach.1)"), "{}", stderr(&reach));
    assert!(!stdout(&reach).contains("assertion"));
    let other = check("CHECK( init(other()), LTL(G ! call(reach_error())) )\n");
    assert_eq!(stdout(&other).lines().last(), Some("FALSE(other.reach.1)"));
    assert_eq!(check("CHECK( init(main()), LTL(F end) )\n").status.code(), Some(2));
    assert_eq!(check("hello").status.code(), Some(2));
}

#[test]
fn entry_and_defines() {
    let path = file("entry.c", "extern void reach_error(void);\n#include \"limit.h\"\nint start(void) { if (LIMIT == K) reach_error(); return 0; }\n");
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("inc");
    fs::create_dir_all(&dir).expect("a directory");
    fs::write(dir.join("limit.h"), "#define LIMIT 5\n").expect("a header");
    let include = format!("-I{}", dir.display());
    let check = |k: &str| run(&["check", "--entry", "start", &include, k], &path).status.code();
    assert_eq!((check("-DK=5"), check("-DK=6")), (Some(10), Some(0)));
}

#[test]
fn several_files_are_linked() {
    let a = file(
        "link_a.c",
        "int limit = 3; static int twice(int x) { return x + x; } int f(int x) { return twice(x) + limit; }\n",
    );
    let b = file("link_b.c", "#include <assert.h>\nextern int limit; int f(int); static int twice = 1;\nint main(void) { assert(f(2) == 7); limit = twice; assert(f(2) == 5); return 0; }\n");
    let output = syncline().arg("check").arg(&a).arg(&b).output().expect("the tool starts");
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
}

#[test]
fn run_interprets() {
    let path = file(
        "run.c",
        "#include <stdio.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); printf(\"%d-%u %c\\n\", a, b, 65); return a + 3; }\n",
    );
    let inputs = file("run.txt", "-5 # the first\n0x10\n");
    let output = run(&["run", "--inputs", inputs.to_str().expect("a path")], &path);
    assert_eq!((stdout(&output).as_str(), output.status.code()), ("-5-16 A\n", Some(0)));
    assert!(stderr(&output).contains("returned -2"), "{}", stderr(&output));
}

#[test]
fn ir_prints_each_stage() {
    let path = file("ir.c", UNSAFE);
    let lowered = stdout(&run(&["ir"], &path));
    assert!(lowered.contains("proc main") && lowered.contains("main.assertion.1"), "{lowered}");
    assert!(stdout(&run(&["ir", "--stage", "lift-globals,ssa"], &path)).contains("proc main"));
    assert!(stdout(&run(&["ir", "--quiet"], &path)).contains("2 properties, 0 unsupported"));
    assert_eq!(run(&["ir", "--stage", "nonsense"], &path).status.code(), Some(1));
}

#[test]
fn deep_nesting_is_refused_in_bounded_time() {
    let n = 25_000_000;
    let mut text = String::from("int main(void) { return ");
    text.push_str(&"(".repeat(n));
    text.push('1');
    text.push_str(&")".repeat(n));
    text.push_str("; }\n");
    let path = file("deep.c", text);
    let start = Instant::now();
    let output = run(&["check"], &path);
    let _ = fs::remove_file(&path);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("deep.c:1"), "{}", &stderr(&output)[..200.min(stderr(&output).len())]);
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn nesting_within_the_limit_works() {
    for (name, open, close) in [("parens", "(", ")"), ("nots", "!!", ""), ("minus", "- - ", "")] {
        let n = 900;
        let text = format!("int main(void) {{ return {}1{}; }}\n", open.repeat(n), close.repeat(n));
        let output = run(&["ir", "--quiet"], &file(&format!("{name}.c"), text));
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
    }
    let mut chain = String::from("int main(void) { int x = 1");
    chain.push_str(&" + 1".repeat(20_000));
    chain.push_str("; return x; }\n");
    let output = run(&["run"], &file("chain.c", chain));
    assert!(stderr(&output).contains("returned 20001"), "{}", stderr(&output));
}

#[test]
fn a_million_initialisers() {
    let mut text = String::from("#include <assert.h>\nint a[] = {");
    for i in 0..1_000_000 {
        text.push_str(&i.to_string());
        text.push(',');
    }
    text.push_str(
        "};\nint main(void) { assert(sizeof a / sizeof *a == 1000000); assert(a[654321] == 654321); return 0; }\n",
    );
    let output = run(&["check"], &file("million.c", text));
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
}

#[test]
fn a_trace_marks_the_first_access_outside() {
    let text = "#include <assert.h>\nint __VERIFIER_nondet_int(void);\nint a[4], b;\nint main(void) {\n\
        int n = __VERIFIER_nondet_int();\nfor (int i = 0; i < 8; i++) {\na[i] = i;\nif (i < n)\nb += a[i];\n}\n\
        assert(b != 1000);\n}\n";
    let path = file("outside.c", text);
    let output = stdout(&run(&["check"], &path));
    assert!(output.contains("the first access outside of its object is at"), "{output}");
    let (before, after) = output.split_once("outside of its object here").expect("a mark in the trace");
    assert!(before.trim_end().ends_with("a[4] = 4") && before.contains("outside.c:7:1\n"), "{output}");
    assert!(!before.contains("read outside") && after.contains("read outside an array gives"), "{output}");
    let inside = file("inside.c", text.replace("i < 8", "i < 4").replace("b != 1000", "b != 6"));
    let output = stdout(&run(&["check"], &inside));
    assert!(
        output.contains("UNSAFE") && !output.contains("outside of its") && !output.contains("read outside"),
        "{output}"
    );
}

#[test]
fn limits_hold_while_the_input_is_read() {
    let mut text = String::from("#include <assert.h>\n");
    for n in 0..60_000 {
        text += &format!("int f{n}(int a, int b) {{ if (a < b) a = b * {n} + (a & b); return a + b; }}\n");
    }
    text += "int main(void) { assert(f1(1, 2) != 3); }\n";
    let path = file("large.c", text);
    for (limit, value, words) in [("--time", "0.01", "out of time"), ("--memory", "20", "out of memory")] {
        let output = run(&["check", limit, value], &path);
        assert_eq!(output.status.code(), Some(5), "{}", stderr(&output));
        let last = format!("UNKNOWN({words} while the input was read)");
        assert_eq!(stdout(&output).lines().last(), Some(last.as_str()));
    }
    let json = run(&["check", "--memory", "20", "--json", "-"], &path);
    assert!(stdout(&json).contains("\"exit_status\": 5"), "{}", stdout(&json));
}

#[test]
fn interruption_ends_at_once_and_leaves_no_child() {
    // A preprocessor that waits for its input, so that the interruption comes while it runs.
    let fifo = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fifo.h");
    let _ = fs::remove_file(&fifo);
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
    let path = file("interrupt.c", format!("#include \"{}\"\nint main(void) {{ return 0; }}\n", fifo.display()));
    let mut child =
        syncline().arg("check").arg(&path).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    std::thread::sleep(Duration::from_millis(500));
    let children = || {
        let list = Command::new("ps").args(["-A", "-o", "args"]).output().expect("ps");
        String::from_utf8_lossy(&list.stdout)
            .lines()
            .filter(|l| l.contains("interrupt.c") && !l.contains("ps -A"))
            .count()
    };
    assert!(children() >= 2, "the preprocessor is running");
    let start = Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill").success());
    child.wait().expect("it ends");
    assert!(start.elapsed() < Duration::from_secs(2));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(children(), 0, "no child stays");
}

/// `syncline check ... | head -0`: the verdict is the exit status all the same.
#[test]
fn nobody_reads_the_output() {
    let path = file("unread.c", UNSAFE);
    let mut child = syncline()
        .arg("check")
        .arg(&path)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the tool starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the tool ends");
    assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
}

const ENDLESS: &str = "extern int __VERIFIER_nondet_int(void);
#include <assert.h>
int main(void) {
    unsigned char level = 0;
    while (1) {
        if (__VERIFIER_nondet_int() > 3 && level < 100) level += 10;
        else if (level >= 10) level -= 10;
        assert(level <= 100);
    }
}
";

#[test]
fn certificates_are_queries_that_other_solvers_answer() {
    let path = file("endless.c", ENDLESS);
    for engine in ["auto", "kinduction", "pdr", "explicit", "lawi"] {
        let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("certificate-{engine}"));
        let _ = fs::remove_dir_all(&directory);
        let output = run(&["check", "--engine", engine, "--certificate", directory.to_str().expect("a path")], &path);
        assert_eq!(output.status.code(), Some(0), "{engine}: {}", stdout(&output));
        let readme = fs::read_to_string(directory.join("README")).expect("a README");
        let files = fs::read_dir(&directory).expect("a directory").map(|e| e.expect("an entry").path());
        let queries: Vec<PathBuf> = files.filter(|p| p.extension().is_some_and(|e| e == "smt2")).collect();
        assert!(!queries.is_empty(), "{engine}: no queries");
        for query in queries {
            let name = query.file_name().and_then(|n| n.to_str()).expect("a name").to_string();
            assert!(readme.contains(&name), "{engine}: the README does not name {name}");
            for solver in ["z3", "cvc5"] {
                let answer = Command::new(solver).arg(&query).output().expect(solver);
                assert_eq!(stdout(&answer).trim(), "unsat", "{solver} on {name} of {engine}");
            }
        }
    }
}

/// A place has the name of its label, a label that stands before declarations or jumps included; else its line.
#[test]
fn tables_of_steps_name_labels() {
    let text =
        "#include <syncline.h>\nint x;\nvoid p(void) {\nfirst:\n    ;\nsecond: also:\n    x = 1;\n    x = 2;\n    \
        goto first;\n}\nint main(void) {\n    sync(p);\n    always(x != 2);\n}\n";
    let output = run(&["check"], &file("labels.c", text));
    assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
    let out = stdout(&output);
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    let steps: Vec<&Vec<&str>> = rows.iter().filter(|r| r.first().is_some_and(|w| w.parse::<u32>().is_ok())).collect();
    let places: Vec<&str> = steps.iter().map(|row| row[1]).collect();
    assert_eq!(places, ["second", "8", "9"], "{out}");
}

/// Nobody decides this in a short time: what it asserts is so, for products that no solver looks through.
const HARD: &str = "extern unsigned long __VERIFIER_nondet_ulong(void);
#include <assert.h>
int main(void) {
    unsigned long x = __VERIFIER_nondet_ulong(), y = 1;
    while (1) {
        x = x * x + __VERIFIER_nondet_ulong() % 3;
        y = y * x + (x >> 7) * 12345;
        assert((x * y) * (y + 1) == x * (y * y) + y * x);
    }
}
";

/// The processes below this one.
fn below(id: u32) -> Vec<u32> {
    let list = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|w| w.parse().ok()).collect()
}

/// Whether there is such a process, and it is none that has ended and waits to be asked for.
fn lives(id: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next()).is_some_and(|state| state != "Z")
}

/// Waits until the condition holds.
fn eventually(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(name: &str, id: u32) {
    assert!(Command::new("kill").args([name, &id.to_string()]).status().expect("kill").success());
}

/// A check that goes on for so many seconds, with at least two engines at work.
fn hard_check(name: &str, seconds: &str) -> (std::process::Child, Vec<u32>) {
    let path = file(name, HARD);
    let mut command = syncline();
    command.args(["check", "--stats", "--time", seconds]).arg(&path).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("it starts");
    eventually("two engines run", || below(child.id()).len() >= 2);
    let engines = below(child.id());
    (child, engines)
}

#[test]
fn engines_run_side_by_side_and_are_named() {
    let path = file("side_by_side.c", ENDLESS);
    let output = run(&["check", "--json", "-"], &path);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    let engines = json["engines"].as_array().expect("a list");
    let decided = |e: &&serde_json::Value| e["decided"].as_array().is_some_and(|d| d.len() == 1);
    let deciding: Vec<&serde_json::Value> = engines.iter().filter(decided).collect();
    assert_eq!(deciding.len(), 1, "one decides: {engines:?}");
    assert_eq!(deciding[0]["engine"], json["properties"][0]["engine"]);
    assert!(engines.iter().all(|e| e["chosen"].as_str().is_some_and(|why| why.contains(' '))), "{engines:?}");
    let alone = run(&["check", "--engine", "pdr", "--json", "-"], &path);
    let json: serde_json::Value = serde_json::from_slice(&alone.stdout).expect("JSON and nothing else");
    assert_eq!(json["engines"].as_array().map(Vec::len), Some(1));
    assert_eq!((&json["engines"][0]["engine"], &json["engines"][0]["chosen"]), (&"pdr".into(), &"asked for".into()));
}

#[test]
fn an_engine_that_dies_is_not_the_end() {
    let (child, engines) = hard_check("dies.c", "4");
    signal("-KILL", engines[0]);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(5), "{}", stderr(&output));
    let out = stdout(&output);
    assert_eq!(out.lines().last(), Some("UNKNOWN(out of time)"), "{out}");
    assert!(out.lines().any(|l| l.contains("  failed, decided 0")), "{out}");
    assert!(stderr(&output).contains("failed"), "{}", stderr(&output));
}

#[test]
fn when_all_engines_die_that_is_an_error() {
    let path = file("all_die.c", HARD);
    let mut command = syncline();
    command.args(["check", "--engine", "kinduction", "--time", "60"]).arg(&path);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    eventually("the engine runs", || !below(child.id()).is_empty() && comm(below(child.id())[0]) == "syncline");
    signal("-KILL", below(child.id())[0]);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(6), "{}", stdout(&output));
}

/// The name of a process: the preprocessor is below the tool too.
fn comm(id: u32) -> String {
    fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default().trim().to_string()
}

#[test]
fn no_engine_outlives_the_tool() {
    for how in ["-INT", "-TERM", "-KILL"] {
        let (mut child, engines) = hard_check(&format!("outlives{how}.c"), "60");
        signal(how, child.id());
        child.wait().expect("it ends");
        eventually("the engines end", || engines.iter().all(|&id| !lives(id)));
    }
    // And none is left when there is a verdict.
    let text = HARD.replace("(x * y) * (y + 1) == x * (y * y) + y * x", "y < 0xf000000000000000ul");
    let output = run(&["check", "--time", "30"], &file("verdict_ends_all.c", text));
    assert_eq!(output.status.code(), Some(10), "{}", stdout(&output));
    let list = Command::new("ps").args(["-A", "-o", "args"]).output().expect("ps");
    assert!(!stdout(&list).lines().any(|l| l.contains("check") && l.contains("verdict_ends_all.c")));
}

#[test]
fn memory_is_for_all_processes_together() {
    let path = file("memory.c", HARD);
    let start = Instant::now();
    let output = run(&["check", "--memory", "90", "--time", "60", "--stats"], &path);
    assert_eq!(output.status.code(), Some(5), "{}", stderr(&output));
    let out = stdout(&output);
    assert_eq!(out.lines().last(), Some("UNKNOWN(out of memory)"), "{out}");
    assert!(start.elapsed() < Duration::from_secs(50), "it is not the time that ends it");
}

/// A loop with a question that no solver answers soon, and these assertions behind it.
fn behind_a_hard_one(assertions: &str) -> String {
    format!(
        "extern unsigned int __VERIFIER_nondet_uint(void);\nvoid assert(int);\nint main(void)\n{{\n    unsigned int n = 0;\n    for (;;) {{\n\
         unsigned int x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(), z = __VERIFIER_nondet_uint();\n\
         assert((x * y) * (z + 1) == x * (y * z) + y * x);\n{assertions}}}\n}}\n"
    )
}

#[test]
fn a_hard_property_does_not_keep_others_waiting() {
    let path = file("hard_first.c", behind_a_hard_one("n = (n + 1) % 10;\nassert(n < 10);\n"));
    let text = stdout(&run(&["check", "--engine", "kinduction", "--time", "3"], &path));
    assert!(text.lines().any(|l| l.starts_with("main.assertion.2") && l.contains(" SAFE ")), "{text}");
}

#[test]
fn many_properties_are_proved_together_and_no_others_with_them() {
    // Ten that need nothing, one that needs a fact about n, one that is violated in the third turn.
    let mut assertions = String::from("n = n < 9 ? n + 1 : 0;\nassert(n < 10);\nassert(n != 3);\n");
    for k in 0..10 {
        assertions += &format!("assert((x & {k}u) <= {k}u);\n");
    }
    let path = file("many.c", behind_a_hard_one(&assertions));
    let text = stdout(&run(&["check", "--engine", "kinduction", "--no-guesses", "--time", "1"], &path));
    let verdict = |n: usize| {
        let line = text.lines().find(|l| l.starts_with(&format!("main.assertion.{n} ")));
        line.and_then(|l| l.split_whitespace().nth(1)).unwrap_or("none").to_string()
    };
    assert_ne!(verdict(1), "UNSAFE", "{text}");
    assert_eq!(verdict(2), "SAFE", "{text}");
    assert_ne!(verdict(3), "SAFE", "{text}");
    assert!((4..=13).all(|n| verdict(n) == "SAFE"), "{text}");
}
