//! Where the unknown contents of memory are in the program's variables, for those who turn a run back into C.

use super::build::FnLower;
use super::memory::Store;
use super::Lower;
use crate::hir::Obj;
use crate::points::Item;
use rustc_hash::FxHashMap;
use syncline_ir::{Place, Site, Var};

/// The regions of memory, and the sites that set parts of a local.
#[derive(Clone, Debug, Default)]
pub struct MemoryMap {
    pub regions: Vec<RegionMap>,
    pub parts: FxHashMap<Site, Part>,
}

/// A row of slots of `1 << shift` bytes; the object of a slot begins in its middle.
#[derive(Clone, Debug)]
pub struct RegionMap {
    pub base: u64,
    pub shift: u32,
    /// The sizes of objects by their slot. The first write to a slot makes an object.
    pub sizes: Option<Var>,
    /// How many objects were made, if they are made while the program runs.
    pub count: Option<Var>,
    /// Objects with a fixed place: what they are if objects of the source, their address and size.
    pub fixed: Vec<(Option<Obj>, u64, u64)>,
    /// Variables that hold cells of all objects, by address.
    pub arrays: Vec<Var>,
    /// Variables that hold the scalar of one of the fixed objects, by number, at a bit.
    pub each: Vec<(Var, usize, u64)>,
}

/// A part of an object: the scalar at a bit of it, or the cells from an address on, which is the object's first byte.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub obj: Obj,
    pub bit: u64,
    pub address: u64,
}

impl FnLower<'_, '_> {
    /// The site made last sets a part of an object.
    pub fn note_part(&mut self, item: Item, bit: u64, address: u64) {
        let (Some(site), Item::Object(obj)) = (self.cx.program.sites.last().map(|(site, _)| site), item) else {
            return;
        };
        self.cx.map.parts.insert(site, Part { obj, bit, address });
    }
}

impl Lower<'_> {
    pub fn map_regions(&mut self) {
        for region in self.memory.all() {
            let object = |item: Item| match item {
                Item::Object(obj) => Some(obj),
                Item::Literal(_) | Item::Made(_) => None,
            };
            let mut map = RegionMap {
                base: region.base,
                shift: region.shift,
                sizes: region.sizes,
                count: region.dynamic.as_ref().map(|d| d.count),
                fixed: region.fixed.iter().map(|f| (object(f.item), f.address, f.bytes)).collect(),
                arrays: Vec::new(),
                each: Vec::new(),
            };
            for (&lo, store) in &region.stores {
                match store {
                    Store::Array(Place::Global(var)) => map.arrays.push(*var),
                    Store::Array(Place::Local(_)) => {}
                    Store::Each(places) => {
                        for (n, place) in places.iter().enumerate() {
                            if let Some(Place::Global(var)) = place {
                                map.each.push((*var, n, lo));
                            }
                        }
                    }
                }
            }
            self.map.regions.push(map);
        }
    }
}
