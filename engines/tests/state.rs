//! What the state at a cut has to hold: cells that matter only because other cells get their values.

use std::time::{Duration, Instant};
use syncline_engines::task::{Context, Task, Verdict};
use syncline_engines::{evidence, explicit, kinduction, pdr};
use syncline_ir::{read, Program};

type Engine = (&'static str, fn(&Task, &mut Context));

const KINDUCTION: Engine = ("kinduction", kinduction::check);
const PDR: Engine = ("pdr", pdr::check);
const EXPLICIT: Engine = ("explicit", explicit::check);

fn parse(text: &str) -> Program {
    read::well_formed(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The verdict after its evidence was checked: a refused one is unknown.
fn verdict(program: &Program, engine: Engine) -> Verdict {
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut found = Vec::new();
    let mut context = Context::new(deadline, |p, v| found.push(evidence::confirm(program, p, v, deadline)));
    engine.1(&Task::new(program, program.props.keys().collect()), &mut context);
    drop(context);
    assert_eq!(found.len(), 1);
    found.remove(0)
}

fn assert_safe(program: &Program, engines: &[Engine]) {
    for &engine in engines {
        let found = verdict(program, engine);
        assert!(matches!(found, Verdict::Safe(_)), "{}: {found:?}", engine.0);
    }
}

fn assert_unsafe(program: &Program, engines: &[Engine]) {
    for &engine in engines {
        let found = verdict(program, engine);
        assert!(matches!(found, Verdict::Unsafe(_)), "{}: {found:?}", engine.0);
    }
}

/// `old` only ever gets what `state` has been: 0, 3, 5, 6 and the one that an input brings last.
fn copied(last: u32) -> Program {
    parse(&format!(
        "in0 = site \"x\": bv8
        var @state: bv32 = bv32 0
        var @old: bv32 = bv32 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {{
        block0:
            jump block1
        block1:
            v0: bv32 = read @old
            v1 = const bv32 7
            v2: bool = eq v0, v1
            v3: bool = not v2
            assert prop0, v3
            v4: bv32 = read @state
            write @old, v4
            v5: bv8 = havoc in0
            switch v5 {{ 1: block2, 2: block3, 77: block4, default: block1 }}
        block2:
            v6 = const bv32 3
            write @state, v6
            jump block1
        block3:
            v7 = const bv32 5
            write @state, v7
            jump block1
        block4:
            v8 = const bv32 {last}
            write @state, v8
            jump block1
        }}"
    ))
}

#[test]
fn a_copy_may_have_every_value_of_the_other() {
    assert_safe(&copied(6), &[KINDUCTION, PDR, EXPLICIT]);
    assert_unsafe(&copied(7), &[KINDUCTION, PDR, EXPLICIT]);
}

/// The header's first parameter is nowhere used but to become its second one.
fn handed_on(last: u32) -> Program {
    parse(&format!(
        "in0 = site \"x\": bv8
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {{
        block0:
            v0 = const bv32 0
            jump block1(v0, v0)
        block1(v1: bv32, v2: bv32):
            v3 = const bv32 7
            v4: bool = eq v2, v3
            v5: bool = not v4
            assert prop0, v5
            v6: bv8 = havoc in0
            v7 = const bv8 77
            v8: bool = eq v6, v7
            branch v8, block2, block3
        block2:
            v9 = const bv32 {last}
            jump block1(v9, v1)
        block3:
            v10 = const bv32 1
            jump block1(v10, v1)
        }}"
    ))
}

#[test]
fn what_becomes_a_parameter_is_live() {
    assert_safe(&handed_on(6), &[KINDUCTION, PDR, EXPLICIT]);
    assert_unsafe(&handed_on(7), &[KINDUCTION, PDR, EXPLICIT]);
}

/// `y` goes through the even numbers below 8 (or all of them); no condition but by way of `x` depends on it.
fn followed(step: u32) -> Program {
    parse(&format!(
        "var @x: bv32 = bv32 0
        var @y: bv32 = bv32 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {{
        block0:
            jump block1
        block1:
            v0: bv32 = read @x
            v1 = const bv32 5
            v2: bool = eq v0, v1
            v3: bool = not v2
            assert prop0, v3
            v4: bv32 = read @y
            write @x, v4
            v5 = const bv32 {step}
            v6: bv32 = add v4, v5
            v7 = const bv32 7
            v8: bv32 = bvand v6, v7
            write @y, v8
            jump block1
        }}"
    ))
}

#[test]
fn what_a_cell_gets_its_value_from_is_kept() {
    assert_safe(&followed(2), &[KINDUCTION, PDR, EXPLICIT]);
    assert_unsafe(&followed(1), &[KINDUCTION, PDR, EXPLICIT]);
}

/// One loop counts to 100, the next one to 200; both assert on their way that they are not at `never`, if an input was one
/// that no guess meets.
fn two_loops(never: u32) -> Program {
    let asserted = |first: u32, x: u32| {
        let v = |k: u32| first + k;
        format!(
            "v{} = const bv32 {never}
            v{}: bool = eq v{x}, v{}
            v{}: bool = read @rare
            v{}: bool = and v{}, v{}
            v{}: bool = not v{}
            assert prop0, v{}
            v{} = const bv32 1
            v{}: bv32 = add v{x}, v{}
            write @x, v{}",
            v(0),
            v(1),
            v(0),
            v(2),
            v(3),
            v(1),
            v(2),
            v(4),
            v(3),
            v(4),
            v(5),
            v(6),
            v(5),
            v(6)
        )
    };
    parse(&format!(
        "in0 = site \"rare\": bv32
        var @x: bv32 = bv32 0
        var @rare: bool = false
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {{
        block0:
            v90: bv32 = havoc in0
            v91 = const bv32 40503
            v92: bv32 = mul v90, v91
            v93 = const bv32 3141592653
            v94: bool = eq v92, v93
            write @rare, v94
            jump block1
        block1:
            v0: bv32 = read @x
            v1 = const bv32 100
            v2: bool = ult v0, v1
            branch v2, block2, block3
        block2:
            {}
            jump block1
        block3:
            v20: bv32 = read @x
            v21 = const bv32 200
            v22: bool = ult v20, v21
            branch v22, block4, block5
        block4:
            {}
            jump block3
        block5:
            return
        }}",
        asserted(10, 0),
        asserted(30, 20)
    ))
}

#[test]
fn what_holds_in_one_loop_need_not_hold_in_another() {
    assert_safe(&two_loops(200), &[KINDUCTION, PDR]);
    assert_unsafe(&two_loops(50), &[KINDUCTION, PDR]);
    assert_unsafe(&two_loops(150), &[KINDUCTION, PDR]);
}

/// Each turn writes one of two cells and looks at the first: what it does not write stays.
fn one_cell_at_a_time(bound: u32) -> Program {
    parse(&format!(
        "in0 = site \"cell\": bv1
        in1 = site \"value\": bv8
        var @cells: [bv1]bv8 = [bv1]bv8 {{0}}
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {{
        block0:
            jump block1
        block1:
            v0: bv1 = havoc in0
            v1: bv8 = havoc in1
            v2 = const bv8 77
            v3: bool = ule v1, v2
            assume v3
            store @cells[v0], v1
            v4 = const bv1 0
            v5: bv8 = load @cells[v4]
            v6 = const bv8 {bound}
            v7: bool = ule v5, v6
            assert prop0, v7
            jump block1
        }}"
    ))
}

#[test]
fn a_store_leaves_the_other_cells() {
    assert_safe(&one_cell_at_a_time(77), &[KINDUCTION]);
    assert_unsafe(&one_cell_at_a_time(76), &[KINDUCTION]);
}
