//! Which integers can take values outside of their range at all. An item whose every assignment stays in the range,
//! given that the items it reads do, always does (by induction over the steps), and is stored with as few bits as the
//! range needs. Others are stored as they are, in 32 bits; where values outside end the run
//! ([`super::Options::confined`]), they too need no more bits than the range.

use super::scan;
use crate::model::*;
use cranelift_entity::SecondaryMap;

#[derive(Default)]
pub(super) struct Ranges {
    /// Values outside of the range are possible.
    loose: SecondaryMap<Item, bool>,
    /// It starts outside.
    astray: SecondaryMap<Item, bool>,
    /// An assignment of a value outside ends the run.
    confined: bool,
}

type Interval = (i64, i64);

const ALL: Interval = (i32::MIN as i64, i32::MAX as i64);

impl Ranges {
    pub fn new(chart: &Chart, confined: bool) -> Ranges {
        let mut ranges = Ranges { confined, ..Ranges::default() };
        for (item, data) in &chart.items {
            if let (Some(range), Literal::Int(n)) = (declared(chart, item), data.initial) {
                ranges.astray[item] = !inside((i64::from(n), i64::from(n)), range);
            }
        }
        ranges.loose = ranges.astray.clone();
        let assignments = scan::assignments(chart);
        loop {
            let mut changed = false;
            for &(item, value) in &assignments {
                if !ranges.loose[item] && !ranges.stays(chart, item, value) {
                    ranges.loose[item] = true;
                    changed = true;
                }
            }
            if !changed {
                return ranges;
            }
        }
    }

    /// Whether the value is always in the item's range.
    pub fn stays(&self, chart: &Chart, item: Item, value: &Expr) -> bool {
        declared(chart, item).is_none_or(|range| inside(self.of(chart, value), range))
    }

    /// Whether an item can leave its range that would fit into fewer bits if it did not.
    pub fn matter(&self, chart: &Chart) -> bool {
        let wide = |item| declared(chart, item).is_some_and(|range| self.loose[item] && bits(range) < 32);
        chart.items.keys().any(|item| wide(item) && !self.astray[item])
    }

    /// The width of an integer's variables.
    pub fn width(&self, chart: &Chart, item: Item) -> u32 {
        let kept = if self.confined { !self.astray[item] } else { !self.loose[item] };
        match declared(chart, item) {
            Some(range) if kept => bits(range),
            _ => 32,
        }
    }

    /// No time-out with this delay is longer.
    pub fn delay_bound(&self, chart: &Chart, delay: &Expr) -> u32 {
        self.of(chart, delay).1.max(1) as u32
    }

    fn of(&self, chart: &Chart, expr: &Expr) -> Interval {
        let exact = |(low, high): Interval| if inside((low, high), ALL) { (low, high) } else { ALL };
        match expr {
            Expr::Literal(Literal::Int(n)) => (i64::from(*n), i64::from(*n)),
            Expr::Item(item) | Expr::Cell(item, _) if !self.loose[*item] => declared(chart, *item).unwrap_or(ALL),
            Expr::Unary(UnaryOp::Neg, e) => {
                let (low, high) = self.of(chart, e);
                exact((-high, -low))
            }
            Expr::Unary(UnaryOp::Abs, e) => {
                let (low, high) = self.of(chart, e);
                let most = low.abs().max(high.abs());
                exact((if low > 0 { low } else { 0 }, most))
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.of(chart, a), self.of(chart, b));
                match op {
                    BinaryOp::Add => exact((a.0 + b.0, a.1 + b.1)),
                    BinaryOp::Sub => exact((a.0 - b.1, a.1 - b.0)),
                    BinaryOp::Mul => {
                        let all = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
                        exact((all.into_iter().min().unwrap_or(ALL.0), all.into_iter().max().unwrap_or(ALL.1)))
                    }
                    BinaryOp::Min => (a.0.min(b.0), a.1.min(b.1)),
                    BinaryOp::Max => (a.0.max(b.0), a.1.max(b.1)),
                    BinaryOp::Mod if b.0 == b.1 && b.0 > 0 => {
                        if a.0 >= 0 {
                            (0, a.1.min(b.0 - 1))
                        } else {
                            (1 - b.0, b.0 - 1)
                        }
                    }
                    BinaryOp::Div
                    | BinaryOp::Mod
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::Lt
                    | BinaryOp::Le
                    | BinaryOp::Gt
                    | BinaryOp::Ge => ALL,
                }
            }
            Expr::Literal(_)
            | Expr::Item(_)
            | Expr::Cell(..)
            | Expr::Context(_)
            | Expr::In(_)
            | Expr::Occurs(_)
            | Expr::Unary(..)
            | Expr::ToReal(_) => ALL,
        }
    }
}

/// The range of an integer or enumeration.
pub(super) fn declared(chart: &Chart, item: Item) -> Option<Interval> {
    match chart.items[item].ty {
        ItemType::Int { min, max } => Some((i64::from(min), i64::from(max))),
        ItemType::Enum(ty) => Some((0, chart.enums[ty as usize].values.len() as i64 - 1)),
        ItemType::Bool | ItemType::Real => None,
    }
}

/// How many bits the values of the range need.
fn bits(range: Interval) -> u32 {
    (1..32).find(|&w| inside(range, signed(w))).unwrap_or(32)
}

fn signed(width: u32) -> Interval {
    (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1)
}

fn inside(inner: Interval, outer: Interval) -> bool {
    inner.0 >= outer.0 && inner.1 <= outer.1
}
