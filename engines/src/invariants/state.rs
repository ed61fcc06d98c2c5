//! The state of the analysis at one place: what each node may be, which nodes are equal, and bounds of differences.
//!
//! What is absent is unknown. Equalities are symmetric lists: each node lists those it equals, itself included. A
//! difference is of the mathematical values of two variables read as signed, so no wrap-around hides in it; bounds that
//! follow from those of the two variables are not stored.

use super::domain::{self, bounded, Abs};
use super::map::Map;
use super::tables::Tables;
use std::rc::Rc;
use syncline_ir::{Block, Scalar, Value};

/// Beyond any difference: no bound.
pub(super) const UNBOUNDED: i128 = 1 << 100;
/// Longest list of equal nodes.
const MAX_EQUAL: usize = 64;

/// Visits of a loop header after which the state is widened, after which thresholds no longer stop it, and after which
/// all that still changes is given up.
const DELAY: u32 = 3;
const SOFT: u32 = 14;
const HARD: u32 = 64;

/// Bounds of `a - b` for a pair, inclusive.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Bound {
    pub lo: i128,
    pub hi: i128,
}

impl Bound {
    pub const NONE: Bound = Bound { lo: -UNBOUNDED, hi: UNBOUNDED };

    pub fn meet(self, other: Bound) -> Bound {
        Bound { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi) }
    }

    fn join(self, other: Bound) -> Bound {
        Bound { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    pub fn flipped(self) -> Bound {
        Bound { lo: -self.hi, hi: -self.lo }
    }

    pub fn shifted(self, by: i128) -> Bound {
        let lo = if self.lo <= -UNBOUNDED { -UNBOUNDED } else { self.lo + by };
        let hi = if self.hi >= UNBOUNDED { UNBOUNDED } else { self.hi + by };
        Bound { lo, hi }
    }

    /// Without the bounds that `weaker` gives as well; `None` if nothing is left.
    fn beyond(self, weaker: Bound) -> Option<Bound> {
        let lo = if self.lo > weaker.lo { self.lo } else { -UNBOUNDED };
        let hi = if self.hi < weaker.hi { self.hi } else { UNBOUNDED };
        Some(Bound { lo, hi }).filter(|&b| b != Bound::NONE)
    }
}

#[derive(Clone)]
pub(super) struct State {
    values: Map<Rc<Abs>>,
    equal: Map<Rc<[u32]>>,
    pairs: Map<Bound>,
}

impl State {
    /// Nothing is known.
    pub fn new(tables: &Tables<'_>) -> State {
        let (count, pairs) = (tables.nodes.count(), tables.pairs.len());
        State { values: Map::new(count), equal: Map::new(count), pairs: Map::new(pairs) }
    }

    pub fn same(&self, other: &State) -> bool {
        self.values.same(&other.values) && self.equal.same(&other.equal) && self.pairs.same(&other.pairs)
    }

    pub fn get(&self, node: u32) -> &Abs {
        self.values.get(node).map_or(&Abs::Top, |abs| abs)
    }

    pub fn set(&mut self, node: u32, abs: &Rc<Abs>) {
        match **abs {
            Abs::Top => self.values.remove(node),
            Abs::Bottom | Abs::Set(_) | Abs::Num(_) => self.values.set(node, abs.clone()),
        }
    }

    /// What a value may be, seen from this block.
    pub fn value(&self, tables: &Tables<'_>, at: Block, value: Value) -> Rc<Abs> {
        if let Some(constant) = tables.constant_abs(value) {
            return constant.clone();
        }
        let known = tables.node(at, value).and_then(|node| self.values.get(node).cloned());
        known.unwrap_or_else(|| Rc::new(Abs::Top))
    }

    pub fn equals(&self, node: u32) -> Option<&Rc<[u32]>> {
        self.equal.get(node)
    }

    /// The nodes that are known to equal this one, itself included.
    pub fn equal_nodes(&self, node: u32) -> Rc<[u32]> {
        self.equal.get(node).cloned().unwrap_or_else(|| Rc::from([node]))
    }

    /// The node gets a new value that equals no other's.
    pub fn forget_equal(&mut self, node: u32) {
        let Some(list) = self.equal.get(node).cloned() else { return };
        self.equal.remove(node);
        for &other in list.iter().filter(|&&n| n != node) {
            let Some(own) = self.equal.get(other) else { continue };
            let rest: Vec<u32> = own.iter().copied().filter(|&n| n != node).collect();
            match rest.len() {
                0 | 1 => self.equal.remove(other),
                _ => self.equal.set(other, rest.into()),
            }
        }
    }

    /// Both have one value, and one type.
    pub fn make_equal(&mut self, a: u32, b: u32) {
        if a == b {
            return;
        }
        let union = union(&self.equal_nodes(a), &self.equal_nodes(b));
        if union.len() > MAX_EQUAL {
            return;
        }
        let shared: Rc<[u32]> = union.into();
        for &node in shared.iter() {
            let list = match self.equal.get(node) {
                Some(own) if own.iter().any(|n| shared.binary_search(n).is_err()) => self::union(own, &shared).into(),
                Some(_) | None => shared.clone(),
            };
            self.equal.set(node, list);
        }
    }

    /// All that is known of the node.
    pub fn forget(&mut self, tables: &Tables<'_>, node: u32) {
        self.values.remove(node);
        self.forget_equal(node);
        self.forget_pairs(tables, node);
        for &(_, element) in tables.elements(node) {
            self.values.remove(element);
            self.forget_equal(element);
        }
    }

    pub fn forget_pairs(&mut self, tables: &Tables<'_>, node: u32) {
        tables.pairs_of(node).iter().for_each(|&pair| self.pairs.remove(pair));
    }

    /// What the variables' own bounds say of the pair.
    fn derived(&self, tables: &Tables<'_>, pair: u32) -> Bound {
        let (a, b) = tables.pairs[pair as usize];
        let signed = |node: u32| {
            let width = tables.node_scalar(node).and_then(bounded)?;
            Some(self.get(node).bounds(width).signed)
        };
        match (signed(a), signed(b)) {
            (Some(a), Some(b)) => Bound { lo: a.0 - b.1, hi: a.1 - b.0 },
            (None, _) | (_, None) => Bound::NONE,
        }
    }

    fn known(&self, tables: &Tables<'_>, pair: u32) -> Bound {
        let stored = self.pairs.get(pair).copied().unwrap_or(Bound::NONE);
        stored.meet(self.derived(tables, pair))
    }

    /// Bounds of `a - b`; none if the pair is not looked at.
    pub fn difference(&self, tables: &Tables<'_>, a: u32, b: u32) -> Bound {
        match tables.pair(a, b) {
            _ if a == b => Bound { lo: 0, hi: 0 },
            Some(pair) if a < b => self.known(tables, pair),
            Some(pair) => self.known(tables, pair).flipped(),
            None => Bound::NONE,
        }
    }

    /// Adds bounds of `a - b`, and what follows for the two; false if there is no such state.
    pub fn restrict(&mut self, tables: &Tables<'_>, a: u32, b: u32, bound: Bound) -> bool {
        let Some(pair) = tables.pair(a, b) else { return true };
        let (a, b, bound) = if a < b { (a, b, bound) } else { (b, a, bound.flipped()) };
        let bound = bound.meet(self.known(tables, pair));
        if bound.lo > bound.hi {
            return false;
        }
        if let (Some(ta), Some(tb)) = (tables.node_scalar(a), tables.node_scalar(b)) {
            let (Some(wa), Some(wb)) = (bounded(ta), bounded(tb)) else { return true };
            let y = self.signed(b, wb);
            let x = domain::Num::within_signed(wa, y.0 + bound.lo, y.1 + bound.hi).meet(self.get(a), ta);
            let from = x.bounds(wa).signed;
            let y = domain::Num::within_signed(wb, from.0 - bound.hi, from.1 - bound.lo).meet(self.get(b), tb);
            if x == Abs::Bottom || y == Abs::Bottom {
                return false;
            }
            self.set(a, &Rc::new(x));
            self.set(b, &Rc::new(y));
        }
        self.store(tables, pair, bound);
        true
    }

    fn signed(&self, node: u32, width: u32) -> (i128, i128) {
        self.get(node).bounds(width).signed
    }

    fn store(&mut self, tables: &Tables<'_>, pair: u32, bound: Bound) {
        match bound.beyond(self.derived(tables, pair)) {
            Some(bound) => self.pairs.set(pair, bound),
            None => self.pairs.remove(pair),
        }
    }

    /// Replaces the bounds of a variable's pair with another: `bound` is of `node - other`.
    pub fn set_difference(&mut self, tables: &Tables<'_>, node: u32, other: u32, bound: Bound) {
        let Some(pair) = tables.pair(node, other) else { return };
        self.store(tables, pair, if node < other { bound } else { bound.flipped() });
    }

    pub fn for_each_pair(&self, f: impl FnMut(u32, &Bound)) {
        self.pairs.for_each(f);
    }

    /// The least state above both that this domain has; `self`'s version if the other adds nothing.
    /// Nodes of values are those of the block.
    pub fn join(&self, other: &State, tables: &Tables<'_>, at: Block) -> State {
        if self.same(other) {
            return self.clone();
        }
        let mut changed = Vec::new();
        let values = self.values.merge(&other.values, &mut |node, a, b| {
            if a != b && !tables.pairs_of(node).is_empty() {
                changed.push(node);
            }
            let (a, b, ty) = (a?, b?, State::scalar_of(tables, at, node)?);
            if a == b {
                return Some(a.clone());
            }
            let joined = a.join(b, ty);
            (joined != Abs::Top).then(|| Rc::new(joined))
        });
        // Equal constants are equal, whether or not the lists say so.
        let holds = |state: &State, a: u32, b: u32| {
            let same = |x: Option<u128>| x.is_some() && x == state.get(b).single();
            state.equal.get(a).is_some_and(|l| l.contains(&b)) || same(state.get(a).single())
        };
        let equal = self.equal.merge(&other.equal, &mut |node, a, b| {
            let candidates = union(a.map_or(&[], |l| l), b.map_or(&[], |l| l));
            let both = |n: u32| n == node || (holds(self, node, n) && holds(other, node, n));
            let list: Vec<u32> = candidates.into_iter().filter(|&n| both(n)).collect();
            (list.len() > 1).then(|| list.into())
        });
        let mut joined = State { values, equal, pairs: self.pairs.clone() };
        joined.pairs = self.pairs.merge(&other.pairs, &mut |pair, _, _| {
            let bound = self.known(tables, pair).join(other.known(tables, pair));
            bound.beyond(joined.derived(tables, pair))
        });
        joined.keep_differences(tables, self, other, &changed);
        joined
    }

    /// Stores what the bounds of variables said of differences on both sides and, joined, no longer say.
    fn keep_differences(&mut self, tables: &Tables<'_>, a: &State, b: &State, changed: &[u32]) {
        for &pair in changed.iter().flat_map(|&node| tables.pairs_of(node)) {
            let bound = a.known(tables, pair).join(b.known(tables, pair)).beyond(self.derived(tables, pair));
            match bound {
                Some(bound) if self.pairs.get(pair) != Some(&bound) => self.pairs.set(pair, bound),
                Some(_) | None => {}
            }
        }
    }

    /// What a loop header's state becomes when `joined`, which is above it, is the next.
    pub fn widen(&self, joined: &State, tables: &Tables<'_>, visits: u32) -> State {
        if visits < DELAY {
            return joined.clone();
        }
        let soft = visits < SOFT;
        let drop = visits >= HARD;
        let values = self.values.merge(&joined.values, &mut |node, a, b| {
            let (a, b, ty) = (a?, b?, tables.node_scalar(node)?);
            if a == b {
                return Some(a.clone());
            }
            let wide = if drop { Abs::Top } else { domain::widen(ty, a, b, tables.thresholds(ty), soft) };
            (wide != Abs::Top).then(|| Rc::new(wide))
        });
        let equal = match drop {
            true => self.equal.merge(&joined.equal, &mut |_, a, b| a.filter(|_| a == b).cloned()),
            false => joined.equal.clone(),
        };
        let pairs = self.pairs.merge(&joined.pairs, &mut |_, a, b| match (a, b) {
            (Some(a), Some(b)) if a == b => Some(*a),
            _ if drop => None,
            (Some(a), Some(b)) => widen_bound(*a, *b),
            (None, Some(b)) if soft => Some(*b),
            (None, _) | (_, None) => None,
        });
        State { values, equal: symmetric(equal, drop), pairs }
    }

    /// The type of a node, seen from this block.
    pub fn scalar_of(tables: &Tables<'_>, at: Block, node: u32) -> Option<Scalar> {
        tables.node_scalar(node).or_else(|| tables.value_of(at, node).map(|v| tables.scalar(v)))
    }
}

/// Lists that lost members on one side only lose them on the other.
fn symmetric(mut equal: Map<Rc<[u32]>>, needed: bool) -> Map<Rc<[u32]>> {
    if !needed {
        return equal;
    }
    let mut lists = Vec::new();
    equal.for_each(|node, list| lists.push((node, list.clone())));
    let before = equal.clone();
    for (node, list) in lists {
        let back = |n: &u32| *n == node || before.get(*n).is_some_and(|l| l.contains(&node));
        let rest: Vec<u32> = list.iter().copied().filter(back).collect();
        match rest.len() {
            0 | 1 => equal.remove(node),
            n if n == list.len() => {}
            _ => equal.set(node, rest.into()),
        }
    }
    equal
}

fn widen_bound(old: Bound, new: Bound) -> Option<Bound> {
    let stops = [-1, 0, 1];
    let hi = match new.hi > old.hi {
        true => stops.into_iter().find(|&s| s >= new.hi).unwrap_or(UNBOUNDED),
        false => new.hi,
    };
    let lo = match new.lo < old.lo {
        true => stops.into_iter().rev().find(|&s| s <= new.lo).unwrap_or(-UNBOUNDED),
        false => new.lo,
    };
    Some(Bound { lo, hi }).filter(|&b| b != Bound::NONE)
}

fn union(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut all: Vec<u32> = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}
