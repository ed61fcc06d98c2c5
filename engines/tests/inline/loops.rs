//! Loops: contracts, iterations, and loops that are entered in their middle.

use crate::{accepted, ask, bare, compare, confirmed, node, parse, refused, tracking};
use std::collections::BTreeMap;
use syncline_engines::annotation::{Cell, Face};
use syncline_engines::inline::{Config, Key, Refinement, Strategy};
use syncline_engines::task::{Certificate, Contract, InlinedNode, Verdict};
use syncline_ir::analysis::LoopNest;
use syncline_ir::{BinOp, Program};

/// A loop that counts to `limit`; the assertion says that the count is then not `bad`.
fn counting(limit: u32, bad: u32) -> Program {
    parse(&format!(
        "prop0 = assertion \"main.assertion.1\" \"\"
        in0 = site \"x\": bool
        entry main
        proc main {{
            slot0 = slot \"n\": bv32
        block0:
            jump block1
        block1:
            v0: bv32 = read slot0
            v1 = const bv32 {limit}
            v2: bool = ult v0, v1
            v3: bool = havoc in0
            v4: bool = and v2, v3
            branch v4, block2, block3
        block2:
            v5 = const bv32 1
            v6: bv32 = add v0, v5
            write slot0, v6
            jump block1
        block3:
            v7 = const bv32 {bad}
            v10: bv32 = read slot0
            v8: bool = eq v10, v7
            v9: bool = not v8
            assert prop0, v9
            return
        }}"
    ))
}

#[test]
fn loops_have_contracts_and_iterations() {
    let program = counting(1_000_000, 2_000_000);
    let main = program.entry.expect("there is an entry");
    let header = program.procs[main].layout[1];
    let slot = program.procs[main].slots.keys().next().expect("there is a local");
    let below = |n: u128| Contract {
        requires: vec![compare(Face::In(Cell::Local(slot)), BinOp::Ule, n)],
        ensures: vec![compare(Face::Out(Cell::Local(slot)), BinOp::Ule, n)],
        safe: true,
        ..Contract::default()
    };
    let judge = |program: &Program, nodes: Vec<InlinedNode>, contract: Option<Contract>| {
        let contracts = contract.into_iter().map(|c| ((main, Some(header)), c)).collect();
        confirmed(program, &Verdict::Safe(Certificate::Inlining { nodes, contracts }))
    };
    // The local may be anything behind a closed loop.
    refused(&judge(&program, vec![node(&[])], None));
    refused(&judge(&program, vec![node(&[(Key::Loop(header), 1)]), node(&[])], None));
    accepted(&judge(&program, vec![node(&[])], Some(below(1_000_000))));
    accepted(&judge(&program, vec![node(&[(Key::Loop(header), 1)]), node(&[])], Some(below(1_000_000))));
    refused(&judge(&counting(1_000_000, 1_000_000), vec![node(&[])], Some(below(1_000_000))));
    refused(&judge(&counting(3, 3), vec![node(&[])], None));
    let never = Contract { never: vec![program.procs[main].layout[3]], ..Contract::default() };
    refused(&judge(&program, vec![node(&[])], Some(never)));
    refused(&judge(&program, vec![node(&[(Key::Loop(header), 1)]), node(&[])], Some(below(999_999))));
    refused(&judge(&program, vec![node(&[(Key::Loop(header), 0)])], Some(below(1_000_000))));
    // Iterations that are all opened need no contract.
    let short = counting(3, 4);
    let mut nodes: Vec<InlinedNode> = (1..=4).map(|n| node(&[(Key::Loop(header), n)])).collect();
    nodes.push(node(&[]));
    accepted(&judge(&short, nodes.clone(), None));
    refused(&judge(&counting(3, 3), nodes.clone(), None));
    refused(&judge(&counting(4, 5), nodes, None));
}

#[test]
fn a_violation_in_a_closed_loop_counts() {
    let program = parse(
        "in0 = site \"x\": bool
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {
        block0:
            jump block1
        block1:
            v0: bool = havoc in0
            assert prop0, v0
            jump block1
        }",
    );
    let main = program.entry.expect("there is an entry");
    let header = program.procs[main].layout[1];
    for nodes in [vec![node(&[])], vec![node(&[(Key::Loop(header), 1)]), node(&[])]] {
        refused(&confirmed(&program, &Verdict::Safe(Certificate::Inlining { nodes, contracts: BTreeMap::new() })));
    }
    let safe = Contract { safe: true, ..Contract::default() };
    let contracts = BTreeMap::from([((main, Some(header)), safe)]);
    refused(&confirmed(&program, &Verdict::Safe(Certificate::Inlining { nodes: vec![node(&[])], contracts })));
}

#[test]
fn endless_loops_are_proved_by_contracts() {
    let text = "in0 = site \"x\": bool
        var @s: bv32 = bv32 0
        var @t: bv32 = bv32 0
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc step {
        block0:
            v0: bv32 = read @s
            v1 = const bv32 0
            v2: bool = eq v0, v1
            branch v2, block1, block2
        block1:
            v3 = const bv32 1
            write @s, v3
            write @t, v3
            return
        block2:
            v4 = const bv32 0
            write @s, v4
            write @t, v4
            return
        }
        proc main {
        block0:
            jump block1
        block1:
            call step()
            v0: bv32 = read @s
            v1: bv32 = read @t
            v2: bool = eq v0, v1
            assert prop0, v2
            jump block1
        }";
    let program = parse(text);
    let (verdict, counts) = ask(&program, Config::default());
    assert!(matches!(confirmed(&program, &verdict), Verdict::Safe(_)), "{verdict:?}");
    assert!(counts["contracts kept"] > 0);
    // The same with a step that forgets `t` now and then.
    let wrong =
        parse(&text.replacen("write @t, v4", "v5: bool = havoc in0\n v6: bv32 = ite v5, v4, v0\n write @t, v6", 1));
    let (verdict, _) = ask(&wrong, Config::default());
    assert!(matches!(confirmed(&wrong, &verdict), Verdict::Unsafe(_)), "{verdict:?}");
}

/// A loop that is entered at its header or in its middle, behind the place where it counts up by two. The assertion there says
/// that the count is not `bad`; only in the middle it can be 0.
fn two_entries(bad: u32) -> Program {
    entered_if("v0: bool = havoc in0", bad)
}

/// It is entered in its middle if v0 is true.
fn entered_if(v0: &str, bad: u32) -> Program {
    parse(&format!(
        "in0 = site \"x\": bool
        in1 = site \"y\": bv32
        prop0 = assertion \"main.assertion.1\" \"\"
        entry main
        proc main {{
            slot0 = slot \"n\": bv32
        block0:
            {v0}
            branch v0, block3, block1
        block1:
            v1: bv32 = read slot0
            v2 = const bv32 1000
            v3: bool = ult v1, v2
            v4: bool = havoc in0
            v5: bool = and v3, v4
            branch v5, block2, block4
        block2:
            v6: bv32 = read slot0
            v7 = const bv32 2
            v8: bv32 = add v6, v7
            write slot0, v8
            jump block3
        block3:
            v12: bv32 = read slot0
            v9 = const bv32 {bad}
            v10: bool = eq v12, v9
            v11: bool = not v10
            assert prop0, v11
            jump block1
        block4:
            return
        }}"
    ))
}

#[test]
fn loops_may_be_entered_in_their_middle() {
    for config in [Config::default(), bare(Strategy::First), tracking(Refinement::Conditions)] {
        // At once behind the entry in the middle, and in the fourth round.
        for bad in [0, 8] {
            let program = two_entries(bad);
            let (verdict, _) = ask(&program, config);
            assert!(matches!(confirmed(&program, &verdict), Verdict::Unsafe(_)), "{bad}: {verdict:?}");
        }
        // No random run comes in there.
        let rare =
            "v20: bv32 = havoc in1\n v22: bv32 = mul v20, v20\n v21 = const bv32 3038324641\n v0: bool = eq v22, v21";
        let program = entered_if(rare, 0);
        let (verdict, _) = ask(&program, config);
        assert!(matches!(confirmed(&program, &verdict), Verdict::Unsafe(_)), "{verdict:?}");
    }
    let program = two_entries(2_001);
    let main = program.entry.expect("there is an entry");
    let header = program.procs[main].layout[1];
    let nest = LoopNest::compute(&program.procs[main]);
    assert!(nest.loops.values().any(|l| l.header == header), "the block that the test takes for the header");
    let slot = program.procs[main].slots.keys().next().expect("there is a local");
    let below = |n: u128| Contract {
        requires: vec![compare(Face::In(Cell::Local(slot)), BinOp::Ule, n)],
        safe: true,
        ..Contract::default()
    };
    let judge = |program: &Program, nodes: Vec<InlinedNode>, contract: Contract| {
        let contracts = BTreeMap::from([((main, Some(header)), contract)]);
        confirmed(program, &Verdict::Safe(Certificate::Inlining { nodes, contracts }))
    };
    accepted(&judge(&program, vec![node(&[])], below(1_001)));
    accepted(&judge(&program, vec![node(&[(Key::Loop(header), 1)]), node(&[])], below(1_001)));
    refused(&judge(&program, vec![node(&[])], below(1_000)));
    refused(&judge(&two_entries(1_001), vec![node(&[])], below(1_001)));
    // From the header on the count is never 0, but it is before.
    refused(&judge(&two_entries(0), vec![node(&[])], below(1_001)));
}
