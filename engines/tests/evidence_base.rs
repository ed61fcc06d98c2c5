//! An induction step that holds is nothing without its base: the violation lies in the last of the first segments.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use syncline_engines::evidence;
use syncline_engines::task::{Certificate, Verdict};
use syncline_ir::{read, Program};

/// Turn number `turns` violates the property, and none after it.
fn program(turns: u32) -> Program {
    let text = format!(
        "var @t: bv32 = bv32 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {{
        block0:
            jump block1
        block1:
            v0: bv32 = read @t
            v1 = const bv32 {turns}
            v2: bool = eq v0, v1
            v3: bool = not v2
            assert prop0, v3
            v4: bool = ult v0, v1
            branch v4, block2, block1
        block2:
            v5 = const bv32 1
            v6: bv32 = add v0, v5
            write @t, v6
            jump block1
        }}"
    );
    read::well_formed(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn a_violation_in_the_last_segment_of_the_base() {
    for turns in 0..4 {
        let program = program(turns);
        let prop = program.props.keys().next().expect("there is one property");
        // A step from anywhere: after so many turns without a violation the counter is beyond the bad one.
        let certificate = Certificate::Inductive { k: turns + 1, annotations: BTreeMap::new(), opened: None };
        let deadline = Instant::now() + Duration::from_secs(20);
        let found = evidence::confirm(&program, prop, Verdict::Safe(certificate), deadline);
        assert!(matches!(found, Verdict::Unknown(_)), "{turns}: {found:?}");
    }
}

/// The second loop violates the property, whatever the first one does.
#[test]
fn a_step_follows_every_header() {
    let text = "in0 = site \"x\": bv32
        in1 = site \"y\": bool
        var @x: bv32 = any in0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {
        block0:
            jump block1
        block1:
            v0: bool = havoc in1
            branch v0, block1, block2
        block2:
            v1: bv32 = read @x
            v2 = const bv32 0
            v3: bool = eq v1, v2
            assert prop0, v3
            jump block2
        }";
    let program = read::well_formed(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let prop = program.props.keys().next().expect("there is one property");
    let certificate = Certificate::Inductive { k: 1, annotations: BTreeMap::new(), opened: None };
    let found = evidence::confirm(&program, prop, Verdict::Safe(certificate), Instant::now() + Duration::from_secs(20));
    assert!(matches!(found, Verdict::Unknown(_)), "{found:?}");
}
