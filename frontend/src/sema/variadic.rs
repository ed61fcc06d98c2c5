//! `va_list` and its functions. The caller of a function with `...` stores the arguments beyond the parameters in an
//! object of their own, in slots of eight bytes or multiples of that, and passes its address in a last parameter which
//! the text does not show. A `va_list` is a pointer to the next slot: on i386 by itself, on x86-64 the field
//! `overflow_arg_area` of the record.

use super::typing::plain;
use super::{Res, Sema};
use crate::hir::*;
use crate::leaves;
use crate::types::{DataModel, IntKind, TypeId};
use lang_c::ast::{self, Expression};
use lang_c::span::{Node, Span};

/// The place of `overflow_arg_area` in the record.
const NEXT: u32 = 2;

impl<'a> Sema<'a> {
    /// `va_start`, `va_end`, `va_copy`; `None` if they do not stand where they can mean something.
    pub(super) fn va_function(&mut self, name: &str, args: &'a [Node<Expression>], span: Span) -> Res<Option<Expr>> {
        let loc = self.loc(span);
        Ok(match (name, args) {
            ("va_start", [list, ..]) => match self.rest(loc) {
                Some(rest) => {
                    let lval = self.va_place(list)?;
                    let value = self.load_object(rest, loc);
                    Some(self.set_list(lval, value, loc))
                }
                None => None,
            },
            ("va_copy", [to, from]) => {
                let (to, from) = (self.va_place(to)?, self.va_place(from)?);
                let value = Expr { ty: from.ty.ty, loc, kind: ExprKind::Load(Box::new(from)) };
                Some(self.set_list(to, value, loc))
            }
            ("va_end", [list]) => {
                let value = self.rvalue(list)?;
                Some(Expr { ty: self.basic.void, loc, kind: ExprKind::Cast(Box::new(value)) })
            }
            _ => None,
        })
    }

    /// `va_arg`: the pointer moves on, and what it pointed to is the value.
    pub(super) fn va_arg(&mut self, node: &'a Node<ast::VaArgExpression>) -> Res<Expr> {
        let loc = self.loc(node.span);
        let ty = self.type_name(&node.node.type_name)?;
        let lval = self.va_place(&node.node.va_list)?;
        let Some(bytes) = leaves::slot_bytes(&self.unit.types, ty.ty) else {
            return Ok(self.unsupported(ty.ty, node.span, "va_arg"));
        };
        let word = self.int_type(IntKind::LongLong);
        let words = self.pointer_to(plain(word));
        let index = Expr { ty: self.basic.ptrdiff, loc, kind: ExprKind::Int(i128::from(bytes / 8)) };
        let list = lval.ty.ty;
        let old = Expr { ty: list, loc, kind: ExprKind::Load(Box::new(lval.clone())) };
        let old = self.convert(old, words, loc);
        let moved = |ptr: Expr, subtract| Expr {
            ty: words,
            loc,
            kind: ExprKind::PtrAdd { ptr: Box::new(ptr), index: Box::new(index.clone()), subtract },
        };
        let next = self.convert(moved(old, false), list, loc);
        let assigned = Expr { ty: list, loc, kind: ExprKind::Assign { lval: Box::new(lval), value: Box::new(next) } };
        let assigned = self.convert(assigned, words, loc);
        let pointer = self.pointer_to(ty);
        let here = self.convert(moved(assigned, true), pointer, loc);
        let lval = Lval { ty, loc, kind: LvalKind::Deref(Box::new(here)) };
        Ok(Expr { ty: ty.ty, loc, kind: ExprKind::Load(Box::new(lval)) })
    }

    fn set_list(&mut self, lval: Lval, value: Expr, loc: Loc) -> Expr {
        let ty = lval.ty.ty;
        let value = Box::new(self.convert(value, ty, loc));
        let assigned = Expr { ty, loc, kind: ExprKind::Assign { lval: Box::new(lval), value } };
        Expr { ty: self.basic.void, loc, kind: ExprKind::Cast(Box::new(assigned)) }
    }

    /// The pointer to the next argument in a `va_list`.
    fn va_place(&mut self, list: &'a Node<Expression>) -> Res<Lval> {
        if self.unit.types.model == DataModel::Ilp32 {
            let lval = self.place(list)?;
            return match self.pointee(lval.ty.ty) {
                Some(_) => Ok(lval),
                None => self.fail(list.span, "this is no va_list"),
            };
        }
        let pointer = self.rvalue(list)?;
        let loc = pointer.loc;
        let array = self.va_list();
        let record = match (self.pointee(pointer.ty), self.ty(array)) {
            (Some(to), crate::types::Type::Array { elem, .. }) if to.ty == elem.ty => to,
            _ => return self.fail(list.span, "this is no va_list"),
        };
        let base = Box::new(Lval { ty: record, loc, kind: LvalKind::Deref(Box::new(pointer)) });
        Ok(Lval { ty: plain(self.basic.void_ptr), loc, kind: LvalKind::Member { base, index: NEXT } })
    }

    /// The parameter that points to the further arguments of the function being defined.
    fn rest(&mut self, loc: Loc) -> Option<Obj> {
        let func = self.body.as_ref()?.func;
        let ty: TypeId = self.unit.functions[func].ty;
        if !self.signature(ty)?.variadic {
            return None;
        }
        if let Some(rest) = self.body.as_ref()?.rest {
            return Some(rest);
        }
        let rest = self.new_object("...".into(), self.basic.void_ptr, Storage::Param, loc);
        self.body.as_mut()?.rest = Some(rest);
        Some(rest)
    }
}
