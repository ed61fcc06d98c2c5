//! Instructions of the pass itself.

use super::Sequentialiser;
use crate::consts::Const;
use crate::entities::{Block, Proc, Value, Var};
use crate::inst::{InstData, Place, Terminator};
use crate::ops::{BinOp, UnOp};
use crate::types::Type;

impl Sequentialiser<'_> {
    pub(super) fn call(&mut self, block: Block, callee: Proc) {
        let procedure = &self.program.procs[callee];
        let types: Vec<Type> = procedure.params().iter().map(|&v| procedure.value_type(v)).collect();
        let results = procedure.results.clone();
        let args = types.into_iter().map(|ty| self.constant(block, Const::zero(ty))).collect();
        self.body.append(block, InstData::Call { callee, args }, &results, self.at);
    }

    pub(super) fn jump(&mut self, block: Block, to: Block) {
        self.body.set_term(block, Terminator::Jump(to.into()), self.at);
    }

    pub(super) fn constant(&mut self, block: Block, value: Const) -> Value {
        self.body.constant(block, value, self.at)
    }

    pub(super) fn read(&mut self, block: Block, var: Var) -> Value {
        let ty = self.out.vars[var].ty;
        self.body.append1(block, InstData::Read { place: Place::Global(var) }, ty, self.at)
    }

    pub(super) fn write(&mut self, block: Block, var: Var, value: Value) {
        self.body.append(block, InstData::Write { place: Place::Global(var), value }, &[], self.at);
    }

    /// A cell of an array, or all of the variable.
    pub(super) fn read_cell(&mut self, block: Block, var: Var, cell: Option<Value>) -> Value {
        match (cell, self.out.vars[var].ty) {
            (Some(index), Type::Array { elem, .. }) => {
                let data = InstData::Load { place: Place::Global(var), index };
                self.body.append1(block, data, elem.into(), self.at)
            }
            (Some(_) | None, _) => self.read(block, var),
        }
    }

    pub(super) fn write_cell(&mut self, block: Block, var: Var, cell: Option<Value>, value: Value) {
        match cell {
            Some(index) => {
                let data = InstData::Store { place: Place::Global(var), index, value };
                self.body.append(block, data, &[], self.at);
            }
            None => self.write(block, var, value),
        }
    }

    pub(super) fn write_const(&mut self, block: Block, var: Var, value: Const) {
        let value = self.constant(block, value);
        self.write(block, var, value);
    }

    pub(super) fn binary(&mut self, block: Block, op: BinOp, a: Value, b: Value) -> Value {
        self.body.binary(block, op, a, b, self.at)
    }

    pub(super) fn not(&mut self, block: Block, value: Value) -> Value {
        self.body.unary(block, UnOp::Not, value, self.at)
    }
}
