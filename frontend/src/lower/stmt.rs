//! Statements. `switch` is lowered in one walk over its body: each `case` starts a block, and the dispatch is
//! written when all cases are known, so labels may stand anywhere (Duff's device).

use super::build::FnLower;
use super::function::ResultKind;
use crate::hir::{Expr, Label, Loc, Stmt, StmtKind};
use syncline_ir::{BinOp, Block, BlockCall, Terminator, Value};

/// Where `break` and `continue` go; the inner `None` is a `switch`, which has no `continue` of its own.
pub(super) struct JumpTargets {
    pub brk: Block,
    pub cont: Option<Block>,
}

/// The cases of a `switch` found so far.
#[derive(Default)]
pub(super) struct SwitchCases {
    cases: Vec<(i128, i128, Block)>,
    default: Option<Block>,
}

/// Longest `case lo ... hi` that becomes single cases; longer ones are compared.
const RANGE_LIMIT: i128 = 32;

impl FnLower<'_, '_> {
    pub fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|s| self.stmt(s));
    }

    pub fn stmt(&mut self, stmt: &Stmt) {
        self.set_loc(stmt.loc);
        if self.word_statement(stmt) {
            return;
        }
        match &stmt.kind {
            StmtKind::Empty => self.end_statement(),
            StmtKind::Expr(e) => {
                self.effect(e);
                self.set_loc(stmt.loc);
                self.end_statement();
            }
            StmtKind::Decl { obj, init } => self.declare_local(*obj, init.as_ref(), stmt.loc),
            StmtKind::Vla { obj, dims } => self.declare_vla(*obj, dims, stmt.loc),
            StmtKind::If { cond, then, other } => self.if_stmt(cond, then, other.as_deref()),
            StmtKind::While { cond, body } => self.while_stmt(cond, body),
            StmtKind::DoWhile { body, cond } => self.do_stmt(body, cond),
            StmtKind::For { init, cond, step, body } => self.for_stmt(init, cond.as_ref(), step.as_ref(), body),
            StmtKind::Switch { value, body } => self.switch_stmt(value, body, stmt.loc),
            StmtKind::Case { lo, hi, body } => {
                let block = self.case_block();
                if let Some(switch) = self.switches.last_mut() {
                    switch.cases.push((*lo, *hi, block));
                }
                self.stmt(body);
            }
            StmtKind::Default(body) => {
                let block = self.case_block();
                if let Some(switch) = self.switches.last_mut() {
                    switch.default = Some(block);
                }
                self.stmt(body);
            }
            StmtKind::Labeled { label, body } => {
                let block = self.label_block(*label);
                self.enter(block);
                self.stmt(body);
            }
            StmtKind::Goto(label) => self.goto(*label, stmt.loc),
            StmtKind::Break => {
                let target = self.targets.iter().enumerate().next_back().map(|(n, t)| (n, t.brk));
                self.leave_to(target);
            }
            StmtKind::Continue => {
                let target = self.targets.iter().enumerate().rev().find_map(|(n, t)| Some((n, t.cont?)));
                self.leave_to(target);
            }
            StmtKind::Return(value) => self.return_stmt(value.as_ref(), stmt.loc),
            StmtKind::Block(stmts) => {
                self.stmts(stmts);
                for stmt in stmts {
                    if let StmtKind::Decl { obj, .. } | StmtKind::Vla { obj, .. } = &stmt.kind {
                        self.bury(*obj);
                    }
                }
            }
            StmtKind::Unsupported(what) => self.unsupported(what.clone()),
        }
    }

    /// A `break` or `continue`; one outside any loop is nothing the parser lets through.
    fn leave_to(&mut self, target: Option<(usize, Block)>) {
        match target {
            Some((n, block)) => self.leave_statement(block, n),
            None => self.unsupported("a jump out of no loop"),
        }
    }

    pub fn label_block(&mut self, label: Label) -> Block {
        if let Some(&block) = self.labels.get(&label) {
            return block;
        }
        let block = self.new_block();
        self.labels.insert(label, block);
        block
    }

    /// The block of a `case`, entered by falling through.
    fn case_block(&mut self) -> Block {
        let block = self.new_block();
        self.enter(block);
        block
    }

    fn if_stmt(&mut self, cond: &Expr, then: &Stmt, other: Option<&Stmt>) {
        let (yes, join) = (self.new_block(), self.new_block());
        let no = if other.is_some() { self.new_block() } else { join };
        self.branch(cond, yes, no);
        self.switch_to(yes);
        self.stmt(then);
        self.jump_to(join, join);
        if let Some(other) = other {
            self.switch_to(no);
            self.stmt(other);
            self.jump_to(join, join);
        }
    }

    fn loop_body(&mut self, body: &Stmt, brk: Block, cont: Block) {
        self.targets.push(JumpTargets { brk, cont: Some(cont) });
        self.stmt(body);
        self.targets.pop();
    }

    fn while_stmt(&mut self, cond: &Expr, body: &Stmt) {
        let (head, inner, exit) = (self.new_block(), self.new_block(), self.new_block());
        self.enter(head);
        self.branch(cond, inner, exit);
        self.switch_to(inner);
        self.loop_body(body, exit, head);
        self.jump_to(head, exit);
    }

    fn do_stmt(&mut self, body: &Stmt, cond: &Expr) {
        let (inner, test, exit) = (self.new_block(), self.new_block(), self.new_block());
        self.enter(inner);
        self.loop_body(body, exit, test);
        self.enter(test);
        self.branch(cond, inner, exit);
        self.switch_to(exit);
    }

    fn for_stmt(&mut self, init: &[Stmt], cond: Option<&Expr>, step: Option<&Expr>, body: &Stmt) {
        for stmt in init {
            match &stmt.kind {
                // Part of the statement, and no step by itself.
                StmtKind::Expr(e) => self.effect(e),
                _ => self.stmt(stmt),
            }
        }
        let (head, inner, next, exit) = (self.new_block(), self.new_block(), self.new_block(), self.new_block());
        self.enter(head);
        match cond {
            Some(cond) => self.branch(cond, inner, exit),
            None => self.proc.set_term(self.block, Terminator::Jump(inner.into()), self.at),
        }
        self.switch_to(inner);
        self.loop_body(body, exit, next);
        self.enter(next);
        step.iter().for_each(|e| self.effect(e));
        self.jump_to(head, exit);
    }

    fn switch_stmt(&mut self, value: &Expr, body: &Stmt, loc: Loc) {
        let scrutinee = self.expr(value);
        let dispatch = self.block;
        let (inside, exit) = (self.new_block(), self.new_block());
        self.switches.push(SwitchCases::default());
        self.targets.push(JumpTargets { brk: exit, cont: None });
        // Statements before the first case are reached by labels only.
        self.switch_to(inside);
        self.stmt(body);
        self.enter(exit);
        self.targets.pop();
        let found = self.switches.pop().unwrap_or_default();
        self.set_loc(loc);
        self.switch_to(dispatch);
        self.dispatch(scrutinee, found, self.cx.is_signed(value.ty), exit);
        self.switch_to(exit);
    }

    /// Ends the current block: long ranges are compared first, then everything else is one switch.
    fn dispatch(&mut self, value: Value, found: SwitchCases, signed: bool, exit: Block) {
        let width = self.width(value);
        let default = found.default.unwrap_or(exit);
        let mut cases: Vec<(u128, BlockCall)> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        for (lo, hi, block) in found.cases {
            if lo > hi {
                continue;
            }
            if hi.saturating_sub(lo) < RANGE_LIMIT {
                for constant in lo..=hi {
                    let bits = syncline_ir::consts::mask(width, constant as u128);
                    if seen.insert(bits) {
                        cases.push((bits, block.into()));
                    }
                }
                continue;
            }
            let less_equal = if signed { BinOp::Sle } else { BinOp::Ule };
            let (low, high) = (self.bv(width, lo), self.bv(width, hi));
            let above = self.bin(less_equal, low, value);
            let below = self.bin(less_equal, value, high);
            let hit = self.bin(BinOp::And, above, below);
            let rest = self.new_block();
            self.branch_on(hit, block, rest);
            self.switch_to(rest);
        }
        let term = match cases.is_empty() {
            true => Terminator::Jump(default.into()),
            false => Terminator::Switch { value, cases, default: default.into() },
        };
        self.proc.set_term(self.block, term, self.at);
    }

    fn return_stmt(&mut self, value: Option<&Expr>, loc: Loc) {
        let results = match (value, self.result) {
            (Some(e), ResultKind::Value { ty, .. }) => {
                let value = self.expr(e);
                self.set_loc(loc);
                vec![self.convert(value, e.ty, ty)]
            }
            (Some(e), ResultKind::Record(_)) => self.record(e),
            (Some(e), ResultKind::Void) => {
                self.effect(e);
                Vec::new()
            }
            (Some(e), ResultKind::Unmodelled) => {
                self.effect(e);
                self.set_loc(loc);
                self.unsupported("a result that is no scalar");
                Vec::new()
            }
            (None, _) => {
                let types = self.proc.results.clone();
                types.into_iter().map(|ty| self.havoc("missing return value", ty)).collect()
            }
        };
        self.set_loc(loc);
        self.leave(results);
    }
}
