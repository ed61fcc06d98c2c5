//! Loops in C that must be accelerated: the closed forms they have, and the verdicts on them with the bounded search alone.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use syncline_engines::accelerate::Accelerated;
use syncline_engines::task::Context;
use syncline_ir::{read, Program};

const PRELUDE: &str = "#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
";

fn file(name: &str, text: &str) -> PathBuf {
    written(&format!("{name}.c"), &format!("{PRELUDE}{text}"))
}

fn written(name: &str, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("syncline-accelerate-{}-{name}", std::process::id()));
    std::fs::write(&path, text).expect("a temporary file");
    path
}

fn syncline(args: &[&str], path: &PathBuf) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_syncline")).args(args).arg(path).output().expect("syncline runs");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The program as lowered.
fn lowered(path: &PathBuf) -> Program {
    let (status, text) = syncline(&["ir", "--32"], path);
    assert_eq!(status, Some(0), "{text}");
    read::program(&text).expect("the text form")
}

/// The loops of the program are accelerated, with these closed forms.
fn has_forms(name: &str, text: &str, forms: &[&str]) {
    let path = file(name, text);
    let program = lowered(&path);
    let deadline = Instant::now() + Duration::from_secs(900);
    let props: Vec<_> = program.props.keys().collect();
    let found = Accelerated::new(&program, &props, deadline, &mut Context::new(deadline, |_, _| {}));
    let all = found.map(|a| a.describe().join("\n")).unwrap_or_default();
    for form in forms {
        assert!(all.split(['\n', ',', ':']).any(|f| f.trim() == *form), "{name}: no {form} in\n{all}");
    }
    let _ = std::fs::remove_file(path);
}

/// The bounded search decides it, by acceleration or (if it is quick) without.
fn decides(name: &str, text: &str, status: i32) {
    let path = file(name, text);
    let (found, out) = syncline(&["check", "--32", "--engine", "bmc", "--time", "100"], &path);
    assert_eq!(found, Some(status), "{name}: {out}");
    let _ = std::fs::remove_file(path);
}

const SAFE: i32 = 0;
const UNSAFE: i32 = 10;

/// Figure 3.1 of the thesis.
const SUM_OF_TWOS: &str = "int main() { unsigned i = __VERIFIER_nondet_uint(), j, n = __VERIFIER_nondet_uint(), sn = 0;
    j = i;
    while (i < n) { sn = sn + 2; i++; }
    assert(sn == (n - j) * 2 || sn == 0); }";

/// Figure 3.4: a doubled step after a threshold.
const PHASES: &str = "int main() { unsigned x = 0;
    while (x < 268435454) { if (x < 65520) { x++; } else { x += 2; } }
    assert(!(x % 2)); }";

/// Figure 3.5, with and without what makes it safe.
fn down_and_up(assumed: &str) -> String {
    format!(
        "int main() {{ unsigned n = __VERIFIER_nondet_uint(); {assumed} int x = n; int y = 0;
        while (x > 0) {{ x = x - 1; y = y + 1; }}
        assert(y == n); }}"
    )
}

const NESTED: &str = "int main() { unsigned k = __VERIFIER_nondet_uint(), m = __VERIFIER_nondet_uint(), s = 0;
    __VERIFIER_assume(k < 50000 && m < 1000);
    for (unsigned i = 0; i < k; i++) for (unsigned j = 0; j < m; j++) s++;
    assert(s <= 50000 * 1000); }";

const FAR: &str = "int main() { unsigned i = 0, k = __VERIFIER_nondet_uint(), from = k;
    while (i < 0x80000000u) { i++; k += 3; }
    assert(k - from == 0x80000000u); }";

/// A timer of a step function: the violation is a million steps deep.
const TIMER: &str = "unsigned timer; int state;
    void step(int button) {
        if (state == 0) { if (button) { state = 1; timer = 0; } }
        else if (state == 1) { timer++; if (button) state = 0; else if (timer >= 1000000) state = 2; }
    }
    int main() { while (1) { step(__VERIFIER_nondet_int()); assert(state != 2); } }";

#[test]
fn figures_of_the_thesis() {
    has_forms("3.1", SUM_OF_TWOS, &["sn = sn + 2*n", "i = i + n"]);
    decides("3.1", SUM_OF_TWOS, SAFE);
    has_forms("3.4", PHASES, &["x = x + n", "x = x + 2*n"]);
    decides("3.4", PHASES, SAFE);
    decides("3.5", &down_and_up(""), UNSAFE);
    let safe = down_and_up("__VERIFIER_assume((int)n >= 0);");
    has_forms("3.5", &safe, &["x = x - n", "y = y + n"]);
    decides("3.5", &safe, SAFE);
}

#[test]
fn counters() {
    let down = "int main() { int x = __VERIFIER_nondet_int(); while (x > 7) x -= 3; assert(x <= 7); }";
    has_forms("down", down, &["x = x - 3*n"]);
    decides("down", down, SAFE);
    let two = "int main() { unsigned n = __VERIFIER_nondet_uint(), a = 0, b = 100;
        while (a != n) { a++; b += 4; } assert(b == 4 * n + 100); }";
    has_forms("two", two, &["a = a + n", "b = b + 4*n"]);
    decides("two", two, SAFE);
    let sum = "int main() { unsigned n = __VERIFIER_nondet_uint(), i = 0, s = 0;
        while (i < n) { s += i; i++; } assert(s != 704982704u); }";
    has_forms("sum", sum, &["i = i + n", "s = s + i*n + n*(n-1)/2"]);
    has_forms("far", FAR, &["i = i + n", "k = k + 3*n"]);
    decides("far", FAR, SAFE);
}

#[test]
fn a_diamond() {
    let text = "int main() { unsigned n = __VERIFIER_nondet_uint(), m = __VERIFIER_nondet_uint(), x = 0, y = 0;
        while (x < n) { if (m > 100) { x++; y += 2; } else { x += 1; y += 3; } }
        assert(y == 2 * n || y == 3 * n); }";
    has_forms("diamond", text, &["y = y + 2*n", "y = y + 3*n"]);
    decides("diamond", text, SAFE);
}

#[test]
fn a_rectangle() {
    has_forms("nested", NESTED, &["s = s + n", "s = s + m*n"]);
    decides("nested", NESTED, SAFE);
}

#[test]
fn a_timer_in_a_step_function() {
    has_forms("timer", TIMER, &["timer = timer + n"]);
    decides("timer", TIMER, UNSAFE);
}

/// A loop that fills an array, and one that looks at all of it: through one cell of which nothing is known.
#[test]
fn a_fill() {
    let fill = |holds: &str| {
        format!(
            "int a[1000000]; int main() {{ int i, x; for (i = 0; i < 1000000; i++) a[i] = 42;
            for (x = 0; x < 1000000; x++) assert({holds}); }}"
        )
    };
    let safe = fill("a[x] == 42");
    has_forms("fill", &safe, &["i = i + n", "a[i + j] = 42", "x = x + n"]);
    decides("fill", &safe, SAFE);
    decides("fill-wrong", &fill("a[x] == 42 && x != 700000"), UNSAFE);
    let part = "int a[1000000]; int main() { int i, n = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int();
        __VERIFIER_assume(0 <= n && n <= 1000000 && 0 <= k && k < 1000000);
        for (i = 0; i < n; i++) a[i] = i + 7;
        assert(";
    decides("part", &format!("{part} a[k] == (k < n ? k + 7 : 0)); }}"), SAFE);
    decides("part-wrong", &format!("{part} a[k] == k + 7 || k > 600000); }}"), UNSAFE);
}

#[test]
fn copies() {
    let copy = "int a[1000000], b[1000000]; int main() { int i, k = __VERIFIER_nondet_int();
        __VERIFIER_assume(0 <= k && k < 1000000); a[k] = __VERIFIER_nondet_int();
        for (i = 0; i < 1000000; i++) b[i] = a[i];
        for (i = 999999; i >= 0; i--) a[i] = b[i] + i;
        assert(a[k] == b[k] + k); }";
    has_forms("copy", copy, &["b[i + j] = a[i + j]", "i = i - n"]);
    decides("copy", copy, SAFE);
    let stride = "int a[1000000]; int main() { int i, k = __VERIFIER_nondet_int();
        __VERIFIER_assume(0 <= k && k < 1000000);
        for (i = 1; i < 1000000; i += 2) { a[i] = 5; a[i - 1] = i; }
        assert(k % 2 == 1 ? a[k] == 5 : a[k] == k + 1); }";
    decides("stride", stride, SAFE);
}

/// What an iteration has written the next one reads: there is no closed form of that kind, and no wrong verdict.
#[test]
fn what_was_written_is_read() {
    let text = "unsigned a[40]; int main() { unsigned i, k = __VERIFIER_nondet_uint(); __VERIFIER_assume(k < 40);
        a[0] = 3; for (i = 1; i < 40; i++) a[i] = a[i - 1] + 2;
        assert(";
    decides("read", &format!("{text} a[k] == 3 + 2 * k); }}"), SAFE);
    decides("read-wrong", &format!("{text} k < 2 || a[k] == 2); }}"), UNSAFE);
}

/// What follows an accelerated path is not forbidden: the original body fails there, or goes on because a number wraps.
#[test]
fn after_an_accelerated_path() {
    let fails = "int main() { unsigned i = 0, n = __VERIFIER_nondet_uint();
        while (i < n) { assert(i != 300000); i++; } }";
    decides("fails", fails, UNSAFE);
    let wraps = "int main() { unsigned char x = __VERIFIER_nondet_uint(); unsigned steps = 0;
        __VERIFIER_assume(x % 2 == 1);
        while (x < 200) { x += 100; steps++; } assert(steps < 4); }";
    decides("wraps", wraps, UNSAFE);
}

/// A chart that waits 2,000 steps before it is where it must not be.
#[test]
fn a_chart_that_waits() {
    let text = r#"<statechart name="wait" time="synchronous">
  <declarations>
    <event name="button" usage="input"/>
    <data-item name="t" type="integer" min="0" max="5000" initial="0"/>
  </declarations>
  <or-state name="c">
    <default target="off"/>
    <state name="off"/>
    <state name="waiting">
      <reaction>[t &lt; 2000]/t := t + 1</reaction>
    </state>
    <state name="done"/>
    <transition from="off" to="waiting" label="button/t := 0"/>
    <transition from="waiting" to="done" label="[t = 2000]"/>
    <transition from="waiting" to="off" label="button[t &lt; 1990]"/>
  </or-state>
  <requirements>
    <requirement name="never_done">never in(done)</requirement>
  </requirements>
</statechart>"#;
    let path = written("wait.xml", text);
    let inputs = written("wait.csv", "");
    let inputs_name = inputs.display().to_string();
    let arguments = ["check", "--check", "requirement", "--engine", "bmc", "--time", "100", "--csv", &inputs_name];
    let (status, out) = syncline(&arguments, &path);
    assert_eq!(status, Some(UNSAFE), "{out}");
    // Steps that are alike are not all printed; those that are have their numbers.
    assert!(out.contains("more steps like these)") && out.lines().count() < 100, "{out}");
    let last = out.lines().find(|line| line.contains("never_done is violated")).expect("the violation has a row");
    // The inputs have all of them: the simulator comes to the same row.
    let (status, simulated) = syncline(&["sim", "--inputs", &inputs_name], &path);
    assert_eq!(status, Some(UNSAFE), "{simulated}");
    let words = |line: &str| line.split_whitespace().map(str::to_string).collect::<Vec<_>>();
    let same = |line: &str| words(line) == words(last);
    assert!(simulated.lines().last().is_some_and(same), "{last}\n{:?}", simulated.lines().last());
    let _ = (std::fs::remove_file(path), std::fs::remove_file(inputs));
}
