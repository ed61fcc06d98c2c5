//! Procedures. Values and blocks may be used before the text defines them, so both are kept under their numbers in
//! the text until the procedure ends; then [`Numbers`] decides whether these stay.

use super::lexer::{clip, Fault, Token};
use super::{define, look_up, operators, Numbered, Reader};
use crate::consts::Const;
use crate::entities::*;
use crate::inst::{BlockCall, InstData, Terminator};
use crate::program::*;
use crate::types::Type;
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The numbers of one kind of entity in one procedure.
struct Numbers {
    prefix: &'static str,
    /// Number in the text to place in the order of definitions.
    defined: FxHashMap<u32, u32>,
    /// Used but not yet defined, with the first use.
    pending: FxHashMap<u32, usize>,
    largest: u32,
}

impl Numbers {
    fn new(prefix: &'static str) -> Numbers {
        Numbers { prefix, defined: FxHashMap::default(), pending: FxHashMap::default(), largest: 0 }
    }

    fn define(&mut self, number: u32, at: usize) -> Result<(), Fault> {
        let place = self.defined.len() as u32;
        self.largest = self.largest.max(number);
        self.pending.remove(&number);
        match self.defined.insert(number, place) {
            None => Ok(()),
            Some(_) => Err(Fault { at, message: format!("{}{number} is defined twice", self.prefix) }),
        }
    }

    fn mention(&mut self, number: u32, at: usize) {
        if !self.defined.contains_key(&number) {
            self.pending.entry(number).or_insert(at);
        }
    }

    fn check(&self) -> Result<(), Fault> {
        match self.pending.iter().min_by_key(|(_, at)| **at) {
            None => Ok(()),
            Some((number, at)) => {
                Err(Fault { at: *at, message: format!("{}{number} is not defined in this procedure", self.prefix) })
            }
        }
    }

    /// Whether the numbers stay: if the gaps between them are still affordable.
    fn keep(&self, gaps: &mut usize) -> bool {
        let missing = match self.defined.is_empty() {
            true => 0,
            false => self.largest as usize + 1 - self.defined.len(),
        };
        let keep = missing <= *gaps;
        if keep {
            *gaps -= missing;
        }
        keep
    }

    /// The new number, where numbers do not stay. Every mentioned number is defined by then.
    fn place(&self, number: u32) -> u32 {
        self.defined.get(&number).copied().unwrap_or(number)
    }
}

/// A procedure under the numbers of the text.
struct Body {
    slots: PrimaryMap<Slot, SlotData>,
    slot_numbers: Numbered<Slot>,
    insts: PrimaryMap<Inst, InstNode>,
    values: Vec<(Value, ValueData)>,
    value_numbers: Numbers,
    blocks: Vec<(Block, BlockData)>,
    block_numbers: Numbers,
}

type Results = SmallVec<[(u32, usize, Option<Type>); 1]>;

impl Reader<'_> {
    pub(super) fn procedure(&mut self) -> Result<(), Fault> {
        self.cursor.take()?;
        let at = self.cursor.at;
        let name = self.cursor.name("the procedure's name")?;
        let mut results = Vec::new();
        if self.cursor.eat_arrow()? {
            results.push(self.cursor.ty()?);
            while self.cursor.eat(',')? {
                results.push(self.cursor.ty()?);
            }
        }
        let mut body = Body::new();
        let entry = match self.cursor.eat_word("entry")? {
            true => Some(self.block_ref(&mut body)?),
            false => None,
        };
        let origin = self.origin()?;
        self.body(&mut body)?;
        let Some(entry) = entry.or(body.blocks.first().map(|(block, _)| *block)) else {
            return Err(Fault { at, message: "a procedure has at least one block".to_string() });
        };
        let procedure = body.finish(name.clone(), results, entry, origin, &mut self.gaps)?;
        let proc = self.program.procs.push(procedure);
        match self.procs.insert(name, proc) {
            None => Ok(()),
            Some(_) => Err(Fault { at, message: "a procedure of this name exists already".to_string() }),
        }
    }

    fn body(&mut self, body: &mut Body) -> Result<(), Fault> {
        self.cursor.expect('{')?;
        while self.cursor.peek_entity("slot").is_some() {
            self.slot(body)?;
        }
        while !self.cursor.eat('}')? {
            self.block(body)?;
        }
        body.value_numbers.check()?;
        body.block_numbers.check()
    }

    fn slot(&mut self, body: &mut Body) -> Result<(), Fault> {
        let (number, at) = self.cursor.entity("slot")?;
        self.cursor.expect('=')?;
        if !self.cursor.eat_word("slot")? {
            return self.cursor.expected("`slot`");
        }
        let name = self.cursor.string("the slot's name in quotes")?;
        self.cursor.expect(':')?;
        let ty = self.cursor.ty()?;
        let origin = self.origin()?;
        let slot = body.slots.push(SlotData { name, ty, origin });
        define(&mut body.slot_numbers, number, slot, "slot", at)
    }

    fn block(&mut self, body: &mut Body) -> Result<(), Fault> {
        let (number, at) = self.cursor.entity("block")?;
        body.block_numbers.define(number, at)?;
        let block = Block::from_u32(number);
        let mut data = BlockData::empty(self.program.no_origin());
        if self.cursor.eat('(')? {
            loop {
                let (number, at) = self.cursor.entity("v")?;
                self.cursor.expect(':')?;
                let ty = self.cursor.ty()?;
                let def = ValueDef::Param(block, data.params.len() as u32);
                data.params.push(body.define_value(number, at, ty, def)?);
                if !self.cursor.eat(',')? {
                    break;
                }
            }
            self.cursor.expect(')')?;
        }
        if matches!(self.cursor.peek(), Token::Str(_)) {
            data.label = Some(self.cursor.string("the block's label in quotes")?);
        }
        self.cursor.expect(':')?;
        loop {
            if let Some(term) = self.terminator(body)? {
                data.term = term;
                data.term_origin = self.origin()?;
                break;
            }
            data.insts.push(self.inst(body)?);
        }
        body.blocks.push((block, data));
        Ok(())
    }

    fn terminator(&mut self, body: &mut Body) -> Result<Option<Terminator>, Fault> {
        Ok(Some(if self.cursor.eat_word("jump")? {
            Terminator::Jump(self.target(body)?)
        } else if self.cursor.eat_word("step")? {
            Terminator::Step(self.target(body)?)
        } else if self.cursor.eat_word("stop")? {
            Terminator::Stop
        } else if self.cursor.eat_word("return")? {
            Terminator::Return(match self.cursor.peek_entity("v") {
                Some(_) => self.values(body)?,
                None => Vec::new(),
            })
        } else if self.cursor.eat_word("branch")? {
            let cond = self.value(body)?;
            self.cursor.expect(',')?;
            let then = self.target(body)?;
            self.cursor.expect(',')?;
            Terminator::Branch { cond, then, other: self.target(body)? }
        } else if self.cursor.eat_word("switch")? {
            self.switch(body)?
        } else {
            return Ok(None);
        }))
    }

    fn switch(&mut self, body: &mut Body) -> Result<Terminator, Fault> {
        let value = self.value(body)?;
        self.cursor.expect('{')?;
        let mut cases = Vec::new();
        while !self.cursor.eat_word("default")? {
            let constant = self.cursor.number("a case's constant or `default`")?;
            self.cursor.expect(':')?;
            cases.push((constant, self.target(body)?));
            self.cursor.expect(',')?;
        }
        self.cursor.expect(':')?;
        let default = self.target(body)?;
        self.cursor.expect('}')?;
        Ok(Terminator::Switch { value, cases, default })
    }

    fn block_ref(&mut self, body: &mut Body) -> Result<Block, Fault> {
        let (number, at) = self.cursor.entity("block")?;
        body.block_numbers.mention(number, at);
        Ok(Block::from_u32(number))
    }

    fn target(&mut self, body: &mut Body) -> Result<BlockCall, Fault> {
        let block = self.block_ref(body)?;
        let mut args = Vec::new();
        if self.cursor.eat('(')? {
            args = self.values(body)?;
            self.cursor.expect(')')?;
        }
        Ok(BlockCall { block, args })
    }

    fn value(&mut self, body: &mut Body) -> Result<Value, Fault> {
        let (number, at) = self.cursor.entity("v")?;
        body.value_numbers.mention(number, at);
        Ok(Value::from_u32(number))
    }

    /// One or more values.
    fn values(&mut self, body: &mut Body) -> Result<Vec<Value>, Fault> {
        let mut values = vec![self.value(body)?];
        while self.cursor.eat(',')? {
            values.push(self.value(body)?);
        }
        Ok(values)
    }

    fn comma_value(&mut self, body: &mut Body) -> Result<Value, Fault> {
        self.cursor.expect(',')?;
        self.value(body)
    }

    fn inst(&mut self, body: &mut Body) -> Result<Inst, Fault> {
        let results = self.results()?;
        let data = self.inst_data(body)?;
        let origin = self.origin()?;
        let inst = body.insts.next_key();
        let mut values = SmallVec::new();
        for (n, (number, at, ty)) in (0u32..).zip(results) {
            let ty = match (ty, &data) {
                (Some(ty), _) => ty,
                (None, InstData::Const(value)) => value.ty(),
                (None, _) => return Err(Fault { at, message: format!("v{number} needs its type: `v{number}: bv32`") }),
            };
            values.push(body.define_value(number, at, ty, ValueDef::Result(inst, n))?);
        }
        body.insts.push(InstNode { data, results: values, origin });
        Ok(inst)
    }

    /// What stands left of `=`, if anything.
    fn results(&mut self) -> Result<Results, Fault> {
        let mut results = Results::new();
        if self.cursor.peek_entity("v").is_none() {
            return Ok(results);
        }
        loop {
            let (number, at) = self.cursor.entity("v")?;
            let ty = match self.cursor.eat(':')? {
                true => Some(self.cursor.ty()?),
                false => None,
            };
            results.push((number, at, ty));
            if !self.cursor.eat(',')? {
                break;
            }
        }
        self.cursor.expect('=')?;
        Ok(results)
    }

    fn inst_data(&mut self, body: &mut Body) -> Result<InstData, Fault> {
        let at = self.cursor.at;
        let word = self.cursor.word("an instruction or a terminator")?;
        Ok(match word {
            "const" => InstData::Const(self.cursor.constant()?),
            "ite" => {
                let cond = self.value(body)?;
                let then = self.comma_value(body)?;
                InstData::Ite { cond, then, other: self.comma_value(body)? }
            }
            "update" => {
                let array = self.value(body)?;
                let index = self.comma_value(body)?;
                InstData::Update { array, index, value: self.comma_value(body)? }
            }
            "havoc" => InstData::Havoc { site: self.site_ref()? },
            "read" | "write" | "load" | "store" => self.access(word, body)?,
            "call" => self.call(body)?,
            "assume" => InstData::Assume { cond: self.value(body)? },
            "assert" => {
                let (number, at) = self.cursor.entity("prop")?;
                let prop = look_up(&self.props, number, "prop", at)?;
                InstData::Assert { prop, cond: self.comma_value(body)? }
            }
            "unsupported" => {
                let (number, at) = self.cursor.entity("obligation")?;
                InstData::Unsupported { obligation: look_up(&self.obligations, number, "obligation", at)? }
            }
            "print" => {
                let format = self.cursor.string("the format in quotes")?.into();
                let args = if self.cursor.eat(',')? { self.values(body)? } else { Vec::new() };
                InstData::Print { format, args }
            }
            _ => self.operator(word, at, body)?,
        })
    }

    fn access(&mut self, word: &str, body: &mut Body) -> Result<InstData, Fault> {
        let place = self.place(&body.slot_numbers)?;
        let cell = matches!(word, "load" | "store");
        let mut index = None;
        if cell {
            self.cursor.expect('[')?;
            index = Some(self.value(body)?);
            self.cursor.expect(']')?;
        }
        let value = if matches!(word, "write" | "store") { Some(self.comma_value(body)?) } else { None };
        Ok(match (index, value) {
            (None, None) => InstData::Read { place },
            (None, Some(value)) => InstData::Write { place, value },
            (Some(index), None) => InstData::Load { place, index },
            (Some(index), Some(value)) => InstData::Store { place, index, value },
        })
    }

    fn call(&mut self, body: &mut Body) -> Result<InstData, Fault> {
        let callee = self.proc_ref()?;
        self.cursor.expect('(')?;
        let args = match *self.cursor.peek() == Token::Punct(')') {
            true => Vec::new(),
            false => self.values(body)?,
        };
        self.cursor.expect(')')?;
        Ok(InstData::Call { callee, args })
    }

    fn operator(&mut self, word: &str, at: usize, body: &mut Body) -> Result<InstData, Fault> {
        if let Some(&op) = self.binary.get(word) {
            let first = self.value(body)?;
            return Ok(InstData::Binary { op, args: [first, self.comma_value(body)?] });
        }
        match operators::unary(word) {
            Some(op) => Ok(InstData::Unary { op, arg: self.value(body)? }),
            None => Err(Fault { at, message: format!("`{}` is no instruction", clip(word)) }),
        }
    }
}

impl Body {
    fn new() -> Body {
        Body {
            slots: PrimaryMap::new(),
            slot_numbers: FxHashMap::default(),
            insts: PrimaryMap::new(),
            values: Vec::new(),
            value_numbers: Numbers::new("v"),
            blocks: Vec::new(),
            block_numbers: Numbers::new("block"),
        }
    }

    fn define_value(&mut self, number: u32, at: usize, ty: Type, def: ValueDef) -> Result<Value, Fault> {
        self.value_numbers.define(number, at)?;
        let value = Value::from_u32(number);
        self.values.push((value, ValueData { ty, def }));
        Ok(value)
    }

    fn finish(
        mut self,
        name: String,
        results: Vec<Type>,
        mut entry: Block,
        origin: Origin,
        gaps: &mut usize,
    ) -> Result<Procedure, Fault> {
        if !self.block_numbers.keep(gaps) {
            entry = Block::from_u32(self.block_numbers.place(entry.as_u32()));
            self.renumber_blocks();
        }
        if !self.value_numbers.keep(gaps) {
            self.renumber_values();
        }
        let layout = self.blocks.iter().map(|(block, _)| *block).collect();
        self.blocks.sort_by_key(|(block, _)| *block);
        let mut blocks = PrimaryMap::with_capacity(self.blocks.len());
        for (block, data) in self.blocks {
            while blocks.next_key() < block {
                blocks.push(BlockData::empty(origin));
            }
            blocks.push(data);
        }
        self.values.sort_by_key(|(value, _)| *value);
        let mut values = PrimaryMap::with_capacity(self.values.len());
        for (value, data) in self.values {
            while values.next_key() < value {
                let gap = ValueDef::Result(self.insts.next_key(), 0);
                let unused = values.push(ValueData { ty: Type::BOOL, def: gap });
                let results = SmallVec::from_elem(unused, 1);
                self.insts.push(InstNode { data: InstData::Const(Const::FALSE), results, origin });
            }
            values.push(data);
        }
        Ok(Procedure { name, results, entry, layout, blocks, insts: self.insts, values, slots: self.slots, origin })
    }

    fn renumber_blocks(&mut self) {
        let numbers = &self.block_numbers;
        let renumber = |block: &mut Block| *block = Block::from_u32(numbers.place(block.as_u32()));
        for (block, data) in &mut self.blocks {
            renumber(block);
            data.term.targets_mut().for_each(|to| renumber(&mut to.block));
        }
        for (_, data) in &mut self.values {
            if let ValueDef::Param(block, _) = &mut data.def {
                renumber(block);
            }
        }
    }

    fn renumber_values(&mut self) {
        let numbers = &self.value_numbers;
        let renumber = |value: Value| Value::from_u32(numbers.place(value.as_u32()));
        for (value, _) in &mut self.values {
            *value = renumber(*value);
        }
        for (_, data) in &mut self.blocks {
            data.params.iter_mut().for_each(|p| *p = renumber(*p));
            data.term.map_args(renumber);
        }
        for node in self.insts.values_mut() {
            node.data.map_args(renumber);
            node.results.iter_mut().for_each(|r| *r = renumber(*r));
        }
    }
}
