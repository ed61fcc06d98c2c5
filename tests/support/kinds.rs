//! The arithmetic types of C that the generators use, with the conversion rules they need.
//!
//! One program text is run under ILP32 and LP64, so the rules here keep to what is true in both: `long` is a class of
//! its own, as wide as `int` or as wide as `long long`. The kind of an expression chooses operators, masks and formats;
//! it is never used to predict a value.

/// An arithmetic type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LLong,
    ULLong,
    /// `enum hue`, without a negative constant: gcc makes it `unsigned int`.
    EnumU,
    /// `enum level`, with a negative constant: `int`.
    EnumS,
    Float,
    Double,
}

use Kind::*;

/// Every kind.
pub const ALL: [Kind; 16] =
    [Bool, Char, SChar, UChar, Short, UShort, Int, UInt, Long, ULong, LLong, ULLong, EnumU, EnumS, Float, Double];

/// The integer kinds.
pub const INTS: [Kind; 14] =
    [Bool, Char, SChar, UChar, Short, UShort, Int, UInt, Long, ULong, LLong, ULLong, EnumU, EnumS];

impl Kind {
    /// The type as written in a program.
    pub fn c_name(self) -> &'static str {
        match self {
            Bool => "_Bool",
            Char => "char",
            SChar => "signed char",
            UChar => "unsigned char",
            Short => "short",
            UShort => "unsigned short",
            Int => "int",
            UInt => "unsigned int",
            Long => "long",
            ULong => "unsigned long",
            LLong => "long long",
            ULLong => "unsigned long long",
            EnumU => "enum hue",
            EnumS => "enum level",
            Float => "float",
            Double => "double",
        }
    }

    /// A short name for the coverage table.
    pub fn label(self) -> &'static str {
        match self {
            Bool => "bool",
            Char => "char",
            SChar => "schar",
            UChar => "uchar",
            Short => "short",
            UShort => "ushort",
            Int => "int",
            UInt => "uint",
            Long => "long",
            ULong => "ulong",
            LLong => "llong",
            ULLong => "ullong",
            EnumU => "enumu",
            EnumS => "enums",
            Float => "float",
            Double => "double",
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Float | Double)
    }

    pub fn is_signed(self) -> bool {
        !matches!(self, Bool | UChar | UShort | UInt | ULong | ULLong | EnumU)
    }

    /// The kind after the integer promotions.
    pub fn promoted(self) -> Kind {
        match self {
            Bool | Char | SChar | UChar | Short | UShort | EnumS => Int,
            EnumU => UInt,
            Int | UInt | Long | ULong | LLong | ULLong | Float | Double => self,
        }
    }

    /// The kind of an arithmetic operator's result. Of `long` with `unsigned int` the signedness depends on the model,
    /// the size does not.
    pub fn arith(a: Kind, b: Kind) -> Kind {
        let (a, b) = (a.promoted(), b.promoted());
        for kind in [Double, Float, ULLong, LLong, ULong, Long, UInt] {
            if a == kind || b == kind {
                return kind;
            }
        }
        Int
    }

    /// The largest shift count that is in range for a left operand of this kind under both models.
    pub fn shift_mask(self) -> u32 {
        match self.promoted() {
            LLong | ULLong => 63,
            _ => 31,
        }
    }

    /// The `printf` conversions that fit the promoted kind.
    pub fn formats(self) -> &'static [&'static str] {
        match self.promoted() {
            Int | UInt => &["%d", "%u", "%x"],
            Long | ULong => &["%ld", "%lu", "%lx"],
            _ => &["%lld", "%llu", "%llx"],
        }
    }
}
