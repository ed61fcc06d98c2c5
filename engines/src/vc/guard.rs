//! When a block instance is reached, as a tree of conditions: a guard is its parent's condition and one literal more.
//!
//! The block Booleans of a verification condition. Because branches hang under one parent, a join whose incoming
//! edges cover both sides of every branch since their common ancestor is guarded by that ancestor again, found here
//! without any solver; and the values that meet there differ by the branch conditions alone, not by whole paths.

use crate::logic::{Node, Term, TermStore};
use rustc_hash::FxHashMap;
use std::collections::BinaryHeap;
use syncline_ir::{BinOp, UnOp};

/// A node of the tree. Guards of different [`Guards`] must not be mixed.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Guard(u32);

#[derive(Copy, Clone)]
struct GuardNode {
    parent: Guard,
    literal: Term,
    depth: u32,
    /// The conjunction of the literals up to the root.
    term: Term,
    /// Whether a join that may still get edges lies above.
    open: bool,
}

pub struct Guards {
    nodes: Vec<GuardNode>,
    ids: FxHashMap<(Guard, Term), Guard>,
}

/// How far up the tree a literal is compared with those already there.
const LOOK_BACK: u32 = 48;

/// What a join gives: its guard and the values of its parameters.
pub struct Joined {
    pub guard: Guard,
    pub values: Vec<Term>,
}

/// One or more edges, lifted to a position in the tree above them.
struct Entry {
    /// When one of the edges is taken, given the position's guard.
    within: Term,
    values: Vec<Term>,
    open: bool,
}

impl Guards {
    pub const ROOT: Guard = Guard(0);

    pub fn new(store: &TermStore) -> Guards {
        let root = GuardNode { parent: Guard(0), literal: store.tt(), depth: 0, term: store.tt(), open: false };
        Guards { nodes: vec![root], ids: FxHashMap::default() }
    }

    pub fn term(&self, guard: Guard) -> Term {
        self.nodes[guard.0 as usize].term
    }

    /// Whether later unwinding may make the guard true in more runs.
    pub fn is_open(&self, guard: Guard) -> bool {
        self.nodes[guard.0 as usize].open
    }

    /// The guard under which also the literal holds; `None` if that can be seen to be never.
    pub fn and(&mut self, store: &mut TermStore, parent: Guard, literal: Term) -> Option<Guard> {
        self.and_as(store, parent, literal, None)
    }

    /// Like [`Guards::and`], with a simpler term that is equal to the conjunction.
    pub fn and_as(&mut self, store: &mut TermStore, parent: Guard, literal: Term, term: Option<Term>) -> Option<Guard> {
        match store.as_bool(literal) {
            Some(true) => return Some(parent),
            Some(false) => return None,
            None => {}
        }
        if let Some(&guard) = self.ids.get(&(parent, literal)) {
            return Some(guard);
        }
        match self.known(store, parent, literal) {
            Some(true) => return Some(parent),
            Some(false) => return None,
            None => {}
        }
        let above = self.nodes[parent.0 as usize];
        let term = match term {
            Some(term) => term,
            None => store.bin(BinOp::And, above.term, literal),
        };
        if term == store.ff() {
            return None;
        }
        Some(self.push(GuardNode { parent, literal, depth: above.depth + 1, term, open: above.open }))
    }

    /// A guard below the root for a join that may still get edges.
    pub fn open_root(&mut self, store: &TermStore, literal: Term) -> Guard {
        debug_assert!(store.as_symbol(literal).is_some());
        self.push(GuardNode { parent: Guards::ROOT, literal, depth: 1, term: literal, open: true })
    }

    fn push(&mut self, node: GuardNode) -> Guard {
        let guard = Guard(self.nodes.len() as u32);
        self.nodes.push(node);
        self.ids.insert((node.parent, node.literal), guard);
        guard
    }

    /// What the nearest literals above say of this one.
    fn known(&self, store: &mut TermStore, mut guard: Guard, literal: Term) -> Option<bool> {
        let negated = store.un(UnOp::Not, literal);
        let value = equal_to_constant(store, literal);
        for _ in 0..LOOK_BACK {
            if guard == Guards::ROOT {
                return None;
            }
            let node = self.nodes[guard.0 as usize];
            if node.literal == literal {
                return Some(true);
            }
            if node.literal == negated {
                return Some(false);
            }
            if let (Some((x, a)), Some((y, b))) = (value, equal_to_constant(store, node.literal)) {
                if x == y && a != b {
                    return Some(false);
                }
            }
            if let (Some((x, a)), Some((y, b))) =
                (equal_to_constant(store, negated), equal_to_constant(store, node.literal))
            {
                if x == y && a != b {
                    return Some(true);
                }
            }
            guard = node.parent;
        }
        None
    }

    /// Joins edges no two of which are taken in one run. Lifts the deepest first until all stand at one position:
    /// two sides of a branch join to its parent, an edge without its other side takes its literal along.
    pub fn join(&mut self, store: &mut TermStore, edges: Vec<(Guard, Vec<Term>)>) -> Option<Joined> {
        let mut entries: FxHashMap<Guard, Entry> = FxHashMap::default();
        let mut heap = BinaryHeap::new();
        for (guard, values) in edges {
            let entry = Entry { within: store.tt(), values, open: self.is_open(guard) };
            self.put(store, &mut entries, &mut heap, guard, entry);
        }
        while entries.len() > 1 {
            let Some((_, at)) = heap.pop() else { break };
            let Some(entry) = entries.remove(&at) else { continue };
            let node = self.nodes[at.0 as usize];
            let negated = store.un(UnOp::Not, node.literal);
            let sibling = self.ids.get(&(node.parent, negated)).and_then(|s| entries.remove(s));
            let lifted = match sibling {
                Some(other) => self.both_sides(store, node.literal, entry, other),
                None => Entry { within: store.bin(BinOp::And, node.literal, entry.within), ..entry },
            };
            self.put(store, &mut entries, &mut heap, node.parent, lifted);
        }
        let (at, entry) = entries.into_iter().next()?;
        let guard = self.and(store, at, entry.within)?;
        if entry.open {
            self.nodes[guard.0 as usize].open = true;
        }
        Some(Joined { guard, values: entry.values })
    }

    fn both_sides(&self, store: &mut TermStore, literal: Term, a: Entry, b: Entry) -> Entry {
        let values = a.values.iter().zip(&b.values).map(|(&x, &y)| store.ite(literal, x, y)).collect();
        Entry { within: store.ite(literal, a.within, b.within), values, open: a.open || b.open }
    }

    /// Adds an entry at a position; one that stands there already is told apart by its condition.
    fn put(
        &self,
        store: &mut TermStore,
        entries: &mut FxHashMap<Guard, Entry>,
        heap: &mut BinaryHeap<(u32, Guard)>,
        at: Guard,
        entry: Entry,
    ) {
        let entry = match entries.remove(&at) {
            None => entry,
            Some(other) => Entry {
                within: store.bin(BinOp::Or, entry.within, other.within),
                values: entry.values.iter().zip(&other.values).map(|(&x, &y)| store.ite(entry.within, x, y)).collect(),
                open: entry.open || other.open,
            },
        };
        entries.insert(at, entry);
        heap.push((self.nodes[at.0 as usize].depth, at));
    }
}

/// `x = c` with a constant c, as the pair.
fn equal_to_constant(store: &TermStore, literal: Term) -> Option<(Term, Term)> {
    let Node::Bin(BinOp::Eq, a, b) = store.node(literal) else { return None };
    if store.constant(b).is_some() {
        Some((a, b))
    } else if store.constant(a).is_some() {
        Some((b, a))
    } else {
        None
    }
}
