//! Functions of the math library that the IR can say exactly, by name: what `sema` needs to declare them, as gcc does
//! by itself, and what `lower` makes of them. The results are those of gcc 12 and glibc 2.36, also where the standard
//! only says "nonzero".

use syncline_ir::Rounding;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum MathFn {
    Fabs,
    CopySign,
    Min,
    Max,
    Dim,
    Sqrt,
    Fmod,
    Remainder,
    /// To an integral value of the same type.
    Round(Rounding),
    /// To an integral value, then to the integer type of the result.
    RoundTo(Rounding),
    /// The number it returns for NaN.
    IsNan(i32),
    IsInf {
        /// -1 for negative infinity.
        signed: bool,
    },
    IsFinite,
    IsNormal,
    SignBit {
        /// glibc's function rather than gcc's own.
        library: bool,
    },
    IsUnordered,
    IsLessGreater,
    /// `FP_NAN` 0, `FP_INFINITE` 1, `FP_ZERO` 2, `FP_SUBNORMAL` 3, `FP_NORMAL` 4.
    Classify,
    /// The results for these classes are arguments: NaN, infinite, normal, subnormal, zero.
    ClassifyAs,
}

/// Results and parameters: the function's own float type.
const OWN: char = 'F';

const FUNCTIONS: &[(&str, &str, MathFn)] = &[
    ("fabs", "FF", MathFn::Fabs),
    ("copysign", "FFF", MathFn::CopySign),
    ("fmin", "FFF", MathFn::Min),
    ("fmax", "FFF", MathFn::Max),
    ("fdim", "FFF", MathFn::Dim),
    ("sqrt", "FF", MathFn::Sqrt),
    ("fmod", "FFF", MathFn::Fmod),
    ("remainder", "FFF", MathFn::Remainder),
    ("drem", "FFF", MathFn::Remainder),
    ("floor", "FF", MathFn::Round(Rounding::Down)),
    ("ceil", "FF", MathFn::Round(Rounding::Up)),
    ("trunc", "FF", MathFn::Round(Rounding::Zero)),
    ("round", "FF", MathFn::Round(Rounding::Away)),
    ("roundeven", "FF", MathFn::Round(Rounding::Even)),
    ("rint", "FF", MathFn::Round(Rounding::Even)),
    ("nearbyint", "FF", MathFn::Round(Rounding::Even)),
    ("lround", "lF", MathFn::RoundTo(Rounding::Away)),
    ("llround", "LF", MathFn::RoundTo(Rounding::Away)),
    ("lrint", "lF", MathFn::RoundTo(Rounding::Even)),
    ("llrint", "LF", MathFn::RoundTo(Rounding::Even)),
    ("isnan", "iF", MathFn::IsNan(1)),
    ("isinf", "iF", MathFn::IsInf { signed: false }),
    ("finite", "iF", MathFn::IsFinite),
    ("signbit", "iF", MathFn::SignBit { library: false }),
    ("__isinf", "iF", MathFn::IsInf { signed: true }),
    ("__finite", "iF", MathFn::IsFinite),
    ("__signbit", "iF", MathFn::SignBit { library: true }),
    ("__fpclassify", "iF", MathFn::Classify),
];

/// gcc's functions that take floats of any type.
const GENERIC: &[(&str, MathFn)] = &[
    ("__builtin_isnan", MathFn::IsNan(1)),
    ("__builtin_isinf", MathFn::IsInf { signed: false }),
    ("__builtin_isinf_sign", MathFn::IsInf { signed: true }),
    ("__builtin_isfinite", MathFn::IsFinite),
    ("isfinite", MathFn::IsFinite),
    ("__builtin_isnormal", MathFn::IsNormal),
    ("isnormal", MathFn::IsNormal),
    ("__builtin_signbit", MathFn::SignBit { library: false }),
    ("__builtin_isunordered", MathFn::IsUnordered),
    ("__builtin_islessgreater", MathFn::IsLessGreater),
    ("__builtin_fpclassify", MathFn::ClassifyAs),
];

impl MathFn {
    pub fn arguments(self) -> usize {
        match self {
            MathFn::CopySign | MathFn::Min | MathFn::Max | MathFn::Dim | MathFn::Fmod | MathFn::Remainder => 2,
            MathFn::IsUnordered | MathFn::IsLessGreater => 2,
            MathFn::ClassifyAs => 6,
            MathFn::Fabs
            | MathFn::Sqrt
            | MathFn::Round(_)
            | MathFn::RoundTo(_)
            | MathFn::IsNan(_)
            | MathFn::IsInf { .. }
            | MathFn::IsFinite
            | MathFn::IsNormal
            | MathFn::SignBit { .. }
            | MathFn::Classify => 1,
        }
    }
}

/// The function of this name; `__builtin_` may stand before it.
pub fn by_name(name: &str) -> Option<MathFn> {
    generic(name).or_else(|| match name {
        "__isnan" | "__isnanf" => Some(MathFn::IsNan(1)),
        // From a subtraction in the bits of the exponent.
        "__isnanl" => Some(MathFn::IsNan(65535)),
        _ => find(name.strip_prefix("__builtin_").unwrap_or(name)).map(|(_, function, _)| function),
    })
}

/// The type-generic built-in of this name.
pub fn generic(name: &str) -> Option<MathFn> {
    GENERIC.iter().find(|(n, _)| *n == name).map(|(_, function)| *function)
}

/// The type gcc gives the function, without `__builtin_`: result, then parameters. i int, l long, L long long,
/// f float, d double, D long double.
pub fn signature(name: &str) -> Option<String> {
    let (types, _, own) = find(name).filter(|_| !name.starts_with("__"))?;
    Some(types.replace(OWN, own))
}

fn find(name: &str) -> Option<(&'static str, MathFn, &'static str)> {
    let exact = |n: &str| FUNCTIONS.iter().find(|(f, _, _)| *f == n);
    let suffixed = |suffix: &str| name.strip_suffix(suffix).and_then(exact);
    let found = exact(name).map(|f| (f, "d")).or_else(|| suffixed("f").map(|f| (f, "f")));
    let ((_, types, function), own) = found.or_else(|| suffixed("l").map(|f| (f, "D")))?;
    Some((types, *function, own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_give_types() {
        assert_eq!(signature("floorl").as_deref(), Some("DD"));
        assert_eq!(signature("ceil").as_deref(), Some("dd"));
        assert_eq!(signature("llroundf").as_deref(), Some("Lf"));
        assert_eq!(signature("sinf"), None);
        assert_eq!(by_name("__builtin_fabsf"), Some(MathFn::Fabs));
        assert_eq!(by_name("__signbitl"), Some(MathFn::SignBit { library: true }));
        assert_eq!(by_name("__builtin_isinf_sign"), Some(MathFn::IsInf { signed: true }));
        assert_eq!(by_name("__builtin_isinfl"), Some(MathFn::IsInf { signed: false }));
    }
}
