//! Bounded model checking on hand-written IR: verdicts, unwinding, evidence.

use std::time::{Duration, Instant};
use syncline_engines::task::{Certificate, Context, Reason, Task, Verdict};
use syncline_engines::{bmc, evidence};
use syncline_ir::{read, Program, Prop};

fn parse(text: &str) -> Program {
    read::well_formed(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The verdicts, each confirmed by its evidence.
fn check(program: &Program, unwind: Option<u32>) -> Vec<(Prop, Verdict)> {
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut found = Vec::new();
    let mut context = Context::new(deadline, |p, v| found.push((p, evidence::confirm(program, p, v, deadline))));
    context.unwind = unwind;
    bmc::check(&Task::new(program, program.props.keys().collect()), &mut context);
    drop(context);
    found.sort_by_key(|(p, _)| *p);
    found
}

/// `for (i = 0; i < n; i++) total += step; assert(total == bound)` with `n` below a limit.
fn sum(limit: u32, expected: &str) -> Program {
    parse(&format!(
        "in0 = site \"n\": bv32
        var @total: bv32 = bv32 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main -> bv32 {{
        block0:
            v0: bv32 = havoc in0
            v10 = const bv32 {limit}
            v11: bool = ult v0, v10
            assume v11
            v1 = const bv32 0
            jump block1(v1)
        block1(v2: bv32):
            v3: bool = ult v2, v0
            branch v3, block2, block3
        block2:
            v4: bv32 = read @total
            v12 = const bv32 3
            v5: bv32 = add v4, v12
            write @total, v5
            v6 = const bv32 1
            v7: bv32 = add v2, v6
            jump block1(v7)
        block3:
            v8: bv32 = read @total
            {expected}
            assert prop0, v9
            return v8
        }}"
    ))
}

#[test]
fn a_loop_that_ends_is_proved() {
    let program = sum(9, "v20 = const bv32 3 v21: bv32 = mul v0, v20 v9: bool = eq v8, v21");
    let found = check(&program, None);
    assert!(matches!(found[..], [(_, Verdict::Safe(Certificate::Unwinding { .. }))]), "{found:?}");
}

#[test]
fn a_violation_deep_in_a_loop_is_found_and_replays() {
    let program = sum(1000, "v20 = const bv32 120 v21: bool = eq v8, v20 v9: bool = not v21");
    let found = check(&program, None);
    let [(_, Verdict::Unsafe(trace))] = &found[..] else { panic!("{found:?}") };
    assert_eq!(trace.inputs.values().next().unwrap().get(0).unwrap().as_bits(), Some(40));
}

#[test]
fn the_unwinding_bound_is_a_reason() {
    let program = sum(1000, "v20 = const bv32 120 v21: bool = eq v8, v20 v9: bool = not v21");
    let found = check(&program, Some(5));
    assert!(matches!(found[..], [(_, Verdict::Unknown(Reason::UnwindBound(5)))]), "{found:?}");
}

#[test]
fn recursion_unwinds_lazily() {
    let text = |limit: u32, ok: &str| {
        parse(&format!(
            "in0 = site \"n\": bv8
            prop0 = assertion \"main.assertion.1\" \"\"
            entry main
            proc main {{
            block0:
                v0: bv8 = havoc in0
                v1 = const bv8 {limit}
                v2: bool = ult v0, v1
                assume v2
                v3: bv8 = call double(v0)
                v4: bv8 = add v0, v0
                v5: bool = {ok} v3, v4
                assert prop0, v5
                return
            }}
            proc double -> bv8 {{
            block0(v0: bv8):
                v1 = const bv8 0
                v2: bool = eq v0, v1
                branch v2, block1, block2
            block1:
                return v1
            block2:
                v3 = const bv8 1
                v4: bv8 = sub v0, v3
                v5: bv8 = call double(v4)
                v6 = const bv8 2
                v7: bv8 = add v5, v6
                return v7
            }}"
        ))
    };
    let safe = check(&text(20, "eq"), None);
    assert!(matches!(safe[..], [(_, Verdict::Safe(_))]), "{safe:?}");
    let unsafe_ = check(&text(20, "ult"), None);
    assert!(matches!(unsafe_[..], [(_, Verdict::Unsafe(_))]), "{unsafe_:?}");
}

#[test]
fn what_is_not_modelled_blocks_safe() {
    let program = parse(
        "in0 = site \"n\": bv8
        prop0 = assertion \"main.assertion.1\" \"\"
        obligation0 = \"inline assembly\"
        entry main
        proc main {
        block0:
            v0: bv8 = havoc in0
            v1 = const bv8 7
            v2: bool = ult v0, v1
            branch v2, block1, block2
        block1:
            unsupported obligation0
            jump block2
        block2:
            v3: bool = eq v0, v0
            assert prop0, v3
            return
        }",
    );
    let found = check(&program, None);
    assert!(matches!(found[..], [(_, Verdict::Unknown(Reason::Unsupported(_)))]), "{found:?}");
}
