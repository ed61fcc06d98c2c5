//! Paths from an object or a pointer over members and indices to a place in memory.
//!
//! The static part of a path names the cell (`points`), its address the place in the cell's variables (`memory`). Each
//! index is compared with the length of its own array.

use super::build::FnLower;
use super::memory::Region;
use super::place::HomeKind;
use crate::hir::{Expr, Loc, Lval, LvalKind, Obj};
use crate::layout;
use crate::leaves::{self, Leaf};
use crate::points::{self, Item, Node, Target};
use crate::types::{BitField, Type as CType, TypeId};
use std::rc::Rc;
use syncline_ir::{BinOp, Scalar, UnOp, Value};

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
    pub(super) path: Path,
    /// The bit of the place where it begins.
    pub(super) bit: u64,
    pub(super) scalar: Scalar,
    pub(super) loc: Loc,
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
    pub(super) fn index_path(&mut self, mut path: Path, array: &Lval, index: &Expr, loc: Loc) -> Option<Path> {
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

    pub(super) fn access_bits(&mut self, mut path: Path, bit: u64, scalar: Scalar, loc: Loc) -> Access {
        let bytes = bit / 8;
        path.off += bytes;
        path.cell += bytes;
        Access { path, bit: bit % 8, scalar, loc }
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
