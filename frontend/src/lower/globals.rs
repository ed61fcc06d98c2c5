//! Objects with static storage: variables of the program with their initial values.

use super::build::FnLower;
use super::place::{Home, HomeKind};
use super::scan::Reach;
use super::Lower;
use crate::hir::{Init, InitItem, InitValue, Obj, Storage, Str};
use crate::types::TypeId;
use rustc_hash::FxHashSet;
use syncline_ir::{ArrayConst, Const, Initial, Place, Scalar, Type, VarData};

/// Makes variables of all used objects with static storage.
pub(super) fn declare(cx: &mut Lower<'_>, reach: &Reach) {
    let mut names = FxHashSet::default();
    let owners = static_owners(cx, reach);
    for (obj, object) in cx.unit.objects.iter() {
        let fixed = matches!(object.storage, Storage::Global | Storage::Static);
        if !fixed || !reach.objects.contains(&obj) {
            continue;
        }
        let wanted = match owners.get(&obj) {
            Some(function) => format!("{function}::{}", object.name),
            None => object.name.clone(),
        };
        let name = unique(wanted, &mut names);
        let home = declare_one(cx, obj, name);
        cx.homes.insert(obj, home);
    }
}

/// The functions that declare static locals.
fn static_owners(cx: &Lower<'_>, reach: &Reach) -> rustc_hash::FxHashMap<Obj, String> {
    let mut owners = rustc_hash::FxHashMap::default();
    for &func in &reach.functions {
        let function = &cx.unit.functions[func];
        let body = function.body.as_deref().unwrap_or_default();
        for obj in super::scan::jumps(body).locals {
            owners.insert(obj, function.name.clone());
        }
    }
    owners
}

fn unique(wanted: String, names: &mut FxHashSet<String>) -> String {
    if names.insert(wanted.clone()) {
        return wanted;
    }
    let mut candidates = (2u32..).map(|n| format!("{wanted}#{n}"));
    candidates.find(|name| names.insert(name.clone())).unwrap_or(wanted)
}

fn declare_one(cx: &mut Lower<'_>, obj: Obj, name: String) -> Home {
    let object = &cx.unit.objects[obj];
    let unmodelled = |why: String| Home { kind: HomeKind::Unmodelled(why), input: false, raw_bool: false };
    let ty = match cx.object_type(object.ty.ty) {
        Ok(ty) => ty,
        Err(why) => return unmodelled(why),
    };
    let origin = cx.origin(object.loc);
    let external = object.storage == Storage::Global && !object.defined;
    let init = if external {
        cx.assume_once(format!("the external object `{}` is defined nowhere: it starts with any value", object.name), object.loc);
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

/// Bytes from one element to the next in an array of scalars.
pub(super) fn cell_bytes(elem: Scalar, pointer_bits: u32) -> u64 {
    match elem {
        Scalar::Bool => 1,
        Scalar::Bv(width) => u64::from(width.div_ceil(8)),
        // `long double` is padded to 12 bytes in 32-bit code and to 16 in 64-bit code.
        Scalar::Float(syncline_ir::FloatFormat::X87) if pointer_bits == 32 => 12,
        Scalar::Float(syncline_ir::FloatFormat::X87) => 16,
        Scalar::Float(format) => u64::from(format.storage_bits() / 8),
    }
}

impl<'a> Lower<'a> {
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
        let bytes = cell_bytes(elem, self.pointer_bits());
        let mut array = ArrayConst::filled(self.pointer_bits(), Const::zero(elem.into()));
        let mut rest: Vec<&InitItem> = Vec::new();
        for item in &init.items {
            let index = u128::from(item.offset / bytes);
            match &item.value {
                InitValue::Str { lit, len } => self.fill(&mut array, index, *lit, *len, elem),
                InitValue::Expr(e) => match self.constant_value(e) {
                    Some(value) if value.ty() == elem.into() => array.set(index, value),
                    _ => rest.push(item),
                },
            }
        }
        (Const::Array(array), rest)
    }

    fn fill(&self, array: &mut ArrayConst, start: u128, lit: Str, len: u64, elem: Scalar) {
        let Scalar::Bv(width) = elem else { return };
        let units = &self.unit.strings[lit].units;
        for (i, &unit) in (0u128..).zip(units.iter().take(usize::try_from(len).unwrap_or(usize::MAX))) {
            array.set(start + i, Const::bv(width, u128::from(unit)));
        }
    }

    /// The value of a constant expression. Other expressions are tried in a scratch procedure: folding decides.
    fn constant_value(&mut self, expr: &crate::hir::Expr) -> Option<Const> {
        let ty = self.value_type(expr.ty);
        match (&expr.kind, ty.width()) {
            (crate::hir::ExprKind::Int(value), Some(width)) => return Some(Const::bv(width, *value as u128)),
            (crate::hir::ExprKind::Float { format, bits }, _) => {
                return Some(Const::Float { format: *format, bits: *bits })
            }
            _ if !self.plain_constant(expr) => return None,
            _ => {}
        }
        let mut scratch = FnLower::new(self, "", expr.loc);
        let value = scratch.expr(expr);
        scratch.as_const(value).cloned()
    }

    /// Whether the expression reads nothing and can be folded without effects.
    fn plain_constant(&self, expr: &crate::hir::Expr) -> bool {
        let mut budget = 10_000;
        self.is_plain(expr, &mut budget) && !self.reads(expr)
    }
}
