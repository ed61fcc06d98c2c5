//! Which constants the inputs and outputs of regions get: cells, and the cells of arrays at constant indices.
//!
//! The least solution of the flow between regions, whatever the guards, but for choices that constants decide. Nothing rests
//! on it: what is made of it are candidates.

use super::body::{self, CallSite};
use super::contract::Search;
use super::region::RegionId;
use crate::logic::{Node, Term, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Instant;
use syncline_ir::{eval, BinOp, Const, Type};

/// Different constants a cell may get for these to be candidates.
const MAX_VALUES: usize = 48;
/// Indices of one array that are looked at.
const MAX_INDICES: usize = 96;
/// Rounds of the iteration. What it has by then is as good as any.
const MAX_ROUNDS: usize = 40;

/// A scalar that can be ordered.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bits {
    Bool(bool),
    Bv(u32, u128),
}

impl Bits {
    fn of(value: &Const) -> Option<Bits> {
        match value {
            Const::Bool(b) => Some(Bits::Bool(*b)),
            Const::Bv { width, bits } => Some(Bits::Bv(*width, *bits)),
            Const::Float { .. } | Const::Array(_) => None,
        }
    }

    fn constant(self) -> Const {
        match self {
            Bits::Bool(b) => Const::Bool(b),
            Bits::Bv(width, bits) => Const::bv(width, bits),
        }
    }

    pub fn term(self, store: &mut TermStore) -> Term {
        store.constant_term(self.constant())
    }
}

/// What a cell may get.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Values {
    pub set: BTreeSet<Bits>,
    /// Other values too.
    pub any: bool,
    /// There were too many: none is listed.
    many: bool,
}

impl Values {
    fn any() -> Values {
        Values { any: true, ..Values::default() }
    }

    fn of(value: &Const) -> Values {
        match Bits::of(value) {
            Some(bits) => Values { set: BTreeSet::from([bits]), ..Values::default() },
            None => Values::any(),
        }
    }

    fn is_bottom(&self) -> bool {
        self.set.is_empty() && !self.any
    }

    /// The only value there is.
    fn single(&self) -> Option<Bits> {
        self.set.first().copied().filter(|_| self.set.len() == 1 && !self.any)
    }

    /// Whether that gives more.
    fn join(&mut self, other: &Values) -> bool {
        if self.many {
            return false;
        }
        let before = (self.set.len(), self.any);
        self.set.extend(other.set.iter().copied());
        self.any |= other.any;
        self.many = other.many || self.set.len() > MAX_VALUES;
        if self.many {
            self.set.clear();
            self.any = true;
        }
        self.many || before != (self.set.len(), self.any)
    }
}

/// A cell of an interface: a symbol, or an array's at an index.
type Place = (Term, Option<u128>);

/// A place that must be computed first.
struct Needed(Place);

/// What the cells of interfaces get.
pub(super) struct Flow {
    values: FxHashMap<Place, Values>,
    indices: FxHashMap<Term, BTreeSet<u128>>,
    /// The symbols that something asked for depends on.
    pub relevant: FxHashSet<Term>,
}

impl Flow {
    /// The cells that a symbol of an interface has, as terms, with what they may get.
    pub fn cells(&self, store: &mut TermStore, symbol: Term) -> Vec<(Term, Values)> {
        let Type::Array { index: width, .. } = store.ty(symbol) else {
            return self.values.get(&(symbol, None)).map(|v| (symbol, v.clone())).into_iter().collect();
        };
        let mut cells = Vec::new();
        for &index in self.indices.get(&symbol).into_iter().flatten() {
            if let Some(values) = self.values.get(&(symbol, Some(index))) {
                let at = store.bv(width, index);
                cells.push((store.select(symbol, at), values.clone()));
            }
        }
        cells
    }

    pub fn of(search: &mut Search) -> Flow {
        let until = search.until;
        let relevant = relevant(search);
        let mut solver = Solver::new(search);
        for _ in 0..MAX_ROUNDS {
            if !solver.round(until) {
                break;
            }
        }
        Flow { values: solver.values, indices: solver.indices, relevant }
    }
}

/// The symbols of interfaces that something asked for depends on.
pub(super) fn relevant(search: &Search) -> FxHashSet<Term> {
    let store = &search.tree.store;
    let hits = |call: &CallSite| search.tree.regions.get(call.callee).hits;
    let mut relevant: FxHashSet<Term> = FxHashSet::default();
    // Regions of which it matters how they are left.
    let mut left: FxHashSet<RegionId> = FxHashSet::default();
    let mut grows = true;
    while std::mem::take(&mut grows) {
        for (n, body) in search.bodies.iter().enumerate() {
            let mut roots: Vec<Term> = body.targets.iter().map(|&(_, guard)| guard).collect();
            for call in &body.calls {
                let callee = call.callee.0 as usize;
                let args = call.args.iter().zip(&search.bodies[callee].inputs);
                roots.extend(args.filter(|(_, input)| relevant.contains(input)).map(|(&arg, _)| arg));
                roots.extend(hits(call).then_some(call.guard));
            }
            for (guard, values) in body.exits.iter().filter(|(guard, _)| *guard != store.ff()) {
                let outputs = values.iter().zip(&search.outputs[n]);
                roots.extend(outputs.filter(|(_, output)| relevant.contains(output)).map(|(&value, _)| value));
                roots.extend(left.contains(&RegionId(n as u32)).then_some(*guard));
            }
            let reached: FxHashSet<Term> = store.symbols_of(&roots).iter().map(|&s| store.symbol_term(s)).collect();
            for &input in body.inputs.iter().filter(|t| reached.contains(t)) {
                grows |= relevant.insert(input);
            }
            for call in &body.calls {
                let given = search.given(call).into_iter().zip(&search.outputs[call.callee.0 as usize]);
                for (_, &output) in given.filter(|(t, _)| reached.contains(t)) {
                    grows |= relevant.insert(output);
                }
                if call.select.iter().chain([&call.pass]).any(|t| reached.contains(t)) {
                    grows |= left.insert(call.callee);
                }
            }
        }
    }
    relevant
}

struct Solver<'s> {
    store: &'s TermStore,
    /// From terms to symbols of interfaces.
    edges: Vec<(Term, Term)>,
    /// What comes back from a call, as the callee's interface names it.
    meaning: FxHashMap<Term, Term>,
    values: FxHashMap<Place, Values>,
    indices: FxHashMap<Term, BTreeSet<u128>>,
    /// The symbols of interfaces.
    faces: FxHashSet<Term>,
    /// Arrays whose cell at an index is of interest, and what they come from.
    tracked: FxHashSet<(Term, u128)>,
    /// Of this round.
    done: FxHashMap<Place, Rc<Values>>,
    /// Indices that this round has met.
    met: Vec<(Term, u128)>,
}

impl<'s> Solver<'s> {
    fn new(search: &'s mut Search) -> Solver<'s> {
        let entry = search.tree.regions.program.entry.map(|e| search.tree.regions.id(e, None));
        let mut edges: Vec<(Term, Term)> = Vec::new();
        if let Some(entry) = entry {
            let (initial, _) = body::initial(&search.tree.regions, entry, &mut search.tree.store);
            edges.extend(initial.into_iter().zip(search.bodies[entry.0 as usize].inputs.iter().copied()));
        }
        let mut meaning = FxHashMap::default();
        for (n, body) in search.bodies.iter().enumerate() {
            for call in &body.calls {
                let callee = call.callee.0 as usize;
                meaning.extend(search.given(call).into_iter().zip(search.outputs[callee].iter().copied()));
                edges.extend(call.args.iter().copied().zip(search.bodies[callee].inputs.iter().copied()));
            }
            for (_, values) in body.exits.iter().filter(|(g, _)| *g != search.tree.store.ff()) {
                edges.extend(values.iter().copied().zip(search.outputs[n].iter().copied()));
            }
        }
        let inputs = search.bodies.iter().flat_map(|b| b.inputs.iter());
        let faces: FxHashSet<Term> = inputs.chain(search.outputs.iter().flatten()).copied().collect();
        Solver { edges, meaning, faces, ..Solver::over(&search.tree.store) }
    }

    /// With nothing that flows.
    fn over(store: &'s TermStore) -> Solver<'s> {
        Solver {
            store,
            edges: Vec::new(),
            meaning: FxHashMap::default(),
            values: FxHashMap::default(),
            indices: FxHashMap::default(),
            faces: FxHashSet::default(),
            tracked: FxHashSet::default(),
            done: FxHashMap::default(),
            met: Vec::new(),
        }
    }

    /// Every edge once; whether that gave more.
    fn round(&mut self, until: Instant) -> bool {
        self.done.clear();
        let mut changed = false;
        for n in 0..self.edges.len() {
            if Instant::now() >= until {
                return false;
            }
            let (from, to) = self.edges[n];
            if !self.store.ty(to).is_array() {
                let incoming = self.eval((from, None));
                changed |= self.values.entry((to, None)).or_default().join(&incoming);
                continue;
            }
            for index in self.indices.get(&to).cloned().unwrap_or_default() {
                self.track(from, index);
                let incoming = self.eval((from, Some(index)));
                changed |= self.values.entry((to, Some(index))).or_default().join(&incoming);
            }
        }
        for (symbol, index) in std::mem::take(&mut self.met) {
            let indices = self.indices.entry(symbol).or_default();
            changed |= indices.len() < MAX_INDICES && indices.insert(index);
        }
        changed
    }

    /// What a place may hold. Terms are as deep as the conditions of regions, so there is a stack of what is being computed.
    fn eval(&mut self, place: Place) -> Rc<Values> {
        let mut work = vec![place];
        while let Some(&place) = work.last() {
            if !self.done.contains_key(&place) {
                match self.compute(place) {
                    Ok(values) => self.done.insert(place, Rc::new(values)),
                    Err(Needed(other)) => {
                        work.push(other);
                        continue;
                    }
                };
            }
            work.pop();
        }
        Rc::clone(&self.done[&place])
    }

    fn compute(&mut self, (t, index): Place) -> Result<Values, Needed> {
        match index {
            None => self.compute_scalar(t),
            Some(index) => self.compute_cell(t, index),
        }
    }

    /// What was computed in this round.
    fn known(&self, place: Place) -> Result<&Rc<Values>, Needed> {
        self.done.get(&place).ok_or(Needed(place))
    }

    /// What either place may hold.
    fn either(&self, a: Place, b: Place) -> Result<Values, Needed> {
        let (a, b) = (self.known(a)?, self.known(b)?);
        let mut values = (**a).clone();
        values.join(b);
        Ok(values)
    }

    fn compute_scalar(&mut self, t: Term) -> Result<Values, Needed> {
        let values = match self.store.node(t) {
            Node::Const(id) => Values::of(self.store.const_value(id)),
            Node::Var(_) => self.of_symbol(t, None),
            Node::Ite(c, a, b) => match self.sides(c, a, b)? {
                Some([a, b]) => self.either((a, None), (b, None))?,
                None => Values::default(),
            },
            Node::Bin(BinOp::Select, array, index) => {
                let at = self.known((index, None))?;
                match at.single() {
                    Some(Bits::Bv(_, index)) => {
                        self.track(array, index);
                        (**self.known((array, Some(index)))?).clone()
                    }
                    Some(Bits::Bool(_)) | None if at.is_bottom() => Values::default(),
                    Some(Bits::Bool(_)) | None => Values::any(),
                }
            }
            Node::Un(op, a) => {
                let a = self.known((a, None))?;
                match a.single() {
                    Some(a) => Values::of(&eval::unary(op, &a.constant())),
                    None if a.is_bottom() => Values::default(),
                    None => Values::any(),
                }
            }
            Node::Bin(_, a, _) if self.store.ty(a).is_array() => Values::any(),
            Node::Bin(op, a, b) => {
                let (a, b) = (self.known((a, None))?, self.known((b, None))?);
                match (a.single(), b.single()) {
                    (Some(a), Some(b)) => Values::of(&eval::binary(op, &a.constant(), &b.constant())),
                    _ if a.is_bottom() || b.is_bottom() => Values::default(),
                    _ => Values::any(),
                }
            }
            Node::Store(..) => Values::any(),
        };
        Ok(values)
    }

    /// What has come in so far; of a symbol that nothing comes in by, anything.
    fn of_symbol(&self, symbol: Term, index: Option<u128>) -> Values {
        let symbol = self.meaning.get(&symbol).copied().unwrap_or(symbol);
        match self.values.get(&(symbol, index)) {
            Some(values) => values.clone(),
            None if self.faces.contains(&symbol) && !self.is_full(symbol, index) => Values::default(),
            None => Values::any(),
        }
    }

    /// Whether this cell of an array is not looked at because others are.
    fn is_full(&self, symbol: Term, index: Option<u128>) -> bool {
        let (Some(index), Some(indices)) = (index, self.indices.get(&symbol)) else { return false };
        indices.len() >= MAX_INDICES && !indices.contains(&index)
    }

    /// The sides of a choice that may be taken; nothing if none is.
    fn sides(&self, c: Term, a: Term, b: Term) -> Result<Option<[Term; 2]>, Needed> {
        let c = self.known((c, None))?;
        Ok(match c.single() {
            Some(Bits::Bool(true)) => Some([a, a]),
            Some(Bits::Bool(false)) => Some([b, b]),
            Some(Bits::Bv(..)) | None => (!c.is_bottom()).then_some([a, b]),
        })
    }

    /// The cell of an array at this index.
    fn compute_cell(&self, array: Term, index: u128) -> Result<Values, Needed> {
        let values = match self.store.node(array) {
            Node::Const(id) => match (self.store.const_value(id), self.store.ty(array)) {
                (value @ Const::Array(_), Type::Array { index: width, .. }) => {
                    Values::of(&eval::binary(BinOp::Select, value, &Const::bv(width, index)))
                }
                _ => Values::any(),
            },
            Node::Var(_) => self.of_symbol(array, Some(index)),
            Node::Ite(c, a, b) => match self.sides(c, a, b)? {
                Some([a, b]) => self.either((a, Some(index)), (b, Some(index)))?,
                None => Values::default(),
            },
            Node::Store(before, at, value) => {
                let at = self.known((at, None))?;
                match at.single() {
                    Some(Bits::Bv(_, k)) if k == index => (**self.known((value, None))?).clone(),
                    Some(_) => (**self.known((before, Some(index)))?).clone(),
                    None if at.is_bottom() => Values::default(),
                    None => self.either((before, Some(index)), (value, None))?,
                }
            }
            Node::Un(..) | Node::Bin(..) => Values::any(),
        };
        Ok(values)
    }

    /// The symbols that an array comes from have a cell of interest.
    fn track(&mut self, array: Term, index: u128) {
        let mut work = vec![array];
        while let Some(t) = work.pop() {
            if !self.tracked.insert((t, index)) {
                continue;
            }
            match self.store.node(t) {
                Node::Var(_) => self.met.push((self.meaning.get(&t).copied().unwrap_or(t), index)),
                Node::Ite(_, a, b) => work.extend([a, b]),
                Node::Store(before, _, _) => work.push(before),
                Node::Const(_) | Node::Un(..) | Node::Bin(..) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bits, Solver};
    use crate::logic::TermStore;
    use syncline_ir::{BinOp, Scalar, Type};

    /// Sums and chains of writes as long as a program has lines, on a stack of the usual size.
    #[test]
    fn conditions_may_be_deep() {
        const DEPTH: u128 = 300_000;
        let mut store = TermStore::new();
        let unknown = store.new_symbol("x", Type::bv(32));
        let mut array = store.new_symbol("a", Type::Array { index: 32, elem: Scalar::Bv(32) });
        let seven = store.bv(32, 7);
        let zero = store.bv(32, 0);
        array = store.store(array, zero, seven);
        let mut sum = unknown;
        for n in 0..DEPTH {
            let at = store.bv(32, n % 1000 + 1);
            array = store.store(array, at, sum);
            sum = store.bin(BinOp::Mul, sum, unknown);
        }
        let mut solver = Solver::over(&store);
        solver.values.entry((unknown, None)).or_default().set.insert(Bits::Bv(32, 3));
        let power = (0..DEPTH).fold(3u32, |x, _| x.wrapping_mul(3));
        assert!(solver.eval((sum, None)).single() == Some(Bits::Bv(32, power.into())));
        assert!(solver.eval((array, Some(0))).single() == Some(Bits::Bv(32, 7)));
    }
}
