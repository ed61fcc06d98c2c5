//! Memory: what the `memory` profile adds to a program.
//!
//! Two parts, as in the rest of the generator. *Templates* (`pointers`, `records`, `bits`, `library`, `floats`) walk
//! systematically through the features, program after program: each is a piece of C with holes for types, sizes,
//! constants and expressions, becomes a function and is called with several arguments. *Objects* (`objects`) and
//! *references* (`references`) are made at random: structs and unions of any layout, pointers that are set to other
//! targets all over the program. Their scalars are variables to the rest of the generator, so every operator,
//! conversion and statement meets them.
//!
//! What keeps programs defined: a pointer always has a fixed number of elements before it, whatever it is set to;
//! pointers to locals do not outlive them; unions hold no `_Bool` and no float unless a template looks after them;
//! padding and the bits of a NaN are never observed. Whatever a pointer may reach counts as one for the order of
//! evaluation: beside a write to any of it stands no read of any of it.

mod bits;
mod floats;
mod library;
mod objects;
mod pointers;
mod records;
mod references;

pub(super) use objects::{Object, Record};
pub(super) use references::Reference;

use super::{Class, Gen, Storage, Var};
use crate::support::kinds::{Kind, INTS};

/// A piece of C for one feature. In both texts `$#` is a number of its own for names, `$T` and `$U` are integer types
/// other than `_Bool`, `$B` is any, `$F` is `float` or `double`; `$n` is a size, `$m` one less, `$k` a constant index,
/// `$x` a computed one; `$c` and `$L` are a constant and a list of `$n`, `$e` is an expression, `$f` a decimal fraction,
/// `$s` a digit, `$S` a string literal. The body's parameter is `int x`, from 0 to 3.
#[derive(Clone, Copy)]
struct Template {
    table: &'static str,
    feature: &'static str,
    top: &'static str,
    body: &'static str,
}

const fn template(table: &'static str, feature: &'static str, top: &'static str, body: &'static str) -> Template {
    Template { table, feature, top, body }
}

impl Template {
    fn uses_floats(&self) -> bool {
        ["$F", "$f", "float", "double", "real(", "bits("].iter().any(|word| self.body.contains(word))
            || ["$F", "float", "double"].iter().any(|word| self.top.contains(word))
    }
}

/// The templates in use.
fn templates(floats: bool) -> Vec<Template> {
    let tables = [
        pointers::POINTERS,
        pointers::CASTS,
        records::STRUCTS,
        records::UNIONS,
        records::LITERALS,
        bits::BITS,
        library::CALLS,
        library::HEAP,
        library::LIBRARY,
        floats::FLOATS,
    ];
    tables.concat().into_iter().filter(|template| floats || !template.uses_floats()).collect()
}

/// What the random part uses, beside the templates' features.
const RANDOM: &[(&str, &[&str])] = &[
    ("object", &["struct", "union", "array of struct", "local", "bit-field", "nested", "packed", "aligned", "pragma"]),
    ("object", &["anonymous", "array field", "zero width", "unnamed", "offsetof"]),
    ("object initialiser", &["none", "full", "partial", "designated", "memset"]),
    (
        "object statement",
        &["assign", "assign through pointer", "literal", "memcpy", "memset", "by value", "result field"],
    ),
    ("object statement", &["pointer parameter", "retarget", "compare", "array assign"]),
    ("reference", &["scalar", "array", "pointer", "pointer to pointer", "local", "*(a + i)", "i[a]"]),
    (
        "reference statement",
        &["element", "a + i", "copy", "through **", "conditional", "compare", "difference", "loop"],
    ),
    ("reference statement", &["bytes", "null test"]),
];

/// Every cell the profile promises to use.
pub fn features(floats: bool) -> Vec<(&'static str, String)> {
    let mut cells: Vec<_> = templates(floats).iter().map(|t| (t.table, t.feature.to_string())).collect();
    for &(table, names) in RANDOM {
        cells.extend(names.iter().map(|name| (table, name.to_string())));
    }
    cells
}

/// Declarations the profile needs; `bits` observes all bits of a number.
const DECLARED: &str = "void *malloc(__SIZE_TYPE__);
void *calloc(__SIZE_TYPE__, __SIZE_TYPE__);
void free(void *);
int abs(int);
void *memset(void *, int, __SIZE_TYPE__);
void *memcpy(void *, const void *, __SIZE_TYPE__);
void *memmove(void *, const void *, __SIZE_TYPE__);
int memcmp(const void *, const void *, __SIZE_TYPE__);
__SIZE_TYPE__ strlen(const char *);
int strcmp(const char *, const char *);
char *strcpy(char *, const char *);";
const FLOAT_BITS: &str = "static void bits(double d) {
  union { double d; long long i; } u;
  u.d = d;
  out(d != d ? 98 : u.i);
}
static void lbits(long double d) {
  union { long double d; struct { long long m; unsigned short e; } p; } u;
  u.d = d;
  if (d != d) { out(97); return; }
  out(u.p.m); out(u.p.e);
}";

/// Templates a program takes in turn, and those it takes at random.
const IN_TURN: usize = 9;
const AT_RANDOM: usize = 2;
/// Rounds of statements about memory in `main`.
const MIXED: usize = 8;

/// The types and sizes of one use of a template.
struct Holes {
    number: usize,
    t: Kind,
    u: Kind,
    b: Kind,
    f: Kind,
    size: usize,
}

impl Gen {
    pub(super) fn memory_prelude(&mut self) {
        if self.rng.chance(20) {
            ["stdlib.h", "string.h", "stdint.h"].iter().for_each(|name| self.line(format!("#include <{name}>")));
        } else {
            DECLARED.lines().for_each(|text| self.line(text));
        }
        if self.config.floats {
            FLOAT_BITS.lines().for_each(|text| self.line(text));
        }
    }

    /// Pointers set, objects copied and what they reach used, in turn.
    pub(super) fn memory_statements(&mut self) {
        for _ in 0..MIXED {
            self.memory_statement();
            self.memory_statement();
            self.statement(1);
        }
    }

    /// Objects and pointers of the current block.
    pub(super) fn local_memory(&mut self) {
        if self.rng.chance(50) {
            self.local_references();
        } else {
            self.local_objects();
        }
    }

    /// Defines the templates' functions; their calls wait in `sweeps` for `main`.
    pub(super) fn template_functions(&mut self, index: u64) {
        let all = templates(self.config.floats);
        let mut chosen: Vec<_> = super::probe::turn(&all, index, IN_TURN).collect();
        chosen.extend((0..AT_RANDOM).map(|_| self.rng.pick(&all)));
        for template in chosen {
            self.cov.hit(template.table, template.feature);
            let holes = self.holes();
            let top = self.fill(template.top, &holes);
            top.lines().filter(|text| !text.is_empty()).for_each(|text| self.line(text.trim()));
            let scope = self.vars.len();
            let (storage, bound) = (Storage::Local, Some(4));
            self.vars.push(Var { read_only: true, bound, ..Var::new("x".to_string(), Kind::Int, storage) });
            let body = self.fill(template.body, &holes);
            self.vars.truncate(scope);
            self.open(format!("static void test{}(int x)", holes.number));
            statements(&body).iter().for_each(|text| self.line(text));
            self.close();
            let call = match self.rng.below(3) {
                0 => format!("test{0}(1); test{0}(2);", holes.number),
                _ => format!("for (int x = 0; x < 4; x++) test{}(x);", holes.number),
            };
            self.sweeps.push(call);
        }
    }

    fn holes(&mut self) -> Holes {
        self.fresh += 1;
        let f = self.rng.pick(&[Kind::Float, Kind::Double]);
        let (t, u, b) = (self.rng.pick(&INTS[1..]), self.rng.pick(&INTS[1..]), self.int_kind());
        Holes { number: self.fresh, t, u, b, f, size: 3 + self.rng.below(4) }
    }

    /// The text with its holes filled.
    fn fill(&mut self, text: &str, holes: &Holes) -> String {
        let mut result = String::new();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            if c != '$' {
                result.push(c);
                continue;
            }
            let hole = chars.next().unwrap_or('$');
            result += &self.hole(hole, holes);
        }
        result
    }

    fn hole(&mut self, hole: char, holes: &Holes) -> String {
        match hole {
            '#' => holes.number.to_string(),
            'T' => holes.t.c_name().to_string(),
            'U' => holes.u.c_name().to_string(),
            'B' => holes.b.c_name().to_string(),
            'F' => holes.f.c_name().to_string(),
            'n' => holes.size.to_string(),
            'm' => (holes.size - 1).to_string(),
            'k' => self.rng.below(holes.size).to_string(),
            'x' => format!("({})", self.index(holes.size, true)),
            'c' => self.initial_value(holes.t).at(2),
            'L' => {
                let values: Vec<_> = (0..holes.size).map(|_| self.initial_value(holes.t).at(2)).collect();
                values.join(", ")
            }
            'e' => self.expr(2, Class::Int).at(16),
            'f' => self.rng.pick(&["0.5", "1.5", "3.25", "0.1", "99.9", "7.", ".75", "1e1", "2.7182818"]).to_string(),
            's' => (1 + self.rng.below(9)).to_string(),
            'S' => format!("\"{}\"", self.rng.pick(&["a", "xyz", "hello", "ab", "AbAb", "z\\377!", ""])),
            other => panic!("no hole ${other}"),
        }
    }
}

/// The statements of a body at brace depth 0, so that each has a line and the reducer can drop it. No literal holds a
/// brace or a semicolon.
fn statements(body: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (at, byte) in body.bytes().enumerate() {
        match byte {
            b'{' | b'(' => depth += 1,
            b'}' | b')' => depth -= 1,
            _ => {}
        }
        let rest = body[at + 1..].trim_start();
        let goes_on = [";", ",", ")", "else", "while"].iter().any(|word| rest.starts_with(word));
        if depth == 0 && (byte == b';' || byte == b'}' && !goes_on) {
            found.push(body[start..=at].trim().to_string());
            start = at + 1;
        }
    }
    let rest = body[start..].trim();
    if !rest.is_empty() {
        found.push(rest.to_string());
    }
    found
}
