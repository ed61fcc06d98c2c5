//! Out-parameters without memory: a pointer parameter that is only dereferenced or indexed is passed by value and
//! result, as a scalar or as an array with its length.
//!
//! `void f(char *out) { *out = 1; }` called as `f(&x)` becomes `x' = f(x)`. That is exact where nobody else reaches
//! `x` while the callee runs: it is a local of the caller, or an object no function mentions that the callee can
//! come to, and it is passed once only. Any other use of its address is an obligation, and so are call sites that
//! pass something else. A pointer parameter that is not used at all is not passed.

use super::build::FnLower;
use super::place::{Home, HomeKind, Len};
use super::scan::{self, Reach};
use super::Lower;
use crate::hir::{Expr, ExprKind, Func, LvalKind, Obj, Unit};
use crate::types::{Type as CType, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use syncline_ir::{BinOp, Const, InstData, Place, Type, Value};

/// How a parameter is passed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Value,
    /// A pointer to a scalar of this type, which goes in and comes out.
    Reference(TypeId),
    /// A pointer to the start of an array with elements of this type, which goes in with its length and comes out.
    Window(TypeId),
    /// Not at all: the callee does not look at it, or it is no scalar.
    Dropped,
}

#[derive(Default)]
pub(super) struct Modes(FxHashMap<Obj, Mode>);

/// An evaluated argument.
pub(super) enum Passed {
    Value(Value),
    /// An object that goes in and comes out.
    Object(Obj, Source),
    /// For a reference that is behind an obligation.
    Lost(Vec<Value>),
}

/// What of an object a reference parameter gets.
#[derive(Copy, Clone)]
pub(super) enum Source {
    /// A scalar for a scalar.
    Scalar(Place),
    /// The first cell of an array for a scalar.
    First(Place),
    /// A scalar for an array of length one.
    Single(Place),
    Array(Place, Len),
}

impl Passed {
    /// Whether a result of the call belongs to it.
    pub fn comes_back(&self) -> bool {
        match self {
            Passed::Value(_) => false,
            Passed::Object(..) | Passed::Lost(_) => true,
        }
    }
}

impl Lower<'_> {
    pub fn mode(&self, param: Obj) -> Mode {
        match self.modes.0.get(&param) {
            Some(mode) => *mode,
            None if self.scalar(self.unit.objects[param].ty.ty).is_some() => Mode::Value,
            None => Mode::Dropped,
        }
    }

    /// The type of what comes out of a parameter.
    pub fn reference_type(&self, mode: Mode) -> Option<Type> {
        match mode {
            Mode::Value | Mode::Dropped => None,
            Mode::Reference(ty) => Some(self.value_type(ty)),
            Mode::Window(elem) => {
                let elem = self.scalar(elem)?;
                Some(Type::Array { index: self.pointer_bits(), elem })
            }
        }
    }

    /// How a pointer that is followed can be passed.
    fn followed_mode(&self, param: Obj, indexed: bool) -> Option<Mode> {
        let CType::Pointer(to) = self.ctype(self.unit.objects[param].ty.ty) else { return None };
        match self.array_shape(to.ty) {
            Some((elem, _)) => Some(Mode::Window(elem)),
            None if self.scalar(to.ty).is_none() => None,
            None if indexed => Some(Mode::Window(to.ty)),
            None => Some(Mode::Reference(to.ty)),
        }
    }
}

/// Finds the parameters; those of the entry are what the run gives, so they stay values.
pub(super) fn classify(cx: &Lower<'_>, reach: &Reach, entry: Func) -> Modes {
    let unit = cx.unit;
    let mut modes = FxHashMap::default();
    let mut passes = Vec::new();
    for &func in reach.functions.iter().filter(|f| **f != entry) {
        let function = &unit.functions[func];
        let is_pointer = |p: &Obj| cx.is_pointer(unit.objects[*p].ty.ty);
        if !function.params.iter().any(is_pointer) {
            continue;
        }
        let Some(uses) = reach.bodies.get(&func).map(|b| &b.pointers) else { continue };
        let bare: FxHashSet<Obj> = uses.bare.iter().copied().collect();
        let indexed: FxHashSet<Obj> = uses.indexed.iter().copied().collect();
        let plain: FxHashSet<Obj> = uses.derefs.iter().copied().chain(uses.passes.iter().map(|p| p.0)).collect();
        for &param in function.params.iter().filter(|p| is_pointer(p) && !bare.contains(p)) {
            let mode = match (indexed.contains(&param), plain.contains(&param)) {
                (false, false) => Some(Mode::Dropped),
                (indexed, _) => cx.followed_mode(param, indexed),
            };
            if let Some(mode) = mode {
                modes.insert(param, mode);
            }
        }
        passes.extend(&uses.passes);
    }
    settle(unit, &mut modes, &passes);
    Modes(modes)
}

/// A parameter handed on to one that is a plain value is a plain value itself, and one handed on as an array is an
/// array. Each turn moves some parameter further that way, so this ends.
fn settle(unit: &Unit, modes: &mut FxHashMap<Obj, Mode>, passes: &[(Obj, Func, usize)]) {
    let mut changed = true;
    while changed {
        changed = false;
        for &(param, callee, position) in passes {
            let function = &unit.functions[callee];
            let Some(&mode) = modes.get(&param) else { continue };
            let Some(target) = function.params.get(position).filter(|_| function.body.is_some()) else { continue };
            match (mode, modes.get(target).copied()) {
                (_, Some(Mode::Dropped)) => {}
                (mode, Some(other)) if mode == other => {}
                (Mode::Reference(ty), Some(Mode::Window(elem))) if ty == elem => {
                    modes.insert(param, Mode::Window(elem));
                    changed = true;
                }
                _ => {
                    modes.remove(&param);
                    changed = true;
                }
            }
        }
    }
}

impl FnLower<'_, '_> {
    /// The slot for what a reference parameter points to; its value goes back when the function returns.
    pub fn reference_parameter(&mut self, param: Obj) {
        let object = &self.cx.unit.objects[param];
        let mode = self.cx.mode(param);
        let Some(ty) = self.cx.reference_type(mode) else { return };
        let place = Place::Local(self.add_slot(&format!("*{}", object.name), ty, object.loc));
        let value = self.proc.add_param(self.proc.entry, ty);
        let kind = match mode {
            Mode::Window(_) => {
                let len = self.proc.add_param(self.proc.entry, Type::bv(self.cx.pointer_bits()));
                HomeKind::Window { place, len }
            }
            Mode::Value | Mode::Reference(_) | Mode::Dropped => HomeKind::Pointee(place),
        };
        self.write(place, value);
        self.homes.insert(param, Home { kind, input: false, raw_bool: false });
        self.references.push(place);
    }

    /// Evaluates an argument the way its parameter takes it.
    pub fn pass(&mut self, arg: &Expr, param: Obj, callee: Func, before: &[Passed]) -> Option<Passed> {
        let ty = self.cx.unit.objects[param].ty.ty;
        let mode = self.cx.mode(param);
        match mode {
            Mode::Value => return self.argument(arg, ty).map(Passed::Value),
            Mode::Dropped if self.cx.scalar(ty).is_none() => return self.argument(arg, ty).map(Passed::Value),
            Mode::Dropped => {
                self.effect(arg);
                return None;
            }
            Mode::Reference(_) | Mode::Window(_) => {}
        }
        let found = self.referenced(arg, mode, callee);
        let twice = |obj| before.iter().any(|p| matches!(p, Passed::Object(other, _) if *other == obj));
        match found {
            Some((obj, source)) if !twice(obj) => Some(Passed::Object(obj, source)),
            _ => {
                self.effect(arg);
                self.set_loc(arg.loc);
                self.unsupported("a pointer argument other than the address of an object only the callee can reach");
                Some(self.lost(mode))
            }
        }
    }

    /// A parameter the caller gives no argument for.
    pub fn missing(&mut self, param: Obj) -> Option<Passed> {
        let object = &self.cx.unit.objects[param];
        let mode = self.cx.mode(param);
        match mode {
            Mode::Value => {
                let value = self.havoc_c(format!("missing argument {}", object.name), object.ty.ty);
                Some(Passed::Value(value))
            }
            Mode::Dropped => None,
            Mode::Reference(_) | Mode::Window(_) => {
                self.unsupported("a pointer argument that is missing");
                Some(self.lost(mode))
            }
        }
    }

    fn lost(&mut self, mode: Mode) -> Passed {
        let mut values = Vec::new();
        if let Some(ty) = self.cx.reference_type(mode) {
            values.push(self.havoc("a value that is not modelled", ty));
        }
        if let Mode::Window(_) = mode {
            values.push(self.bv(self.cx.pointer_bits(), 0));
        }
        Passed::Lost(values)
    }

    /// The object an argument points to, if it can be passed by value and result.
    fn referenced(&mut self, arg: &Expr, mode: Mode, callee: Func) -> Option<(Obj, Source)> {
        let (obj, loaded) = match &arg.kind {
            ExprKind::AddrOf(lval) | ExprKind::Decay(lval) => match lval.kind {
                LvalKind::Object(obj) => (obj, false),
                _ => return None,
            },
            _ => (scan::loaded(arg)?, true),
        };
        let home = self.home_of(obj);
        if home.input || home.raw_bool {
            return None;
        }
        let ty = self.cx.unit.objects[obj].ty.ty;
        let elem = self.cx.array_shape(ty).or_else(|| self.cx.vla_shape(ty).map(|(e, _)| (e, 0))).map(|(elem, _)| elem);
        let source = match (home.kind, mode) {
            (HomeKind::Scalar(place), Mode::Reference(to)) if !loaded && ty == to => Source::Scalar(place),
            (HomeKind::Scalar(place), Mode::Window(to)) if !loaded && ty == to => Source::Single(place),
            (HomeKind::Array { place, len: 1.. }, Mode::Reference(to)) if elem == Some(to) => Source::First(place),
            (HomeKind::Array { place, len }, Mode::Window(to)) if elem == Some(to) => {
                Source::Array(place, Len::Known(len))
            }
            (HomeKind::Vla { place, dims }, Mode::Window(to)) if elem == Some(to) && dims.len() == 1 => {
                Source::Array(place, Len::Passed(self.read(dims[0])))
            }
            (HomeKind::Pointee(place), _) if loaded && self.cx.mode(obj) == mode => Source::Scalar(place),
            (HomeKind::Window { place, len }, _) if loaded && self.cx.mode(obj) == mode => {
                Source::Array(place, Len::Passed(len))
            }
            _ => return None,
        };
        let (Source::Scalar(place) | Source::First(place) | Source::Single(place) | Source::Array(place, _)) = source;
        let shared = matches!(place, Place::Global(_)) && self.cx.reach.touches(callee, obj);
        (!shared).then_some((obj, source))
    }

    /// The values a call gets for an argument.
    pub fn copy_in(&mut self, passed: &Passed, values: &mut Vec<Value>) {
        let bits = self.cx.pointer_bits();
        match passed {
            Passed::Value(value) => values.push(*value),
            Passed::Lost(lost) => values.extend(lost),
            Passed::Object(_, Source::Scalar(place)) => values.push(self.read(*place)),
            Passed::Object(_, Source::First(place)) => {
                let index = self.bv(bits, 0);
                if let Type::Array { elem, .. } = self.cx.program.place_type(&self.proc, *place) {
                    values.push(self.emit(InstData::Load { place: *place, index }, elem.into()));
                }
            }
            Passed::Object(_, Source::Single(place)) => {
                let value = self.read(*place);
                if let Some(elem) = self.ty(value).scalar() {
                    let ty = Type::Array { index: bits, elem };
                    let (array, index) = (self.constant(Const::zero(ty)), self.bv(bits, 0));
                    values.push(self.emit(InstData::Update { array, index, value }, ty));
                    values.push(self.bv(bits, 1));
                }
            }
            Passed::Object(_, Source::Array(place, len)) => {
                values.push(self.read(*place));
                values.push(match len {
                    Len::Known(len) => self.bv(bits, i128::from(*len)),
                    Len::Passed(len) => *len,
                });
            }
        }
    }

    /// Takes what a call left in an argument.
    pub fn copy_out(&mut self, passed: &Passed, value: Value) {
        let bits = self.cx.pointer_bits();
        match passed {
            Passed::Value(_) | Passed::Lost(_) => {}
            Passed::Object(_, Source::Scalar(place) | Source::Array(place, _)) => self.write(*place, value),
            Passed::Object(_, Source::First(place)) => {
                let index = self.bv(bits, 0);
                self.act(InstData::Store { place: *place, index, value });
            }
            Passed::Object(_, Source::Single(place)) => {
                let index = self.bv(bits, 0);
                let value = self.bin(BinOp::Select, value, index);
                self.write(*place, value);
            }
        }
    }
}
