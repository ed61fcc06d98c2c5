//! The program with every call in place, or those that are opened, as a graph: a node is a stretch of a block between such calls,
//! in one activation.
//!
//! Kept is what a run comes to on its way to something asked for. The cut points are the places the certificate names
//! and the loop headers of what is kept; without the edges into them the graph has no cycle, and the order of the nodes
//! follows the other edges.

use super::super::refuse;
use super::super::state::always_true;
use crate::annotation::Location;
use crate::task::Reason;
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;
use syncline_ir::analysis::{CallGraph, Cfg, Component, Dominators, LoopNest};
use syncline_ir::inline::calls::CallPath;
use syncline_ir::{
    Block, BlockCall, Inst, InstData, Place, Proc, Procedure, Program, Prop, Terminator, Value, ValueDef, Var,
};

/// Programs that unfold to more instructions are refused.
const MAX_INSTS: usize = 8_000_000;

/// A chain of calls from the entry, by its number. The entry's is 0.
pub(super) type Activation = usize;
/// A node by its number.
pub(super) type Node = usize;

/// What is known of a procedure before it is unfolded.
pub(super) struct Shape {
    cfg: Cfg,
    dominators: Dominators,
    /// Where an instruction stands: its block and place there.
    places: SecondaryMap<Inst, Option<(Block, usize)>>,
}

pub(super) struct ActivationData {
    pub proc: Proc,
    pub shape: Rc<Shape>,
    /// The caller, the instruction that calls, and the node that follows it.
    pub caller: Option<(Activation, Inst, Node)>,
    callees: FxHashMap<Inst, Activation>,
    first: FxHashMap<Block, Node>,
}

pub(super) struct NodeData {
    pub activation: Activation,
    pub block: Block,
    /// The instructions, by their places in the block; a call that ends the stretch is not among them.
    pub insts: Range<usize>,
    /// The instruction that calls and what it starts, unless the block's terminator is the end.
    pub call: Option<(Inst, Activation)>,
}

/// What a call may do that is not in place.
pub(super) struct Doings {
    /// Something asked for may happen.
    pub asks: bool,
    /// The variables it may write.
    pub writes: BTreeSet<Var>,
}

impl Doings {
    fn of(program: &Program, props: &[Prop], calls: &CallGraph, callee: Proc) -> Doings {
        let mut doings = Doings { asks: false, writes: BTreeSet::new() };
        for proc in calls.reachable([callee]).iter() {
            let body = &program.procs[proc];
            doings.asks |= has_asked(body, props);
            for &inst in body.layout.iter().flat_map(|&b| &body.blocks[b].insts) {
                match body.insts[inst].data {
                    InstData::Write { place: Place::Global(var), .. }
                    | InstData::Store { place: Place::Global(var), .. } => drop(doings.writes.insert(var)),
                    InstData::Write { place: Place::Local(_), .. }
                    | InstData::Store { place: Place::Local(_), .. }
                    | InstData::Assert { .. }
                    | InstData::Unsupported { .. }
                    | InstData::Const(_)
                    | InstData::Unary { .. }
                    | InstData::Binary { .. }
                    | InstData::Ite { .. }
                    | InstData::Update { .. }
                    | InstData::Havoc { .. }
                    | InstData::Read { .. }
                    | InstData::Load { .. }
                    | InstData::Call { .. }
                    | InstData::Assume { .. }
                    | InstData::Print { .. } => {}
                }
            }
        }
        doings
    }
}

pub(super) struct Unfolded<'p> {
    pub program: &'p Program,
    pub props: &'p [Prop],
    /// The calls in place, if not all of them are.
    opened: Option<&'p BTreeSet<CallPath>>,
    /// Then what the others may do, by their callee.
    doings: FxHashMap<Proc, Doings>,
    pub activations: Vec<ActivationData>,
    pub nodes: Vec<NodeData>,
    /// Whether a run can come here and from here to something asked for.
    pub kept: Vec<bool>,
    pub cuts: BTreeSet<Node>,
    /// Rises along every edge that does not lead to a cut point.
    pub rank: Vec<usize>,
}

/// Whether any procedure that is called has something asked for in it.
pub(super) fn is_asked(program: &Program, props: &[Prop]) -> bool {
    let reached = CallGraph::compute(program).reachable(program.entry);
    reached.iter().any(|p| has_asked(&program.procs[p], props))
}

/// Whether the procedure itself has something asked for in it.
fn has_asked(body: &Procedure, props: &[Prop]) -> bool {
    let mut insts = body.layout.iter().flat_map(|&b| &body.blocks[b].insts);
    insts.any(|&i| asks(body, i, props))
}

/// Whether the instruction is an assertion of the properties, or something that is not modelled.
fn asks(body: &Procedure, inst: Inst, props: &[Prop]) -> bool {
    match &body.insts[inst].data {
        InstData::Assert { prop, cond } => props.contains(prop) && !always_true(body, *cond),
        InstData::Unsupported { .. } => true,
        InstData::Call { .. }
        | InstData::Const(_)
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
    }
}

impl<'p> Unfolded<'p> {
    pub fn new(
        program: &'p Program,
        props: &'p [Prop],
        opened: Option<&'p BTreeSet<CallPath>>,
    ) -> Result<Unfolded<'p>, Reason> {
        if program.system.is_some() {
            return Err(refuse("a system of processes has no such certificate"));
        }
        let entry = program.entry.ok_or_else(|| refuse("the program has no entry"))?;
        let calls = CallGraph::compute(program);
        let recursive = |p: Proc| opened.is_none() && calls.is_recursive(p);
        if let Some(proc) = calls.reachable([entry]).iter().find(|&p| recursive(p)) {
            return Err(refuse(format!("{} is recursive, and calls are unfolded", program.procs[proc].name)));
        }
        let mut graph = Unfolded {
            program,
            props,
            opened,
            doings: FxHashMap::default(),
            activations: Vec::new(),
            nodes: Vec::new(),
            kept: Vec::new(),
            cuts: BTreeSet::new(),
            rank: Vec::new(),
        };
        if opened.is_some() {
            let reached = calls.reachable([entry]);
            graph.doings = reached.iter().map(|proc| (proc, Doings::of(program, props, &calls, proc))).collect();
        }
        graph.unfold(entry)?;
        Ok(graph)
    }

    /// What a call of the procedure may do.
    pub fn doings(&self, callee: Proc) -> &Doings {
        &self.doings[&callee]
    }

    pub fn body(&self, activation: Activation) -> &'p Procedure {
        &self.program.procs[self.activations[activation].proc]
    }

    /// The node a jump to the block leads to.
    pub fn first(&self, activation: Activation, block: Block) -> Option<Node> {
        self.activations[activation].first.get(&block).copied()
    }

    fn unfold(&mut self, entry: Proc) -> Result<(), Reason> {
        let mut shapes: FxHashMap<Proc, Rc<Shape>> = FxHashMap::default();
        let mut open = |proc: Proc, caller| {
            let shape = shapes.entry(proc).or_insert_with(|| Rc::new(Shape::of(&self.program.procs[proc]))).clone();
            ActivationData { proc, shape, caller, callees: FxHashMap::default(), first: FxHashMap::default() }
        };
        self.activations.push(open(entry, None));
        let mut insts = 0;
        let mut at = 0;
        while at < self.activations.len() {
            let body = &self.program.procs[self.activations[at].proc];
            let shape = self.activations[at].shape.clone();
            for &block in shape.cfg.rpo() {
                let listed = &body.blocks[block].insts;
                insts += listed.len() + 1;
                self.activations[at].first.insert(block, self.nodes.len());
                let mut start = 0;
                for (place, &inst) in listed.iter().enumerate() {
                    let InstData::Call { callee, .. } = body.insts[inst].data else { continue };
                    if !self.is_opened(at, inst) {
                        continue;
                    }
                    let activation = self.activations.len();
                    let call = Some((inst, activation));
                    self.nodes.push(NodeData { activation: at, block, insts: start..place, call });
                    self.activations.push(open(callee, Some((at, inst, self.nodes.len()))));
                    self.activations[at].callees.insert(inst, activation);
                    start = place + 1;
                }
                self.nodes.push(NodeData { activation: at, block, insts: start..listed.len(), call: None });
            }
            if insts.max(self.activations.len()) > MAX_INSTS {
                return Err(refuse("the program with its calls unfolded is too large to check"));
            }
            at += 1;
        }
        Ok(())
    }

    /// Whether the call of an activation is in place.
    fn is_opened(&self, mut activation: Activation, inst: Inst) -> bool {
        let Some(opened) = self.opened else { return true };
        let mut path = vec![inst];
        while let Some((caller, call, _)) = self.activations[activation].caller {
            path.push(call);
            activation = caller;
        }
        path.reverse();
        opened.contains(&path)
    }

    /// The entry's first node.
    pub fn entry(&self) -> Option<Node> {
        self.first(0, self.body(0).entry)
    }

    /// Chooses the cut points, and orders what lies between them.
    pub fn cut(&mut self, wanted: impl Iterator<Item = Node>) {
        let succs: Vec<Vec<Node>> = (0..self.nodes.len()).map(|n| self.successors(n)).collect();
        self.kept = self.useful(&succs);
        let Some(entry) = self.entry() else { return };
        let nest = LoopNest::compute(&skeleton(entry, &succs, &self.kept));
        self.cuts = wanted.filter(|&n| self.kept[n]).collect();
        self.cuts.extend(nest.loops.values().map(|l| l.header.index()).filter(|&n| self.kept[n]));
        self.rank = vec![0; self.nodes.len()];
        // The order of the nest, inner loops in their place.
        let mut next = 0;
        let mut stack: Vec<&[Component]> = vec![&nest.top];
        while let Some(rest) = stack.pop() {
            let Some((component, rest)) = rest.split_first() else { continue };
            stack.push(rest);
            match *component {
                Component::Loop(l) => stack.push(&nest.loops[l].body),
                Component::Block(block) => {
                    self.rank[block.index()] = next;
                    next += 1;
                }
            }
        }
    }

    fn successors(&self, node: Node) -> Vec<Node> {
        let data = &self.nodes[node];
        if let Some((_, callee)) = data.call {
            return self.first(callee, self.body(callee).entry).into_iter().collect();
        }
        let term = &self.body(data.activation).blocks[data.block].term;
        if let (Terminator::Return(_), Some((_, _, after))) = (term, self.activations[data.activation].caller) {
            return vec![after];
        }
        term.targets().filter_map(|t| self.first(data.activation, t.block)).collect()
    }

    /// The nodes that lie on a path from the entry to something asked for.
    fn useful(&self, succs: &[Vec<Node>]) -> Vec<bool> {
        let mut preds = vec![Vec::new(); succs.len()];
        for (from, targets) in succs.iter().enumerate() {
            targets.iter().for_each(|&to| preds[to].push(from));
        }
        let hits = (0..self.nodes.len()).filter(|&n| self.asks(n)).collect();
        let back = closure(hits, &preds);
        let forth = closure(self.entry().into_iter().collect(), succs);
        back.into_iter().zip(forth).map(|(b, f)| b && f).collect()
    }

    /// Whether the node itself has an assertion of the properties, or something that is not modelled.
    fn asks(&self, node: Node) -> bool {
        let data = &self.nodes[node];
        let body = self.body(data.activation);
        body.blocks[data.block].insts[data.insts.clone()].iter().any(|&i| match body.insts[i].data {
            // One that is in place is in no node.
            InstData::Call { callee, .. } => self.doings[&callee].asks,
            _ => asks(body, i, self.props),
        })
    }

    /// The activation that the calls lead to.
    pub fn activation(&self, calls: &[Inst]) -> Option<Activation> {
        calls.iter().try_fold(0, |at: Activation, call| self.activations[at].callees.get(call).copied())
    }

    /// The node of a location, if there is such a place and it can be reached within its procedure.
    pub fn location(&self, location: &Location) -> Option<Node> {
        self.first(self.activation(&location.calls)?, location.header)
    }

    /// The activations that are running at the start of a node, the innermost first, each with the place it is at.
    pub fn running(&self, node: Node) -> Vec<(Activation, (Block, usize))> {
        let data = &self.nodes[node];
        let mut running = vec![(data.activation, (data.block, data.insts.start))];
        let mut at = data.activation;
        while let Some((caller, inst, _)) = self.activations[at].caller {
            if let Some(place) = self.activations[caller].shape.places[inst] {
                running.push((caller, place));
            }
            at = caller;
        }
        running
    }

    /// Whether every way to the place in the activation defines the value.
    pub fn is_defined(&self, activation: Activation, (block, place): (Block, usize), value: Value) -> bool {
        let shape = &self.activations[activation].shape;
        match self.body(activation).values[value].def {
            ValueDef::Param(home, _) => shape.dominators.dominates(home, block),
            ValueDef::Result(inst, _) => shape.places[inst].is_some_and(|(home, at)| {
                if home == block {
                    at < place
                } else {
                    shape.dominators.dominates(home, block)
                }
            }),
        }
    }
}

impl Shape {
    fn of(body: &Procedure) -> Shape {
        let cfg = Cfg::compute(body);
        let mut places = SecondaryMap::new();
        for &block in cfg.rpo() {
            for (place, &inst) in body.blocks[block].insts.iter().enumerate() {
                places[inst] = Some((block, place));
            }
        }
        Shape { dominators: Dominators::of(body.entry, &cfg), cfg, places }
    }
}

fn closure(mut work: Vec<Node>, edges: &[Vec<Node>]) -> Vec<bool> {
    let mut found = vec![false; edges.len()];
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut found[node], true) {
            work.extend(edges[node].iter().copied());
        }
    }
    found
}

/// A procedure with these edges and nothing else, for the analysis of loops: blocks have the numbers of the nodes.
fn skeleton(entry: Node, succs: &[Vec<Node>], kept: &[bool]) -> Procedure {
    let mut body = Procedure::new("", syncline_ir::Origin::from_u32(0));
    while body.blocks.len() < succs.len() {
        body.add_block(body.origin);
    }
    body.entry = Block::new(entry);
    let nothing = Value::from_u32(0);
    for (node, targets) in succs.iter().enumerate().filter(|(node, _)| kept[*node]) {
        let mut calls = targets.iter().filter(|&&t| kept[t]).map(|&t| BlockCall::from(Block::new(t)));
        let Some(default) = calls.next_back() else { continue };
        let cases = (0..).zip(calls).collect();
        body.blocks[Block::new(node)].term = Terminator::Switch { value: nothing, cases, default };
    }
    body
}
