//! Pointers as values: addresses, and arithmetic on them.
//!
//! Arithmetic is the machine's, with two exceptions that keep accesses apart. A pointer into a region of several
//! objects that leaves the slot of its own becomes an invalid one. Null that is moved stays null.

use super::build::FnLower;
use super::memory::Region;
use super::path::{Path, Root};
use crate::hir::{Expr, ExprKind, Lval, LvalKind};
use crate::layout;
use crate::types::{Type as CType, TypeId};
use syncline_ir::{BinOp, Value};

impl FnLower<'_, '_> {
    /// The value of an expression that forms an address.
    pub fn address(&mut self, expr: &Expr) -> Value {
        let bits = self.cx.pointer_bits();
        match &expr.kind {
            ExprKind::FuncAddr(func) => {
                let address = self.cx.function_address(*func);
                self.bv(bits, i128::from(address))
            }
            ExprKind::AddrOf(lval) | ExprKind::Decay(lval) => self.address_of(lval, expr),
            ExprKind::PtrAdd { ptr, index, subtract } => {
                self.note_order(&[ptr, index], expr.loc);
                let base = self.expr(ptr);
                let index_value = self.expr(index);
                self.set_loc(expr.loc);
                self.moved(base, index_value, self.cx.is_signed(index.ty), *subtract, expr)
            }
            ExprKind::PtrDiff { left, right } => self.difference(left, right, expr),
            _ => self.unmodelled("an address of an unknown kind", expr.ty),
        }
    }

    fn address_of(&mut self, lval: &Lval, whole: &Expr) -> Value {
        if let LvalKind::Deref(pointer) = &lval.kind {
            if crate::points::indexed(pointer).is_none() {
                return self.expr(pointer);
            }
        }
        self.prepare(lval);
        match self.path(lval) {
            Some(path) => {
                self.set_loc(whole.loc);
                self.formed(&path)
            }
            None => {
                self.lval_effects(lval);
                self.set_loc(whole.loc);
                self.unmodelled("the address of an object that is not modelled", whole.ty)
            }
        }
    }

    /// The address of a path, which need not be inside its object.
    fn formed(&mut self, path: &Path) -> Value {
        let address = self.path_address(path);
        match (&path.region, path.dynamic, path.root) {
            (Some(region), Some(_), Root::Pointer { address: base, .. }) if region.shared() => {
                let region = region.clone();
                self.kept(base, address, &region)
            }
            (Some(region), Some(_), Root::Fixed(n)) if region.shared() => {
                let region = region.clone();
                let base = self.bv(self.cx.pointer_bits(), i128::from(region.fixed[n].address));
                self.kept(base, address, &region)
            }
            _ => address,
        }
    }

    /// The new address if it is in the slot of the old one.
    fn kept(&mut self, old: Value, new: Value, region: &Region) -> Value {
        let width = self.cx.pointer_bits();
        let changed = self.bin(BinOp::BvXor, old, new);
        let slot = self.bv(width, 1i128 << region.shift);
        let same = self.bin(BinOp::Ult, changed, slot);
        let nowhere = self.nowhere();
        self.ite(same, new, nowhere)
    }

    /// Bytes a step of a pointer covers; GNU C counts `void` and functions as one.
    pub fn pointee_bytes(&self, pointer: TypeId) -> Option<u64> {
        let CType::Pointer(to) = self.cx.ctype(pointer) else { return None };
        match self.cx.ctype(to.ty) {
            CType::Void | CType::Function(_) => Some(1),
            _ => layout::size_of(&self.cx.unit.types, to.ty),
        }
    }

    /// `base ± index` elements; `whole` is the expression whose reference the pointer has.
    pub fn moved(&mut self, base: Value, by: Value, signed: bool, subtract: bool, whole: &Expr) -> Value {
        let Some(bytes) = self.pointee_bytes(whole.ty) else {
            return self.unmodelled("arithmetic on a pointer to something of unknown size", whole.ty);
        };
        let bits = self.cx.pointer_bits();
        let wide = self.extend(by, signed, bits.max(self.width(by)));
        let wide = self.cut(wide, bits);
        let scaled = self.scale(wide, bytes);
        let new = self.bin(if subtract { BinOp::Sub } else { BinOp::Add }, base, scaled);
        let region = self.cx.points.target(whole).and_then(|t| self.cx.region(t.node));
        let mut new = match region {
            Some(region) if region.shared() => self.kept(base, new, &region),
            _ => new,
        };
        if self.as_const(base).is_none() {
            let valid = self.truth(base);
            new = self.ite(valid, new, base);
        }
        new
    }

    fn difference(&mut self, left: &Expr, right: &Expr, whole: &Expr) -> Value {
        let (a, b) = (self.expr(left), self.expr(right));
        self.set_loc(whole.loc);
        let Some(bytes) = self.pointee_bytes(left.ty).filter(|b| *b > 0) else {
            return self.unmodelled("a difference of pointers to something of unknown size", whole.ty);
        };
        let distance = self.bin(BinOp::Sub, a, b);
        let width = self.width(distance);
        if bytes.is_power_of_two() {
            let shift = self.bv(width, i128::from(bytes.trailing_zeros()));
            return self.bin(BinOp::AShr, distance, shift);
        }
        let bytes = self.bv(width, i128::from(bytes));
        self.bin(BinOp::SDiv, distance, bytes)
    }

    /// `lval ± index`, written back.
    pub fn pointer_assign(&mut self, lval: &Lval, index: &Expr, subtract: bool, whole: &Expr) -> Value {
        let target = self.resolve(lval);
        let by = self.expr(index);
        self.set_loc(whole.loc);
        let old = self.load(&target, lval.ty.ty);
        let new = self.moved(old, by, self.cx.is_signed(index.ty), subtract, whole);
        self.store(&target, new);
        new
    }
}
