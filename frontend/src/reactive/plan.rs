//! The objects of a harness: those its parameters need, and the values that come in anew before every step.

use super::find::Found;
use super::names::{Base, Meaning, Names, Param, Shape};
use super::{fault, FoundInput, Input, Number, Said, Spec};
use crate::error::{Errors, FrontError, Place};
use crate::hir::{Object, Storage, Unit};
use crate::types::{DataModel, IntKind, Qual, Record, Type, TypeId};
use syncline_ir::FloatFormat;

/// Values of all inputs together.
const MAX_VALUES: usize = 4096;
/// How deep objects that point to objects are made.
const DEPTH: usize = 16;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Any value before every step.
    Input,
    /// Any value before every step, and not worth a word: the step writes it.
    Output,
    /// Zero before the first step, and changed by the program alone.
    State,
    /// Any value once.
    Once,
}

/// An object made for a parameter.
#[derive(Clone, Debug)]
pub struct Made {
    pub name: String,
    pub role: Role,
    pub shape: Shape,
    /// The declaration of the parameter, before and after the name.
    pub text: (String, String),
    ty: TypeId,
}

/// A scalar that gets any value.
#[derive(Clone, Debug)]
pub struct Value {
    pub place: String,
    pub role: Role,
    pub kind: Kind,
    pub meaning: Option<Meaning>,
    pub range: Option<(Number, Number)>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Int(IntKind),
    Float(FloatFormat),
    /// Of a bit-field.
    Bits(IntKind, u32),
    /// A union, or something else that is taken as it lies.
    Whole,
}

/// A pointer that is set before the first step, to an object of its own or to a global.
#[derive(Clone, Debug)]
pub struct Link {
    pub pointer: String,
    pub object: String,
    pub global: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Call {
    pub name: String,
    /// What is given, as C.
    pub arguments: Vec<String>,
    pub returns: bool,
}

#[derive(Default)]
pub struct Plan {
    pub init: Option<Call>,
    pub step: Call,
    pub objects: Vec<Made>,
    pub links: Vec<Link>,
    pub inputs: Vec<Value>,
    /// Globals of other files, as declarations.
    pub externs: Vec<String>,
    assumptions: Vec<String>,
    notes: Vec<String>,
}

impl Value {
    pub fn found(&self, model: DataModel) -> FoundInput {
        let bounds = match (self.range, self.kind) {
            (Some((Number::Int(lo), Number::Int(hi))), _) => Some((lo, hi)),
            (Some(_), _) | (_, Kind::Float(_) | Kind::Whole) => None,
            (None, Kind::Int(kind)) => Some(bounds(kind, bits_of(kind, model))),
            (None, Kind::Bits(kind, width)) => Some(bounds(kind, width)),
        };
        FoundInput { name: self.place.clone(), bounds, known: self.meaning.is_some() }
    }

    pub fn words(&self) -> String {
        match (&self.range, &self.meaning) {
            (Some((lo, hi)), _) => format!("{} in {lo}..{hi}", self.place),
            (None, Some(Meaning::Truth(_))) => format!("{} in 0..1", self.place),
            (None, Some(Meaning::OneOf(names))) => format!("{} in {{{}}}", self.place, names.join(", ")),
            (None, None) => self.place.clone(),
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Int(n) => write!(f, "{n}"),
            Number::Float(x) => write!(f, "{x:?}"),
        }
    }
}

impl Plan {
    /// What verdicts rest on.
    pub fn notes(&self) -> Vec<String> {
        let init = match &self.init {
            Some(init) => format!("after `{}`", init.name),
            None => "from the initial values of all objects (no `init` was found)".to_string(),
        };
        let mut notes = vec![format!("`{}` is called for ever, {init}", self.step.name)];
        let inputs: Vec<String> =
            self.inputs.iter().filter(|i| i.role == Role::Input).map(|i| format!("`{}`", i.words())).collect();
        notes.push(match inputs.is_empty() {
            true => "there are no inputs".to_string(),
            false => format!("inputs that change before every step: {}", shortened(&inputs)),
        });
        let state = self.objects.iter().filter(|o| o.role == Role::State);
        for object in state {
            notes.push(format!("`{}` is one object, zero at the start, that only the program changes", object.name));
        }
        for Link { pointer, object, global } in &self.links {
            notes.push(match global {
                true => format!("`{pointer}` points to `{object}` at the start, the only one of its type"),
                false => format!("`{pointer}` points to an object of its own at the start, which is zero"),
            });
        }
        notes.extend(self.notes.iter().cloned());
        notes.extend(self.assumptions.iter().map(|text| format!("assumed before every step: {text}")));
        notes
    }
}

/// The first of many words.
fn shortened(words: &[String]) -> String {
    match words {
        [first @ .., _] if first.len() >= 24 => format!("{}, and {} more", words[..24].join(", "), words.len() - 24),
        _ => words.join(", "),
    }
}

pub fn plan(unit: &Unit, names: &Names, found: &Found, spec: &Spec) -> Result<Plan, Errors> {
    let mut planner = Planner { unit, names, plan: Plan::default() };
    planner.functions(found)?;
    planner.globals(spec)?;
    planner.links();
    planner.limited()?;
    planner.silent(found);
    for input in &spec.inputs {
        planner.restrict(input)?;
    }
    planner.plan.assumptions = spec.assumptions.iter().map(|a| a.text.clone()).collect();
    Ok(planner.plan)
}

struct Planner<'u> {
    unit: &'u Unit,
    names: &'u Names,
    plan: Plan,
}

impl Planner<'_> {
    /// The objects that the parameters of both functions need.
    fn functions(&mut self, found: &Found) -> Result<(), Errors> {
        let steps = self.parameters(&found.step)?;
        let inits = match &found.init {
            Some(init) => self.parameters(init)?,
            None => Vec::new(),
        };
        let mut arguments = Vec::new();
        for (param, ty) in &steps {
            let shape = self.names.shape(param);
            let lasts = inits.iter().any(|(_, other)| other == ty && shape != Shape::Value);
            let role = self.role(param, *ty, shape, lasts);
            arguments.push(self.object(param, *ty, shape, role, &found.step));
        }
        self.plan.step = Call { name: found.step.clone(), arguments, returns: self.returns(&found.step) };
        if let Some(init) = &found.init {
            let mut arguments = Vec::new();
            for (param, ty) in &inits {
                let shape = self.names.shape(param);
                let same =
                    self.plan.objects.iter().filter(|o| o.ty == *ty && o.shape == shape && shape != Shape::Value);
                let same: Vec<&Made> = same.collect();
                let named = same.iter().find(|o| o.name == param.name).or(same.first());
                let role = if shape == Shape::Value { Role::Once } else { Role::State };
                arguments.push(match named {
                    Some(object) => object.argument(),
                    None => self.object(param, *ty, shape, role, init),
                });
            }
            self.plan.init = Some(Call { name: init.clone(), arguments, returns: false });
        }
        Ok(())
    }

    /// The parameters of a function with their types.
    fn parameters(&self, name: &str) -> Result<Vec<(Param, TypeId)>, Errors> {
        let function = self.unit.functions.values().find(|f| f.name == name && f.body.is_some());
        let Some(function) = function else { return Ok(Vec::new()) };
        let params: &[Param] = match self.names.functions.get(name) {
            Some(params) => params,
            // In another file: it can be called if it takes nothing.
            None if function.params.is_empty() => &[],
            None => {
                let words = format!("`{name}` has parameters and is in another file than the step function");
                return Err(FrontError::new(self.place(function.loc), words).into());
            }
        };
        if params.len() != function.params.len() || function.rest.is_some() {
            let words = format!("`{name}` cannot be called from a harness: every parameter needs a name and a type");
            return Err(FrontError::new(self.place(function.loc), words).into());
        }
        let types = function.params.iter().map(|&p| self.unit.objects[p].ty.ty);
        Ok(params.iter().cloned().zip(types).collect())
    }

    fn place(&self, loc: crate::hir::Loc) -> Place {
        let file = self.unit.files.get(loc.file as usize).cloned().unwrap_or_default();
        Place { file, line: loc.line, column: loc.column }
    }

    fn returns(&self, name: &str) -> bool {
        let function = self.unit.functions.values().find(|f| f.name == name && f.body.is_some());
        let Some(Type::Function(signature)) = function.map(|f| self.unit.types.get(f.ty)) else { return false };
        !matches!(self.unit.types.get(signature.result), Type::Void)
    }

    /// Where a value might come in it does: only what nobody outside can have set keeps its value.
    fn role(&self, param: &Param, ty: TypeId, shape: Shape, lasts: bool) -> Role {
        let alias = param.base.alias.as_deref().unwrap_or_default();
        if shape == Shape::Value || param.base.constant || is_input(&param.name, alias) {
            return Role::Input;
        }
        let remembers = alias.ends_with("_mem") || alias.starts_with("outC_") || param.name == "self";
        // Generators give a single value as such, so the address of one is for a result.
        let single = matches!(self.unit.types.get(ty), Type::Pointer(to)
            if matches!(self.unit.types.get(to.ty), Type::Int(_) | Type::Float(_)));
        match (lasts || remembers, single || is_output(&param.name, alias)) {
            (true, _) => Role::State,
            (false, true) => Role::Output,
            (false, false) => Role::Input,
        }
    }

    /// Makes the object of a parameter, and gives the argument for it.
    fn object(&mut self, param: &Param, ty: TypeId, shape: Shape, role: Role, function: &str) -> String {
        let used = |name: &str| self.names.taken.contains(name) || self.plan.objects.iter().any(|o| o.name == name);
        let mut name = param.name.clone();
        if used(&name) {
            name = format!("{function}_{name}");
        }
        let object = Made { name, role, shape, text: param.text.clone(), ty };
        let argument = object.argument();
        if role != Role::State {
            let content = self.content(&object);
            match shape {
                Shape::Array(len) => self.elements(&object.name, (content, len), Some(&param.base), role),
                Shape::Value | Shape::Pointer => self.values(object.name.clone(), content, Some(&param.base), role),
            }
        }
        self.plan.objects.push(object);
        argument
    }

    /// The type of the object itself, or of its elements.
    fn content(&self, object: &Made) -> TypeId {
        match (object.shape, self.unit.types.get(object.ty)) {
            (Shape::Pointer | Shape::Array(_), Type::Pointer(to)) => to.ty,
            _ => object.ty,
        }
    }

    /// All scalars of an object.
    fn values(&mut self, place: String, ty: TypeId, base: Option<&Base>, role: Role) {
        let meaning = base.and_then(|b| self.names.meaning(b));
        let mut value = |kind| {
            let meaning = meaning.clone();
            self.plan.inputs.push(Value { place: place.clone(), role, kind, meaning, range: None });
        };
        match self.unit.types.get(ty) {
            Type::Int(kind) => value(Kind::Int(*kind)),
            Type::Float(format) => value(Kind::Float(*format)),
            Type::Array { elem, len } => self.elements(&place, (elem.ty, len.unwrap_or(0)), base, role),
            Type::Record(record) if !self.unit.types.records[*record].union => self.fields(&place, *record, role),
            Type::Record(_) | Type::Opaque(_) => value(Kind::Whole),
            Type::Pointer(to) if self.is_whole_record(to.ty) => {}
            Type::Pointer(_) => {
                let note = format!("the pointer `{place}` is null, or what the program makes it");
                self.plan.notes.push(note);
            }
            Type::Void | Type::Function(_) | Type::Vla { .. } => {}
        }
    }

    fn elements(&mut self, place: &str, (elem, len): (TypeId, u64), base: Option<&Base>, role: Role) {
        for n in 0..len {
            if self.plan.inputs.len() > MAX_VALUES {
                return;
            }
            self.values(format!("{place}[{n}]"), elem, base, role);
        }
    }

    fn fields(&mut self, place: &str, record: Record, role: Role) {
        let data = &self.unit.types.records[record];
        let Some(layout) = &data.layout else { return };
        let at = self.place(data.loc);
        let key = (at.file, at.line, at.column);
        for field in &layout.fields {
            let base = self.names.field(&key, &field.name).cloned();
            let inner = if field.name.is_empty() { place.to_string() } else { format!("{place}.{}", field.name) };
            match (field.bits, self.unit.types.get(field.ty.ty)) {
                (Some(bits), Type::Int(kind)) => {
                    let meaning = base.as_ref().and_then(|b| self.names.meaning(b));
                    let kind = Kind::Bits(*kind, bits.width);
                    self.plan.inputs.push(Value { place: inner, role, kind, meaning, range: None });
                }
                _ => self.values(inner, field.ty.ty, base.as_ref(), role),
            }
        }
    }

    /// Globals that somebody outside sets: those that are named so, those that nobody could have set otherwise.
    fn globals(&mut self, spec: &Spec) -> Result<(), Errors> {
        let unit = self.unit;
        let globals = || unit.objects.values().filter(|o| matches!(o.storage, Storage::Global | Storage::Static));
        for object in globals() {
            let alias = self.names.globals.get(&object.name).and_then(|b| b.alias.clone()).unwrap_or_default();
            let constant = self.names.globals.get(&object.name).is_some_and(|b| b.constant);
            let named = spec.inputs.iter().any(|i| root(&i.name.text) == object.name);
            let untouched = object.storage == Storage::Global
                && !object.written
                && !object.address_taken
                && !self.is_volatile(object.ty)
                && object.init.is_none()
                && !constant;
            let by_name = object.storage == Storage::Global && is_input(&object.name, &alias) && !constant;
            if (named || by_name || untouched) && !library_object(&object.name) {
                self.global(object)?;
            }
        }
        Ok(())
    }

    fn limited(&self) -> Result<(), Errors> {
        match self.plan.inputs.len() > MAX_VALUES {
            true => Err(fault(format!("the inputs are more than {MAX_VALUES} values"))),
            false => Ok(()),
        }
    }

    /// What an engineer might take for an input or for a part of the program, and is not.
    fn silent(&mut self, found: &Found) {
        let pointers = self.plan.objects.iter().filter(|o| o.shape != Shape::Value).count();
        if pointers > 1 {
            self.plan.notes.push("each pointer parameter points to an object of its own".to_string());
        }
        let constant = |o: &&Object| {
            let base = self.names.globals.get(&o.name);
            let kept = o.init.is_some() && !o.written && !o.address_taken && !self.is_volatile(o.ty);
            o.storage == Storage::Global && kept && base.is_some_and(|b| !b.constant)
        };
        let words: Vec<String> = self.unit.objects.values().filter(constant).map(|o| format!("`{}`", o.name)).collect();
        if !words.is_empty() {
            self.plan.notes.push(format!("nothing writes, so these keep their initial values: {}", shortened(&words)));
        }
        // Headers of the system are full of functions that nobody needs.
        let own = |name: &&String| {
            let function = self.unit.functions.values().find(|f| f.name == **name);
            function.is_some_and(|f| !self.place(f.loc).file.starts_with("/usr/"))
        };
        let idle: Vec<String> = found.idle.iter().filter(own).map(|name| format!("`{name}`")).collect();
        if !idle.is_empty() {
            self.plan.notes.push(format!("no call by name leads there, so these do not run: {}", shortened(&idle)));
        }
    }

    fn global(&mut self, object: &Object) -> Result<(), Errors> {
        if !self.names.taken.contains(&object.name) {
            let text = match self.unit.types.get(object.ty.ty) {
                Type::Int(kind) => super::text::int_name(*kind).to_string(),
                Type::Float(format) => super::text::float_name(*format).to_string(),
                _ => {
                    let words = format!("the input `{}` is not declared in the file of the step function", object.name);
                    return Err(FrontError::new(self.place(object.loc), words).into());
                }
            };
            self.plan.externs.push(format!("extern {text} {};", object.name));
        }
        if self.is_volatile(object.ty) {
            let note = format!("the volatile object `{}` keeps its value for a whole step", object.name);
            self.plan.notes.push(note);
        }
        let base = self.names.globals.get(&object.name).cloned();
        self.values(object.name.clone(), object.ty.ty, base.as_ref(), Role::Input);
        Ok(())
    }

    /// Of an array the elements are.
    fn is_volatile(&self, qual: Qual) -> bool {
        match self.unit.types.get(qual.ty) {
            Type::Array { elem, .. } if !qual.volatile => self.is_volatile(*elem),
            _ => qual.volatile,
        }
    }

    /// Objects for pointers to records inside of what was made.
    fn links(&mut self) {
        for object in self.plan.objects.clone() {
            let content = self.content(&object);
            self.links_of((&object.name, &object.name), content, object.role, DEPTH);
        }
    }

    /// What a pointer of an input points to comes in with it, and inputs may be behind a pointer of the state.
    fn links_of(&mut self, (place, flat): (&str, &str), ty: TypeId, role: Role, depth: usize) {
        let Type::Record(record) = self.unit.types.get(ty) else { return };
        let data = &self.unit.types.records[*record];
        let (Some(layout), false, true) = (&data.layout, data.union, depth > 0) else { return };
        let at = self.place(data.loc);
        let key = (at.file, at.line, at.column);
        for field in layout.fields.iter().filter(|f| !f.name.is_empty()) {
            let (inner, name) = (format!("{place}.{}", field.name), format!("{flat}_{}", field.name));
            match self.unit.types.get(field.ty.ty) {
                Type::Record(_) => self.links_of((&inner, &name), field.ty.ty, role, depth),
                Type::Pointer(to) if self.is_whole_record(to.ty) && to.ty != ty => {
                    let alias = self.names.field(&key, &field.name).and_then(|b| b.alias.clone()).unwrap_or_default();
                    let role = if is_input(&field.name, &alias) { Role::Input } else { role };
                    if let Some(object) = self.only_global(to.ty).filter(|_| role == Role::State) {
                        self.plan.links.push(Link { pointer: inner, object, global: true });
                        continue;
                    }
                    self.plan.links.push(Link { pointer: inner, object: name.clone(), global: false });
                    if role != Role::State {
                        self.values(name.clone(), to.ty, None, role);
                    }
                    self.links_of((&name, &name), to.ty, role, depth - 1);
                }
                _ => {}
            }
        }
    }

    /// The global of a type, if there is one and no other: parameters with their values, as a rule.
    fn only_global(&self, ty: TypeId) -> Option<String> {
        let Type::Record(record) = self.unit.types.get(ty) else { return None };
        let loc = self.unit.types.records[*record].loc;
        // Each file has its own record for one in a header.
        let same = |o: &&Object| match self.unit.types.get(o.ty.ty) {
            Type::Record(other) => o.storage == Storage::Global && self.unit.types.records[*other].loc == loc,
            _ => false,
        };
        let mut found = self.unit.objects.values().filter(same);
        match (found.next(), found.next()) {
            (Some(one), None) => Some(one.name.clone()),
            _ => None,
        }
    }

    fn is_whole_record(&self, ty: TypeId) -> bool {
        matches!(self.unit.types.get(ty), Type::Record(r) if self.unit.types.records[*r].layout.is_some())
    }

    fn restrict(&mut self, input: &Input) -> Result<(), Errors> {
        let Said { text: name, .. } = &input.name;
        let inside = |place: &str| {
            place.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let mut values: Vec<&mut Value> = self.plan.inputs.iter_mut().filter(|v| inside(&v.place)).collect();
        if values.is_empty() {
            let known: Vec<&str> = self.plan.inputs.iter().map(|v| v.place.as_str()).take(12).collect();
            let known =
                if known.is_empty() { "there are none".into() } else { format!("there are: {}", known.join(", ")) };
            return Err(input.name.error(format!("no input is called `{name}`; {known}")));
        }
        let model = self.unit.types.model;
        for value in &mut values {
            if value.role == Role::Output {
                value.role = Role::Input;
            }
            if let Some((lo, hi)) = input.range {
                value.restrict(lo, hi, model).map_err(|words| input.name.error(words))?;
            }
        }
        Ok(())
    }
}

impl Made {
    fn argument(&self) -> String {
        match self.shape {
            Shape::Value | Shape::Array(_) => self.name.clone(),
            Shape::Pointer => format!("&{}", self.name),
        }
    }
}

impl Value {
    /// Values between two numbers, which must be values of the type: comparisons in C would convert others.
    fn restrict(&mut self, lo: Number, hi: Number, model: DataModel) -> Result<(), String> {
        let words = |why: &str| format!("the range {lo}..{hi} of `{}` {why}", self.place);
        let fits = match (self.kind, lo, hi) {
            (Kind::Int(kind), Number::Int(lo), Number::Int(hi)) => within(kind, bits_of(kind, model), lo, hi),
            (Kind::Bits(kind, width), Number::Int(lo), Number::Int(hi)) => within(kind, width, lo, hi),
            (Kind::Float(_), _, _) => true,
            (Kind::Int(_) | Kind::Bits(..), _, _) => return Err(words("must be of whole numbers")),
            (Kind::Whole, _, _) => return Err(words("is not one of a number")),
        };
        let (low, high) = (as_float(lo), as_float(hi));
        let ordered = match (lo, hi) {
            (Number::Int(lo), Number::Int(hi)) => lo <= hi,
            _ => low <= high && low.is_finite() && high.is_finite(),
        };
        match (ordered, fits) {
            (false, _) => Err(words("is empty")),
            (true, false) => Err(words("is not inside of its type")),
            (true, true) => {
                self.range = Some((lo, hi));
                Ok(())
            }
        }
    }
}

fn as_float(number: Number) -> f64 {
    match number {
        Number::Int(n) => n as f64,
        Number::Float(x) => x,
    }
}

fn bits_of(kind: IntKind, model: DataModel) -> u32 {
    match kind {
        IntKind::Bool => 1,
        _ => kind.bits(model),
    }
}

fn within(kind: IntKind, bits: u32, lo: i128, hi: i128) -> bool {
    let (least, most) = bounds(kind, bits);
    lo >= least && hi <= most
}

fn bounds(kind: IntKind, bits: u32) -> (i128, i128) {
    match (kind.signed(), bits.min(64)) {
        (true, bits) => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        (false, bits) => (0, (1i128 << bits) - 1),
    }
}

/// The object in a path such as `rtU.speed`.
fn root(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or_default()
}

fn is_input(name: &str, alias: &str) -> bool {
    let by_name = matches!(name, "rtU" | "inC" | "inputs" | "input" | "in") || name.ends_with("_U");
    by_name || alias.starts_with("ExtU") || alias.starts_with("inC_") || alias.starts_with("ExternalInputs")
}

fn is_output(name: &str, alias: &str) -> bool {
    let by_name = matches!(name, "rtY" | "_out" | "out" | "output" | "outputs") || name.ends_with("_Y");
    by_name || alias.ends_with("_out") || alias.starts_with("ExtY") || alias.starts_with("ExternalOutputs")
}

/// Objects of the library that no program sets.
fn library_object(name: &str) -> bool {
    matches!(name, "stdin" | "stdout" | "stderr" | "errno" | "environ") || name.starts_with("__")
}
