//! All that a chart can do, enumerated with the simulator: every input, every choice, to the last status.

use super::walk::{self, Node};
use std::collections::{BTreeSet, HashMap};
use syncline_statechart::model::*;
use syncline_statechart::sim::requirements::Observer;
use syncline_statechart::sim::{Fault, Guarded, Inputs, Simulator, Status, StepResult};

/// What some run of the chart does.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub statuses: usize,
    /// Scopes of conflicts.
    pub conflicts: BTreeSet<State>,
    pub races: BTreeSet<Item>,
    /// Values outside of their range, indices outside of their array, divisions by zero.
    pub ranges: BTreeSet<Spot>,
    pub endless_loop: bool,
    /// A superstep that never ends.
    pub unstable: bool,
    pub entered: BTreeSet<State>,
    pub taken: BTreeSet<Segment>,
    pub reacted: BTreeSet<(State, usize)>,
    /// Conditions that were evaluated, and to what.
    pub conditions: BTreeSet<(Guarded, bool)>,
    /// Requirements, by their number.
    pub violated: BTreeSet<usize>,
}

/// Time-outs count no further: no generated delay is longer.
const LONGEST: u64 = 64;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Place {
    status: Status,
    /// The environment comes next.
    quiet: bool,
    observer: Observer,
}

/// What of a status matters to this chart.
struct Relevant {
    entered: BTreeSet<State>,
    exited: BTreeSet<State>,
    written: BTreeSet<Item>,
    read: BTreeSet<Item>,
    before: bool,
    history: bool,
}

impl Relevant {
    fn of(chart: &Chart) -> Relevant {
        let history =
            chart.connectors.values().any(|c| matches!(c.kind, ConnectorKind::History | ConnectorKind::DeepHistory));
        let mut r = Relevant {
            entered: BTreeSet::new(),
            exited: BTreeSet::new(),
            written: BTreeSet::new(),
            read: BTreeSet::new(),
            before: false,
            history,
        };
        walk::chart(chart, &mut |node| {
            let Node::Event(event) = node else { return };
            match event {
                EventExpr::Entered(s) => drop(r.entered.insert(*s)),
                EventExpr::Exited(s) => drop(r.exited.insert(*s)),
                EventExpr::Written(i) => drop(r.written.insert(*i)),
                EventExpr::Read(i) => drop(r.read.insert(*i)),
                EventExpr::BecameTrue(_) | EventExpr::BecameFalse(_) | EventExpr::Changed(_) => r.before = true,
                EventExpr::Event(_)
                | EventExpr::Timeout(..)
                | EventExpr::Not(_)
                | EventExpr::And(..)
                | EventExpr::Or(..)
                | EventExpr::When(..) => {}
            }
        });
        r
    }

    fn reduce(&self, mut status: Status) -> Status {
        status.entered.retain(|s| self.entered.contains(s));
        status.exited.retain(|s| self.exited.contains(s));
        status.written.retain(|i| self.written.contains(i));
        status.read.retain(|i| self.read.contains(i));
        if !self.before {
            status.previous_values.clear();
            status.previous_configuration.clear();
        }
        if !self.history {
            status.history.clear();
        }
        status.elapsed.iter_mut().flatten().for_each(|t| *t = (*t).min(LONGEST));
        status
    }
}

/// All that the environment may bring at once, if that is not too much.
pub fn all_inputs(chart: &Chart, limit: usize) -> Option<Vec<Inputs>> {
    let advances = match chart.time {
        Time::Synchronous => 1,
        Time::Asynchronous { max_advance } => max_advance,
    };
    let mut all: Vec<Inputs> = (1..=advances).map(|advance| Inputs { advance, ..Inputs::default() }).collect();
    for (event, _) in chart.events.iter().filter(|(_, data)| data.input) {
        let with = all.clone().into_iter().map(|mut inputs| {
            inputs.events.insert(event);
            inputs
        });
        all.extend(with.collect::<Vec<_>>());
    }
    for (item, data) in chart.items.iter().filter(|(_, data)| data.input) {
        let values: Vec<Literal> = match data.ty {
            ItemType::Bool => vec![Literal::Bool(false), Literal::Bool(true)],
            ItemType::Int { min, max } => (min..=max).map(Literal::Int).collect(),
            ItemType::Enum(ty) => (0..chart.enums[ty as usize].values.len() as i32).map(Literal::Int).collect(),
            ItemType::Real => return None,
        };
        let cells: Vec<Option<i32>> = match data.array {
            None => vec![None],
            Some(array) => (0..array.cells as i32).map(|n| Some(array.first + n)).collect(),
        };
        for cell in cells {
            let with = |inputs: &Inputs| {
                let mut next = Vec::new();
                for &value in &values {
                    let mut inputs = inputs.clone();
                    inputs.items.push((item, cell, value));
                    next.push(inputs);
                }
                next
            };
            all = all.iter().flat_map(with).collect();
            if all.len() > limit {
                return None;
            }
        }
    }
    (all.len() <= limit).then_some(all)
}

struct Search<'a> {
    sim: &'a Simulator<'a>,
    relevant: Relevant,
    inputs: Vec<Inputs>,
    numbers: HashMap<Place, usize>,
    nodes: Vec<Place>,
    /// Steps inside of supersteps that do something, by node.
    busy: Vec<Vec<usize>>,
    found: Found,
}

/// `None`: there are more statuses (or inputs) than the limit.
pub fn search(chart: &Chart, limit: usize) -> Option<Found> {
    let (complete, found) = explore(chart, limit, 600)?;
    complete.then_some(found)
}

/// What is found in at most so many statuses, breadth first, and whether that is all. `None`: too many inputs.
pub fn explore(chart: &Chart, limit: usize, inputs: usize) -> Option<(bool, Found)> {
    let sim = Simulator::new(chart);
    let inputs = all_inputs(chart, inputs)?;
    let mut search = Search {
        sim: &sim,
        relevant: Relevant::of(chart),
        inputs,
        numbers: HashMap::new(),
        nodes: Vec::new(),
        busy: Vec::new(),
        found: Found::default(),
    };
    let observer = Observer::new(chart);
    for start in sim.starts() {
        search.note(&start);
        search.found.entered.extend(&start.next.configuration);
        search.node(&start.next, true, observer.clone());
    }
    let mut at = 0;
    while at < search.nodes.len() && search.nodes.len() <= limit {
        search.expand(at);
        at += 1;
    }
    search.found.unstable = search.has_cycle();
    search.found.statuses = search.nodes.len();
    Some((at == search.nodes.len(), search.found))
}

impl Search<'_> {
    fn node(&mut self, status: &Status, quiet: bool, observer: Observer) -> usize {
        let node = Place { status: self.relevant.reduce(status.clone()), quiet, observer };
        if let Some(&number) = self.numbers.get(&node) {
            return number;
        }
        self.nodes.push(node.clone());
        self.busy.push(Vec::new());
        self.numbers.insert(node, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn expand(&mut self, at: usize) {
        let node = self.nodes[at].clone();
        if node.status.aborted {
            return;
        }
        match node.quiet {
            true => {
                for n in 0..self.inputs.len() {
                    let status = self.sim.status_with_inputs(&node.status, &self.inputs[n]);
                    self.steps(at, &status, node.observer.clone());
                }
            }
            false => self.steps(at, &node.status, node.observer),
        }
    }

    fn steps(&mut self, at: usize, status: &Status, mut observer: Observer) {
        for (n, kept) in observer.observe(self.sim, status).into_iter().enumerate() {
            match kept {
                Ok(true) => {}
                // What cannot be evaluated is not kept.
                Ok(false) | Err(_) => drop(self.found.violated.insert(n)),
            }
        }
        let synchronous = self.sim.chart().time == Time::Synchronous;
        for result in self.sim.steps(status) {
            self.note(&result);
            let quiet = synchronous || result.is_empty();
            let next = self.node(&result.next, quiet, observer.clone());
            if !quiet && !self.busy[at].contains(&next) {
                self.busy[at].push(next);
            }
        }
    }

    fn note(&mut self, result: &StepResult) {
        let found = &mut self.found;
        for fault in &result.faults {
            match fault {
                Fault::Conflict { scope, .. } => drop(found.conflicts.insert(*scope)),
                Fault::Race { item, .. } => drop(found.races.insert(*item)),
                Fault::Range { spot, .. } | Fault::Index { spot, .. } | Fault::Division { spot } => {
                    found.ranges.insert(*spot);
                }
                Fault::EndlessLoop { .. } => found.endless_loop = true,
            }
        }
        found.entered.extend(&result.entered);
        found.taken.extend(result.fired.iter().flatten());
        found.reacted.extend(&result.reactions);
        found.conditions.extend(&result.conditions);
    }

    /// A cycle of steps that do something, without the environment: depth first, with its own stack.
    fn has_cycle(&self) -> bool {
        let mut color = vec![0u8; self.nodes.len()];
        for start in 0..self.nodes.len() {
            // Runs come in only where the environment has; what is busy behind it is reached from there.
            if color[start] != 0 {
                continue;
            }
            let mut stack = vec![(start, 0)];
            color[start] = 1;
            while let Some((node, next)) = stack.pop() {
                let Some(&to) = self.busy[node].get(next) else {
                    color[node] = 2;
                    continue;
                };
                stack.push((node, next + 1));
                // A quiet node's own step is the first of a superstep: it is no part of a cycle.
                match color[to] {
                    0 => {
                        color[to] = 1;
                        stack.push((to, 0));
                    }
                    1 => return true,
                    _ => {}
                }
            }
        }
        false
    }
}
