//! Out-parameters without memory: a pointer parameter that is only dereferenced is passed by value and result.
//!
//! `void f(char *out) { *out = 1; }` called as `f(&x)` becomes `x' = f(x)`. That is exact where `x` is a local
//! scalar of the caller, another one for each such parameter: while the callee runs nobody else can reach it, for
//! any other use of its address is an obligation. Call sites that pass something else are obligations.
//! A pointer parameter that is not used at all is not passed.

use super::scan::{self, Reach};
use super::Lower;
use crate::hir::{Func, Obj, Unit};
use crate::types::{Type as CType, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// How a parameter is passed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Value,
    /// A pointer to a scalar of this type, which goes in and comes out.
    Reference(TypeId),
    /// Not at all: the callee does not look at it, or it is no scalar.
    Dropped,
}

#[derive(Default)]
pub(super) struct Modes(FxHashMap<Obj, Mode>);

impl Lower<'_> {
    pub fn mode(&self, param: Obj) -> Mode {
        match self.modes.0.get(&param) {
            Some(mode) => *mode,
            None if self.scalar(self.unit.objects[param].ty.ty).is_some() => Mode::Value,
            None => Mode::Dropped,
        }
    }

    /// The pointer parameters passed by value and result, in order, with the types they point to.
    pub fn references(&self, func: Func) -> Vec<(Obj, TypeId)> {
        let params = self.unit.functions[func].params.iter();
        params
            .filter_map(|&p| match self.mode(p) {
                Mode::Reference(ty) => Some((p, ty)),
                Mode::Value | Mode::Dropped => None,
            })
            .collect()
    }

    fn pointee(&self, obj: Obj) -> Option<TypeId> {
        match self.ctype(self.unit.objects[obj].ty.ty) {
            CType::Pointer(to) if self.scalar(to.ty).is_some() => Some(to.ty),
            _ => None,
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
        let pointers: Vec<Obj> =
            function.params.iter().copied().filter(|&p| cx.is_pointer(unit.objects[p].ty.ty)).collect();
        if pointers.is_empty() {
            continue;
        }
        let uses = scan::pointer_uses(function.body.as_deref().unwrap_or_default());
        let bare: FxHashSet<Obj> = uses.bare.into_iter().collect();
        let followed: FxHashSet<Obj> = uses.derefs.into_iter().chain(uses.passes.iter().map(|p| p.0)).collect();
        for param in pointers.into_iter().filter(|p| !bare.contains(p)) {
            match cx.pointee(param) {
                _ if !followed.contains(&param) => modes.insert(param, Mode::Dropped),
                Some(ty) => modes.insert(param, Mode::Reference(ty)),
                None => None,
            };
        }
        passes.extend(uses.passes);
    }
    settle(unit, &mut modes, &passes);
    Modes(modes)
}

/// A parameter handed on to one that is a plain value is a plain value itself.
fn settle(unit: &Unit, modes: &mut FxHashMap<Obj, Mode>, passes: &[(Obj, Func, usize)]) {
    loop {
        let before = modes.len();
        for &(param, callee, position) in passes {
            let function = &unit.functions[callee];
            let fits = match (modes.get(&param), function.params.get(position)) {
                (Some(mode), Some(target)) => match modes.get(target) {
                    Some(Mode::Dropped) => true,
                    Some(other) => mode == other,
                    None => false,
                },
                (Some(_), None) | (None, _) => true,
            };
            if function.body.is_some() && !fits {
                modes.remove(&param);
            }
        }
        if modes.len() == before {
            return;
        }
    }
}
