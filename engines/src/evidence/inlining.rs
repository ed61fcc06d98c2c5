//! Checks what inlining has opened: with everything else doing anything, no run violates the property.
//!
//! The program as the front end made it is run as [`super::unwinding`] does, but what is followed is what the
//! certificate says: a call or an iteration that it opens is run as the node it leads to. One that it does not open is
//! *closed*: what it may write gets any value, it comes back any way it can; and if something asked for can be reached
//! inside, a run that comes to it counts as one that does.
//!
//! Where a region has a contract ([`super::contract`]), that holds where it is entered and, if it is closed, where it is left.
//!
//! A node that several calls lead to is run once, from symbols for what it takes in. Each call says that these are its
//! values if it is made, and takes out symbols that the node says are its results if it returns. That is right only if no
//! run makes two of the calls; so "two of them are made" is one of the things the query asks for.
//!
//! **Why that is enough.** Suppose a run reaches something asked for. Take its shortest beginning that does so in a node, or
//! comes to a closed call or loop in which it can be reached, or makes a second call that leads to a node that it has been
//! to. One of these comes first, since what is in no node is behind a closed call. Up to there every node was
//! entered at most once, so its symbols can have the values of that activation; `returns` is false for those that have
//! not returned; closed calls give what they gave. Behind that event the formula may go on with values that no run has, but
//! nothing there can make it false: what is taken for granted is only that a node returns with what it computes, that it is
//! entered by a call, and that the only call made gives it its values; all of it can be had in the order of time, with
//! `returns` false from the event on. What contracts say of a node is a guard of what it does, never taken for granted: a
//! second call goes on with the results of the first, of which they need not be true. So the query is satisfiable. A certificate whose nodes form another
//! graph than the engine's costs a verdict, never makes a wrong one.

use super::contract::{self, Contracts, Given};
use super::emit::Name;
use super::refuse;
use super::solve::{is_unsat, Judge};
use super::state::{take, Pending, Run, Shape, State};
use super::unwinding::{Encoder, Outcome, Plan, Via};
use crate::inline::Key;
use crate::task::{InlinedNode, Reason};
use std::collections::BTreeMap;
use std::rc::Rc;
use syncline_ir::analysis::{Effects, LoopId};
use syncline_ir::{Block, Const, Inst, InstData, Place, Proc, Program, Prop, Terminator, Type, Value, Var};

/// Loops and calls are followed as the nodes of a certificate say.
pub(super) struct Opened<'p> {
    nodes: &'p [InlinedNode],
    pub contracts: &'p Contracts,
    /// Contracts are being checked: where they are broken.
    pub modular: bool,
    pub broken: Vec<Name>,
    pub effects: Rc<Effects>,
    /// How many calls lead to each node; whether it was run.
    leading: Vec<u32>,
    entered: Vec<bool>,
    joined: BTreeMap<u32, Joined>,
    /// Nodes that wait to be run.
    waiting: Vec<u32>,
    /// What must hold of the symbols.
    given: Vec<Name>,
}

/// A node that several calls lead to.
struct Joined {
    callee: Proc,
    entered: Name,
    returns: Name,
    params: Vec<Name>,
    /// The variables it may touch as it takes them in, those it may write as it gives them back.
    inputs: Vec<(Var, Name)>,
    outputs: Vec<(Var, Name)>,
    results: Vec<Name>,
    /// The calls: when they are made, and with what arguments and variables.
    calls: Vec<(Name, Vec<Name>)>,
}

impl<'p> Opened<'p> {
    pub fn new(
        effects: Rc<Effects>,
        nodes: &'p [InlinedNode],
        contracts: &'p Contracts,
        modular: bool,
    ) -> Outcome<Opened<'p>> {
        let mut leading = vec![0; nodes.len()];
        for &to in nodes.iter().flat_map(|n| n.opened.values()) {
            *leading.get_mut(to as usize).ok_or_else(|| refuse("a call leads to a node that is not there"))? += 1;
        }
        if leading.first() != Some(&0) {
            return Err(refuse("the first node is not the entry's"));
        }
        Ok(Opened {
            nodes,
            contracts,
            modular,
            broken: Vec::new(),
            effects,
            leading,
            entered: vec![false; nodes.len()],
            joined: BTreeMap::new(),
            waiting: Vec::new(),
            given: Vec::new(),
        })
    }
}

pub fn check(
    program: &Program,
    props: &[Prop],
    nodes: &[InlinedNode],
    contracts: &Contracts,
    judge: &mut Judge,
) -> Result<(), Reason> {
    let effects = Rc::new(Effects::compute(program));
    contract::check(program, props, contracts, &effects, judge)?;
    let opened = Opened::new(effects, nodes, contracts, false)?;
    let mut encoder = Encoder::new(program, props, Plan::Nodes(opened), judge.deadline);
    encoder.run()?;
    encoder.run_joined()?;
    let (violations, given) = encoder.asked()?;
    if violations.is_empty() {
        return Ok(());
    }
    let query = encoder.script.query(&given, &violations);
    if !is_unsat(&query, judge.deadline)? {
        return Err(refuse("with what is not opened doing anything, a run violates the property"));
    }
    judge.keep("inlining", "no run violates the property, whatever the calls do that are not opened", query);
    Ok(())
}

impl<'p> Encoder<'p> {
    pub fn opened(&mut self) -> Outcome<&mut Opened<'p>> {
        match &mut self.plan {
            Plan::Nodes(opened) => Ok(opened),
            Plan::Bounds { .. } => Err(refuse("there are no nodes to follow")),
        }
    }

    /// The node that the running one opens there, if it does.
    fn leads_to(&mut self, key: Key) -> Outcome<Option<u32>> {
        let node = self.frame().node as usize;
        let opened = self.opened()?;
        Ok(opened.nodes.get(node).and_then(|n| n.opened.get(&key)).copied())
    }

    /// A node that one call leads to is run there, and nowhere else.
    fn enter(&mut self, node: u32) -> Outcome<()> {
        match std::mem::replace(&mut self.opened()?.entered[node as usize], true) {
            false => Ok(()),
            true => Err(refuse("a node is entered twice")),
        }
    }

    pub fn follow_call(
        &mut self,
        inst: Inst,
        callee: Proc,
        args: Vec<Name>,
        results: &[Value],
        after: bool,
        run: &mut Run,
    ) -> Outcome<bool> {
        if !after && !self.hitting.contains(callee) {
            return Ok(false);
        }
        let Some(node) = self.leads_to(Key::Call(inst))? else {
            return self.close_call(callee, args, results, run);
        };
        if self.opened()?.leading[node as usize] > 1 {
            return self.join(node, callee, args, results, run);
        }
        self.enter(node)?;
        let mut guard = run.state.guard;
        if let Some(contract) = self.contract(callee, None)? {
            let taken = self.taken_by(callee, &run.state.globals, &args);
            let holds = self.all_hold(&contract.requires, &taken, None)?;
            guard = self.script.and(guard, holds);
        }
        let edges =
            self.activate(callee, Via { call: Some(inst), node }, guard, run.state.globals.clone(), args, after)?;
        Ok(self.come_back(edges, results, run))
    }

    /// What the program starts with must keep the contract of the entry.
    pub fn start(&mut self, entry: Proc, globals: &[Name], args: &[Name]) -> Outcome<()> {
        let Some(contract) = self.contract(entry, None)? else { return Ok(()) };
        let taken = self.taken_by(entry, &Rc::new(globals.to_vec()), args);
        let holds = self.all_hold(&contract.requires, &taken, None)?;
        let fails = self.script.not(holds);
        self.violations.push(fails);
        Ok(())
    }

    /// A call that may do anything its procedure may, within its contract.
    fn close_call(&mut self, callee: Proc, args: Vec<Name>, results: &[Value], run: &mut Run) -> Outcome<bool> {
        let contract = self.contract(callee, None)?.unwrap_or_default();
        let taken = self.taken_by(callee, &run.state.globals, &args);
        let holds = self.all_hold(&contract.requires, &taken, None)?;
        self.must_hold(run.state.guard, holds)?;
        if self.hitting.contains(callee) && !contract.safe {
            self.violations.push(run.state.guard);
        }
        let written: Vec<Var> = self.opened()?.effects.of(callee).written.iter().collect();
        let body = &self.program.procs[callee];
        if !body.layout.iter().any(|&b| matches!(body.blocks[b].term, Terminator::Return(_))) {
            return Ok(false);
        }
        for var in written {
            let any = self.script.declare(self.program.vars[var].ty);
            run.state.write(Place::Global(var), any);
        }
        for (&result, &ty) in results.iter().zip(&body.results) {
            let any = self.script.declare(ty);
            run.define(result, any);
        }
        let globals = run.state.globals.clone();
        let given = Given { globals, slots: Rc::default(), results: results.iter().map(|&r| run.get(r)).collect() };
        let holds = self.all_hold(&contract.ensures, &taken, Some(&given))?;
        run.state.guard = self.script.and(run.state.guard, holds);
        Ok(!self.script.is_known(run.state.guard, false))
    }

    /// One of several calls that lead to a node.
    fn join(&mut self, node: u32, callee: Proc, args: Vec<Name>, results: &[Value], run: &mut Run) -> Outcome<bool> {
        if !self.opened()?.joined.contains_key(&node) {
            let joined = self.new_joined(callee)?;
            let opened = self.opened()?;
            opened.joined.insert(node, joined);
            opened.waiting.push(node);
        }
        let Some(joined) = self.opened()?.joined.get_mut(&node) else { return Ok(false) };
        if joined.callee != callee {
            return Err(refuse("calls of different procedures lead to one node"));
        }
        let globals = joined.inputs.iter().map(|&(var, _)| run.state.read(Place::Global(var)));
        joined.calls.push((run.state.guard, args.into_iter().chain(globals).collect()));
        for &(var, name) in &joined.outputs {
            run.state.write(Place::Global(var), name);
        }
        for (&result, &name) in results.iter().zip(&joined.results) {
            run.define(result, name);
        }
        let returns = joined.returns;
        run.state.guard = self.script.and(run.state.guard, returns);
        Ok(!self.script.is_known(run.state.guard, false))
    }

    fn new_joined(&mut self, callee: Proc) -> Outcome<Joined> {
        let effect = self.opened()?.effects.of(callee).clone();
        let body = &self.program.procs[callee];
        let mut symbol = |ty: Type| self.script.declare(ty);
        let vars = &self.program.vars;
        Ok(Joined {
            callee,
            entered: symbol(Type::BOOL),
            returns: symbol(Type::BOOL),
            params: body.params().iter().map(|&p| symbol(body.value_type(p))).collect(),
            inputs: effect.touched.iter().map(|var| (var, symbol(vars[var].ty))).collect(),
            outputs: effect.written.iter().map(|var| (var, symbol(vars[var].ty))).collect(),
            results: body.results.iter().map(|&ty| symbol(ty)).collect(),
            calls: Vec::new(),
        })
    }

    /// Runs the nodes that several calls lead to, each once.
    fn run_joined(&mut self) -> Outcome<()> {
        while let Some(node) = self.opened()?.waiting.pop() {
            self.enter(node)?;
            let Some(joined) = self.opened()?.joined.get(&node) else { continue };
            let (callee, entered, returns) = (joined.callee, joined.entered, joined.returns);
            let (params, results) = (joined.params.clone(), joined.results.clone());
            let (inputs, outputs) = (joined.inputs.clone(), joined.outputs.clone());
            // Contracts may speak of what the node does not touch: any value, but one of this node alone.
            let mut globals: Vec<Name> = self.program.vars.values().map(|v| self.script.declare(v.ty)).collect();
            inputs.iter().for_each(|&(var, name)| globals[var.as_u32() as usize] = name);
            let globals = Rc::new(globals);
            let mut guard = entered;
            if let Some(contract) = self.contract(callee, None)? {
                let taken = self.taken_by(callee, &globals, &params);
                let holds = self.all_hold(&contract.requires, &taken, None)?;
                guard = self.script.and(entered, holds);
            }
            let edges = self.activate(callee, Via { call: None, node }, guard, globals, params, true)?;
            if edges.is_empty() {
                let never = self.script.not(returns);
                self.opened()?.given.push(never);
                continue;
            }
            let (state, values) = self.meet(edges);
            self.imply(returns, state.guard)?;
            for (name, value) in results.into_iter().zip(values) {
                self.equal_if(returns, name, value)?;
            }
            for (var, name) in outputs {
                self.equal_if(returns, name, state.read(Place::Global(var)))?;
            }
        }
        Ok(())
    }

    fn imply(&mut self, premise: Name, conclusion: Name) -> Outcome<()> {
        let negated = self.script.not(premise);
        let holds = self.script.or(negated, conclusion);
        self.opened()?.given.push(holds);
        Ok(())
    }

    fn equal_if(&mut self, premise: Name, a: Name, b: Name) -> Outcome<()> {
        if a == b {
            return Ok(());
        }
        // What is the same float may be written differently: `=` of SMT-LIB is sameness there, and that is meant.
        let equal = self.script.same(a, b);
        self.imply(premise, equal)
    }

    /// What a run must not reach, and what holds of the symbols: who leads to the nodes that several calls lead to.
    fn asked(&mut self) -> Outcome<(Vec<Name>, Vec<Name>)> {
        let joined = std::mem::take(&mut self.opened()?.joined);
        for node in joined.into_values() {
            let mut any = self.script.constant(&Const::FALSE);
            let mut twice = self.script.constant(&Const::FALSE);
            for &(made, _) in &node.calls {
                let again = self.script.and(any, made);
                twice = self.script.or(twice, again);
                any = self.script.or(any, made);
            }
            self.imply(node.entered, any)?;
            let once = self.script.not(twice);
            for (made, values) in &node.calls {
                let alone = self.script.and(*made, once);
                self.imply(alone, node.entered)?;
                let names = node.params.iter().copied().chain(node.inputs.iter().map(|&(_, name)| name));
                for (name, &value) in names.zip(values) {
                    self.equal_if(alone, name, value)?;
                }
            }
            self.violations.push(twice);
        }
        let violations = std::mem::take(&mut self.violations);
        let violations = violations.into_iter().filter(|&v| !self.script.is_known(v, false)).collect();
        Ok((violations, std::mem::take(&mut self.opened()?.given)))
    }

    /// Runs the iterations that are opened; the others may do anything the loop may.
    pub fn follow_loop(
        &mut self,
        shape: &Rc<Shape>,
        l: LoopId,
        mut inside: Pending,
        outside: &mut Pending,
    ) -> Outcome<()> {
        let header = shape.nest.loops[l].header;
        let before = self.frame().node;
        let sides = take(&mut inside, |b| b != header);
        if !sides.is_empty() {
            // It is entered in its middle: what is left of that iteration is run as a part of what is around the loop.
            let mut left = self.components(&shape.nest.loops[l].body, sides)?;
            for (block, edges) in take(&mut left, |b| b == header) {
                inside.entry(block).or_default().extend(edges);
            }
            for (block, edges) in left {
                outside.entry(block).or_default().extend(edges);
            }
        }
        while !inside.is_empty() {
            let Some(node) = self.leads_to(Key::Loop(header))? else {
                self.close_loop(shape, l, inside, outside)?;
                break;
            };
            if self.opened()?.leading[node as usize] > 1 {
                return Err(refuse("several iterations lead to one node"));
            }
            self.enter(node)?;
            let (mut state, args) = self.meet(inside.into_values().flatten().collect());
            self.enter_loop(shape, l, &mut state, &args)?;
            self.at_node(node);
            let inside_again = Pending::from([(header, vec![(state, args)])]);
            let mut left = self.components(&shape.nest.loops[l].body, inside_again)?;
            inside = take(&mut left, |b| b == header);
            for (block, edges) in left {
                outside.entry(block).or_default().extend(edges);
            }
        }
        self.at_node(before);
        Ok(())
    }

    fn at_node(&mut self, node: u32) {
        if let Some(frame) = self.stack.last_mut() {
            frame.node = node;
        }
    }

    /// A loop that may do anything from its header on, and be left over each of its exits.
    pub fn close_loop(&mut self, shape: &Rc<Shape>, l: LoopId, inside: Pending, outside: &mut Pending) -> Outcome<()> {
        let (proc, header) = (self.frame().proc, shape.nest.loops[l].header);
        let body = &self.program.procs[proc];
        let blocks: Vec<Block> = body.layout.iter().copied().filter(|&b| shape.nest.contains(l, b)).collect();
        if inside.keys().any(|&b| b != header) {
            return Err(refuse("a loop is closed in its middle"));
        }
        let (mut state, args) = self.meet(inside.into_values().flatten().collect());
        self.enter_loop(shape, l, &mut state, &args)?;
        let taken = self.taken_by_loop(shape, l, &state, &args);
        let contract = self.contract(proc, Some(header))?.unwrap_or_default();
        if !contract.safe && blocks.iter().any(|&b| self.any_hits(body, &body.blocks[b].insts)) {
            self.violations.push(state.guard);
        }
        let mut places: Vec<Place> =
            self.opened()?.effects.of_blocks(body, &blocks).written.iter().map(Place::Global).collect();
        for &inst in blocks.iter().flat_map(|&b| &body.blocks[b].insts) {
            if let InstData::Write { place: place @ Place::Local(_), .. }
            | InstData::Store { place: place @ Place::Local(_), .. } = body.insts[inst].data
            {
                places.push(place);
            }
        }
        for place in places {
            let any = self.script.declare(self.program.place_type(body, place));
            state.write(place, any);
        }
        for &block in &blocks {
            let data = &body.blocks[block];
            let results = data.insts.iter().flat_map(|&i| &body.insts[i].results);
            for &value in data.params.iter().chain(results) {
                if let Some(n) = shape.wide[value] {
                    let any = self.script.declare(body.value_type(value));
                    Rc::make_mut(&mut state.values)[n as usize] = Some(any);
                }
            }
        }
        let given = Given { globals: state.globals.clone(), slots: state.slots.clone(), results: Vec::new() };
        let holds = self.all_hold(&contract.ensures, &taken, Some(&given))?;
        state.guard = self.script.and(state.guard, holds);
        for &block in &blocks {
            if let Terminator::Return(_) = body.blocks[block].term {
                let values = body.results.iter().map(|&ty| self.script.declare(ty)).collect();
                let edge = (self.somehow(&state), values);
                if let Some(frame) = self.stack.last_mut() {
                    frame.returned.push(edge);
                }
            }
            let outside_of = |b: Block| !shape.nest.contains(l, b) && !contract.never.contains(&b);
            for target in body.successors(block).filter(|t| outside_of(t.block)) {
                let params = &body.blocks[target.block].params;
                let args = params.iter().map(|&p| self.script.declare(body.value_type(p))).collect();
                let edge = (self.somehow(&state), args);
                outside.entry(target.block).or_default().push(edge);
            }
        }
        Ok(())
    }

    /// The state behind an exit that may be taken.
    fn somehow(&mut self, state: &State) -> State {
        let taken = self.script.declare(Type::BOOL);
        let guard = self.script.and(state.guard, taken);
        State { guard, ..state.clone() }
    }
}
