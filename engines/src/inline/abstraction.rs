//! Variable abstraction (CORRAL, section 3): the outer loop around the search.
//!
//! Few variables are tracked, none at first: a write to another one is dropped, a read of it gives any value. The program so
//! abstracted has all runs of the program and more. So
//! * if nothing asked for is reached in it, nothing is in the program. What was opened is the certificate, and its check
//!   tracks everything;
//! * if something is, the run is a path of the program, and is asked for there with everything tracked. If it is one, its
//!   inputs are the trace. If not, [`refine`] picks a minimal set of variables that rules the path out, and the search begins
//!   anew with these tracked too.
//!
//! Variables are globals and regions of memory; locals are always tracked. What is not modelled is asked for as a violation is.
//!
//! # Deviations
//! The paper's search ends at its recursion bound. Here it has none, and may go on for ever in an abstraction where the
//! program itself has few iterations, without any counterexample to learn from. When the bound reaches [`BOUND`], or a part of
//! the time has passed, everything is tracked.

use super::calltree::CallTree;
use super::contract::{self, Contracts};
use super::dag::Graph;
use super::named::Named;
use super::path::{self, Path};
use super::refine::{self, Refinement, Set};
use super::region::Regions;
use super::{Config, Found, Inliner, EAGER};
use crate::logic::{Answer, Limits, ModelView, Solver, SolverStats, Term, TermStore};
use crate::task::{Certificate, Context, Reason, Stats, Trace, Verdict};
use crate::vc::TargetKind;
use cranelift_entity::EntitySet;
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};
use syncline_ir::{Obligation, Prop, Type, Var};

/// The part of the time in which contracts are looked for; the part of the rest in which variables are not tracked.
const CONTRACTS: u32 = 2;
const ABSTRACT: u32 = 2;
/// Where the bound comes to this, everything is tracked.
pub(super) const BOUND: u32 = 16;

/// Decides properties; the reason is why those left are not.
pub fn run(regions: Regions, config: Config, undecided: &mut Vec<Prop>, context: &mut Context) -> Reason {
    let mut outer = Outer::new(regions, config, context);
    let reason = loop {
        match outer.turn(undecided, context) {
            Ok(false) => {}
            Ok(true) => break Reason::Cancelled,
            Err(reason) => break reason,
        }
    };
    context.stats = std::mem::take(&mut outer.stats).with(&outer, config);
    reason
}

struct Outer<'p> {
    config: Config,
    /// With everything tracked, and its tree, in which contracts were looked for, until it is needed.
    regions: Regions<'p>,
    whole: Option<CallTree<'p>>,
    contracts: Named,
    candidates: u64,
    kept: u64,
    /// The time that the search for contracts took.
    found_in: Duration,
    variables: Vec<Var>,
    tracked: Set,
    /// Until then variables may be untracked.
    until: Instant,
    unsupported: Option<Obligation>,
    stats: Counts,
}

/// What was done in all turns.
#[derive(Default)]
struct Counts {
    rounds: u64,
    bound: u64,
    bodies: u64,
    shared: u64,
    instructions: u64,
    terms: u64,
    refinements: u64,
    checks: u64,
    solver: SolverStats,
}

impl<'p> Outer<'p> {
    fn new(regions: Regions<'p>, config: Config, context: &mut Context) -> Outer<'p> {
        let graph = Graph::new(config.strategy, &regions);
        let mut whole = CallTree::new(regions.clone(), graph, EAGER, context.deadline);
        let begin = Instant::now();
        if config.contracts {
            let now = Instant::now();
            let until = now + context.deadline.saturating_duration_since(now) / CONTRACTS;
            whole.contracts = contract::find(&mut whole, until, context);
        }
        let contracts = std::mem::take(&mut whole.contracts);
        let (named, candidates, kept) = (contracts.named(&mut whole), contracts.candidates, contracts.kept());
        whole.contracts = contracts;
        let entry = regions.program.entry.map(|entry| regions.id(entry, None));
        let is_safe = entry.is_some_and(|entry| whole.contracts.is_safe(entry));
        let variables = regions.variables();
        let now = Instant::now();
        Outer {
            config,
            whole: Some(whole),
            contracts: named,
            candidates,
            kept,
            found_in: begin.elapsed(),
            // Where contracts say it all, there is nothing to search.
            tracked: vec![config.refinement.is_none() || is_safe; variables.len()],
            variables,
            regions,
            until: now + context.deadline.saturating_duration_since(now) / ABSTRACT,
            unsupported: None,
            stats: Counts::default(),
        }
    }

    /// One search, with what is tracked now. True when everything is decided.
    fn turn(&mut self, undecided: &mut Vec<Prop>, context: &mut Context) -> Result<bool, Reason> {
        let whole = self.tracked.iter().all(|&is| is).then(|| self.whole.take()).flatten();
        let (tree, refinement) = match (whole, self.config.refinement) {
            (Some(tree), _) => (tree, None),
            (None, refinement) => (self.abstracted(), refinement),
        };
        let until = if refinement.is_some() { self.until } else { context.deadline };
        let mut inliner = Inliner::new(tree, undecided.clone(), until, context);
        inliner.unsupported = self.unsupported;
        let ended = match refinement {
            None => self.search(&mut inliner, context).map(Some),
            Some(refinement) => self.search_abstract(&mut inliner, refinement, context),
        };
        *undecided = std::mem::take(&mut inliner.undecided);
        self.unsupported = inliner.unsupported;
        self.stats.add(&inliner);
        match (ended, context.must_stop()) {
            (Ok(Some(())), _) => Ok(true),
            (Ok(None), _) => Ok(false),
            (Err(reason), None) if refinement.is_some() && !matches!(reason, Reason::Unsupported(_)) => {
                self.tracked.iter_mut().for_each(|is| *is = true);
                Ok(false)
            }
            (Err(reason), _) => Err(reason),
        }
    }

    /// A tree of the regions with what is tracked, and of the contracts what speaks of it.
    fn abstracted(&self) -> CallTree<'p> {
        let mut tracked: EntitySet<Var> = EntitySet::new();
        tracked.extend(self.variables.iter().zip(&self.tracked).filter(|(_, &is)| is).map(|(&var, _)| var));
        let regions = self.regions.abstracted(tracked);
        let graph = Graph::new(self.config.strategy, &regions);
        let mut tree = CallTree::new(regions, graph, EAGER, self.until);
        if self.config.contracts {
            tree.contracts = Contracts::of_named(&self.contracts, self.candidates, &mut tree);
        }
        tree
    }

    /// With everything tracked: every answer is one about the program.
    fn search(&self, inliner: &mut Inliner, context: &mut Context) -> Result<(), Reason> {
        while !inliner.undecided.is_empty() {
            match inliner.search(context)? {
                Found::Proved => self.proved(inliner, context)?,
                Found::Reached(TargetKind::Unsupported(obligation)) => inliner.unsupported = Some(obligation),
                Found::Reached(TargetKind::Violation(prop)) => {
                    let trace = inliner.trace();
                    inliner.undecided.retain(|&p| p != prop);
                    context.found(prop, Verdict::Unsafe(trace));
                }
            }
        }
        Ok(())
    }

    /// With some variables untracked: nothing when more of them are tracked now.
    fn search_abstract(
        &mut self,
        inliner: &mut Inliner,
        refinement: Refinement,
        context: &mut Context,
    ) -> Result<Option<()>, Reason> {
        while !inliner.undecided.is_empty() {
            let target = match inliner.search(context)? {
                Found::Proved => {
                    self.proved(inliner, context)?;
                    break;
                }
                Found::Reached(target) => target,
            };
            let path = inliner.path(target);
            let Some(trace) = self.concretise(&path, context)? else {
                self.refine(&path, refinement, context)?;
                return Ok(None);
            };
            match target {
                TargetKind::Unsupported(obligation) => inliner.unsupported = Some(obligation),
                TargetKind::Violation(prop) => {
                    inliner.undecided.retain(|&p| p != prop);
                    context.found(prop, Verdict::Unsafe(trace));
                }
            }
        }
        Ok(Some(()))
    }

    fn proved(&self, inliner: &mut Inliner, context: &mut Context) -> Result<(), Reason> {
        if let Some(obligation) = inliner.unsupported {
            return Err(Reason::Unsupported(obligation));
        }
        let certificate = Certificate::Inlining { nodes: inliner.nodes(), contracts: self.contracts.clone() };
        for prop in std::mem::take(&mut inliner.undecided) {
            context.found(prop, Verdict::Safe(certificate.clone()));
        }
        Ok(())
    }

    /// The inputs of a run that takes the path, if there is one.
    fn concretise(&self, path: &Path, context: &Context) -> Result<Option<Trace>, Reason> {
        let mut store = TermStore::new();
        let condition = condition(path, &self.regions, &FxHashMap::default(), &mut store)?;
        let mut solver = (context.solver)();
        if !is_possible(&mut *solver, &mut store, &[condition.taken], self.until, context)? {
            return Ok(None);
        }
        let mut trace = Trace::default();
        let mut model = ModelView::new(&mut *solver);
        for (site, value) in condition.inputs {
            trace.inputs.entry(site).or_default().push(model.value_of(&store, value));
        }
        Ok(Some(trace))
    }

    /// Tracks more variables, a minimal set with which no run takes the path.
    fn refine(&mut self, path: &Path, refinement: Refinement, context: &mut Context) -> Result<(), Reason> {
        self.stats.refinements += 1;
        (context.progress)(&format!("inline: refinement {}", self.stats.refinements));
        let mut checks = 0;
        let (regions, variables, until) = (&self.regions, &self.variables, self.until);
        let mut anew = |set: &Set| {
            checks += 1;
            let mut store = TermStore::new();
            let booleans = variables.iter().zip(set).map(|(&var, &is)| (var, store.bool(is))).collect();
            let condition = condition(path, regions, &booleans, &mut store)?;
            let possible = is_possible(&mut *(context.solver)(), &mut store, &[condition.taken], until, context)?;
            Ok::<bool, Reason>(!possible)
        };
        let found = match refinement {
            Refinement::Hierarchical => refine::hierarchical(&self.tracked, &mut anew)?,
            Refinement::Linear => refine::linear(&self.tracked, &mut anew)?,
            Refinement::Conditions => {
                let mut once = Parametric::new(path, regions, variables, context)?;
                let suffices = |set: &Set| {
                    checks += 1;
                    once.suffices(set, until, context)
                };
                refine::hierarchical(&self.tracked, &mut { suffices })?
            }
        };
        self.stats.checks += checks;
        if found == self.tracked {
            return Err(Reason::Solver("nothing more to track rules the run of an abstraction out".into()));
        }
        self.tracked = found;
        Ok(())
    }
}

/// The condition of a path with a Boolean for each variable, made once (Alg. 2).
struct Parametric {
    store: TermStore,
    solver: Box<dyn Solver>,
    booleans: Vec<Term>,
    taken: Term,
}

impl Parametric {
    fn new(path: &Path, regions: &Regions, variables: &[Var], context: &Context) -> Result<Parametric, Reason> {
        let mut store = TermStore::new();
        let booleans: Vec<Term> = variables.iter().map(|_| store.new_symbol("tracked", Type::BOOL)).collect();
        let of_var = variables.iter().copied().zip(booleans.iter().copied()).collect();
        let taken = condition(path, regions, &of_var, &mut store)?.taken;
        Ok(Parametric { store, solver: (context.solver)(), booleans, taken })
    }

    fn suffices(&mut self, set: &Set, until: Instant, context: &Context) -> Result<bool, Reason> {
        let mut assumed = vec![self.taken];
        for (&boolean, &is) in self.booleans.iter().zip(set) {
            assumed.push(if is { boolean } else { self.store.not(boolean) });
        }
        Ok(!is_possible(&mut *self.solver, &mut self.store, &assumed, until, context)?)
    }
}

fn condition(
    path: &Path,
    regions: &Regions,
    tracked: &FxHashMap<Var, Term>,
    store: &mut TermStore,
) -> Result<path::Condition, Reason> {
    let lost = || Reason::Solver("the run of an abstraction is no path of the program".into());
    path::condition(path, regions, tracked, store).ok_or_else(lost)
}

fn is_possible(
    solver: &mut dyn Solver,
    store: &mut TermStore,
    assumed: &[Term],
    until: Instant,
    context: &Context,
) -> Result<bool, Reason> {
    match solver.check(store, assumed, &Limits::until(until.min(context.deadline))) {
        Answer::Sat => Ok(true),
        Answer::Unsat => Ok(false),
        Answer::Unknown(words) => Err(context.gave_up(words)),
    }
}

impl Counts {
    fn add(&mut self, inliner: &Inliner) {
        self.rounds += inliner.rounds;
        self.bound = inliner.bound as u64;
        self.bodies += inliner.tree.opened;
        self.shared += inliner.tree.shared;
        self.instructions += inliner.tree.instructions;
        self.terms += inliner.tree.store.len() as u64;
        self.solver = self.solver + inliner.solver.stats();
    }

    fn with(self, outer: &Outer, config: Config) -> Stats {
        let mut counts = vec![
            ("rounds", self.rounds),
            ("bound", self.bound),
            ("bodies", self.bodies),
            ("calls led to a body that was there", self.shared),
            ("candidates for contracts", outer.candidates),
            ("contracts kept", outer.kept),
            ("ms until they were found", outer.found_in.as_millis() as u64),
            ("instructions", self.instructions),
            ("terms", self.terms),
        ];
        if config.refinement.is_some() {
            let tracked = outer.tracked.iter().filter(|&&is| is).count() as u64;
            counts.extend([
                ("variables", outer.variables.len() as u64),
                ("variables tracked", tracked),
                ("refinements", self.refinements),
                ("checks of refinements", self.checks),
            ]);
        }
        Stats { engine: "inline", counts, solver: self.solver, ..Stats::default() }
    }
}
