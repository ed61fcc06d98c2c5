//! Structs and unions of random layout, objects of them, and statements about whole objects. The scalars within an
//! object become variables to the rest of the generator.

use super::super::{Class, Expr, Gen, Place, Storage, Var};
use crate::support::coverage::pair;
use crate::support::kinds::{Kind, INTS};

/// A scalar or array of scalars within a record.
#[derive(Clone)]
pub struct Leaf {
    /// From the record to the scalar; `@` stands where an index belongs.
    path: String,
    kind: Kind,
    dims: Vec<usize>,
    place: Place,
}

/// What an initialiser of a member looks like.
#[derive(Clone)]
enum Shape {
    Scalar(Kind),
    List(Box<Shape>, usize),
    Members(Vec<Member>),
    Union(Vec<Member>),
}

/// A member: without a name if it is anonymous.
#[derive(Clone)]
struct Member {
    name: Option<String>,
    shape: Shape,
}

/// A struct or union type with the functions that take it.
#[derive(Clone)]
pub struct Record {
    c_name: String,
    shape: Shape,
    leaves: Vec<Leaf>,
    has_union: bool,
    by_value: String,
    by_pointer: String,
}

/// An object of a record type, or what a pointer to one points to.
#[derive(Clone)]
pub struct Object {
    text: String,
    dims: Vec<usize>,
    record: usize,
    /// How deep its block is nested; a pointer is set to targets of its own level and of outer ones.
    level: usize,
    /// The pointer's name, if the object is reached through one.
    pointer: Option<String>,
    /// A variable that is in scope as long as the object is.
    witness: String,
}

/// What is being put together for one record.
#[derive(Default)]
struct Draft {
    text: String,
    members: Vec<Member>,
    leaves: Vec<Leaf>,
    has_union: bool,
}

impl Draft {
    fn scalar(&mut self, declaration: String, name: &str, kind: Kind, dims: &[usize], place: Place) {
        self.text += &declaration;
        let shape = dims.iter().rev().fold(Shape::Scalar(kind), |shape, &dim| Shape::List(Box::new(shape), dim));
        self.members.push(Member { name: Some(name.to_string()), shape });
        self.leaves.push(Leaf { path: format!(".{name}"), kind, dims: dims.to_vec(), place });
    }
}

impl Gen {
    /// Types, then objects and pointers of each.
    pub(in super::super) fn records(&mut self) {
        for _ in 0..2 + self.rng.below(2) {
            let union = self.rng.chance(25);
            self.record(union);
        }
        for index in 0..self.records.len() {
            self.global_objects(index);
            self.record_functions(index);
        }
    }

    fn record(&mut self, union: bool) {
        let tag = self.fresh(if union { "U" } else { "S" });
        let mut draft = Draft { has_union: union, ..Draft::default() };
        self.cov.hit("object", if union { "union" } else { "struct" });
        for _ in 0..2 + self.rng.below(4) {
            if union {
                self.union_member(&mut draft);
            } else {
                self.struct_member(&mut draft);
            }
        }
        if draft.leaves.is_empty() {
            // Bit-fields without a name alone make no members.
            let name = self.fresh("f");
            draft.scalar(format!("int {name}; "), &name, Kind::Int, &[], Place::Memory);
        }
        let keyword = if union { "union" } else { "struct" };
        let c_name = format!("{keyword} {tag}");
        let (head, tail) = match self.rng.below(12) {
            0 | 1 if !union => {
                self.cov.hit("object", "packed");
                (None, " __attribute__((packed))")
            }
            2 if !union => {
                self.cov.hit("object", "pragma");
                (Some(self.rng.pick(&["1", "2", "4"])), "")
            }
            _ => (None, ""),
        };
        if let Some(pack) = head {
            self.line(format!("#pragma pack(push, {pack})"));
        }
        self.line(format!("{c_name} {{ {}}}{tail};", draft.text));
        if head.is_some() {
            self.line("#pragma pack(pop)");
        }
        let shape = if union { Shape::Union(draft.members) } else { Shape::Members(draft.members) };
        let (by_value, by_pointer) = (self.fresh("fv"), self.fresh("fp"));
        let (mut leaves, has_union) = (draft.leaves, draft.has_union);
        if head.is_some() || !tail.is_empty() {
            let aligned = |leaf: &&mut Leaf| leaf.place == Place::Memory;
            leaves.iter_mut().filter(aligned).for_each(|leaf| leaf.place = Place::Packed);
        }
        self.records.push(Record { c_name, shape, leaves, has_union, by_value, by_pointer });
    }

    fn struct_member(&mut self, draft: &mut Draft) {
        match self.rng.weighted(&[40, 14, 28, 10, 6, 6]) {
            1 => {
                let (kind, name) = (self.any_kind(), self.fresh("f"));
                let dims = if self.rng.chance(25) { vec![2, 2] } else { vec![2 + self.rng.below(3)] };
                let sizes: String = dims.iter().map(|dim| format!("[{dim}]")).collect();
                self.cov.hit("object", "array field");
                draft.scalar(format!("{} {name}{sizes}; ", kind.c_name()), &name, kind, &dims, Place::Memory);
            }
            2 => {
                for _ in 0..1 + self.rng.below(4) {
                    self.bit_field(draft);
                }
            }
            3 | 4 if !self.records.is_empty() => self.record_member(draft),
            5 => self.anonymous_member(draft),
            _ => {
                let (kind, name) = (self.any_kind(), self.fresh("f"));
                let aligned = if self.rng.chance(6) {
                    self.cov.hit("object", "aligned");
                    self.rng.pick(&[" __attribute__((aligned(8)))", " __attribute__((aligned(16)))"])
                } else {
                    ""
                };
                draft.scalar(format!("{} {name}{aligned}; ", kind.c_name()), &name, kind, &[], Place::Memory);
            }
        }
    }

    fn bit_field(&mut self, draft: &mut Draft) {
        use Kind::*;
        let kind = self.rng.pick(&[Int, Int, UInt, UInt, Bool, Char, UChar, Short, UShort, Long, ULLong, EnumU]);
        let limit = match kind {
            Bool => 1,
            Char | SChar | UChar => 8,
            Short | UShort => 16,
            Int | UInt => 32,
            // Wider ones do not promote to `int`; templates have them.
            _ => 31,
        };
        if self.rng.chance(8) {
            self.cov.hit("object", "zero width");
            draft.text += &format!("{} : 0; ", kind.c_name());
        } else if self.rng.chance(8) {
            self.cov.hit("object", "unnamed");
            draft.text += &format!("{} : {}; ", kind.c_name(), 1 + self.rng.below(limit));
        } else {
            self.cov.hit("object", "bit-field");
            let (name, width) = (self.fresh("b"), 1 + self.rng.below(limit));
            // What the field promotes to; its declared type shows in layout only.
            let promoted = match kind {
                Bool => Bool,
                UInt if width == 32 => UInt,
                _ => Int,
            };
            draft.scalar(format!("{} {name} : {width}; ", kind.c_name()), &name, promoted, &[], Place::BitField);
        }
    }

    /// A member of an earlier record type, or an array of two.
    fn record_member(&mut self, draft: &mut Draft) {
        let index = self.rng.below(self.records.len());
        let record = self.records[index].clone();
        let name = self.fresh("n");
        let array = self.rng.chance(40);
        self.cov.hit("object", "nested");
        let (size, step, dims) = if array { ("[2]", "@", vec![2]) } else { ("", "", Vec::new()) };
        draft.text += &format!("{} {name}{size}; ", record.c_name);
        let shape = if array { Shape::List(Box::new(record.shape), 2) } else { record.shape };
        draft.members.push(Member { name: Some(name.clone()), shape });
        draft.has_union |= record.has_union;
        for leaf in record.leaves {
            let path = format!(".{name}{step}{}", leaf.path);
            draft.leaves.push(Leaf { path, dims: [dims.clone(), leaf.dims].concat(), ..leaf });
        }
    }

    fn anonymous_member(&mut self, draft: &mut Draft) {
        self.cov.hit("object", "anonymous");
        let union = self.rng.chance(60);
        let mut inner = Draft::default();
        for _ in 0..2 {
            if union {
                self.union_member(&mut inner);
            } else {
                let (kind, name) = (self.any_kind(), self.fresh("f"));
                inner.scalar(format!("{} {name}; ", kind.c_name()), &name, kind, &[], Place::Memory);
            }
        }
        draft.text += &format!("{} {{ {}}}; ", if union { "union" } else { "struct" }, inner.text);
        let shape = if union { Shape::Union(inner.members) } else { Shape::Members(inner.members) };
        draft.members.push(Member { name: None, shape });
        draft.has_union |= union;
        draft.leaves.extend(inner.leaves);
    }

    /// Integers, or bit-fields without padding: whatever is written through one member, the others have a value.
    fn union_member(&mut self, draft: &mut Draft) {
        let name = self.fresh("f");
        if self.rng.chance(20) {
            let (a, b, c) = (self.fresh("b"), self.fresh("b"), self.fresh("b"));
            let low = 1 + self.rng.below(14);
            draft.text += &format!("struct {{ unsigned {a} : {low}, {b} : {}; int {c} : 16; }} {name}; ", 16 - low);
            let fields = [a, b, c].map(|field| Member { name: Some(field), shape: Shape::Scalar(Kind::Int) });
            for field in fields.iter().filter_map(|field| field.name.as_ref()) {
                let (path, kind) = (format!(".{name}.{field}"), Kind::Int);
                draft.leaves.push(Leaf { path, kind, dims: Vec::new(), place: Place::BitField });
            }
            draft.members.push(Member { name: Some(name), shape: Shape::Members(fields.to_vec()) });
            return;
        }
        let kind = self.rng.pick(&INTS[1..]);
        if self.rng.chance(40) {
            let size = 2 + self.rng.below(3);
            return draft.scalar(format!("{} {name}[{size}]; ", kind.c_name()), &name, kind, &[size], Place::Memory);
        }
        draft.scalar(format!("{} {name}; ", kind.c_name()), &name, kind, &[], Place::Memory);
    }

    /// A braced initialiser of constants.
    fn braces(&mut self, shape: &Shape, full: bool) -> String {
        match shape {
            Shape::Scalar(kind) => {
                let value = self.initial_value(*kind);
                self.cov.hit("init", pair("to", value.kind, *kind));
                value.at(2)
            }
            Shape::List(inner, size) => {
                let count = if full { *size } else { 1 + self.rng.below(*size) };
                let items: Vec<_> = (0..count).map(|_| self.braces(inner, full)).collect();
                format!("{{{}}}", items.join(", "))
            }
            Shape::Members(members) => {
                let count = if full { members.len() } else { self.rng.below(members.len() + 1) };
                let items: Vec<_> = members[..count].iter().map(|member| self.braces(&member.shape, full)).collect();
                format!("{{{}}}", if items.is_empty() { "0".to_string() } else { items.join(", ") })
            }
            Shape::Union(members) => format!("{{{}}}", self.braces(&members[0].shape, full)),
        }
    }

    /// Members by name, in any order.
    fn designated(&mut self, shape: &Shape) -> String {
        let (Shape::Members(members) | Shape::Union(members)) = shape else {
            return self.braces(shape, false);
        };
        let named: Vec<_> = members.iter().filter(|member| member.name.is_some()).cloned().collect();
        let count = if matches!(shape, Shape::Union(_)) { 1 } else { 1 + self.rng.below(3) };
        let mut items = Vec::new();
        for _ in 0..count {
            if named.is_empty() {
                break;
            }
            let member = named[self.rng.below(named.len())].clone();
            let name = member.name.unwrap_or_default();
            // A member named twice keeps the last value; of aggregates gcc would drop the first, side effects and all.
            if items.iter().any(|item: &String| item.starts_with(&format!(".{name}"))) {
                continue;
            }
            items.push(match &member.shape {
                Shape::List(inner, size) if self.rng.chance(50) => {
                    format!(".{name}[{}] = {}", self.rng.below(*size), self.braces(inner, false))
                }
                shape => format!(".{name} = {}", self.braces(shape, false)),
            });
        }
        format!("{{{}}}", if items.is_empty() { "0".to_string() } else { items.join(", ") })
    }

    /// An initialiser with its equals sign, for an object of static storage or one without unions.
    fn record_initialiser(&mut self, shape: &Shape) -> String {
        let (form, text) = match self.rng.below(4) {
            0 => ("full", self.braces(shape, true)),
            1 => ("partial", self.braces(shape, false)),
            2 => ("designated", self.designated(shape)),
            _ => ("none", "{0}".to_string()),
        };
        self.cov.hit("object initialiser", form);
        format!(" = {text}")
    }

    fn add_object(&mut self, text: &str, dims: &[usize], record: usize, pointer: Option<String>) {
        let leaves = self.records[record].leaves.clone();
        let Some(first) = leaves.first() else { return };
        let prefix = match &pointer {
            Some(name) => format!("{name}->"),
            None => format!("{text}."),
        };
        let name_of = |leaf: &Leaf| format!("{prefix}{}", &leaf.path[1..]);
        let (text, dims, witness) = (text.to_string(), dims.to_vec(), name_of(first));
        for leaf in &leaves {
            let place = leaf.place;
            let dims = [dims.clone(), leaf.dims.clone()].concat();
            self.vars.push(Var { dims, place, ..Var::new(name_of(leaf), leaf.kind, Storage::Shared) });
        }
        self.objects.push(Object { text, dims, record, level: self.indent, pointer, witness });
    }

    fn global_objects(&mut self, index: usize) {
        let record = self.records[index].clone();
        let prefix = self.rng.pick(&["", "static "]);
        let name = self.fresh("o");
        let value = self.record_initialiser(&record.shape);
        self.line(format!("{prefix}{} {name}{value};", record.c_name));
        self.add_object(&name, &[], index, None);
        if self.rng.chance(60) {
            self.cov.hit("object", "array of struct");
            let (array, size) = (self.fresh("oa"), 2 + self.rng.below(3));
            let value = self.record_initialiser(&Shape::List(Box::new(record.shape.clone()), size));
            self.line(format!("{prefix}{} {array}[{size}]{value};", record.c_name));
            self.add_object(&format!("{array}@"), &[size], index, None);
        }
        let pointer = self.fresh("op");
        self.line(format!("static {} *{pointer} = &{name};", record.c_name));
        self.add_object(&format!("(*{pointer})"), &[], index, Some(pointer));
        self.cov.hit("object", "offsetof");
        let leaf = record.leaves.iter().find(|leaf| leaf.place != Place::BitField);
        let offset = leaf.map_or(String::new(), |leaf| {
            let path = leaf.path[1..].replace('@', "[1]");
            format!(" out(__builtin_offsetof({}, {path}));", record.c_name)
        });
        self.sweeps.push(format!("out(sizeof({0})); out(_Alignof({0}));{offset}", record.c_name));
    }

    /// A local object and a pointer to it or to a global one.
    pub(in super::super) fn local_objects(&mut self) {
        if self.records.is_empty() {
            return;
        }
        self.cov.hit("object", "local");
        let index = self.rng.below(self.records.len());
        let record = self.records[index].clone();
        let name = self.fresh("lo");
        if record.has_union || self.rng.chance(30) {
            self.cov.hit("object initialiser", "memset");
            self.line(format!("{} {name}; memset(&{name}, 0, sizeof {name});", record.c_name));
        } else {
            let value = self.record_initialiser(&record.shape);
            self.line(format!("{} {name}{value};", record.c_name));
        }
        self.add_object(&name, &[], index, None);
        let pointer = self.fresh("lq");
        let target = self.object_of(index, |object| object.pointer.is_none()).unwrap_or(name);
        self.line(format!("{} *{pointer} = &{target};", record.c_name));
        self.add_object(&format!("(*{pointer})"), &[], index, Some(pointer));
    }

    /// The functions of a record: one takes and gives it by value, one changes it through a pointer.
    fn record_functions(&mut self, index: usize) {
        let record = self.records[index].clone();
        let scope = self.vars.len();
        self.vars.push(Var { read_only: true, ..Var::new("x".to_string(), Kind::Int, Storage::Local) });
        let objects = self.objects.len();
        self.add_object("a", &[], index, None);
        let changes = [self.leaf_change(scope + 1), self.leaf_change(scope + 1)].concat();
        let (c_name, by_value) = (&record.c_name, &record.by_value);
        self.line(format!("static {c_name} {by_value}({c_name} a, int x) {{ {changes}return a; }}"));
        self.vars.truncate(scope + 1);
        self.add_object("(*p)", &[], index, Some("p".to_string()));
        let changes = [self.leaf_change(scope + 1), self.leaf_change(scope + 1)].concat();
        let seen = self.vars[scope + 1..].iter().find(|var| !var.kind.is_float()).cloned();
        let result = seen.map_or("x".to_string(), |var| self.access(&var, true).text);
        let by_pointer = &record.by_pointer;
        self.line(format!("static long long {by_pointer}({c_name} *p, int x) {{ {changes}return {result}; }}"));
        self.vars.truncate(scope);
        self.objects.truncate(objects);
    }

    /// A change of one of the variables from `first` on.
    fn leaf_change(&mut self, first: usize) -> String {
        let index = first + self.rng.below(self.vars.len() - first);
        let var = self.vars[index].clone();
        let target = self.access(&var, true);
        let whole = match self.rng.below(3) {
            0 => self.incdec(target),
            1 => self.compound(target, 1),
            _ => {
                let value = self.expr(1, Self::class_for(var.kind));
                self.assignment(target, value)
            }
        };
        format!("{}; ", whole.text)
    }

    /// An object of the record that satisfies `wanted`, with computed indices.
    fn object_of(&mut self, record: usize, wanted: impl Fn(&Object) -> bool) -> Option<String> {
        let found: Vec<_> = self.live_objects(record).into_iter().filter(|object| wanted(object)).collect();
        if found.is_empty() {
            return None;
        }
        let object = found[self.rng.below(found.len())].clone();
        Some(self.object_text(&object))
    }

    fn object_text(&mut self, object: &Object) -> String {
        let mut text = object.text.clone();
        for &dim in &object.dims {
            text = text.replacen('@', &format!("[{}]", self.index(dim, true)), 1);
        }
        text
    }

    /// The objects of the record that are in scope.
    fn live_objects(&self, record: usize) -> Vec<Object> {
        let in_scope = |object: &&Object| self.vars.iter().any(|var| var.name == object.witness);
        self.objects.iter().filter(|object| object.record == record).filter(in_scope).cloned().collect()
    }

    /// One statement about whole objects.
    pub(super) fn object_statement(&mut self) {
        let index = self.rng.below(self.records.len());
        let record = self.records[index].clone();
        let live = self.live_objects(index);
        let Some(object) = (!live.is_empty()).then(|| live[self.rng.below(live.len())].clone()) else {
            return self.observe_statement();
        };
        let target = self.object_text(&object);
        let Some(source) = self.object_of(index, |_| true) else { return self.observe_statement() };
        let argument = self.expr(1, Class::Int).at(2);
        let (form, text) = match self.rng.below(10) {
            0 if !record.has_union => {
                ("literal", format!("{target} = ({}){};", record.c_name, self.designated(&record.shape)))
            }
            1 if target == source || object.pointer.is_some() => {
                ("memcpy", format!("memmove(&{target}, &{source}, sizeof {target});"))
            }
            1 => ("memcpy", format!("if (&{target} != &{source}) memcpy(&{target}, &{source}, sizeof {source});")),
            2 => ("memset", format!("memset(&{target}, 0, sizeof({}));", record.c_name)),
            3 => ("by value", format!("{target} = {}({source}, {argument});", record.by_value)),
            4 => return self.result_field(&record, &source, &argument),
            5 | 6 => ("pointer parameter", format!("out({}(&{target}, {argument}));", record.by_pointer)),
            7 => return self.retarget_object(index),
            _ if object.pointer.is_some() => ("assign through pointer", format!("{target} = {source};")),
            _ if !object.dims.is_empty() => ("array assign", format!("{target} = {source};")),
            _ => ("assign", format!("{target} = {source};")),
        };
        self.cov.hit("object statement", form);
        self.line(text);
    }

    /// A scalar of a function's result.
    fn result_field(&mut self, record: &Record, source: &str, argument: &str) {
        self.cov.hit("object statement", "result field");
        let leaf = record.leaves[self.rng.below(record.leaves.len())].clone();
        let mut path = leaf.path;
        for &dim in &leaf.dims {
            let index = format!("[{}]", self.rng.below(dim));
            path = if path.contains('@') { path.replacen('@', &index, 1) } else { path + &index };
        }
        self.observe(Expr::primary(format!("{}({source}, {argument}){path}", record.by_value), leaf.kind));
    }

    /// Sets a pointer to another object that lives at least as long, or compares it with one.
    fn retarget_object(&mut self, record: usize) {
        let pointers: Vec<_> = self.live_objects(record).into_iter().filter(|o| o.pointer.is_some()).collect();
        let Some(object) = (!pointers.is_empty()).then(|| pointers[self.rng.below(pointers.len())].clone()) else {
            return self.observe_statement();
        };
        let pointer = object.pointer.clone().unwrap_or_default();
        let Some(target) = self.object_of(record, |other| other.level <= object.level) else {
            return self.observe_statement();
        };
        if self.rng.chance(25) {
            self.cov.hit("object statement", "compare");
            let op = self.rng.pick(&["==", "!="]);
            return self.line(format!("out({pointer} {op} &{target});"));
        }
        self.cov.hit("object statement", "retarget");
        self.line(format!("{pointer} = &{target};"));
    }
}
