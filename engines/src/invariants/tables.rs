//! What is fixed before the analysis: how parts of the state are numbered, constants, and which pairs are compared.
//!
//! A node is a part of the state. In this order: variables; values that are used outside their block and parameters;
//! cells of arrays that are accessed by constant index; and, for the block at hand only, its other values. Constants
//! have no node. An array's own node stands for all its cells at once.

use super::domain::{bounded, Abs, Thresholds};
use super::liveness::Liveness;
use crate::annotation::Cell;
use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use syncline_ir::analysis::Cfg;
use syncline_ir::inline::Inlined;
use syncline_ir::{
    eval, BinOp, Block, Const, InstData, Place, Procedure, Scalar, Slot, Type, UnOp, Value, ValueDef, Var,
};

/// Cells of one array, and of all arrays, that are looked at singly.
const MAX_ELEMENTS: usize = 64;
const MAX_ALL_ELEMENTS: usize = 1024;
/// Pairs of variables whose difference is looked at.
const MAX_PAIRS: usize = 2048;
/// Steps back from a comparison to the variable it is about.
const MAX_STEPS: usize = 4;

#[derive(Clone)]
enum Home {
    Const,
    Shared(u32),
    /// In this block only.
    Local(Block, u32),
}

/// The numbering.
pub(super) struct Nodes {
    vars: u32,
    cells: u32,
    shared: Vec<Value>,
    homes: SecondaryMap<Value, Option<Home>>,
    /// The values of a block that have a node there only.
    locals: SecondaryMap<Block, Vec<Value>>,
    first_local: u32,
    count: u32,
}

impl Nodes {
    pub fn place(&self, place: Place) -> u32 {
        match place {
            Place::Global(var) => var.as_u32(),
            Place::Local(slot) => self.vars + slot.as_u32(),
        }
    }

    /// Variables and shared values: what liveness is about.
    pub fn shared(&self) -> u32 {
        self.cells + self.shared.len() as u32
    }

    pub fn shared_value(&self, value: Value) -> Option<u32> {
        match self.homes[value] {
            Some(Home::Shared(node)) => Some(node),
            Some(Home::Const | Home::Local(..)) | None => None,
        }
    }

    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// The part of the state as others name it; cells of arrays have a name of their own.
    pub fn cell(&self, node: u32) -> Option<Cell> {
        if node < self.vars {
            return Some(Cell::Global(Var::from_u32(node)));
        }
        if node < self.cells {
            return Some(Cell::Local(Slot::from_u32(node - self.vars)));
        }
        self.shared.get((node - self.cells) as usize).map(|&v| Cell::Value(v))
    }

    /// Numbers variables and values; nodes of array cells are `elements` many, between the shared and the local ones.
    fn number(body: &Procedure, cfg: &Cfg, vars: u32, consts: &Consts, elements: u32) -> Nodes {
        let mut nodes = Nodes {
            vars,
            cells: vars + body.slots.len() as u32,
            shared: Vec::new(),
            homes: SecondaryMap::new(),
            locals: SecondaryMap::new(),
            first_local: 0,
            count: 0,
        };
        let escaping = escaping(body, cfg);
        for &block in cfg.rpo() {
            let params = body.blocks[block].params.iter().map(|&p| (p, true));
            let results = body.blocks[block].insts.iter().flat_map(|&i| &body.insts[i].results);
            let results = results.map(|&r| (r, escaping.contains(&r)));
            for (value, shared) in params.chain(results) {
                nodes.homes[value] = Some(if consts.values[value].is_some() {
                    Home::Const
                } else if shared {
                    nodes.shared.push(value);
                    Home::Shared(nodes.cells + nodes.shared.len() as u32 - 1)
                } else {
                    nodes.locals[block].push(value);
                    Home::Local(block, nodes.locals[block].len() as u32 - 1)
                });
            }
        }
        nodes.first_local = nodes.shared() + elements;
        let most = cfg.rpo().iter().map(|&b| nodes.locals[b].len()).max().unwrap_or(0);
        nodes.count = nodes.first_local + most as u32;
        nodes
    }
}

/// Values used outside the block that defines them.
fn escaping(body: &Procedure, cfg: &Cfg) -> FxHashSet<Value> {
    let mut at: SecondaryMap<Value, Option<Block>> = SecondaryMap::new();
    for &block in cfg.rpo() {
        for &inst in &body.blocks[block].insts {
            body.insts[inst].results.iter().for_each(|&r| at[r] = Some(block));
        }
    }
    let mut found = FxHashSet::default();
    for &block in cfg.rpo() {
        let mut see = |v: Value| {
            if at[v].is_some_and(|b| b != block) {
                found.insert(v);
            }
        };
        for &inst in &body.blocks[block].insts {
            body.insts[inst].data.for_each_arg(&mut see);
        }
        body.blocks[block].term.for_each_arg(&mut see);
    }
    found
}

/// Values that are constants, or conversions of one.
struct Consts {
    values: SecondaryMap<Value, Option<Const>>,
}

impl Consts {
    fn find(body: &Procedure, cfg: &Cfg) -> Consts {
        let mut values: SecondaryMap<Value, Option<Const>> = SecondaryMap::new();
        let insts = cfg.rpo().iter().flat_map(|&b| &body.blocks[b].insts);
        for &inst in insts {
            let node = &body.insts[inst];
            let found = match &node.data {
                InstData::Const(c) => Some(c.clone()),
                InstData::Unary { op, arg } => values[*arg].as_ref().map(|c| eval::unary(*op, c)),
                InstData::Binary { .. }
                | InstData::Ite { .. }
                | InstData::Update { .. }
                | InstData::Havoc { .. }
                | InstData::Read { .. }
                | InstData::Write { .. }
                | InstData::Load { .. }
                | InstData::Store { .. }
                | InstData::Call { .. }
                | InstData::Assume { .. }
                | InstData::Assert { .. }
                | InstData::Unsupported { .. }
                | InstData::Print { .. } => None,
            };
            if let (Some(found), Some(&result)) = (found, node.results.first()) {
                values[result] = Some(found);
            }
        }
        Consts { values }
    }

    fn bits(&self, value: Value) -> Option<u128> {
        self.values[value].as_ref().filter(|c| !c.ty().is_array()).map(eval::to_bits)
    }
}

/// All that is fixed.
pub(super) struct Tables<'a> {
    pub inlined: &'a Inlined,
    pub body: &'a Procedure,
    pub cfg: &'a Cfg,
    pub nodes: Nodes,
    consts: Consts,
    abs: SecondaryMap<Value, Option<Rc<Abs>>>,
    types: Vec<Type>,
    /// Of an array variable: its cells with a node, by rising index.
    elements: FxHashMap<u32, Vec<(u128, u32)>>,
    pub pairs: Vec<(u32, u32)>,
    pair_index: FxHashMap<(u32, u32), u32>,
    pairs_of: FxHashMap<u32, Vec<u32>>,
    thresholds: FxHashMap<u32, Thresholds>,
    pub live: Liveness,
}

impl<'a> Tables<'a> {
    pub fn new(inlined: &'a Inlined, cfg: &'a Cfg, more: &[(u32, u128)]) -> Tables<'a> {
        let body = inlined.body();
        let consts = Consts::find(body, cfg);
        let vars = inlined.program.vars.len() as u32;
        let place = |p: Place| match p {
            Place::Global(var) => var.as_u32(),
            Place::Local(slot) => vars + slot.as_u32(),
        };
        let accessed = accessed_elements(body, cfg, &consts, more, place);
        let nodes = Nodes::number(body, cfg, vars, &consts, accessed.len() as u32);
        let mut elements: FxHashMap<u32, Vec<(u128, u32)>> = FxHashMap::default();
        for (node, &(array, index)) in (nodes.shared()..).zip(&accessed) {
            elements.entry(array).or_default().push((index, node));
        }
        let cell_types = inlined.program.vars.values().map(|v| v.ty).chain(body.slots.values().map(|s| s.ty));
        let mut types: Vec<Type> = cell_types.collect();
        types.extend(nodes.shared.iter().map(|&v| body.value_type(v)));
        types.extend(accessed.iter().map(|&(array, _)| scalar_of(types[array as usize]).into()).collect::<Vec<Type>>());
        let mut abs: SecondaryMap<Value, Option<Rc<Abs>>> = SecondaryMap::new();
        for (value, constant) in consts.values.iter() {
            abs[value] = constant.as_ref().map(|c| Rc::new(summary(c)));
        }
        let live = Liveness::compute(body, cfg, &nodes);
        let mut tables = Tables {
            inlined,
            body,
            cfg,
            nodes,
            consts,
            abs,
            types,
            elements,
            pairs: Vec::new(),
            pair_index: FxHashMap::default(),
            pairs_of: FxHashMap::default(),
            thresholds: FxHashMap::default(),
            live,
        };
        tables.find_pairs();
        tables.find_thresholds();
        tables
    }

    pub fn def(&self, value: Value) -> Option<&'a InstData> {
        match self.body.values[value].def {
            ValueDef::Result(inst, _) => Some(&self.body.insts[inst].data),
            ValueDef::Param(..) => None,
        }
    }

    /// The node of a value, as seen from this block.
    pub fn node(&self, at: Block, value: Value) -> Option<u32> {
        match self.nodes.homes[value] {
            Some(Home::Shared(node)) => Some(node),
            Some(Home::Local(block, n)) if block == at => Some(self.nodes.first_local + n),
            Some(Home::Const | Home::Local(..)) | None => None,
        }
    }

    /// The value of a node, as seen from this block.
    pub fn value_of(&self, at: Block, node: u32) -> Option<Value> {
        if let Some(local) = node.checked_sub(self.nodes.first_local) {
            return self.nodes.locals[at].get(local as usize).copied();
        }
        self.nodes.shared.get(node.checked_sub(self.nodes.cells)? as usize).copied()
    }

    /// The nodes that are the block's own.
    pub fn local_nodes(&self, at: Block) -> std::ops::Range<u32> {
        self.nodes.first_local..self.nodes.first_local + self.nodes.locals[at].len() as u32
    }

    pub fn constant(&self, value: Value) -> Option<&Const> {
        self.consts.values[value].as_ref()
    }

    pub fn constant_abs(&self, value: Value) -> Option<&Rc<Abs>> {
        self.abs[value].as_ref()
    }

    /// The scalar constant as a mathematical number, read as signed.
    pub fn signed_constant(&self, value: Value) -> Option<i128> {
        let width = bounded(self.scalar(value))?;
        self.consts.bits(value).map(|bits| syncline_ir::consts::sign_extend(width, bits))
    }

    /// The type of a value, of an array that of its cells.
    pub fn scalar(&self, value: Value) -> Scalar {
        scalar_of(self.body.value_type(value))
    }

    /// The type of a node, of an array that of its cells. Local nodes have none here.
    pub fn node_scalar(&self, node: u32) -> Option<Scalar> {
        self.types.get(node as usize).map(|&ty| scalar_of(ty))
    }

    pub fn node_type(&self, node: u32) -> Option<Type> {
        self.types.get(node as usize).copied()
    }

    pub fn elements(&self, array: u32) -> &[(u128, u32)] {
        self.elements.get(&array).map_or(&[], Vec::as_slice)
    }

    /// Whether more cells of the array may get nodes.
    pub fn has_room(&self, array: u32) -> bool {
        let all: usize = self.elements.values().map(Vec::len).sum();
        self.elements(array).len() < MAX_ELEMENTS && all < MAX_ALL_ELEMENTS
    }

    pub fn pair(&self, a: u32, b: u32) -> Option<u32> {
        self.pair_index.get(&(a.min(b), a.max(b))).copied()
    }

    pub fn pairs_of(&self, node: u32) -> &[u32] {
        self.pairs_of.get(&node).map_or(&[], Vec::as_slice)
    }

    pub fn thresholds(&self, ty: Scalar) -> Option<&Thresholds> {
        self.thresholds.get(&bounded(ty)?)
    }

    fn find_pairs(&mut self) {
        let insts = self.cfg.rpo().iter().flat_map(|&b| &self.body.blocks[b].insts);
        for &inst in insts {
            let InstData::Binary { op: BinOp::Slt | BinOp::Sle | BinOp::Ult | BinOp::Ule | BinOp::Eq, args: [a, b] } =
                self.body.insts[inst].data
            else {
                continue;
            };
            let (Some(a), Some(b)) = (self.variable(a), self.variable(b)) else { continue };
            let key = (a.min(b), a.max(b));
            if a == b || self.pair_index.contains_key(&key) || self.pairs.len() == MAX_PAIRS {
                continue;
            }
            let index = self.pairs.len() as u32;
            self.pairs.push(key);
            self.pair_index.insert(key, index);
            self.pairs_of.entry(a).or_default().push(index);
            self.pairs_of.entry(b).or_default().push(index);
        }
    }

    /// The variable a value is read from, up to extension and an added constant.
    pub fn variable(&self, mut value: Value) -> Option<u32> {
        for _ in 0..MAX_STEPS {
            bounded(self.body.value_type(value).scalar()?)?;
            value = match self.def(value)? {
                InstData::Read { place } => return Some(self.nodes.place(*place)),
                InstData::Unary { op: UnOp::SExt(_) | UnOp::ZExt(_), arg } => *arg,
                InstData::Binary { op: BinOp::Add | BinOp::Sub, args: [a, b] } if self.constant(*b).is_some() => *a,
                InstData::Binary { op: BinOp::Add, args: [a, b] } if self.constant(*a).is_some() => *b,
                InstData::Binary { .. }
                | InstData::Unary { .. }
                | InstData::Const(_)
                | InstData::Ite { .. }
                | InstData::Update { .. }
                | InstData::Havoc { .. }
                | InstData::Write { .. }
                | InstData::Load { .. }
                | InstData::Store { .. }
                | InstData::Call { .. }
                | InstData::Assume { .. }
                | InstData::Assert { .. }
                | InstData::Unsupported { .. }
                | InstData::Print { .. } => return None,
            };
        }
        None
    }

    fn find_thresholds(&mut self) {
        let mut constants: FxHashSet<(u32, u128)> = FxHashSet::default();
        for constant in self.consts.values.values().flatten() {
            if let Const::Bv { width, bits } = constant {
                constants.insert((*width, *bits));
            }
        }
        for &block in self.cfg.rpo() {
            if let syncline_ir::Terminator::Switch { value, cases, .. } = &self.body.blocks[block].term {
                let width = self.body.value_type(*value).width().unwrap_or(1);
                constants.extend(cases.iter().map(|(bits, _)| (width, *bits)));
            }
        }
        let constants: Vec<(u32, u128)> =
            constants.into_iter().filter(|&(w, _)| bounded(Scalar::Bv(w)).is_some()).collect();
        let values = self.body.values.values().map(|v| v.ty);
        let widths: FxHashSet<u32> =
            self.types.iter().copied().chain(values).filter_map(|ty| bounded(scalar_of(ty))).collect();
        self.thresholds = widths.into_iter().map(|w| (w, Thresholds::of(w, &constants))).collect();
    }
}

fn scalar_of(ty: Type) -> Scalar {
    match ty {
        Type::Scalar(scalar) => scalar,
        Type::Array { elem, .. } => elem,
    }
}

/// What the cells of a constant are, or the constant itself.
pub(super) fn summary(constant: &Const) -> Abs {
    match constant {
        Const::Array(array) => {
            let cells = array.cells().map(|(_, c)| eval::to_bits(c));
            let all = cells.chain([eval::to_bits(array.default_cell())]);
            Abs::set(array.elem, all.collect())
        }
        Const::Bool(_) | Const::Bv { .. } | Const::Float { .. } => Abs::value(eval::to_bits(constant)),
    }
}

/// Array variables with the constants they are indexed by, those given included, in order.
fn accessed_elements(
    body: &Procedure,
    cfg: &Cfg,
    consts: &Consts,
    more: &[(u32, u128)],
    place: impl Fn(Place) -> u32,
) -> Vec<(u32, u128)> {
    let mut found: Vec<(u32, u128)> = more.to_vec();
    let mut reads: FxHashMap<Value, u32> = FxHashMap::default();
    let insts = cfg.rpo().iter().flat_map(|&b| &body.blocks[b].insts);
    for &inst in insts {
        let node = &body.insts[inst];
        let access = match &node.data {
            InstData::Load { place: p, index } | InstData::Store { place: p, index, .. } => Some((place(*p), *index)),
            InstData::Read { place: p } => {
                reads.extend(node.results.first().map(|&r| (r, place(*p))));
                None
            }
            InstData::Binary { op: BinOp::Select, args: [array, index] } => reads.get(array).map(|&n| (n, *index)),
            InstData::Const(_)
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Ite { .. }
            | InstData::Update { .. }
            | InstData::Havoc { .. }
            | InstData::Write { .. }
            | InstData::Call { .. }
            | InstData::Assume { .. }
            | InstData::Assert { .. }
            | InstData::Unsupported { .. }
            | InstData::Print { .. } => None,
        };
        found.extend(access.and_then(|(array, index)| Some((array, consts.bits(index)?))));
    }
    found.sort_unstable();
    found.dedup();
    let mut kept: FxHashMap<u32, usize> = FxHashMap::default();
    found.retain(|(array, _)| {
        let n = kept.entry(*array).or_default();
        *n += 1;
        *n <= MAX_ELEMENTS
    });
    found.truncate(MAX_ALL_ELEMENTS);
    found
}
