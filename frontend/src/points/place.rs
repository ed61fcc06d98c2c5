//! Nodes of objects, and the places lvalues stand for.

use super::graph::{Item, Node, Ref, Target, Unit as CellUnit};
use super::walk::Points;
use crate::hir::*;
use crate::layout;
use crate::leaves;
use crate::types::{BitField, Type, TypeId};
use syncline_ir::Scalar;

/// Bits of the part of an object behind which anything may follow: a flexible member.
const OPEN_END: u64 = 1 << 40;

/// A place while the tree is walked.
#[derive(Copy, Clone)]
pub(super) struct Spot {
    pub(super) node: Node,
    pub(super) off: u64,
    /// The array inside the object that it is somewhere in.
    pub(super) span: Option<Span>,
}

#[derive(Copy, Clone)]
pub(super) struct Span {
    pub(super) lo: u64,
    pub(super) bytes: u64,
    /// Divides all distances between the elements.
    pub(super) pitch: u64,
}

impl<'a> Points<'a> {
    // Nodes.

    pub(super) fn node_of(&mut self, obj: Obj) -> Node {
        if let Some(&node) = self.objects.get(&obj) {
            return node;
        }
        let ty = self.unit.objects[obj].ty.ty;
        let stride = self.stride_of(ty);
        let node = self.graph.new_node(Some(Item::Object(obj)), stride);
        self.objects.insert(obj, node);
        // Coming to life and being passed are writes of the whole.
        if let Some(scalar) = leaves::scalar_of(&self.unit.types, leaves::element(&self.unit.types, ty)) {
            self.access(Spot { node, off: 0, span: None }, 0, scalar);
        }
        node
    }

    pub(super) fn stride_of(&self, ty: TypeId) -> u64 {
        match &self.unit.types[ty] {
            Type::Array { .. } | Type::Vla { .. } => self.size(leaves::element(&self.unit.types, ty)),
            _ => 0,
        }
    }

    pub(super) fn size(&self, ty: TypeId) -> u64 {
        layout::size_of(&self.unit.types, ty).unwrap_or(1)
    }

    pub(super) fn literal_node(&mut self, lit: Str) -> Node {
        if let Some(&node) = self.literals.get(&lit) {
            return node;
        }
        let elem = self.unit.strings[lit].elem;
        let stride = self.size(elem);
        let node = self.graph.new_node(Some(Item::Literal(lit)), stride);
        self.graph.touch(node, 0, stride * 8, CellUnit::Word(Scalar::Bv(stride as u32 * 8)));
        self.literals.insert(lit, node);
        node
    }

    pub(super) fn function_node(&mut self, func: Func) -> Node {
        if let Some(&node) = self.functions.get(&func) {
            return node;
        }
        let node = self.graph.new_node(None, 0);
        self.graph.data_mut(node).functions.push(func);
        self.functions.insert(func, node);
        node
    }

    pub(super) fn return_ref(&mut self, func: Func) -> Ref {
        if let Some(&r) = self.returns.get(&func) {
            return r;
        }
        let r = self.graph.new_ref();
        self.returns.insert(func, r);
        r
    }

    pub(super) fn return_node(&mut self, func: Func) -> Node {
        if let Some(&node) = self.return_nodes.get(&func) {
            return node;
        }
        let node = self.graph.new_node(None, 0);
        self.return_nodes.insert(func, node);
        node
    }

    pub(super) fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.unit.types[ty], Type::Pointer(_))
    }

    pub(super) fn is_record(&self, ty: TypeId) -> bool {
        matches!(self.unit.types[ty], Type::Record(_))
    }

    /// A scalar object whose value no pointer is and to which none points needs no node.
    pub(super) fn is_apart(&self, lval: &Lval) -> bool {
        match &lval.kind {
            LvalKind::Object(obj) => {
                let object = &self.unit.objects[*obj];
                let elem = leaves::element(&self.unit.types, object.ty.ty);
                !object.address_taken && !self.is_pointer(elem) && !self.is_record(elem)
            }
            LvalKind::Deref(pointer) => match indexed(pointer) {
                Some((array, _)) => self.is_apart(array),
                None => false,
            },
            LvalKind::Member { .. } | LvalKind::Str(_) | LvalKind::Compound { .. } | LvalKind::Temp(_) => false,
        }
    }

    // Places.

    pub(super) fn place(&mut self, lval: &'a Lval, func: Func) -> Spot {
        match &lval.kind {
            LvalKind::Object(obj) => Spot { node: self.node_of(*obj), off: 0, span: None },
            LvalKind::Str(lit) => Spot { node: self.literal_node(*lit), off: 0, span: None },
            LvalKind::Compound { obj, init } => {
                self.local_init(*obj, init, func);
                Spot { node: self.node_of(*obj), off: 0, span: None }
            }
            LvalKind::Temp(e) => self.record(e, func),
            LvalKind::Member { base, index } => {
                let spot = self.place(base, func);
                let off = self.field(base.ty.ty, *index).map_or(0, |f| f.0);
                Spot { off: spot.off + off, ..spot }
            }
            LvalKind::Deref(pointer) => match indexed(pointer) {
                Some((array, index)) => {
                    let spot = self.place(array, func);
                    self.effect(index, func);
                    self.inside(spot, array.ty.ty)
                }
                None => {
                    let r = self.value(pointer, func);
                    let Target { node, off } = self.graph.target_or_new(r);
                    Spot { node, off, span: None }
                }
            },
        }
    }

    /// Offset and bits of a field.
    pub(super) fn field(&self, record: TypeId, index: u32) -> Option<(u64, Option<BitField>)> {
        let Type::Record(record) = &self.unit.types[record] else { return None };
        let field = self.unit.types.records[*record].layout.as_ref()?.fields.get(index as usize)?;
        Some((field.offset, field.bits))
    }

    /// Some element of the array at a place.
    pub(super) fn inside(&mut self, spot: Spot, array: TypeId) -> Spot {
        let elem = self.size(leaves::element(&self.unit.types, array)).max(1);
        let Target { node, off } = self.graph.normal(Target { node: spot.node, off: spot.off });
        let data = self.graph.data(node);
        if spot.span.is_none() && (data.collapsed || (off == 0 && data.stride == elem)) {
            return Spot { node, off, span: None };
        }
        let step = match &self.unit.types[array] {
            Type::Array { elem, .. } | Type::Vla { elem } => self.size(elem.ty).max(1),
            _ => elem,
        };
        let bytes = layout::size_of(&self.unit.types, array).unwrap_or(OPEN_END / 8);
        let span = match spot.span {
            Some(span) => Span { pitch: gcd(span.pitch, step), ..span },
            None => Span { lo: off, bytes, pitch: step },
        };
        Spot { node, off, span: Some(span) }
    }

    /// A scalar is read or written at a place.
    pub(super) fn access(&mut self, spot: Spot, bit: u64, scalar: Scalar) {
        let bits = leaves::memory_bits(scalar, self.unit.types.model);
        let lo = self.graph.normal(Target { node: spot.node, off: spot.off }).off * 8 + bit;
        match spot.span {
            None => self.graph.touch(spot.node, lo, bits, CellUnit::Word(scalar)),
            Some(span) => {
                let even =
                    bits.is_multiple_of(8) && (lo - span.lo * 8).is_multiple_of(bits) && span.pitch * 8 % bits == 0;
                let unit = if even { CellUnit::Word(scalar) } else { CellUnit::Bytes };
                self.graph.touch_array(spot.node, span.lo * 8, span.bytes * 8, unit);
            }
        }
    }

    /// The pointers at a place.
    pub(super) fn content(&mut self, spot: Spot, bit: u64) -> Ref {
        self.access(spot, bit, Scalar::Bv(self.unit.types.model.pointer_bits()));
        let target = self.graph.normal(Target { node: spot.node, off: spot.off });
        self.graph.content(target.node, target.off * 8 + bit)
    }

    /// The address of a place becomes a value.
    pub(super) fn address(&mut self, spot: Spot) -> Ref {
        if let Some(span) = spot.span {
            self.graph.touch_array(spot.node, span.lo * 8, span.bytes * 8, CellUnit::Open);
        }
        self.graph.refer(Target { node: spot.node, off: spot.off })
    }

    pub(super) fn copy(&mut self, to: Spot, from: Spot, ty: TypeId) {
        let Some(leaves) = self.leaves.of(&self.unit.types, ty) else { return };
        for leaf in leaves.iter() {
            self.access(to, leaf.bit, leaf.scalar);
            self.access(from, leaf.bit, leaf.scalar);
            if leaf.pointer {
                let (a, b) = (self.content(to, leaf.bit), self.content(from, leaf.bit));
                self.graph.unify(a, b);
            }
        }
    }
}

/// `array[index]`, written on the array itself.
pub fn indexed(pointer: &Expr) -> Option<(&Lval, &Expr)> {
    match &pointer.kind {
        ExprKind::PtrAdd { ptr, index, subtract: false } => match &ptr.kind {
            ExprKind::Decay(array) => Some((array, index)),
            _ => None,
        },
        _ => None,
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}
