//! From a site to the edit that brings its values into the program.
//!
//! | site | edit |
//! | --- | --- |
//! | `f()`, the result of a call | `f` becomes a stand-in of the same type that returns the values |
//! | a local at its declaration | an initialiser, or a statement after the declaration |
//! | a parameter of the entry | a statement where the body begins |
//! | an external object without a definition | a definition, filled before `main` |
//! | a read of a `volatile` input | an expression in its place |
//! | a missing return value | `return` with a value |
//! | what `a[i]` reads outside the array | `a[i]` becomes an object that holds the value where `i` is outside |

use super::emit::Queue;
use super::text::Spot;
use super::Maker;
use std::fmt::Write;
use syncline_frontend::hir::{Obj, Object, Storage};
use syncline_frontend::layout;
use syncline_frontend::lower::Part;
use syncline_frontend::types::{IntKind, Type as CType, TypeId};
use syncline_ir::{Const, FloatFormat, Initial, Scalar, Site, Type};

/// What a site is.
enum Input {
    Call(String),
    Local(Obj),
    Parameter(Obj),
    External(Obj),
    Volatile(String),
    MissingReturn,
    Outside,
    /// Of a local that is in memory.
    Part(Part),
    /// Whether the pointer that a call returns is null.
    Pointer(String),
    /// Whether a pointer parameter of the entry is null.
    PointerParameter(Obj),
    /// Whether an allocation fails.
    Fails(String),
    /// Given again where the declaration is executed.
    Overwritten,
    /// No edit brings the value about.
    Unreachable,
}

impl Maker<'_> {
    /// Edits for all inputs of the run.
    pub fn sites(&mut self) {
        for (site, values) in std::mem::take(&mut self.inputs) {
            match self.input_at(site) {
                Input::Call(name) => self.call(site, &name, &values),
                Input::Local(obj) => self.local(site, obj, &values),
                Input::Parameter(obj) => self.parameter(site, obj, &values),
                Input::External(obj) => self.external(site, obj, &values),
                Input::Volatile(name) => self.volatile(site, &name, &values),
                Input::MissingReturn => self.missing_return(site, &values),
                Input::Outside => self.outside(site, &values),
                Input::Part(part) => self.part(site, part, &values),
                Input::Pointer(name) => self.pointer(site, &name, &values),
                Input::PointerParameter(obj) => self.pointer_parameter(site, obj, &values),
                Input::Fails(name) => self.fails(site, &name, &values),
                Input::Overwritten => {}
                Input::Unreachable => self.left_to_gcc(site, &values),
            }
        }
    }

    fn input_at(&self, site: Site) -> Input {
        let data = &self.program.sites[site];
        if let Some(part) = self.map.parts.get(&site) {
            return Input::Part(*part);
        }
        if self.is_memory(site) {
            return Input::Overwritten;
        }
        let Some(spot) = self.spot(data.origin) else { return Input::Unreachable };
        let name = data.name.as_str();
        if name == "missing return value" {
            return Input::MissingReturn;
        }
        if matches!(name, "read outside an array" | "read outside any object") {
            return Input::Outside;
        }
        if let Some(pointer) = name.strip_suffix(" is null") {
            return match pointer.strip_suffix("()") {
                Some(function) => Input::Pointer(function.to_string()),
                None => self.parameter_at(pointer, &spot).map_or(Input::Unreachable, Input::PointerParameter),
            };
        }
        if let Some(function) = name.strip_suffix("() fails") {
            return Input::Fails(function.to_string());
        }
        if let Some(function) = name.strip_suffix("()") {
            return Input::Call(function.to_string());
        }
        let objects: Vec<_> = self.unit.objects.iter().filter(|(_, o)| o.name == name).collect();
        let here = objects.iter().find(|(_, o)| self.spot_of(o.loc) == spot);
        let initial = self.program.vars.values().any(|v| v.init == Initial::Any(site));
        match here {
            Some(&(obj, _)) if initial => return Input::External(obj),
            Some(&(obj, object)) => match object.storage {
                Storage::Local if !self.is_given_again(site, &spot, name) => return Input::Local(obj),
                Storage::Local => return Input::Overwritten,
                Storage::Param => return Input::Parameter(obj),
                Storage::Global | Storage::Static => {}
            },
            None => {}
        }
        // The entry is called by the program too: its first call has the function's place.
        if let Some(param) = self.parameter_at(name, &spot) {
            return Input::Parameter(param);
        }
        // A variable-length array: the place is the declaration's.
        let is_vla = |ty: TypeId| matches!(self.unit.types.get(ty), CType::Vla { .. });
        if let Some(&(obj, _)) = objects.iter().find(|(_, o)| is_vla(o.ty.ty) && o.loc.line == spot.line) {
            return Input::Local(obj);
        }
        let plain = name.strip_suffix("[]").unwrap_or(name);
        if self.unit.objects.values().any(|o| o.name == plain && !o.written)
            && !self.editor.words_at(&spot, plain).is_empty()
        {
            return Input::Volatile(plain.to_string());
        }
        Input::Unreachable
    }

    /// The parameter of this name of the function that is, or has a parameter, here.
    fn parameter_at(&self, name: &str, spot: &Spot) -> Option<Obj> {
        let here = |p: &&Obj| self.spot_of(self.unit.objects[**p].loc) == *spot;
        let mut entry = self.unit.functions.values().filter(|f| f.body.is_some());
        let entry = entry.find(|f| self.spot_of(f.loc) == *spot || f.params.iter().any(|p| here(&p)))?;
        entry.params.iter().copied().find(|&p| self.unit.objects[p].name == name)
    }

    /// Whether the site is what memory holds before the run.
    fn is_memory(&self, site: Site) -> bool {
        let vars = self.map.regions.iter().flat_map(|r| r.arrays.iter().chain(r.each.iter().map(|e| &e.0)));
        vars.copied().any(|v| self.program.vars[v].init == Initial::Any(site))
    }

    /// Locals have two sites where a jump can pass their declaration by: the first is at the function's entry.
    fn is_given_again(&self, site: Site, spot: &Spot, name: &str) -> bool {
        let alike = self.places.alike(site, spot, name);
        let tokens = self.places.of_site(site, spot, name, self.editor.words_at(spot, name));
        alike.last() != Some(&site) && tokens.len() < alike.len()
    }

    /// The tokens of a site that are this word.
    fn tokens(&self, site: Site, word: &str) -> Vec<usize> {
        let data = &self.program.sites[site];
        let Some(spot) = self.spot(data.origin) else { return Vec::new() };
        self.places.of_site(site, &spot, &data.name, self.editor.words_at(&spot, word))
    }

    /// Writes the tables of a site.
    fn table(&mut self, site: Site, values: &[Const], shape: Shape) -> u32 {
        let data = &self.program.sites[site];
        let Shape { signed, truth, quiet, call } = shape;
        let queue = Queue { id: site.as_u32(), name: &data.name, ty: data.ty, values, signed, truth, quiet };
        let wide = self.wide();
        queue.write(&mut self.tables, wide);
        if call {
            queue.stand_in(&mut self.tables);
        }
        site.as_u32()
    }

    fn lost(&mut self, site: Site) {
        let data = &self.program.sites[site];
        let place = self.program.describe_origin(data.origin);
        self.note(format!("the place of {} at {place} was not found in the preprocessed text", data.name));
    }

    fn call(&mut self, site: Site, name: &str, values: &[Const]) {
        let data = &self.program.sites[site];
        let tokens = self.tokens(site, name);
        if tokens.is_empty() || data.ty.is_array() {
            return self.lost(site);
        }
        if self.record_size(name).is_some() {
            return self.left_to_gcc(site, values);
        }
        // The first mention of an undeclared function is a call of it.
        let function = self.unit.functions.values().find(|f| f.name == name);
        if function.is_some_and(|f| self.is_called_at(&self.spot_of(f.loc), name)) {
            self.undeclared.insert(name.to_string());
        }
        let id = self.table(site, values, Shape { signed: is_signed(name), call: true, ..Shape::default() });
        let text = format!(
            "({{ extern __typeof__({name}) __syncline_call{id} __asm__(\"__syncline_result{id}\"); __syncline_call{id}; }})"
        );
        tokens.into_iter().for_each(|t| self.editor.replace(t, t, &text));
    }

    /// A call that returns an unknown pointer.
    fn pointer(&mut self, site: Site, name: &str, values: &[Const]) {
        let Some(spot) = self.spot(self.program.sites[site].origin) else { return self.lost(site) };
        let tokens = self.tokens(site, name);
        if tokens.is_empty() {
            return self.lost(site);
        }
        let (id, block) = (self.table(site, values, Shape::default()), self.block_at(site, &spot));
        let _ = writeln!(
            self.tables,
            "void *__syncline_result{id}(void) {{ return __syncline_pointer(&__syncline_site{id}, &__syncline_site{block}); }}"
        );
        let text = format!(
            "({{ extern __typeof__({name}) __syncline_call{id} __asm__(\"__syncline_result{id}\"); __syncline_call{id}; }})"
        );
        tokens.into_iter().for_each(|t| self.editor.replace(t, t, &text));
    }

    fn pointer_parameter(&mut self, site: Site, obj: Obj, values: &[Const]) {
        let Some(spot) = self.spot(self.program.sites[site].origin) else { return self.lost(site) };
        let Some(open) = self.body_with(obj) else { return self.lost(site) };
        let shape = Shape { quiet: true, ..Shape::default() };
        let (id, block) = (self.table(site, values, shape), self.block_at(site, &spot));
        let name = &self.unit.objects[obj].name;
        let text = format!(
            " if (__syncline_site{id}.count && !__syncline_site{id}.used) \
             {name} = __syncline_pointer(&__syncline_site{id}, &__syncline_site{block});"
        );
        self.editor.insert_after(open, &text);
    }

    /// Where the body of the function with this parameter opens.
    fn body_with(&self, param: Obj) -> Option<usize> {
        let function = self.unit.functions.values().find(|f| f.params.contains(&param) && f.body.is_some())?;
        let tokens = self.editor.words_at(&self.spot_of(function.loc), &function.name);
        tokens.into_iter().find_map(|t| self.editor.body(t)).map(|(open, _)| open)
    }

    fn fails(&mut self, site: Site, name: &str, values: &[Const]) {
        let tokens = self.tokens(site, name);
        let id = self.table(site, values, Shape::default());
        for token in tokens {
            let Some(end) = self.editor.close(token + 1) else { continue };
            self.editor.insert_before(token, "({ void *__syncline_allocated = ");
            let text = format!(
                "; char __syncline_value = 0; {} __syncline_value ? (void *)0 : __syncline_allocated; }})",
                filled(id, "__syncline_value")
            );
            self.editor.insert_after(end, &text);
        }
    }

    fn is_called_at(&self, spot: &Spot, name: &str) -> bool {
        let name = format!("{name}()");
        self.program.sites.values().any(|s| s.name == name && self.spot(s.origin).as_ref() == Some(spot))
    }

    fn local(&mut self, site: Site, obj: Obj, values: &[Const]) {
        let object = &self.unit.objects[obj];
        let name = &object.name;
        let mut tokens = self.tokens(site, name);
        if tokens.is_empty() {
            // A variable-length array: the place is the declaration's.
            tokens = self.editor.words_at(&self.spot_of(object.loc), name);
        }
        if tokens.is_empty() {
            return self.lost(site);
        }
        let truth = self.is_bool(object.ty.ty);
        let mut id = None;
        for token in tokens {
            let Some(end) = self.editor.find(token + 1, b",;=") else { continue };
            if self.editor.sign(end) == Some(b'=') {
                // A value for the runs that jump past the initialiser.
                continue;
            }
            let id = *id.get_or_insert_with(|| self.table(site, values, Shape { truth, ..Shape::default() }));
            let scalar = !self.program.sites[site].ty.is_array();
            if scalar && end == token + 1 {
                let value = taken(id, name);
                self.editor.insert_after(token, &format!(" = {value}"));
            } else if let Some(end) = self.editor.find(token + 1, b";") {
                self.editor.insert_after(end, &format!(" {}", filled(id, name)));
            }
        }
    }

    fn parameter(&mut self, site: Site, obj: Obj, values: &[Const]) {
        let object = &self.unit.objects[obj];
        let Some(open) = self.body_with(obj) else { return self.lost(site) };
        let truth = self.is_bool(object.ty.ty);
        let id = self.table(site, values, Shape { truth, quiet: true, ..Shape::default() });
        self.editor.insert_after(open, &format!(" {}", filled(id, &object.name)));
    }

    fn external(&mut self, site: Site, obj: Obj, values: &[Const]) {
        let object = &self.unit.objects[obj];
        if matches!(object.name.as_str(), "stdin" | "stdout" | "stderr") {
            return;
        }
        let Some(size) = layout::size_of(&self.unit.types, object.ty.ty) else { return self.lost(site) };
        let truth = self.is_bool(object.ty.ty);
        let id = self.table(site, values, Shape { truth, ..Shape::default() });
        let _ = writeln!(
            self.definitions,
            "__attribute__((aligned(16))) char __syncline_object{id}[{size}] __asm__(\"{}\");",
            object.name
        );
        let _ = writeln!(self.start, "  {}", filled(id, &format!("__syncline_object{id}")));
    }

    fn volatile(&mut self, site: Site, name: &str, values: &[Const]) {
        let tokens = self.tokens(site, name);
        let id = self.table(site, values, Shape::default());
        for token in tokens {
            let mut end = token;
            while self.editor.sign(end + 1) == Some(b'[') {
                let Some(close) = self.editor.close(end + 1) else { break };
                end = close;
            }
            let text = taken(id, self.editor.span(token, end));
            self.editor.replace(token, end, &text);
        }
    }

    /// Either `return;`, or the end of the body.
    fn missing_return(&mut self, site: Site, values: &[Const]) {
        let data = &self.program.sites[site];
        let all = self.spot(data.origin).map(|s| (self.editor.at(&s), s));
        let tokens = all.map(|(all, s)| self.places.of_site(site, &s, &data.name, all)).unwrap_or_default();
        let Type::Scalar(scalar) = data.ty else { return self.lost(site) };
        if tokens.is_empty() {
            return self.lost(site);
        }
        let id = self.table(site, values, Shape::default());
        let ty = c_type(scalar);
        let value = format!("({{ {ty} __syncline_value; {} __syncline_value; }})", filled(id, "__syncline_value"));
        for token in tokens {
            if self.editor.is_word(token, "return") {
                self.editor.insert_after(token, &format!(" {value}"));
            } else if let Some((_, close)) = self.editor.body(token) {
                self.editor.insert_before(close, &format!("return {value}; "));
            }
        }
    }

    /// A read that is outside in the model gives the value of the trace where it is outside in the test: beyond an
    /// array that is named directly, or at a place where the program has nothing.
    fn outside(&mut self, site: Site, values: &[Const]) {
        let data = &self.program.sites[site];
        let Some(spot) = self.spot(data.origin) else { return self.left_to_gcc(site, values) };
        let tokens = self.places.of_site(site, &spot, &data.name, self.editor.at(&spot));
        let alike = self.places.alike(site, &spot, &data.name);
        // Accesses that begin at one place differ in length: the longest is the last.
        let from_last = alike.iter().rev().position(|&s| s == site).unwrap_or(0);
        let wrapped: Vec<(usize, usize)> = tokens
            .into_iter()
            .filter_map(|t| {
                let ends = self.editor.accesses(t);
                let end = *ends.iter().rev().nth(if self.is_array_access(t) { 0 } else { from_last })?;
                (!self.is_bit_field(end)).then_some((t, end))
            })
            .collect();
        if wrapped.is_empty() {
            return self.left_to_gcc(site, values);
        }
        let id = self.table(site, values, Shape { quiet: true, ..Shape::default() });
        for (token, end) in wrapped {
            let (whole, array) = (self.editor.span(token, end), self.editor.word(token));
            let outside = match self.is_array_access(token) {
                true => format!("(__syncline_size)((char *)__syncline_at - (char *)&{array}) >= sizeof {array}"),
                false => "__syncline_wild(__syncline_at)".to_string(),
            };
            let before = format!("(*({{ __typeof__({whole}) *__syncline_at = &");
            let after = format!(
                "; static char __syncline_value[sizeof({whole})] __attribute__((aligned(16))); \
                 {} {outside} ? (__typeof__(__syncline_at))__syncline_value : __syncline_at; }}))",
                filled(id, "__syncline_value")
            );
            self.editor.insert_before(token, &before);
            // Sites are in the order of evaluation: what is inside was closed before.
            self.editor.insert_after(end, &after);
        }
    }

    /// Whether a token names a member that has no address.
    fn is_bit_field(&self, token: usize) -> bool {
        let fields = self.unit.types.records.values().filter_map(|r| r.layout.as_ref()).flat_map(|l| &l.fields);
        fields.filter(|f| f.bits.is_some()).any(|f| self.editor.is_word(token, &f.name))
    }

    fn is_array_access(&self, token: usize) -> bool {
        let is_array = |ty: TypeId| matches!(self.unit.types.get(ty), CType::Array { .. } | CType::Vla { .. });
        let named = |o: &&Object| self.editor.is_word(token, &o.name);
        let mut objects = self.unit.objects.values().filter(named).peekable();
        let known = objects.peek().is_some();
        // Every object of the name: which of them is in scope here is not known.
        self.editor.sign(token + 1) == Some(b'[') && known && objects.all(|o| is_array(o.ty.ty))
    }

    fn left_to_gcc(&mut self, site: Site, values: &[Const]) {
        // Where the model took zero everywhere, more often than not nobody looked.
        if values.iter().all(is_zero) {
            return;
        }
        let data = &self.program.sites[site];
        let place = self.program.describe_origin(data.origin);
        let what = if data.name.is_empty() { "a value" } else { &data.name };
        self.note(format!(
            "no edit of the source brings this unknown value about: {what} at {place}; the test may go another way"
        ));
    }

    /// Whether the object, or the elements of the array it is, are `_Bool`.
    fn is_bool(&self, ty: TypeId) -> bool {
        match self.unit.types.get(ty) {
            CType::Int(IntKind::Bool) => true,
            CType::Array { elem, .. } | CType::Vla { elem } => self.is_bool(elem.ty),
            _ => false,
        }
    }
}

/// How the values of a site are written.
#[derive(Default)]
struct Shape {
    signed: bool,
    truth: bool,
    quiet: bool,
    call: bool,
}

/// The statement that fills an object.
fn filled(id: u32, object: &str) -> String {
    format!("__syncline_feed(&__syncline_site{id}, &{object}, sizeof {object});")
}

/// The next value of a site, of the type of an expression.
fn taken(id: u32, like: &str) -> String {
    format!("({{ __typeof__({like}) __syncline_value; {} __syncline_value; }})", filled(id, "__syncline_value"))
}

/// Whether a narrow result is sign-extended where the function has no declaration, by the name: the front end takes
/// the type from there.
fn is_signed(name: &str) -> bool {
    let suffix = name.strip_prefix("__VERIFIER_nondet").unwrap_or_default().trim_start_matches('_');
    !suffix.starts_with(['u', 'U']) && !suffix.eq_ignore_ascii_case("bool")
}

/// A C type with this representation.
fn c_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "_Bool",
        Scalar::Bv(..=8) => "unsigned char",
        Scalar::Bv(9..=16) => "unsigned short",
        Scalar::Bv(17..=32) => "unsigned int",
        Scalar::Bv(33..=64) => "unsigned long long",
        Scalar::Bv(65..) => "unsigned __int128",
        Scalar::Float(FloatFormat::F32) => "float",
        Scalar::Float(FloatFormat::F64) => "double",
        Scalar::Float(FloatFormat::X87) => "long double",
    }
}

fn is_zero(value: &Const) -> bool {
    match value {
        Const::Bool(b) => !b,
        Const::Bv { bits, .. } | Const::Float { bits, .. } => *bits == 0,
        Const::Array(array) => is_zero(array.default_cell()) && array.cells().all(|(_, c)| is_zero(c)),
    }
}
