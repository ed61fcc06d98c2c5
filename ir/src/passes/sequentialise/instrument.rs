//! The code of a process in its turn: writes go to its pending values, and conflicts on blocking variables are seen.

use super::{Accessed, Pending, Sequentialiser};
use crate::analysis::system::accesses_of;
use crate::analysis::CallGraph;
use crate::consts::Const;
use crate::entities::{Block, Origin, Proc, Prop, Var};
use crate::inst::{InstData, Place};
use crate::ops::BinOp;
use crate::program::Procedure;
use crate::types::Type;
use rustc_hash::FxHashMap;

impl Sequentialiser<'_> {
    /// Makes the body of the n-th process what it is in its turn, with copies of the functions it calls.
    pub(super) fn instrument(&mut self, body: &mut Procedure, n: usize) {
        let calls = CallGraph::compute(self.program);
        let helpers = calls.reachable([self.system.processes[n].body]);
        let mut copies: FxHashMap<Proc, Proc> = FxHashMap::default();
        for helper in helpers.iter().filter(|&p| p != self.system.processes[n].body) {
            if self.depends_on_turn(&calls, helper) {
                let mut copy = self.program.procs[helper].clone();
                let wanted = format!("{} by {}", copy.name, self.system.processes[n].name);
                copy.name = super::free_name(&wanted, |name| self.out.procs.values().any(|p| p.name == name));
                copies.insert(helper, self.out.procs.push(copy));
            }
        }
        for &copy in copies.values() {
            let mut procedure = self.out.procs[copy].clone();
            self.rewrite(&mut procedure, n, &copies);
            self.out.procs[copy] = procedure;
        }
        self.rewrite(body, n, &copies);
    }

    /// Whether it matters whose turn it is.
    fn depends_on_turn(&self, calls: &CallGraph, proc: Proc) -> bool {
        let accesses = accesses_of(self.program, calls, proc);
        let watched = |var: Var| self.shared[var].is_some_and(|k| self.accessed[k].is_some());
        accesses.writes.iter().next().is_some() || accesses.reads.iter().any(watched)
    }

    fn rewrite(&mut self, proc: &mut Procedure, n: usize, copies: &FxHashMap<Proc, Proc>) {
        for k in 0..proc.layout.len() {
            let block = proc.layout[k];
            for inst in std::mem::take(&mut proc.blocks[block].insts) {
                let origin = proc.insts[inst].origin;
                let touched = match &mut proc.insts[inst].data {
                    InstData::Call { callee, .. } => {
                        *callee = copies.get(callee).copied().unwrap_or(*callee);
                        None
                    }
                    InstData::Read { place: Place::Global(var) } | InstData::Load { place: Place::Global(var), .. } => {
                        Some((*var, false))
                    }
                    InstData::Write { place: Place::Global(var), .. }
                    | InstData::Store { place: Place::Global(var), .. } => Some((*var, true)),
                    InstData::Read { place: Place::Local(_) }
                    | InstData::Load { place: Place::Local(_), .. }
                    | InstData::Write { place: Place::Local(_), .. }
                    | InstData::Store { place: Place::Local(_), .. }
                    | InstData::Const(_)
                    | InstData::Unary { .. }
                    | InstData::Binary { .. }
                    | InstData::Ite { .. }
                    | InstData::Update { .. }
                    | InstData::Havoc { .. }
                    | InstData::Assume { .. }
                    | InstData::Assert { .. }
                    | InstData::Unsupported { .. }
                    | InstData::Print { .. } => None,
                };
                if let Some((var, write)) = touched {
                    self.conflict(proc, block, n, var, write, origin);
                }
                proc.blocks[block].insts.push(inst);
                if let Some((var, true)) = touched {
                    if let Some((next, flag)) = self.next_of(n, var) {
                        redirect(&mut proc.insts[inst].data, next);
                        self.raise(proc, block, flag, origin);
                    }
                    let fired = self.fired.filter(|_| !self.system.processes[n].silent);
                    self.raise(proc, block, fired, origin);
                }
            }
        }
    }

    /// The pending value of a process, and the flag that says it has been written.
    fn next_of(&self, n: usize, var: Var) -> Option<(Var, Option<Var>)> {
        match &self.pending[self.shared[var]?] {
            Pending::None => None,
            Pending::Single { next, .. } => Some((*next, None)),
            Pending::Several(writers) => {
                writers.iter().find(|(who, ..)| *who == n).map(|&(_, next, wrote)| (next, Some(wrote)))
            }
        }
    }

    fn raise(&mut self, proc: &mut Procedure, block: Block, flag: Option<Var>, origin: Origin) {
        let Some(flag) = flag else { return };
        let value = proc.constant(block, Const::Bool(true), origin);
        proc.append(block, InstData::Write { place: Place::Global(flag), value }, &[], origin);
    }

    /// Before an access to a blocking variable: no other process may have written it, nor read what is written now.
    fn conflict(&mut self, proc: &mut Procedure, block: Block, n: usize, var: Var, write: bool, origin: Origin) {
        let Some(k) = self.shared[var] else { return };
        let (Some(Accessed { reader, writer }), Some(prop)) = (self.accessed[k], self.system.shared[k].race) else {
            return;
        };
        let mut users = Users { proc, block, width: self.user_width(), own: n as u128 + 1, origin };
        let alone = users.is_alone(writer);
        if write {
            let unread = users.is_alone(reader);
            let cond = users.proc.binary(block, BinOp::And, alone, unread, origin);
            users.assert(prop, cond);
            users.note(writer, None);
        } else {
            users.assert(prop, alone);
            let alone = users.is_alone(reader);
            users.note(reader, Some((alone, self.system.processes.len() as u128 + 1)));
        }
    }
}

/// Emits what is known of the users of a variable.
struct Users<'a> {
    proc: &'a mut Procedure,
    block: Block,
    width: u32,
    own: u128,
    origin: Origin,
}

impl Users<'_> {
    /// Nobody, or this process.
    fn is_alone(&mut self, user: Var) -> crate::entities::Value {
        let Users { block, origin, .. } = *self;
        let ty = Type::bv(self.width);
        let who = self.proc.append1(block, InstData::Read { place: Place::Global(user) }, ty, origin);
        let nobody = self.proc.constant(block, Const::bv(self.width, 0), origin);
        let own = self.proc.constant(block, Const::bv(self.width, self.own), origin);
        let none = self.proc.binary(block, BinOp::Eq, who, nobody, origin);
        let this = self.proc.binary(block, BinOp::Eq, who, own, origin);
        self.proc.binary(block, BinOp::Or, none, this, origin)
    }

    fn assert(&mut self, prop: Prop, cond: crate::entities::Value) {
        self.proc.append(self.block, InstData::Assert { prop, cond }, &[], self.origin);
    }

    /// This process uses it, too: it alone, or several.
    fn note(&mut self, user: Var, alone: Option<(crate::entities::Value, u128)>) {
        let Users { block, origin, .. } = *self;
        let mut value = self.proc.constant(block, Const::bv(self.width, self.own), origin);
        if let Some((alone, several)) = alone {
            let several = self.proc.constant(block, Const::bv(self.width, several), origin);
            value = self.proc.ite(block, alone, value, several, origin);
        }
        self.proc.append(block, InstData::Write { place: Place::Global(user), value }, &[], origin);
    }
}

fn redirect(data: &mut InstData, next: Var) {
    if let InstData::Write { place, .. } | InstData::Store { place, .. } = data {
        *place = Place::Global(next);
    }
}
