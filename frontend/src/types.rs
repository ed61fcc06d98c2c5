//! C types, interned, and their layout on the two data models.
//!
//! Qualifiers other than `volatile` are gone: they change no value.

use crate::hir::Loc;
use cranelift_entity::{entity_impl, PrimaryMap};
use rustc_hash::FxHashMap;
use syncline_ir::FloatFormat;

/// An interned C type: equal types have equal ids, compatible records too once completed.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);
entity_impl!(TypeId, "type");

/// A struct or union.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Record(u32);
entity_impl!(Record, "record");

/// ILP32 or LP64, as gcc has them on x86.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum DataModel {
    Ilp32,
    Lp64,
}

/// The integer types before promotion. `Enum`s are `UInt` or `Int` (gcc's choice by their values).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum IntKind {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
    /// What a bit-field between `int` and its declared type is in arithmetic: gcc computes in exactly its width. No
    /// object has this type.
    Field {
        width: u32,
        signed: bool,
    },
}

/// A type with what of its qualifiers matters.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Qual {
    pub ty: TypeId,
    pub volatile: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Void,
    Int(IntKind),
    Float(FloatFormat),
    Pointer(Qual),
    /// `len` is `None` for `T[]` without a size.
    Array {
        elem: Qual,
        len: Option<u64>,
    },
    /// A variable-length array: its size is known at run time only.
    Vla {
        elem: Qual,
    },
    Function(Signature),
    Record(Record),
    /// Something the front end can parse but not model: `_Complex`, vectors. The text says what.
    Opaque(String),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    pub result: TypeId,
    pub params: Vec<TypeId>,
    pub variadic: bool,
    /// `false` for `T f()` and K&R definitions: arguments are promoted, not converted.
    pub prototyped: bool,
}

#[derive(Clone, Debug)]
pub struct RecordData {
    pub tag: String,
    pub union: bool,
    /// `None` while incomplete.
    pub layout: Option<RecordLayout>,
    pub loc: Loc,
}

#[derive(Clone, Debug)]
pub struct RecordLayout {
    pub size: u64,
    pub align: u64,
    /// In order, unnamed bit-fields left out; anonymous struct and union members have an empty name.
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub ty: Qual,
    /// Byte offset of the field, or of the storage unit of a bit-field.
    pub offset: u64,
    pub bits: Option<BitField>,
}

/// Bits `offset .. offset + width` of the storage unit, counted from the least significant.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct BitField {
    pub offset: u32,
    pub width: u32,
}

/// All types of a program, and the data model they are laid out for.
#[derive(Clone, Debug)]
pub struct TypeTable {
    pub model: DataModel,
    types: PrimaryMap<TypeId, Type>,
    ids: FxHashMap<Type, TypeId>,
    pub records: PrimaryMap<Record, RecordData>,
}

impl DataModel {
    pub fn pointer_bytes(self) -> u64 {
        match self {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }

    pub fn pointer_bits(self) -> u32 {
        self.pointer_bytes() as u32 * 8
    }

    /// `size_t`, `uintptr_t`.
    pub fn size_type(self) -> IntKind {
        match self {
            DataModel::Ilp32 => IntKind::UInt,
            DataModel::Lp64 => IntKind::ULong,
        }
    }

    /// `ptrdiff_t`, `intptr_t`.
    pub fn ptrdiff_type(self) -> IntKind {
        match self {
            DataModel::Ilp32 => IntKind::Int,
            DataModel::Lp64 => IntKind::Long,
        }
    }
}

impl IntKind {
    pub fn bytes(self, model: DataModel) -> u64 {
        match self {
            IntKind::Bool | IntKind::Char | IntKind::SChar | IntKind::UChar => 1,
            IntKind::Short | IntKind::UShort => 2,
            IntKind::Int | IntKind::UInt => 4,
            IntKind::Long | IntKind::ULong => model.pointer_bytes(),
            IntKind::LongLong | IntKind::ULongLong | IntKind::Field { .. } => 8,
            IntKind::Int128 | IntKind::UInt128 => 16,
        }
    }

    /// Bits of the value; `_Bool` is stored in a byte.
    pub fn bits(self, model: DataModel) -> u32 {
        match self {
            IntKind::Field { width, .. } => width,
            _ => self.bytes(model) as u32 * 8,
        }
    }

    pub fn signed(self) -> bool {
        match self {
            IntKind::Char
            | IntKind::SChar
            | IntKind::Short
            | IntKind::Int
            | IntKind::Long
            | IntKind::LongLong
            | IntKind::Int128 => true,
            IntKind::Bool
            | IntKind::UChar
            | IntKind::UShort
            | IntKind::UInt
            | IntKind::ULong
            | IntKind::ULongLong
            | IntKind::UInt128 => false,
            IntKind::Field { signed, .. } => signed,
        }
    }
}

impl TypeTable {
    pub fn new(model: DataModel) -> TypeTable {
        TypeTable { model, types: PrimaryMap::new(), ids: FxHashMap::default(), records: PrimaryMap::new() }
    }

    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    pub fn int(&mut self, kind: IntKind) -> TypeId {
        self.intern(Type::Int(kind))
    }
}

impl std::ops::Index<TypeId> for TypeTable {
    type Output = Type;

    fn index(&self, id: TypeId) -> &Type {
        &self.types[id]
    }
}
