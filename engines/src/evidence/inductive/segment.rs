//! Runs between cut points: a plain symbolic execution from the entry or from a cut point to the next ones.
//!
//! Variables are merged where control meets. Values are not: a run comes to a node once, so it defines a value once,
//! and whoever uses it comes after. That would fail if a run redefined a value it has brought with it from its cut
//! point; where every loop is cut at its header this cannot be, and it is refused. Values brought along, and only those
//! that are used, are looked up when they are: at any state they are unknown, else they are what the runs before
//! had. A caller's variables cannot change while its callee runs, so they are put aside at the call.

use super::super::emit::{Name, Script};
use super::super::refuse;
use super::super::state::constant;
use super::annotate::Part;
use super::guard::{choose_names, Guard, Guards};
use super::unfold::{Activation, Node, Unfolded};
use crate::task::Reason;
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;
use syncline_ir::{
    BinOp, Block, BlockCall, Const, Initial, Inst, InstData, Place, Proc, Scalar, Terminator, Type, Value,
};

/// The definitions may not grow beyond this many bytes of text.
const MAX_TEXT: usize = 400 << 20;

pub(super) type Outcome<T> = Result<T, Reason>;
/// A run between cut points by its number.
pub(super) type Segment = usize;
pub(super) type Names = Rc<Vec<Name>>;

/// Control and variables on the way to a node, with the values of the parameters there.
#[derive(Clone)]
pub(super) struct Edge {
    pub guard: Guard,
    pub globals: Names,
    pub slots: Names,
    pub args: Vec<Name>,
}

/// What the values are that a segment brings along.
enum Source {
    /// It brings none: the start of the program.
    Nothing,
    /// Any values.
    Unknown,
    /// Those of the segment whose guard holds.
    Earlier(Rc<Vec<(Name, Segment)>>),
}

pub(super) struct SegmentData {
    source: Source,
    /// The start's activations and where they are, for the values that are defined there.
    running: FxHashMap<Activation, (Block, usize)>,
    values: FxHashMap<(Activation, Value), Name>,
    /// Unknown values that came in.
    inputs: FxHashMap<(Activation, Inst), Name>,
    /// The segment whose inputs it has, if it has another's.
    like: Option<Segment>,
    /// For each activation that was called, its caller's variables, which wait. A caller may have called others on
    /// other ways through the segment.
    waiting: FxHashMap<Activation, Names>,
    pub start: Option<Edge>,
    /// One of them holds when the segment violates something.
    pub violations: Vec<Name>,
    /// By cut point, the runs that come to it.
    pub arrivals: BTreeMap<Node, Edge>,
}

pub(super) struct Runner<'g, 'p> {
    pub graph: &'g Unfolded<'p>,
    pub script: Script,
    guards: Guards,
    pub segments: Vec<SegmentData>,
    deadline: Instant,
}

/// The node being run.
struct Here {
    segment: Segment,
    activation: Activation,
    edge: Edge,
}

type Pending = BTreeMap<(usize, Node), Vec<Edge>>;

impl<'g, 'p> Runner<'g, 'p> {
    pub fn new(graph: &'g Unfolded<'p>, deadline: Instant) -> Runner<'g, 'p> {
        let mut script = Script::new();
        let guards = Guards::new(&mut script);
        Runner { graph, script, guards, segments: Vec::new(), deadline }
    }

    /// The segment from the start of the program.
    pub fn start_at_entry(&mut self) -> Outcome<Segment> {
        let segment = self.open(Source::Nothing, FxHashMap::default());
        let program = self.graph.program;
        let globals = program.vars.values().map(|data| match &data.init {
            Initial::Const(c) => self.script.constant(c),
            Initial::Any(_) => self.script.declare(data.ty),
        });
        let globals = Rc::new(globals.collect());
        // The interpreter gives parameters of the entry the value zero.
        let body = self.graph.body(0);
        let args = body.params().iter().map(|&p| self.script.constant(&Const::zero(body.value_type(p)))).collect();
        let slots = self.zero_slots(0);
        let edge = Edge { guard: Guards::ROOT, globals, slots, args };
        match self.graph.entry() {
            Some(entry) if self.graph.kept[entry] && self.graph.cuts.contains(&entry) => {
                self.segments[segment].arrivals.insert(entry, edge);
            }
            Some(entry) if self.graph.kept[entry] => self.run(segment, entry, edge)?,
            Some(_) | None => {}
        }
        Ok(segment)
    }

    /// The segment from a cut point with any state that has these names for some of its parts. It is not run yet.
    pub fn start_anywhere(&mut self, cut: Node, fixed: &BTreeMap<Part, Name>) -> Segment {
        let running = self.graph.running(cut);
        let segment = self.open(Source::Unknown, running.iter().copied().collect());
        let vars = self.graph.program.vars.iter().map(|(var, data)| (Part::Global(var), data.ty));
        let globals = self.unknown(vars, fixed);
        let mut slots = Rc::default();
        let mut callee = None;
        for &(activation, _) in &running {
            let parts = self.graph.body(activation).slots.iter();
            let names = self.unknown(parts.map(|(slot, data)| (Part::Local(activation, slot), data.ty)), fixed);
            match callee {
                None => slots = names,
                Some(callee) => drop(self.segments[segment].waiting.insert(callee, names)),
            }
            callee = Some(activation);
        }
        let body = self.graph.body(self.graph.nodes[cut].activation);
        let params = self.params(cut).iter().enumerate();
        let args = self.unknown(params.map(|(n, &p)| (Part::Param(n), body.value_type(p))), fixed).to_vec();
        for (part, &name) in fixed {
            if let Part::Value(activation, value) = *part {
                self.segments[segment].values.insert((activation, value), name);
            }
        }
        self.begin(segment, cut, Edge { guard: Guards::ROOT, globals, slots, args });
        segment
    }

    /// Names for parts of a state: those given, unknowns for the others.
    fn unknown(&mut self, parts: impl Iterator<Item = (Part, Type)>, fixed: &BTreeMap<Part, Name>) -> Names {
        let name = |(part, ty): (Part, Type)| match fixed.get(&part) {
            Some(&name) => name,
            None => self.script.declare(ty),
        };
        Rc::new(parts.map(name).collect())
    }

    /// The segment from a cut point with the states in which these segments come to it. It is not run yet.
    pub fn start_after(&mut self, cut: Node, earlier: &[Segment]) -> Segment {
        let running = self.graph.running(cut);
        let mut edges = Vec::new();
        let mut sources = Vec::new();
        for &segment in earlier {
            if let Some(edge) = self.segments[segment].arrivals.get(&cut) {
                sources.push((self.guards.name(edge.guard), segment));
                edges.push(edge.clone());
            }
        }
        let callees = running.iter().take(running.len().saturating_sub(1));
        let waiting: Vec<(Activation, Names)> =
            callees.filter_map(|&(callee, _)| Some((callee, self.merged_waiting(callee, &sources)?))).collect();
        let segment = self.open(Source::Earlier(Rc::new(sources)), running.into_iter().collect());
        self.segments[segment].waiting.extend(waiting);
        if let Some(edge) = self.guards.meet(&mut self.script, edges) {
            self.begin(segment, cut, edge);
        }
        segment
    }

    fn merged_waiting(&mut self, callee: Activation, sources: &[(Name, Segment)]) -> Option<Names> {
        let mut merged: Option<Names> = None;
        for &(guard, segment) in sources {
            let theirs = self.segments[segment].waiting.get(&callee)?.clone();
            match &mut merged {
                None => merged = Some(theirs),
                Some(mine) => choose_names(&mut self.script, guard, &theirs, mine),
            }
        }
        merged
    }

    /// Runs a segment from its cut point.
    pub fn go(&mut self, segment: Segment, cut: Node) -> Outcome<()> {
        match self.segments[segment].start.clone() {
            Some(edge) => self.run(segment, cut, edge),
            None => Ok(()),
        }
    }

    /// The same with the inputs of another segment that was run from there.
    pub fn go_alike(&mut self, segment: Segment, cut: Node, like: Segment) -> Outcome<()> {
        self.segments[segment].like = Some(like);
        self.go(segment, cut)
    }

    fn open(&mut self, source: Source, running: FxHashMap<Activation, (Block, usize)>) -> Segment {
        self.segments.push(SegmentData {
            source,
            running,
            values: FxHashMap::default(),
            inputs: FxHashMap::default(),
            like: None,
            waiting: FxHashMap::default(),
            start: None,
            violations: Vec::new(),
            arrivals: BTreeMap::new(),
        });
        self.segments.len() - 1
    }

    fn begin(&mut self, segment: Segment, cut: Node, edge: Edge) {
        let activation = self.graph.nodes[cut].activation;
        let params = self.params(cut);
        let data = &mut self.segments[segment];
        data.values.extend(params.iter().zip(&edge.args).map(|(&p, &a)| ((activation, p), a)));
        data.start = Some(edge);
    }

    fn zero_slots(&mut self, activation: Activation) -> Names {
        let slots = self.graph.body(activation).slots.values();
        Rc::new(slots.map(|s| self.script.constant(&Const::zero(s.ty))).collect())
    }

    /// The values that an edge to the node hands over: parameters of a block, or results of a call.
    fn params(&self, node: Node) -> &'p [Value] {
        let data = &self.graph.nodes[node];
        let body = self.graph.body(data.activation);
        let block = &body.blocks[data.block];
        match data.insts.start.checked_sub(1) {
            None => &block.params,
            Some(call) => &body.insts[block.insts[call]].results,
        }
    }

    fn run(&mut self, segment: Segment, start: Node, edge: Edge) -> Outcome<()> {
        let mut pending = Pending::new();
        let mut arrivals: BTreeMap<Node, Vec<Edge>> = BTreeMap::new();
        self.node(segment, start, edge, true, &mut pending)?;
        while let Some(((_, node), edges)) = pending.pop_first() {
            if self.graph.cuts.contains(&node) {
                arrivals.entry(node).or_default().extend(edges);
                continue;
            }
            if let Some(edge) = self.guards.meet(&mut self.script, edges) {
                self.node(segment, node, edge, false, &mut pending)?;
            }
        }
        for (node, edges) in arrivals {
            if let Some(edge) = self.guards.meet(&mut self.script, edges) {
                self.segments[segment].arrivals.insert(node, edge);
            }
        }
        Ok(())
    }

    /// Runs a node. The parameters of the segment's first one are defined already.
    fn node(&mut self, segment: Segment, node: Node, edge: Edge, first: bool, pending: &mut Pending) -> Outcome<()> {
        if self.script.len() > MAX_TEXT {
            return Err(refuse("the certificate is too large to check"));
        }
        if Instant::now() >= self.deadline {
            return Err(Reason::Time);
        }
        let graph = self.graph;
        let data = &graph.nodes[node];
        let mut here = Here { segment, activation: data.activation, edge };
        let args = std::mem::take(&mut here.edge.args);
        if !first || self.segments[segment].start.is_none() {
            for (&param, arg) in self.params(node).iter().zip(args) {
                self.define(&here, param, arg)?;
            }
        }
        let block = &graph.body(data.activation).blocks[data.block];
        for place in data.insts.clone() {
            if !self.inst(&mut here, block.insts[place])? {
                return Ok(());
            }
        }
        match data.call {
            Some((inst, callee)) => self.call(here, inst, callee, pending),
            None => self.terminator(here, &block.term, pending),
        }
    }

    fn define(&mut self, here: &Here, value: Value, name: Name) -> Outcome<()> {
        let data = &mut self.segments[here.segment];
        if let Some(&place) = data.running.get(&here.activation) {
            if self.graph.is_defined(here.activation, place, value) {
                return Err(refuse(format!("{value} changes between two cut points; a loop header is not cut")));
            }
        }
        data.values.insert((here.activation, value), name);
        Ok(())
    }

    /// A value of an activation in a segment: defined by it, or brought along.
    pub fn value(&mut self, segment: Segment, activation: Activation, value: Value) -> Outcome<Name> {
        let data = &self.segments[segment];
        if let Some(&name) = data.values.get(&(activation, value)) {
            return Ok(name);
        }
        let name = match &data.source {
            Source::Nothing => return Err(refuse(format!("{value} is used where it is not defined"))),
            Source::Unknown => {
                let body = self.graph.body(activation);
                match constant(body, value) {
                    Some(constant) => self.script.constant(&constant),
                    None => self.script.declare(body.value_type(value)),
                }
            }
            Source::Earlier(sources) => {
                let sources = sources.clone();
                let mut merged = None;
                // As deep as there are segments one after another.
                for &(guard, earlier) in sources.iter() {
                    let theirs = self.value(earlier, activation, value)?;
                    merged = Some(match merged {
                        Some(mine) if mine != theirs => self.script.ite(guard, theirs, mine),
                        Some(_) | None => theirs,
                    });
                }
                merged.ok_or_else(|| refuse("a segment without a start"))?
            }
        };
        self.segments[segment].values.insert((activation, value), name);
        Ok(name)
    }

    /// The variables of a running activation when the segment starts, or on an edge at its end.
    pub fn slots(&self, segment: Segment, edge: &Edge, innermost: Activation, activation: Activation) -> Option<Names> {
        if activation == innermost {
            return Some(edge.slots.clone());
        }
        let mut callee = innermost;
        while let Some((caller, ..)) = self.graph.activations[callee].caller {
            if caller == activation {
                return self.segments[segment].waiting.get(&callee).cloned();
            }
            callee = caller;
        }
        None
    }

    /// When runs are on an edge.
    pub fn taken(&self, edge: &Edge) -> Name {
        self.guards.name(edge.guard)
    }

    fn get(&mut self, here: &Here, value: Value) -> Outcome<Name> {
        self.value(here.segment, here.activation, value)
    }

    /// Runs an instruction; false if no run goes on.
    fn inst(&mut self, here: &mut Here, inst: Inst) -> Outcome<bool> {
        let body = self.graph.body(here.activation);
        let node = &body.insts[inst];
        if let InstData::Call { callee, .. } = node.data {
            self.open_call(here, callee, &node.results)?;
            return Ok(true);
        }
        let mut args: Vec<Name> = Vec::new();
        let mut values = Vec::new();
        node.data.for_each_arg(|v| values.push(v));
        for value in values {
            args.push(self.get(here, value)?);
        }
        let no_term = || refuse("an operator has no SMT-LIB term");
        let result = match (&node.data, &args[..]) {
            (InstData::Const(c), _) => self.script.constant(c),
            (InstData::Unary { op, .. }, &[arg]) => self.script.unary(*op, arg).ok_or_else(no_term)?,
            (InstData::Binary { op, .. }, &[a, b]) => self.script.binary(*op, a, b).ok_or_else(no_term)?,
            (InstData::Ite { .. }, &[cond, then, other]) => self.script.ite(cond, then, other),
            (InstData::Update { .. }, &[array, index, value]) => self.script.store(array, index, value),
            (InstData::Havoc { .. }, _) => self.input(here, inst, body.value_type(node.results[0])),
            (InstData::Read { place }, _) => here.edge.read(*place),
            (InstData::Load { place, .. }, &[index]) => {
                self.script.binary(BinOp::Select, here.edge.read(*place), index).ok_or_else(no_term)?
            }
            (InstData::Write { place, .. }, &[value]) => {
                here.edge.write(*place, value);
                return Ok(true);
            }
            (InstData::Store { place, .. }, &[index, value]) => {
                let changed = self.script.store(here.edge.read(*place), index, value);
                here.edge.write(*place, changed);
                return Ok(true);
            }
            (InstData::Assume { .. }, &[cond]) => return Ok(self.goes_on(here, cond)),
            (InstData::Assert { prop, .. }, &[cond]) => {
                if self.graph.props.contains(prop) {
                    let fails = self.script.not(cond);
                    let violated = self.script.and(self.guards.name(here.edge.guard), fails);
                    self.violated(here, violated);
                }
                return Ok(self.goes_on(here, cond));
            }
            (InstData::Unsupported { .. }, _) => {
                self.violated(here, self.guards.name(here.edge.guard));
                return Ok(false);
            }
            (InstData::Print { .. }, _) => return Ok(true),
            (
                InstData::Unary { .. }
                | InstData::Binary { .. }
                | InstData::Ite { .. }
                | InstData::Update { .. }
                | InstData::Load { .. }
                | InstData::Write { .. }
                | InstData::Store { .. }
                | InstData::Assume { .. }
                | InstData::Assert { .. }
                | InstData::Call { .. },
                _,
            ) => return Err(refuse("an instruction with other operands than it has")),
        };
        self.define(here, node.results[0], result)?;
        Ok(true)
    }

    /// A call that is not looked into.
    fn open_call(&mut self, here: &mut Here, callee: Proc, results: &[Value]) -> Outcome<()> {
        let doings = self.graph.doings(callee);
        if doings.asks {
            self.violated(here, self.guards.name(here.edge.guard));
        }
        for &var in &doings.writes {
            let left = self.script.declare(self.graph.program.vars[var].ty);
            here.edge.write(Place::Global(var), left);
        }
        let body = self.graph.body(here.activation);
        for &result in results {
            let left = self.script.declare(body.value_type(result));
            self.define(here, result, left)?;
        }
        Ok(())
    }

    /// An unknown value. A segment runs an instruction of an activation once.
    fn input(&mut self, here: &Here, inst: Inst, ty: Type) -> Name {
        let key = (here.activation, inst);
        let like = self.segments[here.segment].like;
        let name = match like.and_then(|like| self.segments[like].inputs.get(&key)) {
            Some(&name) => name,
            None => self.script.declare(ty),
        };
        self.segments[here.segment].inputs.insert(key, name);
        name
    }

    fn violated(&mut self, here: &Here, violated: Name) {
        if !self.script.is_known(violated, false) {
            self.segments[here.segment].violations.push(violated);
        }
    }

    /// Only runs on which the condition holds go on; whether there may be any.
    fn goes_on(&mut self, here: &mut Here, cond: Name) -> bool {
        match self.guards.under(&mut self.script, here.edge.guard, cond, true) {
            Some(guard) => {
                here.edge.guard = guard;
                true
            }
            None => false,
        }
    }

    fn call(&mut self, here: Here, inst: Inst, callee: Activation, pending: &mut Pending) -> Outcome<()> {
        let body = self.graph.body(here.activation);
        let InstData::Call { args, .. } = &body.insts[inst].data else { return Ok(()) };
        let args = self.all(&here, args)?;
        self.segments[here.segment].waiting.insert(callee, here.edge.slots.clone());
        let slots = self.zero_slots(callee);
        let edge = Edge { slots, args, ..here.edge };
        let target = self.graph.first(callee, self.graph.body(callee).entry);
        self.hand_over(target, edge, pending);
        Ok(())
    }

    fn all(&mut self, here: &Here, values: &[Value]) -> Outcome<Vec<Name>> {
        values.iter().map(|&v| self.get(here, v)).collect()
    }

    fn hand_over(&mut self, target: Option<Node>, edge: Edge, pending: &mut Pending) {
        let Some(target) = target.filter(|&t| self.graph.kept[t]) else { return };
        pending.entry((self.graph.rank[target], target)).or_default().push(edge);
    }

    /// Goes on at a target, if any run does.
    fn jump(&mut self, here: &Here, guard: Option<Guard>, target: &BlockCall, pending: &mut Pending) -> Outcome<()> {
        let node = self.graph.first(here.activation, target.block);
        let Some(guard) = guard.filter(|_| node.is_some_and(|n| self.graph.kept[n])) else { return Ok(()) };
        let args = self.all(here, &target.args)?;
        self.hand_over(node, Edge { guard, args, ..here.edge.clone() }, pending);
        Ok(())
    }

    fn terminator(&mut self, here: Here, term: &Terminator, pending: &mut Pending) -> Outcome<()> {
        let guard = here.edge.guard;
        match term {
            Terminator::Jump(target) => self.jump(&here, Some(guard), target, pending),
            Terminator::Branch { cond, then, other } => {
                let cond = self.get(&here, *cond)?;
                let taken = self.guards.under(&mut self.script, guard, cond, true);
                let not_taken = self.guards.under(&mut self.script, guard, cond, false);
                self.jump(&here, taken, then, pending)?;
                self.jump(&here, not_taken, other, pending)
            }
            Terminator::Switch { value, cases, default } => {
                let value = self.get(&here, *value)?;
                let Type::Scalar(Scalar::Bv(width)) = self.script.ty(value) else {
                    return Err(refuse("a switch on something else than a bit-vector"));
                };
                let mut rest = Some(guard);
                for (constant, target) in cases {
                    let Some(here_guard) = rest else { break };
                    let constant = self.script.constant(&Const::bv(width, *constant));
                    let equal = self.script.binary(BinOp::Eq, value, constant);
                    let equal = equal.ok_or_else(|| refuse("a switch compares different widths"))?;
                    let taken = self.guards.under(&mut self.script, here_guard, equal, true);
                    self.jump(&here, taken, target, pending)?;
                    rest = self.guards.under(&mut self.script, here_guard, equal, false);
                }
                self.jump(&here, rest, default, pending)
            }
            Terminator::Return(values) => {
                let Some((_, _, after)) = self.graph.activations[here.activation].caller else { return Ok(()) };
                let args = self.all(&here, values)?;
                let waiting = self.segments[here.segment].waiting.get(&here.activation).cloned();
                let slots = waiting.ok_or_else(|| refuse("a call returns to a caller that does not wait"))?;
                self.hand_over(Some(after), Edge { slots, args, ..here.edge }, pending);
                Ok(())
            }
            Terminator::Stop => Ok(()),
            Terminator::Step(_) => Err(refuse("a process is not a sequential program")),
        }
    }
}

impl Edge {
    fn read(&self, place: Place) -> Name {
        match place {
            Place::Global(var) => self.globals[var.index()],
            Place::Local(slot) => self.slots[slot.index()],
        }
    }

    fn write(&mut self, place: Place, name: Name) {
        match place {
            Place::Global(var) => Rc::make_mut(&mut self.globals)[var.index()] = name,
            Place::Local(slot) => Rc::make_mut(&mut self.slots)[slot.index()] = name,
        }
    }
}
