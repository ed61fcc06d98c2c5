//! Decodes procedures into flat code over registers.
//!
//! Scalars and arrays have register files of their own. A value used outside its block, and every block parameter, has
//! a register to itself, as has every slot; the other scalars share a pool within their block, which keeps the
//! activations of large procedures small. An array that is used for the last time is moved out of its register, so that
//! an update of it happens in place.

use super::array::Array;
use super::code::{CallSite, Code, Edge, HavocSite, Op, PrintSite, Reg, Switch};
use crate::consts::Const;
use crate::entities::{Block, Origin, Proc, Slot, Value};
use crate::eval;
use crate::inst::{BlockCall, InstData, Place, Terminator};
use crate::ops::BinOp;
use crate::program::{InstNode, Procedure, Program};
use crate::types::{Scalar, Type};
use cranelift_entity::{EntityRef, SecondaryMap};
use std::cell::OnceCell;

/// The procedures of a program, each decoded when it is first needed.
pub(super) struct Codes<'p> {
    program: &'p Program,
    codes: Vec<OnceCell<Box<Code>>>,
}

impl<'p> Codes<'p> {
    pub fn new(program: &'p Program) -> Codes<'p> {
        Codes { program, codes: (0..program.procs.len()).map(|_| OnceCell::new()).collect() }
    }

    pub fn get(&self, proc: Proc) -> &Code {
        self.codes[proc.index()].get_or_init(|| Box::new(Decoder::new(&self.program.procs[proc]).decode()))
    }
}

/// When a value dies, by the position of the operation in the layout.
#[derive(Copy, Clone, PartialEq)]
enum Life {
    Unused,
    /// Used in its own block only, there last.
    Until(u32),
    /// Used in other blocks, or a parameter.
    Shared,
}

struct Decoder<'a> {
    proc: &'a Procedure,
    life: Vec<Life>,
    regs: Vec<Reg>,
    slots: Vec<Reg>,
    /// Pool registers nothing lives in.
    free: Vec<u32>,
    position: u32,
    code: Code,
}

impl<'a> Decoder<'a> {
    fn new(proc: &'a Procedure) -> Decoder<'a> {
        let mut decoder = Decoder {
            proc,
            life: lives(proc),
            regs: vec![Reg::Scalar(u32::MAX); proc.values.len()],
            slots: Vec::new(),
            free: Vec::new(),
            position: 0,
            code: Code::default(),
        };
        decoder.place_registers();
        decoder
    }

    /// Gives slots, arrays and shared scalars their registers; the pool begins behind them.
    fn place_registers(&mut self) {
        for (value, data) in self.proc.values.iter() {
            if data.ty.is_array() {
                self.regs[value.index()] = self.new_array();
            } else if self.life[value.index()] == Life::Shared {
                self.regs[value.index()] = self.new_scalar();
            }
        }
        self.code.slots_begin = self.code.scalars;
        for data in self.proc.slots.values() {
            let reg = if data.ty.is_array() { self.new_array() } else { self.new_scalar() };
            self.slots.push(reg);
        }
        self.code.slots_end = self.code.scalars;
    }

    fn new_scalar(&mut self) -> Reg {
        self.code.scalars += 1;
        Reg::Scalar(self.code.scalars - 1)
    }

    fn new_array(&mut self) -> Reg {
        self.code.arrays += 1;
        Reg::Array(self.code.arrays - 1)
    }

    fn decode(mut self) -> Code {
        let proc = self.proc;
        let mut starts: SecondaryMap<Block, u32> = SecondaryMap::new();
        for &block in &proc.layout {
            let data = &proc.blocks[block];
            starts[block] = self.code.ops.len() as u32;
            self.code.starts.push((starts[block], block));
            for &inst in &data.insts {
                self.inst(&proc.insts[inst]);
            }
            let op = self.terminator(&data.term);
            self.emit(op, data.term_origin);
            data.term.for_each_arg(|v| self.release(v));
            self.position += 1;
        }
        for edge in &mut self.code.edges {
            edge.target = starts[Block::from_u32(edge.target)];
        }
        self.code.entry = starts[proc.entry];
        self.code.params = self.all(proc.params());
        self.code.slots = self.slots.clone().into();
        self.code
    }

    fn emit(&mut self, op: Op, origin: Origin) {
        self.code.ops.push(op);
        self.code.origins.push(origin);
    }

    /// Operations read their operands before they write, so a result may take the register of an operand that dies.
    fn inst(&mut self, node: &InstNode) {
        let takes = self.takes(&node.data);
        node.data.for_each_arg(|v| self.release(v));
        for &result in &node.results {
            if let (Type::Scalar(_), Life::Unused | Life::Until(_)) = self.about(result) {
                self.regs[result.index()] = match self.free.pop() {
                    Some(reg) => Reg::Scalar(reg),
                    None => self.new_scalar(),
                };
            }
        }
        let op = self.op(node, takes);
        self.emit(op, node.origin);
        for &result in &node.results {
            if let (Type::Scalar(_), Life::Unused) = self.about(result) {
                self.free.push(self.scalar(result));
            }
        }
        self.position += 1;
    }

    fn about(&self, value: Value) -> (Type, Life) {
        (self.proc.value_type(value), self.life[value.index()])
    }

    /// Returns the register of a value that dies here to the pool.
    fn release(&mut self, value: Value) {
        if self.life[value.index()] == Life::Until(self.position) {
            if let Reg::Scalar(reg) = self.regs[value.index()] {
                self.free.push(reg);
                // An operand may stand twice in one operation, but is released once.
                self.life[value.index()] = Life::Unused;
            }
        }
    }

    /// Whether the array that the instruction stores or changes dies here.
    fn takes(&self, data: &InstData) -> bool {
        match data {
            InstData::Update { array: v, .. } | InstData::Write { value: v, .. } => {
                self.life[v.index()] == Life::Until(self.position)
            }
            _ => false,
        }
    }

    fn scalar(&self, value: Value) -> u32 {
        match self.regs[value.index()] {
            Reg::Scalar(reg) => reg,
            Reg::Array(_) => panic!("{value} is an array where a scalar belongs"),
        }
    }

    fn array(&self, value: Value) -> u32 {
        match self.regs[value.index()] {
            Reg::Array(reg) => reg,
            Reg::Scalar(_) => panic!("{value} is a scalar where an array belongs"),
        }
    }

    fn all(&self, values: &[Value]) -> Box<[Reg]> {
        values.iter().map(|v| self.regs[v.index()]).collect()
    }

    fn op(&mut self, node: &InstNode, take: bool) -> Op {
        let result = node.results.first().copied();
        let dst = result.map(|v| self.regs[v.index()]);
        let num = match dst {
            Some(Reg::Scalar(n) | Reg::Array(n)) => n,
            None => u32::MAX,
        };
        match &node.data {
            InstData::Const(Const::Array(array)) => {
                Op::ConstArray { dst: num, pool: push(&mut self.code.array_consts, Array::from_const(array)) }
            }
            InstData::Const(value) => Op::Const { dst: num, pool: push(&mut self.code.consts, eval::to_bits(value)) },
            InstData::Unary { op, arg } => {
                let entry = (*op, self.scalar_type(*arg));
                let op = push(&mut self.code.unaries, entry);
                Op::Unary { dst: num, arg: self.scalar(*arg), op }
            }
            InstData::Binary { op: BinOp::Select, args: [array, index] } => {
                Op::Select { dst: num, array: self.array(*array), index: self.scalar(*index) }
            }
            InstData::Binary { op, args: [a, b] } => {
                Op::Binary { op: *op, ty: self.scalar_type(*b), dst: num, a: self.scalar(*a), b: self.scalar(*b) }
            }
            InstData::Ite { cond, then, other } => match dst {
                Some(Reg::Array(dst)) => {
                    let (then, other) = (self.array(*then), self.array(*other));
                    Op::IteArray { dst, cond: self.scalar(*cond), then, other }
                }
                _ => {
                    let (then, other) = (self.scalar(*then), self.scalar(*other));
                    Op::Ite { dst: num, cond: self.scalar(*cond), then, other }
                }
            },
            InstData::Update { array, index, value } => {
                let (index, value) = (self.scalar(*index), self.scalar(*value));
                Op::Update { dst: num, array: self.array(*array), index, value, take }
            }
            InstData::Havoc { site } => match (dst, result) {
                (Some(dst), Some(value)) => {
                    let havoc = HavocSite { site: *site, dst, ty: self.proc.value_type(value) };
                    Op::Havoc { site: push(&mut self.code.havocs, havoc) }
                }
                _ => panic!("havoc without a result"),
            },
            InstData::Read { place } => self.read(*place, dst),
            InstData::Write { place, value } => self.write(*place, *value, take),
            InstData::Load { place, index } => match *place {
                Place::Global(var) => Op::LoadGlobal { dst: num, var, index: self.scalar(*index) },
                Place::Local(slot) => Op::Select { dst: num, array: self.array_slot(slot), index: self.scalar(*index) },
            },
            InstData::Store { place, index, value } => self.store(*place, *index, *value),
            InstData::Call { callee, args } => {
                let site = CallSite { callee: *callee, args: self.all(args), results: self.all(&node.results) };
                Op::Call { site: push(&mut self.code.calls, site) }
            }
            InstData::Assume { cond } => Op::Assume { cond: self.scalar(*cond) },
            InstData::Assert { prop, cond } => Op::Assert { cond: self.scalar(*cond), prop: *prop },
            InstData::Unsupported { obligation } => Op::Unsupported { obligation: *obligation },
            InstData::Print { format, args } => {
                let args = args.iter().map(|&v| (self.scalar(v), self.scalar_type(v))).collect();
                Op::Print { site: push(&mut self.code.prints, PrintSite { format: format.clone(), args }) }
            }
        }
    }

    fn scalar_type(&self, value: Value) -> Scalar {
        match self.proc.value_type(value) {
            Type::Scalar(ty) => ty,
            Type::Array { .. } => panic!("{value} is an array where a scalar belongs"),
        }
    }

    fn array_slot(&self, slot: Slot) -> u32 {
        match self.slots[slot.index()] {
            Reg::Array(reg) => reg,
            Reg::Scalar(_) => panic!("{slot} is a scalar where an array belongs"),
        }
    }

    fn read(&self, place: Place, dst: Option<Reg>) -> Op {
        let src = match place {
            Place::Global(var) => Err(var),
            Place::Local(slot) => Ok(self.slots[slot.index()]),
        };
        match (src, dst) {
            (Ok(Reg::Scalar(src)), Some(Reg::Scalar(dst))) => Op::ReadLocal { dst, src },
            (Ok(Reg::Array(src)), Some(Reg::Array(dst))) => Op::ReadLocalArray { dst, src },
            (Err(var), Some(Reg::Scalar(dst))) => Op::ReadGlobal { dst, var },
            (Err(var), Some(Reg::Array(dst))) => Op::ReadGlobalArray { dst, var },
            (Ok(_), _) | (Err(_), None) => panic!("ill-typed read of {place:?}"),
        }
    }

    fn store(&self, place: Place, index: Value, value: Value) -> Op {
        let (index, src) = (self.scalar(index), self.scalar(value));
        match place {
            Place::Global(var) => Op::StoreGlobal { var, index, src },
            Place::Local(slot) => Op::StoreLocal { array: self.array_slot(slot), index, src, slot },
        }
    }

    fn write(&self, place: Place, value: Value, take: bool) -> Op {
        match (place, self.regs[value.index()]) {
            (Place::Global(var), Reg::Scalar(src)) => Op::WriteGlobal { var, src },
            (Place::Global(var), Reg::Array(src)) => Op::WriteGlobalArray { var, src, take },
            (Place::Local(slot), src) => match (self.slots[slot.index()], src) {
                (Reg::Scalar(dst), Reg::Scalar(src)) => Op::WriteLocal { dst, src, slot },
                (Reg::Array(dst), Reg::Array(src)) => Op::WriteLocalArray { dst, src, slot, take },
                _ => panic!("{value} does not fit in {slot}"),
            },
        }
    }

    fn terminator(&mut self, term: &Terminator) -> Op {
        let first_edge = self.code.edges.len() as u32;
        for target in term.targets() {
            let edge = self.edge(target);
            self.code.edges.push(edge);
        }
        match term {
            Terminator::Jump(_) => Op::Jump { edge: first_edge },
            Terminator::Branch { cond, .. } => Op::Branch { cond: self.scalar(*cond), edge: first_edge },
            Terminator::Switch { value, cases, .. } => {
                let mut sorted: Vec<(u128, u32)> = cases.iter().map(|(c, _)| *c).zip(0..).collect();
                // A stable sort and `dedup` keep the first of equal constants.
                sorted.sort_by_key(|(constant, _)| *constant);
                sorted.dedup_by_key(|(constant, _)| *constant);
                let switch = Switch { cases: sorted, first_edge, default: cases.len() as u32 };
                Op::Switch { value: self.scalar(*value), table: push(&mut self.code.switches, switch) }
            }
            Terminator::Return(values) => {
                let typed = values.iter().map(|&v| (self.regs[v.index()], self.proc.value_type(v))).collect();
                Op::Return { list: push(&mut self.code.returns, typed) }
            }
            Terminator::Stop => Op::Stop,
            Terminator::Step(_) => Op::Step { edge: first_edge },
        }
    }

    /// The target is the block's number until all blocks have been placed.
    fn edge(&self, call: &BlockCall) -> Edge {
        let params = &self.proc.blocks[call.block].params;
        let (mut scalars, mut arrays) = (Vec::new(), Vec::new());
        for (&param, &arg) in params.iter().zip(&call.args) {
            match (self.regs[param.index()], self.regs[arg.index()]) {
                (Reg::Scalar(dst), Reg::Scalar(src)) if dst != src => scalars.push((dst, src)),
                (Reg::Array(dst), Reg::Array(src)) if dst != src => arrays.push((dst, src)),
                (Reg::Scalar(_), Reg::Scalar(_)) | (Reg::Array(_), Reg::Array(_)) => {}
                _ => panic!("{arg} does not fit the parameter {param}"),
            }
        }
        let overlap = overlaps(&scalars) || overlaps(&arrays);
        Edge { target: call.block.as_u32(), scalars: scalars.into(), arrays: arrays.into(), overlap }
    }
}

/// Appends to a table and gives the place.
fn push<T>(table: &mut Vec<T>, entry: T) -> u32 {
    table.push(entry);
    table.len() as u32 - 1
}

/// Whether a source is overwritten before it is read when the moves are made one after another.
fn overlaps(moves: &[(u32, u32)]) -> bool {
    let mut written: Vec<u32> = moves.iter().map(|(dst, _)| *dst).collect();
    written.sort_unstable();
    moves.iter().any(|(_, src)| written.binary_search(src).is_ok())
}

/// Positions count the operations in layout order, as the decoder meets them.
fn lives(proc: &Procedure) -> Vec<Life> {
    let mut home: Vec<Option<Block>> = vec![None; proc.values.len()];
    for &block in &proc.layout {
        let results = proc.blocks[block].insts.iter().flat_map(|&i| &proc.insts[i].results);
        results.for_each(|v| home[v.index()] = Some(block));
    }
    let mut life = vec![Life::Unused; proc.values.len()];
    for &block in &proc.layout {
        proc.blocks[block].params.iter().for_each(|v| life[v.index()] = Life::Shared);
    }
    let mut position = 0;
    for &block in &proc.layout {
        let mut used = |v: Value, position: u32| {
            let life = &mut life[v.index()];
            if *life != Life::Shared {
                *life = if home[v.index()] == Some(block) { Life::Until(position) } else { Life::Shared };
            }
        };
        for &inst in &proc.blocks[block].insts {
            proc.insts[inst].data.for_each_arg(|v| used(v, position));
            position += 1;
        }
        proc.blocks[block].term.for_each_arg(|v| used(v, position));
        position += 1;
    }
    life
}
