//! Rules on single instructions: what they refer to, and the types of operands and results.

use super::body::Body;
use super::{constant_fault, Rule};
use crate::entities::*;
use crate::inst::{InstData, Place};
use crate::program::InstNode;
use crate::types::Type;

type At = (Option<Block>, Option<Inst>);

impl Body<'_> {
    pub fn inst(&mut self, at: At, node: &InstNode) {
        let result = match &node.data {
            InstData::Const(value) => {
                if let Some(fault) = constant_fault(value) {
                    self.report(at, Rule::Constant, fault);
                }
                Some(value.ty())
            }
            InstData::Unary { op, arg } => self.operator(at, [*arg], |ty| op.result(ty[0])),
            InstData::Binary { op, args } => self.operator(at, *args, |ty| op.result(ty[0], ty[1])),
            InstData::Ite { cond, then, other } => {
                self.condition(at, *cond);
                self.operator(at, [*then, *other], |ty| Some(ty[0]).filter(|_| ty[0] == ty[1]))
            }
            InstData::Update { array, index, value } => self.operator(at, [*array, *index, *value], |ty| match ty[0] {
                Type::Array { index, elem } if ty[1] == Type::bv(index) && ty[2] == elem.into() => Some(ty[0]),
                Type::Array { .. } | Type::Scalar(_) => None,
            }),
            InstData::Havoc { site } => {
                let found = self.program.sites.get(*site).map(|data| data.ty);
                self.exists(at, found, *site)
            }
            InstData::Read { place } => self.place_type(at, *place),
            InstData::Load { place, index } => self.cell(at, *place, *index, None),
            InstData::Call { callee, args } => return self.call(at, node, *callee, args),
            InstData::Write { .. }
            | InstData::Store { .. }
            | InstData::Assume { .. }
            | InstData::Assert { .. }
            | InstData::Unsupported { .. }
            | InstData::Print { .. } => {
                self.effect(at, &node.data);
                return self.results(at, node, &[]);
            }
        };
        match result {
            Some(ty) => self.results(at, node, &[ty]),
            // Nothing determines the type, and that has been reported; the number is still known.
            None if node.results.len() != 1 => self.report(at, Rule::Result, "one result wanted"),
            None => {}
        }
    }

    /// Instructions without a result. Those that have one are [`Body::inst`]'s.
    fn effect(&mut self, at: At, data: &InstData) {
        match data {
            InstData::Write { place, value } => {
                if let Some(ty) = self.place_type(at, *place) {
                    self.matches(at, Rule::Place, "write", &[*value], &[ty]);
                }
            }
            InstData::Store { place, index, value } => {
                self.cell(at, *place, *index, Some(*value));
            }
            InstData::Assume { cond } => self.condition(at, *cond),
            InstData::Assert { prop, cond } => {
                let found = self.program.props.get(*prop).map(|_| ());
                self.exists(at, found, *prop);
                self.condition(at, *cond);
            }
            InstData::Unsupported { obligation } => {
                let found = self.program.obligations.get(*obligation).map(|_| ());
                self.exists(at, found, *obligation);
            }
            InstData::Print { .. } => {}
            InstData::Const(_)
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Ite { .. }
            | InstData::Update { .. }
            | InstData::Havoc { .. }
            | InstData::Read { .. }
            | InstData::Load { .. }
            | InstData::Call { .. } => {}
        }
    }

    /// The result's type by the operands'. An operand without a legal type has been reported, and decides nothing.
    fn operator<const N: usize>(
        &mut self,
        at: At,
        args: [Value; N],
        result: impl Fn(&[Type; N]) -> Option<Type>,
    ) -> Option<Type> {
        let mut types = [Type::BOOL; N];
        for (ty, arg) in types.iter_mut().zip(args) {
            *ty = self.ty(arg)?;
        }
        let ty = result(&types);
        if ty.is_none() {
            let types: Vec<String> = types.iter().map(Type::to_string).collect();
            self.report(at, Rule::Operand, format!("does not take {}", types.join(", ")));
        }
        ty
    }

    fn exists<T>(&mut self, at: At, found: Option<T>, entity: impl std::fmt::Display) -> Option<T> {
        if found.is_none() {
            self.report(at, Rule::Reference, format!("{entity} does not exist"));
        }
        found
    }

    fn place_type(&mut self, at: At, place: Place) -> Option<Type> {
        match place {
            Place::Global(var) => {
                let found = self.program.vars.get(var).map(|data| data.ty);
                self.exists(at, found, var)
            }
            Place::Local(slot) => {
                let found = self.procedure.slots.get(slot).map(|data| data.ty);
                self.exists(at, found, slot)
            }
        }
    }

    /// A cell of an array place: its type.
    fn cell(&mut self, at: At, place: Place, index: Value, value: Option<Value>) -> Option<Type> {
        match self.place_type(at, place)? {
            Type::Array { index: width, elem } => {
                self.matches(at, Rule::Place, "index", &[index], &[Type::bv(width)]);
                if let Some(value) = value {
                    self.matches(at, Rule::Place, "cell", &[value], &[elem.into()]);
                }
                Some(elem.into())
            }
            ty @ Type::Scalar(_) => {
                self.report(at, Rule::Place, format!("the place is of type {ty}, not an array"));
                None
            }
        }
    }

    fn call(&mut self, at: At, node: &InstNode, callee: Proc, args: &[Value]) {
        let found = self.program.procs.get(callee);
        let Some(procedure) = self.exists(at, found, callee) else { return };
        let params = procedure.blocks.get(procedure.entry).map_or(&[][..], |block| &block.params);
        // A parameter without a value is reported where the callee is.
        let want: Option<Vec<Type>> = params.iter().map(|&p| procedure.values.get(p).map(|v| v.ty)).collect();
        if let Some(want) = want {
            self.matches(at, Rule::Call, &procedure.name, args, &want);
        }
        self.results(at, node, &procedure.results);
    }

    fn results(&mut self, at: At, node: &InstNode, want: &[Type]) {
        self.matches(at, Rule::Result, "results", &node.results, want);
    }
}
