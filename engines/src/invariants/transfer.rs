//! What instructions and jumps do to a state.
//!
//! An array's own node covers all of its cells, those with a node of their own included: a store joins its value into
//! it. A cell with a node is overwritten by a store at just its index, joined with by one that may be.

use super::domain::Abs;
use super::ops;
use super::refine;
use super::state::{Bound, State};
use super::tables::{summary, Tables};
use std::rc::Rc;
use syncline_ir::{eval, BinOp, Block, Const, Initial, InstData, Place, Terminator, Value};

/// Indices of one access up to which its cells get nodes of their own.
const FEW_INDICES: usize = 2;

/// The state before the first instruction: variables as the program says, locals zero.
pub(super) fn initial(tables: &Tables<'_>) -> State {
    let mut state = State::new(tables);
    let program = &tables.inlined.program;
    for (var, data) in program.vars.iter() {
        match &data.init {
            Initial::Const(constant) => {
                assign_constant(tables, &mut state, tables.nodes.place(Place::Global(var)), constant)
            }
            Initial::Any(_) => {}
        }
    }
    for (slot, data) in tables.body.slots.iter() {
        let node = tables.nodes.place(Place::Local(slot));
        assign_constant(tables, &mut state, node, &Const::zero(data.ty));
    }
    for node in tables.live.dead_at(tables.body.entry, tables.nodes.shared()) {
        state.forget(tables, node);
    }
    state
}

fn assign_constant(tables: &Tables<'_>, state: &mut State, node: u32, constant: &Const) {
    state.set(node, &Rc::new(summary(constant)));
    if let Const::Array(array) = constant {
        for &(index, element) in tables.elements(node) {
            state.set(element, &Rc::new(Abs::value(eval::to_bits(array.get(index)))));
        }
    }
}

/// Runs the block; the states on its edges, in the order of the terminator's targets, `None` where no run goes.
pub(super) fn block(tables: &Tables<'_>, at: Block, input: &State) -> Vec<Option<State>> {
    let data = &tables.body.blocks[at];
    let count = data.term.targets().count();
    let mut run = Run { tables, at, state: input.clone() };
    for &inst in &data.insts {
        let node = &tables.body.insts[inst];
        if !run.inst(&node.data, &node.results) {
            return vec![None; count];
        }
    }
    run.edges(&data.term)
}

/// Accesses of arrays in the block whose index is one of a few that have no node of their own yet.
pub(super) fn indices(tables: &Tables<'_>, at: Block, input: &State, found: &mut Vec<(u32, u128)>) {
    let insts = &tables.body.blocks[at].insts;
    let accesses = |data: &InstData| matches!(data, InstData::Load { .. } | InstData::Store { .. });
    if !insts.iter().any(|&inst| accesses(&tables.body.insts[inst].data)) {
        return;
    }
    let mut run = Run { tables, at, state: input.clone() };
    for &inst in insts {
        let node = &tables.body.insts[inst];
        if let InstData::Load { place, index } | InstData::Store { place, index, .. } = &node.data {
            let array = tables.nodes.place(*place);
            if let Abs::Set(values) = &*run.value(*index) {
                let known = |v: &u128| tables.elements(array).binary_search_by_key(v, |e| e.0).is_ok();
                let room = values.len() <= FEW_INDICES && tables.has_room(array);
                let new = values.iter().filter(|v| room && !known(v));
                found.extend(new.map(|&v| (array, v)));
            }
        }
        if !run.inst(&node.data, &node.results) {
            return;
        }
    }
}

struct Run<'t, 'a> {
    tables: &'t Tables<'a>,
    at: Block,
    state: State,
}

impl Run<'_, '_> {
    /// False if no run goes on behind the instruction.
    fn inst(&mut self, data: &InstData, results: &[Value]) -> bool {
        match data {
            InstData::Assume { cond } | InstData::Assert { cond, .. } => {
                return refine::constrain(self.tables, &mut self.state, self.at, *cond, Abs::bool(true));
            }
            // Nothing is modelled behind it.
            InstData::Unsupported { .. } => return false,
            InstData::Write { place, value } => self.write(*place, *value),
            InstData::Store { place, index, value } => self.store(*place, *index, *value),
            InstData::Call { .. } => {
                // Inlining leaves none; whatever it would do, nothing is known behind it.
                self.state = State::new(self.tables);
            }
            InstData::Print { .. } => {}
            InstData::Const(_)
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Ite { .. }
            | InstData::Update { .. }
            | InstData::Havoc { .. }
            | InstData::Read { .. }
            | InstData::Load { .. } => {
                if let Some(&result) = results.first() {
                    self.define(result, data);
                }
            }
        }
        true
    }

    fn value(&self, value: Value) -> Rc<Abs> {
        self.state.value(self.tables, self.at, value)
    }

    fn define(&mut self, result: Value, data: &InstData) {
        let Some(node) = self.tables.node(self.at, result) else { return };
        let abs = self.compute(result, data);
        let equal = match data {
            InstData::Read { place } => Some(self.tables.nodes.place(*place)),
            InstData::Ite { cond, then, other } => {
                let side = self.value(*cond).single().map(|c| if c != 0 { *then } else { *other });
                side.and_then(|v| self.tables.node(self.at, v))
            }
            InstData::Load { place, index } => self.element(*place, *index),
            InstData::Const(_)
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Update { .. }
            | InstData::Havoc { .. }
            | InstData::Write { .. }
            | InstData::Store { .. }
            | InstData::Call { .. }
            | InstData::Assume { .. }
            | InstData::Assert { .. }
            | InstData::Unsupported { .. }
            | InstData::Print { .. } => None,
        };
        self.state.forget_equal(node);
        self.state.set(node, &abs);
        if let Some(equal) = equal {
            self.state.make_equal(node, equal);
        }
    }

    /// The node of the one cell an access is sure to be of.
    fn element(&self, place: Place, index: Value) -> Option<u32> {
        let index = self.value(index).single()?;
        let elements = self.tables.elements(self.tables.nodes.place(place));
        elements.binary_search_by_key(&index, |e| e.0).ok().map(|at| elements[at].1)
    }

    fn compute(&self, result: Value, data: &InstData) -> Rc<Abs> {
        let ty = self.tables.scalar(result);
        let of = |v: &Value| self.value(*v);
        let computed = match data {
            InstData::Unary { op, arg } => ops::unary(*op, self.tables.scalar(*arg), &of(arg)),
            InstData::Binary { op: BinOp::Select, args: [array, index] } => self.select(*array, *index),
            InstData::Binary { op, args } => {
                let types = (self.tables.scalar(args[0]), self.tables.scalar(args[1]));
                match ops::binary(*op, types, &of(&args[0]), &of(&args[1])) {
                    Abs::Top => refine::decide(self.tables, &self.state, self.at, *op, *args),
                    known => known,
                }
            }
            InstData::Ite { cond, then, other } => match of(cond).single() {
                Some(0) => return of(other),
                Some(_) => return of(then),
                None => of(then).join(&of(other), ty),
            },
            InstData::Update { array, value, .. } => of(array).join(&of(value), ty),
            InstData::Read { place } => {
                let node = self.tables.nodes.place(*place);
                self.state.get(node).clone()
            }
            InstData::Load { place, index } => self.load(self.tables.nodes.place(*place), *index),
            InstData::Const(constant) => summary(constant),
            InstData::Havoc { .. }
            | InstData::Write { .. }
            | InstData::Store { .. }
            | InstData::Call { .. }
            | InstData::Assume { .. }
            | InstData::Assert { .. }
            | InstData::Unsupported { .. }
            | InstData::Print { .. } => Abs::Top,
        };
        Rc::new(computed)
    }

    fn load(&self, array: u32, index: Value) -> Abs {
        let all = self.state.get(array).clone();
        let elements = self.tables.elements(array);
        let Some(ty) = self.tables.node_scalar(array) else { return Abs::Top };
        let index_type = self.tables.scalar(index);
        let Some(indices) = self.value(index).few(index_type) else { return all };
        let mut found = Abs::Bottom;
        for index in indices {
            let Ok(at) = elements.binary_search_by_key(&index, |e| e.0) else { return all };
            found = found.join(self.state.get(elements[at].1), ty);
        }
        match found.meet(&all, ty) {
            Abs::Bottom => all,
            both => both,
        }
    }

    fn select(&self, array: Value, index: Value) -> Abs {
        if let (Some(constant), Some(index)) = (self.tables.constant(array), self.value(index).single()) {
            return constant.as_array().map_or(Abs::Top, |a| Abs::value(eval::to_bits(a.get(index))));
        }
        let node = self.tables.node(self.at, array);
        let equal = node
            .and_then(|n| self.state.equals(n))
            .and_then(|l| l.iter().copied().find(|&n| !self.tables.elements(n).is_empty()));
        match equal {
            Some(variable) => self.load(variable, index),
            None => (*self.value(array)).clone(),
        }
    }

    fn write(&mut self, place: Place, value: Value) {
        let (tables, at) = (self.tables, self.at);
        let node = tables.nodes.place(place);
        let differences = self.differences(node, value);
        let abs = self.value(value);
        let source = tables.node(at, value);
        let unchanged = source.and_then(|s| self.state.equals(s)).is_some_and(|l| l.contains(&node));
        if unchanged {
            return;
        }
        let cells: Vec<(u32, Rc<Abs>)> = match tables.constant(value) {
            Some(Const::Array(array)) => {
                let cell = |index: u128| Rc::new(Abs::value(eval::to_bits(array.get(index))));
                tables.elements(node).iter().map(|&(index, element)| (element, cell(index))).collect()
            }
            Some(_) | None => Vec::new(),
        };
        self.state.forget(tables, node);
        self.state.set(node, &abs);
        cells.iter().for_each(|(element, abs)| self.state.set(*element, abs));
        if let Some(source) = source {
            self.state.make_equal(node, source);
        }
        for (other, bound) in differences {
            self.state.set_difference(tables, node, other, bound);
        }
    }

    /// Bounds of the variable's differences after it is set to the value.
    fn differences(&self, node: u32, value: Value) -> Vec<(u32, Bound)> {
        let tables = self.tables;
        let pairs = tables.pairs_of(node);
        if pairs.is_empty() {
            return Vec::new();
        }
        let sources = refine::offsets(tables, &self.state, self.at, value);
        let other = |&pair: &u32| {
            let (a, b) = tables.pairs[pair as usize];
            if a == node {
                b
            } else {
                a
            }
        };
        let bound = |other: u32| {
            let known = |&(source, offset): &(u32, i128)| self.state.difference(tables, source, other).shifted(offset);
            sources.iter().map(known).fold(Bound::NONE, Bound::meet)
        };
        pairs.iter().map(other).map(|o| (o, bound(o))).filter(|(_, b)| *b != Bound::NONE).collect()
    }

    fn store(&mut self, place: Place, index: Value, value: Value) {
        let tables = self.tables;
        let array = tables.nodes.place(place);
        let (indices, new) = (self.value(index), self.value(value));
        let ty = tables.scalar(value);
        let source = tables.node(self.at, value);
        self.state.forget_equal(array);
        let all = self.state.get(array).join(&new, ty);
        self.state.set(array, &Rc::new(all));
        for &(index, element) in tables.elements(array) {
            if !indices.may_be(index) {
                continue;
            }
            self.state.forget_equal(element);
            if indices.single().is_some() {
                self.state.set(element, &new);
                if let Some(source) = source {
                    self.state.make_equal(element, source);
                }
            } else {
                let joined = self.state.get(element).join(&new, ty);
                self.state.set(element, &Rc::new(joined));
            }
        }
    }

    fn edges(self, term: &Terminator) -> Vec<Option<State>> {
        let (tables, at) = (self.tables, self.at);
        let constrained = |value: Value, abs: Abs| {
            let mut state = self.state.clone();
            refine::constrain(tables, &mut state, at, value, abs).then_some(state)
        };
        let states: Vec<Option<State>> = match term {
            Terminator::Jump(_) => vec![Some(self.state.clone())],
            Terminator::Branch { cond, .. } => {
                vec![constrained(*cond, Abs::bool(true)), constrained(*cond, Abs::bool(false))]
            }
            Terminator::Switch { value, cases, .. } => {
                let all: Vec<u128> = cases.iter().map(|(bits, _)| *bits).collect();
                let mut states: Vec<_> = all.iter().map(|&bits| constrained(*value, Abs::value(bits))).collect();
                let mut rest = self.state.clone();
                states.push(refine::exclude(tables, &mut rest, at, *value, &all).then_some(rest));
                states
            }
            // Others run in between.
            Terminator::Step(_) => vec![Some(State::new(tables))],
            Terminator::Return(_) | Terminator::Stop => Vec::new(),
        };
        let enter = |(state, target): (Option<State>, &syncline_ir::BlockCall)| {
            state.map(|state| enter(tables, at, state, target.block, &target.args))
        };
        states.into_iter().zip(term.targets()).map(enter).collect()
    }
}

/// Goes over an edge: parameters get their values, and what is not used any more is forgotten.
fn enter(tables: &Tables<'_>, from: Block, mut state: State, to: Block, args: &[Value]) -> State {
    let params = &tables.body.blocks[to].params;
    let nodes: Vec<Option<u32>> = params.iter().map(|&p| tables.nodes.shared_value(p)).collect();
    // All at once: an argument may be a parameter of the same block.
    let values: Vec<Rc<Abs>> = args.iter().map(|&a| state.value(tables, from, a)).collect();
    let witness = |&arg: &Value| {
        let equal = state.equal_nodes(tables.node(from, arg)?);
        equal.iter().copied().find(|&n| !nodes.contains(&Some(n)))
    };
    let witnesses: Vec<Option<u32>> = args.iter().map(witness).collect();
    nodes.iter().flatten().for_each(|&node| state.forget(tables, node));
    for ((node, abs), witness) in nodes.iter().zip(&values).zip(witnesses) {
        let Some(node) = *node else { continue };
        state.set(node, abs);
        if let Some(witness) = witness {
            state.make_equal(node, witness);
        }
    }
    for node in tables.local_nodes(from) {
        state.forget(tables, node);
    }
    for node in tables.live.dying(from, to) {
        if !nodes.contains(&Some(node)) {
            state.forget(tables, node);
        }
    }
    state
}
