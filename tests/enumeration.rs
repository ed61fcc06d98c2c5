//! Exhaustive enumeration: generated programs over at most 16 bits of input are run by gcc on every input, and the
//! verdict of `syncline check` must be the one that gives: with `bmc` for every program, and with one of the proof engines
//! alone, or those that fit side by side, in turn. `SYNCLINE_ENUM_COUNT` sets the number of programs (100), `SYNCLINE_SEED` the seed,
//! `SYNCLINE_ENUM_FIRST` the number of the first program, `SYNCLINE_ENUM_TIME` the seconds a check may take (20),
//! `SYNCLINE_ENUM_UNKNOWN` how many of a hundred may stay UNKNOWN with `bmc` (2).
//!
//! A program with another verdict is written to the target directory's `tmp/enumeration`. All loops end, so UNKNOWN
//! means for `bmc` that it was too slow; a few are tolerated and reported. The others may find a program not made for
//! them.

mod support {
    pub mod egen;
    pub mod harness;
    pub mod process;
    pub mod rng;
}

use std::path::Path;
use std::time::{Duration, Instant};

use support::egen::{sketch, Sketch};
use support::harness::harness;
use support::process::{parallel, run, scratch, setting, syncline, Model};

/// What happened with one program.
enum Result {
    Agreed { safe: bool },
    Unknown,
    Wrong(String),
}

struct Case {
    result: Result,
    seconds: f64,
}

/// Whether some input violates an assertion, and the program to check.
fn enumerated(
    model: Model,
    sketch: &mut Sketch,
    dir: &Path,
    name: &str,
) -> std::result::Result<(bool, String), String> {
    let measured = harness(model, dir, &format!("{name}m"), &sketch.measuring())?;
    let ranges = sketch.ranges(&measured).ok_or_else(|| format!("{name}: harness prints {measured:?}"))?;
    let conditions = sketch.conditions(&ranges);
    let decided = harness(model, dir, &format!("{name}d"), &sketch.deciding(&conditions))?;
    Ok((decided.trim() == "1", sketch.program(&conditions)))
}

/// The engines that take turns beside `bmc`.
const PROVERS: [&str; 11] = [
    "kinduction",
    "pdr",
    "explicit",
    "lawi",
    "auto",
    "inline",
    "inline --inline-bare",
    "inline --inline-bare --inline-strategy tree",
    "inline --inline-bare --inline-strategy opt",
    "inline --inline-bare --inline-refine vc",
    "inline --inline-refine hierarchical",
];

fn check(engine: &str, model: Model, source: &Path, violated: bool, seconds: u64) -> Result {
    let mut command = syncline();
    command.arg("check").arg(model.option()).arg(source);
    command.arg("--engine").args(engine.split(' ')).args(["--time", &seconds.to_string()]);
    let outcome = run(&mut command, Duration::from_secs(4 * seconds + 20));
    match outcome.status {
        Some(0) if !violated => Result::Agreed { safe: true },
        Some(10) if violated => Result::Agreed { safe: false },
        Some(5) => Result::Unknown,
        None if outcome.timed_out => Result::Wrong("syncline does not keep its time limit".to_string()),
        status => {
            let expected = if violated { "UNSAFE" } else { "SAFE" };
            Result::Wrong(format!(
                "{expected}, but syncline with {engine} ends with {status:?} {}",
                outcome.last_error_line()
            ))
        }
    }
}

fn case(seed: u64, index: u64, dir: &Path, seconds: u64) -> Case {
    let mut sketch = sketch(seed, index);
    let model = if sketch.ilp32 { Model::Ilp32 } else { Model::Lp64 };
    let (violated, text) = match enumerated(model, &mut sketch, dir, &format!("h{index}-")) {
        Ok(answer) => answer,
        Err(message) => return Case { result: Result::Wrong(message), seconds: 0.0 },
    };
    let source = dir.join(format!("e{index}.c"));
    let written = std::fs::write(&source, text);
    written.unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    let start = Instant::now();
    let result = check("bmc", model, &source, violated, seconds);
    let bmc_seconds = start.elapsed().as_secs_f64();
    let prover = check(PROVERS[index as usize % PROVERS.len()], model, &source, violated, seconds.div_ceil(4));
    let result = match prover {
        Result::Wrong(_) => prover,
        Result::Agreed { .. } | Result::Unknown => result,
    };
    if matches!(result, Result::Agreed { .. }) {
        let _ = std::fs::remove_file(&source);
    }
    Case { result, seconds: bmc_seconds }
}

#[test]
fn enumeration_agrees() {
    let dir = scratch("enumeration");
    let (seed, first) = (setting("SYNCLINE_SEED", 20), setting("SYNCLINE_ENUM_FIRST", 0));
    let count = setting("SYNCLINE_ENUM_COUNT", 100) as usize;
    let seconds = setting("SYNCLINE_ENUM_TIME", 20);
    let tolerated = count * setting("SYNCLINE_ENUM_UNKNOWN", 2) as usize / 100;
    let cases = parallel(count, |k| case(seed, first + k as u64, &dir, seconds));
    let (mut safe, mut violated, mut unknown, mut wrong) = (0, 0, Vec::new(), Vec::new());
    for (k, case) in cases.iter().enumerate() {
        match &case.result {
            Result::Agreed { safe: true } => safe += 1,
            Result::Agreed { safe: false } => violated += 1,
            Result::Unknown => unknown.push(first + k as u64),
            Result::Wrong(message) => wrong.push(format!("program {}: {message}", first + k as u64)),
        }
    }
    let slowest = cases.iter().map(|case| case.seconds).fold(0.0, f64::max);
    println!("{safe} safe, {violated} unsafe, {} unknown {unknown:?}; slowest {slowest:.1} s", unknown.len());
    assert!(wrong.is_empty(), "{}\nsee {}", wrong.join("\n"), dir.display());
    assert!(unknown.len() <= tolerated, "too many UNKNOWN: {unknown:?}; see {}", dir.display());
}

/// The generator's own balance, without the tool: about half the programs are safe, all are well defined.
#[test]
#[ignore = "checks the generator; independent of the tool"]
fn programs_are_balanced() {
    let dir = scratch("balance");
    let count = setting("SYNCLINE_ENUM_COUNT", 200) as usize;
    let (seed, first) = (setting("SYNCLINE_SEED", 20), setting("SYNCLINE_ENUM_FIRST", 0));
    let verdicts = parallel(count, |k| {
        let mut sketch = sketch(seed, first + k as u64);
        let model = if sketch.ilp32 { Model::Ilp32 } else { Model::Lp64 };
        enumerated(model, &mut sketch, &dir, &format!("b{k}-")).map(|(violated, _)| violated)
    });
    let errors: Vec<_> = verdicts.iter().filter_map(|verdict| verdict.as_ref().err()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let violated = verdicts.iter().filter(|verdict| **verdict == Ok(true)).count();
    println!("{violated} of {count} violated");
    assert!((count * 3 / 10..=count * 7 / 10).contains(&violated), "{violated} of {count} programs are unsafe");
}
