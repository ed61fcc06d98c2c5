//! The results as SARIF 2.1.0: a rule for each kind of question, a result for each property. What holds is a `pass`, or for
//! `review` if no run comes to it; what is not decided is `open`, a fault is a `fail` with the run that shows it as a code flow.

use super::document::{ChartRow, Document, Entry, Row, Step, Trace};
use crate::answer::Place;
use serde_json::{json, Value as Json};
use std::collections::BTreeMap;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub fn text(document: &Document) -> String {
    let rules: BTreeMap<&str, usize> = {
        let names: std::collections::BTreeSet<&str> = document.properties.iter().map(Entry::rule).collect();
        names.into_iter().enumerate().map(|(n, name)| (name, n)).collect()
    };
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": document.tool,
                "version": document.version,
                "semanticVersion": document.version,
                "rules": rules.keys().map(|name| rule(name)).collect::<Vec<_>>(),
            }},
            "invocations": [{
                // Undecided is an answer; an error in the tool is none.
                "executionSuccessful": document.exit_status != crate::INTERNAL,
                "exitCode": document.exit_status,
            }],
            "artifacts": document.files.iter().map(|f| json!({ "location": { "uri": uri(f) } })).collect::<Vec<_>>(),
            "columnKind": "unicodeCodePoints",
            "results": document.properties.iter().map(|p| result(p, &rules)).collect::<Vec<_>>(),
        }],
    });
    format!("{log:#}\n")
}

fn rule(name: &str) -> Json {
    json!({ "id": name, "shortDescription": { "text": describe(name) } })
}

fn describe(rule: &str) -> &'static str {
    match rule {
        "assertion" => "An assertion of the program",
        "reach" => "A call that must not be reached",
        "overflow" => "Signed arithmetic stays in its type's range",
        "shift" => "The distance of a shift is less than the width, and the shifted value fits",
        "division" => "No division by zero",
        "bounds" => "An index lies inside its array",
        "pointer" => "A pointer that is followed points to an object",
        "race" => "No two processes write different values in one step",
        "nondeterminism" => "No choice has two enabled transitions",
        "stability" => "The system comes to rest",
        "conflict" => "No two transitions of one scope are enabled together",
        "unreachable" => "Every state can be entered",
        "dead" => "Every transition can fire",
        "range" => "Values, indices and divisors stay in their range",
        "constant" => "Conditions can be true and can be false",
        "requirement" => "A requirement on the chart",
        _ => "A property of the input",
    }
}

fn result(p: &Entry, rules: &BTreeMap<&str, usize>) -> Json {
    let (kind, level) = match (p.is_fault(), p.is_unknown()) {
        (true, _) => ("fail", "error"),
        (false, true) => ("open", "none"),
        (false, false) if p.vacuous.is_some() => ("review", "none"),
        (false, false) => ("pass", "none"),
    };
    let mut text = format!("{} is {}: {}", p.name, p.word(), p.description);
    if let Some(reason) = p.reason.as_ref().or(p.vacuous.as_ref()) {
        text += &format!(" ({reason})");
    }
    let mut result = json!({
        "ruleId": p.rule(),
        "ruleIndex": rules[p.rule()],
        "kind": kind,
        "level": level,
        "message": { "text": text },
        "locations": p.location.iter().map(|place| at(place, None)).collect::<Vec<_>>(),
        // The property's name stays the same while lines move.
        "partialFingerprints": { "property/v1": p.name },
        "properties": { "engine": p.engine, "seconds": p.seconds, "verdict": p.verdict },
    });
    if let Some(flow) = flow(p).filter(|flow| !flow.is_empty()) {
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
    }
    result
}

/// The run that shows a fault, place by place.
fn flow(p: &Entry) -> Option<Vec<Json>> {
    let run = p.chart.as_ref().and_then(|chart| chart.run.as_ref());
    if let Some(rows) = run {
        return Some(rows.iter().flat_map(chart_steps).collect());
    }
    let mut flow: Vec<Json> = p.trace.as_ref().map(steps)?;
    if let (Some(rows), Some(place)) = (&p.table, &p.location) {
        flow = rows.iter().map(|row| json!({ "location": at(place, Some(row_words(row))) })).collect();
    }
    Some(flow)
}

fn steps(trace: &Trace) -> Vec<Json> {
    let step = |s: &Step| {
        let changes: Vec<String> = s.changes.iter().map(|c| format!("{} = {}", c.name, c.value)).collect();
        let place = Place::Source { file: s.file.clone(), line: s.line, column: 0 };
        json!({ "location": at(&place, Some(format!("in {}: {}", s.function, changes.join(", ")))) })
    };
    trace.first.iter().chain(&trace.last).map(step).collect()
}

fn row_words(row: &Row) -> String {
    let pairs = |map: &BTreeMap<String, String>| {
        map.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
    };
    format!("step {}: inputs {}; changed {}", row.step, pairs(&row.inputs), pairs(&row.changed))
}

/// A step of a chart, at each transition that fires in it.
fn chart_steps(row: &ChartRow) -> Vec<Json> {
    let words = format!("step {}: {}", row.step, row.transitions.join("; "));
    row.fired.iter().map(|place| json!({ "location": at(place, Some(words.clone())) })).collect()
}

fn at(place: &Place, words: Option<String>) -> Json {
    let mut location = match place {
        Place::Source { file, line, column } => {
            let mut region = serde_json::Map::new();
            // Lines and columns count from 1; 0 is "not known".
            if *line > 0 {
                region.insert("startLine".into(), json!(line));
            }
            if *line > 0 && *column > 0 {
                region.insert("startColumn".into(), json!(column));
            }
            let mut physical = json!({ "artifactLocation": { "uri": uri(file) } });
            if !region.is_empty() {
                physical["region"] = region.into();
            }
            json!({ "physicalLocation": physical })
        }
        Place::Element { element } => json!({ "logicalLocations": [{ "fullyQualifiedName": element }] }),
    };
    if let Some(words) = words {
        location["message"] = json!({ "text": words });
    }
    location
}

/// A path as a URI: relative ones stay so.
fn uri(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-~".contains(&b);
    let escape = |b: u8| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    let escaped: String = path.bytes().map(escape).collect();
    if escaped.starts_with('/') {
        format!("file://{escaped}")
    } else {
        escaped
    }
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("src/a b.c"), "src/a%20b.c");
        assert_eq!(uri("/tmp/ü#.c"), "file:///tmp/%C3%BC%23.c");
    }
}
