//! The harness as C. It is preprocessed behind the file that it is for.

use super::names::{Meaning, Shape};
use super::plan::{Call, Kind, Plan, Role, Value};
use super::{Kind as Asked, Number, Requirement, Said, Spec, ENTRY, FILE, INPUTS, REQUIREMENT};
use crate::types::IntKind;
use std::fmt::Write;
use syncline_ir::FloatFormat;

/// What functions begin with that hold an expression of the user.
pub const EXPRESSION: &str = "syncline_expression_";

pub fn text(plan: &Plan, spec: &Spec) -> String {
    let mut writer = Writer { out: String::new(), owner: String::new(), expressions: 0, made: 0 };
    writer.declarations(plan);
    writer.begin("assumption");
    let assumptions: Vec<String> = spec.assumptions.iter().map(|a| writer.expression(a)).collect();
    writer.inputs(plan, &assumptions);
    for requirement in &spec.requirements {
        writer.requirement(requirement);
    }
    writer.entry(plan, spec);
    writer.out
}

struct Writer {
    out: String,
    /// Whose expressions are being written, and how many there have been.
    owner: String,
    expressions: usize,
    made: usize,
}

macro_rules! put {
    ($writer:expr, $($text:tt)*) => {{
        // Writing to a string does not fail.
        let _ = writeln!($writer.out, $($text)*);
    }};
}

impl Writer {
    fn declarations(&mut self, plan: &Plan) {
        put!(self, "\n#line 1 \"{FILE}\"");
        put!(self, "extern void __CPROVER_assume(int);");
        put!(self, "extern void __CPROVER_assert(int, const char *);");
        let mut kinds: Vec<&str> = plan.inputs.iter().filter_map(|v| v.type_name()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            put!(self, "extern {kind} {}(void);", unknown(kind));
        }
        plan.externs.iter().for_each(|text| put!(self, "{text}"));
        for (n, object) in plan.objects.iter().enumerate() {
            let (before, after) = &object.text;
            put!(self, "typedef {before} syncline_type_{n}{after};");
            match object.shape {
                Shape::Value | Shape::Array(_) => put!(self, "static syncline_type_{n} {};", object.name),
                Shape::Pointer => put!(self, "static __typeof__(*(syncline_type_{n})0) {};", object.name),
            }
        }
        for link in &plan.links {
            let storage = if link.global { "extern" } else { "static" };
            put!(self, "{storage} __typeof__(*{}) {};", link.pointer, link.object);
        }
        if plan.step.returns {
            put!(self, "static __typeof__({}) {}_result;", call(&plan.step), plan.step.name);
        }
    }

    fn begin(&mut self, owner: &str) {
        (self.owner, self.expressions) = (owner.to_string(), 0);
    }

    /// A function that says whether an expression of the user holds; the call of it.
    fn expression(&mut self, said: &Said) -> String {
        let name = format!("{EXPRESSION}{}_{}", self.owner, self.expressions);
        self.expressions += 1;
        let file = said.place.file.replace('\\', "\\\\").replace('"', "\\\"");
        let (line, column) = (said.place.line.max(1), said.place.column.max(1) as usize);
        put!(self, "static int {name}(void) {{ return !!(");
        put!(self, "#line {line} \"{file}\"");
        // What is missing at its end is missing there.
        put!(self, "{:>1$}{2}); }}", "", column - 1, said.text);
        put!(self, "#line 1 \"{FILE}\"");
        format!("{name}()")
    }

    /// Any values for all inputs, and what is known of them.
    fn inputs(&mut self, plan: &Plan, assumptions: &[String]) {
        put!(self, "static void {INPUTS}(void) {{");
        for value in plan.inputs.iter().filter(|v| v.role != Role::Once) {
            self.any(value);
        }
        assumptions.iter().for_each(|call| put!(self, "  __CPROVER_assume({call});"));
        put!(self, "}}");
    }

    fn any(&mut self, value: &Value) {
        let place = &value.place;
        match value.type_name() {
            Some(kind) => put!(self, "  {place} = {}();", unknown(kind)),
            None => {
                put!(self, "  {{ __typeof__({place}) syncline_any_{}; {place} = syncline_any_{0}; }}", self.made);
                self.made += 1;
            }
        }
        if let Some(cond) = value.condition() {
            put!(self, "  __CPROVER_assume({cond});");
        }
    }

    fn requirement(&mut self, requirement: &Requirement) {
        let Requirement { name, kind, whole } = requirement;
        // A requirement may be called as the assumptions are.
        self.begin(&format!("{name}_"));
        let file = whole.place.file.replace('\\', "\\\\").replace('"', "\\\"");
        let (line, text) = (whole.place.line.max(1), literal(&whole.text));
        // The assertion is come to only if there is something to ask: so a requirement that never has is seen to be vacuous.
        let (state, update, holds) = match kind {
            Asked::Always(e) => (String::new(), String::new(), self.expression(e)),
            Asked::Never(e) => (String::new(), String::new(), format!("!{}", self.expression(e))),
            Asked::LeadsTo(cause, effect, n) => {
                let (cause, effect) = (self.expression(cause), self.expression(effect));
                // How long the oldest cause has been waiting for its effect, this step included.
                let state = format!("static unsigned waits; _Bool cause = {cause};");
                let update = format!(
                    "if ({effect}) waits = 0; else if (waits) waits++; else if (cause) waits = 1; if (cause || waits)"
                );
                (state, update, format!("waits <= {n}u"))
            }
            Asked::AfterUntil(after, holds, until) => {
                let (after, until) = (self.expression(after), self.expression(until));
                let update = format!("if ({after}) asked = 1; if ({until}) asked = 0; if (asked)");
                ("static _Bool asked;".into(), update, self.expression(holds))
            }
        };
        put!(self, "static void {REQUIREMENT}{name}(void) {{");
        put!(self, "  {state} {update}");
        put!(self, "#line {line} \"{file}\"");
        put!(self, "{:>1$}__CPROVER_assert({holds}, {text});", "", whole.place.column.max(1) as usize - 1);
        put!(self, "#line 1 \"{FILE}\"");
        put!(self, "}}");
    }

    fn entry(&mut self, plan: &Plan, spec: &Spec) {
        put!(self, "void {ENTRY}(void) {{");
        for link in &plan.links {
            put!(self, "  {} = &{};", link.pointer, link.object);
        }
        for value in plan.inputs.iter().filter(|v| v.role == Role::Once) {
            self.any(value);
        }
        if let Some(init) = &plan.init {
            put!(self, "  {};", call(init));
        }
        put!(self, "  for (;;) {{");
        put!(self, "    {INPUTS}();");
        match plan.step.returns {
            true => put!(self, "    {}_result = {};", plan.step.name, call(&plan.step)),
            false => put!(self, "    {};", call(&plan.step)),
        }
        spec.requirements.iter().for_each(|r| put!(self, "    {REQUIREMENT}{}();", r.name));
        put!(self, "  }}");
        put!(self, "}}");
    }
}

fn call(call: &Call) -> String {
    format!("{}({})", call.name, call.arguments.join(", "))
}

/// The function that gives any value of a type.
fn unknown(kind: &str) -> String {
    format!("__VERIFIER_nondet_syncline_{}", kind.replace(' ', "_"))
}

/// A string literal.
fn literal(text: &str) -> String {
    let flat: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{}\"", flat.replace('\\', "\\\\").replace('"', "\\\"").replace('?', "\\?"))
}

impl Value {
    /// The name of its type, if it is a number.
    fn type_name(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Int(kind) | Kind::Bits(kind, _) => Some(int_name(kind)),
            Kind::Float(format) => Some(float_name(format)),
            Kind::Whole => None,
        }
    }

    /// What is known of it. A range is within the type, and literals have a type that holds both.
    fn condition(&self) -> Option<String> {
        let place = &self.place;
        match (&self.range, &self.meaning) {
            (Some((lo, hi)), _) => Some(format!("{place} >= {} && {place} <= {}", number(*lo), number(*hi))),
            (None, Some(Meaning::Truth(_))) => Some(format!("{place} == 0 || {place} == 1")),
            (None, Some(Meaning::OneOf(names))) => {
                Some(names.iter().map(|n| format!("{place} == {n}")).collect::<Vec<_>>().join(" || "))
            }
            (None, None) => None,
        }
    }
}

fn number(number: Number) -> String {
    match number {
        Number::Int(n) if n > i128::from(i64::MAX) => format!("{n}ull"),
        Number::Int(n) if n == i128::from(i64::MIN) => "(-9223372036854775807ll - 1)".to_string(),
        Number::Int(n) if n < 0 => format!("({n}ll)"),
        Number::Int(n) => format!("{n}"),
        Number::Float(x) if x < 0.0 => format!("({x:?})"),
        Number::Float(x) => format!("{x:?}"),
    }
}

pub fn int_name(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Bool => "_Bool",
        IntKind::Char => "char",
        IntKind::SChar => "signed char",
        IntKind::UChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UInt => "unsigned",
        IntKind::Long => "long",
        IntKind::ULong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::ULongLong | IntKind::Field { .. } => "unsigned long long",
        IntKind::Int128 => "__int128",
        IntKind::UInt128 => "unsigned __int128",
    }
}

pub fn float_name(format: FloatFormat) -> &'static str {
    match format {
        FloatFormat::F32 => "float",
        FloatFormat::F64 => "double",
        FloatFormat::X87 => "long double",
    }
}
