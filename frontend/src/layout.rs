//! Sizes, alignments and record layout, as gcc has them on x86.
//!
//! i386: `long long` and `double` have alignment 8 by themselves (`__alignof__`) but 4 as members; `long double`
//! is 12 bytes aligned to 4. Bit-fields follow the System V rules: a field does not cross a boundary of its
//! declared type, unnamed fields of width zero close the unit, packed fields may lie anywhere.

use crate::types::{BitField, DataModel, Field, IntKind, Qual, RecordLayout, Type, TypeId, TypeTable};
use syncline_ir::FloatFormat;

/// The largest object: gcc refuses more than half the address space.
pub fn max_object(model: DataModel) -> u64 {
    match model {
        DataModel::Ilp32 => i32::MAX as u64,
        DataModel::Lp64 => i64::MAX as u64,
    }
}

/// A member as declared.
#[derive(Clone, Debug)]
pub struct Member {
    /// Empty for anonymous records and unnamed bit-fields.
    pub name: String,
    pub ty: Qual,
    pub width: Option<u32>,
    /// From `aligned` on the member or its typedef.
    pub align: Option<u64>,
    pub packed: bool,
}

/// What attributes and pragmas say about a record.
#[derive(Copy, Clone, Debug, Default)]
pub struct Shape {
    pub union: bool,
    pub packed: bool,
    pub align: Option<u64>,
    /// `#pragma pack(n)`.
    pub pack: Option<u64>,
}

/// Bytes of a complete object type; `None` for incomplete and function types, and arrays too large to count.
/// `void` and functions count 1 in GNU C, but that is `sizeof`'s business.
pub fn size_of(types: &TypeTable, ty: TypeId) -> Option<u64> {
    let mut ty = ty;
    let mut times: u64 = 1;
    loop {
        let size = match &types[ty] {
            Type::Void | Type::Vla { .. } | Type::Function(_) => return None,
            Type::Int(kind) => kind.bytes(types.model),
            Type::Float(format) => float_size(*format, types.model).0,
            Type::Pointer(_) => types.model.pointer_bytes(),
            Type::Array { elem, len } => {
                times = times.checked_mul((*len)?)?;
                ty = elem.ty;
                continue;
            }
            Type::Record(record) => types.records[*record].layout.as_ref()?.size,
            Type::Opaque(text) => opaque(text, types.model).0,
        };
        return times.checked_mul(size);
    }
}

/// What `__alignof__` gives: the alignment of an object by itself.
pub fn align_of(types: &TypeTable, ty: TypeId) -> u64 {
    match &types[ty] {
        Type::Int(kind) => kind.bytes(types.model),
        Type::Float(FloatFormat::F64) => 8,
        Type::Array { elem, .. } | Type::Vla { elem } => align_of(types, elem.ty),
        _ => member_align(types, ty),
    }
}

/// The alignment of a member, which for eight-byte scalars is 4 on i386.
pub fn member_align(types: &TypeTable, ty: TypeId) -> u64 {
    match &types[ty] {
        Type::Void | Type::Function(_) => 1,
        Type::Int(kind) => {
            let bytes = kind.bytes(types.model);
            if types.model == DataModel::Ilp32 && bytes == 8 {
                4
            } else {
                bytes
            }
        }
        Type::Float(format) => float_size(*format, types.model).1,
        Type::Pointer(_) => types.model.pointer_bytes(),
        Type::Array { elem, .. } | Type::Vla { elem } => member_align(types, elem.ty),
        Type::Record(record) => types.records[*record].layout.as_ref().map_or(1, |l| l.align),
        Type::Opaque(text) => opaque(text, types.model).1,
    }
}

/// Size and alignment as a member.
fn float_size(format: FloatFormat, model: DataModel) -> (u64, u64) {
    match (format, model) {
        (FloatFormat::F32, _) => (4, 4),
        (FloatFormat::F64, DataModel::Ilp32) => (8, 4),
        (FloatFormat::F64, DataModel::Lp64) => (8, 8),
        (FloatFormat::X87, DataModel::Ilp32) => (12, 4),
        (FloatFormat::X87, DataModel::Lp64) => (16, 16),
    }
}

/// Size and alignment of types that are not modelled; their text begins as `sema::specs` writes it.
fn opaque(text: &str, model: DataModel) -> (u64, u64) {
    if let Some(bytes) = text.strip_prefix("vector of ").and_then(|t| t.split(' ').next()).and_then(|n| n.parse().ok())
    {
        return (bytes, bytes);
    }
    let parts = |format| {
        let (size, align) = float_size(format, model);
        (2 * size, align)
    };
    match text {
        "_Complex float" => parts(FloatFormat::F32),
        "_Complex double" => parts(FloatFormat::F64),
        "_Complex long double" => parts(FloatFormat::X87),
        "_Float16" => (2, 2),
        "_Decimal32" => (4, 4),
        "_Decimal64" => (8, 8),
        _ => (16, 16),
    }
}

struct Builder<'a> {
    types: &'a TypeTable,
    shape: Shape,
    /// Where the next member may begin, in bits.
    bits: u64,
    /// The size so far in bits; differs from `bits` in unions only.
    size: u64,
    align: u64,
    fields: Vec<Field>,
}

/// Lays out a record whose members all have complete types (the last may be a flexible array).
/// `None` if it would be larger than any object.
pub fn record(types: &TypeTable, members: &[Member], shape: Shape) -> Option<RecordLayout> {
    let mut builder = Builder { types, shape, bits: 0, size: 0, align: 1, fields: Vec::with_capacity(members.len()) };
    for member in members {
        match member.width {
            Some(width) => builder.bit_field(member, u64::from(width))?,
            None => builder.member(member)?,
        }
    }
    let align = builder.align.max(shape.align.unwrap_or(1));
    let size = round_up(builder.size, align.checked_mul(8)?)? / 8;
    (size <= max_object(types.model)).then_some(RecordLayout { size, align, fields: builder.fields })
}

fn round_up(value: u64, to: u64) -> Option<u64> {
    value.checked_next_multiple_of(to)
}

impl Builder<'_> {
    fn place(&mut self, start: u64, len: u64) -> Option<()> {
        let end = start.checked_add(len)?;
        self.size = self.size.max(end);
        self.bits = if self.shape.union { 0 } else { end };
        Some(())
    }

    fn member(&mut self, member: &Member) -> Option<()> {
        // A flexible array takes no room.
        let size = size_of(self.types, member.ty.ty).unwrap_or(0);
        let mut align = match member.packed || self.shape.packed {
            true => 1,
            false => member_align(self.types, member.ty.ty),
        };
        align = align.max(member.align.unwrap_or(1));
        if let Some(pack) = self.shape.pack {
            align = align.min(pack);
        }
        let start = round_up(self.bits, align.checked_mul(8)?)?;
        self.align = self.align.max(align);
        self.fields.push(Field { name: member.name.clone(), ty: member.ty, offset: start / 8, bits: None });
        self.place(start, size.checked_mul(8)?)
    }

    fn bit_field(&mut self, member: &Member, width: u64) -> Option<()> {
        let unit = size_of(self.types, member.ty.ty)?.checked_mul(8)?;
        let mut align = member_align(self.types, member.ty.ty) * 8;
        let packed = member.packed || self.shape.packed;
        let asked = member.align.unwrap_or(1) * 8;
        if width == 0 {
            // Closes the unit, whatever is packed; the record's alignment does not change for an unnamed field.
            self.bits = round_up(self.bits, align.max(asked))?;
            return self.place(self.bits, 0);
        }
        let mut start = self.bits;
        if asked > 8 {
            let asked = self.shape.pack.map_or(asked, |pack| asked.min(pack * 8));
            start = round_up(start, asked)?;
        }
        // Packed fields, and all fields under `#pragma pack`, may cross the boundaries of their type.
        if !packed && self.shape.pack.is_none() {
            let crosses = (start % align + width).div_ceil(align) > unit / align;
            if crosses {
                start = round_up(start, align)?;
            }
        }
        // For the record's alignment the pragma goes before the attribute.
        align = match self.shape.pack {
            Some(pack) => align.max(asked).min(pack * 8),
            None if packed => asked,
            None => align.max(asked),
        };
        if !member.name.is_empty() {
            self.align = self.align.max(align / 8);
            self.fields.push(self.unit_of(member, start, width as u32));
        }
        self.place(start, width)
    }

    /// The storage unit to read a bit-field with: of its type if it lies in one such, else the bytes it touches.
    fn unit_of(&self, member: &Member, start: u64, width: u32) -> Field {
        let bits = size_of(self.types, member.ty.ty).unwrap_or(1) * 8;
        let aligned = start / bits * bits;
        let unit = if start + u64::from(width) <= aligned + bits { aligned } else { start / 8 * 8 };
        Field {
            name: member.name.clone(),
            ty: member.ty,
            offset: unit / 8,
            bits: Some(BitField { offset: (start - unit) as u32, width }),
        }
    }
}

/// The integer type an `enum` with these values has.
pub fn enum_kind(min: i128, max: i128, packed: bool, model: DataModel) -> IntKind {
    let signed = min < 0;
    let fits = |bits: u32| match signed {
        true => min >= -(1i128 << (bits - 1)) && max < (1i128 << (bits - 1)),
        false => max < (1i128 << bits),
    };
    let pick = |s, u| if signed { s } else { u };
    if packed && fits(8) {
        pick(IntKind::SChar, IntKind::UChar)
    } else if packed && fits(16) {
        pick(IntKind::Short, IntKind::UShort)
    } else if fits(32) {
        pick(IntKind::Int, IntKind::UInt)
    } else {
        match model {
            DataModel::Ilp32 => pick(IntKind::LongLong, IntKind::ULongLong),
            DataModel::Lp64 => pick(IntKind::Long, IntKind::ULong),
        }
    }
}
