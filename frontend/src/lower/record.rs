//! Structs and unions as values: the list of their leaves.

use super::build::FnLower;
use super::path::Path;
use super::Lower;
use crate::hir::{Expr, ExprKind, Loc, Lval, LvalKind};
use crate::leaves::Leaf;
use crate::types::{BitField, Type as CType, TypeId};
use std::rc::Rc;
use syncline_ir::{BinOp, BlockCall, Const, Scalar, Terminator, Type, UnOp, Value};

impl Lower<'_> {
    pub fn is_record(&self, ty: TypeId) -> bool {
        matches!(self.ctype(ty), CType::Record(_))
    }

    pub fn leaves_of(&self, ty: TypeId) -> Option<Rc<[Leaf]>> {
        self.leaves.of(&self.unit.types, ty)
    }

    /// The IR types a value of a C type is passed as, or `None` for what is not modelled.
    pub fn passed_types(&self, ty: TypeId) -> Option<Vec<Type>> {
        match self.scalar(ty) {
            Some(scalar) => Some(vec![scalar.into()]),
            None if self.is_record(ty) => {
                self.leaves_of(ty).map(|leaves| leaves.iter().map(|l| l.scalar.into()).collect())
            }
            None => None,
        }
    }

    /// Offset in bytes and bits of a field.
    pub fn field(&self, record: TypeId, index: u32) -> Option<(u64, Option<BitField>)> {
        let CType::Record(record) = self.ctype(record) else { return None };
        let field = self.unit.types.records[*record].layout.as_ref()?.fields.get(index as usize)?;
        Some((field.offset, field.bits))
    }
}

impl FnLower<'_, '_> {
    /// The leaves of a record-valued expression.
    pub fn record(&mut self, expr: &Expr) -> Vec<Value> {
        let Some(leaves) = self.cx.leaves_of(expr.ty) else {
            self.effect_of_record(expr);
            self.set_loc(expr.loc);
            self.unsupported(format!("a value of type {}", self.cx.type_words(expr.ty)));
            return Vec::new();
        };
        match &expr.kind {
            ExprKind::Load(lval) => self.load_record(lval, expr.ty, &leaves, expr.loc),
            ExprKind::Assign { lval, value } => self.assign_record(lval, value),
            ExprKind::Comma(first, second) => {
                self.effect(first);
                self.record(second)
            }
            ExprKind::Cond { cond, then: Some(then), other } => self.choose_record(cond, then, other, &leaves),
            ExprKind::Call { callee, args } => self.call_values(callee, args, expr, true),
            ExprKind::StmtExpr { body, value: Some(value) } => {
                self.inner_statements(body);
                self.record(value)
            }
            ExprKind::Cast(arg) if self.cx.is_record(arg.ty) => self.record(arg),
            _ => {
                self.unsupported(format!("a value of type {}", self.cx.type_words(expr.ty)));
                self.blank_record(&leaves)
            }
        }
    }

    fn effect_of_record(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Load(lval) => self.lval_effects(lval),
            ExprKind::Assign { lval, value } => {
                self.lval_effects(lval);
                self.effect_of_record(value);
            }
            ExprKind::Call { args, .. } => args.iter().for_each(|e| self.effect(e)),
            _ => {}
        }
    }

    /// Leaves to go on with behind an obligation.
    pub fn blank_record(&mut self, leaves: &[Leaf]) -> Vec<Value> {
        leaves.iter().map(|l| self.constant(Const::zero(l.scalar.into()))).collect()
    }

    fn load_record(&mut self, lval: &Lval, ty: TypeId, leaves: &[Leaf], loc: Loc) -> Vec<Value> {
        if let Some((base, bit)) = temporary(self.cx, lval) {
            let whole = self.record(base);
            let all = self.cx.leaves_of(base.ty).unwrap_or_else(|| Rc::from([]));
            let found: Option<Vec<Value>> =
                leaves.iter().map(|l| self.part(&all, &whole, bit + l.bit, l.scalar)).collect();
            return found.unwrap_or_else(|| {
                self.unsupported("a part of a record value");
                self.blank_record(leaves)
            });
        }
        self.prepare(lval);
        match self.path(lval) {
            Some(path) => {
                self.set_loc(loc);
                self.load_leaves(&path, leaves, loc)
            }
            None => {
                self.set_loc(loc);
                self.unsupported(format!("an object of type {}", self.cx.type_words(ty)));
                self.blank_record(leaves)
            }
        }
    }

    pub fn load_leaves(&mut self, path: &Path, leaves: &[Leaf], loc: Loc) -> Vec<Value> {
        let load = |leaf: &Leaf| {
            let access = self.leaf(path, leaf, loc);
            self.load_access(&access, "part of a record")
        };
        leaves.iter().map(load).collect()
    }

    pub fn store_leaves(&mut self, path: &Path, leaves: &[Leaf], values: &[Value], loc: Loc) {
        for (leaf, value) in leaves.iter().zip(values) {
            let access = self.leaf(path, leaf, loc);
            self.store_access(&access, *value);
        }
    }

    pub fn assign_record(&mut self, lval: &Lval, value: &Expr) -> Vec<Value> {
        let Some(leaves) = self.cx.leaves_of(lval.ty.ty) else {
            self.lval_effects(lval);
            self.effect_of_record(value);
            self.set_loc(lval.loc);
            self.unsupported(format!("assignment of {}", self.cx.type_words(lval.ty.ty)));
            return Vec::new();
        };
        self.prepare(lval);
        let path = self.path(lval);
        let values = self.record(value);
        self.set_loc(lval.loc);
        match path {
            Some(path) => self.store_leaves(&path, &leaves, &values, lval.loc),
            None => self.unsupported(format!("assignment to an object of type {}", self.cx.type_words(lval.ty.ty))),
        }
        values
    }

    fn choose_record(&mut self, cond: &Expr, then: &Expr, other: &Expr, leaves: &[Leaf]) -> Vec<Value> {
        let (yes, no, join) = (self.new_block(), self.new_block(), self.new_block());
        let results: Vec<Value> = leaves.iter().map(|l| self.proc.add_param(join, l.scalar.into())).collect();
        self.branch(cond, yes, no);
        for (block, arm) in [(yes, then), (no, other)] {
            self.switch_to(block);
            let values = self.record(arm);
            let call = BlockCall::new(join, values);
            self.proc.set_term(self.block, Terminator::Jump(call), self.at);
        }
        self.switch_to(join);
        results
    }

    /// A scalar member of a record that is no object.
    pub fn load_temporary(&mut self, lval: &Lval, ty: TypeId) -> Option<Value> {
        let (base, bit) = temporary(self.cx, lval)?;
        let field = self.field_of(lval);
        let bit = bit + field.map_or(0, |f| u64::from(f.offset));
        let whole = self.record(base);
        let leaves = self.cx.leaves_of(base.ty)?;
        let scalar = crate::leaves::field_scalar(&self.cx.unit.types, ty, field)?;
        let value = self.part(&leaves, &whole, bit, scalar);
        Some(match value {
            Some(value) => self.fielded(value, ty, field),
            None => self.unmodelled("a part of a record value", ty),
        })
    }

    /// A scalar of a record value; in a union it may consist of several leaves. Padding reads as any value.
    fn part(&mut self, leaves: &[Leaf], whole: &[Value], bit: u64, scalar: Scalar) -> Option<Value> {
        if let Some(n) = leaves.iter().position(|l| l.bit == bit && l.scalar == scalar) {
            return whole.get(n).copied();
        }
        let width = |scalar: Scalar| match scalar {
            Scalar::Bool => 1,
            Scalar::Bv(w) => w,
            Scalar::Float(f) => f.storage_bits(),
        };
        let (mut at, end) = (bit, bit + u64::from(width(scalar)));
        let mut bits: Option<Value> = None;
        while at < end {
            let holds = |l: &Leaf| l.bit <= at && at < l.bit + u64::from(width(l.scalar));
            let next = leaves.iter().map(|l| l.bit).filter(|b| *b > at).min().unwrap_or(end).min(end);
            let piece = match leaves.iter().position(holds) {
                Some(n) => {
                    let leaf = &leaves[n];
                    let own = match leaf.scalar {
                        Scalar::Float(_) => self.un(UnOp::ToBits, *whole.get(n)?),
                        Scalar::Bv(_) | Scalar::Bool => *whole.get(n)?,
                    };
                    let last = (leaf.bit + u64::from(width(leaf.scalar))).min(end) - leaf.bit - 1;
                    self.un(UnOp::Extract { hi: last as u32, lo: (at - leaf.bit) as u32 }, own)
                }
                None => self.havoc("padding", Type::bv((next - at) as u32)),
            };
            at += u64::from(self.width(piece));
            bits = Some(match bits {
                Some(low) => self.bin(BinOp::Concat, piece, low),
                None => piece,
            });
        }
        match scalar {
            Scalar::Float(format) => bits.map(|b| self.un(UnOp::FromBits(format), b)),
            Scalar::Bv(_) | Scalar::Bool => bits,
        }
    }

    pub fn field_of(&self, lval: &Lval) -> Option<BitField> {
        match &lval.kind {
            LvalKind::Member { base, index } => self.cx.field(base.ty.ty, *index).and_then(|f| f.1),
            _ => None,
        }
    }

    /// What was read from memory, as a value of its C type.
    pub fn fielded(&mut self, value: Value, ty: TypeId, field: Option<BitField>) -> Value {
        if self.cx.is_bool(ty) {
            let truth = self.truth(value);
            return self.bool_to_bv(truth, 8);
        }
        match field {
            None => value,
            Some(_) => {
                let width = self.cx.value_type(ty).width().unwrap_or(32);
                self.widen(value, ty, width)
            }
        }
    }

    /// A value of a C type as the bits of a field.
    pub fn unfielded(&mut self, value: Value, field: Option<BitField>) -> Value {
        match field {
            Some(field) => self.cut(value, field.width),
            None => value,
        }
    }
}

/// The record value an lvalue is a part of, if it is no object, and where in it.
fn temporary<'e>(cx: &Lower<'_>, lval: &'e Lval) -> Option<(&'e Expr, u64)> {
    match &lval.kind {
        LvalKind::Temp(value) => Some((value, 0)),
        LvalKind::Member { base, index } => {
            let (value, bit) = temporary(cx, base)?;
            let (offset, _) = cx.field(base.ty.ty, *index)?;
            Some((value, bit + offset * 8))
        }
        LvalKind::Deref(pointer) => {
            let (array, index) = crate::points::indexed(pointer)?;
            let (value, bit) = temporary(cx, array)?;
            let CType::Array { elem, len: Some(len) } = cx.ctype(array.ty.ty) else { return None };
            let n = u64::try_from(cx.const_int(index)?).ok().filter(|n| n < len)?;
            Some((value, bit + n * crate::layout::size_of(&cx.unit.types, elem.ty)? * 8))
        }
        LvalKind::Object(_) | LvalKind::Str(_) | LvalKind::Compound { .. } => None,
    }
}
