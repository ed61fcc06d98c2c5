//! Calls: arguments go to parameters, and what comes back.

use super::graph::{Item, Ref, Target};
use super::place::Spot;
use super::walk::{constant, Points};
use crate::hir::*;
use crate::layout;
use crate::leaves;
use crate::types::{Type, TypeId};

impl<'a> Points<'a> {
    // Calls.

    pub(super) fn call(&mut self, whole: &'a Expr, callee: &'a Callee, args: &'a [Expr], func: Func) -> Ref {
        match callee {
            Callee::Direct(callee) if self.unit.functions[*callee].body.is_some() => {
                if let Some((ty, times)) = typed_bytes(self.unit, *callee, args) {
                    return self.typed_copy(ty, times, args, func);
                }
                self.bind(*callee, args, func);
                self.return_ref(*callee)
            }
            // The object that `realloc` makes takes the place of the one it is given.
            Callee::Direct(callee) if args.len() == 2 && self.unit.functions[*callee].name == "realloc" => {
                let old = self.value(&args[0], func);
                self.effect(&args[1], func);
                let new = self.made(whole);
                self.graph.unify(old, new);
                new
            }
            Callee::Direct(_) => {
                args.iter().for_each(|e| self.effect(e, func));
                self.made(whole)
            }
            Callee::Indirect(pointer) => {
                let r = self.value(pointer, func);
                args.iter().for_each(|e| self.effect(e, func));
                let result = self.graph.new_ref();
                self.refs.insert(whole, result);
                self.indirect.push((r, whole, args));
                result
            }
        }
    }

    /// What a call without a body returns, if that is a pointer.
    pub(super) fn made(&mut self, whole: &'a Expr) -> Ref {
        if !self.is_pointer(whole.ty) {
            return self.graph.new_ref();
        }
        self.made.insert(whole, whole);
        let node = self.graph.new_node(Some(Item::Made(whole)), 0);
        self.graph.refer(Target { node, off: 0 })
    }

    /// `memcpy` and `memset` of known types, as assignments.
    pub(super) fn typed_copy(&mut self, ty: TypeId, times: u64, args: &'a [Expr], func: Func) -> Ref {
        let r = self.value(&args[0], func);
        let to = self.graph.target_or_new(r);
        let to = Spot { node: to.node, off: to.off, span: None };
        let from = match self.is_pointer(args[1].ty) {
            true => {
                let from = self.value(&args[1], func);
                let from = self.graph.target_or_new(from);
                Spot { node: from.node, off: from.off, span: None }
            }
            false => {
                self.effect(&args[1], func);
                to
            }
        };
        self.effect(&args[2], func);
        if times > 1 {
            for spot in [to, from] {
                let r = self.graph.refer(Target { node: spot.node, off: spot.off });
                let pointer = self.pointer_operand(&args[0]).ty;
                self.step(r, pointer);
            }
        }
        self.copy(to, from, ty);
        r
    }

    pub(super) fn pointer_operand<'e>(&self, expr: &'e Expr) -> &'e Expr {
        strip_casts(self.unit, expr)
    }

    /// Arguments go to parameters.
    pub(super) fn bind(&mut self, callee: Func, args: &'a [Expr], func: Func) {
        let unit = self.unit;
        let params = &unit.functions[callee].params;
        let rest = unit.functions[callee].rest;
        let fixed = params.len() - usize::from(rest.is_some());
        if let Some(rest) = rest {
            self.bind_rest(rest, args.get(fixed..).unwrap_or_default(), func);
        }
        for (n, arg) in args.iter().enumerate().take(if rest.is_some() { fixed } else { args.len() }) {
            let param = params.get(n).map(|&p| (p, unit.objects[p].ty.ty));
            match param {
                Some((param, ty)) if self.is_pointer(ty) && self.is_pointer(arg.ty) => {
                    let r = self.value(arg, func);
                    let node = self.node_of(param);
                    let content = self.content(Spot { node, off: 0, span: None }, 0);
                    self.graph.unify(r, content);
                }
                Some((param, ty)) if self.is_record(ty) && self.is_record(arg.ty) => {
                    let from = self.record(arg, func);
                    let node = self.node_of(param);
                    self.copy(Spot { node, off: 0, span: None }, from, ty);
                }
                _ => {
                    self.effect(arg, func);
                    if self.is_pointer(arg.ty) {
                        let r = self.value(arg, func);
                        self.graph.expose(r);
                    }
                    if let Some((param, ty)) = param {
                        if self.is_pointer(ty) && !constant(arg) {
                            let node = self.node_of(param);
                            let content = self.content(Spot { node, off: 0, span: None }, 0);
                            self.graph.expose(content);
                        }
                    }
                }
            }
        }
    }

    /// Arguments beyond the parameters go to an object that is made for the call.
    pub(super) fn bind_rest(&mut self, rest: Obj, args: &'a [Expr], func: Func) {
        if args.is_empty() {
            return;
        }
        let node = self.node_of(rest);
        let content = self.content(Spot { node, off: 0, span: None }, 0);
        let made = self.graph.new_node(Some(Item::Made(std::ptr::null())), 0);
        let made = self.graph.refer(Target { node: made, off: 0 });
        self.graph.unify(content, made);
        let mut at = 0;
        for arg in args {
            let Target { node, off } = self.graph.target_or_new(made);
            let spot = Spot { node, off: off + at, span: None };
            if self.is_pointer(arg.ty) {
                let r = self.value(arg, func);
                let content = self.content(spot, 0);
                self.graph.unify(r, content);
            } else if self.is_record(arg.ty) {
                let from = self.record(arg, func);
                self.copy(spot, from, arg.ty);
            } else {
                self.effect(arg, func);
                if let Some(scalar) = leaves::scalar_of(&self.unit.types, arg.ty) {
                    self.access(spot, 0, scalar);
                }
            }
            at += leaves::slot_bytes(&self.unit.types, arg.ty).unwrap_or(8);
        }
    }

    /// Calls through pointers, until no further function is found.
    pub(super) fn bind_indirect(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for n in 0..self.indirect.len() {
                let (r, whole, args) = self.indirect[n];
                let Some(target) = self.graph.target(r) else { continue };
                for callee in self.graph.data(target.node).functions.clone() {
                    if self.bound.insert((whole, callee)) {
                        changed = true;
                        self.bind_one(callee, whole, args);
                    }
                }
            }
        }
    }

    pub(super) fn bind_one(&mut self, callee: Func, whole: &'a Expr, args: &'a [Expr]) {
        if self.unit.functions[callee].body.is_none() {
            if self.is_pointer(whole.ty) {
                let (made, result) = (self.made(whole), self.value(whole, callee));
                self.graph.unify(made, result);
            }
            return;
        }
        self.bind(callee, args, callee);
        if self.is_pointer(whole.ty) {
            let (own, result) = (self.return_ref(callee), self.value(whole, callee));
            self.graph.unify(own, result);
        } else if self.is_record(whole.ty) {
            let (to, from) = (self.temp(whole), self.return_node(callee));
            let at = |node| Spot { node, off: 0, span: None };
            self.copy(at(to), at(from), whole.ty);
        }
    }

    pub(super) fn unknown_parameter(&mut self, param: Obj) {
        if self.is_pointer(self.unit.objects[param].ty.ty) {
            let node = self.node_of(param);
            let content = self.content(Spot { node, off: 0, span: None }, 0);
            let made = self.graph.new_node(Some(Item::Made(std::ptr::null())), 0);
            let r = self.graph.refer(Target { node: made, off: 0 });
            self.graph.unify(content, r);
        }
    }
}

fn strip_casts<'e>(unit: &Unit, mut expr: &'e Expr) -> &'e Expr {
    while let ExprKind::Cast(arg) = &expr.kind {
        if !matches!(unit.types[arg.ty], Type::Pointer(_)) {
            break;
        }
        expr = arg;
    }
    expr
}

/// For a library function that copies or fills bytes: the type of what it covers and how many of them, where the
/// arguments say so.
pub fn typed_bytes(unit: &Unit, callee: Func, args: &[Expr]) -> Option<(TypeId, u64)> {
    let function = &unit.functions[callee];
    let copies = matches!(function.name.as_str(), "memcpy" | "memmove");
    if !function.library || !(copies || function.name == "memset") || args.len() != 3 {
        return None;
    }
    let pointee = |e: &Expr| match &unit.types[strip_casts(unit, e).ty] {
        Type::Pointer(to) => Some(to.ty),
        _ => None,
    };
    let ty = pointee(&args[0])?;
    if copies && pointee(&args[1])? != ty {
        return None;
    }
    let ExprKind::Int(bytes) = strip_int_casts(&args[2]).kind else { return None };
    let size = i128::from(layout::size_of(&unit.types, ty)?);
    let times = if size > 0 && bytes > 0 && bytes % size == 0 { bytes / size } else { return None };
    let whole = matches!(unit.types[ty], Type::Record(_)) || size > 1;
    (whole && times * size <= 1024).then_some((ty, times as u64))
}

fn strip_int_casts(mut expr: &Expr) -> &Expr {
    while let ExprKind::Cast(arg) = &expr.kind {
        expr = arg;
    }
    expr
}
