//! OPT (DAG inlining, section 3.4): the graph with the fewest nodes, made before anything is opened, for comparison.
//!
//! The instances of each procedure are parted by a colouring of their conflict graph: two of them have different colours if a
//! run comes to both. Instances of one colour are one node. What is opened later is embedded in that graph: a call is led to
//! the node that stands for the same node there, if it is there already.
//!
//! # Deviations
//! The paper colours all instances in the whole tree, which is exponential. Here procedures are taken from the entry down, and
//! the calls of a node are one instance each, whatever the number of ways to it: in a graph a call of a node leads to one node,
//! so that instances with the same ways must have the same colour anyhow. The number of colours is the least one if the search
//! for it takes no more than [`STEPS`] steps; then it is the best found.
//!
//! The paper has no recursion, since loops and recursion are unrolled first. Here nothing is shared below a loop or a recursive
//! procedure, whose instances nobody can count; nor beyond [`MAX_NODES`].

use super::dag::Calls;
use super::region::{Key, RegionId, Regions};
use rustc_hash::FxHashMap;

const MAX_NODES: usize = 4_000;
/// Instances of one region beyond which nothing is shared below it.
const MAX_INSTANCES: usize = 400;
const STEPS: u64 = 50_000;

/// The graph, by number of node; the entry's is 0.
pub(super) struct Best {
    region: Vec<RegionId>,
    down: Vec<FxHashMap<Key, usize>>,
    /// These nodes and all above them, and the node itself.
    above: Vec<Vec<usize>>,
}

impl Best {
    pub fn new(regions: &Regions, calls: &[Calls]) -> Best {
        let mut best = Best { region: Vec::new(), down: Vec::new(), above: Vec::new() };
        let Some(entry) = regions.program.entry.map(|entry| regions.id(entry, None)) else { return best };
        if regions.get(entry).recursive {
            return best;
        }
        let mut instances: FxHashMap<RegionId, Vec<(usize, Key)>> = FxHashMap::default();
        best.push(entry, &[]);
        best.expand(0, calls, &mut instances);
        for region in callers_first(regions, entry, calls) {
            let Some(of_region) = instances.remove(&region) else { continue };
            if regions.get(region).recursive || of_region.len() > MAX_INSTANCES || best.region.len() > MAX_NODES {
                continue;
            }
            let conflicts = best.conflicts(&of_region, calls);
            let colours = colour(&conflicts);
            for c in 0..colours.iter().max().map_or(0, |&most| most + 1) {
                let merged: Vec<(usize, Key)> =
                    of_region.iter().zip(&colours).filter(|&(_, &own)| own == c).map(|(&i, _)| i).collect();
                let node = best.push(region, &merged);
                best.expand(node, calls, &mut instances);
            }
        }
        best
    }

    pub fn leads(&self, from: usize, site: Key) -> Option<usize> {
        self.down.get(from)?.get(&site).copied()
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.region.len()
    }

    fn push(&mut self, region: RegionId, calls: &[(usize, Key)]) -> usize {
        let node = self.region.len();
        self.region.push(region);
        self.down.push(FxHashMap::default());
        let mut above: Vec<usize> = vec![node];
        for &(from, site) in calls {
            self.down[from].insert(site, node);
            above.extend(&self.above[from]);
        }
        above.sort_unstable();
        above.dedup();
        self.above.push(above);
        node
    }

    fn expand(&self, node: usize, calls: &[Calls], instances: &mut FxHashMap<RegionId, Vec<(usize, Key)>>) {
        for &(site, callee, _) in &calls[self.region[node].0 as usize].sites {
            instances.entry(callee).or_default().push((node, site));
        }
    }

    /// Which instances exclude each other not: by instance those it is in conflict with.
    fn conflicts(&self, instances: &[(usize, Key)], calls: &[Calls]) -> Vec<Vec<bool>> {
        let ways: Vec<FxHashMap<usize, Vec<Key>>> = instances.iter().map(|&i| self.ways(i)).collect();
        let meet = |a: &FxHashMap<usize, Vec<Key>>, b: &FxHashMap<usize, Vec<Key>>| {
            a.iter().any(|(&at, from)| {
                let of = &calls[self.region[at].0 as usize];
                let others = b.get(&at).into_iter().flatten();
                others.into_iter().any(|&t| from.iter().any(|&s| s != t && !of.are_disjoint(s, t)))
            })
        };
        let count = instances.len();
        let mut conflicts = vec![vec![false; count]; count];
        for a in 0..count {
            for b in 0..a {
                let conflict = meet(&ways[a], &ways[b]);
                (conflicts[a][b], conflicts[b][a]) = (conflict, conflict);
            }
        }
        conflicts
    }

    /// By node above an instance, its calls that lead to the instance.
    fn ways(&self, (from, site): (usize, Key)) -> FxHashMap<usize, Vec<Key>> {
        let above = &self.above[from];
        let mut ways: FxHashMap<usize, Vec<Key>> = FxHashMap::default();
        for &node in above {
            let leading = self.down[node].iter().filter(|(_, to)| above.binary_search(to).is_ok());
            ways.insert(node, leading.map(|(&key, _)| key).collect());
        }
        ways.entry(from).or_default().push(site);
        ways
    }
}

/// The regions below the entry, those that call before those that are called, as far as there is no recursion.
fn callers_first(regions: &Regions, entry: RegionId, calls: &[Calls]) -> Vec<RegionId> {
    let mut order = Vec::new();
    let mut seen = vec![false; regions.list.len()];
    let mut work = vec![(entry, 0)];
    seen[entry.0 as usize] = true;
    while let Some((region, at)) = work.pop() {
        let Some(&(_, callee, _)) = calls[region.0 as usize].sites.get(at) else {
            order.push(region);
            continue;
        };
        work.push((region, at + 1));
        if !std::mem::replace(&mut seen[callee.0 as usize], true) && !regions.get(callee).recursive {
            work.push((callee, 0));
        }
    }
    order.reverse();
    order
}

/// Colours for the vertices of a graph, as few as are found: branch and bound, the vertex with the most colours around it
/// first (DSATUR).
pub(super) fn colour(edges: &[Vec<bool>]) -> Vec<usize> {
    let count = edges.len();
    let mut search = Colouring { edges, colours: vec![None; count], best: (0..count).collect(), most: count, steps: 0 };
    search.extend(0, 0);
    search.best
}

struct Colouring<'a> {
    edges: &'a [Vec<bool>],
    colours: Vec<Option<usize>>,
    best: Vec<usize>,
    /// How many colours the best has.
    most: usize,
    steps: u64,
}

impl Colouring<'_> {
    fn around(&self, v: usize) -> Vec<bool> {
        let mut around = vec![false; self.most];
        for (_, colour) in self.edges[v].iter().zip(&self.colours).filter(|(&edge, _)| edge) {
            colour.iter().for_each(|&c| around[c] = true);
        }
        around
    }

    /// Colours what is left, with so many colours in use. Depth is the number of vertices, which is small.
    fn extend(&mut self, done: usize, used: usize) {
        self.steps += 1;
        if used >= self.most {
            return;
        }
        if done == self.colours.len() {
            self.most = used;
            self.best = self.colours.iter().map(|c| c.unwrap_or(0)).collect();
            return;
        }
        let open = (0..self.colours.len()).filter(|&v| self.colours[v].is_none());
        let degree = |v: usize| self.edges[v].iter().filter(|&&e| e).count();
        let saturation = |v: usize| self.around(v).iter().filter(|&&c| c).count();
        let Some(v) = open.max_by_key(|&v| (saturation(v), degree(v), std::cmp::Reverse(v))) else { return };
        let around = self.around(v);
        for c in (0..=used).filter(|&c| around.get(c) == Some(&false)) {
            self.colours[v] = Some(c);
            self.extend(done + 1, used.max(c + 1));
            self.colours[v] = None;
            // The first way down is a colouring; after it the search may stop.
            if self.steps > STEPS {
                return;
            }
        }
    }
}
