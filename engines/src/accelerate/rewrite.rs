//! The rewritten program: before the body of an accelerated loop stands a choice, to go on as before or to make n
//! iterations along one of the paths at once.
//!
//! ```text
//!            ┌────────── the loop's own edges ──────────┐
//!            ▼                                          │
//!  ──► choice ─┬─ plain: assume no path is possible ─┬─► header, body
//!              └─ path i: n unknown, assume constraint(n), cells := forms(n), assume it is the last ─┘
//! ```
//!
//! Where the state decides that a path is taken and how often, no choice is needed: all iterations along it are made
//! before anything else happens at the header ([`Steps::Last`]).
//!
//! The second assumptions are the trace automaton of the thesis (section 3.2.5): iterations along a path are made at
//! once, and as many as there are. They drop only what is there in another way. A single iteration that satisfies
//! `constraint(1)` is path i with n = 1; where `constraint(n + 1)` holds after path i with n, another iteration along it is
//! path i with n + 1. Nothing else is forbidden: where the constraint fails because a number would wrap, the loop goes on
//! as before. On a path that takes unknown values in the constraint does not say that the path is taken: there both
//! assumptions are left out. Nor does it where the path needs more, without which a property is violated: what an iteration needs
//! besides is then part of the assumptions, so that the body is entered where it is violated.
//!
//! Cells of arrays that n iterations write are written by a procedure of their own ([`crate::vc::range`]).

use super::Accelerator;
use crate::annotation::{Cell, Counted, Formula, FormulaNode, RangeWrite};
use crate::vc::header_origin;
use crate::vc::range::RangeRule;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;
use syncline_ir::inline::Inlined;
use syncline_ir::{
    bits_for, BinOp, Block, BlockCall, Const, InstData, Origin, Place, Proc, Procedure, Program, Site, SiteData,
    Terminator, Type, UnOp, Value,
};

/// How many iterations are made at once.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Steps {
    /// All there are, where the state decides that they are made and how many there are: the program comes to the same
    /// places, but not to the header in the states between.
    Last,
    /// Any number, and without the automaton: the header is reached in every state in which the original reaches it.
    Any,
}

/// What an unknown value of the rewritten program is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// One of the original program, at this site.
    Own(Site),
    /// Which path is taken at once: 0 for none.
    Choice,
    /// How often the accelerator's path is taken.
    Count(usize),
    /// The input of the accelerator's path with this number.
    Input(usize, usize),
}

/// A program with accelerators, and what its unknown values are.
pub struct Rewritten {
    pub program: Program,
    pub roles: FxHashMap<Site, Role>,
    /// The procedures that are range-writes, by name.
    pub range_writes: BTreeMap<String, Rc<RangeRule>>,
}

/// Puts the accelerators into a copy of the inlined program. Every unknown value of the copy has a site of its own.
pub fn rewrite(inlined: &Inlined, accelerators: &[Accelerator], steps: Steps) -> Rewritten {
    let mut program = inlined.program.clone();
    let mut roles = FxHashMap::default();
    let mut range_writes = BTreeMap::new();
    let mut body = program.procs[Proc::from_u32(0)].clone();
    for node in body.insts.values_mut() {
        if let InstData::Havoc { site } = &mut node.data {
            let own = program.sites.push(program.sites[*site].clone());
            roles.insert(own, Role::Own(*site));
            *site = own;
        }
    }
    let mut headers: Vec<Block> = accelerators.iter().map(|a| a.header).collect();
    headers.dedup();
    for header in headers {
        let here = accelerators.iter().enumerate().filter(|(_, a)| a.header == header).collect::<Vec<_>>();
        let origin = header_origin(&body, header);
        let (program, roles, body, range_writes) = (&mut program, &mut roles, &mut body, &mut range_writes);
        let mut loops = Loop { program, roles, range_writes, body, origin, header, automaton: steps == Steps::Last };
        let at_once = |a: &Accelerator| steps == Steps::Last && a.most.is_some();
        let (last, any) = here.into_iter().partition::<Vec<_>, _>(|(_, a)| at_once(a));
        loops.rewrite(&last, &any);
    }
    program.procs[Proc::from_u32(0)] = body;
    debug_assert_eq!(syncline_ir::verify::verify(&program).map_err(|v| format!("{v:?}")), Ok(()));
    Rewritten { program, roles, range_writes }
}

struct Loop<'r> {
    program: &'r mut Program,
    roles: &'r mut FxHashMap<Site, Role>,
    range_writes: &'r mut BTreeMap<String, Rc<RangeRule>>,
    body: &'r mut Procedure,
    origin: Origin,
    header: Block,
    automaton: bool,
}

/// Where the state of the header is: its parameters, and the values of n and of inputs.
#[derive(Clone, Default)]
struct Names {
    params: FxHashMap<Value, Value>,
    count: Option<Value>,
    inputs: FxHashMap<usize, Value>,
}

impl Loop<'_> {
    /// First what the state decides, then a choice between the rest.
    fn rewrite(&mut self, last: &[(usize, &Accelerator)], any: &[(usize, &Accelerator)]) {
        let mut target = if any.is_empty() { self.header } else { self.choice(any) };
        for &(at, accelerator) in last.iter().rev() {
            target = self.go_to_the_end(at, accelerator, target);
        }
    }

    /// Before the target, which the loop's edges lead to: where the path is taken, all iterations along it.
    fn go_to_the_end(&mut self, at: usize, accelerator: &Accelerator, target: Block) -> Block {
        let origin = self.origin;
        let Some(most) = &accelerator.most else { return target };
        let test = self.body.add_block(origin);
        self.redirect(target, test);
        let names = self.params(test);
        let block = self.body.add_block(origin);
        let enabled = self.emit(test, &accelerator.enabled, &names);
        let plain = BlockCall::new(target, self.args(&names));
        let branch = Terminator::Branch { cond: enabled, then: block.into(), other: plain };
        self.body.set_term(test, branch, origin);
        let mut count = self.emit(block, most, &names);
        if !accelerator.inputs.is_empty() {
            // Inputs that do not matter come in all the same: n is written down for the run's expansion.
            let unknown = self.unknown(block, "iterations", Type::bv(accelerator.width), Role::Count(at));
            let same = self.body.binary(block, BinOp::Eq, unknown, count, origin);
            self.body.append(block, InstData::Assume { cond: same }, &[], origin);
            count = unknown;
        }
        let mut names = Names { count: Some(count), ..names };
        self.assign(block, accelerator, &mut names);
        let args = self.args(&names);
        self.body.set_term(block, Terminator::Jump(BlockCall::new(target, args)), origin);
        test
    }

    /// The header's parameters, for a block that has the same.
    fn args(&self, names: &Names) -> Vec<Value> {
        self.body.blocks[self.header].params.iter().map(|p| names.params[p]).collect()
    }

    /// The edges that lead to a block lead to another one.
    fn redirect(&mut self, from: Block, to: Block) {
        for &block in &self.body.layout.clone() {
            self.body.blocks[block].term.targets_mut().filter(|t| t.block == from).for_each(|t| t.block = to);
        }
    }

    /// Gives a block the parameters of the header.
    fn params(&mut self, block: Block) -> Names {
        let mut names = Names::default();
        let originals = self.body.blocks[self.header].params.clone();
        for &param in &originals {
            let ty = self.body.value_type(param);
            names.params.insert(param, self.body.add_param(block, ty));
        }
        names
    }

    /// The block that chooses between the body and n iterations along one of the paths.
    fn choice(&mut self, accelerators: &[(usize, &Accelerator)]) -> Block {
        let (header, origin) = (self.header, self.origin);
        let choice = self.body.add_block(origin);
        self.redirect(header, choice);
        let names = self.params(choice);
        let width = bits_for(accelerators.len() + 1);
        let chosen = self.unknown(choice, "accelerated path", Type::bv(width), Role::Choice);
        let plain = self.body.add_block(origin);
        let mut cases = Vec::new();
        for (number, &(at, accelerator)) in (1..).zip(accelerators) {
            let block = self.accelerated(at, accelerator, names.clone());
            cases.push((number, BlockCall::from(block)));
        }
        let switch = Terminator::Switch { value: chosen, cases, default: plain.into() };
        self.body.set_term(choice, switch, origin);
        let automaton = self.automaton;
        for (_, accelerator) in accelerators.iter().filter(|(_, a)| automaton && a.is_determined()) {
            let one = self.body.constant(plain, Const::bv(accelerator.width, 1), origin);
            let once = Names { count: Some(one), ..names.clone() };
            let possible = self.possible(plain, accelerator, &once);
            let not = self.body.unary(plain, UnOp::Not, possible, origin);
            self.body.append(plain, InstData::Assume { cond: not }, &[], origin);
        }
        let args = self.args(&names);
        self.body.set_term(plain, Terminator::Jump(BlockCall::new(header, args)), origin);
        choice
    }

    /// The block that makes n iterations along a path.
    fn accelerated(&mut self, at: usize, accelerator: &Accelerator, mut names: Names) -> Block {
        let (header, origin) = (self.header, self.origin);
        let block = self.body.add_block(origin);
        let count = self.unknown(block, "iterations", Type::bv(accelerator.width), Role::Count(at));
        names.count = Some(count);
        for (number, input) in accelerator.inputs.iter().enumerate().filter(|(_, i)| i.matters) {
            let ty = self.program.sites[input.site].ty;
            let value = self.unknown(block, "input of iterations", ty, Role::Input(at, number));
            names.inputs.insert(number, value);
        }
        let possible = self.emit(block, &accelerator.constraint, &names);
        self.body.append(block, InstData::Assume { cond: possible }, &[], origin);
        let one = self.body.constant(block, Const::bv(accelerator.width, 1), origin);
        let more = self.body.binary(block, BinOp::Add, count, one, origin);
        let further = Names { count: Some(more), ..names.clone() };
        let watched = self.automaton && accelerator.is_determined();
        let further = watched.then(|| self.emit(block, &accelerator.constraint, &further));
        self.assign(block, accelerator, &mut names);
        if let Some(further) = further {
            names.count = Some(one);
            let again = self.possible(block, accelerator, &names);
            let both = self.body.binary(block, BinOp::And, further, again, origin);
            let last = self.body.unary(block, UnOp::Not, both, origin);
            self.body.append(block, InstData::Assume { cond: last }, &[], origin);
        }
        let args = self.args(&names);
        self.body.set_term(block, Terminator::Jump(BlockCall::new(header, args)), origin);
        block
    }

    /// Whether one iteration along the path, named as n = 1, is made and violates nothing.
    fn possible(&mut self, block: Block, accelerator: &Accelerator, once: &Names) -> Value {
        let constraint = self.emit(block, &accelerator.constraint, once);
        let asserted = self.emit(block, &accelerator.asserted, once);
        self.body.binary(block, BinOp::And, constraint, asserted, self.origin)
    }

    /// The cells get the values of their closed forms, arrays what is written to them.
    fn assign(&mut self, block: Block, accelerator: &Accelerator, names: &mut Names) {
        let after: Vec<Value> = accelerator.forms.iter().map(|f| self.emit(block, &f.formula, names)).collect();
        let mut written: Vec<(Cell, Value)> = Vec::new();
        for write in &accelerator.writes {
            let before = written.iter().find(|(c, _)| *c == write.array).map(|w| w.1);
            let before = before.unwrap_or_else(|| self.leaf(block, &Counted::State(write.array), names));
            let array = self.range_write(block, write, before, names);
            written.retain(|(c, _)| *c != write.array);
            written.push((write.array, array));
        }
        for (cell, value) in written {
            self.set(block, cell, value, names);
        }
        for (form, value) in accelerator.forms.iter().zip(after) {
            self.set(block, form.cell, value, names);
        }
    }

    fn set(&mut self, block: Block, cell: Cell, value: Value, names: &mut Names) {
        let place = match cell {
            Cell::Global(var) => Place::Global(var),
            Cell::Local(slot) => Place::Local(slot),
            Cell::Value(param) => {
                names.params.insert(param, value);
                return;
            }
        };
        self.body.append(block, InstData::Write { place, value }, &[], self.origin);
    }

    /// A call of a procedure of its own, which writes one cell after another; the array that comes back.
    fn range_write(&mut self, block: Block, write: &RangeWrite<Cell>, array: Value, names: &Names) -> Value {
        let count = names.count.expect("iterations are counted where they are made at once");
        let mut args = vec![array, self.emit(block, &write.from, names), count];
        let mut known: Vec<Counted<Cell>> = Vec::new();
        let value = write.value.rename(|&c| {
            if c == Counted::Count {
                return Some(Counted::Count);
            }
            let at = known.iter().position(|k| *k == c).unwrap_or_else(|| {
                known.push(c);
                args.push(self.leaf(block, &c, names));
                known.len() - 1
            });
            Some(Counted::State(at + 3))
        });
        let params: Vec<Type> = args.iter().map(|&a| self.body.value_type(a)).collect();
        let rule = RangeRule { params, stride: write.stride, value: value.unwrap_or_default() };
        let name = format!("range_write_{}", self.range_writes.len());
        let callee = self.program.procs.push(range_procedure(&name, &rule, self.origin));
        let ty = rule.params[0];
        self.range_writes.insert(name, Rc::new(rule));
        self.body.append1(block, InstData::Call { callee, args }, ty, self.origin)
    }

    fn unknown(&mut self, block: Block, name: &str, ty: Type, role: Role) -> Value {
        let site = self.program.sites.push(SiteData { name: name.into(), ty, origin: self.origin });
        self.roles.insert(site, role);
        self.body.append1(block, InstData::Havoc { site }, ty, self.origin)
    }

    /// The formula as instructions; its value.
    fn emit(&mut self, block: Block, formula: &Formula<Counted<Cell>>, names: &Names) -> Value {
        let leaves: Vec<Option<Value>> = formula
            .nodes
            .iter()
            .map(|node| match node {
                FormulaNode::State(leaf) => Some(self.leaf(block, leaf, names)),
                FormulaNode::Const(_) | FormulaNode::Un(..) | FormulaNode::Bin(..) | FormulaNode::Ite(..) => None,
            })
            .collect();
        emit(self.body, block, formula, &leaves, self.origin)
    }

    /// What a formula speaks of, at the end of the block.
    fn leaf(&mut self, block: Block, leaf: &Counted<Cell>, names: &Names) -> Value {
        match leaf {
            Counted::Count => names.count.expect("a formula about n is used where there is one"),
            Counted::Input(n) => names.inputs[n],
            Counted::State(Cell::Value(v)) => names.params.get(v).copied().unwrap_or(*v),
            Counted::State(Cell::Global(var)) => {
                let (place, ty) = (Place::Global(*var), self.program.vars[*var].ty);
                self.body.append1(block, InstData::Read { place }, ty, self.origin)
            }
            Counted::State(Cell::Local(slot)) => {
                let (place, ty) = (Place::Local(*slot), self.body.slots[*slot].ty);
                self.body.append1(block, InstData::Read { place }, ty, self.origin)
            }
        }
    }
}

/// A formula as instructions, where its leaves are these values; its value.
fn emit<N>(
    body: &mut Procedure,
    block: Block,
    formula: &Formula<N>,
    leaves: &[Option<Value>],
    origin: Origin,
) -> Value {
    let mut values: Vec<Value> = Vec::with_capacity(formula.nodes.len());
    for (node, leaf) in formula.nodes.iter().zip(leaves) {
        let of = |n: &u32| values[*n as usize];
        let value = match node {
            FormulaNode::Const(c) => body.constant(block, c.clone(), origin),
            FormulaNode::State(_) => leaf.expect("every leaf has a value"),
            FormulaNode::Un(op, a) => body.unary(block, *op, of(a), origin),
            FormulaNode::Bin(op, a, b) => body.binary(block, *op, of(a), of(b), origin),
            FormulaNode::Ite(c, a, b) => body.ite(block, of(c), of(a), of(b), origin),
        };
        values.push(value);
    }
    *values.last().expect("a formula has a root")
}

/// `for (j = 0; j < count; j++) array[from + stride * j] = value(j); return array`.
fn range_procedure(name: &str, rule: &RangeRule, origin: Origin) -> Procedure {
    let mut body = Procedure::new(name, origin);
    let (ty, from_ty, count_ty) = (rule.params[0], rule.params[1], rule.params[2]);
    let (start, header) = (body.entry, body.add_block(origin));
    let params: Vec<Value> = rule.params.iter().map(|&ty| body.add_param(start, ty)).collect();
    let (inside, end) = (body.add_block(origin), body.add_block(origin));
    let zero = body.constant(start, Const::zero(count_ty), origin);
    body.set_term(start, Terminator::Jump(BlockCall::new(header, vec![params[0], zero])), origin);
    let (array, number) = (body.add_param(header, ty), body.add_param(header, count_ty));
    let more = body.binary(header, BinOp::Ult, number, params[2], origin);
    let branch = Terminator::Branch { cond: more, then: inside.into(), other: end.into() };
    body.set_term(header, branch, origin);
    let (width, wide) = (count_ty.width().unwrap_or(1), from_ty.width().unwrap_or(1));
    let times = match width.cmp(&wide) {
        Ordering::Less => body.unary(inside, UnOp::ZExt(wide), number, origin),
        Ordering::Equal => number,
        Ordering::Greater => body.unary(inside, UnOp::Extract { hi: wide - 1, lo: 0 }, number, origin),
    };
    let stride = body.constant(inside, Const::bv(wide, rule.stride), origin);
    let way = body.binary(inside, BinOp::Mul, stride, times, origin);
    let index = body.binary(inside, BinOp::Add, params[1], way, origin);
    let leaf = |node: &FormulaNode<Counted<usize>>| match node {
        FormulaNode::State(Counted::State(arg)) => params.get(*arg).copied(),
        FormulaNode::State(Counted::Count | Counted::Input(_)) => Some(number),
        FormulaNode::Const(_) | FormulaNode::Un(..) | FormulaNode::Bin(..) | FormulaNode::Ite(..) => None,
    };
    let leaves: Vec<Option<Value>> = rule.value.nodes.iter().map(leaf).collect();
    let value = emit(&mut body, inside, &rule.value, &leaves, origin);
    let changed = body.append1(inside, InstData::Update { array, index, value }, ty, origin);
    let one = body.constant(inside, Const::bv(width, 1), origin);
    let next = body.binary(inside, BinOp::Add, number, one, origin);
    body.set_term(inside, Terminator::Jump(BlockCall::new(header, vec![changed, next])), origin);
    body.set_term(end, Terminator::Return(vec![array]), origin);
    body.results = vec![ty];
    body
}
