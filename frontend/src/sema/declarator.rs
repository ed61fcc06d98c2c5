//! Declarators: what `*a[3]` or `(*f)(int)` makes of a type; type names.

use super::scope::Symbol;
use super::typing::plain;
use super::{Res, Sema};
use crate::layout;
use crate::types::{Qual, Signature, Type, TypeId};
use lang_c::ast::*;
use lang_c::span::{Node, Span};

#[derive(Copy, Clone, Debug)]
pub(super) struct Parameter<'a> {
    pub name: Option<(&'a str, Span)>,
    pub ty: Qual,
    pub span: Span,
}

pub(super) struct Declared<'a> {
    pub name: Option<(&'a str, Span)>,
    pub ty: Qual,
    pub extensions: &'a [Node<Extension>],
}

impl<'a> Sema<'a> {
    /// Leaves the parameters of the function declared, if it is one, in `self.parameters`.
    pub(super) fn declarator(&mut self, node: &'a Node<Declarator>, base: Qual) -> Res<Declared<'a>> {
        let mut ty = base;
        let mut declarator = &node.node;
        loop {
            ty = self.derive(ty, &declarator.derived, node.span)?;
            match &declarator.kind.node {
                DeclaratorKind::Declarator(inner) => declarator = &inner.node,
                DeclaratorKind::Identifier(id) => {
                    let name = Some((id.node.name.as_str(), id.span));
                    return Ok(Declared { name, ty, extensions: &node.node.extensions });
                }
                DeclaratorKind::Abstract => return Ok(Declared { name: None, ty, extensions: &node.node.extensions }),
            }
        }
    }

    pub(super) fn type_name(&mut self, node: &'a Node<TypeName>) -> Res<Qual> {
        let (base, _) = self.qualifier_specs(&node.node.specifiers, node.span)?;
        match &node.node.declarator {
            Some(declarator) => Ok(self.declarator(declarator, base)?.ty),
            None => Ok(base),
        }
    }

    /// Pointers come first and bind last; then arrays and functions, the last of them innermost.
    fn derive(&mut self, base: Qual, derived: &'a [Node<DerivedDeclarator>], span: Span) -> Res<Qual> {
        let is_pointer =
            |d: &Node<DerivedDeclarator>| matches!(d.node, DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_));
        let pointers = derived.iter().take_while(|d| is_pointer(d)).count();
        let mut ty = base;
        for node in &derived[..pointers] {
            if let DerivedDeclarator::Pointer(qualifiers) | DerivedDeclarator::Block(qualifiers) = &node.node {
                ty = plain(self.pointer_to(ty));
                ty.volatile = qualifiers.iter().any(|q| match &q.node {
                    PointerQualifier::TypeQualifier(q) => q.node == TypeQualifier::Volatile,
                    PointerQualifier::Extension(_) => false,
                });
            }
        }
        for node in derived[pointers..].iter().rev() {
            ty = match &node.node {
                DerivedDeclarator::Array(array) => self.array(ty, &array.node, node.span)?,
                DerivedDeclarator::Function(function) => self.function(ty, &function.node, node.span)?,
                DerivedDeclarator::KRFunction(names) => self.old_function(ty, names, node.span)?,
                DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_) => {
                    return self.fail(span, "this declarator cannot be read");
                }
            };
        }
        Ok(ty)
    }

    fn array(&mut self, elem: Qual, array: &'a ArrayDeclarator, span: Span) -> Res<Qual> {
        if matches!(self.ty(elem.ty), Type::Function(_) | Type::Void) || !self.is_complete(elem.ty) {
            let text = self.describe(elem.ty);
            return self.fail(span, format!("an array cannot have elements of type `{text}`"));
        }
        let ty = match &array.size {
            ArraySize::Unknown => Type::Array { elem, len: None },
            ArraySize::VariableUnknown => Type::Vla { elem },
            ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e) => match self.array_len(e)? {
                Some(len) if self.is_variable(elem.ty) => {
                    let _ = len;
                    Type::Vla { elem }
                }
                Some(len) => {
                    let size = layout::size_of(&self.unit.types, elem.ty).and_then(|s| s.checked_mul(len));
                    if size.is_none_or(|s| s > layout::max_object(self.unit.types.model)) {
                        return self.fail(span, "the array is too large");
                    }
                    Type::Array { elem, len: Some(len) }
                }
                None => Type::Vla { elem },
            },
        };
        Ok(plain(self.unit.types.intern(ty)))
    }

    /// `None` for a size known only at run time.
    fn array_len(&mut self, e: &'a Node<Expression>) -> Res<Option<u64>> {
        let known = self.errors.len();
        let value = match self.rvalue(e) {
            Ok(value) => value,
            Err(_) if self.prototype_depth > 0 => {
                // The size names a parameter, which has no object in a prototype.
                self.errors.truncate(known);
                return Ok(None);
            }
            Err(reported) => return Err(reported),
        };
        if self.int_kind(value.ty).is_none() {
            return self.fail(e.span, "the size of an array must be an integer");
        }
        match self.fold_int(&value) {
            Some(n) => match u64::try_from(n) {
                Ok(n) => Ok(Some(n)),
                Err(_) => self.fail(e.span, "the size of the array is negative"),
            },
            None if self.scope.depth() == 0 && self.prototype_depth == 0 => {
                self.fail(e.span, "the size of an array at file scope must be constant")
            }
            None => Ok(None),
        }
    }

    fn check_result(&mut self, result: Qual, span: Span) -> Res<TypeId> {
        match self.ty(result.ty) {
            Type::Array { .. } | Type::Function(_) | Type::Vla { .. } => {
                self.fail(span, "a function cannot return an array or a function")
            }
            _ => Ok(result.ty),
        }
    }

    fn function(&mut self, result: Qual, f: &'a FunctionDeclarator, span: Span) -> Res<Qual> {
        let result = self.check_result(result, span)?;
        if f.parameters.is_empty() {
            return self.old_function(plain(result), &[], span);
        }
        self.scope.enter();
        self.prototype_depth += 1;
        let parameters = self.parameter_list(&f.parameters);
        self.prototype_depth -= 1;
        self.scope.leave();
        let parameters = parameters?;
        let signature = Signature {
            result,
            params: parameters.iter().map(|p| p.ty.ty).collect(),
            variadic: f.ellipsis == Ellipsis::Some,
            prototyped: true,
        };
        self.parameters = parameters;
        Ok(plain(self.unit.types.intern(Type::Function(signature))))
    }

    fn parameter_list(&mut self, list: &'a [Node<ParameterDeclaration>]) -> Res<Vec<Parameter<'a>>> {
        let mut parameters = Vec::with_capacity(list.len());
        for node in list {
            let specs = self.specs(&node.node.specifiers, node.span)?;
            let declared = match &node.node.declarator {
                Some(declarator) => self.declarator(declarator, specs.ty)?,
                None => Declared { name: None, ty: specs.ty, extensions: &[] },
            };
            if self.is_void(declared.ty.ty) {
                if list.len() == 1 && declared.name.is_none() {
                    return Ok(Vec::new());
                }
                return self.fail(node.span, "a parameter has type `void`");
            }
            let ty = self.adjust_parameter(declared.ty);
            parameters.push(Parameter { name: declared.name, ty, span: node.span });
        }
        Ok(parameters)
    }

    /// `T f()` and `T f(a, b)`.
    fn old_function(&mut self, result: Qual, names: &'a [Node<Identifier>], span: Span) -> Res<Qual> {
        let result = self.check_result(result, span)?;
        let int = plain(self.basic.int);
        self.parameters = names
            .iter()
            .map(|id| Parameter { name: Some((id.node.name.as_str(), id.span)), ty: int, span: id.span })
            .collect();
        let signature = Signature { result, params: Vec::new(), variadic: false, prototyped: false };
        Ok(plain(self.unit.types.intern(Type::Function(signature))))
    }

    /// The types that the declarations between `f(a, b)` and `{` give the parameters.
    pub(super) fn old_parameters(&mut self, declarations: &'a [Node<Declaration>]) -> Res<()> {
        let mut parameters = std::mem::take(&mut self.parameters);
        for declaration in declarations {
            let specs = self.specs(&declaration.node.specifiers, declaration.span)?;
            for node in &declaration.node.declarators {
                let declared = self.declarator(&node.node.declarator, specs.ty)?;
                let ty = self.adjust_parameter(declared.ty);
                let Some((name, span)) = declared.name else { continue };
                match parameters.iter_mut().find(|p| p.name.is_some_and(|(n, _)| n == name)) {
                    Some(parameter) => parameter.ty = ty,
                    None => return self.fail(span, format!("`{name}` is not a parameter")),
                }
            }
        }
        self.parameters = parameters;
        Ok(())
    }

    /// Whether an expression is only the name of a type: the parser cannot always tell.
    pub(super) fn typedef_of(&self, name: &str) -> Option<Qual> {
        match self.scope.lookup(name) {
            Some(Symbol::Typedef(ty, _)) => Some(ty),
            _ => None,
        }
    }
}
