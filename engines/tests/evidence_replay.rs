//! Counterexamples are runs: one that goes another way than it should is refused, also where it never ends.

mod evidence;

use evidence::parse;
use std::time::{Duration, Instant};
use syncline_engines::evidence::confirm;
use syncline_engines::task::{Reason, Trace, Verdict};
use syncline_ir::{Const, Program, Site};

/// An endless loop over a number that comes in; 7 is not allowed. Another input, which is asked for too, matters to nothing.
fn program() -> Program {
    parse(
        "in0 = site \"x\": bv8
        in1 = site \"y\": bv8
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {
        block0:
            jump block1
        block1:
            v0: bv8 = havoc in0
            v1: bv8 = havoc in1
            v2 = const bv8 7
            v3: bool = eq v0, v2
            v4: bool = not v3
            assert prop0, v4
            jump block1
        }",
    )
}

/// What comes of a run in which the number comes in so.
fn replayed(numbers: impl IntoIterator<Item = u128>, seconds: u64) -> Verdict {
    let program = program();
    let prop = program.props.keys().next().expect("there is one property");
    let mut trace = Trace::default();
    let values = numbers.into_iter().map(|n| Const::bv(8, n)).collect();
    trace.inputs.insert(Site::from_u32(0), values);
    confirm(&program, prop, Verdict::Unsafe(trace), Instant::now() + Duration::from_secs(seconds))
}

#[test]
fn a_run_that_goes_on_when_its_inputs_are_used_up_is_refused() {
    for numbers in [vec![1, 2, 3], vec![0]] {
        // An hour would pass otherwise.
        let found = replayed(numbers, 3600);
        assert!(matches!(&found, Verdict::Unknown(Reason::Evidence(_))), "{found:?}");
    }
}

#[test]
fn a_long_run_is_replayed_to_its_end() {
    let numbers = std::iter::repeat_n(1, 1_000_000).chain([7]);
    let found = replayed(numbers, 60);
    assert!(matches!(found, Verdict::Unsafe(_)), "{found:?}");
}
