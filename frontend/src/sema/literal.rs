//! Constants and string literals.

use super::typing::plain;
use super::{Res, Sema};
use crate::hir::{Expr, ExprKind, Loc, Lval, LvalKind, Str, StringLit};
use crate::types::{DataModel, IntKind, Type, TypeId};
use lang_c::ast::{Constant, Float, FloatBase, FloatFormat, Integer, IntegerBase, IntegerSize, StringLiteral};
use lang_c::span::{Node, Span};
use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended};
use rustc_apfloat::{Float as _, Round};
use syncline_ir::FloatFormat as Format;

/// Which characters a literal is made of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Encoding {
    Char,
    Wide,
    Char16,
    Char32,
}

impl Encoding {
    fn kind(self, model: DataModel) -> IntKind {
        match self {
            Encoding::Char => IntKind::Char,
            // `wchar_t` is `long` on i386.
            Encoding::Wide if model == DataModel::Ilp32 => IntKind::Long,
            Encoding::Wide => IntKind::Int,
            Encoding::Char16 => IntKind::UShort,
            Encoding::Char32 => IntKind::UInt,
        }
    }
}

impl Sema<'_> {
    pub(super) fn constant(&mut self, node: &Node<Constant>) -> Res<Expr> {
        let loc = self.loc(node.span);
        match &node.node {
            Constant::Integer(integer) => self.integer(integer, node.span, loc),
            Constant::Float(float) => self.float(float, node.span, loc),
            Constant::Character(text) => self.character(text, node.span, loc),
        }
    }

    fn integer(&mut self, integer: &Integer, span: Span, loc: Loc) -> Res<Expr> {
        let radix = match integer.base {
            IntegerBase::Decimal => 10,
            IntegerBase::Octal => 8,
            IntegerBase::Hexadecimal => 16,
            IntegerBase::Binary => 2,
        };
        let Some(value) = u128::from_str_radix(&integer.number, radix).ok().and_then(|v| i128::try_from(v).ok()) else {
            return self.fail(span, "the constant is too large");
        };
        if integer.suffix.imaginary {
            let ty = self.unit.types.intern(Type::Opaque("_Complex int".into()));
            return Ok(self.unsupported(ty, span, "complex numbers"));
        }
        let signed = !integer.suffix.unsigned;
        let any = !signed || radix != 10;
        let model = self.unit.types.model;
        let ladder = [
            (IntegerSize::Int, IntKind::Int, IntKind::UInt),
            (IntegerSize::Long, IntKind::Long, IntKind::ULong),
            (IntegerSize::LongLong, IntKind::LongLong, IntKind::ULongLong),
        ];
        for (size, s, u) in ladder {
            if size < integer.suffix.size {
                continue;
            }
            let bits = s.bits(model);
            let kind = if signed && value < 1 << (bits - 1) {
                s
            } else if any && value < 1 << bits {
                u
            } else {
                continue;
            };
            return Ok(Expr { ty: self.int_type(kind), loc, kind: ExprKind::Int(value) });
        }
        if value < 1 << 64 {
            // gcc warns and takes the widest type it has.
            let kind = if model == DataModel::Lp64 { IntKind::Int128 } else { IntKind::ULongLong };
            return Ok(Expr { ty: self.int_type(kind), loc, kind: ExprKind::Int(value) });
        }
        self.fail(span, "the constant is too large")
    }

    fn float(&mut self, float: &Float, span: Span, loc: Loc) -> Res<Expr> {
        let format = match &float.suffix.format {
            FloatFormat::Float => Format::F32,
            FloatFormat::Double => Format::F64,
            FloatFormat::LongDouble => Format::X87,
            FloatFormat::TS18661Format(f) => {
                let ty = self.unit.types.intern(Type::Opaque(format!("_Float{}", f.width)));
                return Ok(self.unsupported(ty, span, "a float of unusual width"));
            }
        };
        if float.suffix.imaginary {
            let ty = self.unit.types.intern(Type::Opaque("_Complex double".into()));
            return Ok(self.unsupported(ty, span, "complex numbers"));
        }
        let text = match float.base {
            FloatBase::Decimal => float.number.to_string(),
            FloatBase::Hexadecimal => format!("0x{}", float.number),
        };
        match parse_float(&text, format) {
            Some(bits) => {
                let ty = self.unit.types.intern(Type::Float(format));
                Ok(Expr { ty, loc, kind: ExprKind::Float { format, bits } })
            }
            None => self.fail(span, "the constant cannot be read"),
        }
    }

    fn character(&mut self, text: &str, span: Span, loc: Loc) -> Res<Expr> {
        let text = if text.contains("\\a") { self.source.original_span(span.start, span.end) } else { text };
        let (encoding, rest) = prefix(text);
        let body = rest.get(1..rest.len().saturating_sub(1)).unwrap_or("");
        let mut units = Vec::new();
        if let Err(message) = decode(body, encoding, self.source.latin1, &mut units) {
            return self.fail(span, message);
        }
        let model = self.unit.types.model;
        if encoding != Encoding::Char {
            let kind = encoding.kind(model);
            let value = units.last().map_or(0, |&u| super::typing::wrap(i128::from(u), kind, model));
            return Ok(Expr { ty: self.int_type(kind), loc, kind: ExprKind::Int(value) });
        }
        // One character is a `char`; of several the last four bytes count.
        let value = match units[..] {
            [one] => i128::from(one as u8 as i8),
            _ => i128::from(units.iter().fold(0u32, |v, &u| v << 8 | u & 0xff) as i32),
        };
        Ok(Expr { ty: self.basic.int, loc, kind: ExprKind::Int(value) })
    }

    /// The literal, and the array type it has.
    pub(super) fn string(&mut self, node: &Node<StringLiteral>) -> Res<(Str, TypeId)> {
        let mut encoding = Encoding::Char;
        let mut units = Vec::new();
        let rewritten = node.node.iter().any(|piece| piece.contains("\\a"));
        let pieces: Vec<String> = match rewritten {
            true => pieces_of(self.source.original_span(node.span.start, node.span.end)),
            false => Vec::new(),
        };
        let pieces = if rewritten { &pieces } else { &node.node };
        for piece in pieces {
            let (e, _) = prefix(piece);
            encoding = if e == Encoding::Char { encoding } else { e };
        }
        for piece in pieces {
            let (_, rest) = prefix(piece);
            let body = rest.get(1..rest.len().saturating_sub(1)).unwrap_or("");
            if let Err(message) = decode(body, encoding, self.source.latin1, &mut units) {
                return self.fail(node.span, message);
            }
        }
        units.push(0);
        let kind = encoding.kind(self.unit.types.model);
        Ok(self.new_string(units, kind))
    }

    pub(super) fn new_string(&mut self, units: Vec<u32>, kind: IntKind) -> (Str, TypeId) {
        let elem = self.int_type(kind);
        let len = Some(units.len() as u64);
        let ty = self.unit.types.intern(Type::Array { elem: plain(elem), len });
        (self.unit.strings.push(StringLit { units, elem }), ty)
    }

    pub(super) fn string_place(&mut self, lit: Str, ty: TypeId, loc: Loc) -> Lval {
        Lval { ty: plain(ty), loc, kind: LvalKind::Str(lit) }
    }
}

/// The encoding of a float literal, rounded to nearest even.
pub(super) fn parse_float(text: &str, format: Format) -> Option<u128> {
    let round = Round::NearestTiesToEven;
    Some(match format {
        Format::F32 => Single::from_str_r(text, round).ok()?.value.to_bits(),
        Format::F64 => Double::from_str_r(text, round).ok()?.value.to_bits(),
        Format::X87 => X87DoubleExtended::from_str_r(text, round).ok()?.value.to_bits(),
    })
}

fn prefix(text: &str) -> (Encoding, &str) {
    if let Some(rest) = text.strip_prefix("u8") {
        return (Encoding::Char, rest);
    }
    match text.as_bytes().first() {
        Some(b'L') => (Encoding::Wide, &text[1..]),
        Some(b'u') => (Encoding::Char16, &text[1..]),
        Some(b'U') => (Encoding::Char32, &text[1..]),
        _ => (Encoding::Char, text),
    }
}

/// Adjacent literals in unprocessed text, which may have line markers between them.
fn pieces_of(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'#' => at += text[at..].find('\n').unwrap_or(text.len() - at),
            b'"' | b'L' | b'u' | b'U' => {
                let start = at;
                at += text[at..].find('"').map_or(text.len() - at, |n| n + 1);
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
                pieces.push(text[start..at].to_string());
            }
            _ => at += 1,
        }
    }
    pieces
}

/// Appends the characters of a literal's body, escapes resolved.
fn decode(body: &str, encoding: Encoding, latin1: bool, units: &mut Vec<u32>) -> Result<(), &'static str> {
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            push_char(c as u32, encoding, latin1, units);
            continue;
        }
        let Some(escape) = chars.next() else { return Err("an escape is unfinished") };
        let value = match escape {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' | 'E' => 27,
            '0'..='7' => {
                let mut value = escape.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(d) = chars.peek().and_then(|c| c.to_digit(8)) else { break };
                    value = value * 8 + d;
                    chars.next();
                }
                value
            }
            'x' => {
                let mut value = 0u32;
                while let Some(d) = chars.peek().and_then(|c| c.to_digit(16)) {
                    value = value.wrapping_mul(16) + d;
                    chars.next();
                }
                value
            }
            'u' | 'U' => {
                let mut value = 0u32;
                for _ in 0..if escape == 'u' { 4 } else { 8 } {
                    let Some(d) = chars.next().and_then(|c| c.to_digit(16)) else {
                        return Err("a universal character name is unfinished");
                    };
                    value = value.wrapping_mul(16) + d;
                }
                push_char(value, encoding, false, units);
                continue;
            }
            other => other as u32,
        };
        units.push(if encoding == Encoding::Char { value & 0xff } else { value });
    }
    Ok(())
}

fn push_char(c: u32, encoding: Encoding, latin1: bool, units: &mut Vec<u32>) {
    match encoding {
        Encoding::Char if latin1 || c < 0x80 => units.push(c & 0xff),
        Encoding::Char => {
            let c = char::from_u32(c).unwrap_or('?');
            units.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from));
        }
        Encoding::Char16 => {
            let c = char::from_u32(c).unwrap_or('?');
            units.extend(c.encode_utf16(&mut [0; 2]).iter().map(|&u| u32::from(u)));
        }
        Encoding::Wide | Encoding::Char32 => units.push(c),
    }
}
