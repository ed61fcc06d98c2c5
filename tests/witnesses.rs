//! Witnesses, held against a transcription of their format's rules (the published schema is in none of the package registries),
//! and judged by gcc: the values of a violation witness must lead to the violation, in the order of its waypoints and at the
//! very calls that they name; invariants of a proof, put into the program at their loops, must hold in random runs.

use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn directory(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("witnesses").join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a directory");
    path
}

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_syncline")).args(args).output().expect("the tool starts")
}

/// The witness of a program; `None` if there is none.
fn witness(dir: &Path, program: &str, args: &[&str]) -> Option<Json> {
    let (source, file) = (dir.join("p.c"), dir.join("w.yml"));
    std::fs::write(&source, program).expect("a file");
    let (source, path) = (source.to_str().expect("a path"), file.to_str().expect("a path"));
    let mut all = vec!["check", "--witness", path];
    all.extend_from_slice(args);
    all.push(source);
    run(&all);
    let text = std::fs::read_to_string(&file).ok()?;
    let value: Json = serde_yaml_ng::from_str(&text).unwrap_or_else(|e| panic!("{e}:\n{text}"));
    let schema = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas/witness-2.0.json"));
    let schema: Json = serde_json::from_str(&schema.expect("the schema")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path)).collect();
    assert!(errors.is_empty(), "{}\n{text}", errors.join("\n"));
    Some(value)
}

/// Compiles and runs it; whether it came to its end.
fn gcc_runs(dir: &Path, program: &str, model: &str) -> bool {
    let (source, binary) = (dir.join("run.c"), dir.join("run"));
    std::fs::write(&source, program).expect("a file");
    let output =
        Command::new("gcc").args([model, "-w", "-O1", "-o"]).arg(&binary).arg(&source).output().expect("gcc starts");
    assert!(output.status.success(), "{}\n{program}", String::from_utf8_lossy(&output.stderr));
    Command::new(&binary).output().expect("the program starts").status.success()
}

const HEAD: &str = "#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n\
    extern long __VERIFIER_nondet_long(void);\nextern void reach_error(void);\n";

const UNSAFE: &[&str] = &[
    "int main(void)\n{\n    int x = __VERIFIER_nondet_int();\n    long y = __VERIFIER_nondet_long ( );\n\
     \x20   if (x < -5 && y == x * 3L) reach_error();\n    return 0;\n}\n",
    "static int take(void) { return __VERIFIER_nondet_int() + 1; }\nint main(void)\n{\n    int sum = 0;\n\
     \x20   for (int i = 0; i < 4; i++) { unsigned char c = __VERIFIER_nondet_uchar(); sum += c; if (c == 7) sum += take(); }\n\
     \x20   if (sum == 1234) reach_error();\n    return 0;\n}\n",
    "int main(void)\n{\n    int x = __VERIFIER_nondet_int();\n    if (x == (-2147483647 - 1)) reach_error();\n    return 0;\n}\n",
];

#[test]
fn violations_are_runs_of_gcc() {
    for (n, body) in UNSAFE.iter().enumerate() {
        for model in ["--64", "--32"] {
            let dir = directory(&format!("unsafe{n}{model}"));
            let found = witness(&dir, &format!("{HEAD}{body}"), &[model]).expect("a witness");
            assert_eq!(found[0]["entry_type"], "violation_sequence");
            let program = following(&format!("{HEAD}{body}"), &found[0]);
            assert!(!gcc_runs(&dir, &program, if model == "--32" { "-m32" } else { "-m64" }), "{program}");
        }
    }
}

/// The program with every call of a waypoint replaced by one that gives the waypoint's value, if its turn has come, and
/// aborts at the target. It exits at once if a value is asked for out of turn.
fn following(program: &str, entry: &Json) -> String {
    let mut lines: Vec<String> = program.lines().map(str::to_string).collect();
    let waypoints: Vec<&Json> =
        entry["content"].as_array().expect("segments").iter().map(|s| &s["segment"][0]["waypoint"]).collect();
    let (target, returns) = waypoints.split_last().expect("a target");
    assert_eq!(target["type"], "target");
    let line = target["location"]["line"].as_u64().expect("a line") as usize - 1;
    let column = target["location"]["column"].as_u64().expect("a column") as usize - 1;
    assert!(lines[line][column..].starts_with("reach_error()"), "{}", lines[line]);
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut table = String::new();
    for waypoint in returns {
        let at = |name: &str| waypoint["location"][name].as_u64().expect("a number") as usize - 1;
        let place = (at("line"), at("column"));
        assert_eq!(lines[place.0].as_bytes()[place.1], b')', "the location is the call's right parenthesis");
        let id = places.iter().position(|p| *p == place).unwrap_or_else(|| {
            places.push(place);
            places.len() - 1
        });
        let value = waypoint["constraint"]["value"].as_str().expect("a text").replace("\\result == ", "");
        table += &format!("{{ {id}, {value} }}, ");
    }
    let mut ids: Vec<usize> = (0..places.len()).collect();
    ids.sort_by_key(|&id| std::cmp::Reverse(places[id]));
    for id in ids {
        let (line, end) = places[id];
        let begin = lines[line][..end].rfind("__VERIFIER_nondet_").expect("the call");
        lines[line].replace_range(begin..=end, &format!("value({id})"));
    }
    let helper = format!(
        "static struct {{ int id; long long value; }} table[] = {{ {table} }};\nstatic long long value(int id)\n{{\n\
         \x20   static unsigned next;\n    if (next >= sizeof table / sizeof table[0] || table[next].id != id) exit(0);\n\
         \x20   return table[next++].value;\n}}\nvoid reach_error(void) {{ abort(); }}\n"
    );
    let head = HEAD.lines().count();
    format!("{}\n{helper}{}\n", lines[..head].join("\n"), lines[head..].join("\n"))
}

const SAFE: &[&str] = &[
    "static unsigned int total;\nint main(void)\n{\n    int n = __VERIFIER_nondet_int();\n    unsigned char c = 0;\n\
     \x20   for (int i = 0; i < 20; i++) {\n        total += 2;\n    }\n    int gone = 3;\n    { int inner = n; gone += inner & 1; }\n\
     \x20   while (1) {\n        int t = __VERIFIER_nondet_int();\n        if (t > 3 && c < 100) c = c + 2;\n\
     \x20       if (c % 2) reach_error();\n        for (int k = t & 7; k > 0; k--)\n            n--;\n    }\n}\n",
    "static int position;\nstatic int step(int up)\n{\n    if (up && position < 100) position += 10;\n    if (!up && position > 0) position -= 10;\n\
     \x20   return position;\n}\nint main(void)\n{\n    int last = 0;\n    for (;;) {\n        int now = step(__VERIFIER_nondet_int() & 1);\n\
     \x20       if (now < 0 || now > 100) reach_error();\n        last = now;\n    }\n}\n",
    "int main(void)\n{\n    short a = 5;\n    long b = -1;\n    unsigned char on = 0;\n    while (__VERIFIER_nondet_int()) {\n        if (on) { a = a - 3; b = b - 2; }\n\
     \x20       else { a = a + 3; b = b + 2; }\n        on = !on;\n        if (a > 8 || b > 1 || a < 5) reach_error();\n    }\n    return 0;\n}\n",
];

#[test]
fn invariants_hold_in_runs_of_gcc() {
    let mut said = 0;
    for (n, body) in SAFE.iter().enumerate() {
        for engine in ["pdr", "kinduction", "explicit", "auto"] {
            let dir = directory(&format!("safe{n}{engine}"));
            let program = format!("{HEAD}{body}");
            let Some(found) = witness(&dir, &program, &["--engine", engine, "--time", "20"]) else { continue };
            assert_eq!(found[0]["entry_type"], "invariant_set");
            let (asserting, count) = asserting(&program, &found[0]);
            said += count;
            assert!(gcc_runs(&dir, &asserting, "-m64"), "{asserting}");
            // The judge sees what is wrong.
            let wrong = asserting.replacen("hold(", "hold(0 && ", 2).replacen("hold(0 && ", "hold(", 1);
            assert!(count == 0 || !gcc_runs(&dir, &wrong, "-m64"), "{wrong}");
        }
    }
    assert!(said >= 12, "only {said} invariants could be said");
}

/// The program with the invariants checked whenever the condition of their loop is evaluated, on values by chance, for a
/// while; and how many there are.
fn asserting(program: &str, entry: &Json) -> (String, usize) {
    let mut lines: Vec<String> = program.lines().map(str::to_string).collect();
    let list = entry["content"].as_array().expect("invariants");
    for invariant in list.iter().map(|i| &i["invariant"]) {
        let at = |name: &str| invariant["location"][name].as_u64().expect("a number") as usize - 1;
        let (line, column) = (&mut lines[at("line")], at("column"));
        let value = invariant["value"].as_str().expect("a text");
        let rest = &line[column..];
        let is_for = rest.starts_with("for");
        assert!(is_for || rest.starts_with("while"), "{line}");
        let open = if is_for { rest.find(';') } else { rest.find('(') }.expect("a head") + column + 1;
        let empty = line[open..].trim_start().starts_with(';');
        line.insert_str(open, &format!(" hold({value}) && {}", if empty { "1" } else { "" }));
    }
    let helper = "static unsigned long seed = 12345, rounds;\n\
        static long chance(void) { if (++rounds > 20000) exit(0); seed = seed * 6364136223846793005UL + 1442695040888963407UL; return (long)(seed >> 33) - (1L << 30); }\n\
        int __VERIFIER_nondet_int(void) { return chance(); }\nunsigned char __VERIFIER_nondet_uchar(void) { return chance(); }\n\
        long __VERIFIER_nondet_long(void) { return chance(); }\nvoid reach_error(void) { abort(); }\n\
        static int hold(int holds) { if (!holds) abort(); return 1; }\n";
    let head = HEAD.lines().count();
    (format!("{}\n{helper}{}\n", lines[..head].join("\n"), lines[head..].join("\n")), list.len())
}

#[test]
fn what_the_format_cannot_say_has_no_witness() {
    let dir = directory("none");
    let division = "int main(void) { int x = __VERIFIER_nondet_int(); return 5 / x; }\n";
    assert_eq!(witness(&dir, &format!("{HEAD}{division}"), &["--check", "div"]), None);
    let open =
        "int main(void) { int x = __VERIFIER_nondet_int(); while (x > 0) x--; if (x > 3) reach_error(); return 0; }\n";
    assert_eq!(witness(&dir, &format!("{HEAD}{open}"), &["--unwind", "1"]), None);
    let path = dir.join("chart.yml");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for input in ["examples/statecharts/lamp.xml", "examples/synchronous/switch.c"] {
        let output =
            run(&["check", "--witness", path.to_str().expect("a path"), root.join(input).to_str().expect("a path")]);
        assert!(String::from_utf8_lossy(&output.stderr).contains("no witness"));
        assert!(!path.exists());
    }
    let prp = dir.join("p.prp");
    std::fs::write(&prp, "CHECK( init(main()),\n  LTL(G ! call(reach_error())) )\n").expect("a file");
    let found = witness(&dir, &format!("{HEAD}{}", UNSAFE[0]), &["--propertyfile", prp.to_str().expect("a path")]);
    let found = found.expect("a witness");
    assert_eq!(found[0]["metadata"]["task"]["specification"], "CHECK( init(main()), LTL(G ! call(reach_error())) )");
}
