//! Inlining: how much is opened, what is tracked, and certificates of what was opened, right and wrong.

mod bodies;
mod certificates;
mod contracts;
mod loops;
mod variables;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use syncline_engines::annotation::{Face, Formula, FormulaNode};
use syncline_engines::evidence;
use syncline_engines::inline::{self, Config, Key, Refinement, Strategy};
use syncline_engines::task::{Context, InlinedNode, Task, Verdict};
use syncline_ir::{read, BinOp, Const, Program};

fn parse(text: &str) -> Program {
    read::well_formed(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The engine's own verdict, its certificate not yet checked, and what it counted.
fn ask(program: &Program, config: Config) -> (Verdict, BTreeMap<&'static str, u64>) {
    ask_with(program, config, true)
}

/// The same, with or without facts that proofs start from.
fn ask_with(program: &Program, config: Config, invariants: bool) -> (Verdict, BTreeMap<&'static str, u64>) {
    let mut found = Vec::new();
    let mut context = Context::new(Instant::now() + Duration::from_secs(60), |_, v| found.push(v));
    context.invariants = invariants;
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

const REFINEMENTS: [Refinement; 3] = [Refinement::Hierarchical, Refinement::Conditions, Refinement::Linear];

fn tracking(refinement: Refinement) -> Config {
    Config { refinement: Some(refinement), ..bare(Strategy::First) }
}

#[track_caller]
fn refused(verdict: &Verdict) {
    assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
}

#[track_caller]
fn accepted(verdict: &Verdict) {
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
}

fn node(opened: &[(Key, u32)]) -> InlinedNode {
    InlinedNode { opened: opened.iter().copied().collect() }
}

/// `left op constant`.
fn compare(left: Face, op: BinOp, constant: u128) -> Formula<Face> {
    let mut formula = Formula::default();
    let a = formula.push(FormulaNode::State(left));
    let b = formula.push(FormulaNode::Const(Const::bv(32, constant)));
    formula.push(FormulaNode::Bin(op, a, b));
    formula
}
