//! Which variables are tracked.

use crate::{accepted, ask, confirmed, parse, tracking, REFINEMENTS};
use std::fmt::Write;
use syncline_engines::inline::Refinement;
use syncline_engines::task::Verdict;
use syncline_ir::Program;

/// Counts in all variables; the assertion is about three of them, and is right if `right`.
fn many_variables(count: u32, right: bool) -> Program {
    let mut text = String::from("in0 = site \"x\": bv32\nprop0 = assertion \"main.assertion.1\" \"\"\nentry main\n");
    for n in 0..count {
        let _ = writeln!(text, "var @g{n}: bv32 = bv32 {}", n % 5);
    }
    for n in 0..count {
        let _ = writeln!(
            text,
            "proc inc{n} {{\nblock0:\nv0: bv32 = read @g{n}\nv1 = const bv32 2\nv2: bv32 = add v0, v1\nwrite @g{n}, v2\nreturn\n}}"
        );
    }
    text.push_str("proc main {\nblock0:\n");
    text.extend((0..count).map(|n| format!("call inc{n}()\n")));
    // Inputs that cannot be guessed lead to the assertion: 0x12345 = 7 x.
    let _ = write!(
        text,
        "v0: bv32 = havoc in0
        v1 = const bv32 7
        v2: bv32 = mul v0, v1
        v3 = const bv32 74565
        v4: bool = eq v2, v3
        branch v4, block1, block2
    block1:
        v5: bv32 = read @g3
        v6: bv32 = read @g8
        v7: bv32 = read @g13
        v8: bv32 = add v5, v6
        v9: bv32 = add v8, v7
        v10 = const bv32 {}
        v11: bool = eq v9, v10
        assert prop0, v11
        jump block2
    block2:
        return
    }}",
        if right { 15 } else { 16 }
    );
    parse(&text)
}

#[test]
fn few_variables_are_tracked() {
    let program = many_variables(32, true);
    for refinement in REFINEMENTS {
        let (verdict, counts) = ask(&program, tracking(refinement));
        accepted(&confirmed(&program, &verdict));
        println!("{refinement:?}: {} checks, {} bodies", counts["checks of refinements"], counts["bodies"]);
        assert_eq!(counts["variables"], 32);
        assert_eq!(counts["variables tracked"], 3, "{refinement:?}");
        // One path, and all three are needed to rule it out.
        assert_eq!(counts["refinements"], 1);
        match refinement {
            Refinement::Linear => assert_eq!(counts["checks of refinements"], 32),
            Refinement::Hierarchical | Refinement::Conditions => {
                assert!(counts["checks of refinements"] <= 2 * 3 * 5 + 1, "{counts:?}");
            }
        }
        let program = many_variables(32, false);
        let (verdict, _) = ask(&program, tracking(refinement));
        assert!(matches!(confirmed(&program, &verdict), Verdict::Unsafe(_)), "{refinement:?}: {verdict:?}");
    }
}

/// Two calls give different values of a variable, whether it is tracked or not.
#[test]
fn reads_of_untracked_variables_differ() {
    let program = parse(
        "in0 = site \"x\": bv32
        var @g: bv32 = bv32 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc get -> bv32 {
        block0:
            v0: bv32 = read @g
            return v0
        }
        proc main {
        block0:
            v0: bv32 = call get()
            v1: bv32 = havoc in0
            write @g, v1
            v2: bv32 = call get()
            v3 = const bv32 7
            v4: bv32 = mul v2, v3
            v5 = const bv32 74565
            v6: bool = eq v4, v5
            v7: bool = eq v0, v2
            v8: bool = not v6
            v9: bool = or v7, v8
            assert prop0, v9
            return
        }",
    );
    for refinement in REFINEMENTS {
        let (verdict, _) = ask(&program, tracking(refinement));
        assert!(matches!(confirmed(&program, &verdict), Verdict::Unsafe(_)), "{refinement:?}: {verdict:?}");
    }
}

/// A loop that only the variable ends: with the variable untracked it has any number of iterations, none of which is wrong.
#[test]
fn an_abstraction_that_is_not_decided_is_given_up() {
    let program = parse(
        "in0 = site \"x\": bool
        var @g: bv32 = bv32 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {
        block0:
            v0 = const bv32 0
            jump block1(v0)
        block1(v1: bv32):
            v2: bv32 = read @g
            v3 = const bv32 40
            v4: bool = ult v2, v3
            branch v4, block2, block3
        block2:
            v5 = const bv32 1
            v6: bv32 = add v2, v5
            write @g, v6
            v7 = const bv32 2
            v8: bv32 = add v1, v7
            jump block1(v8)
        block3:
            v9 = const bv32 1
            v10: bv32 = bvand v1, v9
            v11: bool = eq v10, v0
            assert prop0, v11
            return
        }",
    );
    for refinement in REFINEMENTS {
        let (verdict, _) = ask(&program, tracking(refinement));
        accepted(&confirmed(&program, &verdict));
    }
}
