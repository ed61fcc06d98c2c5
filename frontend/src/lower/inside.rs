//! Whether an access is inside an object, and what it means if not: it reads any value, and what is written there is
//! never read. Null ends the run.

use super::build::FnLower;
use super::memory::Region;
use super::path::{Access, Root};
use crate::points::{Cell, Item};
use syncline_ir::{BinOp, InstData, Place, PropKind, Type, Value};

impl FnLower<'_, '_> {
    /// The address; nowhere if an index is outside.
    pub(super) fn safe_address(&mut self, access: &Access) -> Value {
        let address = self.path_address(&access.path);
        match access.path.inside {
            Some(inside) => {
                let nowhere = self.nowhere();
                self.ite(inside, address, nowhere)
            }
            None => address,
        }
    }

    /// An address no object has.
    pub fn nowhere(&mut self) -> Value {
        self.bv(self.cx.pointer_bits(), -16)
    }

    /// A null pointer ends the run.
    pub(super) fn null_check(&mut self, access: &Access) {
        let Root::Pointer { address, sure: false } = access.path.root else { return };
        let valid = self.truth(address);
        self.check(PropKind::Pointer, valid, "the pointer is not null", access.loc);
        self.assume(valid);
    }

    /// Whether the place is inside an object that lives; `None` where that is known.
    pub(super) fn inside(&mut self, access: &Access, region: &Region, lo: u64, cell: &Cell) -> Option<Value> {
        let bytes = self.byte_count(access).1;
        let (indices, pointer) = match access.path.root {
            Root::Fixed(n) => (access.path.inside, self.fixed_end(access, region, n, bytes)),
            Root::Pointer { sure: true, .. } if !access.path.open => (access.path.inside, None),
            Root::Pointer { .. } => {
                let address = self.path_address(&access.path);
                let inside = match region.sizes {
                    Some(_) => self.inside_table(address, region, bytes, lo, cell),
                    None => self.inside_fixed(address, access, region, bytes, lo, cell),
                };
                (access.path.inside, Some(inside))
            }
        };
        match (indices, pointer) {
            (Some(a), Some(b)) => Some(self.bin(BinOp::And, a, b)),
            (a, b) => a.or(b),
        }
    }

    /// Static offsets of an object are inside; only a flexible array has no length to compare with.
    pub(super) fn fixed_end(&mut self, access: &Access, region: &Region, n: usize, bytes: u64) -> Option<Value> {
        let fixed = region.fixed[n];
        if access.path.dynamic.is_none() {
            return (access.path.off + bytes > fixed.bytes).then(|| self.boolean(false));
        }
        if !access.path.open {
            return None;
        }
        let address = self.path_address(&access.path);
        let start = self.bv(self.cx.pointer_bits(), i128::from(fixed.address));
        let off = self.bin(BinOp::Sub, address, start);
        let last = self.bv(self.cx.pointer_bits(), i128::from(fixed.bytes) - i128::from(bytes));
        Some(self.bin(BinOp::Ule, off, last))
    }

    pub(super) fn inside_fixed(
        &mut self,
        address: Value,
        access: &Access,
        region: &Region,
        bytes: u64,
        lo: u64,
        cell: &Cell,
    ) -> Value {
        let width = self.cx.pointer_bits();
        let stride = self.cx.points.graph.data(access.path.node).stride;
        let first = lo / 8;
        let mut inside = self.boolean(false);
        for fixed in &region.fixed {
            let end = match stride {
                0 => fixed.bytes.min(first.saturating_add(cell.bits.div_ceil(8))),
                _ => fixed.bytes,
            };
            if first + bytes > end {
                continue;
            }
            let start = self.bv(width, i128::from(fixed.address + first));
            let off = self.bin(BinOp::Sub, address, start);
            let last = self.bv(width, i128::from(end - first - bytes));
            let mut here = self.bin(BinOp::Ule, off, last);
            if stride > 0 && cell.stepped {
                let within = self.within_stride(off, stride, cell, bytes);
                here = self.bin(BinOp::And, here, within);
            }
            inside = self.bin(BinOp::Or, inside, here);
        }
        inside
    }

    /// Whether an offset from the first cell is in the cell of some element.
    pub(super) fn within_stride(&mut self, off: Value, stride: u64, cell: &Cell, bytes: u64) -> Value {
        let width = self.width(off);
        let stride = self.bv(width, i128::from(stride));
        let rest = self.bin(BinOp::URem, off, stride);
        let last = self.bv(width, i128::from((cell.bits / 8).saturating_sub(bytes)));
        self.bin(BinOp::Ule, rest, last)
    }

    /// As [`Self::inside_fixed`], by the table of sizes.
    pub(super) fn inside_table(&mut self, address: Value, region: &Region, bytes: u64, lo: u64, cell: &Cell) -> Value {
        let width = self.cx.pointer_bits();
        let (slot, off) = self.slot_of(address, region);
        let Some(sizes) = region.sizes else { return self.boolean(false) };
        let size = self.emit(InstData::Load { place: Place::Global(sizes), index: slot }, Type::bv(width));
        let own = self.slot_bytes(address, region);
        let bytes_value = self.bv(width, i128::from(bytes));
        let end = self.bin(BinOp::Add, off, bytes_value);
        let below = self.bin(BinOp::Ule, end, size);
        let half = self.bv(width, i128::from(region.half()));
        let after = self.bin(BinOp::Ult, off, half);
        let mut inside = self.bin(BinOp::And, below, after);
        inside = self.bin(BinOp::And, inside, own);
        let single = cell.bits <= self.cx.unit_bits(cell.unit);
        if cell.stepped && !single && cell.bits < u64::MAX / 4 {
            let first = self.bv(width, i128::from(lo / 8));
            let off = self.bin(BinOp::Sub, off, first);
            let last = self.bv(width, i128::from((cell.bits / 8).saturating_sub(bytes)));
            let within = self.bin(BinOp::Ule, off, last);
            inside = self.bin(BinOp::And, inside, within);
        }
        inside
    }

    /// Whether the address is in the region at all.
    pub(super) fn slot_bytes(&mut self, address: Value, region: &Region) -> Value {
        let width = self.cx.pointer_bits();
        let base = self.bv(width, i128::from(region.base));
        let rel = self.bin(BinOp::Sub, address, base);
        let end = self.bv(width, i128::from(region.bytes()));
        self.bin(BinOp::Ult, rel, end)
    }

    /// The slot an address of the region lies in, and its offset from the object there.
    pub fn slot_of(&mut self, address: Value, region: &Region) -> (Value, Value) {
        let width = self.cx.pointer_bits();
        let base = self.bv(width, i128::from(region.base));
        let rel = self.bin(BinOp::Sub, address, base);
        let shift = self.bv(width, i128::from(region.shift));
        let slot = self.bin(BinOp::LShr, rel, shift);
        let mask = self.bv(width, (1i128 << region.shift) - 1);
        let in_slot = self.bin(BinOp::BvAnd, rel, mask);
        let half = self.bv(width, i128::from(region.half()));
        let off = self.bin(BinOp::Sub, in_slot, half);
        (slot, off)
    }

    /// gcc puts literals into memory that cannot be written: the run ends there.
    pub(super) fn spare_literals(&mut self, access: &Access, region: &Region) {
        let width = self.cx.pointer_bits();
        for (n, fixed) in region.fixed.iter().enumerate() {
            if !matches!(fixed.item, Item::Literal(_)) {
                continue;
            }
            let survives = match access.path.root {
                Root::Fixed(own) => self.boolean(own != n),
                Root::Pointer { .. } => {
                    let address = self.path_address(&access.path);
                    let start = self.bv(width, i128::from(fixed.address));
                    let off = self.bin(BinOp::Sub, address, start);
                    let size = self.bv(width, i128::from(fixed.bytes));
                    let hit = self.bin(BinOp::Ult, off, size);
                    self.not(hit)
                }
            };
            self.assume(survives);
        }
    }

    /// A property or an assumption where an access may be outside. `None`: there is nothing it could be inside of.
    pub(super) fn note_outside(&mut self, access: &Access, inside: Option<Option<Value>>) {
        let inside = match inside {
            Some(None) => return,
            Some(Some(inside)) => inside,
            None => self.boolean(false),
        };
        if self.const_bool(inside) == Some(true) {
            return;
        }
        let kind = match (access.path.root, self.cx.checks(PropKind::Bounds)) {
            (_, true) | (Root::Fixed(_), false) => PropKind::Bounds,
            (Root::Pointer { .. }, false) => PropKind::Pointer,
        };
        if self.cx.checks(kind) {
            return self.check(kind, inside, "the access is inside an object that lives", access.loc);
        }
        let text = match access.path.root {
            Root::Fixed(n) => {
                let name = access.path.region.as_ref().map_or_else(String::new, |r| self.cx.item_name(r.fixed[n].item));
                format!("an access to `{name}` outside its bounds reads any value and changes nothing")
            }
            Root::Pointer { .. } => {
                "an access through a pointer that is outside any object reads any value and changes nothing".into()
            }
        };
        self.cx.assume_line(text, access.loc);
    }
}
