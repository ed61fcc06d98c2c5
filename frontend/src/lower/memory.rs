//! Where objects with an address lie, and which variables of the program hold their cells.
//!
//! A node of the points-to graph is a region: a row of slots of one size, a power of two, each for one object, which
//! begins in the middle of its slot. So a pointer that strays stays in its slot, or is made invalid when it leaves
//! it (`pointer`), and no access through it meets another object. Each cell of a node is one array indexed by
//! addresses, or, where the node has few objects and all are known, a variable for each object.
//!
//! Objects without a fixed place come from the dynamic slots of their region: allocated memory, locals of recursive
//! functions. Their sizes are in a table; a size of zero is no object.

use super::Lower;
use crate::hir::{ExprKind, Func, Obj, Storage};
use crate::layout;
use crate::leaves;
use crate::points::{Cell, CellUnit, Item, Node};
use crate::types::{DataModel, Type as CType};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use syncline_ir::{ArrayConst, Const, Initial, Place, PropKind, Scalar, Type, Var, VarData};

/// Below it there is nothing.
const FUNCTIONS: u64 = 4096;
const FUNCTION_PITCH: u64 = 16;
const OBJECTS: u64 = 1 << 24;
/// More objects than this are told apart by a table.
const FEW: usize = 6;
/// Cells of a local that are reset one by one.
const RESET_CELLS: u64 = 64;

/// Makes the variable of a cell, of a name, a type and the value it starts with (`None`: any).
type MakeVar<'f, 'a> = dyn FnMut(&mut Lower<'a>, String, Type, Option<Const>) -> Place + 'f;

/// A region of memory.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub base: u64,
    /// The slots are `1 << shift` bytes.
    pub shift: u32,
    /// Objects with a fixed place, one a slot, from the first slot on.
    pub fixed: Vec<Fixed>,
    pub dynamic: Option<Dynamic>,
    /// The sizes of objects by the number of their slot, where needed.
    pub sizes: Option<Var>,
    pub stores: BTreeMap<u64, Store>,
}

#[derive(Copy, Clone, Debug)]
pub(super) struct Fixed {
    pub item: Item,
    pub address: u64,
    pub bytes: u64,
}

#[derive(Copy, Clone, Debug)]
pub(super) struct Dynamic {
    /// How many have been made.
    pub count: Var,
    pub limit: u64,
}

/// What holds a cell.
#[derive(Clone, Debug)]
pub(super) enum Store {
    /// A variable for each of the region's fixed objects, in their order; none for objects that end before the cell.
    Each(Vec<Option<Place>>),
    Array(Place),
}

impl Region {
    /// The variables of its cells.
    pub fn places(&self) -> Vec<Place> {
        let of = |store: &Store| match store {
            Store::Each(places) => places.iter().flatten().copied().collect(),
            Store::Array(place) => vec![*place],
        };
        self.stores.values().flat_map(of).collect()
    }

    pub fn half(&self) -> u64 {
        1 << (self.shift - 1)
    }

    /// All slots, in bytes.
    pub fn bytes(&self) -> u64 {
        (self.fixed.len() as u64 + self.dynamic.map_or(0, |d| d.limit)) << self.shift
    }

    /// Whether a pointer into it that is moved can come to another object.
    pub fn shared(&self) -> bool {
        self.fixed.len() + usize::from(self.dynamic.is_some()) > 1 || self.dynamic.is_some()
    }

    pub fn fixed(&self, item: Item) -> Option<(usize, Fixed)> {
        self.fixed.iter().enumerate().find(|(_, f)| f.item == item).map(|(n, f)| (n, *f))
    }
}

/// All regions, and the addresses of functions.
#[derive(Default)]
pub(super) struct Memory {
    regions: FxHashMap<Node, Rc<Region>>,
    functions: FxHashMap<Func, u64>,
    /// Locals that get a place when they come to life.
    moving: FxHashSet<Obj>,
}

impl Memory {
    /// The regions by their addresses.
    pub fn all(&self) -> Vec<Rc<Region>> {
        let mut regions: Vec<Rc<Region>> = self.regions.values().cloned().collect();
        regions.sort_by_key(|r| r.base);
        regions
    }

    pub fn is_moving(&self, obj: Obj) -> bool {
        self.moving.contains(&obj)
    }
}

/// The cells of a node; a collapsed one has a single cell without end.
pub(super) fn cells(data: &crate::points::NodeData) -> Vec<(u64, Cell)> {
    if data.collapsed {
        let whole = Cell { bits: u64::MAX / 2, unit: CellUnit::Bytes, array: true, stepped: true, content: None };
        return vec![(0, whole)];
    }
    data.cells.iter().map(|(lo, c)| (*lo, c.clone())).collect()
}

/// The scalar in the variables of a cell.
pub(super) fn cell_scalar(unit: CellUnit) -> Scalar {
    match unit {
        CellUnit::Word(scalar) => scalar,
        CellUnit::Open | CellUnit::Bytes => Scalar::Bv(8),
    }
}

impl<'a> Lower<'a> {
    pub fn region(&self, node: Node) -> Option<Rc<Region>> {
        self.memory.regions.get(&node).cloned()
    }

    pub fn function_address(&mut self, func: Func) -> u64 {
        let next = FUNCTIONS + self.memory.functions.len() as u64 * FUNCTION_PITCH;
        *self.memory.functions.entry(func).or_insert(next)
    }

    /// Whether the object is a part of memory, or a variable of its own.
    pub fn in_memory(&self, obj: Obj) -> bool {
        self.points.object(obj).is_some_and(|node| self.points.graph.data(node).pointed)
    }

    pub fn item_bytes(&self, item: Item) -> Option<u64> {
        match item {
            Item::Object(obj) => layout::size_of(&self.unit.types, self.unit.objects[obj].ty.ty),
            Item::Literal(lit) => {
                let lit = &self.unit.strings[lit];
                layout::size_of(&self.unit.types, lit.elem).map(|s| s * lit.units.len() as u64)
            }
            Item::Made(_) => None,
        }
    }

    /// Gives every region its addresses, then its variables, whose initial values may hold addresses.
    pub fn lay_out_memory(&mut self, recursive: &FxHashSet<Obj>) {
        let mut next = OBJECTS;
        let nodes: Vec<Node> = self.points.graph.roots().filter(|n| self.points.graph.data(*n).pointed).collect();
        let budget = self.dynamic_budget(&nodes, recursive);
        for &node in &nodes {
            if let Some(region) = self.make_region(node, &mut next, recursive, budget) {
                self.memory.regions.insert(node, Rc::new(region));
            }
        }
        for &node in &nodes {
            let Some(region) = self.region(node) else { continue };
            let mut region = Region::clone(&region);
            self.make_stores(&mut region, node);
            self.memory.regions.insert(node, Rc::new(region));
        }
    }

    /// The region of an object that no pointer points to; its variables may be locals.
    pub fn private_region(
        &mut self,
        obj: Obj,
        mut var: impl FnMut(&mut Self, String, Type, Option<Const>) -> Place,
    ) -> Option<Region> {
        let (node, item) = (self.points.object(obj)?, Item::Object(obj));
        let fixed = vec![Fixed { item, address: 0, bytes: self.item_bytes(item)? }];
        let mut region = Region { base: 0, shift: 63, fixed, dynamic: None, sizes: None, stores: BTreeMap::new() };
        self.stores_with(&mut region, node, &mut var);
        Some(region)
    }

    /// Says which locals are assumed to live as long as pointers to them are used.
    pub fn note_escapes(&mut self, nested: &FxHashSet<Obj>) {
        if self.checks(PropKind::Pointer) {
            return;
        }
        let escaped = self.points.escaped();
        let mut locals: Vec<Obj> = nested.iter().copied().filter(|&obj| self.in_memory(obj)).collect();
        for node in escaped {
            locals.extend(self.points.graph.data(node).items.iter().filter_map(|item| match item {
                Item::Object(obj) => Some(*obj),
                Item::Literal(_) | Item::Made(_) => None,
            }));
        }
        locals.sort_unstable();
        locals.dedup();
        for obj in locals {
            let object = &self.unit.objects[obj];
            if matches!(object.storage, Storage::Local | Storage::Param) {
                let text = format!("pointers to the local object `{}` are used only while it lives", object.name);
                self.assume_once(text, object.loc);
            }
        }
    }

    /// The bytes of a 32-bit address space each region with dynamic slots gets.
    fn dynamic_budget(&self, nodes: &[Node], recursive: &FxHashSet<Obj>) -> u64 {
        let moves = |item: &Item| match item {
            Item::Made(_) => true,
            Item::Object(obj) => {
                let local = matches!(self.unit.objects[*obj].storage, Storage::Local | Storage::Param);
                recursive.contains(obj) || self.item_bytes(*item).is_none() || (local && self.checks(PropKind::Pointer))
            }
            Item::Literal(_) => false,
        };
        let dynamic = nodes.iter().filter(|n| self.points.graph.data(**n).items.iter().any(moves)).count() as u64;
        ((1u64 << 31) / dynamic.max(1).next_power_of_two()).min(1 << 28)
    }

    fn make_region(&mut self, node: Node, next: &mut u64, recursive: &FxHashSet<Obj>, budget: u64) -> Option<Region> {
        let data = self.points.graph.data(node).clone();
        let cells = cells(&data);
        let several = data.items.len() > 1;
        let mut fixed = Vec::new();
        let mut moving = Vec::new();
        for &item in &data.items {
            let bytes = self.item_bytes(item);
            match (item, bytes) {
                (Item::Object(obj), Some(bytes)) if !self.must_move(obj, bytes, several, recursive, &cells) => {
                    fixed.push((item, bytes))
                }
                (Item::Literal(_), Some(bytes)) => fixed.push((item, bytes)),
                (Item::Object(obj), _) if self.is_extern_open(obj) => fixed.push((item, 0)),
                (item, bytes) => {
                    if let Item::Object(obj) = item {
                        self.memory.moving.insert(obj);
                    }
                    moving.push(bytes.or_else(|| self.made_bytes(item)));
                }
            }
        }
        if fixed.is_empty() && moving.is_empty() {
            return None;
        }
        let model = self.unit.types.model;
        let unknown = if model == DataModel::Ilp32 { 1 << 20 } else { 1 << 36 };
        let known = fixed.iter().map(|f| f.1).chain(moving.iter().map(|m| m.unwrap_or(unknown)));
        let half = (known.max().unwrap_or(0) + 1).max(16).checked_next_power_of_two()?;
        let shift = half.trailing_zeros() + 1;
        let limit = match (moving.is_empty(), model) {
            (true, _) => 0,
            (false, DataModel::Ilp32) => (budget >> shift).max(16),
            (false, DataModel::Lp64) => ((1 << 54) >> shift).clamp(1 << 16, 1 << 32),
        };
        let slots = fixed.len() as u64 + limit;
        let base = next.checked_next_multiple_of(1u64.checked_shl(shift)?)?;
        let end = base.checked_add(slots.checked_mul(1 << shift)?)?;
        let top = if model == DataModel::Ilp32 { 0xffff_0000 } else { 1 << 62 };
        if end > top {
            return None;
        }
        *next = end;
        let slot = |n: usize| base + ((n as u64) << shift) + half;
        let fixed: Vec<Fixed> =
            fixed.into_iter().enumerate().map(|(n, (item, bytes))| Fixed { item, address: slot(n), bytes }).collect();
        let mut region = Region { base, shift, fixed, dynamic: None, sizes: None, stores: BTreeMap::new() };
        self.tables(&mut region, limit);
        Some(region)
    }

    fn make_stores(&mut self, region: &mut Region, node: Node) {
        self.stores_with(region, node, &mut |cx, name, ty, init| cx.memory_var(name, ty, init));
    }

    fn stores_with(&mut self, region: &mut Region, node: Node, var: &mut MakeVar<'_, 'a>) {
        let data = self.points.graph.data(node).clone();
        for (lo, cell) in &cells(&data) {
            let store = self.make_store(region, *lo, cell, data.stride, var);
            region.stores.insert(*lo, store);
        }
    }

    /// `extern T a[];`: nobody knows how long it is.
    fn is_extern_open(&self, obj: Obj) -> bool {
        matches!(self.unit.objects[obj].storage, Storage::Global | Storage::Static)
    }

    /// Whether a local needs a fresh place each time it comes to life.
    fn must_move(
        &self,
        obj: Obj,
        bytes: u64,
        several: bool,
        recursive: &FxHashSet<Obj>,
        cells: &[(u64, Cell)],
    ) -> bool {
        let object = &self.unit.objects[obj];
        match object.storage {
            Storage::Global | Storage::Static => false,
            Storage::Local | Storage::Param => {
                let elem = leaves::element(&self.unit.types, object.ty.ty);
                let each = layout::size_of(&self.unit.types, elem).unwrap_or(1).max(1);
                let words: u64 =
                    cells.iter().map(|(_, c)| (c.bits.min(bytes * 8) / self.unit_bits(c.unit)).max(1)).sum();
                recursive.contains(&obj)
                    || self.checks(PropKind::Pointer)
                    || (several && words * (bytes / each).max(1) > RESET_CELLS)
            }
        }
    }

    /// Bits from one scalar of a cell to the next.
    pub fn unit_bits(&self, unit: CellUnit) -> u64 {
        leaves::memory_bits(cell_scalar(unit), self.unit.types.model)
    }

    /// The size an allocation asks for, if it is a constant.
    fn made_bytes(&self, item: Item) -> Option<u64> {
        let Item::Made(call) = item else { return None };
        let call = self.points.made_call(call)?;
        let ExprKind::Call { args, callee: crate::hir::Callee::Direct(f) } = &call.kind else { return None };
        let name = self.unit.functions[*f].name.as_str();
        let args = match (super::heap::is_realloc(name), &args[..]) {
            (true, [_, size]) => std::slice::from_ref(size),
            (_, args) => args,
        };
        let sizes: Option<Vec<i128>> = args.iter().map(|a| self.const_int(a)).collect();
        let bytes = sizes?.into_iter().try_fold(1i128, |product, n| product.checked_mul(n))?;
        let named = super::heap::is_sized(name) || super::heap::is_realloc(name);
        u64::try_from(bytes).ok().filter(|_| named && !args.is_empty())
    }

    fn tables(&mut self, region: &mut Region, limit: u64) {
        let bits = self.pointer_bits();
        let origin = self.program.no_origin();
        if limit > 0 {
            let count = VarData {
                name: format!("objects made at {:#x}", region.base),
                ty: Type::bv(bits),
                init: Initial::Const(Const::bv(bits, 0)),
                origin,
            };
            region.dynamic = Some(Dynamic { count: self.program.vars.push(count), limit });
        }
        if limit > 0 || region.fixed.len() > FEW {
            let mut sizes = ArrayConst::filled(bits, Const::bv(bits, 0));
            for (n, fixed) in (0u128..).zip(&region.fixed) {
                sizes.set(n, Const::bv(bits, u128::from(fixed.bytes)));
            }
            let sizes = VarData {
                name: format!("sizes of objects at {:#x}", region.base),
                ty: Type::Array { index: bits, elem: Scalar::Bv(bits) },
                init: Initial::Const(Const::Array(sizes)),
                origin,
            };
            region.sizes = Some(self.program.vars.push(sizes));
        }
    }

    fn make_store(&mut self, region: &Region, lo: u64, cell: &Cell, stride: u64, var: &mut MakeVar<'_, 'a>) -> Store {
        let scalar = cell_scalar(cell.unit);
        let single = stride == 0 && cell.bits == self.unit_bits(cell.unit) && cell.unit != CellUnit::Bytes;
        if single && region.sizes.is_none() {
            let mut each = Vec::new();
            for fixed in &region.fixed {
                let inside = lo + cell.bits <= fixed.bytes * 8;
                each.push(inside.then(|| {
                    let name = self.part_name(fixed.item, lo);
                    let init = self.initial_cell(fixed.item, lo, scalar);
                    var(self, name, scalar.into(), init)
                }));
            }
            return Store::Each(each);
        }
        let ty = Type::Array { index: self.pointer_bits(), elem: scalar };
        let init = self.initial_array(region, lo, cell, stride, scalar);
        let name = self.cell_name(region, lo);
        Store::Array(var(self, name, ty, init))
    }

    pub fn memory_var(&mut self, name: String, ty: Type, init: Option<Const>) -> Place {
        let origin = self.program.no_origin();
        let init = match init {
            Some(value) => Initial::Const(value),
            None => Initial::Any(self.site(&name, ty, origin)),
        };
        let name = self.var_names.claim(name);
        Place::Global(self.program.vars.push(VarData { name, ty, init, origin }))
    }

    pub fn item_name(&self, item: Item) -> String {
        match item {
            Item::Object(obj) => self.unit.objects[obj].name.clone(),
            Item::Literal(_) => "string literal".into(),
            Item::Made(_) => "allocated memory".into(),
        }
    }

    /// The scalar of an object at a place, as a trace should name it.
    fn part_name(&self, item: Item, bit: u64) -> String {
        let name = self.item_name(item);
        let Item::Object(obj) = item else { return name };
        let mut ty = self.unit.objects[obj].ty.ty;
        let (mut path, mut at) = (name, bit);
        loop {
            match self.ctype(ty) {
                CType::Array { elem, .. } => ty = elem.ty,
                CType::Record(record) => {
                    let layout = self.unit.types.records[*record].layout.as_ref();
                    let first_bit = |f: &crate::types::Field| f.offset * 8 + f.bits.map_or(0, |b| u64::from(b.offset));
                    let field = layout.and_then(|l| l.fields.iter().rev().find(|f| first_bit(f) <= at));
                    let Some(field) = field else { return path };
                    at -= first_bit(field);
                    if !field.name.is_empty() {
                        path = format!("{path}.{}", field.name);
                    }
                    ty = field.ty.ty;
                }
                _ => return path,
            }
        }
    }

    fn cell_name(&self, region: &Region, lo: u64) -> String {
        let name = region.fixed.first().map_or_else(|| "allocated memory".into(), |f| self.part_name(f.item, lo));
        if region.shared() {
            format!("{name} and others")
        } else {
            name
        }
    }

    /// The initial bytes of fixed objects that have them from the start.
    fn is_static(&self, item: Item) -> bool {
        match item {
            Item::Object(obj) => {
                let object = &self.unit.objects[obj];
                match object.storage {
                    Storage::Global => object.defined,
                    Storage::Static => true,
                    Storage::Local | Storage::Param => false,
                }
            }
            Item::Literal(_) => true,
            Item::Made(_) => false,
        }
    }

    /// Whether an object starts as anything: it is defined elsewhere. (A local is reset where it is declared.)
    fn is_external(&self, item: Item) -> bool {
        let Item::Object(obj) = item else { return false };
        self.unit.objects[obj].storage == Storage::Global && !self.unit.objects[obj].defined
    }

    fn initial_cell(&mut self, item: Item, lo: u64, scalar: Scalar) -> Option<Const> {
        if self.is_external(item) {
            return None;
        }
        if !self.is_static(item) {
            return Some(Const::zero(scalar.into()));
        }
        let image = self.image(item)?;
        Some(image.read(lo, scalar))
    }

    /// Whether some object of the region holds anything before it is written.
    fn starts_unknown(&self, region: &Region) -> bool {
        region.dynamic.is_some() || region.fixed.iter().any(|f| self.is_external(f.item))
    }

    /// The array a cell starts as, where all of its objects have an initial value. Others are set when the run
    /// starts (`start_memory`).
    fn initial_array(&mut self, region: &Region, lo: u64, cell: &Cell, stride: u64, scalar: Scalar) -> Option<Const> {
        if self.starts_unknown(region) {
            return None;
        }
        let mut array = ArrayConst::filled(self.pointer_bits(), Const::zero(scalar.into()));
        for fixed in &region.fixed {
            if !self.is_static(fixed.item) {
                continue;
            }
            let image = self.image(fixed.item)?;
            if image.is_zero() {
                continue;
            }
            for bit in self.unit_places(lo, cell, stride, fixed.bytes) {
                array.set(u128::from(fixed.address + bit / 8), image.read(bit, scalar));
            }
        }
        Some(Const::Array(array))
    }

    /// Where in an object the scalars of a cell begin, in bits.
    pub fn unit_places(&self, lo: u64, cell: &Cell, stride: u64, bytes: u64) -> impl Iterator<Item = u64> {
        let unit = self.unit_bits(cell.unit);
        let step = if stride == 0 { u64::MAX } else { stride * 8 };
        let (cell_bits, total) = (cell.bits, bytes * 8);
        let starts = std::iter::successors(Some(lo), move |at| at.checked_add(step)).take_while(move |at| *at < total);
        starts.flat_map(move |at| {
            let end = at.saturating_add(cell_bits).min(total);
            (0..).map(move |n| at + n * unit).take_while(move |bit| bit + unit <= end)
        })
    }

    /// Static objects that share a cell with others which start as anything: their cells are written first.
    pub fn late_images(&mut self) -> Vec<(Node, u64, Fixed)> {
        let mut late = Vec::new();
        let mut nodes: Vec<Node> = self.memory.regions.keys().copied().collect();
        nodes.sort_unstable();
        for node in nodes {
            let region = &self.memory.regions[&node];
            let mixed = self.starts_unknown(region);
            for (lo, store) in &region.stores {
                if let (Store::Array(_), true) = (store, mixed) {
                    late.extend(region.fixed.iter().filter(|f| self.is_static(f.item)).map(|f| (node, *lo, *f)));
                }
            }
        }
        late
    }
}
