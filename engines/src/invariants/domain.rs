//! What is known of one scalar: a small set of values, or bounds of both readings of a bit-vector with a stride.
//!
//! A set has at most [`MAX_SET`] values and serves every scalar type, floats too (by their canonical bits). Bounds are
//! for bit-vectors of up to 64 bits: those of the unsigned and of the signed reading, and `x = residue (mod modulus)` of
//! the unsigned one. Each tightens the others (`Num::normal`); up to 16 values become a set.

use syncline_ir::consts::{mask, sign_extend};
use syncline_ir::Scalar;

/// Most values of a set: the states of large machines fit.
pub(super) const MAX_SET: usize = 48;
/// Most values that bounds turn into a set.
const MAX_LISTED: usize = 16;
/// Widest bit-vector with bounds: sums of two fit the host's integers.
pub(super) const MAX_BOUNDED: u32 = 64;

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Abs {
    /// No value: the place is not reached.
    Bottom,
    Top,
    /// Rising, by bits.
    Set(Vec<u128>),
    Num(Num),
}

/// Bounds of a bit-vector, all inclusive.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Num {
    pub width: u32,
    pub unsigned: (i128, i128),
    pub signed: (i128, i128),
    /// At least 1.
    pub modulus: i128,
    pub residue: i128,
}

pub(super) fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a.rem_euclid(b));
    }
    a.abs()
}

/// The largest power of two that divides it; 0 has none.
pub(super) fn power_of_two(n: i128) -> i128 {
    n & n.wrapping_neg()
}

/// The width if values of this type have bounds.
pub(super) fn bounded(ty: Scalar) -> Option<u32> {
    match ty {
        Scalar::Bv(w) => Some(w).filter(|&w| w <= MAX_BOUNDED),
        Scalar::Bool | Scalar::Float(_) => None,
    }
}

fn intersect(a: &mut (i128, i128), b: (i128, i128)) {
    *a = (a.0.max(b.0), a.1.min(b.1));
}

impl Num {
    pub fn full(width: u32) -> Num {
        let size = 1i128 << width;
        Num { width, unsigned: (0, size - 1), signed: (-size / 2, size / 2 - 1), modulus: 1, residue: 0 }
    }

    pub fn size(&self) -> i128 {
        1 << self.width
    }

    pub fn within_unsigned(width: u32, lo: i128, hi: i128) -> Abs {
        let mut num = Num::full(width);
        intersect(&mut num.unsigned, (lo, hi));
        num.normal()
    }

    pub fn within_signed(width: u32, lo: i128, hi: i128) -> Abs {
        let mut num = Num::full(width);
        intersect(&mut num.signed, (lo, hi));
        num.normal()
    }

    /// What mathematical values between these bounds are when cut to the width. Both ranges must hold.
    pub fn wrapped(width: u32, ranges: &[(i128, i128)]) -> Num {
        let mut num = Num::full(width);
        let size = num.size();
        for &(lo, hi) in ranges {
            for (view, least) in [(&mut num.unsigned, 0), (&mut num.signed, -size / 2)] {
                let start = (lo - least).rem_euclid(size) + least;
                let Some(end) = hi.checked_sub(lo).and_then(|d| d.checked_add(start)) else { continue };
                if end < least + size {
                    intersect(view, (start, end));
                }
            }
        }
        num
    }

    /// With `x = residue (mod modulus)` added; a modulus of 0 says that x is the residue.
    pub fn with_stride(mut self, modulus: i128, residue: i128) -> Num {
        if modulus == 0 && (0..self.size()).contains(&residue) {
            intersect(&mut self.unsigned, (residue, residue));
        } else if modulus > 1 {
            (self.modulus, self.residue) = (modulus, residue.rem_euclid(modulus));
        }
        self
    }

    pub fn contains(&self, bits: u128) -> bool {
        let (u, s) = (bits as i128, sign_extend(self.width, bits));
        (self.unsigned.0..=self.unsigned.1).contains(&u)
            && (self.signed.0..=self.signed.1).contains(&s)
            && (u - self.residue).rem_euclid(self.modulus) == 0
    }

    fn tighten(&mut self) {
        let (size, half) = (self.size(), self.size() / 2);
        if self.unsigned.1 < half {
            intersect(&mut self.signed, self.unsigned);
        }
        if self.unsigned.0 >= half {
            intersect(&mut self.signed, (self.unsigned.0 - size, self.unsigned.1 - size));
        }
        if self.signed.0 >= 0 {
            intersect(&mut self.unsigned, self.signed);
        }
        if self.signed.1 < 0 {
            intersect(&mut self.unsigned, (self.signed.0 + size, self.signed.1 + size));
        }
        let (m, r) = (self.modulus, self.residue);
        let round = |(lo, hi): (i128, i128)| (lo + (r - lo).rem_euclid(m), hi - (hi - r).rem_euclid(m));
        if m > 1 {
            self.unsigned = round(self.unsigned);
            if size % m == 0 {
                self.signed = round(self.signed);
            }
        }
    }

    /// The least description of the same values.
    pub fn normal(mut self) -> Abs {
        for _ in 0..3 {
            let before = self;
            self.tighten();
            if self.unsigned.0 > self.unsigned.1 || self.signed.0 > self.signed.1 {
                return Abs::Bottom;
            }
            if self == before {
                break;
            }
        }
        let count = |(lo, hi): (i128, i128), step: i128| (hi - lo) / step + 1;
        let signed_step = gcd(self.modulus, self.size());
        let (view, step) = match count(self.unsigned, self.modulus) <= count(self.signed, signed_step) {
            true => (self.unsigned, self.modulus),
            false => (self.signed, signed_step),
        };
        if count(view, step) <= MAX_LISTED as i128 {
            let start = view.0 + (self.residue - view.0).rem_euclid(step);
            let all = (0..MAX_LISTED as i128).map(|n| start + n * step).take_while(|&v| v <= view.1);
            let fitting = all.map(|v| mask(self.width, v as u128)).filter(|&bits| self.contains(bits));
            return Abs::set(Scalar::Bv(self.width), fitting.collect());
        }
        let full = Num::full(self.width);
        match self.unsigned == full.unsigned && self.signed == full.signed && self.modulus == 1 {
            true => Abs::Top,
            false => Abs::Num(self),
        }
    }

    fn meet(&self, other: &Num) -> Abs {
        let (coarse, mut fine) = match self.modulus >= other.modulus {
            true => (other, *self),
            false => (self, *other),
        };
        if (coarse.residue - fine.residue).rem_euclid(gcd(coarse.modulus, fine.modulus)) != 0 {
            return Abs::Bottom;
        }
        intersect(&mut fine.unsigned, coarse.unsigned);
        intersect(&mut fine.signed, coarse.signed);
        fine.normal()
    }
}

impl Abs {
    pub fn bool(value: bool) -> Abs {
        Abs::Set(vec![u128::from(value)])
    }

    pub fn value(bits: u128) -> Abs {
        Abs::Set(vec![bits])
    }

    /// These values, as bounds if they are too many.
    pub fn set(ty: Scalar, mut values: Vec<u128>) -> Abs {
        values.sort_unstable();
        values.dedup();
        let all = match ty {
            Scalar::Bool => values.len() == 2,
            Scalar::Bv(w) => w <= 4 && values.len() == 1 << w,
            Scalar::Float(_) => false,
        };
        match (values.len(), bounded(ty)) {
            (0, _) => Abs::Bottom,
            _ if all => Abs::Top,
            (1..=MAX_SET, _) => Abs::Set(values),
            (_, Some(width)) => Abs::bounds_of(&values, width).normal(),
            (_, None) => Abs::Top,
        }
    }

    fn bounds_of(values: &[u128], width: u32) -> Num {
        let mut num = Num::full(width);
        let (Some(&first), Some(&last)) = (values.first(), values.last()) else { return num };
        num.unsigned = (first as i128, last as i128);
        let signed = || values.iter().map(|&v| sign_extend(width, v));
        num.signed = (signed().min().unwrap_or(num.signed.0), signed().max().unwrap_or(num.signed.1));
        num.modulus = values.iter().fold(0, |m, &v| gcd(m, (v - first) as i128)).max(1);
        num.residue = (first as i128).rem_euclid(num.modulus);
        num
    }

    /// Bounds that hold; the type must have them.
    pub fn bounds(&self, width: u32) -> Num {
        match self {
            Abs::Bottom | Abs::Top => Num::full(width),
            Abs::Set(values) => Abs::bounds_of(values, width),
            Abs::Num(num) => *num,
        }
    }

    /// Modulus and residue, the modulus 0 for a single value.
    pub fn stride(&self) -> (i128, i128) {
        match self {
            Abs::Bottom | Abs::Top => (1, 0),
            Abs::Set(values) if values.len() == 1 => (0, values[0] as i128),
            Abs::Set(values) => {
                let num = Abs::bounds_of(values, MAX_BOUNDED);
                (num.modulus, num.residue)
            }
            Abs::Num(num) => (num.modulus, num.residue),
        }
    }

    pub fn single(&self) -> Option<u128> {
        match self {
            Abs::Set(values) if values.len() == 1 => values.first().copied(),
            Abs::Set(_) | Abs::Bottom | Abs::Top | Abs::Num(_) => None,
        }
    }

    /// The values if they are few: those of a Boolean always are.
    pub fn few(&self, ty: Scalar) -> Option<Vec<u128>> {
        match self {
            Abs::Set(values) => Some(values.clone()),
            Abs::Top => match ty {
                Scalar::Bool => Some(vec![0, 1]),
                Scalar::Bv(w) if w <= 4 => Some((0..1 << w).collect()),
                Scalar::Bv(_) | Scalar::Float(_) => None,
            },
            Abs::Bottom | Abs::Num(_) => None,
        }
    }

    pub fn may_be(&self, bits: u128) -> bool {
        match self {
            Abs::Bottom => false,
            Abs::Top => true,
            Abs::Set(values) => values.binary_search(&bits).is_ok(),
            Abs::Num(num) => num.contains(bits),
        }
    }

    pub fn join(&self, other: &Abs, ty: Scalar) -> Abs {
        match (self, other) {
            (Abs::Bottom, x) | (x, Abs::Bottom) => x.clone(),
            (Abs::Top, _) | (_, Abs::Top) => Abs::Top,
            (Abs::Set(a), Abs::Set(b)) => match b.iter().all(|v| a.contains(v)) {
                true => self.clone(),
                false => Abs::set(ty, a.iter().chain(b).copied().collect()),
            },
            (Abs::Num(n), Abs::Num(_) | Abs::Set(_)) | (Abs::Set(_), Abs::Num(n)) => self.hull(other, n.width),
        }
    }

    /// The join by bounds; not of two single values.
    fn hull(&self, other: &Abs, width: u32) -> Abs {
        let hull = |a: (i128, i128), b: (i128, i128)| (a.0.min(b.0), a.1.max(b.1));
        let (x, y) = (self.bounds(width), other.bounds(width));
        let ((m, r), (n, s)) = (self.stride(), other.stride());
        let unsigned = hull(x.unsigned, y.unsigned);
        let num = Num { width, unsigned, signed: hull(x.signed, y.signed), modulus: 1, residue: 0 };
        num.with_stride(gcd(gcd(m, n), r - s).max(1), r).normal()
    }

    pub fn meet(&self, other: &Abs, ty: Scalar) -> Abs {
        match (self, other) {
            (Abs::Bottom, _) | (_, Abs::Bottom) => Abs::Bottom,
            (Abs::Top, x) | (x, Abs::Top) => x.clone(),
            (Abs::Set(a), x) | (x, Abs::Set(a)) => Abs::set(ty, a.iter().copied().filter(|&v| x.may_be(v)).collect()),
            (Abs::Num(n), Abs::Num(m)) => n.meet(m),
        }
    }

    /// Without one value, where that can be said.
    pub fn without(&self, bits: u128, ty: Scalar) -> Abs {
        if let Some(values) = self.few(ty) {
            return Abs::set(ty, values.into_iter().filter(|&v| v != bits).collect());
        }
        let (Some(width), Abs::Num(_) | Abs::Top) = (bounded(ty), self) else { return self.clone() };
        let mut num = self.bounds(width);
        for (view, value) in [(&mut num.unsigned, bits as i128), (&mut num.signed, sign_extend(width, bits))] {
            if view.0 == value {
                view.0 += 1;
            }
            if view.1 == value {
                view.1 -= 1;
            }
        }
        num.normal()
    }
}

/// Where widening stops for a while: the constants of the program and their neighbours, rising.
#[derive(Clone, Debug, Default)]
pub(super) struct Thresholds {
    pub unsigned: Vec<i128>,
    pub signed: Vec<i128>,
}

impl Thresholds {
    pub fn of(width: u32, constants: &[(u32, u128)]) -> Thresholds {
        let full = Num::full(width);
        let near = |n: i128| [n - 1, n, n + 1];
        let rising = |mut list: Vec<i128>, (lo, hi): (i128, i128)| {
            list.retain(|v| (lo..=hi).contains(v));
            list.extend([lo, hi]);
            list.sort_unstable();
            list.dedup();
            list
        };
        let read = |&(w, bits): &(u32, u128)| (bits as i128, sign_extend(w, bits));
        let unsigned = constants.iter().map(read).flat_map(|(u, s)| [near(u), near(s)]).flatten().collect();
        let signed = constants.iter().map(read).flat_map(|(_, s)| near(s)).chain(near(0)).collect();
        Thresholds { unsigned: rising(unsigned, full.unsigned), signed: rising(signed, full.signed) }
    }
}

/// Where a bound that moved goes: to the next threshold, or all the way.
fn widen_view(old: (i128, i128), new: (i128, i128), full: (i128, i128), thresholds: Option<&[i128]>) -> (i128, i128) {
    let below = |v: i128| thresholds.and_then(|t| t[..t.partition_point(|&x| x <= v)].last().copied());
    let above = |v: i128| thresholds.and_then(|t| t[t.partition_point(|&x| x < v)..].first().copied());
    let lo = if new.0 < old.0 { below(new.0).unwrap_or(full.0) } else { new.0 };
    let hi = if new.1 > old.1 { above(new.1).unwrap_or(full.1) } else { new.1 };
    (lo, hi)
}

/// What a value becomes that keeps growing; `joined` is above `old`. Every value changes finitely often this way.
pub(super) fn widen(ty: Scalar, old: &Abs, joined: &Abs, thresholds: Option<&Thresholds>, soft: bool) -> Abs {
    let Some(width) = bounded(ty) else {
        // Sets end at their largest size.
        return joined.clone();
    };
    if let (Abs::Set(before), Abs::Set(after), Some(t)) = (old, joined, thresholds) {
        let known = |v: u128| t.unsigned.binary_search(&(v as i128)).is_ok();
        if after.iter().all(|&v| before.contains(&v) || known(v)) {
            return joined.clone();
        }
    }
    let (from, to, full) = (old.bounds(width), joined.bounds(width), Num::full(width));
    let thresholds = thresholds.filter(|_| soft);
    let list = |pick: fn(&Thresholds) -> &Vec<i128>| thresholds.map(|t| pick(t).as_slice());
    let mut result = to;
    result.unsigned = widen_view(from.unsigned, to.unsigned, full.unsigned, list(|t| &t.unsigned));
    result.signed = widen_view(from.signed, to.signed, full.signed, list(|t| &t.signed));
    result.normal()
}
