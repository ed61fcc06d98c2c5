//! Square root and remainder of floats, which `rustc_apfloat` lacks or does not do exactly: on integer significands.

use super::encode;
use crate::types::FloatFormat;
use rustc_apfloat::Float;

/// `significand * 2^exponent`
#[derive(Copy, Clone)]
struct Magnitude {
    significand: u128,
    exponent: i32,
}

impl Magnitude {
    /// Of a finite float in canonical encoding.
    fn of(format: FloatFormat, bits: u128) -> Magnitude {
        let field = format.storage_bits() - 1 - format.exponent_bits();
        let stored = (bits >> field) & ((1 << format.exponent_bits()) - 1);
        let fraction = bits & ((1 << field) - 1);
        // Only x87 stores the leading one.
        let leading = match format {
            FloatFormat::F32 | FloatFormat::F64 => u128::from(stored > 0) << field,
            FloatFormat::X87 => 0,
        };
        let bias = (1i32 << (format.exponent_bits() - 1)) - 1;
        let below_point = format.significand_bits() as i32 - 1;
        Magnitude { significand: fraction | leading, exponent: (stored as i32).max(1) - bias - below_point }
    }

    /// The float with this magnitude, which the format must hold.
    fn float<F: Float>(self, negative: bool) -> u128 {
        let value = F::from_u128(self.significand).value.scalbn(self.exponent);
        encode(if negative { -value } else { value })
    }
}

/// The square root, rounded to nearest.
pub(super) fn sqrt<F: Float>(format: FloatFormat, bits: u128) -> u128 {
    let x = F::from_bits(bits);
    if x.is_nan() || x.is_zero() {
        return encode(x);
    }
    if x.is_negative() {
        return encode(F::NAN);
    }
    if x.is_infinite() {
        return encode(x);
    }
    let Magnitude { significand, exponent } = Magnitude::of(format, encode(x));
    let precision = format.significand_bits();
    let up = significand.leading_zeros() - (128 - precision);
    let (significand, exponent) = (significand << up, exponent - up as i32);
    // An even exponent, and a square between 2^(2p-2) and 2^2p: its root has p bits.
    let by = if (exponent - precision as i32) % 2 == 0 { precision } else { precision - 1 };
    let square = significand << by;
    let root = square.isqrt();
    // Above root + 1/2 where the rest exceeds the root; no integer is the square of a half.
    let rounded = root + u128::from(square - root * root > root);
    Magnitude { significand: rounded, exponent: (exponent - by as i32) / 2 }.float::<F>(false)
}

/// `x - y * n` for the integer n nearest to `x / y`, ties to even.
pub(super) fn remainder<F: Float>(format: FloatFormat, a: u128, b: u128) -> u128 {
    let (x, y) = (F::from_bits(a), F::from_bits(b));
    if x.is_nan() || y.is_nan() || x.is_infinite() || y.is_zero() {
        return encode(F::NAN);
    }
    if x.is_zero() || y.is_infinite() {
        return encode(x);
    }
    let (dividend, divisor) = (Magnitude::of(format, encode(x)), Magnitude::of(format, encode(y)));
    let (mut rest, mut modulus) = (dividend.significand, divisor.significand);
    if divisor.exponent > dividend.exponent {
        let by = divisor.exponent - dividend.exponent;
        // Significands have at most 64 bits, so the divisor is more than twice as large.
        if by > 64 {
            return encode(x);
        }
        modulus <<= by;
    }
    let mut odd = rest / modulus % 2 == 1;
    rest %= modulus;
    for _ in divisor.exponent..dividend.exponent {
        rest <<= 1;
        odd = rest >= modulus;
        if odd {
            rest -= modulus;
        }
    }
    let other = modulus - rest;
    let flips = rest > other || rest == other && odd;
    let significand = if flips { other } else { rest };
    let exponent = divisor.exponent.min(dividend.exponent);
    Magnitude { significand, exponent }.float::<F>(x.is_negative() != flips)
}
