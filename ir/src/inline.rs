//! The whole program as one procedure: every call replaced by a copy of its callee, and the tables that say what each
//! part of the copy is in the original.
//!
//! The proof engines work on the result: its loop headers are the program's cut points, and its variables the state.
//! An [`Activation`] is a chain of calls from the entry; a block of the original is cut at its calls into pieces. The
//! copy reads and writes variables as the original does, so a state of one is a state of the other, variable by
//! variable: that is how annotations get back to the program they are about. Only what the entry reaches is copied.
//!
//! Recursion has no such form, and programs whose call tree is too large have none that is of use. There only some calls are
//! put in place ([`calls`]): the copy has more runs then, and unknown values that the original does not have.

pub mod calls;

use crate::analysis::CallGraph;
use crate::consts::Const;
use crate::entities::{Block, Inst, Origin, Proc, Site, Slot, Value};
use crate::inst::{BlockCall, InstData, Place, Terminator};
use crate::program::{Procedure, Program, SiteData};
use crate::types::Type;
use calls::{CallPath, Calls, Effects};
use cranelift_entity::{entity_impl, EntityRef, PrimaryMap, SecondaryMap};
use std::collections::BTreeMap;
use std::ops::Range;

/// A chain of calls from the entry to a copy of a procedure.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Activation(u32);
entity_impl!(Activation, "activation");

#[derive(Clone, Debug)]
pub struct ActivationData {
    pub proc: Proc,
    /// Who calls it, by which instruction of the caller's procedure; `None` for the entry.
    pub call: Option<(Activation, Inst)>,
}

/// The program as one procedure.
#[derive(Clone, Debug)]
pub struct Inlined {
    /// Variables, properties, sites and origins are the original's; the only procedure is the entry.
    pub program: Program,
    /// The entry's is first.
    pub activations: PrimaryMap<Activation, ActivationData>,
    /// What a block is a piece of, and whether it is the first: the one jumps to the original lead to.
    pub blocks: SecondaryMap<Block, Option<(Activation, Block, bool)>>,
    pub slots: SecondaryMap<Slot, Option<(Activation, Slot)>>,
    pub values: SecondaryMap<Value, Option<(Activation, Value)>>,
    /// Whether calls may be open.
    pub is_partial: bool,
    /// The unknown values that open calls leave, which the original does not have.
    pub open: BTreeMap<Site, CallPath>,
}

/// Why there is no such form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    NoEntry,
    /// A program of processes that take steps.
    System,
    /// This procedure may call itself.
    Recursive(String),
    /// More instructions than asked for.
    TooLarge,
}

impl Inlined {
    /// The copy's one procedure.
    pub fn body(&self) -> &Procedure {
        &self.program.procs[Proc::from_u32(0)]
    }

    /// The instructions that call, from the entry down.
    pub fn call_path(&self, activation: Activation) -> CallPath {
        call_path(&self.activations, activation)
    }
}

fn call_path(activations: &PrimaryMap<Activation, ActivationData>, activation: Activation) -> CallPath {
    let mut path = Vec::new();
    let mut at = activation;
    while let Some((caller, inst)) = activations[at].call {
        path.push(inst);
        at = caller;
    }
    path.reverse();
    path
}

/// Copies the program into one procedure of at most so many instructions.
pub fn inline(program: &Program, max_insts: usize) -> Result<Inlined, Refusal> {
    inline_some(program, None, max_insts)
}

/// The same with only some of the calls in place, or all.
pub fn inline_some(program: &Program, calls: Option<&Calls>, max_insts: usize) -> Result<Inlined, Refusal> {
    if program.system.is_some() {
        return Err(Refusal::System);
    }
    let entry = program.entry.ok_or(Refusal::NoEntry)?;
    let graph = CallGraph::compute(program);
    if let Some(proc) = graph.reachable([entry]).iter().find(|&p| calls.is_none() && graph.is_recursive(p)) {
        return Err(Refusal::Recursive(program.procs[proc].name.clone()));
    }
    let mut inliner = Inliner::new(program, entry, calls, max_insts);
    let origin = inliner.body.origin;
    let start = inliner.body.entry;
    let zeros: Vec<Value> = program.procs[entry]
        .params()
        .iter()
        .map(|&p| inliner.body.constant(start, Const::zero(program.procs[entry].value_type(p)), origin))
        .collect();
    let first = inliner.open(entry, None, None)?;
    inliner.body.set_term(start, Terminator::Jump(BlockCall::new(first, zeros)), origin);
    while let Some(copy) = inliner.work.pop() {
        inliner.fill(&copy)?;
    }
    Ok(inliner.finish())
}

/// A copy whose blocks stand and whose instructions do not yet.
struct Copy {
    activation: Activation,
    blocks: SecondaryMap<Block, Block>,
    slots: SecondaryMap<Slot, Slot>,
    /// Where it returns to.
    after: Option<Block>,
}

/// A call that is not put in place.
struct OpenCall {
    activation: Activation,
    block: Block,
    path: CallPath,
    origin: Origin,
}

struct Inliner<'p> {
    program: &'p Program,
    calls: Option<&'p Calls>,
    body: Procedure,
    activations: PrimaryMap<Activation, ActivationData>,
    blocks: SecondaryMap<Block, Option<(Activation, Block, bool)>>,
    slots: SecondaryMap<Slot, Option<(Activation, Slot)>>,
    values: SecondaryMap<Value, Option<(Activation, Value)>>,
    /// The variables of each copy, which are consecutive.
    slots_of: SecondaryMap<Activation, Range<u32>>,
    work: Vec<Copy>,
    /// What open calls leave, each with its call; their sites come after the program's.
    left: Vec<(SiteData, CallPath)>,
    /// Instructions with operands of the copy.
    own: Vec<Inst>,
    insts: usize,
    max_insts: usize,
}

impl<'p> Inliner<'p> {
    fn new(program: &'p Program, entry: Proc, calls: Option<&'p Calls>, max_insts: usize) -> Inliner<'p> {
        let original = &program.procs[entry];
        let mut body = Procedure::new(original.name.clone(), original.origin);
        body.results.clone_from(&original.results);
        Inliner {
            program,
            calls,
            body,
            activations: PrimaryMap::new(),
            blocks: SecondaryMap::new(),
            slots: SecondaryMap::new(),
            values: SecondaryMap::new(),
            slots_of: SecondaryMap::with_default(0..0),
            work: Vec::new(),
            left: Vec::new(),
            own: Vec::new(),
            insts: 0,
            max_insts,
        }
    }

    /// Makes the blocks and variables of a copy; the block where it starts.
    fn open(&mut self, proc: Proc, call: Option<(Activation, Inst)>, after: Option<Block>) -> Result<Block, Refusal> {
        let program: &'p Program = self.program;
        let original = &program.procs[proc];
        self.insts += original.layout.iter().map(|&b| original.blocks[b].insts.len() + 1).sum::<usize>();
        self.insts += original.slots.len();
        if self.insts > self.max_insts {
            return Err(Refusal::TooLarge);
        }
        let activation = self.activations.push(ActivationData { proc, call });
        let mut blocks = SecondaryMap::with_default(Block::from_u32(0));
        for &block in &original.layout {
            let copy = self.body.add_block(original.blocks[block].term_origin);
            self.blocks[copy] = Some((activation, block, true));
            blocks[block] = copy;
        }
        let mut slots = SecondaryMap::with_default(Slot::from_u32(0));
        let before = self.body.slots.len() as u32;
        for (slot, data) in original.slots.iter() {
            let copy = self.body.slots.push(data.clone());
            self.slots[copy] = Some((activation, slot));
            slots[slot] = copy;
        }
        self.slots_of[activation] = before..self.body.slots.len() as u32;
        let first = blocks[original.entry];
        self.work.push(Copy { activation, blocks, slots, after });
        Ok(first)
    }

    /// Copies the instructions of an activation.
    fn fill(&mut self, copy: &Copy) -> Result<(), Refusal> {
        let original = &self.program.procs[self.activations[copy.activation].proc];
        let mut values: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
        let mut ends: Vec<(Block, Block)> = Vec::new();
        for &block in &original.layout {
            for &param in &original.blocks[block].params {
                let new = self.body.add_param(copy.blocks[block], original.value_type(param));
                self.values[new] = Some((copy.activation, param));
                values[param] = Some(new);
            }
        }
        let first_inst = self.body.insts.len();
        let mut jumps = Vec::new();
        for &block in &original.layout {
            let mut at = copy.blocks[block];
            for &inst in &original.blocks[block].insts {
                at = self.copy_inst(copy, original, (block, inst), at, &mut values, &mut jumps)?;
            }
            ends.push((block, at));
        }
        // Definitions may stand after uses in the layout, so operands come last.
        let of = |v: Value| values[v].unwrap_or(v);
        let mut own = std::mem::take(&mut self.own).into_iter().peekable();
        for inst in (first_inst..self.body.insts.len()).map(Inst::new) {
            if own.next_if_eq(&inst).is_none() {
                self.body.insts[inst].data.map_args(of);
            }
        }
        for (from, target, args) in jumps {
            let args = args.into_iter().map(of).collect();
            self.enter(from, target, args);
        }
        for (block, end) in ends {
            let mut term = original.blocks[block].term.clone();
            term.map_args(of);
            term.targets_mut().for_each(|t| t.block = copy.blocks[t.block]);
            if let (Terminator::Return(results), Some(after)) = (&mut term, copy.after) {
                term = Terminator::Jump(BlockCall::new(after, std::mem::take(results)));
            }
            self.body.set_term(end, term, original.blocks[block].term_origin);
        }
        Ok(())
    }

    /// Copies one instruction, its operands still the original's; the block where the next one belongs.
    fn copy_inst(
        &mut self,
        copy: &Copy,
        original: &Procedure,
        (block, inst): (Block, Inst),
        at: Block,
        values: &mut SecondaryMap<Value, Option<Value>>,
        jumps: &mut Vec<(Block, Block, Vec<Value>)>,
    ) -> Result<Block, Refusal> {
        let node = &original.insts[inst];
        let types: Vec<_> = node.results.iter().map(|&r| original.value_type(r)).collect();
        if let InstData::Call { callee, args } = &node.data {
            if let Some(calls) = self.calls {
                let mut path = call_path(&self.activations, copy.activation);
                path.push(inst);
                if let Some(effects) = calls.open_call(&path, *callee) {
                    let open = OpenCall { activation: copy.activation, block, path, origin: node.origin };
                    let (at, left) = self.leave_open(&open, effects, &types, at)?;
                    for (&result, new) in node.results.iter().zip(left) {
                        self.values[new] = Some((copy.activation, result));
                        values[result] = Some(new);
                    }
                    return Ok(at);
                }
            }
            let after = self.body.add_block(node.origin);
            self.blocks[after] = Some((copy.activation, block, false));
            for (&result, &ty) in node.results.iter().zip(&types) {
                let new = self.body.add_param(after, ty);
                self.values[new] = Some((copy.activation, result));
                values[result] = Some(new);
            }
            let target = self.open(*callee, Some((copy.activation, inst)), Some(after))?;
            self.body.set_term(at, Terminator::Stop, node.origin);
            jumps.push((at, target, args.clone()));
            return Ok(after);
        }
        let mut data = node.data.clone();
        data.map_slots(|slot| copy.slots[slot]);
        let new = self.body.append(at, data, &types, node.origin);
        for (&old, &result) in node.results.iter().zip(&self.body.insts[new].results) {
            self.values[result] = Some((copy.activation, old));
            values[old] = Some(result);
        }
        Ok(at)
    }

    /// In the place of a call, what it may do: the block where the next instruction belongs, and the results.
    fn leave_open(
        &mut self,
        open: &OpenCall,
        effects: &Effects,
        results: &[Type],
        mut at: Block,
    ) -> Result<(Block, Vec<Value>), Refusal> {
        self.insts += effects.props.len() + effects.writes.len() + results.len() + 1;
        if self.insts > self.max_insts {
            return Err(Refusal::TooLarge);
        }
        for &prop in &effects.props {
            let cond = self.anything(open, Type::BOOL, at);
            self.own(at, InstData::Assert { prop, cond }, open.origin);
        }
        if let Some(obligation) = effects.unsupported {
            let cond = self.anything(open, Type::BOOL, at);
            let [stop, after] = [(); 2].map(|()| self.body.add_block(open.origin));
            self.body.append(stop, InstData::Unsupported { obligation }, &[], open.origin);
            self.body.set_term(stop, Terminator::Stop, open.origin);
            self.blocks[after] = Some((open.activation, open.block, false));
            let [then, other] = [stop, after].map(BlockCall::from);
            self.body.set_term(at, Terminator::Branch { cond, then, other }, open.origin);
            at = after;
        }
        for &var in &effects.writes {
            let value = self.anything(open, self.program.vars[var].ty, at);
            self.own(at, InstData::Write { place: Place::Global(var), value }, open.origin);
        }
        let left = results.iter().map(|&ty| self.anything(open, ty, at)).collect();
        Ok((at, left))
    }

    /// An unknown value that the call leaves.
    fn anything(&mut self, open: &OpenCall, ty: Type, at: Block) -> Value {
        let site = Site::new(self.program.sites.len() + self.left.len());
        let data = SiteData { name: "left by a call".into(), ty, origin: open.origin };
        self.left.push((data, open.path.clone()));
        self.body.append1(at, InstData::Havoc { site }, ty, open.origin)
    }

    /// An instruction whose operands are the copy's already.
    fn own(&mut self, at: Block, data: InstData, origin: Origin) {
        let inst = self.body.append(at, data, &[], origin);
        self.own.push(inst);
    }

    /// Ends a block by the start of a copy: its variables are zero, as those of any activation.
    fn enter(&mut self, from: Block, target: Block, args: Vec<Value>) {
        let origin = self.body.blocks[from].term_origin;
        let slots = self.blocks[target].map_or(0..0, |(callee, ..)| self.slots_of[callee].clone());
        for slot in slots.map(Slot::from_u32) {
            let zero = Const::zero(self.body.slots[slot].ty);
            let value = self.body.constant(from, zero, origin);
            self.body.append(from, InstData::Write { place: Place::Local(slot), value }, &[], origin);
        }
        self.body.set_term(from, Terminator::Jump(BlockCall::new(target, args)), origin);
    }

    fn finish(self) -> Inlined {
        let mut program = self.program.clone();
        program.procs = PrimaryMap::new();
        program.entry = Some(program.procs.push(self.body));
        let is_partial = self.calls.is_some();
        let open = self.left.into_iter().map(|(site, path)| (program.sites.push(site), path)).collect();
        debug_assert_eq!(crate::verify::verify(&program).map_err(|v| v.len()), Ok(()));
        let Inliner { activations, blocks, slots, values, .. } = self;
        Inlined { program, activations, blocks, slots, values, is_partial, open }
    }
}
