//! The unwinding itself: instances, joins, holes. See the parent module for what it means.

use super::guard::{Guard, Guards, Joined};
use super::range::RangeRule;
use super::shape::{Exit, Shape};
use crate::logic::{Term, TermStore};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::Instant;
use syncline_ir::analysis::{CallGraph, Component, LoopId};
use syncline_ir::{Block, Const, Obligation, Origin, Proc, Procedure, Program, Prop, Site, Type};

macro_rules! index {
    ($name:ident) => {
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub struct $name(u32);
        impl $name {
            pub(super) fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
index!(ScopeId);
index!(JoinId);
index!(HoleId);

/// A formula to assert, once.
pub enum Constraint {
    Formula(Term),
    /// `guard -> array = value`.
    ArrayEq {
        guard: Term,
        array: Term,
        value: Term,
    },
    /// The array has this value at every index, which the symbol stands for in it.
    Cells {
        array: Term,
        index: Term,
        value: Term,
    },
}

/// Something the run may meet that an engine asks about.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum TargetKind {
    Violation(Prop),
    Unsupported(Obligation),
}

#[derive(Copy, Clone, Debug)]
pub struct Target {
    pub kind: TargetKind,
    pub reached: Term,
    /// Whether more unwinding can make it true in more runs.
    pub open: bool,
}

/// An unknown value a run takes in, in the order of the run.
#[derive(Copy, Clone, Debug)]
pub struct Event {
    pub guard: Term,
    pub site: Site,
    pub value: Term,
}

/// What a loop is known by outside the unwinding: its procedure and the place of its header.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct LoopKey {
    pub proc: String,
    pub header: Origin,
}

#[derive(Copy, Clone, Debug)]
pub struct Options {
    /// Instructions a loop or recursion whose course is decided by constants may take beyond the bound.
    pub eager: u64,
    /// Encoding stops here; the unwinding is then incomplete and says so.
    pub deadline: Option<Instant>,
}

pub(super) struct Scope {
    pub activation: u32,
    pub in_loop: Option<LoopId>,
    iteration: u32,
    pub parent: Option<ScopeId>,
    /// Terms of the values whose home is this scope.
    pub env: Vec<Term>,
    /// The header's join in the next iteration.
    next: Option<JoinId>,
    /// Edges that have left the loop from this iteration.
    pub exits: u32,
}

pub(super) struct Activation {
    proc: Proc,
    caller: Option<u32>,
    pub ret: JoinId,
    /// Activations of the same procedure below on the stack.
    depth: u32,
}

pub(super) enum In {
    Edge(Guard, Vec<Term>),
    Hole(HoleId),
}

enum Join {
    Waiting(Vec<In>),
    Open {
        guard: Guard,
        params: Vec<Term>,
    },
    /// Encoded together with another join of the same block.
    Same(JoinId),
    Closed,
}

/// A part of the program that is not unwound yet.
pub struct Hole {
    /// True only where the missing part is let through; assumed false to stay within the unwinding.
    pub open: Term,
    what: Missing,
    /// The joins that the missing part may reach.
    pub(super) joins: Vec<JoinId>,
    /// Its place in the order of events.
    event: u32,
    expanded: bool,
}

pub(super) enum Missing {
    Iteration { activation: u32, parent: Option<ScopeId>, l: LoopId, iteration: u32, entry: JoinId },
    Call { activation: u32, callee: Proc, guard: Guard, args: Vec<Term> },
}

struct EventNode {
    event: Option<Event>,
    next: u32,
}

const NONE: u32 = u32::MAX;

/// A program unwound so far.
pub struct Unrolling<'p> {
    pub(super) program: &'p Program,
    pub store: TermStore,
    pub guards: Guards,
    pub(super) calls: CallGraph,
    shapes: SecondaryMap<Proc, Option<Rc<Shape>>>,
    pub(super) scopes: Vec<Scope>,
    pub(super) activations: Vec<Activation>,
    joins: Vec<Join>,
    join_of: FxHashMap<(ScopeId, Block), JoinId>,
    pub(super) holes: Vec<Hole>,
    events: Vec<EventNode>,
    cursor: u32,
    /// Joins encoded already that a hole being expanded reaches now.
    late: FxHashMap<JoinId, Vec<In>>,
    pub(super) constraints: Vec<Constraint>,
    /// The procedures that are range-writes.
    pub range_writes: FxHashMap<Proc, Rc<RangeRule>>,
    pub targets: Vec<Target>,
    /// How far each loop and each recursion is unwound where it is met anew: as far as runs were seen to go elsewhere.
    bounds: FxHashMap<LoopKey, u32>,
    pub options: Options,
    /// The deepest unwinding of each loop, and of each recursive procedure (whose key has its own origin).
    pub depths: FxHashMap<LoopKey, u32>,
    pub instances: u64,
    pub instructions: u64,
    /// The deadline passed while encoding: the unwinding lacks parts that no hole stands for.
    pub incomplete: bool,
}

impl<'p> Unrolling<'p> {
    /// Nothing is unwound yet; see [`Unrolling::start`].
    pub fn new(program: &'p Program, options: Options) -> Unrolling<'p> {
        let store = TermStore::new();
        Unrolling {
            program,
            guards: Guards::new(&store),
            store,
            calls: CallGraph::compute(program),
            shapes: SecondaryMap::new(),
            scopes: Vec::new(),
            activations: Vec::new(),
            joins: Vec::new(),
            join_of: FxHashMap::default(),
            holes: Vec::new(),
            events: vec![EventNode { event: None, next: NONE }],
            cursor: 0,
            late: FxHashMap::default(),
            constraints: Vec::new(),
            range_writes: FxHashMap::default(),
            targets: Vec::new(),
            bounds: FxHashMap::default(),
            options,
            depths: FxHashMap::default(),
            instances: 0,
            instructions: 0,
            incomplete: false,
        }
    }

    /// Unwinds from the entry, every loop once.
    pub fn start(&mut self, entry: Proc) {
        // The interpreter gives parameters of the entry the value zero.
        let body = &self.program.procs[entry];
        let zeros = body.params().iter().map(|&p| Const::zero(body.value_type(p)));
        let args = zeros.map(|zero| self.store.constant_term(zero)).collect();
        let ret = self.new_join();
        self.activate(entry, None, Guards::ROOT, args, ret);
    }

    pub fn take_constraints(&mut self) -> Vec<Constraint> {
        std::mem::take(&mut self.constraints)
    }

    /// The holes not expanded yet.
    pub fn holes(&self) -> Vec<HoleId> {
        (0..self.holes.len() as u32).map(HoleId).filter(|h| !self.holes[h.index()].expanded).collect()
    }

    pub fn hole(&self, hole: HoleId) -> &Hole {
        &self.holes[hole.index()]
    }

    /// When a run within the unwinding reaches the hole.
    pub fn reach(&mut self, hole: HoleId) -> Term {
        match &self.holes[hole.index()].what {
            Missing::Call { guard, .. } => self.guards.term(*guard),
            Missing::Iteration { entry, .. } => {
                let Join::Waiting(ins) = &self.joins[entry.index()] else { return self.store.ff() };
                let edges: Vec<Term> = ins
                    .iter()
                    .filter_map(|i| match i {
                        In::Edge(guard, _) => Some(self.guards.term(*guard)),
                        In::Hole(_) => None,
                    })
                    .collect();
                self.store.or_all(edges)
            }
        }
    }

    /// The iterations or the depth of recursion at which the hole stands.
    pub fn level(&self, hole: HoleId) -> u32 {
        match &self.holes[hole.index()].what {
            Missing::Iteration { iteration, .. } => *iteration,
            Missing::Call { activation, callee, .. } => self.depth_of(*activation, *callee),
        }
    }

    /// The inputs in the order of the run.
    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let node = self.events.get(at as usize)?;
            at = node.next;
            Some(node.event)
        })
        .flatten()
    }

    /// Unwinds a hole that runs reach by so many iterations, or so much deeper.
    pub fn expand(&mut self, hole: HoleId, step: u32) {
        let level = self.level(hole);
        let h = &mut self.holes[hole.index()];
        h.expanded = true;
        self.cursor = h.event;
        match &mut h.what {
            Missing::Iteration { activation, parent, l, iteration, entry } => {
                let (activation, parent, l, iteration, entry) = (*activation, *parent, *l, *iteration, *entry);
                let key = self.loop_key(activation, l);
                self.raise_bound(key, level + 1);
                self.iterate(activation, parent, l, iteration, Some(entry), level + step);
            }
            Missing::Call { activation, callee, guard, args } => {
                let (caller, callee, guard, args) = (*activation, *callee, *guard, std::mem::take(args));
                let ret = h.joins[0];
                self.raise_bound(self.proc_key(callee), level + step);
                self.activate(callee, Some(caller), guard, args, ret);
            }
        }
        self.settle(hole);
    }

    /// Hands what the expansion of a hole has brought to the joins that wait for it.
    fn settle(&mut self, hole: HoleId) {
        let mut late = std::mem::take(&mut self.late);
        for join in self.holes[hole.index()].joins.clone() {
            let join = self.find(join);
            let ins = late.remove(&join).unwrap_or_default();
            match &mut self.joins[join.index()] {
                Join::Waiting(waiting) => {
                    waiting.retain(|i| !matches!(i, In::Hole(h) if *h == hole));
                    waiting.extend(ins);
                }
                Join::Open { guard, params } => {
                    let (guard, params) = (*guard, params.clone());
                    let open = self.holes[hole.index()].open;
                    let b = self.guards.term(guard);
                    let premise = self.store.and(b, open);
                    self.feed(premise, &params, ins);
                }
                Join::Same(_) | Join::Closed => {
                    debug_assert!(false, "an edge comes to a closed join");
                    // Never a verdict on an unwinding that has lost an edge.
                    self.incomplete = true;
                }
            }
        }
        debug_assert!(late.is_empty(), "edges to joins the hole does not know");
    }

    /// `premise -> one of the ways in`, and for each edge the values it brings.
    fn feed(&mut self, premise: Term, params: &[Term], ins: Vec<In>) {
        let mut ways = Vec::with_capacity(ins.len());
        for i in ins {
            match i {
                In::Hole(h) => ways.push(self.holes[h.index()].open),
                In::Edge(guard, args) => {
                    let guard = self.guards.term(guard);
                    ways.push(guard);
                    for (&param, &arg) in params.iter().zip(&args) {
                        self.equate(guard, param, arg);
                    }
                }
            }
        }
        let any = self.store.or_all(ways);
        let formula = self.store.implies(premise, any);
        self.constrain(formula);
    }

    fn equate(&mut self, guard: Term, param: Term, arg: Term) {
        if self.store.ty(param).is_array() {
            self.constraints.push(Constraint::ArrayEq { guard, array: param, value: arg });
        } else {
            let equal = self.store.eq(param, arg);
            let formula = self.store.implies(guard, equal);
            self.constrain(formula);
        }
    }

    fn constrain(&mut self, formula: Term) {
        if formula != self.store.tt() {
            self.constraints.push(Constraint::Formula(formula));
        }
    }

    pub(super) fn fresh(&mut self, name: &str, ty: Type) -> Term {
        self.store.new_symbol(name, ty)
    }

    pub(super) fn new_join(&mut self) -> JoinId {
        self.joins.push(Join::Waiting(Vec::new()));
        JoinId(self.joins.len() as u32 - 1)
    }

    fn find(&self, mut join: JoinId) -> JoinId {
        while let Join::Same(other) = self.joins[join.index()] {
            join = other;
        }
        join
    }

    fn shape(&mut self, proc: Proc) -> Rc<Shape> {
        if let Some(shape) = &self.shapes[proc] {
            return shape.clone();
        }
        let shape = Rc::new(Shape::compute(&self.program.procs[proc]));
        self.shapes[proc] = Some(shape.clone());
        shape
    }

    pub(super) fn body(&self, activation: u32) -> &'p Procedure {
        let program: &'p Program = self.program;
        &program.procs[self.activations[activation as usize].proc]
    }

    pub(super) fn out_of_time(&mut self) -> bool {
        if !self.incomplete && self.instances.is_multiple_of(256) {
            self.incomplete = self.options.deadline.is_some_and(|d| Instant::now() >= d);
        }
        self.incomplete
    }

    /// How many activations of the procedure a call from here would add to.
    pub(super) fn depth_of(&self, caller: u32, callee: Proc) -> u32 {
        let mut at = Some(caller);
        while let Some(a) = at {
            let activation = &self.activations[a as usize];
            if activation.proc == callee {
                return activation.depth + 1;
            }
            at = activation.caller;
        }
        0
    }

    /// Encodes a whole activation. Its results go to the join `ret`.
    pub(super) fn activate(&mut self, proc: Proc, caller: Option<u32>, guard: Guard, args: Vec<Term>, ret: JoinId) {
        let recursive = self.calls.is_recursive(proc);
        let depth = caller.filter(|_| recursive).map_or(0, |c| self.depth_of(c, proc));
        if recursive {
            self.record_depth(self.proc_key(proc), depth + 1);
        }
        let activation = self.activations.len() as u32;
        self.activations.push(Activation { proc, caller, ret, depth });
        let shape = self.shape(proc);
        let holes = self.holes.len();
        let scope = self.new_scope(activation, None, 0, None, shape.values);
        let entry = self.program.procs[proc].entry;
        self.deliver_to(scope, entry, In::Edge(guard, args));
        self.components(scope, &shape, &shape.nest.top);
        if self.holes.len() == holes {
            self.scopes[scope.index()].env = Vec::new();
        }
    }

    fn raise_bound(&mut self, key: LoopKey, to: u32) {
        let bound = self.bounds.entry(key).or_insert(1);
        *bound = to.max(*bound);
    }

    pub(super) fn bound(&self, key: &LoopKey) -> u32 {
        self.bounds.get(key).copied().unwrap_or(1)
    }

    pub(super) fn proc_key(&self, proc: Proc) -> LoopKey {
        let body = &self.program.procs[proc];
        LoopKey { proc: body.name.clone(), header: body.origin }
    }

    fn loop_key(&mut self, activation: u32, l: LoopId) -> LoopKey {
        let proc = self.activations[activation as usize].proc;
        let header = self.shape(proc).nest.loops[l].header;
        let body = &self.program.procs[proc];
        LoopKey { proc: body.name.clone(), header: header_origin(body, header) }
    }

    fn record_depth(&mut self, key: LoopKey, depth: u32) {
        let deepest = self.depths.entry(key).or_insert(0);
        *deepest = depth.max(*deepest);
    }

    fn new_scope(
        &mut self,
        activation: u32,
        in_loop: Option<LoopId>,
        iteration: u32,
        parent: Option<ScopeId>,
        values: u32,
    ) -> ScopeId {
        let env = vec![self.store.ff(); values as usize];
        self.scopes.push(Scope { activation, in_loop, iteration, parent, env, next: None, exits: 0 });
        ScopeId(self.scopes.len() as u32 - 1)
    }

    fn components(&mut self, scope: ScopeId, shape: &Rc<Shape>, components: &[Component]) {
        for component in components {
            match *component {
                Component::Block(block) => self.block(scope, shape, block, None),
                Component::Loop(l) => {
                    let entered = shape.loops[l].entries.iter().any(|&b| self.is_entered(scope, b));
                    if entered {
                        let activation = self.scopes[scope.index()].activation;
                        let key = self.loop_key(activation, l);
                        let until = self.bound(&key);
                        self.iterate(activation, Some(scope), l, 0, None, until);
                    }
                }
            }
        }
    }

    /// Whether anything leads to the block, seen from the scope the block's loop is in.
    fn is_entered(&self, scope: ScopeId, block: Block) -> bool {
        self.sources(scope, block)
            .iter()
            .any(|&j| matches!(&self.joins[j.index()], Join::Waiting(ins) if !ins.is_empty()))
    }

    /// Encodes iterations of a loop until it ends, there are `until` of them, or time is out. `entry` is the header's join,
    /// `None` in the first iteration, which is entered like any block.
    fn iterate(
        &mut self,
        activation: u32,
        parent: Option<ScopeId>,
        l: LoopId,
        first: u32,
        entry: Option<JoinId>,
        until: u32,
    ) {
        let proc = self.activations[activation as usize].proc;
        let shape = self.shape(proc);
        let key = self.loop_key(activation, l);
        let budget = self.instructions + self.options.eager;
        let (mut iteration, mut entry) = (first, entry);
        loop {
            let holes = self.holes.len();
            let scope = self.new_scope(activation, Some(l), iteration, parent, shape.loops[l].values);
            self.record_depth(key.clone(), iteration + 1);
            let (header, rest) = split_header(&shape, l);
            self.block(scope, &shape, header, entry);
            self.components(scope, &shape, rest);
            let whole = self.holes.len() == holes;
            if whole {
                self.scopes[scope.index()].env = Vec::new();
            }
            let Some(next) = self.scopes[scope.index()].next else { return };
            if matches!(&self.joins[next.index()], Join::Waiting(ins) if ins.is_empty()) || self.incomplete {
                return;
            }
            iteration += 1;
            entry = Some(next);
            let decided = whole && self.scopes[scope.index()].exits == 0 && !shape.loops[l].exits.is_empty();
            if iteration < until || (decided && self.instructions < budget) {
                continue;
            }
            self.cut_loop(activation, parent, scope, &shape, l, iteration, next);
            return;
        }
    }

    /// Leaves a hole where the loop would go on.
    #[allow(clippy::too_many_arguments)]
    fn cut_loop(
        &mut self,
        activation: u32,
        parent: Option<ScopeId>,
        last: ScopeId,
        shape: &Rc<Shape>,
        l: LoopId,
        iteration: u32,
        entry: JoinId,
    ) {
        let hole = self.new_hole(Missing::Iteration { activation, parent, l, iteration, entry });
        for exit in &shape.loops[l].exits {
            let join = match exit {
                Exit::Block(block) => self.resolve(last, shape, *block),
                Exit::Return => self.activations[activation as usize].ret,
            };
            self.deliver(join, In::Hole(hole));
            self.holes[hole.index()].joins.push(join);
        }
    }

    pub(super) fn new_hole(&mut self, what: Missing) -> HoleId {
        let open = self.fresh("open", Type::BOOL);
        let event = self.push_event(None);
        self.holes.push(Hole { open, what, joins: Vec::new(), event, expanded: false });
        HoleId(self.holes.len() as u32 - 1)
    }

    pub(super) fn push_event(&mut self, event: Option<Event>) -> u32 {
        let at = self.events.len() as u32;
        let next = std::mem::replace(&mut self.events[self.cursor as usize].next, at);
        self.events.push(EventNode { event, next });
        self.cursor = at;
        at
    }

    /// The join that an edge from the scope to the block leads to.
    pub(super) fn resolve(&mut self, from: ScopeId, shape: &Shape, block: Block) -> JoinId {
        let mut scope = from;
        while let Some(l) = self.scopes[scope.index()].in_loop {
            if shape.nest.contains(l, block) {
                if shape.nest.loops[l].header != block {
                    break;
                }
                if let Some(next) = self.scopes[scope.index()].next {
                    return next;
                }
                let next = self.new_join();
                self.scopes[scope.index()].next = Some(next);
                return next;
            }
            self.scopes[scope.index()].exits += 1;
            match self.scopes[scope.index()].parent {
                Some(parent) => scope = parent,
                None => break,
            }
        }
        self.join_at(scope, block)
    }

    fn join_at(&mut self, scope: ScopeId, block: Block) -> JoinId {
        if let Some(&join) = self.join_of.get(&(scope, block)) {
            return join;
        }
        let join = self.new_join();
        self.join_of.insert((scope, block), join);
        join
    }

    fn deliver_to(&mut self, scope: ScopeId, block: Block, input: In) {
        let join = self.join_at(scope, block);
        self.deliver(join, input);
    }

    pub(super) fn deliver(&mut self, join: JoinId, input: In) {
        let join = self.find(join);
        match &mut self.joins[join.index()] {
            Join::Waiting(ins) => ins.push(input),
            Join::Open { .. } => self.late.entry(join).or_default().push(input),
            Join::Same(_) | Join::Closed => {
                debug_assert!(false, "an edge comes to a closed join");
                // Never a verdict on an unwinding that has lost an edge.
                self.incomplete = true;
            }
        }
    }

    /// The joins whose edges meet at a block: its own, and in first iterations those of edges into the loop.
    pub(super) fn sources(&self, scope: ScopeId, block: Block) -> Vec<JoinId> {
        let mut joins = Vec::new();
        let mut at = Some(scope);
        while let Some(s) = at {
            joins.extend(self.join_of.get(&(s, block)));
            let data = &self.scopes[s.index()];
            at = if data.iteration == 0 { data.parent } else { None };
        }
        joins
    }

    /// Joins the ways into a block: its guard and parameters, or `None` if none is left.
    pub(super) fn enter(&mut self, joins: Vec<JoinId>, types: impl Iterator<Item = Type>) -> Option<Joined> {
        let first = *joins.first()?;
        let mut ins = Vec::new();
        for &join in &joins {
            let state = if join == first { Join::Closed } else { Join::Same(first) };
            if let Join::Waiting(more) = std::mem::replace(&mut self.joins[join.index()], state) {
                ins.extend(more);
            }
        }
        if !ins.iter().any(|i| matches!(i, In::Hole(_))) {
            let edges = ins
                .into_iter()
                .filter_map(|i| match i {
                    In::Edge(guard, args) => Some((guard, args)),
                    In::Hole(_) => None,
                })
                .collect();
            return self.guards.join(&mut self.store, edges);
        }
        let b = self.fresh("reached", Type::BOOL);
        let guard = self.guards.open_root(&self.store, b);
        let params: Vec<Term> = types.map(|ty| self.store.new_symbol("join", ty)).collect();
        self.feed(b, &params, ins);
        self.joins[first.index()] = Join::Open { guard, params: params.clone() };
        Some(Joined { guard, values: params })
    }
}

fn split_header(shape: &Shape, l: LoopId) -> (Block, &[Component]) {
    let body = &shape.nest.loops[l];
    debug_assert_eq!(body.body.first(), Some(&Component::Block(body.header)));
    (body.header, &body.body[1..])
}

/// The place of a loop in the source: that of its header's first instruction.
pub fn header_origin(proc: &Procedure, header: Block) -> Origin {
    let data = &proc.blocks[header];
    data.insts.first().map_or(data.term_origin, |&i| proc.insts[i].origin)
}
