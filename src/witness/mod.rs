//! Witnesses in SV-COMP's format 2.0: a file of YAML entries that other tools can read. A violation is the sequence of values
//! that calls return, to the place of the violation; a proof is its invariants at loops.
//!
//! The format knows C programs and a few specifications. Where it has no word for an answer there is no witness, and the reason
//! is said; invariants that C cannot say are left out, and counted.

pub mod invariant;
mod source;
mod violation;

use crate::answer::{Answer, Place};
use crate::args::CheckArgs;
use crate::load::Loaded;
use crate::report::{xml, Property};
use invariant::Invariants;
use serde_json::{json, Value as Json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Read;
use std::time::{SystemTime, UNIX_EPOCH};
use syncline_ir::{Program, Prop, PropKind};

/// The witness, and what is to be known of it; or why there is none.
pub fn witness(
    args: &CheckArgs,
    loaded: &Loaded,
    results: &BTreeMap<Prop, Property>,
) -> Result<(String, Vec<String>), String> {
    if loaded.chart.is_some() || loaded.program.system.is_some() {
        return Err("witnesses are for sequential C programs".to_string());
    }
    let program = &loaded.program;
    let violated = results.values().find_map(|p| match &p.answer {
        Answer::Unsafe(trace) => Some((p.prop, trace)),
        Answer::Safe(_) | Answer::Unknown(_) => None,
    });
    if let Some((prop, trace)) = violated {
        let specification = specification(args, program.props[prop].kind)?;
        let metadata = metadata(args, &specification, "")?;
        let content = violation::content(program, prop, trace)?;
        let entry = json!({ "entry_type": "violation_sequence", "metadata": metadata, "content": content });
        return Ok((yaml(&json!([entry])), Vec::new()));
    }
    if results.is_empty() || results.values().any(|p| !matches!(p.answer, Answer::Safe(_))) {
        return Err("the verdict is not known".to_string());
    }
    proof(args, program, results)
}

/// A set of invariants for each specification there is.
fn proof(
    args: &CheckArgs,
    program: &Program,
    results: &BTreeMap<Prop, Property>,
) -> Result<(String, Vec<String>), String> {
    let mut sets: BTreeMap<String, Invariants> = BTreeMap::new();
    for p in results.values() {
        let set = sets.entry(specification(args, program.props[p.prop].kind)?).or_default();
        let Answer::Safe(summary) = &p.answer else { continue };
        let found: Invariants = serde_json::from_value(summary["witness"].clone()).unwrap_or_default();
        set.left_out += found.left_out;
        for invariant in found.invariants {
            if !set.invariants.contains(&invariant) {
                set.invariants.push(invariant);
            }
        }
    }
    let (mut entries, mut notes) = (Vec::new(), Vec::new());
    for (specification, set) in sets {
        let note = match (set.invariants.len(), set.left_out) {
            (_, 0) => String::new(),
            (_, n) => {
                format!("{n} formulas of the proof cannot be said in C at a loop of the source, and are left out")
            }
        };
        let content: Vec<Json> = set.invariants.iter().map(invariant_json).collect();
        let metadata = metadata(args, &specification, &note)?;
        entries.push(json!({ "entry_type": "invariant_set", "metadata": metadata, "content": content }));
        notes.extend(Some(note).filter(|note| !note.is_empty()));
    }
    Ok((yaml(&Json::Array(entries)), notes))
}

fn invariant_json(invariant: &invariant::Invariant) -> Json {
    json!({ "invariant": {
        "type": "loop_invariant",
        "location": location(&invariant.place, Some(&invariant.function)),
        "value": invariant.value,
        "format": "c_expression",
    }})
}

fn location(place: &Place, function: Option<&str>) -> Json {
    let mut location = match place {
        Place::Source { file, line, column: 0 } => json!({ "file_name": file, "line": line }),
        Place::Source { file, line, column } => json!({ "file_name": file, "line": line, "column": column }),
        Place::Element { element } => json!({ "file_name": element, "line": 0 }),
    };
    if let Some(function) = function {
        location["function"] = function.into();
    }
    location
}

/// The specification in SV-COMP's words.
fn specification(args: &CheckArgs, kind: PropKind) -> Result<String, String> {
    if let Some(path) = &args.propertyfile {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        return Ok(text.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    let formula = match kind {
        PropKind::Reach => "G ! call(reach_error())",
        // What the macro calls.
        PropKind::Assertion => "G ! call(__assert_fail())",
        PropKind::Overflow => "G ! overflow",
        PropKind::Bounds | PropKind::Pointer => "G valid-deref",
        PropKind::Shift | PropKind::Division | PropKind::Race | PropKind::Nondeterminism | PropKind::Stability => {
            return Err(format!("the format has no specification for {}", kind.name()))
        }
    };
    Ok(format!("CHECK( init({}()), LTL({formula}) )", args.input.entry))
}

fn metadata(args: &CheckArgs, specification: &str, note: &str) -> Result<Json, String> {
    let mut hashes = serde_json::Map::new();
    for path in &args.input.files {
        let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
        hashes.insert(path.display().to_string(), hex(&Sha256::digest(bytes)).into());
    }
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let mut producer = json!({ "name": "syncline", "version": env!("CARGO_PKG_VERSION") });
    if !note.is_empty() {
        producer["description"] = note.into();
    }
    Ok(json!({
        "format_version": "2.0",
        "uuid": uuid(),
        "creation_time": xml::time(seconds) + "Z",
        "producer": producer,
        "task": {
            "input_files": args.input.files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>(),
            "input_file_hashes": hashes,
            "specification": specification,
            "data_model": if args.input.ilp32 { "ILP32" } else { "LP64" },
            "language": "C",
        },
    }))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// A random identifier (RFC 4122, version 4).
fn uuid() -> String {
    let mut bytes = [0u8; 16];
    let random = std::fs::File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut bytes));
    if random.is_err() {
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        bytes = (nanos ^ (u128::from(std::process::id()) << 96)).to_be_bytes();
    }
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let text = hex(&bytes);
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

/// Fields in the order of the format's description.
const ORDER: [&str; 24] = [
    "entry_type",
    "metadata",
    "format_version",
    "uuid",
    "creation_time",
    "producer",
    "name",
    "version",
    "description",
    "task",
    "input_files",
    "input_file_hashes",
    "specification",
    "data_model",
    "language",
    "content",
    "type",
    "action",
    "value",
    "format",
    "file_name",
    "line",
    "column",
    "function",
];

/// The value as YAML in blocks; strings are quoted as in JSON, which YAML takes.
fn yaml(value: &Json) -> String {
    let mut out = String::new();
    block(&mut out, value, 0);
    out
}

fn block(out: &mut String, value: &Json, depth: usize) {
    let indent = "  ".repeat(depth);
    match value {
        Json::Array(items) if !items.is_empty() => {
            for item in items {
                let mut inner = String::new();
                block(&mut inner, item, depth + 1);
                // The first line of the item goes behind the dash.
                let _ = write!(out, "{indent}- {}", inner.trim_start());
            }
        }
        Json::Object(fields) if !fields.is_empty() => {
            let mut fields: Vec<(&String, &Json)> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| ORDER.iter().position(|known| known == name));
            for (name, value) in fields {
                let name = if name.contains(|c: char| !c.is_alphanumeric() && c != '_') {
                    json!(name).to_string()
                } else {
                    name.clone()
                };
                let nested = match value {
                    Json::Array(items) => !items.is_empty(),
                    Json::Object(fields) => !fields.is_empty(),
                    _ => false,
                };
                if nested {
                    let _ = writeln!(out, "{indent}{name}:");
                    block(out, value, depth + 1);
                } else {
                    let _ = writeln!(out, "{indent}{name}: {value}");
                }
            }
        }
        _ => {
            let _ = writeln!(out, "{indent}{value}");
        }
    }
}
