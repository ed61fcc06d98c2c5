//! Constant expressions: values known while translating.

use super::typing::wrap;
use super::{Res, Sema};
use crate::hir::{BinaryOp, Expr, ExprKind, Lval, LvalKind, Storage, UnaryOp};
use crate::layout;
use crate::types::{IntKind, Type, TypeId};
use lang_c::ast::{Expression, StaticAssert};
use lang_c::span::{Node, Span};
use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;
use syncline_ir::FloatFormat as Format;

#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum Const {
    Int(i128),
    Float(Format, u128),
}

impl Const {
    fn truth(self) -> bool {
        match self {
            Const::Int(v) => v != 0,
            Const::Float(format, bits) => match format {
                Format::F32 => !Single::from_bits(bits).is_zero(),
                Format::F64 => !Double::from_bits(bits).is_zero(),
                Format::X87 => !X87DoubleExtended::from_bits(bits).is_zero(),
            },
        }
    }
}

impl<'a> Sema<'a> {
    pub(super) fn fold_int(&self, e: &Expr) -> Option<i128> {
        match self.fold(e)? {
            Const::Int(v) => Some(v),
            Const::Float(..) => None,
        }
    }

    /// The value of an integer constant expression in the source.
    pub(super) fn constant_integer(&mut self, e: &'a Node<Expression>) -> Res<i128> {
        let value = self.rvalue(e)?;
        match self.fold_int(&value) {
            Some(v) if self.int_kind(value.ty).is_some() => Ok(v),
            _ => self.fail(e.span, "an integer constant is needed here"),
        }
    }

    pub(super) fn constant_unsigned(&mut self, e: &'a Node<Expression>) -> Res<u64> {
        let value = self.constant_integer(e)?;
        match u64::try_from(value) {
            Ok(v) => Ok(v),
            Err(_) => self.fail(e.span, "the constant must not be negative"),
        }
    }

    pub(super) fn static_assert(&mut self, node: &'a Node<StaticAssert>) -> Res<()> {
        if self.constant_integer(&node.node.expression)? != 0 {
            return Ok(());
        }
        let message: String = node.node.message.node.iter().map(|s| s.trim_matches('"')).collect();
        self.fail(node.span, format!("static assertion failed: {message}"))
    }

    pub(super) fn fold(&self, e: &Expr) -> Option<Const> {
        match &e.kind {
            ExprKind::Int(v) => Some(Const::Int(*v)),
            ExprKind::Float { format, bits } => Some(Const::Float(*format, *bits)),
            ExprKind::Unary { op, arg } => self.fold_unary(*op, self.fold(arg)?, e.ty),
            ExprKind::Binary { op, left, right } => {
                let (l, r) = (self.fold(left)?, self.fold(right)?);
                match (l, r) {
                    (Const::Int(l), Const::Int(r)) => self.fold_ints(*op, l, r, left.ty, right.ty).map(Const::Int),
                    (Const::Float(f, l), Const::Float(_, r)) => fold_floats(*op, f, l, r),
                    _ => None,
                }
            }
            ExprKind::Cast(arg) => self.convert_const(self.fold(arg)?, e.ty),
            ExprKind::LogAnd(l, r) => match self.fold(l)?.truth() {
                false => Some(Const::Int(0)),
                true => Some(Const::Int(self.fold(r)?.truth().into())),
            },
            ExprKind::LogOr(l, r) => match self.fold(l)?.truth() {
                true => Some(Const::Int(1)),
                false => Some(Const::Int(self.fold(r)?.truth().into())),
            },
            ExprKind::Cond { cond, then, other } => {
                let c = self.fold(cond)?;
                match (c.truth(), then) {
                    (true, Some(then)) => self.fold(then),
                    (true, None) => self.convert_const(c, e.ty),
                    (false, _) => self.fold(other),
                }
            }
            ExprKind::AddrOf(lval) | ExprKind::Decay(lval) => self.fold_address(lval).map(Const::Int),
            ExprKind::PtrAdd { ptr, index, subtract } => {
                let (p, i) = (self.fold_int(ptr)?, self.fold_int(index)?);
                let step = i.checked_mul(i128::from(self.step(ptr.ty)?))?;
                self.wrap_as(if *subtract { p - step } else { p + step }, e.ty).map(Const::Int)
            }
            ExprKind::PtrDiff { left, right } => {
                let (l, r) = (self.fold_int(left)?, self.fold_int(right)?);
                (l - r).checked_div(i128::from(self.step(left.ty)?)).map(Const::Int)
            }
            ExprKind::Load(_)
            | ExprKind::FuncAddr(_)
            | ExprKind::Comma(..)
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::PtrAssign { .. }
            | ExprKind::IncDec { .. }
            | ExprKind::Call { .. }
            | ExprKind::StmtExpr { .. }
            | ExprKind::Unsupported(_) => None,
        }
    }

    /// Bytes one step of a pointer of this type takes; `void` and functions count one.
    pub(super) fn step(&self, pointer: TypeId) -> Option<u64> {
        let to = self.pointee(pointer)?;
        match self.ty(to.ty) {
            Type::Void | Type::Function(_) => Some(1),
            _ => layout::size_of(&self.unit.types, to.ty),
        }
    }

    /// The address of an lvalue that hangs off a constant pointer, as `offsetof` written by hand.
    fn fold_address(&self, lval: &Lval) -> Option<i128> {
        match &lval.kind {
            LvalKind::Deref(e) => self.fold_int(e),
            LvalKind::Member { base, index } => {
                let at = self.fold_address(base)?;
                match self.ty(base.ty.ty) {
                    Type::Record(r) => {
                        let layout = self.unit.types.records[*r].layout.as_ref()?;
                        Some(at + i128::from(layout.fields.get(*index as usize)?.offset))
                    }
                    _ => None,
                }
            }
            LvalKind::Object(_) | LvalKind::Str(_) | LvalKind::Compound { .. } | LvalKind::Temp(_) => None,
        }
    }

    fn wrap_as(&self, value: i128, ty: TypeId) -> Option<i128> {
        let model = self.unit.types.model;
        match self.ty(ty) {
            Type::Int(kind) => Some(wrap(value, *kind, model)),
            Type::Pointer(_) => Some(wrap(value, model.size_type(), model)),
            _ => None,
        }
    }

    fn fold_unary(&self, op: UnaryOp, arg: Const, ty: TypeId) -> Option<Const> {
        match (op, arg) {
            (UnaryOp::Not, c) => Some(Const::Int((!c.truth()).into())),
            (UnaryOp::Neg, Const::Int(v)) => self.wrap_as(v.wrapping_neg(), ty).map(Const::Int),
            (UnaryOp::BitNot, Const::Int(v)) => self.wrap_as(!v, ty).map(Const::Int),
            (UnaryOp::Neg, Const::Float(f, bits)) => Some(Const::Float(f, bits ^ 1 << (f.storage_bits() - 1))),
            (UnaryOp::BitNot, Const::Float(..)) => None,
        }
    }

    fn fold_ints(&self, op: BinaryOp, l: i128, r: i128, left: TypeId, right: TypeId) -> Option<i128> {
        let _ = right;
        let bits = match self.ty(left) {
            Type::Int(kind) => kind.bits(self.unit.types.model),
            Type::Pointer(_) => self.unit.types.model.pointer_bits(),
            _ => return None,
        };
        // Unsigned 128-bit values are kept as their bits, so they compare and divide as `u128`.
        let wide = self.int_kind(left) == Some(IntKind::UInt128);
        let order = if wide { (l as u128).cmp(&(r as u128)) } else { l.cmp(&r) };
        let shift = u32::try_from(r).ok().filter(|&n| n < bits);
        let value = match op {
            BinaryOp::Add => l.wrapping_add(r),
            BinaryOp::Sub => l.wrapping_sub(r),
            BinaryOp::Mul => l.wrapping_mul(r),
            BinaryOp::Div if wide => (l as u128).checked_div(r as u128)? as i128,
            BinaryOp::Rem if wide => (l as u128).checked_rem(r as u128)? as i128,
            BinaryOp::Div => l.checked_div(r).filter(|&q| self.wrap_as(q, left) == Some(q))?,
            BinaryOp::Rem => l.checked_rem(r)?,
            BinaryOp::Shl => l << shift?,
            BinaryOp::Shr if wide => ((l as u128) >> shift?) as i128,
            BinaryOp::Shr => l >> shift?,
            BinaryOp::And => l & r,
            BinaryOp::Or => l | r,
            BinaryOp::Xor => l ^ r,
            BinaryOp::Lt => return Some((order == Ordering::Less).into()),
            BinaryOp::Le => return Some((order != Ordering::Greater).into()),
            BinaryOp::Gt => return Some((order == Ordering::Greater).into()),
            BinaryOp::Ge => return Some((order != Ordering::Less).into()),
            BinaryOp::Eq => return Some((order == Ordering::Equal).into()),
            BinaryOp::Ne => return Some((order != Ordering::Equal).into()),
        };
        self.wrap_as(value, left)
    }

    pub(super) fn convert_const(&self, c: Const, ty: TypeId) -> Option<Const> {
        match (c, self.ty(ty)) {
            (c, Type::Int(IntKind::Bool)) => Some(Const::Int(c.truth().into())),
            (Const::Int(v), Type::Int(_) | Type::Pointer(_)) => self.wrap_as(v, ty).map(Const::Int),
            (Const::Int(v), Type::Float(format)) => Some(Const::Float(*format, float_of_int(v, *format))),
            (Const::Float(from, bits), Type::Float(to)) => Some(Const::Float(*to, float_to_float(bits, from, *to))),
            (Const::Float(from, bits), Type::Int(kind)) => {
                let width = kind.bits(self.unit.types.model);
                int_of_float(bits, from, width, kind.signed()).map(Const::Int)
            }
            _ => None,
        }
    }

    /// A static initialiser: folded to a constant, or an address that the linker knows.
    pub(super) fn static_value(&mut self, e: Expr, span: Span) -> Res<Expr> {
        if matches!(e.kind, ExprKind::Int(_) | ExprKind::Float { .. } | ExprKind::Unsupported(_)) {
            return Ok(e);
        }
        match self.fold(&e) {
            Some(Const::Int(v)) => Ok(Expr { kind: ExprKind::Int(v), ..e }),
            Some(Const::Float(format, bits)) => Ok(Expr { kind: ExprKind::Float { format, bits }, ..e }),
            None if self.is_address_constant(&e) => Ok(e),
            None => self.fail(span, "the initialiser of a static object must be constant"),
        }
    }

    fn is_address_constant(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float { .. } | ExprKind::FuncAddr(_) | ExprKind::Unsupported(_) => true,
            ExprKind::AddrOf(lval) | ExprKind::Decay(lval) => self.is_static_place(lval),
            ExprKind::Cast(arg) => self.is_address_constant(arg),
            ExprKind::PtrAdd { ptr, index, .. } => self.is_address_constant(ptr) && self.fold(index).is_some(),
            // Differences of addresses, and addresses as integers with something added.
            ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right } => {
                self.is_address_constant(left) && self.is_address_constant(right)
            }
            ExprKind::PtrDiff { left, right } => self.is_address_constant(left) && self.is_address_constant(right),
            ExprKind::Cond { cond, then, other } => match self.fold(cond) {
                Some(_) => then.as_ref().is_none_or(|t| self.is_address_constant(t)) && self.is_address_constant(other),
                None => false,
            },
            // A compound literal copied into a static object.
            ExprKind::Load(lval) => matches!(&lval.kind, LvalKind::Object(o)
                if self.unit.objects[*o].name.is_empty() && self.unit.objects[*o].storage == Storage::Static),
            _ => false,
        }
    }

    fn is_static_place(&self, lval: &Lval) -> bool {
        match &lval.kind {
            LvalKind::Object(obj) => matches!(self.unit.objects[*obj].storage, Storage::Global | Storage::Static),
            LvalKind::Str(_) => true,
            LvalKind::Member { base, .. } => self.is_static_place(base),
            LvalKind::Deref(e) => self.is_address_constant(e),
            LvalKind::Compound { .. } | LvalKind::Temp(_) => false,
        }
    }
}

fn float_of_int(v: i128, format: Format) -> u128 {
    let round = Round::NearestTiesToEven;
    match format {
        Format::F32 => Single::from_i128_r(v, round).value.to_bits(),
        Format::F64 => Double::from_i128_r(v, round).value.to_bits(),
        Format::X87 => X87DoubleExtended::from_i128_r(v, round).value.to_bits(),
    }
}

fn float_to_float(bits: u128, from: Format, to: Format) -> u128 {
    fn into<F: FloatConvert<Single> + FloatConvert<Double> + FloatConvert<X87DoubleExtended>>(
        f: F,
        to: Format,
    ) -> u128 {
        let mut lost = false;
        match to {
            Format::F32 => FloatConvert::<Single>::convert(f, &mut lost).value.to_bits(),
            Format::F64 => FloatConvert::<Double>::convert(f, &mut lost).value.to_bits(),
            Format::X87 => FloatConvert::<X87DoubleExtended>::convert(f, &mut lost).value.to_bits(),
        }
    }
    match from {
        _ if from == to => bits,
        Format::F32 => into(Single::from_bits(bits), to),
        Format::F64 => into(Double::from_bits(bits), to),
        Format::X87 => into(X87DoubleExtended::from_bits(bits), to),
    }
}

/// `None` where the value does not fit, which C leaves undefined.
fn int_of_float(bits: u128, from: Format, width: u32, signed: bool) -> Option<i128> {
    fn go<F: Float>(f: F, width: u32, signed: bool) -> Option<i128> {
        let mut exact = false;
        let result = match signed {
            true => f.to_i128_r(width as usize, Round::TowardZero, &mut exact).map(Some),
            false => f.to_u128_r(width as usize, Round::TowardZero, &mut exact).map(|v| i128::try_from(v).ok()),
        };
        match result.status.contains(rustc_apfloat::Status::INVALID_OP) {
            true => None,
            false => result.value,
        }
    }
    match from {
        Format::F32 => go(Single::from_bits(bits), width, signed),
        Format::F64 => go(Double::from_bits(bits), width, signed),
        Format::X87 => go(X87DoubleExtended::from_bits(bits), width, signed),
    }
}

fn fold_floats(op: BinaryOp, format: Format, l: u128, r: u128) -> Option<Const> {
    fn go<F: Float>(op: BinaryOp, format: Format, l: u128, r: u128) -> Option<Const> {
        let (a, b) = (F::from_bits(l), F::from_bits(r));
        let order = a.partial_cmp(&b);
        let value = match op {
            BinaryOp::Add => (a + b).value,
            BinaryOp::Sub => (a - b).value,
            BinaryOp::Mul => (a * b).value,
            BinaryOp::Div => (a / b).value,
            BinaryOp::Lt => return Some(Const::Int((order == Some(Ordering::Less)).into())),
            BinaryOp::Gt => return Some(Const::Int((order == Some(Ordering::Greater)).into())),
            BinaryOp::Eq => return Some(Const::Int((order == Some(Ordering::Equal)).into())),
            BinaryOp::Ne => return Some(Const::Int((order != Some(Ordering::Equal)).into())),
            BinaryOp::Le => {
                return Some(Const::Int(matches!(order, Some(Ordering::Less | Ordering::Equal)).into()));
            }
            BinaryOp::Ge => {
                return Some(Const::Int(matches!(order, Some(Ordering::Greater | Ordering::Equal)).into()));
            }
            BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                return None;
            }
        };
        Some(Const::Float(format, value.to_bits()))
    }
    match format {
        Format::F32 => go::<Single>(op, format, l, r),
        Format::F64 => go::<Double>(op, format, l, r),
        Format::X87 => go::<X87DoubleExtended>(op, format, l, r),
    }
}
