//! Stratified and DAG inlining (Lal, Qadeer, Lahiri: "CORRAL", 2012; Lal, Qadeer: "Reachability modulo theories", 2013,
//! "DAG inlining", 2015): procedures and iterations of loops are opened only where the question asks for it.
//!
//! The regions opened so far form a tree or DAG ([`calltree`]). Two questions take turns. *Under*: does a run that stays in
//! what is open violate a property? That is a counterexample. *Over*: does one, if a call that is not open may give anything
//! back, and may itself violate what its region can? If not, nothing is violated. Otherwise the calls on that run are
//! opened, and only those. Calls beyond the recursion bound are blocked meanwhile; when they are the reason for the
//! answer (they are in the core), the bound grows.
//!
//! # Why it is sound
//! * *Under.* With `pass` of every open call and `more` of every shared node false, a true guard is the guard of a place that the
//!   run of the model's inputs comes to: by induction along the run, as in [`crate::vc`]. A shared node is entered by at most
//!   one way, for no run takes two ([`dag`]), so its symbols are those of one activation. The trace is replayed anyway.
//! * *Over.* Every run of the program satisfies the constraints: set the symbols of an open call to what the callee does. So
//!   if no assignment reaches a target in an opened node, or an open call whose region can reach one, no run does.
//!   The answer counts only if it does not depend on a blocked call: a bounded answer is no proof.
//! * The certificate is the tree or DAG, without any formula; [`crate::evidence`] makes the question anew from it and the
//!   program as lowered.
//!
//! # Contracts
//! What holds of procedures and loops in all runs is found first ([`contract`]) and added to both queries: where a node is
//! entered, where an open call comes back, and that an open call reaches nothing asked for.
//!
//! # Deviations
//! Loops are regions of their procedure instead of procedures of a rewritten program ([`region`]); violations are guards
//! instead of an error flag ([`body`]). Loops whose leaving constants decide are opened at once ([`calltree`]).

mod body;
mod calltree;
mod candidates;
mod contract;
pub mod dag;
mod region;
#[cfg(test)]
mod tests;

pub use dag::Strategy;
pub use region::Key;

use crate::logic::{Answer, Limits, ModelView, Solver, Term};
use crate::sample;
use crate::task::{Certificate, Context, InlinedNode, Reason, Stats, Task, Trace, Verdict};
use crate::vc::{Constraint, TargetKind};
use calltree::{CallId, CallTree, Met, NodeId};
use dag::Graph;
use region::Regions;
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};
use syncline_ir::{passes, Obligation, Prop};

/// Instructions that constants may open beyond the bound, at first and more in each round.
const EAGER: u64 = 300_000;
/// Rounds shorter than this let the bound grow faster.
const CHEAP: Duration = Duration::from_millis(50);
const MAX_STEP: u32 = 64;
/// The part of the time in which contracts are looked for.
const CONTRACTS: u32 = 2;

/// How the engine works.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Config {
    pub strategy: Strategy,
    /// Look for contracts first. Default: yes.
    pub contracts: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config { strategy: Strategy::default(), contracts: true }
    }
}

/// Decides the task's properties, one call of `context.found` each.
pub fn check(task: &Task, config: Config, context: &mut Context) {
    let mut undecided = task.props.clone();
    if context.unwind.is_none() {
        sample::search(task, &mut undecided, context);
    }
    if undecided.is_empty() {
        return;
    }
    let mut program = task.program.clone();
    passes::run(&mut program, "slice", |p| passes::slice(p, &undecided));
    let reason = match Regions::new(&program, task.program) {
        Ok(regions) => {
            let mut inliner = Inliner::new(regions, config, undecided, context);
            let reason = inliner.run(context);
            inliner.report(context);
            undecided = inliner.undecided;
            reason
        }
        Err(reason) => reason,
    };
    for prop in undecided {
        context.found(prop, Verdict::Unknown(reason.clone()));
    }
}

struct Inliner<'p> {
    tree: CallTree<'p>,
    solver: Box<dyn Solver>,
    undecided: Vec<Prop>,
    /// Something not modelled that runs reach.
    unsupported: Option<Obligation>,
    bound: u32,
    step: u32,
    rounds: u64,
}

type Step<T> = Result<T, Reason>;

/// What the over query says.
enum Over {
    /// Nothing is violated.
    Proved,
    /// Not with the calls that the bound blocks.
    Bounded,
    /// These open calls are on a run that violates something if they may do anything.
    Open(Vec<CallId>),
}

impl<'p> Inliner<'p> {
    fn new(regions: Regions<'p>, config: Config, undecided: Vec<Prop>, context: &mut Context) -> Inliner<'p> {
        let entry = regions.program.entry.map(|entry| regions.id(entry, None));
        let graph = Graph::new(config.strategy, &regions);
        let mut tree = CallTree::new(regions, graph, EAGER, context.deadline);
        if config.contracts {
            let now = Instant::now();
            let until = now + context.deadline.saturating_duration_since(now) / CONTRACTS;
            tree.contracts = contract::find(&mut tree, until, context);
        }
        if let Some(entry) = entry {
            tree.start(entry);
        }
        Inliner { tree, solver: (context.solver)(), undecided, unsupported: None, bound: 1, step: 1, rounds: 0 }
    }

    /// Runs until everything is decided; the reason is why what is left is not.
    fn run(&mut self, context: &mut Context) -> Reason {
        loop {
            match self.round(context) {
                Ok(false) => {}
                Ok(true) => return Reason::Cancelled,
                Err(reason) => return reason,
            }
        }
    }

    /// Both queries, and what follows from them; true when nothing is left to do.
    fn round(&mut self, context: &mut Context) -> Step<bool> {
        let start = Instant::now();
        self.rounds += 1;
        self.assert_new();
        self.stop_if_due(context)?;
        (context.progress)(&format!("inline: bound {}, {} bodies", self.bound, self.tree.opened));
        while let Some(prop) = self.under(context)? {
            let trace = self.trace();
            self.undecided.retain(|&p| p != prop);
            context.found(prop, Verdict::Unsafe(trace));
        }
        if self.undecided.is_empty() {
            return Ok(true);
        }
        match self.over(context)? {
            Over::Proved => {
                self.proved(context)?;
                return Ok(true);
            }
            Over::Bounded => self.raise_bound(start, context)?,
            Over::Open(calls) => {
                self.tree.eager = self.tree.instructions + EAGER;
                for call in calls {
                    self.tree.open(call);
                    self.stop_if_due(context)?;
                }
            }
        }
        Ok(false)
    }

    fn raise_bound(&mut self, start: Instant, context: &Context) -> Step<()> {
        if context.unwind.is_some_and(|limit| self.bound >= limit) {
            return Err(Reason::UnwindBound(self.bound));
        }
        self.step = if start.elapsed() < CHEAP { (self.step * 2).min(MAX_STEP) } else { 1 };
        self.bound = self.bound.saturating_add(self.step).min(context.unwind.unwrap_or(u32::MAX));
        Ok(())
    }

    fn stop_if_due(&self, context: &Context) -> Step<()> {
        context.must_stop().map_or(Ok(()), Err)
    }

    fn assert_new(&mut self) {
        for constraint in self.tree.take_constraints() {
            let store = &mut self.tree.store;
            match constraint {
                Constraint::Formula(formula) => self.solver.assert(store, formula),
                Constraint::ArrayEq { guard, array, value } => self.solver.assert_array_eq(store, guard, array, value),
                Constraint::Cells { array, index, value } => self.solver.assert_cells(store, array, index, value),
            }
        }
    }

    fn solve(&mut self, wanted: Term, assumed: Vec<Term>, context: &Context) -> Step<bool> {
        if wanted == self.tree.store.ff() {
            return Ok(false);
        }
        let mut assumptions = assumed;
        assumptions.push(wanted);
        let limits = Limits { deadline: Some(context.deadline) };
        match self.solver.check(&mut self.tree.store, &assumptions, &limits) {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(words) => Err(context.gave_up(words)),
        }
    }

    /// No call leads to a node but those that do.
    fn no_more(&mut self) -> Vec<Term> {
        let more: Vec<Term> = self.tree.nodes.iter().filter_map(|n| n.more).collect();
        more.into_iter().map(|m| self.tree.store.not(m)).collect()
    }

    /// A property that a run within what is open violates.
    fn under(&mut self, context: &Context) -> Step<Option<Prop>> {
        let targets =
            self.targets(|kind, undecided| matches!(kind, TargetKind::Violation(p) if undecided.contains(&p)));
        let wanted = self.tree.store.or_all(targets.iter().map(|&(_, reached)| reached));
        let mut assumed = self.no_more();
        let passes: Vec<Term> = self.tree.open_calls().map(|c| self.tree.call(c).pass).collect();
        assumed.extend(passes.into_iter().map(|p| self.tree.store.not(p)));
        if !self.solve(wanted, assumed, context)? {
            return Ok(None);
        }
        let mut model = ModelView::new(&mut *self.solver);
        let hit = targets.iter().find(|(_, reached)| model.is_true(&self.tree.store, *reached));
        match hit {
            Some(&(TargetKind::Violation(prop), _)) => Ok(Some(prop)),
            Some((TargetKind::Unsupported(_), _)) | None => Err(Reason::Solver("the model shows no violation".into())),
        }
    }

    fn targets(&self, wanted: impl Fn(TargetKind, &[Prop]) -> bool) -> Vec<(TargetKind, Term)> {
        let all = self.tree.nodes.iter().flat_map(|n| &n.targets);
        all.filter(|(kind, _)| wanted(*kind, &self.undecided)).copied().collect()
    }

    /// Whether something asked for can be reached when open calls may do anything.
    fn over(&mut self, context: &Context) -> Step<Over> {
        let met = self.unsupported.is_some();
        let targets = self.targets(|kind, undecided| match kind {
            TargetKind::Violation(p) => undecided.contains(&p),
            TargetKind::Unsupported(_) => !met,
        });
        let mut wanted: Vec<Term> = targets.iter().map(|&(_, reached)| reached).collect();
        let mut assumed = self.no_more();
        let mut blocked: FxHashSet<Term> = FxHashSet::default();
        let open: Vec<CallId> = self.tree.open_calls().collect();
        for &id in &open {
            let call = self.tree.call(id);
            let (guard, pass, error, level) = (call.guard, call.pass, call.error, call.level);
            if let Some(error) = error {
                let errs = self.tree.store.and(guard, error);
                wanted.push(errs);
            }
            if level > self.bound {
                let literals: Vec<Term> = [Some(pass), error].into_iter().flatten().collect();
                let literals: Vec<Term> = literals.into_iter().map(|l| self.tree.store.not(l)).collect();
                blocked.extend(literals.iter().copied());
                assumed.extend(literals);
            }
        }
        let any = self.tree.store.or_all(wanted);
        if !self.solve(any, assumed, context)? {
            let decided = any == self.tree.store.ff();
            let bounded = !decided && self.solver.core().iter().any(|t| blocked.contains(t));
            return Ok(if bounded { Over::Bounded } else { Over::Proved });
        }
        self.open_on_trace(&targets)
    }

    /// The open calls on the run of the model.
    fn open_on_trace(&mut self, targets: &[(TargetKind, Term)]) -> Step<Over> {
        let mut model = ModelView::new(&mut *self.solver);
        let mut open = Vec::new();
        walk(&self.tree, &mut model, |met, _| {
            if let Met::Call(call) = met {
                if self.tree.call(*call).dest.is_none() {
                    open.push(*call);
                }
            }
        });
        // Blocked calls stay closed; nothing behind them is on the trace.
        open.retain(|&c| self.tree.call(c).level <= self.bound);
        if !open.is_empty() {
            return Ok(Over::Open(open));
        }
        let hit = targets.iter().find(|(_, reached)| model.is_true(&self.tree.store, *reached));
        match hit {
            Some(&(TargetKind::Unsupported(obligation), _)) => {
                self.unsupported = Some(obligation);
                Ok(Over::Open(Vec::new()))
            }
            _ => Err(Reason::Solver("the abstract run has no open call".into())),
        }
    }

    /// The inputs of the run in the model.
    fn trace(&mut self) -> Trace {
        let mut trace = Trace::default();
        let mut model = ModelView::new(&mut *self.solver);
        for &(site, value) in &self.tree.unknown {
            let value = model.value_of(&self.tree.store, value);
            trace.inputs.entry(site).or_default().push(value);
        }
        walk(&self.tree, &mut model, |met, model| {
            if let Met::Input { site, value, .. } = met {
                let value = model.value_of(&self.tree.store, *value);
                trace.inputs.entry(*site).or_default().push(value);
            }
        });
        trace
    }

    fn proved(&mut self, context: &mut Context) -> Step<()> {
        if let Some(obligation) = self.unsupported {
            return Err(Reason::Unsupported(obligation));
        }
        let mut nodes: Vec<InlinedNode> = self.tree.nodes.iter().map(|_| InlinedNode::default()).collect();
        for call in &self.tree.calls {
            if let Some(dest) = call.dest {
                nodes[call.from.0 as usize].opened.insert(call.key, dest.0);
            }
        }
        let contracts = std::mem::take(&mut self.tree.contracts);
        let certificate = Certificate::Inlining { nodes, contracts: contracts.certificate(&mut self.tree) };
        self.tree.contracts = contracts;
        for prop in std::mem::take(&mut self.undecided) {
            context.found(prop, Verdict::Safe(certificate.clone()));
        }
        Ok(())
    }

    fn report(&self, context: &mut Context) {
        context.stats = Stats {
            engine: "inline",
            counts: vec![
                ("rounds", self.rounds),
                ("bound", self.bound as u64),
                ("bodies", self.tree.opened),
                ("calls led to a body that was there", self.tree.shared),
                ("candidates for contracts", self.tree.contracts.candidates),
                ("contracts kept", self.tree.contracts.kept()),
                ("instructions", self.tree.instructions),
                ("terms", self.tree.store.len() as u64),
            ],
            solver: self.solver.stats(),
            ..Stats::default()
        };
    }
}

/// Follows the run of a model: what it meets, in its order.
fn walk(tree: &CallTree, model: &mut ModelView, mut meet: impl FnMut(&Met, &mut ModelView)) {
    let mut stack: Vec<(NodeId, usize)> = vec![(NodeId(0), 0)];
    while let Some((node, at)) = stack.pop() {
        let Some(met) = tree.node(node).met.get(at) else { continue };
        stack.push((node, at + 1));
        let guard = match met {
            Met::Input { guard, .. } => *guard,
            Met::Call(call) => tree.call(*call).guard,
        };
        if !model.is_true(&tree.store, guard) {
            continue;
        }
        meet(met, model);
        if let Met::Call(call) = met {
            stack.extend(tree.call(*call).dest.map(|dest| (dest, 0)));
        }
    }
}
