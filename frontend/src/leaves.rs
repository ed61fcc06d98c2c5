//! The scalars a record or array consists of, with their places: what a copy of the whole copies.
//!
//! A bit-field is a leaf of its own width. A union whose members disagree is a row of bytes. Padding is in no leaf.

use crate::layout;
use crate::types::{BitField, DataModel, IntKind, Type, TypeId, TypeTable};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use syncline_ir::{FloatFormat, Scalar};

/// A larger object is not handled as a list of scalars.
const MAX_LEAVES: usize = 2048;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// Where it begins, in bits from the start of the whole.
    pub bit: u64,
    pub scalar: Scalar,
    pub pointer: bool,
    pub boolean: bool,
}

/// Leaves by type, computed once.
#[derive(Default)]
pub struct LeafTable(RefCell<FxHashMap<TypeId, Option<Rc<[Leaf]>>>>);

/// The IR type of a scalar C type.
pub fn scalar_of(types: &TypeTable, ty: TypeId) -> Option<Scalar> {
    match &types[ty] {
        Type::Int(kind) => Some(Scalar::Bv(kind.bits(types.model))),
        Type::Float(format) => Some(Scalar::Float(*format)),
        Type::Pointer(_) => Some(Scalar::Bv(types.model.pointer_bits())),
        Type::Void | Type::Array { .. } | Type::Vla { .. } | Type::Function(_) | Type::Record(_) | Type::Opaque(_) => {
            None
        }
    }
}

/// Bits a scalar takes in memory: x87 has padding.
pub fn memory_bits(scalar: Scalar, model: DataModel) -> u64 {
    match (scalar, model) {
        (Scalar::Bool, _) => 8,
        (Scalar::Bv(w), _) => u64::from(w),
        (Scalar::Float(FloatFormat::X87), DataModel::Ilp32) => 96,
        (Scalar::Float(FloatFormat::X87), DataModel::Lp64) => 128,
        (Scalar::Float(f), _) => u64::from(f.storage_bits()),
    }
}

/// Bytes an argument that has no parameter takes where it is stored for the callee.
pub fn slot_bytes(types: &TypeTable, ty: TypeId) -> Option<u64> {
    layout::size_of(types, ty).map(|bytes| bytes.next_multiple_of(8))
}

/// The scalar of a field.
pub fn field_scalar(types: &TypeTable, ty: TypeId, bits: Option<BitField>) -> Option<Scalar> {
    match bits {
        Some(field) => Some(Scalar::Bv(field.width)),
        None => scalar_of(types, ty),
    }
}

/// The innermost element of an array type; any other type itself.
pub fn element(types: &TypeTable, mut ty: TypeId) -> TypeId {
    while let Type::Array { elem, .. } | Type::Vla { elem } = &types[ty] {
        ty = elem.ty;
    }
    ty
}

impl LeafTable {
    /// The leaves of a complete type, in the order of their places; `None` for what has too many, or none that are
    /// known.
    pub fn of(&self, types: &TypeTable, ty: TypeId) -> Option<Rc<[Leaf]>> {
        if let Some(known) = self.0.borrow().get(&ty) {
            return known.clone();
        }
        let mut leaves = Vec::new();
        let found = collect(types, ty, 0, &mut leaves).map(|()| Rc::from(leaves));
        self.0.borrow_mut().insert(ty, found.clone());
        found
    }
}

fn collect(types: &TypeTable, ty: TypeId, at: u64, leaves: &mut Vec<Leaf>) -> Option<()> {
    if leaves.len() > MAX_LEAVES {
        return None;
    }
    match &types[ty] {
        Type::Int(_) | Type::Float(_) | Type::Pointer(_) => {
            let pointer = matches!(types[ty], Type::Pointer(_));
            let boolean = matches!(types[ty], Type::Int(IntKind::Bool));
            leaves.push(Leaf { bit: at, scalar: scalar_of(types, ty)?, pointer, boolean });
            Some(())
        }
        // A flexible member is no part of a copy.
        Type::Array { len: None, .. } => Some(()),
        Type::Array { elem, len: Some(len) } => {
            let size = layout::size_of(types, elem.ty)? * 8;
            (0..*len).try_for_each(|n| collect(types, elem.ty, at + n * size, leaves))
        }
        Type::Record(record) => {
            let data = &types.records[*record];
            let layout = data.layout.as_ref()?;
            if data.union && layout.fields.len() > 1 {
                return union(types, ty, at, leaves);
            }
            layout.fields.iter().try_for_each(|f| match f.bits {
                Some(bits) => {
                    let boolean = matches!(types[f.ty.ty], Type::Int(IntKind::Bool));
                    let bit = at + f.offset * 8 + u64::from(bits.offset);
                    leaves.push(Leaf { bit, scalar: Scalar::Bv(bits.width), pointer: false, boolean });
                    Some(())
                }
                None => collect(types, f.ty.ty, at + f.offset * 8, leaves),
            })
        }
        Type::Void | Type::Vla { .. } | Type::Function(_) | Type::Opaque(_) => None,
    }
}

fn union(types: &TypeTable, ty: TypeId, at: u64, leaves: &mut Vec<Leaf>) -> Option<()> {
    let Type::Record(record) = &types[ty] else { return None };
    let layout = types.records[*record].layout.as_ref()?;
    let mut members = layout.fields.iter().map(|f| {
        let mut own = Vec::new();
        // Bit-fields of a union overlap what lies beside them.
        if f.bits.is_none() {
            collect(types, f.ty.ty, at, &mut own)?;
        }
        Some(own)
    });
    let first = members.next()??;
    if members.all(|m| m.is_some_and(|m| m == first)) && !first.is_empty() {
        leaves.extend(first);
    } else {
        let byte = |n| Leaf { bit: at + n * 8, scalar: Scalar::Bv(8), pointer: false, boolean: false };
        leaves.extend((0..layout.size.min(MAX_LEAVES as u64 + 1)).map(byte));
    }
    (leaves.len() <= MAX_LEAVES).then_some(())
}
