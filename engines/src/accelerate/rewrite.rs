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
//! The second assumptions are the trace automaton of the thesis (section 3.2.5): iterations along a path are made at
//! once, and as many as there are. They drop only what is there in another way. A single iteration that satisfies
//! `constraint(1)` is path i with n = 1; where `constraint(n + 1)` holds after path i with n, another iteration along it is
//! path i with n + 1. Nothing else is forbidden: where the constraint fails because a number would wrap, the loop goes on
//! as before. On a path that takes unknown values in the constraint does not say that the path is taken: there both
//! assumptions are left out.

use super::Accelerator;
use crate::annotation::{Cell, Counted, Formula, FormulaNode};
use crate::vc::header_origin;
use rustc_hash::FxHashMap;
use syncline_ir::inline::Inlined;
use syncline_ir::{
    bits_for, BinOp, Block, BlockCall, Const, InstData, Origin, Place, Proc, Procedure, Program, Site, SiteData,
    Terminator, Type, UnOp, Value,
};

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
}

/// Puts the accelerators into a copy of the inlined program. Every unknown value of the copy has a site of its own.
pub fn rewrite(inlined: &Inlined, accelerators: &[Accelerator]) -> Rewritten {
    let mut program = inlined.program.clone();
    let mut roles = FxHashMap::default();
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
        let mut loops = Loop { program: &mut program, roles: &mut roles, body: &mut body, origin, header };
        loops.rewrite(&here);
    }
    program.procs[Proc::from_u32(0)] = body;
    debug_assert_eq!(syncline_ir::verify::verify(&program).map_err(|v| format!("{v:?}")), Ok(()));
    Rewritten { program, roles }
}

struct Loop<'r> {
    program: &'r mut Program,
    roles: &'r mut FxHashMap<Site, Role>,
    body: &'r mut Procedure,
    origin: Origin,
    header: Block,
}

/// Where the state of the header is: its parameters, and the values of n and of inputs.
#[derive(Clone, Default)]
struct Names {
    params: FxHashMap<Value, Value>,
    count: Option<Value>,
    inputs: FxHashMap<usize, Value>,
}

impl Loop<'_> {
    fn rewrite(&mut self, accelerators: &[(usize, &Accelerator)]) {
        let (header, origin) = (self.header, self.origin);
        let params = self.body.blocks[header].params.clone();
        let choice = self.body.add_block(origin);
        for &block in &self.body.layout.clone() {
            self.body.blocks[block].term.targets_mut().filter(|t| t.block == header).for_each(|t| t.block = choice);
        }
        let mut names = Names::default();
        for &param in &params {
            let ty = self.body.value_type(param);
            names.params.insert(param, self.body.add_param(choice, ty));
        }
        let width = bits_for(accelerators.len() + 1);
        let chosen = self.unknown(choice, "accelerated path", Type::bv(width), Role::Choice);
        let plain = self.body.add_block(origin);
        let mut cases = Vec::new();
        for (number, &(at, accelerator)) in (1..).zip(accelerators) {
            let block = self.accelerated(at, accelerator, &params, names.clone());
            cases.push((number, BlockCall::from(block)));
        }
        let switch = Terminator::Switch { value: chosen, cases, default: plain.into() };
        self.body.set_term(choice, switch, origin);
        for (_, accelerator) in accelerators.iter().filter(|(_, a)| a.is_determined()) {
            let one = self.body.constant(plain, Const::bv(accelerator.width, 1), origin);
            let once = Names { count: Some(one), ..names.clone() };
            let possible = self.emit(plain, &accelerator.constraint, &once);
            let not = self.body.unary(plain, UnOp::Not, possible, origin);
            self.body.append(plain, InstData::Assume { cond: not }, &[], origin);
        }
        let args = params.iter().map(|p| names.params[p]).collect();
        self.body.set_term(plain, Terminator::Jump(BlockCall::new(header, args)), origin);
    }

    /// The block that makes n iterations along a path.
    fn accelerated(&mut self, at: usize, accelerator: &Accelerator, params: &[Value], mut names: Names) -> Block {
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
        let after: Vec<Value> = accelerator.forms.iter().map(|f| self.emit(block, &f.formula, &names)).collect();
        let one = self.body.constant(block, Const::bv(accelerator.width, 1), origin);
        let more = self.body.binary(block, BinOp::Add, count, one, origin);
        let further = Names { count: Some(more), ..names.clone() };
        let further = accelerator.is_determined().then(|| self.emit(block, &accelerator.constraint, &further));
        for (form, &value) in accelerator.forms.iter().zip(&after) {
            let place = match form.cell {
                Cell::Global(var) => Place::Global(var),
                Cell::Local(slot) => Place::Local(slot),
                Cell::Value(param) => {
                    names.params.insert(param, value);
                    continue;
                }
            };
            self.body.append(block, InstData::Write { place, value }, &[], origin);
        }
        if let Some(further) = further {
            names.count = Some(one);
            let again = self.emit(block, &accelerator.constraint, &names);
            let both = self.body.binary(block, BinOp::And, further, again, origin);
            let last = self.body.unary(block, UnOp::Not, both, origin);
            self.body.append(block, InstData::Assume { cond: last }, &[], origin);
        }
        let args = params.iter().map(|p| names.params[p]).collect();
        self.body.set_term(block, Terminator::Jump(BlockCall::new(header, args)), origin);
        block
    }

    fn unknown(&mut self, block: Block, name: &str, ty: Type, role: Role) -> Value {
        let site = self.program.sites.push(SiteData { name: name.into(), ty, origin: self.origin });
        self.roles.insert(site, role);
        self.body.append1(block, InstData::Havoc { site }, ty, self.origin)
    }

    /// The formula as instructions; its value.
    fn emit(&mut self, block: Block, formula: &Formula<Counted<Cell>>, names: &Names) -> Value {
        let origin = self.origin;
        let mut values: Vec<Value> = Vec::with_capacity(formula.nodes.len());
        for node in &formula.nodes {
            let of = |n: &u32| values[*n as usize];
            let value = match node {
                FormulaNode::Const(c) => self.body.constant(block, c.clone(), origin),
                FormulaNode::State(Counted::Count) => {
                    names.count.expect("a formula about n is used where there is one")
                }
                FormulaNode::State(Counted::Input(n)) => names.inputs[n],
                FormulaNode::State(Counted::State(Cell::Value(v))) => names.params.get(v).copied().unwrap_or(*v),
                FormulaNode::State(Counted::State(Cell::Global(var))) => {
                    let (place, ty) = (Place::Global(*var), self.program.vars[*var].ty);
                    self.body.append1(block, InstData::Read { place }, ty, origin)
                }
                FormulaNode::State(Counted::State(Cell::Local(slot))) => {
                    let (place, ty) = (Place::Local(*slot), self.body.slots[*slot].ty);
                    self.body.append1(block, InstData::Read { place }, ty, origin)
                }
                FormulaNode::Un(op, a) => self.body.unary(block, *op, of(a), origin),
                FormulaNode::Bin(op, a, b) => self.body.binary(block, *op, of(a), of(b), origin),
                FormulaNode::Ite(c, a, b) => self.body.ite(block, of(c), of(a), of(b), origin),
            };
            values.push(value);
        }
        *values.last().expect("a formula has a root")
    }
}
