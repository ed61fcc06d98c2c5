//! Which parts of the state matter at the start of each block: those a run may read before it writes them.

use crate::annotation::Cell;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use syncline_ir::analysis::Cfg;
use syncline_ir::{Block, InstData, Place, Procedure, Value};

/// A number for each cell some block needs, and the cells each block needs, its own parameters not among them.
pub struct Liveness {
    pub cells: Vec<Cell>,
    pub live_in: SecondaryMap<Block, Rc<[u32]>>,
}

pub fn cell(place: Place) -> Cell {
    match place {
        Place::Global(var) => Cell::Global(var),
        Place::Local(slot) => Cell::Local(slot),
    }
}

/// What a block does to the cells: those it reads first, and those it writes whole before any read.
#[derive(Clone, Default)]
struct Effect {
    reads: Vec<u32>,
    writes: Vec<u32>,
}

impl Liveness {
    pub fn compute(body: &Procedure) -> Liveness {
        let mut numbering = Numbering::default();
        let home = homes(body);
        let cfg = Cfg::compute(body);
        for &block in cfg.rpo() {
            for value in from_outside(body, block, &home) {
                numbering.id(Cell::Value(value));
            }
        }
        let mut effects: SecondaryMap<Block, Effect> = SecondaryMap::new();
        for &block in cfg.rpo() {
            effects[block] = effect(body, block, &home, &mut numbering);
        }
        let words = numbering.cells.len().div_ceil(64);
        let mut live: SecondaryMap<Block, Vec<u64>> = SecondaryMap::with_default(vec![0; words]);
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &block in cfg.rpo().iter().rev() {
                let mut set = vec![0; words];
                for &next in cfg.succs(block) {
                    set.iter_mut().zip(&live[next]).for_each(|(a, b)| *a |= b);
                }
                effects[block].writes.iter().for_each(|&c| set[c as usize / 64] &= !(1 << (c % 64)));
                effects[block].reads.iter().for_each(|&c| set[c as usize / 64] |= 1 << (c % 64));
                if set != live[block] {
                    live[block] = set;
                    changed = true;
                }
            }
        }
        let mut live_in: SecondaryMap<Block, Rc<[u32]>> = SecondaryMap::with_default(Rc::from([]));
        for &block in cfg.rpo() {
            let set = &live[block];
            let cells = (0..numbering.cells.len() as u32).filter(|&c| set[c as usize / 64] >> (c % 64) & 1 == 1);
            live_in[block] = cells.collect();
        }
        Liveness { cells: numbering.cells, live_in }
    }
}

#[derive(Default)]
struct Numbering {
    cells: Vec<Cell>,
    ids: FxHashMap<Cell, u32>,
}

impl Numbering {
    fn id(&mut self, cell: Cell) -> u32 {
        *self.ids.entry(cell).or_insert_with(|| {
            self.cells.push(cell);
            self.cells.len() as u32 - 1
        })
    }
}

/// The block each value is defined in.
fn homes(body: &Procedure) -> SecondaryMap<Value, Option<Block>> {
    let mut home = SecondaryMap::new();
    for &block in &body.layout {
        let data = &body.blocks[block];
        let results = data.insts.iter().flat_map(|&i| &body.insts[i].results);
        data.params.iter().chain(results).for_each(|&v| home[v] = Some(block));
    }
    home
}

/// The values a block uses and does not define.
fn from_outside(body: &Procedure, block: Block, home: &SecondaryMap<Value, Option<Block>>) -> Vec<Value> {
    let data = &body.blocks[block];
    let mut used = Vec::new();
    let mut use_ = |v: Value| {
        if home[v] != Some(block) {
            used.push(v);
        }
    };
    data.insts.iter().for_each(|&i| body.insts[i].data.for_each_arg(&mut use_));
    data.term.for_each_arg(&mut use_);
    used
}

/// Goes through the block from its end: what is written there need not come in.
fn effect(
    body: &Procedure,
    block: Block,
    home: &SecondaryMap<Value, Option<Block>>,
    numbering: &mut Numbering,
) -> Effect {
    #[derive(Copy, Clone, PartialEq)]
    enum First {
        Read,
        Written,
    }
    let mut first: FxHashMap<u32, First> = FxHashMap::default();
    let data = &body.blocks[block];
    for &inst in data.insts.iter().rev() {
        match &body.insts[inst].data {
            InstData::Read { place } | InstData::Load { place, .. } => {
                first.insert(numbering.id(cell(*place)), First::Read);
            }
            InstData::Write { place, .. } => {
                first.insert(numbering.id(cell(*place)), First::Written);
            }
            // The rest of the array is needed only if it is read later.
            InstData::Store { .. }
            | InstData::Const(_)
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Ite { .. }
            | InstData::Update { .. }
            | InstData::Havoc { .. }
            | InstData::Call { .. }
            | InstData::Assume { .. }
            | InstData::Assert { .. }
            | InstData::Unsupported { .. }
            | InstData::Print { .. } => {}
        }
    }
    for value in from_outside(body, block, home) {
        first.insert(numbering.id(Cell::Value(value)), First::Read);
    }
    let mut effect = Effect::default();
    let results = data.insts.iter().flat_map(|&i| &body.insts[i].results);
    for &value in data.params.iter().chain(results) {
        if let Some(&id) = numbering.ids.get(&Cell::Value(value)) {
            effect.writes.push(id);
        }
    }
    for (id, first) in first {
        match first {
            First::Read => effect.reads.push(id),
            First::Written => effect.writes.push(id),
        }
    }
    effect
}
