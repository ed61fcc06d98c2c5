//! What the cells of memory are called in the source, for traces.

use crate::hir::{Storage, Unit};
use crate::layout;
use crate::lower::MemoryMap;
use crate::types::{Type, TypeId};
use std::collections::{BTreeMap, BTreeSet};

/// Cells that get a name.
const MAX_CELLS: usize = 1 << 16;

/// The scalars of objects that last, by their address.
pub fn cells(unit: &Unit, map: &MemoryMap) -> BTreeMap<u64, String> {
    let mut cells = BTreeMap::new();
    for (obj, address, _) in map.regions.iter().flat_map(|r| &r.fixed) {
        let Some(object) = obj.map(|o| &unit.objects[o]) else { continue };
        collect(unit, object.ty.ty, *address, &object.name, &mut cells);
    }
    cells
}

fn collect(unit: &Unit, ty: TypeId, at: u64, path: &str, cells: &mut BTreeMap<u64, String>) {
    if cells.len() > MAX_CELLS {
        return;
    }
    match unit.types.get(ty) {
        Type::Int(_) | Type::Float(_) | Type::Pointer(_) => {
            cells.entry(at).or_insert_with(|| path.to_string());
        }
        Type::Array { elem, len } => {
            let Some(size) = layout::size_of(&unit.types, elem.ty) else { return };
            for n in 0..len.unwrap_or(0) {
                collect(unit, elem.ty, at + n * size, &format!("{path}[{n}]"), cells);
                if cells.len() > MAX_CELLS {
                    return;
                }
            }
        }
        Type::Record(record) => {
            let layout = unit.types.records[*record].layout.as_ref();
            for field in layout.iter().flat_map(|l| &l.fields) {
                let inner = if field.name.is_empty() { path.to_string() } else { format!("{path}.{}", field.name) };
                collect(unit, field.ty.ty, at + field.offset, &inner, cells);
            }
        }
        Type::Void | Type::Vla { .. } | Type::Function(_) | Type::Opaque(_) => {}
    }
}

/// Names that only local objects have: what they hold is gone after the step.
pub fn locals(unit: &Unit) -> BTreeSet<String> {
    let named = |local: bool| {
        let is_local = |s: Storage| matches!(s, Storage::Local | Storage::Param);
        unit.objects.values().filter(move |o| is_local(o.storage) == local).map(|o| o.name.clone())
    };
    let lasting: BTreeSet<String> = named(false).collect();
    named(true).filter(|name| !lasting.contains(name)).collect()
}
