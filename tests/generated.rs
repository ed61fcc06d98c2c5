//! `examples/generated`: code in the shape that each generator emits. A model whose name ends in `_faulty` violates a
//! requirement, and gcc says so too: the test written for it is the model with its harness, and must abort. All others
//! are SAFE.

use serde_json::Value as Json;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const SIGABRT: i32 = 6;
const GENERATORS: [&str; 5] = ["embedded_coder", "heptagon", "lustrec", "scade", "stateflow"];

fn folder(generator: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/generated").join(generator)
}

/// The names of the models, each with whether it is one file.
fn models(generator: &str) -> Vec<(String, bool)> {
    let text = std::fs::read_to_string(folder(generator).join("syncline.toml")).expect("a project");
    let value = |line: &str, key: &str| line.strip_prefix(key).map(|rest| rest.trim().to_string());
    let names = text.lines().filter_map(|l| value(l, "name = "));
    let single = text.lines().filter_map(|l| value(l, "sources = ")).map(|list| !list.contains(','));
    names.map(|n| n.trim_matches('"').to_string()).zip(single).collect()
}

fn check(generator: &str, model: &str, test: &Path) -> (i32, Json) {
    let output = Command::new(env!("CARGO_BIN_EXE_syncline"))
        .args(["check", "--time", "60", "--json", "-", "--model", model, "--test"])
        .arg(test)
        .current_dir(folder(generator))
        .output()
        .expect("syncline runs");
    let json = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{model}: {e}: {output:?}"));
    (output.status.code().unwrap_or(-1), json)
}

fn aborts(test: &Path) {
    let text = std::fs::read_to_string(test).expect("a test was written");
    let words: Vec<&str> = text.lines().next().unwrap_or_default().trim_start_matches("// ").split(' ').collect();
    let here = test.parent().expect("a folder");
    let compiled = Command::new(words[0]).args(&words[1..]).current_dir(here).output().expect("gcc runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(test.with_extension("")).output().expect("the test runs");
    assert_eq!(ran.status.signal(), Some(SIGABRT), "{}: {ran:?}", test.display());
}

/// A folder that is gone afterwards, however the test ends; in `target`, should the test be killed.
fn temp() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder")
}

fn generator(name: &str) {
    let temp = temp();
    let models = models(name);
    assert_eq!(models.len(), 4, "{name}: two systems, each right and wrong");
    for (model, single) in models {
        let test = temp.path().join(format!("{model}.c"));
        let (status, json) = check(name, &model, &test);
        let faulty = model.ends_with("_faulty");
        let properties = json["properties"].as_array().expect("properties");
        let violated: Vec<&str> =
            properties.iter().filter(|p| p["verdict"] == "UNSAFE").filter_map(|p| p["name"].as_str()).collect();
        assert_eq!(status, if faulty { 10 } else { 0 }, "{name}/{model}: {json:#}");
        assert_eq!(violated.len(), usize::from(faulty), "{name}/{model}: {violated:?}");
        assert!(violated.iter().all(|p| p.contains(".requirement.")), "{name}/{model}: {violated:?}");
        if faulty && single {
            aborts(&test);
        }
    }
}

#[test]
fn embedded_coder() {
    generator(GENERATORS[0]);
}

#[test]
fn heptagon() {
    generator(GENERATORS[1]);
}

#[test]
fn lustrec() {
    generator(GENERATORS[2]);
}

#[test]
fn scade() {
    generator(GENERATORS[3]);
}

#[test]
fn stateflow() {
    generator(GENERATORS[4]);
}

/// Nothing but the files: what `syncline init` finds is what the project files say.
#[test]
fn init_finds_the_functions() {
    for name in GENERATORS {
        let temp = temp();
        for entry in std::fs::read_dir(folder(name)).expect("files").flatten() {
            let file = entry.file_name().to_string_lossy().into_owned();
            if !file.contains("faulty") && !file.ends_with(".toml") {
                std::fs::copy(entry.path(), temp.path().join(file)).expect("copied");
            }
        }
        let run = |args: &[&str]| {
            Command::new(env!("CARGO_BIN_EXE_syncline"))
                .args(args)
                .current_dir(temp.path())
                .output()
                .expect("syncline runs")
        };
        let found = run(&["init"]);
        assert!(String::from_utf8_lossy(&found.stdout).contains("2 models"), "{name}: {found:?}");
        let text = std::fs::read_to_string(temp.path().join("syncline.toml")).expect("a project");
        assert_eq!(text.matches("\ninit = ").count(), 2, "{text}");
        let listed = run(&["check", "--unwind", "1", "--json", "-", "--model", &models(name)[0].0]);
        assert!(matches!(listed.status.code(), Some(0 | 5)), "{name}: {listed:?}");
    }
}
