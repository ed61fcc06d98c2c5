//! Sparse conditional constant propagation (Wegman and Zadeck), one procedure at a time: values that are the same
//! constant on every run that can happen become that constant, branches on them become jumps, blocks only such
//! branches lead to go away, and so do parameters that only ever receive one value. An `assume` or `assert` whose
//! condition is true goes away; behind one whose condition is false nothing happens, so the block stops there.
//!
//! Array constants are followed, so that a cell of a constant table folds, but only scalars are rewritten: a chain of
//! updates of one table should not become a chain of tables. Needs slots to be gone to be of use; reads of variables
//! count as unknown. Loop-closed form is lost.

use super::edit::{drop_params, remove_unreachable_blocks, Aliases};
use crate::analysis::Cfg;
use crate::consts::Const;
use crate::entities::{Block, Inst, Value};
use crate::eval;
use crate::inst::{InstData, Terminator};
use crate::ops::BinOp;
use crate::program::{Procedure, Program};
use cranelift_entity::{EntityRef, SecondaryMap};

pub fn constprop(program: &mut Program) {
    for proc in program.procs.values_mut() {
        remove_unreachable_blocks(proc);
        let solution = Solver::new(proc).solve();
        rewrite(proc, &solution);
        remove_unreachable_blocks(proc);
        forward_params(proc);
    }
}

/// What is known of a value on the runs seen so far.
#[derive(Clone, PartialEq, Debug)]
enum Fact {
    /// No run comes by.
    Unseen,
    Const(Const),
    Varies,
}

impl Fact {
    fn as_bool(&self) -> Option<bool> {
        match self {
            Fact::Const(c) => c.as_bool(),
            Fact::Unseen | Fact::Varies => None,
        }
    }
}

#[derive(Copy, Clone)]
enum Use {
    Inst(Block, Inst),
    /// The condition of the block's terminator.
    Condition(Block),
    Argument {
        block: Block,
        target: u32,
        param: Value,
    },
}

/// What the rewriting needs.
struct Solution {
    facts: Vec<Fact>,
    entered: Vec<bool>,
}

struct Solver<'a> {
    proc: &'a Procedure,
    facts: Vec<Fact>,
    uses: Vec<Vec<Use>>,
    entered: Vec<bool>,
    /// For each block, which of its edges are taken.
    taken: SecondaryMap<Block, Vec<bool>>,
    /// For each block, how many of its `assume`s and `assert`s no run passes.
    closed: Vec<u32>,
    /// `assume`s and `assert`s that some run passes.
    passed: Vec<bool>,
    blocks: Vec<Block>,
    changed: Vec<Value>,
}

impl<'a> Solver<'a> {
    fn new(proc: &'a Procedure) -> Solver<'a> {
        let mut solver = Solver {
            proc,
            facts: vec![Fact::Unseen; proc.values.len()],
            uses: vec![Vec::new(); proc.values.len()],
            entered: vec![false; proc.blocks.len()],
            taken: SecondaryMap::with_capacity(proc.blocks.len()),
            closed: vec![0; proc.blocks.len()],
            passed: vec![false; proc.insts.len()],
            blocks: Vec::new(),
            changed: Vec::new(),
        };
        proc.layout.iter().for_each(|&b| solver.collect_uses(b));
        solver
    }

    fn collect_uses(&mut self, block: Block) {
        let data = &self.proc.blocks[block];
        for &inst in &data.insts {
            let node = &self.proc.insts[inst].data;
            node.for_each_arg(|v| self.uses[v.index()].push(Use::Inst(block, inst)));
            if matches!(node, InstData::Assume { .. } | InstData::Assert { .. }) {
                self.closed[block.index()] += 1;
            }
        }
        if let Terminator::Branch { cond: v, .. } | Terminator::Switch { value: v, .. } = &data.term {
            self.uses[v.index()].push(Use::Condition(block));
        }
        for (target, call) in (0..).zip(data.term.targets()) {
            for (arg, &param) in call.args.iter().zip(&self.proc.blocks[call.block].params) {
                self.uses[arg.index()].push(Use::Argument { block, target, param });
            }
            self.taken[block].push(false);
        }
    }

    fn solve(mut self) -> Solution {
        let entry = self.proc.entry;
        self.entered[entry.index()] = true;
        self.blocks.push(entry);
        for &param in self.proc.params() {
            self.lower(param, Fact::Varies);
        }
        loop {
            if let Some(value) = self.changed.pop() {
                for n in 0..self.uses[value.index()].len() {
                    self.revisit(value, self.uses[value.index()][n]);
                }
            } else if let Some(block) = self.blocks.pop() {
                let proc = self.proc;
                proc.blocks[block].insts.iter().for_each(|&inst| self.visit(block, inst));
                self.leave(block);
            } else {
                return Solution { facts: self.facts, entered: self.entered };
            }
        }
    }

    fn revisit(&mut self, value: Value, at: Use) {
        match at {
            Use::Inst(block, inst) if self.entered[block.index()] => self.visit(block, inst),
            Use::Condition(block) => self.leave(block),
            Use::Argument { block, target, param } if self.taken[block][target as usize] => {
                self.lower(param, self.facts[value.index()].clone());
            }
            Use::Inst(..) | Use::Argument { .. } => {}
        }
    }

    /// Adds runs on which the value has this fact.
    fn lower(&mut self, value: Value, fact: Fact) {
        let old = &mut self.facts[value.index()];
        let new = match (&*old, fact) {
            (Fact::Varies, _) | (_, Fact::Unseen) => return,
            (Fact::Unseen, fact) => fact,
            (Fact::Const(a), Fact::Const(b)) if *a == b => return,
            (Fact::Const(_), Fact::Const(_) | Fact::Varies) => Fact::Varies,
        };
        *old = new;
        self.changed.push(value);
    }

    fn visit(&mut self, block: Block, inst: Inst) {
        let node = &self.proc.insts[inst];
        if let InstData::Assume { cond } | InstData::Assert { cond, .. } = node.data {
            let open = match &self.facts[cond.index()] {
                Fact::Unseen => false,
                fact => fact.as_bool() != Some(false),
            };
            if open && !std::mem::replace(&mut self.passed[inst.index()], true) {
                self.closed[block.index()] -= 1;
                self.leave(block);
            }
            return;
        }
        let fact = self.evaluate(&node.data);
        node.results.iter().for_each(|&r| self.lower(r, fact.clone()));
    }

    fn evaluate(&self, data: &InstData) -> Fact {
        let fact = |v: Value| &self.facts[v.index()];
        match data {
            InstData::Const(c) => Fact::Const(c.clone()),
            InstData::Unary { op, arg } => match fact(*arg) {
                Fact::Const(c) => Fact::Const(eval::unary(*op, c)),
                other => other.clone(),
            },
            InstData::Binary { op, args: [a, b] } => binary(*op, fact(*a), fact(*b), a == b),
            InstData::Ite { cond, then, other } => match (fact(*cond), fact(*then), fact(*other)) {
                (Fact::Unseen, _, _) => Fact::Unseen,
                (Fact::Const(c), then, other) => if *c == Const::TRUE { then } else { other }.clone(),
                (Fact::Varies, then, other) if then == other => then.clone(),
                (Fact::Varies, Fact::Unseen, other) | (Fact::Varies, other, Fact::Unseen) => other.clone(),
                (Fact::Varies, _, _) => Fact::Varies,
            },
            InstData::Update { array, index, value } => match (fact(*array), fact(*index), fact(*value)) {
                (Fact::Const(a), Fact::Const(i), Fact::Const(v)) => Fact::Const(eval::update(a, i, v)),
                (Fact::Varies, _, _) | (_, Fact::Varies, _) | (_, _, Fact::Varies) => Fact::Varies,
                _ => Fact::Unseen,
            },
            InstData::Havoc { .. } | InstData::Read { .. } | InstData::Load { .. } | InstData::Call { .. } => {
                Fact::Varies
            }
            // No results.
            InstData::Write { .. }
            | InstData::Store { .. }
            | InstData::Assume { .. }
            | InstData::Assert { .. }
            | InstData::Unsupported { .. }
            | InstData::Print { .. } => Fact::Varies,
        }
    }

    /// Follows the edges that runs take out of the block, if any get that far.
    fn leave(&mut self, block: Block) {
        if !self.entered[block.index()] || self.closed[block.index()] > 0 {
            return;
        }
        match &self.proc.blocks[block].term {
            Terminator::Jump(_) | Terminator::Step(_) => self.take(block, 0),
            Terminator::Branch { cond: value, .. } | Terminator::Switch { value, .. } => {
                match &self.facts[value.index()] {
                    Fact::Unseen => {}
                    Fact::Const(c) => self.take(block, chosen(&self.proc.blocks[block].term, c)),
                    Fact::Varies => (0..self.taken[block].len()).for_each(|n| self.take(block, n)),
                }
            }
            Terminator::Return(_) | Terminator::Stop => {}
        }
    }

    fn take(&mut self, block: Block, edge: usize) {
        if std::mem::replace(&mut self.taken[block][edge], true) {
            return;
        }
        let proc = self.proc;
        let Some(call) = proc.blocks[block].term.targets().nth(edge) else { return };
        for (arg, &param) in call.args.iter().zip(&proc.blocks[call.block].params) {
            self.lower(param, self.facts[arg.index()].clone());
        }
        if !std::mem::replace(&mut self.entered[call.block.index()], true) {
            self.blocks.push(call.block);
        }
    }
}

/// The edge a branch or switch takes on this constant.
fn chosen(term: &Terminator, value: &Const) -> usize {
    match term {
        Terminator::Branch { .. } => usize::from(*value != Const::TRUE),
        Terminator::Switch { cases, .. } => {
            let bits = value.as_bits();
            cases.iter().position(|(case, _)| Some(*case) == bits).unwrap_or(cases.len())
        }
        Terminator::Jump(_) | Terminator::Step(_) | Terminator::Return(_) | Terminator::Stop => 0,
    }
}

fn binary(op: BinOp, a: &Fact, b: &Fact, same: bool) -> Fact {
    let either = |value: bool| a.as_bool() == Some(value) || b.as_bool() == Some(value);
    match (op, a, b) {
        (_, Fact::Const(a), Fact::Const(b)) => Fact::Const(eval::binary(op, a, b)),
        (BinOp::And, _, _) if either(false) => Fact::Const(Const::FALSE),
        (BinOp::Or, _, _) if either(true) => Fact::Const(Const::TRUE),
        (BinOp::Eq | BinOp::Ule | BinOp::Sle, Fact::Varies, Fact::Varies) if same => Fact::Const(Const::TRUE),
        (BinOp::Xor | BinOp::Ult | BinOp::Slt, Fact::Varies, Fact::Varies) if same => Fact::Const(Const::FALSE),
        (_, Fact::Unseen, _) | (_, _, Fact::Unseen) => Fact::Unseen,
        (_, Fact::Varies, _) | (_, _, Fact::Varies) => Fact::Varies,
    }
}

fn rewrite(proc: &mut Procedure, solution: &Solution) {
    let mut aliases = Aliases::default();
    let mut dead = vec![false; proc.values.len()];
    proc.layout.retain(|&b| solution.entered[b.index()]);
    for n in 0..proc.layout.len() {
        let block = proc.layout[n];
        let mut insts = Vec::with_capacity(proc.blocks[block].insts.len());
        if block != proc.entry {
            for param in proc.blocks[block].params.clone() {
                let Some(c) = scalar(&solution.facts[param.index()]) else { continue };
                let inst = proc.make_inst(InstData::Const(c.clone()), &[c.ty()], proc.blocks[block].term_origin);
                aliases.set(param, proc.insts[inst].results[0]);
                dead[param.index()] = true;
                insts.push(inst);
            }
        }
        let old = std::mem::take(&mut proc.blocks[block].insts);
        let goes_on = rewrite_insts(proc, solution, old, &mut insts);
        proc.blocks[block].insts = insts;
        if goes_on {
            fold_terminator(&mut proc.blocks[block].term, solution);
        } else {
            proc.blocks[block].term = Terminator::Stop;
        }
    }
    aliases.apply(proc);
    drop_params(proc, |v| dead.get(v.index()).copied().unwrap_or(false));
}

fn scalar(fact: &Fact) -> Option<&Const> {
    match fact {
        Fact::Const(c) if !c.ty().is_array() => Some(c),
        Fact::Const(_) | Fact::Unseen | Fact::Varies => None,
    }
}

/// Whether runs get past the last instruction.
fn rewrite_insts(proc: &mut Procedure, solution: &Solution, old: Vec<Inst>, new: &mut Vec<Inst>) -> bool {
    for inst in old {
        let node = &mut proc.insts[inst];
        if let InstData::Assume { cond } | InstData::Assert { cond, .. } = node.data {
            match solution.facts[cond.index()].as_bool() {
                Some(true) => continue,
                Some(false) => {
                    new.push(inst);
                    return false;
                }
                None => {}
            }
        } else if node.data.is_pure() {
            if let Some(c) = node.results.first().and_then(|r| scalar(&solution.facts[r.index()])) {
                node.data = InstData::Const(c.clone());
            }
        }
        new.push(inst);
    }
    true
}

fn fold_terminator(term: &mut Terminator, solution: &Solution) {
    let (Terminator::Branch { cond: value, .. } | Terminator::Switch { value, .. }) = term else { return };
    let target = match &solution.facts[value.index()] {
        Fact::Const(c) => term.targets().nth(chosen(term, c)),
        Fact::Unseen | Fact::Varies => {
            let first = term.targets().next();
            first.filter(|&first| term.targets().all(|t| t == first))
        }
    };
    if let Some(target) = target.cloned() {
        *term = Terminator::Jump(target);
    }
}

/// Replaces parameters that receive one value only, apart from themselves, by that value.
fn forward_params(proc: &mut Procedure) {
    let cfg = Cfg::compute(proc);
    let mut incoming: SecondaryMap<Block, Vec<(Block, u32)>> = SecondaryMap::with_capacity(proc.blocks.len());
    let mut feeds: Vec<Vec<(Block, u32)>> = vec![Vec::new(); proc.values.len()];
    let mut work = Vec::new();
    for &block in cfg.rpo() {
        for (n, target) in (0..).zip(proc.successors(block)) {
            incoming[target.block].push((block, n));
            for (index, arg) in (0..).zip(&target.args) {
                feeds[arg.index()].push((target.block, index));
            }
        }
        if block != proc.entry {
            work.extend((0..proc.blocks[block].params.len() as u32).map(|i| (block, i)));
        }
    }
    work.reverse();
    let mut aliases = Aliases::default();
    let mut dead = vec![false; proc.values.len()];
    while let Some((block, index)) = work.pop() {
        let param = proc.blocks[block].params[index as usize];
        if block == proc.entry || dead[param.index()] {
            continue;
        }
        let Some(value) = only_argument(proc, &incoming[block], index, param, &mut aliases) else { continue };
        aliases.set(param, value);
        dead[param.index()] = true;
        // What received the parameter receives the value now, and may fall next.
        let fed = std::mem::take(&mut feeds[param.index()]);
        work.extend(fed.iter().copied());
        feeds[value.index()].extend(fed);
    }
    aliases.apply(proc);
    drop_params(proc, |v| dead[v.index()]);
}

fn only_argument(
    proc: &Procedure,
    incoming: &[(Block, u32)],
    index: u32,
    param: Value,
    aliases: &mut Aliases,
) -> Option<Value> {
    let mut only = None;
    for &(block, target) in incoming {
        let call = proc.blocks[block].term.targets().nth(target as usize)?;
        let arg = aliases.resolve(call.args[index as usize]);
        if arg != param && only.replace(arg).is_some_and(|other| other != arg) {
            return None;
        }
    }
    only
}
