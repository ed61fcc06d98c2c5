//! Values as solvers write them.

use syncline_ir::{eval, Const, FloatFormat, Scalar};

/// The items of a list: `(a (b c))` is `a` and `(b c)`.
pub fn items(text: &str) -> Option<Vec<&str>> {
    let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let (mut items, mut depth, mut quoted, mut start) = (Vec::new(), 0usize, false, None);
    for (at, c) in inner.char_indices() {
        if c == '|' {
            quoted = !quoted;
        }
        let blank = c.is_whitespace() && !quoted;
        match c {
            _ if depth == 0 && blank => items.extend(start.take().map(|s| &inner[s..at])),
            _ if start.is_none() && !blank => start = Some(at),
            _ => {}
        }
        match c {
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    items.extend(start.map(|s| &inner[s..]));
    Some(items)
}

/// The second items of a list of pairs: what `get-value` answers, in the order of the question.
pub fn pairs(text: &str) -> Option<Vec<&str>> {
    items(text)?.into_iter().map(|pair| items(pair)?.get(1).copied()).collect()
}

/// A value of this type; `None` if the text is none.
pub fn constant(text: &str, ty: Scalar) -> Option<Const> {
    match ty {
        Scalar::Bool => match text {
            "true" => Some(Const::TRUE),
            "false" => Some(Const::Bool(false)),
            _ => None,
        },
        Scalar::Bv(width) => bits(text).map(|(bits, _)| Const::bv(width, bits)),
        Scalar::Float(format) => float(text, format),
    }
}

/// A bit-vector and its width.
fn bits(text: &str) -> Option<(u128, u32)> {
    if let Some(digits) = text.strip_prefix("#b") {
        return Some((u128::from_str_radix(digits, 2).ok()?, digits.len() as u32));
    }
    if let Some(digits) = text.strip_prefix("#x") {
        return Some((u128::from_str_radix(digits, 16).ok()?, 4 * digits.len() as u32));
    }
    match items(text)?.as_slice() {
        ["_", value, width] => Some((value.strip_prefix("bv")?.parse().ok()?, width.parse().ok()?)),
        _ => None,
    }
}

fn float(text: &str, format: FloatFormat) -> Option<Const> {
    let (e, s) = (format.exponent_bits(), format.significand_bits());
    let ones = (1u128 << e) - 1;
    let (sign, exponent, fraction) = match items(text)?.as_slice() {
        ["fp", sign, exponent, fraction] => (bits(sign)?.0, bits(exponent)?.0, bits(fraction)?.0),
        ["_", "+zero", ..] => (0, 0, 0),
        ["_", "-zero", ..] => (1, 0, 0),
        ["_", "+oo", ..] => (0, ones, 0),
        ["_", "-oo", ..] => (1, ones, 0),
        ["_", "NaN", ..] => (0, ones, 1u128 << (s - 2)),
        _ => return None,
    };
    // x87 stores its integer bit between exponent and fraction.
    let stored = format.storage_bits() - 1 - e;
    let integer = if stored == s && exponent != 0 { 1u128 << (s - 1) } else { 0 };
    let bits = sign << (format.storage_bits() - 1) | exponent << stored | integer | fraction;
    Some(eval::from_bits(Scalar::Float(format), bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        let answer = "((|x!1| #x0f) (y (_ bv3 8))\n (z #b101) (b true))";
        assert_eq!(pairs(answer), Some(vec!["#x0f", "(_ bv3 8)", "#b101", "true"]));
        assert_eq!(constant("(_ bv3 8)", Scalar::Bv(8)), Some(Const::bv(8, 3)));
        assert_eq!(constant("#x0f", Scalar::Bv(8)), Some(Const::bv(8, 15)));
        assert_eq!(constant("maybe", Scalar::Bool), None);
        let one = constant("(fp #b0 #x7f #b00000000000000000000000)", Scalar::Float(FloatFormat::F32));
        assert_eq!(one, Some(Const::Float { format: FloatFormat::F32, bits: u128::from(1.0f32.to_bits()) }));
        let minus = constant("(_ -zero 11 53)", Scalar::Float(FloatFormat::F64));
        assert_eq!(minus, Some(Const::Float { format: FloatFormat::F64, bits: 1 << 63 }));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "(", "())", "(_ bv3)", "#xzz", "(fp #b0)"] {
            assert_eq!(constant(text, Scalar::Bv(8)), None, "{text}");
            assert_eq!(constant(text, Scalar::Float(FloatFormat::F32)), None, "{text}");
        }
    }
}
