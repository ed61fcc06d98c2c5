//! Verdicts on charts, through the command line.
//!
//! * The charts of `examples/statecharts` are right as they are, and wrong in the way `tests/statecharts/faults.txt` says for
//!   each fault seeded in them. By default every seventh fault; `SYNCLINE_CHART_FAULTS=1` takes all.
//! * Small generated charts are enumerated with the simulator (every input, every choice), and every check and requirement must
//!   get the verdict that follows. `SYNCLINE_CHART_SMALL` sets their number (24), `SYNCLINE_SEED` the seed,
//!   `SYNCLINE_CHART_FIRST` the number of the first, `SYNCLINE_CHART_ENGINE` names an engine to ask alone.
//!
//! `SYNCLINE_CHART_TIME` sets the seconds a property gets (2). UNKNOWN is tolerated for want of time; how often it comes is printed.

#[path = "../statechart/tests/gen/mod.rs"]
mod gen;
#[path = "support/process.rs"]
#[allow(dead_code)] // Charts need no C compiler.
mod process;

use gen::search::{search, Found};
use gen::Profile;
use process::{parallel, run, scratch, setting, syncline};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use syncline_statechart::import;
use syncline_statechart::lower::{self, Check, Question, Subject};
use syncline_statechart::model::Chart;
use syncline_statechart::sim::Guarded;

/// A property as the tool reports it.
struct Reported {
    name: String,
    verdict: String,
    fault: bool,
}

fn check(path: &Path, properties: usize) -> Result<Vec<Reported>, String> {
    let seconds = setting("SYNCLINE_CHART_TIME", 2);
    let mut command = syncline();
    command.args(["check", "--json", "-", "--time", &seconds.to_string()]).arg(path);
    if let Ok(engine) = std::env::var("SYNCLINE_CHART_ENGINE") {
        command.args(["--engine", &engine]);
    }
    let outcome = run(&mut command, Duration::from_secs(60 + 2 * seconds * properties as u64));
    if !matches!(outcome.status, Some(0 | 5 | 10)) {
        return Err(format!("status {:?}: {}", outcome.status, outcome.last_error_line()));
    }
    let json: Json = serde_json::from_slice(&outcome.stdout).map_err(|e| e.to_string())?;
    let text = |p: &Json, key: &str| p[key].as_str().unwrap_or("").to_string();
    let reported = |p: &Json| Reported {
        name: text(p, "name"),
        verdict: text(p, "verdict"),
        fault: p["chart"]["fault"].as_bool().unwrap_or(false),
    };
    Ok(json["properties"].as_array().map(|list| list.iter().map(reported).collect()).unwrap_or_default())
}

/// A chart of the examples, as it is or with a fault.
#[derive(Default)]
struct Example {
    chart: String,
    kind: String,
    edits: Vec<(String, String)>,
    finds: BTreeSet<String>,
}

fn faults() -> Vec<Example> {
    let mut faults: Vec<Example> = Vec::new();
    for line in include_str!("statecharts/faults.txt").lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, faults.last_mut()) {
            ("fault", _) => {
                let (chart, kind) = rest.split_once(' ').expect("a fault has a chart and a kind");
                faults.push(Example { chart: chart.into(), kind: kind.into(), ..Example::default() });
            }
            ("old", Some(fault)) => fault.edits.push((rest.into(), String::new())),
            ("new", Some(fault)) => fault.edits.last_mut().expect("new comes behind old").1 = rest.into(),
            ("finds", Some(fault)) => drop(fault.finds.insert(rest.into())),
            ("" | "#", _) => {}
            _ => panic!("{line} is no line of a fault"),
        }
    }
    faults
}

const CHARTS: [&str; 10] = [
    "mutex",
    "traffic_light",
    "wiper",
    "power_window",
    "cruise_control",
    "central_locking",
    "seat_belt",
    "turn_signal",
    "gear_shift",
    "elevator",
];
/// Kinds of faults that every chart has, and those that only asynchronous ones can have.
const KINDS: [&str; 6] = ["conflict", "race", "unreachable", "dead", "range", "requirement"];

fn text_of(example: &Example) -> String {
    let path = format!("{}/examples/statecharts/{}.xml", env!("CARGO_MANIFEST_DIR"), example.chart);
    let mut text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    for (old, new) in &example.edits {
        assert_eq!(text.matches(old.as_str()).count(), 1, "{}, {}: {old}", example.chart, example.kind);
        text = text.replace(old.as_str(), new);
    }
    text
}

/// What is known of a chart's verdicts.
#[derive(Default)]
struct Judged {
    wrong: Vec<String>,
    unknown: Vec<String>,
    /// A fault is seeded, and nothing of what it should show was found in time.
    missed: Option<String>,
}

fn judge(example: &Example, dir: &Path) -> Judged {
    let (chart, kind) = (&example.chart, &example.kind);
    let path = dir.join(format!("{chart}-{kind}.xml"));
    std::fs::write(&path, text_of(example)).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let reported = match check(&path, 100) {
        Ok(reported) => reported,
        Err(words) => return Judged { wrong: vec![format!("{chart}, {kind}: {words}")], ..Judged::default() },
    };
    let mut wrong = Vec::new();
    let known: BTreeSet<&str> = reported.iter().map(|p| p.name.as_str()).collect();
    for name in example.finds.iter().filter(|name| !known.contains(name.as_str())) {
        wrong.push(format!("{chart}, {kind}: there is no {name}"));
    }
    for p in reported.iter().filter(|p| p.verdict != "UNKNOWN") {
        if p.fault != example.finds.contains(&p.name) {
            wrong.push(format!("{chart}, {kind}: {} is {}", p.name, p.verdict));
        }
    }
    let unknown = reported.iter().filter(|p| p.verdict == "UNKNOWN");
    let unknown = unknown.map(|p| format!("{chart}, {kind}: {}", p.name)).collect();
    let found = reported.iter().any(|p| p.fault);
    let missed = (!example.finds.is_empty() && !found).then(|| format!("{chart}, {kind}"));
    Judged { wrong, unknown, missed }
}

#[test]
fn the_examples_are_right_and_their_faults_are_found() {
    let dir = scratch("statecharts");
    let mut examples: Vec<Example> =
        CHARTS.iter().map(|&c| Example { chart: c.into(), kind: "correct".into(), ..Example::default() }).collect();
    let step = if setting("SYNCLINE_CHART_FAULTS", 0) > 0 { 1 } else { 7 };
    examples.extend(faults().into_iter().step_by(step));
    let judged = parallel(examples.len(), |n| judge(&examples[n], &dir));
    let wrong: Vec<&str> = judged.iter().flat_map(|j| &j.wrong).map(String::as_str).collect();
    let unknown: Vec<&str> = judged.iter().flat_map(|j| &j.unknown).map(String::as_str).collect();
    let missed: Vec<&str> = judged.iter().filter_map(|j| j.missed.as_deref()).collect();
    println!("{} charts; UNKNOWN: {}; faults not found: {missed:?}", examples.len(), unknown.join("; "));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A few hide deeper than the time of a test allows.
    let seeded = examples.len() - CHARTS.len();
    assert!(missed.len() * 6 <= seeded, "{} of {seeded} faults were not found: {missed:?}", missed.len());
}

#[test]
fn every_chart_has_a_fault_of_every_kind() {
    let faults = faults();
    for chart in CHARTS {
        let text = text_of(&Example { chart: chart.into(), ..Example::default() });
        let asynchronous = text.contains("time=\"asynchronous\"");
        let kinds = KINDS.iter().copied().chain(asynchronous.then_some("instability"));
        for kind in kinds {
            let seeded: Vec<_> = faults.iter().filter(|f| f.chart == chart && f.kind == kind).collect();
            assert!(!seeded.is_empty(), "{chart} has no {kind}");
            for fault in seeded {
                text_of(fault);
                assert!(!fault.finds.is_empty(), "{chart}, {kind}: nothing is expected");
            }
        }
    }
    let alarm =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/statecharts/central_locking.xml"))
            .expect("the alarm is there");
    let chart = import::from_str(&alarm, &import::Options::default()).unwrap_or_else(|e| panic!("{}", e[0]));
    let components = chart.states.values().map(|s| s.children.len()).max();
    assert!(chart.states.len() >= 40 && chart.segments.len() >= 100 && components >= Some(8));
}

/// A small generated chart, as the importer reads it, with all that it can do.
fn small_chart(seed: u64, index: u64) -> (String, Chart, Found) {
    for attempt in 0.. {
        let generated = gen::chart(seed, index * 1_000 + attempt, Profile::Small);
        let text = gen::text::xml(&generated);
        let chart =
            import::from_str(&text, &import::Options::default()).unwrap_or_else(|e| panic!("{index}: {}", e[0]));
        match search(&chart, 1_500) {
            // Charts in which next to nothing happens teach little.
            Some(found) if found.statuses > 5 || attempt > 20 => return (text, chart, found),
            Some(_) | None => {}
        }
    }
    unreachable!("attempts do not end")
}

/// Whether some run shows the violation the question is about; `None`: enumeration does not tell.
fn happens(found: &Found, question: &Question) -> Option<bool> {
    let Question { check, subject, spot } = *question;
    match (check, subject) {
        (Check::Conflict, Subject::State(scope)) => Some(found.conflicts.contains(&scope)),
        (Check::Race, Subject::Item(item)) => Some(found.races.contains(&item)),
        (Check::Stability, _) => Some(found.unstable),
        (Check::Unreachable, Subject::State(state)) => Some(found.entered.contains(&state)),
        (Check::Dead, Subject::Segment(segment)) => Some(found.taken.contains(&segment)),
        (Check::Requirement, Subject::Requirement(n)) => Some(found.violated.contains(&(n as usize))),
        // By the place in the label.
        (Check::Range, _) => spot.map(|spot| found.ranges.contains(&spot)),
        (Check::Constant, Subject::SegmentCondition(segment, value)) => {
            Some(found.conditions.contains(&(Guarded::Segment(segment), value)))
        }
        (Check::Constant, Subject::ReactionCondition(state, n, value)) => {
            Some(found.conditions.contains(&(Guarded::Reaction(state, n as usize), value)))
        }
        other => panic!("{other:?} is no question"),
    }
}

#[derive(Default)]
struct Case {
    wrong: Vec<String>,
    decided: BTreeMap<&'static str, [u64; 3]>,
}

fn compare(seed: u64, index: u64, dir: &Path) -> Case {
    let (text, chart, found) = small_chart(seed, index);
    let path = dir.join(format!("small{index}.xml"));
    std::fs::write(&path, &text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let lowered = lower::lower(&chart, &lower::Options::default());
    let mut case = Case::default();
    let reported = match check(&path, lowered.map.questions.len()) {
        Ok(reported) => reported,
        Err(words) => {
            case.wrong.push(format!("chart {index}: {words}"));
            return case;
        }
    };
    let verdicts: BTreeMap<String, String> = reported.into_iter().map(|p| (p.name, p.verdict)).collect();
    for (prop, question) in &lowered.map.questions {
        let name = &lowered.program.props[*prop].name;
        let verdict = verdicts.get(name).map_or("missing", String::as_str);
        let counts = case.decided.entry(question.check.name()).or_default();
        counts[match verdict {
            "SAFE" => 0,
            "UNSAFE" => 1,
            _ => 2,
        }] += 1;
        let right = match (verdict, happens(&found, question)) {
            ("SAFE", Some(happens)) => !happens,
            ("UNSAFE", Some(happens)) => happens,
            ("UNKNOWN", _) | (_, None) => true,
            _ => false,
        };
        if !right {
            case.wrong.push(format!("chart {index}: {name} is {verdict}"));
        }
    }
    if case.wrong.is_empty() {
        let _ = std::fs::remove_file(&path);
    }
    case
}

#[test]
fn checks_agree_with_enumeration() {
    let dir = scratch("statecharts");
    let count = setting("SYNCLINE_CHART_SMALL", 24);
    let (seed, first) = (setting("SYNCLINE_SEED", 1), setting("SYNCLINE_CHART_FIRST", 0));
    let cases = parallel(count as usize, |n| compare(seed, first + n as u64, &dir));
    let mut decided: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    for (check, counts) in cases.iter().flat_map(|case| &case.decided) {
        let sum = decided.entry(check).or_default();
        (0..3).for_each(|n| sum[n] += counts[n]);
    }
    for (check, [safe, violated, unknown]) in &decided {
        println!("{check}: {safe} SAFE, {violated} UNSAFE, {unknown} UNKNOWN");
    }
    let wrong: Vec<&String> = cases.iter().flat_map(|case| &case.wrong).collect();
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
    if count >= 24 {
        for check in Check::ALL {
            let [safe, violated, _] = decided.get(check.name()).copied().unwrap_or_default();
            assert!(safe > 0 && violated > 0, "{}: {safe} SAFE, {violated} UNSAFE", check.name());
        }
    }
}
