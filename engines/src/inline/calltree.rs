//! The regions opened so far (RMT, section 5; DAG inlining, section 3.1): a node is an instance of a region, an edge a call
//! that leads to it. A call without an edge is open.
//!
//! A node that only one call can ever lead to has the terms of that call's arguments in it. One that others may join
//! ([`super::dag`]) has symbols: `entered`, implied to be one of the calls so far or `more`, and one for each input that is no
//! constant; each edge adds `guard -> entered & input = argument`. What comes back is said of the call's symbols: `taken exit ->
//! the node's exit is taken & output = value`. Nothing asserted is ever taken back.
//!
//! **Constants.** A loop whose leaving is decided by constants at an iteration, and a recursion on constants, is opened at once
//! when the call is met, and its results replace the call's symbols: so loops with constant bounds need no bound to reach
//! them, and constants go on behind them. A budget of instructions ends that, and an iteration in which no constant changes.

use super::body::{self, Body, CallSite, Step};
use super::contract::Contracts;
use super::dag::Graph;
use super::region::{Key, RegionId, Regions};
use crate::logic::subst::Substitution;
use crate::logic::{Term, TermStore};
use crate::vc::{Constraint, TargetKind};
use std::rc::Rc;
use std::time::Instant;
use syncline_ir::{Block, Site, Type};

#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

/// A call of a node, by its place in [`CallTree::calls`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CallId(pub u32);

impl NodeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl CallId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

pub struct Call {
    pub from: NodeId,
    pub key: Key,
    pub callee: RegionId,
    /// A run comes to it.
    pub guard: Term,
    pub args: Vec<Term>,
    /// While it is open: it comes back; something asked for happens in it.
    pub pass: Term,
    pub error: Option<Term>,
    select: Vec<Term>,
    outputs: Vec<Term>,
    brought: Vec<Vec<Term>>,
    pub dest: Option<NodeId>,
    /// How often its region stands on the stack above it.
    pub level: u32,
}

/// What a run meets in a node, in the order of the run.
pub enum Met {
    Input { guard: Term, site: Site, value: Term },
    Call(CallId),
    Block { guard: Term, block: Block },
}

pub struct Node {
    pub region: RegionId,
    /// The node whose call made it, and how often the region stands on that way down to here.
    parent: Option<NodeId>,
    level: u32,
    entered: Term,
    inputs: Vec<Term>,
    pub met: Vec<Met>,
    pub targets: Vec<(TargetKind, Term)>,
    /// Relative to the node's entry.
    exits: Vec<(Term, Vec<Term>)>,
    /// More calls may come to lead here, unless this symbol is assumed false.
    pub more: Option<Term>,
}

pub struct CallTree<'p> {
    pub regions: Regions<'p>,
    pub store: TermStore,
    bodies: Vec<Option<Rc<Body>>>,
    pub nodes: Vec<Node>,
    pub calls: Vec<Call>,
    pub graph: Graph,
    constraints: Vec<Constraint>,
    /// Unknown initial values of variables.
    pub unknown: Vec<(Site, Term)>,
    pub instructions: u64,
    /// Constants are followed up to so many instructions.
    pub eager: u64,
    eager_depth: u32,
    /// What holds of regions.
    pub contracts: Contracts,
    deadline: Instant,
    /// Bodies made, those that were shared counted once.
    pub opened: u64,
    pub shared: u64,
}

/// Constants are followed so deep: every level takes machine stack here.
const EAGER_DEPTH: u32 = 5_000;

impl<'p> CallTree<'p> {
    pub fn new(regions: Regions<'p>, graph: Graph, eager: u64, deadline: Instant) -> CallTree<'p> {
        let count = regions.list.len();
        CallTree {
            regions,
            store: TermStore::new(),
            bodies: (0..count).map(|_| None).collect(),
            nodes: Vec::new(),
            calls: Vec::new(),
            graph,
            constraints: Vec::new(),
            unknown: Vec::new(),
            instructions: 0,
            eager,
            eager_depth: 0,
            contracts: Contracts::default(),
            deadline,
            opened: 0,
            shared: 0,
        }
    }

    /// Opens the entry.
    pub fn start(&mut self, entry: RegionId) {
        let (inputs, unknown) = body::initial(&self.regions, entry, &mut self.store);
        self.unknown = unknown;
        let tt = self.store.tt();
        self.instantiate(entry, None, tt, inputs, 1);
    }

    pub fn take_constraints(&mut self) -> Vec<Constraint> {
        std::mem::take(&mut self.constraints)
    }

    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }

    pub fn call(&self, call: CallId) -> &Call {
        &self.calls[call.index()]
    }

    pub fn open_calls(&self) -> impl Iterator<Item = CallId> + '_ {
        (0..self.calls.len() as u32).map(CallId).filter(|c| self.calls[c.index()].dest.is_none())
    }

    pub fn body(&mut self, region: RegionId) -> Rc<Body> {
        if let Some(body) = &self.bodies[region.0 as usize] {
            return body.clone();
        }
        let body = Rc::new(body::build(&self.regions, region, &mut self.store));
        self.bodies[region.0 as usize] = Some(body.clone());
        body
    }

    /// Opens a call: by a node that is there, if no run comes to both, or by a new one.
    pub fn open(&mut self, call: CallId) {
        let c = &self.calls[call.index()];
        let (from, key, callee, guard, level) = (c.from, c.key, c.callee, c.guard, c.level);
        let args = c.args.clone();
        let fits = |nodes: &[Node], node: NodeId| {
            let n = &nodes[node.index()];
            let same = |(&input, &arg): (&Term, &Term)| self.store.constant(input).is_none() || input == arg;
            n.more.is_some() && n.inputs.iter().zip(&args).all(same)
        };
        let nodes = &self.nodes;
        let there = self.graph.pick(from, key, callee, |n| fits(nodes, n));
        let dest = match there {
            Some(node) => {
                self.shared += 1;
                node
            }
            None if self.graph.may_share(callee) => self.new_shared(callee, from, &args, level),
            None => self.instantiate(callee, Some(from), guard, args.clone(), level),
        };
        if self.nodes[dest.index()].more.is_some() {
            self.lead(guard, &args, dest);
        }
        self.graph.add_edge(from, key, dest);
        self.calls[call.index()].dest = Some(dest);
        self.come_back(call, dest);
    }

    /// A node that other calls may come to lead to.
    fn new_shared(&mut self, region: RegionId, from: NodeId, args: &[Term], level: u32) -> NodeId {
        let entered = self.store.new_symbol("entered", Type::BOOL);
        let input = |store: &mut TermStore, arg: Term| match store.constant(arg) {
            Some(_) => arg,
            None => store.new_symbol("input", store.ty(arg)),
        };
        let inputs = args.iter().map(|&a| input(&mut self.store, a)).collect();
        let node = self.instantiate(region, Some(from), entered, inputs, level);
        let more = self.store.new_symbol("more", Type::BOOL);
        let formula = self.store.implies(entered, more);
        self.constraints.push(Constraint::Formula(formula));
        self.nodes[node.index()].more = Some(more);
        node
    }

    /// One more call leads to a shared node.
    fn lead(&mut self, guard: Term, args: &[Term], dest: NodeId) {
        let node = &self.nodes[dest.index()];
        let (entered, inputs, old) = (node.entered, node.inputs.clone(), node.more);
        let more = self.store.new_symbol("more", Type::BOOL);
        if let Some(old) = old {
            let ways = self.store.or(guard, more);
            let formula = self.store.implies(old, ways);
            self.constraints.push(Constraint::Formula(formula));
        }
        let formula = self.store.implies(guard, entered);
        self.constraints.push(Constraint::Formula(formula));
        for (&input, &arg) in inputs.iter().zip(args) {
            self.equate(guard, input, arg);
        }
        self.nodes[dest.index()].more = Some(more);
    }

    /// What a call that was open gives is what its node gives.
    fn come_back(&mut self, call: CallId, dest: NodeId) {
        let c = &self.calls[call.index()];
        let (select, outputs, brought) = (c.select.clone(), c.outputs.clone(), c.brought.clone());
        let back = self.store.and(c.guard, c.pass);
        for (n, brought) in brought.iter().enumerate() {
            let taken = body::taken(&mut self.store, back, &select, n);
            let (leaves, values) = self.nodes[dest.index()].exits[n].clone();
            let formula = self.store.implies(taken, leaves);
            self.constraints.push(Constraint::Formula(formula));
            if leaves == self.store.ff() {
                continue;
            }
            for (&symbol, value) in outputs.iter().chain(brought).zip(values) {
                self.equate(taken, symbol, value);
            }
        }
    }

    fn imply(&mut self, guard: Term, fact: Term) {
        let formula = self.store.implies(guard, fact);
        if formula != self.store.tt() {
            self.constraints.push(Constraint::Formula(formula));
        }
    }

    fn equate(&mut self, guard: Term, symbol: Term, value: Term) {
        if symbol == value {
            return;
        }
        if self.store.ty(symbol).is_array() {
            self.constraints.push(Constraint::ArrayEq { guard, array: symbol, value });
        } else {
            let equal = self.store.eq(symbol, value);
            let formula = self.store.implies(guard, equal);
            self.constraints.push(Constraint::Formula(formula));
        }
    }

    pub fn out_of_time(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// How often a region stands on the way down to a node.
    fn level_below(&self, node: NodeId, region: RegionId) -> u32 {
        if !self.regions.get(region).recursive {
            return 1;
        }
        let mut at = Some(node);
        while let Some(n) = at {
            if self.nodes[n.index()].region == region {
                return self.nodes[n.index()].level + 1;
            }
            at = self.nodes[n.index()].parent;
        }
        1
    }

    /// A new instance of a region.
    fn instantiate(
        &mut self,
        region: RegionId,
        parent: Option<NodeId>,
        entered: Term,
        inputs: Vec<Term>,
        level: u32,
    ) -> NodeId {
        let body = self.body(region);
        self.opened += 1;
        self.instructions += body.size;
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            region,
            parent,
            level,
            entered,
            inputs: inputs.clone(),
            met: Vec::new(),
            targets: Vec::new(),
            exits: Vec::new(),
            more: None,
        });
        self.graph.add_node(region);
        for fact in self.contracts.at_entry(&mut self.store, region, &body, &inputs) {
            self.imply(entered, fact);
        }
        let mut map = Substitution::default();
        body.inputs.iter().zip(&inputs).for_each(|(&symbol, &term)| map.set(symbol, term));
        for step in &body.steps {
            let met = match step {
                Step::Input { guard, site, value } => self.input(&mut map, entered, *guard, *site, *value),
                Step::Call(n) => Met::Call(self.new_call(&mut map, id, entered, &body.calls[*n])),
                Step::Any(value) => {
                    let fresh = self.store.new_symbol("any", self.store.ty(*value));
                    map.set(*value, fresh);
                    continue;
                }
                Step::Block { guard, block } => {
                    let guard = map.apply(&mut self.store, *guard);
                    Met::Block { guard: self.store.and(entered, guard), block: *block }
                }
            };
            self.nodes[id.index()].met.push(met);
        }
        for &(kind, guard) in &body.targets {
            let guard = map.apply(&mut self.store, guard);
            let reached = self.store.and(entered, guard);
            if reached != self.store.ff() {
                self.nodes[id.index()].targets.push((kind, reached));
            }
        }
        for (guard, values) in &body.exits {
            let guard = map.apply(&mut self.store, *guard);
            let values = values.iter().map(|&v| map.apply(&mut self.store, v)).collect();
            self.nodes[id.index()].exits.push((guard, values));
        }
        id
    }

    fn input(&mut self, map: &mut Substitution, entered: Term, guard: Term, site: Site, value: Term) -> Met {
        let name = self.regions.program.sites[site].name.clone();
        let fresh = self.store.new_symbol(&name, self.store.ty(value));
        map.set(value, fresh);
        let guard = map.apply(&mut self.store, guard);
        let guard = self.store.and(entered, guard);
        Met::Input { guard, site, value: fresh }
    }

    fn new_call(&mut self, map: &mut Substitution, from: NodeId, entered: Term, site: &CallSite) -> CallId {
        let relative = map.apply(&mut self.store, site.guard);
        let args: Vec<Term> = site.args.iter().map(|&a| map.apply(&mut self.store, a)).collect();
        let guard = self.store.and(entered, relative);
        let level = self.level_below(from, site.callee);
        let id = CallId(self.calls.len() as u32);
        let errs = self.regions.get(site.callee).hits && !self.contracts.is_safe(site.callee);
        let error = errs.then(|| self.store.new_symbol("error", Type::BOOL));
        let ff = self.store.ff();
        let (key, callee) = (site.key, site.callee);
        self.calls.push(Call {
            from,
            key,
            callee,
            guard,
            args: args.clone(),
            pass: ff,
            error,
            select: Vec::new(),
            outputs: Vec::new(),
            brought: Vec::new(),
            dest: None,
            level,
        });
        if guard != ff && self.is_decided(from, callee, &args) {
            self.eager_depth += 1;
            let dest = self.instantiate(callee, Some(from), guard, args, level);
            self.eager_depth -= 1;
            self.graph.add_edge(from, key, dest);
            self.calls[id.0 as usize].dest = Some(dest);
            self.replace(map, site, dest);
        } else {
            self.leave_open(map, site, id);
        }
        id
    }

    /// Whether constants decide if the loop is left here, or what a recursion works on.
    fn is_decided(&mut self, from: NodeId, callee: RegionId, args: &[Term]) -> bool {
        let region = self.regions.get(callee);
        if !region.recursive || self.eager_depth >= EAGER_DEPTH || self.instructions >= self.eager {
            return false;
        }
        if self.instructions.is_multiple_of(64) && self.out_of_time() {
            return false;
        }
        if self.makes_no_progress(from, callee, args) {
            return false;
        }
        if region.in_loop.is_none() {
            let known = |&a: &Term| self.store.constant(a).is_some() || self.store.ty(a).is_array();
            return args.iter().any(|&a| !self.store.ty(a).is_array()) && args.iter().all(known);
        }
        let body = self.body(callee);
        if body.leaves.is_empty() {
            return false;
        }
        let mut map = Substitution::default();
        body.inputs.iter().zip(args).for_each(|(&symbol, &term)| map.set(symbol, term));
        body.leaves.iter().all(|&leave| {
            let guard = map.apply(&mut self.store, leave);
            self.store.as_bool(guard).is_some()
        })
    }

    /// Whether this is one more iteration with the constants of the last one: these would open an endless loop for ever.
    fn makes_no_progress(&self, from: NodeId, callee: RegionId, args: &[Term]) -> bool {
        let node = &self.nodes[from.index()];
        let changes = |(&before, &now): (&Term, &Term)| before != now && self.store.constant(now).is_some();
        node.region == callee && !node.inputs.iter().zip(args).any(changes)
    }

    /// The call's symbols become what the node gives.
    fn replace(&mut self, map: &mut Substitution, site: &CallSite, dest: NodeId) {
        let exits = self.nodes[dest.index()].exits.clone();
        let any = self.store.or_all(exits.iter().map(|&(guard, _)| guard));
        map.set(site.pass, any);
        for (&literal, &(guard, _)) in site.select.iter().zip(&exits) {
            map.set(literal, guard);
        }
        let outputs = site.outputs.len();
        let possible: Vec<&(Term, Vec<Term>)> = exits.iter().filter(|(g, _)| *g != self.store.ff()).collect();
        for (n, &symbol) in site.outputs.iter().enumerate() {
            let mut value = match possible.last() {
                Some((_, values)) => values[n],
                None => self.store.new_symbol("never", self.store.ty(symbol)),
            };
            for (guard, values) in possible.iter().rev().skip(1) {
                value = self.store.ite(*guard, values[n], value);
            }
            map.set(symbol, value);
        }
        for (brought, (guard, values)) in site.brought.iter().zip(&exits) {
            for (n, &symbol) in brought.iter().enumerate() {
                let value = match *guard == self.store.ff() {
                    true => self.store.new_symbol("never", self.store.ty(symbol)),
                    false => values[outputs + n],
                };
                map.set(symbol, value);
            }
        }
    }

    fn leave_open(&mut self, map: &mut Substitution, site: &CallSite, id: CallId) {
        let mut fresh = |this: &mut Self, symbol: Term| {
            let new = this.store.new_symbol("call", this.store.ty(symbol));
            map.set(symbol, new);
            new
        };
        let pass = fresh(self, site.pass);
        let select = site.select.iter().map(|&s| fresh(self, s)).collect();
        let outputs = site.outputs.iter().map(|&s| fresh(self, s)).collect();
        let brought = site.brought.iter().map(|b| b.iter().map(|&s| fresh(self, s)).collect()).collect();
        let call = &mut self.calls[id.0 as usize];
        call.pass = pass;
        call.select = select;
        call.outputs = outputs;
        call.brought = brought;
        if !self.contracts.is_empty() {
            self.keep_contract(id);
        }
    }

    /// What holds when an open call comes back.
    fn keep_contract(&mut self, id: CallId) {
        let call = &self.calls[id.0 as usize];
        let (callee, guard, pass, args) = (call.callee, call.guard, call.pass, call.args.clone());
        let given: Vec<Term> = call.outputs.iter().chain(call.brought.first().into_iter().flatten()).copied().collect();
        if call.brought.is_empty() {
            return;
        }
        let select = call.select.clone();
        let body = self.body(callee);
        let back = self.store.and(guard, pass);
        for n in self.contracts.never(callee).to_vec() {
            let taken = body::taken(&mut self.store, back, &select, n);
            let never = self.store.not(taken);
            let tt = self.store.tt();
            self.imply(tt, never);
        }
        for fact in self.contracts.at_exit(&mut self.store, callee, &body, &args, &given) {
            self.imply(back, fact);
        }
    }
}
