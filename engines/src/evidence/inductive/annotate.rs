//! The formulas of a certificate: each must be well-formed, and be about state that is there where it is said to hold.
//!
//! A disjunction is read as a list of cases, and a conjunction in it for the state it fixes. That is for speed alone: a
//! segment from a case starts with constants, and cases that cannot be met at its end are left out.

use super::super::emit::Name;
use super::super::refuse;
use super::segment::{Edge, Outcome, Runner, Segment};
use super::unfold::{Activation, Node, Unfolded};
use crate::annotation::{Formula, FormulaNode, Location, Original};
use crate::task::Reason;
use cranelift_entity::EntityRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use syncline_ir::types::MAX_WIDTH;
use syncline_ir::{BinOp, Const, Slot, Type, UnOp, Value, ValueDef, Var};

/// Part of the state at a node.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Part {
    Global(Var),
    Local(Activation, Slot),
    Value(Activation, Value),
    /// A parameter of the node itself.
    Param(usize),
}

/// A formula as a disjunction of cases.
pub(super) struct Annotation {
    formula: Formula<Part>,
    pub cases: Vec<Case>,
}

/// A disjunct.
pub(super) struct Case {
    root: u32,
    /// State it says to be a constant, perhaps more than one.
    pub fixed: Vec<(Part, Const)>,
}

pub(super) type Annotations = BTreeMap<Node, Vec<Annotation>>;

/// The formulas by the node they are about.
pub(super) fn resolve(
    graph: &Unfolded<'_>,
    annotations: &BTreeMap<Location, Vec<Formula<Original>>>,
) -> Outcome<Annotations> {
    let mut resolved = Annotations::new();
    for (location, formulas) in annotations {
        let node = graph.location(location).ok_or_else(|| refuse(format!("there is no place {location:?}")))?;
        let formulas: Outcome<Vec<_>> = formulas.iter().map(|f| formula(graph, node, f).map(Annotation::new)).collect();
        resolved.entry(node).or_default().extend(formulas?);
    }
    Ok(resolved)
}

fn formula(graph: &Unfolded<'_>, node: Node, formula: &Formula<Original>) -> Outcome<Formula<Part>> {
    let mut types: Vec<Type> = Vec::new();
    let mut result = Formula::default();
    let words = |what: &str| refuse(format!("a formula {what}"));
    for item in &formula.nodes {
        let of = |n: &u32| types.get(*n as usize).copied().ok_or_else(|| words("uses a node that is not before it"));
        let ill_typed = || words("has operands that do not fit the operator");
        let (item, ty) = match item {
            FormulaNode::Const(c) if is_legal(c) => (FormulaNode::Const(c.clone()), c.ty()),
            FormulaNode::Const(_) => return Err(words("has a constant that is none")),
            FormulaNode::State(name) => {
                let (part, ty) = part(graph, node, name)?;
                (FormulaNode::State(part), ty)
            }
            FormulaNode::Un(op, a) => (FormulaNode::Un(*op, *a), op.result(of(a)?).ok_or_else(ill_typed)?),
            // The IR compares scalars only; a formula may say what a whole array is.
            FormulaNode::Bin(BinOp::Eq, a, b) if of(a)?.is_array() && of(a)? == of(b)? => {
                (FormulaNode::Bin(BinOp::Eq, *a, *b), Type::BOOL)
            }
            FormulaNode::Bin(op, a, b) => {
                (FormulaNode::Bin(*op, *a, *b), op.result(of(a)?, of(b)?).ok_or_else(ill_typed)?)
            }
            FormulaNode::Ite(c, a, b) => {
                if of(c)? != Type::BOOL || of(a)? != of(b)? {
                    return Err(ill_typed());
                }
                (FormulaNode::Ite(*c, *a, *b), of(a)?)
            }
        };
        types.push(ty);
        result.push(item);
    }
    match types.last() {
        Some(&Type::BOOL) => Ok(result),
        Some(_) => Err(words("is not Boolean")),
        None => Err(words("is empty")),
    }
}

/// Whether the constant has a type of the IR and only the bits of that type.
pub(in crate::evidence) fn is_legal(constant: &Const) -> bool {
    let fits = |width: u32, bits: u128| width >= 128 || bits >> width == 0;
    match constant {
        Const::Bool(_) => true,
        Const::Bv { width, bits } => (1..=MAX_WIDTH).contains(width) && fits(*width, *bits),
        Const::Float { format, bits } => fits(format.storage_bits(), *bits),
        Const::Array(array) => {
            let cell = |c: &Const| c.ty() == array.elem.into() && !c.ty().is_array() && is_legal(c);
            let index = (1..=MAX_WIDTH).contains(&array.index);
            index && cell(array.default_cell()) && array.cells().all(|(i, c)| fits(array.index, i) && cell(c))
        }
    }
}

/// The state of that name at the node, if it has it there.
pub(super) fn part(graph: &Unfolded<'_>, node: Node, name: &Original) -> Result<(Part, Type), Reason> {
    let program = graph.program;
    let none = || refuse(format!("a formula names {name:?}, which is not there where it should hold"));
    let running = graph.running(node);
    let innermost = graph.nodes[node].activation;
    let activation = |calls| {
        let activation = graph.activation(calls).ok_or_else(none)?;
        running.iter().copied().find(|(a, _)| *a == activation).ok_or_else(none)
    };
    match name {
        Original::Global(var) => {
            let data = program.vars.get(*var).ok_or_else(none)?;
            Ok((Part::Global(*var), data.ty))
        }
        Original::Local { calls, slot } => {
            let (activation, _) = activation(calls)?;
            let data = graph.body(activation).slots.get(*slot).ok_or_else(none)?;
            Ok((Part::Local(activation, *slot), data.ty))
        }
        Original::Value { calls, value } => {
            let (activation, place) = activation(calls)?;
            let data = graph.body(activation).values.get(*value).ok_or_else(none)?;
            // A value that no block defines has a record all the same.
            let is_own = match data.def {
                ValueDef::Param(block, n) => {
                    let params = graph.body(activation).blocks.get(block).map(|b| &b.params);
                    params.and_then(|p| p.get(n as usize)) == Some(value)
                }
                ValueDef::Result(inst, n) => {
                    let results = graph.body(activation).insts.get(inst).map(|i| &i.results);
                    results.and_then(|r| r.get(n as usize)) == Some(value)
                }
            };
            if !is_own || !graph.is_defined(activation, place, *value) {
                return Err(none());
            }
            Ok(match data.def {
                ValueDef::Param(block, n) if activation == innermost && block == graph.nodes[node].block => {
                    (Part::Param(n as usize), data.ty)
                }
                ValueDef::Param(..) | ValueDef::Result(..) => (Part::Value(activation, *value), data.ty),
            })
        }
    }
}

impl Annotation {
    fn new(formula: Formula<Part>) -> Annotation {
        let root = formula.nodes.len() as u32 - 1;
        let case = |root: u32| {
            let literals = leaves(&formula, root, BinOp::And);
            Case { root, fixed: literals.into_iter().filter_map(|l| fixed(&formula, l)).collect() }
        };
        let cases = leaves(&formula, root, BinOp::Or).into_iter().map(case).collect();
        Annotation { formula, cases }
    }
}

/// The operands of a tree of one operator.
fn leaves(formula: &Formula<Part>, root: u32, operator: BinOp) -> Vec<u32> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![root];
    while let Some(node) = work.pop() {
        if !seen.insert(node) {
            continue;
        }
        match formula.nodes[node as usize] {
            FormulaNode::Bin(op, a, b) if op == operator => work.extend([b, a]),
            FormulaNode::Bin(..)
            | FormulaNode::Un(..)
            | FormulaNode::Ite(..)
            | FormulaNode::Const(_)
            | FormulaNode::State(_) => found.push(node),
        }
    }
    found
}

/// The part of the state that a literal fixes, and the constant it is.
fn fixed(formula: &Formula<Part>, literal: u32) -> Option<(Part, Const)> {
    let node = |n: u32| &formula.nodes[n as usize];
    match node(literal) {
        FormulaNode::State(part) => Some((*part, Const::TRUE)),
        FormulaNode::Un(UnOp::Not, a) => match node(*a) {
            FormulaNode::State(part) => Some((*part, Const::FALSE)),
            FormulaNode::Const(_) | FormulaNode::Un(..) | FormulaNode::Bin(..) | FormulaNode::Ite(..) => None,
        },
        FormulaNode::Bin(BinOp::Eq, a, b) => match (node(*a), node(*b)) {
            (FormulaNode::State(part), FormulaNode::Const(c)) | (FormulaNode::Const(c), FormulaNode::State(part)) => {
                Some((*part, c.clone()))
            }
            _ => None,
        },
        FormulaNode::Const(_) | FormulaNode::Un(..) | FormulaNode::Bin(..) | FormulaNode::Ite(..) => None,
    }
}

/// A place where the state is looked at: the start of a segment at the node, or its end there.
pub(super) struct At<'e> {
    pub node: Node,
    pub segment: Segment,
    pub edge: &'e Edge,
}

impl Runner<'_, '_> {
    /// Whether the formulas hold.
    pub fn hold(&mut self, at: &At<'_>, annotations: &[Annotation]) -> Outcome<Name> {
        let mut all = self.script.constant(&Const::TRUE);
        for annotation in annotations {
            let one = self.holds(at, annotation)?;
            all = self.script.and(all, one);
        }
        Ok(all)
    }

    /// Whether the formula holds.
    pub fn holds(&mut self, at: &At<'_>, annotation: &Annotation) -> Outcome<Name> {
        let mut any = self.script.constant(&Const::FALSE);
        let mut known = FxHashMap::default();
        for case in &annotation.cases {
            if self.is_possible(at, case)? {
                let one = self.node_of(at, &annotation.formula, case.root, &mut known)?;
                any = self.script.or(any, one);
            }
        }
        Ok(any)
    }

    /// Whether one case of the formula holds.
    pub fn case_holds(&mut self, at: &At<'_>, annotation: &Annotation, case: &Case) -> Outcome<Name> {
        self.node_of(at, &annotation.formula, case.root, &mut FxHashMap::default())
    }

    fn is_possible(&mut self, at: &At<'_>, case: &Case) -> Outcome<bool> {
        for (part, value) in &case.fixed {
            let name = self.part(at, *part)?;
            if !self.script.may_be(name, value) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Part of the state there.
    pub fn part(&mut self, at: &At<'_>, part: Part) -> Outcome<Name> {
        match part {
            Part::Global(var) => Ok(at.edge.globals[var.index()]),
            Part::Param(n) => Ok(at.edge.args[n]),
            Part::Value(activation, value) => self.value(at.segment, activation, value),
            Part::Local(activation, slot) => {
                let innermost = self.graph.nodes[at.node].activation;
                let slots = self.slots(at.segment, at.edge, innermost, activation);
                Ok(slots.ok_or_else(|| refuse("a caller that does not wait"))?[slot.index()])
            }
        }
    }

    /// A node of a formula, and those it needs.
    fn node_of(
        &mut self,
        at: &At<'_>,
        formula: &Formula<Part>,
        root: u32,
        known: &mut FxHashMap<u32, Name>,
    ) -> Outcome<Name> {
        let no_term = || refuse("an operator of a formula has no SMT-LIB term");
        let mut work = vec![root];
        while let Some(&n) = work.last() {
            let item = &formula.nodes[n as usize];
            let operands = operands(item);
            let before = work.len();
            work.extend(operands.iter().flatten().filter(|o| !known.contains_key(o)));
            if work.len() > before {
                continue;
            }
            work.pop();
            let of = |n: &u32| known[n];
            let name = match item {
                FormulaNode::Const(c) => self.script.constant(c),
                FormulaNode::State(part) => self.part(at, *part)?,
                FormulaNode::Un(op, a) => self.script.unary(*op, of(a)).ok_or_else(no_term)?,
                FormulaNode::Bin(op, a, b) => self.script.binary(*op, of(a), of(b)).ok_or_else(no_term)?,
                FormulaNode::Ite(c, a, b) => self.script.ite(of(c), of(a), of(b)),
            };
            known.insert(n, name);
        }
        Ok(known[&root])
    }
}

fn operands(node: &FormulaNode<Part>) -> [Option<u32>; 3] {
    match *node {
        FormulaNode::Const(_) | FormulaNode::State(_) => [None, None, None],
        FormulaNode::Un(_, a) => [Some(a), None, None],
        FormulaNode::Bin(_, a, b) => [Some(a), Some(b), None],
        FormulaNode::Ite(c, a, b) => [Some(c), Some(a), Some(b)],
    }
}
