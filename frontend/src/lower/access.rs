//! Reading and writing memory.
//!
//! A path leads from an object or a pointer over members and indices to a scalar. Its static part names the cell
//! (`points`), its address the place in the cell's variables (`memory`). Each index is compared with the length of
//! its own array, and a pointer with the objects its region has; an address that fails goes nowhere: it reads any
//! value, and what is written there is never read.

use super::build::FnLower;
use super::memory::{self, Region, Store};
use super::place::HomeKind;
use crate::hir::{Expr, Loc, Lval, LvalKind, Obj};
use crate::layout;
use crate::leaves::{self, Leaf};
use crate::points::{self, Cell, CellUnit, Item, Node, Target};
use crate::types::{BitField, Type as CType, TypeId};
use std::rc::Rc;
use syncline_ir::{BinOp, Const, InstData, Place, PropKind, Scalar, Type, UnOp, Value};

/// Where a path begins.
#[derive(Copy, Clone)]
pub(super) enum Root {
    /// An object with a fixed place, by its number in the region.
    Fixed(usize),
    /// `sure`: it points to the start of an object that lives.
    Pointer { address: Value, sure: bool },
}

/// A place in memory, reached by members and indices.
#[derive(Clone)]
pub(super) struct Path {
    /// `None`: no object is there.
    pub region: Option<Rc<Region>>,
    pub node: Node,
    pub root: Root,
    /// The static offset of the place in bytes: from the object, or from where the pointer points.
    pub off: u64,
    /// The same from the start of the node's objects, where static.
    pub cell: u64,
    /// Further bytes.
    pub dynamic: Option<Value>,
    /// Whether all indices are inside their arrays; `None` where that is known.
    pub inside: Option<Value>,
    /// Some index is of an array without a length.
    pub open: bool,
    /// The object reads as anything.
    pub input: bool,
}

/// A scalar in memory.
pub(super) struct Access {
    path: Path,
    /// The bit of the place where it begins.
    bit: u64,
    scalar: Scalar,
    loc: Loc,
}

impl FnLower<'_, '_> {
    /// Brings the compound literal an lvalue is a part of to life.
    pub fn prepare(&mut self, lval: &Lval) {
        match &lval.kind {
            LvalKind::Compound { obj, init } => self.declare_local(*obj, Some(init), lval.loc),
            LvalKind::Member { base, .. } => self.prepare(base),
            LvalKind::Deref(pointer) => {
                if let Some((array, _)) = points::indexed(pointer) {
                    self.prepare(array);
                }
            }
            LvalKind::Object(_) | LvalKind::Str(_) | LvalKind::Temp(_) => {}
        }
    }

    /// The path to a prepared lvalue; `None` where it is not in memory, or not modelled.
    pub fn path(&mut self, lval: &Lval) -> Option<Path> {
        match &lval.kind {
            LvalKind::Object(obj) | LvalKind::Compound { obj, .. } => self.object_path(*obj),
            LvalKind::Str(lit) => {
                let node = self.cx.points.literal(*lit)?;
                let region = self.cx.region(node)?;
                let (n, _) = region.fixed(Item::Literal(*lit))?;
                Some(Path::new(Some(region), node, Root::Fixed(n)))
            }
            LvalKind::Member { base, index } => {
                let mut path = self.path(base)?;
                let (offset, _) = self.cx.field(base.ty.ty, *index)?;
                path.off += offset;
                path.cell += offset;
                Some(path)
            }
            LvalKind::Deref(pointer) => match points::indexed(pointer) {
                Some((array, index)) => {
                    let path = self.path(array)?;
                    self.index_path(path, array, index, lval.loc)
                }
                None => {
                    let address = self.expr(pointer);
                    self.set_loc(lval.loc);
                    Some(self.pointer_path(pointer, address))
                }
            },
            LvalKind::Temp(_) => None,
        }
    }

    /// The path behind a pointer.
    pub fn pointer_path(&mut self, pointer: &Expr, address: Value) -> Path {
        match self.cx.points.target(pointer) {
            Some(Target { node, off }) => {
                let region = self.cx.region(node);
                let mut path = Path::new(region, node, Root::Pointer { address, sure: false });
                path.cell = off;
                path
            }
            None => {
                let nowhere = self.cx.points.graph.nowhere();
                Path::new(None, nowhere, Root::Pointer { address, sure: false })
            }
        }
    }

    pub fn object_path(&mut self, obj: Obj) -> Option<Path> {
        let home = self.home_of(obj);
        let node = self.cx.points.object(obj)?;
        // Initial values are made before the homes of the objects whose addresses they hold.
        let region = match home.kind {
            HomeKind::Region(region) => region,
            _ if self.cx.in_memory(obj) && !self.cx.memory.is_moving(obj) => self.cx.region(node)?,
            HomeKind::Moving(place) => {
                let address = self.read(place);
                return Some(Path::new(self.cx.region(node), node, Root::Pointer { address, sure: true }));
            }
            HomeKind::Scalar(_)
            | HomeKind::Array { .. }
            | HomeKind::Vla { .. }
            | HomeKind::Unused
            | HomeKind::Unmodelled(_) => return None,
        };
        let (n, _) = region.fixed(Item::Object(obj))?;
        Some(Path { input: home.input, ..Path::new(Some(region), node, Root::Fixed(n)) })
    }

    /// One element of the array at a path.
    fn index_path(&mut self, mut path: Path, array: &Lval, index: &Expr, loc: Loc) -> Option<Path> {
        let (elem, len) = match self.cx.ctype(array.ty.ty) {
            CType::Array { elem, len } => (elem.ty, *len),
            CType::Vla { elem } => (elem.ty, None),
            _ => return None,
        };
        let bytes = layout::size_of(&self.cx.unit.types, elem)?;
        let range = self.cx.range(index);
        if let Some(n) = self.cx.const_int(index).and_then(|n| u64::try_from(n).ok()) {
            if len.is_none_or(|len| n < len) {
                self.effect(index);
                path.off += n * bytes;
                path.cell += n * bytes;
                return Some(path);
            }
        }
        let value = self.expr(index);
        self.set_loc(loc);
        let bits = self.cx.pointer_bits();
        let wide = self.widen(value, index.ty, bits.max(self.width(value)));
        if let Some(len) = len {
            if !range.is_some_and(|r| r.within(0, i128::from(len) - 1)) {
                let limit = self.bv(self.width(wide), i128::from(len));
                let inside = self.bin(BinOp::Ult, wide, limit);
                path.inside = Some(match path.inside {
                    Some(before) => self.bin(BinOp::And, before, inside),
                    None => inside,
                });
            }
        }
        path.open |= len.is_none();
        let wide = self.cut(wide, bits);
        let scaled = self.scale(wide, bytes);
        path.dynamic = Some(match path.dynamic {
            Some(before) => self.bin(BinOp::Add, before, scaled),
            None => scaled,
        });
        Some(path)
    }

    /// An integer extended by its type to at least this width.
    pub fn widen(&mut self, value: Value, ty: TypeId, width: u32) -> Value {
        self.extend(value, self.cx.is_signed(ty), width)
    }

    pub fn extend(&mut self, value: Value, signed: bool, width: u32) -> Value {
        match signed {
            true => self.un(UnOp::SExt(width), value),
            false => self.un(UnOp::ZExt(width), value),
        }
    }

    /// The low bits of a value.
    pub fn cut(&mut self, value: Value, width: u32) -> Value {
        match self.width(value) > width {
            true => self.un(UnOp::Extract { hi: width - 1, lo: 0 }, value),
            false => value,
        }
    }

    pub fn scale(&mut self, value: Value, factor: u64) -> Value {
        if factor == 1 {
            return value;
        }
        let factor = self.bv(self.width(value), i128::from(factor));
        self.bin(BinOp::Mul, value, factor)
    }

    /// The address of a path, wherever it leads.
    pub fn path_address(&mut self, path: &Path) -> Value {
        let bits = self.cx.pointer_bits();
        let start = match path.root {
            Root::Fixed(n) => {
                let base = path.region.as_ref().map_or(0, |r| r.fixed[n].address);
                self.bv(bits, i128::from(base + path.off))
            }
            Root::Pointer { address, .. } if path.off == 0 => address,
            Root::Pointer { address, .. } => {
                let off = self.bv(bits, i128::from(path.off));
                self.bin(BinOp::Add, address, off)
            }
        };
        match path.dynamic {
            Some(more) => self.bin(BinOp::Add, start, more),
            None => start,
        }
    }

    /// The scalar a path leads to.
    pub fn access(&mut self, path: Path, ty: TypeId, field: Option<BitField>, loc: Loc) -> Option<Access> {
        let scalar = leaves::field_scalar(&self.cx.unit.types, ty, field)?;
        let bit = field.map_or(0, |f| u64::from(f.offset));
        Some(self.access_bits(path, bit, scalar, loc))
    }

    /// A leaf of the record a path leads to.
    pub fn leaf(&mut self, path: &Path, leaf: &Leaf, loc: Loc) -> Access {
        self.access_bits(path.clone(), leaf.bit, leaf.scalar, loc)
    }

    fn access_bits(&mut self, mut path: Path, bit: u64, scalar: Scalar, loc: Loc) -> Access {
        let bytes = bit / 8;
        path.off += bytes;
        path.cell += bytes;
        Access { path, bit: bit % 8, scalar, loc }
    }

    /// The cell an access is in.
    fn cell_of(&self, access: &Access) -> Option<(u64, Cell)> {
        let graph = &self.cx.points.graph;
        let target = graph.normal(Target { node: access.path.node, off: access.path.cell });
        if graph.data(target.node).collapsed {
            return memory::cells(graph.data(target.node)).pop();
        }
        graph.cell(target.node, target.off * 8 + access.bit).map(|(lo, c)| (lo, c.clone()))
    }

    pub fn has_cell(&self, access: &Access) -> bool {
        self.cell_of(access).is_some()
    }

    // Reading.

    pub fn load_access(&mut self, access: &Access, name: &str) -> Value {
        if access.path.input {
            return self.havoc(name, access.scalar.into());
        }
        let found = self.cell_of(access).zip(access.path.region.clone());
        let Some(((lo, cell), region)) = found else {
            self.null_check(access);
            self.note_outside(access, None);
            return self.havoc("read outside any object", access.scalar.into());
        };
        let Some(store) = region.stores.get(&lo).cloned() else {
            return self.havoc("read outside any object", access.scalar.into());
        };
        self.null_check(access);
        let (value, inside) = match (&store, access.path.root) {
            (Store::Each(places), Root::Fixed(n)) => match places[n] {
                Some(place) => (self.read(place), access.path.inside),
                None => (self.havoc("read outside any object", access.scalar.into()), Some(self.boolean(false))),
            },
            (Store::Each(places), Root::Pointer { .. }) => self.load_each(access, &region, lo, places),
            (Store::Array(place), _) => {
                let inside = self.inside(access, &region, lo, &cell);
                let address = self.safe_address(access);
                (self.load_units(access, *place, &cell, address), inside)
            }
        };
        self.note_outside(access, Some(inside));
        let Some(inside) = inside.filter(|i| self.const_bool(*i) != Some(true)) else { return value };
        let outside = self.havoc("read outside any object", access.scalar.into());
        self.ite(inside, value, outside)
    }

    /// One of several variables, by the pointer.
    fn load_each(
        &mut self,
        access: &Access,
        region: &Region,
        lo: u64,
        places: &[Option<Place>],
    ) -> (Value, Option<Value>) {
        let address = self.path_address(&access.path);
        let mut value = None;
        let mut inside = None;
        for (fixed, place) in region.fixed.iter().zip(places) {
            let Some(place) = place else { continue };
            let here = self.bv(self.cx.pointer_bits(), i128::from(fixed.address + lo / 8));
            let hit = self.bin(BinOp::Eq, address, here);
            let own = self.read(*place);
            value = Some(match value {
                Some(other) => self.ite(hit, own, other),
                None => own,
            });
            inside = Some(match inside {
                Some(other) => self.bin(BinOp::Or, hit, other),
                None => hit,
            });
        }
        let inside = inside.map(|i| match access.path.inside {
            Some(indices) => self.bin(BinOp::And, i, indices),
            None => i,
        });
        match value {
            Some(value) => (value, inside),
            None => (self.havoc("read outside any object", access.scalar.into()), Some(self.boolean(false))),
        }
    }

    fn load_units(&mut self, access: &Access, place: Place, cell: &Cell, address: Value) -> Value {
        match cell.unit {
            CellUnit::Word(scalar) => self.emit(InstData::Load { place, index: address }, scalar.into()),
            CellUnit::Open | CellUnit::Bytes => {
                let (width, bytes) = self.byte_count(access);
                let mut whole: Option<Value> = None;
                for n in 0..bytes {
                    let index = self.advance(address, n);
                    let byte = self.emit(InstData::Load { place, index }, Type::bv(8));
                    whole = Some(match whole {
                        Some(low) => self.bin(BinOp::Concat, byte, low),
                        None => byte,
                    });
                }
                let whole = whole.unwrap_or(address);
                let bit = access.bit as u32;
                let bits = self.un(UnOp::Extract { hi: bit + width - 1, lo: bit }, whole);
                match access.scalar {
                    Scalar::Float(format) => self.un(UnOp::FromBits(format), bits),
                    Scalar::Bv(_) | Scalar::Bool => bits,
                }
            }
        }
    }

    /// The width of the scalar, and the bytes it touches.
    fn byte_count(&self, access: &Access) -> (u32, u64) {
        let width = match access.scalar {
            Scalar::Bool => 1,
            Scalar::Bv(w) => w,
            Scalar::Float(f) => f.storage_bits(),
        };
        (width, (access.bit + u64::from(width)).div_ceil(8))
    }

    pub fn advance(&mut self, address: Value, bytes: u64) -> Value {
        if bytes == 0 {
            return address;
        }
        let bytes = self.bv(self.width(address), i128::from(bytes));
        self.bin(BinOp::Add, address, bytes)
    }

    // Writing.

    pub fn store_access(&mut self, access: &Access, value: Value) {
        let found = self.cell_of(access).zip(access.path.region.clone());
        let Some(((lo, cell), region)) = found else {
            self.null_check(access);
            return self.note_outside(access, None);
        };
        let Some(store) = region.stores.get(&lo).cloned() else { return };
        self.null_check(access);
        self.spare_literals(access, &region);
        match (&store, access.path.root) {
            (Store::Each(places), Root::Fixed(n)) => {
                self.note_outside(access, Some(access.path.inside));
                if let Some(place) = places[n] {
                    let value = match access.path.inside {
                        Some(inside) => {
                            let old = self.read(place);
                            self.ite(inside, value, old)
                        }
                        None => value,
                    };
                    self.write(place, value);
                }
            }
            (Store::Each(places), Root::Pointer { .. }) => self.store_each(access, &region, lo, places, value),
            (Store::Array(place), _) => {
                let inside = self.inside(access, &region, lo, &cell);
                self.note_outside(access, Some(inside));
                let address = self.safe_address(access);
                self.store_units(access, *place, &cell, address, value);
            }
        }
    }

    fn store_each(&mut self, access: &Access, region: &Region, lo: u64, places: &[Option<Place>], value: Value) {
        let address = self.path_address(&access.path);
        let mut inside = self.boolean(false);
        for (fixed, place) in region.fixed.iter().zip(places) {
            let Some(place) = place else { continue };
            let here = self.bv(self.cx.pointer_bits(), i128::from(fixed.address + lo / 8));
            let mut hit = self.bin(BinOp::Eq, address, here);
            inside = self.bin(BinOp::Or, inside, hit);
            if let Some(indices) = access.path.inside {
                hit = self.bin(BinOp::And, hit, indices);
            }
            if self.const_bool(hit) == Some(false) {
                continue;
            }
            let old = self.read(*place);
            let new = self.ite(hit, value, old);
            self.write(*place, new);
        }
        self.note_outside(access, Some(Some(inside)));
    }

    fn store_units(&mut self, access: &Access, place: Place, cell: &Cell, address: Value, value: Value) {
        match cell.unit {
            CellUnit::Word(_) => self.act(InstData::Store { place, index: address, value }),
            CellUnit::Open | CellUnit::Bytes => {
                let (width, bytes) = self.byte_count(access);
                let mut bits = match access.scalar {
                    Scalar::Float(_) => self.un(UnOp::ToBits, value),
                    Scalar::Bv(_) | Scalar::Bool => value,
                };
                let (low, total) = (access.bit as u32, bytes as u32 * 8);
                if low > 0 || width < total {
                    bits = self.around(access, place, address, bits, total);
                }
                for n in 0..bytes {
                    let index = self.advance(address, n);
                    let lo = n as u32 * 8;
                    let byte = self.un(UnOp::Extract { hi: lo + 7, lo }, bits);
                    self.act(InstData::Store { place, index, value: byte });
                }
            }
        }
    }

    /// The bits of whole bytes with a bit-field put in.
    fn around(&mut self, access: &Access, place: Place, address: Value, bits: Value, total: u32) -> Value {
        let whole = Access { path: access.path.clone(), bit: 0, scalar: Scalar::Bv(total), loc: access.loc };
        let cell = Cell { bits: 0, unit: CellUnit::Bytes, array: false, stepped: false, content: None };
        let old = self.load_units(&whole, place, &cell, address);
        let (low, width) = (access.bit as u32, self.width(bits));
        let mut new = bits;
        if low > 0 {
            let below = self.un(UnOp::Extract { hi: low - 1, lo: 0 }, old);
            new = self.bin(BinOp::Concat, new, below);
        }
        if low + width < total {
            let above = self.un(UnOp::Extract { hi: total - 1, lo: low + width }, old);
            new = self.bin(BinOp::Concat, above, new);
        }
        new
    }

    // Inside or outside.

    /// The address; nowhere if an index is outside.
    fn safe_address(&mut self, access: &Access) -> Value {
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
    fn null_check(&mut self, access: &Access) {
        let Root::Pointer { address, sure: false } = access.path.root else { return };
        let valid = self.truth(address);
        self.check(PropKind::Pointer, valid, "the pointer is not null", access.loc);
        self.assume(valid);
    }

    /// Whether the place is inside an object that lives; `None` where that is known.
    fn inside(&mut self, access: &Access, region: &Region, lo: u64, cell: &Cell) -> Option<Value> {
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
    fn fixed_end(&mut self, access: &Access, region: &Region, n: usize, bytes: u64) -> Option<Value> {
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

    fn inside_fixed(
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
    fn within_stride(&mut self, off: Value, stride: u64, cell: &Cell, bytes: u64) -> Value {
        let width = self.width(off);
        let stride = self.bv(width, i128::from(stride));
        let rest = self.bin(BinOp::URem, off, stride);
        let last = self.bv(width, i128::from((cell.bits / 8).saturating_sub(bytes)));
        self.bin(BinOp::Ule, rest, last)
    }

    /// As [`Self::inside_fixed`], by the table of sizes.
    fn inside_table(&mut self, address: Value, region: &Region, bytes: u64, lo: u64, cell: &Cell) -> Value {
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
    fn slot_bytes(&mut self, address: Value, region: &Region) -> Value {
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
    fn spare_literals(&mut self, access: &Access, region: &Region) {
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
    fn note_outside(&mut self, access: &Access, inside: Option<Option<Value>>) {
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

    /// A constant of a scalar made of one byte, repeated.
    pub fn repeated(&mut self, byte: Value, scalar: Scalar) -> Value {
        let width = match scalar {
            Scalar::Bool => 8,
            Scalar::Bv(w) => w,
            Scalar::Float(f) => f.storage_bits(),
        };
        let mut bits = byte;
        while self.width(bits) < width {
            bits = self.bin(BinOp::Concat, byte, bits);
        }
        let bits = self.cut(bits, width);
        match scalar {
            Scalar::Float(format) => self.un(UnOp::FromBits(format), bits),
            Scalar::Bool | Scalar::Bv(_) => bits,
        }
    }

    pub fn zero(&mut self, scalar: Scalar) -> Value {
        self.constant(Const::zero(scalar.into()))
    }
}

impl Path {
    pub fn new(region: Option<Rc<Region>>, node: Node, root: Root) -> Path {
        Path { region, node, root, off: 0, cell: 0, dynamic: None, inside: None, open: false, input: false }
    }
}

impl Access {
    pub fn new(path: Path, bit: u64, scalar: Scalar, loc: Loc) -> Access {
        let bytes = bit / 8;
        Access { path: Path { off: path.off + bytes, cell: path.cell + bytes, ..path }, bit: bit % 8, scalar, loc }
    }
}
