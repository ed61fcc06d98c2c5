//! The results as one page that needs nothing else: a table of verdicts, and for each fault the run that shows it, as a table
//! of its steps and a drawing of its signals; of a chart also its picture, with what the run visits marked.

mod plot;
mod signals;

use super::document::{ChartRow, Document, Entry, Row, Step, Trace};
use super::xml::{self, escape};
use crate::load::source_line;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

const STYLE: &str = include_str!("style.css");
/// Steps of a table that are shown at each end.
const SHOWN: usize = 250;

/// Pictures of a chart as SVG, or why there are none: the plain one, and one for each fault by its property's name.
#[derive(Default)]
pub struct Pictures {
    pub plain: Option<Result<String, String>>,
    pub marked: BTreeMap<String, Result<String, String>>,
}

pub fn page(document: &Document, pictures: &Pictures) -> String {
    let mut out = String::new();
    let title = escape(&document.files.join(" "));
    let _ = writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}: {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>",
        escape(&document.verdict)
    );
    head(&mut out, document, &title);
    verdicts(&mut out, document);
    document.properties.iter().filter(|p| is_told(p)).for_each(|p| property(&mut out, p, pictures));
    if let Some(picture) = &pictures.plain {
        out += "<section id=\"picture\">\n<h2>The chart</h2>\n";
        show_picture(&mut out, picture);
        out += "</section>\n";
    }
    rests_on(&mut out, document);
    engines(&mut out, document);
    out += "</main>\n</body>\n</html>\n";
    out
}

fn head(out: &mut String, document: &Document, title: &str) {
    let class = match document.exit_status {
        0 => "good",
        10 => "bad",
        _ => "open",
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let _ = writeln!(
        out,
        "<header>\n<h1>{title}</h1>\n<p><span class=\"verdict {class}\">{}</span></p>\n\
         <p class=\"facts\">syncline {}, {}, {:.2} s, exit status {}, {} UTC</p>\n</header>",
        escape(&document.verdict),
        document.version,
        document.data_model,
        document.seconds,
        document.exit_status,
        xml::time(now).replace('T', " "),
    );
}

fn class(p: &Entry) -> &'static str {
    match (p.is_fault(), p.is_unknown()) {
        (true, _) => "bad",
        (false, true) => "open",
        (false, false) if p.vacuous.is_some() => "open",
        (false, false) => "good",
    }
}

fn word(p: &Entry) -> String {
    match p.vacuous {
        Some(_) => format!("{} (vacuous)", p.word()),
        None => p.word().to_string(),
    }
}

/// Whether there is more to say than a row of the table.
fn is_told(p: &Entry) -> bool {
    p.is_fault() || p.is_unknown() || p.vacuous.is_some()
}

fn anchor(p: &Entry) -> String {
    format!("p-{}", escape(&p.name))
}

fn verdicts(out: &mut String, document: &Document) {
    out.push_str("<section id=\"verdicts\">\n<h2>Verdicts</h2>\n");
    if document.properties.is_empty() {
        out.push_str("<p>The input has no property.</p>\n");
    }
    let count = |want: &str| document.properties.iter().filter(|p| class(p) == want).count();
    let _ = writeln!(
        out,
        "<p class=\"facts\">as they should be: {}, faults: {}, undecided or vacuous: {}</p>\n<div class=\"scroll\"><table>\n\
         <tr><th>property</th><th>verdict</th><th>time</th><th>engine</th><th>place</th><th>what</th></tr>",
        count("good"),
        count("bad"),
        count("open")
    );
    // What needs attention comes first.
    let mut sorted: Vec<&Entry> = document.properties.iter().collect();
    sorted.sort_by_key(|p| ["bad", "open", "good"].iter().position(|c| *c == class(p)));
    for p in sorted {
        let name = escape(&p.name);
        let name = if is_told(p) { format!("<a href=\"#{}\">{name}</a>", anchor(p)) } else { name };
        let _ = writeln!(
            out,
            "<tr><td>{name}</td><td><span class=\"verdict {}\">{}</span></td><td class=\"number\">{:.2} s</td>\
             <td>{}</td><td class=\"place\">{}</td><td>{}</td></tr>",
            class(p),
            word(p),
            p.seconds,
            p.engine.unwrap_or(""),
            place(p),
            what(p),
        );
    }
    out.push_str("</table></div>\n</section>\n");
}

/// What is asked; of something that ought to happen, and does, it is that it never happens.
fn what(p: &Entry) -> String {
    let denied = if word(p) == "ALIVE" { "not so: " } else { "" };
    format!("{denied}{}", escape(&p.description))
}

fn place(p: &Entry) -> String {
    p.location.as_ref().map(|place| escape(&place.to_string())).unwrap_or_default()
}

fn property(out: &mut String, p: &Entry, pictures: &Pictures) {
    let _ = writeln!(
        out,
        "<section id=\"{}\">\n<h2>{} <span class=\"verdict {}\">{}</span></h2>\n<p><code>{}</code> {}</p>",
        anchor(p),
        escape(&p.name),
        class(p),
        word(p),
        place(p),
        escape(&p.description)
    );
    if let Some(words) = &p.vacuous {
        let _ = writeln!(out, "<p>It holds, but {}</p>", escape(words));
    }
    if let Some(reason) = &p.reason {
        let _ = writeln!(out, "<p>Undecided: {}</p>", escape(reason));
        list(out, "Tried", &p.attempts.iter().map(ToString::to_string).collect::<Vec<_>>());
        list(out, "What may help", &p.advice);
    }
    if let Some(rows) = p.chart.as_ref().and_then(|chart| chart.run.as_ref()) {
        out.push_str("<h3>Signals</h3>\n<div class=\"scroll\">");
        out.push_str(&plot::svg(&signals::of_chart(rows)));
        out.push_str("</div>\n<h3>Steps</h3>\n");
        chart_table(out, rows);
    } else if let Some(rows) = &p.table {
        out.push_str("<h3>Signals</h3>\n<div class=\"scroll\">");
        out.push_str(&plot::svg(&signals::of_table(rows)));
        out.push_str("</div>\n<h3>Steps</h3>\n");
        system_table(out, rows);
    } else if let Some(trace) = &p.trace {
        out.push_str("<h3>Signals</h3>\n<div class=\"scroll\">");
        out.push_str(&plot::svg(&signals::of_trace(trace)));
        out.push_str("</div>\n<h3>Steps</h3>\n");
        trace_table(out, trace);
    }
    if let Some(picture) = pictures.marked.get(&p.name) {
        out.push_str("<h3>The run in the chart</h3>\n");
        show_picture(out, picture);
    }
    out.push_str("</section>\n");
}

fn list(out: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "<h3>{title}</h3>\n<ul>");
    lines.iter().for_each(|line| *out += &format!("<li>{}</li>\n", escape(line)));
    out.push_str("</ul>\n");
}

fn show_picture(out: &mut String, picture: &Result<String, String>) {
    let _ = match picture {
        Ok(svg) => writeln!(out, "<div class=\"picture scroll\">{svg}</div>"),
        Err(why) => writeln!(out, "<p class=\"note\">No picture: {}</p>", escape(why)),
    };
}

/// A table with these columns; of many rows the middle is left out. Columns in which nothing stands are too.
fn table(out: &mut String, names: &[String], rows: &[Vec<String>]) {
    let used: Vec<usize> = (0..names.len()).filter(|&n| rows.iter().any(|row| !row[n].is_empty())).collect();
    out.push_str("<div class=\"scroll\"><table class=\"steps\">\n<tr>");
    used.iter().for_each(|&n| *out += &format!("<th>{}</th>", escape(&names[n])));
    out.push_str("</tr>\n");
    for (n, row) in rows.iter().enumerate() {
        if n >= SHOWN && n + SHOWN < rows.len() {
            if n == SHOWN {
                let left_out = rows.len() - 2 * SHOWN;
                let _ = writeln!(out, "<tr><td colspan=\"{}\">... {left_out} more steps ...</td></tr>", used.len());
            }
            continue;
        }
        out.push_str(if n + 1 == rows.len() { "<tr class=\"last\">" } else { "<tr>" });
        used.iter().for_each(|&n| *out += &format!("<td class=\"value\">{}</td>", escape(&row[n])));
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

fn chart_table(out: &mut String, rows: &[ChartRow]) {
    let names = strings(&["step", "time", "inputs", "transitions", "left", "entered", "changed", "faults"]);
    let cells = |row: &ChartRow| {
        let lists = [&row.inputs, &row.transitions, &row.left, &row.entered, &row.changed, &row.faults];
        let mut cells = vec![row.step.to_string(), row.time.to_string()];
        cells.extend(lists.map(|list| list.join("; ")));
        let more = (row.left_out > 0).then(|| {
            let mut more = vec![String::new(); cells.len()];
            more[3] = format!("({} more steps like these)", row.left_out);
            more
        });
        more.into_iter().chain([cells])
    };
    table(out, &names, &rows.iter().flat_map(cells).collect::<Vec<_>>());
}

fn pairs(map: &BTreeMap<String, String>) -> String {
    map.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

fn system_table(out: &mut String, rows: &[Row]) {
    let processes: Vec<&String> =
        rows.iter().find_map(|r| r.locations.as_ref()).map_or(Vec::new(), |l| l.keys().collect());
    let mut names = strings(&["step", "inputs"]);
    names.extend(processes.iter().map(|name| name.to_string()));
    names.push("changed".to_string());
    let cells = |row: &Row| {
        let at = |process: &&String| row.locations.as_ref().and_then(|l| l.get(*process)).cloned().unwrap_or_default();
        let mut cells = vec![row.step.to_string(), pairs(&row.inputs)];
        cells.extend(processes.iter().map(at));
        cells.push(if row.locations.is_some() { pairs(&row.changed) } else { "the run ends in this step".to_string() });
        cells
    };
    table(out, &names, &rows.iter().map(cells).collect::<Vec<_>>());
}

fn trace_table(out: &mut String, trace: &Trace) {
    if let Some(place) = &trace.outside {
        let _ = writeln!(out, "<p class=\"note\">The first access outside of its object is at {}</p>", escape(place));
    }
    let names = strings(&["step", "place", "function", "source", "takes in", "changes"]);
    let skipped = trace.omitted as usize;
    let after = trace.first.len() + skipped;
    let numbered = |n: usize, s: &Step| {
        let list = |input: bool| {
            let of = s.changes.iter().filter(|c| c.input == input).map(|c| format!("{} = {}", c.name, c.value));
            of.collect::<Vec<_>>().join(", ")
        };
        let source = source_line(&s.file, s.line).unwrap_or_default().trim().to_string();
        let place = format!("{}:{}", s.file, s.line);
        vec![(n + 1).to_string(), place, s.function.clone(), source, list(true), list(false)]
    };
    let mut rows: Vec<Vec<String>> = trace.first.iter().enumerate().map(|(n, s)| numbered(n, s)).collect();
    if skipped > 0 {
        let mut row = vec![String::new(); names.len()];
        row[1] = format!("... {skipped} more steps ...");
        rows.push(row);
    }
    rows.extend(trace.last.iter().enumerate().map(|(n, s)| numbered(after + n, s)));
    table(out, &names, &rows);
}

fn rests_on(out: &mut String, document: &Document) {
    if document.assumptions.is_empty() {
        return;
    }
    out.push_str("<section id=\"assumptions\">\n<h2>The verdicts rest on</h2>\n<ul>\n");
    for assumption in &document.assumptions {
        let place = assumption.location.as_ref().map(|p| format!("<code>{}</code> ", escape(&p.to_string())));
        let _ = writeln!(out, "<li>{}{}</li>", place.unwrap_or_default(), escape(&assumption.text));
    }
    out.push_str("</ul>\n</section>\n");
}

fn engines(out: &mut String, document: &Document) {
    if document.engines.is_empty() {
        return;
    }
    out.push_str("<section id=\"engines\">\n<details><summary>Engines</summary>\n<div class=\"scroll\"><table>\n");
    out.push_str(
        "<tr><th>engine</th><th>from</th><th>to</th><th>end</th><th>decided</th><th>chosen because</th></tr>\n",
    );
    for engine in &document.engines {
        let end = match &engine.reason {
            Some(reason) => format!("{}; {reason}", engine.end),
            None => engine.end.to_string(),
        };
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td class=\"number\">{:.2} s</td><td class=\"number\">{:.2} s</td><td>{}</td>\
             <td class=\"number\">{}</td><td>{}</td></tr>",
            escape(engine.engine),
            engine.from,
            engine.to,
            escape(&end),
            engine.decided.len(),
            escape(engine.chosen)
        );
    }
    out.push_str("</table></div>\n</details>\n</section>\n");
}
