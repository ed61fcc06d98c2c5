//! The C that goes before the program: the trace as tables, and the functions that read them.
//!
//! It declares nothing that a program could declare in another way: functions of the C library are reached through
//! names of its own (`gsignal` is `raise` under a name no program defines), and definitions that stand in for the
//! program's own declared-only functions are tied to them by the assembler's name, so their types need not match.

use std::fmt::Write;
use syncline_ir::{Const, FloatFormat, Scalar, Type};

/// The values a site brings in.
pub struct Queue<'a> {
    pub id: u32,
    pub name: &'a str,
    pub ty: Type,
    pub values: &'a [Const],
    /// Negative numbers are continued to the left: the value is handed on in a wider type.
    pub signed: bool,
    /// A `_Bool`: bytes other than 0 and 1 are not written.
    pub truth: bool,
    /// Used up is not worth a word: the test asks more often than the run does.
    pub quiet: bool,
}

pub const RUNTIME: &str = r#"
typedef unsigned long long __syncline_u64;
typedef __SIZE_TYPE__ __syncline_size;
extern int __syncline_raise(int) __asm__("gsignal");
extern void __syncline_exit(int) __asm__("_exit");
extern long __syncline_write(int, const void *, __syncline_size) __asm__("__write");
struct __syncline_cell { __syncline_u64 at, low, high; };
struct __syncline_value { __syncline_u64 times, low, high; unsigned count; const struct __syncline_cell *cells; };
struct __syncline_site { const char *name; unsigned stride, quiet, count; const struct __syncline_value *values; __syncline_u64 used; };
static void __syncline_say(const char *a, const char *b) {
  __syncline_size n;
  for (n = 0; a[n]; n++) ;
  __syncline_write(2, a, n);
  for (n = 0; b[n]; n++) ;
  __syncline_write(2, b, n);
  __syncline_write(2, "\n", 1);
}
static void __syncline_put(unsigned char *to, __syncline_u64 low, __syncline_u64 high, __syncline_size size) {
  for (__syncline_size i = 0; i < size; i++)
    to[i] = i < 8 ? low >> (8 * i) : i < 16 ? high >> (8 * (i - 8)) : 0;
}
/* The next value of an input goes to an object; one that is used up leaves it alone. */
__attribute__((unused, noinline)) static void __syncline_feed(struct __syncline_site *site, const volatile void *object, __syncline_size size) {
  unsigned char *to = (unsigned char *)object;
  __syncline_size stride = site->stride < size ? site->stride : size;
  while (site->count && site->used == site->values->times) { site->values++; site->count--; site->used = 0; }
  if (!site->count) {
    if (!site->quiet) __syncline_say("syncline: the test has left the trace; no more values for ", site->name);
    return;
  }
  const struct __syncline_value *v = site->values;
  site->used++;
  for (__syncline_size i = 0; stride && i + stride <= size; i += stride) __syncline_put(to + i, v->low, v->high, stride);
  for (unsigned i = 0; i < v->count; i++)
    if (v->cells[i].at < size / (stride ? stride : 1)) __syncline_put(to + v->cells[i].at * stride, v->cells[i].low, v->cells[i].high, stride);
}
/* The next contents of an object: its bytes that are not zero, and its size if all others are to be. */
__attribute__((unused, noinline)) static void __syncline_scatter(struct __syncline_site *site, const volatile void *object, int clear) {
  while (site->count && site->used == site->values->times) { site->values++; site->count--; site->used = 0; }
  if (!site->count || !object) return;
  site->used++;
  for (__syncline_u64 i = 0; clear && i < (site->values->low & 0xffffffffff); i++) ((unsigned char *)object)[i] = 0;
  for (unsigned i = 0; i < site->values->count; i++) ((unsigned char *)object)[site->values->cells[i].at] = site->values->cells[i].low;
}
/* The next value goes to some bits of an object. */
__attribute__((unused, noinline)) static void __syncline_bits(struct __syncline_site *site, const volatile void *object, __syncline_u64 bit, unsigned width) {
  unsigned char bytes[16], *to = (unsigned char *)object;
  if (!site->count) return;
  __syncline_feed(site, bytes, sizeof bytes);
  for (unsigned i = 0; i < width; i++, bit++)
    to[bit / 8] = (to[bit / 8] & ~(1 << bit % 8)) | (bytes[i / 8] >> i % 8 & 1) << bit % 8;
}
/* A pointer to nowhere is followed to a page of zeros, and the run goes on; one into the first page ends it. */
struct __syncline_action { void (*handler)(int, char *, void *); unsigned char mask[128]; int flags; void (*restorer)(void); };
extern int __syncline_sigaction(int, const struct __syncline_action *, void *) __asm__("sigaction");
extern void *__syncline_mmap(void *, __syncline_size, int, int, int, long) __asm__("mmap");
extern int __syncline_msync(void *, __syncline_size, int) __asm__("msync");
static __syncline_size __syncline_pages[1024];
static unsigned __syncline_page_count;
/* Whether a place is outside anything the program has. */
__attribute__((unused, noinline)) static int __syncline_wild(const volatile void *place) {
  __syncline_size at = (__syncline_size)place & ~(__syncline_size)4095;
  if (!at) return 0;
  for (unsigned i = 0; i < __syncline_page_count; i++) if (__syncline_pages[i] == at) return 1;
  return __syncline_msync((void *)at, 4096, 1) != 0;
}
static void __syncline_fault(int signal, char *info, void *context) {
  __syncline_size at = *(__syncline_size *)(info + (sizeof(long) == 8 ? 16 : 12)) & ~(__syncline_size)4095;
  if (!at || __syncline_mmap((void *)at, 4096, 3, 0x32, -1, 0) != (void *)at) {
    __syncline_say("syncline: the test has left the trace: ", "a null pointer is followed");
    __syncline_exit(77);
  }
  if (__syncline_page_count < 1024) __syncline_pages[__syncline_page_count++] = at;
}
__attribute__((unused, noinline)) static void __syncline_survive(void) {
  struct __syncline_action action = {__syncline_fault, {0}, 4 /* SA_SIGINFO */, 0};
  __syncline_sigaction(11, &action, 0);
}
extern void *__syncline_calloc(__syncline_size, __syncline_size) __asm__("calloc");
/* An unknown pointer: null, or an object of its own. */
__attribute__((unused, noinline)) static void *__syncline_pointer(struct __syncline_site *null, struct __syncline_site *contents) {
  unsigned char is_null = 0;
  __syncline_feed(null, &is_null, 1);
  __syncline_u64 size = 0;
  while (contents->count && contents->used == contents->values->times) { contents->values++; contents->count--; contents->used = 0; }
  for (unsigned i = 0; contents->count && i < contents->values->count; i++)
    if (contents->values->cells[i].at >= size) size = contents->values->cells[i].at + 1;
  void *object = __syncline_calloc(1, size + 65536);
  __syncline_scatter(contents, object, 0);
  return is_null ? 0 : object;
}
"#;

/// What violates the property; `name` is the property's.
pub fn violation(name: &str, description: &str) -> String {
    let quoted = quote(&format!("{name}: {description}"));
    format!(
        "__attribute__((unused, noinline)) static void __syncline_violated() {{\n  \
         __syncline_say(\"syncline: violated \", {quoted});\n  __syncline_raise(6);\n  __syncline_exit(134);\n}}\n\
         __attribute__((unused, noinline)) static void __syncline_assert(int holds, ...) {{ if (!holds) __syncline_violated(); }}\n\
         __attribute__((unused, noinline)) static void __syncline_left(const char *what) {{\n  \
         __syncline_say(\"syncline: the test has left the trace: \", what);\n  __syncline_exit(77);\n}}\n"
    )
}

/// Text as a C string literal.
pub fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for b in text.bytes() {
        match b {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(b as char);
            }
            // Question marks could be trigraphs; octal escapes end after three digits whatever follows.
            b' '..=b'~' if b != b'?' => out.push(b as char),
            b => {
                let _ = write!(out, "\\{b:03o}");
            }
        }
    }
    out.push('"');
    out
}

/// Bytes of a scalar in memory.
pub fn size(scalar: Scalar, wide: bool) -> u32 {
    match scalar {
        Scalar::Bool => 1,
        Scalar::Bv(width) => width.div_ceil(8),
        Scalar::Float(FloatFormat::F32) => 4,
        Scalar::Float(FloatFormat::F64) => 8,
        Scalar::Float(FloatFormat::X87) => {
            if wide {
                16
            } else {
                12
            }
        }
    }
}

impl Queue<'_> {
    fn bits(&self, value: &Const) -> (u64, u64) {
        let bits = match value {
            Const::Bool(b) => u128::from(*b),
            Const::Bv { width, bits } if self.signed => syncline_ir::consts::sign_extend(*width, *bits) as u128,
            Const::Bv { bits, .. } | Const::Float { bits, .. } => *bits,
            Const::Array(_) => 0,
        };
        let bits = if self.truth { u128::from(bits != 0) } else { bits };
        (bits as u64, (bits >> 64) as u64)
    }

    /// The tables. `wide` is for LP64.
    pub fn write(&self, out: &mut String, wide: bool) {
        let (elem, array) = match self.ty {
            Type::Scalar(s) => (s, false),
            Type::Array { elem, .. } => (elem, true),
        };
        let mut rows = String::new();
        let mut count = 0;
        let mut at = 0;
        while at < self.values.len() {
            let value = &self.values[at];
            let times = self.values[at..].iter().take_while(|v| *v == value).count();
            let (cells, default) = match value {
                Const::Array(a) => (a.cell_count(), a.default_cell()),
                scalar => (0, scalar),
            };
            let table = if cells > 0 { self.cells(out, count, value) } else { "0".to_string() };
            let (low, high) = self.bits(default);
            let _ = writeln!(rows, "  {{{times}, {low:#x}, {high:#x}, {cells}, {table}}},");
            count += 1;
            at += times;
        }
        let (id, name) = (self.id, quote(self.name));
        let _ = write!(out, "static const struct __syncline_value __syncline_values{id}[] = {{\n{rows}  {{0}}}};\n");
        // A scalar fills whatever it is given to.
        let stride = if array { size(elem, wide) } else { 64 };
        let quiet = u32::from(self.quiet);
        let _ = writeln!(
            out,
            "static struct __syncline_site __syncline_site{id} = {{{name}, {stride}, {quiet}, {count}, __syncline_values{id}}};"
        );
    }

    fn cells(&self, out: &mut String, n: usize, value: &Const) -> String {
        let name = format!("__syncline_cells{}_{n}", self.id);
        let _ = write!(out, "static const struct __syncline_cell {name}[] = {{");
        for (at, cell) in value.as_array().into_iter().flat_map(|a| a.cells()) {
            let (low, high) = self.bits(cell);
            // Cells beyond any object are of no consequence.
            let at = u64::try_from(at).unwrap_or(u64::MAX);
            let _ = write!(out, "{{{at:#x}, {low:#x}, {high:#x}}}, ");
        }
        out.push_str("};\n");
        name
    }

    /// The function that stands in for a call: what the call's type has in its registers, this has.
    pub fn stand_in(&self, out: &mut String) {
        let ty = match self.ty {
            Type::Scalar(Scalar::Bool) => "unsigned long long",
            Type::Scalar(Scalar::Bv(width)) if width <= 64 => "unsigned long long",
            Type::Scalar(Scalar::Bv(_)) => "unsigned __int128",
            Type::Scalar(Scalar::Float(FloatFormat::F32)) => "float",
            Type::Scalar(Scalar::Float(FloatFormat::F64)) => "double",
            Type::Scalar(Scalar::Float(FloatFormat::X87)) => "long double",
            Type::Array { .. } => return,
        };
        let id = self.id;
        let _ = writeln!(
            out,
            "{ty} __syncline_result{id}(void) {{ {ty} v = 0; __syncline_feed(&__syncline_site{id}, &v, sizeof v); return v; }}"
        );
    }
}
