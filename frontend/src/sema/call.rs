//! Calls, and functions that no declaration has introduced.

use super::expr::Operand;
use super::scope::Symbol;
use super::typing::plain;
use super::{External, Res, Sema};
use crate::hir::*;
use crate::mathlib;
use crate::standin;
use crate::types::{IntKind, Signature, Type, TypeId};
use cranelift_entity::PrimaryMap;
use lang_c::ast::{CallExpression, Expression};
use lang_c::span::{Node, Span};
use syncline_ir::FloatFormat;

/// Library functions that gcc knows by itself, with their types: result, then parameters, `.` for `...`.
/// v void, i int, l long, L long long, D long double, z size_t, d double, f float, p void *, s char *.
const LIBRARY: &[(&str, &str)] = &[
    ("abort", "v"),
    ("abs", "ii"),
    ("alloca", "pz"),
    ("calloc", "pzz"),
    ("exit", "vi"),
    ("free", "vp"),
    ("isdigit", "ii"),
    ("labs", "ll"),
    ("malloc", "pz"),
    ("memchr", "ppiz"),
    ("memcmp", "ippz"),
    ("memcpy", "pppz"),
    ("memmove", "pppz"),
    ("memset", "ppiz"),
    ("pow", "ddd"),
    ("printf", "is."),
    ("putchar", "ii"),
    ("puts", "is"),
    ("realloc", "ppz"),
    ("scanf", "is."),
    ("snprintf", "iszs."),
    ("sprintf", "iss."),
    ("strcat", "sss"),
    ("strchr", "ssi"),
    ("strcmp", "iss"),
    ("strcpy", "sss"),
    ("strlen", "zs"),
    ("strncmp", "issz"),
    ("strncpy", "sssz"),
    ("strrchr", "ssi"),
    ("strstr", "sss"),
];

pub(super) fn is_library(name: &str) -> bool {
    LIBRARY.binary_search_by_key(&name, |(n, _)| n).is_ok() || mathlib::signature(name).is_some()
}

impl<'a> Sema<'a> {
    pub(super) fn call(&mut self, node: &'a Node<CallExpression>) -> Res<Operand> {
        let callee = &node.node.callee;
        let args = &node.node.arguments;
        let mut function = None;
        if let Expression::Identifier(id) = &callee.node {
            let name = id.node.name.as_str();
            if self.scope.lookup(name).is_none() {
                if let Some(result) = self.builtin(name, args, node.span)? {
                    return Ok(result);
                }
                let func = match self.known_function(name, id.span) {
                    Some(func) => func,
                    // With a header that only stands in, nothing says what the function returns.
                    None if self.unit.files.iter().any(|file| standin::name(file).is_some()) => {
                        return self.fail(id.span, format!("`{name}` is not declared, and headers are missing"));
                    }
                    None => self.implicit_function(name, id.span),
                };
                let loc = self.loc(id.span);
                function = Some(self.function_pointer(func, loc));
            }
        }
        let pointer = match function {
            Some(pointer) => pointer,
            None => self.rvalue(callee)?,
        };
        if let ExprKind::Unsupported(_) = pointer.kind {
            if self.pointee(pointer.ty).is_none_or(|to| self.signature(to.ty).is_none()) {
                return Ok(Operand::Value(pointer));
            }
        }
        let signature = self.pointee(pointer.ty).and_then(|to| self.signature(to.ty)).cloned();
        let Some(signature) = signature else {
            let text = self.describe(pointer.ty);
            return self.fail(callee.span, format!("a value of type `{text}` cannot be called"));
        };
        let args = self.arguments(args, &signature, node.span)?;
        let loc = self.loc(node.span);
        let callee = match pointer.kind {
            ExprKind::FuncAddr(func) => Callee::Direct(func),
            _ => Callee::Indirect(Box::new(pointer)),
        };
        let kind = ExprKind::Call { callee, args };
        Ok(Operand::Value(Expr { ty: signature.result, loc, kind }))
    }

    fn arguments(&mut self, args: &'a [Node<Expression>], signature: &Signature, span: Span) -> Res<Vec<Expr>> {
        if signature.prototyped {
            let wanted = signature.params.len();
            if args.len() < wanted || (args.len() > wanted && !signature.variadic) {
                let message = format!("the call has {} arguments, the function takes {wanted}", args.len());
                return self.fail(span, message);
            }
        }
        let mut values = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            let value = self.rvalue(arg)?;
            if self.is_void(value.ty) {
                return self.fail(arg.span, "an argument has no value");
            }
            values.push(match signature.params.get(i) {
                Some(&ty) if signature.prototyped => self.assign_convert(value, ty, arg.span)?,
                _ => self.default_promote(value),
            });
        }
        Ok(values)
    }

    /// `f(1)` where nothing says what `f` is: `int f()`.
    pub(super) fn implicit_function(&mut self, name: &'a str, span: Span) -> Func {
        let signature = Signature { result: self.basic.int, params: Vec::new(), variadic: false, prototyped: false };
        let func = self.external_function(name, signature, span);
        self.implicit.insert(func);
        func
    }

    /// A library function that gcc declares by itself, also under its `__builtin_` name.
    pub(super) fn known_function(&mut self, name: &'a str, span: Span) -> Option<Func> {
        let plain_name = name.strip_prefix("__builtin_").unwrap_or(name);
        let listed = LIBRARY.binary_search_by_key(&plain_name, |(n, _)| n).ok().map(|at| LIBRARY[at].1.to_string());
        let types = listed.or_else(|| mathlib::signature(plain_name))?;
        if plain_name.len() != name.len() {
            if let Some(Symbol::Func(func)) = self.scope.lookup(plain_name) {
                return Some(func);
            }
        }
        let name = plain_name;
        let mut ids: Vec<TypeId> = Vec::new();
        for c in types.chars().filter(|&c| c != '.') {
            ids.push(match c {
                'v' => self.basic.void,
                'l' => self.basic.long,
                'z' => self.basic.size,
                'L' => self.int_type(IntKind::LongLong),
                'd' => self.basic.double,
                'D' => self.unit.types.intern(Type::Float(FloatFormat::X87)),
                'f' => self.basic.float,
                'p' => self.basic.void_ptr,
                's' => self.basic.char_ptr,
                _ => self.basic.int,
            });
        }
        let params = ids.split_off(1);
        let signature = Signature { result: ids[0], params, variadic: types.ends_with('.'), prototyped: true };
        let func = self.external_function(name, signature, span);
        self.implicit.insert(func);
        if matches!(name, "abort" | "exit") {
            self.unit.functions[func].noreturn = true;
        }
        Some(func)
    }

    /// The function with external linkage of that name; declared now if nobody has.
    fn external_function(&mut self, name: &'a str, signature: Signature, span: Span) -> Func {
        if let Some(External::Func(func)) = self.externals.get(name) {
            return *func;
        }
        let ty = self.unit.types.intern(Type::Function(signature));
        let func = self.new_function("", ty, span);
        self.claim(name, External::Func(func), true);
        func
    }

    pub(super) fn new_function(&mut self, name: &str, ty: TypeId, span: Span) -> Func {
        let loc = self.loc(span);
        self.unit.functions.push(Function {
            name: name.to_string(),
            ty,
            params: Vec::new(),
            rest: None,
            body: None,
            labels: PrimaryMap::new(),
            noreturn: false,
            library: false,
            loc,
        })
    }

    /// An object that has no name in the program.
    pub(super) fn new_object(&mut self, name: String, ty: TypeId, storage: Storage, loc: Loc) -> Obj {
        self.unit.objects.push(Object {
            name,
            ty: plain(ty),
            storage,
            defined: true,
            init: None,
            address_taken: false,
            written: false,
            blocking: false,
            loc,
        })
    }
}
