//! `syncline draw`: a chart's picture. Graphviz's `dot` makes it; what a counterexample visits is marked.

use crate::answer::Place;
use crate::args::DrawArgs;
use crate::chart;
use crate::load;
use crate::report::document::ChartRow;
use crate::{BAD_INPUT, USAGE};
use serde_json::Value as Json;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use syncline_statechart::draw::{dot, Marks};
use syncline_statechart::model::{Chart, Segment, State};
use syncline_statechart::sim::table::Words;

/// The most that a picture may take: layouts of large charts do not end soon.
const TIME: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(5);

pub fn main(args: DrawArgs) -> u8 {
    if !chart::is_chart(std::slice::from_ref(&args.file)) {
        eprintln!("error: {}: only charts (.xml) can be drawn", args.file.display());
        return USAGE;
    }
    let chart = match chart::read(&args.file, args.mapping.as_deref(), &[]) {
        Ok(chart) => chart,
        Err(errors) => {
            load::print_errors(&errors);
            return BAD_INPUT;
        }
    };
    match drawn(&chart, &args) {
        Ok(()) => 0,
        Err(message) => {
            eprintln!("error: {message}");
            BAD_INPUT
        }
    }
}

fn drawn(chart: &Chart, args: &DrawArgs) -> Result<(), String> {
    let marks = match &args.trace {
        Some(path) => {
            let rows = read_run(path, args.property.as_deref());
            rows.and_then(|rows| marks(chart, &rows)).map_err(|e| format!("{}: {e}", path.display()))?
        }
        None => Marks::default(),
    };
    let text = dot(chart, &marks);
    let plain = args.output.extension().is_some_and(|e| e == "dot" || e == "gv");
    let picture = if plain { text } else { svg(&text, TIME)? };
    if args.output.as_os_str() == "-" {
        say!("{}", picture.trim_end());
        return Ok(());
    }
    std::fs::write(&args.output, picture).map_err(|e| format!("{}: {e}", args.output.display()))
}

/// The run of a report that `check --json` has written: of the named property, or of the first that has one.
fn read_run(path: &Path, property: Option<&str>) -> Result<Vec<ChartRow>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let report: Json = serde_json::from_str(&text).map_err(|e| format!("not a report of check --json: {e}"))?;
    let properties = report["properties"].as_array().ok_or("not a report of check --json: it has no properties")?;
    let is_it = |p: &&Json| match property {
        Some(name) => p["name"] == name,
        None => !p["chart"]["run"].is_null(),
    };
    let found = properties.iter().find(is_it).ok_or_else(|| match property {
        Some(name) => format!("the report has no property {name}"),
        None => "the report has no run of a chart".to_string(),
    })?;
    let run = &found["chart"]["run"];
    if run.is_null() {
        return Err(format!("the report has no run of {}", found["name"].as_str().unwrap_or_default()));
    }
    serde_json::from_value(run.clone()).map_err(|e| format!("the run of {}: {e}", found["name"]))
}

/// What a run visits.
pub fn marks(chart: &Chart, rows: &[ChartRow]) -> Result<Marks, String> {
    let words = Words { chart };
    let state = |name: &String| -> Result<State, String> {
        let found = chart.states.keys().find(|&s| words.state(s) == *name);
        found.ok_or_else(|| format!("the chart has no state {name}: is the report about another version of it?"))
    };
    let mut marks = Marks::default();
    for row in rows {
        for name in &row.entered {
            marks.states.insert(state(name)?);
        }
        for place in &row.fired {
            let segment = segment(chart, place);
            let segment = segment.ok_or_else(|| {
                format!("the chart has no transition at {place}: is the report about another version of it?")
            })?;
            marks.segments.insert(segment);
        }
    }
    for name in rows.last().iter().flat_map(|row| row.active.values()) {
        marks.last.insert(state(name)?);
    }
    Ok(marks)
}

/// The segment that stands there. Of a file only the name counts: a report may have been made in another directory.
fn segment(chart: &Chart, place: &Place) -> Option<Segment> {
    let Place::Source { file, line, column } = place else { return None };
    let name = |path: &str| Path::new(path).file_name().map(|name| name.to_os_string());
    let is_it = |segment: &Segment| {
        let position = chart.segments[*segment].position;
        position.line == *line && position.column == *column && name(&chart.files[position.file as usize]) == name(file)
    };
    chart.segments.keys().find(is_it)
}

/// What Graphviz makes of the drawing.
pub fn svg(text: &str, time: Duration) -> Result<String, String> {
    let child =
        Command::new("dot").arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|e| match e.kind() {
        ErrorKind::NotFound => {
            "a picture needs Graphviz, whose `dot` is not installed here (Debian: apt install graphviz)".to_string()
        }
        _ => format!("dot: {e}"),
    })?;
    // Written and read by threads of their own: neither waits for the other.
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let text = text.to_string();
    let writer = std::thread::spawn(move || stdin.map(|mut to| to.write_all(text.as_bytes())));
    let reader = std::thread::spawn(move || read_all(stdout));
    let complaints = std::thread::spawn(move || read_all(stderr));
    let done = wait(&mut child, time);
    let _ = writer.join();
    let picture = reader.join().unwrap_or_default();
    let complaints = complaints.join().unwrap_or_default();
    match done {
        Some(true) if picture.contains("<svg") => Ok(picture),
        Some(_) => Err(format!("dot could not draw it: {}", complaints.lines().next().unwrap_or("it said nothing"))),
        None => Err(format!("dot did not come to an end within {} s", time.as_secs())),
    }
}

fn read_all(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        let _ = from.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether it ended well; `None` if it had to be ended.
fn wait(child: &mut Child, time: Duration) -> Option<bool> {
    let until = Instant::now() + time;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if Instant::now() < until => std::thread::sleep(LOOK),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            Err(_) => return Some(false),
        }
    }
}
