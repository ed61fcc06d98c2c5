//! Objects with static storage: variables of the program with their initial values.

use super::build::FnLower;
use super::cond::PlainWalk;
use super::place::{Home, HomeKind};
use super::scan::Reach;
use super::Lower;
use crate::hir::{Expr, ExprKind, Init, InitItem, InitValue, Obj, Storage, Str};
use crate::layout;
use crate::types::TypeId;
use std::rc::Rc;
use syncline_ir::{ArrayConst, Const, Initial, Place, Scalar, Type, VarData};

/// Nodes of a constant expression that is folded here.
const CONSTANT_BUDGET: u32 = 10_000;

/// Makes variables of all used objects with static storage.
pub(super) fn declare(cx: &mut Lower<'_>, reach: &Reach) {
    for (obj, object) in cx.unit.objects.iter() {
        let fixed = matches!(object.storage, Storage::Global | Storage::Static);
        if !fixed || !reach.objects.contains(&obj) {
            continue;
        }
        let home = declare_one(cx, obj);
        cx.homes.insert(obj, home);
    }
}

fn declare_one(cx: &mut Lower<'_>, obj: Obj) -> Home {
    let object = &cx.unit.objects[obj];
    let home = |kind| Home { kind, input: false, raw_bool: false };
    let unmodelled = |why: String| home(HomeKind::Unmodelled(why));
    if cx.in_memory(obj) {
        note_external(cx, obj);
        return match cx.points.object(obj).and_then(|node| cx.region(node)) {
            Some(region) => cx.region_home(obj, region),
            None => unmodelled("an object too large for the address space".into()),
        };
    }
    if cx.object_type(object.ty.ty).is_err() {
        note_external(cx, obj);
        return match cx.private_region(obj, |cx, name, ty, init| cx.memory_var(name, ty, init)) {
            Some(region) => cx.region_home(obj, Rc::new(region)),
            None if cx.points.object(obj).is_none() => home(HomeKind::Unused),
            None => unmodelled(format!("an object of type {}", cx.type_words(object.ty.ty))),
        };
    }
    let name = cx.var_names.claim(object.name.clone());
    let ty = match cx.object_type(object.ty.ty) {
        Ok(ty) => ty,
        Err(why) => return unmodelled(why),
    };
    let origin = cx.origin(object.loc);
    let external = note_external(cx, obj);
    let init = if external {
        Initial::Any(cx.site(&object.name, ty, origin))
    } else {
        match cx.initial(object.ty.ty, ty, object.init.as_ref()) {
            Some(value) => Initial::Const(value),
            None => return unmodelled("an initialiser that holds an address".into()),
        }
    };
    let var = cx.program.vars.push(VarData { name, ty, init, origin });
    cx.home(obj, Place::Global(var), !external)
}

/// Says that an object is defined nowhere, if so.
fn note_external(cx: &mut Lower<'_>, obj: Obj) -> bool {
    let object = &cx.unit.objects[obj];
    let external = object.storage == Storage::Global && !object.defined;
    if external {
        let text = format!("the external object `{}` is defined nowhere: it starts with any value", object.name);
        cx.assume_once(text, object.loc);
    }
    external
}

impl Lower<'_> {
    /// The value a static object starts with, or `None` if it is no constant here.
    fn initial(&mut self, ctype: TypeId, ty: Type, init: Option<&Init>) -> Option<Const> {
        let Some(init) = init else { return Some(Const::zero(ty)) };
        if ty.is_array() {
            let (value, rest) = self.constant_cells(ctype, init);
            return rest.is_empty().then_some(value);
        }
        match init.items.last() {
            None => Some(Const::zero(ty)),
            Some(InitItem { value: InitValue::Expr(e), .. }) => self.constant_value(e).filter(|c| c.ty() == ty),
            Some(InitItem { value: InitValue::Str { .. }, .. }) => None,
        }
    }

    /// An array initialiser: the array of its constant cells, zero elsewhere, and the items that are no constants.
    pub fn constant_cells<'i>(&mut self, ty: TypeId, init: &'i Init) -> (Const, Vec<&'i InitItem>) {
        let elem = self.array_shape(ty).and_then(|(elem, _)| self.scalar(elem)).unwrap_or(Scalar::Bv(8));
        let mut array = ArrayConst::filled(self.pointer_bits(), Const::zero(elem.into()));
        let mut rest: Vec<&InitItem> = Vec::new();
        for item in &init.items {
            let index = u128::from(self.cell_at(ty, item.offset));
            match &item.value {
                InitValue::Str { lit, len } => self.fill(&mut array, index, *lit, *len, elem),
                InitValue::Expr(e) => {
                    // A later item for the same cell replaces the earlier one.
                    rest.retain(|earlier| earlier.offset != item.offset);
                    match self.constant_value(e) {
                        Some(value) if value.ty() == elem.into() => array.set(index, value),
                        _ => rest.push(item),
                    }
                }
            }
        }
        (Const::Array(array), rest)
    }

    /// The element of an array of scalars that lies at a byte offset.
    pub fn cell_at(&self, array: TypeId, offset: u64) -> u64 {
        let elem = self.array_shape(array).and_then(|(elem, _)| layout::size_of(&self.unit.types, elem));
        offset / elem.unwrap_or(1).max(1)
    }

    fn fill(&self, array: &mut ArrayConst, start: u128, lit: Str, len: u64, elem: Scalar) {
        let Scalar::Bv(width) = elem else { return };
        let units = &self.unit.strings[lit].units;
        for (i, &unit) in (0u128..).zip(units.iter().take(usize::try_from(len).unwrap_or(usize::MAX))) {
            array.set(start + i, Const::bv(width, u128::from(unit)));
        }
    }

    /// The value of a constant expression. Other expressions are tried in a scratch procedure: folding decides.
    pub fn constant_value(&mut self, expr: &Expr) -> Option<Const> {
        let ty = self.value_type(expr.ty);
        match (&expr.kind, ty.width()) {
            (ExprKind::Int(value), Some(width)) => return Some(Const::bv(width, *value as u128)),
            (ExprKind::Float { format, bits }, _) => return Some(Const::Float { format: *format, bits: *bits }),
            _ if !self.is_plain(expr, &mut PlainWalk { budget: CONSTANT_BUDGET, constant: true }) => return None,
            _ => {}
        }
        let mut scratch = FnLower::new(self, "", expr.loc);
        let value = scratch.expr(expr);
        scratch.as_const(value).cloned()
    }
}

impl Lower<'_> {
    /// The unknown table of the machine: what a shift of words of this width makes of a count that is out of range.
    pub fn shift_table(&mut self, width: u32) -> Place {
        if let Some(&var) = self.shifts.get(&width) {
            return Place::Global(var);
        }
        let name = format!("shift counts of the machine, {width} bits");
        let (ty, origin) = (Type::Array { index: width, elem: Scalar::Bv(width) }, self.program.no_origin());
        let init = Initial::Any(self.site(&name, ty, origin));
        let var = self.program.vars.push(VarData { name, ty, init, origin });
        self.shifts.insert(width, var);
        Place::Global(var)
    }
}
