//! Reading and writing the scalar a path leads to: a variable, a cell of an array, or a row of bytes.

use super::build::FnLower;
use super::memory::{self, Region, Store};
use super::path::{Access, Root};
use crate::points::{Cell, CellUnit, Item, Target};
use std::rc::Rc;
use syncline_ir::{BinOp, Const, InstData, Place, Scalar, Type, UnOp, Value};

impl FnLower<'_, '_> {
    /// The cell an access is in.
    pub(super) fn cell_of(&self, access: &Access) -> Option<(u64, Cell)> {
        let graph = &self.cx.points.graph;
        let target = graph.normal(Target { node: access.path.node, off: access.path.cell });
        if graph.data(target.node).collapsed {
            return memory::cells(graph.data(target.node)).pop();
        }
        graph.cell(target.node, target.off * 8 + access.bit).map(|(lo, c)| (lo, c.clone()))
    }

    /// What holds the scalar: its cell with the first bit, its region, its variables. `None` where there is no object:
    /// that is noted. An access that the analysis has not seen, or not like this, is an obligation.
    pub(super) fn held(&mut self, access: &Access) -> Option<(u64, Cell, Rc<Region>, Store)> {
        let Some(region) = access.path.region.clone() else {
            self.note_outside(access, None);
            return None;
        };
        let alike = |cell: &Cell| match cell.unit {
            CellUnit::Word(scalar) => scalar == access.scalar,
            CellUnit::Open | CellUnit::Bytes => true,
        };
        let found = self.cell_of(access).filter(|(_, cell)| alike(cell));
        let found = found.and_then(|(lo, cell)| Some((lo, cell, region.stores.get(&lo).cloned()?)));
        match found {
            Some((lo, cell, store)) => Some((lo, cell, region, store)),
            None => {
                self.unsupported("an access that the points-to analysis has not seen");
                None
            }
        }
    }

    pub fn has_cell(&self, access: &Access) -> bool {
        self.cell_of(access).is_some()
    }

    // Reading.

    pub fn load_access(&mut self, access: &Access, name: &str) -> Value {
        if access.path.input {
            return self.havoc(name, access.scalar.into());
        }
        self.null_check(access);
        let Some((lo, cell, region, store)) = self.held(access) else {
            return self.havoc("read outside any object", access.scalar.into());
        };
        if self.may_be_input(access, &region) {
            return self.havoc(name, access.scalar.into());
        }
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
        let mut outside = self.havoc("read outside any object", access.scalar.into());
        if let (Store::Array(place), CellUnit::Bytes | CellUnit::Open) = (&store, cell.unit) {
            if self.byte_count(access).1 > 1 {
                let partly = self.load_partly(access, &region, lo, &cell, *place);
                outside = match access.path.inside {
                    Some(indices) => self.ite(indices, partly, outside),
                    None => partly,
                };
            }
        }
        self.ite(inside, value, outside)
    }

    /// A scalar that may lie half inside an object: the bytes there are the object's, the others have any value.
    fn load_partly(&mut self, access: &Access, region: &Region, lo: u64, cell: &Cell, place: Place) -> Value {
        let address = self.path_address(&access.path);
        let mut bytes = Vec::new();
        for n in 0..self.byte_count(access).1 {
            let index = self.advance(address, n);
            let inside = match (access.path.root, region.sizes) {
                (Root::Fixed(object), _) => {
                    let fixed = region.fixed[object];
                    let start = self.bv(self.cx.pointer_bits(), i128::from(fixed.address));
                    let off = self.bin(BinOp::Sub, index, start);
                    let size = self.bv(self.cx.pointer_bits(), i128::from(fixed.bytes));
                    self.bin(BinOp::Ult, off, size)
                }
                (Root::Pointer { .. }, Some(_)) => self.inside_table(index, region, 1, lo, cell),
                (Root::Pointer { .. }, None) => self.inside_fixed(index, access, region, 1, lo, cell),
            };
            let byte = self.emit(InstData::Load { place, index }, Type::bv(8));
            let any = self.havoc("read outside any object", Type::bv(8));
            bytes.push(self.ite(inside, byte, any));
        }
        self.scalar_of(access, bytes)
    }

    /// Whether a pointer may lead to a `volatile` object that is never written by name: reads give any value.
    fn may_be_input(&mut self, access: &Access, region: &Region) -> bool {
        let Root::Pointer { .. } = access.path.root else { return false };
        region.fixed.iter().any(|fixed| match fixed.item {
            Item::Object(obj) => self.cx.is_input(obj),
            Item::Literal(_) | Item::Made(_) => false,
        })
    }

    /// One of several variables, by the pointer.
    pub(super) fn load_each(
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

    pub(super) fn load_units(&mut self, access: &Access, place: Place, cell: &Cell, address: Value) -> Value {
        match cell.unit {
            CellUnit::Word(scalar) => self.emit(InstData::Load { place, index: address }, scalar.into()),
            CellUnit::Open | CellUnit::Bytes => {
                let mut bytes = Vec::new();
                for n in 0..self.byte_count(access).1 {
                    let index = self.advance(address, n);
                    bytes.push(self.emit(InstData::Load { place, index }, Type::bv(8)));
                }
                self.scalar_of(access, bytes)
            }
        }
    }

    /// The scalar in the bytes an access touches, the lowest first.
    fn scalar_of(&mut self, access: &Access, bytes: Vec<Value>) -> Value {
        let width = self.byte_count(access).0;
        let mut bytes = bytes.into_iter();
        let mut whole = match bytes.next() {
            Some(lowest) => lowest,
            None => return self.havoc("read outside any object", access.scalar.into()),
        };
        for byte in bytes {
            whole = self.bin(BinOp::Concat, byte, whole);
        }
        let bit = access.bit as u32;
        let bits = self.un(UnOp::Extract { hi: bit + width - 1, lo: bit }, whole);
        match access.scalar {
            Scalar::Float(format) => self.un(UnOp::FromBits(format), bits),
            Scalar::Bv(_) | Scalar::Bool => bits,
        }
    }

    /// The width of the scalar, and the bytes it touches.
    pub(super) fn byte_count(&self, access: &Access) -> (u32, u64) {
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
        self.null_check(access);
        let Some((lo, cell, region, store)) = self.held(access) else { return };
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

    pub(super) fn store_each(
        &mut self,
        access: &Access,
        region: &Region,
        lo: u64,
        places: &[Option<Place>],
        value: Value,
    ) {
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

    pub(super) fn store_units(&mut self, access: &Access, place: Place, cell: &Cell, address: Value, value: Value) {
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
    pub(super) fn around(&mut self, access: &Access, place: Place, address: Value, bits: Value, total: u32) -> Value {
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
