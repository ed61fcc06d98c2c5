//! Report files: any number at once, each a rendering of one document.

use super::document::Document;
use super::html::{self, Pictures};
use super::{junit, sarif};
use crate::args::ReportArgs;
use crate::draw;
use std::path::Path;
use std::time::Duration;
use syncline_statechart::draw::{dot, Marks};
use syncline_statechart::model::Chart;

/// The text of a report; the chart is what its picture is made of.
type Render = fn(&Document, Option<&Chart>) -> String;

/// Faults whose run is shown in a picture of the chart, and what one picture may take.
const MOST_PICTURES: usize = 12;
const PICTURE_TIME: Duration = Duration::from_secs(10);

/// The reports asked for.
fn all(args: &ReportArgs) -> Vec<(&Path, Render)> {
    let formats: [(&Option<_>, Render); 4] = [
        (&args.json, |document, _| json(document)),
        (&args.sarif, |document, _| sarif::text(document)),
        (&args.junit, |document, _| junit::text(document)),
        (&args.html, |document, chart| html::page(document, &pictures(document, chart))),
    ];
    formats.into_iter().filter_map(|(path, render)| Some((path.as_deref()?, render))).collect()
}

pub fn wanted(args: &ReportArgs) -> bool {
    !all(args).is_empty()
}

fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Standard output is for a report, not for the text.
pub fn to_stdout(args: &ReportArgs) -> bool {
    all(args).iter().any(|(path, _)| is_stdout(path)) || args.witness.as_deref().is_some_and(is_stdout)
}

/// Whether what is asked for can be done.
pub fn check(args: &ReportArgs) -> Result<(), String> {
    let mut seen: Vec<&Path> = Vec::new();
    let witness = args.witness.as_deref();
    for path in all(args).into_iter().map(|(path, _)| path).chain(witness) {
        if seen.contains(&path) {
            return Err(format!("two reports to {}: each needs a file of its own", path.display()));
        }
        seen.push(path);
    }
    Ok(())
}

/// Writes the reports; what could not be written.
pub fn write(args: &ReportArgs, document: &Document, chart: Option<&Chart>) -> Vec<String> {
    let mut errors = Vec::new();
    for (path, render) in all(args) {
        let text = render(document, chart);
        if is_stdout(path) {
            say!("{}", text.trim_end());
        } else if let Err(e) = std::fs::write(path, text) {
            errors.push(format!("{}: {e}", path.display()));
        }
    }
    errors
}

fn json(document: &Document) -> String {
    // All keys are strings and all numbers are finite: this does not fail.
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}

/// The chart, and the runs of its faults in it.
fn pictures(document: &Document, chart: Option<&Chart>) -> Pictures {
    let Some(chart) = chart else { return Pictures::default() };
    let draw = |marks: &Marks| draw::svg(&dot(chart, marks), PICTURE_TIME).map(|svg| inline(&svg));
    let plain = draw(&Marks::default());
    let mut pictures = Pictures::default();
    if plain.is_ok() {
        for p in &document.properties {
            let run = p.chart.as_ref().and_then(|c| c.run.as_ref()).filter(|_| p.is_fault());
            let Some(rows) = run.filter(|_| pictures.marked.len() < MOST_PICTURES) else { continue };
            pictures.marked.insert(p.name.clone(), draw::marks(chart, rows).and_then(|marks| draw(&marks)));
        }
    }
    pictures.plain = Some(plain);
    pictures
}

/// A picture as a part of a page: without its prologue, and without names, which would be there twice.
fn inline(svg: &str) -> String {
    let svg = svg.find("<svg").map_or(svg, |at| &svg[at..]);
    let mut pieces = svg.split(" id=\"");
    let mut out = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        out += piece.split_once('"').map_or("", |(_, rest)| rest);
    }
    out
}
