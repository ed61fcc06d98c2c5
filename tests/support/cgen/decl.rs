//! Declarations: the prelude every program shares, globals, arrays with every form of initialiser, `main`'s locals.

use super::{Gen, Storage, Var};
use crate::support::coverage::pair;
use crate::support::kinds::Kind;

/// What observes values: a checksum, and for floats all bits of the mantissa and the scale.
const PRELUDE: &str = "enum hue { RED, GREEN = 5, BLUE, LAST = 200 };
enum level { LOW = -3, MID, HIGH = 1000 };
typedef unsigned short word;
typedef long long wide;
static unsigned long long sum = 14695981039346656037ULL;
static void out(long long v) { sum = (sum ^ (unsigned long long)v) * 1099511628211ULL; }";
const FLOAT_PRELUDE: &str = "static int clamp(double d) { return d > -100000.0 && d < 100000.0 ? (int)d : 77; }
static void real(double d) {
  int n = 0;
  if (d != d || d > 1e300 || d < -1e300) { out(d != d ? 98 : d > 0); return; }
  while ((d >= 1048576.0 || d <= -1048576.0) && n < 60) { d = d / 1048576.0; n++; }
  while (d < 1.0 && d > -1.0 && d != 0.0 && n > -60) { d = d * 1048576.0; n--; }
  out(n); out((long long)(d * 4294967296.0));
}";

/// How an array is initialised.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Full,
    Partial,
    Designated,
    Range,
    Flat,
    Unsized,
    Zero,
}

impl Gen {
    pub(super) fn prelude(&mut self) {
        if self.rng.chance(12) {
            self.cov.hit("declaration", "include");
            self.line("#include <stdio.h>");
        } else {
            self.line("int printf(const char *, ...);");
        }
        PRELUDE.lines().for_each(|text| self.line(text));
        if self.config.floats {
            FLOAT_PRELUDE.lines().for_each(|text| self.line(text));
        }
        if self.config.memory {
            self.memory_prelude();
        }
    }

    /// The type in one of its spellings.
    fn spelling(&mut self, kind: Kind) -> &'static str {
        if self.rng.chance(60) {
            return kind.c_name();
        }
        match kind {
            Kind::Short => "short int",
            Kind::UShort => {
                self.cov.hit("declaration", "typedef");
                "word"
            }
            Kind::UInt => "unsigned",
            Kind::Long => "long int",
            Kind::ULong => "long unsigned int",
            Kind::LLong => {
                self.cov.hit("declaration", "typedef");
                "wide"
            }
            Kind::ULLong => "unsigned long long int",
            Kind::Int => "signed",
            _ => kind.c_name(),
        }
    }

    pub(super) fn globals(&mut self) {
        let count = 6 + self.rng.below(4);
        for _ in 0..count {
            self.global_scalar();
        }
        for _ in 0..2 + self.rng.below(2) {
            self.global_array();
        }
    }

    fn global_scalar(&mut self) {
        let (kind, name) = (self.any_kind(), self.fresh("g"));
        let type_name = self.spelling(kind);
        let value = if kind.is_float() { self.initial_value(kind) } else { self.constant_expr(2) };
        let value_text = value.at(2);
        let mut read_only = false;
        let form = self.rng.below(7);
        let text = match form {
            0 => {
                self.cov.hit("declaration", "tentative");
                format!("{type_name} {name}; {type_name} {name};")
            }
            1 => {
                self.cov.hit("declaration", "extern");
                format!("extern {type_name} {name}; {type_name} {name} = {value_text};")
            }
            2 => {
                self.cov.hit("declaration", "static global");
                format!("static {type_name} {name} = {value_text};")
            }
            3 => {
                self.cov.hit("declaration", "const");
                read_only = true;
                format!("const {type_name} {name} = {value_text};")
            }
            _ => {
                self.cov.hit("declaration", "global");
                format!("{type_name} {name} = {value_text};")
            }
        };
        if form != 0 {
            self.cov.hit("init", pair("to", value.kind, kind));
        }
        self.line(text);
        self.vars.push(Var { read_only, ..Var::new(name, kind, Storage::Shared) });
    }

    fn global_array(&mut self) {
        let storage = if self.rng.chance(30) { "static " } else { "" };
        self.array("ga", storage, Storage::Shared);
    }

    pub(super) fn local_array(&mut self) {
        if !self.pure_fn && self.rng.chance(30) {
            self.cov.hit("declaration", "static array");
            self.array("sa", "static ", Storage::Shared);
        } else {
            self.cov.hit("declaration", "local array");
            self.array("la", "", Storage::Local);
        }
    }

    fn dims(&mut self) -> Vec<usize> {
        match self.rng.weighted(&[5, 3, 1]) {
            0 => vec![2 + self.rng.below(7)],
            1 => vec![2 + self.rng.below(3), 2 + self.rng.below(3)],
            _ => vec![2, 2 + self.rng.below(2), 2],
        }
    }

    fn array(&mut self, stem: &str, prefix: &str, storage: Storage) {
        let (name, kind) = (self.fresh(stem), self.any_kind());
        let mut dims = self.dims();
        let type_name = self.spelling(kind);
        let text = if matches!(kind, Kind::Char | Kind::SChar | Kind::UChar) && dims.len() < 3 && self.rng.chance(60) {
            self.string_array(prefix, type_name, &name, &mut dims)
        } else {
            let form = self.form(&dims);
            let init = match form {
                Form::Zero if storage == Storage::Shared => String::new(),
                Form::Zero => " = {0}".to_string(),
                _ => format!(" = {}", self.initialiser(kind, &dims, form)),
            };
            let sizes: Vec<_> = dims.iter().map(|dim| format!("[{dim}]")).collect();
            let sizes = if form == Form::Unsized { format!("[]{}", sizes[1..].concat()) } else { sizes.concat() };
            format!("{prefix}{type_name} {name}{sizes}{init};")
        };
        self.cov.hit("declaration", ["array", "array 2-D", "array 3-D"][dims.len() - 1]);
        self.line(text);
        self.vars.push(Var { dims, ..Var::new(name, kind, storage) });
    }

    fn form(&mut self, dims: &[usize]) -> Form {
        let form = self.rng.pick(&[
            Form::Full,
            Form::Partial,
            Form::Designated,
            Form::Range,
            Form::Flat,
            Form::Unsized,
            Form::Zero,
        ]);
        let name = match form {
            Form::Full | Form::Zero => return form,
            Form::Partial => "array partial",
            Form::Designated => "array designated",
            Form::Range => "array range",
            Form::Flat if dims.len() == 1 => return Form::Full,
            Form::Flat => "array flat",
            Form::Unsized => "array unsized",
        };
        self.cov.hit("declaration", name);
        form
    }

    /// A braced initialiser. Values are constants, so that it suits static objects too.
    fn initialiser(&mut self, kind: Kind, dims: &[usize], form: Form) -> String {
        let [dim, rest @ ..] = dims else {
            let value = self.initial_value(kind);
            self.cov.hit("init", pair("to", value.kind, kind));
            return value.at(2);
        };
        let whole = if rest.is_empty() { Form::Full } else { form };
        let items: Vec<String> = match form {
            Form::Full | Form::Unsized | Form::Zero => {
                (0..*dim).map(|_| self.initialiser(kind, rest, Form::Full)).collect()
            }
            Form::Partial => {
                let count = 1 + self.rng.below(*dim);
                (0..count).map(|_| self.initialiser(kind, rest, whole)).collect()
            }
            Form::Designated => {
                // Out of order, then going on from the designated place.
                let at = self.rng.below(*dim);
                let mut items = vec![format!("[{at}] = {}", self.initialiser(kind, rest, Form::Full))];
                if at + 1 < *dim {
                    items.push(self.initialiser(kind, rest, whole));
                }
                let again = self.rng.below(*dim);
                items.push(format!("[{again}] = {}", self.initialiser(kind, rest, Form::Full)));
                items
            }
            Form::Range => {
                let low = self.rng.below(*dim);
                let high = low + self.rng.below(dim - low);
                let mut items = vec![format!("[{low} ... {high}] = {}", self.initialiser(kind, rest, Form::Full))];
                if high + 1 < *dim {
                    items.push(self.initialiser(kind, rest, Form::Full));
                }
                items
            }
            Form::Flat => {
                let total: usize = dims.iter().product();
                let count = 1 + self.rng.below(total);
                (0..count).map(|_| self.initialiser(kind, &[], Form::Full)).collect()
            }
        };
        let comma = if self.rng.chance(10) { "," } else { "" };
        format!("{{{}{comma}}}", items.join(", "))
    }

    /// A character array initialised by a string literal.
    fn string_array(&mut self, prefix: &str, type_name: &str, name: &str, dims: &mut [usize]) -> String {
        self.cov.hit("declaration", "string");
        let (literal, length) = self.rng.pick(&[
            ("\"ab\"", 2),
            ("\"a\\n\\x41\"", 3),
            ("\"\"", 0),
            ("\"q\" \"\\377z\"", 3),
            ("\"\\0x\"", 2),
        ]);
        if dims.len() == 2 {
            dims[1] = dims[1].max(length);
            return format!("{prefix}{type_name} {name}[{}][{}] = {{{literal}, \"c\"}};", dims[0], dims[1]);
        }
        if self.rng.chance(40) {
            self.cov.hit("declaration", "string unsized");
            dims[0] = length + 1;
            let braces = self.rng.chance(20);
            let (open, close) = if braces { ("{", "}") } else { ("", "") };
            return format!("{prefix}{type_name} {name}[] = {open}{literal}{close};");
        }
        // As long as the literal without its zero is allowed too.
        dims[0] = dims[0].max(length).max(1);
        format!("{prefix}{type_name} {name}[{}] = {literal};", dims[0])
    }

    /// One variable of every kind that no global has, and an array or two.
    pub(super) fn main_locals(&mut self) {
        for &kind in self.kinds() {
            let count =
                self.vars.iter().filter(|var| var.kind == kind && var.dims.is_empty() && !var.read_only).count();
            if count > 0 && self.rng.chance(60) {
                continue;
            }
            let names = [self.fresh("v"), self.fresh("v")];
            let values = [self.initial_value(kind), self.initial_value(kind)];
            values.iter().for_each(|value| self.cov.hit("init", pair("to", value.kind, kind)));
            let type_name = self.spelling(kind);
            let (a, b) = (values[0].at(2), values[1].at(2));
            self.line(format!("{type_name} {} = {a}, {} = {b};", names[0], names[1]));
            self.cov.hit("declaration", "local");
            names.into_iter().for_each(|name| self.add_local(name, kind));
        }
        for _ in 0..1 + self.rng.below(2) {
            self.local_array();
        }
    }

    /// Adds every variable in scope to the checksum, a few on a line.
    pub(super) fn observe_variables(&mut self) {
        let mut texts = Vec::new();
        for index in self.visible(|_| true) {
            let var = self.vars[index].clone();
            let (observer, parameter) = if var.kind.is_float() { ("real", Kind::Double) } else { ("out", Kind::LLong) };
            self.cov.hit("argument", pair("to", var.kind, parameter));
            let counters: Vec<_> = var.dims.iter().map(|_| self.fresh("k")).collect();
            let loops =
                counters.iter().zip(&var.dims).map(|(k, dim)| format!("for (int {k} = 0; {k} < {dim}; {k}++) "));
            texts.push(format!("{}{observer}({});", loops.collect::<String>(), var.indexed(&counters)));
        }
        texts.chunks(5).for_each(|few| self.line(few.join(" ")));
    }
}
