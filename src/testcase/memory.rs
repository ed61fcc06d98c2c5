//! Contents of memory that are unknown when an object comes to life.
//!
//! The program's variables hold them by the addresses of the model, which are not those of the compiled program. So
//! the objects a run makes are noted while it is repeated, in their order, and what the model has at their addresses
//! becomes a list of bytes for each: the edited text writes it right after `malloc`, after a declaration, or into the
//! object that an unknown pointer points to. Addresses among the contents stay numbers of the model.

use super::emit::{self, Queue};
use super::text::Spot;
use super::{Maker, Recorded};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use syncline_frontend::hir::Storage;
use syncline_frontend::lower::{MemoryMap, Part, RegionMap};
use syncline_ir::{ArrayConst, Const, Initial, Origin, Program, Scalar, Site, Type, Var};

/// Numbers of tables that are no site's.
const MADE: u32 = 1 << 28;
const NONE_MADE: u32 = 2 << 28;
const EXTERNAL: u32 = 3 << 28;

/// Objects made in the run: where, in which region, in which slot, of how many bytes; in order.
#[derive(Default)]
pub struct Made {
    pub objects: Vec<(Origin, usize, u64, u64)>,
    seen: BTreeSet<(usize, u64)>,
}

impl Made {
    /// A table of sizes was written to.
    pub fn written(&mut self, map: &MemoryMap, var: Var, slot: u128, value: &Const, origin: Origin) {
        let Some(region) = map.regions.iter().position(|r| r.sizes == Some(var)) else { return };
        let (Ok(slot), Some(size)) = (u64::try_from(slot), value.as_bits()) else { return };
        if slot >= map.regions[region].fixed.len() as u64 && self.seen.insert((region, slot)) {
            self.objects.push((origin, region, slot, u64::try_from(size).unwrap_or(u64::MAX)));
        }
    }
}

/// What the model has in a region before the run, by address.
fn cells(program: &Program, region: &RegionMap, inputs: &Recorded) -> BTreeMap<u64, Const> {
    let mut cells = BTreeMap::new();
    for &var in &region.arrays {
        let Initial::Any(site) = &program.vars[var].init else { continue };
        for (at, cell) in inputs.get(site).and_then(|v| v.first()?.as_array()).into_iter().flat_map(|a| a.cells()) {
            if let Ok(at) = u64::try_from(at) {
                cells.insert(at, cell.clone());
            }
        }
    }
    cells
}

/// Sets the bytes of a scalar.
fn set(bytes: &mut ArrayConst, at: u64, value: &Const) {
    let (bits, scalar) = match value {
        Const::Bool(b) => (u128::from(*b), Scalar::Bool),
        Const::Bv { width, bits } => (*bits, Scalar::Bv(*width)),
        Const::Float { format, bits } => (*bits, Scalar::Float(*format)),
        Const::Array(_) => return,
    };
    for n in 0..emit::size(scalar, false).min(16) {
        bytes.set(u128::from(at + u64::from(n)), Const::bv(64, bits >> (8 * n) & 0xff));
    }
}

/// No bytes yet of an object of this size. Where other arrays have the value of all other cells, these have the size,
/// made different from any byte.
fn no_bytes(size: u64) -> ArrayConst {
    ArrayConst::filled(64, Const::bv(64, u128::from(size & 0xff_ffff_ffff | 1 << 40)))
}

/// The cells from an address on, so many bytes of them.
fn bytes_at(cells: &BTreeMap<u64, Const>, address: u64, size: u64) -> Const {
    let mut bytes = no_bytes(size);
    for (&at, cell) in cells.range(address..address.saturating_add(size)) {
        set(&mut bytes, at - address, cell);
    }
    Const::Array(bytes)
}

impl Maker<'_> {
    /// Edits for all objects the run makes and for external objects in memory.
    pub fn memory(&mut self) {
        let made = std::mem::take(&mut self.made);
        let cells: Vec<_> = self.map.regions.iter().map(|r| cells(self.program, r, &self.inputs)).collect();
        let mut places: BTreeMap<Spot, Vec<Const>> = BTreeMap::new();
        for (origin, n, slot, size) in made.objects {
            let region = &self.map.regions[n];
            let address = region.base + (slot << region.shift) + (1 << (region.shift - 1));
            let Some(spot) = self.spot(origin) else { continue };
            places.entry(spot).or_default().push(bytes_at(&cells[n], address, size));
        }
        for (n, (spot, values)) in places.into_iter().enumerate() {
            self.made_at(MADE + n as u32, &spot, &values);
        }
        for (n, region) in self.map.regions.clone().iter().enumerate() {
            self.external_parts(region, &cells[n]);
        }
    }

    fn bytes_table(&mut self, id: u32, name: &str, values: &[Const]) {
        let ty = Type::Array { index: 64, elem: Scalar::Bv(64) };
        let queue = Queue { id, name, ty, values, signed: false, truth: false, quiet: true };
        let wide = self.wide();
        queue.write(&mut self.tables, wide);
    }

    /// The objects made at one place: by a call, by a declaration, or for a parameter of the entry.
    fn made_at(&mut self, id: u32, spot: &Spot, values: &[Const]) {
        let tokens = self.editor.at(spot);
        self.bytes_table(id, "contents of memory", values);
        let local = self.unit.objects.iter().find(|(_, o)| self.spot_of(o.loc) == *spot).map(|(_, o)| o.clone());
        if let Some(object) = local {
            let is_param = object.storage == Storage::Param;
            for token in tokens.into_iter().filter(|&t| self.editor.is_word(t, &object.name)).collect::<Vec<_>>() {
                // Of a parameter only what it points to: its own value is the caller's.
                if let (false, Some(end)) = (is_param, self.editor.find(token + 1, b";")) {
                    let text = format!(" __syncline_scatter(&__syncline_site{id}, &{}, 1);", object.name);
                    self.editor.insert_after(end, &text);
                }
            }
            self.blocks.insert(spot.clone(), id);
            return;
        }
        for token in tokens {
            let name = self.editor.word(token);
            let allocates = matches!(
                name.strip_prefix("__builtin_").unwrap_or(name),
                "malloc" | "realloc" | "alloca" | "aligned_alloc" | "memalign"
            );
            if let (true, Some(end)) = (allocates, self.editor.close(token + 1)) {
                self.editor.insert_before(token, "({ void *__syncline_object = ");
                let text =
                    format!("; __syncline_scatter(&__syncline_site{id}, __syncline_object, 1); __syncline_object; }})");
                self.editor.insert_after(end, &text);
            }
        }
        self.blocks.insert(spot.clone(), id);
    }

    /// The table of the objects that were made at a place; an empty one where none was.
    pub fn block_at(&mut self, site: Site, spot: &Spot) -> u32 {
        if let Some(&id) = self.blocks.get(spot) {
            return id;
        }
        let id = NONE_MADE + site.as_u32();
        self.bytes_table(id, "contents of memory", &[]);
        self.blocks.insert(spot.clone(), id);
        id
    }

    /// External objects without a definition that are in this region.
    fn external_parts(&mut self, region: &RegionMap, cells: &BTreeMap<u64, Const>) {
        for (n, &(obj, address, size)) in region.fixed.iter().enumerate() {
            let Some(object) = obj.map(|o| &self.unit.objects[o]) else { continue };
            let known = matches!(object.name.as_str(), "stdin" | "stdout" | "stderr");
            if known || object.storage != Storage::Global || object.defined || self.editor.uses(&object.name) < 2 {
                continue;
            }
            let own = if size == 0 { 1 << (region.shift - 1) } else { size };
            let Const::Array(mut bytes) = bytes_at(cells, address, own) else { continue };
            for &(var, _, bit) in region.each.iter().filter(|e| e.1 == n) {
                let Initial::Any(site) = &self.program.vars[var].init else { continue };
                if let Some(value) = self.inputs.get(site).and_then(|v| v.first()) {
                    set(&mut bytes, bit / 8, value);
                }
            }
            let last = bytes.cells().map(|(at, _)| at + 1).max().unwrap_or(0);
            let size = if size == 0 { u64::try_from(last).unwrap_or(0) + 64 } else { size };
            let id = EXTERNAL + self.externals;
            self.externals += 1;
            self.bytes_table(id, &object.name, &[Const::Array(bytes)]);
            let _ = writeln!(
                self.definitions,
                "__attribute__((aligned(16))) char __syncline_object{id}[{size}] __asm__(\"{}\");",
                object.name
            );
            let _ = writeln!(self.start, "  __syncline_scatter(&__syncline_site{id}, __syncline_object{id}, 0);");
        }
    }

    /// A part of a local is set where its declaration is executed.
    pub fn part(&mut self, site: Site, part: Part, values: &[Const]) {
        let object = &self.unit.objects[part.obj];
        let data = &self.program.sites[site];
        if self.is_set_again(site, part) || object.storage == Storage::Param {
            return;
        }
        let id = site.as_u32();
        let name = &object.name;
        let statement = match data.ty {
            Type::Scalar(scalar) => {
                let queue = Queue { id, name, ty: data.ty, values, signed: false, truth: false, quiet: true };
                let wide = self.wide();
                queue.write(&mut self.tables, wide);
                let width = bits(scalar);
                format!(" __syncline_bits(&__syncline_site{id}, &{name}, {}, {width});", part.bit)
            }
            Type::Array { .. } => {
                let moved: Vec<Const> = values.iter().map(|v| moved(v, part.address)).collect();
                self.bytes_table(id, name, &moved);
                format!(" __syncline_scatter(&__syncline_site{id}, &{name}, 0);")
            }
        };
        let tokens = self.editor.words_at(&self.spot_of(object.loc), name);
        let declared = |t: &usize| self.editor.find(t + 1, b",;=").filter(|&e| self.editor.sign(e) != Some(b'='));
        let tokens: Vec<usize> = tokens.into_iter().filter(|t| declared(t).is_some()).collect();
        let clear = format!(" __builtin_memset(&{name}, 0, sizeof {name});");
        let first = self.cleared.insert(part.obj);
        for end in tokens.into_iter().filter_map(|t| self.editor.find(t + 1, b";")).collect::<Vec<_>>() {
            if first {
                self.editor.insert_after(end, &clear);
            }
            self.editor.insert_after(end, &statement);
        }
    }

    /// Whether a later site sets the same part: this one is at the function's entry, the other at the declaration.
    fn is_set_again(&self, site: Site, part: Part) -> bool {
        self.map.parts.iter().any(|(&other, p)| *p == part && other > site && self.places.same_function(site, other))
    }
}

/// An array of cells by address as bytes from the object's first.
fn moved(value: &Const, address: u64) -> Const {
    let mut bytes = no_bytes(0);
    for (at, cell) in value.as_array().into_iter().flat_map(|a| a.cells()) {
        if let Some(at) = u64::try_from(at).ok().and_then(|at| at.checked_sub(address)) {
            set(&mut bytes, at, cell);
        }
    }
    Const::Array(bytes)
}

fn bits(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::Bool => 8,
        Scalar::Bv(width) => width,
        Scalar::Float(format) => format.storage_bits(),
    }
}
