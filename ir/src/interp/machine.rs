//! Runs decoded procedures: one loop over the operations, with the activations on a stack of its own.
//!
//! The registers of all activations lie in two vectors, one for scalars and one for arrays, and grow with the depth of
//! the calls. Scalar registers are not cleared at a call (only slots have a value before they are written), arrays are
//! dropped at a return.

use super::array::Array;
use super::code::{Code, Edge, Op, Reg};
use super::decode::Codes;
use super::system::StepState;
use super::{printf, Inputs, Limits, Observer, Outcome};
use crate::consts::Const;
use crate::entities::{Origin, Proc, Site};
use crate::eval;
use crate::inst::Place;
use crate::program::{Initial, Program};
use crate::types::Type;
use cranelift_entity::EntityRef;
use std::time::Instant;

/// Operations between two looks at the clock.
const SLICE: u64 = 8192;
/// Scalar registers all activations may have together: 1 GiB.
const MAX_REGISTERS: usize = 1 << 26;

/// An activation that waits for a call to return.
struct Frame<'a> {
    proc: Proc,
    code: &'a Code,
    /// The operation behind the call.
    pc: usize,
    base: usize,
    array_base: usize,
}

pub(super) struct Machine<'a> {
    pub(super) program: &'a Program,
    pub(super) codes: &'a Codes<'a>,
    inputs: &'a mut dyn Inputs,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) watched: bool,
    fuel: u64,
    depth: u32,
    deadline: Option<Instant>,
    pub(super) globals: Vec<u128>,
    /// By variable, like `globals`; zeros where the variable is a scalar.
    pub(super) global_arrays: Vec<Array>,
    pub(super) scalars: Vec<u128>,
    pub(super) arrays: Vec<Array>,
    callers: Vec<Frame<'a>>,
    /// The running activation.
    pub(super) proc: Proc,
    pub(super) code: &'a Code,
    pub(super) pc: usize,
    pub(super) base: usize,
    pub(super) array_base: usize,
    /// Of a system of processes: what the step has written so far.
    pub(super) step: Option<Box<StepState<'a>>>,
}

/// A value on its way between the host and the registers.
#[derive(Clone)]
pub(super) enum Raw {
    Scalar(u128),
    Array(Array),
}

impl<'a> Machine<'a> {
    pub fn new(
        program: &'a Program,
        codes: &'a Codes<'a>,
        inputs: &'a mut dyn Inputs,
        observer: &'a mut dyn Observer,
        limits: Limits,
        entry: Proc,
    ) -> Machine<'a> {
        Machine {
            program,
            codes,
            inputs,
            watched: observer.watches(),
            observer,
            fuel: limits.fuel,
            depth: limits.depth,
            deadline: limits.deadline,
            globals: vec![0; program.vars.len()],
            global_arrays: vec![Array::default(); program.vars.len()],
            scalars: Vec::new(),
            arrays: Vec::new(),
            callers: Vec::new(),
            proc: entry,
            code: codes.get(entry),
            pc: 0,
            base: 0,
            array_base: 0,
            step: None,
        }
    }

    pub fn run(mut self) -> Outcome {
        self.initialise();
        self.call_root(self.proc)
    }

    /// Runs a procedure without parameters (or with zeros for them) to its end, on registers of its own.
    pub(super) fn call_root(&mut self, proc: Proc) -> Outcome {
        match self.begin(proc) {
            true => self.execute().unwrap_or(Outcome::NotRunnable("a step outside a process")),
            false => Outcome::StackOverflow,
        }
    }

    /// A new activation at the bottom of the stack, at its beginning; false if there is no room.
    pub(super) fn begin(&mut self, proc: Proc) -> bool {
        if self.watched {
            self.observer.enter(proc, self.program.procs[proc].origin);
        }
        (self.proc, self.code) = (proc, self.codes.get(proc));
        (self.base, self.array_base) = (0, 0);
        // The registers are new here, so the parameters are zero.
        self.scalars.clear();
        self.arrays.clear();
        self.callers.clear();
        self.pc = self.code.entry as usize;
        self.depth > 0 && self.activate()
    }

    pub(super) fn initialise(&mut self) {
        for (var, data) in self.program.vars.iter() {
            let raw = match &data.init {
                Initial::Const(value) => raw(value),
                Initial::Any(site) => self.input(*site, data.ty, data.origin),
            };
            match raw {
                Raw::Scalar(bits) => self.globals[var.index()] = bits,
                Raw::Array(array) => self.global_arrays[var.index()] = array,
            }
        }
    }

    pub(super) fn input(&mut self, site: Site, ty: Type, origin: Origin) -> Raw {
        let mut value = self.inputs.next(site, ty);
        if value.ty() != ty {
            value = Const::zero(ty);
        }
        if self.watched {
            self.observer.input(site, &value, origin);
        }
        raw(&value)
    }

    /// Makes room for the running activation and clears its slots; false if the stack is too large.
    fn activate(&mut self) -> bool {
        let end = self.base + self.code.scalars as usize;
        if end > MAX_REGISTERS {
            return false;
        }
        if self.scalars.len() < end {
            self.scalars.resize(end, 0);
        }
        let slots = self.base + self.code.slots_begin as usize..self.base + self.code.slots_end as usize;
        self.scalars[slots].fill(0);
        self.arrays.resize_with(self.array_base + self.code.arrays as usize, Array::default);
        true
    }

    /// The operations until the next look at the clock; `None` when fuel or time is out.
    #[cold]
    fn refill(&mut self) -> Option<u64> {
        if self.fuel == 0 || self.inputs.is_over() || self.deadline.is_some_and(|at| Instant::now() >= at) {
            return None;
        }
        let slice = self.fuel.min(SLICE);
        self.fuel -= slice;
        Some(slice)
    }

    #[inline]
    fn get(&self, reg: u32) -> u128 {
        self.scalars[self.base + reg as usize]
    }

    #[inline]
    fn set(&mut self, reg: u32, bits: u128) {
        self.scalars[self.base + reg as usize] = bits;
    }

    #[inline]
    fn array(&mut self, reg: u32) -> &mut Array {
        &mut self.arrays[self.array_base + reg as usize]
    }

    /// The array in a register, moved out of it if it dies.
    fn array_value(&mut self, reg: u32, take: bool) -> Array {
        if take {
            std::mem::take(self.array(reg))
        } else {
            self.array(reg).clone()
        }
    }

    /// Runs on. `None` when a process has come to the end of its step; `pc` is where the next one begins.
    pub(super) fn execute(&mut self) -> Option<Outcome> {
        let mut left = 0;
        loop {
            if left == 0 {
                match self.refill() {
                    Some(slice) => left = slice,
                    None => return Some(Outcome::OutOfFuel),
                }
            }
            left -= 1;
            let op = self.code.ops[self.pc];
            self.pc += 1;
            match op {
                Op::Const { dst, pool } => self.set(dst, self.code.consts[pool as usize]),
                Op::Unary { dst, arg, op } => {
                    let (op, ty) = self.code.unaries[op as usize];
                    self.set(dst, eval::unary_bits(op, ty, self.get(arg)));
                }
                Op::Binary { op, ty, dst, a, b } => self.set(dst, eval::binary_bits(op, ty, self.get(a), self.get(b))),
                Op::Ite { dst, cond, then, other } => {
                    self.set(dst, self.get(if self.get(cond) != 0 { then } else { other }));
                }
                Op::ReadLocal { dst, src } => self.set(dst, self.get(src)),
                Op::WriteLocal { dst, src, slot } => {
                    self.set(dst, self.get(src));
                    self.wrote(Place::Local(slot), None, self.get(src));
                }
                Op::ReadGlobal { dst, var } => {
                    if let Some(outcome) = self.touch(var, false) {
                        return Some(outcome);
                    }
                    self.set(dst, self.globals[var.index()]);
                }
                Op::WriteGlobal { var, src } => {
                    if let Some(outcome) = self.touch(var, true) {
                        return Some(outcome);
                    }
                    let bits = self.get(src);
                    match self.pending(var, None) {
                        Some(pending) => *pending = Raw::Scalar(bits),
                        None => self.globals[var.index()] = bits,
                    }
                    self.wrote(Place::Global(var), None, bits);
                }
                Op::Select { dst, array, index } => {
                    let index = self.get(index);
                    let bits = self.array(array).get(index);
                    self.set(dst, bits);
                }
                Op::LoadGlobal { dst, var, index } => {
                    if let Some(outcome) = self.touch(var, false) {
                        return Some(outcome);
                    }
                    self.set(dst, self.global_arrays[var.index()].get(self.get(index)));
                }
                Op::StoreLocal { array, index, src, slot } => {
                    let (index, bits) = (self.get(index), self.get(src));
                    self.array(array).set(index, bits);
                    self.wrote(Place::Local(slot), Some(index), bits);
                }
                Op::StoreGlobal { var, index, src } => {
                    if let Some(outcome) = self.touch(var, true) {
                        return Some(outcome);
                    }
                    let (index, bits) = (self.get(index), self.get(src));
                    match self.pending(var, Some(index)) {
                        Some(Raw::Array(pending)) => pending.set(index, bits),
                        Some(Raw::Scalar(_)) | None => self.global_arrays[var.index()].set(index, bits),
                    }
                    self.wrote(Place::Global(var), Some(index), bits);
                }
                Op::ReadGlobalArray { var, .. } | Op::WriteGlobalArray { var, .. } => {
                    if let Some(outcome) = self.touch(var, matches!(op, Op::WriteGlobalArray { .. })) {
                        return Some(outcome);
                    }
                    self.whole_array(op);
                }
                Op::ConstArray { .. }
                | Op::IteArray { .. }
                | Op::Update { .. }
                | Op::ReadLocalArray { .. }
                | Op::WriteLocalArray { .. } => self.whole_array(op),
                Op::Havoc { site } => self.havoc(site),
                Op::Print { site } => self.print(site),
                Op::Assume { cond } if self.get(cond) == 0 => return Some(Outcome::AssumeFailed(self.origin())),
                Op::Assert { cond, prop } if self.get(cond) == 0 => return Some(Outcome::Violated(prop)),
                Op::Assume { .. } | Op::Assert { .. } => {}
                Op::Unsupported { obligation } => return Some(Outcome::Unsupported(obligation)),
                Op::Jump { edge } => self.follow(edge),
                Op::Branch { cond, edge } => {
                    let target = u32::from(self.get(cond) == 0);
                    self.chose(target);
                    self.follow(edge + target);
                }
                Op::Switch { value, table } => self.switch(value, table),
                Op::Call { site } => {
                    if !self.call(site) {
                        return Some(Outcome::StackOverflow);
                    }
                }
                Op::Return { list } => {
                    if let Some(results) = self.leave(list) {
                        return Some(Outcome::Returned(results));
                    }
                }
                Op::Stop => return Some(Outcome::Stopped),
                Op::Step { edge } => {
                    self.follow(edge);
                    return None;
                }
            }
        }
    }

    /// Operations on arrays as values.
    fn whole_array(&mut self, op: Op) {
        match op {
            Op::ConstArray { dst, pool } => *self.array(dst) = self.code.array_consts[pool as usize].clone(),
            Op::IteArray { dst, cond, then, other } => {
                let chosen = if self.get(cond) != 0 { then } else { other };
                *self.array(dst) = self.array_value(chosen, false);
            }
            Op::Update { dst, array, index, value, take } => {
                let mut result = self.array_value(array, take);
                result.set(self.get(index), self.get(value));
                *self.array(dst) = result;
            }
            Op::ReadLocalArray { dst, src } => *self.array(dst) = self.array_value(src, false),
            Op::ReadGlobalArray { dst, var } => *self.array(dst) = self.global_arrays[var.index()].clone(),
            Op::WriteLocalArray { dst, src, slot, take } => {
                let value = self.array_value(src, take);
                self.wrote_array(Place::Local(slot), &value);
                *self.array(dst) = value;
            }
            Op::WriteGlobalArray { var, src, take } => {
                let value = self.array_value(src, take);
                self.wrote_array(Place::Global(var), &value);
                match self.pending(var, None) {
                    Some(pending) => *pending = Raw::Array(value),
                    None => self.global_arrays[var.index()] = value,
                }
            }
            _ => unreachable!("no operation on whole arrays"),
        }
    }

    fn havoc(&mut self, site: u32) {
        let havoc = &self.code.havocs[site as usize];
        match (self.input(havoc.site, havoc.ty, self.origin()), havoc.dst) {
            (Raw::Scalar(bits), Reg::Scalar(dst)) => self.set(dst, bits),
            (Raw::Array(value), Reg::Array(dst)) => *self.array(dst) = value,
            (Raw::Scalar(_), Reg::Array(_)) | (Raw::Array(_), Reg::Scalar(_)) => {
                unreachable!("inputs have the type asked for")
            }
        }
    }

    fn print(&mut self, site: u32) {
        let site = &self.code.prints[site as usize];
        let args: Vec<Const> = site.args.iter().map(|&(reg, ty)| eval::from_bits(ty, self.get(reg))).collect();
        self.observer.print(&printf::format(&site.format, &args));
    }

    fn switch(&mut self, value: u32, table: u32) {
        let switch = &self.code.switches[table as usize];
        let value = self.get(value);
        let target = match switch.cases.binary_search_by_key(&value, |(constant, _)| *constant) {
            Ok(at) => switch.cases[at].1,
            Err(_) => switch.default,
        };
        self.chose(target);
        self.follow(switch.first_edge + target);
    }

    #[inline]
    fn follow(&mut self, edge: u32) {
        let edge = &self.code.edges[edge as usize];
        if edge.overlap {
            self.assign_at_once(edge);
        } else {
            for &(dst, src) in &edge.scalars {
                self.set(dst, self.get(src));
            }
            for &(dst, src) in &edge.arrays {
                *self.array(dst) = self.array_value(src, false);
            }
        }
        self.pc = edge.target as usize;
    }

    /// A parallel assignment in which a parameter is read after it would have been overwritten.
    fn assign_at_once(&mut self, edge: &Edge) {
        let scalars: smallvec::SmallVec<[u128; 8]> = edge.scalars.iter().map(|&(_, src)| self.get(src)).collect();
        for (&(dst, _), bits) in edge.scalars.iter().zip(scalars) {
            self.set(dst, bits);
        }
        let arrays: Vec<Array> = edge.arrays.iter().map(|&(_, src)| self.array_value(src, false)).collect();
        for (&(dst, _), value) in edge.arrays.iter().zip(arrays) {
            *self.array(dst) = value;
        }
    }

    /// Enters a procedure; false if the stack is full.
    fn call(&mut self, site: u32) -> bool {
        let site = &self.code.calls[site as usize];
        if self.watched {
            self.observer.enter(site.callee, self.origin());
        }
        if self.callers.len() + 1 >= self.depth as usize {
            return false;
        }
        let caller =
            Frame { proc: self.proc, code: self.code, pc: self.pc, base: self.base, array_base: self.array_base };
        self.proc = site.callee;
        self.code = self.codes.get(site.callee);
        self.pc = self.code.entry as usize;
        self.base += caller.code.scalars as usize;
        self.array_base += caller.code.arrays as usize;
        if !self.activate() {
            return false;
        }
        for (&param, &arg) in self.code.params.iter().zip(&site.args) {
            match (param, arg) {
                (Reg::Scalar(dst), Reg::Scalar(src)) => self.set(dst, self.scalars[caller.base + src as usize]),
                (Reg::Array(dst), Reg::Array(src)) => {
                    *self.array(dst) = self.arrays[caller.array_base + src as usize].clone();
                }
                (Reg::Scalar(_), Reg::Array(_)) | (Reg::Array(_), Reg::Scalar(_)) => {
                    unreachable!("arguments have the types of the parameters")
                }
            }
        }
        self.callers.push(caller);
        true
    }

    /// Returns to the caller, or gives the results of the whole run.
    fn leave(&mut self, list: u32) -> Option<Vec<Const>> {
        if self.watched {
            self.observer.leave(self.proc);
        }
        let results = &self.code.returns[list as usize];
        let Some(caller) = self.callers.pop() else {
            return Some(results.iter().map(|&(reg, ty)| self.constant(reg, ty)).collect());
        };
        let call = match caller.code.ops[caller.pc - 1] {
            Op::Call { site } => &caller.code.calls[site as usize],
            _ => unreachable!("a caller waits behind a call"),
        };
        for (&(from, _), &to) in results.iter().zip(&call.results) {
            match (from, to) {
                (Reg::Scalar(src), Reg::Scalar(dst)) => self.scalars[caller.base + dst as usize] = self.get(src),
                (Reg::Array(src), Reg::Array(dst)) => {
                    self.arrays[caller.array_base + dst as usize] = self.array_value(src, false);
                }
                (Reg::Scalar(_), Reg::Array(_)) | (Reg::Array(_), Reg::Scalar(_)) => {
                    unreachable!("results have the types the call expects")
                }
            }
        }
        self.arrays.truncate(self.array_base);
        (self.proc, self.code, self.pc) = (caller.proc, caller.code, caller.pc);
        (self.base, self.array_base) = (caller.base, caller.array_base);
        None
    }

    fn constant(&self, reg: Reg, ty: Type) -> Const {
        match (reg, ty) {
            (Reg::Scalar(reg), Type::Scalar(ty)) => eval::from_bits(ty, self.get(reg)),
            (Reg::Array(reg), Type::Array { index, elem }) => {
                Const::Array(self.arrays[self.array_base + reg as usize].to_const(index, elem))
            }
            (Reg::Scalar(_), Type::Array { .. }) | (Reg::Array(_), Type::Scalar(_)) => {
                unreachable!("registers are chosen by type")
            }
        }
    }

    /// The origin of the operation that runs.
    fn origin(&self) -> Origin {
        self.code.origins[self.pc - 1]
    }

    #[inline]
    fn chose(&mut self, target: u32) {
        if self.watched {
            let block = self.code.block_at(self.pc - 1);
            self.observer.branch(self.proc, block, target as usize, self.origin());
        }
    }

    #[inline]
    fn wrote(&mut self, place: Place, index: Option<u128>, bits: u128) {
        if self.watched {
            let ty = match self.program.place_type(&self.program.procs[self.proc], place) {
                Type::Scalar(ty) => ty,
                Type::Array { elem, .. } => elem,
            };
            self.observer.write(self.proc, place, index, &eval::from_bits(ty, bits), self.origin());
        }
    }

    fn wrote_array(&mut self, place: Place, value: &Array) {
        if self.watched {
            if let Type::Array { index, elem } = self.program.place_type(&self.program.procs[self.proc], place) {
                let value = Const::Array(value.to_const(index, elem));
                self.observer.write(self.proc, place, None, &value, self.origin());
            }
        }
    }
}

pub(super) fn raw(value: &Const) -> Raw {
    match value {
        Const::Array(array) => Raw::Array(Array::from_const(array)),
        Const::Bool(_) | Const::Bv { .. } | Const::Float { .. } => Raw::Scalar(eval::to_bits(value)),
    }
}
