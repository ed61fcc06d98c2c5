//! One check for many properties: accepted only if the formulas show every one of them. There are more of them than are
//! asked at once, so that each place in each portion matters.

mod evidence;

use evidence::{annotations, parse, Annotations};
use std::fmt::Write;
use std::time::{Duration, Instant};
use syncline_engines::evidence::confirm_together;
use syncline_engines::task::Certificate;
use syncline_ir::{Program, Prop};

const COUNT: u32 = 40;

/// Forty counters, each of which goes up to 5 and stays there if an input says so; counter n is asserted to be at most its
/// bound.
fn counters(bound: impl Fn(u32) -> u32) -> Program {
    let mut text = String::from("in0 = site \"who\": bv8\n");
    for n in 0..COUNT {
        let _ = writeln!(text, "var @x{n}: bv8 = bv8 0\nprop{n} = assertion \"main.assertion.{}\" \"\"", n + 1);
    }
    text += "entry main\nproc main {\nblock0:\n jump block1\nblock1:\n v0: bv8 = havoc in0\n v1 = const bv8 5\n v2 = const bv8 1\n";
    for n in 0..COUNT {
        let v = |k: u32| 10 + 10 * n + k;
        let _ = writeln!(text, " v{}: bv8 = read @x{n}\n v{} = const bv8 {}", v(0), v(1), bound(n));
        let _ = writeln!(text, " v{}: bool = ule v{}, v{}\n assert prop{n}, v{}", v(2), v(0), v(1), v(2));
        let _ = writeln!(text, " v{} = const bv8 {n}\n v{}: bool = eq v0, v{}", v(3), v(4), v(3));
        let _ = writeln!(text, " v{}: bool = ult v{}, v1\n v{}: bool = and v{}, v{}", v(5), v(0), v(6), v(4), v(5));
        let _ = writeln!(
            text,
            " v{}: bv8 = add v{}, v2\n v{}: bv8 = ite v{}, v{}, v{}",
            v(7),
            v(0),
            v(8),
            v(6),
            v(7),
            v(0)
        );
        let _ = writeln!(text, " write @x{n}, v{}", v(8));
    }
    parse(&(text + " jump block1\n}"))
}

fn formulas(program: &Program, of: impl Fn(u32) -> Option<String>) -> Annotations {
    let texts: Vec<String> = (0..COUNT).filter_map(of).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    annotations(program, &[(&[], 1, &texts)])
}

fn accepts(program: &Program, k: u32, annotations: Annotations) -> bool {
    let props: Vec<Prop> = program.props.keys().collect();
    let deadline = Instant::now() + Duration::from_secs(120);
    confirm_together(program, &props, &Certificate::Inductive { k, annotations, opened: None }, deadline)
}

#[test]
fn all_hold_or_none_is_accepted() {
    let program = counters(|_| 5);
    let right = |n: u32| Some(format!("(ule @x{n} 8:5)"));
    assert!(accepts(&program, 0, formulas(&program, right)));
    for one in [0, 1, 15, 16, 17, 31, 32, 39] {
        // One property has no formula; one formula is not kept; one does not hold at first; one property is violated.
        assert!(!accepts(&program, 0, formulas(&program, |n| right(n).filter(|_| n != one))), "without {one}");
        let tight = |n| if n == one { Some(format!("(ule @x{n} 8:4)")) } else { right(n) };
        assert!(!accepts(&program, 0, formulas(&program, tight)), "{one} too tight");
        let late = |n| if n == one { Some(format!("(eq @x{n} 8:5)")) } else { right(n) };
        assert!(!accepts(&program, 0, formulas(&program, late)), "{one} too late");
        let violated = counters(|n| if n == one { 4 } else { 5 });
        assert!(!accepts(&violated, 0, formulas(&violated, right)), "{one} is violated");
    }
}

#[test]
fn other_kinds_are_left_to_a_check_of_each() {
    let program = counters(|_| 5);
    let right = |n: u32| Some(format!("(ule @x{n} 8:5)"));
    assert!(!accepts(&program, 1, formulas(&program, right)));
}
