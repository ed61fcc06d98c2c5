//! Nodes, cells and references, and how they are joined.

use crate::hir::{Expr, Func, Obj, Str};
use cranelift_entity::{entity_impl, PrimaryMap};
use std::collections::BTreeMap;
use syncline_ir::Scalar;

#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(u32);
entity_impl!(Node, "node");

/// What a pointer-valued expression or a cell that holds pointers refers to.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ref(u32);
entity_impl!(Ref, "ref");

/// A byte of the objects of a node.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Target {
    pub node: Node,
    pub off: u64,
}

/// What lives in a node.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Item {
    Object(Obj),
    Literal(Str),
    /// Made by a call, which this is the address of: `malloc`, or a pointer nobody knows.
    Made(*const Expr),
}

/// What a cell consists of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Nobody has looked inside yet.
    Open,
    Word(Scalar),
    Bytes,
}

/// Consecutive bits that are accessed alike.
#[derive(Clone, Debug)]
pub struct Cell {
    pub bits: u64,
    pub unit: Unit,
    /// It is an array inside its object: pointers may move in it.
    pub array: bool,
    /// Some pointer into it is moved: it may come to lie outside the cell.
    pub stepped: bool,
    pub content: Option<Ref>,
}

#[derive(Clone, Debug, Default)]
pub struct NodeData {
    parent: Option<Node>,
    /// The size of the elements of arrays, in bytes; 0 where no array is.
    pub stride: u64,
    /// By their first bit.
    pub cells: BTreeMap<u64, Cell>,
    /// All is one row of bytes.
    pub collapsed: bool,
    /// What the pointers in a collapsed node refer to.
    content: Option<Ref>,
    pub items: Vec<Item>,
    pub functions: Vec<Func>,
    /// Some pointer refers to it.
    pub pointed: bool,
}

struct RefData {
    parent: Option<Ref>,
    /// How many references it stands for.
    size: u32,
    target: Option<Target>,
}

pub struct Graph {
    nodes: PrimaryMap<Node, NodeData>,
    refs: PrimaryMap<Ref, RefData>,
    pending: Vec<(Ref, Ref)>,
    /// Bits of a scalar in memory depend on it.
    model: crate::types::DataModel,
    /// What pointers made of integers refer to.
    universal: Ref,
}

impl Graph {
    pub fn new(model: crate::types::DataModel) -> Graph {
        let mut graph = Graph {
            nodes: PrimaryMap::new(),
            refs: PrimaryMap::new(),
            pending: Vec::new(),
            model,
            universal: Ref::from_u32(0),
        };
        let node = graph.nodes.push(NodeData { collapsed: true, pointed: true, ..NodeData::default() });
        graph.universal = graph.refs.push(RefData { parent: None, size: 1, target: Some(Target { node, off: 0 }) });
        graph.nodes[node].content = Some(graph.universal);
        graph
    }

    pub fn universal(&self) -> Ref {
        self.universal
    }

    /// Some node, for pointers that point to none.
    pub fn nowhere(&self) -> Node {
        self.find(Node::from_u32(0))
    }

    pub fn new_node(&mut self, item: Option<Item>, stride: u64) -> Node {
        self.nodes.push(NodeData { items: item.into_iter().collect(), stride, ..NodeData::default() })
    }

    pub fn new_ref(&mut self) -> Ref {
        self.refs.push(RefData { parent: None, size: 1, target: None })
    }

    pub fn find(&self, mut node: Node) -> Node {
        while let Some(parent) = self.nodes[node].parent {
            node = parent;
        }
        node
    }

    fn find_ref(&self, mut r: Ref) -> Ref {
        while let Some(parent) = self.refs[r].parent {
            r = parent;
        }
        r
    }

    pub fn data(&self, node: Node) -> &NodeData {
        &self.nodes[self.find(node)]
    }

    pub fn data_mut(&mut self, node: Node) -> &mut NodeData {
        let node = self.find(node);
        &mut self.nodes[node]
    }

    /// The nodes that stand for themselves.
    pub fn roots(&self) -> impl Iterator<Item = Node> + '_ {
        self.nodes.iter().filter(|(_, data)| data.parent.is_none()).map(|(node, _)| node)
    }

    pub fn normal(&self, target: Target) -> Target {
        let node = self.find(target.node);
        let data = &self.nodes[node];
        let off = match (data.collapsed, data.stride) {
            (true, _) => 0,
            (false, 0) => target.off,
            (false, stride) => target.off % stride,
        };
        Target { node, off }
    }

    /// What a reference points to, if anything was found.
    pub fn target(&self, r: Ref) -> Option<Target> {
        self.refs[self.find_ref(r)].target.map(|t| self.normal(t))
    }

    /// As [`Self::target`], with a node of nothing where nothing was found.
    pub fn target_or_new(&mut self, r: Ref) -> Target {
        if let Some(target) = self.target(r) {
            return target;
        }
        let node = self.new_node(None, 0);
        self.nodes[node].pointed = true;
        let root = self.find_ref(r);
        self.refs[root].target = Some(Target { node, off: 0 });
        Target { node, off: 0 }
    }

    /// A reference to a byte of a node.
    pub fn refer(&mut self, target: Target) -> Ref {
        self.data_mut(target.node).pointed = true;
        self.refs.push(RefData { parent: None, size: 1, target: Some(target) })
    }

    pub fn unify(&mut self, a: Ref, b: Ref) {
        self.pending.push((a, b));
        self.settle();
    }

    pub fn expose(&mut self, r: Ref) {
        self.unify(r, self.universal);
    }

    fn settle(&mut self) {
        while let Some((a, b)) = self.pending.pop() {
            let (mut a, mut b) = (self.find_ref(a), self.find_ref(b));
            if a == b {
                continue;
            }
            if self.refs[a].size < self.refs[b].size {
                std::mem::swap(&mut a, &mut b);
            }
            self.refs[a].size += self.refs[b].size;
            self.refs[b].parent = Some(a);
            match (self.target(a), self.refs[b].target.map(|t| self.normal(t))) {
                (Some(x), Some(y)) => self.meet(x, y),
                (None, Some(y)) => self.refs[a].target = Some(y),
                (_, None) => {}
            }
        }
    }

    /// Two targets become one.
    fn meet(&mut self, a: Target, b: Target) {
        if a.node == b.node {
            if a.off != b.off {
                self.collapse_later(a.node);
            }
            return;
        }
        if a.off != b.off {
            self.collapse_later(a.node);
            self.collapse_later(b.node);
        }
        self.join(a.node, b.node);
    }

    fn join(&mut self, a: Node, b: Node) {
        let weight = |n: Node| self.nodes[n].cells.len() + self.nodes[n].items.len();
        let (a, b) = match weight(a) >= weight(b) {
            true => (a, b),
            false => (b, a),
        };
        let other = std::mem::take(&mut self.nodes[b]);
        self.nodes[b].parent = Some(a);
        let NodeData { stride, cells, collapsed, content, items, functions, pointed, parent: _ } = other;
        let into = &mut self.nodes[a];
        into.items.extend(items);
        for func in functions {
            if !into.functions.contains(&func) {
                into.functions.push(func);
            }
        }
        into.pointed |= pointed;
        let agree = into.stride == stride || into.stride == 0 || stride == 0;
        into.stride = into.stride.max(stride);
        let fits = into.stride == 0 || into.cells.iter().all(|(lo, c)| lo + c.bits <= into.stride * 8);
        if collapsed || !agree || !fits {
            self.collapse_later(a);
        }
        if let Some(content) = content {
            self.put_content(a, 0, content);
        }
        for (lo, cell) in cells {
            self.touch_later(a, lo, cell.bits, cell.unit, cell.array);
            if cell.stepped {
                if let Some((_, cell)) = self.cell_mut(a, lo) {
                    cell.stepped = true;
                }
            }
            if let Some(content) = cell.content {
                self.put_content(a, lo, content);
            }
        }
    }

    /// The whole node is one row of bytes from now on.
    pub fn collapse(&mut self, node: Node) {
        self.collapse_later(node);
        self.settle();
    }

    fn collapse_later(&mut self, node: Node) {
        let node = self.find(node);
        if self.nodes[node].collapsed {
            return;
        }
        let cells = std::mem::take(&mut self.nodes[node].cells);
        let data = &mut self.nodes[node];
        data.collapsed = true;
        data.stride = 0;
        let universal = self.universal;
        data.content = Some(universal);
        self.pending.extend(cells.into_values().filter_map(|c| c.content).map(|c| (c, universal)));
    }

    fn put_content(&mut self, node: Node, bit: u64, content: Ref) {
        let own = self.content_later(node, bit);
        self.pending.push((own, content));
    }

    /// What the pointers in a cell refer to.
    pub fn content(&mut self, node: Node, bit: u64) -> Ref {
        let own = self.content_later(node, bit);
        self.settle();
        own
    }

    fn content_later(&mut self, node: Node, bit: u64) -> Ref {
        let node = self.find(node);
        let universal = self.universal;
        if self.nodes[node].collapsed {
            return universal;
        }
        let fresh = self.new_ref();
        match self.cell_mut(node, bit) {
            Some((_, cell)) => match cell.content {
                Some(known) => known,
                None => {
                    let content = if cell.unit == Unit::Bytes { universal } else { fresh };
                    cell.content = Some(content);
                    content
                }
            },
            None => universal,
        }
    }

    /// The cell that holds a bit.
    pub fn cell(&self, node: Node, bit: u64) -> Option<(u64, &Cell)> {
        let cells = &self.data(node).cells;
        cells.range(..=bit).next_back().filter(|(lo, c)| bit < *lo + c.bits).map(|(lo, c)| (*lo, c))
    }

    pub fn cell_mut(&mut self, node: Node, bit: u64) -> Option<(u64, &mut Cell)> {
        let cells = &mut self.data_mut(node).cells;
        cells.range_mut(..=bit).next_back().filter(|(lo, c)| bit < *lo + c.bits).map(|(lo, c)| (*lo, c))
    }

    /// These bits are accessed in such units.
    pub fn touch(&mut self, node: Node, lo: u64, bits: u64, unit: Unit) {
        self.touch_later(node, lo, bits, unit, false);
        self.settle();
    }

    /// These bits are an array inside an object, accessed in such units.
    pub fn touch_array(&mut self, node: Node, lo: u64, bits: u64, unit: Unit) {
        self.touch_later(node, lo, bits, unit, true);
        self.settle();
    }

    fn touch_later(&mut self, node: Node, lo: u64, bits: u64, unit: Unit, array: bool) {
        let node = self.find(node);
        if self.nodes[node].collapsed || bits == 0 {
            return;
        }
        if let Some((first, cell)) = self.cell(node, lo) {
            let inside = lo + bits <= first + cell.bits;
            let alike = cell.unit == Unit::Bytes
                || unit == Unit::Open
                || (cell.unit == unit && aligned(unit, lo - first, self.model));
            if inside && alike && (cell.array || !array) {
                return;
            }
        }
        self.merge(node, lo, bits, unit, array);
    }

    /// Makes one cell of these bits and all cells they overlap.
    fn merge(&mut self, node: Node, lo: u64, bits: u64, unit: Unit, array: bool) {
        let model = self.model;
        let data = &mut self.nodes[node];
        let (mut lo, mut hi) = (lo, lo.saturating_add(bits));
        let mut arrays: Vec<(u64, u64)> = array.then_some((lo, hi)).into_iter().collect();
        let (mut unit, mut stepped, mut contents) = (unit, false, Vec::new());
        loop {
            if unit == Unit::Bytes {
                (lo, hi) = (lo / 8 * 8, hi.next_multiple_of(8));
            }
            let overlapped = data.cells.range(..hi).next_back().filter(|(first, c)| *first + c.bits > lo);
            let Some(first) = overlapped.map(|(first, _)| *first) else { break };
            let Some(cell) = data.cells.remove(&first) else { break };
            unit = match (unit, cell.unit) {
                (Unit::Open, other) | (other, Unit::Open)
                    if fits_whole(other, cell.bits.max(hi - lo), model)
                        && aligned(other, lo.abs_diff(first), model) =>
                {
                    other
                }
                (a, b) if a == b && aligned(a, lo.abs_diff(first), model) => a,
                _ => Unit::Bytes,
            };
            arrays.extend(cell.array.then_some((first, first + cell.bits)));
            (lo, hi) = (lo.min(first), hi.max(first + cell.bits));
            stepped |= cell.stepped;
            contents.extend(cell.content);
        }
        if data.stride > 0 && hi > data.stride * 8 {
            let universal = self.universal;
            self.pending.extend(contents.into_iter().map(|c| (c, universal)));
            return self.collapse_later(node);
        }
        let mut content = contents.first().copied();
        if unit == Unit::Bytes && content.is_some() {
            content = Some(self.universal);
        }
        let array = arrays.contains(&(lo, hi));
        data.cells.insert(lo, Cell { bits: hi - lo, unit, array, stepped, content });
        if let Some(content) = content {
            self.pending.extend(contents.into_iter().map(|c| (c, content)));
        }
    }

    /// Objects of the node are arrays with elements of this size: pointers to its start move by them.
    pub fn set_stride(&mut self, node: Node, stride: u64) {
        let data = self.data_mut(node);
        if data.collapsed || data.stride == stride {
            return;
        }
        let fits = data.cells.iter().all(|(lo, c)| lo + c.bits <= stride * 8);
        if data.stride == 0 && fits && stride > 0 {
            data.stride = stride;
        } else {
            self.collapse(node);
        }
    }
}

/// Whether units that begin this many bits apart do not overlap in part.
fn aligned(unit: Unit, distance: u64, model: crate::types::DataModel) -> bool {
    match unit {
        Unit::Open | Unit::Bytes => true,
        Unit::Word(scalar) => distance.is_multiple_of(crate::leaves::memory_bits(scalar, model)),
    }
}

fn fits_whole(unit: Unit, bits: u64, model: crate::types::DataModel) -> bool {
    match unit {
        Unit::Open | Unit::Bytes => true,
        Unit::Word(scalar) => bits.is_multiple_of(crate::leaves::memory_bits(scalar, model)),
    }
}
