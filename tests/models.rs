//! The models of `examples/synchronous`: every row gets its verdict from every engine it names.
//!
//! A row is a line at the top of a model, `// row: NAME | OPTIONS | VERDICT | ENGINES`: a property of the thesis's Table
//! 2.1, the options that ask for it, and the engines that must decide it. UNSAFE is replayed by the tool itself before it says
//! so, and the trace is asked for here. The queries behind SAFE are put to `z3` and `cvc5`, for the first engine of a row
//! that writes them in a size for other solvers: not `explicit`, whose reached set is one formula.
//!
//! An engine that the tool does not have yet is left out, and said so. `SYNCLINE_MODELS_QUERIES` is the number of queries
//! of a row that are put to the other solvers (4, evenly spread; 0: all of them).

mod support {
    pub mod process;
}

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use support::process::{compile, parallel, run, scratch, setting, syncline, Model};

/// The rows of Table 2.1.
const TABLE: [(&str, &str); 9] = [
    ("mutex", "correctness"),
    ("mutex", "stability"),
    ("vw_alarm", "non-determinism"),
    ("vw_alarm", "stability"),
    ("seq_car_alarm", "sensitive"),
    ("seq_car_alarm", "independent"),
    ("dragon", "correctness"),
    ("switch", "correctness"),
    ("prod_cons", "correctness"),
];

/// Other solvers, which must answer every query. By default cvc5 decides by the structure of the formula, which is slow on
/// one that is mostly conditionals.
const SOLVERS: [&[&str]; 2] = [&["z3"], &["cvc5", "--bitblast=eager"]];

/// Seconds for one property.
const TIME: &str = "60";

struct Row {
    model: PathBuf,
    name: String,
    options: Vec<String>,
    safe: bool,
    engines: Vec<String>,
}

impl Row {
    fn title(&self) -> String {
        format!("{} {}", stem(&self.model), self.name)
    }
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|s| s.to_str()).expect("a file name")
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

fn row(model: &Path, text: &str) -> Row {
    let fields: Vec<&str> = text.split('|').map(str::trim).collect();
    let [name, options, verdict, engines] = fields[..] else {
        panic!("{}: a row has four fields: {text}", model.display());
    };
    let safe = match verdict {
        "SAFE" => true,
        "UNSAFE" => false,
        _ => panic!("{}: {verdict} is no verdict", model.display()),
    };
    Row { model: model.to_path_buf(), name: name.to_string(), options: words(options), safe, engines: words(engines) }
}

fn models() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/synchronous");
    let entries = std::fs::read_dir(&directory).expect("the models").map(|e| e.expect("an entry").path());
    let mut models: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "c")).collect();
    models.sort();
    models
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for model in models() {
        let text = std::fs::read_to_string(&model).expect("a model");
        let mine: Vec<Row> =
            text.lines().map_while(|l| l.strip_prefix("// row:")).map(|line| row(&model, line)).collect();
        assert!(!mine.is_empty(), "{} has no rows", model.display());
        rows.extend(mine);
    }
    rows
}

/// The engines that the tool has, as its help lists them.
fn known(engines: &[Row]) -> Vec<String> {
    let help = run(syncline().args(["check", "--help"]), Duration::from_secs(20));
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let mut named: Vec<String> = engines.iter().flat_map(|row| row.engines.iter().cloned()).collect();
    named.sort();
    named.dedup();
    named.retain(|engine| help.contains(&format!("- {engine}:")));
    named
}

/// Checks one row with one engine; what is wrong.
fn check(row: &Row, engine: &str, certified: bool) -> Result<(), String> {
    let dir = scratch("models").join(format!("{}-{engine}", row.title().replace(' ', "-")));
    let _ = std::fs::remove_dir_all(&dir);
    let mut command = syncline();
    command
        .args(["check", Model::Lp64.option(), "--engine", engine, "--time", TIME])
        .args(&row.options)
        .arg(&row.model);
    if certified {
        command.arg("--certificate").arg(&dir);
    }
    let outcome = run(&mut command, Duration::from_secs(300));
    let out = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let expected = if row.safe { 0 } else { 10 };
    if outcome.status != Some(expected) {
        let line = outcome.last_error_line();
        let late = if outcome.timed_out { ", out of time" } else { "" };
        return Err(format!("exit status {:?}{late}, expected {expected}\n{out}{line}", outcome.status));
    }
    if !row.safe && !out.lines().any(|l| l.trim_start().starts_with("step  inputs")) {
        return Err(format!("no table of steps\n{out}"));
    }
    match certified {
        true => answered(&dir),
        false => Ok(()),
    }
}

/// Every query in the directory is answered as it must be by every solver.
fn answered(dir: &Path) -> Result<(), String> {
    let entries = std::fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut queries: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    queries.retain(|p| p.extension().is_some_and(|e| e == "smt2"));
    if queries.is_empty() {
        return Err("no queries".to_string());
    }
    queries.sort();
    let most = match setting("SYNCLINE_MODELS_QUERIES", 4) as usize {
        0 => queries.len(),
        most => most,
    };
    for query in queries.iter().step_by(queries.len().div_ceil(most)) {
        for solver in SOLVERS {
            let outcome = run(Command::new(solver[0]).args(&solver[1..]).arg(query), Duration::from_secs(60));
            let answer = String::from_utf8_lossy(&outcome.stdout).trim().to_string();
            if answer != "unsat" {
                return Err(format!("{} on {}: {answer:?}", solver[0], query.display()));
            }
        }
    }
    Ok(())
}

#[test]
fn the_table_is_there() {
    let rows = rows();
    for (model, name) in TABLE {
        let found: Vec<&Row> = rows.iter().filter(|r| stem(&r.model) == model && r.name == name).collect();
        assert_eq!(found.len(), 1, "{model} {name}");
        assert_eq!(found[0].safe, model != "switch", "{model} {name}: all hold but the faulty switch");
        assert!(!found[0].engines.is_empty(), "{model} {name}: decided by no engine");
    }
}

#[test]
fn every_row_gets_its_verdict() {
    let rows = rows();
    let known = known(&rows);
    let mut jobs = Vec::new();
    for row in &rows {
        let mut certified = row.safe;
        for engine in &row.engines {
            if !known.contains(engine) {
                println!("{}: there is no engine {engine} yet", row.title());
                continue;
            }
            let writes = certified && engine != "explicit";
            certified &= !writes;
            jobs.push((row, engine, writes));
        }
    }
    assert!(jobs.len() >= 8, "only {} checks", jobs.len());
    let results = parallel(jobs.len(), |k| {
        let (row, engine, certified) = jobs[k];
        check(row, engine, certified).map_err(|message| format!("{} with {engine}: {message}", row.title()))
    });
    let failures: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(failures.is_empty(), "{} of {} fail:\n{}", failures.len(), jobs.len(), failures.join("\n"));
}

/// Synchronous C is C: gcc takes every model with the header that the tool prints, without a warning but for the labels
/// that only name a place.
#[test]
fn gcc_takes_every_model() {
    let dir = scratch("models-gcc");
    let header = run(syncline().arg("header"), Duration::from_secs(20));
    assert_eq!(header.status, Some(0), "{}", header.last_error_line());
    std::fs::write(dir.join("syncline.h"), &header.stdout).expect("the header");
    let include = format!("-I{}", dir.display());
    for model in models() {
        for bits in [Model::Ilp32, Model::Lp64] {
            let options = [&include, "-Wall", "-Wextra", "-Werror", "-Wno-unused-label", "-fsyntax-only"];
            if let Err(messages) = compile(bits, &model, &dir.join("unused"), &options) {
                panic!("{}: {messages}", model.display());
            }
        }
    }
}

/// The alarm has the size that the table's has: eight processes in three levels, locations, guarded transitions.
#[test]
fn the_alarm_is_no_toy() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/synchronous/vw_alarm.c");
    let text = std::fs::read_to_string(path).expect("the alarm");
    let count = |pattern: &str| text.lines().filter(|l| l.trim_start().starts_with(pattern)).count();
    assert!(count("when (") >= 120, "{} guarded transitions", count("when ("));
    let labels = text.lines().filter(|l| l.ends_with(':') && !l.starts_with(char::is_whitespace)).count();
    assert!(labels >= 40, "{labels} locations");
    let processes =
        |line: &str| line.trim().strip_prefix("sync(").and_then(|l| l.strip_suffix(");")).map(str::to_string);
    let mut started: Vec<String> = text.lines().filter_map(processes).collect();
    started.sort();
    started.dedup();
    assert_eq!(started.len(), 8, "{started:?}");
}

/// Two processes that write `level`: the second one, if not `always`, only in steps in which the first one does not.
fn two_writers(always: bool) -> String {
    let second = if always { "when (go) level = 2;" } else { "when (!turn) level = 2;" };
    format!(
        "#include <syncline.h>\n_Bool go, turn;\nunsigned char level, last;\n\
         void first(void) {{ while (1) choice {{ when (turn) {{ level = 1; turn = 0; }} otherwise turn = 1; }} }}\n\
         void second(void) {{ while (1) choice {{ {second} otherwise idle(); }} }}\n\
         void watch(void) {{ while (1) atomic {{ last = level; }} }}\n\
         void environment(void) {{ go = __VERIFIER_nondet_bool(); }}\n\
         int main(void) {{ sync(first); sync(second); sync(watch); sync_environment(environment);\n\
         always(last + level != 4); }}\n"
    )
}

/// Race analysis: a choice between writers is dropped where they never write in one step, and only there.
#[test]
fn a_choice_between_writers_is_dropped_where_it_does_not_matter() {
    // Taking turns, level is never 2 in two steps in a row. Written whenever it goes, it is.
    for (always, status, dropped) in [(false, 0, 1), (true, 10, 0)] {
        let path = scratch("models-races").join(format!("{always}.c"));
        std::fs::write(&path, two_writers(always)).expect("a system");
        for engine in ["lawi", "pdr"] {
            let mut command = syncline();
            command.args(["check", "--engine", engine, "--stats"]).arg(&path);
            let outcome = run(&mut command, Duration::from_secs(60));
            let out = String::from_utf8_lossy(&outcome.stdout).into_owned();
            assert_eq!(outcome.status, Some(status), "{engine}: {out}");
            if status == 0 {
                assert!(out.lines().any(|l| l.trim() == "1  race choices"), "{engine}: {out}");
                let words = format!("{dropped}  race choices dropped");
                assert!(out.lines().any(|l| l.trim() == words), "{engine}: {out}");
            }
        }
    }
}
