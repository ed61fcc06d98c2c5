//! Intervals of integer expressions from syntax alone: constants, narrow types, masks, remainders.
//!
//! They decide which array accesses need no bounds guard and which divisions cannot trap.
//! The walk looks at a bounded number of nodes, so asking at every level of a deep expression stays linear.

use super::cond::PlainWalk;
use super::Lower;
use crate::hir::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::types::{Type as CType, TypeId};

/// Values an expression may take, both ends included.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub lo: i128,
    pub hi: i128,
}

/// Nodes looked at before the type's range is the answer.
const BUDGET: u32 = 32;

impl Range {
    pub fn exactly(value: i128) -> Range {
        Range { lo: value, hi: value }
    }

    pub fn contains(self, value: i128) -> bool {
        self.lo <= value && value <= self.hi
    }

    pub fn within(self, lo: i128, hi: i128) -> bool {
        lo <= self.lo && self.hi <= hi
    }

    fn subset(self, other: Range) -> bool {
        self.within(other.lo, other.hi)
    }

    pub fn add(self, other: Range) -> Option<Range> {
        Some(Range { lo: self.lo.checked_add(other.lo)?, hi: self.hi.checked_add(other.hi)? })
    }

    pub fn sub(self, other: Range) -> Option<Range> {
        Some(Range { lo: self.lo.checked_sub(other.hi)?, hi: self.hi.checked_sub(other.lo)? })
    }

    pub fn mul(self, other: Range) -> Option<Range> {
        let ends = [
            self.lo.checked_mul(other.lo)?,
            self.lo.checked_mul(other.hi)?,
            self.hi.checked_mul(other.lo)?,
            self.hi.checked_mul(other.hi)?,
        ];
        Some(Range { lo: *ends.iter().min()?, hi: *ends.iter().max()? })
    }
}

impl Lower<'_> {
    /// The range of an integer type below 128 bits, or of a pointer.
    pub fn type_range(&self, ty: TypeId) -> Option<Range> {
        let model = self.unit.types.model;
        let (bits, signed) = match self.ctype(ty) {
            CType::Int(crate::types::IntKind::Bool) => (1, false),
            CType::Int(kind) => (kind.bits(model), kind.signed()),
            CType::Pointer(_) => (model.pointer_bits(), false),
            _ => return None,
        };
        match (bits, signed) {
            (128.., _) => None,
            (_, true) => Some(Range { lo: -(1i128 << (bits - 1)), hi: (1i128 << (bits - 1)) - 1 }),
            (_, false) => Some(Range { lo: 0, hi: (1i128 << bits) - 1 }),
        }
    }

    /// The values an integer expression may have. `None` for other types and 128-bit integers.
    pub fn range(&self, expr: &Expr) -> Option<Range> {
        let mut budget = BUDGET;
        self.range_within(expr, &mut budget)
    }

    /// The value of an expression that syntax shows to be constant and free of effects.
    pub fn const_int(&self, expr: &Expr) -> Option<i128> {
        match &expr.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Cast(_) | ExprKind::Unary { .. } | ExprKind::Binary { .. } => {
                let range = self.range(expr)?;
                let mut walk = PlainWalk { budget: BUDGET, constant: false };
                (range.lo == range.hi && self.is_plain(expr, &mut walk)).then_some(range.lo)
            }
            _ => None,
        }
    }

    fn range_within(&self, expr: &Expr, budget: &mut u32) -> Option<Range> {
        let whole = self.type_range(expr.ty)?;
        if *budget == 0 {
            return Some(whole);
        }
        *budget -= 1;
        let found = match &expr.kind {
            ExprKind::Int(value) => Some(Range::exactly(*value)),
            // A value that fits the new type is kept; but a pointer is extended with its sign.
            ExprKind::Cast(arg) if self.is_pointer(arg.ty) => None,
            ExprKind::Cast(arg) => self.range_within(arg, budget),
            ExprKind::Unary { op: UnaryOp::Not, .. } | ExprKind::LogAnd(..) | ExprKind::LogOr(..) => {
                Some(Range { lo: 0, hi: 1 })
            }
            ExprKind::Unary { op: UnaryOp::Neg, arg } => {
                self.range_within(arg, budget).and_then(|r| Range::exactly(0).sub(r))
            }
            ExprKind::Binary { op, left, right } => self.binary_range(*op, left, right, budget),
            ExprKind::Comma(_, value) => self.range_within(value, budget),
            ExprKind::Cond { then: Some(then), other, .. } => {
                let (a, b) = (self.range_within(then, budget), self.range_within(other, budget));
                a.zip(b).map(|(a, b)| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) })
            }
            _ => None,
        };
        // Outside the type the value wraps: nothing is known then.
        Some(found.filter(|r| r.subset(whole)).unwrap_or(whole))
    }

    fn binary_range(&self, op: BinaryOp, left: &Expr, right: &Expr, budget: &mut u32) -> Option<Range> {
        use BinaryOp::*;
        if matches!(op, Lt | Le | Gt | Ge | Eq | Ne) {
            return Some(Range { lo: 0, hi: 1 });
        }
        let a = self.range_within(left, budget)?;
        let b = self.range_within(right, budget)?;
        // A shift count outside the type gives any value.
        let width =
            self.type_range(left.ty).map_or(0, |r| if r.lo < 0 { r.hi.count_ones() + 1 } else { r.hi.count_ones() });
        let count_fits = b.within(0, i128::from(width) - 1);
        match op {
            Add => a.add(b),
            Sub => a.sub(b),
            Mul => a.mul(b),
            And if a.lo >= 0 && b.lo >= 0 => Some(Range { lo: 0, hi: a.hi.min(b.hi) }),
            And if b.lo >= 0 => Some(Range { lo: 0, hi: b.hi }),
            And if a.lo >= 0 => Some(Range { lo: 0, hi: a.hi }),
            // The remainder has the dividend's sign and is smaller than the divisor.
            Rem if b.lo > 0 && a.lo >= 0 => Some(Range { lo: 0, hi: (b.hi - 1).min(a.hi) }),
            Rem if b.lo > 0 => Some(Range { lo: -(b.hi - 1), hi: b.hi - 1 }),
            Div if b.lo > 0 && a.lo >= 0 => Some(Range { lo: 0, hi: a.hi / b.lo }),
            Shr if a.lo >= 0 && count_fits => Some(Range { lo: 0, hi: a.hi >> b.lo }),
            Shl if b.lo == b.hi && count_fits => a.mul(Range::exactly(1 << b.lo)),
            _ => None,
        }
    }
}
