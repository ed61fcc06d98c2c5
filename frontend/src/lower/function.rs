//! One function: parameters into slots, locals, the body, the names of its properties.
//!
//! A local without an initialiser gets any value where its declaration is executed. A jump can pass a declaration
//! by; so locals get any value at the function's entry as well, unless no jump can do that: their declaration is in
//! the run of declarations the body begins with, or the function has no `goto` and the declaration is in no
//! `switch`. A declaration that is jumped over later on leaves the old value, as gcc does.

use super::build::FnLower;
use super::place::{Home, HomeKind};
use super::refs::Mode;
use super::{cleanup, Lower};
use crate::hir::{Expr, Func, Init, InitItem, InitValue, Loc, Obj, Stmt, StmtKind, Storage};
use crate::layout;
use crate::types::{Type as CType, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use syncline_ir::{BinOp, InstData, Place, Procedure, PropKind, Terminator, Type, UnOp, Value};

/// How a function is started.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Role {
    Callee,
    /// By the run only: its parameters are unknown inputs, not values of a caller.
    Entry,
}

/// What a function returns.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum ResultKind {
    Void,
    /// `main` falls off its end with 0, any other function with any value.
    Value {
        ty: TypeId,
        main: bool,
    },
    /// A struct, a union, something opaque.
    Unmodelled,
}

impl Lower<'_> {
    pub fn result_kind(&self, func: Func) -> ResultKind {
        let function = &self.unit.functions[func];
        match self.ctype(function.ty) {
            CType::Function(signature) if self.is_void(signature.result) => ResultKind::Void,
            CType::Function(signature) if self.scalar(signature.result).is_some() => {
                ResultKind::Value { ty: signature.result, main: function.name == "main" }
            }
            _ => ResultKind::Unmodelled,
        }
    }

    /// The results of the procedure: the function's own, then what its references point to.
    pub fn result_types(&self, func: Func) -> Vec<Type> {
        let own = match self.result_kind(func) {
            ResultKind::Value { ty, .. } => Some(self.value_type(ty)),
            ResultKind::Void | ResultKind::Unmodelled => None,
        };
        let params = self.unit.functions[func].params.iter();
        own.into_iter().chain(params.filter_map(|&p| self.reference_type(self.mode(p)))).collect()
    }
}

/// Lowers a function with a body.
pub(super) fn lower(cx: &mut Lower<'_>, func: Func, role: Role) -> Procedure {
    let function = &cx.unit.functions[func];
    let body: &[Stmt] = function.body.as_deref().unwrap_or_default();
    let results = cx.result_types(func);
    let result = cx.result_kind(func);
    let name = cx.names.claim(function.name.clone());
    let mut f = FnLower::new(cx, &name, function.loc);
    f.proc.results = results;
    f.result = result;
    f.parameters(func, role);
    if f.cx.options.error_functions.contains(&function.name) {
        let never = f.boolean(false);
        f.assert(PropKind::Reach, never, format!("{} is not called", function.name), function.loc);
    }
    f.unset_locals(func, body);
    f.stmts(body);
    f.fall_off(function.loc);
    f.name_properties(&name);
    cleanup::run(&mut f.proc);
    f.proc
}

/// The procedure that starts an entry function the program also calls itself.
pub(super) fn wrapper(cx: &mut Lower<'_>, func: Func) -> Procedure {
    let function = &cx.unit.functions[func];
    let callee = cx.procs[&func];
    let params: Vec<Obj> = function.params.iter().copied().filter(|&p| cx.mode(p) == Mode::Value).collect();
    let results = cx.result_types(func);
    let name = cx.names.claim(format!("{}.start", function.name));
    let mut f = FnLower::new(cx, &name, function.loc);
    let unit = f.cx.unit;
    let args = params.iter().map(|&p| f.havoc_c(&unit.objects[p].name, unit.objects[p].ty.ty)).collect();
    let call = f.proc.append(f.block, InstData::Call { callee, args }, &results, f.at);
    let values = f.proc.insts[call].results.to_vec();
    f.proc.results = results;
    f.proc.set_term(f.block, Terminator::Return(values), f.at);
    f.proc
}

impl FnLower<'_, '_> {
    fn parameters(&mut self, func: Func, role: Role) {
        let unit = self.cx.unit;
        for &param in &unit.functions[func].params {
            let object = &unit.objects[param];
            self.set_loc(object.loc);
            let place = match self.cx.mode(param) {
                Mode::Value => self.local_place(param),
                Mode::Reference(_) | Mode::Window(_) => {
                    self.reference_parameter(param);
                    None
                }
                Mode::Dropped => {
                    let kind =
                        HomeKind::Unmodelled(format!("a parameter of type {}", self.cx.type_words(object.ty.ty)));
                    self.homes.insert(param, Home { kind, input: false, raw_bool: false });
                    None
                }
            };
            let Some(place) = place else { continue };
            let value = match role {
                Role::Entry => self.havoc_c(&object.name, object.ty.ty),
                Role::Callee => {
                    let ty = self.cx.value_type(object.ty.ty);
                    self.proc.add_param(self.proc.entry, ty)
                }
            };
            self.write(place, value);
        }
    }

    /// Makes the slot of a local or parameter, if the IR has a type for it.
    fn local_place(&mut self, obj: Obj) -> Option<Place> {
        let object = &self.cx.unit.objects[obj];
        if let Some(home) = self.homes.get(&obj) {
            return match home.kind {
                HomeKind::Scalar(place) | HomeKind::Array { place, .. } | HomeKind::Vla { place, .. } => Some(place),
                HomeKind::Pointee(_) | HomeKind::Window { .. } | HomeKind::Unmodelled(_) => None,
            };
        }
        let (home, place) = match self.cx.object_type(object.ty.ty) {
            Ok(ty) => {
                let place = Place::Local(self.add_slot(&object.name, ty, object.loc));
                (self.cx.home(obj, place, !ty.is_array()), Some(place))
            }
            Err(why) => (Home { kind: HomeKind::Unmodelled(why), input: false, raw_bool: false }, None),
        };
        self.homes.insert(obj, home);
        place
    }

    /// Any value for the locals whose declaration a jump can pass by.
    fn unset_locals(&mut self, func: Func, body: &[Stmt]) {
        let jumps = self.cx.reach.bodies.get_mut(&func).map(|b| std::mem::take(&mut b.jumps)).unwrap_or_default();
        if !jumps.goto && jumps.in_switch.is_empty() {
            return;
        }
        let mut safe = FxHashSet::default();
        if !jumps.stmt_expr {
            leading_declarations(body, &mut safe);
        }
        for obj in jumps.locals {
            let bypassed = !safe.contains(&obj) && (jumps.goto || jumps.in_switch.contains(&obj));
            if bypassed && self.cx.unit.objects[obj].storage == Storage::Local {
                self.unset(obj);
            }
        }
    }

    /// Writes any value to a local.
    fn unset(&mut self, obj: Obj) {
        let object = &self.cx.unit.objects[obj];
        let Some(place) = self.local_place(obj) else { return };
        self.set_loc(object.loc);
        let value = match self.cx.program.place_type(&self.proc, place) {
            Type::Scalar(_) => self.havoc_c(&object.name, object.ty.ty),
            array => self.havoc(&object.name, array),
        };
        self.write(place, value);
    }

    /// The declaration of a local is executed. Those of static objects are not.
    pub fn declare_local(&mut self, obj: Obj, init: Option<&Init>, loc: Loc) {
        if self.cx.homes.contains_key(&obj) {
            return;
        }
        let place = self.local_place(obj);
        match (place, init) {
            (None, None) => {}
            (None, Some(init)) => {
                self.init_effects(init);
                self.set_loc(loc);
                let ty = self.cx.unit.objects[obj].ty.ty;
                self.unsupported(format!("initialisation of {}", self.cx.type_words(ty)));
            }
            (Some(_), None) => self.unset(obj),
            (Some(place), Some(init)) => self.initialise(obj, place, init, loc),
        }
    }

    /// The declaration of a variable-length array is executed: its sizes are fixed, its cells are any value.
    pub fn declare_vla(&mut self, obj: Obj, sizes: &[Expr], loc: Loc) {
        let object = &self.cx.unit.objects[obj];
        let shape = self.cx.vla_shape(object.ty.ty).filter(|&(_, n)| n == sizes.len());
        let sizes: Vec<Value> = sizes.iter().map(|e| self.size(e)).collect();
        self.set_loc(loc);
        let Some((elem, scalar)) = shape.and_then(|(elem, _)| Some((elem, self.cx.scalar(elem)?))) else {
            return self.unsupported(format!("variable-length array `{}`", object.name));
        };
        let ptr = self.cx.pointer_bits();
        let place = Place::Local(self.add_slot(&object.name, Type::Array { index: ptr, elem: scalar }, loc));
        let mut dims = Vec::new();
        for &size in &sizes {
            let dim = Place::Local(self.add_slot(&format!("size of {}", object.name), Type::bv(ptr), loc));
            self.write(dim, size);
            dims.push(dim);
        }
        self.limit_size(elem, &sizes, &dims, loc);
        let any = self.havoc(&object.name, Type::Array { index: ptr, elem: scalar });
        self.write(place, any);
        let raw_bool = self.cx.is_bool(elem);
        self.homes.insert(obj, Home { kind: HomeKind::Vla { place, dims }, input: false, raw_bool });
    }

    /// A size as wide as an address; a negative one is too large.
    fn size(&mut self, e: &Expr) -> Value {
        let ptr = self.cx.pointer_bits();
        let value = self.expr(e);
        match self.width(value) {
            own if own > ptr => self.un(UnOp::Extract { hi: ptr - 1, lo: 0 }, value),
            _ if self.cx.is_signed(e.ty) => self.un(UnOp::SExt(ptr), value),
            _ => self.un(UnOp::ZExt(ptr), value),
        }
    }

    /// An array that does not fit ends the run. Sizes are compared one by one first, so that the product cannot wrap.
    fn limit_size(&mut self, elem: TypeId, sizes: &[Value], dims: &[Place], loc: Loc) {
        let ptr = self.cx.pointer_bits();
        let bytes = layout::size_of(&self.cx.unit.types, elem).unwrap_or(1).max(1);
        let most = ((1i128 << (ptr - 1)) - 1) / i128::from(bytes);
        for &size in sizes {
            let limit = self.bv(ptr, most);
            let fits = self.bin(BinOp::Ule, size, limit);
            self.assume(fits);
        }
        for n in 2..=dims.len() {
            let (cells, limit) = (self.product(&dims[..n], 128), self.bv(128, most));
            let fits = self.bin(BinOp::Ule, cells, limit);
            self.assume(fits);
        }
        let text = "a variable-length array of negative size, or larger than half of the address space, ends the run";
        self.cx.assume_once(text.into(), loc);
    }

    fn init_effects(&mut self, init: &Init) {
        for item in &init.items {
            match &item.value {
                InitValue::Expr(e) => self.effect(e),
                InitValue::Str { .. } => {}
            }
        }
    }

    fn initialise(&mut self, obj: Obj, place: Place, init: &Init, loc: Loc) {
        let unit = self.cx.unit;
        let ty = unit.objects[obj].ty.ty;
        if !self.cx.program.place_type(&self.proc, place).is_array() {
            return self.initialise_scalar(obj, place, init, loc);
        }
        let (constants, rest) = self.cx.constant_cells(ty, init);
        let value = self.constant(constants);
        self.write(place, value);
        for InitItem { offset, value, .. } in rest {
            let InitValue::Expr(e) = value else { continue };
            let index = self.cx.cell_at(ty, *offset);
            let value = self.expr(e);
            self.set_loc(e.loc);
            let index = self.bv(self.cx.pointer_bits(), i128::from(index));
            self.act(InstData::Store { place, index, value });
        }
    }

    fn initialise_scalar(&mut self, obj: Obj, place: Place, init: &Init, loc: Loc) {
        let value = match init.items.last() {
            Some(InitItem { value: InitValue::Expr(e), .. }) => self.expr(e),
            Some(InitItem { value: InitValue::Str { .. }, .. }) | None => {
                let ty = self.cx.value_type(self.cx.unit.objects[obj].ty.ty);
                self.constant(syncline_ir::Const::zero(ty))
            }
        };
        self.set_loc(loc);
        self.write(place, value);
    }

    /// The end of the body is reached.
    fn fall_off(&mut self, loc: Loc) {
        self.set_loc(loc);
        let result = match self.result {
            ResultKind::Value { ty, main: true } => {
                let ty = self.cx.value_type(ty);
                Some(self.constant(syncline_ir::Const::zero(ty)))
            }
            ResultKind::Value { ty, main: false } => Some(self.havoc_c("missing return value", ty)),
            ResultKind::Void | ResultKind::Unmodelled => None,
        };
        self.leave(result);
    }

    /// Returns, and goes on in a block nothing reaches.
    pub fn leave(&mut self, result: Option<Value>) {
        let mut values: Vec<Value> = result.into_iter().collect();
        for place in self.references.clone() {
            values.push(self.read(place));
        }
        self.terminate(Terminator::Return(values));
    }

    /// `function.kind.N`, counted in the order of the source.
    fn name_properties(&mut self, function: &str) {
        self.props.sort_by_key(|(loc, _)| *loc);
        let mut counts: FxHashMap<PropKind, u32> = FxHashMap::default();
        for (_, prop) in &self.props {
            let data = &mut self.cx.program.props[*prop];
            let n = counts.entry(data.kind).or_insert(0);
            *n += 1;
            data.name = format!("{function}.{}.{n}", data.kind.name());
        }
    }
}

/// Locals declared before the first statement that does anything else.
fn leading_declarations(stmts: &[Stmt], found: &mut FxHashSet<Obj>) -> bool {
    stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Empty => true,
        StmtKind::Decl { obj, .. } => {
            found.insert(*obj);
            true
        }
        StmtKind::Block(inner) => leading_declarations(inner, found),
        _ => false,
    })
}
