//! Certificates written by hand: nodes and contracts of procedures.

use crate::{accepted, compare, confirmed, node, parse, refused};
use syncline_engines::annotation::{Cell, Face, Formula, FormulaNode};
use syncline_engines::inline::Key;
use syncline_engines::task::{Certificate, Contract, InlinedNode, Verdict};
use syncline_ir::{BinOp, InstData, Program, UnOp};

/// Counts up twice; the assertion says that the count is not `bad`.
fn twice(bad: u32) -> Program {
    parse(&format!(
        "in0 = site \"x\": bool
        var @g: bv32 = bv32 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc inc {{
        block0:
            v0: bv32 = read @g
            v1 = const bv32 1
            v2: bv32 = add v0, v1
            write @g, v2
            return
        }}
        proc check {{
        block0:
            v0: bv32 = read @g
            v1 = const bv32 {bad}
            v2: bool = eq v0, v1
            v3: bool = not v2
            assert prop0, v3
            return
        }}
        proc main {{
        block0:
            call inc()
            v0: bool = havoc in0
            branch v0, block1, block2
        block1:
            call inc()
            jump block3
        block2:
            jump block3
        block3:
            call check()
            return
        }}"
    ))
}

/// The calls of the entry, in their order.
fn calls(program: &Program) -> Vec<Key> {
    let main = &program.procs[program.entry.expect("there is an entry")];
    let insts = main.layout.iter().flat_map(|&b| &main.blocks[b].insts);
    insts.copied().filter(|&i| matches!(main.insts[i].data, InstData::Call { .. })).map(Key::Call).collect()
}

fn judged(program: &Program, nodes: Vec<InlinedNode>, contracts: Vec<(&str, Contract)>) -> Verdict {
    let id = |name: &str| program.procs.iter().find(|(_, p)| p.name == name).expect("it is there").0;
    let contracts = contracts.into_iter().map(|(name, c)| ((id(name), None), c)).collect();
    confirmed(program, &Verdict::Safe(Certificate::Inlining { nodes, contracts }))
}

#[test]
fn a_certificate_opens_what_it_needs() {
    let program = twice(3);
    let k = calls(&program);
    let leaf = InlinedNode::default;
    let all = node(&[(k[0], 1), (k[1], 2), (k[2], 3)]);
    accepted(&judged(&program, vec![all.clone(), leaf(), leaf(), leaf()], vec![]));
    // Without one of them: the closed call may do anything, or may violate the property itself.
    for missing in &k {
        let mut fewer = all.clone();
        fewer.opened.remove(missing);
        refused(&judged(&program, vec![fewer, leaf(), leaf(), leaf()], vec![]));
    }
    refused(&judged(&program, vec![], vec![]));
    refused(&judged(&program, vec![leaf()], vec![]));
    refused(&judged(&program, vec![node(&[(k[0], 9)])], vec![]));
}

#[test]
fn a_node_that_two_calls_of_one_run_lead_to_is_refused() {
    let program = twice(2);
    let k = calls(&program);
    let leaf = InlinedNode::default;
    // The count after two calls that are one node would be 1 and never 2.
    refused(&judged(&program, vec![node(&[(k[0], 1), (k[1], 1), (k[2], 2)]), leaf(), leaf()], vec![]));
    refused(&judged(&program, vec![node(&[(k[0], 1), (k[1], 2), (k[2], 1)]), leaf(), leaf()], vec![]));
    refused(&judged(&program, vec![node(&[(k[0], 0), (k[1], 1), (k[2], 2)]), leaf(), leaf()], vec![]));
    refused(&judged(&program, vec![node(&[(k[0], 1), (k[1], 2), (k[2], 3)]), leaf(), leaf(), leaf()], vec![]));
}

#[test]
fn contracts_are_checked() {
    let program = twice(3);
    let k = calls(&program);
    let g = Cell::Global(program.vars.keys().next().expect("there is a variable"));
    let (before, after) = (Face::In(g), Face::Out(g));
    let requires = |f| Contract { requires: vec![f], ..Contract::default() };
    let below_2 = || Contract {
        requires: vec![compare(before, BinOp::Ult, 2)],
        ensures: vec![compare(after, BinOp::Ult, 3)],
        ..Contract::default()
    };
    let checks = |n: u128| Contract { safe: true, ..requires(compare(before, BinOp::Ult, n)) };
    // Nothing is opened; `check` is safe for what comes in. But 2 comes back from `inc` and goes into it as far as its
    // contract says, so its contract is not kept.
    refused(&judged(&program, vec![node(&[])], vec![("inc", below_2()), ("check", checks(3))]));
    let entry = |n| node(&[(k[0], n)]);
    // Opening a call does not help: contracts are about every call.
    refused(&judged(&program, vec![entry(1), node(&[])], vec![("inc", below_2()), ("check", checks(3))]));
    // The count never exceeds 4 billion: of no use, but kept.
    let nothing = || requires(compare(before, BinOp::Ule, u32::MAX as u128));
    let all = || vec![node(&[(k[0], 1), (k[1], 2), (k[2], 3)]), node(&[]), node(&[]), node(&[])];
    accepted(&judged(&program, all(), vec![("inc", nothing())]));
    accepted(&judged(&program, all(), vec![("main", requires(compare(before, BinOp::Eq, 0)))]));
    refused(&judged(&program, all(), vec![("main", requires(compare(before, BinOp::Eq, 1)))]));
    refused(&judged(&program, all(), vec![("inc", requires(compare(before, BinOp::Eq, 0)))]));
    let ensures = Contract { ensures: vec![compare(after, BinOp::Eq, 1)], ..Contract::default() };
    refused(&judged(&program, all(), vec![("inc", ensures)]));
    refused(&judged(&program, all(), vec![("check", Contract { safe: true, ..Contract::default() })]));
    // A formula about what is not there.
    refused(&judged(&program, all(), vec![("inc", requires(compare(after, BinOp::Eq, 1)))]));
    refused(&judged(&program, all(), vec![("inc", requires(compare(Face::Result(0), BinOp::Eq, 1)))]));
    refused(&judged(&program, all(), vec![("inc", requires(Formula::default()))]));
}

#[test]
fn a_safe_callee_need_not_be_opened() {
    // `check` says that the count is not 77, for counts below 3, which `main` alone can show if `inc` is opened.
    let program = twice(77);
    let k = calls(&program);
    let g = Cell::Global(program.vars.keys().next().expect("there is a variable"));
    let checks = Contract { requires: vec![compare(Face::In(g), BinOp::Ult, 3)], safe: true, ..Contract::default() };
    // The contract of `check` must be kept in `main` with `inc` closed.
    refused(&judged(
        &program,
        vec![node(&[(k[0], 1), (k[1], 2)]), node(&[]), node(&[])],
        vec![("check", checks.clone())],
    ));
    let inc = |n: u128| Contract {
        requires: vec![compare(Face::In(g), BinOp::Ult, n)],
        ensures: vec![compare(Face::Out(g), BinOp::Ult, 3)],
        safe: true,
        ..Contract::default()
    };
    refused(&judged(&program, vec![node(&[])], vec![("check", checks), ("inc", inc(2))]));
    let free = Contract { safe: true, ..Contract::default() };
    refused(&judged(&program, vec![node(&[])], vec![("check", free)]));
}

/// Two calls of one run lead to one node, so that the second goes on with the result of the first; of these values the
/// contract of a procedure called later is not true. That must not hide that two calls are made.
#[test]
fn a_contract_does_not_hide_that_two_calls_are_made() {
    let program = parse(
        "in0 = site \"x\": bool
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc id -> bv32 {
        block0(v0: bv32):
            return v0
        }
        proc differ {
        block0(v0: bv32, v1: bv32):
            return
        }
        proc main {
        block0:
            v0 = const bv32 1
            v1 = const bv32 2
            v2: bv32 = call id(v0)
            v3: bv32 = call id(v1)
            v4: bool = havoc in0
            branch v4, block1, block2
        block1:
            call differ(v2, v3)
            jump block3
        block2:
            call differ(v3, v2)
            jump block3
        block3:
            v5 = const false
            assert prop0, v5
            return
        }",
    );
    let param = |name: &str, n: usize| {
        let body = program.procs.values().find(|p| p.name == name).expect("a procedure");
        FormulaNode::State(Face::In(Cell::Value(body.params()[n])))
    };
    let mut same = Formula::default();
    let (a, b) = (same.push(param("id", 0)), same.push(FormulaNode::State(Face::Result(0))));
    same.push(FormulaNode::Bin(BinOp::Eq, a, b));
    let mut differ = Formula::default();
    let (a, b) = (differ.push(param("differ", 0)), differ.push(param("differ", 1)));
    let equal = differ.push(FormulaNode::Bin(BinOp::Eq, a, b));
    differ.push(FormulaNode::Un(UnOp::Not, equal));
    let contracts = vec![
        ("id", Contract { ensures: vec![same], ..Contract::default() }),
        ("differ", Contract { requires: vec![differ], ..Contract::default() }),
    ];
    let k = calls(&program);
    let nodes = vec![node(&[(k[0], 1), (k[1], 1), (k[2], 2), (k[3], 2)]), node(&[]), node(&[])];
    refused(&judged(&program, nodes, contracts));
}

/// Contracts of two shared nodes speak of a variable that neither touches, and that has another value in each.
#[test]
fn what_shared_nodes_do_not_touch_is_not_the_same_in_all() {
    let program = parse(
        "in0 = site \"x\": bool
        var @v: bv32 = bv32 1
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc one {
        block0:
            return
        }
        proc two {
        block0:
            return
        }
        proc main {
        block0:
            v9 = const bv32 1
            write @v, v9
            v4: bool = havoc in0
            branch v4, block1, block2
        block1:
            call one()
            jump block3
        block2:
            call one()
            jump block3
        block3:
            v1 = const bv32 2
            write @v, v1
            branch v4, block4, block5
        block4:
            call two()
            jump block6
        block5:
            call two()
            jump block6
        block6:
            v5 = const false
            assert prop0, v5
            return
        }",
    );
    let var = program.vars.keys().next().expect("a variable");
    let is = |n: u128| Contract {
        requires: vec![compare(Face::In(Cell::Global(var)), BinOp::Eq, n)],
        ..Contract::default()
    };
    let k = calls(&program);
    let nodes = vec![node(&[(k[0], 1), (k[1], 1), (k[2], 2), (k[3], 2)]), node(&[]), node(&[])];
    refused(&judged(&program, nodes, vec![("one", is(1)), ("two", is(2))]));
}
