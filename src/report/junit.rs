//! The results as JUnit XML: a suite, with a test case for each property. A fault is a `failure`. What is not decided is an
//! `error`, so that no build server takes it for a success.

use super::document::{Document, Entry, Trace};
use super::xml;
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

pub fn text(document: &Document) -> String {
    let all = &document.properties;
    let failures = all.iter().filter(|p| p.is_fault()).count();
    let errors = all.iter().filter(|p| !p.is_fault() && p.is_unknown()).count();
    let name = document.files.join(" ");
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    let _ = writeln!(
        out,
        "  <testsuite name=\"{0}\" package=\"{0}\" id=\"0\" hostname=\"localhost\" timestamp=\"{1}\" tests=\"{2}\" \
         failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\" time=\"{3:.3}\">",
        xml::escape(&name),
        xml::time(seconds),
        all.len(),
        document.seconds,
    );
    out += "    <properties>\n";
    for (name, value) in [("tool", document.tool), ("version", document.version), ("data_model", document.data_model)] {
        let _ = writeln!(out, "      <property name=\"{name}\" value=\"{value}\"/>");
    }
    let _ = writeln!(out, "      <property name=\"verdict\" value=\"{}\"/>", xml::escape(&document.verdict));
    out += "    </properties>\n";
    all.iter().for_each(|p| case(&mut out, &name, p));
    let mut rests: Vec<String> = document.assumptions.iter().map(|a| a.text.clone()).collect();
    rests.extend(all.iter().filter_map(|p| Some(format!("{} holds, but {}", p.name, p.vacuous.as_ref()?))));
    let _ = writeln!(out, "    <system-out>{}</system-out>", xml::escape(&rests.join("\n")));
    out += "    <system-err/>\n  </testsuite>\n</testsuites>\n";
    out
}

fn case(out: &mut String, class: &str, p: &Entry) {
    let _ = write!(
        out,
        "    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3}\"",
        xml::escape(&p.name),
        xml::escape(class),
        p.seconds
    );
    let element = match (p.is_fault(), p.is_unknown()) {
        (true, _) => "failure",
        (false, true) => "error",
        (false, false) => {
            *out += "/>\n";
            return;
        }
    };
    let message = p.reason.as_ref().unwrap_or(&p.description);
    let place = p.location.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
    let _ = writeln!(
        out,
        ">\n      <{element} type=\"{}\" message=\"{}\">{}</{element}>\n    </testcase>",
        p.word(),
        xml::escape(message),
        xml::escape(&format!("{place}{}\n{}", p.description, run(p)))
    );
}

/// What was tried, or the run, in plain lines.
fn run(p: &Entry) -> String {
    let mut lines: Vec<String> = p.attempts.iter().map(|attempt| format!("tried: {attempt}")).collect();
    lines.extend(p.advice.iter().map(|words| format!("try: {words}")));
    if let Some(rows) = p.chart.as_ref().and_then(|chart| chart.run.as_ref()) {
        for row in rows {
            let parts = [&row.inputs, &row.transitions, &row.changed, &row.faults].map(|list| list.join("; "));
            lines.push(format!("step {}: {}", row.step, parts.join(" | ")));
        }
    } else if let Some(rows) = &p.table {
        let pair = |(name, value): (&String, &String)| format!("{name} = {value}");
        for row in rows {
            let pairs: Vec<String> = row.inputs.iter().chain(&row.changed).map(pair).collect();
            lines.push(format!("step {}: {}", row.step, pairs.join(", ")));
        }
    } else if let Some(Trace { first, last, omitted, .. }) = &p.trace {
        let line = |s: &super::document::Step| {
            let changes: Vec<String> = s.changes.iter().map(|c| format!("{} = {}", c.name, c.value)).collect();
            format!("{}:{} in {}: {}", s.file, s.line, s.function, changes.join(", "))
        };
        lines.extend(first.iter().map(line));
        if *omitted > 0 {
            lines.push(format!("... {omitted} more steps ..."));
        }
        lines.extend(last.iter().map(line));
    }
    lines.join("\n")
}
