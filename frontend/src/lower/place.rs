//! Lvalues: where an object lives, and reading and writing it.
//!
//! `a[i][j]` is `*(*(a + i) + j)` in the HIR. Here it is one cell of the array `a`, at `i * columns + j`. The sum is
//! computed in as many bits as the operands' ranges need, so that an index that leaves the object never wraps back
//! into it.

use super::build::FnLower;
use super::memory::Region;
use super::path::Access;
use super::range::Range;
use super::Lower;
use crate::hir::{Expr, ExprKind, Loc, Lval, LvalKind, Obj, Str};
use crate::types::{BitField, Type as CType, TypeId};
use std::rc::Rc;
use syncline_ir::{ArrayConst, BinOp, Const, InstData, Place, PropKind, Scalar, Type, UnOp, Value};

/// Where an object lives.
#[derive(Clone, Debug)]
pub(super) struct Home {
    pub kind: HomeKind,
    /// A `volatile` object that is never written: every read gives any value.
    pub input: bool,
    /// A `_Bool` that starts with unknown bits: reads make it 0 or 1.
    pub raw_bool: bool,
}

#[derive(Clone, Debug)]
pub(super) enum HomeKind {
    Scalar(Place),
    Array {
        place: Place,
        len: u64,
    },
    /// A variable-length array; its sizes, as wide as an address, are in the other places.
    Vla {
        place: Place,
        dims: Vec<Place>,
    },
    /// In memory, or a record that is no part of it: the cells are here.
    Region(Rc<Region>),
    /// In memory, at an address of its own each time it comes to life, which is here.
    Moving(Place),
    /// Nobody reads or writes any part of it.
    Unused,
    /// The words say why.
    Unmodelled(String),
}

/// An lvalue whose operands have been evaluated.
pub(super) enum Target {
    Scalar {
        place: Place,
        ty: TypeId,
        obj: Obj,
    },
    Cell {
        base: Base,
        index: Value,
        inside: Option<Value>,
        ty: TypeId,
    },
    Memory {
        access: Box<Access>,
        ty: TypeId,
        field: Option<BitField>,
        name: String,
    },
    /// An obligation was emitted; there is nothing to read or write.
    Lost,
}

#[derive(Copy, Clone)]
pub(super) enum Base {
    Object(Obj, Place),
    Literal(Str),
}

/// The number of elements of an array.
#[derive(Copy, Clone)]
pub(super) enum Len {
    Known(u64),
    /// Of a variable-length array, as wide as an address.
    Passed(Value),
}

/// What an lvalue goes back to.
enum Root {
    Array(Base, Len),
    Vla(Base, Vec<Place>),
    Scalar(Place, Obj),
    /// The words say why it is not modelled.
    Unknown(String),
}

/// One summand of an index: `±expr * stride`.
struct Term<'e> {
    expr: &'e Expr,
    subtract: bool,
    stride: Stride,
}

/// How many scalars a step of an index covers.
#[derive(Copy, Clone)]
enum Stride {
    Known(u64),
    /// The product of the last sizes of the variable-length array, so many of them.
    Inner(usize),
}

impl Lower<'_> {
    /// Element type and number of elements of an array (of arrays) of scalars.
    pub fn array_shape(&self, ty: TypeId) -> Option<(TypeId, u64)> {
        match self.ctype(ty) {
            CType::Array { elem, len: Some(len) } => match self.array_shape(elem.ty) {
                Some((scalar, inner)) => Some((scalar, inner.checked_mul(*len)?)),
                None => self.scalar(elem.ty).map(|_| (elem.ty, *len)),
            },
            _ => None,
        }
    }

    /// How many scalars of an array a type covers.
    fn stride(&self, ty: TypeId) -> Option<u64> {
        self.scalar(ty).map(|_| 1).or_else(|| self.array_shape(ty).map(|(_, len)| len))
    }

    /// The scalar and the number of dimensions of a variable-length array.
    pub fn vla_shape(&self, ty: TypeId) -> Option<(TypeId, usize)> {
        match self.ctype(ty) {
            CType::Array { elem, .. } | CType::Vla { elem } => {
                let inner = self.vla_shape(elem.ty).or_else(|| self.scalar(elem.ty).map(|_| (elem.ty, 0)));
                inner.map(|(scalar, n)| (scalar, n + 1))
            }
            _ => None,
        }
    }

    /// The stride of pointers to a variable-length array.
    fn inner_stride(&self, ty: TypeId) -> Option<Stride> {
        self.vla_shape(ty).map(|(_, n)| Stride::Inner(n))
    }

    /// The IR type that holds an object, or why there is none.
    pub fn object_type(&self, ty: TypeId) -> Result<Type, String> {
        if let Some(scalar) = self.scalar(ty) {
            return Ok(scalar.into());
        }
        match self.array_shape(ty) {
            Some((elem, len)) if u128::from(len) < 1 << (self.pointer_bits() - 1) => {
                let elem = self.scalar(elem).unwrap_or(Scalar::Bv(8));
                Ok(Type::Array { index: self.pointer_bits(), elem })
            }
            Some(_) => Err("an array too large for the address space".into()),
            None => Err(match self.ctype(ty) {
                CType::Array { len: None, .. } => "an array of unknown length".into(),
                CType::Array { elem, .. } => format!("an array of {} elements", self.type_words(elem.ty)),
                _ => format!("an object of type {}", self.type_words(ty)),
            }),
        }
    }

    /// Whether the object, or the elements of the array it is, are volatile.
    pub fn is_volatile(&self, obj: Obj) -> bool {
        let mut qual = self.unit.objects[obj].ty;
        loop {
            match self.ctype(qual.ty) {
                _ if qual.volatile => return true,
                CType::Array { elem, .. } | CType::Vla { elem } => qual = *elem,
                _ => return false,
            }
        }
    }

    /// Whether every read of the object gives any value: it is `volatile` and never written.
    pub fn is_input(&mut self, obj: Obj) -> bool {
        let object = &self.unit.objects[obj];
        let input = !object.written && self.is_volatile(obj);
        if input {
            let text = format!("the volatile object `{}` is never written: every read gives any value", object.name);
            self.assume_once(text, object.loc);
        }
        input
    }

    /// The home of an object whose cells are in a region.
    pub fn region_home(&mut self, obj: Obj, region: Rc<Region>) -> Home {
        Home { kind: HomeKind::Region(region), input: self.is_input(obj), raw_bool: false }
    }

    /// The home of an object at `place`; `known` tells that it starts with the bits of a C value.
    pub fn home(&mut self, obj: Obj, place: Place, known: bool) -> Home {
        let object = &self.unit.objects[obj];
        let input = self.is_input(obj);
        let (kind, scalar) = match self.array_shape(object.ty.ty) {
            Some((elem, len)) => (HomeKind::Array { place, len }, elem),
            None => (HomeKind::Scalar(place), object.ty.ty),
        };
        Home { kind, input, raw_bool: !known && self.is_bool(scalar) }
    }

    /// Whether reading the object is only that: no obligation, no unknown value, no access another process can see.
    pub fn is_plain_object(&self, obj: Obj) -> bool {
        let ty = self.unit.objects[obj].ty.ty;
        let seen = self.unit.objects[obj].blocking && self.plan.is_some();
        self.scalar(ty).is_some() && !self.is_volatile(obj) && !self.memory.is_moving(obj) && !seen
    }

    /// A string literal as an array value.
    fn literal(&self, lit: Str) -> Const {
        let lit = &self.unit.strings[lit];
        let width = self.value_type(lit.elem).width().unwrap_or(8);
        let mut array = ArrayConst::filled(self.pointer_bits(), Const::bv(width, 0));
        for (i, &unit) in lit.units.iter().enumerate() {
            array.set(i as u128, Const::bv(width, u128::from(unit)));
        }
        Const::Array(array)
    }
}

impl<'a> FnLower<'_, 'a> {
    pub fn home_of(&self, obj: Obj) -> Home {
        let found = self.homes.get(&obj).or_else(|| self.cx.homes.get(&obj)).cloned();
        found.unwrap_or_else(|| Home {
            kind: HomeKind::Unmodelled("an object outside its scope".into()),
            input: false,
            raw_bool: false,
        })
    }

    fn object_name(&self, obj: Obj) -> &'a str {
        &self.cx.unit.objects[obj].name
    }

    /// Evaluates the operands of an lvalue, once.
    pub fn resolve(&mut self, lval: &Lval) -> Target {
        self.prepare(lval);
        if let LvalKind::Object(obj) | LvalKind::Compound { obj, .. } = &lval.kind {
            match self.home_of(*obj).kind {
                HomeKind::Scalar(place) => return Target::Scalar { place, ty: lval.ty.ty, obj: *obj },
                HomeKind::Array { .. } | HomeKind::Vla { .. } => {
                    return self.lose(lval, "an array used as a whole".into())
                }
                HomeKind::Region(_) | HomeKind::Moving(_) => {}
                HomeKind::Unused | HomeKind::Unmodelled(_) => {}
            }
        }
        let mut terms = Vec::new();
        match self.lval_root(lval, &mut terms) {
            Root::Array(base, len) => self.cell(base, len, &terms, lval),
            Root::Vla(base, dims) => self.vla_cell(base, &dims, &terms, lval),
            Root::Scalar(place, obj) => Target::Scalar { place, ty: lval.ty.ty, obj },
            Root::Unknown(why) => self.in_memory(lval, why),
        }
    }

    /// An lvalue in memory.
    fn in_memory(&mut self, lval: &Lval, why: String) -> Target {
        let field = self.field_of(lval);
        let Some(path) = self.path(lval) else { return self.lose(lval, why) };
        self.set_loc(lval.loc);
        let ty = lval.ty.ty;
        match self.access(path, ty, field, lval.loc) {
            Some(access) => {
                let name = self.lval_name(lval);
                Target::Memory { access: Box::new(access), ty, field, name }
            }
            None => self.lose(lval, format!("an object of type {}", self.cx.type_words(ty))),
        }
    }

    /// An lvalue in the words of the source, as far as it is short.
    fn lval_name(&self, lval: &Lval) -> String {
        match &lval.kind {
            LvalKind::Object(obj) => self.object_name(*obj).to_string(),
            LvalKind::Member { base, index } => {
                let CType::Record(record) = self.cx.ctype(base.ty.ty) else { return self.lval_name(base) };
                let layout = self.cx.unit.types.records[*record].layout.as_ref();
                let field = layout.and_then(|l| l.fields.get(*index as usize)).map_or("", |f| f.name.as_str());
                format!("{}.{field}", self.lval_name(base))
            }
            LvalKind::Deref(pointer) => match crate::points::indexed(pointer) {
                Some((array, _)) => format!("{}[]", self.lval_name(array)),
                None => match &pointer.kind {
                    ExprKind::Load(inner) => format!("*{}", self.lval_name(inner)),
                    _ => "*pointer".into(),
                },
            },
            LvalKind::Str(_) => "string literal".into(),
            LvalKind::Compound { .. } => "compound literal".into(),
            LvalKind::Temp(_) => "value".into(),
        }
    }

    fn lose(&mut self, lval: &Lval, why: String) -> Target {
        self.lval_effects(lval);
        self.set_loc(lval.loc);
        self.unsupported(why);
        Target::Lost
    }

    /// The object an lvalue is part of, and the index terms that lead to the part.
    fn lval_root<'e>(&self, lval: &'e Lval, terms: &mut Vec<Term<'e>>) -> Root {
        match &lval.kind {
            LvalKind::Object(obj) | LvalKind::Compound { obj, .. } => match self.home_of(*obj).kind {
                HomeKind::Array { place, len } => Root::Array(Base::Object(*obj, place), Len::Known(len)),
                HomeKind::Vla { place, dims } => Root::Vla(Base::Object(*obj, place), dims),
                HomeKind::Scalar(place) if terms.is_empty() => Root::Scalar(place, *obj),
                HomeKind::Scalar(_) => Root::Unknown("pointer arithmetic on a variable".into()),
                HomeKind::Region(_) | HomeKind::Moving(_) | HomeKind::Unused => {
                    Root::Unknown(format!("`{}`: an object that is not modelled", self.object_name(*obj)))
                }
                HomeKind::Unmodelled(why) => Root::Unknown(format!("`{}`: {why}", self.object_name(*obj))),
            },
            LvalKind::Str(lit) => {
                let len = self.cx.unit.strings[*lit].units.len() as u64;
                Root::Array(Base::Literal(*lit), Len::Known(len))
            }
            LvalKind::Deref(pointer) => self.pointer_root(pointer, terms),
            LvalKind::Member { base, .. } => {
                Root::Unknown(format!("access to a member of {}", self.cx.type_words(base.ty.ty)))
            }
            LvalKind::Temp(value) => Root::Unknown(format!("a value of type {}", self.cx.type_words(value.ty))),
        }
    }

    fn pointer_root<'e>(&self, pointer: &'e Expr, terms: &mut Vec<Term<'e>>) -> Root {
        match &pointer.kind {
            ExprKind::Decay(lval) | ExprKind::AddrOf(lval) => self.lval_root(lval, terms),
            ExprKind::PtrAdd { ptr, index, subtract } => {
                let stride = match self.cx.ctype(ptr.ty) {
                    CType::Pointer(to) => {
                        self.cx.stride(to.ty).map(Stride::Known).or_else(|| self.cx.inner_stride(to.ty))
                    }
                    _ => None,
                };
                let Some(stride) = stride else { return Root::Unknown("pointer arithmetic".into()) };
                terms.push(Term { expr: index, subtract: *subtract, stride });
                self.pointer_root(ptr, terms)
            }
            _ => Root::Unknown("access through a pointer".into()),
        }
    }

    /// The cell `base[sum of terms]`, with its guard where syntax does not show it to be inside.
    fn cell(&mut self, base: Base, len: Len, terms: &[Term<'_>], lval: &Lval) -> Target {
        let ptr = self.cx.pointer_bits();
        let Some(range) = self.index_range(terms) else {
            return self.lose(lval, "an array index of 128 bits".into());
        };
        let inside_always = match len {
            Len::Known(len) => range.within(0, i128::from(len) - 1),
            Len::Passed(_) => false,
        };
        let fits =
            |w: &u32| range.within(-(1i128 << (w - 1)), (1i128 << (w - 1)) - 1) || range.within(0, (1i128 << w) - 1);
        let width = if inside_always { Some(ptr) } else { [ptr, 64, 120].into_iter().find(fits) };
        let Some(width) = width else {
            return self.lose(lval, "an array index of more than 120 bits".into());
        };
        // Terms were found from the outside in; operands are evaluated from left to right.
        let mut sum = None;
        for term in terms.iter().rev() {
            sum = Some(self.add_term(sum, term, &[], width));
        }
        self.set_loc(lval.loc);
        let sum = sum.unwrap_or_else(|| self.bv(width, 0));
        let ty = lval.ty.ty;
        if inside_always {
            return Target::Cell { base, index: sum, inside: None, ty };
        }
        let bound = match len {
            Len::Known(len) => self.bv(width, i128::from(len)),
            Len::Passed(len) => self.un(UnOp::ZExt(width), len),
        };
        self.guarded(base, sum, bound, lval)
    }

    /// The cell at `sum`, which is inside when below `bound`; both are as wide as an address or wider.
    fn guarded(&mut self, base: Base, sum: Value, bound: Value, lval: &Lval) -> Target {
        let (ptr, width, ty) = (self.cx.pointer_bits(), self.width(sum), lval.ty.ty);
        let inside = self.bin(BinOp::Ult, sum, bound);
        self.note_access(base, inside, lval.loc);
        let index = if width > ptr {
            // An index cut to the width of addresses must not come back into the object.
            let cut = self.un(UnOp::Extract { hi: ptr - 1, lo: 0 }, sum);
            let nowhere = self.bv(ptr, -1);
            self.ite(inside, cut, nowhere)
        } else {
            sum
        };
        Target::Cell { base, index, inside: Some(inside), ty }
    }

    /// A cell of a variable-length array. With several dimensions the sum is computed in 120 bits, which it cannot
    /// leave: the object has at most 2^63 cells, and indices that may be large are not taken.
    fn vla_cell(&mut self, base: Base, dims: &[Place], terms: &[Term<'_>], lval: &Lval) -> Target {
        if let ([len], true) = (dims, terms.iter().all(|t| matches!(t.stride, Stride::Known(_)))) {
            let len = self.read(*len);
            return self.cell(base, Len::Passed(len), terms, lval);
        }
        const WIDTH: u32 = 120;
        let small = |t: &Term| self.cx.range(t.expr).is_some_and(|r| r.within(-(1 << 33), 1 << 33));
        let deep = |t: &Term| matches!(t.stride, Stride::Inner(n) if n > dims.len());
        if !terms.iter().all(small) || terms.iter().any(deep) {
            return self.lose(lval, "a large index into a variable-length array".into());
        }
        let mut sum = None;
        for term in terms.iter().rev() {
            sum = Some(self.add_term(sum, term, dims, WIDTH));
        }
        self.set_loc(lval.loc);
        let sum = sum.unwrap_or_else(|| self.bv(WIDTH, 0));
        let bound = self.product(dims, WIDTH);
        self.guarded(base, sum, bound, lval)
    }

    /// The product of sizes.
    pub fn product(&mut self, dims: &[Place], width: u32) -> Value {
        let mut product = self.bv(width, 1);
        for &dim in dims {
            let dim = self.read(dim);
            let dim = self.un(UnOp::ZExt(width), dim);
            product = self.bin(BinOp::Mul, product, dim);
        }
        product
    }

    fn index_range(&self, terms: &[Term<'_>]) -> Option<Range> {
        terms.iter().try_fold(Range::exactly(0), |sum, term| {
            let Stride::Known(stride) = term.stride else { return None };
            let part = self.cx.range(term.expr)?.mul(Range::exactly(i128::from(stride)))?;
            if term.subtract {
                sum.sub(part)
            } else {
                sum.add(part)
            }
        })
    }

    fn add_term(&mut self, sum: Option<Value>, term: &Term<'_>, dims: &[Place], width: u32) -> Value {
        let value = self.expr(term.expr);
        let own = self.width(value);
        let wide = if own > width {
            self.un(UnOp::Extract { hi: width - 1, lo: 0 }, value)
        } else if self.cx.is_signed(term.expr.ty) {
            self.un(UnOp::SExt(width), value)
        } else {
            self.un(UnOp::ZExt(width), value)
        };
        let scaled = match term.stride {
            Stride::Known(1) => wide,
            Stride::Known(stride) => {
                let stride = self.bv(width, i128::from(stride));
                self.bin(BinOp::Mul, wide, stride)
            }
            Stride::Inner(n) => {
                let stride = self.product(&dims[dims.len() - n..], width);
                self.bin(BinOp::Mul, wide, stride)
            }
        };
        match (sum, term.subtract) {
            (None, false) => scaled,
            (None, true) => self.un(UnOp::BvNeg, scaled),
            (Some(sum), false) => self.bin(BinOp::Add, sum, scaled),
            (Some(sum), true) => self.bin(BinOp::Sub, sum, scaled),
        }
    }

    fn note_access(&mut self, base: Base, inside: Value, loc: Loc) {
        if self.cx.checks(PropKind::Bounds) {
            self.check(PropKind::Bounds, inside, "array index inside the object", loc);
        } else if self.const_bool(inside) != Some(true) {
            let name = match base {
                Base::Object(obj, _) => format!("`{}`", self.object_name(obj)),
                Base::Literal(_) => "a string literal".into(),
            };
            self.cx.assume_line(
                format!("an access to {name} outside its bounds reads any value and changes nothing"),
                loc,
            );
        }
    }

    /// Reads an lvalue.
    pub fn load(&mut self, target: &Target, ty: TypeId) -> Value {
        match target {
            Target::Lost => self.havoc_c("a value that is not modelled", ty),
            Target::Memory { access, ty, field, name } => {
                let value = self.load_access(access, name);
                self.fielded(value, *ty, *field)
            }
            Target::Scalar { place, ty, obj } => {
                let home = self.home_of(*obj);
                if home.input {
                    return self.havoc_c(self.object_name(*obj), *ty);
                }
                let value = self.read(*place);
                self.normalise(value, home.raw_bool)
            }
            Target::Cell { base, index, inside, ty } => {
                let (value, raw_bool) = match base {
                    Base::Literal(lit) => {
                        let array = self.cx.literal(*lit);
                        let array = self.constant(array);
                        (self.bin(BinOp::Select, array, *index), false)
                    }
                    Base::Object(obj, place) => {
                        let home = self.home_of(*obj);
                        if home.input {
                            return self.havoc_c(format!("{}[]", self.object_name(*obj)), *ty);
                        }
                        let elem = self.cx.value_type(*ty);
                        (self.emit(InstData::Load { place: *place, index: *index }, elem), home.raw_bool)
                    }
                };
                let value = self.normalise(value, raw_bool);
                let Some(inside) = *inside else { return value };
                if self.const_bool(inside) == Some(true) {
                    return value;
                }
                let outside = self.havoc_c("read outside an array", *ty);
                self.ite(inside, value, outside)
            }
        }
    }

    fn normalise(&mut self, value: Value, raw_bool: bool) -> Value {
        if !raw_bool {
            return value;
        }
        let truth = self.truth(value);
        self.bool_to_bv(truth, 8)
    }

    /// Writes an lvalue.
    pub fn store(&mut self, target: &Target, value: Value) {
        match target {
            Target::Lost => {}
            Target::Memory { access, field, .. } => {
                let value = self.unfielded(value, *field);
                self.store_access(access, value);
            }
            Target::Scalar { place, .. } => self.write(*place, value),
            Target::Cell { base: Base::Object(_, place), index, .. } => {
                self.act(InstData::Store { place: *place, index: *index, value });
            }
            // gcc puts literals into memory that cannot be written: the run ends.
            Target::Cell { base: Base::Literal(_), inside, .. } => {
                let inside = inside.unwrap_or_else(|| self.boolean(true));
                let survives = self.not(inside);
                self.assume(survives);
            }
        }
    }

    /// An unknown value of a scalar C type: `_Bool` is 0 or 1.
    pub fn havoc_c(&mut self, name: impl Into<String>, ty: TypeId) -> Value {
        if self.cx.is_bool(ty) {
            let truth = self.havoc(name, Type::BOOL);
            return self.bool_to_bv(truth, 8);
        }
        let ty = self.cx.value_type(ty);
        self.havoc(name, ty)
    }
}
