//! The cut-point system as terms: the form k-induction, PDR and houdini work on. (The explicit search runs the same
//! inlined program between the same cuts with code of its own.)
//!
//! The program, sliced to the properties and inlined into one procedure, is cut at its loop headers (and where
//! an engine wants it cut besides). Its *state* at a
//! cut is the value of each cell that the rest of the run may depend on; a [`Segment`] is everything that runs do from
//! one cut (or the start) to the next: for each cut they come to, when they do and what the cells are then, and
//! when they violate a property or leave the modelled part. A segment is loop-free, so these are terms over the cells
//! at its start and its inputs; with the same inputs a run goes one way only.
//!
//! Cells that have the same constant every time a run comes to a cut are found while the segments are made
//! ([`build`]), and are not part of the state: the segments know them. Nor are cells that no condition depends on,
//! however indirectly.
//!
//! Every cell has one symbol, whatever the cut: a state is a cut and the values of that cut's cells.

mod build;
mod codes;
mod live;
mod source;
mod unfold;

pub use codes::{decode, Codes};
pub use source::Source;
pub use unfold::{Layer, Start, Step, Unfolding};

use crate::annotation::{self, Cell, Formula, FormulaNode, Location, Original};
use crate::logic::{Node, Symbol, Term, TermStore};
use crate::task::{Certificate, Reason, Task, Trace};
use cranelift_entity::{entity_impl, PrimaryMap};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use syncline_ir::inline::calls::CallPath;
use syncline_ir::inline::{Inlined, Refusal};
use syncline_ir::{BinOp, Block, Const, Obligation, Prop, Site, Type};

/// A loop header, or another block that cuts, that some run may come to.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cut(u32);
entity_impl!(Cut, "cut");

#[derive(Clone, Debug)]
pub struct CutData {
    pub header: Block,
    /// Whether the block is a loop header, and not a cut for another reason.
    pub is_header: bool,
    /// The state: cells whose values differ from visit to visit, and matter.
    pub cells: Vec<Cell>,
    /// Cells that have this constant at every visit.
    pub constants: Vec<(Cell, Const)>,
    /// Coded cells that nothing depends on any more, just because they have one of their values.
    pub coded: Vec<Cell>,
}

/// An unknown value, taken in when the guard is true. The value is a symbol of its own.
#[derive(Copy, Clone, Debug)]
pub struct Input {
    pub guard: Term,
    pub site: Site,
    pub value: Term,
}

/// Runs come to the cut when the guard is true, with these values of its cells.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub cut: Cut,
    pub guard: Term,
    pub values: Vec<Term>,
}

#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// In the order of any run.
    pub inputs: Vec<Input>,
    /// One for each cut that is reached.
    pub arrivals: Vec<Arrival>,
    pub violations: Vec<(Prop, Term)>,
    pub unsupported: Vec<(Obligation, Term)>,
}

pub struct CutSystem {
    pub inlined: Inlined,
    pub store: TermStore,
    pub cuts: PrimaryMap<Cut, CutData>,
    /// The symbol of each cell; of a coded one, of its code.
    pub symbols: FxHashMap<Cell, Term>,
    /// The values of the coded cells, by their code ([`codes`]).
    pub codes: Codes,
    cell_of: FxHashMap<Symbol, Cell>,
    pub init: Segment,
    pub segments: PrimaryMap<Cut, Segment>,
    /// Loop headers and other cuts no run comes to.
    unreached: Vec<Block>,
}

impl CutSystem {
    /// The system for these properties with every call in place, cut at the loop headers.
    pub fn new(task: &Task, props: &[Prop], deadline: Instant) -> Result<CutSystem, Reason> {
        CutSystem::of(&Source::whole(task, props), |_| Vec::new(), deadline)
    }

    /// The system of a program, cut at the loop headers and these blocks, as far as a certificate can name them.
    pub fn of(
        source: &Source,
        more: impl FnOnce(&Inlined) -> Vec<Block>,
        deadline: Instant,
    ) -> Result<CutSystem, Reason> {
        let inlined = source.inlined().map_err(|r| Reason::NotForEngine(refusal(&r)))?;
        let mut more = more(&inlined);
        more.retain(|&block| annotation::location(&inlined, block).is_some());
        build::build(inlined, &more, deadline)
    }

    /// The open calls that a run comes to and that may leave something there.
    pub fn open_calls(&self, trace: &Trace) -> BTreeSet<CallPath> {
        let sites = trace.inputs.iter().filter(|(_, values)| !values.is_empty());
        sites.filter_map(|(site, _)| self.inlined.open.get(site).cloned()).collect()
    }

    /// For statistics, where calls may be open: how many are, and how many are in place.
    pub fn calls(&self) -> Vec<(&'static str, u64)> {
        if !self.inlined.is_partial {
            return Vec::new();
        }
        let open: BTreeSet<&CallPath> = self.inlined.open.values().collect();
        vec![("calls in place", self.inlined.activations.len() as u64 - 1), ("open calls", open.len() as u64)]
    }

    /// That these terms hold at the cuts and that with them the property is k-inductive.
    pub fn certificate(&self, k: u32, invariants: &[(Cut, Term)]) -> Certificate {
        let paths = || self.inlined.activations.keys().map(|a| self.inlined.call_path(a)).collect();
        let opened = self.inlined.is_partial.then(paths);
        Certificate::Inductive { k, annotations: self.annotations(invariants), opened }
    }

    /// The cell of a symbol, if it is one's.
    pub fn cell_of(&self, symbol: Symbol) -> Option<Cell> {
        self.cell_of.get(&symbol).copied()
    }

    pub fn symbol(&self, cell: Cell) -> Term {
        self.symbols[&cell]
    }

    /// A formula about the state at a cut as a term over the cells' symbols; `None` if it is about other cells, or its
    /// types do not fit.
    pub fn term(&mut self, cut: Cut, formula: &Formula<Cell>) -> Option<Term> {
        let mut terms: Vec<Term> = Vec::with_capacity(formula.nodes.len());
        for node in &formula.nodes {
            let of = |n: u32| terms.get(n as usize).copied();
            let term = match node {
                FormulaNode::Const(c) => self.store.constant_term(c.clone()),
                FormulaNode::State(cell) => self.state_term(cut, *cell)?,
                FormulaNode::Un(op, a) => {
                    let a = of(*a)?;
                    op.result(self.store.ty(a))?;
                    self.store.un(*op, a)
                }
                FormulaNode::Bin(op, a, b) => {
                    let (a, b) = (of(*a)?, of(*b)?);
                    op.result(self.store.ty(a), self.store.ty(b))?;
                    self.store.bin(*op, a, b)
                }
                FormulaNode::Ite(c, a, b) => {
                    let (c, a, b) = (of(*c)?, of(*a)?, of(*b)?);
                    let fits = self.store.ty(c) == Type::BOOL && self.store.ty(a) == self.store.ty(b);
                    fits.then(|| self.store.ite(c, a, b))?
                }
            };
            terms.push(term);
        }
        terms.last().copied().filter(|&t| self.store.ty(t) == Type::BOOL)
    }

    fn state_term(&mut self, cut: Cut, cell: Cell) -> Option<Term> {
        let data = &self.cuts[cut];
        if let Some((_, constant)) = data.constants.iter().find(|(c, _)| *c == cell) {
            return Some(self.store.constant_term(constant.clone()));
        }
        if !data.cells.contains(&cell) {
            return None;
        }
        let symbol = self.symbols[&cell];
        Some(match self.codes.get(&cell) {
            Some(values) => codes::decode(&mut self.store, symbol, values),
            None => symbol,
        })
    }

    /// A term over the cells' symbols as a formula; `None` if other symbols occur.
    pub fn formula(&self, term: Term) -> Option<Formula<Cell>> {
        self.formula_over(term, &|cell| cell, &|_| None)
    }

    /// A term over the cells' symbols and others that have a name of their own.
    pub fn formula_over<N>(
        &self,
        term: Term,
        state: &dyn Fn(Cell) -> N,
        other: &dyn Fn(Term) -> Option<N>,
    ) -> Option<Formula<N>> {
        let mut formula = Formula::default();
        let mut done: FxHashMap<Term, u32> = FxHashMap::default();
        for t in self.store.reachable(&[term]) {
            let at = |t: Term| done[&t];
            let node = match self.store.node(t) {
                Node::Const(id) => FormulaNode::Const(self.store.const_value(id).clone()),
                Node::Var(s) => {
                    let number = match other(t) {
                        Some(name) => formula.push(FormulaNode::State(name)),
                        None => self.state_node(&mut formula, *self.cell_of.get(&s)?, state),
                    };
                    done.insert(t, number);
                    continue;
                }
                Node::Un(op, a) => FormulaNode::Un(op, at(a)),
                Node::Bin(op, a, b) => FormulaNode::Bin(op, at(a), at(b)),
                Node::Ite(c, a, b) => FormulaNode::Ite(at(c), at(a), at(b)),
                Node::Store(..) => return None,
            };
            let number = formula.push(node);
            done.insert(t, number);
        }
        Some(formula)
    }

    /// Adds a cell to a formula; of a coded one, its code.
    fn state_node<N>(&self, formula: &mut Formula<N>, cell: Cell, name: &dyn Fn(Cell) -> N) -> u32 {
        let state = formula.push(FormulaNode::State(name(cell)));
        let Some(values) = self.codes.get(&cell) else { return state };
        let width = self.store.width(self.symbols[&cell]);
        let mut code = formula.push(FormulaNode::Const(Const::bv(width, values.len() as u128 - 1)));
        for (n, value) in values.iter().enumerate().rev().skip(1) {
            let value = formula.push(FormulaNode::Const(value.clone()));
            let equal = formula.push(FormulaNode::Bin(BinOp::Eq, state, value));
            let number = formula.push(FormulaNode::Const(Const::bv(width, n as u128)));
            code = formula.push(FormulaNode::Ite(equal, number, code));
        }
        code
    }

    /// The codes of coded cells are codes of some value: what decoding makes of others never comes up.
    pub fn in_range(&mut self) -> Vec<(Cut, Term)> {
        let mut facts = Vec::new();
        for cut in self.cuts.keys().collect::<Vec<_>>() {
            for cell in self.cuts[cut].cells.clone() {
                let Some(values) = self.codes.get(&cell) else { continue };
                let (symbol, last) = (self.symbols[&cell], values.len() as u128 - 1);
                let last = self.store.bv(self.store.width(symbol), last);
                facts.push((cut, self.store.bin(BinOp::Ule, symbol, last)));
            }
        }
        facts.retain(|&(_, fact)| fact != self.store.tt());
        facts
    }

    /// A coded cell has one of its values.
    fn one_of(&self, cell: Cell) -> Option<Formula<Cell>> {
        let mut formula = Formula::default();
        let state = formula.push(FormulaNode::State(cell));
        let mut any = formula.push(FormulaNode::Const(Const::FALSE));
        for value in self.codes.get(&cell)? {
            let value = formula.push(FormulaNode::Const(value.clone()));
            let equal = formula.push(FormulaNode::Bin(BinOp::Eq, state, value));
            any = formula.push(FormulaNode::Bin(BinOp::Or, any, equal));
        }
        Some(formula)
    }

    /// What a certificate says at the cuts: these terms, and the constants the segments rest on.
    pub fn annotations(&self, invariants: &[(Cut, Term)]) -> BTreeMap<Location, Vec<Formula<Original>>> {
        let mut annotations = BTreeMap::new();
        for (cut, data) in self.cuts.iter() {
            let Some(location) = annotation::location(&self.inlined, data.header) else { continue };
            let constants = data.constants.iter().map(|(cell, c)| equals(*cell, c));
            let terms = invariants.iter().filter(|(c, _)| *c == cut).filter_map(|&(_, t)| self.formula(t));
            let rename = |f: Formula<Cell>| f.rename(|&cell| annotation::original(&self.inlined, cell));
            let coded = data.cells.iter().chain(&data.coded).filter_map(|&cell| self.one_of(cell));
            let formulas: Vec<_> = constants.chain(coded).chain(terms).filter_map(rename).collect();
            annotations.insert(location, formulas);
        }
        for &header in &self.unreached {
            let Some(location) = annotation::location(&self.inlined, header) else { continue };
            let mut never = Formula::default();
            never.push(FormulaNode::Const(Const::FALSE));
            annotations.insert(location, vec![never]);
        }
        annotations
    }

    /// The state at each cut in the names of a certificate; `None` if some of it has none there.
    pub fn state_names(&self) -> Option<BTreeMap<Location, Vec<Original>>> {
        let names = |data: &CutData| {
            let cells = data.cells.iter().map(|&cell| annotation::original(&self.inlined, cell));
            Some((annotation::location(&self.inlined, data.header)?, cells.collect::<Option<_>>()?))
        };
        self.cuts.values().map(names).collect()
    }

    /// The cut with this header, if runs come there.
    pub fn cut_at(&self, header: Block) -> Option<Cut> {
        self.cuts.iter().find(|(_, data)| data.header == header).map(|(cut, _)| cut)
    }

    /// Where everything goes on: the segment of a cut, or that of the start.
    pub fn segment(&self, from: Option<Cut>) -> &Segment {
        from.map_or(&self.init, |cut| &self.segments[cut])
    }

    /// How many bits the state has in the widest cut, arrays not counted.
    pub fn state_bits(&self) -> u32 {
        let bits = |data: &CutData| data.cells.iter().map(|c| self.store.width(self.symbols[c]).max(1)).sum::<u32>();
        self.cuts.values().map(bits).max().unwrap_or(0)
    }
}

/// `cell = constant`.
fn equals(cell: Cell, constant: &Const) -> Formula<Cell> {
    let mut formula = Formula::default();
    let left = formula.push(FormulaNode::State(cell));
    let right = formula.push(FormulaNode::Const(constant.clone()));
    formula.push(FormulaNode::Bin(BinOp::Eq, left, right));
    formula
}

fn refusal(refusal: &Refusal) -> String {
    match refusal {
        Refusal::NoEntry => "the program has no entry".into(),
        Refusal::System => "the program is a system of processes".into(),
        Refusal::Recursive(name) => format!("{name} is recursive"),
        Refusal::TooLarge => "the program is too large with every call inlined".into(),
    }
}

impl std::fmt::Debug for CutSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} cuts, {} terms", self.cuts.len(), self.store.len())?;
        for (cut, data) in self.cuts.iter() {
            writeln!(f, "{cut} at {}: {} cells, {} constants", data.header, data.cells.len(), data.constants.len())?;
            for arrival in &self.segments[cut].arrivals {
                writeln!(f, "  to {}", arrival.cut)?;
            }
        }
        write!(f, "{} cuts reached from the start", self.init.arrivals.len())
    }
}
