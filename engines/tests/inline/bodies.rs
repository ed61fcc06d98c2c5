//! How many bodies are opened, as trees and shared.

use crate::{ask, bare, confirmed, parse};
use std::fmt::Write;
use std::time::{Duration, Instant};
use syncline_engines::inline::Strategy;
use syncline_engines::sample;
use syncline_engines::task::{Context, Task, Verdict};
use syncline_ir::Program;

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
