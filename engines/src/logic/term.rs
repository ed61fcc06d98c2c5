//! Terms: a hash-consed DAG in one explicit store.
//!
//! A [`Term`] is an index; equal terms have equal indices, and an operand's index is always below its user's, so
//! index order is a topological order. A node takes 16 bytes, its attributes 4 and the hash table 5 to 11: ten million
//! nodes fit in a few hundred megabytes. Nodes are never freed. Terms of different stores must not be mixed.
//!
//! Constants are leaves whatever their type: an array constant is one node. All other construction goes through
//! the rewriting constructors of [`super::rewrite`].

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use syncline_ir::{eval, BinOp, Const, FloatFormat, Scalar, Type, UnOp};

/// A term of some [`TermStore`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(u32);

/// An uninterpreted constant: a free variable of formulas.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(u32);

/// The constant of a leaf; [`TermStore::constant`] has the value.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ConstId(u32);

impl Term {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Symbol {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a term is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Const(ConstId),
    Var(Symbol),
    Un(UnOp, Term),
    Bin(BinOp, Term, Term),
    Ite(Term, Term, Term),
    /// The array with one cell changed: array, index, value.
    Store(Term, Term, Term),
}

impl Node {
    /// The operands, in order.
    pub fn args(&self) -> impl Iterator<Item = Term> {
        let (n, args) = match *self {
            Node::Const(_) | Node::Var(_) => (0, [Term(0); 3]),
            Node::Un(_, a) => (1, [a; 3]),
            Node::Bin(_, a, b) => (2, [a, b, b]),
            Node::Ite(a, b, c) | Node::Store(a, b, c) => (3, [a, b, c]),
        };
        args.into_iter().take(n)
    }
}

/// The attributes of a node beside its definition.
#[derive(Copy, Clone)]
struct Attr {
    ty: u16,
    /// For trees of `Ite` with constant leaves only, their size, saturating; 0 for every other term.
    const_tree: u8,
    /// Whether the term is an array or has one below it.
    arrays: bool,
}

struct SymbolData {
    name: Box<str>,
    term: Term,
}

/// All terms of one engine.
pub struct TermStore {
    nodes: Vec<Node>,
    attrs: Vec<Attr>,
    /// Open addressing over `nodes`; `EMPTY` marks a free slot.
    table: Vec<u32>,
    types: Vec<Type>,
    type_ids: FxHashMap<Type, u16>,
    consts: Vec<Const>,
    const_ids: FxHashMap<Const, Term>,
    symbols: Vec<SymbolData>,
    /// Results of rewrites that push an operator into a tree of `Ite`, so that growing trees stay linear.
    pub(super) pushed: FxHashMap<(PushOp, Term, Term), Term>,
    /// Nesting of rewrites in progress.
    pub(super) depth: u32,
    true_: Term,
    false_: Term,
}

/// An operator pushed into a tree of `Ite`: its key in the memo table.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum PushOp {
    Un(UnOp),
    /// The constant is the second operand.
    Bin(BinOp),
    /// The constant is the first operand.
    Flipped(BinOp),
}

const EMPTY: u32 = u32::MAX;

impl Default for TermStore {
    fn default() -> TermStore {
        TermStore::new()
    }
}

impl TermStore {
    pub fn new() -> TermStore {
        let mut store = TermStore {
            nodes: Vec::new(),
            attrs: Vec::new(),
            table: vec![EMPTY; 1024],
            types: Vec::new(),
            type_ids: FxHashMap::default(),
            consts: Vec::new(),
            const_ids: FxHashMap::default(),
            symbols: Vec::new(),
            pushed: FxHashMap::default(),
            depth: 0,
            true_: Term(0),
            false_: Term(0),
        };
        store.true_ = store.constant_term(Const::TRUE);
        store.false_ = store.constant_term(Const::FALSE);
        store
    }

    /// How many terms there are; every index is below.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the two truth values are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn node(&self, t: Term) -> Node {
        self.nodes[t.index()]
    }

    pub fn ty(&self, t: Term) -> Type {
        self.types[self.attrs[t.index()].ty as usize]
    }

    /// The width of a bit-vector term; 0 for any other.
    pub fn width(&self, t: Term) -> u32 {
        self.ty(t).width().unwrap_or(0)
    }

    /// Size of a tree of `Ite` whose leaves are all constants (1 for a constant), saturating; 0 for other terms.
    pub(super) fn const_tree(&self, t: Term) -> u8 {
        self.attrs[t.index()].const_tree
    }

    /// Whether a term is an array or has one below it.
    pub fn has_arrays(&self, t: Term) -> bool {
        self.attrs[t.index()].arrays
    }

    // Leaves

    pub fn tt(&self) -> Term {
        self.true_
    }

    pub fn ff(&self) -> Term {
        self.false_
    }

    pub fn bool(&self, value: bool) -> Term {
        if value {
            self.true_
        } else {
            self.false_
        }
    }

    pub fn bv(&mut self, width: u32, bits: u128) -> Term {
        self.constant_term(Const::bv(width, bits))
    }

    /// The leaf of a constant. Floats are made canonical: there is only one NaN.
    pub fn constant_term(&mut self, value: Const) -> Term {
        let value = canonical(value);
        if let Some(&t) = self.const_ids.get(&value) {
            return t;
        }
        let id = ConstId(self.consts.len() as u32);
        let ty = value.ty();
        self.consts.push(value.clone());
        let t = self.push(Node::Const(id), ty, 1);
        self.const_ids.insert(value, t);
        t
    }

    /// A new symbol, different from every other. The name is for people: it need not be unique.
    pub fn new_symbol(&mut self, name: &str, ty: Type) -> Term {
        let symbol = Symbol(self.symbols.len() as u32);
        let term = self.push(Node::Var(symbol), ty, 0);
        self.symbols.push(SymbolData { name: name.into(), term });
        term
    }

    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    pub fn symbol_name(&self, s: Symbol) -> &str {
        &self.symbols[s.index()].name
    }

    pub fn symbol_term(&self, s: Symbol) -> Term {
        self.symbols[s.index()].term
    }

    pub fn symbol_type(&self, s: Symbol) -> Type {
        self.ty(self.symbol_term(s))
    }

    /// The symbol a term is, if it is one.
    pub fn as_symbol(&self, t: Term) -> Option<Symbol> {
        match self.node(t) {
            Node::Var(s) => Some(s),
            _ => None,
        }
    }

    /// The constant a term is, if it is one.
    pub fn constant(&self, t: Term) -> Option<&Const> {
        match self.node(t) {
            Node::Const(id) => Some(self.const_value(id)),
            _ => None,
        }
    }

    pub fn const_value(&self, id: ConstId) -> &Const {
        &self.consts[id.0 as usize]
    }

    /// The bits of a bit-vector constant.
    pub fn as_bits(&self, t: Term) -> Option<u128> {
        self.constant(t)?.as_bits()
    }

    pub fn as_bool(&self, t: Term) -> Option<bool> {
        match t {
            _ if t == self.true_ => Some(true),
            _ if t == self.false_ => Some(false),
            _ => None,
        }
    }

    // Interning

    /// The node as it stands, without rewriting. `ty` must be its type.
    pub(super) fn intern(&mut self, node: Node, ty: Type) -> Term {
        if (self.nodes.len() + 1) * 4 > self.table.len() * 3 {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut slot = hash(&node) & mask;
        loop {
            match self.table[slot] {
                EMPTY => break,
                t if self.nodes[t as usize] == node => return Term(t),
                _ => slot = (slot + 1) & mask,
            }
        }
        self.table[slot] = self.nodes.len() as u32;
        let size = match node {
            Node::Ite(_, a, b) => match (self.const_tree(a), self.const_tree(b)) {
                (0, _) | (_, 0) => 0,
                (x, y) => x.saturating_add(y).saturating_add(1),
            },
            Node::Const(_) | Node::Var(_) | Node::Un(..) | Node::Bin(..) | Node::Store(..) => 0,
        };
        self.push(node, ty, size)
    }

    fn push(&mut self, node: Node, ty: Type, const_tree: u8) -> Term {
        assert!(self.nodes.len() < EMPTY as usize, "more than four billion terms");
        let t = Term(self.nodes.len() as u32);
        let arrays = ty.is_array() || node.args().any(|a| self.has_arrays(a));
        let ty = self.type_id(ty);
        self.nodes.push(node);
        self.attrs.push(Attr { ty, const_tree, arrays });
        t
    }

    fn type_id(&mut self, ty: Type) -> u16 {
        if let Some(&id) = self.type_ids.get(&ty) {
            return id;
        }
        let id = u16::try_from(self.types.len()).expect("there are fewer types than that");
        self.types.push(ty);
        self.type_ids.insert(ty, id);
        id
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        self.table = vec![EMPTY; size];
        for (i, node) in self.nodes.iter().enumerate() {
            // Leaves are found through their own tables.
            if matches!(node, Node::Const(_) | Node::Var(_)) {
                continue;
            }
            let mut slot = hash(node) & (size - 1);
            while self.table[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = i as u32;
        }
    }
}

fn hash(node: &Node) -> usize {
    // The multiplicative hash leaves its entropy in the high bits.
    let h = FxBuildHasher.hash_one(node);
    (h ^ (h >> 32)) as usize
}

/// The canonical quiet NaN of a format, as it is stored.
pub(super) fn nan_bits(format: FloatFormat) -> u128 {
    match format {
        FloatFormat::F32 => 0x7fc0_0000,
        FloatFormat::F64 => 0x7ff8_0000_0000_0000,
        FloatFormat::X87 => 0x7fff_c000_0000_0000_0000,
    }
}

fn canonical(value: Const) -> Const {
    match value {
        Const::Float { format, bits } => eval::from_bits(Scalar::Float(format), bits),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_small_and_shared() {
        assert_eq!(std::mem::size_of::<Node>(), 16);
        let mut s = TermStore::new();
        let (x, y) = (s.new_symbol("x", Type::bv(8)), s.new_symbol("x", Type::bv(8)));
        assert_ne!(x, y);
        let a = s.bin(BinOp::Add, x, y);
        assert_eq!(a, s.bin(BinOp::Add, y, x));
        let n = s.len();
        for i in 0..5000u128 {
            let c = s.bv(32, i);
            assert_eq!(c, s.bv(32, i));
        }
        assert_eq!(s.len(), n + 5000);
        assert_eq!(a, s.bin(BinOp::Add, x, y));
    }
}
