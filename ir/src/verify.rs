//! What a well-formed program is. The rules below are the specification; every pass keeps them and may rely on them.
//! [`verify`] reports each violation with its entity, under the rule's name in brackets.
//!
//! Program
//! - `origin`: `loc0` exists and is `none`. Every origin mentioned exists. A source origin's file exists.
//! - `type`: bit-vectors, of values and of array indices, have 1 to 128 bits. This holds for sites, variables, slots,
//!   results and values.
//! - `constant`: widths are legal and no bit above the width is set (floats: above the stored encoding). An array's
//!   default and cells are constants of the element type, and cells lie within the index type.
//! - `name`: names of variables are unique, and so are those of procedures and of properties.
//! - `initial`: a variable's initial constant or site has the variable's type; the site exists.
//! - `entry`: the procedure a run starts in exists.
//! - `system`: bodies of processes, the environment and the observer exist and take no parameters. A parent is another
//!   process of the system, and no process is its own ancestor. Shared variables exist, each listed once. A choice
//!   is of a scalar written at the boundary, by a site of [`choice_width`](crate::program::choice_width) bits; the other
//!   properties, sites and variables mentioned exist and have their types; a variable controls one process and is not shared.
//! - `step`: `step` stands only in bodies of processes, without arguments, and nobody calls these.
//!
//! Procedure
//! - `layout`: listed blocks exist, each listed once, the entry among them. What is not listed does not matter.
//! - `target`: every jump goes to a listed block.
//! - `entry-block`: no listed block jumps to the entry.
//! - `inst`: an instruction in a listed block exists and stands nowhere else.
//! - `definition`: parameters and results in listed blocks exist, and the value's record names that block or
//!   instruction and that position (so each value is defined once).
//! - `use`: a value used in a listed block is defined in a listed block.
//! - `dominance`: in a block reachable from the entry, every use is dominated by the definition: it comes earlier
//!   in the block, or in a block that every path from the entry passes. Unreachable blocks are free of this rule only.
//!   The target of a `step` counts as a successor of the entry: values do not last beyond a step.
//! - `block-args`: the arguments of a jump match the target's parameters in number and type.
//!
//! Instruction
//! - `reference`: the place, site, property, obligation or callee mentioned exists.
//! - `result`: `write`, `store`, `assume`, `assert`, `unsupported`, `print` have no result, `call` those of its callee,
//!   all others one, of the type that operator, constant, site, place or operands determine.
//! - `operand`: operands fit the operator ([`UnOp::result`], [`BinOp::result`](crate::BinOp::result)); both sides of
//!   `ite` have one type; `update` has an array, its index type and its element type.
//! - `condition`: conditions of `ite`, `assume`, `assert`, `branch` are Booleans.
//! - `place`: what is written has the place's type; `load` and `store` are of array places, with index and cell of
//!   the array's types.
//! - `call`: arguments match the callee's parameters in number and type.
//! - `switch`: the value is a bit-vector; the constants are distinct and fit its width.
//! - `return`: the values match the procedure's results in number and type.
//!
//! Arguments of `print` are of any type. The time is linear, but for dominators (Lengauer and Tarjan's simple
//! algorithm, `m log n`), whatever the shape of the program. The verifier shares no code with [`crate::analysis`],
//! which it is there to check.
//!
//! [`UnOp::result`]: crate::UnOp::result

mod body;
mod dominance;
mod insts;
mod tables;

use crate::consts::{mask, ArrayConst, Const};
use crate::entities::*;
use crate::program::{OriginData, Program};
use crate::types::{Scalar, Type, MAX_WIDTH};
use std::fmt;

/// One rule of the module's header.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    Origin,
    Type,
    Constant,
    Name,
    Initial,
    Entry,
    System,
    Step,
    Layout,
    Target,
    EntryBlock,
    Inst,
    Definition,
    Use,
    Dominance,
    BlockArgs,
    Reference,
    Result,
    Operand,
    Condition,
    Place,
    Call,
    Switch,
    Return,
}

impl Rule {
    /// Every rule, so that tests can ask for a failing program of each.
    pub const ALL: [Rule; 24] = [
        Rule::Origin,
        Rule::Type,
        Rule::Constant,
        Rule::Name,
        Rule::Initial,
        Rule::Entry,
        Rule::System,
        Rule::Step,
        Rule::Layout,
        Rule::Target,
        Rule::EntryBlock,
        Rule::Inst,
        Rule::Definition,
        Rule::Use,
        Rule::Dominance,
        Rule::BlockArgs,
        Rule::Reference,
        Rule::Result,
        Rule::Operand,
        Rule::Condition,
        Rule::Place,
        Rule::Call,
        Rule::Switch,
        Rule::Return,
    ];

    /// The name in the module's header.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Origin => "origin",
            Rule::Type => "type",
            Rule::Constant => "constant",
            Rule::Name => "name",
            Rule::Initial => "initial",
            Rule::Entry => "entry",
            Rule::System => "system",
            Rule::Step => "step",
            Rule::Layout => "layout",
            Rule::Target => "target",
            Rule::EntryBlock => "entry-block",
            Rule::Inst => "inst",
            Rule::Definition => "definition",
            Rule::Use => "use",
            Rule::Dominance => "dominance",
            Rule::BlockArgs => "block-args",
            Rule::Reference => "reference",
            Rule::Result => "result",
            Rule::Operand => "operand",
            Rule::Condition => "condition",
            Rule::Place => "place",
            Rule::Call => "call",
            Rule::Switch => "switch",
            Rule::Return => "return",
        }
    }
}

/// A rule that is not kept, and where. Without a procedure it is about the program's tables; with a block but no
/// instruction, about the block or its terminator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub proc: Option<Proc>,
    pub block: Option<Block>,
    pub inst: Option<Inst>,
    pub rule: Rule,
    /// The place in the words of the text form: the procedure's name, the instruction.
    pub place: String,
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} [{}]", self.place, self.message, self.rule.name())
    }
}

/// Checks every rule. On failure there is at least one violation.
pub fn verify(program: &Program) -> Result<(), Vec<Violation>> {
    let mut out = Vec::new();
    tables::check(program, &mut out);
    for proc in program.procs.keys() {
        body::check(program, proc, &mut out);
    }
    if out.is_empty() {
        Ok(())
    } else {
        Err(out)
    }
}

fn legal_width(width: u32) -> bool {
    (1..=MAX_WIDTH).contains(&width)
}

fn legal_scalar(scalar: Scalar) -> bool {
    match scalar {
        Scalar::Bv(width) => legal_width(width),
        Scalar::Bool | Scalar::Float(_) => true,
    }
}

fn legal_type(ty: Type) -> bool {
    match ty {
        Type::Scalar(scalar) => legal_scalar(scalar),
        Type::Array { index, elem } => legal_width(index) && legal_scalar(elem),
    }
}

/// What is wrong with a constant.
fn constant_fault(value: &Const) -> Option<String> {
    match value {
        Const::Bool(_) => None,
        Const::Bv { width, .. } if !legal_width(*width) => Some(format!("a bit-vector of {width} bits")),
        Const::Bv { width, bits } if mask(*width, *bits) != *bits => Some(format!("{bits} is more than {width} bits")),
        Const::Float { format, bits } if mask(format.storage_bits(), *bits) != *bits => {
            Some(format!("{bits:#x} is more than the {} bits of the format", format.storage_bits()))
        }
        Const::Bv { .. } | Const::Float { .. } => None,
        Const::Array(array) => array_fault(array),
    }
}

fn array_fault(array: &ArrayConst) -> Option<String> {
    if !legal_width(array.index) {
        return Some(format!("an array with an index of {} bits", array.index));
    }
    let cell_fault = |cell: &Const| match cell {
        Const::Array(_) => Some("an array in a cell of an array".to_string()),
        _ if cell.ty() != array.elem.into() => Some(format!("a cell of type {}, not {}", cell.ty(), array.elem)),
        _ => constant_fault(cell),
    };
    cell_fault(array.default_cell()).or_else(|| {
        array.cells().find_map(|(index, cell)| match mask(array.index, index) == index {
            true => cell_fault(cell),
            false => Some(format!("a cell at {index}, beyond an index of {} bits", array.index)),
        })
    })
}

fn origin_fault(program: &Program, origin: Origin) -> Option<String> {
    match program.origins.get(origin) {
        None => Some(format!("{origin} does not exist")),
        Some(OriginData::None | OriginData::Source { .. } | OriginData::Element(_)) => None,
    }
}
