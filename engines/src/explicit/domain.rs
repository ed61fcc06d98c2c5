//! Sets of unsigned words as rising disjoint intervals: what is known of an input on one path.

use std::rc::Rc;
use syncline_ir::BinOp;

/// Closed intervals, rising and apart.
pub(super) type Ranges = Vec<(i128, i128)>;

/// The values an input may still have. Never empty.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Domain(Rc<Ranges>);

impl Domain {
    /// Every word of this width, which is at most 64.
    pub fn full(width: u32) -> Domain {
        Domain(Rc::new(vec![(0, (1i128 << width) - 1)]))
    }

    fn of(ranges: Ranges) -> Option<Domain> {
        (!ranges.is_empty()).then(|| Domain(Rc::new(ranges)))
    }

    pub fn min(&self) -> i128 {
        self.0[0].0
    }

    pub fn max(&self) -> i128 {
        self.0[self.0.len() - 1].1
    }

    pub fn single(&self) -> Option<i128> {
        (self.min() == self.max()).then(|| self.min())
    }

    pub fn size(&self) -> u128 {
        self.0.iter().map(|(lo, hi)| (hi - lo) as u128 + 1).sum()
    }

    /// The part within the ranges and the part outside.
    pub fn split(&self, ranges: &[(i128, i128)]) -> (Option<Domain>, Option<Domain>) {
        let (mut inside, mut outside) = (Ranges::new(), Ranges::new());
        for &(lo, hi) in self.0.iter() {
            let mut from = lo;
            for &(a, b) in ranges {
                let (a, b) = (a.max(from), b.min(hi));
                if a > b {
                    continue;
                }
                if a > from {
                    outside.push((from, a - 1));
                }
                inside.push((a, b));
                from = b + 1;
            }
            if from <= hi {
                outside.push((from, hi));
            }
        }
        (Domain::of(inside), Domain::of(outside))
    }
}

/// The words `v` of this width with `v op c`, for the comparisons; `None` for other operators.
pub(super) fn satisfying(op: BinOp, c: i128, width: u32) -> Option<Ranges> {
    let (end, half) = (1i128 << width, 1i128 << (width - 1));
    // The largest word allowed below the bound, signed: the negative words come first.
    let signed = |last: i128, negative: bool| match negative {
        true => vec![(half, last)],
        false => vec![(0, last), (half, end - 1)],
    };
    let mut ranges = match op {
        BinOp::Eq => vec![(c, c)],
        BinOp::Ult => vec![(0, c - 1)],
        BinOp::Ule => vec![(0, c)],
        BinOp::Slt => signed(c - 1, c >= half),
        BinOp::Sle => signed(c, c >= half),
        _ => return None,
    };
    ranges.retain(|(lo, hi)| lo <= hi);
    Some(ranges)
}

/// The same for `c op v`: what is to be negated, as a comparison `v op' c`. `Eq` is symmetric.
pub(super) fn flipped(op: BinOp) -> Option<(BinOp, bool)> {
    Some(match op {
        BinOp::Eq => (BinOp::Eq, false),
        BinOp::Ult => (BinOp::Ule, true),
        BinOp::Ule => (BinOp::Ult, true),
        BinOp::Slt => (BinOp::Sle, true),
        BinOp::Sle => (BinOp::Slt, true),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use syncline_ir::{eval, Const};

    #[test]
    fn comparisons_hold_exactly_on_their_ranges() {
        for op in [BinOp::Eq, BinOp::Ult, BinOp::Ule, BinOp::Slt, BinOp::Sle] {
            for c in 0..16 {
                let ranges = satisfying(op, c, 4).unwrap();
                let (inverse, negated) = flipped(op).unwrap();
                let flipped_ranges = satisfying(inverse, c, 4).unwrap();
                for v in 0..16 {
                    let within = |r: &Ranges| r.iter().any(|&(lo, hi)| lo <= v && v <= hi);
                    let (x, y) = (Const::bv(4, v as u128), Const::bv(4, c as u128));
                    assert_eq!(eval::binary(op, &x, &y).as_bool(), Some(within(&ranges)), "{v} {op:?} {c}");
                    assert_eq!(eval::binary(op, &y, &x).as_bool(), Some(within(&flipped_ranges) != negated));
                }
            }
        }
    }

    #[test]
    fn a_split_loses_nothing() {
        let (all, _) = Domain::full(4).split(&[(2, 9), (12, 13)]);
        let all = all.unwrap();
        let (inside, outside) = all.split(&[(0, 2), (4, 5), (13, 15)]);
        assert_eq!(*inside.as_ref().unwrap().0, vec![(2, 2), (4, 5), (13, 13)]);
        assert_eq!(*outside.as_ref().unwrap().0, vec![(3, 3), (6, 9), (12, 12)]);
        assert_eq!(inside.unwrap().size() + outside.unwrap().size(), all.size());
    }
}
