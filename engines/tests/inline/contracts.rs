//! Contracts that are found: what they must say for a proof, in endless loops, which nothing else proves.

use crate::{accepted, ask, ask_with, confirmed, parse};
use syncline_engines::inline::Config;
use syncline_engines::task::Verdict;
use syncline_ir::Program;

/// It is proved, and confirmed; how many bodies that took.
#[track_caller]
fn proved(program: &Program) -> u64 {
    let (verdict, counts) = ask(program, Config::default());
    accepted(&verdict);
    accepted(&confirmed(program, &verdict));
    counts["bodies"]
}

#[track_caller]
fn violated(program: &Program) {
    let (verdict, _) = ask(program, Config::default());
    assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}");
    assert!(matches!(confirmed(program, &verdict), Verdict::Unsafe(_)));
}

/// With `hit`, state 3 is come to with flag 3; without it with flag 2, after state 4 with flag 3. So of state, flag and
/// condition any two go together, and the assertion in state 3 rests on what all three do not.
fn three_parts(flag_in_4: u32) -> Program {
    parse(&format!(
        "in0 = site \"hit\": bv8
        var @state: bv8 = bv8 0
        var @flag: bv8 = bv8 0
        var @hit: bv8 = any in0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {{
        block0:
            jump block1
        block1:
            v0: bv8 = read @state
            v1: bv8 = read @hit
            v2 = const bv8 0
            v3 = const bv8 1
            v4 = const bv8 2
            v5 = const bv8 3
            v6 = const bv8 4
            v7: bool = eq v1, v2
            switch v0 {{ 0: block2, 1: block3, 2: block4, 4: block5, default: block6 }}
        block2:
            branch v7, block7, block8
        block7:
            write @state, v3
            jump block1
        block8:
            write @state, v4
            jump block1
        block3:
            write @flag, v5
            write @state, v6
            jump block1
        block4:
            write @flag, v5
            write @state, v5
            jump block1
        block5:
            v8 = const bv8 {flag_in_4}
            write @flag, v8
            write @state, v5
            jump block1
        block6:
            v9: bv8 = read @flag
            v10: bool = eq v9, v5
            v11: bool = and v10, v7
            v12: bool = not v11
            assert prop0, v12
            write @state, v2
            jump block1
        }}"
    ))
}

#[test]
fn what_excludes_each_other_only_in_threes() {
    assert_eq!(proved(&three_parts(2)), 1, "contracts alone say it");
    violated(&three_parts(3));
}

/// A token is given out, counted up by another procedure, and checked. That it is one more than what was kept is asked where it
/// is checked; before it is counted up it is the same.
fn token(step: u32) -> Program {
    parse(&format!(
        "in0 = site \"token\": bv32
        var @pc: bv8 = bv8 0
        var @token: bv32 = bv32 0
        var @kept: bv32 = bv32 0
        prop0 = assertion \"check.assertion.1\" \"\"
        entry main
        proc give {{
        block0:
            v0: bv32 = havoc in0
            write @token, v0
            write @kept, v0
            return
        }}
        proc count {{
        block0:
            v0: bv32 = read @token
            v1 = const bv32 {step}
            v2: bv32 = add v0, v1
            write @token, v2
            return
        }}
        proc check {{
        block0:
            v0: bv32 = read @kept
            v1 = const bv32 1
            v2: bv32 = add v0, v1
            v3: bv32 = read @token
            v4: bool = eq v3, v2
            assert prop0, v4
            return
        }}
        proc main {{
        block0:
            jump block1
        block1:
            v0: bv8 = read @pc
            v1 = const bv8 0
            v2 = const bv8 1
            v3 = const bv8 2
            switch v0 {{ 0: block2, 1: block3, default: block4 }}
        block2:
            call give()
            write @pc, v2
            jump block1
        block3:
            call count()
            write @pc, v3
            jump block1
        block4:
            call check()
            write @pc, v1
            jump block1
        }}"
    ))
}

#[test]
fn comparisons_are_carried_back_to_where_they_come_from() {
    assert_eq!(proved(&token(1)), 1, "contracts alone say it");
    violated(&token(2));
}

/// Behind an endless loop stands a call of a procedure that would make a mess of what another one requires.
const NEVER_ENTERED: &str = "in0 = site \"x\": bool
    var @g: bv8 = bv8 0
    prop0 = assertion \"step.assertion.1\" \"\"
    entry main
    proc step {
    block0:
        v0: bv8 = read @g
        v1 = const bv8 0
        v2: bool = eq v0, v1
        assert prop0, v2
        return
    }
    proc tail {
    block0:
        v0: bv8 = read @g
        v1 = const bv8 1
        v2: bv8 = add v0, v1
        write @g, v2
        call step()
        return
    }
    proc main {
    block0:
        v0 = const bv8 0
        v1: bool = eq v0, v0
        jump block1
    block1:
        v2: bool = havoc in0
        branch v2, block2, block3
    block2:
        call step()
        jump block1
    block3:
        branch v1, block1, block4
    block4:
        call tail()
        return
    }";

#[test]
fn what_is_never_entered_breaks_nothing() {
    assert!(proved(&parse(NEVER_ENTERED)) <= 2, "what is not entered is not opened");
}

/// A counter that grows by `step` as long as it is below 10. That it is never 13 rests on what it is a multiple of, which no
/// condition of the program says.
fn steps(step: u32) -> Program {
    parse(&format!(
        "in0 = site \"more\": bool
        var @i: bv32 = bv32 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {{
        block0:
            jump block1
        block1:
            v0: bool = havoc in0
            branch v0, block2, block4
        block2:
            v1: bv32 = read @i
            v2 = const bv32 10
            v3: bool = ult v1, v2
            branch v3, block3, block1
        block3:
            v4 = const bv32 {step}
            v5: bv32 = add v1, v4
            write @i, v5
            jump block1
        block4:
            v6: bv32 = read @i
            v7 = const bv32 13
            v8: bool = eq v6, v7
            v9: bool = not v8
            assert prop0, v9
            return
        }}"
    ))
}

#[test]
fn what_the_abstract_interpretation_says_of_loops() {
    assert_eq!(proved(&steps(4)), 1, "contracts alone say it");
    let (_, counts) = ask_with(&steps(4), Config::default(), false);
    assert!(counts["bodies"] > 1, "nothing else says it: {counts:?}");
    violated(&steps(13));
}

/// What `p` leaves in `x` is a cell of an array it has written to. No certificate can say so, and nothing may rest on it: `p` is opened.
#[test]
fn what_no_certificate_can_say_is_no_contract() {
    let text = "in0 = site \"k\": bv8
        var @m: [bv8]bv8 = [bv8]bv8 {0}
        var @k: bv8 = bv8 0
        var @j: bv8 = bv8 0
        var @x: bv8 = bv8 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc p {
        block0:
            v0: bv8 = read @k
            v1 = const bv8 5
            store @m[v0], v1
            v2: bv8 = read @j
            v3: bv8 = load @m[v2]
            write @x, v3
            return
        }
        proc main {
        block0:
            v0: bv8 = havoc in0
            write @k, v0
            write @j, v0
            call p()
            v1: bv8 = read @x
            v2 = const bv8 5
            v3: bool = eq v1, v2
            assert prop0, v3
            return
        }";
    assert_eq!(proved(&parse(text)), 2);
}
