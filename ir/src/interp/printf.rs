//! The formats of `print`: those of `printf`, as glibc reads them.
//!
//! Integers are read by the length modifier: `hh`, `h`, none and `ll`/`j` are 8, 16, 32 and 64 bits, `l`, `z` and `t`
//! are as wide as the argument (32 or 64 bits, by the memory model of the front end). A conversion that has no fitting
//! argument, or is none (`%s` and `%n` among them: front ends put strings into the format), stays as it stands.
//! Limits: `long double` is printed through `double`, but for `%a`, which has no precision; positional arguments (`%1$d`) are not there; a `%c`
//! above 127 is the Latin-1 character; there is one NaN, printed without a sign.

use crate::consts::{mask, sign_extend, Const};
use crate::eval;
use crate::ops::UnOp;
use crate::types::FloatFormat;

/// Widths and precisions beyond this are cut, as a guard against output of gigabytes.
const MAX_FIELD: usize = 1 << 16;

#[derive(Copy, Clone, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    length: Length,
}

#[derive(Copy, Clone, Default, PartialEq)]
enum Length {
    #[default]
    Int,
    Char,
    Short,
    /// `l`, `z`, `t`
    Long,
    /// `ll`, `j`
    LongLong,
    /// `L`
    LongDouble,
}

/// The text of a format with its arguments put in.
pub fn format(format: &str, args: &[Const]) -> String {
    let mut out = String::with_capacity(format.len());
    let mut args = args.iter();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (spec, conversion, len) = parse(rest, &mut args);
        match conversion.and_then(|c| convert(&spec, c, &mut args)) {
            Some(text) => out.push_str(&text),
            None => out.push_str(&rest[..len]),
        }
        rest = &rest[len..];
    }
    out.push_str(rest);
    out
}

/// Reads a conversion at the start of `text`, up to its letter: what it says, the letter if there is one, its length.
fn parse<'c>(text: &str, args: &mut impl Iterator<Item = &'c Const>) -> (Spec, Option<char>, usize) {
    let mut spec = Spec::default();
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(flag) = bytes.get(at) {
        match flag {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alternate = true,
            b'0' => spec.zero = true,
            _ => break,
        }
        at += 1;
    }
    let (width, after) = number(bytes, at, args);
    at = after;
    spec.left |= width < 0;
    spec.width = (width.unsigned_abs() as usize).min(MAX_FIELD);
    if bytes.get(at) == Some(&b'.') {
        let (precision, after) = number(bytes, at + 1, args);
        at = after;
        spec.precision = usize::try_from(precision).ok().map(|p| p.min(MAX_FIELD));
    }
    let lengths = [("hh", Length::Char), ("h", Length::Short), ("ll", Length::LongLong), ("l", Length::Long)];
    let more = [("j", Length::LongLong), ("z", Length::Long), ("t", Length::Long), ("L", Length::LongDouble)];
    if let Some((name, length)) = lengths.iter().chain(&more).find(|(name, _)| bytes[at..].starts_with(name.as_bytes()))
    {
        spec.length = *length;
        at += name.len();
    }
    let conversion = text[at..].chars().next();
    (spec, conversion, at + conversion.map_or(0, char::len_utf8))
}

/// A number of the format, or `*`, the next argument; 0 if there is none. And where it ends.
fn number<'c>(bytes: &[u8], mut at: usize, args: &mut impl Iterator<Item = &'c Const>) -> (i64, usize) {
    if bytes.get(at) == Some(&b'*') {
        let value = args.next().and_then(|c| integer(c, 32, true)).unwrap_or(0);
        return (value as i64, at + 1);
    }
    let mut value = 0i64;
    while let Some(digit) = bytes.get(at).filter(|b| b.is_ascii_digit()) {
        value = (value * 10 + i64::from(digit - b'0')).min(i64::from(i32::MAX));
        at += 1;
    }
    (value, at)
}

fn convert<'c>(spec: &Spec, conversion: char, args: &mut impl Iterator<Item = &'c Const>) -> Option<String> {
    match conversion {
        '%' => Some("%".to_string()),
        'd' | 'i' => {
            let value = spec.integer(args.next()?, true)?;
            let digits = spec.digits(value.unsigned_abs().to_string());
            Some(spec.pad(spec.sign(value < 0), "", &digits, spec.precision.is_none()))
        }
        'u' | 'x' | 'X' | 'o' => {
            let value = spec.integer(args.next()?, false)? as u128;
            let digits = match conversion {
                'u' => spec.digits(value.to_string()),
                'x' => spec.digits(format!("{value:x}")),
                'X' => spec.digits(format!("{value:X}")),
                _ => spec.octal(value),
            };
            let prefix = match conversion {
                'x' if spec.alternate && value != 0 => "0x",
                'X' if spec.alternate && value != 0 => "0X",
                _ => "",
            };
            Some(spec.pad("", prefix, &digits, spec.precision.is_none()))
        }
        'c' => {
            let value = integer(args.next()?, 8, false)?;
            Some(spec.pad("", "", &char::from(value as u8).to_string(), false))
        }
        'p' => {
            let value = as_bits(args.next()?)?;
            match value {
                0 => Some(spec.pad("", "", "(nil)", false)),
                _ => Some(spec.pad(spec.sign(false), "0x", &format!("{value:x}"), true)),
            }
        }
        'f' | 'F' | 'e' | 'E' | 'g' | 'G' => {
            let value = double(args.next()?)?;
            let text = spec.float(conversion.to_ascii_lowercase(), value);
            let text = if conversion.is_ascii_uppercase() { text.to_ascii_uppercase() } else { text };
            Some(spec.pad(spec.sign(value.is_sign_negative() && !value.is_nan()), "", &text, value.is_finite()))
        }
        'a' | 'A' => {
            let (negative, text) = spec.hex_float(args.next()?)?;
            let (prefix, text) = match text.strip_prefix("0x") {
                Some(digits) => ("0x", digits.to_string()),
                None => ("", text),
            };
            let (prefix, text) = match conversion {
                'A' => (if prefix.is_empty() { "" } else { "0X" }, text.to_ascii_uppercase()),
                _ => (prefix, text),
            };
            Some(spec.pad(spec.sign(negative), prefix, &text, !prefix.is_empty()))
        }
        _ => None,
    }
}

impl Spec {
    /// `%a` as glibc has it: one digit before the point, `1` for `double`, the top four bits for `long double`.
    /// Precisions are not there.
    fn hex_float(&self, arg: &Const) -> Option<(bool, String)> {
        let (format, bits) = match arg {
            Const::Float { format: FloatFormat::X87, bits } => (FloatFormat::X87, *bits),
            Const::Float { .. } => (FloatFormat::F64, u128::from(double(arg)?.to_bits())),
            _ => return None,
        };
        if self.precision.is_some() {
            return None;
        }
        let (exponent_bits, fraction_bits) = match format {
            FloatFormat::X87 => (15, 64),
            _ => (11, 52),
        };
        let negative = bits >> (exponent_bits + fraction_bits) & 1 == 1;
        let biased = (bits >> fraction_bits & ((1 << exponent_bits) - 1)) as i32;
        let fraction = bits & ((1 << fraction_bits) - 1);
        let (bias, special) = ((1 << (exponent_bits - 1)) - 1, (1 << exponent_bits) - 1);
        let payload = if format == FloatFormat::X87 { fraction << 65 } else { fraction };
        if biased == special {
            return Some(if payload == 0 { (negative, "inf".into()) } else { (false, "nan".into()) });
        }
        if fraction == 0 && biased == 0 {
            return Some((negative, "0x0p+0".into()));
        }
        let (lead, rest, digits, exponent) = match format {
            FloatFormat::X87 => (fraction >> 60, fraction & ((1 << 60) - 1), 15, biased.max(1) - bias - 3),
            _ => (u128::from(biased != 0), fraction, 13, biased.max(1) - bias),
        };
        let rest = format!("{rest:0digits$x}");
        let rest = rest.trim_end_matches('0');
        let point = if rest.is_empty() { "" } else { "." };
        Some((negative, format!("0x{lead:x}{point}{rest}p{exponent:+}")))
    }

    /// The argument as the length modifier has it read.
    fn integer(&self, arg: &Const, signed: bool) -> Option<i128> {
        let own = arg.ty().width().unwrap_or(32);
        let width = match self.length {
            Length::Char => 8,
            Length::Short => 16,
            Length::Int => 32,
            Length::Long => own,
            Length::LongLong | Length::LongDouble => 64,
        };
        integer(arg, width, signed)
    }

    /// At least as many digits as the precision says; none for zero with precision 0.
    fn digits(&self, digits: String) -> String {
        match self.precision {
            Some(0) if digits == "0" => String::new(),
            Some(precision) => format!("{digits:0>precision$}"),
            None => digits,
        }
    }

    /// `#` makes the first digit a zero.
    fn octal(&self, value: u128) -> String {
        let digits = self.digits(format!("{value:o}"));
        if self.alternate && !digits.starts_with('0') {
            format!("0{digits}")
        } else {
            digits
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, _, _) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    /// Fills up to the width; zeros go between prefix and digits, where they may.
    fn pad(&self, sign: &str, prefix: &str, body: &str, zeros_allowed: bool) -> String {
        let len = sign.len() + prefix.len() + body.chars().count();
        let fill = self.width.saturating_sub(len);
        if self.left {
            format!("{sign}{prefix}{body}{}", " ".repeat(fill))
        } else if self.zero && zeros_allowed {
            format!("{sign}{prefix}{}{body}", "0".repeat(fill))
        } else {
            format!("{}{sign}{prefix}{body}", " ".repeat(fill))
        }
    }

    /// The magnitude by `%f`, `%e` or `%g`.
    fn float(&self, conversion: char, value: f64) -> String {
        if value.is_nan() {
            return "nan".to_string();
        }
        let value = value.abs();
        if value.is_infinite() {
            return "inf".to_string();
        }
        let precision = self.precision.unwrap_or(6);
        match conversion {
            'f' => fixed(value, precision, self.alternate),
            'e' => scientific(value, precision, self.alternate, false),
            _ => self.general(value, precision.max(1)),
        }
    }

    /// `%g`: the shorter notation for so many significant digits, without trailing zeros unless asked for.
    fn general(&self, value: f64, significant: usize) -> String {
        let rounded = format!("{value:.*e}", significant - 1);
        let exponent: i32 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
        if exponent < -4 || exponent >= significant as i32 {
            return scientific(value, significant - 1, self.alternate, !self.alternate);
        }
        let text = fixed(value, (significant as i32 - 1 - exponent) as usize, self.alternate);
        if self.alternate {
            text
        } else {
            strip_zeros(&text).to_string()
        }
    }
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$}");
    if point && precision == 0 {
        text + "."
    } else {
        text
    }
}

/// C's exponent has a sign and two digits at least.
fn scientific(value: f64, precision: usize, point: bool, strip: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = if strip { strip_zeros(mantissa) } else { mantissa };
    let point = if point && precision == 0 { "." } else { "" };
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{mantissa}{point}e{sign}{exponent:0>2}")
}

fn strip_zeros(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

fn as_bits(arg: &Const) -> Option<u128> {
    match arg {
        Const::Bool(_) | Const::Bv { .. } => Some(eval::to_bits(arg)),
        Const::Float { .. } | Const::Array(_) => None,
    }
}

/// An integer argument read as one of `width` bits.
fn integer(arg: &Const, width: u32, signed: bool) -> Option<i128> {
    let bits = as_bits(arg)?;
    Some(match (arg.ty().width(), signed) {
        (Some(own), true) => sign_extend(width, mask(width, sign_extend(own, bits) as u128)),
        (Some(_), false) => mask(width, bits) as i128,
        (None, _) => bits as i128,
    })
}

fn double(arg: &Const) -> Option<f64> {
    match arg {
        Const::Float { .. } => {
            let bits = eval::to_bits(&eval::unary(UnOp::FToF(FloatFormat::F64), arg));
            Some(f64::from_bits(bits as u64))
        }
        Const::Bool(_) | Const::Bv { .. } | Const::Array(_) => None,
    }
}
