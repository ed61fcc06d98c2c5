//! Differential execution: generated C programs under gcc and under `syncline run`, for both data models, must print the
//! same bytes. `SYNCLINE_DIFF_PROFILE` is what programs contain: `int` (arithmetic and control, the default) or
//! `memory` (pointers, structs, unions, bit-fields, function pointers, the heap, more of floats as well).
//! `SYNCLINE_DIFF_COUNT` sets the number of programs (300), `SYNCLINE_SEED` the seed, `SYNCLINE_DIFF_FIRST` the number
//! of the first program, `SYNCLINE_DIFF_FLOATS=0` leaves floats out, `SYNCLINE_DIFF_REDUCE` is the number of failing
//! programs that are reduced (1).
//!
//! A program that differs is written to the target directory's `tmp/differential`, whole and reduced.

mod support {
    pub mod cgen;
    pub mod coverage;
    pub mod kinds;
    pub mod process;
    pub mod reduce;
    pub mod rng;
}

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use support::cgen::{features, generate, Config};
use support::coverage::Coverage;
use support::process::{compile, parallel, run, scratch, setting, syncline, Model};
use support::reduce::reduce;

const MODELS: [Model; 2] = [Model::Ilp32, Model::Lp64];
const LIMIT: Duration = Duration::from_secs(20);
/// So many programs visit every cell of the coverage tables.
const FULL_TURN: usize = 300;
/// So many failures are enough, or a twentieth of the programs: a broken front end fails on each.
const ENOUGH: usize = 12;

/// Where one worker's files are; programs have different numbers, so workers do not meet.
struct Files {
    source: PathBuf,
    program: PathBuf,
}

impl Files {
    fn new(dir: &Path, name: &str) -> Self {
        Files { source: dir.join(format!("{name}.c")), program: dir.join(format!("{name}.exe")) }
    }

    fn write(&self, text: &str) {
        std::fs::write(&self.source, text).unwrap_or_else(|error| panic!("{}: {error}", self.source.display()));
    }

    fn remove(&self) {
        let _ = std::fs::remove_file(&self.source);
        let _ = std::fs::remove_file(&self.program);
    }
}

fn config() -> Config {
    let memory = match std::env::var("SYNCLINE_DIFF_PROFILE").as_deref() {
        Ok("memory") => true,
        Ok("int") | Err(_) => false,
        Ok(other) => panic!("SYNCLINE_DIFF_PROFILE must be int or memory, not {other:?}"),
    };
    Config { seed: setting("SYNCLINE_SEED", 20), floats: setting("SYNCLINE_DIFF_FLOATS", 1) != 0, memory }
}

/// The cells the profile promises beside those of every program.
fn promised(config: &Config) -> Vec<(&'static str, String)> {
    if config.memory {
        features(config.floats)
    } else {
        Vec::new()
    }
}

/// What gcc's program prints, or why there is none.
fn expected(model: Model, files: &Files, extra: &[&str]) -> Result<Vec<u8>, String> {
    compile(model, &files.source, &files.program, extra)?;
    let outcome = run(&mut Command::new(&files.program), LIMIT);
    match outcome.status {
        Some(0) if outcome.stderr.is_empty() => Ok(outcome.stdout),
        _ => Err(format!(
            "compiled program ends with {:?}: {}",
            outcome.status,
            String::from_utf8_lossy(&outcome.stderr)
        )),
    }
}

/// What `syncline run` prints, or how it failed.
fn actual(model: Model, source: &Path) -> Result<Vec<u8>, String> {
    let outcome = run(syncline().arg("run").arg(model.option()).arg(source), LIMIT);
    match outcome.status {
        Some(0) => Ok(outcome.stdout),
        _ if outcome.timed_out => Err("syncline run does not end".to_string()),
        status => Err(format!("syncline run ends with {status:?}: {}", outcome.last_error_line())),
    }
}

/// The first difference between the two runs, if any.
fn difference(model: Model, files: &Files) -> Option<String> {
    let expected = match expected(model, files, &[]) {
        Ok(bytes) => bytes,
        // gcc 12 crashes on `(_Bool)(1, 2)`; such a program tells nothing.
        Err(message) if message.contains("internal compiler error") => return None,
        Err(message) => return Some(format!("gcc: {message}")),
    };
    match actual(model, &files.source) {
        Err(message) => Some(message),
        Ok(bytes) if bytes == expected => None,
        Ok(bytes) => {
            let (expected, bytes) = (String::from_utf8_lossy(&expected), String::from_utf8_lossy(&bytes));
            let line = expected.lines().zip(bytes.lines()).take_while(|(a, b)| a == b).count();
            let show = |text: &str| text.lines().nth(line).unwrap_or("<end>").to_string();
            Some(format!("output line {}: gcc {}, syncline {}", line + 1, show(&expected), show(&bytes)))
        }
    }
}

struct Failure {
    index: u64,
    model: Model,
    message: String,
    text: String,
}

/// The program shortened as far as it still differs the same way and is still free of undefined behaviour.
fn minimal(dir: &Path, failure: &Failure) -> String {
    let files = Files::new(dir, &format!("reduce{}", failure.index));
    let prefix: String = failure.message.chars().take(18).collect();
    let reduced = reduce(&failure.text, 500, |text| {
        files.write(text);
        let strict = expected(failure.model, &files, STRICT);
        let defined = strict.is_ok() && strict == expected(failure.model, &files, &[]);
        defined && difference(failure.model, &files).is_some_and(|message| message.starts_with(&prefix))
    });
    files.remove();
    reduced
}

#[test]
fn gcc_and_interpreter_print_the_same() {
    run_all(config(), scratch("differential"), setting("SYNCLINE_DIFF_COUNT", FULL_TURN as u64) as usize);
}

/// The memory profile, in part: all of it is `SYNCLINE_DIFF_PROFILE=memory` with a count.
#[test]
fn memory_prints_the_same() {
    if std::env::var_os("SYNCLINE_DIFF_PROFILE").is_none() && std::env::var_os("SYNCLINE_DIFF_COUNT").is_none() {
        run_all(Config { memory: true, ..config() }, scratch("differential-memory"), 80);
    }
}

fn run_all(config: Config, dir: PathBuf, count: usize) {
    let first = setting("SYNCLINE_DIFF_FIRST", 0);
    let reduced = setting("SYNCLINE_DIFF_REDUCE", 1) as usize;
    let failed_so_far = AtomicUsize::new(0);
    let results = parallel(count, |k| {
        let index = first + k as u64;
        let program = generate(&config, index);
        if failed_so_far.load(Ordering::Relaxed) >= ENOUGH.max(count / 20) {
            return (program.coverage, None);
        }
        let files = Files::new(&dir, &format!("p{index}"));
        files.write(&program.text);
        let failed = MODELS.iter().find_map(|&model| difference(model, &files).map(|message| (model, message)));
        files.remove();
        failed_so_far.fetch_add(usize::from(failed.is_some()), Ordering::Relaxed);
        let failure = failed.map(|(model, message)| Failure { index, model, message, text: program.text });
        (program.coverage, failure)
    });
    let mut coverage = Coverage::default();
    results.iter().for_each(|(used, _)| coverage.merge(used));
    let promised = promised(&config);
    let report = coverage.report(config.floats) + &coverage.listed(&promised);
    println!("{report}");
    std::fs::write(dir.join("coverage.txt"), &report).expect("the coverage report is written");
    let failures: Vec<_> = results.into_iter().filter_map(|(_, failure)| failure).collect();
    for (rank, failure) in failures.iter().enumerate() {
        println!("program {} ({:?}): {}", failure.index, failure.model, failure.message);
        std::fs::write(dir.join(format!("failing{}.c", failure.index)), &failure.text).expect("the program is written");
        if rank < reduced {
            let text = minimal(&dir, failure);
            println!("reduced:\n{text}");
            std::fs::write(dir.join(format!("reduced{}.c", failure.index)), &text).expect("the program is written");
        }
    }
    assert!(failures.is_empty(), "{} or more of {count} programs differ; see {}", failures.len(), dir.display());
    if count >= FULL_TURN {
        let zeros = [coverage.zeros(config.floats), coverage.unused(&promised)].concat();
        assert!(zeros.is_empty(), "never generated: {zeros:?}");
    }
}

/// Options that make undefined behaviour and open evaluation order an error; what depends on a value that was never
/// written comes out different.
const STRICT: &[&str] = &[
    "-fsanitize=undefined,address,float-cast-overflow",
    "-ftrivial-auto-var-init=pattern",
    "-fno-sanitize=shift-base",
    "-fno-sanitize-recover=all",
    "-Wsequence-point",
    "-Werror=sequence-point",
    "-Werror=implicit-function-declaration",
    "-Wno-error=implicit-int",
];

/// The generator's own check, without the tool: no undefined behaviour, and optimisation changes nothing.
#[test]
#[ignore = "checks the generator; slow, and independent of the tool"]
fn programs_are_well_defined() {
    let (config, dir) = (config(), scratch("defined"));
    let count = setting("SYNCLINE_DIFF_COUNT", 200) as usize;
    let first = setting("SYNCLINE_DIFF_FIRST", 0);
    let failures: Vec<String> = parallel(count, |k| {
        let index = first + k as u64;
        let files = Files::new(&dir, &format!("d{index}"));
        files.write(&generate(&config, index).text);
        for model in MODELS {
            let plain = expected(model, &files, &[]);
            for extra in [&["-O2"], STRICT] {
                let other = expected(model, &files, extra);
                if plain.is_err() || plain != other {
                    return Some(format!("program {index} {model:?} {extra:?}: {:?}", other.err().or(plain.err())));
                }
            }
        }
        files.remove();
        None
    })
    .into_iter()
    .flatten()
    .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
