//! Contracts of regions by elimination (Houdini; CORRAL, section 4.2): what holds whenever a region is entered, what holds
//! of what it takes in and gives back when it is left, and that nothing asked for is reached in it.
//!
//! Candidates come in turns ([`super::candidates`]); of those of a turn the largest set is kept that is inductive
//! ([`super::eliminate`]). What is kept holds in all runs, by induction along them.

use super::body::Body;
use super::calltree::CallTree;
use super::conditions::Conditions;
use super::named;
use super::region::RegionId;
use super::values::Flow;
use crate::annotation::Cell;
use crate::logic::subst::Substitution;
use crate::logic::{Node, Term, TermStore};
use crate::task::Context;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;
use syncline_ir::{BinOp, Type, UnOp};

/// More candidates than this are not tried; so many of one region in one turn.
const MAX_CANDIDATES: usize = 100_000;
const MAX_OF_REGION: usize = 4_000;
/// What the facts of a turn are about, in their order: states that the property speaks of first, then what else may matter to
/// them, at last states that have nothing to do with each other in pairs.
const STAGES: [Stage; 8] = [
    Stage::linked(2, 0),
    Stage::linked(3, 0),
    Stage::linked(2, 1),
    Stage::linked(3, 1),
    Stage::linked(2, 2),
    Stage::linked(3, 2),
    Stage::linked(4, 1),
    Stage { linked: false, ..Stage::linked(3, 0) },
];
/// The part of the time that a turn may take.
const TURN: u32 = 2;
/// Instructions of all regions together beyond which this is not tried.
const MAX_PROGRAM: u64 = 400_000;

/// What is kept, over the symbols of each region's condition and of its outputs.
#[derive(Default)]
pub struct Contracts {
    pub(super) of: Vec<Kept>,
    pub candidates: u64,
}

#[derive(Default, Clone)]
pub(super) struct Kept {
    pub outputs: Vec<Term>,
    pub requires: Vec<Term>,
    pub ensures: Vec<Term>,
    pub safe: bool,
    /// Exits that are never taken.
    pub never: Vec<usize>,
}

/// How many cells and conditions a fact is about, and how many of them are conditions at most.
#[derive(Copy, Clone)]
pub(super) struct Stage {
    pub members: usize,
    pub conditions: usize,
    /// Of more than two, each has to do with another one: some pair of their values is excluded.
    pub linked: bool,
}

impl Stage {
    const fn linked(members: usize, conditions: usize) -> Stage {
        Stage { members, conditions, linked: true }
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Requires,
    Ensures,
    Safe,
    /// This exit is never taken.
    Never(usize),
}

pub(super) struct Candidate {
    pub region: RegionId,
    pub kind: Kind,
    pub term: Term,
    /// Assumed true while the candidate is.
    pub on: Term,
    pub alive: bool,
    /// It was kept in an earlier turn: it holds in all runs.
    pub proved: bool,
    /// If it says that these do not hold together: these, in their order.
    never: Vec<Term>,
}

impl Contracts {
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    pub fn kept(&self) -> u64 {
        self.of.iter().map(|k| (k.requires.len() + k.ensures.len() + k.never.len() + usize::from(k.safe)) as u64).sum()
    }

    pub fn is_safe(&self, region: RegionId) -> bool {
        self.of.get(region.0 as usize).is_some_and(|k| k.safe)
    }

    /// The exits of a region that are never taken.
    pub fn never(&self, region: RegionId) -> &[usize] {
        self.of.get(region.0 as usize).map_or(&[], |k| &k.never)
    }

    /// What holds at the entry of a region that takes these in.
    pub fn at_entry(&self, store: &mut TermStore, region: RegionId, body: &Body, inputs: &[Term]) -> Vec<Term> {
        let Some(kept) = self.of.get(region.0 as usize) else { return Vec::new() };
        let mut map = Substitution::default();
        body.inputs.iter().zip(inputs).for_each(|(&symbol, &term)| map.set(symbol, term));
        kept.requires.iter().map(|&t| map.apply(store, t)).collect()
    }

    /// What holds when a region that took these in gives these back.
    pub fn at_exit(
        &self,
        store: &mut TermStore,
        region: RegionId,
        body: &Body,
        inputs: &[Term],
        outputs: &[Term],
    ) -> Vec<Term> {
        let Some(kept) = self.of.get(region.0 as usize) else { return Vec::new() };
        let mut map = Substitution::default();
        body.inputs.iter().zip(inputs).for_each(|(&symbol, &term)| map.set(symbol, term));
        kept.outputs.iter().zip(outputs).for_each(|(&symbol, &term)| map.set(symbol, term));
        kept.ensures.iter().map(|&t| map.apply(store, t)).collect()
    }
}

/// Finds contracts; none if time does not suffice. A turn that takes too long is the last one: the next would be larger.
pub fn find(tree: &mut CallTree, until: Instant, context: &mut Context) -> Contracts {
    let turn = until.saturating_duration_since(Instant::now()) / TURN;
    let mut search = Search::new(tree, until);
    let size: u64 = search.bodies.iter().map(|b| b.size).sum();
    if size > MAX_PROGRAM || Instant::now() >= until {
        return Contracts::default();
    }
    let flow = search.propose();
    if context.invariants {
        search.propose_facts(&flow);
    }
    let entry = search.tree.regions.program.entry.map(|e| search.tree.regions.id(e, None));
    let mut found = Contracts::default();
    loop {
        found.candidates = search.candidates.len() as u64;
        (context.progress)(&format!("inline: {} candidates for contracts", found.candidates));
        search.until = until.min(Instant::now() + turn);
        if search.eliminate(context).is_none() {
            break;
        }
        found.of = search.kept();
        if entry.is_some_and(|e| found.is_safe(e)) || !search.next_turn(&flow) {
            break;
        }
    }
    found
}

/// The elimination.
pub(super) struct Search<'t, 'p> {
    pub(super) tree: &'t mut CallTree<'p>,
    pub(super) until: Instant,
    /// What this turn's candidates are about, of [`STAGES`].
    stage: usize,
    pub(super) bodies: Vec<Rc<Body>>,
    pub(super) outputs: Vec<Vec<Term>>,
    pub(super) candidates: Vec<Candidate>,
    /// The candidates of each region, without those that are not tried any more.
    pub(super) of_region: Vec<Vec<usize>>,
    /// How many candidates there were when this turn began.
    before: usize,
    seen: FxHashSet<(RegionId, Kind, Term)>,
    /// What was shown not to hold together.
    excluded: FxHashSet<(RegionId, Vec<Term>)>,
    /// Outputs that need not be defined at every exit: values from inside a loop. Nothing is said of them.
    unnamed: FxHashSet<Term>,
    /// Comparisons of several cells.
    pub(super) conditions: Conditions,
    /// By region, inputs that were shown to be constants, or arrays with cells that were: they are put in for the symbols.
    known: Vec<Vec<(Term, Term)>>,
}

impl<'t, 'p> Search<'t, 'p> {
    fn new(tree: &'t mut CallTree<'p>, until: Instant) -> Search<'t, 'p> {
        let count = tree.regions.list.len();
        let bodies = (0..count as u32).map(|n| tree.body(RegionId(n))).collect();
        let mut outputs: Vec<Vec<Term>> = Vec::with_capacity(count);
        let mut unnamed = FxHashSet::default();
        for n in 0..count {
            let symbols = named::given(tree, RegionId(n as u32));
            let values = symbols.iter().zip(&tree.regions.list[n].outputs);
            unnamed.extend(values.filter(|(_, c)| matches!(c, Cell::Value(_))).map(|(&t, _)| t));
            outputs.push(symbols);
        }
        let (of_region, known) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        Search {
            tree,
            until,
            stage: 0,
            bodies,
            outputs,
            candidates: Vec::new(),
            of_region,
            before: 0,
            seen: FxHashSet::default(),
            excluded: FxHashSet::default(),
            unnamed,
            conditions: Conditions::default(),
            known,
        }
    }

    /// These do not hold together.
    pub(super) fn add_never(&mut self, region: RegionId, kind: Kind, mut literals: Vec<Term>) {
        literals.sort_unstable();
        let all = self.tree.store.and_all(literals.iter().copied());
        let never = self.tree.store.not(all);
        self.add_candidate(region, kind, never, literals);
    }

    pub(super) fn add(&mut self, region: RegionId, kind: Kind, term: Term) {
        self.add_candidate(region, kind, term, Vec::new());
    }

    fn add_candidate(&mut self, region: RegionId, kind: Kind, term: Term, never: Vec<Term>) {
        // What is never left, towards something asked for, needs no contract there.
        let left = self.bodies[region.0 as usize].exits.iter().any(|(g, _)| *g != self.tree.store.ff());
        if kind == Kind::Ensures && !left {
            return;
        }
        let full = self.is_full(region);
        let store = &mut self.tree.store;
        let says_nothing = match kind {
            Kind::Requires => term == store.tt(),
            Kind::Ensures => store.as_bool(term).is_some(),
            Kind::Safe | Kind::Never(_) => false,
        };
        if full || says_nothing || !self.seen.insert((region, kind, term)) {
            return;
        }
        // What cannot be said in a certificate must not be what others rest on.
        let unsayable = |&t: &Term| matches!(store.node(t), Node::Store(..)) || self.unnamed.contains(&t);
        if store.reachable(&[term]).iter().any(unsayable) {
            return;
        }
        let on = store.new_symbol("on", Type::BOOL);
        self.of_region[region.0 as usize].push(self.candidates.len());
        self.candidates.push(Candidate { region, kind, term, on, alive: true, proved: false, never });
    }

    /// Whether these, or some of them, were shown not to hold together.
    pub(super) fn is_excluded(&self, region: RegionId, literals: &[Term]) -> bool {
        (1u32..1 << literals.len()).any(|subset| {
            let chosen = literals.iter().enumerate().filter(|(n, _)| subset >> n & 1 == 1).map(|(_, &l)| l);
            let mut chosen: Vec<Term> = chosen.collect();
            chosen.sort_unstable();
            self.excluded.contains(&(region, chosen))
        })
    }

    /// What was kept is known from now on. Of the rest, some may be kept together with what comes; whether anything comes.
    fn next_turn(&mut self, flow: &Flow) -> bool {
        let ff = self.tree.store.ff();
        for candidate in &mut self.candidates {
            candidate.proved = candidate.alive;
            candidate.alive |= candidate.never.len() < 2 && candidate.term != ff;
        }
        self.of_region.iter_mut().for_each(|of| of.retain(|&k| self.candidates[k].alive));
        self.before = self.candidates.len();
        self.put_constants_in();
        while let Some(&stage) = STAGES.get(self.stage) {
            self.regions().for_each(|id| self.propose_together(id, flow, stage));
            if self.candidates.len() > self.before {
                return true;
            }
            self.stage += 1;
        }
        false
    }

    /// Whether no more candidates of a region are tried in this turn.
    pub(super) fn is_full(&self, region: RegionId) -> bool {
        let of_region = &self.of_region[region.0 as usize];
        let new = of_region.len() - of_region.partition_point(|&k| k < self.before);
        new >= MAX_OF_REGION || self.candidates.len() >= MAX_CANDIDATES
    }

    pub(super) fn regions(&self) -> impl Iterator<Item = RegionId> {
        (0..self.bodies.len() as u32).map(RegionId)
    }

    /// Of what is kept so far, and will be whatever is asked next: inputs that are constants are replaced by these in the
    /// conditions of their regions. So most indices of arrays become constants, and questions ones about bits.
    fn put_constants_in(&mut self) {
        for id in self.regions() {
            let n = id.0 as usize;
            let mut known: BTreeMap<Term, Term> = BTreeMap::new();
            for &k in &self.of_region[n] {
                let candidate = &self.candidates[k];
                if candidate.proved && candidate.kind == Kind::Requires {
                    learn(&mut self.tree.store, candidate.term, &mut known);
                }
            }
            let known: Vec<(Term, Term)> = known.into_iter().collect();
            if known == self.known[n] {
                continue;
            }
            self.known[n] = known;
            let mut map = self.constants(id);
            self.bodies[n] = Rc::new(self.bodies[n].replaced(&mut self.tree.store, &mut map));
        }
    }

    pub(super) fn constants(&self, id: RegionId) -> Substitution {
        let mut map = Substitution::default();
        self.known[id.0 as usize].iter().for_each(|&(symbol, term)| map.set(symbol, term));
        map
    }

    /// Whether fewer of its parts exclude each other.
    fn is_implied(&self, candidate: &Candidate) -> bool {
        let parts = &candidate.never;
        (0..parts.len()).any(|n| {
            let mut others = parts.clone();
            others.remove(n);
            self.is_excluded(candidate.region, &others)
        })
    }

    fn kept(&mut self) -> Vec<Kept> {
        let mut kept = vec![Kept::default(); self.bodies.len()];
        kept.iter_mut().zip(&self.outputs).for_each(|(k, outputs)| k.outputs.clone_from(outputs));
        let new = self.candidates.iter().filter(|c| c.alive && !c.never.is_empty());
        self.excluded.extend(new.map(|c| (c.region, c.never.clone())));
        let ff = self.tree.store.ff();
        let never_entered = |c: &&Candidate| c.alive && c.kind == Kind::Requires && c.term == ff;
        let closed: FxHashSet<RegionId> = self.candidates.iter().filter(never_entered).map(|c| c.region).collect();
        for candidate in self.candidates.iter().filter(|c| c.alive && !self.is_implied(c)) {
            let of = &mut kept[candidate.region.0 as usize];
            let formula = matches!(candidate.kind, Kind::Requires | Kind::Ensures);
            if formula && candidate.term != ff && closed.contains(&candidate.region) {
                continue;
            }
            match candidate.kind {
                Kind::Requires => of.requires.push(candidate.term),
                Kind::Ensures => of.ensures.push(candidate.term),
                Kind::Safe => of.safe = true,
                Kind::Never(n) => of.never.push(n),
            }
        }
        kept
    }
}

/// If a formula says that a symbol is a constant, or the cell of an array, this is put in for it.
fn learn(store: &mut TermStore, formula: Term, known: &mut BTreeMap<Term, Term>) {
    let (cell, value) = match store.node(formula) {
        Node::Var(_) => (formula, store.tt()),
        Node::Un(UnOp::Not, t) => (t, store.ff()),
        Node::Bin(BinOp::Eq, a, b) if store.constant(b).is_some() => (a, b),
        Node::Bin(BinOp::Eq, a, b) if store.constant(a).is_some() => (b, a),
        Node::Const(_) | Node::Un(..) | Node::Bin(..) | Node::Ite(..) | Node::Store(..) => return,
    };
    match store.node(cell) {
        Node::Var(_) => {
            known.insert(cell, value);
        }
        Node::Bin(BinOp::Select, array, index)
            if store.as_symbol(array).is_some() && store.constant(index).is_some() =>
        {
            let before = known.get(&array).copied().unwrap_or(array);
            let after = store.store(before, index, value);
            known.insert(array, after);
        }
        Node::Const(_) | Node::Un(..) | Node::Bin(..) | Node::Ite(..) | Node::Store(..) => {}
    }
}
