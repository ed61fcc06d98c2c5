//! Inductive certificates on hand-written IR: those that hold are accepted, others refused, each for its reason.

mod evidence;

use evidence::{accepts, annotations, calls, check, check_opened, location, parse, refuses, Annotations};
use std::collections::BTreeSet;
use syncline_engines::annotation::{Formula, FormulaNode, Original};
use syncline_ir::{ArrayConst, BinOp, Const, Inst, Program, UnOp, Var};

/// `x` counts from 0 in steps of two up to 10; it is never 11.
fn counter() -> Program {
    parse(
        "var @x: bv8 = bv8 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {
        block0:
            jump block1
        block1:
            v0: bv8 = read @x
            v1 = const bv8 10
            v2: bool = ult v0, v1
            branch v2, block2, block3
        block2:
            v3 = const bv8 2
            v4: bv8 = add v0, v3
            write @x, v4
            jump block1
        block3:
            v5: bv8 = read @x
            v6 = const bv8 10
            v7: bool = eq v5, v6
            assert prop0, v7
            return
        }",
    )
}

#[test]
fn a_counter() {
    let program = counter();
    let with = |formulas: &[&str]| annotations(&program, &[(&[], 1, formulas)]);
    let even = "(eq (bvand @x 8:1) 8:0)";
    accepts(&program, 0, &with(&["(ule @x 8:10)", even]));
    // Ten is passed over when the numbers are not even.
    refuses(&program, 0, &with(&["(ule @x 8:10)"]), "without its formulas");
    refuses(&program, 0, &with(&[even]), "violates the property");
    refuses(&program, 0, &with(&[]), "violates the property");
    refuses(&program, 0, &Annotations::new(), "violates the property");
    refuses(&program, 0, &with(&["(ule @x 8:10)", even, "(not (eq @x 8:0))"]), "the start of the program");
    // What is never true is kept, but does not hold at first.
    refuses(&program, 0, &with(&["false"]), "the start of the program");
}

#[test]
fn induction_steps_pass_over_what_one_cannot() {
    // After two steps without violation from x <= 11, the next does none: 11 -> exit violates at once.
    let program = counter();
    let bounded = annotations(&program, &[(&[], 1, &["(ule @x 8:11)"])]);
    refuses(&program, 0, &bounded, "violates the property");
    for k in 1..4 {
        // From an odd number the run violates only k segments later.
        refuses(&program, k, &bounded, "for the first time");
    }
    accepts(&program, 6, &bounded);
}

/// An outer loop over `i` below 3 and an inner one over `j` below `i`, both values; `@n` counts the inner turns.
fn nested() -> Program {
    parse(
        "var @n: bv8 = bv8 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {
        block0:
            v0 = const bv8 0
            v1 = const bv8 1
            v2 = const bv8 3
            jump block1(v0)
        block1(v3: bv8):
            v4: bool = ult v3, v2
            branch v4, block2, block5
        block2:
            v5: bv8 = add v3, v1
            jump block3(v0)
        block3(v6: bv8):
            v7: bool = ult v6, v3
            branch v7, block4, block6
        block4:
            v8: bv8 = read @n
            v9: bv8 = add v8, v1
            write @n, v9
            v10: bv8 = add v6, v1
            jump block3(v10)
        block6:
            v11: bool = ule v6, v3
            assert prop0, v11
            jump block1(v5)
        block5:
            v12: bv8 = read @n
            v13: bool = eq v12, v2
            assert prop0, v13
            return
        }",
    )
}

#[test]
fn nested_loops_and_values_across_headers() {
    let program = nested();
    // 0 + 1 + 2: at the outer header `n` is i (i - 1) / 2, at the inner one j more.
    let outer = ["(ule v3 8:3)", "(eq (mul @n 8:2) (mul v3 (sub v3 8:1)))", "(ule @n 8:3)"];
    let inner = [
        "(ult v3 8:3)",
        "(eq v5 (add v3 8:1))",
        "(ule v6 v3)",
        "(eq (mul (sub @n v6) 8:2) (mul v3 (sub v3 8:1)))",
        "(ule (sub @n v6) 8:3)",
    ];
    let with = |a: &[&str], b: &[&str]| annotations(&program, &[(&[], 1, a), (&[], 3, b)]);
    accepts(&program, 0, &with(&outer, &inner));
    accepts(&program, 2, &with(&outer, &inner));
    refuses(&program, 0, &with(&outer[..2], &inner), "");
    // v5 is brought along: without the formula it is anything.
    let without: Vec<&str> = [inner[0], inner[2], inner[3], inner[4]].into();
    refuses(&program, 0, &with(&outer, &without), "without its formulas");
    // One header without formulas has `true`.
    refuses(&program, 0, &annotations(&program, &[(&[], 1, &outer)]), "");
    refuses(&program, 0, &annotations(&program, &[(&[], 3, &inner)]), "");
}

#[test]
fn a_name_that_is_not_there_is_refused() {
    let program = nested();
    for (header, name) in [(1, "v5"), (1, "v6"), (1, "v4"), (3, "v7"), (3, "v10"), (1, "v99"), (1, "slot0")] {
        let text = format!("(ule {name} {name})");
        refuses(&program, 0, &annotations(&program, &[(&[], header, &[&text])]), "not there");
    }
    let nowhere = [Inst::from_u32(3)];
    refuses(&program, 0, &annotations(&program, &[(&nowhere, 1, &["true"])]), "there is no place");
    refuses(&program, 0, &annotations(&program, &[(&[], 77, &["true"])]), "there is no place");
    let var = FormulaNode::State(Original::Global(Var::from_u32(5)));
    let unknown = Annotations::from([(location(&[], 1), vec![Formula { nodes: vec![var] }])]);
    refuses(&program, 0, &unknown, "not there");
}

#[test]
fn an_ill_formed_formula_is_refused() {
    let program = counter();
    let state = || FormulaNode::State(Original::Global(Var::from_u32(0)));
    let of = |nodes: Vec<FormulaNode<Original>>| Annotations::from([(location(&[], 1), vec![Formula { nodes }])]);
    refuses(&program, 0, &of(vec![]), "is empty");
    refuses(&program, 0, &of(vec![state()]), "is not Boolean");
    refuses(&program, 0, &of(vec![state(), FormulaNode::Bin(BinOp::And, 0, 0)]), "do not fit");
    refuses(&program, 0, &of(vec![state(), FormulaNode::Un(UnOp::ZExt(4), 0)]), "do not fit");
    refuses(&program, 0, &of(vec![state(), FormulaNode::Bin(BinOp::Eq, 0, 1)]), "not before it");
    refuses(&program, 0, &of(vec![state(), FormulaNode::Ite(0, 0, 0)]), "do not fit");
    refuses(&program, 0, &of(vec![FormulaNode::Const(Const::Bv { width: 8, bits: 256 })]), "constant that is none");
    refuses(&program, 0, &of(vec![FormulaNode::Const(Const::Bv { width: 0, bits: 0 })]), "constant that is none");
    refuses(&program, 0, &of(vec![FormulaNode::Const(Const::Bv { width: 200, bits: 0 })]), "constant that is none");
    let wide = Const::Array(ArrayConst::filled(0, Const::TRUE));
    refuses(&program, 0, &of(vec![FormulaNode::Const(wide)]), "constant that is none");
    refuses(&program, u32::MAX, &Annotations::new(), "too many");
}

#[test]
fn a_loop_over_an_array() {
    // a[i] = i for i < 4; then a[2] = 2.
    let program = parse(
        "var @a: [bv4]bv8 = [bv4]bv8 {0}
        var @i: bv4 = bv4 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {
        block0:
            jump block1
        block1:
            v0: bv4 = read @i
            v1 = const bv4 4
            v2: bool = ult v0, v1
            branch v2, block2, block3
        block2:
            v3: bv8 = zext.8 v0
            store @a[v0], v3
            v4 = const bv4 1
            v5: bv4 = add v0, v4
            write @i, v5
            jump block1
        block3:
            v6 = const bv4 2
            v7: bv8 = load @a[v6]
            v8 = const bv8 2
            v9: bool = eq v7, v8
            assert prop0, v9
            return
        }",
    );
    let with = |f: &[&str]| annotations(&program, &[(&[], 1, f)]);
    let written = "(or (ult @i 4:3) (eq (select @a 4:2) 8:2))";
    accepts(&program, 0, &with(&[written]));
    accepts(&program, 4, &with(&["(ule @i 4:4)", written]));
    refuses(&program, 0, &with(&["(ule @i 4:4)"]), "violates the property");
    refuses(&program, 0, &with(&["(eq (select @a 4:2) 8:2)"]), "the start of the program");
}

#[test]
fn what_is_not_modelled_and_recursion_are_refused() {
    let unsupported = parse(
        "obligation0 = \"something\"
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {
        block0:
            unsupported obligation0
            return
        }",
    );
    refuses(&unsupported, 0, &Annotations::new(), "violates the property");
    refuses(&unsupported, 2, &Annotations::new(), "violates the property");
    let recursive = parse(
        "prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main { block0: call main() v0: bool = const false assert prop0, v0 return }",
    );
    refuses(&recursive, 0, &Annotations::new(), "is recursive");
}

#[test]
fn kept_queries_stand_for_themselves() {
    let program = counter();
    let certificate = annotations(&program, &[(&[], 1, &["(ule @x 8:10)", "(eq (bvand @x 8:1) 8:0)"])]);
    let kept = check(&program, 0, &certificate).expect("a certificate that holds");
    let purposes: Vec<&str> = kept.iter().map(|q| q.purpose.as_str()).collect();
    assert_eq!(purposes, ["from-main-block1-1"]);
    assert!(kept[0].text.starts_with("(set-logic QF_BV)\n") && kept[0].text.ends_with("(check-sat)\n"));
}

/// On one way the caller's `x` is 1 and it calls `spin`, on the other it is 2 and it calls `other`.
#[test]
fn a_caller_waits_for_each_of_its_callees_on_its_own() {
    let program = parse(
        "prop0 = assertion \"main.assertion.1\" \"\"
        in0 = site \"way\": bool
        entry main
        proc main {
            slot0 = slot \"x\": bv8
        block0:
            v0: bool = havoc in0
            branch v0, block1, block2
        block1:
            v1 = const bv8 1
            write slot0, v1
            call spin()
            v2: bv8 = read slot0
            v3 = const bv8 2
            v4: bool = eq v2, v3
            assert prop0, v4
            return
        block2:
            v5 = const bv8 2
            write slot0, v5
            call other()
            v6: bv8 = read slot0
            v7: bool = eq v6, v5
            assert prop0, v7
            return
        }
        proc spin {
        block0:
            jump block1
        block1:
            v0: bool = havoc in0
            branch v0, block1, block2
        block2:
            return
        }
        proc other {
        block0:
            return
        }",
    );
    let calls = calls(&program, "main");
    let with = |formula: &str| annotations(&program, &[(&calls[..1], 1, &[formula])]);
    refuses(&program, 0, &with("(eq outer.slot0 8:2)"), "the start of the program");
    refuses(&program, 0, &with("(eq outer.slot0 8:1)"), "violates the property");
}

/// A loop that calls `f`, which changes `@y`, and through it `g`, which may violate the property if `@y` is large.
fn calls_in_a_loop(writes: &str, asserts: bool) -> Program {
    let assert = if asserts { "assert prop0, v2" } else { "" };
    parse(&format!(
        "var @x: bv8 = bv8 0
        var @y: bv8 = bv8 0
        var @a: [bv8]bv8 = [bv8]bv8 {{0}}
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc g -> bv8 {{
        block0:
            v0: bv8 = read @y
            v1 = const bv8 9
            v2: bool = ule v0, v1
            {assert}
            v3 = const bv8 1
            {writes}
            return v3
        }}
        proc f -> bv8 {{
        block0:
            v0: bv8 = call g()
            return v0
        }}
        proc main {{
        block0:
            jump block1
        block1:
            v0: bv8 = call f()
            v1: bv8 = read @x
            v2 = const bv8 0
            v3: bool = eq v1, v2
            assert prop0, v3
            v4: bool = eq v0, v2
            branch v4, block1, block2
        block2:
            jump block1
        }}"
    ))
}

#[test]
fn a_call_that_is_not_looked_into_may_do_anything() {
    let nothing_opened = BTreeSet::from([Vec::new()]);
    let ask = |program: &Program, opened: &BTreeSet<Vec<Inst>>, formulas: &[&str]| {
        check_opened(program, 0, &annotations(program, &[(&[], 1, formulas)]), Some(opened)).map(|_| ())
    };
    let x_is_zero = "(eq @x 8:0)";
    // What it does not write stays; what it writes, through whatever it calls, does not.
    let program = calls_in_a_loop("write @y, v3", false);
    assert_eq!(ask(&program, &nothing_opened, &[x_is_zero]), Ok(()));
    let words = ask(&program, &nothing_opened, &[x_is_zero, "(ule @y 8:9)"]).unwrap_err();
    assert!(words.contains("without its formulas"), "{words}");
    let all = {
        let (outer, inner) = (calls(&program, "main")[0], calls(&program, "f")[0]);
        BTreeSet::from([vec![], vec![outer], vec![outer, inner]])
    };
    assert_eq!(ask(&program, &all, &[x_is_zero, "(ule @y 8:9)"]), Ok(()));
    let some: BTreeSet<_> = all.iter().filter(|path| path.len() < 2).cloned().collect();
    assert!(ask(&program, &some, &[x_is_zero, "(ule @y 8:9)"]).is_err());
    let program = calls_in_a_loop("store @a[v3], v3", false);
    let filled = "(eq (select @a 8:1) 8:0)";
    assert!(ask(&program, &nothing_opened, &[x_is_zero, filled]).is_err());
    // What it gives back is not known.
    let program = calls_in_a_loop("write @x, v3", false);
    assert!(ask(&program, &nothing_opened, &[x_is_zero]).is_err());
    // And it may violate the property.
    let program = calls_in_a_loop("write @y, v3", true);
    let words = ask(&program, &nothing_opened, &[x_is_zero]).unwrap_err();
    assert!(words.contains("violates the property"), "{words}");
    assert!(ask(&program, &some, &[x_is_zero]).is_err());
    assert_eq!(ask(&program, &all, &[x_is_zero, "(ule @y 8:9)"]), Ok(()));
}

/// `elsewhere` stands before `rec`, and nothing that `rec` calls is it.
#[test]
fn what_is_called_from_an_open_call_is_no_more_than_that() {
    let program = parse(
        "var @g: bv8 = bv8 0
        var @h: bv8 = bv8 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc elsewhere {
        block0:
            v0 = const bv8 1
            write @g, v0
            return
        }
        proc rec {
        block0:
            v0 = const bv8 1
            write @h, v0
            call rec()
            return
        }
        proc main {
        block0:
            jump block1
        block1:
            v0: bv8 = read @g
            v1 = const bv8 0
            v2: bool = eq v0, v1
            assert prop0, v2
            call rec()
            jump block1
        }",
    );
    let (annotations, opened) = (annotations(&program, &[(&[], 1, &["(eq @g 8:0)"])]), BTreeSet::from([Vec::new()]));
    check_opened(&program, 0, &annotations, Some(&opened)).expect("`rec` leaves `@g` as it is");
}
