//! Which values and variables may hold an input that is not decided yet, wherever the run is: inputs, and what the
//! machine can say about as a shifted input. Everything else decides what it works on.

use super::code::word_width;
use super::live::{constant, Liveness, NONE};
use cranelift_entity::EntityRef;
use syncline_ir::analysis::Cfg;
use syncline_ir::{BinOp, Initial, InstData, Procedure, Program, UnOp, Value};

pub(super) struct Taint {
    values: Vec<bool>,
    /// By cell.
    pub places: Vec<bool>,
}

impl Taint {
    pub fn compute(program: &Program, body: &Procedure, cfg: &Cfg, live: &Liveness) -> Taint {
        let mut taint = Taint { values: vec![false; body.values.len()], places: vec![false; live.cells.len()] };
        for (var, data) in program.vars.iter() {
            let cell = live.var_cell[var.index()];
            if cell != NONE && matches!(data.init, Initial::Any(_)) {
                taint.places[cell as usize] = true;
            }
        }
        while taint.round(body, cfg, live) {}
        taint
    }

    pub fn value(&self, value: Value) -> bool {
        self.values[value.index()]
    }

    /// One pass over the procedure; whether anything is new.
    fn round(&mut self, body: &Procedure, cfg: &Cfg, live: &Liveness) -> bool {
        let mut changed = false;
        for &block in cfg.rpo() {
            for &inst in &body.blocks[block].insts {
                let node = &body.insts[inst];
                if let InstData::Write { place, value } = &node.data {
                    let cell = live.place(*place) as usize;
                    if self.value(*value) && !self.places[cell] {
                        (self.places[cell], changed) = (true, true);
                    }
                }
                if let Some(&result) = node.results.first() {
                    if !self.value(result) && self.is_tainted(&node.data, body, live) {
                        (self.values[result.index()], changed) = (true, true);
                    }
                }
            }
            for target in body.successors(block) {
                for (&param, &arg) in body.blocks[target.block].params.iter().zip(&target.args) {
                    if self.value(arg) && !self.value(param) {
                        (self.values[param.index()], changed) = (true, true);
                    }
                }
            }
        }
        changed
    }

    fn is_tainted(&self, data: &InstData, body: &Procedure, live: &Liveness) -> bool {
        let is_word = |v: Value| word_width(body.value_type(v)).is_some();
        match data {
            InstData::Havoc { .. } => true,
            InstData::Read { place } => {
                let cell = live.place(*place);
                cell != NONE && self.places[cell as usize]
            }
            // What does not fit a word is computed on decided values.
            InstData::Unary { op: UnOp::ZExt(to) | UnOp::SExt(to), .. } if *to > 64 => false,
            InstData::Unary { op: UnOp::ZExt(_) | UnOp::SExt(_) | UnOp::Extract { lo: 0, .. }, arg } => {
                self.value(*arg) && is_word(*arg)
            }
            InstData::Binary { op: BinOp::Add, args: [a, b] } => {
                let is_const = |v: Value| constant(body, v).is_some();
                (self.value(*a) || self.value(*b)) && (is_const(*a) || is_const(*b)) && is_word(*a)
            }
            InstData::Binary { op: BinOp::Sub, args: [a, b] } => {
                self.value(*a) && constant(body, *b).is_some() && is_word(*a)
            }
            InstData::Ite { then, other, .. } => self.value(*then) || self.value(*other),
            InstData::Const(_)
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Update { .. }
            | InstData::Write { .. }
            | InstData::Load { .. }
            | InstData::Store { .. }
            | InstData::Call { .. }
            | InstData::Assume { .. }
            | InstData::Assert { .. }
            | InstData::Unsupported { .. }
            | InstData::Print { .. } => false,
        }
    }
}
