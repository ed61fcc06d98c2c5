//! Objects that are made while the program runs: `malloc` and its relatives, unknown pointers, locals of recursive
//! functions.

use super::build::FnLower;
use super::memory::{self, Region};
use super::path::{Access, Path, Root};
use super::place::HomeKind;
use crate::hir::{Expr, Loc, Obj};
use crate::points::{CellUnit, Node};
use syncline_ir::{BinOp, InstData, Place, PropKind, Scalar, Terminator, Type, Value};

/// Library functions whose arguments multiply to the size of the object they make.
pub(super) fn is_sized(name: &str) -> bool {
    is_malloc(name) || is_calloc(name) || is_alloca(name)
}

pub(super) fn is_malloc(name: &str) -> bool {
    matches!(name, "malloc" | "__builtin_malloc")
}

pub(super) fn is_realloc(name: &str) -> bool {
    name == "realloc"
}

pub(super) fn is_calloc(name: &str) -> bool {
    matches!(name, "calloc" | "__builtin_calloc")
}

pub(super) fn is_alloca(name: &str) -> bool {
    matches!(name, "alloca" | "__builtin_alloca")
}

/// Cells that are set one after the other rather than in a loop.
const UNROLLED: u64 = 64;

impl FnLower<'_, '_> {
    /// A fresh object of a region; its contents are any value.
    pub fn make_object(&mut self, node: Node, size: Value) -> Value {
        let bits = self.cx.pointer_bits();
        let made = self.cx.region(node).and_then(|r| r.dynamic.map(|d| (r, d)));
        let Some((region, dynamic)) = made else {
            self.unsupported("memory that does not fit the address space");
            return self.bv(bits, 0);
        };
        let (Some(sizes), count) = (region.sizes, self.read(Place::Global(dynamic.count))) else {
            self.unsupported("allocated memory without a table of sizes");
            return self.bv(bits, 0);
        };
        let limit = self.bv(bits, i128::from(dynamic.limit));
        let room = self.bin(BinOp::Ult, count, limit);
        self.assume(room);
        if self.const_bool(room) != Some(true) {
            let text = format!("no more than {} objects are made here: memory is not larger", dynamic.limit);
            self.cx.assume_at(text, self.at);
        }
        let half = self.bv(bits, i128::from(region.half()));
        let fits = self.bin(BinOp::Ult, size, half);
        self.require(fits, format!("an allocation of {} bytes or more", region.half()));
        let one = self.bv(bits, 1);
        let next = self.bin(BinOp::Add, count, one);
        self.write(Place::Global(dynamic.count), next);
        let fixed = self.bv(bits, region.fixed.len() as i128);
        let slot = self.bin(BinOp::Add, count, fixed);
        self.act(InstData::Store { place: Place::Global(sizes), index: slot, value: size });
        let shift = self.bv(bits, i128::from(region.shift));
        let start = self.bin(BinOp::Shl, slot, shift);
        let first = self.bv(bits, i128::from(region.base + region.half()));
        self.bin(BinOp::Add, start, first)
    }

    /// Where the condition does not hold the model ends.
    fn require(&mut self, cond: Value, reason: String) {
        if self.const_bool(cond) == Some(true) {
            return;
        }
        let (rest, end) = (self.new_block(), self.new_block());
        self.branch_on(cond, rest, end);
        self.switch_to(end);
        self.unsupported(reason);
        self.proc.set_term(self.block, Terminator::Stop, self.at);
        self.switch_to(rest);
    }

    /// A number of bytes from arguments of the call.
    fn product_of(&mut self, args: &[Expr]) -> Value {
        let bits = self.cx.pointer_bits();
        let mut product: Option<Value> = None;
        for arg in args {
            let value = self.expr(arg);
            let wide = self.widen(value, arg.ty, bits.max(self.width(value)));
            let wide = self.cut(wide, bits);
            product = Some(match product {
                Some(before) => self.bin(BinOp::Mul, before, wide),
                None => wide,
            });
        }
        product.unwrap_or_else(|| self.bv(bits, 0))
    }

    /// `malloc`, `calloc`, `alloca`.
    pub fn allocate(&mut self, name: &str, args: &[Expr], whole: &Expr) -> Value {
        let bits = self.cx.pointer_bits();
        let size = self.product_of(args);
        self.set_loc(whole.loc);
        let Some(target) = self.cx.points.target(whole) else {
            return self.unmodelled(format!("`{name}` declared to return no pointer"), whole.ty);
        };
        let address = self.make_object(target.node, size);
        if is_calloc(name) {
            self.clear(target.node, address, size, whole.loc);
        }
        if is_alloca(name) {
            return address;
        }
        if !self.cx.options.malloc_may_fail {
            self.cx.assume_once("`malloc` and `calloc` never return null".into(), whole.loc);
            return address;
        }
        let fails = self.havoc(format!("{name}() fails"), Type::BOOL);
        let null = self.bv(bits, 0);
        self.ite(fails, null, address)
    }

    /// An unknown pointer: null, or a fresh object with any contents.
    pub fn unknown_pointer(&mut self, name: &str, node: Node, loc: Loc) -> Value {
        let bits = self.cx.pointer_bits();
        let Some(region) = self.cx.region(node) else {
            self.unsupported("memory that does not fit the address space");
            return self.bv(bits, 0);
        };
        let text = format!("the pointer {name} is null or points to an object of its own with any contents");
        self.cx.assume_once(text, loc);
        let size = self.bv(bits, i128::from(region.half()) - 1);
        let address = self.make_object(node, size);
        let null = self.havoc(format!("{name} is null"), Type::BOOL);
        let zero = self.bv(bits, 0);
        self.ite(null, zero, address)
    }

    pub fn free(&mut self, pointer: &Expr, whole: &Expr) {
        let address = self.expr(pointer);
        self.set_loc(whole.loc);
        let Some(region) = self.cx.points.target(pointer).and_then(|t| self.cx.region(t.node)) else {
            // Nothing that was allocated can be there: only null may be freed.
            let given = self.truth(address);
            let null = self.not(given);
            return self.check(PropKind::Pointer, null, "free of an allocated object", whole.loc);
        };
        self.release(address, &region, "free of an allocated object", whole.loc);
    }

    /// `realloc`: a fresh object with the old one's contents, and the end of that. As in glibc, size 0 only frees.
    pub fn reallocate(&mut self, pointer: &Expr, size: &Expr, whole: &Expr) -> Value {
        let bits = self.cx.pointer_bits();
        let old = self.expr(pointer);
        let size = self.product_of(std::slice::from_ref(size));
        self.set_loc(whole.loc);
        let node = self.cx.points.target(whole).map(|t| t.node);
        let Some((node, region)) = node.and_then(|n| Some((n, self.cx.region(n)?))) else {
            return self.unmodelled("`realloc` without a region for its result", whole.ty);
        };
        let null = self.bv(bits, 0);
        let made = self.make_object(node, size);
        let fails = match self.cx.options.malloc_may_fail {
            true => self.havoc("realloc() fails", Type::BOOL),
            false => {
                self.cx.assume_once("`realloc` never fails".into(), whole.loc);
                self.boolean(false)
            }
        };
        let (moves, join) = (self.new_block(), self.new_block());
        let result = self.proc.add_param(join, Type::bv(bits));
        let works = self.not(fails);
        let is_new = self.bin(BinOp::Eq, old, null);
        let is_old = self.not(is_new);
        let copies = self.bin(BinOp::And, works, is_old);
        let stays = self.new_block();
        self.branch_on(copies, moves, stays);
        self.switch_to(stays);
        let fresh = self.ite(fails, null, made);
        self.jump_with(join, fresh);
        self.switch_to(moves);
        self.copy_object(node, &region, (old, made), size, whole.loc);
        self.release(old, &region, "realloc of an allocated object", whole.loc);
        let none = self.bin(BinOp::Eq, size, null);
        let moved = self.ite(none, null, made);
        self.jump_with(join, moved);
        self.switch_to(join);
        result
    }

    /// Copies what two objects of a region have both room for. What lies behind the old one is any value, as it is in
    /// the new one.
    fn copy_object(&mut self, node: Node, region: &Region, (from, to): (Value, Value), size: Value, loc: Loc) {
        let bits = self.cx.pointer_bits();
        let data = self.cx.points.graph.data(node).clone();
        let known = self.as_const(size).and_then(|c| c.as_bits()).and_then(|b| u64::try_from(b).ok());
        let Some(sizes) = region.sizes else { return };
        let (slot, _) = self.slot_of(from, region);
        let old_size = self.emit(InstData::Load { place: Place::Global(sizes), index: slot }, Type::bv(bits));
        let shrinks = self.bin(BinOp::Ult, size, old_size);
        let both = self.ite(shrinks, size, old_size);
        for (lo, cell) in memory::cells(&data) {
            let scalar = memory::cell_scalar(cell.unit);
            let step = if data.collapsed { 1 } else { data.stride };
            let places = known.map(|bytes| {
                let places = self.cx.unit_places(lo, &cell, data.stride, bytes);
                places.take(UNROLLED as usize + 1).collect::<Vec<_>>()
            });
            match places {
                Some(places) if places.len() as u64 <= UNROLLED => {
                    for bit in places {
                        let access = self.cell_access(node, from, bit, scalar, loc);
                        let value = self.load_access(&access, "realloc()");
                        self.put(node, to, bit, scalar, value, loc);
                    }
                }
                _ if step > 0 && (data.collapsed || cell.bits <= self.cx.unit_bits(cell.unit)) => {
                    self.copy_loop(node, (from, to), both, (lo, step), scalar, loc)
                }
                _ => self.unsupported("reallocating memory of unknown size"),
            }
        }
    }

    /// `for (at = lo; at < size; at += step) to[at] = from[at]`.
    fn copy_loop(
        &mut self,
        node: Node,
        (from, to): (Value, Value),
        size: Value,
        (lo, step): (u64, u64),
        scalar: Scalar,
        loc: Loc,
    ) {
        let bits = self.cx.pointer_bits();
        let (head, body, exit) = (self.new_block(), self.new_block(), self.new_block());
        let counter = self.proc.add_param(head, Type::bv(bits));
        let first = self.bv(bits, i128::from(lo / 8));
        self.jump_with(head, first);
        self.switch_to(head);
        let more = self.bin(BinOp::Ult, counter, size);
        self.branch_on(more, body, exit);
        self.switch_to(body);
        let ends = [from, to].map(|start| {
            let here = self.bin(BinOp::Add, start, counter);
            let mut path = Path::new(self.cx.region(node), node, Root::Pointer { address: here, sure: true });
            path.cell = lo / 8;
            Access::new(path, lo % 8, scalar, loc)
        });
        let value = self.load_access(&ends[0], "realloc()");
        self.store_access(&ends[1], value);
        let step = self.bv(bits, i128::from(step));
        let next = self.bin(BinOp::Add, counter, step);
        self.jump_with(head, next);
        self.switch_to(exit);
    }

    /// The end of an object that was made; null is none.
    fn release(&mut self, address: Value, region: &Region, what: &str, loc: Loc) {
        let bits = self.cx.pointer_bits();
        let null = self.bv(bits, 0);
        let is_null = self.bin(BinOp::Eq, address, null);
        let live = self.is_live(address, region);
        let valid = self.bin(BinOp::Or, is_null, live);
        self.check(PropKind::Pointer, valid, what, loc);
        let Some(sizes) = region.sizes else { return };
        let (slot, _) = self.slot_of(address, region);
        let place = Place::Global(sizes);
        let old = self.emit(InstData::Load { place, index: slot }, Type::bv(bits));
        let zero = self.bv(bits, 0);
        let new = self.ite(live, zero, old);
        self.act(InstData::Store { place, index: slot, value: new });
    }

    /// A local dies. Only `--check pointer` asks whether it still lives; else that is an assumption.
    pub fn bury(&mut self, obj: Obj) {
        if !self.cx.checks(PropKind::Pointer) {
            return;
        }
        let HomeKind::Moving(place) = self.home_of(obj).kind else { return };
        let Some(region) = self.cx.points.object(obj).and_then(|node| self.cx.region(node)) else { return };
        let Some(sizes) = region.sizes else { return };
        let bits = self.cx.pointer_bits();
        let address = self.read(place);
        // Zero where its declaration was not executed.
        let lived = self.truth(address);
        let (slot, _) = self.slot_of(address, &region);
        let sizes = Place::Global(sizes);
        let old = self.emit(InstData::Load { place: sizes, index: slot }, Type::bv(bits));
        let zero = self.bv(bits, 0);
        let new = self.ite(lived, zero, old);
        self.act(InstData::Store { place: sizes, index: slot, value: new });
    }

    /// Whether the address is that of an object which was made and is still there.
    fn is_live(&mut self, address: Value, region: &Region) -> Value {
        let bits = self.cx.pointer_bits();
        let (Some(sizes), Some(dynamic)) = (region.sizes, region.dynamic) else { return self.boolean(false) };
        let (slot, off) = self.slot_of(address, region);
        let zero = self.bv(bits, 0);
        let start = self.bin(BinOp::Eq, off, zero);
        let fixed = self.bv(bits, region.fixed.len() as i128);
        let number = self.bin(BinOp::Sub, slot, fixed);
        let count = self.read(Place::Global(dynamic.count));
        let made = self.bin(BinOp::Ult, number, count);
        let size = self.emit(InstData::Load { place: Place::Global(sizes), index: slot }, Type::bv(bits));
        let gone = self.bin(BinOp::Eq, size, zero);
        let there = self.not(gone);
        let live = self.bin(BinOp::And, start, made);
        self.bin(BinOp::And, live, there)
    }

    /// Sets all cells of a fresh object to zero.
    pub fn clear(&mut self, node: Node, address: Value, size: Value, loc: Loc) {
        let data = self.cx.points.graph.data(node).clone();
        let known = self.as_const(size).and_then(|c| c.as_bits()).and_then(|b| u64::try_from(b).ok());
        for (lo, cell) in memory::cells(&data) {
            let scalar = memory::cell_scalar(cell.unit);
            let zero = self.zero(scalar);
            let step = if data.collapsed { 1 } else { data.stride };
            let places = known.map(|bytes| {
                self.cx.unit_places(lo, &cell, data.stride, bytes).take(UNROLLED as usize + 1).collect::<Vec<_>>()
            });
            match places {
                Some(places) if places.len() as u64 <= UNROLLED => {
                    for bit in places {
                        self.put(node, address, bit, scalar, zero, loc);
                    }
                }
                // One loop over the elements for each scalar of an array inside them.
                _ if step > 0 && (data.collapsed || cell.bits / self.cx.unit_bits(cell.unit) <= UNROLLED) => {
                    let inner = if data.collapsed { 1 } else { cell.bits / self.cx.unit_bits(cell.unit) };
                    for n in 0..inner.max(1) {
                        let first = lo + n * self.cx.unit_bits(cell.unit);
                        self.clear_loop(node, address, size, (first, step), scalar, loc);
                    }
                }
                _ => self.unsupported("clearing a large object"),
            }
        }
    }

    /// Writes a scalar of an object at a known offset.
    pub fn put(&mut self, node: Node, address: Value, bit: u64, scalar: Scalar, value: Value, loc: Loc) {
        let access = self.cell_access(node, address, bit, scalar, loc);
        self.store_access(&access, value);
    }

    fn cell_access(&mut self, node: Node, address: Value, bit: u64, scalar: Scalar, loc: Loc) -> Access {
        let path = Path::new(self.cx.region(node), node, Root::Pointer { address, sure: true });
        Access::new(path, bit, scalar, loc)
    }

    /// `for (at = lo; at + unit <= size; at += step) object[at] = 0`.
    fn clear_loop(&mut self, node: Node, address: Value, size: Value, at: (u64, u64), scalar: Scalar, loc: Loc) {
        let bits = self.cx.pointer_bits();
        let (lo, step) = at;
        let (head, body, exit) = (self.new_block(), self.new_block(), self.new_block());
        let counter = self.proc.add_param(head, Type::bv(bits));
        let first = self.bv(bits, i128::from(lo / 8));
        self.jump_with(head, first);
        self.switch_to(head);
        let more = self.bin(BinOp::Ult, counter, size);
        self.branch_on(more, body, exit);
        self.switch_to(body);
        let here = self.bin(BinOp::Add, address, counter);
        let mut path = Path::new(self.cx.region(node), node, Root::Pointer { address: here, sure: true });
        path.cell = lo / 8;
        let zero = self.zero(scalar);
        let access = Access::new(path, lo % 8, scalar, loc);
        self.store_access(&access, zero);
        let step = self.bv(bits, i128::from(step));
        let next = self.bin(BinOp::Add, counter, step);
        self.jump_with(head, next);
        self.switch_to(exit);
    }

    /// Any value in all cells of an object with a fixed place that comes to life.
    pub fn reset_fixed(&mut self, node: Node, region: &Region, n: usize, name: &str) {
        let data = self.cx.points.graph.data(node).clone();
        let fixed = region.fixed[n];
        for (lo, cell) in memory::cells(&data) {
            let Some(store) = region.stores.get(&lo) else { continue };
            let scalar = memory::cell_scalar(cell.unit);
            match store {
                memory::Store::Each(places) => {
                    if let Some(place) = places[n] {
                        let any = self.havoc(name, scalar.into());
                        self.note_part(fixed.item, lo, 0);
                        self.write(place, any);
                    }
                }
                memory::Store::Array(place) if !region.shared() => {
                    let ty = Type::Array { index: self.cx.pointer_bits(), elem: scalar };
                    let any = self.havoc(name, ty);
                    self.note_part(fixed.item, 0, fixed.address);
                    self.write(*place, any);
                }
                memory::Store::Array(place) => {
                    for bit in self.cx.unit_places(lo, &cell, data.stride, fixed.bytes).collect::<Vec<_>>() {
                        let any = self.havoc(name, scalar.into());
                        self.note_part(fixed.item, bit, 0);
                        let index = self.bv(self.cx.pointer_bits(), i128::from(fixed.address + bit / 8));
                        self.act(InstData::Store { place: *place, index, value: any });
                    }
                }
            }
        }
        debug_assert!(!data.cells.values().any(|c| c.unit == CellUnit::Open && c.bits == 0));
    }
}
