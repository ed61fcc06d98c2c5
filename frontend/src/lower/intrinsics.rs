//! Functions that mean something by their name, as long as the program gives them no body.

use super::build::FnLower;
use super::heap;
use crate::hir::{Expr, ExprKind, Func, LvalKind, Str};
use crate::mathlib::{self, MathFn};
use crate::types::{IntKind, Type as CType, TypeId};
use syncline_ir::{BinOp, PropKind, Scalar, Type, UnOp, Value};

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Intrinsic {
    /// `__VERIFIER_nondet_*`.
    Unknown,
    Assume,
    /// A violation wherever it is called.
    Error,
    /// The argument must differ from zero.
    Assert,
    /// What `assert` calls when it fails; the text is the argument, if there.
    AssertFail,
    Stop,
    Printf,
    Puts,
    Putchar,
    /// Output somewhere else: no effect.
    Silent,
    Abs,
    /// A function of the math library.
    Math(MathFn),
    /// The value of the first argument.
    First,
    /// `malloc` and its relatives.
    Allocate,
    Reallocate,
    Free,
    /// A library function that does more than return a value, and is not modelled.
    Unmodelled,
}

impl Intrinsic {
    /// The arguments it cannot do without.
    pub fn arguments(self) -> Option<usize> {
        match self {
            Intrinsic::Assume
            | Intrinsic::Assert
            | Intrinsic::Abs
            | Intrinsic::First
            | Intrinsic::Allocate
            | Intrinsic::Free
            | Intrinsic::Printf
            | Intrinsic::Puts
            | Intrinsic::Putchar => Some(1),
            Intrinsic::Math(function) => Some(function.arguments()),
            Intrinsic::Reallocate => Some(2),
            Intrinsic::Unknown
            | Intrinsic::Error
            | Intrinsic::AssertFail
            | Intrinsic::Stop
            | Intrinsic::Silent
            | Intrinsic::Unmodelled => None,
        }
    }
}

/// The meaning of a function without a body. `errors` are the names a property file gives, if any.
pub(super) fn by_name(name: &str, errors: &[String]) -> Option<Intrinsic> {
    let is_error = match errors {
        [] => matches!(name, "__VERIFIER_error" | "reach_error"),
        named => named.iter().any(|n| n == name),
    };
    if is_error {
        return Some(Intrinsic::Error);
    }
    if name.starts_with("__VERIFIER_nondet") {
        return Some(Intrinsic::Unknown);
    }
    Some(match name {
        "__VERIFIER_assume" | "__CPROVER_assume" => Intrinsic::Assume,
        "__VERIFIER_assert" | "assert" | "__CPROVER_assert" => Intrinsic::Assert,
        "__assert_fail" | "__assert" | "__assert_perror_fail" | "__assert_rtn" => Intrinsic::AssertFail,
        // With a property file that names others, they end the run, as they do when executed.
        "__VERIFIER_error" | "reach_error" => Intrinsic::Stop,
        "abort"
        | "exit"
        | "_exit"
        | "_Exit"
        | "quick_exit"
        | "__builtin_unreachable"
        | "__builtin_trap"
        | "__builtin_abort"
        | "__builtin_exit" => Intrinsic::Stop,
        "printf" | "__builtin_printf" => Intrinsic::Printf,
        "puts" | "__builtin_puts" => Intrinsic::Puts,
        "putchar" | "__builtin_putchar" => Intrinsic::Putchar,
        "fprintf"
        | "vprintf"
        | "vfprintf"
        | "fputs"
        | "fputc"
        | "putc"
        | "fflush"
        | "perror"
        | "__VERIFIER_atomic_begin"
        | "__VERIFIER_atomic_end" => Intrinsic::Silent,
        "abs" | "labs" | "llabs" | "__builtin_abs" | "__builtin_labs" | "__builtin_llabs" => Intrinsic::Abs,
        "__builtin_expect" => Intrinsic::First,
        _ if heap::is_sized(name) => Intrinsic::Allocate,
        _ if heap::is_realloc(name) => Intrinsic::Reallocate,
        "free" | "__builtin_free" => Intrinsic::Free,
        _ if mathlib::by_name(name).is_some() => return mathlib::by_name(name).map(Intrinsic::Math),
        _ if is_library(name) => Intrinsic::Unmodelled,
        _ => return None,
    })
}

/// Library functions of which "any value, no effect" would be wrong.
fn is_library(name: &str) -> bool {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    const MEMORY: &[&str] = &[
        "malloc",
        "calloc",
        "realloc",
        "free",
        "alloca",
        "memset",
        "memcpy",
        "memmove",
        "memcmp",
        "memchr",
        "strlen",
        "strcmp",
        "strncmp",
        "strcpy",
        "strncpy",
        "strcat",
        "strncat",
        "strchr",
        "strrchr",
        "strstr",
        "strdup",
        "strtok",
        "sprintf",
        "snprintf",
        "vsprintf",
        "vsnprintf",
        "scanf",
        "fscanf",
        "sscanf",
        "gets",
        "fgets",
        "getline",
        "fread",
        "read",
        "recv",
        "qsort",
        "bsearch",
        "strtol",
        "strtoul",
        "posix_memalign",
        "aligned_alloc",
        "memalign",
        "bzero",
        "bcopy",
        "va_start",
        "va_end",
        "va_copy",
    ];
    const CONTROL: &[&str] = &[
        "fesetround",
        "fesetenv",
        "feupdateenv",
        "feholdexcept",
        "setjmp",
        "_setjmp",
        "sigsetjmp",
        "__sigsetjmp",
        "longjmp",
        "siglongjmp",
        "signal",
        "sigaction",
        "atexit",
        "on_exit",
        "fork",
        "vfork",
        "execve",
        "pthread_create",
        "pthread_join",
        "pthread_exit",
        "thrd_create",
    ];
    const MATH: &[&str] = &[
        "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp2", "expm1", "log",
        "log2", "log10", "log1p", "pow", "modf", "frexp", "ldexp", "cbrt", "hypot", "fma", "nan", "erf", "lgamma",
        "tgamma",
    ];
    let base = name.strip_suffix(['f', 'l']).unwrap_or(name);
    MEMORY.contains(&name) || CONTROL.contains(&name) || MATH.contains(&name) || MATH.contains(&base)
}

impl FnLower<'_, '_> {
    pub fn lower_intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        func: Func,
        args: &[Expr],
        whole: &Expr,
        wanted: bool,
    ) -> Option<Value> {
        let unit = self.cx.unit;
        let name = unit.functions[func].name.as_str();
        match intrinsic {
            Intrinsic::Unknown => {
                self.effects(args, whole);
                return wanted.then(|| self.nondet(func, whole)).flatten();
            }
            Intrinsic::Assume => {
                let cond = self.condition(&args[0]);
                self.effects(&args[1..], whole);
                self.assume(cond);
            }
            Intrinsic::Error => {
                self.effects(args, whole);
                let never = self.boolean(false);
                self.assert(PropKind::Reach, never, format!("{name} is not called"), whole.loc);
                self.stop(whole.loc);
            }
            Intrinsic::Assert => {
                let cond = self.condition(&args[0]);
                self.effects(&args[1..], whole);
                let text = args.get(1).and_then(|e| self.text_of(e));
                let text = text.unwrap_or_else(|| format!("argument of {name} holds"));
                self.assert(PropKind::Assertion, cond, text, whole.loc);
            }
            Intrinsic::AssertFail => {
                self.effects(args, whole);
                let text = args.first().and_then(|e| self.text_of(e));
                let never = self.boolean(false);
                self.assert(PropKind::Assertion, never, text.unwrap_or_else(|| "assertion".into()), whole.loc);
                self.stop(whole.loc);
            }
            Intrinsic::Stop => {
                self.effects(args, whole);
                self.stop(whole.loc);
            }
            Intrinsic::Printf => self.printf(args, whole),
            Intrinsic::Puts => self.puts(&args[0], whole),
            Intrinsic::Putchar => {
                let value = self.expr(&args[0]);
                self.set_loc(whole.loc);
                self.print("%c", vec![value]);
            }
            Intrinsic::Silent => self.effects(args, whole),
            Intrinsic::Abs | Intrinsic::First => return Some(self.numeric(intrinsic, args, whole)),
            Intrinsic::Math(function) => return Some(self.math(function, args, whole)),
            Intrinsic::Allocate => return Some(self.allocate(name, args, whole)),
            Intrinsic::Reallocate => return Some(self.reallocate(&args[0], &args[1], whole)),
            Intrinsic::Free => {
                self.free(&args[0], whole);
                return None;
            }
            Intrinsic::Unmodelled => {
                self.effects(args, whole);
                let text = format!("the library function `{name}`");
                return Some(self.unmodelled(text, whole.ty));
            }
        }
        // A result nobody said anything about, such as the count `printf` returns.
        let usable = wanted && self.cx.scalar(whole.ty).is_some();
        usable.then(|| match self.cx.is_pointer(whole.ty) {
            true => self.returned_pointer(&format!("{name}()"), whole),
            false => self.havoc_c(format!("{name}()"), whole.ty),
        })
    }

    fn effects(&mut self, args: &[Expr], whole: &Expr) {
        args.iter().for_each(|e| self.effect(e));
        self.set_loc(whole.loc);
    }

    /// An unknown value. The declaration gives its type; without one, which is `int f()` to the compiler, the name.
    fn nondet(&mut self, func: Func, whole: &Expr) -> Option<Value> {
        let function = &self.cx.unit.functions[func];
        let name = &function.name;
        if self.cx.is_void(whole.ty) {
            return None;
        }
        if self.cx.is_pointer(whole.ty) {
            return Some(self.returned_pointer(&format!("{name}()"), whole));
        }
        if self.cx.scalar(whole.ty).is_none() {
            return Some(
                self.unmodelled(format!("the {} that {name}() returns", self.cx.type_words(whole.ty)), whole.ty),
            );
        }
        let open = matches!(self.cx.ctype(function.ty), CType::Function(s) if !s.prototyped)
            && matches!(self.cx.ctype(whole.ty), CType::Int(IntKind::Int));
        match kind_by_suffix(name) {
            Some(kind) if open && kind.bytes(self.cx.unit.types.model) < 4 => {
                Some(self.narrow_nondet(name, kind, whole.ty))
            }
            _ => Some(self.havoc_c(format!("{name}()"), whole.ty)),
        }
    }

    /// A value of a narrow type, widened to the type the call has.
    fn narrow_nondet(&mut self, name: &str, kind: IntKind, to: TypeId) -> Value {
        let site = format!("{name}()");
        let width = self.cx.value_type(to).width().unwrap_or(32);
        if kind == IntKind::Bool {
            let truth = self.havoc(site, Type::BOOL);
            return self.bool_to_bv(truth, width);
        }
        let value = self.havoc(site, Type::bv(kind.bits(self.cx.unit.types.model)));
        self.un(if kind.signed() { UnOp::SExt(width) } else { UnOp::ZExt(width) }, value)
    }

    fn numeric(&mut self, intrinsic: Intrinsic, args: &[Expr], whole: &Expr) -> Value {
        let arg = self.expr(&args[0]);
        self.effects(&args[1..], whole);
        if intrinsic == Intrinsic::First {
            return self.convert(arg, args[0].ty, whole.ty);
        }
        if matches!(self.ty(arg).scalar(), Some(Scalar::Float(_))) {
            return self.unmodelled("a library function on an argument of another type", whole.ty);
        }
        let zero = self.bv(self.width(arg), 0);
        let negative = self.bin(BinOp::Slt, arg, zero);
        let opposite = self.negate(arg, true, whole.loc);
        let value = self.ite(negative, opposite, arg);
        self.convert(value, args[0].ty, whole.ty)
    }

    /// The literal an expression of pointer type stands for.
    pub fn literal_of(&self, expr: &Expr) -> Option<Str> {
        match &expr.kind {
            ExprKind::Cast(arg) => self.literal_of(arg),
            ExprKind::Decay(lval) | ExprKind::AddrOf(lval) => match lval.kind {
                LvalKind::Str(lit) => Some(lit),
                _ => None,
            },
            _ => None,
        }
    }

    /// The text of a string literal, up to its first zero.
    pub fn text_of(&self, expr: &Expr) -> Option<String> {
        let lit = self.literal_of(expr)?;
        let units = self.cx.unit.strings[lit].units.iter().take_while(|&&u| u != 0);
        let bytes: Vec<u8> = units.map(|&u| u as u8).collect();
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The integer type in the name of `__VERIFIER_nondet_*`.
fn kind_by_suffix(name: &str) -> Option<IntKind> {
    let suffix = name.strip_prefix("__VERIFIER_nondet")?.trim_start_matches('_');
    Some(match suffix {
        "bool" | "Bool" => IntKind::Bool,
        "char" | "s8" | "S8" | "int8_t" => IntKind::SChar,
        "uchar" | "unsigned_char" | "u8" | "U8" | "uint8_t" => IntKind::UChar,
        "short" | "s16" | "S16" | "int16_t" => IntKind::Short,
        "ushort" | "unsigned_short" | "u16" | "U16" | "uint16_t" => IntKind::UShort,
        "int" | "s32" | "S32" => IntKind::Int,
        "uint" | "unsigned" | "u32" | "U32" => IntKind::UInt,
        "long" => IntKind::Long,
        "ulong" | "size_t" => IntKind::ULong,
        "longlong" | "loff_t" => IntKind::LongLong,
        "ulonglong" => IntKind::ULongLong,
        _ => return None,
    })
}
