//! One function: parameters into slots, locals, the body, the names of its properties.
//!
//! A local without an initialiser gets any value where its declaration is executed. A jump can pass a declaration
//! by; so locals get any value at the function's entry as well, unless no jump can do that: their declaration is in
//! the run of declarations the body begins with, or the function has no `goto` and the declaration is in no
//! `switch`. A declaration that is jumped over later on leaves the old value, as gcc does.

use super::build::FnLower;
use super::path::Access;
use super::place::{Home, HomeKind};
use super::{cleanup, memory, Lower};
use crate::hir::{Expr, Func, Init, InitItem, InitValue, Loc, Obj, Stmt, StmtKind, Storage};
use crate::layout;
use crate::points::Item;
use crate::types::{Type as CType, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use syncline_ir::{BinOp, InstData, Place, Procedure, PropKind, Terminator, Type, UnOp, Value};

/// Cells of a local that are initialised one by one.
const MAX_STORES: usize = 4096;

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
    /// A struct or union: its leaves.
    Record(TypeId),
    /// Something opaque.
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
            CType::Function(signature) if self.passed_types(signature.result).is_some() => {
                ResultKind::Record(signature.result)
            }
            _ => ResultKind::Unmodelled,
        }
    }

    /// The results of the procedure.
    pub fn result_types(&self, func: Func) -> Vec<Type> {
        match self.result_kind(func) {
            ResultKind::Value { ty, .. } | ResultKind::Record(ty) => self.passed_types(ty).unwrap_or_default(),
            ResultKind::Void | ResultKind::Unmodelled => Vec::new(),
        }
    }

    /// Whether some static object gets its value when the run starts.
    pub fn starts_late(&mut self) -> bool {
        !self.late_images().is_empty()
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
    if role == Role::Entry {
        f.start_memory();
    }
    f.parameters(func, role);
    if f.cx.options.error_functions.contains(&function.name) {
        let never = f.boolean(false);
        f.assert(PropKind::Reach, never, format!("{} is not called", function.name), function.loc);
    }
    f.func = Some(func);
    f.read_words(func, body, role == Role::Entry);
    f.unset_locals(func, body);
    f.stmts(body);
    f.fall_off(function.loc);
    f.mark_firing();
    f.check_turns();
    f.name_properties(&name);
    f.name_locations(func);
    cleanup::run(&mut f.proc);
    f.proc
}

/// The procedure that starts an entry function the program also calls itself.
pub(super) fn wrapper(cx: &mut Lower<'_>, func: Func) -> Procedure {
    let function = &cx.unit.functions[func];
    let callee = cx.procs[&func];
    let results = cx.result_types(func);
    let name = cx.names.claim(format!("{}.start", function.name));
    let mut f = FnLower::new(cx, &name, function.loc);
    f.start_memory();
    let args = function.params.iter().flat_map(|&p| f.entry_argument(p)).collect();
    let call = f.proc.append(f.block, InstData::Call { callee, args }, &results, f.at);
    let values = f.proc.insts[call].results.to_vec();
    f.proc.results = results;
    f.proc.set_term(f.block, Terminator::Return(values), f.at);
    f.proc
}

impl FnLower<'_, '_> {
    fn parameters(&mut self, func: Func, role: Role) {
        let unit = self.cx.unit;
        let entry = self.proc.entry;
        let mut passed = Vec::new();
        for &param in &unit.functions[func].params {
            let types = self.cx.passed_types(unit.objects[param].ty.ty).unwrap_or_default();
            let values: Vec<Value> = match role {
                Role::Entry => Vec::new(),
                Role::Callee => types.iter().map(|&ty| self.proc.add_param(entry, ty)).collect(),
            };
            passed.push((param, values));
        }
        for (param, values) in passed {
            let object = &unit.objects[param];
            self.set_loc(object.loc);
            let values = match role {
                Role::Entry => self.entry_argument(param),
                Role::Callee => values,
            };
            self.come_to_life(param, None);
            self.set_object(param, &values, object.loc);
        }
    }

    /// What the run gives a parameter of the entry.
    fn entry_argument(&mut self, param: Obj) -> Vec<Value> {
        let object = &self.cx.unit.objects[param];
        let ty = object.ty.ty;
        if self.cx.is_pointer(ty) {
            let content = self.cx.points.parameter_target(param);
            return vec![match content {
                Some(target) => self.unknown_pointer(&object.name, target.node, object.loc),
                None => self.unmodelled(format!("the pointer `{}` the run starts with", object.name), ty),
            }];
        }
        match self.cx.scalar(ty) {
            Some(_) => vec![self.havoc_c(&object.name, ty)],
            None => {
                let types = self.cx.passed_types(ty).unwrap_or_default();
                types.into_iter().map(|ty| self.havoc(&object.name, ty)).collect()
            }
        }
    }

    /// Writes the whole of an object that was passed.
    fn set_object(&mut self, obj: Obj, values: &[Value], loc: Loc) {
        let ty = self.cx.unit.objects[obj].ty.ty;
        match (self.home_of(obj).kind, values) {
            (HomeKind::Scalar(place), [value]) => self.write(place, *value),
            (HomeKind::Region(_) | HomeKind::Moving(_), values) => {
                let leaves = self.cx.leaves_of(ty);
                if let (Some(path), Some(leaves)) = (self.object_path(obj), leaves) {
                    self.store_leaves(&path, &leaves, values, loc);
                }
            }
            _ => {}
        }
    }

    /// Static objects that share their cells with others get their values.
    fn start_memory(&mut self) {
        for (node, lo, fixed) in self.cx.late_images() {
            let data = self.cx.points.graph.data(node).clone();
            let cell = memory::cells(&data).into_iter().find(|c| c.0 == lo);
            let (Some((_, cell)), Some(region)) = (cell, self.cx.region(node)) else { continue };
            let (Some(memory::Store::Array(place)), Some(image)) = (region.stores.get(&lo), self.cx.image(fixed.item))
            else {
                continue;
            };
            let scalar = memory::cell_scalar(cell.unit);
            for bit in self.cx.unit_places(lo, &cell, data.stride, fixed.bytes).collect::<Vec<_>>() {
                let value = self.constant(image.read(bit, scalar));
                let index = self.bv(self.cx.pointer_bits(), i128::from(fixed.address + bit / 8));
                self.act(InstData::Store { place: *place, index, value });
            }
        }
    }

    /// Makes the home of a local or parameter.
    fn make_home(&mut self, obj: Obj) -> Home {
        if let Some(home) = self.homes.get(&obj) {
            return home.clone();
        }
        let object = &self.cx.unit.objects[obj];
        let plain = |kind| Home { kind, input: false, raw_bool: false };
        let home = if self.cx.memory.is_moving(obj) {
            let ty = Type::bv(self.cx.pointer_bits());
            plain(HomeKind::Moving(Place::Local(self.add_slot(&format!("&{}", object.name), ty, object.loc))))
        } else if self.cx.in_memory(obj) {
            match self.cx.points.object(obj).and_then(|node| self.cx.region(node)) {
                Some(region) => self.cx.region_home(obj, region),
                None => plain(HomeKind::Unmodelled("an object too large for the address space".into())),
            }
        } else if let Ok(ty) = self.cx.object_type(object.ty.ty) {
            let place = Place::Local(self.add_slot(&object.name, ty, object.loc));
            self.cx.home(obj, place, !ty.is_array())
        } else {
            let (proc, at) = (&mut self.proc, self.at);
            let region = self.cx.private_region(obj, |_, name, ty, _| {
                Place::Local(proc.slots.push(syncline_ir::SlotData { name, ty, origin: at }))
            });
            match region {
                Some(region) => self.cx.region_home(obj, Rc::new(region)),
                None if self.cx.points.object(obj).is_none() => plain(HomeKind::Unused),
                None => plain(HomeKind::Unmodelled(format!("an object of type {}", self.cx.type_words(object.ty.ty)))),
            }
        };
        self.homes.insert(obj, home.clone());
        home
    }

    /// An object of this activation comes to life; what it holds is any value.
    fn come_to_life(&mut self, obj: Obj, size: Option<Value>) {
        let home = self.make_home(obj);
        let HomeKind::Moving(place) = home.kind else { return };
        let bits = self.cx.pointer_bits();
        let bytes = self.cx.item_bytes(Item::Object(obj)).unwrap_or(0);
        let size = size.unwrap_or_else(|| self.bv(bits, i128::from(bytes)));
        if let Some(node) = self.cx.points.object(obj) {
            let address = self.make_object(node, size);
            self.write(place, address);
        }
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
        self.set_loc(object.loc);
        match self.make_home(obj).kind {
            HomeKind::Scalar(place) => {
                let value = self.havoc_c(&object.name, object.ty.ty);
                self.write(place, value);
            }
            HomeKind::Array { place, .. } => {
                let ty = self.cx.program.place_type(&self.proc, place);
                let value = self.havoc(&object.name, ty);
                self.write(place, value);
            }
            HomeKind::Region(region) => {
                let found = self.cx.points.object(obj).zip(region.fixed(Item::Object(obj)));
                if let Some((node, (n, _))) = found {
                    self.reset_fixed(node, &region, n, &object.name);
                }
            }
            HomeKind::Moving(_) => self.come_to_life(obj, None),
            HomeKind::Vla { .. } | HomeKind::Unused | HomeKind::Unmodelled(_) => {}
        }
    }

    /// The declaration of a local is executed. Those of static objects are not.
    pub fn declare_local(&mut self, obj: Obj, init: Option<&Init>, loc: Loc) {
        if self.cx.homes.contains_key(&obj) {
            return;
        }
        let Some(init) = init else { return self.unset(obj) };
        match self.make_home(obj).kind {
            HomeKind::Scalar(place) => self.initialise_scalar(obj, place, init, loc),
            HomeKind::Array { place, .. } => self.initialise(obj, place, init),
            HomeKind::Region(_) | HomeKind::Moving(_) => self.initialise_memory(obj, init, loc),
            HomeKind::Unused => self.init_effects(init),
            HomeKind::Vla { .. } | HomeKind::Unmodelled(_) => {
                self.init_effects(init);
                self.set_loc(loc);
                let ty = self.cx.unit.objects[obj].ty.ty;
                self.unsupported(format!("initialisation of {}", self.cx.type_words(ty)));
            }
        }
    }

    /// An initialiser of an object in memory, or of a record: zeros, then item by item.
    fn initialise_memory(&mut self, obj: Obj, init: &Init, loc: Loc) {
        self.come_to_life(obj, None);
        let Some(node) = self.cx.points.object(obj) else { return };
        let data = self.cx.points.graph.data(node).clone();
        let bytes = self.cx.item_bytes(Item::Object(obj)).unwrap_or(0);
        let home = self.make_home(obj).kind;
        if let (HomeKind::Moving(place), true) = (&home, init.zero_rest) {
            let (address, size) = (self.read(*place), self.bv(self.cx.pointer_bits(), i128::from(bytes)));
            self.clear(node, address, size, loc);
        } else if init.zero_rest {
            for (lo, cell) in memory::cells(&data) {
                self.set_loc(loc);
                let scalar = memory::cell_scalar(cell.unit);
                let zero = self.zero(scalar);
                if let HomeKind::Region(region) = &home {
                    if let (Some(memory::Store::Array(place)), false) = (region.stores.get(&lo), region.shared()) {
                        let ty = Type::Array { index: self.cx.pointer_bits(), elem: scalar };
                        let blank = self.constant(syncline_ir::Const::zero(ty));
                        self.write(*place, blank);
                        continue;
                    }
                }
                let places: Vec<u64> =
                    self.cx.unit_places(lo, &cell, data.stride, bytes).take(MAX_STORES + 1).collect();
                if places.len() > MAX_STORES {
                    self.unsupported("the initialiser of a large array");
                }
                for bit in places {
                    self.store_part(obj, bit, scalar, zero, loc);
                }
            }
        }
        for item in &init.items {
            self.initialise_item(obj, item, loc);
        }
    }

    fn initialise_item(&mut self, obj: Obj, item: &InitItem, loc: Loc) {
        let bit = item.offset * 8 + item.bits.map_or(0, |f| u64::from(f.offset));
        match &item.value {
            InitValue::Str { lit, len } => {
                let literal = &self.cx.unit.strings[*lit];
                let Some(scalar) = self.cx.scalar(literal.elem) else { return };
                let width = self.cx.unit_bits(crate::points::CellUnit::Word(scalar));
                for (n, &unit) in (0..*len).zip(&literal.units) {
                    let value = self.constant(syncline_ir::Const::bv(width as u32, u128::from(unit)));
                    self.store_part(obj, bit + n * width, scalar, value, loc);
                }
            }
            InitValue::Expr(e) if self.cx.is_record(e.ty) => {
                let values = self.record(e);
                let Some(leaves) = self.cx.leaves_of(e.ty) else { return };
                for (leaf, value) in leaves.iter().zip(values) {
                    self.store_part(obj, bit + leaf.bit, leaf.scalar, value, e.loc);
                }
            }
            InitValue::Expr(e) => {
                let value = self.expr(e);
                self.set_loc(e.loc);
                let Some(scalar) = crate::leaves::field_scalar(&self.cx.unit.types, e.ty, item.bits) else { return };
                let value = self.unfielded(value, item.bits);
                self.store_part(obj, bit, scalar, value, e.loc);
            }
        }
    }

    /// Writes a scalar of an object at a static place.
    fn store_part(&mut self, obj: Obj, bit: u64, scalar: syncline_ir::Scalar, value: Value, loc: Loc) {
        let Some(path) = self.object_path(obj) else { return };
        let access = Access::new(path, bit, scalar, loc);
        // A part nobody reads has no cell.
        if self.has_cell(&access) {
            self.store_access(&access, value);
        }
    }

    /// The declaration of a variable-length array is executed: its sizes are fixed, its cells are any value.
    pub fn declare_vla(&mut self, obj: Obj, sizes: &[Expr], loc: Loc) {
        let object = &self.cx.unit.objects[obj];
        let shape = self.cx.vla_shape(object.ty.ty).filter(|&(_, n)| n == sizes.len());
        let sizes: Vec<Value> = sizes.iter().map(|e| self.size(e)).collect();
        self.set_loc(loc);
        if self.cx.memory.is_moving(obj) {
            return self.vla_in_memory(obj, &sizes, loc);
        }
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

    /// A variable-length array that pointers point to.
    fn vla_in_memory(&mut self, obj: Obj, sizes: &[Value], loc: Loc) {
        let bits = self.cx.pointer_bits();
        let elem = crate::leaves::element(&self.cx.unit.types, self.cx.unit.objects[obj].ty.ty);
        let bytes = layout::size_of(&self.cx.unit.types, elem).unwrap_or(1);
        let mut size = self.bv(bits, i128::from(bytes));
        for &dim in sizes {
            let most = self.bv(bits, 1i128 << (bits / 2 - 1));
            let fits = self.bin(BinOp::Ult, dim, most);
            self.assume(fits);
            size = self.bin(BinOp::Mul, size, dim);
        }
        let text = "a variable-length array of negative size, or larger than half of the address space, ends the run";
        self.cx.assume_once(text.into(), loc);
        self.come_to_life(obj, Some(size));
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

    fn initialise(&mut self, obj: Obj, place: Place, init: &Init) {
        let unit = self.cx.unit;
        let ty = unit.objects[obj].ty.ty;
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
            ResultKind::Record(_) => {
                let types = self.proc.results.clone();
                let values = types.into_iter().map(|ty| self.havoc("missing return value", ty)).collect();
                return self.leave(values);
            }
            ResultKind::Void | ResultKind::Unmodelled => None,
        };
        self.leave(result.into_iter().collect());
    }

    /// Returns, and goes on in a block nothing reaches.
    pub fn leave(&mut self, results: Vec<Value>) {
        let mut locals: Vec<Obj> = self.homes.keys().copied().collect();
        locals.sort_unstable();
        locals.into_iter().for_each(|obj| self.bury(obj));
        self.terminate(Terminator::Return(results));
    }

    /// Ends a procedure that was made of expressions.
    pub fn finish_procedure(&mut self, name: &str) {
        self.terminate(Terminator::Return(Vec::new()));
        self.name_properties(name);
        cleanup::run(&mut self.proc);
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
