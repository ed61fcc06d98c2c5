//! Certificates written by hand: formulas as text, programs as IR text.

// Not every test uses all of it.
#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use syncline_engines::annotation::{Formula, FormulaNode, Location, Original};
use syncline_engines::evidence::{inductive, Answered, Judge};
use syncline_engines::task::Reason;
use syncline_ir::inline::calls::CallPath;
use syncline_ir::{read, BinOp, Block, Const, Inst, InstData, Program, Slot, UnOp, Value};

pub type Annotations = BTreeMap<Location, Vec<Formula<Original>>>;

pub fn parse(text: &str) -> Program {
    read::well_formed(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The calls of a procedure, in the order of its text.
pub fn calls(program: &Program, proc: &str) -> Vec<Inst> {
    let body = program.procs.values().find(|p| p.name == proc).expect("a procedure");
    let insts = body.layout.iter().flat_map(|&b| body.blocks[b].insts.iter().copied());
    insts.filter(|&i| matches!(body.insts[i].data, InstData::Call { .. })).collect()
}

pub fn location(calls: &[Inst], header: u32) -> Location {
    Location { calls: calls.to_vec(), header: Block::from_u32(header) }
}

/// A formula in prefix form: `(ule @x 8:10)`; `@x` a global, `slot1` and `v2` of the activation, `outer.v2` of its
/// caller, `8:10` the number 10 in 8 bits, `true`, `false`; `ite` and the operators of the text form.
pub fn formula(program: &Program, calls: &[Inst], text: &str) -> Formula<Original> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace();
    let mut formula = Formula::default();
    node(program, calls, &mut words, &mut formula);
    assert_eq!(words.next(), None, "{text}");
    formula
}

fn node<'a>(
    program: &Program,
    calls: &[Inst],
    words: &mut impl Iterator<Item = &'a str>,
    formula: &mut Formula<Original>,
) -> u32 {
    let word = words.next().expect("a formula");
    if word != "(" {
        return formula.push(atom(program, calls, word));
    }
    let op = words.next().expect("an operator");
    let mut args = Vec::new();
    let arity = match op {
        "not" | "bvnot" | "bvneg" => 1,
        "ite" => 3,
        _ => 2,
    };
    while args.len() < arity {
        args.push(node(program, calls, words, formula));
    }
    assert_eq!(words.next(), Some(")"), "after {op}");
    formula.push(match op {
        "not" => FormulaNode::Un(UnOp::Not, args[0]),
        "bvnot" => FormulaNode::Un(UnOp::BvNot, args[0]),
        "bvneg" => FormulaNode::Un(UnOp::BvNeg, args[0]),
        "ite" => FormulaNode::Ite(args[0], args[1], args[2]),
        _ => {
            let op = BinOp::ALL.into_iter().find(|b| b.name() == op).expect("an operator");
            FormulaNode::Bin(op, args[0], args[1])
        }
    })
}

fn atom(program: &Program, calls: &[Inst], word: &str) -> FormulaNode<Original> {
    if let Some(word) = word.strip_prefix("outer.") {
        return atom(program, &calls[..calls.len() - 1], word);
    }
    let number = |prefix: &str| word.strip_prefix(prefix).and_then(|n| n.parse::<u32>().ok());
    let calls = calls.to_vec();
    if let Some(name) = word.strip_prefix('@') {
        let (var, _) = program.vars.iter().find(|(_, v)| v.name == name).expect("a variable");
        return FormulaNode::State(Original::Global(var));
    }
    if let Some(slot) = number("slot") {
        return FormulaNode::State(Original::Local { calls, slot: Slot::from_u32(slot) });
    }
    if let Some(value) = number("v") {
        return FormulaNode::State(Original::Value { calls, value: Value::from_u32(value) });
    }
    FormulaNode::Const(match (word, word.split_once(':')) {
        ("true", _) => Const::TRUE,
        ("false", _) => Const::FALSE,
        (_, Some((width, value))) => Const::bv(width.parse().expect("a width"), value.parse().expect("a number")),
        (_, None) => panic!("{word} is no formula"),
    })
}

/// Annotations from `(calls, header, formulas)`.
pub fn annotations(program: &Program, parts: &[(&[Inst], u32, &[&str])]) -> Annotations {
    let each = |&(calls, header, formulas): &(&[Inst], u32, &[&str])| {
        (location(calls, header), formulas.iter().map(|f| formula(program, calls, f)).collect())
    };
    parts.iter().map(each).collect()
}

pub fn check(program: &Program, k: u32, annotations: &Annotations) -> Result<Vec<Answered>, String> {
    check_opened(program, k, annotations, None)
}

/// The same with only these calls looked into.
pub fn check_opened(
    program: &Program,
    k: u32,
    annotations: &Annotations,
    opened: Option<&BTreeSet<CallPath>>,
) -> Result<Vec<Answered>, String> {
    let mut judge = Judge::keeping(Instant::now() + Duration::from_secs(60));
    let props: Vec<_> = program.props.keys().collect();
    match inductive::check(program, &props, k, annotations, opened, &mut judge) {
        Ok(()) => Ok(judge.into_answered()),
        Err(Reason::Evidence(words)) => Err(words),
        Err(other) => panic!("{other:?}"),
    }
}

/// Accepts.
pub fn accepts(program: &Program, k: u32, annotations: &Annotations) {
    check(program, k, annotations).expect("a certificate that holds");
}

/// Refuses with words that contain these.
pub fn refuses(program: &Program, k: u32, annotations: &Annotations, words: &str) {
    match check(program, k, annotations) {
        Ok(_) => panic!("accepted"),
        Err(said) => assert!(said.contains(words), "{said}"),
    }
}
