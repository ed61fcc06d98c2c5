//! A counterexample as a sequence of waypoints: the values that calls of `__VERIFIER_nondet_*` return, in the order of the
//! run, and the place of the violation.
//!
//! A call that does not stand in the source as such (it came out of a macro) has no waypoint: the witness then says less, and
//! nothing wrong.

use super::location;
use super::source::Source;
use crate::answer::Place;
use serde_json::{json, Value as Json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use syncline_engines::evidence::replay;
use syncline_engines::task::Trace;
use syncline_ir::interp::Observer;
use syncline_ir::{Const, FloatFormat, Origin, OriginData, Proc, Program, Prop, PropKind, Site};

/// How long the run may be followed.
const TIME: Duration = Duration::from_secs(20);
/// A longer witness helps nobody.
const MOST: usize = 20_000;

pub fn content(program: &Program, prop: Prop, trace: &Trace) -> Result<Vec<Json>, String> {
    let mut recorder =
        Recorder { program, sources: BTreeMap::new(), stack: Vec::new(), waypoints: Vec::new(), function: None };
    replay::run(program, trace, &mut recorder, Some(Instant::now() + TIME));
    if recorder.waypoints.len() > MOST {
        return Err(format!("the run takes in more than {MOST} values"));
    }
    let data = &program.props[prop];
    let OriginData::Source { file, line, column } = program.origins[data.origin] else {
        return Err("the violation has no place in the source".to_string());
    };
    // The first character of the statement is known where it is a call.
    let column = if data.kind == PropKind::Reach { column } else { 0 };
    let place = Place::Source { file: program.files[file as usize].clone(), line, column };
    let function = recorder.stack.last().or(recorder.function.as_ref()).map(|&p| program.procs[p].name.as_str());
    let target = json!({ "type": "target", "action": "follow", "location": location(&place, function) });
    let waypoints = recorder.waypoints.into_iter().chain([target]);
    Ok(waypoints.map(|waypoint| json!({ "segment": [{ "waypoint": waypoint }] })).collect())
}

struct Recorder<'p> {
    program: &'p Program,
    sources: BTreeMap<u32, Option<Source>>,
    stack: Vec<Proc>,
    /// Where the run was last.
    function: Option<Proc>,
    waypoints: Vec<Json>,
}

impl Recorder<'_> {
    fn waypoint(&mut self, value: &Const, origin: Origin) -> Option<Json> {
        let OriginData::Source { file, line, column } = *self.program.origins.get(origin)? else { return None };
        let path = &self.program.files[file as usize];
        let read = || std::fs::read_to_string(path).ok().map(|text| Source::new(&text));
        let source = self.sources.entry(file).or_insert_with(read).as_ref()?;
        let (name, end) = source.call(line, column)?;
        let constant = constant(name.strip_prefix("__VERIFIER_nondet_")?, value)?;
        let place = Place::Source { file: path.clone(), line: end.line, column: end.column };
        let function = self.stack.last().map(|&p| self.program.procs[p].name.as_str());
        Some(json!({
            "type": "function_return",
            "action": "follow",
            "constraint": { "value": format!("\\result == {constant}"), "format": "acsl_expression" },
            "location": location(&place, function),
        }))
    }
}

impl Observer for Recorder<'_> {
    fn input(&mut self, _: Site, value: &Const, origin: Origin) {
        if self.waypoints.len() <= MOST {
            let waypoint = self.waypoint(value, origin);
            self.waypoints.extend(waypoint);
        }
    }

    fn enter(&mut self, proc: Proc, _: Origin) {
        self.stack.push(proc);
        self.function = Some(proc);
    }

    fn leave(&mut self, _: Proc) {
        self.stack.pop();
    }
}

/// The value as a constant expression of the type that the function's name says; `None` if it has none.
fn constant(ty: &str, value: &Const) -> Option<String> {
    match *value {
        Const::Bool(b) => Some(u32::from(b).to_string()),
        Const::Bv { width, bits } => {
            let unsigned = ty.starts_with('u') || matches!(ty, "size_t" | "bool");
            let signed = matches!(ty, "char" | "short" | "int" | "long" | "longlong" | "loff_t");
            let number = syncline_ir::consts::sign_extend(width, bits);
            match (unsigned, signed) {
                (true, _) if bits > i64::MAX as u128 => Some(format!("{bits}ULL")),
                (true, _) => Some(bits.to_string()),
                // The smallest number has no literal.
                (_, true) if number < 0 && number == -(1 << (width - 1)) => Some(format!("({} - 1)", number + 1)),
                (_, true) => Some(number.to_string()),
                // An address is not known in another program.
                (false, false) => None,
            }
        }
        Const::Float { format: FloatFormat::F32, bits } => float(f64::from(f32::from_bits(bits as u32))),
        Const::Float { format: FloatFormat::F64, bits } => float(f64::from_bits(bits as u64)),
        Const::Float { format: FloatFormat::X87, .. } | Const::Array(_) => None,
    }
}

/// Not a number is equal to nothing; minus zero to zero, which would say less than it seems.
fn float(value: f64) -> Option<String> {
    let negative_zero = value == 0.0 && value.is_sign_negative();
    (value.is_finite() && !negative_zero).then(|| format!("{value:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_constants_of_their_type() {
        let bv = |width, value: i128| Const::bv(width, (value as u128) & ((1 << width) - 1));
        assert_eq!(constant("int", &bv(32, -5)).as_deref(), Some("-5"));
        assert_eq!(constant("int", &bv(32, i32::MIN.into())).as_deref(), Some("(-2147483647 - 1)"));
        assert_eq!(constant("uchar", &bv(8, -1)).as_deref(), Some("255"));
        assert_eq!(constant("ulong", &bv(64, -1)).as_deref(), Some("18446744073709551615ULL"));
        assert_eq!(constant("pointer", &bv(64, 8)), None);
        let double = |x: f64| Const::Float { format: FloatFormat::F64, bits: x.to_bits().into() };
        assert_eq!(constant("double", &double(0.1)).as_deref(), Some("0.1"));
        assert_eq!(constant("double", &double(f64::NAN)), None);
    }
}
