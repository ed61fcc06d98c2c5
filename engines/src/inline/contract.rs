//! Contracts of regions by elimination (Houdini; CORRAL, section 4.2): what holds whenever a region is entered, what holds
//! of what it takes in and gives back when it is left, and that nothing asked for is reached in it.
//!
//! Of all candidates the largest set that is inductive: assuming the contract at a region's entry and those of its calls
//! when they come back, the body keeps the contracts of its calls where it makes them and its own where it is left. Each
//! query is about the condition of one region. What is kept holds in all runs, by induction along them.
//! [`super::candidates`] has what is tried.

use super::body::{self, Body};
use super::calltree::CallTree;
use super::named;
use super::region::RegionId;
use crate::annotation::Cell;
use crate::logic::subst::Substitution;
use crate::logic::{Answer, Limits, ModelView, Solver, Term, TermStore};
use crate::task::Context;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Instant;
use syncline_ir::Type;

/// More candidates than this are not tried; so many of one region.
const MAX_CANDIDATES: usize = 8_000;
const MAX_OF_REGION: usize = 3_000;
/// More than this with facts about three values are not tried: the time is better spent opening calls.
const MAX_WITH_TRIPLES: u64 = 3_000;
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

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Requires,
    Ensures,
    Safe,
    /// This exit is never taken.
    Never(usize),
}

struct Candidate {
    region: RegionId,
    kind: Kind,
    term: Term,
    /// Assumed true while the candidate is.
    on: Term,
    alive: bool,
    /// Each of these, if it is a candidate, implies this one.
    weaker: Vec<Term>,
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

/// Finds contracts; none if time does not suffice.
pub fn find(tree: &mut CallTree, until: Instant, context: &mut Context) -> Contracts {
    let mut search = Search::new(tree);
    let size: u64 = search.bodies.iter().map(|b| b.size).sum();
    if size > MAX_PROGRAM || Instant::now() >= until {
        return Contracts::default();
    }
    let values = search.propose();
    let first = search.candidates.len() as u64;
    (context.progress)(&format!("inline: {first} candidates for contracts"));
    let Some(()) = search.eliminate(until, context) else {
        return Contracts { candidates: first, of: Vec::new() };
    };
    let mut found = Contracts { candidates: first, of: search.kept() };
    let entry = search.tree.regions.program.entry.map(|e| search.tree.regions.id(e, None));
    for (turn, propose) in [Search::propose_pairs, Search::propose_triples].into_iter().enumerate() {
        if entry.is_some_and(|e| found.is_safe(e)) {
            break;
        }
        search.regions().for_each(|id| propose(&mut search, id, &values));
        let count = search.candidates.len() as u64;
        if count == found.candidates || (turn > 0 && count > MAX_WITH_TRIPLES) {
            break;
        }
        // What was not kept by itself may be kept with these.
        search.candidates.iter_mut().for_each(|c| c.alive = true);
        let ended = search.eliminate(until, context);
        found.candidates = count;
        if ended.is_none() {
            break;
        }
        found.of = search.kept();
    }
    found
}

/// The elimination.
pub(super) struct Search<'t, 'p> {
    pub(super) tree: &'t mut CallTree<'p>,
    pub(super) bodies: Vec<Rc<Body>>,
    pub(super) outputs: Vec<Vec<Term>>,
    candidates: Vec<Candidate>,
    /// The candidates of each region.
    of_region: Vec<Vec<usize>>,
    seen: FxHashSet<(RegionId, Kind, Term)>,
    /// Outputs that need not be defined at every exit: values from inside a loop. Nothing is said of them.
    unnamed: FxHashSet<Term>,
}

impl<'t, 'p> Search<'t, 'p> {
    fn new(tree: &'t mut CallTree<'p>) -> Search<'t, 'p> {
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
        let of_region = vec![Vec::new(); count];
        Search { tree, bodies, outputs, candidates: Vec::new(), of_region, seen: FxHashSet::default(), unnamed }
    }

    pub(super) fn add(&mut self, region: RegionId, kind: Kind, term: Term) {
        self.add_weaker(region, kind, term, Vec::new());
    }

    /// A candidate that each of these others would imply.
    pub(super) fn add_weaker(&mut self, region: RegionId, kind: Kind, term: Term, weaker: Vec<Term>) {
        // What is never left, towards something asked for, needs no contract there.
        let left = self.bodies[region.0 as usize].exits.iter().any(|(g, _)| *g != self.tree.store.ff());
        if kind == Kind::Ensures && !left {
            return;
        }
        let full = self.is_full(region);
        let store = &mut self.tree.store;
        let is_formula = matches!(kind, Kind::Requires | Kind::Ensures);
        if full || (is_formula && store.as_bool(term).is_some()) || !self.seen.insert((region, kind, term)) {
            return;
        }
        if store.symbols_of(&[term]).iter().any(|&s| self.unnamed.contains(&store.symbol_term(s))) {
            return;
        }
        let on = store.new_symbol("on", Type::BOOL);
        self.of_region[region.0 as usize].push(self.candidates.len());
        self.candidates.push(Candidate { region, kind, term, on, alive: true, weaker });
    }

    /// Whether no more candidates of a region are tried.
    pub(super) fn is_full(&self, region: RegionId) -> bool {
        self.candidates.len() >= MAX_CANDIDATES || self.of_region[region.0 as usize].len() >= MAX_OF_REGION
    }

    pub(super) fn regions(&self) -> impl Iterator<Item = RegionId> {
        (0..self.bodies.len() as u32).map(RegionId)
    }

    /// Removes candidates until the rest is inductive.
    fn eliminate(&mut self, until: Instant, context: &Context) -> Option<()> {
        self.drop_at_start();
        // One solver for each region: a model assigns everything that a solver holds.
        let mut asked: Vec<Asked> = self.regions().map(|id| self.ask((context.solver)(), id)).collect();
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); self.bodies.len()];
        for (n, body) in self.bodies.iter().enumerate() {
            body.calls.iter().for_each(|c| callers[c.callee.0 as usize].push(n));
        }
        let mut dirty: BTreeSet<usize> = (0..self.bodies.len()).collect();
        while let Some(n) = dirty.pop_last() {
            while let Some(gone) = self.fails(&mut asked[n], until, context)? {
                for k in gone {
                    self.candidates[k].alive = false;
                    let region = self.candidates[k].region.0 as usize;
                    match self.candidates[k].kind {
                        Kind::Requires => dirty.extend([region]),
                        Kind::Ensures | Kind::Safe | Kind::Never(_) => dirty.extend(callers[region].iter().copied()),
                    }
                }
            }
        }
        Some(())
    }

    /// What is required of the entry must hold of the initial values.
    fn drop_at_start(&mut self) {
        let Some(entry) = self.tree.regions.program.entry.map(|e| self.tree.regions.id(e, None)) else { return };
        let (initial, _) = body::initial(&self.tree.regions, entry, &mut self.tree.store);
        let mut map = Substitution::default();
        self.bodies[entry.0 as usize].inputs.iter().zip(initial).for_each(|(&s, t)| map.set(s, t));
        for &k in &self.of_region[entry.0 as usize] {
            let candidate = &mut self.candidates[k];
            if candidate.kind == Kind::Requires {
                let holds = map.apply(&mut self.tree.store, candidate.term);
                candidate.alive = holds == self.tree.store.tt();
            }
        }
    }

    /// Asserts what may be assumed in a region, and collects what must hold there.
    fn ask(&mut self, solver: Box<dyn Solver>, id: RegionId) -> Asked {
        let body = Rc::clone(&self.bodies[id.0 as usize]);
        let mut asked = Asked { solver, assumed: Vec::new(), wanted: Vec::new() };
        let own = self.of_region[id.0 as usize].clone();
        for &k in &own {
            let (kind, term, on) = self.parts(k);
            match kind {
                Kind::Requires => self.assume(&mut asked, k, on, term),
                Kind::Ensures => self.want_ensures(&mut asked, id, &body, k, term),
                Kind::Never(n) => asked.wanted.push((k, body.exits[n].0)),
                Kind::Safe => {
                    asked.wanted.extend(body.targets.iter().map(|&(_, reached)| (k, reached)));
                    for call in body.calls.iter().filter(|c| self.tree.regions.get(c.callee).hits) {
                        let mut of_callee = self.of_region[call.callee.0 as usize].iter().map(|&s| &self.candidates[s]);
                        let safe = of_callee.find(|c| c.kind == Kind::Safe).map(|c| c.on);
                        let unsafe_ = match safe {
                            Some(on) => self.tree.store.not(on),
                            None => self.tree.store.tt(),
                        };
                        let reached = self.tree.store.and(call.guard, unsafe_);
                        asked.wanted.push((k, reached));
                    }
                }
            }
        }
        for call in &body.calls {
            self.ask_call(&mut asked, call);
        }
        asked
    }

    fn ask_call(&mut self, asked: &mut Asked, call: &body::CallSite) {
        let callee = call.callee.0 as usize;
        let mut map = Substitution::default();
        self.bodies[callee].inputs.iter().zip(&call.args).for_each(|(&s, &t)| map.set(s, t));
        let given = call.outputs.iter().chain(call.brought.first().into_iter().flatten());
        self.outputs[callee].iter().zip(given).for_each(|(&s, &t)| map.set(s, t));
        let back = self.tree.store.and(call.guard, call.pass);
        for k in self.of_region[callee].clone() {
            let (kind, term, on) = self.parts(k);
            match kind {
                Kind::Requires => {
                    let holds = map.apply(&mut self.tree.store, term);
                    let not = self.tree.store.not(holds);
                    let broken = self.tree.store.and(call.guard, not);
                    asked.wanted.push((k, broken));
                }
                Kind::Ensures if !call.brought.is_empty() => {
                    let holds = map.apply(&mut self.tree.store, term);
                    let formula = self.tree.store.implies(back, holds);
                    self.assume(asked, k, on, formula);
                }
                Kind::Ensures => {}
                Kind::Safe => asked.assumed.push((k, on)),
                Kind::Never(n) => {
                    let taken = body::taken(&mut self.tree.store, back, &call.select, n);
                    let not = self.tree.store.not(taken);
                    self.assume(asked, k, on, not);
                }
            }
        }
    }

    fn want_ensures(&mut self, asked: &mut Asked, id: RegionId, body: &Body, k: usize, term: Term) {
        let never = self.tree.store.ff();
        for (guard, values) in body.exits.iter().filter(|(g, _)| *g != never) {
            let mut map = Substitution::default();
            self.outputs[id.0 as usize].iter().zip(values).for_each(|(&s, &t)| map.set(s, t));
            let holds = map.apply(&mut self.tree.store, term);
            let not = self.tree.store.not(holds);
            let broken = self.tree.store.and(*guard, not);
            asked.wanted.push((k, broken));
        }
    }

    fn parts(&self, k: usize) -> (Kind, Term, Term) {
        let c = &self.candidates[k];
        (c.kind, c.term, c.on)
    }

    fn assume(&mut self, asked: &mut Asked, k: usize, on: Term, formula: Term) {
        if formula == self.tree.store.tt() || !self.candidates[k].alive {
            return;
        }
        let formula = self.tree.store.implies(on, formula);
        asked.solver.assert(&mut self.tree.store, formula);
        asked.assumed.push((k, on));
    }

    /// The candidates that the region breaks in some run, if there is one.
    fn fails(&mut self, asked: &mut Asked, until: Instant, context: &Context) -> Option<Option<Vec<usize>>> {
        if Instant::now() >= until || context.must_stop().is_some() {
            return None;
        }
        let alive = |k: usize| self.candidates[k].alive;
        let wanted: Vec<(usize, Term)> = asked.wanted.iter().copied().filter(|&(k, _)| alive(k)).collect();
        let any = self.tree.store.or_all(wanted.iter().map(|&(_, t)| t));
        if any == self.tree.store.ff() {
            return Some(None);
        }
        let mut assumptions: Vec<Term> = vec![any];
        let mut seen = FxHashSet::default();
        for &(k, on) in asked.assumed.iter().filter(|&&(k, _)| seen.insert(k)) {
            let literal = if self.candidates[k].alive { on } else { self.tree.store.not(on) };
            assumptions.push(literal);
        }
        match asked.solver.check(&mut self.tree.store, &assumptions, &Limits::until(until)) {
            Answer::Unsat => Some(None),
            Answer::Unknown(_) => None,
            Answer::Sat => {
                let mut model = ModelView::new(&mut *asked.solver);
                let gone: BTreeSet<usize> =
                    wanted.iter().filter(|&&(_, t)| model.is_true(&self.tree.store, t)).map(|&(k, _)| k).collect();
                if gone.is_empty() {
                    return None;
                }
                Some(Some(gone.into_iter().collect()))
            }
        }
    }

    fn kept(&self) -> Vec<Kept> {
        let mut kept = vec![Kept::default(); self.bodies.len()];
        kept.iter_mut().zip(&self.outputs).for_each(|(k, outputs)| k.outputs.clone_from(outputs));
        let alive: FxHashSet<(RegionId, Kind, Term)> =
            self.candidates.iter().filter(|c| c.alive).map(|c| (c.region, c.kind, c.term)).collect();
        let implied = |c: &Candidate| c.weaker.iter().any(|&stronger| alive.contains(&(c.region, c.kind, stronger)));
        for candidate in self.candidates.iter().filter(|c| c.alive && !implied(c)) {
            let of = &mut kept[candidate.region.0 as usize];
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

/// What is asked about one region.
struct Asked {
    /// Holds what may be assumed.
    solver: Box<dyn Solver>,
    /// The candidates that are assumed in it.
    assumed: Vec<(usize, Term)>,
    /// When a candidate is broken.
    wanted: Vec<(usize, Term)>,
}
