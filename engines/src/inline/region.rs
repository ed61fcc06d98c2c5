//! What is opened or stays closed: procedures, and loops as procedures that call themselves at the end of an iteration.
//!
//! A region takes values in (of variables it or anything it calls may touch, of values it uses from outside) and gives
//! values back through one of its exits. A procedure has one exit; a loop has one for each block outside it that its
//! edges lead to, and one for returning from within. This is lifting of globals and tail recursion without rewriting the
//! program: variables, blocks and instructions keep their numbers, so that what is found of a region is a statement about
//! the program as lowered.
//!
//! A loop is entered at its header. Where control flow is irreducible and an edge leads to another of its blocks, the part of an
//! iteration from there up to the header belongs to the region around it.

use crate::annotation::Cell;
use crate::task::Reason;
use cranelift_entity::{EntitySet, SecondaryMap};
use rustc_hash::{FxHashMap, FxHashSet};
use syncline_ir::analysis::{CallGraph, Component, Effects, LoopId, LoopNest};
use syncline_ir::{
    Block, Const, Initial, Inst, InstData, Place, Proc, Procedure, Program, Terminator, Type, Value, Var,
};

/// A region, by its place in [`Regions::list`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RegionId(pub u32);

/// Where a call stands in the body of a region: an instruction, or the way to the header of a loop.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Key {
    Call(Inst),
    Loop(Block),
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Exit {
    Return,
    Block(Block),
}

#[derive(Clone)]
pub struct Region {
    pub proc: Proc,
    /// `None`: the whole procedure.
    pub in_loop: Option<LoopId>,
    pub inputs: Vec<Cell>,
    /// What may have changed at any exit.
    pub outputs: Vec<Cell>,
    /// An exit also brings the parameters of its block, or the results.
    pub exits: Vec<Exit>,
    /// Whether something asked for can be reached inside.
    pub hits: bool,
    /// A loop, or a procedure that can come to call itself.
    pub recursive: bool,
}

#[derive(Clone)]
pub struct Regions<'p> {
    pub program: &'p Program,
    pub list: Vec<Region>,
    ids: FxHashMap<(Proc, Option<LoopId>), RegionId>,
    pub nests: SecondaryMap<Proc, Option<LoopNest>>,
    /// Variables that no procedure writes: what they are.
    fixed: SecondaryMap<Var, Option<Const>>,
    /// Writes to other variables are dropped, reads of them give any value. `None`: all are tracked.
    tracked: Option<EntitySet<Var>>,
}

impl<'p> Regions<'p> {
    /// The regions that runs from the entry can come to. The program is sliced from the one as lowered, which says what
    /// is never written: contracts are checked of that one, where a write that matters to nobody is still there.
    pub fn new(program: &'p Program, lowered: &Program) -> Result<Regions<'p>, Reason> {
        let entry = program.entry.ok_or_else(|| Reason::Solver("the program has no entry".into()))?;
        let calls = CallGraph::compute(program);
        let effects = Effects::compute(program);
        let reached = calls.reachable([entry]);
        let (calls_as_lowered, all_effects) = (CallGraph::compute(lowered), Effects::compute(lowered));
        let mut written: EntitySet<Var> = EntitySet::new();
        for proc in calls_as_lowered.reachable([entry]).iter() {
            written.extend(all_effects.of(proc).written.iter());
        }
        let mut fixed: SecondaryMap<Var, Option<Const>> = SecondaryMap::new();
        for (var, data) in program.vars.iter().filter(|(var, _)| !written.contains(*var)) {
            if let Initial::Const(c) = &data.init {
                fixed[var] = Some(c.clone());
            }
        }
        let hits = hitting(program);
        let mut regions = Regions {
            program,
            list: Vec::new(),
            ids: FxHashMap::default(),
            nests: SecondaryMap::new(),
            fixed,
            tracked: None,
        };
        for proc in program.procs.keys().filter(|&p| reached.contains(p)) {
            regions.add_proc(proc, &calls, &effects, &hits)?;
        }
        Ok(regions)
    }

    /// The same regions with these variables tracked only (CORRAL, section 3): they take in and give back no others.
    pub fn abstracted(&self, tracked: EntitySet<Var>) -> Regions<'p> {
        let keep = |cells: &[Cell]| -> Vec<Cell> {
            let keeps = |cell: &Cell| match *cell {
                Cell::Global(var) => tracked.contains(var),
                Cell::Local(_) | Cell::Value(_) => true,
            };
            cells.iter().copied().filter(keeps).collect()
        };
        let narrow = |region: &Region| Region {
            inputs: keep(&region.inputs),
            outputs: keep(&region.outputs),
            exits: region.exits.clone(),
            ..*region
        };
        let list = self.list.iter().map(narrow).collect();
        Regions { list, tracked: Some(tracked), ..self.clone() }
    }

    pub fn is_tracked(&self, var: Var) -> bool {
        self.tracked.as_ref().is_none_or(|tracked| tracked.contains(var))
    }

    /// Whether some variable is not tracked.
    pub fn are_abstract(&self) -> bool {
        self.tracked.is_some()
    }

    /// The variables that can be tracked or not: those that runs touch and that change.
    pub fn variables(&self) -> Vec<Var> {
        let entry = self.program.entry.map(|entry| self.get(self.id(entry, None)));
        let inputs = entry.into_iter().flat_map(|region| &region.inputs);
        inputs.filter_map(|&cell| if let Cell::Global(var) = cell { Some(var) } else { None }).collect()
    }

    pub fn id(&self, proc: Proc, in_loop: Option<LoopId>) -> RegionId {
        self.ids[&(proc, in_loop)]
    }

    pub fn get(&self, id: RegionId) -> &Region {
        &self.list[id.0 as usize]
    }

    pub fn body(&self, region: &Region) -> &'p Procedure {
        &self.program.procs[region.proc]
    }

    /// What a variable is that never changes.
    pub fn fixed(&self, var: Var) -> Option<&Const> {
        self.fixed[var].as_ref()
    }

    pub fn cell_type(&self, proc: Proc, cell: Cell) -> Type {
        let body = &self.program.procs[proc];
        match cell {
            Cell::Global(var) => self.program.vars[var].ty,
            Cell::Local(slot) => body.slots[slot].ty,
            Cell::Value(value) => body.value_type(value),
        }
    }

    /// The types of what an exit brings beside the outputs.
    pub fn brought(&self, proc: Proc, exit: Exit) -> Vec<Type> {
        let body = &self.program.procs[proc];
        match exit {
            Exit::Return => body.results.clone(),
            Exit::Block(block) => body.blocks[block].params.iter().map(|&p| body.value_type(p)).collect(),
        }
    }

    /// The components of a region's body, in topological order. Of a loop the first is its header.
    pub fn components(&self, region: &Region) -> &[Component] {
        let Some(nest) = &self.nests[region.proc] else { return &[] };
        match region.in_loop {
            None => &nest.top,
            Some(l) => &nest.loops[l].body,
        }
    }

    fn add_proc(
        &mut self,
        proc: Proc,
        calls: &CallGraph,
        effects: &Effects,
        hits: &EntitySet<Proc>,
    ) -> Result<(), Reason> {
        let body = &self.program.procs[proc];
        let nest = LoopNest::compute(body);
        let returns = body.layout.iter().any(|&b| matches!(body.blocks[b].term, Terminator::Return(_)));
        let (effect, varies) = (effects.of(proc), |v: &Var| self.fixed[*v].is_none());
        let params = body.params().iter().map(|&p| Cell::Value(p));
        let region = Region {
            proc,
            in_loop: None,
            inputs: params.chain(effect.touched.iter().filter(varies).map(Cell::Global)).collect(),
            outputs: effect.written.iter().map(Cell::Global).collect(),
            exits: if returns { vec![Exit::Return] } else { Vec::new() },
            hits: hits.contains(proc),
            recursive: calls.is_recursive(proc),
        };
        self.push(region);
        for l in nest.loops.keys() {
            let region = self.loop_region(proc, body, &nest, l, effects, hits)?;
            self.push(region);
        }
        self.nests[proc] = Some(nest);
        Ok(())
    }

    fn push(&mut self, region: Region) {
        let id = RegionId(self.list.len() as u32);
        self.ids.insert((region.proc, region.in_loop), id);
        self.list.push(region);
    }

    fn loop_region(
        &self,
        proc: Proc,
        body: &Procedure,
        nest: &LoopNest,
        l: LoopId,
        effects: &Effects,
        hits: &EntitySet<Proc>,
    ) -> Result<Region, Reason> {
        let header = nest.loops[l].header;
        let inside: Vec<Block> = body.layout.iter().copied().filter(|&b| nest.contains(l, b)).collect();
        let Borders { used, defined, slots, written, exits } = Borders::find(body, nest, l, &inside);
        let outside = body.layout.iter().filter(|&&b| !nest.contains(l, b));
        let mut sides = outside.flat_map(|&b| body.successors(b)).map(|t| t.block);
        if !defined.is_empty() && sides.any(|b| b != header && nest.contains(l, b)) {
            // Behind the loop such a value would be that of the part of an iteration before the header, or of the loop's.
            let place = self.program.describe_origin(body.blocks[header].term_origin);
            let words = format!("the loop at {place} has two entries, and values from it are used behind it");
            return Err(Reason::NotForEngine(words));
        }
        let effect = effects.of_blocks(body, &inside);
        let mut inputs: Vec<Cell> = body.blocks[header].params.iter().map(|&p| Cell::Value(p)).collect();
        inputs.extend(used.into_iter().map(Cell::Value));
        inputs.extend(effect.touched.iter().filter(|&v| self.fixed[v].is_none()).map(Cell::Global));
        inputs.extend(slots);
        let mut outputs: Vec<Cell> = effect.written.iter().map(Cell::Global).collect();
        outputs.extend(written);
        outputs.extend(defined.into_iter().map(Cell::Value));
        let hits = inside.iter().flat_map(|&b| &body.blocks[b].insts).any(|&i| inst_hits(&body.insts[i].data, hits));
        Ok(Region { proc, in_loop: Some(l), inputs, outputs, exits, hits, recursive: true })
    }
}

/// What crosses the border of a loop.
struct Borders {
    /// Values from outside that are used inside.
    used: Vec<Value>,
    /// Values from inside that are used outside.
    defined: Vec<Value>,
    /// Locals that are touched, and those that are written.
    slots: Vec<Cell>,
    written: Vec<Cell>,
    exits: Vec<Exit>,
}

impl Borders {
    fn find(body: &Procedure, nest: &LoopNest, l: LoopId, inside: &[Block]) -> Borders {
        let mut own: FxHashSet<Value> = FxHashSet::default();
        for &block in inside {
            let data = &body.blocks[block];
            own.extend(data.params.iter().copied());
            own.extend(data.insts.iter().flat_map(|&i| body.insts[i].results.iter().copied()));
        }
        let (mut used, mut defined) = (Vec::new(), Vec::new());
        let mut seen: FxHashSet<Value> = FxHashSet::default();
        for &block in &body.layout {
            let within = nest.contains(l, block);
            let mut use_ = |v: Value| {
                if own.contains(&v) != within && seen.insert(v) {
                    if within {
                        used.push(v);
                    } else {
                        defined.push(v);
                    }
                }
            };
            body.blocks[block].insts.iter().for_each(|&i| body.insts[i].data.for_each_arg(&mut use_));
            body.blocks[block].term.for_each_arg(&mut use_);
        }
        let (mut slots, mut written, mut exits) = (Vec::new(), Vec::new(), Vec::new());
        for &block in inside {
            for &inst in &body.blocks[block].insts {
                let Some((slot, writes)) = local(&body.insts[inst].data) else { continue };
                if !slots.contains(&slot) {
                    slots.push(slot);
                }
                if writes && !written.contains(&slot) {
                    written.push(slot);
                }
            }
            if matches!(body.blocks[block].term, Terminator::Return(_)) && !exits.contains(&Exit::Return) {
                exits.push(Exit::Return);
            }
            for target in body.successors(block).filter(|t| !nest.contains(l, t.block)) {
                if !exits.contains(&Exit::Block(target.block)) {
                    exits.push(Exit::Block(target.block));
                }
            }
        }
        Borders { used, defined, slots, written, exits }
    }
}

/// The local variable an instruction touches, and whether it writes it.
pub fn local(data: &InstData) -> Option<(Cell, bool)> {
    let (place, writes) = match data {
        InstData::Read { place } | InstData::Load { place, .. } => (*place, false),
        InstData::Write { place, .. } | InstData::Store { place, .. } => (*place, true),
        InstData::Const(_)
        | InstData::Unary { .. }
        | InstData::Binary { .. }
        | InstData::Ite { .. }
        | InstData::Update { .. }
        | InstData::Havoc { .. }
        | InstData::Call { .. }
        | InstData::Assume { .. }
        | InstData::Assert { .. }
        | InstData::Unsupported { .. }
        | InstData::Print { .. } => return None,
    };
    match place {
        Place::Local(slot) => Some((Cell::Local(slot), writes)),
        Place::Global(_) => None,
    }
}

/// Whether an instruction is asked for, or calls what may be. The program is sliced: every assertion left is.
fn inst_hits(data: &InstData, hits: &EntitySet<Proc>) -> bool {
    match data {
        InstData::Assert { .. } | InstData::Unsupported { .. } => true,
        InstData::Call { callee, .. } => hits.contains(*callee),
        InstData::Const(_)
        | InstData::Unary { .. }
        | InstData::Binary { .. }
        | InstData::Ite { .. }
        | InstData::Update { .. }
        | InstData::Havoc { .. }
        | InstData::Read { .. }
        | InstData::Write { .. }
        | InstData::Load { .. }
        | InstData::Store { .. }
        | InstData::Assume { .. }
        | InstData::Print { .. } => false,
    }
}

/// The procedures in which something asked for can be reached.
fn hitting(program: &Program) -> EntitySet<Proc> {
    let mut hits = EntitySet::new();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (proc, body) in program.procs.iter() {
            let mut insts = body.layout.iter().flat_map(|&b| &body.blocks[b].insts);
            if !hits.contains(proc) && insts.any(|&i| inst_hits(&body.insts[i].data, &hits)) {
                changed |= hits.insert(proc);
            }
        }
    }
    hits
}
