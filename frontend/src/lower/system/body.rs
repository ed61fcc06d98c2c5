//! Statements of processes: where their steps end.
//!
//! Outside sections a step ends behind every expression statement and empty statement, and with every `goto`. A
//! section (an atomic one, or a choice outside one) is one step: what leaves it ends the step.

use super::words::{self, atomic_body, call_of, choice_items, transition, Word};
use crate::hir::{Expr, Func, Label, Loc, Obj, Stmt, StmtKind};
use crate::lower::build::FnLower;
use crate::lower::cleanup;
use crate::lower::place::HomeKind;
use crate::lower::stmt::JumpTargets;
use rustc_hash::{FxHashMap, FxHashSet};
use syncline_ir::program::{bits_for, START, STOP};
use syncline_ir::{BinOp, Block, InstData, Place, PropKind, Slot, Terminator, Type, Value};

/// What a function is in the system.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub(in crate::lower) enum Role {
    /// Part of the statement that calls it.
    #[default]
    Plain,
    Main,
    Environment,
    Process,
}

/// What the lowering of one function keeps about steps.
#[derive(Default)]
pub(in crate::lower) struct Words {
    pub role: Role,
    /// The section that is being lowered.
    pub section: Option<Section>,
    /// For the labels inside sections, the place of the section.
    inside: FxHashMap<Label, Loc>,
    /// Variables declared in sections: they do not last.
    short: FxHashSet<Obj>,
    /// Expressions around the statement: those take no steps.
    expressions: u32,
    /// Blocks of sections.
    pub atomic: FxHashSet<Block>,
}

#[derive(Copy, Clone)]
pub(in crate::lower) struct Section {
    start: Block,
    loc: Loc,
    /// How many statements around the section `break` and `continue` could lead out of.
    targets: usize,
}

impl FnLower<'_, '_> {
    /// Finds out what the function is, before its body is lowered.
    pub fn read_words(&mut self, func: Func, body: &[Stmt], main: bool) {
        let Some(plan) = &self.cx.plan else { return };
        self.words.role = match plan.process(func) {
            Some(_) => Role::Process,
            None if plan.environment.is_some_and(|(e, _)| e == func) => Role::Environment,
            None if main => Role::Main,
            None => Role::Plain,
        };
        if self.words.role == Role::Process {
            body.iter().for_each(|s| self.find_sections(s, None));
        }
    }

    /// Notes the labels and variables of sections, and sections in sections.
    fn find_sections(&mut self, stmt: &Stmt, within: Option<Loc>) {
        let unit = self.cx.unit;
        let section = atomic_body(unit, stmt);
        if let (Some(_), Some(outer)) = (section, within) {
            let words = format!("an atomic section in the one of line {}: atomic sections do not nest", outer.line);
            self.cx.fault(stmt.loc, words);
        }
        let within = match section.is_some() || (within.is_none() && choice_items(unit, stmt).is_some()) {
            true => Some(stmt.loc),
            false => within,
        };
        if let Some(loc) = within {
            match &stmt.kind {
                StmtKind::Labeled { label, .. } => drop(self.words.inside.insert(*label, loc)),
                StmtKind::Decl { obj, .. } | StmtKind::Vla { obj, .. } => drop(self.words.short.insert(*obj)),
                _ => {}
            }
        }
        words::inner(stmt).into_iter().for_each(|s| self.find_sections(s, within));
    }

    fn steps(&self) -> bool {
        self.words.role == Role::Process && self.words.section.is_none() && self.words.expressions == 0
    }

    /// The statements in `({ ... })`.
    pub fn inner_statements(&mut self, stmts: &[Stmt]) {
        self.words.expressions += 1;
        self.stmts(stmts);
        self.words.expressions -= 1;
    }

    /// The end of a statement that is a step by itself.
    pub fn end_statement(&mut self) {
        if self.steps() {
            self.end_step();
        }
    }

    fn end_step(&mut self) {
        let next = self.new_block();
        self.proc.set_term(self.block, Terminator::Step(next.into()), self.at);
        self.switch_to(next);
    }

    /// A jump in the source. From outside a section it ends the step, and so does one that leaves a section.
    pub fn goto(&mut self, label: Label, loc: Loc) {
        let target = self.label_block(label);
        if self.words.role != Role::Process {
            return self.terminate(Terminator::Jump(target.into()));
        }
        let from = self.words.section.map(|s| s.loc);
        match self.words.inside.get(&label) {
            Some(section) if from == Some(*section) => self.terminate(Terminator::Jump(target.into())),
            Some(section) => {
                let words = format!("a jump into the atomic section of line {}", section.line);
                self.cx.fault(loc, format!("{words}: put the label before the section"));
                self.terminate(Terminator::Stop);
            }
            None => self.terminate(Terminator::Step(target.into())),
        }
    }

    /// A `break` or `continue` to the block of the n-th statement around.
    pub fn leave_statement(&mut self, target: Block, n: usize) {
        let leaves = self.words.section.is_some_and(|s| n < s.targets);
        self.terminate(match leaves {
            true => Terminator::Step(target.into()),
            false => Terminator::Jump(target.into()),
        });
    }

    /// Lowers a statement that one of the words makes; false if it is none.
    pub fn word_statement(&mut self, stmt: &Stmt) -> bool {
        if self.cx.plan.is_none() {
            return false;
        }
        let unit = self.cx.unit;
        if let Some(section) = atomic_body(unit, stmt) {
            match self.words.role {
                _ if self.words.expressions > 0 => self.misplaced(Word::Atomic, stmt.loc),
                Role::Process => self.section(stmt.loc, |f| f.stmt(section)),
                // One step is all there is.
                Role::Main | Role::Environment => self.stmt(section),
                Role::Plain => {
                    self.misplaced(Word::Atomic, stmt.loc);
                    self.stmt(section);
                }
            }
            return true;
        }
        if let Some(items) = choice_items(unit, stmt) {
            match self.words.role {
                _ if self.words.expressions > 0 => self.misplaced(Word::Choice, stmt.loc),
                Role::Process => self.section(stmt.loc, |f| f.choice(items, stmt.loc)),
                Role::Main | Role::Environment | Role::Plain => self.misplaced(Word::Choice, stmt.loc),
            }
            return true;
        }
        match &stmt.kind {
            StmtKind::Expr(e) => match call_of(unit, e) {
                Some((word, args)) => self.word_call(word, args, e.loc),
                None => false,
            },
            _ => false,
        }
    }

    /// One step; inside a section, a part of it.
    fn section(&mut self, loc: Loc, body: impl FnOnce(&mut Self)) {
        if self.words.section.is_some() {
            return body(self);
        }
        let start = self.new_block();
        self.enter(start);
        self.words.atomic.insert(start);
        self.words.section = Some(Section { start, loc, targets: self.targets.len() });
        body(self);
        self.words.section = None;
        self.set_loc(loc);
        self.end_step();
    }

    fn word_call(&mut self, word: Word, args: &[Expr], loc: Loc) -> bool {
        let registered = self.cx.plan.as_ref().is_some_and(|p| p.registered.contains(&loc));
        match (self.words.role, word) {
            _ if self.words.expressions > 0 => self.misplaced(word, loc),
            (Role::Main, Word::Sync | Word::Environment | Word::Time(_) | Word::Always) if registered => {}
            (Role::Main, Word::Sync | Word::Environment | Word::Time(_) | Word::Always) => {
                let words = format!("`{}` under a condition or in a loop", word.name());
                self.cx.fault(loc, format!("{words}: register everything in the body of `main` itself"));
            }
            (Role::Process, Word::Sync | Word::Stop) => {
                self.order(word, args, loc);
                self.end_statement();
            }
            (Role::Process, Word::Idle) => match self.words.section {
                Some(section) => self.terminate(Terminator::Step(section.start.into())),
                None => self.end_step(),
            },
            (_, Word::Idle | Word::Sync | Word::Stop | Word::Environment | Word::Time(_) | Word::Always) => {
                self.misplaced(word, loc);
            }
            // Parts of statements that are handled as a whole.
            (_, Word::Atomic | Word::Choice | Word::When) => self.misplaced(word, loc),
        }
        true
    }

    /// A word where it means nothing.
    pub fn misplaced(&mut self, word: Word, loc: Loc) {
        let place = match word {
            Word::Environment | Word::Time(_) | Word::Always => "a statement in the body of `main`",
            Word::Sync => "a statement in the body of `main`, or in a process",
            Word::Stop | Word::Idle | Word::Choice => {
                "a statement in a process that `main` or another process registers"
            }
            Word::Atomic => "a statement in a process that is registered, in the environment or in `main`",
            Word::When => "directly inside a `choice`",
        };
        self.cx.fault(loc, format!("`{}` has no meaning here: it is {place}", word.name()));
    }

    /// Starts or stops a sub-process.
    fn order(&mut self, word: Word, args: &[Expr], loc: Loc) {
        let own = self.cx.plan.as_ref().and_then(|plan| plan.process(self.func?));
        let child = args.first().and_then(words::named_function);
        let found = child.and_then(|child| {
            let plan = self.cx.plan.as_ref()?;
            let planned = &plan.processes[plan.process(child)?];
            (planned.parent.map(|p| p as usize) == own && own.is_some()).then_some(planned.control?)
        });
        let Some(control) = found else {
            // A second registration has been reported already.
            if word == Word::Stop {
                self.cx.fault(loc, "a process stops only the sub-processes that it starts with `sync`");
            }
            return;
        };
        self.set_loc(loc);
        let value = self.bv(2, if word == Word::Sync { START as i128 } else { STOP as i128 });
        self.write(Place::Global(control), value);
    }

    /// One of the transitions whose guard holds.
    fn choice(&mut self, items: &[Stmt], loc: Loc) {
        let unit = self.cx.unit;
        let mut transitions = Vec::new();
        let mut otherwise = None;
        for item in items {
            match (transition(unit, item), &item.kind) {
                (Some(found), _) => transitions.push(found),
                (None, StmtKind::Default(body)) if otherwise.is_none() => otherwise = Some(&**body),
                (None, StmtKind::Empty) => {}
                (None, _) => {
                    let words =
                        "directly in a `choice` stand only `when (guard) statement` and one `otherwise statement`";
                    self.cx.fault(item.loc, words);
                }
            }
        }
        let guards: Vec<Value> = transitions.iter().map(|(guard, _)| self.condition(guard)).collect();
        self.set_loc(loc);
        let takes = self.take_one(&guards, loc);
        let exit = self.new_block();
        self.targets.push(JumpTargets { brk: exit, cont: None });
        for (take, (_, body)) in takes.into_iter().zip(&transitions) {
            let (yes, no) = (self.new_block(), self.new_block());
            self.set_loc(loc);
            self.branch_on(take, yes, no);
            self.switch_to(yes);
            self.stmt(body);
            self.jump_to(exit, no);
        }
        match (otherwise, self.words.section) {
            (Some(body), _) => self.stmt(body),
            (None, Some(section)) => self.terminate(Terminator::Step(section.start.into())),
            (None, None) => {}
        }
        self.targets.pop();
        self.jump_to(exit, exit);
    }

    /// For each guard whether its transition is the one: the one an input names, if that guard holds, else the first.
    fn take_one(&mut self, guards: &[Value], loc: Loc) -> Vec<Value> {
        if guards.len() < 2 {
            return guards.to_vec();
        }
        let (mut some, mut two) = (self.boolean(false), self.boolean(false));
        let mut firsts = Vec::new();
        for &guard in guards {
            let again = self.bin(BinOp::And, some, guard);
            let before = self.not(some);
            firsts.push(self.bin(BinOp::And, before, guard));
            two = self.bin(BinOp::Or, two, again);
            some = self.bin(BinOp::Or, some, guard);
        }
        let single = self.not(two);
        self.check(PropKind::Nondeterminism, single, "at most one transition is enabled", loc);
        let width = bits_for(guards.len());
        let named = self.havoc("choice", Type::bv(width));
        let mut hits = Vec::new();
        let mut hit = self.boolean(false);
        for (n, &guard) in guards.iter().enumerate() {
            let number = self.bv(width, n as i128);
            let is = self.bin(BinOp::Eq, named, number);
            hits.push(self.bin(BinOp::And, is, guard));
            hit = self.bin(BinOp::Or, hit, hits[n]);
        }
        hits.into_iter().zip(firsts).map(|(own, first)| self.ite(hit, own, first)).collect()
    }

    /// The places of a process have the names of their labels; of several the first.
    pub fn name_locations(&mut self, func: Func) {
        if self.words.role != Role::Process {
            return;
        }
        let mut labels: Vec<(Label, Block)> = self.labels.iter().map(|(&label, &block)| (label, block)).collect();
        labels.sort_unstable();
        for (label, block) in labels {
            let name = self.cx.unit.functions[func].labels[label].clone();
            let place = cleanup::end_of(&self.proc, block);
            self.proc.blocks[place].label.get_or_insert(name);
        }
    }

    /// Writes to variables of the process that last beyond a section are seen as firing.
    pub fn mark_firing(&mut self) {
        let Some(moved) = self.cx.plan.as_ref().and_then(|plan| plan.moved) else { return };
        if self.words.role != Role::Process {
            return;
        }
        let lasting = self.lasting_slots();
        for n in 0..self.proc.layout.len() {
            let block = self.proc.layout[n];
            let insts = std::mem::take(&mut self.proc.blocks[block].insts);
            for inst in insts {
                self.proc.blocks[block].insts.push(inst);
                let node = &self.proc.insts[inst];
                if let InstData::Write { place: Place::Local(slot), .. }
                | InstData::Store { place: Place::Local(slot), .. } = node.data
                {
                    if lasting.contains(&slot) {
                        let origin = node.origin;
                        let value = self.proc.constant(block, syncline_ir::Const::Bool(true), origin);
                        self.proc.append(block, InstData::Write { place: Place::Global(moved), value }, &[], origin);
                    }
                }
            }
        }
    }

    fn lasting_slots(&self) -> FxHashSet<Slot> {
        let mut found = FxHashSet::default();
        let mut add = |place: &Place| match place {
            Place::Local(slot) => drop(found.insert(*slot)),
            Place::Global(_) => {}
        };
        for (_, home) in self.homes.iter().filter(|(obj, _)| !self.words.short.contains(obj)) {
            match &home.kind {
                HomeKind::Scalar(place) | HomeKind::Array { place, .. } | HomeKind::Moving(place) => add(place),
                HomeKind::Vla { place, dims } => {
                    add(place);
                    dims.iter().for_each(&mut add);
                }
                HomeKind::Region(region) => region.places().iter().for_each(&mut add),
                HomeKind::Unused | HomeKind::Unmodelled(_) => {}
            }
        }
        found
    }
}
