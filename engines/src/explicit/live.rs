//! Which parts of the state matter at the start of a block: those that some way on from there reads before it is
//! written. What is dead is no part of the state, so runs that differ in it only are one.
//!
//! Cells are variables, slots, and the values used outside the block that defines them (constants too, though those are
//! in no state); variables that are never written are none. A parameter that is dead takes nothing from the jumps to it.

use crate::annotation::Cell;
use cranelift_entity::{EntityRef, SecondaryMap};
use syncline_ir::analysis::Cfg;
use syncline_ir::{Block, Const, Initial, Inst, InstData, Place, Procedure, Program, Value, ValueDef};

pub(super) const NONE: u32 = u32::MAX;

/// Tables of more bits than this are not worth it.
const MAX_BITS: usize = 1 << 31;

pub(super) struct Liveness {
    pub cells: Vec<Cell>,
    pub var_cell: Vec<u32>,
    pub slot_cell: Vec<u32>,
    pub value_cell: Vec<u32>,
    /// How often a value is read.
    pub uses: Vec<u32>,
    words: usize,
    live: Vec<u64>,
}

impl Liveness {
    /// `None` if the procedure is too large for it.
    pub fn compute(program: &Program, body: &Procedure, cfg: &Cfg) -> Option<Liveness> {
        let mut result = Liveness {
            cells: Vec::new(),
            var_cell: vec![NONE; program.vars.len()],
            slot_cell: vec![NONE; body.slots.len()],
            value_cell: vec![NONE; body.values.len()],
            uses: vec![0; body.values.len()],
            words: 0,
            live: Vec::new(),
        };
        result.find_cells(program, body, cfg);
        result.words = result.cells.len().div_ceil(64);
        if result.words * 64 * cfg.table_len() * 3 > MAX_BITS {
            return None;
        }
        result.solve(body, cfg);
        Some(result)
    }

    pub fn is_live(&self, block: Block, cell: u32) -> bool {
        self.live[block.index() * self.words + cell as usize / 64] >> (cell % 64) & 1 != 0
    }

    pub fn live_cells(&self, block: Block) -> impl Iterator<Item = u32> + '_ {
        (0..self.cells.len() as u32).filter(move |&c| self.is_live(block, c))
    }

    /// The cell of a place, `NONE` for a variable that is never written.
    pub fn place(&self, place: Place) -> u32 {
        match place {
            Place::Global(var) => self.var_cell[var.index()],
            Place::Local(slot) => self.slot_cell[slot.index()],
        }
    }

    fn find_cells(&mut self, program: &Program, body: &Procedure, cfg: &Cfg) {
        let mut written = vec![false; program.vars.len()];
        let mut home: Vec<Option<Block>> = vec![None; body.values.len()];
        for &block in cfg.rpo() {
            body.blocks[block].params.iter().for_each(|p| home[p.index()] = Some(block));
            for &inst in &body.blocks[block].insts {
                body.insts[inst].results.iter().for_each(|r| home[r.index()] = Some(block));
                if let Some(Place::Global(var)) = written_place(&body.insts[inst].data) {
                    written[var.index()] = true;
                }
            }
        }
        for (var, data) in program.vars.iter() {
            if written[var.index()] || matches!(data.init, Initial::Any(_)) {
                self.var_cell[var.index()] = self.add(Cell::Global(var));
            }
        }
        for slot in body.slots.keys() {
            self.slot_cell[slot.index()] = self.add(Cell::Local(slot));
        }
        let mut shared = vec![false; body.values.len()];
        for &block in cfg.rpo() {
            let mut used = |v: Value| {
                self.uses[v.index()] += 1;
                shared[v.index()] |= home[v.index()] != Some(block);
            };
            body.blocks[block].insts.iter().for_each(|&i| body.insts[i].data.for_each_arg(&mut used));
            body.blocks[block].term.for_each_arg(used);
        }
        for (value, data) in body.values.iter() {
            let is_param = matches!(data.def, ValueDef::Param(..)) && self.uses[value.index()] > 0;
            if shared[value.index()] || is_param {
                self.value_cell[value.index()] = self.add(Cell::Value(value));
            }
        }
    }

    fn add(&mut self, cell: Cell) -> u32 {
        self.cells.push(cell);
        self.cells.len() as u32 - 1
    }

    /// Sets of cells grow backwards along the edges until nothing changes.
    fn solve(&mut self, body: &Procedure, cfg: &Cfg) {
        let words = self.words;
        let len = cfg.table_len();
        let (mut reads, mut kills) = (vec![0u64; words * len], vec![0u64; words * len]);
        for &block in cfg.rpo() {
            let at = block.index() * words;
            self.transfer(body, block, &mut reads[at..at + words], &mut kills[at..at + words]);
        }
        self.live = reads.clone();
        let mut queued: SecondaryMap<Block, bool> = SecondaryMap::with_default(true);
        let mut work: Vec<Block> = cfg.rpo().to_vec();
        while let Some(block) = work.pop() {
            queued[block] = false;
            let out = self.live_out(body, block);
            let at = block.index() * words;
            let mut changed = false;
            for w in 0..words {
                let new = self.live[at + w] | (out[w] & !kills[at + w]);
                changed |= new != self.live[at + w];
                self.live[at + w] = new;
            }
            if changed {
                for &pred in cfg.preds(block) {
                    if !std::mem::replace(&mut queued[pred], true) {
                        work.push(pred);
                    }
                }
            }
        }
    }

    fn live_out(&self, body: &Procedure, block: Block) -> Vec<u64> {
        let mut out = vec![0u64; self.words];
        for target in body.successors(block) {
            let at = target.block.index() * self.words;
            let mut here = self.live[at..at + self.words].to_vec();
            for (&param, &arg) in body.blocks[target.block].params.iter().zip(&target.args) {
                let cell = self.value_cell[param.index()];
                if cell == NONE || !get(&here, cell) {
                    continue;
                }
                here[cell as usize / 64] &= !(1 << (cell % 64));
                let arg = self.value_cell[arg.index()];
                if arg != NONE {
                    set(&mut out, arg);
                }
            }
            out.iter_mut().zip(&here).for_each(|(o, h)| *o |= h);
        }
        out
    }

    /// What the block reads before it writes it, and what it writes.
    fn transfer(&self, body: &Procedure, block: Block, reads: &mut [u64], kills: &mut [u64]) {
        let mut read = |cell: u32, kills: &[u64]| {
            if cell != NONE && !get(kills, cell) {
                set(reads, cell);
            }
        };
        for &inst in &body.blocks[block].insts {
            let node = &body.insts[inst];
            node.data.for_each_arg(|v| read(self.value_cell[v.index()], kills));
            match &node.data {
                InstData::Read { place } | InstData::Load { place, .. } | InstData::Store { place, .. } => {
                    read(self.place(*place), kills);
                }
                InstData::Write { place, .. } => set(kills, self.place(*place)),
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
                | InstData::Print { .. } => {}
            }
            for result in &node.results {
                let cell = self.value_cell[result.index()];
                if cell != NONE {
                    set(kills, cell);
                }
            }
        }
        // The arguments of jumps count only where the parameter is live.
        match &body.blocks[block].term {
            syncline_ir::Terminator::Branch { cond: v, .. } | syncline_ir::Terminator::Switch { value: v, .. } => {
                read(self.value_cell[v.index()], kills);
            }
            syncline_ir::Terminator::Jump(_)
            | syncline_ir::Terminator::Step(_)
            | syncline_ir::Terminator::Return(_)
            | syncline_ir::Terminator::Stop => {}
        }
    }
}

fn get(bits: &[u64], cell: u32) -> bool {
    bits[cell as usize / 64] >> (cell % 64) & 1 != 0
}

fn set(bits: &mut [u64], cell: u32) {
    bits[cell as usize / 64] |= 1 << (cell % 64);
}

/// The place an instruction writes.
pub(super) fn written_place(data: &InstData) -> Option<Place> {
    match data {
        InstData::Write { place, .. } | InstData::Store { place, .. } => Some(*place),
        InstData::Const(_)
        | InstData::Unary { .. }
        | InstData::Binary { .. }
        | InstData::Ite { .. }
        | InstData::Update { .. }
        | InstData::Havoc { .. }
        | InstData::Read { .. }
        | InstData::Load { .. }
        | InstData::Call { .. }
        | InstData::Assume { .. }
        | InstData::Assert { .. }
        | InstData::Unsupported { .. }
        | InstData::Print { .. } => None,
    }
}

/// The constant a value is.
pub(super) fn constant(body: &Procedure, value: Value) -> Option<&Const> {
    match body.values[value].def {
        ValueDef::Result(inst, _) => match &body.insts[inst].data {
            InstData::Const(c) => Some(c),
            _ => None,
        },
        ValueDef::Param(..) => None,
    }
}

/// The instruction that computes a value.
pub(super) fn definition(body: &Procedure, value: Value) -> Option<Inst> {
    match body.values[value].def {
        ValueDef::Result(inst, _) => Some(inst),
        ValueDef::Param(..) => None,
    }
}
