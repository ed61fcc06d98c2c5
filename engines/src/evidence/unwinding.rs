//! Checks unwinding bounds: within them no run violates the property or leaves the modelled part, and none goes
//! beyond them.
//!
//! A plain symbolic execution of the IR as the front end made it, variables and all. Blocks are visited in the order
//! of the loop nest, each loop as often as its bound says; where control meets, every variable that differs becomes
//! an if-then-else. The query asks for a run that fails an assertion of the property, reaches something unsupported,
//! or takes a back edge (or a recursive call) beyond the bound; the bounds hold when there is none. Assertions of other
//! properties end the run. Blocks from which nothing asked for can be reached are not visited.
//!
//! The bounds are matched to loops by the place of their header. A wrong match costs a verdict, never makes a wrong
//! one: the query includes the bounds.
//!
//! [`super::inlining`] runs programs the same way, but has its own plan of what to unwind.

use super::emit::{Name, Script};
use super::inlining::Opened;
use super::refuse;
use super::solve::{is_unsat, Judge};
use super::state::{always_true, backwards, take, wide_values, Edge, Pending, Run, Shape, State};
use crate::task::{Acceleration, Reason};
use crate::vc::LoopKey;
use cranelift_entity::EntitySet;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;
use syncline_ir::analysis::{Component, LoopId, LoopNest};
use syncline_ir::{
    BinOp, Block, Const, Initial, Inst, InstData, Origin, Proc, Procedure, Program, Prop, Terminator, Type, Value, Var,
};

/// The query may not grow beyond this many bytes of text.
const MAX_TEXT: usize = 400 << 20;

/// Bounds that turn out too small grow up to this factor: passes may have removed a loop the property does not need,
/// so that the certificate does not name it.
const MAX_SLACK: u32 = 1 << 12;

pub fn check(
    program: &Program,
    props: &[Prop],
    bounds: &BTreeMap<LoopKey, u32>,
    judge: &mut Judge,
) -> Result<(), Reason> {
    check_accelerated(program, props, bounds, &[], judge)
}

/// The same, of runs in which loops are accelerated.
pub(super) fn check_accelerated(
    program: &Program,
    props: &[Prop],
    bounds: &BTreeMap<LoopKey, u32>,
    accelerations: &[Acceleration],
    judge: &mut Judge,
) -> Result<(), Reason> {
    let deadline = judge.deadline;
    let mut slack = 1;
    while slack <= MAX_SLACK {
        let mut encoder = Encoder::new(program, props, Plan::Bounds { bounds, slack }, deadline);
        encoder.accelerations = accelerations;
        encoder.run()?;
        let (violations, beyond) = (encoder.violations.clone(), encoder.beyond.clone());
        let all: Vec<Name> = violations.iter().chain(&beyond).copied().collect();
        if all.is_empty() {
            return Ok(());
        }
        let query = encoder.script.query(&[], &all);
        if is_unsat(&query, deadline)? {
            judge.keep("unwinding", "no run within the bounds violates the property, and none goes beyond them", query);
            return Ok(());
        }
        let query = encoder.script.query(&[], &violations);
        if !is_unsat(&query, deadline)? {
            return Err(refuse("a run within the unwinding bounds violates the property"));
        }
        slack *= 2;
    }
    Err(refuse("the unwinding bounds do not hold"))
}

/// How far loops and calls are followed.
pub(super) enum Plan<'p> {
    Bounds { bounds: &'p BTreeMap<LoopKey, u32>, slack: u32 },
    Nodes(Opened<'p>),
}

/// How an activation came about: the instruction that calls it (the entry has none), and the node of the plan it is.
#[derive(Copy, Clone)]
pub(super) struct Via {
    pub call: Option<Inst>,
    pub node: u32,
}

/// A running activation.
pub(super) struct Frame {
    pub proc: Proc,
    /// The instruction that calls it; the entry has none.
    pub call: Option<Inst>,
    pub shape: Rc<Shape>,
    /// Whether something asked for can be reached after it returns.
    pub after: bool,
    pub returned: Vec<Edge>,
    /// The node of the plan that it is, or of the iteration that runs in it.
    pub node: u32,
}

pub(super) struct Encoder<'p> {
    pub program: &'p Program,
    props: &'p [Prop],
    pub plan: Plan<'p>,
    deadline: Instant,
    pub script: Script,
    pub accelerations: &'p [Acceleration],
    shapes: Rc<FxHashMap<Proc, Rc<Shape>>>,
    /// Procedures from which something asked for can be reached without returning.
    pub hitting: EntitySet<Proc>,
    pub stack: Vec<Frame>,
    pub violations: Vec<Name>,
    beyond: Vec<Name>,
}

pub(super) type Outcome<T> = Result<T, Reason>;

impl<'p> Encoder<'p> {
    pub fn new(program: &'p Program, props: &'p [Prop], plan: Plan<'p>, deadline: Instant) -> Encoder<'p> {
        let mut encoder = Encoder {
            program,
            props,
            plan,
            deadline,
            script: Script::new(),
            accelerations: &[],
            shapes: Rc::default(),
            hitting: EntitySet::new(),
            stack: Vec::new(),
            violations: Vec::new(),
            beyond: Vec::new(),
        };
        encoder.find_hitting();
        encoder
    }

    /// One that knows what this one does of the program, and has run nothing.
    pub fn afresh(&self, plan: Plan<'p>) -> Encoder<'p> {
        Encoder {
            program: self.program,
            props: self.props,
            plan,
            deadline: self.deadline,
            script: Script::new(),
            accelerations: &[],
            shapes: self.shapes.clone(),
            hitting: self.hitting.clone(),
            stack: Vec::new(),
            violations: Vec::new(),
            beyond: Vec::new(),
        }
    }

    /// The least fixpoint over the calls.
    fn find_hitting(&mut self) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (proc, body) in self.program.procs.iter() {
                if !self.hitting.contains(proc) && body.layout.iter().any(|&b| self.block_hits(body, b)) {
                    changed |= self.hitting.insert(proc);
                }
            }
        }
    }

    fn block_hits(&self, body: &Procedure, block: Block) -> bool {
        self.any_hits(body, &body.blocks[block].insts)
    }

    /// Whether one of the instructions is asked for, or calls what may be.
    pub fn any_hits(&self, body: &Procedure, insts: &[Inst]) -> bool {
        insts.iter().any(|&i| match &body.insts[i].data {
            InstData::Assert { prop, cond } => self.props.contains(prop) && !always_true(body, *cond),
            InstData::Unsupported { .. } => true,
            InstData::Call { callee, .. } => self.hitting.contains(*callee),
            InstData::Const(_)
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Ite { .. }
            | InstData::Update { .. }
            | InstData::Havoc { .. }
            | InstData::Read { .. }
            | InstData::Write { .. }
            | InstData::Load { .. }
            | InstData::Store { .. }
            | InstData::Assume { .. }
            | InstData::Print { .. } => false,
        })
    }

    pub fn shape(&mut self, proc: Proc) -> Rc<Shape> {
        if let Some(shape) = self.shapes.get(&proc) {
            return shape.clone();
        }
        let body = &self.program.procs[proc];
        let (wide, wide_count) = wide_values(body);
        let hits = backwards(body, |b| self.block_hits(body, b));
        let returns = backwards(body, |b| matches!(body.blocks[b].term, Terminator::Return(_)));
        let shape = Rc::new(Shape { nest: LoopNest::compute(body), wide, wide_count, hits, returns });
        Rc::make_mut(&mut self.shapes).insert(proc, shape.clone());
        shape
    }

    pub fn run(&mut self) -> Outcome<()> {
        let entry = self.program.entry.ok_or_else(|| refuse("the program has no entry"))?;
        let guard = self.script.constant(&Const::TRUE);
        let globals: Vec<Name> = self
            .program
            .vars
            .values()
            .map(|v| v.init.clone())
            .zip(self.program.vars.keys())
            .map(|(init, var): (Initial, Var)| match init {
                Initial::Const(c) => self.script.constant(&c),
                Initial::Any(_) => self.script.declare(self.program.vars[var].ty),
            })
            .collect();
        let params = self.program.procs[entry].params().to_vec();
        // The interpreter gives parameters of the entry the value zero.
        let args: Vec<Name> = params
            .iter()
            .map(|&p| self.script.constant(&Const::zero(self.program.procs[entry].value_type(p))))
            .collect();
        if let Plan::Nodes(_) = self.plan {
            self.start(entry, &globals, &args)?;
        }
        self.activate(entry, Via { call: None, node: 0 }, guard, Rc::new(globals), args, false)?;
        Ok(())
    }

    /// Runs a procedure, as this node of the plan; the edges on which it returns.
    pub fn activate(
        &mut self,
        proc: Proc,
        via: Via,
        guard: Name,
        globals: Rc<Vec<Name>>,
        args: Vec<Name>,
        after: bool,
    ) -> Outcome<Vec<Edge>> {
        let shape = self.shape(proc);
        let body = &self.program.procs[proc];
        let slots = body.slots.values().map(|s| self.script.constant(&Const::zero(s.ty))).collect();
        let values = Rc::new(vec![None; shape.wide_count]);
        let state = State { guard, globals, slots: Rc::new(slots), values };
        let Via { call, node } = via;
        self.stack.push(Frame { proc, call, shape: shape.clone(), after, returned: Vec::new(), node });
        let mut pending = Pending::default();
        pending.entry(body.entry).or_default().push((state, args));
        let left = self.components(&shape.nest.top, pending)?;
        debug_assert!(left.is_empty(), "an edge leads out of the procedure");
        Ok(self.stack.pop().map(|f| f.returned).unwrap_or_default())
    }

    /// Runs components in order; the edges that lead elsewhere are left over.
    pub fn components(&mut self, components: &[Component], mut pending: Pending) -> Outcome<Pending> {
        for component in components {
            match *component {
                Component::Block(block) => {
                    if let Some(edges) = pending.remove(&block) {
                        self.block(block, edges, &mut pending)?;
                    }
                }
                Component::Loop(l) => {
                    let shape = self.frame().shape.clone();
                    let inside = take(&mut pending, |b| shape.nest.contains(l, b));
                    if inside.is_empty() || !self.matters(&shape, shape.nest.loops[l].header) {
                        continue;
                    }
                    match self.plan {
                        Plan::Bounds { .. } => self.repeat(&shape, l, inside, &mut pending)?,
                        Plan::Nodes(_) => self.follow_loop(&shape, l, inside, &mut pending)?,
                    }
                }
            }
        }
        Ok(pending)
    }

    /// An activation that runs from somewhere in its middle.
    pub(super) fn open_frame(&mut self, proc: Proc, call: Option<Inst>) {
        let shape = self.shape(proc);
        self.stack.push(Frame { proc, call, shape, after: true, returned: Vec::new(), node: 0 });
    }

    /// What must not happen: violations, and more iterations than the bounds say.
    pub(super) fn unwanted(&self) -> Vec<Name> {
        self.violations.iter().chain(&self.beyond).copied().collect()
    }

    /// Whether something asked for can be reached from the block, in this activation or after it. A loop's blocks all
    /// lead to one another.
    pub fn matters(&self, shape: &Shape, block: Block) -> bool {
        shape.hits.contains(block) || self.frame().after && shape.returns.contains(block)
    }

    pub fn frame(&self) -> &Frame {
        &self.stack[self.stack.len() - 1]
    }

    /// Runs a loop as often as its bound says; what would go on is beyond.
    fn repeat(&mut self, shape: &Rc<Shape>, l: LoopId, mut inside: Pending, outside: &mut Pending) -> Outcome<()> {
        let header = shape.nest.loops[l].header;
        let accelerations = self.accelerations_at(header);
        for _ in 0..self.loop_bound(shape, l) {
            let visit = match inside.remove(&header) {
                Some(edges) if !accelerations.is_empty() => {
                    let start = self.meet(edges);
                    let visit = self.visit(header, l, start, &accelerations)?;
                    inside.insert(header, vec![visit.start.clone()]);
                    Some(visit)
                }
                Some(edges) => {
                    inside.insert(header, edges);
                    None
                }
                None => None,
            };
            let mut left = self.components(&shape.nest.loops[l].body, inside)?;
            inside = take(&mut left, |b| b == header);
            if let Some(visit) = visit {
                self.forbid(header, &visit, &mut inside)?;
            }
            for (block, edges) in left {
                outside.entry(block).or_default().extend(edges);
            }
            if inside.is_empty() {
                return Ok(());
            }
        }
        self.beyond.extend(inside.values().flatten().map(|(state, _)| state.guard));
        Ok(())
    }

    fn loop_bound(&self, shape: &Shape, l: LoopId) -> u32 {
        let body = &self.program.procs[self.frame().proc];
        let header = &body.blocks[shape.nest.loops[l].header];
        let origin = header.insts.first().map_or(header.term_origin, |&i| body.insts[i].origin);
        self.bound(&body.name, origin)
    }

    /// The bound named by the certificate; of a loop it does not name, the largest of its procedure times the slack.
    fn bound(&self, proc: &str, header: Origin) -> u32 {
        let Plan::Bounds { bounds, slack } = self.plan else { return 0 };
        if let Some(&exact) = bounds.get(&LoopKey { proc: proc.to_string(), header }) {
            return exact.saturating_add(slack.ilog2());
        }
        let of_proc = bounds.iter().filter(|(k, _)| k.proc == proc).map(|(_, &n)| n).max();
        of_proc.unwrap_or(1).saturating_mul(slack)
    }

    fn block(&mut self, block: Block, edges: Vec<Edge>, pending: &mut Pending) -> Outcome<()> {
        let frame = self.frame();
        let shape = frame.shape.clone();
        if !self.matters(&shape, block) {
            return Ok(());
        }
        if self.script.len() > MAX_TEXT {
            return Err(refuse("the certificate is too large to check"));
        }
        if Instant::now() >= self.deadline {
            return Err(Reason::Time);
        }
        let body = &self.program.procs[frame.proc];
        let (state, args) = self.meet(edges);
        let data = &body.blocks[block];
        let mut run = Run { state, local: FxHashMap::default(), shape };
        for (&param, &arg) in data.params.iter().zip(&args) {
            run.define(param, arg);
        }
        for (position, &inst) in data.insts.iter().enumerate() {
            if !self.inst(body, block, position, inst, &mut run)? {
                return Ok(());
            }
        }
        self.terminator(&data.term, run, pending)
    }

    /// Where control meets: a variable that differs is an if-then-else over the edges' guards.
    pub fn meet(&mut self, mut edges: Vec<Edge>) -> Edge {
        let (mut state, mut args) = match edges.pop() {
            Some(edge) => edge,
            None => unreachable!("a block is run only for an edge"),
        };
        for (other, more) in edges.into_iter().rev() {
            let cond = other.guard;
            state.guard = self.script.or(cond, state.guard);
            self.meet_names(cond, &other.globals, &mut state.globals);
            self.meet_names(cond, &other.slots, &mut state.slots);
            self.meet_values(cond, &other.values, &mut state.values);
            for (mine, theirs) in args.iter_mut().zip(more) {
                if *mine != theirs {
                    *mine = self.script.ite(cond, theirs, *mine);
                }
            }
        }
        (state, args)
    }

    fn meet_names(&mut self, cond: Name, theirs: &Rc<Vec<Name>>, mine: &mut Rc<Vec<Name>>) {
        if Rc::ptr_eq(theirs, mine) {
            return;
        }
        for i in 0..theirs.len() {
            if theirs[i] != mine[i] {
                let met = self.script.ite(cond, theirs[i], mine[i]);
                Rc::make_mut(mine)[i] = met;
            }
        }
    }

    /// A value that is not defined on one way is not used after the meeting.
    fn meet_values(&mut self, cond: Name, theirs: &Rc<Vec<Option<Name>>>, mine: &mut Rc<Vec<Option<Name>>>) {
        if Rc::ptr_eq(theirs, mine) {
            return;
        }
        for i in 0..theirs.len() {
            match (theirs[i], mine[i]) {
                (Some(a), Some(b)) if a != b => Rc::make_mut(mine)[i] = Some(self.script.ite(cond, a, b)),
                (Some(a), None) => Rc::make_mut(mine)[i] = Some(a),
                (Some(_), Some(_)) | (None, _) => {}
            }
        }
    }

    /// Runs an instruction; false if no run goes on.
    fn inst(&mut self, body: &Procedure, block: Block, position: usize, inst: Inst, run: &mut Run) -> Outcome<bool> {
        let node = &body.insts[inst];
        let no_term = || refuse("an operator has no SMT-LIB term");
        let result = match &node.data {
            InstData::Const(c) => self.script.constant(c),
            InstData::Unary { op, arg } => self.script.unary(*op, run.get(*arg)).ok_or_else(no_term)?,
            InstData::Binary { op, args } => {
                self.script.binary(*op, run.get(args[0]), run.get(args[1])).ok_or_else(no_term)?
            }
            InstData::Ite { cond, then, other } => self.script.ite(run.get(*cond), run.get(*then), run.get(*other)),
            InstData::Update { array, index, value } => {
                self.script.store(run.get(*array), run.get(*index), run.get(*value))
            }
            InstData::Havoc { .. } => self.script.declare(body.value_type(node.results[0])),
            InstData::Read { place } => run.state.read(*place),
            InstData::Load { place, index } => {
                let array = run.state.read(*place);
                self.script.binary(BinOp::Select, array, run.get(*index)).ok_or_else(no_term)?
            }
            InstData::Write { place, value } => {
                run.state.write(*place, run.get(*value));
                return Ok(true);
            }
            InstData::Store { place, index, value } => {
                let array = run.state.read(*place);
                let changed = self.script.store(array, run.get(*index), run.get(*value));
                run.state.write(*place, changed);
                return Ok(true);
            }
            InstData::Assume { cond } => {
                run.state.guard = self.script.and(run.state.guard, run.get(*cond));
                return Ok(!self.script.is_known(run.state.guard, false));
            }
            InstData::Assert { prop, cond } => {
                let cond = run.get(*cond);
                if self.props.contains(prop) {
                    let fails = self.script.not(cond);
                    let violated = self.script.and(run.state.guard, fails);
                    if !self.script.is_known(violated, false) {
                        self.violations.push(violated);
                    }
                }
                run.state.guard = self.script.and(run.state.guard, cond);
                return Ok(!self.script.is_known(run.state.guard, false));
            }
            InstData::Unsupported { .. } => {
                self.violations.push(run.state.guard);
                return Ok(false);
            }
            InstData::Print { .. } => return Ok(true),
            InstData::Call { callee, args } => {
                let args = args.iter().map(|&a| run.get(a)).collect();
                let results = node.results.to_vec();
                let after = self.relevant_after(body, block, position);
                return match self.plan {
                    Plan::Bounds { .. } => self.call(inst, *callee, args, &results, after, run),
                    Plan::Nodes(_) => self.follow_call(inst, *callee, args, &results, after, run),
                };
            }
        };
        run.define(node.results[0], result);
        Ok(true)
    }

    fn call(
        &mut self,
        inst: Inst,
        callee: Proc,
        args: Vec<Name>,
        results: &[Value],
        after: bool,
        run: &mut Run,
    ) -> Outcome<bool> {
        let depth = self.stack.iter().filter(|f| f.proc == callee).count() as u32;
        let target = &self.program.procs[callee];
        if depth > 0 && depth >= self.bound(&target.name, target.origin) {
            self.beyond.push(run.state.guard);
            return Ok(false);
        }
        let via = Via { call: Some(inst), node: 0 };
        let edges = self.activate(callee, via, run.state.guard, run.state.globals.clone(), args, after)?;
        Ok(self.come_back(edges, results, run))
    }

    /// Goes on behind a call that returns on these edges; false if no run does.
    pub fn come_back(&mut self, edges: Vec<Edge>, results: &[Value], run: &mut Run) -> bool {
        if edges.is_empty() {
            return false;
        }
        let (state, values) = self.meet(edges);
        run.state.guard = state.guard;
        run.state.globals = state.globals;
        for (&result, &value) in results.iter().zip(&values) {
            run.define(result, value);
        }
        true
    }

    /// Whether something asked for can be reached after this instruction.
    fn relevant_after(&self, body: &Procedure, block: Block, position: usize) -> bool {
        let frame = self.frame();
        self.hits_behind(body, &frame.shape, block, position) || frame.after && frame.shape.returns.contains(block)
    }

    /// Whether the activation can reach something asked for after this instruction.
    fn hits_behind(&self, body: &Procedure, shape: &Shape, block: Block, position: usize) -> bool {
        let data = &body.blocks[block];
        let in_block = self.any_hits(body, &data.insts[position + 1..]);
        in_block || data.term.targets().any(|t| shape.hits.contains(t.block))
    }

    /// The procedures after whose return something asked for can be reached, whoever calls them: the least fixpoint.
    pub fn matter_after(&mut self) -> EntitySet<Proc> {
        let program = self.program;
        let mut found: EntitySet<Proc> = EntitySet::new();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (caller, body) in program.procs.iter() {
                let shape = self.shape(caller);
                for &block in &body.layout {
                    let returns = found.contains(caller) && shape.returns.contains(block);
                    for (position, &inst) in body.blocks[block].insts.iter().enumerate() {
                        let InstData::Call { callee, .. } = body.insts[inst].data else { continue };
                        if !found.contains(callee) && (returns || self.hits_behind(body, &shape, block, position)) {
                            changed |= found.insert(callee);
                        }
                    }
                }
            }
        }
        found
    }

    fn terminator(&mut self, term: &Terminator, run: Run, pending: &mut Pending) -> Outcome<()> {
        match term {
            Terminator::Jump(target) => run.edge(&self.script, run.state.guard, target, pending),
            Terminator::Branch { cond, then, other } => {
                let cond = run.get(*cond);
                let negated = self.script.not(cond);
                let taken = self.script.and(run.state.guard, cond);
                let not_taken = self.script.and(run.state.guard, negated);
                run.edge(&self.script, taken, then, pending);
                run.edge(&self.script, not_taken, other, pending);
            }
            Terminator::Switch { value, cases, default } => {
                let value = run.get(*value);
                let Type::Scalar(syncline_ir::Scalar::Bv(width)) = self.script.ty(value) else {
                    return Err(refuse("a switch on something else than a bit-vector"));
                };
                let mut rest = run.state.guard;
                for (constant, target) in cases {
                    let constant = self.script.constant(&Const::bv(width, *constant));
                    let equal = self
                        .script
                        .binary(BinOp::Eq, value, constant)
                        .ok_or_else(|| refuse("a switch compares different widths"))?;
                    let taken = self.script.and(rest, equal);
                    run.edge(&self.script, taken, target, pending);
                    let differs = self.script.not(equal);
                    rest = self.script.and(rest, differs);
                }
                run.edge(&self.script, rest, default, pending);
            }
            Terminator::Return(values) => {
                let values = values.iter().map(|&v| run.get(v)).collect();
                if let Some(frame) = self.stack.last_mut() {
                    frame.returned.push((run.state, values));
                }
            }
            Terminator::Stop => {}
            Terminator::Step(_) => return Err(refuse("a process is not a sequential program")),
        }
        Ok(())
    }
}
