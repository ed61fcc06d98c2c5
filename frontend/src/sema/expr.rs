//! Expressions: names, members, literals, casts, conversions between types.

use super::scope::Symbol;
use super::typing::{plain, promoted};
use super::{Res, Sema};
use crate::hir::*;
use crate::layout;
use crate::types::{BitField, IntKind, Qual, Type, TypeId};
use lang_c::ast::{self, Expression};
use lang_c::span::{Node, Span};

/// What an expression denotes.
pub(super) enum Operand {
    Value(Expr),
    Place(Lval),
    /// A function designator, as the pointer to it.
    Function(Expr),
}

impl<'a> Sema<'a> {
    pub(super) fn operand(&mut self, e: &'a Node<Expression>) -> Res<Operand> {
        match &e.node {
            Expression::Identifier(id) => self.identifier(id),
            Expression::Constant(c) => Ok(Operand::Value(self.constant(c)?)),
            Expression::StringLiteral(s) => {
                let (lit, ty) = self.string(s)?;
                let loc = self.loc(s.span);
                Ok(Operand::Place(self.string_place(lit, ty, loc)))
            }
            Expression::GenericSelection(g) => self.generic(g),
            Expression::Member(m) => Ok(Operand::Place(self.member_access(m)?)),
            Expression::Call(call) => self.call(call),
            Expression::CompoundLiteral(literal) => Ok(Operand::Place(self.compound_literal(literal)?)),
            Expression::SizeOfTy(node) => {
                let ty = self.type_name(&node.node.0)?;
                let dims = match &node.node.0.node.declarator {
                    Some(declarator) if self.is_variable(ty.ty) => self.vla_dims(declarator)?,
                    _ => None,
                };
                match dims {
                    Some(dims) => Ok(Operand::Value(self.variable_size(ty.ty, dims, node.span))),
                    None => Ok(Operand::Value(self.size_expr(ty.ty, node.span)?)),
                }
            }
            Expression::SizeOfVal(node) => self.size_of_value(node),
            Expression::AlignOf(node) => {
                let ty = self.type_name(&node.node.0)?;
                // gcc 12's `_Alignof` is the alignment in a struct, `__alignof__` the preferred one.
                let align = match self.source.original(node.span.start).starts_with("_Alignof") {
                    true => layout::member_align(&self.unit.types, ty.ty),
                    false => layout::align_of(&self.unit.types, ty.ty),
                };
                Ok(Operand::Value(self.size_const(align, node.span)))
            }
            Expression::UnaryOperator(op) => self.unary(op),
            Expression::Cast(cast) => self.cast_expression(cast),
            Expression::BinaryOperator(_) => self.binary(e),
            Expression::Conditional(c) => Ok(Operand::Value(self.conditional(c)?)),
            Expression::Comma(list) => Ok(Operand::Value(self.comma(list, e.span)?)),
            Expression::OffsetOf(node) => Ok(Operand::Value(self.offset_of(node)?)),
            Expression::VaArg(node) => Ok(Operand::Value(self.va_arg(node)?)),
            Expression::Statement(body) => Ok(Operand::Value(self.statement_expression(body)?)),
        }
    }

    /// The value of an expression: lvalues are read, arrays and functions are pointers.
    pub(super) fn rvalue(&mut self, e: &'a Node<Expression>) -> Res<Expr> {
        let operand = self.operand(e)?;
        self.value(operand, e.span)
    }

    pub(super) fn value(&mut self, operand: Operand, span: Span) -> Res<Expr> {
        let lval = match operand {
            Operand::Value(value) | Operand::Function(value) => return Ok(value),
            Operand::Place(lval) => lval,
        };
        let loc = lval.loc;
        let ty = lval.ty.ty;
        match *self.ty(ty) {
            Type::Array { elem, .. } | Type::Vla { elem } => {
                let ty = self.pointer_to(elem);
                Ok(Expr { ty, loc, kind: ExprKind::Decay(Box::new(lval)) })
            }
            Type::Void => match lval.kind {
                LvalKind::Deref(pointer) => Ok(Expr { ty, loc, kind: ExprKind::Cast(pointer) }),
                _ => self.fail(span, "an object of type `void` is used"),
            },
            Type::Record(_) if !self.is_complete(ty) => {
                let text = self.describe(ty);
                self.fail(span, format!("`{text}` is not defined here"))
            }
            _ => Ok(Expr { ty, loc, kind: ExprKind::Load(Box::new(lval)) }),
        }
    }

    /// The type of an expression that is not evaluated.
    pub(super) fn type_of(&mut self, e: &'a Node<Expression>) -> Res<Qual> {
        Ok(match self.operand(e)? {
            Operand::Value(value) => plain(value.ty),
            Operand::Place(lval) => lval.ty,
            Operand::Function(pointer) => self.pointee(pointer.ty).unwrap_or(plain(pointer.ty)),
        })
    }

    pub(super) fn place(&mut self, e: &'a Node<Expression>) -> Res<Lval> {
        match self.operand(e)? {
            Operand::Place(lval) => Ok(lval),
            Operand::Value(Expr { kind: ExprKind::Unsupported(text), ty, loc }) => {
                // Keeps the obligation: a place that is nowhere.
                let pointer = Expr { ty: self.pointer_to(plain(ty)), loc, kind: ExprKind::Unsupported(text) };
                Ok(Lval { ty: plain(ty), loc, kind: LvalKind::Deref(Box::new(pointer)) })
            }
            Operand::Value(_) | Operand::Function(_) => self.fail(e.span, "this is not an object one can assign to"),
        }
    }

    fn identifier(&mut self, id: &'a Node<ast::Identifier>) -> Res<Operand> {
        let name = id.node.name.as_str();
        let loc = self.loc(id.span);
        match self.scope.lookup(name) {
            Some(Symbol::Object(obj)) => {
                let ty = self.unit.objects[obj].ty;
                Ok(Operand::Place(Lval { ty, loc, kind: LvalKind::Object(obj) }))
            }
            Some(Symbol::Func(func)) => Ok(Operand::Function(self.function_pointer(func, loc))),
            Some(Symbol::Constant(value, ty)) => Ok(Operand::Value(Expr { ty, loc, kind: ExprKind::Int(value) })),
            Some(Symbol::Typedef(..)) => self.fail(id.span, format!("`{name}` is a type, not a value")),
            None => self.unknown_identifier(name, id.span, loc),
        }
    }

    fn unknown_identifier(&mut self, name: &'a str, span: Span, loc: Loc) -> Res<Operand> {
        if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
            let text = self.function_name();
            let units = text.bytes().map(u32::from).chain([0]).collect();
            let (lit, ty) = self.new_string(units, IntKind::Char);
            return Ok(Operand::Place(self.string_place(lit, ty, loc)));
        }
        if let Some(func) = self.known_function(name, span) {
            return Ok(Operand::Function(self.function_pointer(func, loc)));
        }
        if !self.first_report(name) {
            return Err(super::Reported);
        }
        self.fail(span, format!("`{name}` is not declared"))
    }

    pub(super) fn function_pointer(&mut self, func: Func, loc: Loc) -> Expr {
        let ty = self.unit.functions[func].ty;
        let ty = self.pointer_to(plain(ty));
        Expr { ty, loc, kind: ExprKind::FuncAddr(func) }
    }

    fn generic(&mut self, node: &'a Node<ast::GenericSelection>) -> Res<Operand> {
        let value = self.rvalue(&node.node.expression)?;
        let mut default = None;
        for association in &node.node.associations {
            match &association.node {
                ast::GenericAssociation::Type(t) => {
                    let ty = self.type_name(&t.node.type_name)?;
                    if ty.ty == value.ty || self.composite(ty.ty, value.ty).is_some() {
                        return self.operand(&t.node.expression);
                    }
                }
                ast::GenericAssociation::Default(e) => default = Some(e),
            }
        }
        match default {
            Some(e) => self.operand(e),
            None => {
                let text = self.describe(value.ty);
                self.fail(node.span, format!("no association fits the type `{text}`"))
            }
        }
    }

    fn member_access(&mut self, node: &'a Node<ast::MemberExpression>) -> Res<Lval> {
        let base = &node.node.expression;
        let loc = self.loc(node.span);
        let record = match node.node.operator.node {
            ast::MemberOperator::Direct => match self.operand(base)? {
                Operand::Place(lval) => lval,
                Operand::Value(value) => {
                    Lval { ty: plain(value.ty), loc: value.loc, kind: LvalKind::Temp(Box::new(value)) }
                }
                Operand::Function(_) => return self.fail(base.span, "a function has no members"),
            },
            ast::MemberOperator::Indirect => {
                let pointer = self.rvalue(base)?;
                let Some(to) = self.pointee(pointer.ty) else {
                    let text = self.describe(pointer.ty);
                    return self.fail(base.span, format!("`->` needs a pointer, not `{text}`"));
                };
                Lval { ty: to, loc: pointer.loc, kind: LvalKind::Deref(Box::new(pointer)) }
            }
        };
        self.select(record, &node.node.identifier.node.name, node.node.identifier.span, loc)
    }

    fn select(&mut self, base: Lval, name: &str, span: Span, loc: Loc) -> Res<Lval> {
        let Some(path) = self.member_path(base.ty.ty, name) else {
            let text = self.describe(base.ty.ty);
            return match self.ty(base.ty.ty) {
                Type::Record(_) if !self.is_complete(base.ty.ty) => {
                    self.fail(span, format!("`{text}` is not defined here"))
                }
                _ => self.fail(span, format!("`{text}` has no member `{name}`")),
            };
        };
        let mut lval = base;
        for index in path {
            let volatile = lval.ty.volatile;
            let field = self.field_type(lval.ty.ty, index);
            let mut ty = field;
            if volatile {
                ty = self.make_volatile(field);
            }
            lval = Lval { ty, loc, kind: LvalKind::Member { base: Box::new(lval), index } };
        }
        Ok(lval)
    }

    fn field_type(&self, record: TypeId, index: u32) -> Qual {
        match self.ty(record) {
            Type::Record(r) => match &self.unit.types.records[*r].layout {
                Some(layout) => layout.fields[index as usize].ty,
                None => plain(self.basic.int),
            },
            _ => plain(self.basic.int),
        }
    }

    /// The way to a member, through anonymous members where needed.
    pub(super) fn member_path(&self, ty: TypeId, name: &str) -> Option<Vec<u32>> {
        let Type::Record(record) = self.ty(ty) else { return None };
        let fields = &self.unit.types.records[*record].layout.as_ref()?.fields;
        if let Some(i) = fields.iter().position(|f| f.name == name) {
            return Some(vec![i as u32]);
        }
        for (i, field) in fields.iter().enumerate().filter(|(_, f)| f.name.is_empty()) {
            if let Some(mut path) = self.member_path(field.ty.ty, name) {
                path.insert(0, i as u32);
                return Some(path);
            }
        }
        None
    }

    pub(super) fn size_const(&mut self, size: u64, span: Span) -> Expr {
        Expr { ty: self.basic.size, loc: self.loc(span), kind: ExprKind::Int(i128::from(size)) }
    }

    pub(super) fn size_expr(&mut self, ty: TypeId, span: Span) -> Res<Expr> {
        if self.is_variable(ty) {
            return Ok(self.unsupported(self.basic.size, span, "the size of a variable-length array"));
        }
        let size = match self.ty(ty) {
            Type::Void | Type::Function(_) => Some(1),
            _ => layout::size_of(&self.unit.types, ty),
        };
        match size {
            Some(size) => Ok(self.size_const(size, span)),
            None => {
                let text = self.describe(ty);
                self.fail(span, format!("the size of `{text}` is not known"))
            }
        }
    }

    fn size_of_value(&mut self, node: &'a Node<ast::SizeOfVal>) -> Res<Operand> {
        let e = &node.node.0;
        if let Expression::Identifier(id) = &e.node {
            if let Some(ty) = self.typedef_of(&id.node.name) {
                return Ok(Operand::Value(self.size_expr(ty.ty, node.span)?));
            }
        }
        let ty = self.type_of(e)?;
        match self.kept_sizes(e) {
            Some(sizes) if self.is_variable(ty.ty) => {
                let loc = self.loc(node.span);
                let dims = sizes.into_iter().map(|obj| self.load_object(obj, loc)).collect();
                Ok(Operand::Value(self.variable_size(ty.ty, dims, node.span)))
            }
            _ => Ok(Operand::Value(self.size_expr(ty.ty, node.span)?)),
        }
    }

    /// The sizes of a variable-length array, or of an array in one: `a`, `a[i]`, `*a`.
    fn kept_sizes(&self, e: &'a Node<Expression>) -> Option<Vec<Obj>> {
        let (mut at, mut depth) = (e, 0);
        loop {
            match &at.node {
                Expression::Identifier(id) => {
                    let Some(Symbol::Object(obj)) = self.scope.lookup(&id.node.name) else { return None };
                    return self.vla_sizes.get(&obj)?.get(depth..).map(<[Obj]>::to_vec);
                }
                Expression::BinaryOperator(node) if node.node.operator.node == ast::BinaryOperator::Index => {
                    at = &node.node.lhs;
                }
                Expression::UnaryOperator(node) if node.node.operator.node == ast::UnaryOperator::Indirection => {
                    at = &node.node.operand;
                }
                _ => return None,
            }
            depth += 1;
        }
    }

    /// The size of an array type with these numbers of elements.
    fn variable_size(&mut self, ty: TypeId, dims: Vec<Expr>, span: Span) -> Expr {
        let mut elem = ty;
        while let Type::Array { elem: inner, .. } | Type::Vla { elem: inner } = self.ty(elem) {
            elem = inner.ty;
        }
        let Some(bytes) = layout::size_of(&self.unit.types, elem) else {
            return self.unsupported(self.basic.size, span, "the size of a variable-length array");
        };
        let (size, loc) = (self.basic.size, self.loc(span));
        let mut product = self.size_const(bytes, span);
        for dim in dims {
            let right = Box::new(self.convert(dim, size, loc));
            let kind = ExprKind::Binary { op: BinaryOp::Mul, left: Box::new(product), right };
            product = Expr { ty: size, loc, kind };
        }
        product
    }

    fn offset_of(&mut self, node: &'a Node<ast::OffsetOfExpression>) -> Res<Expr> {
        let mut ty = self.type_name(&node.node.type_name)?.ty;
        let mut offset = 0u64;
        let designator = &node.node.designator.node;
        self.offset_member(&mut ty, &mut offset, &designator.base)?;
        for member in &designator.members {
            match &member.node {
                ast::OffsetMember::Member(id) => self.offset_member(&mut ty, &mut offset, id)?,
                ast::OffsetMember::IndirectMember(id) => {
                    if let Type::Array { elem, .. } = self.ty(ty) {
                        ty = elem.ty;
                    }
                    self.offset_member(&mut ty, &mut offset, id)?;
                }
                ast::OffsetMember::Index(e) => {
                    let Type::Array { elem, .. } = *self.ty(ty) else {
                        return self.fail(e.span, "only an array can be indexed here");
                    };
                    let value = self.rvalue(e)?;
                    let Some(index) = self.fold_int(&value).and_then(|i| u64::try_from(i).ok()) else {
                        return Ok(self.unsupported(self.basic.size, e.span, "offsetof with a variable index"));
                    };
                    let size = layout::size_of(&self.unit.types, elem.ty).unwrap_or(0);
                    offset = offset.wrapping_add(size.wrapping_mul(index));
                    ty = elem.ty;
                }
            }
        }
        Ok(self.size_const(offset, node.span))
    }

    fn offset_member(&mut self, ty: &mut TypeId, offset: &mut u64, id: &'a Node<ast::Identifier>) -> Res<()> {
        let Some(path) = self.member_path(*ty, &id.node.name) else {
            let text = self.describe(*ty);
            return self.fail(id.span, format!("`{text}` has no member `{}`", id.node.name));
        };
        for index in path {
            if let Type::Record(r) = self.ty(*ty) {
                if let Some(layout) = &self.unit.types.records[*r].layout {
                    let field = &layout.fields[index as usize];
                    *offset += field.offset;
                    *ty = field.ty.ty;
                }
            }
        }
        Ok(())
    }

    fn cast_expression(&mut self, node: &'a Node<ast::CastExpression>) -> Res<Operand> {
        let to = self.type_name(&node.node.type_name)?.ty;
        let value = self.rvalue(&node.node.expression)?;
        let loc = self.loc(node.span);
        let span = node.span;
        if self.is_void(to) {
            return Ok(Operand::Value(Expr { ty: to, loc, kind: ExprKind::Cast(Box::new(value)) }));
        }
        if self.is_opaque(to) || self.is_opaque(value.ty) {
            let text = format!("conversion to `{}`", self.describe(to));
            return Ok(Operand::Value(self.unsupported(to, span, text)));
        }
        if self.is_scalar(to) && self.is_scalar(value.ty) {
            let float_pointer = |a: &Type, b: &Type| matches!((a, b), (Type::Float(_), Type::Pointer(_)));
            if float_pointer(self.ty(to), self.ty(value.ty)) || float_pointer(self.ty(value.ty), self.ty(to)) {
                return self.fail(span, "a pointer and a float cannot be converted into each other");
            }
            return Ok(Operand::Value(self.convert(value, to, loc)));
        }
        if value.ty == to {
            return Ok(Operand::Value(value));
        }
        if matches!(self.ty(to), Type::Record(r) if self.unit.types.records[*r].union) {
            return Ok(Operand::Value(self.unsupported(to, span, "a cast to a union type")));
        }
        let (from, to) = (self.describe(value.ty), self.describe(to));
        self.fail(span, format!("`{from}` cannot be cast to `{to}`"))
    }

    /// Converts between scalar types; constants at once.
    pub(super) fn convert(&mut self, value: Expr, to: TypeId, loc: Loc) -> Expr {
        if value.ty == to {
            return value;
        }
        let constant = match &value.kind {
            ExprKind::Int(v) => self.convert_const(super::fold::Const::Int(*v), to),
            ExprKind::Float { format, bits } => self.convert_const(super::fold::Const::Float(*format, *bits), to),
            _ => None,
        };
        let kind = match constant {
            Some(super::fold::Const::Int(v)) => ExprKind::Int(v),
            Some(super::fold::Const::Float(format, bits)) => ExprKind::Float { format, bits },
            None => ExprKind::Cast(Box::new(value)),
        };
        Expr { ty: to, loc, kind }
    }

    /// Converts as by assignment.
    pub(super) fn assign_convert(&mut self, value: Expr, to: TypeId, span: Span) -> Res<Expr> {
        if value.ty == to && !self.is_void(to) {
            return Ok(value);
        }
        let loc = value.loc;
        let ok = match (self.ty(to), self.ty(value.ty)) {
            (Type::Int(_) | Type::Float(_), Type::Int(_) | Type::Float(_)) => true,
            (Type::Pointer(_), Type::Pointer(_) | Type::Int(_)) | (Type::Int(_), Type::Pointer(_)) => true,
            (Type::Record(_), Type::Record(_)) => {
                if self.composite(to, value.ty).is_some() {
                    return Ok(value);
                }
                false
            }
            (Type::Opaque(_), _) | (_, Type::Opaque(_)) => {
                let text = format!("conversion to `{}`", self.describe(to));
                return Ok(self.unsupported(to, span, text));
            }
            _ => false,
        };
        if !ok {
            let (from, to) = (self.describe(value.ty), self.describe(to));
            return self.fail(span, format!("`{from}` cannot be converted to `{to}`"));
        }
        Ok(self.convert(value, to, loc))
    }

    /// The bit-field whose value this is: its type is as narrow as it.
    fn bit_field_of(&self, e: &Expr) -> Option<BitField> {
        match &e.kind {
            ExprKind::Load(lval)
            | ExprKind::Assign { lval, .. }
            | ExprKind::AssignOp { lval, .. }
            | ExprKind::IncDec { lval, .. } => self.bit_field(lval),
            ExprKind::Comma(_, right) => self.bit_field_of(right),
            _ => None,
        }
    }

    pub(super) fn bit_field(&self, lval: &Lval) -> Option<BitField> {
        let LvalKind::Member { base, index } = &lval.kind else { return None };
        let Type::Record(record) = self.ty(base.ty.ty) else { return None };
        self.unit.types.records[*record].layout.as_ref()?.fields.get(*index as usize)?.bits
    }

    /// The promoted type of an integer value.
    pub(super) fn promoted_kind(&self, e: &Expr) -> Option<IntKind> {
        let kind = self.int_kind(e.ty)?;
        match self.bit_field_of(e) {
            Some(bits) => Some(self.bit_field_kind(kind, bits)),
            None => Some(promoted(kind)),
        }
    }

    fn bit_field_kind(&self, kind: IntKind, bits: BitField) -> IntKind {
        match bits.width {
            ..=31 => IntKind::Int,
            32 if kind.signed() => IntKind::Int,
            32 => IntKind::UInt,
            width if width < kind.bits(self.unit.types.model) => IntKind::Field { width, signed: kind.signed() },
            _ => kind,
        }
    }

    /// The integer promotions.
    pub(super) fn promote(&mut self, value: Expr) -> Expr {
        let Some(kind) = self.promoted_kind(&value) else { return value };
        let (to, loc) = (self.int_type(kind), value.loc);
        self.convert(value, to, loc)
    }

    /// What arguments without a parameter type become.
    pub(super) fn default_promote(&mut self, value: Expr) -> Expr {
        if value.ty == self.basic.float {
            let loc = value.loc;
            return self.convert(value, self.basic.double, loc);
        }
        let value = self.promote(value);
        let loc = value.loc;
        match self.int_kind(value.ty) {
            // Passed like the type it was declared with.
            Some(IntKind::Field { signed: true, .. }) => {
                let to = self.int_type(IntKind::LongLong);
                self.convert(value, to, loc)
            }
            Some(IntKind::Field { signed: false, .. }) => {
                let to = self.int_type(IntKind::ULongLong);
                self.convert(value, to, loc)
            }
            _ => value,
        }
    }
}
