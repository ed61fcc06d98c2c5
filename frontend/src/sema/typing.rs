//! Types at work: promotions, the usual arithmetic conversions, compatibility, names for messages.

use super::Sema;
use crate::types::{DataModel, IntKind, Qual, Signature, Type, TypeId, TypeTable};
use std::cmp::Ordering;
use syncline_ir::FloatFormat;

/// The types met at every step.
#[derive(Copy, Clone, Debug)]
pub struct Basic {
    pub void: TypeId,
    pub int: TypeId,
    pub uint: TypeId,
    pub long: TypeId,
    pub size: TypeId,
    pub ptrdiff: TypeId,
    pub float: TypeId,
    pub double: TypeId,
    pub void_ptr: TypeId,
    pub char_ptr: TypeId,
}

impl Basic {
    pub fn new(types: &mut TypeTable) -> Basic {
        let model = types.model;
        let void = types.intern(Type::Void);
        let char = types.int(IntKind::Char);
        Basic {
            void,
            int: types.int(IntKind::Int),
            uint: types.int(IntKind::UInt),
            long: types.int(IntKind::Long),
            size: types.int(model.size_type()),
            ptrdiff: types.int(model.ptrdiff_type()),
            float: types.intern(Type::Float(FloatFormat::F32)),
            double: types.intern(Type::Float(FloatFormat::F64)),
            void_ptr: types.intern(Type::Pointer(plain(void))),
            char_ptr: types.intern(Type::Pointer(plain(char))),
        }
    }
}

/// Without qualifiers.
pub fn plain(ty: TypeId) -> Qual {
    Qual { ty, volatile: false }
}

/// The value of `bits` as `kind` reads it.
pub fn wrap(value: i128, kind: IntKind, model: DataModel) -> i128 {
    if kind == IntKind::Bool {
        return i128::from(value != 0);
    }
    let shift = 128 - kind.bits(model);
    match kind.signed() {
        true => value << shift >> shift,
        false => ((value as u128) << shift >> shift) as i128,
    }
}

/// Integer promotion.
pub fn promoted(kind: IntKind) -> IntKind {
    match kind {
        IntKind::Bool | IntKind::Char | IntKind::SChar | IntKind::UChar | IntKind::Short | IntKind::UShort => {
            IntKind::Int
        }
        _ => kind,
    }
}

fn rank(kind: IntKind) -> u32 {
    match kind {
        IntKind::Bool => 0,
        IntKind::Char | IntKind::SChar | IntKind::UChar => 1,
        IntKind::Short | IntKind::UShort => 2,
        IntKind::Int | IntKind::UInt => 3,
        IntKind::Long | IntKind::ULong => 4,
        // Compared by its width, in `usual`.
        IntKind::LongLong | IntKind::ULongLong | IntKind::Field { .. } => 5,
        IntKind::Int128 | IntKind::UInt128 => 6,
    }
}

pub fn unsigned(kind: IntKind) -> IntKind {
    match kind {
        IntKind::Char | IntKind::SChar => IntKind::UChar,
        IntKind::Short => IntKind::UShort,
        IntKind::Int => IntKind::UInt,
        IntKind::Long => IntKind::ULong,
        IntKind::LongLong => IntKind::ULongLong,
        IntKind::Int128 => IntKind::UInt128,
        IntKind::Field { width, .. } => IntKind::Field { width, signed: false },
        IntKind::Bool
        | IntKind::UChar
        | IntKind::UShort
        | IntKind::UInt
        | IntKind::ULong
        | IntKind::ULongLong
        | IntKind::UInt128 => kind,
    }
}

/// The usual arithmetic conversions on two integer types.
pub fn usual(a: IntKind, b: IntKind, model: DataModel) -> IntKind {
    let (a, b) = (promoted(a), promoted(b));
    if matches!(a, IntKind::Field { .. }) || matches!(b, IntKind::Field { .. }) {
        return match a.bits(model).cmp(&b.bits(model)) {
            Ordering::Less => b,
            Ordering::Equal if !b.signed() => b,
            Ordering::Equal | Ordering::Greater => a,
        };
    }
    if a.signed() == b.signed() {
        return if rank(a) >= rank(b) { a } else { b };
    }
    let (s, u) = if a.signed() { (a, b) } else { (b, a) };
    if rank(u) >= rank(s) {
        u
    } else if s.bits(model) > u.bits(model) {
        s
    } else {
        unsigned(s)
    }
}

impl Sema<'_> {
    pub(super) fn ty(&self, id: TypeId) -> &Type {
        &self.unit.types[id]
    }

    pub(super) fn int_kind(&self, id: TypeId) -> Option<IntKind> {
        match self.ty(id) {
            Type::Int(kind) => Some(*kind),
            _ => None,
        }
    }

    pub(super) fn is_arithmetic(&self, id: TypeId) -> bool {
        matches!(self.ty(id), Type::Int(_) | Type::Float(_))
    }

    pub(super) fn is_scalar(&self, id: TypeId) -> bool {
        matches!(self.ty(id), Type::Int(_) | Type::Float(_) | Type::Pointer(_))
    }

    pub(super) fn is_void(&self, id: TypeId) -> bool {
        id == self.basic.void
    }

    pub(super) fn is_opaque(&self, id: TypeId) -> bool {
        matches!(self.ty(id), Type::Opaque(_))
    }

    /// What a pointer points to.
    pub(super) fn pointee(&self, id: TypeId) -> Option<Qual> {
        match self.ty(id) {
            Type::Pointer(to) => Some(*to),
            _ => None,
        }
    }

    pub(super) fn pointer_to(&mut self, to: Qual) -> TypeId {
        self.unit.types.intern(Type::Pointer(to))
    }

    pub(super) fn int_type(&mut self, kind: IntKind) -> TypeId {
        self.unit.types.int(kind)
    }

    pub(super) fn signature(&self, id: TypeId) -> Option<&Signature> {
        match self.ty(id) {
            Type::Function(signature) => Some(signature),
            _ => None,
        }
    }

    pub(super) fn is_complete(&self, id: TypeId) -> bool {
        match self.ty(id) {
            Type::Void | Type::Function(_) => false,
            Type::Array { elem, len } => len.is_some() && self.is_complete(elem.ty),
            Type::Record(record) => self.unit.types.records[*record].layout.is_some(),
            Type::Int(_) | Type::Float(_) | Type::Pointer(_) | Type::Vla { .. } | Type::Opaque(_) => true,
        }
    }

    /// Whether the size of the type is known only at run time.
    pub(super) fn is_variable(&self, id: TypeId) -> bool {
        match self.ty(id) {
            Type::Vla { .. } => true,
            Type::Array { elem, .. } => self.is_variable(elem.ty),
            _ => false,
        }
    }

    /// The type of an arithmetic operation on both; `None` if one is not arithmetic.
    pub(super) fn usual_types(&mut self, a: TypeId, b: TypeId) -> Option<TypeId> {
        let model = self.unit.types.model;
        match (self.ty(a), self.ty(b)) {
            (Type::Int(x), Type::Int(y)) => {
                let kind = usual(*x, *y, model);
                Some(self.int_type(kind))
            }
            (Type::Float(x), Type::Float(y)) => Some(if x >= y { a } else { b }),
            (Type::Float(_), Type::Int(_)) => Some(a),
            (Type::Int(_), Type::Float(_)) => Some(b),
            _ => None,
        }
    }

    /// Array and function parameters are pointers.
    pub(super) fn adjust_parameter(&mut self, q: Qual) -> Qual {
        match *self.ty(q.ty) {
            Type::Array { elem, .. } | Type::Vla { elem } => plain(self.pointer_to(elem)),
            Type::Function(_) => plain(self.pointer_to(plain(q.ty))),
            _ => q,
        }
    }

    /// `volatile` on an array is on its elements.
    pub(super) fn make_volatile(&mut self, q: Qual) -> Qual {
        match *self.ty(q.ty) {
            Type::Array { elem, len } => {
                let elem = self.make_volatile(elem);
                plain(self.unit.types.intern(Type::Array { elem, len }))
            }
            Type::Vla { elem } => {
                let elem = self.make_volatile(elem);
                plain(self.unit.types.intern(Type::Vla { elem }))
            }
            Type::Function(_) => q,
            _ => Qual { volatile: true, ..q },
        }
    }

    /// One type for two declarations of a thing, or `None` if they conflict.
    pub(super) fn composite(&mut self, a: TypeId, b: TypeId) -> Option<TypeId> {
        if a == b {
            return Some(a);
        }
        match (self.ty(a).clone(), self.ty(b).clone()) {
            (Type::Pointer(x), Type::Pointer(y)) => {
                let to = Qual { ty: self.composite(x.ty, y.ty)?, volatile: x.volatile || y.volatile };
                Some(self.pointer_to(to))
            }
            (Type::Array { elem: x, len: m }, Type::Array { elem: y, len: n }) => {
                if m.is_some() && n.is_some() && m != n {
                    return None;
                }
                let elem = Qual { ty: self.composite(x.ty, y.ty)?, volatile: x.volatile || y.volatile };
                Some(self.unit.types.intern(Type::Array { elem, len: m.or(n) }))
            }
            (Type::Vla { elem: x }, Type::Vla { elem: y } | Type::Array { elem: y, .. })
            | (Type::Array { elem: x, .. }, Type::Vla { elem: y }) => {
                self.composite(x.ty, y.ty)?;
                Some(a)
            }
            (Type::Function(x), Type::Function(y)) => {
                let signature = self.composite_signature(&x, &y)?;
                Some(self.unit.types.intern(Type::Function(signature)))
            }
            (Type::Record(x), Type::Record(y)) => self.same_shape(x, y).then_some(a),
            _ => None,
        }
    }

    fn composite_signature(&mut self, x: &Signature, y: &Signature) -> Option<Signature> {
        let result = self.composite(x.result, y.result)?;
        match (x.prototyped, y.prototyped) {
            (true, true) => {
                if x.params.len() != y.params.len() || x.variadic != y.variadic {
                    return None;
                }
                let params: Option<Vec<TypeId>> =
                    x.params.iter().zip(&y.params).map(|(&p, &q)| self.composite(p, q)).collect();
                Some(Signature { result, params: params?, ..*x })
            }
            (true, false) => Some(Signature { result, ..x.clone() }),
            (false, true) => Some(Signature { result, ..y.clone() }),
            (false, false) => {
                let known = if x.params.is_empty() { y } else { x };
                Some(Signature { result, ..known.clone() })
            }
        }
    }

    /// Records of different translation units are compatible if they look alike; without a tag, if that is known.
    fn same_shape(&self, x: crate::types::Record, y: crate::types::Record) -> bool {
        let (a, b) = (&self.unit.types.records[x], &self.unit.types.records[y]);
        if a.tag != b.tag || a.union != b.union {
            return false;
        }
        match (&a.layout, &b.layout) {
            (Some(p), Some(q)) => {
                p.size == q.size
                    && p.fields.len() == q.fields.len()
                    && p.fields.iter().zip(&q.fields).all(|(f, g)| {
                        f.name == g.name && f.offset == g.offset && f.bits == g.bits && self.alike(f.ty.ty, g.ty.ty)
                    })
            }
            _ => !a.tag.is_empty(),
        }
    }

    /// A shallow test for members: what pointers point to is not followed.
    fn alike(&self, a: TypeId, b: TypeId) -> bool {
        a == b
            || match (self.ty(a), self.ty(b)) {
                (Type::Pointer(_), Type::Pointer(_)) => true,
                (Type::Array { elem: x, len: m }, Type::Array { elem: y, len: n }) => m == n && self.alike(x.ty, y.ty),
                (Type::Record(x), Type::Record(y)) => {
                    self.unit.types.records[*x].tag == self.unit.types.records[*y].tag
                }
                _ => false,
            }
    }

    /// The type as one would say it in a message.
    pub(super) fn describe(&self, id: TypeId) -> String {
        match self.ty(id) {
            Type::Void => "void".into(),
            Type::Int(kind) => int_name(*kind).into(),
            Type::Float(FloatFormat::F32) => "float".into(),
            Type::Float(FloatFormat::F64) => "double".into(),
            Type::Float(FloatFormat::X87) => "long double".into(),
            Type::Pointer(to) => match self.describe(to.ty) {
                inner if inner.ends_with('*') => format!("{inner}*"),
                inner => format!("{inner} *"),
            },
            Type::Array { elem, len: Some(n) } => format!("{}[{n}]", self.describe(elem.ty)),
            Type::Array { elem, len: None } => format!("{}[]", self.describe(elem.ty)),
            Type::Vla { elem } => format!("{}[*]", self.describe(elem.ty)),
            Type::Function(signature) => {
                let params: Vec<String> = signature.params.iter().map(|&p| self.describe(p)).collect();
                format!("{}({})", self.describe(signature.result), params.join(", "))
            }
            Type::Record(record) => {
                let data = &self.unit.types.records[*record];
                let word = if data.union { "union" } else { "struct" };
                let tag = if data.tag.is_empty() { "<anonymous>" } else { &data.tag };
                format!("{word} {tag}")
            }
            Type::Opaque(text) => text.clone(),
        }
    }
}

fn int_name(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Bool => "_Bool",
        IntKind::Char => "char",
        IntKind::SChar => "signed char",
        IntKind::UChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UInt => "unsigned int",
        IntKind::Long => "long",
        IntKind::ULong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::ULongLong => "unsigned long long",
        IntKind::Int128 => "__int128",
        IntKind::UInt128 => "unsigned __int128",
        IntKind::Field { .. } => "bit-field",
    }
}
