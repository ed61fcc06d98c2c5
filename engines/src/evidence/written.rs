//! Arrays of which many cells are written at once. SMT-LIB's arrays have no such thing, so these have no text: a read of one is
//! written out, down to the arrays that have one.
//!
//! `n` writes from an array `a` make the array whose cell k is `value(j)` if j is the smallest number with
//! `from + stride * j = k` and j is below n, and else that of `a`. Stores to such arrays, and choices between them, are
//! followed the same way. Where one is used otherwise, it is a constant of which nothing is known, which is never less than
//! what it can be.

use super::emit::{Name, Script};
use std::rc::Rc;
use syncline_ir::{BinOp, Const, Type, UnOp};

/// What one of the writes writes, by its number.
pub(super) type Content = Rc<dyn Fn(&mut Script, Name) -> Option<Name>>;

/// How an array without text came about.
#[derive(Clone)]
pub(super) enum Made {
    Ite(Name, Name, Name),
    Store(Name, Name, Name),
    Range(Name, Range),
}

/// What is written at once: `count` values at `from`, `from + stride`, ...
#[derive(Clone)]
pub(super) struct Range {
    pub from: Name,
    pub stride: u128,
    pub count: Name,
    pub content: Content,
}

impl Script {
    /// The array with these cells written; `None` if types do not fit.
    pub(super) fn write_range(&mut self, array: Name, range: Range) -> Option<Name> {
        let Type::Array { index, elem } = self.ty(array) else { return None };
        let wide = self.ty(range.count).width()?;
        let low = u128::MAX >> (128 - index);
        if self.ty(range.from) != Type::bv(index) || range.stride & low == 0 {
            return None;
        }
        if self.known(range.count) == Some(&Const::bv(wide, 1)) {
            let zero = self.constant(&Const::bv(wide, 0));
            let value = (range.content)(self, zero)?;
            return (self.ty(value) == elem.into()).then(|| self.store(array, range.from, value));
        }
        let ty = self.ty(array);
        Some(self.made(ty, Made::Range(array, range)))
    }

    /// A cell of an array that may have no text.
    pub(super) fn read_made(&mut self, array: Name, index: Name) -> Option<Name> {
        let mut stack = vec![array];
        while let Some(&at) = stack.last() {
            if self.cells_read.contains_key(&(at, index)) {
                stack.pop();
                continue;
            }
            let value = match self.made.get(&at).cloned() {
                None => Some(self.binary(BinOp::Select, at, index)?),
                Some(Made::Ite(cond, a, b)) => {
                    let (x, y) = (self.read_before(a, index, &mut stack), self.read_before(b, index, &mut stack));
                    x.zip(y).map(|(x, y)| self.ite(cond, x, y))
                }
                Some(Made::Store(_, at, value)) if at == index => Some(value),
                Some(Made::Store(before, at, value)) => match self.read_before(before, index, &mut stack) {
                    Some(old) => {
                        let here = self.binary(BinOp::Eq, at, index)?;
                        Some(self.ite(here, value, old))
                    }
                    None => None,
                },
                Some(Made::Range(before, range)) => match self.read_before(before, index, &mut stack) {
                    Some(old) => {
                        let (here, number) = self.number_in(&range, index)?;
                        let value = (range.content)(self, number)?;
                        if self.ty(value) != self.ty(old) {
                            return None;
                        }
                        Some(self.ite(here, value, old))
                    }
                    None => None,
                },
            };
            if let Some(value) = value {
                self.cells_read.insert((at, index), value);
                stack.pop();
            }
        }
        self.cells_read.get(&(array, index)).copied()
    }

    /// What has been read of an array, or the array on the stack.
    fn read_before(&self, array: Name, index: Name, stack: &mut Vec<Name>) -> Option<Name> {
        let known = self.cells_read.get(&(array, index)).copied();
        if known.is_none() {
            stack.push(array);
        }
        known
    }

    /// Whether one of the writes is to this cell, and the number of the first that is.
    ///
    /// The stride is `2^t * o` with an odd `o`: the distance from the start must be a multiple of `2^t`, and o has an inverse.
    fn number_in(&mut self, range: &Range, cell: Name) -> Option<(Name, Name)> {
        let (width, wide) = (self.ty(cell).width()?, self.ty(range.count).width()?);
        let stride = range.stride & (u128::MAX >> (128 - width));
        let twos = stride.trailing_zeros();
        let distance = self.binary(BinOp::Sub, cell, range.from)?;
        let mut here = self.constant(&Const::TRUE);
        let mut times = distance;
        if twos > 0 {
            let low = self.unary(UnOp::Extract { hi: twos - 1, lo: 0 }, distance)?;
            let zero = self.constant(&Const::bv(twos, 0));
            here = self.binary(BinOp::Eq, low, zero)?;
            times = self.unary(UnOp::Extract { hi: width - 1, lo: twos }, distance)?;
        }
        let rest = width - twos;
        let odd = stride >> twos;
        if odd != 1 {
            let inverse = self.constant(&Const::bv(rest, inverse(odd)));
            times = self.binary(BinOp::Mul, times, inverse)?;
        }
        let both = rest.max(wide);
        let (a, b) = (self.resized(times, both)?, self.resized(range.count, both)?);
        let below = self.binary(BinOp::Ult, a, b)?;
        let here = self.and(here, below);
        Some((here, self.resized(times, wide)?))
    }

    fn resized(&mut self, name: Name, width: u32) -> Option<Name> {
        match self.ty(name).width()? {
            w if w == width => Some(name),
            w if w < width => self.unary(UnOp::ZExt(width), name),
            _ => self.unary(UnOp::Extract { hi: width - 1, lo: 0 }, name),
        }
    }

    /// Two arrays without text are the same if they came about the same way; no more is said.
    pub(super) fn same_made(&mut self, a: Name, b: Name) -> Option<Name> {
        let (mut a, mut b) = (a, b);
        let mut same = self.constant(&Const::TRUE);
        while a != b {
            let (Some(Made::Store(x, i, v)), Some(Made::Store(y, j, w))) = (self.made.get(&a), self.made.get(&b))
            else {
                return None;
            };
            let ((x, i, v), (y, j, w)) = ((*x, *i, *v), (*y, *j, *w));
            let (index, value) = (self.same(i, j), self.same(v, w));
            same = self.and(same, index);
            same = self.and(same, value);
            (a, b) = (x, y);
        }
        Some(same)
    }
}

/// The number that an odd one must be multiplied by to give 1, modulo 2^128: each round doubles the low bits that are right.
fn inverse(odd: u128) -> u128 {
    let mut guess: u128 = 1;
    for _ in 0..7 {
        guess = guess.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(guess)));
    }
    guess
}

#[cfg(test)]
mod tests {
    use super::inverse;

    #[test]
    fn inverses() {
        for odd in (1..1000u128).step_by(2).chain([u128::MAX, u128::MAX - 2, 1 << 127 | 1]) {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1, "{odd}");
        }
    }
}
