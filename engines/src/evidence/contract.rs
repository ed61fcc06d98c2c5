//! Contracts of procedures and loops: what they say at a place of a run, and whether the bodies keep them.
//!
//! Each region, a procedure or a loop, is run once from any state that its contract lets in, with everything it calls
//! closed ([`super::inlining`]). Where it makes a call it must keep the callee's contract, where it is left its own; what a
//! call gives back may be taken to be as the callee's contract says. A region that is said to be safe must reach nothing asked
//! for, and make no call that may. The contract of the entry must hold of the initial values: that is asked with the
//! nodes of the certificate.
//!
//! **Why that is enough.** Along a run on which something asked for is reached: the first entry to a region or exit from
//! one that breaks its contract, or the first thing that a safe region reaches, lies in a region whose own entry and whose
//! calls so far have kept theirs; so the query about that region is satisfiable. (What no run goes through towards
//! something asked for is not run here either.)
//!
//! A formula may speak of variables, of locals where a loop is entered and left, of parameters, of results, and of values from
//! outside a loop that it uses: those are defined wherever it is entered. Others may not be, and are refused.

use super::emit::Name;
use super::inductive::is_legal;
use super::inlining::Opened;
use super::refuse;
use super::solve::{is_unsat, Judge};
use super::state::{take, Pending, Shape, State};
use super::unwinding::{Encoder, Frame, Outcome, Plan, Via};
use crate::annotation::{Cell, Face, Formula, FormulaNode};
use crate::task::{Contract, InlinedNode, Reason};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use syncline_ir::analysis::{CallGraph, Effects, LoopId, LoopNest};
use syncline_ir::{Block, Const, Initial, InstData, Proc, Procedure, Program, Prop, Type, Value, Var, VarData};

pub(super) type Contracts = BTreeMap<(Proc, Option<Block>), Contract>;

/// What a region takes in.
pub(super) struct Taken {
    pub globals: Rc<Vec<Name>>,
    /// Empty of a procedure.
    pub slots: Rc<Vec<Name>>,
    pub values: FxHashMap<Value, Name>,
}

/// What it gives back.
pub(super) struct Given {
    pub globals: Rc<Vec<Name>>,
    pub slots: Rc<Vec<Name>>,
    /// Empty of a loop.
    pub results: Vec<Name>,
}

fn meaning(face: Face, taken: &Taken, given: Option<&Given>) -> Option<Name> {
    match face {
        Face::In(Cell::Global(var)) => taken.globals.get(var.as_u32() as usize).copied(),
        Face::In(Cell::Local(slot)) => taken.slots.get(slot.as_u32() as usize).copied(),
        Face::In(Cell::Value(value)) => taken.values.get(&value).copied(),
        Face::Out(Cell::Global(var)) => given?.globals.get(var.as_u32() as usize).copied(),
        Face::Out(Cell::Local(slot)) => given?.slots.get(slot.as_u32() as usize).copied(),
        Face::Out(Cell::Value(_)) => None,
        Face::Result(n) => given?.results.get(n as usize).copied(),
    }
}

/// Values from outside a loop that it uses: they are there whenever its header is come to.
fn used_from_outside(body: &Procedure, nest: &LoopNest, l: LoopId) -> FxHashSet<Value> {
    let mut own: FxHashSet<Value> = FxHashSet::default();
    let mut used: FxHashSet<Value> = FxHashSet::default();
    for &block in &body.layout {
        let data = &body.blocks[block];
        if !nest.contains(l, block) {
            continue;
        }
        own.extend(data.params.iter().copied());
        own.extend(data.insts.iter().flat_map(|&i| body.insts[i].results.iter().copied()));
        data.insts.iter().for_each(|&i| body.insts[i].data.for_each_arg(|v| used.extend([v])));
        data.term.for_each_arg(|v| used.extend([v]));
    }
    used.retain(|v| !own.contains(v));
    used
}

impl Encoder<'_> {
    /// The contract of a region, if it has one.
    pub fn contract(&mut self, proc: Proc, header: Option<Block>) -> Outcome<Option<Contract>> {
        Ok(self.opened()?.contracts.get(&(proc, header)).cloned())
    }

    /// Whether all the formulas hold.
    pub fn all_hold(&mut self, formulas: &[Formula<Face>], taken: &Taken, given: Option<&Given>) -> Outcome<Name> {
        let mut all = self.script.constant(&Const::TRUE);
        for formula in formulas {
            let one = self.formula_holds(formula, taken, given)?;
            all = self.script.and(all, one);
        }
        Ok(all)
    }

    fn formula_holds(&mut self, formula: &Formula<Face>, taken: &Taken, given: Option<&Given>) -> Outcome<Name> {
        let ill = || refuse("a formula of a contract is not well-formed");
        let mut names: Vec<Name> = Vec::with_capacity(formula.nodes.len());
        for node in &formula.nodes {
            let of = |n: &u32| names.get(*n as usize).copied().ok_or_else(ill);
            let name = match node {
                FormulaNode::Const(c) if is_legal(c) => self.script.constant(c),
                FormulaNode::Const(_) => return Err(ill()),
                FormulaNode::State(face) => meaning(*face, taken, given)
                    .ok_or_else(|| refuse("a contract names what is not there where it should hold"))?,
                FormulaNode::Un(op, a) => {
                    let a = of(a)?;
                    op.result(self.script.ty(a)).ok_or_else(ill)?;
                    self.script.unary(*op, a).ok_or_else(ill)?
                }
                FormulaNode::Bin(op, a, b) => {
                    let (a, b) = (of(a)?, of(b)?);
                    self.script.binary(*op, a, b).ok_or_else(ill)?
                }
                FormulaNode::Ite(c, a, b) => {
                    let (c, a, b) = (of(c)?, of(a)?, of(b)?);
                    if self.script.ty(c) != Type::BOOL || self.script.ty(a) != self.script.ty(b) {
                        return Err(ill());
                    }
                    self.script.ite(c, a, b)
                }
            };
            names.push(name);
        }
        match names.last() {
            Some(&root) if self.script.ty(root) == Type::BOOL => Ok(root),
            Some(_) | None => Err(ill()),
        }
    }

    /// What a procedure takes in.
    pub fn taken_by(&self, proc: Proc, globals: &Rc<Vec<Name>>, args: &[Name]) -> Taken {
        let params = self.program.procs[proc].params();
        let values = params.iter().copied().zip(args.iter().copied()).collect();
        Taken { globals: globals.clone(), slots: Rc::default(), values }
    }

    /// What a loop takes in at its header.
    pub fn taken_by_loop(&self, shape: &Shape, l: LoopId, state: &State, args: &[Name]) -> Taken {
        let body = &self.program.procs[self.frame().proc];
        let params = &body.blocks[shape.nest.loops[l].header].params;
        let mut values: FxHashMap<Value, Name> = FxHashMap::default();
        for value in used_from_outside(body, &shape.nest, l) {
            let name = shape.wide[value].and_then(|n| state.values[n as usize]);
            values.extend(name.map(|name| (value, name)));
        }
        values.extend(params.iter().copied().zip(args.iter().copied()));
        Taken { globals: state.globals.clone(), slots: state.slots.clone(), values }
    }

    /// The state in which a loop is entered may be taken to keep its contract; while contracts are checked it must.
    pub fn enter_loop(&mut self, shape: &Shape, l: LoopId, state: &mut State, args: &[Name]) -> Outcome<()> {
        let header = shape.nest.loops[l].header;
        let Some(contract) = self.contract(self.frame().proc, Some(header))? else { return Ok(()) };
        let taken = self.taken_by_loop(shape, l, state, args);
        let holds = self.all_hold(&contract.requires, &taken, None)?;
        self.must_hold(state.guard, holds)?;
        state.guard = self.script.and(state.guard, holds);
        Ok(())
    }

    /// While contracts are checked: a run that comes here without this breaks one.
    pub fn must_hold(&mut self, guard: Name, holds: Name) -> Outcome<()> {
        let fails = self.script.not(holds);
        let broken = self.script.and(guard, fails);
        if !self.script.is_known(broken, false) && self.opened()?.modular {
            self.opened()?.broken.push(broken);
        }
        Ok(())
    }

    /// Variables with any value; those that no run writes have their initial one.
    fn any_globals(&mut self) -> Outcome<Rc<Vec<Name>>> {
        let entry = self.program.entry.ok_or_else(|| refuse("the program has no entry"))?;
        let written = self.opened()?.effects.of(entry).written.clone();
        let of = |(var, data): (Var, &VarData)| match &data.init {
            Initial::Const(c) if !written.contains(var) => self.script.constant(c),
            Initial::Const(_) | Initial::Any(_) => self.script.declare(data.ty),
        };
        Ok(Rc::new(self.program.vars.iter().map(of).collect()))
    }

    /// Runs a procedure from any state that its contract lets in.
    fn run_procedure(&mut self, proc: Proc, contract: &Contract, after: bool) -> Outcome<()> {
        let body = &self.program.procs[proc];
        let globals = self.any_globals()?;
        let args: Vec<Name> = body.params().iter().map(|&p| self.script.declare(body.value_type(p))).collect();
        let taken = self.taken_by(proc, &globals, &args);
        let guard = self.all_hold(&contract.requires, &taken, None)?;
        let edges = self.activate(proc, Via { call: None, node: 0 }, guard, globals, args, after)?;
        // Where nothing follows, what comes back does not matter.
        for (state, results) in edges.into_iter().filter(|_| after) {
            let given = Given { globals: state.globals.clone(), slots: Rc::default(), results };
            let holds = self.all_hold(&contract.ensures, &taken, Some(&given))?;
            self.must_hold(state.guard, holds)?;
        }
        Ok(())
    }

    /// Runs one iteration of a loop from any state that its contract lets in; the rest of the loop is closed.
    fn run_iteration(&mut self, proc: Proc, l: LoopId, contract: &Contract, after: bool) -> Outcome<()> {
        let body = &self.program.procs[proc];
        let shape = self.shape(proc);
        let header = shape.nest.loops[l].header;
        let guard = self.script.constant(&Const::TRUE);
        let mut wide = vec![None; shape.wide_count];
        for (value, data) in body.values.iter() {
            if let Some(n) = shape.wide[value] {
                wide[n as usize] = Some(self.script.declare(data.ty));
            }
        }
        let mut state = State {
            guard,
            globals: self.any_globals()?,
            slots: Rc::new(body.slots.values().map(|s| self.script.declare(s.ty)).collect()),
            values: Rc::new(wide),
        };
        let params = &body.blocks[header].params;
        let args: Vec<Name> = params.iter().map(|&p| self.script.declare(body.value_type(p))).collect();
        self.stack.push(Frame { proc, call: None, shape: shape.clone(), after, returned: Vec::new(), node: 0 });
        let taken = self.taken_by_loop(&shape, l, &state, &args);
        state.guard = self.all_hold(&contract.requires, &taken, None)?;
        let mut pending = Pending::default();
        pending.entry(header).or_default().push((state, args));
        let mut left = self.components(&shape.nest.loops[l].body, pending)?;
        let back = take(&mut left, |b| b == header);
        if !back.is_empty() {
            self.close_loop(&shape, l, back, &mut left)?;
        }
        left.retain(|&b, _| self.matters(&shape, b));
        for block in &contract.never {
            let never = self.script.constant(&Const::FALSE);
            for (state, _) in left.remove(block).into_iter().flatten() {
                self.must_hold(state.guard, never)?;
            }
        }
        let returned = self.stack.pop().map(|f| f.returned).filter(|_| after).unwrap_or_default();
        for (state, _) in left.into_values().flatten().chain(returned) {
            let given = Given { globals: state.globals.clone(), slots: state.slots.clone(), results: Vec::new() };
            let holds = self.all_hold(&contract.ensures, &taken, Some(&given))?;
            self.must_hold(state.guard, holds)?;
        }
        Ok(())
    }
}

/// Whether every region that runs can come to keeps the contracts.
pub(super) fn check(
    program: &Program,
    props: &[Prop],
    contracts: &Contracts,
    effects: &Rc<Effects>,
    judge: &mut Judge,
) -> Result<(), Reason> {
    if contracts.is_empty() {
        return Ok(());
    }
    let none = [InlinedNode::default()];
    let plan = || Ok::<_, Reason>(Plan::Nodes(Opened::new(effects.clone(), &none, contracts, true)?));
    let mut base = Encoder::new(program, props, plan()?, judge.deadline);
    let after = base.matter_after();
    let reached = CallGraph::compute(program).reachable(program.entry);
    for proc in program.procs.keys().filter(|&p| reached.contains(p)) {
        let nest = LoopNest::compute(&program.procs[proc]);
        for part in std::iter::once(None).chain(nest.loops.keys().map(Some)) {
            if !is_concerned(program, contracts, proc, &nest, part) {
                continue;
            }
            let mut encoder = base.afresh(plan()?);
            let header = part.map(|l| nest.loops[l].header);
            let contract = encoder.contract(proc, header)?.unwrap_or_default();
            match part {
                None => encoder.run_procedure(proc, &contract, after.contains(proc))?,
                Some(l) => encoder.run_iteration(proc, l, &contract, after.contains(proc))?,
            }
            let mut asked = std::mem::take(&mut encoder.opened()?.broken);
            if contract.safe {
                asked.append(&mut encoder.violations);
            }
            asked.retain(|&name| !encoder.script.is_known(name, false));
            if asked.is_empty() {
                continue;
            }
            let query = encoder.script.query(&[], &asked);
            let name = &program.procs[proc].name;
            if !is_unsat(&query, judge.deadline)? {
                return Err(refuse(format!("a contract is not kept in {name}")));
            }
            let place = header.map_or(String::new(), |h| format!("-{h}"));
            let purpose = format!("contract-{}{place}", name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
            judge.keep(purpose, "the body keeps its contract and those of what it calls", query);
        }
    }
    Ok(())
}

/// Whether a region has a contract, or its body comes to one that has.
fn is_concerned(program: &Program, contracts: &Contracts, proc: Proc, nest: &LoopNest, part: Option<LoopId>) -> bool {
    let body = &program.procs[proc];
    let inside = |&b: &Block| part.is_none_or(|l| nest.contains(l, b));
    let asks = |key: (Proc, Option<Block>)| contracts.contains_key(&key);
    let mut blocks = body.layout.iter().copied().filter(inside);
    asks((proc, part.map(|l| nest.loops[l].header)))
        || blocks.any(|b| {
            asks((proc, Some(b)))
                || body.blocks[b].insts.iter().any(|&i| match body.insts[i].data {
                    InstData::Call { callee, .. } => asks((callee, None)),
                    InstData::Const(_)
                    | InstData::Unary { .. }
                    | InstData::Binary { .. }
                    | InstData::Ite { .. }
                    | InstData::Update { .. }
                    | InstData::Havoc { .. }
                    | InstData::Read { .. }
                    | InstData::Load { .. }
                    | InstData::Write { .. }
                    | InstData::Store { .. }
                    | InstData::Assume { .. }
                    | InstData::Assert { .. }
                    | InstData::Unsupported { .. }
                    | InstData::Print { .. } => false,
                })
        })
}
