//! Certificates with accelerations: right ones are accepted, wrong ones refused.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use syncline_engines::annotation::{Counted, Formula, FormulaNode, Location, Original, RangeWrite};
use syncline_engines::evidence;
use syncline_engines::task::{Acceleration, Certificate, Context, Task, Verdict};
use syncline_engines::{accelerate::Accelerated, bmc};
use syncline_ir::{read, BinOp, Block, Const, Program, Var};

/// `x = 0; while (x < n) { if (x == 5) goto early; x++; } assert(exit); return; early: assert(at_five)`, x and n of 16 bits.
fn program(exit: &str, at_five: &str) -> Program {
    let text = format!(
        "in0 = site \"n\": bv16
        var @x: bv16 = bv16 0
        var @n: bv16 = any in0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {{
        block0:
            jump block1
        block1:
            v0: bv16 = read @x
            v1: bv16 = read @n
            v2: bool = ult v0, v1
            branch v2, block2, block4
        block2:
            v3 = const bv16 5
            v4: bool = eq v0, v3
            branch v4, block5, block3
        block3:
            v5 = const bv16 1
            v6: bv16 = add v0, v5
            write @x, v6
            jump block1
        block4:
            v10 = {exit}
            assert prop0, v10
            return
        block5:
            v11 = {at_five}
            assert prop0, v11
            return
        }}"
    );
    read::well_formed(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

type Counting = Formula<Counted<Original>>;
type Node = FormulaNode<Counted<Original>>;

fn formula(nodes: Vec<Node>) -> Counting {
    Formula { nodes }
}

fn x() -> Node {
    FormulaNode::State(Counted::State(Original::Global(Var::from_u32(0))))
}

fn n() -> Node {
    FormulaNode::State(Counted::State(Original::Global(Var::from_u32(1))))
}

fn count() -> Node {
    FormulaNode::State(Counted::Count)
}

fn number(bits: u128) -> Node {
    FormulaNode::Const(Const::bv(16, bits))
}

/// `x < n`, and that x + count - 1 is below n and has not wrapped.
fn below() -> Counting {
    formula(vec![
        x(),
        n(),
        FormulaNode::Bin(BinOp::Ult, 0, 1),
        count(),
        FormulaNode::Bin(BinOp::Add, 0, 3),
        number(1),
        FormulaNode::Bin(BinOp::Sub, 4, 5),
        FormulaNode::Bin(BinOp::Ult, 6, 1),
        FormulaNode::Bin(BinOp::Ule, 0, 6),
        FormulaNode::Bin(BinOp::And, 2, 7),
        FormulaNode::Bin(BinOp::And, 9, 8),
    ])
}

/// `x + by * count`.
fn grows(by: u128) -> Counting {
    formula(vec![x(), number(by), count(), FormulaNode::Bin(BinOp::Mul, 1, 2), FormulaNode::Bin(BinOp::Add, 0, 3)])
}

fn certificate(constraint: Counting, form: Counting, most: Option<Counting>) -> Certificate {
    let place = Location { calls: Vec::new(), header: Block::from_u32(1) };
    let kept = vec![Original::Global(Var::from_u32(1))];
    let closed = vec![(Original::Global(Var::from_u32(0)), form)];
    let acceleration = Acceleration { place, width: 16, constraint, most, closed, written: Vec::new(), kept };
    Certificate::Accelerated { accelerations: vec![acceleration], bounds: BTreeMap::new() }
}

fn is_accepted(program: &Program, certificate: Certificate) -> bool {
    let prop = program.props.keys().next().expect("there is one property");
    let deadline = Instant::now() + Duration::from_secs(100);
    match evidence::confirm(program, prop, Verdict::Safe(certificate), deadline) {
        Verdict::Safe(_) => true,
        Verdict::Unknown(_) => false,
        Verdict::Unsafe(_) => panic!("a certificate does not become a trace"),
    }
}

/// `n - x`.
fn rest() -> Counting {
    formula(vec![n(), x(), FormulaNode::Bin(BinOp::Sub, 0, 1)])
}

#[test]
fn a_loop_that_leaves_early_is_not_gone_through() {
    // The run with n > 5 comes to x = 5.
    let program = program("const true", "const false");
    assert!(!is_accepted(&program, certificate(below(), grows(1), Some(rest()))));
    assert!(!is_accepted(&program, certificate(below(), grows(1), None)));
}

#[test]
fn closed_forms_that_the_loop_does_not_have() {
    // With steps of two, 5 is jumped over.
    let program = program("const true", "const false");
    for by in [0, 2, 6, 65535] {
        assert!(!is_accepted(&program, certificate(below(), grows(by), None)), "{by}");
        assert!(!is_accepted(&program, certificate(below(), grows(by), Some(rest()))), "{by}");
    }
}

/// A closed form that is right for one iteration and wrong for two: `x + count * count`.
#[test]
fn closed_forms_that_do_not_go_on() {
    let program = program("const true", "const false");
    let square = formula(vec![x(), count(), FormulaNode::Bin(BinOp::Mul, 1, 1), FormulaNode::Bin(BinOp::Add, 0, 2)]);
    assert!(!is_accepted(&program, certificate(below(), square.clone(), None)));
    assert!(!is_accepted(&program, certificate(below(), square, Some(rest()))));
}

/// Constraints that hold always, or never, lose nothing by themselves; nor do they prove what is wrong.
#[test]
fn constraints_are_not_trusted() {
    let program = program("const true", "const false");
    for value in [Const::TRUE, Const::FALSE] {
        let constraint = formula(vec![FormulaNode::Const(value)]);
        assert!(!is_accepted(&program, certificate(constraint.clone(), grows(1), None)));
        assert!(!is_accepted(&program, certificate(constraint, grows(1), Some(rest()))));
    }
}

#[test]
fn what_the_engine_says_is_accepted() {
    // Whatever n is, x is n or 5 in the end.
    let program = program("const true", "const true");
    assert!(is_accepted(&program, certificate(below(), grows(1), None)));
    let text = "in0 = site \"n\": bv16
        var @x: bv16 = bv16 0
        var @n: bv16 = any in0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {
        block0:
            jump block1
        block1:
            v0: bv16 = read @x
            v1: bv16 = read @n
            v2: bool = ult v0, v1
            branch v2, block2, block3
        block2:
            v5 = const bv16 1
            v6: bv16 = add v0, v5
            write @x, v6
            jump block1
        block3:
            v10: bool = eq v0, v1
            assert prop0, v10
            return
        }";
    let program = read::program(text).unwrap_or_else(|e| panic!("{e:?}"));
    assert!(is_accepted(&program, certificate(below(), grows(1), None)), "any number of iterations");
    assert!(is_accepted(&program, certificate(below(), grows(1), Some(rest()))), "all of them");
    let props: Vec<_> = program.props.keys().collect();
    let deadline = Instant::now() + Duration::from_secs(100);
    let accelerated = Accelerated::new(&program, &props, deadline, &mut Context::new(deadline, |_, _| {}));
    assert_eq!(accelerated.expect("the loop is accelerated").accelerators[0].text, ["x = x + n"]);
    let mut verdicts = Vec::new();
    let mut context = Context::new(deadline, |p, v| verdicts.push(evidence::confirm(&program, p, v, deadline)));
    bmc::check(&Task::new(&program, props), &mut context);
    drop(context);
    assert!(matches!(verdicts[..], [Verdict::Safe(_)]), "{verdicts:?}");
}

/// The certificate of the loop that counts to n, with some of its acceleration changed.
fn altered(most: Option<Counting>, change: impl Fn(&mut Acceleration)) -> Certificate {
    match certificate(below(), grows(1), most) {
        Certificate::Accelerated { mut accelerations, bounds } => {
            accelerations.iter_mut().for_each(change);
            Certificate::Accelerated { accelerations, bounds }
        }
        other => other,
    }
}

/// Only the run that enters the loop in its middle violates the property, whichever block is the header.
#[test]
fn a_loop_entered_in_its_middle() {
    let text = "in0 = site \"n\": bv16
        var @x: bv16 = bv16 0
        var @n: bv16 = any in0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {
        block0:
            v0: bv16 = read @n
            v1 = const bv16 7
            v2: bool = eq v0, v1
            branch v2, block2, block1
        block1:
            v3: bv16 = read @x
            v4: bv16 = read @n
            v5: bool = ult v3, v4
            branch v5, block2, block3
        block2:
            v6: bv16 = read @x
            v7 = const bv16 1
            v8: bv16 = add v6, v7
            write @x, v8
            jump block1
        block3:
            v9: bv16 = read @n
            v10 = const bv16 7
            v11: bool = eq v9, v10
            v12: bool = not v11
            assert prop0, v12
            return
        }";
    let program = read::program(text).unwrap_or_else(|e| panic!("{e:?}"));
    for header in [1, 2] {
        for most in [None, Some(rest())] {
            let changed = altered(most, |a| a.place.header = Block::from_u32(header));
            assert!(!is_accepted(&program, changed), "{header}");
        }
    }
}

#[test]
fn corrupted_certificates_prove_nothing_wrong() {
    let program = program("const true", "const false");
    let less = vec![n(), x(), FormulaNode::Bin(BinOp::Sub, 0, 1), number(1), FormulaNode::Bin(BinOp::Sub, 2, 3)];
    for most in [vec![number(0)], vec![number(65535)], vec![number(1)], vec![count()], less] {
        assert!(!is_accepted(&program, altered(Some(formula(most)), |_| ())));
    }
    let cell = || Original::Global(Var::from_u32(0));
    let cases: [&dyn Fn(&mut Acceleration); 8] = [
        &|a| a.kept.clear(),
        &|a| a.kept.push(cell()),
        &|a| a.closed.clear(),
        &|a| (a.kept, a.closed) = (vec![cell()], Vec::new()),
        &|a| a.place.header = Block::from_u32(3),
        &|a| a.width = 8,
        &|a| a.width = 0,
        &|a| a.width = 129,
    ];
    for most in [None, Some(rest())] {
        for (number, case) in cases.iter().enumerate() {
            assert!(!is_accepted(&program, altered(most.clone(), case)), "{number}");
        }
        let Certificate::Accelerated { accelerations, bounds } = certificate(below(), grows(1), most) else {
            panic!("it is one of that kind")
        };
        let twice = [accelerations.clone(), accelerations].concat();
        assert!(!is_accepted(&program, Certificate::Accelerated { accelerations: twice, bounds }));
    }
}

/// A violation inside the iterations that are made at once, from which the loop would go on.
#[test]
fn a_violation_in_the_body_is_not_passed_over() {
    let text = syncline_ir::write::program(&program("const true", "const false"));
    let text = text.replace("branch v4, block5, block3", "branch v4, block3, block3");
    let text = text.replace("v5 = const bv16 1", "v20: bool = not v4\n assert prop0, v20\n v5 = const bv16 1");
    assert!(text.contains("branch v4, block3, block3") && text.contains("assert prop0, v20"), "{text}");
    let program = read::program(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    for most in [None, Some(rest())] {
        assert!(!is_accepted(&program, altered(most, |_| ())));
    }
}

/// `for (x = 0; x < n; x++) a[x] = value; assert(check)`, where the check is of v20, the cell of a at k, and v12 and v13 are k and n.
fn filling(value: &str, check: &str) -> Program {
    let text = format!(
        "in0 = site \"n\": bv16
        in1 = site \"k\": bv16
        in2 = site \"a\": [bv16]bv16
        var @x: bv16 = bv16 0
        var @n: bv16 = any in0
        var @a: [bv16]bv16 = any in2
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {{
        block0:
            jump block1
        block1:
            v0: bv16 = read @x
            v1: bv16 = read @n
            v2: bool = ult v0, v1
            branch v2, block2, block3
        block2:
            v5 = const bv16 1
            v7 = const bv16 7
            v18 = const bv16 8
            v8: bv16 = sub v0, v5
            v9: bv16 = load @a[v8]
            v10: bv16 = load @a[v0]
            v11: bv16 = add {value}
            store @a[v0], v11
            v6: bv16 = add v0, v5
            write @x, v6
            jump block1
        block3:
            v12: bv16 = havoc in1
            v13: bv16 = read @n
            v14: bool = ult v12, v13
            assume v14
            v20: bv16 = load @a[v12]
            v15 = const bv16 8
            v19 = const bv16 7
            v16: bool = {check}
            assert prop0, v16
            return
        }}"
    );
    read::well_formed(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn array() -> Original {
    Original::Global(Var::from_u32(2))
}

/// The certificate of the loop that counts to n, with what it writes.
fn writing(most: Option<Counting>, from: Counting, stride: u128, value: Counting) -> Certificate {
    altered(most, |a| {
        a.written = vec![RangeWrite { array: array(), from: from.clone(), stride, value: value.clone() }];
    })
}

fn at_x() -> Counting {
    formula(vec![x()])
}

#[test]
fn what_is_written_is_proved() {
    let eight = || formula(vec![number(8)]);
    let right = filling("v5, v7", "eq v20, v15");
    let wrong = filling("v5, v7", "eq v20, v12");
    let as_claimed = filling("v5, v7", "eq v20, v19");
    for most in [None, Some(rest())] {
        assert!(is_accepted(&right, writing(most.clone(), at_x(), 1, eight())));
        assert!(!is_accepted(&wrong, writing(most.clone(), at_x(), 1, eight())));
        // The property holds of what the certificate says, and not of the loop.
        assert!(!is_accepted(&as_claimed, writing(most.clone(), at_x(), 1, formula(vec![number(7)]))));
        // What is not so of the loop, or of any loop.
        for stride in [0, 2, 3, 65535] {
            assert!(!is_accepted(&right, writing(most.clone(), at_x(), stride, eight())), "{stride}");
        }
        assert!(!is_accepted(&right, writing(most.clone(), formula(vec![number(0)]), 1, eight())));
        assert!(!is_accepted(&right, writing(most.clone(), formula(vec![count()]), 1, eight())));
        for value in [vec![number(7)], vec![count()], vec![x()], vec![FormulaNode::Const(Const::TRUE)], Vec::new()] {
            assert!(!is_accepted(&right, writing(most.clone(), at_x(), 1, formula(value))));
        }
        let cases: [&dyn Fn(&mut Acceleration); 4] = [
            &|a| a.written.clear(),
            &|a| (a.kept, a.written) = (vec![array(), Original::Global(Var::from_u32(1))], Vec::new()),
            &|a| a.written[0].array = Original::Global(Var::from_u32(1)),
            &|a| a.closed.push((array(), formula(vec![FormulaNode::State(Counted::State(array()))]))),
        ];
        for (number, case) in cases.iter().enumerate() {
            let Certificate::Accelerated { mut accelerations, bounds } = writing(most.clone(), at_x(), 1, eight())
            else {
                panic!("it is one of that kind")
            };
            accelerations.iter_mut().for_each(case);
            assert!(!is_accepted(&right, Certificate::Accelerated { accelerations, bounds }), "{number}");
        }
    }
}

/// `a[x] = a[x] + 1` reads nothing that was written, `a[x] = a[x-1] + 1` does.
#[test]
fn what_was_written_before_is_not_read_as_it_was() {
    let cell = |back: u128, by: u128| {
        formula(vec![
            FormulaNode::State(Counted::State(array())),
            x(),
            count(),
            FormulaNode::Bin(BinOp::Add, 1, 2),
            number(back),
            FormulaNode::Bin(BinOp::Sub, 3, 4),
            FormulaNode::Bin(BinOp::Select, 0, 5),
            number(by),
            FormulaNode::Bin(BinOp::Add, 6, 7),
        ])
    };
    let own = filling("v10, v5", "ule v13, v13");
    // All cells would be 8 if those before were as they were before the loop.
    let text = syncline_ir::write::program(&filling("v9, v18", "eq v20, v15"));
    let zeros = text.replace("any in2", "[bv16]bv16 {0}");
    assert_ne!(text, zeros);
    let before = read::program(&zeros).unwrap_or_else(|e| panic!("{e:?}\n{zeros}"));
    for most in [None, Some(rest())] {
        assert!(is_accepted(&own, writing(most.clone(), at_x(), 1, cell(0, 1))));
        assert!(!is_accepted(&own, writing(most.clone(), at_x(), 1, cell(1, 1))));
        assert!(!is_accepted(&before, writing(most.clone(), at_x(), 1, cell(1, 8))));
        assert!(!is_accepted(&before, writing(most, at_x(), 1, cell(0, 8))));
    }
}

#[test]
fn the_engine_proves_a_fill() {
    let program = filling("v5, v7", "eq v20, v15");
    let props: Vec<_> = program.props.keys().collect();
    let deadline = Instant::now() + Duration::from_secs(100);
    let accelerated = Accelerated::new(&program, &props, deadline, &mut Context::new(deadline, |_, _| {}));
    let text = accelerated.expect("the loop is accelerated").accelerators[0].text.clone();
    assert_eq!(text, ["x = x + n", "a[x + j] = 8"]);
    let mut verdicts = Vec::new();
    let mut context = Context::new(deadline, |p, v| verdicts.push(evidence::confirm(&program, p, v, deadline)));
    bmc::check(&Task::new(&program, props), &mut context);
    drop(context);
    assert!(matches!(verdicts[..], [Verdict::Safe(Certificate::Accelerated { .. })]), "{verdicts:?}");
}
