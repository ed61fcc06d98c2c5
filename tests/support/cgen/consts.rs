//! Constants in every spelling, with values where types differ: zero, the limits of each width, their neighbours.

use super::{Expr, Gen};
use crate::support::kinds::Kind;

const INTERESTING: [u64; 30] = [
    0,
    1,
    2,
    3,
    7,
    10,
    15,
    16,
    31,
    32,
    63,
    64,
    100,
    127,
    128,
    129,
    200,
    255,
    256,
    257,
    1000,
    32767,
    32768,
    65535,
    65536,
    0x7fff_fffe,
    0x7fff_ffff,
    0x1234_5678,
    0x00ff_00ff,
    12345,
];

const WIDE: [u64; 8] = [
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_ffff,
    0x0123_4567_89ab_cdef,
    0xfedc_ba98_7654_3210,
];

impl Gen {
    /// An integer constant of any spelling; not negative.
    pub(super) fn int_constant(&mut self) -> Expr {
        match self.rng.weighted(&[10, 5, 2, 1, 3, 2, 3, 2, 2, 2, 2, 2, 3, 4]) {
            0 => {
                let value = self.rng.pick(&INTERESTING);
                self.spelled("dec", format!("{value}"), Kind::Int)
            }
            1 => {
                let value = self.rng.pick(&INTERESTING);
                self.spelled("hex", format!("0x{value:x}"), Kind::Int)
            }
            2 => {
                let value = self.rng.pick(&INTERESTING);
                self.spelled("octal", format!("0{value:o}"), Kind::Int)
            }
            3 => {
                let value = self.rng.below(256);
                self.spelled("binary", format!("0b{value:b}"), Kind::Int)
            }
            4 => {
                let letter = self.rng.pick(&['a', 'Z', '0', ' ', '~', '?', '"']);
                self.spelled("char", format!("'{letter}'"), Kind::Int)
            }
            5 => {
                let escape = self
                    .rng
                    .pick(&["\\n", "\\t", "\\0", "\\\\", "\\'", "\\x7f", "\\xff", "\\377", "\\12", "\\a", "\\x80"]);
                self.spelled("escape", format!("'{escape}'"), Kind::Int)
            }
            6 => self.suffixed("u", &["u", "U"], Kind::UInt),
            7 => self.suffixed("l", &["l", "L"], Kind::Long),
            8 => self.suffixed("ul", &["ul", "UL", "LU", "lu"], Kind::ULong),
            9 => self.suffixed("ll", &["ll", "LL"], Kind::LLong),
            10 => self.suffixed("ull", &["ull", "ULL", "LLU"], Kind::ULLong),
            11 => self.large_constant(),
            12 => self.enum_constant(),
            _ => {
                let value = self.rng.below(10);
                self.spelled("dec", format!("{value}"), Kind::Int)
            }
        }
    }

    fn spelled(&mut self, form: &'static str, text: String, kind: Kind) -> Expr {
        self.cov.hit("constant", form);
        Expr::primary(text, kind)
    }

    fn suffixed(&mut self, form: &'static str, spellings: &[&'static str], kind: Kind) -> Expr {
        let suffix = self.rng.pick(spellings);
        let wide = matches!(kind, Kind::LLong | Kind::ULLong) && self.rng.chance(50);
        let mut value = if wide { self.rng.pick(&WIDE) } else { self.rng.pick(&INTERESTING) };
        if kind == Kind::LLong {
            value &= 0x7fff_ffff_ffff_ffff;
        } else if matches!(kind, Kind::UInt | Kind::ULong) && self.rng.chance(30) {
            value = self.rng.pick(&WIDE[..2]);
        }
        let text = if self.rng.chance(60) { format!("{value}{suffix}") } else { format!("0x{value:X}{suffix}") };
        self.spelled(form, text, kind)
    }

    /// Unsuffixed and beyond `int`: the type depends on base and model.
    fn large_constant(&mut self) -> Expr {
        match self.rng.below(4) {
            0 => self.spelled("large", "0x80000000".into(), Kind::UInt),
            1 => self.spelled("large", "0xffffffff".into(), Kind::UInt),
            2 => self.spelled("large", "2147483648".into(), Kind::LLong),
            _ => self.spelled("large", "4294967295".into(), Kind::LLong),
        }
    }

    fn enum_constant(&mut self) -> Expr {
        let name = self.rng.pick(&["RED", "GREEN", "BLUE", "LAST", "LOW", "MID", "HIGH"]);
        self.cov.hit("expression", "enum constant");
        Expr::primary(name, Kind::Int)
    }

    pub(super) fn float_constant(&mut self) -> Expr {
        let text =
            self.rng.pick(&["0.0", "1.0", "0.5", "1.5", "3.25", "100.0", "0.1", "1e3", "2.5e-1", "7.", ".75", "1e10"]);
        if self.rng.chance(40) {
            self.spelled("float", format!("{text}f"), Kind::Float)
        } else {
            self.spelled("double", text.to_string(), Kind::Double)
        }
    }

    /// A value for an object of this kind, often near its limits; may be written with a sign.
    pub(super) fn initial_value(&mut self, kind: Kind) -> Expr {
        if kind.is_float() {
            let value = self.float_constant();
            return if self.rng.chance(30) { self.negated(value) } else { value };
        }
        if self.rng.chance(30) {
            let value = self.int_constant();
            return if self.rng.chance(30) { self.negated(value) } else { value };
        }
        let limit: i128 = match kind {
            Kind::Bool => 2,
            Kind::Char | Kind::SChar | Kind::UChar => 1 << 8,
            Kind::Short | Kind::UShort => 1 << 16,
            Kind::Int | Kind::UInt | Kind::EnumU | Kind::EnumS | Kind::Long | Kind::ULong => 1 << 32,
            _ => 1 << 64,
        };
        let near = [0, limit / 4, limit / 2 - 1, limit - 1, limit / 3, 5];
        let offset = self.rng.range(-2, 2) as i128;
        let value = (self.rng.pick(&near) + offset).clamp(0, limit - 1);
        let value = if kind.is_signed() && value >= limit / 2 { value - limit } else { value };
        self.literal(value)
    }

    /// A decimal literal for a value of up to 64 bits.
    fn literal(&mut self, value: i128) -> Expr {
        let magnitude = value.unsigned_abs();
        let (suffix, kind) = match magnitude {
            0..=0x7fff_ffff => ("", Kind::Int),
            0x8000_0000..=0xffff_ffff if value > 0 => ("u", Kind::UInt),
            0x8000_0000..=0x7fff_ffff_ffff_ffff => ("LL", Kind::LLong),
            _ => ("ULL", Kind::ULLong),
        };
        let constant = Expr::primary(format!("{magnitude}{suffix}"), kind);
        if value < 0 {
            self.negated(constant)
        } else {
            constant
        }
    }

    fn negated(&mut self, value: Expr) -> Expr {
        self.cov.hit("unary", format!("-x {}", value.kind.label()));
        Expr::new(format!("-{}", value.at(15)), value.kind.promoted(), 15)
    }

    /// An integer constant expression, for static initialisers.
    pub(super) fn constant_expr(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.rng.chance(40) {
            return self.int_constant();
        }
        match self.rng.below(6) {
            0 => {
                let kind = self.int_kind();
                let operand = self.constant_expr(depth - 1);
                self.cast(kind, operand)
            }
            1 => {
                let condition = self.constant_expr(depth - 1);
                let (a, b) = (self.constant_expr(depth - 1), self.constant_expr(depth - 1));
                self.conditional(condition, a, b)
            }
            2 => {
                let operand = self.constant_expr(depth - 1);
                let op = self.rng.pick(&["+", "-", "~", "!"]);
                self.unary(op, operand)
            }
            3 => {
                let kind = self.any_kind();
                self.sizeof_type(kind)
            }
            _ => {
                let op = self
                    .rng
                    .pick(&["+", "-", "*", "&", "|", "^", "<", "==", "!=", ">=", "&&", "||", "/", "%", "<<", ">>"]);
                let left = self.constant_expr(depth - 1);
                let right = match op {
                    "/" | "%" => Expr::primary(format!("{}", 3 + self.rng.below(40)), Kind::Int),
                    "<<" | ">>" => Expr::primary(format!("{}", self.rng.below(31)), Kind::Int),
                    _ => self.constant_expr(depth - 1),
                };
                self.binary(op, left, right)
            }
        }
    }
}
