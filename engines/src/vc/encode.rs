//! What an instance of a block means in terms: its instructions, its calls, where its control goes.

use super::guard::{Guard, Joined};
use super::shape::Shape;
use super::unroll::{Event, In, JoinId, Missing, ScopeId, Target, TargetKind, Unrolling};
use crate::logic::Term;
use std::rc::Rc;
use syncline_ir::{BinOp, Block, BlockCall, Inst, InstData, Proc, Procedure, Program, Terminator, Value};

/// Recursion on constants is followed this far beyond the bound: every level takes machine stack here.
const EAGER_DEPTH: u32 = 20_000;

impl<'p> Unrolling<'p> {
    /// Encodes a block instance. `entry` is given for a header after the first iteration.
    pub(super) fn block(&mut self, scope: ScopeId, shape: &Rc<Shape>, block: Block, entry: Option<JoinId>) {
        let joins = match entry {
            Some(join) => vec![join],
            None => self.sources(scope, block),
        };
        let activation = self.scopes[scope.index()].activation;
        let proc = self.body(activation);
        let data = &proc.blocks[block];
        let Some(joined) = self.enter(joins, data.params.iter().map(|&p| proc.value_type(p))) else { return };
        self.instances += 1;
        if self.out_of_time() {
            return;
        }
        for (&param, term) in data.params.iter().zip(joined.values) {
            self.define(scope, shape, param, term);
        }
        let mut guard = joined.guard;
        self.instructions += data.insts.len() as u64 + 1;
        for &inst in &data.insts {
            match self.inst(scope, shape, proc, inst, guard) {
                Some(after) => guard = after,
                None => return,
            }
        }
        self.terminator(scope, shape, &data.term, guard);
    }

    fn define(&mut self, scope: ScopeId, shape: &Shape, value: Value, term: Term) {
        self.scopes[scope.index()].env[shape.number[value] as usize] = term;
    }

    fn term(&self, mut scope: ScopeId, shape: &Shape, value: Value) -> Term {
        let home = shape.home[value];
        while self.scopes[scope.index()].in_loop != home {
            match self.scopes[scope.index()].parent {
                Some(parent) => scope = parent,
                None => unreachable!("{value} is used outside its loop: the program is not loop-closed"),
            }
        }
        self.scopes[scope.index()].env[shape.number[value] as usize]
    }

    fn terms(&self, scope: ScopeId, shape: &Shape, values: &[Value]) -> Vec<Term> {
        values.iter().map(|&v| self.term(scope, shape, v)).collect()
    }

    /// Encodes one instruction; the guard after it, or `None` if no run goes on.
    fn inst(&mut self, scope: ScopeId, shape: &Rc<Shape>, proc: &Procedure, inst: Inst, guard: Guard) -> Option<Guard> {
        let node = &proc.insts[inst];
        let t = |this: &Self, v: Value| this.term(scope, shape, v);
        let result = match &node.data {
            InstData::Const(c) => self.store.constant_term(c.clone()),
            InstData::Unary { op, arg } => {
                let arg = t(self, *arg);
                self.store.un(*op, arg)
            }
            InstData::Binary { op, args } => {
                let (a, b) = (t(self, args[0]), t(self, args[1]));
                self.store.bin(*op, a, b)
            }
            InstData::Ite { cond, then, other } => {
                let (c, a, b) = (t(self, *cond), t(self, *then), t(self, *other));
                self.store.ite(c, a, b)
            }
            InstData::Update { array, index, value } => {
                let (a, i, v) = (t(self, *array), t(self, *index), t(self, *value));
                self.store.store(a, i, v)
            }
            InstData::Havoc { site } => {
                let value = self.fresh(&self.program.sites[*site].name, proc.value_type(node.results[0]));
                let event = Event { guard: self.guards.term(guard), site: *site, value };
                self.push_event(Some(event));
                value
            }
            InstData::Assume { cond } => {
                let cond = t(self, *cond);
                return self.guards.and(&mut self.store, guard, cond);
            }
            InstData::Assert { prop, cond } => {
                let cond = t(self, *cond);
                let negated = self.store.not(cond);
                if let Some(violated) = self.guards.and(&mut self.store, guard, negated) {
                    self.target(TargetKind::Violation(*prop), violated);
                }
                return self.guards.and(&mut self.store, guard, cond);
            }
            InstData::Unsupported { obligation } => {
                self.target(TargetKind::Unsupported(*obligation), guard);
                return None;
            }
            InstData::Print { .. } => return Some(guard),
            InstData::Call { callee, args } => {
                let args = self.terms(scope, shape, args);
                let joined = self.call(scope, *callee, args, guard)?;
                for (&value, term) in node.results.iter().zip(joined.values) {
                    self.define(scope, shape, value, term);
                }
                return Some(joined.guard);
            }
            InstData::Read { .. } | InstData::Write { .. } | InstData::Load { .. } | InstData::Store { .. } => {
                unreachable!("variables are gone after passes::prepare")
            }
        };
        self.define(scope, shape, node.results[0], result);
        Some(guard)
    }

    fn target(&mut self, kind: TargetKind, guard: Guard) {
        let (reached, open) = (self.guards.term(guard), self.guards.is_open(guard));
        self.targets.push(Target { kind, reached, open });
    }

    fn call(&mut self, scope: ScopeId, callee: Proc, args: Vec<Term>, guard: Guard) -> Option<Joined> {
        if let Some(rule) = self.range_writes.get(&callee).cloned() {
            if let Some(array) = self.range_write(&rule, &args) {
                return Some(Joined { guard, values: vec![array] });
            }
        }
        let caller = self.scopes[scope.index()].activation;
        let ret = self.new_join();
        if self.calls.is_recursive(callee) && !self.may_recurse(caller, callee, &args) {
            let hole = self.new_hole(Missing::Call { activation: caller, callee, guard, args });
            self.deliver(ret, In::Hole(hole));
            self.holes[hole.index()].joins.push(ret);
        } else {
            self.activate(callee, Some(caller), guard, args, ret);
        }
        let program: &'p Program = self.program;
        self.enter(vec![ret], program.procs[callee].results.iter().copied())
    }

    /// Whether a recursive call is within the bound, or decided by constants.
    fn may_recurse(&self, caller: u32, callee: Proc, args: &[Term]) -> bool {
        let depth = self.depth_of(caller, callee);
        let decided = || args.iter().all(|&a| self.store.constant(a).is_some() || self.store.ty(a).is_array());
        depth < self.bound(&self.proc_key(callee))
            || (depth < EAGER_DEPTH && self.instructions < self.options.eager && decided())
    }

    fn terminator(&mut self, scope: ScopeId, shape: &Rc<Shape>, term: &Terminator, guard: Guard) {
        match term {
            Terminator::Jump(target) => self.edge(scope, shape, target, Some(guard)),
            Terminator::Branch { cond, then, other } => {
                let cond = self.term(scope, shape, *cond);
                let negated = self.store.not(cond);
                let taken = self.guards.and(&mut self.store, guard, cond);
                self.edge(scope, shape, then, taken);
                let not_taken = self.guards.and(&mut self.store, guard, negated);
                self.edge(scope, shape, other, not_taken);
            }
            Terminator::Switch { value, cases, default } => self.switch(scope, shape, *value, cases, default, guard),
            Terminator::Return(values) => {
                let values = self.terms(scope, shape, values);
                let mut at = Some(scope);
                while let Some(s) = at {
                    self.scopes[s.index()].exits += 1;
                    at = self.scopes[s.index()].parent;
                }
                let ret = self.activations[self.scopes[scope.index()].activation as usize].ret;
                self.deliver(ret, In::Edge(guard, values));
            }
            Terminator::Stop => {}
            Terminator::Step(_) => unreachable!("a process is not a sequential program"),
        }
    }

    /// Cases hang under one another as an if-else chain would, but each has its own equality as term.
    fn switch(
        &mut self,
        scope: ScopeId,
        shape: &Rc<Shape>,
        value: Value,
        cases: &[(u128, BlockCall)],
        default: &BlockCall,
        guard: Guard,
    ) {
        let value = self.term(scope, shape, value);
        let width = self.store.width(value);
        let mut rest = Some(guard);
        for (constant, target) in cases {
            let Some(here) = rest else { return };
            let constant = self.store.bv(width, *constant);
            let equal = self.store.bin(BinOp::Eq, value, constant);
            let term = self.store.and(self.guards.term(guard), equal);
            let taken = self.guards.and_as(&mut self.store, here, equal, Some(term));
            self.edge(scope, shape, target, taken);
            let differs = self.store.not(equal);
            rest = self.guards.and(&mut self.store, here, differs);
        }
        self.edge(scope, shape, default, rest);
    }

    fn edge(&mut self, scope: ScopeId, shape: &Rc<Shape>, target: &BlockCall, guard: Option<Guard>) {
        let Some(guard) = guard else { return };
        let args = self.terms(scope, shape, &target.args);
        let join = self.resolve(scope, shape, target.block);
        self.deliver(join, In::Edge(guard, args));
    }
}
