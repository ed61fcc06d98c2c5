//! When control is somewhere: conditions one under another, as branches nest.
//!
//! Where the two sides of a branch meet again, control is where it was before the branch, and what differs between
//! them differs by the branch's condition alone. Edges are met deepest first, so that this is seen through any number
//! of nested branches; a side whose other side does not come takes its condition along. Formulas stay shallow that
//! way, which is what the solver needs; no condition is decided here but for constants.

use super::super::emit::{Name, Script};
use super::segment::{Edge, Names};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use syncline_ir::Const;

/// A place in the tree of conditions.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Guard(u32);

struct Condition {
    parent: Guard,
    /// The condition, and which side of it.
    side: (Name, bool),
    depth: u32,
    /// All conditions from the root.
    name: Name,
}

pub(super) struct Guards {
    nodes: Vec<Condition>,
    ids: FxHashMap<(Guard, Name, bool), Guard>,
}

/// Edges met so far, seen from a place above them.
struct Entry {
    /// When one of them is taken, given the conditions of the place.
    within: Name,
    edge: Edge,
}

impl Guards {
    pub const ROOT: Guard = Guard(0);

    pub fn new(script: &mut Script) -> Guards {
        let yes = script.constant(&Const::TRUE);
        let root = Condition { parent: Guard(0), side: (yes, true), depth: 0, name: yes };
        Guards { nodes: vec![root], ids: FxHashMap::default() }
    }

    fn node(&self, guard: Guard) -> &Condition {
        &self.nodes[guard.0 as usize]
    }

    /// The conjunction of all conditions.
    pub fn name(&self, guard: Guard) -> Name {
        self.node(guard).name
    }

    /// One condition more: `cond` is `value`. `None` if it is known not to be.
    pub fn under(&mut self, script: &mut Script, parent: Guard, cond: Name, value: bool) -> Option<Guard> {
        if script.is_known(cond, value) {
            return Some(parent);
        }
        if script.is_known(cond, !value) {
            return None;
        }
        if let Some(&guard) = self.ids.get(&(parent, cond, value)) {
            return Some(guard);
        }
        let literal = if value { cond } else { script.not(cond) };
        let above = self.node(parent);
        let depth = above.depth + 1;
        let name = script.and(above.name, literal);
        let guard = Guard(self.nodes.len() as u32);
        self.nodes.push(Condition { parent, side: (cond, value), depth, name });
        self.ids.insert((parent, cond, value), guard);
        Some(guard)
    }

    /// Meets edges of which a run takes one at most; `None` without edges.
    pub fn meet(&mut self, script: &mut Script, edges: Vec<Edge>) -> Option<Edge> {
        let mut entries: BTreeMap<(u32, Guard), Entry> = BTreeMap::new();
        for edge in edges {
            let within = script.constant(&Const::TRUE);
            self.put(script, &mut entries, edge.guard, Entry { within, edge });
        }
        while entries.len() > 1 {
            let Some(((depth, guard), entry)) = entries.pop_last() else { break };
            let &Condition { parent, side: (cond, value), .. } = self.node(guard);
            let sibling = self.ids.get(&(parent, cond, !value)).and_then(|&s| entries.remove(&(depth, s)));
            let lifted = match (sibling, value) {
                (Some(other), true) => both(script, cond, entry, other),
                (Some(other), false) => both(script, cond, other, entry),
                (None, _) => {
                    let literal = if value { cond } else { script.not(cond) };
                    Entry { within: script.and(literal, entry.within), edge: entry.edge }
                }
            };
            self.put(script, &mut entries, parent, lifted);
        }
        let ((_, guard), Entry { within, edge }) = entries.pop_first()?;
        let guard = self.under(script, guard, within, true)?;
        Some(Edge { guard, ..edge })
    }

    fn put(&self, script: &mut Script, entries: &mut BTreeMap<(u32, Guard), Entry>, at: Guard, entry: Entry) {
        let key = (self.node(at).depth, at);
        let entry = match entries.remove(&key) {
            None => entry,
            Some(other) => {
                let within = script.or(entry.within, other.within);
                let edge = choose(script, entry.within, entry.edge, other.edge);
                Entry { within, edge }
            }
        };
        entries.insert(key, entry);
    }
}

/// Both sides of a condition.
fn both(script: &mut Script, cond: Name, then: Entry, other: Entry) -> Entry {
    let within = match then.within == other.within {
        true => then.within,
        false => script.ite(cond, then.within, other.within),
    };
    Entry { within, edge: choose(script, cond, then.edge, other.edge) }
}

/// Variables and arguments by a condition.
fn choose(script: &mut Script, cond: Name, then: Edge, mut other: Edge) -> Edge {
    choose_names(script, cond, &then.globals, &mut other.globals);
    choose_names(script, cond, &then.slots, &mut other.slots);
    for (mine, theirs) in other.args.iter_mut().zip(then.args) {
        if *mine != theirs {
            *mine = script.ite(cond, theirs, *mine);
        }
    }
    other
}

/// `mine` becomes `theirs` where the condition holds.
pub(super) fn choose_names(script: &mut Script, cond: Name, theirs: &Names, mine: &mut Names) {
    if Rc::ptr_eq(theirs, mine) {
        return;
    }
    for i in 0..theirs.len() {
        if theirs[i] != mine[i] {
            let met = script.ite(cond, theirs[i], mine[i]);
            Rc::make_mut(mine)[i] = met;
        }
    }
}
