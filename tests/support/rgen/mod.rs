//! Generator of reactive programs over at most 14 bits of state, so that a search through all states decides them.
//!
//! A program is generated once with markers where its two uses differ, and rendered twice: for `syncline check`, and for
//! gcc with a harness that searches breadth first through the states at the heads of the unbounded loops, with every
//! choice of the inputs in between. There is one assertion. The harness first prints which values are observed at it;
//! the condition then excludes values that are not reached (safe) or one that is (unsafe), half and half, and the
//! verdict compared with an engine's is searched for again.
//!
//! In the harness the state lies in objects of the file; a run ends at the next loop head, and is resumed there by a
//! jump. Everything else in a loop's body is initialised before use, so the state is all there is to a loop head.

mod body;

use std::collections::BTreeSet;

use super::rng::Rng;

pub use body::KINDS;

/// The marker that begins an input: `@I{type,low,high}`; no other value behaves differently.
const INPUT: &str = "@I{";
/// The head of an unbounded loop: `@V{number}`.
const VISIT: &str = "@V{";
/// The assertion: `@A{}`.
const ASSERT: &str = "@A{";
/// Begins a line that only the tool or only the harness sees.
const TOOL_LINE: &str = "@P ";
const HARNESS_LINE: &str = "@H ";

/// An object of the state: its values are `low .. low + 2^bits`.
#[derive(Clone, Debug)]
struct Var {
    name: String,
    c_type: &'static str,
    bits: u32,
    low: i64,
    init: i64,
    global: bool,
}

impl Var {
    fn high(&self) -> i64 {
        self.low + (1 << self.bits) - 1
    }
}

/// An expression observed at the assertion, and the values it may have.
#[derive(Clone, Debug)]
struct Observed {
    text: String,
    low: i64,
    high: i64,
}

/// How the assertion fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    /// `if (!(c)) __VERIFIER_error();`
    Error,
    /// `if (!(c)) reach_error();`
    Reach,
    /// `check(c);`, a function of the program
    Own,
    /// `assert(c);` of `<assert.h>`
    Assert,
}

/// A program with markers.
pub struct Sketch {
    text: String,
    /// The state; cells of an array are objects of their own here.
    state: Vec<Var>,
    observed: Vec<Observed>,
    style: Style,
    rng: Rng,
    /// What the program has, by the names of [`KINDS`].
    pub kinds: BTreeSet<&'static str>,
    /// The two models alternate.
    pub ilp32: bool,
}

/// Program number `index` of the suite.
pub fn sketch(seed: u64, index: u64) -> Sketch {
    let mut rng = Rng::new(seed ^ 0x4eac, index);
    let style = rng.pick(&[Style::Error, Style::Error, Style::Reach, Style::Own, Style::Assert]);
    let body::Text { text, state, observed, kinds } = body::generate(&mut rng);
    Sketch { text, state, observed, style, rng, kinds, ilp32: index.is_multiple_of(2) }
}

const HARNESS: &str = r#"#include <setjmp.h>
#include <stdio.h>
static int choice[64], limit[64], used, depth, violated, resume, site;
static unsigned char seen[1 << 18], hit[1 << 16];
static unsigned queue[1 << 18], head, tail, at;
static jmp_buf ended;
static unsigned save(void);
static void load(unsigned key);
static void init(void);
static void stop(const char *why) { printf("%s\n", why); __builtin_exit(3); }
static int input(int lo, int hi) {
  if (used == 64) stop("too many inputs");
  if (used == depth) { choice[depth] = 0; limit[depth] = hi - lo + 1; depth++; }
  return lo + choice[used++];
}
static unsigned cell(long long v, long long low, int bits) {
  if (v < low || v >= low + (1 << bits)) stop("a state variable leaves its range");
  return v - low;
}
static void visit(int k) {
  unsigned key = save() * 8 + site * 4 + k;
  if (!seen[key]) { seen[key] = 1; queue[tail++] = key; }
  longjmp(ended, 1);
}
static void fail(void) { violated = 1; longjmp(ended, 1); }
static void assume(int c) { if (!c) longjmp(ended, 1); }
#define __VERIFIER_error fail
#define reach_error fail
#define __VERIFIER_assume assume
#define assert(c) ((c) ? (void)0 : fail())
#define main program_main
"#;

const HARNESS_MAIN: &str = r#"
#undef main
static void explore(void) {
  depth = 0;
  do {
    if (at) load(at / 8); else init();
    resume = at & 3; site = at >> 2 & 1; used = 0;
    if (!setjmp(ended)) program_main();
    depth = used;
    while (depth > 0 && ++choice[depth - 1] == limit[depth - 1]) depth--;
  } while (depth > 0 && !violated);
}
int main(void) {
  explore();
  while (head < tail && !violated) { at = queue[head++]; explore(); }
  printf("%d %u\n", violated, tail);
  for (int k = 0; k < 1 << 16; k++) if (hit[k]) printf("%d\n", k);
  return 0;
}
"#;

/// What the measuring harness found.
pub struct Measured {
    /// States at loop heads.
    pub states: u32,
    points: BTreeSet<Vec<i64>>,
}

impl Sketch {
    /// The harness that prints the states' number and the observed values.
    pub fn measuring(&self) -> String {
        let mut code = String::from("0");
        for observed in &self.observed {
            code = format!(
                "({code}) * {} + cell({}, {}, 8)",
                observed.high - observed.low + 1,
                observed.text,
                observed.low
            );
        }
        self.harness(&format!("hit[{code}] = 1;"))
    }

    /// Reads what the measuring harness printed.
    pub fn measured(&self, output: &str) -> Option<Measured> {
        let mut lines = output.lines();
        let states = lines.next()?.strip_prefix("0 ")?.parse().ok()?;
        let mut points = BTreeSet::new();
        for line in lines {
            let mut code: i64 = line.parse().ok()?;
            let mut point = Vec::new();
            for observed in self.observed.iter().rev() {
                let size = observed.high - observed.low + 1;
                point.insert(0, observed.low + code % size);
                code /= size;
            }
            points.insert(point);
        }
        Some(Measured { states, points })
    }

    /// The condition of the assertion: true for all points that are reached, or false for some.
    pub fn condition(&mut self, measured: &Measured) -> String {
        let points: Vec<&Vec<i64>> = measured.points.iter().collect();
        if points.is_empty() {
            return "0".to_string();
        }
        let some = points[self.rng.below(points.len())].clone();
        let safe = self.rng.chance(50);
        match self.rng.below(4) {
            0 => self.bound(&points, &some, safe),
            1 => self.values(&points, safe),
            _ => self.point(measured, some, safe),
        }
    }

    /// The last observed value is bounded where the others have the values of a point.
    fn bound(&mut self, points: &[&Vec<i64>], some: &[i64], safe: bool) -> String {
        let last = some.len() - 1;
        let there = points.iter().filter(|p| p[..last] == some[..last]).map(|p| p[last]);
        let (min, max) = there.fold((i64::MAX, i64::MIN), |(min, max), v| (min.min(v), max.max(v)));
        let observed = &self.observed[last].text;
        let bound = match (self.rng.chance(50), safe) {
            (true, true) => format!("{observed} <= {max}"),
            (true, false) => format!("{observed} < {max}"),
            (false, true) => format!("{observed} >= {min}"),
            (false, false) => format!("{observed} > {min}"),
        };
        let others = self.observed.iter().zip(&some[..last]).map(|(o, v)| format!("{} != {v} || ", o.text));
        others.collect::<String>() + &bound
    }

    /// The first observed value is one of those it has; or of all but one.
    fn values(&mut self, points: &[&Vec<i64>], safe: bool) -> String {
        let mut values: Vec<i64> = points.iter().map(|p| p[0]).collect::<BTreeSet<_>>().into_iter().collect();
        if !safe {
            values.remove(self.rng.below(values.len()));
        }
        let observed = &self.observed[0];
        let tests: Vec<String> = match values.len() {
            0 => return "0".to_string(),
            1..=6 => values.iter().map(|v| format!("{} == {v}", observed.text)).collect(),
            _ => {
                let missing = (observed.low..=observed.high).filter(|v| !values.contains(v));
                let tests: Vec<String> = missing.map(|v| format!("{} != {v}", observed.text)).collect();
                return if tests.is_empty() { "1".to_string() } else { tests.join(" && ") };
            }
        };
        tests.join(" || ")
    }

    /// One point is excluded; if it must not be reached, one near a reached point.
    fn point(&mut self, measured: &Measured, mut point: Vec<i64>, safe: bool) -> String {
        let mut tries = 0;
        while safe && measured.points.contains(&point) {
            tries += 1;
            let k = self.rng.below(point.len());
            let Observed { low, high, .. } = self.observed[k];
            point[k] = if self.rng.chance(50) { self.rng.range(low, high) } else { (point[k] + 1).min(high) };
            if tries > 400 {
                // Everything is reached: what no value of the type is.
                point[k] = high + 1;
            }
        }
        let tests: Vec<String> = self.observed.iter().zip(&point).map(|(o, v)| format!("{} == {v}", o.text)).collect();
        format!("!({})", tests.join(" && "))
    }

    fn assertion(&self, condition: &str) -> String {
        match self.style {
            Style::Error => format!("if (!({condition})) __VERIFIER_error();"),
            Style::Reach => format!("if (!({condition})) {{ reach_error(); }}"),
            Style::Own => format!("check({condition});"),
            Style::Assert => format!("assert({condition});"),
        }
    }

    fn own_check(&self) -> &'static str {
        match self.style {
            Style::Own => "void check(int cond) {\n  if (!cond) {\n    ERROR: __VERIFIER_error();\n  }\n  return;\n}\n",
            Style::Error | Style::Reach | Style::Assert => "",
        }
    }

    /// The harness that decides whether the assertion can fail.
    pub fn deciding(&self, condition: &str) -> String {
        self.harness(&self.assertion(condition))
    }

    /// The program for `syncline check`.
    pub fn program(&self, condition: &str) -> String {
        let mut head = String::from("extern void __VERIFIER_assume(int);\n");
        for (name, c_type) in body::INPUTS {
            head += &format!("extern {c_type} __VERIFIER_nondet_{name}(void);\n");
        }
        head += match self.style {
            Style::Error | Style::Own => "extern void __VERIFIER_error(void);\n",
            Style::Reach => "extern void reach_error(void);\n",
            Style::Assert => "#include <assert.h>\n",
        };
        format!("{head}{}{}", self.own_check(), self.expand(false, &self.assertion(condition)))
    }

    fn harness(&self, assertion: &str) -> String {
        let (mut save, mut load, mut init) = (String::from("  unsigned key = 0;\n"), String::new(), String::new());
        for Var { name, bits, low, init: first, .. } in &self.state {
            save += &format!("  key = key << {bits} | cell({name}, {low}, {bits});\n");
            init += &format!("  {name} = {first};\n");
        }
        for Var { name, bits, low, .. } in self.state.iter().rev() {
            load += &format!("  {name} = (int)(key & {}) + {low};\n  key >>= {bits};\n", (1 << bits) - 1);
        }
        let functions = format!(
            "static unsigned save(void) {{\n{save}  return key;\n}}\nstatic void load(unsigned key) {{\n{load}}}\n\
             static void init(void) {{\n{init}}}\n"
        );
        let text = self.expand(true, assertion);
        format!("{HARNESS}{}{text}{functions}{HARNESS_MAIN}", self.own_check())
    }

    /// Replaces the markers, for the harness or for the tool.
    fn expand(&self, harness: bool, assertion: &str) -> String {
        let (ours, others) = if harness { (HARNESS_LINE, TOOL_LINE) } else { (TOOL_LINE, HARNESS_LINE) };
        let lines = self.text.lines().filter(|line| !line.contains(others));
        let text: String = lines.map(|line| line.replace(ours, "") + "\n").collect();
        let text = substitute(&text, ASSERT, |_| assertion.to_string());
        let text = substitute(&text, VISIT, |number| match harness {
            true => format!("visit({number}); r{number}: resume = 0;"),
            false => String::new(),
        });
        substitute(&text, INPUT, |inner| {
            let parts: Vec<&str> = inner.split(',').collect();
            match harness {
                true => format!("input({}, {})", parts[1], parts[2]),
                false => format!("__VERIFIER_nondet_{}()", parts[0]),
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
