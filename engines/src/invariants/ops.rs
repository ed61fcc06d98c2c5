//! The operators on [`Abs`]: exact on small sets, by bounds and strides otherwise.
//!
//! Arithmetic is done on mathematical values, once by the unsigned and once by the signed reading; [`Num::wrapped`]
//! says what either means after wrap-around. A stride survives wrap-around as far as it is a power of two.

use super::domain::{bounded, gcd, power_of_two, Abs, Num};
use syncline_ir::{eval, BinOp, Scalar, Type, UnOp};

/// Pairs of values up to which sets are computed value by value.
const MAX_PAIRS: usize = 128;
/// Products beyond this are not looked at.
const HUGE: i128 = 1 << 120;

fn scalar(ty: Option<Type>) -> Option<Scalar> {
    ty.and_then(Type::scalar)
}

/// A result of sound rules is never empty; an empty one would be taken for dead code.
fn reached(abs: Abs) -> Abs {
    match abs {
        Abs::Bottom => Abs::Top,
        Abs::Top | Abs::Set(_) | Abs::Num(_) => abs,
    }
}

pub(super) fn unary(op: UnOp, ty: Scalar, a: &Abs) -> Abs {
    let Some(result) = scalar(op.result(ty.into())) else { return Abs::Top };
    if let Some(values) = a.few(ty) {
        let each = |&v: &u128| eval::to_bits(&eval::unary(op, &eval::from_bits(ty, v)));
        return reached(Abs::set(result, values.iter().map(each).collect()));
    }
    let (Some(from), Some(to)) = (bounded(ty), bounded(result)) else { return Abs::Top };
    let num = a.bounds(from);
    reached(match op {
        UnOp::BvNot => {
            let top = num.size() - 1;
            let ranges = [(top - num.unsigned.1, top - num.unsigned.0), (-1 - num.signed.1, -1 - num.signed.0)];
            Num::wrapped(to, &ranges).with_stride(num.modulus, top - num.residue).normal()
        }
        UnOp::BvNeg => {
            let ranges = [(-num.unsigned.1, -num.unsigned.0), (-num.signed.1, -num.signed.0)];
            let m = gcd(num.modulus, num.size());
            Num::wrapped(to, &ranges).with_stride(m, -num.residue).normal()
        }
        UnOp::ZExt(_) => Num::wrapped(to, &[num.unsigned]).with_stride(num.modulus, num.residue).normal(),
        UnOp::SExt(_) => {
            let m = if num.signed.0 >= 0 { num.modulus } else { gcd(num.modulus, num.size()) };
            Num::wrapped(to, &[num.signed]).with_stride(m, num.residue).normal()
        }
        UnOp::Extract { lo: 0, .. } => {
            let kept = 1i128 << to;
            let m = if num.unsigned.1 < kept { num.modulus } else { gcd(num.modulus, kept) };
            Num::wrapped(to, &[num.unsigned, num.signed]).with_stride(m, num.residue).normal()
        }
        UnOp::Extract { lo, .. } => Num::wrapped(to, &[(num.unsigned.0 >> lo, num.unsigned.1 >> lo)]).normal(),
        UnOp::Not
        | UnOp::FNeg
        | UnOp::FIsNan
        | UnOp::FIsInf
        | UnOp::FSign
        | UnOp::FSqrt
        | UnOp::FRound(_)
        | UnOp::FToF(_)
        | UnOp::SToF(_)
        | UnOp::UToF(_)
        | UnOp::FToS(_)
        | UnOp::FToU(_)
        | UnOp::FromBits(_)
        | UnOp::ToBits => Abs::Top,
    })
}

/// Scalars only: `select` is the state's.
pub(super) fn binary(op: BinOp, (ta, tb): (Scalar, Scalar), a: &Abs, b: &Abs) -> Abs {
    let Some(result) = scalar(op.result(ta.into(), tb.into())) else { return Abs::Top };
    if let (Some(x), Some(y)) = (a.few(ta), b.few(tb)) {
        if x.len() * y.len() <= MAX_PAIRS {
            let each = |v: u128, w: u128| eval::binary(op, &eval::from_bits(ta, v), &eval::from_bits(tb, w));
            let all = x.iter().flat_map(|&v| y.iter().map(move |&w| eval::to_bits(&each(v, w))));
            return reached(Abs::set(result, all.collect()));
        }
    }
    let (Some(wa), Some(wb)) = (bounded(ta), bounded(tb)) else { return Abs::Top };
    let (x, y) = (a.bounds(wa), b.bounds(wb));
    reached(match op {
        BinOp::Eq | BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle => compare(op, a, b, &x, &y, ta),
        BinOp::Add => {
            let ranges = [sum(x.unsigned, y.unsigned), sum(x.signed, y.signed)];
            let ((m, r), (n, s)) = (a.stride(), b.stride());
            finish(wa, &ranges, (gcd(m, n), r + s), ranges[0].1 < x.size())
        }
        BinOp::Sub => {
            let ranges = [sum(x.unsigned, negated(y.unsigned)), sum(x.signed, negated(y.signed))];
            let ((m, r), (n, s)) = (a.stride(), b.stride());
            finish(wa, &ranges, (gcd(m, n), r - s), ranges[0].0 >= 0)
        }
        BinOp::Mul => multiply(a, b, &x, &y),
        BinOp::Shl => match b.single() {
            Some(by) if by < u128::from(wa) => {
                let factor = Abs::value(1 << by);
                multiply(a, &factor, &x, &factor.bounds(wa))
            }
            Some(_) | None => Abs::Top,
        },
        BinOp::UDiv if y.unsigned.0 > 0 => {
            Num::within_unsigned(wa, x.unsigned.0 / y.unsigned.1, x.unsigned.1 / y.unsigned.0)
        }
        BinOp::SDiv if y.signed.0 > 0 || y.signed.1 < 0 => {
            let corners = [x.signed.0, x.signed.1].map(|p| [p / y.signed.0, p / y.signed.1]);
            Num::wrapped(wa, &[hull(corners.as_flattened())]).normal()
        }
        BinOp::UDiv | BinOp::SDiv => Abs::Top,
        BinOp::URem => unsigned_remainder(a, b, &x, &y),
        BinOp::SRem if x.signed.0 >= 0 && y.signed.0 >= 0 => unsigned_remainder(a, b, &x, &y),
        BinOp::SRem => signed_remainder(&x, &y),
        BinOp::BvAnd | BinOp::BvOr | BinOp::BvXor => bitwise(op, a, b, &x, &y),
        BinOp::LShr => {
            let by = |n: i128, k: i128| if k >= i128::from(wa) { 0 } else { n >> k };
            Num::within_unsigned(wa, by(x.unsigned.0, y.unsigned.1), by(x.unsigned.1, y.unsigned.0))
        }
        BinOp::AShr => {
            let by = |n: i128, k: i128| n >> k.min(i128::from(wa) - 1);
            let (few, many) = y.unsigned;
            let ends = [by(x.signed.0, few), by(x.signed.0, many), by(x.signed.1, few), by(x.signed.1, many)];
            Num::wrapped(wa, &[hull(&ends)]).normal()
        }
        BinOp::Concat => match bounded(result) {
            Some(w) => {
                let join = |high: i128, low: i128| (high << wb) | low;
                Num::within_unsigned(w, join(x.unsigned.0, y.unsigned.0), join(x.unsigned.1, y.unsigned.1))
            }
            None => Abs::Top,
        },
        BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::FAdd
        | BinOp::FSub
        | BinOp::FMul
        | BinOp::FDiv
        | BinOp::FRem
        | BinOp::FEq
        | BinOp::FLt
        | BinOp::FLe
        | BinOp::Select => Abs::Top,
    })
}

fn sum(a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    (a.0 + b.0, a.1 + b.1)
}

fn negated(a: (i128, i128)) -> (i128, i128) {
    (-a.1, -a.0)
}

fn hull(values: &[i128]) -> (i128, i128) {
    values.iter().fold((HUGE, -HUGE), |(lo, hi), &v| (lo.min(v), hi.max(v)))
}

/// The result of arithmetic: mathematical ranges, the stride of the unsigned one, and whether that one is sure to fit.
fn finish(width: u32, ranges: &[(i128, i128)], (m, r): (i128, i128), fits: bool) -> Abs {
    let num = Num::wrapped(width, ranges);
    let m = if fits { m } else { gcd(m, num.size()) };
    num.with_stride(m, r).normal()
}

fn multiply(a: &Abs, b: &Abs, x: &Num, y: &Num) -> Abs {
    let product = |p: i128, q: i128| p.checked_mul(q).filter(|r| r.abs() < HUGE);
    let range = |p: (i128, i128), q: (i128, i128)| {
        let ends = [product(p.0, q.0)?, product(p.0, q.1)?, product(p.1, q.0)?, product(p.1, q.1)?];
        Some(hull(&ends))
    };
    let ranges: Vec<(i128, i128)> =
        [range(x.unsigned, y.unsigned), range(x.signed, y.signed)].into_iter().flatten().collect();
    let fits = range(x.unsigned, y.unsigned).is_some_and(|r| r.1 < x.size());
    let ((m, r), (n, s)) = (a.stride(), b.stride());
    // (m i + r)(n j + s): all but r s is a multiple of these.
    let stride = match (product(m, n), product(m, s), product(n, r), product(r, s)) {
        (Some(mn), Some(ms), Some(nr), Some(rs)) => (gcd(gcd(mn, ms), nr), rs),
        _ => (1, 0),
    };
    finish(x.width, &ranges, stride, fits)
}

fn unsigned_remainder(a: &Abs, b: &Abs, x: &Num, y: &Num) -> Abs {
    // By zero it is the dividend.
    let hi = match y.unsigned.0 {
        0 => x.unsigned.1,
        _ => x.unsigned.1.min(y.unsigned.1 - 1),
    };
    if x.unsigned.1 < y.unsigned.0 {
        return a.clone();
    }
    let num = Num::wrapped(x.width, &[(0, hi)]);
    match b.single() {
        Some(divisor) if divisor > 0 => {
            let (m, r) = a.stride();
            let m = gcd(m, divisor as i128);
            num.with_stride(m, r.rem_euclid(m)).normal()
        }
        Some(_) | None => num.normal(),
    }
}

fn signed_remainder(x: &Num, y: &Num) -> Abs {
    let zero = y.signed.0 <= 0 && y.signed.1 >= 0;
    let most = y.signed.0.abs().max(y.signed.1.abs()) - 1;
    let limit = if zero { HUGE } else { most };
    Num::within_signed(x.width, x.signed.0.min(0).max(-limit), x.signed.1.max(0).min(limit))
}

fn bitwise(op: BinOp, a: &Abs, b: &Abs, x: &Num, y: &Num) -> Abs {
    // All ones from the highest bit either may have.
    let ones = |n: i128| (1i128 << (128 - n.leading_zeros())) - 1;
    let above = ones(x.unsigned.1.max(y.unsigned.1));
    let (lo, hi) = match op {
        BinOp::BvAnd => (0, x.unsigned.1.min(y.unsigned.1)),
        BinOp::BvOr => (x.unsigned.0.max(y.unsigned.0), above),
        _ => (0, above),
    };
    let num = Num::wrapped(x.width, &[(lo, hi)]);
    let ((m, r), (n, s)) = (a.stride(), b.stride());
    let mask = if m == 0 { r } else { s };
    if op == BinOp::BvAnd && (m == 0 || n == 0) && power_of_two(mask) > 1 {
        return num.with_stride(power_of_two(mask), 0).normal();
    }
    // A single value is known in all its bits.
    let known = |m: i128| if m == 0 { 1i128 << x.width } else { power_of_two(m) };
    let low = known(m).min(known(n));
    let bits = match op {
        BinOp::BvAnd => r & s,
        BinOp::BvOr => r | s,
        _ => r ^ s,
    };
    num.with_stride(low, bits & (low - 1)).normal()
}

fn compare(op: BinOp, a: &Abs, b: &Abs, x: &Num, y: &Num, ty: Scalar) -> Abs {
    let order = |p: (i128, i128), q: (i128, i128), strict: i128| match () {
        () if p.1 + strict <= q.0 => Abs::bool(true),
        () if p.0 + strict > q.1 => Abs::bool(false),
        () => Abs::Top,
    };
    match op {
        BinOp::Ult => order(x.unsigned, y.unsigned, 1),
        BinOp::Ule => order(x.unsigned, y.unsigned, 0),
        BinOp::Slt => order(x.signed, y.signed, 1),
        BinOp::Sle => order(x.signed, y.signed, 0),
        _ if a.meet(b, ty) == Abs::Bottom => Abs::bool(false),
        _ => Abs::Top,
    }
}
