//! Turns in any order: an input picks the next process, until all have had their turn.

use super::{Pending, Sequentialiser};
use crate::consts::Const;
use crate::entities::{Block, Var};
use crate::inst::{InstData, Terminator};
use crate::ops::BinOp;
use crate::program::{choice_width, SiteData};
use crate::types::Type;

impl Sequentialiser<'_> {
    pub(super) fn build_any_order(&mut self, boundary: Block) {
        let names: Vec<String> = self.system.processes.iter().map(|p| p.name.clone()).collect();
        let done: Vec<Var> =
            names.into_iter().map(|name| self.variable(format!("{name} is done"), Const::Bool(false))).collect();
        let (pick, choose) = (self.body.add_block(self.at), self.body.add_block(self.at));
        for &done in &done {
            self.write_const(self.head, done, Const::Bool(false));
        }
        let begin = self.body.add_block(self.at);
        self.build_head(begin);
        self.start_common_pending(begin);
        self.jump(begin, pick);
        self.pick(pick, choose, boundary, &done);
        for (n, done) in done.into_iter().enumerate() {
            self.take_turn(n, done, pick);
        }
    }

    fn pick(&mut self, pick: Block, choose: Block, boundary: Block, done: &[Var]) {
        let mut all = self.constant(pick, Const::Bool(true));
        for &done in done {
            let value = self.read(pick, done);
            all = self.binary(pick, BinOp::And, all, value);
        }
        let term = Terminator::Branch { cond: all, then: boundary.into(), other: choose.into() };
        self.body.set_term(pick, term, self.at);
        let ty = Type::bv(choice_width(self.system));
        let site = self.out.sites.push(SiteData { name: "whose turn it is".into(), ty, origin: self.at });
        let value = self.body.append1(choose, InstData::Havoc { site }, ty, self.at);
        let cases = self.turns.iter().enumerate().map(|(n, &turn)| (n as u128, turn.into())).collect();
        // A number that names no process is no run.
        let nobody = self.body.add_block(self.at);
        let term = Terminator::Switch { value, cases, default: nobody.into() };
        self.body.set_term(choose, term, self.at);
    }

    /// A turn that has not been taken in this step.
    fn take_turn(&mut self, n: usize, done: Var, pick: Block) {
        let turn = self.turns[n];
        let taken = self.read(turn, done);
        let cond = self.not(turn, taken);
        self.body.append(turn, InstData::Assume { cond }, &[], self.at);
        self.write_const(turn, done, Const::Bool(true));
        self.build_turn(n, pick);
    }

    /// Pending values that several processes write begin with the step.
    fn start_common_pending(&mut self, begin: Block) {
        for (k, pending) in self.pending.clone().into_iter().enumerate() {
            if let Pending::Single { writer: None, next } = pending {
                let value = self.read(begin, self.system.shared[k].var);
                self.write(begin, next, value);
            }
        }
    }
}
