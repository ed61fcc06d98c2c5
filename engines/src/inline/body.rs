//! The verification condition of one region (RMT, section 3.1), built once and instantiated wherever the region is opened.
//!
//! Blocks are run symbolically in topological order; where control meets, guards and values are joined as in
//! [`crate::vc`]. A call gets a Boolean `pass` (it comes back), selectors for the exit it comes back through, and a symbol
//! for each value it brings. Nothing is said of them here: that is done when the call is opened, and until then blocking
//! `pass` gives fewer runs, leaving it free more.
//!
//! Guards are conditions on the way from the region's entry. Where the paper has an `error` flag and a return after each
//! call, a violation here is a guard of its own, and what follows an assertion is guarded by its condition: the question
//! is whether a violation can be reached, not whether the entry procedure can return, and no flag is needed.

use super::region::{Exit, Key, Region, RegionId, Regions};
use crate::annotation::Cell;
use crate::logic::subst::Substitution;
use crate::logic::{Term, TermStore};
use crate::vc::{Guard, Guards, TargetKind};
use rustc_hash::FxHashMap;
use syncline_ir::analysis::{Component, LoopId};
use syncline_ir::{
    BinOp, Block, BlockCall, Const, Inst, InstData, Place, Proc, Procedure, Site, Terminator, Type, Value, Var,
};

/// A call in the body of a region.
#[derive(Clone)]
pub struct CallSite {
    pub key: Key,
    pub callee: RegionId,
    pub guard: Term,
    pub args: Vec<Term>,
    /// It comes back.
    pub pass: Term,
    /// Through which exit: the first whose selector is true, the last if none is. One fewer than exits.
    pub select: Vec<Term>,
    /// The outputs, and what each exit brings.
    pub outputs: Vec<Term>,
    pub brought: Vec<Vec<Term>>,
}

/// What a run meets on its way, in the order of the run.
pub enum Step {
    Input {
        guard: Term,
        site: Site,
        value: Term,
    },
    Call(usize),
    /// What a read of a variable gives that is not tracked.
    Any(Term),
    /// A block is entered. Only where variables are not tracked: the run must be found in the program then.
    Block {
        guard: Term,
        block: Block,
    },
}

pub struct Body {
    pub inputs: Vec<Term>,
    pub calls: Vec<CallSite>,
    pub steps: Vec<Step>,
    pub targets: Vec<(TargetKind, Term)>,
    /// By exit: when it is taken, and what it gives: the outputs, then what it brings.
    pub exits: Vec<(Term, Vec<Term>)>,
    /// When the region is left without calling itself.
    pub leaves: Vec<Term>,
    /// Instructions, for budgets.
    pub size: u64,
}

impl Body {
    /// When a violation, a call or an exit is come to.
    pub fn guards(&self) -> Vec<Term> {
        let mut guards: Vec<Term> = self.targets.iter().map(|&(_, guard)| guard).collect();
        guards.extend(self.calls.iter().map(|c| c.guard));
        guards.extend(self.exits.iter().map(|(guard, _)| *guard));
        guards
    }

    /// The condition with something put in for symbols, without what a run meets on its way.
    pub fn replaced(&self, store: &mut TermStore, map: &mut Substitution) -> Body {
        let mut put = |terms: &[Term]| -> Vec<Term> { terms.iter().map(|&t| map.apply(store, t)).collect() };
        let mut calls = Vec::with_capacity(self.calls.len());
        for call in &self.calls {
            calls.push(CallSite { guard: put(&[call.guard])[0], args: put(&call.args), ..call.clone() });
        }
        Body {
            inputs: self.inputs.clone(),
            calls,
            steps: Vec::new(),
            targets: self.targets.iter().map(|&(kind, guard)| (kind, put(&[guard])[0])).collect(),
            exits: self.exits.iter().map(|(guard, values)| (put(&[*guard])[0], put(values))).collect(),
            leaves: put(&self.leaves),
            size: self.size,
        }
    }
}

/// The condition of a region.
pub fn build(regions: &Regions, id: RegionId, store: &mut TermStore) -> Body {
    let region = regions.get(id);
    let builder = Builder::new(regions, region, store);
    builder.run(id)
}

/// An edge: the variables, then the arguments of the block.
type Edges = Vec<(Guard, Vec<Term>)>;

struct Builder<'a, 'p> {
    regions: &'a Regions<'p>,
    region: &'a Region,
    proc: &'p Procedure,
    store: &'a mut TermStore,
    guards: Guards,
    /// The variables, in the order in which edges carry them.
    cells: Vec<Cell>,
    place: FxHashMap<Cell, usize>,
    state: Vec<Term>,
    values: FxHashMap<Value, Term>,
    pending: FxHashMap<Block, Edges>,
    /// Edges to the loop's own header, and by exit.
    back: Edges,
    leaving: Vec<Edges>,
    body: Body,
}

impl<'a, 'p> Builder<'a, 'p> {
    fn new(regions: &'a Regions<'p>, region: &'a Region, store: &'a mut TermStore) -> Builder<'a, 'p> {
        let proc = regions.body(region);
        let mut cells: Vec<Cell> = region.inputs.iter().copied().filter(|c| !matches!(c, Cell::Value(_))).collect();
        if region.in_loop.is_none() {
            cells.extend(proc.slots.keys().map(Cell::Local));
        }
        let body = Body {
            inputs: Vec::new(),
            calls: Vec::new(),
            steps: Vec::new(),
            targets: Vec::new(),
            exits: Vec::new(),
            leaves: Vec::new(),
            size: 0,
        };
        let place = cells.iter().enumerate().map(|(n, &c)| (c, n)).collect();
        let (guards, exits) = (Guards::new(store), region.exits.len());
        Builder {
            regions,
            region,
            proc,
            guards,
            store,
            cells,
            place,
            state: Vec::new(),
            values: FxHashMap::default(),
            pending: FxHashMap::default(),
            back: Vec::new(),
            leaving: (0..exits).map(|_| Vec::new()).collect(),
            body,
        }
    }

    fn run(mut self, id: RegionId) -> Body {
        self.start();
        let regions = self.regions;
        self.components(regions.components(self.region));
        self.body.leaves = self.leaving.iter().flatten().map(|(guard, _)| self.guards.term(*guard)).collect();
        self.next_iteration(id);
        for n in 0..self.leaving.len() {
            let edges = std::mem::take(&mut self.leaving[n]);
            let exit = match self.guards.join(self.store, edges) {
                Some(joined) => (self.guards.term(joined.guard), joined.values),
                None => (self.store.ff(), Vec::new()),
            };
            self.body.exits.push(exit);
        }
        self.body
    }

    /// Inputs are symbols, locals of a new activation zero.
    fn start(&mut self) {
        let mut state = vec![self.store.ff(); self.cells.len()];
        for &cell in &self.region.inputs {
            let symbol = self.store.new_symbol("in", self.regions.cell_type(self.region.proc, cell));
            self.body.inputs.push(symbol);
            match cell {
                Cell::Value(value) => drop(self.values.insert(value, symbol)),
                Cell::Global(_) | Cell::Local(_) => state[self.place[&cell]] = symbol,
            }
        }
        let first = match (self.region.in_loop, &self.regions.nests[self.region.proc]) {
            (Some(l), Some(nest)) => nest.loops[l].header,
            (Some(_), None) | (None, _) => {
                for (slot, data) in self.proc.slots.iter() {
                    state[self.place[&Cell::Local(slot)]] = self.store.constant_term(Const::zero(data.ty));
                }
                self.proc.entry
            }
        };
        // The parameters of the first block are inputs.
        let params = self.proc.blocks[first].params.iter().map(|p| self.values[p]);
        state.extend(params);
        self.pending.insert(first, vec![(Guards::ROOT, state)]);
    }

    /// Joins what waits for a block: the guard and the arguments; variables are set.
    fn enter(&mut self, edges: Option<Edges>) -> Option<(Guard, Vec<Term>)> {
        let joined = self.guards.join(self.store, edges?)?;
        let mut values = joined.values;
        let args = values.split_off(self.cells.len());
        self.state = values;
        Some((joined.guard, args))
    }

    fn block(&mut self, block: Block) {
        let edges = self.pending.remove(&block);
        let Some((mut guard, args)) = self.enter(edges) else { return };
        let data = &self.proc.blocks[block];
        for (&param, arg) in data.params.iter().zip(args) {
            self.values.insert(param, arg);
        }
        self.body.size += data.insts.len() as u64 + 1;
        if self.regions.are_abstract() {
            self.body.steps.push(Step::Block { guard: self.guards.term(guard), block });
        }
        for &inst in &data.insts {
            match self.inst(inst, guard) {
                Some(after) => guard = after,
                None => return,
            }
        }
        self.terminator(&data.term, guard);
    }

    fn get(&self, value: Value) -> Term {
        match self.values.get(&value) {
            Some(&term) => term,
            None => unreachable!("{value} is used where it is not defined: the verifier refuses that"),
        }
    }

    fn read(&mut self, place: Place) -> Term {
        let cell = match place {
            Place::Global(var) => match self.regions.fixed(var) {
                Some(c) => return self.store.constant_term(c.clone()),
                None => Cell::Global(var),
            },
            Place::Local(slot) => Cell::Local(slot),
        };
        self.state[self.place[&cell]]
    }

    /// Any value, a new one in each instance.
    fn any(&mut self, ty: Type) -> Term {
        let value = self.store.new_symbol("any", ty);
        self.body.steps.push(Step::Any(value));
        value
    }

    fn is_tracked(&self, place: Place) -> bool {
        match place {
            Place::Global(var) => self.regions.is_tracked(var) || self.regions.fixed(var).is_some(),
            Place::Local(_) => true,
        }
    }

    fn write(&mut self, place: Place, term: Term) {
        let cell = match place {
            Place::Global(var) => Cell::Global(var),
            Place::Local(slot) => Cell::Local(slot),
        };
        self.state[self.place[&cell]] = term;
    }

    /// Runs an instruction; the guard after it, or `None` if no run goes on.
    fn inst(&mut self, inst: Inst, guard: Guard) -> Option<Guard> {
        let node = &self.proc.insts[inst];
        let result = match &node.data {
            InstData::Const(c) => self.store.constant_term(c.clone()),
            InstData::Unary { op, arg } => {
                let arg = self.get(*arg);
                self.store.un(*op, arg)
            }
            InstData::Binary { op, args } => {
                let (a, b) = (self.get(args[0]), self.get(args[1]));
                self.store.bin(*op, a, b)
            }
            InstData::Ite { cond, then, other } => {
                let (c, a, b) = (self.get(*cond), self.get(*then), self.get(*other));
                self.store.ite(c, a, b)
            }
            InstData::Update { array, index, value } => {
                let (a, i, v) = (self.get(*array), self.get(*index), self.get(*value));
                self.store.store(a, i, v)
            }
            InstData::Havoc { site } => {
                let name = &self.regions.program.sites[*site].name;
                let value = self.store.new_symbol(name, self.proc.value_type(node.results[0]));
                self.body.steps.push(Step::Input { guard: self.guards.term(guard), site: *site, value });
                value
            }
            InstData::Read { place } | InstData::Load { place, .. } if !self.is_tracked(*place) => {
                self.any(self.proc.value_type(node.results[0]))
            }
            InstData::Write { place, .. } | InstData::Store { place, .. } if !self.is_tracked(*place) => {
                return Some(guard);
            }
            InstData::Read { place } => self.read(*place),
            InstData::Load { place, index } => {
                let (array, index) = (self.read(*place), self.get(*index));
                self.store.select(array, index)
            }
            InstData::Write { place, value } => {
                self.write(*place, self.get(*value));
                return Some(guard);
            }
            InstData::Store { place, index, value } => {
                let (array, index, value) = (self.read(*place), self.get(*index), self.get(*value));
                let changed = self.store.store(array, index, value);
                self.write(*place, changed);
                return Some(guard);
            }
            InstData::Assume { cond } => {
                let cond = self.get(*cond);
                return self.guards.and(self.store, guard, cond);
            }
            InstData::Assert { prop, cond } => {
                let cond = self.get(*cond);
                let negated = self.store.not(cond);
                if let Some(violated) = self.guards.and(self.store, guard, negated) {
                    self.body.targets.push((TargetKind::Violation(*prop), self.guards.term(violated)));
                }
                return self.guards.and(self.store, guard, cond);
            }
            InstData::Unsupported { obligation } => {
                self.body.targets.push((TargetKind::Unsupported(*obligation), self.guards.term(guard)));
                return None;
            }
            InstData::Print { .. } => return Some(guard),
            InstData::Call { callee, args } => {
                let args = args.iter().map(|&a| self.get(a)).collect();
                return self.procedure_call(inst, *callee, args, guard);
            }
        };
        self.values.insert(node.results[0], result);
        Some(guard)
    }

    fn procedure_call(&mut self, inst: Inst, callee: Proc, mut args: Vec<Term>, guard: Guard) -> Option<Guard> {
        let id = self.regions.id(callee, None);
        let target = self.regions.get(id);
        let globals = target.inputs.iter().filter(|c| matches!(c, Cell::Global(_)));
        args.extend(globals.map(|c| self.state[self.place[c]]));
        let call = self.call(Key::Call(inst), id, args, guard);
        self.take_outputs(target, call);
        let exits = self.exit_guards(call, guard);
        let results = self.body.calls[call].brought.first().cloned().unwrap_or_default();
        for (&result, term) in self.proc.insts[inst].results.iter().zip(results) {
            self.values.insert(result, term);
        }
        exits.into_iter().next().flatten()
    }

    fn components(&mut self, components: &[Component]) {
        for component in components {
            match *component {
                Component::Block(block) => self.block(block),
                Component::Loop(l) => self.inner_loop(l),
            }
        }
    }

    /// Enters an inner loop once; control goes on behind its exits.
    fn inner_loop(&mut self, l: LoopId) {
        let Some(nest) = &self.regions.nests[self.region.proc] else { return };
        let header = nest.loops[l].header;
        if self.pending.keys().any(|&b| b != header && nest.contains(l, b)) {
            // It is entered in its middle: what is left of that iteration is run here.
            self.components(&nest.loops[l].body[1..]);
        }
        let edges = self.pending.remove(&header);
        let Some((guard, header_args)) = self.enter(edges) else { return };
        let id = self.regions.id(self.region.proc, Some(l));
        let target = self.regions.get(id);
        let args = self.loop_args(target, &header_args, header);
        let call = self.call(Key::Loop(header), id, args, guard);
        self.take_outputs(target, call);
        let exits = self.exit_guards(call, guard);
        for ((&exit, guard), n) in target.exits.iter().zip(exits).zip(0..) {
            let Some(guard) = guard else { continue };
            let brought: Vec<Term> = self.body.calls[call].brought[n].clone();
            match exit {
                Exit::Return => self.leave(Exit::Return, guard, brought),
                Exit::Block(block) => self.deliver(block, guard, brought),
            }
        }
    }

    /// The loop calls itself where an edge leads back to its header.
    fn next_iteration(&mut self, id: RegionId) {
        let (Some(l), Some(nest)) = (self.region.in_loop, &self.regions.nests[self.region.proc]) else { return };
        let header = nest.loops[l].header;
        let edges = std::mem::take(&mut self.back);
        let Some((guard, header_args)) = self.enter(Some(edges)) else { return };
        // What is used from outside is still what came in.
        for (&cell, &symbol) in self.region.inputs.iter().zip(&self.body.inputs) {
            if let Cell::Value(value) = cell {
                self.values.insert(value, symbol);
            }
        }
        let region = self.region;
        let args = self.loop_args(region, &header_args, header);
        let call = self.call(Key::Loop(header), id, args, guard);
        let exits = self.exit_guards(call, guard);
        for (n, guard) in exits.into_iter().enumerate() {
            let Some(guard) = guard else { continue };
            let site = &self.body.calls[call];
            let values = site.outputs.iter().chain(&site.brought[n]).copied().collect();
            self.leaving[n].push((guard, values));
        }
    }

    fn loop_args(&self, target: &Region, header_args: &[Term], header: Block) -> Vec<Term> {
        let params = &self.proc.blocks[header].params;
        let of = |&cell: &Cell| match cell {
            Cell::Value(value) => match params.iter().position(|&p| p == value) {
                Some(n) => header_args[n],
                None => self.get(value),
            },
            Cell::Global(_) | Cell::Local(_) => self.state[self.place[&cell]],
        };
        target.inputs.iter().map(of).collect()
    }

    fn call(&mut self, key: Key, callee: RegionId, args: Vec<Term>, guard: Guard) -> usize {
        let target = self.regions.get(callee);
        let proc = target.proc;
        let fresh = |store: &mut TermStore, ty: Type| store.new_symbol("out", ty);
        let outputs = target.outputs.iter().map(|&c| fresh(self.store, self.regions.cell_type(proc, c))).collect();
        let brought = target.exits.iter().map(|&e| self.regions.brought(proc, e));
        let brought = brought.map(|types| types.into_iter().map(|ty| fresh(self.store, ty)).collect()).collect();
        let pass = self.store.new_symbol("pass", Type::BOOL);
        let selectors = target.exits.len().saturating_sub(1);
        let select = (0..selectors).map(|_| self.store.new_symbol("exit", Type::BOOL)).collect();
        let n = self.body.calls.len();
        let guard = self.guards.term(guard);
        self.body.calls.push(CallSite { key, callee, guard, args, pass, select, outputs, brought });
        self.body.steps.push(Step::Call(n));
        n
    }

    /// Variables and values are what the call gives.
    fn take_outputs(&mut self, target: &Region, call: usize) {
        for (&cell, &term) in target.outputs.iter().zip(&self.body.calls[call].outputs) {
            match cell {
                Cell::Value(value) => drop(self.values.insert(value, term)),
                Cell::Global(_) | Cell::Local(_) => self.state[self.place[&cell]] = term,
            }
        }
    }

    /// The guard behind each exit of a call.
    fn exit_guards(&mut self, call: usize, guard: Guard) -> Vec<Option<Guard>> {
        let site = &self.body.calls[call];
        let (pass, select, exits) = (site.pass, site.select.clone(), site.brought.len());
        if exits == 0 {
            return Vec::new();
        }
        let mut rest = self.guards.and(self.store, guard, pass);
        let mut guards = Vec::with_capacity(exits);
        for literal in select {
            let Some(here) = rest else { break };
            guards.push(self.guards.and(self.store, here, literal));
            let negated = self.store.not(literal);
            rest = self.guards.and(self.store, here, negated);
        }
        guards.push(rest);
        guards.resize(exits, None);
        guards
    }

    fn terminator(&mut self, term: &Terminator, guard: Guard) {
        match term {
            Terminator::Jump(target) => self.edge(target, Some(guard)),
            Terminator::Branch { cond, then, other } => {
                let cond = self.get(*cond);
                let negated = self.store.not(cond);
                let taken = self.guards.and(self.store, guard, cond);
                self.edge(then, taken);
                let not_taken = self.guards.and(self.store, guard, negated);
                self.edge(other, not_taken);
            }
            Terminator::Switch { value, cases, default } => self.switch(*value, cases, default, guard),
            Terminator::Return(values) => {
                let values = values.iter().map(|&v| self.get(v)).collect();
                self.leave(Exit::Return, guard, values);
            }
            Terminator::Stop => {}
            Terminator::Step(_) => unreachable!("a process is not a sequential program"),
        }
    }

    fn switch(&mut self, value: Value, cases: &[(u128, BlockCall)], default: &BlockCall, guard: Guard) {
        let value = self.get(value);
        let width = self.store.width(value);
        let mut rest = Some(guard);
        for (constant, target) in cases {
            let Some(here) = rest else { return };
            let constant = self.store.bv(width, *constant);
            let equal = self.store.bin(BinOp::Eq, value, constant);
            let taken = self.guards.and(self.store, here, equal);
            self.edge(target, taken);
            let differs = self.store.not(equal);
            rest = self.guards.and(self.store, here, differs);
        }
        self.edge(default, rest);
    }

    fn edge(&mut self, target: &BlockCall, guard: Option<Guard>) {
        let Some(guard) = guard else { return };
        let args = target.args.iter().map(|&a| self.get(a)).collect();
        self.deliver(target.block, guard, args);
    }

    /// Hands control to a block: of this region, the header again, or outside.
    fn deliver(&mut self, block: Block, guard: Guard, args: Vec<Term>) {
        if let (Some(l), Some(nest)) = (self.region.in_loop, &self.regions.nests[self.region.proc]) {
            if block == nest.loops[l].header {
                let values = self.state.iter().copied().chain(args).collect();
                self.back.push((guard, values));
                return;
            }
            if !nest.contains(l, block) {
                self.leave(Exit::Block(block), guard, args);
                return;
            }
        }
        let values = self.state.iter().copied().chain(args).collect();
        self.pending.entry(block).or_default().push((guard, values));
    }

    fn leave(&mut self, exit: Exit, guard: Guard, brought: Vec<Term>) {
        let Some(n) = self.region.exits.iter().position(|&e| e == exit) else {
            unreachable!("a region knows its exits")
        };
        let mut values = Vec::with_capacity(self.region.outputs.len() + brought.len());
        for &cell in &self.region.outputs {
            values.push(match cell {
                // A value that is not defined on this way is not used behind it.
                Cell::Value(value) => match self.values.get(&value) {
                    Some(&term) => term,
                    None => self.store.constant_term(Const::zero(self.proc.value_type(value))),
                },
                Cell::Global(_) | Cell::Local(_) => self.state[self.place[&cell]],
            });
        }
        values.extend(brought);
        self.leaving[n].push((guard, values));
    }
}

/// When a call comes back through an exit, if `back` says that it does, and `select` through which.
pub fn taken(store: &mut TermStore, back: Term, select: &[Term], exit: usize) -> Term {
    let mut taken = back;
    for (n, &literal) in select.iter().enumerate().take(exit + 1) {
        let literal = if n == exit { literal } else { store.not(literal) };
        taken = store.and(taken, literal);
    }
    taken
}

/// The initial values of the entry's inputs, and the unknown ones among them.
pub fn initial(regions: &Regions, entry: RegionId, store: &mut TermStore) -> (Vec<Term>, Vec<(Site, Term)>) {
    let region = regions.get(entry);
    let mut unknown = Vec::new();
    let mut of = |var: Var| match &regions.program.vars[var].init {
        syncline_ir::Initial::Const(c) => store.constant_term(c.clone()),
        syncline_ir::Initial::Any(site) => {
            let data = &regions.program.vars[var];
            let value = store.new_symbol(&data.name, data.ty);
            unknown.push((*site, value));
            value
        }
    };
    let inputs = region.inputs.iter().map(|&cell| match cell {
        Cell::Global(var) => Ok(of(var)),
        // The interpreter gives parameters of the entry the value zero.
        Cell::Value(_) | Cell::Local(_) => Err(cell),
    });
    let inputs: Vec<Result<Term, Cell>> = inputs.collect();
    let zero = |cell| Const::zero(regions.cell_type(region.proc, cell));
    let inputs = inputs.into_iter().map(|i| i.unwrap_or_else(|cell| store.constant_term(zero(cell)))).collect();
    (inputs, unknown)
}
