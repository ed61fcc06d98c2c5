//! Which node may serve a further call (DAG inlining, sections 3.3 and 3.4): one that no run comes to over two ways.
//!
//! Two calls of one body are *disjoint* (`Disj_blk`) if neither is reached from the other in the body's acyclic control
//! flow. The graph is consistent if for every node, any two of its calls from which a common node can be reached are
//! disjoint: then the ways to a node exclude each other (Alg. 1). It is kept consistent edge by edge: a new edge from `n`
//! to `m` adds ways from the ancestors of `n` to the descendants of `m`, and only those are looked at.

use super::calltree::NodeId;
use super::opt::Best;
use super::region::{Key, RegionId, Regions};
use rustc_hash::FxHashMap;
use syncline_ir::analysis::Component;
use syncline_ir::{Block, InstData};

/// How a node is picked for a call.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// A new one, always.
    Tree,
    /// The oldest.
    #[default]
    First,
    /// The one with the most nodes below it.
    MaxC,
    /// Any, by chance (the same in every run).
    RandomPick,
    /// The one that the graph with the fewest nodes has there ([`super::opt`]).
    Opt,
}

/// Bits, one for each component of a body and one for the loop's next iteration; or one for each region.
type Row = Vec<u64>;

/// The calls of one body, and which of them exclude each other.
pub(super) struct Calls {
    /// With the component they stand in.
    pub sites: Vec<(Key, RegionId, usize)>,
    component: FxHashMap<Key, usize>,
    /// By component: those reached from it.
    reaches: Vec<Row>,
}

impl Calls {
    pub fn are_disjoint(&self, a: Key, b: Key) -> bool {
        match (self.component.get(&a), self.component.get(&b)) {
            (Some(&a), Some(&b)) => self.exclude(a, b),
            (None, _) | (_, None) => false,
        }
    }

    fn exclude(&self, a: usize, b: usize) -> bool {
        a != b && !bit(&self.reaches[a], b) && !bit(&self.reaches[b], a)
    }
}

fn bit(row: &Row, n: usize) -> bool {
    row[n / 64] >> (n % 64) & 1 == 1
}

pub struct Graph {
    strategy: Strategy,
    calls: Vec<Calls>,
    pub(super) region: Vec<RegionId>,
    /// Edges with the place of their call.
    pub(super) down: Vec<Vec<(Key, NodeId)>>,
    up: Vec<Vec<NodeId>>,
    of_region: FxHashMap<RegionId, Vec<NodeId>>,
    /// Whether two calls of one body that exclude each other can lead to instances of the region.
    sharable: Vec<bool>,
    random: u64,
    /// For OPT: the best graph; by node, the node there that it stands for; by node there, those that stand for it.
    best: Option<Best>,
    image: Vec<Option<usize>>,
    standing: FxHashMap<usize, Vec<NodeId>>,
}

impl Graph {
    pub fn new(strategy: Strategy, regions: &Regions) -> Graph {
        let calls: Vec<Calls> = (0..regions.list.len() as u32).map(|n| calls_of(regions, RegionId(n))).collect();
        let sharable = match strategy {
            Strategy::Tree => vec![false; regions.list.len()],
            Strategy::First | Strategy::MaxC | Strategy::RandomPick | Strategy::Opt => sharable(regions, &calls),
        };
        let best = (strategy == Strategy::Opt).then(|| Best::new(regions, &calls));
        Graph {
            strategy,
            calls,
            region: Vec::new(),
            down: Vec::new(),
            up: Vec::new(),
            of_region: FxHashMap::default(),
            sharable,
            random: 0x9e37_79b9_7f4a_7c15,
            best,
            image: Vec::new(),
            standing: FxHashMap::default(),
        }
    }

    pub fn may_share(&self, region: RegionId) -> bool {
        self.sharable[region.0 as usize]
    }

    pub fn add_node(&mut self, region: RegionId) {
        let id = NodeId(self.region.len() as u32);
        self.region.push(region);
        self.down.push(Vec::new());
        self.up.push(Vec::new());
        self.image.push((id == NodeId(0)).then_some(0));
        if self.sharable[region.0 as usize] {
            self.of_region.entry(region).or_default().push(id);
        }
    }

    pub fn add_edge(&mut self, from: NodeId, site: Key, to: NodeId) {
        self.down[from.0 as usize].push((site, to));
        self.up[to.0 as usize].push(from);
        if self.image[to.0 as usize].is_none() {
            if let Some(there) = self.image_of(from, site) {
                self.image[to.0 as usize] = Some(there);
                self.standing.entry(there).or_default().push(to);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn best_len(&self) -> Option<usize> {
        self.best.as_ref().map(Best::len)
    }

    /// Where a call leads in the best graph.
    fn image_of(&self, from: NodeId, site: Key) -> Option<usize> {
        self.best.as_ref()?.leads(self.image[from.0 as usize]?, site)
    }

    /// A node for the call that keeps the graph consistent, by the strategy.
    pub fn pick(&mut self, from: NodeId, site: Key, callee: RegionId, fits: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        if self.strategy == Strategy::Tree || !self.may_share(callee) {
            return None;
        }
        if self.strategy == Strategy::Opt {
            // Nodes that stand for one there have only ways that exclude each other there, and so here. They are several only
            // if constants tell them apart.
            let there = self.image_of(from, site)?;
            return self.standing.get(&there)?.iter().copied().find(|&n| fits(n));
        }
        let nodes: Vec<NodeId> = self.of_region.get(&callee)?.iter().copied().filter(|&n| fits(n)).collect();
        let above = self.ancestors(&[from]);
        let mut suits = nodes.into_iter().filter(|&n| self.stays_consistent(from, site, n, &above));
        match self.strategy {
            Strategy::Tree | Strategy::Opt => None,
            Strategy::First => suits.next(),
            Strategy::MaxC => suits.max_by_key(|&n| (self.descendants(n).len(), std::cmp::Reverse(n))),
            Strategy::RandomPick => {
                let all: Vec<NodeId> = suits.collect();
                // An xorshift generator.
                self.random ^= self.random << 13;
                self.random ^= self.random >> 7;
                self.random ^= self.random << 17;
                let n = (self.random % all.len().max(1) as u64) as usize;
                all.get(n).copied()
            }
        }
    }

    /// Whether the graph with one more edge is consistent, if it is so now. `above` are the ancestors of `from`.
    pub(super) fn stays_consistent(&self, from: NodeId, site: Key, to: NodeId, above: &[bool]) -> bool {
        if above[to.0 as usize] {
            return false;
        }
        let below = self.descendants(to);
        let meets = self.ancestors(&below);
        for x in (0..self.region.len()).filter(|&x| above[x]) {
            let calls = &self.calls[self.region[x].0 as usize];
            let mut ways: Vec<Key> =
                self.down[x].iter().filter(|(_, y)| above[y.0 as usize]).map(|&(s, _)| s).collect();
            if x == from.0 as usize {
                ways.push(site);
            }
            let others = self.down[x].iter().filter(|(_, y)| meets[y.0 as usize]);
            for &(other, _) in others {
                if ways.iter().any(|&way| way != other && !calls.are_disjoint(way, other)) {
                    return false;
                }
            }
        }
        true
    }

    /// These nodes and all above them.
    pub(super) fn ancestors(&self, of: &[NodeId]) -> Vec<bool> {
        let mut seen = vec![false; self.region.len()];
        let mut work = of.to_vec();
        while let Some(n) = work.pop() {
            if !std::mem::replace(&mut seen[n.0 as usize], true) {
                work.extend(self.up[n.0 as usize].iter().copied());
            }
        }
        seen
    }

    /// The node and all below it.
    fn descendants(&self, of: NodeId) -> Vec<NodeId> {
        let mut seen = vec![false; self.region.len()];
        let mut all = Vec::new();
        let mut work = vec![of];
        while let Some(n) = work.pop() {
            if !std::mem::replace(&mut seen[n.0 as usize], true) {
                all.push(n);
                work.extend(self.down[n.0 as usize].iter().map(|&(_, m)| m));
            }
        }
        all
    }
}

/// The calls of a region's body, with what is reached from where.
fn calls_of(regions: &Regions, id: RegionId) -> Calls {
    let region = regions.get(id);
    let components = regions.components(region);
    let (count, body) = (components.len() + 1, regions.body(region));
    let mut calls = Calls { sites: Vec::new(), component: FxHashMap::default(), reaches: Vec::new() };
    let Some(nest) = &regions.nests[region.proc] else { return calls };
    let header = region.in_loop.map(|l| nest.loops[l].header);
    let mut home: FxHashMap<Block, usize> = FxHashMap::default();
    let mut blocks: Vec<Vec<Block>> = vec![Vec::new(); count];
    for (n, component) in components.iter().enumerate() {
        match *component {
            Component::Block(block) => {
                blocks[n].push(block);
                for &inst in &body.blocks[block].insts {
                    if let InstData::Call { callee, .. } = body.insts[inst].data {
                        calls.sites.push((Key::Call(inst), regions.id(callee, None), n));
                    }
                }
            }
            Component::Loop(l) => {
                blocks[n].extend(body.layout.iter().copied().filter(|&b| nest.contains(l, b)));
                calls.sites.push((Key::Loop(nest.loops[l].header), regions.id(region.proc, Some(l)), n));
            }
        }
        home.extend(blocks[n].iter().map(|&b| (b, n)));
    }
    calls.sites.extend(header.map(|h| (Key::Loop(h), id, count - 1)));
    calls.component = calls.sites.iter().map(|&(key, _, n)| (key, n)).collect();
    let mut reaches: Vec<Row> = vec![vec![0; count.div_ceil(64)]; count];
    for n in (0..components.len()).rev() {
        for target in blocks[n].iter().flat_map(|&b| body.successors(b)) {
            let to = if Some(target.block) == header { Some(count - 1) } else { home.get(&target.block).copied() };
            let Some(to) = to.filter(|&to| to != n) else { continue };
            let row = reaches[to].clone();
            join(&mut reaches[n], &row);
            reaches[n][to / 64] |= 1 << (to % 64);
        }
    }
    calls.reaches = reaches;
    calls
}

fn join(row: &mut Row, with: &Row) {
    row.iter_mut().zip(with).for_each(|(a, b)| *a |= b);
}

/// The procedures to which two calls of one body lead that exclude each other.
fn sharable(regions: &Regions, calls: &[Calls]) -> Vec<bool> {
    let count = regions.list.len();
    let mut leads: Vec<Row> = (0..count)
        .map(|n| {
            let mut row = vec![0; count.div_ceil(64)];
            row[n / 64] |= 1 << (n % 64);
            row
        })
        .collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for n in (0..count).rev() {
            for &(_, callee, _) in &calls[n].sites {
                let row = leads[callee.0 as usize].clone();
                let before = leads[n].clone();
                join(&mut leads[n], &row);
                changed |= leads[n] != before;
            }
        }
    }
    let mut found: Row = vec![0; count.div_ceil(64)];
    for calls in calls {
        for (n, &(_, a, at)) in calls.sites.iter().enumerate() {
            for &(_, b, _) in calls.sites[..n].iter().filter(|&&(_, _, other)| calls.exclude(at, other)) {
                let both = leads[a.0 as usize].iter().zip(&leads[b.0 as usize]).map(|(x, y)| x & y);
                found.iter_mut().zip(both).for_each(|(f, both)| *f |= both);
            }
        }
    }
    // A loop is entered from one place: what could be shared is its procedure.
    regions.list.iter().enumerate().map(|(n, r)| r.in_loop.is_none() && bit(&found, n)).collect()
}
