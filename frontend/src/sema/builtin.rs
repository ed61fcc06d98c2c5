//! gcc's built-in functions. What the IR cannot say is `Unsupported`: a built-in is never an unknown function,
//! because then it could return anything.

use super::expr::Operand;
use super::fold::Const;
use super::literal::parse_float;
use super::typing::plain;
use super::{Res, Sema};
use crate::hir::*;
use crate::mathlib::{self, MathFn};
use crate::types::{IntKind, Type, TypeId};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span};
use syncline_ir::{eval, FloatFormat as Format, UnOp};

/// What gcc makes of a test of a constant. NaN's sign is not kept.
fn constant_test(test: MathFn, format: Format, bits: u128) -> Option<i128> {
    let value = syncline_ir::Const::Float { format, bits };
    let is = |op| eval::unary(op, &value).as_bool().unwrap_or(false);
    let sign = if is(UnOp::FSign) { -1 } else { 1 };
    Some(match test {
        MathFn::IsNan(_) => is(UnOp::FIsNan).into(),
        MathFn::IsInf { .. } => i128::from(is(UnOp::FIsInf)) * sign,
        MathFn::IsFinite => (!is(UnOp::FIsNan) && !is(UnOp::FIsInf)).into(),
        MathFn::SignBit { .. } if !is(UnOp::FIsNan) => is(UnOp::FSign).into(),
        _ => return None,
    })
}

impl<'a> Sema<'a> {
    /// `None` if the name is no built-in, or only another name for a library function.
    pub(super) fn builtin(&mut self, name: &'a str, args: &'a [Node<Expression>], span: Span) -> Res<Option<Operand>> {
        let short = match name.strip_prefix("__builtin_") {
            Some(short) => short,
            None if name.starts_with("__sync_") || name.starts_with("__atomic_") => {
                return Ok(Some(Operand::Value(self.atomic(name, args, span)?)));
            }
            None => return Ok(None),
        };
        let value = match (short, args) {
            ("expect", [value, expected]) | ("expect_with_probability", [value, expected, _]) => {
                let value = self.rvalue(value)?;
                let value = self.assign_convert(value, self.basic.long, span)?;
                let expected = self.rvalue(expected)?;
                match self.fold(&expected) {
                    Some(_) => value,
                    None => {
                        let (ty, loc) = (value.ty, value.loc);
                        Expr { ty, loc, kind: ExprKind::Comma(Box::new(expected), Box::new(value)) }
                    }
                }
            }
            ("constant_p", [e]) => {
                let value = self.rvalue(e)?;
                let known = matches!(self.fold(&value), Some(Const::Int(_) | Const::Float(..)));
                self.int_const(known.into(), span)
            }
            ("choose_expr", [condition, then, other]) => {
                let chosen = if self.constant_integer(condition)? != 0 { then } else { other };
                return self.operand(chosen).map(Some);
            }
            ("types_compatible_p", [a, b]) => self.types_compatible(a, b, span)?,
            ("classify_type", [e]) => self.classify(e, span)?,
            ("object_size", [_, kind]) => {
                let kind = self.constant_integer(kind)?;
                let all = if self.unit.types.model.pointer_bits() == 32 { u32::MAX.into() } else { u64::MAX };
                self.size_const(if kind < 2 { all } else { 0 }, span)
            }
            ("prefetch", _) | ("assume_aligned", [_, ..]) => return self.first_argument(short, args, span).map(Some),
            ("trap", []) => return Ok(Some(self.abort_call(span))),
            ("va_start" | "va_end" | "va_copy", _) => match self.va_function(short, args, span)? {
                Some(value) => value,
                None => self.unsupported(self.basic.void, span, short),
            },
            ("inf" | "huge_val", []) => self.special("inf", Format::F64, span),
            ("inff" | "huge_valf", []) => self.special("inf", Format::F32, span),
            ("infl" | "huge_vall", []) => self.special("inf", Format::X87, span),
            ("nan", [_]) => self.special("nan", Format::F64, span),
            ("nanf", [_]) => self.special("nan", Format::F32, span),
            ("nanl", [_]) => self.special("nan", Format::X87, span),
            ("isgreater", [a, b]) => self.float_comparison(BinaryOp::Gt, a, b, span)?,
            ("isgreaterequal", [a, b]) => self.float_comparison(BinaryOp::Ge, a, b, span)?,
            ("isless", [a, b]) => self.float_comparison(BinaryOp::Lt, a, b, span)?,
            ("islessequal", [a, b]) => self.float_comparison(BinaryOp::Le, a, b, span)?,
            _ if mathlib::generic(name).is_some_and(|f| f.arguments() == args.len()) => {
                self.float_test(name, args, span)?
            }
            _ => {
                if self.known_function(name, span).is_some() {
                    return Ok(None);
                }
                let ty = self.builtin_type(short, args)?;
                self.unsupported(ty, span, format!("the built-in function {name}"))
            }
        };
        Ok(Some(Operand::Value(value)))
    }

    pub(super) fn int_const(&mut self, value: i128, span: Span) -> Expr {
        Expr { ty: self.basic.int, loc: self.loc(span), kind: ExprKind::Int(value) }
    }

    fn special(&mut self, text: &str, format: Format, span: Span) -> Expr {
        let ty = self.unit.types.intern(Type::Float(format));
        let loc = self.loc(span);
        match parse_float(text, format) {
            Some(bits) => Expr { ty, loc, kind: ExprKind::Float { format, bits } },
            None => self.unsupported(ty, span, format!("the constant {text}")),
        }
    }

    fn float_comparison(
        &mut self,
        op: BinaryOp,
        a: &'a Node<Expression>,
        b: &'a Node<Expression>,
        span: Span,
    ) -> Res<Expr> {
        let (a, b) = (self.rvalue(a)?, self.rvalue(b)?);
        self.binary_values(op, a, b, span)
    }

    /// A test that takes floats of any type: a call of a function without a prototype, so that they stay as they are.
    /// On a constant gcc knows the answer, which need not be the one it computes.
    fn float_test(&mut self, name: &'a str, args: &'a [Node<Expression>], span: Span) -> Res<Expr> {
        let mut values = Vec::new();
        for arg in args {
            values.push(self.rvalue(arg)?);
        }
        if let [value] = &values[..] {
            if let (Some(Const::Float(format, bits)), Some(test)) = (self.fold(value), mathlib::generic(name)) {
                if let Some(answer) = constant_test(test, format, bits) {
                    return Ok(self.int_const(answer, span));
                }
            }
        }
        // The floats are last; of two, both have the common type.
        let floats = values.split_off(if values.len() == 6 { 5 } else { 0 });
        let mut ty = self.usual_types(floats[0].ty, floats[floats.len() - 1].ty);
        if ty.is_some_and(|ty| self.int_kind(ty).is_some()) {
            ty = Some(self.basic.double);
        }
        let Some(ty) = ty else { return self.fail(span, format!("{name} takes floating-point numbers")) };
        let loc = self.loc(span);
        let int = self.basic.int;
        let mut converted: Vec<Expr> = values.into_iter().map(|e| self.convert(e, int, loc)).collect();
        converted.extend(floats.into_iter().map(|e| self.convert(e, ty, loc)));
        let func = self.implicit_function(name, span);
        let kind = ExprKind::Call { callee: Callee::Direct(func), args: converted };
        Ok(Expr { ty: int, loc, kind })
    }

    /// Evaluates the arguments and gives the first, or nothing for `prefetch`.
    fn first_argument(&mut self, name: &str, args: &'a [Node<Expression>], span: Span) -> Res<Operand> {
        let mut values = Vec::new();
        for arg in args {
            values.push(self.rvalue(arg)?);
        }
        let loc = self.loc(span);
        match values.into_iter().next() {
            Some(value) if name == "prefetch" => {
                Ok(Operand::Value(Expr { ty: self.basic.void, loc, kind: ExprKind::Cast(Box::new(value)) }))
            }
            Some(value) => Ok(Operand::Value(self.convert(value, self.basic.void_ptr, loc))),
            None => self.fail(span, "an argument is missing"),
        }
    }

    fn abort_call(&mut self, span: Span) -> Operand {
        let loc = self.loc(span);
        let kind = match self.known_function("__builtin_abort", span) {
            Some(func) => ExprKind::Call { callee: Callee::Direct(func), args: Vec::new() },
            None => ExprKind::Unsupported("__builtin_trap".into()),
        };
        Operand::Value(Expr { ty: self.basic.void, loc, kind })
    }

    /// The rewriter has put `sizeof` around the types.
    fn types_compatible(&mut self, a: &'a Node<Expression>, b: &'a Node<Expression>, span: Span) -> Res<Expr> {
        let mut types = Vec::new();
        for e in [a, b] {
            types.push(match &e.node {
                Expression::SizeOfTy(node) => self.type_name(&node.node.0)?,
                Expression::SizeOfVal(node) => self.type_of(&node.node.0)?,
                _ => return self.fail(e.span, "a type is expected here"),
            });
        }
        let same = self.composite(types[0].ty, types[1].ty).is_some();
        Ok(self.int_const(same.into(), span))
    }

    /// gcc's `type_class` numbers.
    fn classify(&mut self, e: &'a Node<Expression>, span: Span) -> Res<Expr> {
        let value = self.rvalue(e)?;
        let class = match self.ty(value.ty) {
            Type::Void => 0,
            Type::Int(_) => 1,
            Type::Pointer(_) => 5,
            Type::Float(_) => 8,
            Type::Record(r) if self.unit.types.records[*r].union => 13,
            Type::Record(_) => 12,
            _ => -1,
        };
        Ok(self.int_const(class, span))
    }

    /// What an unmodelled built-in gives, so that the code around it can be typed.
    fn builtin_type(&mut self, name: &str, args: &'a [Node<Expression>]) -> Res<TypeId> {
        let mut first = None;
        for arg in args {
            let value = self.rvalue(arg)?;
            first.get_or_insert(value.ty);
        }
        let double = self.basic.double;
        Ok(match name {
            "unreachable" | "va_start" | "va_end" | "clear_padding" | "longjmp" => self.basic.void,
            "return_address" | "frame_address" | "alloca_with_align" | "extract_return_addr" | "apply_args" => {
                self.basic.void_ptr
            }
            "bswap64" => self.int_type(IntKind::ULongLong),
            "bswap32" => self.basic.uint,
            "bswap16" => self.int_type(IntKind::UShort),
            "copysign" | "fma" | "powi" | "exp" | "log" | "sin" | "cos" | "tan" | "nans" => double,
            "copysignf" | "fmaf" | "powif" | "expf" | "logf" | "sinf" | "cosf" | "nansf" => self.basic.float,
            "complex" | "shuffle" | "convertvector" => first.unwrap_or(double),
            _ if name.ends_with("_overflow") => self.int_type(IntKind::Bool),
            _ if name.ends_with("_chk") => first.unwrap_or(self.basic.int),
            _ => self.basic.int,
        })
    }

    fn atomic(&mut self, name: &str, args: &'a [Node<Expression>], span: Span) -> Res<Expr> {
        let mut first = None;
        for arg in args {
            let value = self.rvalue(arg)?;
            first.get_or_insert(value.ty);
        }
        let pointee = first.and_then(|ty| self.pointee(ty)).unwrap_or(plain(self.basic.void)).ty;
        let ty = if name.contains("bool_compare") || name.contains("compare_exchange") || name.contains("test_and_set")
        {
            self.int_type(IntKind::Bool)
        } else if ["store", "synchronize", "release", "fence", "clear"].iter().any(|w| name.contains(w)) {
            self.basic.void
        } else {
            pointee
        };
        Ok(self.unsupported(ty, span, format!("the built-in function {name}")))
    }
}
