//! Declarations and definitions, and what links those of one name.

use super::declarator::Parameter;
use super::scope::Symbol;
use super::specs::{Attributes, Class, Specs};
use super::stmt::Body;
use super::typing::plain;
use super::{External, Res, Sema};
use crate::error::{FrontError, Place};
use crate::hir::*;
use crate::types::{Qual, Signature, Type, TypeId};
use lang_c::ast::{self, Declaration, ExternalDeclaration, InitDeclarator, TranslationUnit};
use lang_c::span::{Node, Span};

impl<'a> Sema<'a> {
    pub(super) fn translation_unit(&mut self, unit: &'a TranslationUnit) {
        for node in &unit.0 {
            // Whatever is wrong has been reported; the next declaration may be fine.
            let _ = match &node.node {
                ExternalDeclaration::Declaration(d) => self.file_declaration(d),
                ExternalDeclaration::StaticAssert(a) => self.static_assert(a),
                ExternalDeclaration::FunctionDefinition(f) => self.function_definition(f),
            };
        }
        self.complete_objects();
    }

    /// `int a[];` that nothing completes has one element; a record that nothing completes has no size.
    fn complete_objects(&mut self) {
        for obj in self.unit.objects.keys().collect::<Vec<_>>() {
            let object = &self.unit.objects[obj];
            if !object.defined {
                continue;
            }
            if let Type::Array { elem, len: None } = *self.ty(object.ty.ty) {
                let ty = self.unit.types.intern(Type::Array { elem, len: Some(1) });
                self.unit.objects[obj].ty.ty = ty;
            } else if !self.is_complete(object.ty.ty) {
                let Object { name, loc, ty, .. } = &self.unit.objects[obj];
                let message = format!("`{name}` has the incomplete type `{}`", self.describe(ty.ty));
                let file = self.unit.files[loc.file as usize].clone();
                self.errors.push(FrontError::new(Place { file, line: loc.line, column: loc.column }, message));
            }
        }
    }

    fn file_declaration(&mut self, node: &'a Node<Declaration>) -> Res<()> {
        let specs = self.specs(&node.node.specifiers, node.span)?;
        for declarator in &node.node.declarators {
            let _ = self.file_declarator(declarator, &specs);
        }
        Ok(())
    }

    /// Name, type and attributes of one declarator.
    fn declared(&mut self, node: &'a Node<InitDeclarator>, specs: &Specs) -> Res<(&'a str, Span, Qual, Attributes)> {
        let declared = self.declarator(&node.node.declarator, specs.ty)?;
        let mut attributes = specs.attributes.clone();
        let mut own = Attributes::default();
        self.attributes(declared.extensions, &mut own)?;
        let ty = self.apply_attributes(declared.ty, &own);
        attributes.noreturn |= own.noreturn;
        attributes.blocking |= own.blocking;
        attributes.align = attributes.align.max(own.align);
        let Some((name, span)) = declared.name else { return self.fail(node.span, "a name is missing") };
        Ok((name, span, ty, attributes))
    }

    fn typedef(&mut self, name: &'a str, span: Span, ty: Qual, align: Option<u64>) -> Res<()> {
        match self.scope.lookup_here(name) {
            Some(Symbol::Typedef(old, _)) if self.composite(old.ty, ty.ty).is_some() => {}
            Some(_) => return self.fail(span, format!("`{name}` is declared twice, as different things")),
            None => {}
        }
        self.scope.declare(name, Symbol::Typedef(ty, align));
        Ok(())
    }

    fn file_declarator(&mut self, node: &'a Node<InitDeclarator>, specs: &Specs) -> Res<()> {
        let (name, span, mut ty, attributes) = self.declared(node, specs)?;
        if specs.class == Class::Typedef {
            return self.typedef(name, span, ty, attributes.align);
        }
        if specs.auto_type {
            ty = self.auto_type(node)?;
        }
        if matches!(self.ty(ty.ty), Type::Function(_)) {
            self.declare_function(name, span, ty.ty, specs.class, attributes.noreturn)?;
            return Ok(());
        }
        let obj = self.file_object(name, span, ty, specs.class)?;
        self.unit.objects[obj].blocking |= attributes.blocking;
        let initializer = node.node.initializer.as_ref();
        if specs.class == Class::Extern && initializer.is_none() {
            return Ok(());
        }
        let Some(initializer) = initializer else {
            // Tentative: the type may be completed later, but never that of a static object.
            self.unit.objects[obj].defined = true;
            return Ok(());
        };
        if self.unit.objects[obj].init.is_some() {
            return self.fail(span, format!("`{name}` is initialised twice"));
        }
        let ty = self.unit.objects[obj].ty;
        self.unit.objects[obj].defined = true;
        let (init, complete) = self.initializer(ty, initializer, true)?;
        let object = &mut self.unit.objects[obj];
        object.init = Some(init);
        object.ty.ty = complete;
        Ok(())
    }

    /// The object that a declaration at file scope means.
    fn file_object(&mut self, name: &'a str, span: Span, ty: Qual, class: Class) -> Res<Obj> {
        if self.is_void(ty.ty) {
            return self.fail(span, format!("`{name}` has type `void`"));
        }
        if self.is_variable(ty.ty) {
            return self.fail(span, format!("the size of `{name}` is not constant"));
        }
        let here = self.scope.lookup_here(name);
        let known = match (here, class) {
            (Some(Symbol::Object(obj)), _) => Some(obj),
            (Some(_), _) => return self.fail(span, format!("`{name}` is declared twice, as different things")),
            (None, Class::Static) => None,
            (None, _) => match self.externals.get(name) {
                Some(External::Object(obj)) => Some(*obj),
                Some(External::Func(_)) => {
                    return self.fail(span, format!("`{name}` is declared twice, as different things"));
                }
                None => None,
            },
        };
        let obj = match known {
            Some(obj) => {
                self.merge_object(obj, name, span, ty)?;
                obj
            }
            None => self.linked_object(name, span, ty, class),
        };
        self.scope.declare(name, Symbol::Object(obj));
        Ok(obj)
    }

    fn merge_object(&mut self, obj: Obj, name: &str, span: Span, ty: Qual) -> Res<()> {
        let old = self.unit.objects[obj].ty;
        match self.composite(old.ty, ty.ty) {
            Some(merged) => {
                self.unit.objects[obj].ty = Qual { ty: merged, volatile: old.volatile || ty.volatile };
                Ok(())
            }
            None => {
                let (old, new) = (self.describe(old.ty), self.describe(ty.ty));
                self.fail(span, format!("conflicting types for `{name}`: `{old}` and `{new}`"))
            }
        }
    }

    fn linked_object(&mut self, name: &str, span: Span, ty: Qual, class: Class) -> Obj {
        let loc = self.loc(span);
        let storage = if class == Class::Static { Storage::Static } else { Storage::Global };
        let obj = self.new_object(String::new(), ty.ty, storage, loc);
        let object = &mut self.unit.objects[obj];
        object.ty = ty;
        object.defined = false;
        self.claim(name, External::Object(obj), class != Class::Static);
        obj
    }

    /// Gives the thing its name. External names are kept as they are; a static that has the same one is renamed.
    pub(super) fn claim(&mut self, name: &str, what: External, external: bool) {
        if external {
            self.externals.insert(name.to_string(), what);
            if let Some(other) = self.taken.insert(name.to_string(), what) {
                let renamed = self.fresh_name(name);
                self.rename(other, renamed);
            }
            self.rename(what, name.to_string());
        } else if self.taken.contains_key(name) {
            let fresh = self.fresh_name(name);
            self.rename(what, fresh);
        } else {
            self.taken.insert(name.to_string(), what);
            self.rename(what, name.to_string());
        }
    }

    fn fresh_name(&self, name: &str) -> String {
        let mut n = 2;
        loop {
            let candidate = format!("{name}.{n}");
            if !self.taken.contains_key(&candidate) {
                return candidate;
            }
            n += 1;
        }
    }

    fn rename(&mut self, what: External, name: String) {
        self.taken.insert(name.clone(), what);
        match what {
            External::Object(obj) => self.unit.objects[obj].name = name,
            External::Func(func) => self.unit.functions[func].name = name,
        }
    }

    pub(super) fn declare_function(
        &mut self,
        name: &'a str,
        span: Span,
        ty: TypeId,
        class: Class,
        noreturn: bool,
    ) -> Res<Func> {
        let known = match self.scope.lookup_depth(name) {
            Some((Symbol::Func(func), _)) => Some(func),
            Some(_) if self.scope.lookup_here(name).is_some() => {
                return self.fail(span, format!("`{name}` is declared twice, as different things"));
            }
            _ if class == Class::Static => None,
            _ => match self.externals.get(name) {
                Some(External::Func(func)) => Some(*func),
                Some(External::Object(_)) => {
                    return self.fail(span, format!("`{name}` is declared twice, as different things"));
                }
                None => None,
            },
        };
        let func = match known {
            Some(func) => {
                self.merge_function(func, name, span, ty)?;
                func
            }
            None => {
                let func = self.new_function("", ty, span);
                self.claim(name, External::Func(func), class != Class::Static);
                func
            }
        };
        self.unit.functions[func].noreturn |= noreturn;
        self.scope.declare(name, Symbol::Func(func));
        Ok(func)
    }

    fn merge_function(&mut self, func: Func, name: &str, span: Span, ty: TypeId) -> Res<()> {
        let old = self.unit.functions[func].ty;
        let implicit = self.implicit.remove(&func);
        let merged = match self.composite(old, ty) {
            Some(merged) => merged,
            // gcc warns, and what it knows of the library function stays true of the calls.
            None if implicit && super::call::is_library(name) => old,
            None => {
                let (old, new) = (self.describe(old), self.describe(ty));
                let what = if implicit { "an earlier call took it for" } else { "it was declared as" };
                return self.fail(span, format!("conflicting types for `{name}`: {what} `{old}`, now `{new}`"));
            }
        };
        self.unit.functions[func].ty = merged;
        Ok(())
    }

    fn function_definition(&mut self, node: &'a Node<ast::FunctionDefinition>) -> Res<()> {
        let definition = &node.node;
        let specs = self.specs(&definition.specifiers, node.span)?;
        self.scope.enter();
        let result = self.function_head(definition, &specs, node.span);
        self.scope.leave();
        let (name, span, ty, noreturn) = result?;
        let parameters = std::mem::take(&mut self.parameters);
        let func = self.declare_function(name, span, ty, specs.class, noreturn)?;
        if self.unit.functions[func].body.is_some() && !self.inline_only.remove(&func) {
            return self.fail(span, format!("function `{name}` is defined twice"));
        }
        if specs.class == Class::Extern && specs.inline {
            self.inline_only.insert(func);
        }
        let Some(result) = self.signature(ty).map(|s| s.result) else {
            return self.fail(span, format!("`{name}` is not a function"));
        };
        if !self.is_void(result) && !self.is_complete(result) {
            return self.fail(span, format!("`{name}` returns an incomplete type"));
        }
        self.body = Some(Body::new(func, result));
        self.scope.enter();
        let params = self.parameter_objects(&parameters);
        let stmts = match &definition.statement.node {
            ast::Statement::Compound(items) => self.block_items(items),
            _ => Vec::new(),
        };
        self.scope.leave();
        self.check_labels();
        let rest = self.body.take().and_then(|body| body.rest);
        let loc = self.loc(span);
        let function = &mut self.unit.functions[func];
        function.params = params;
        function.params.extend(rest);
        function.rest = rest;
        function.body = Some(stmts);
        function.loc = loc;
        Ok(())
    }

    fn parameter_objects(&mut self, parameters: &[Parameter<'a>]) -> Vec<Obj> {
        let mut params = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            let loc = self.loc(parameter.span);
            let name = parameter.name.map_or("", |(name, _)| name);
            let obj = self.new_object(name.to_string(), parameter.ty.ty, Storage::Param, loc);
            self.unit.objects[obj].ty = parameter.ty;
            if !self.is_complete(parameter.ty.ty) {
                self.error(parameter.span, format!("parameter `{name}` has an incomplete type"));
            }
            if let Some((name, span)) = parameter.name {
                if self.scope.lookup_here(name).is_some() {
                    self.error(span, format!("parameter `{name}` occurs twice"));
                }
                self.scope.declare(name, Symbol::Object(obj));
            }
            params.push(obj);
        }
        params
    }

    /// Name and type of a function that is being defined; its parameters are left in `self.parameters`.
    fn function_head(
        &mut self,
        definition: &'a ast::FunctionDefinition,
        specs: &Specs,
        span: Span,
    ) -> Res<(&'a str, Span, TypeId, bool)> {
        let declared = self.declarator(&definition.declarator, specs.ty)?;
        let mut attributes = specs.attributes.clone();
        self.attributes(declared.extensions, &mut attributes)?;
        let (Some((name, name_span)), Some(signature)) = (declared.name, self.signature(declared.ty.ty).cloned())
        else {
            return self.fail(span, "this is not a function");
        };
        let mut ty = declared.ty.ty;
        if !signature.prototyped {
            self.old_parameters(&definition.declarations)?;
            let params = self.parameters.iter().map(|p| p.ty.ty).collect();
            ty = self.unit.types.intern(Type::Function(Signature { params, ..signature }));
        }
        Ok((name, name_span, ty, attributes.noreturn))
    }

    pub(super) fn local_declaration(&mut self, node: &'a Node<Declaration>, out: &mut Vec<Stmt>) -> Res<()> {
        let specs = self.specs(&node.node.specifiers, node.span)?;
        for declarator in &node.node.declarators {
            let _ = self.local_declarator(declarator, &specs, out);
        }
        Ok(())
    }

    /// `__auto_type x = e;`
    fn auto_type(&mut self, node: &'a Node<InitDeclarator>) -> Res<Qual> {
        match node.node.initializer.as_ref().map(|i| &i.node) {
            Some(ast::Initializer::Expression(e)) => Ok(plain(self.rvalue(e)?.ty)),
            _ => self.fail(node.span, "`__auto_type` needs an initialiser"),
        }
    }

    fn local_declarator(&mut self, node: &'a Node<InitDeclarator>, specs: &Specs, out: &mut Vec<Stmt>) -> Res<()> {
        let (name, span, mut ty, attributes) = self.declared(node, specs)?;
        if specs.auto_type {
            ty = self.auto_type(node)?;
        }
        let loc = self.loc(span);
        if specs.class == Class::Typedef {
            if self.is_variable(ty.ty) {
                out.push(Stmt { loc, kind: StmtKind::Unsupported("a variable-length array type".into()) });
            }
            return self.typedef(name, span, ty, attributes.align);
        }
        if matches!(self.ty(ty.ty), Type::Function(_)) {
            // Functions are static at file scope only.
            let class = if specs.class == Class::Static { Class::None } else { specs.class };
            self.declare_function(name, span, ty.ty, class, attributes.noreturn)?;
            return Ok(());
        }
        if specs.class == Class::Extern {
            return self.local_extern(name, span, ty);
        }
        self.local_object(node, name, span, ty, specs.class, out)?;
        if let (true, Some(Symbol::Object(obj))) = (attributes.blocking, self.scope.lookup_here(name)) {
            self.unit.objects[obj].blocking = true;
        }
        Ok(())
    }

    /// The sizes of an array of variable length, if they all stand in its declarator.
    pub(super) fn vla_dims(&mut self, declarator: &'a Node<ast::Declarator>) -> Res<Option<Vec<Expr>>> {
        let mut dims = Vec::new();
        for derived in &declarator.node.derived {
            match &derived.node {
                ast::DerivedDeclarator::Array(array) => match &array.node.size {
                    ast::ArraySize::VariableExpression(size) => dims.push(self.rvalue(size)?),
                    _ => return Ok(None),
                },
                _ => return Ok(None),
            }
        }
        Ok(Some(dims))
    }

    /// The sizes of a variable-length array go into variables of their own: `sizeof` asks for them later.
    fn keep_sizes(&mut self, array: Obj, name: &str, dims: Vec<Expr>, out: &mut Vec<Stmt>) -> Vec<Expr> {
        let ty = self.basic.ptrdiff;
        let mut kept = Vec::new();
        let mut loads = Vec::new();
        for dim in dims {
            let loc = dim.loc;
            let obj = self.new_object(format!("size of {name}"), ty, Storage::Local, loc);
            let value = InitValue::Expr(self.convert(dim, ty, loc));
            let init = Init { items: vec![InitItem { offset: 0, bits: None, value }], zero_rest: false };
            out.push(Stmt { loc, kind: StmtKind::Decl { obj, init: Some(init) } });
            loads.push(self.load_object(obj, loc));
            kept.push(obj);
        }
        self.vla_sizes.insert(array, kept);
        loads
    }

    pub(super) fn load_object(&self, obj: Obj, loc: Loc) -> Expr {
        let ty = self.unit.objects[obj].ty;
        let lval = Lval { ty, loc, kind: LvalKind::Object(obj) };
        Expr { ty: ty.ty, loc, kind: ExprKind::Load(Box::new(lval)) }
    }

    fn local_object(
        &mut self,
        node: &'a Node<InitDeclarator>,
        name: &'a str,
        span: Span,
        ty: Qual,
        class: Class,
        out: &mut Vec<Stmt>,
    ) -> Res<()> {
        if self.scope.lookup_here(name).is_some() {
            return self.fail(span, format!("`{name}` is declared twice in one block"));
        }
        let loc = self.loc(span);
        let storage = if class == Class::Static { Storage::Static } else { Storage::Local };
        let obj = self.new_object(name.to_string(), ty.ty, storage, loc);
        self.unit.objects[obj].ty = ty;
        if storage == Storage::Static {
            let full = format!("{}.{name}", self.function_name());
            let full = if self.taken.contains_key(&full) { self.fresh_name(&full) } else { full };
            self.rename(External::Object(obj), full);
        }
        self.scope.declare(name, Symbol::Object(obj));
        if self.is_variable(ty.ty) {
            let kind = match self.vla_dims(&node.node.declarator)? {
                Some(dims) if storage == Storage::Local => {
                    let dims = self.keep_sizes(obj, name, dims, out);
                    StmtKind::Vla { obj, dims }
                }
                _ => StmtKind::Unsupported(format!("variable-length array `{name}`")),
            };
            out.push(Stmt { loc, kind });
            return Ok(());
        }
        let init = match &node.node.initializer {
            Some(initializer) => {
                let (init, complete) = self.initializer(ty, initializer, storage == Storage::Static)?;
                self.unit.objects[obj].ty.ty = complete;
                Some(init)
            }
            None => None,
        };
        if !self.is_complete(self.unit.objects[obj].ty.ty) {
            let text = self.describe(ty.ty);
            return self.fail(span, format!("`{name}` has the incomplete type `{text}`"));
        }
        if storage == Storage::Static {
            self.unit.objects[obj].init = init;
        } else {
            out.push(Stmt { loc, kind: StmtKind::Decl { obj, init } });
        }
        Ok(())
    }

    /// `extern int x;` in a block: the `x` of file scope, of any file.
    fn local_extern(&mut self, name: &'a str, span: Span, ty: Qual) -> Res<()> {
        let known = match self.scope.lookup_depth(name) {
            Some((Symbol::Object(obj), true)) => Some(obj),
            _ => match self.externals.get(name) {
                Some(External::Object(obj)) => Some(*obj),
                _ => None,
            },
        };
        let obj = match known {
            Some(obj) => {
                self.merge_object(obj, name, span, ty)?;
                obj
            }
            None => self.linked_object(name, span, ty, Class::Extern),
        };
        self.scope.declare(name, Symbol::Object(obj));
        Ok(())
    }
}
