//! A fact as one line of text, so that it can go from process to process.
//!
//! `at CALLS BLOCK|node|node...`, where a node is `c CONSTANT`, `g VAR`, `l CALLS SLOT`, `v CALLS VALUE`, `u OPERATOR NODE`,
//! `b OPERATOR NODE NODE` or `i NODE NODE NODE`; entities are numbers, `CALLS` are those of instructions with points
//! between them, `-` if there are none; constants and operators are as in the text form of programs.

use crate::annotation::{Formula, FormulaNode, Location, Original};
use cranelift_entity::EntityRef;
use std::fmt::Write;
use syncline_ir::write::DisplayUnOp;
use syncline_ir::{read, Block, Inst, Slot, Value, Var};

/// The fact as text.
pub fn write_fact(location: &Location, formula: &Formula<Original>) -> String {
    let mut text = format!("at {} {}", calls(&location.calls), location.header.index());
    for node in &formula.nodes {
        let _ = match node {
            FormulaNode::Const(c) => write!(text, "|c {c}"),
            FormulaNode::State(Original::Global(var)) => write!(text, "|g {}", var.index()),
            FormulaNode::State(Original::Local { calls: path, slot }) => {
                write!(text, "|l {} {}", calls(path), slot.index())
            }
            FormulaNode::State(Original::Value { calls: path, value }) => {
                write!(text, "|v {} {}", calls(path), value.index())
            }
            FormulaNode::Un(op, a) => write!(text, "|u {} {a}", DisplayUnOp(*op)),
            FormulaNode::Bin(op, a, b) => write!(text, "|b {} {a} {b}", op.name()),
            FormulaNode::Ite(c, a, b) => write!(text, "|i {c} {a} {b}"),
        };
    }
    text
}

/// The fact that a text says; `None` if it says none.
pub fn read_fact(text: &str) -> Option<(Location, Formula<Original>)> {
    let mut parts = text.split('|');
    let mut head = parts.next()?.strip_prefix("at ")?.split(' ');
    let location = Location { calls: read_calls(head.next()?)?, header: Block::new(number(head.next()?)?) };
    let mut formula = Formula::default();
    for part in parts {
        let node = read_node(part)?;
        let before = |&n: &u32| (n as usize) < formula.nodes.len();
        let whole = match &node {
            FormulaNode::Const(_) | FormulaNode::State(_) => true,
            FormulaNode::Un(_, a) => before(a),
            FormulaNode::Bin(_, a, b) => [a, b].into_iter().all(before),
            FormulaNode::Ite(c, a, b) => [c, a, b].into_iter().all(before),
        };
        if !whole {
            return None;
        }
        formula.push(node);
    }
    (head.next().is_none() && !formula.nodes.is_empty()).then_some((location, formula))
}

fn read_node(part: &str) -> Option<FormulaNode<Original>> {
    let (kind, rest) = part.split_once(' ')?;
    if kind == "c" {
        return Some(FormulaNode::Const(read::constant(rest).ok()?));
    }
    let words: Vec<&str> = rest.split(' ').collect();
    let operand = |n: usize| u32::try_from(number(words[n])?).ok();
    Some(match (kind, words.len()) {
        ("g", 1) => FormulaNode::State(Original::Global(Var::new(number(words[0])?))),
        ("l", 2) => {
            let (calls, slot) = (read_calls(words[0])?, Slot::new(number(words[1])?));
            FormulaNode::State(Original::Local { calls, slot })
        }
        ("v", 2) => {
            let (calls, value) = (read_calls(words[0])?, Value::new(number(words[1])?));
            FormulaNode::State(Original::Value { calls, value })
        }
        ("u", 2) => FormulaNode::Un(read::unary_operator(words[0])?, operand(1)?),
        ("b", 3) => FormulaNode::Bin(read::binary_operator(words[0])?, operand(1)?, operand(2)?),
        ("i", 3) => FormulaNode::Ite(operand(0)?, operand(1)?, operand(2)?),
        _ => return None,
    })
}

fn calls(path: &[Inst]) -> String {
    match path.is_empty() {
        true => "-".to_string(),
        false => path.iter().map(|i| i.index().to_string()).collect::<Vec<_>>().join("."),
    }
}

fn read_calls(text: &str) -> Option<Vec<Inst>> {
    match text {
        "-" => Some(Vec::new()),
        _ => text.split('.').map(|n| Some(Inst::new(number(n)?))).collect(),
    }
}

/// The number of an entity. The last ones of their type are reserved.
fn number(text: &str) -> Option<usize> {
    let number: u32 = text.parse().ok()?;
    (number < u32::MAX / 2).then_some(number as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use syncline_ir::{ArrayConst, BinOp, Const, FloatFormat, UnOp};

    /// A formula with every kind of node; its types need not fit.
    fn every_node() -> (Location, Formula<Original>) {
        let mut formula = Formula::default();
        let mut array = ArrayConst::filled(32, Const::bv(8, 0));
        array.set(1, Const::bv(8, 104));
        array.set(7, Const::bv(8, 255));
        let path = vec![Inst::new(4), Inst::new(17)];
        for constant in [
            Const::TRUE,
            Const::bv(128, u128::MAX),
            Const::Float { format: FloatFormat::F64, bits: 0x3ff0_0000_0000_0000 },
            Const::Array(array),
        ] {
            formula.push(FormulaNode::Const(constant));
        }
        formula.push(FormulaNode::State(Original::Global(Var::new(3))));
        formula.push(FormulaNode::State(Original::Local { calls: path.clone(), slot: Slot::new(0) }));
        formula.push(FormulaNode::State(Original::Value { calls: Vec::new(), value: Value::new(9) }));
        for op in [UnOp::Not, UnOp::ZExt(32), UnOp::Extract { hi: 7, lo: 3 }, UnOp::FToF(FloatFormat::X87)] {
            formula.push(FormulaNode::Un(op, 1));
        }
        for op in BinOp::ALL {
            formula.push(FormulaNode::Bin(op, 0, 5));
        }
        formula.push(FormulaNode::Ite(0, 1, 2));
        (Location { calls: path, header: Block::new(12) }, formula)
    }

    #[test]
    fn what_is_written_is_read() {
        let (location, formula) = every_node();
        let text = write_fact(&location, &formula);
        assert!(!text.contains('\n'));
        assert_eq!(read_fact(&text), Some((location, formula)));
    }

    #[test]
    fn other_text_is_no_fact() {
        for text in
            ["", "at - 1", "at - 1|", "at - 1|g", "at - 1|g x", "at - 1|u not 0", "at - 1|c bv8 256", "at - 1 2|g 0"]
        {
            assert_eq!(read_fact(text), None, "{text}");
        }
        let (location, formula) = every_node();
        let text = write_fact(&location, &formula);
        for end in 0..text.len() {
            // A part of it may be a smaller fact; none may be too much.
            let _ = read_fact(&text[..end]);
        }
    }
}
