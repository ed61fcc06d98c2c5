//! What an engine's process reports to the one that started it, a line of JSON each.
//!
//! A verdict has been confirmed where it was found. Certificates stay there: what is reported of one is what the user is shown,
//! and, if asked for, the queries that show it.

use crate::witness::invariant;
use serde::{Deserialize, Serialize};
use serde_json::{json, Value as Json};
use std::collections::BTreeMap;
use syncline_engines::evidence::Answered;
use syncline_engines::task::{Annotations, Certificate, Reason, Stats, Trace, Verdict};
use syncline_engines::vc::LoopKey;
use syncline_ir::interp::Values;
use syncline_ir::{read, Obligation, Origin, OriginData, Program, Prop, Site};

/// The answer on one property.
#[derive(Clone, Debug)]
pub enum Answer {
    /// With what there is to say of its certificate.
    Safe(Json),
    Unsafe(Trace),
    Unknown(Reason),
}

impl Answer {
    /// The program is the one as lowered: origins are its. If a witness is wanted, `long` has so many bits.
    pub fn new(program: &Program, verdict: Verdict, witness: Option<u32>) -> Answer {
        match verdict {
            Verdict::Safe(certificate) => {
                let mut summary = summary(program, &certificate);
                if let (Some(long), Some(annotations)) = (witness, annotations(&certificate)) {
                    summary["witness"] = json!(invariant::invariants(program, annotations, long));
                }
                Answer::Safe(summary)
            }
            Verdict::Unsafe(trace) => Answer::Unsafe(trace),
            Verdict::Unknown(reason) => Answer::Unknown(reason),
        }
    }
}

/// What an engine did, as it is printed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Account {
    pub engine: String,
    pub counts: Vec<(String, u64)>,
    pub notes: Vec<String>,
    pub checks: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    pub asserted: u64,
    pub seconds: f64,
}

impl From<Stats> for Account {
    fn from(stats: Stats) -> Account {
        let solver = stats.solver;
        Account {
            engine: stats.engine.to_string(),
            counts: stats.counts.iter().map(|&(name, count)| (name.to_string(), count)).collect(),
            notes: stats.notes,
            checks: solver.checks,
            sat: solver.sat,
            unsat: solver.unsat,
            unknown: solver.unknown,
            asserted: solver.asserted,
            seconds: solver.check_time.as_secs_f64(),
        }
    }
}

/// One thing that is reported.
#[derive(Debug)]
pub enum Message {
    Progress(String),
    Found(Prop, Answer),
    /// The queries that show that the property of this name holds. It comes before the property is found to do so.
    Certified(String, Vec<Answered>),
    /// Facts that are proved, as text, of the program that this word names.
    Facts(String, Vec<String>),
    Done(Account),
}

#[derive(Serialize, Deserialize)]
enum Line {
    Progress(String),
    Safe(u32, Json),
    /// Of each site the values, with how often each comes before another one does.
    Unsafe(u32, Vec<(u32, Vec<(String, usize)>)>),
    /// The kind of the reason, and its words.
    Unknown(u32, String, String),
    /// Purpose, meaning and text of each query.
    Certified(String, Vec<(String, String, String)>),
    Facts(String, Vec<String>),
    Done(Account),
}

impl Message {
    /// As a line, its end included.
    pub fn write(self) -> String {
        let line = match self {
            Message::Progress(text) => Line::Progress(text),
            Message::Found(prop, Answer::Safe(summary)) => Line::Safe(prop.as_u32(), summary),
            Message::Found(prop, Answer::Unsafe(trace)) => {
                let texts = |values: Values| values.runs().map(|(v, times)| (v.to_string(), times)).collect();
                let inputs = trace.inputs.into_iter().map(|(site, values)| (site.as_u32(), texts(values)));
                Line::Unsafe(prop.as_u32(), inputs.collect())
            }
            Message::Found(prop, Answer::Unknown(reason)) => {
                let (kind, words) = write_reason(reason);
                Line::Unknown(prop.as_u32(), kind.to_string(), words)
            }
            Message::Certified(property, queries) => {
                Line::Certified(property, queries.into_iter().map(|q| (q.purpose, q.meaning, q.text)).collect())
            }
            Message::Facts(about, facts) => Line::Facts(about, facts),
            Message::Done(account) => Line::Done(account),
        };
        // Maps with keys that are no strings would fail; there are none.
        serde_json::to_string(&line).unwrap_or_default() + "\n"
    }

    /// What the line says; `None` if that is nothing.
    pub fn read(line: &[u8]) -> Option<Message> {
        Some(match serde_json::from_slice(line).ok()? {
            Line::Progress(text) => Message::Progress(text),
            Line::Safe(prop, summary) => Message::Found(Prop::from_u32(prop), Answer::Safe(summary)),
            Line::Unsafe(prop, inputs) => {
                let mut trace = Trace::default();
                for (site, values) in inputs {
                    let read_values = trace.inputs.entry(Site::from_u32(site)).or_default();
                    for (text, times) in values {
                        read_values.push_times(read::constant(&text).ok()?, times);
                    }
                }
                Message::Found(Prop::from_u32(prop), Answer::Unsafe(trace))
            }
            Line::Unknown(prop, kind, words) => {
                Message::Found(Prop::from_u32(prop), Answer::Unknown(read_reason(&kind, words)?))
            }
            Line::Certified(property, queries) => {
                let queries = queries.into_iter().map(|(purpose, meaning, text)| Answered { purpose, meaning, text });
                Message::Certified(property, queries.collect())
            }
            Line::Facts(about, facts) => Message::Facts(about, facts),
            Line::Done(account) => Message::Done(account),
        })
    }
}

fn write_reason(reason: Reason) -> (&'static str, String) {
    match reason {
        Reason::Time => ("time", String::new()),
        Reason::Memory => ("memory", String::new()),
        Reason::UnwindBound(n) => ("unwind", n.to_string()),
        Reason::Unsupported(o) => ("unsupported", o.as_u32().to_string()),
        Reason::Solver(words) => ("solver", words),
        Reason::Evidence(words) => ("evidence", words),
        Reason::NotForEngine(words) => ("engine", words),
        Reason::Cancelled => ("cancelled", String::new()),
    }
}

fn read_reason(kind: &str, words: String) -> Option<Reason> {
    Some(match kind {
        "time" => Reason::Time,
        "memory" => Reason::Memory,
        "unwind" => Reason::UnwindBound(words.parse().ok()?),
        "unsupported" => Reason::Unsupported(Obligation::from_u32(words.parse().ok()?)),
        "solver" => Reason::Solver(words),
        "evidence" => Reason::Evidence(words),
        "engine" => Reason::NotForEngine(words),
        "cancelled" => Reason::Cancelled,
        _ => return None,
    })
}

/// The formulas at loops that a certificate shows.
fn annotations(certificate: &Certificate) -> Option<&Annotations> {
    match certificate {
        Certificate::Inductive { annotations, .. } | Certificate::SimplePath { annotations, .. } => Some(annotations),
        Certificate::Unwinding { .. } | Certificate::Accelerated { .. } | Certificate::Inlining { .. } => None,
    }
}

/// What there is to say of a certificate.
fn summary(program: &Program, certificate: &Certificate) -> Json {
    match certificate {
        Certificate::Unwinding { bounds } => json!({ "kind": "unwinding", "bounds": bounds_json(program, bounds) }),
        Certificate::Accelerated { accelerations, bounds } => {
            let (paths, bounds) = (accelerations.len(), bounds_json(program, bounds));
            json!({ "kind": "accelerated", "paths": paths, "bounds": bounds })
        }
        Certificate::Inlining { nodes, contracts } => {
            let opened: usize = nodes.iter().map(|n| n.opened.len()).sum();
            let formulas: usize = contracts.values().map(|c| c.requires.len() + c.ensures.len()).sum();
            json!({
                "kind": "inlining", "nodes": nodes.len(), "opened": opened,
                "contracts": contracts.len(), "formulas": formulas,
            })
        }
        Certificate::Inductive { k, annotations, opened } => {
            let formulas: usize = annotations.values().map(Vec::len).sum();
            let mut json = json!({ "kind": "inductive", "k": k, "headers": annotations.len(), "formulas": formulas });
            if let Some(opened) = opened {
                json["opened"] = opened.len().saturating_sub(1).into();
            }
            json
        }
        Certificate::SimplePath { k, annotations, cells } => {
            let formulas: usize = annotations.values().map(Vec::len).sum();
            let cells: usize = cells.values().map(Vec::len).sum();
            let headers = annotations.len();
            json!({ "kind": "simple path", "k": k, "headers": headers, "formulas": formulas, "cells": cells })
        }
    }
}

/// How often loops are taken, and how deep recursion goes.
fn bounds_json(program: &Program, bounds: &BTreeMap<LoopKey, u32>) -> Vec<Json> {
    let one = |(key, n): (&LoopKey, &u32)| json!({ "function": key.proc, "location": location(program, key.header), "bound": n });
    bounds.iter().map(one).collect()
}

/// A place in the input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Place {
    Source { file: String, line: u32, column: u32 },
    Element { element: String },
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Source { file, line, column } => write!(f, "{file}:{line}:{column}"),
            Place::Element { element } => write!(f, "{element}"),
        }
    }
}

/// Where something comes from.
pub fn location(program: &Program, origin: Origin) -> Option<Place> {
    match program.origins.get(origin) {
        // Those that are added to a system on its way to the engines are not in the program as lowered.
        None | Some(OriginData::None) => None,
        Some(&OriginData::Source { file, line, column }) => {
            Some(Place::Source { file: program.files[file as usize].clone(), line, column })
        }
        Some(OriginData::Element(path)) => Some(Place::Element { element: path.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syncline_ir::{ArrayConst, Const, FloatFormat};

    fn again(message: Message) -> Message {
        let line = message.write();
        assert_eq!(line.matches('\n').count(), 1, "{line}");
        Message::read(line.trim_end().as_bytes()).expect("a message")
    }

    #[test]
    fn traces_come_back() {
        let mut trace = Trace::default();
        let mut array = ArrayConst::filled(64, Const::bv(8, 1));
        array.set(u128::from(u64::MAX), Const::bv(8, 200));
        let float = Const::Float { format: FloatFormat::X87, bits: 0x3fff_8000_0000_0000_0000 };
        trace.inputs.insert(Site::from_u32(3), Values::from_iter([Const::TRUE, Const::bv(128, u128::MAX), float]));
        trace.inputs.insert(Site::from_u32(9), Values::from_iter([Const::Array(array)]));
        let message = again(Message::Found(Prop::from_u32(7), Answer::Unsafe(trace.clone())));
        let Message::Found(prop, Answer::Unsafe(read)) = message else { panic!("another message") };
        assert_eq!((prop, read), (Prop::from_u32(7), trace));
    }

    #[test]
    fn reasons_come_back() {
        let words = || "a \"line\"\nand another".to_string();
        for reason in [
            Reason::Time,
            Reason::Memory,
            Reason::UnwindBound(12),
            Reason::Unsupported(Obligation::from_u32(4)),
            Reason::Solver(words()),
            Reason::Evidence(words()),
            Reason::NotForEngine(words()),
            Reason::Cancelled,
        ] {
            let message = again(Message::Found(Prop::from_u32(0), Answer::Unknown(reason.clone())));
            let Message::Found(_, Answer::Unknown(read)) = message else { panic!("another message") };
            assert_eq!(read, reason);
        }
    }

    #[test]
    fn half_a_line_is_nothing() {
        let line = Message::Certified("p".to_string(), Vec::new()).write();
        for end in 0..line.len() - 1 {
            assert!(Message::read(&line.as_bytes()[..end]).is_none());
        }
    }
}
