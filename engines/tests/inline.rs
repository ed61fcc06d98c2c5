//! Inlining: how much is opened, and certificates of what was opened, right and wrong.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};
use syncline_engines::annotation::{Cell, Face, Formula, FormulaNode};
use syncline_engines::inline::{self, Config, Key, Refinement, Strategy};
use syncline_engines::task::{Certificate, Context, Contract, InlinedNode, Task, Verdict};
use syncline_engines::{evidence, sample};
use syncline_ir::analysis::LoopNest;
use syncline_ir::{read, verify, BinOp, Const, InstData, Program, UnOp};

fn parse(text: &str) -> Program {
    let program = read::program(text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    verify::verify(&program).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    program
}

/// The engine's own verdict, its certificate not yet checked, and what it counted.
fn ask(program: &Program, config: Config) -> (Verdict, BTreeMap<&'static str, u64>) {
    let mut found = Vec::new();
    let mut context = Context::new(Instant::now() + Duration::from_secs(60), |_, v| found.push(v));
    let props = program.props.keys().collect();
    inline::check(&Task::new(program, props), config, &mut context);
    let counts = context.stats.counts.iter().copied().collect();
    drop(context);
    assert_eq!(found.len(), 1);
    (found.remove(0), counts)
}

fn confirmed(program: &Program, verdict: &Verdict) -> Verdict {
    let prop = program.props.keys().next().expect("there is one property");
    evidence::confirm(program, prop, verdict.clone(), Instant::now() + Duration::from_secs(60))
}

fn bare(strategy: Strategy) -> Config {
    Config { strategy, contracts: false, refinement: None }
}

/// Figure 2 of the DAG paper: both sides of a branch count up and call the next procedure, through a helper each.
fn figure_2(n: u32, expected: u32) -> Program {
    let mut text = String::from(
        "in0 = site \"x\": bool\nvar @g: bv32 = bv32 0\nprop0 = assertion \"P.assertion.1\" \"\"\nentry main\n",
    );
    for i in 0..n {
        let next = i + 1;
        let _ = write!(
            text,
            "proc P{i} {{
            block0:
                v0: bv32 = read @g
                v1 = const bv32 1
                v2: bv32 = add v0, v1
                v3: bool = havoc in0
                branch v3, block1, block2
            block1:
                write @g, v2
                call bar{i}()
                jump block3
            block2:
                write @g, v2
                call baz{i}()
                jump block3
            block3:
                return
            }}
            proc bar{i} {{
            block0:
                call P{next}()
                return
            }}
            proc baz{i} {{
            block0:
                call P{next}()
                return
            }}
            "
        );
    }
    let _ = write!(
        text,
        "proc P{n} {{
        block0:
            v0: bv32 = read @g
            v1 = const bv32 {expected}
            v2: bool = eq v0, v1
            assert prop0, v2
            return
        }}
        proc main {{
        block0:
            call P0()
            return
        }}"
    );
    parse(&text)
}

#[test]
fn shared_bodies_are_linear_and_trees_exponential() {
    let mut terms = Vec::new();
    for n in [50, 100, 200] {
        let program = figure_2(n, n);
        let start = Instant::now();
        let (verdict, counts) = ask(&program, bare(Strategy::First));
        let found = confirmed(&program, &verdict);
        println!("N = {n}: {} bodies, {} terms, {:.1?}", counts["bodies"], counts["terms"], start.elapsed());
        assert!(matches!(found, Verdict::Safe(_)), "{n}: {found:?}");
        assert_eq!(counts["bodies"], 3 * n as u64 + 2);
        terms.push(counts["terms"]);
    }
    assert!(terms[2] - terms[1] <= 2 * (terms[1] - terms[0]) + 100, "not linear: {terms:?}");
    for strategy in [Strategy::MaxC, Strategy::RandomPick] {
        let (verdict, counts) = ask(&figure_2(30, 30), bare(strategy));
        assert!(matches!(verdict, Verdict::Safe(_)), "{strategy:?}: {verdict:?}");
        assert_eq!(counts["bodies"], 92, "{strategy:?}");
    }
    for n in [2u32, 4, 6] {
        let program = figure_2(n, n);
        let (verdict, counts) = ask(&program, bare(Strategy::Tree));
        assert!(matches!(confirmed(&program, &verdict), Verdict::Safe(_)), "{n}");
        assert_eq!(counts["bodies"], (1 << (n + 2)) - 2, "a tree has every way");
    }
}

#[test]
fn a_violation_in_a_shared_body_is_found() {
    for strategy in [Strategy::Tree, Strategy::First, Strategy::MaxC, Strategy::RandomPick] {
        let program = figure_2(4, 5);
        let mut props = program.props.keys().collect::<Vec<_>>();
        // Runs on guessed inputs would find it first; the engine's own answer is wanted too.
        let mut context = Context::new(Instant::now() + Duration::from_secs(9), |_, _| {});
        let task = Task::new(&program, props.clone());
        sample::search(&task, &mut props, &mut context);
        assert!(props.is_empty());
        drop(context);
        let (verdict, _) = ask(&program, bare(strategy));
        assert!(matches!(confirmed(&program, &verdict), Verdict::Unsafe(_)), "{strategy:?}");
    }
}

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

fn node(opened: &[(Key, u32)]) -> InlinedNode {
    InlinedNode { opened: opened.iter().copied().collect() }
}

fn judged(program: &Program, nodes: Vec<InlinedNode>, contracts: Vec<(&str, Contract)>) -> Verdict {
    let id = |name: &str| program.procs.iter().find(|(_, p)| p.name == name).expect("it is there").0;
    let contracts = contracts.into_iter().map(|(name, c)| ((id(name), None), c)).collect();
    confirmed(program, &Verdict::Safe(Certificate::Inlining { nodes, contracts }))
}

#[track_caller]
fn refused(verdict: &Verdict) {
    assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
}

#[track_caller]
fn accepted(verdict: &Verdict) {
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
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

/// `left op constant`.
fn compare(left: Face, op: BinOp, constant: u128) -> Formula<Face> {
    let mut formula = Formula::default();
    let a = formula.push(FormulaNode::State(left));
    let b = formula.push(FormulaNode::Const(Const::bv(32, constant)));
    formula.push(FormulaNode::Bin(op, a, b));
    formula
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

const REFINEMENTS: [Refinement; 3] = [Refinement::Hierarchical, Refinement::Conditions, Refinement::Linear];

fn tracking(refinement: Refinement) -> Config {
    Config { refinement: Some(refinement), ..bare(Strategy::First) }
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
