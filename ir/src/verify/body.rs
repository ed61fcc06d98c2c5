//! Rules on the structure of one procedure: its layout, definitions, uses, and what terminators hand on. What single
//! instructions ask for is in [`super::insts`].

use super::dominance::Dominators;
use super::{legal_type, origin_fault, Rule, Violation};
use crate::consts::mask;
use crate::entities::*;
use crate::inst::{BlockCall, Terminator};
use crate::program::*;
use crate::types::Type;
use crate::write;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashSet;

pub(super) fn check(program: &Program, proc: Proc, out: &mut Vec<Violation>) {
    let procedure = &program.procs[proc];
    let mut body = Body {
        program,
        proc,
        procedure,
        out,
        listed: vec![false; procedure.blocks.len()],
        place_of: SecondaryMap::new(),
        dominators: None,
    };
    body.header();
    body.layout();
    body.places();
    if body.is_listed(procedure.entry) {
        body.dominators = Some(Dominators::new(procedure, &body.listed));
    }
    for (block, _) in body.blocks() {
        body.block(block);
    }
}

pub(super) struct Body<'a> {
    pub program: &'a Program,
    proc: Proc,
    pub procedure: &'a Procedure,
    out: &'a mut Vec<Violation>,
    listed: Vec<bool>,
    /// Where an instruction stands: its block and its place there.
    place_of: SecondaryMap<Inst, Option<(Block, u32)>>,
    /// Not there if the entry is not.
    dominators: Option<Dominators>,
}

/// Longest piece of text in a message: constants may have a million cells.
const CLIP: usize = 120;

impl<'a> Body<'a> {
    pub fn report(&mut self, at: (Option<Block>, Option<Inst>), rule: Rule, message: impl Into<String>) {
        let mut place = self.procedure.name.clone();
        if let Some(block) = at.0 {
            place += &format!(", {block}");
        }
        if let Some(inst) = at.1 {
            let text = write::inst(self.program, self.procedure, inst);
            match text.char_indices().nth(CLIP) {
                Some((end, _)) => place += &format!(", {inst} `{}...`", &text[..end]),
                None => place += &format!(", {inst} `{text}`"),
            }
        }
        let (block, inst) = at;
        self.out.push(Violation { proc: Some(self.proc), block, inst, rule, place, message: message.into() });
    }

    /// The listed blocks that exist.
    fn blocks(&self) -> impl Iterator<Item = (Block, &'a BlockData)> {
        let procedure = self.procedure;
        procedure.layout.iter().filter_map(move |&block| Some((block, procedure.blocks.get(block)?)))
    }

    fn is_listed(&self, block: Block) -> bool {
        self.listed.get(block.as_u32() as usize).copied().unwrap_or(false)
    }

    fn header(&mut self) {
        let procedure = self.procedure;
        self.origin((None, None), procedure.origin);
        for (n, &ty) in procedure.results.iter().enumerate() {
            if !legal_type(ty) {
                self.report((None, None), Rule::Type, format!("result {n}: {ty} is no type"));
            }
        }
        for (slot, data) in procedure.slots.iter() {
            self.origin((None, None), data.origin);
            if !legal_type(data.ty) {
                self.report((None, None), Rule::Type, format!("{slot}: {} is no type", data.ty));
            }
        }
    }

    fn origin(&mut self, at: (Option<Block>, Option<Inst>), origin: Origin) {
        if let Some(fault) = origin_fault(self.program, origin) {
            self.report(at, Rule::Origin, fault);
        }
    }

    fn layout(&mut self) {
        for &block in &self.procedure.layout {
            match self.listed.get_mut(block.as_u32() as usize) {
                None => self.report((Some(block), None), Rule::Layout, "is listed but does not exist"),
                Some(listed) if *listed => self.report((Some(block), None), Rule::Layout, "is listed twice"),
                Some(listed) => *listed = true,
            }
        }
        if !self.is_listed(self.procedure.entry) {
            self.report((Some(self.procedure.entry), None), Rule::Layout, "is the entry but is not listed");
        }
    }

    fn places(&mut self) {
        let mut seen = FxHashSet::default();
        for (block, data) in self.blocks() {
            // A block that is listed twice has been reported; its instructions are not to blame.
            if !seen.insert(block) {
                continue;
            }
            for (n, &inst) in (0u32..).zip(&data.insts) {
                let at = (Some(block), Some(inst));
                if !self.procedure.insts.is_valid(inst) {
                    self.report(at, Rule::Inst, "does not exist");
                } else if let Some((other, _)) = self.place_of[inst] {
                    self.report(at, Rule::Inst, format!("stands in {other} already"));
                } else {
                    self.place_of[inst] = Some((block, n));
                }
            }
        }
    }

    fn block(&mut self, block: Block) {
        let data = &self.procedure.blocks[block];
        for (n, &param) in (0u32..).zip(&data.params) {
            self.definition((Some(block), None), param, ValueDef::Param(block, n));
        }
        for (n, &inst) in (0u32..).zip(&data.insts) {
            let Some(node) = self.procedure.insts.get(inst) else { continue };
            let at = (Some(block), Some(inst));
            self.origin(at, node.origin);
            for (r, &result) in (0u32..).zip(&node.results) {
                self.definition(at, result, ValueDef::Result(inst, r));
            }
            node.data.for_each_arg(|value| self.usage(at, block, n, value));
            self.inst(at, node);
        }
        let at = (Some(block), None);
        self.origin(at, data.term_origin);
        data.term.for_each_arg(|value| self.usage(at, block, data.insts.len() as u32, value));
        self.terminator(at, &data.term);
    }

    fn definition(&mut self, at: (Option<Block>, Option<Inst>), value: Value, def: ValueDef) {
        match self.procedure.values.get(value) {
            None => self.report(at, Rule::Definition, format!("{value} does not exist")),
            Some(data) => {
                if data.def != def {
                    self.report(at, Rule::Definition, format!("the record of {value} names another definition"));
                }
                if !legal_type(data.ty) {
                    self.report(at, Rule::Type, format!("{value}: {} is no type", data.ty));
                }
            }
        }
    }

    /// Where a value comes to be: a block, and how many of its instructions come before.
    fn defined_at(&self, value: Value) -> Option<(Block, u32)> {
        match self.procedure.values.get(value)?.def {
            ValueDef::Param(block, n) => {
                let params = &self.procedure.blocks.get(block)?.params;
                (self.is_listed(block) && params.get(n as usize) == Some(&value)).then_some((block, 0))
            }
            ValueDef::Result(inst, n) => {
                let results = &self.procedure.insts.get(inst)?.results;
                let (block, place) = self.place_of[inst]?;
                (results.get(n as usize) == Some(&value)).then_some((block, place + 1))
            }
        }
    }

    /// A use before the instruction at `place` has run.
    fn usage(&mut self, at: (Option<Block>, Option<Inst>), block: Block, place: u32, value: Value) {
        let Some((home, since)) = self.defined_at(value) else {
            return self.report(at, Rule::Use, format!("{value} is not defined in a listed block"));
        };
        let Some(dominators) = &self.dominators else { return };
        if !dominators.reachable(block) {
            return;
        }
        let dominated = match home == block {
            true => since <= place,
            false => dominators.reachable(home) && dominators.dominates(home, block),
        };
        if !dominated {
            self.report(at, Rule::Dominance, format!("the definition of {value} in {home} does not dominate this use"));
        }
    }

    /// The type of a value, if it has a legal one. Where it has not, that has been reported.
    pub fn ty(&self, value: Value) -> Option<Type> {
        self.procedure.values.get(value).map(|data| data.ty).filter(|&ty| legal_type(ty))
    }

    pub fn condition(&mut self, at: (Option<Block>, Option<Inst>), value: Value) {
        if let Some(ty) = self.ty(value).filter(|&ty| ty != Type::BOOL) {
            self.report(at, Rule::Condition, format!("{value} is of type {ty}, not bool"));
        }
    }

    /// Compares values handed over with the types asked for.
    pub fn matches(
        &mut self,
        at: (Option<Block>, Option<Inst>),
        rule: Rule,
        what: &str,
        given: &[Value],
        want: &[Type],
    ) {
        if given.len() != want.len() {
            let message = format!("{what}: {} values given, {} wanted", given.len(), want.len());
            return self.report(at, rule, message);
        }
        for (&value, &want) in given.iter().zip(want) {
            if let Some(ty) = self.ty(value).filter(|&ty| ty != want) {
                self.report(at, rule, format!("{what}: {value} is of type {ty}, not {want}"));
            }
        }
    }

    fn terminator(&mut self, at: (Option<Block>, Option<Inst>), term: &Terminator) {
        match term {
            Terminator::Branch { cond, .. } => self.condition(at, *cond),
            Terminator::Switch { value, cases, .. } => self.switch(at, *value, cases),
            Terminator::Return(values) => {
                self.matches(at, Rule::Return, "return", values, &self.procedure.results);
            }
            Terminator::Jump(_) | Terminator::Stop | Terminator::Step(_) => {}
        }
        term.targets().for_each(|to| self.target(at, to));
    }

    fn switch(&mut self, at: (Option<Block>, Option<Inst>), value: Value, cases: &[(u128, BlockCall)]) {
        let Some(ty) = self.ty(value) else { return };
        let Some(width) = ty.width() else {
            return self.report(at, Rule::Switch, format!("{value} is of type {ty}, not a bit-vector"));
        };
        let mut seen = FxHashSet::default();
        for (constant, _) in cases {
            if mask(width, *constant) != *constant {
                self.report(at, Rule::Switch, format!("the case {constant} is more than {width} bits"));
            }
            if !seen.insert(constant) {
                self.report(at, Rule::Switch, format!("the case {constant} is there twice"));
            }
        }
    }

    fn target(&mut self, at: (Option<Block>, Option<Inst>), to: &BlockCall) {
        if !self.is_listed(to.block) {
            return self.report(at, Rule::Target, format!("{} is not listed", to.block));
        }
        if to.block == self.procedure.entry {
            self.report(at, Rule::EntryBlock, format!("jumps to the entry, {}", to.block));
        }
        let params = &self.procedure.blocks[to.block].params;
        // A parameter without a value is reported where the block is.
        let want: Option<Vec<Type>> = params.iter().map(|&p| self.procedure.values.get(p).map(|v| v.ty)).collect();
        if let Some(want) = want {
            self.matches(at, Rule::BlockArgs, &to.block.to_string(), &to.args, &want);
        }
    }
}
