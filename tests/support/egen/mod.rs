//! Generator of programs over at most 16 bits of input, so that running them on every input decides their properties.
//!
//! A program is generated once with markers where its two uses differ, and rendered twice: for `syncline check` with
//! `__VERIFIER_nondet_*`, `__VERIFIER_assume` and the error functions, and for gcc with a harness that walks through
//! all inputs. Assertions compare an observed value with a bound. The harness first measures the values each takes, and
//! the bounds are then put exactly at (safe) or exactly within (unsafe) the measured ones: half the programs are safe,
//! and an unsafe one may fail on a single input. The verdict compared with the engine's is measured again.
//!
//! Every loop ends after at most 20 iterations, and all behaviour is defined.

mod body;

use super::rng::Rng;

/// The marker that begins an input: `@I{type,low,high}`.
const INPUT: &str = "@I{";
/// Before each object with static storage duration, so that the harness can reset it.
const STATIC: &str = "@S ";
/// An assertion: `@A{number}`.
const ASSERT: &str = "@A{";

/// The longest observed expression's value range, measured by the harness.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub reached: bool,
    pub min: i64,
    pub max: i64,
}

/// How an assertion fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    /// `if (!(c)) __VERIFIER_error();`
    Error,
    /// `if (!(c)) reach_error();`
    Reach,
    /// `__VERIFIER_assert(c);`, only declared
    Declared,
    /// `check(c);`, a function of the program with a label before the error
    Own,
    /// `assert(c);` of `<assert.h>`
    Assert,
}

/// A program with markers.
pub struct Sketch {
    text: String,
    observed: Vec<String>,
    style: Style,
    rng: Rng,
    /// The two models alternate.
    pub ilp32: bool,
}

/// Program number `index` of the suite.
pub fn sketch(seed: u64, index: u64) -> Sketch {
    let mut rng = Rng::new(seed ^ 0x5eed, index);
    let style = rng.pick(&[Style::Error, Style::Error, Style::Reach, Style::Declared, Style::Own, Style::Assert]);
    let (text, observed) = body::generate(&mut rng);
    Sketch { text, observed, style, rng, ilp32: index.is_multiple_of(2) }
}

const HARNESS: &str = r#"#include <setjmp.h>
#include <stdio.h>
static int choice[64], limit[64], used, depth, violated;
static long long least[64], most[64];
static int reached[64];
static jmp_buf ended;
static long long input(long long lo, long long hi) {
  if (used == 64) { printf("too many inputs\n"); __builtin_exit(3); }
  if (used == depth) { choice[depth] = 0; limit[depth] = hi - lo + 1; depth++; }
  return lo + choice[used++];
}
static void record(int k, long long v) {
  if (!reached[k] || v < least[k]) least[k] = v;
  if (!reached[k] || v > most[k]) most[k] = v;
  reached[k] = 1;
}
static void fail(void) { violated = 1; longjmp(ended, 1); }
static void assume(int c) { if (!c) longjmp(ended, 1); }
#define __VERIFIER_error fail
#define reach_error fail
#define __VERIFIER_assume assume
#define __VERIFIER_assert(c) ((c) ? (void)0 : fail())
#define assert(c) ((c) ? (void)0 : fail())
#define main program_main
"#;

const HARNESS_MAIN: &str = r#"
#undef main
extern char __start_objects[], __stop_objects[];
int anchor __attribute__((section("objects"))) = 0;
int main(void) {
  static char initial[65536];
  unsigned long size = __stop_objects - __start_objects;
  __builtin_memcpy(initial, __start_objects, size);
  do {
    __builtin_memcpy(__start_objects, initial, size);
    used = 0;
    if (!setjmp(ended)) program_main();
    depth = used;
    while (depth > 0 && ++choice[depth - 1] == limit[depth - 1]) depth--;
  } while (depth > 0 && !(violated && OBSERVED == 0));
  printf("%d\n", violated);
  for (int k = 0; k < OBSERVED; k++) printf("%d %lld %lld\n", reached[k], least[k], most[k]);
  return 0;
}
"#;

impl Sketch {
    /// The harness that measures what each assertion's expression takes as values.
    pub fn measuring(&self) -> String {
        let text = self.expand(true, |number| format!("record({number}, {});", self.observed[number]));
        format!("{HARNESS}#define OBSERVED {}\n{text}{HARNESS_MAIN}", self.observed.len())
    }

    /// Reads what the measuring harness printed.
    pub fn ranges(&self, output: &str) -> Option<Vec<Range>> {
        let mut ranges = Vec::new();
        for line in output.lines().skip(1) {
            let numbers: Vec<i64> = line.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
            let &[reached, min, max] = numbers.as_slice() else { return None };
            ranges.push(Range { reached: reached != 0, min, max });
        }
        (ranges.len() == self.observed.len()).then_some(ranges)
    }

    /// The conditions of the assertions: all true, or one false for some input.
    pub fn conditions(&mut self, ranges: &[Range]) -> Vec<String> {
        let mut conditions: Vec<String> = Vec::new();
        for (expression, range) in self.observed.iter().zip(ranges) {
            let Range { min, max, .. } = *range;
            conditions.push(match self.rng.below(6) {
                _ if !range.reached => "0".to_string(),
                0 => format!("{expression} <= {max}"),
                1 => format!("{expression} >= {min}"),
                2 => format!("{expression} < {}", max + 1),
                3 => format!("{expression} != {}", max + 1),
                4 => format!("{expression} != {}", min - 1),
                _ => format!("{expression} >= {min} && {expression} <= {max}"),
            });
        }
        let reached: Vec<_> = (0..ranges.len()).filter(|&k| ranges[k].reached).collect();
        if !reached.is_empty() && self.rng.chance(50) {
            let wrong = self.rng.pick(&reached);
            let (expression, Range { min, max, .. }) = (&self.observed[wrong], ranges[wrong]);
            conditions[wrong] = match self.rng.below(4) {
                0 => format!("{expression} < {max}"),
                1 => format!("{expression} > {min}"),
                2 => format!("{expression} != {max}"),
                _ => format!("{expression} != {min}"),
            };
        }
        conditions
    }

    fn assertion(&self, condition: &str) -> String {
        match self.style {
            Style::Error => format!("if (!({condition})) __VERIFIER_error();"),
            Style::Reach => format!("if (!({condition})) {{ reach_error(); }}"),
            Style::Declared => format!("__VERIFIER_assert({condition});"),
            Style::Own => format!("check({condition});"),
            Style::Assert => format!("assert({condition});"),
        }
    }

    fn own_check(&self) -> &'static str {
        match self.style {
            Style::Own => "void check(int cond) {\n  if (!cond) {\n    ERROR: __VERIFIER_error();\n  }\n  return;\n}\n",
            _ => "",
        }
    }

    /// The harness that decides whether any input violates an assertion.
    pub fn deciding(&self, conditions: &[String]) -> String {
        let text = self.expand(true, |number| self.assertion(&conditions[number]));
        format!("{HARNESS}#define OBSERVED 0\n{}{text}{HARNESS_MAIN}", self.own_check())
    }

    /// The program for `syncline check`.
    pub fn program(&self, conditions: &[String]) -> String {
        let mut head = String::from("extern void __VERIFIER_assume(int);\n");
        for (name, c_type, _) in body::INPUTS {
            head += &format!("extern {c_type} __VERIFIER_nondet_{name}(void);\n");
        }
        head += match self.style {
            Style::Error | Style::Own => "extern void __VERIFIER_error(void);\n",
            Style::Reach => "extern void reach_error(void);\n",
            Style::Declared => "extern void __VERIFIER_assert(int);\n",
            Style::Assert => "#include <assert.h>\n",
        };
        let text = self.expand(false, |number| self.assertion(&conditions[number]));
        format!("{head}{}{text}", self.own_check())
    }

    /// Replaces the markers, for the harness or for the tool.
    fn expand(&self, harness: bool, assertion: impl Fn(usize) -> String) -> String {
        let section = if harness { "__attribute__((section(\"objects\"))) " } else { "" };
        let text = self.text.replace(STATIC, section);
        let text = substitute(&text, ASSERT, |inner| inner.parse().map_or_else(|_| String::new(), &assertion));
        substitute(&text, INPUT, |inner| {
            let parts: Vec<&str> = inner.split(',').collect();
            if harness {
                format!("input({}, {})", parts[1], parts[2])
            } else {
                format!("__VERIFIER_nondet_{}()", parts[0])
            }
        })
    }
}

/// Replaces every `marker...}` by what `render` makes of the text in between.
fn substitute(text: &str, marker: &str, render: impl Fn(&str) -> String) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(marker) {
        let Some((inner, after)) = after.split_once('}') else { break };
        result += before;
        result += &render(inner);
        rest = after;
    }
    result + rest
}
