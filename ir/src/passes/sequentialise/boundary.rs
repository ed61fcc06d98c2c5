//! The step boundary: races, the values of shared variables, processes that start and stop, stability.

use super::{Pending, Sequentialiser};
use crate::consts::Const;
use crate::entities::{Block, Site, Value, Var};
use crate::inst::InstData;
use crate::ops::BinOp;
use crate::program::{choice_width, START, STOP};
use crate::types::Type;

impl Sequentialiser<'_> {
    pub(super) fn build_boundary(&mut self, block: Block) {
        for k in 0..self.system.shared.len() {
            self.look_for_race(block, k);
        }
        for k in 0..self.system.shared.len() {
            self.update(block, k);
        }
        self.control(block);
        if let Some(stability) = self.system.stability {
            self.look_at_stability(block, stability);
        }
        if let (Some(quiet), Some(fired)) = (self.quiet, self.fired) {
            let fired = self.read(block, fired);
            let value = self.not(block, fired);
            self.write(block, quiet, value);
        }
        self.jump(block, self.head);
    }

    /// Two processes have written different values; to one cell if it is an array.
    fn look_for_race(&mut self, block: Block, k: usize) {
        let (Some(prop), Pending::Several(writers)) = (self.system.shared[k].race, self.pending[k].clone()) else {
            return;
        };
        let mut differ = self.constant(block, Const::Bool(false));
        for cell in self.cells(block, k) {
            differ = self.differ(block, &writers, cell, differ);
        }
        let cond = self.not(block, differ);
        let origin = self.program.props[prop].origin;
        self.body.append(block, InstData::Assert { prop, cond }, &[], origin);
    }

    /// It is enough to compare with the last one before.
    fn differ(&mut self, block: Block, writers: &[(usize, Var, Var)], cell: Option<Value>, mut differ: Value) -> Value {
        let mut before: Option<(Value, Value)> = None;
        for &(_, next, wrote) in writers {
            let (value, wrote) = (self.read_cell(block, next, cell), self.read_cell(block, wrote, cell));
            before = Some(match before {
                None => (value, wrote),
                Some((last, some)) => {
                    let same = self.binary(block, BinOp::Eq, last, value);
                    let other = self.not(block, same);
                    let both = self.binary(block, BinOp::And, some, wrote);
                    let race = self.binary(block, BinOp::And, both, other);
                    differ = self.binary(block, BinOp::Or, differ, race);
                    let last = self.body.ite(block, wrote, value, last, self.at);
                    (last, self.binary(block, BinOp::Or, some, wrote))
                }
            });
        }
        differ
    }

    /// The cells of an array that several processes write, a scalar as a whole.
    fn cells(&mut self, block: Block, k: usize) -> Vec<Option<Value>> {
        let shared = self.system.shared[k];
        match self.program.vars[shared.var].ty {
            Type::Scalar(_) => vec![None],
            Type::Array { index, .. } => {
                (0..shared.cells).map(|n| Some(self.constant(block, Const::bv(index, n.into())))).collect()
            }
        }
    }

    fn update(&mut self, block: Block, k: usize) {
        let shared = self.system.shared[k];
        match (self.pending[k].clone(), shared.choice) {
            (Pending::None, _) => {}
            (Pending::Single { next, .. }, _) => {
                let value = self.read(block, next);
                self.write(block, shared.var, value);
            }
            (Pending::Several(writers), Some(site)) => {
                for cell in self.cells(block, k) {
                    self.choose(block, shared.var, cell, &writers, site);
                }
            }
            (Pending::Several(_), None) => self.give_up(block, "several processes write a variable without a choice"),
        }
    }

    /// Concurrent SSA: the value of the process the input names, if it has written; else of the first that has.
    fn choose(&mut self, block: Block, var: Var, cell: Option<Value>, writers: &[(usize, Var, Var)], site: Site) {
        let ty = Type::bv(choice_width(self.system));
        let origin = self.program.sites[site].origin;
        let named = self.body.append1(block, InstData::Havoc { site }, ty, origin);
        let mut parts = Vec::new();
        for &(n, next, wrote) in writers {
            parts.push((n, self.read_cell(block, next, cell), self.read_cell(block, wrote, cell)));
        }
        let mut value = self.read_cell(block, var, cell);
        for &(_, next, wrote) in parts.iter().rev() {
            value = self.body.ite(block, wrote, next, value, self.at);
        }
        for (n, next, wrote) in parts {
            let number = self.constant(block, Const::bv(choice_width(self.system), n as u128));
            let is = self.binary(block, BinOp::Eq, named, number);
            let wins = self.binary(block, BinOp::And, is, wrote);
            value = self.body.ite(block, wins, next, value, self.at);
        }
        self.write_cell(block, var, cell, value);
    }

    /// What a run that comes here would need is not modelled.
    pub(super) fn give_up(&mut self, block: Block, reason: &str) {
        let data = crate::program::ObligationData { reason: reason.to_string(), origin: self.at };
        let obligation = self.out.obligations.push(data);
        self.body.append(block, InstData::Unsupported { obligation }, &[], self.at);
    }

    /// Processes start and stop. What a process has started goes when it is stopped or started anew.
    fn control(&mut self, block: Block) {
        let count = self.system.processes.len();
        let mut orders: Vec<Option<(Value, Value)>> = vec![None; count];
        for (order, process) in orders.iter_mut().zip(&self.system.processes) {
            let Some(control) = process.control else { continue };
            let value = self.read(block, control);
            let (start, stop) = (self.constant(block, Const::bv(2, START)), self.constant(block, Const::bv(2, STOP)));
            let starts = self.binary(block, BinOp::Eq, value, start);
            let stops = self.binary(block, BinOp::Eq, value, stop);
            *order = Some((starts, stops));
        }
        for n in 0..count {
            self.control_one(block, n, &orders);
        }
        for control in self.system.processes.iter().filter_map(|p| p.control).collect::<Vec<_>>() {
            self.write_const(block, control, Const::bv(2, 0));
        }
    }

    fn control_one(&mut self, block: Block, n: usize, orders: &[Option<(Value, Value)>]) {
        let mut gone = orders[n].map(|(_, stops)| stops);
        let mut up = self.system.processes[n].parent;
        while let Some(parent) = up {
            if let Some((starts, stops)) = orders[parent as usize] {
                let either = self.binary(block, BinOp::Or, starts, stops);
                gone = Some(match gone {
                    Some(gone) => self.binary(block, BinOp::Or, gone, either),
                    None => either,
                });
            }
            up = self.system.processes[parent as usize].parent;
        }
        let Some(gone) = gone else { return };
        let (at, width) = (self.processes[n].at, self.processes[n].width);
        let over = self.constant(block, Const::bv(width, self.processes[n].locations.len() as u128));
        let mut value = self.read(block, at);
        let mut anew = gone;
        if let Some((starts, _)) = orders[n] {
            let first = self.constant(block, Const::bv(width, 0));
            value = self.body.ite(block, starts, first, value, self.at);
            anew = self.binary(block, BinOp::Or, gone, starts);
        }
        value = self.body.ite(block, gone, over, value, self.at);
        self.write(block, at, value);
        self.forget(n, block, Some(anew));
    }
}
