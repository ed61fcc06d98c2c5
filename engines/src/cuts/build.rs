//! Makes the segments of a cut-point system by symbolic execution of the inlined program.
//!
//! From a cut, blocks are run in topological order, each once: where control meets, guards and values are joined
//! ([`crate::vc::guard`]). Edges into a loop header end there. Which cells are constant at a cut is found on the way,
//! optimistically: a cut starts with the constants of the first edge that comes to it and loses those that another
//! edge contradicts, and is then run again; in the end every constant is confirmed by every segment, so it is an
//! invariant (an inductive one: a certificate states it).

use super::codes::{self, Codes};
use super::live::{cell, Liveness};
use super::{Arrival, Cut, CutData, CutSystem, Input, Segment};
use crate::annotation::Cell;
use crate::logic::{Term, TermStore};
use crate::task::Reason;
use crate::vc::{Guard, Guards};
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use syncline_ir::analysis::{Component, LoopNest};
use syncline_ir::inline::Inlined;
use syncline_ir::{BinOp, Block, BlockCall, Const, Initial, InstData, Procedure, Terminator, Type, Value};

/// Cuts at the loop headers and at `more` blocks.
pub fn build(inlined: Inlined, more: &[Block], deadline: Instant) -> Result<CutSystem, Reason> {
    let mut builder = Builder::new(&inlined, more, deadline);
    builder.run()?;
    builder.encode()?;
    builder.drop_irrelevant();
    let Builder { store, symbols, codes, heads, init, .. } = builder;
    let (reached, never): (Vec<(Block, Head)>, Vec<_>) = heads.into_iter().partition(|(_, h)| h.known.is_some());
    let unreached = never.into_iter().map(|(header, _)| header).collect();
    let number: FxHashMap<Block, Cut> = reached.iter().enumerate().map(|(n, &(b, _))| (b, Cut::new(n))).collect();
    let mut cuts = PrimaryMap::new();
    let mut segments = PrimaryMap::new();
    let kept: FxHashMap<Block, Vec<bool>> =
        reached.iter().map(|(b, head)| (*b, (0..head.cells.len()).map(|i| head.varies(i)).collect())).collect();
    let finish = |raw: Raw| raw.finish(&number, &kept);
    for (header, head) in reached {
        let cells = (0..head.cells.len()).filter(|&i| head.varies(i)).map(|i| head.cells[i]).collect();
        let constants = head.constants();
        let dropped = |i: usize| head.known.as_ref().is_some_and(|k| k[i].is_none()) && !head.relevant[i];
        let coded = (0..head.cells.len()).filter(|&i| dropped(i) && codes.contains_key(&head.cells[i]));
        let coded = coded.map(|i| head.cells[i]).collect();
        cuts.push(CutData { header, is_header: head.is_header, cells, constants, coded });
        segments.push(finish(head.segment.unwrap_or_default()));
    }
    let init = finish(init);
    let cell_of = symbols.iter().filter_map(|(&cell, &t)| Some((store.as_symbol(t)?, cell))).collect();
    Ok(CutSystem { inlined, store, cuts, symbols, codes, cell_of, init, segments, unreached })
}

/// A loop header while the constants are being found.
struct Head {
    is_header: bool,
    /// The cells that are live there, and the header's parameters.
    cells: Vec<Cell>,
    /// `None` until a run is seen to come there; then for each cell its constant, or `None` if it has none.
    known: Option<Vec<Option<Const>>>,
    /// Whether a cell matters; see [`Builder::drop_irrelevant`].
    relevant: Vec<bool>,
    segment: Option<Raw>,
}

impl Head {
    fn varies(&self, i: usize) -> bool {
        self.relevant[i] && self.known.as_ref().is_some_and(|k| k[i].is_none())
    }

    fn constants(&self) -> Vec<(Cell, Const)> {
        let known = self.known.iter().flatten();
        self.cells.iter().zip(known).filter_map(|(&cell, c)| Some((cell, c.clone()?))).collect()
    }
}

/// A segment whose arrivals still have a value for every cell of the header.
#[derive(Default)]
struct Raw {
    segment: Segment,
    arrivals: Vec<(Block, Term, Vec<Term>)>,
}

impl Raw {
    fn finish(self, number: &FxHashMap<Block, Cut>, kept: &FxHashMap<Block, Vec<bool>>) -> Segment {
        // A header without a number is one no run was seen to come to while cells had their values. Now that they have
        // codes the guard may be a term that is false without looking so.
        let arrivals = self.arrivals.into_iter().filter_map(|(header, guard, values)| {
            let (&cut, kept) = (number.get(&header)?, kept.get(&header)?);
            let values = values.into_iter().zip(kept).filter(|(_, &keep)| keep).map(|(v, _)| v).collect();
            Some(Arrival { cut, guard, values })
        });
        Segment { arrivals: arrivals.collect(), ..self.segment }
    }
}

struct Builder<'a> {
    inlined: &'a Inlined,
    body: &'a Procedure,
    deadline: Instant,
    live: Liveness,
    /// The place of each block in a topological order; 0 for blocks no run comes to.
    order: SecondaryMap<Block, u32>,
    blocks: Vec<Block>,
    store: TermStore,
    symbols: FxHashMap<Cell, Term>,
    codes: Codes,
    /// The tree of each coded cell.
    trees: FxHashMap<Cell, Term>,
    heads: BTreeMap<Block, Head>,
    init: Raw,
}

/// Edges that wait for their block, by its place in the order.
type Pending = BTreeMap<u32, Vec<(Guard, Vec<Term>)>>;

/// A segment being made.
struct Walk {
    guards: Guards,
    pending: Pending,
    /// Edges into headers.
    arriving: BTreeMap<Block, Vec<(Guard, Vec<Term>)>>,
    segment: Segment,
    cells: FxHashMap<Cell, Term>,
}

impl<'a> Builder<'a> {
    fn new(inlined: &'a Inlined, more: &[Block], deadline: Instant) -> Builder<'a> {
        let body = inlined.body();
        let nest = LoopNest::compute(body);
        let live = Liveness::compute(body);
        let blocks = flatten(&nest);
        let mut order = SecondaryMap::new();
        blocks.iter().zip(1..).for_each(|(&b, n)| order[b] = n);
        let head = |header: Block, is_header: bool| {
            let mut cells: Vec<Cell> = live.live_in[header].iter().map(|&c| live.cells[c as usize]).collect();
            cells.extend(body.blocks[header].params.iter().map(|&p| Cell::Value(p)));
            let relevant = vec![false; cells.len()];
            (header, Head { is_header, cells, known: None, relevant, segment: None })
        };
        // A block no run comes to has no place in the order.
        let more = more.iter().filter(|&&b| order[b] > 0).map(|&b| head(b, false));
        let heads = more.chain(nest.loops.values().map(|l| head(l.header, true))).collect();
        Builder {
            inlined,
            body,
            deadline,
            order,
            blocks,
            store: TermStore::new(),
            symbols: FxHashMap::default(),
            codes: Codes::default(),
            trees: FxHashMap::default(),
            heads,
            init: Raw::default(),
            live,
        }
    }

    fn cell_type(&self, cell: Cell) -> Type {
        match cell {
            Cell::Global(var) => self.inlined.program.vars[var].ty,
            Cell::Local(slot) => self.body.slots[slot].ty,
            Cell::Value(value) => self.body.value_type(value),
        }
    }

    fn cell_name(&self, cell: Cell) -> String {
        match cell {
            Cell::Global(var) => self.inlined.program.vars[var].name.clone(),
            Cell::Local(slot) => self.body.slots[slot].name.clone(),
            Cell::Value(value) => value.to_string(),
        }
    }

    /// Runs the start and every cut that is reached, until no constant is contradicted any more.
    fn run(&mut self) -> Result<(), Reason> {
        let start = self.start_walk();
        let init = self.walk(start)?;
        let mut work = BTreeSet::new();
        self.note(&init, &mut work);
        self.init = init;
        while let Some(place) = work.pop_first() {
            let header = self.blocks[place as usize - 1];
            let start = self.walk_from(header);
            let raw = self.walk(start)?;
            self.note(&raw, &mut work);
            if let Some(head) = self.heads.get_mut(&header) {
                head.segment = Some(raw);
            }
        }
        Ok(())
    }

    /// Runs every cut once more, with codes for the cells that have few values.
    fn encode(&mut self) -> Result<(), Reason> {
        let raws = std::iter::once(&self.init).chain(self.heads.values().filter_map(|h| h.segment.as_ref()));
        let arrivals = raws.flat_map(|raw| &raw.arrivals);
        let given = arrivals.flat_map(|(header, _, values)| {
            let head = &self.heads[header];
            let known = head.known.iter().flatten();
            let varying = head.cells.iter().zip(known).zip(values).filter(|((_, known), _)| known.is_none());
            varying.map(|((&cell, _), &value)| (cell, value))
        });
        let given: Vec<(Cell, Term)> = given.collect();
        let cell_of: FxHashMap<Term, Cell> = self.symbols.iter().map(|(&c, &t)| (t, c)).collect();
        self.codes = codes::find(&self.store, &given, &cell_of);
        if self.codes.is_empty() {
            return Ok(());
        }
        for (&cell, values) in &self.codes {
            let name = self.symbols.get(&cell).and_then(|&t| self.store.as_symbol(t));
            let name = name.map_or_else(String::new, |s| self.store.symbol_name(s).to_string());
            let code = self.store.new_symbol(&name, codes::code_type(values.len()));
            self.symbols.insert(cell, code);
            self.trees.insert(cell, codes::decode(&mut self.store, code, values));
        }
        self.encode_arrivals(None);
        let headers: Vec<Block> = self.heads.iter().filter(|(_, h)| h.known.is_some()).map(|(&b, _)| b).collect();
        for header in headers {
            let start = self.walk_from(header);
            let raw = self.walk(start)?;
            if let Some(head) = self.heads.get_mut(&header) {
                head.segment = Some(raw);
            }
            self.encode_arrivals(Some(header));
        }
        Ok(())
    }

    /// What the segment from there gives coded cells becomes their code.
    fn encode_arrivals(&mut self, from: Option<Block>) {
        let raw = match from {
            None => Some(&mut self.init),
            Some(header) => self.heads.get_mut(&header).and_then(|h| h.segment.as_mut()),
        };
        let mut arrivals = raw.map(|raw| std::mem::take(&mut raw.arrivals)).unwrap_or_default();
        for (header, _, given) in &mut arrivals {
            let head = &self.heads[header];
            for (i, value) in given.iter_mut().enumerate() {
                let varies = head.known.as_ref().is_some_and(|k| k[i].is_none());
                let Some(values) = self.codes.get(&head.cells[i]).filter(|_| varies) else { continue };
                let same = self.codes.iter().filter(|(_, v)| *v == values);
                let known = same.map(|(cell, _)| (self.trees[cell], self.symbols[cell])).collect();
                *value = codes::encode(&mut self.store, *value, values, &known);
            }
        }
        let raw = match from {
            None => Some(&mut self.init),
            Some(header) => self.heads.get_mut(&header).and_then(|h| h.segment.as_mut()),
        };
        if let Some(raw) = raw {
            raw.arrivals = arrivals;
        }
    }

    /// Takes in what a segment brings to the headers; those that lose a constant are to be run (again).
    fn note(&mut self, raw: &Raw, work: &mut BTreeSet<u32>) {
        for (header, _, values) in &raw.arrivals {
            let Some(head) = self.heads.get_mut(header) else { continue };
            let constants = values.iter().map(|&v| self.store.constant(v));
            let changed = match &mut head.known {
                None => {
                    head.known = Some(constants.map(|c| c.cloned()).collect());
                    true
                }
                Some(known) => {
                    let mut changed = false;
                    for (known, constant) in known.iter_mut().zip(constants) {
                        if known.is_some() && known.as_ref() != constant {
                            *known = None;
                            changed = true;
                        }
                    }
                    changed
                }
            };
            if changed {
                work.insert(self.order[*header]);
            }
        }
    }

    /// The start of a run: variables have their initial values.
    fn start_walk(&mut self) -> Walk {
        let mut walk = Walk::new(&self.store);
        let tt = self.store.tt();
        for (var, data) in self.inlined.program.vars.iter() {
            let term = match &data.init {
                Initial::Const(c) => self.store.constant_term(c.clone()),
                Initial::Any(site) => {
                    let value = self.store.new_symbol(&data.name, data.ty);
                    walk.segment.inputs.push(Input { guard: tt, site: *site, value });
                    value
                }
            };
            walk.cells.insert(Cell::Global(var), term);
        }
        for (slot, data) in self.body.slots.iter() {
            let zero = self.store.constant_term(Const::zero(data.ty));
            walk.cells.insert(Cell::Local(slot), zero);
        }
        let entry = self.body.entry;
        let values = self.incoming(&walk, entry, &[]);
        walk.pending.insert(self.order[entry], vec![(Guards::ROOT, values)]);
        walk
    }

    /// At a header: cells are their constants or their symbols.
    fn walk_from(&mut self, header: Block) -> Walk {
        let mut walk = Walk::new(&self.store);
        let (cells, known) = match self.heads.get(&header) {
            Some(head) => (head.cells.clone(), head.known.clone().unwrap_or_default()),
            None => Default::default(),
        };
        let values = cells.iter().zip(known).map(|(&cell, known)| match known {
            Some(c) => self.store.constant_term(c),
            None => match self.trees.get(&cell) {
                Some(&tree) => tree,
                None => self.symbol(cell),
            },
        });
        let values = values.collect();
        walk.pending.insert(self.order[header], vec![(Guards::ROOT, values)]);
        walk
    }

    fn symbol(&mut self, cell: Cell) -> Term {
        if let Some(&t) = self.symbols.get(&cell) {
            return t;
        }
        let (name, ty) = (self.cell_name(cell), self.cell_type(cell));
        let term = self.store.new_symbol(&name, ty);
        self.symbols.insert(cell, term);
        term
    }

    /// Runs everything that waits, to the headers.
    fn walk(&mut self, mut walk: Walk) -> Result<Raw, Reason> {
        while let Some((place, edges)) = walk.pending.pop_first() {
            let block = self.blocks[place as usize - 1];
            if Instant::now() >= self.deadline {
                return Err(Reason::Time);
            }
            let Some(joined) = walk.guards.join(&mut self.store, edges) else { continue };
            self.take_in(&mut walk, block, &joined.values);
            self.block(&mut walk, block, joined.guard);
        }
        let Walk { mut guards, arriving, segment, .. } = walk;
        let mut arrivals = Vec::new();
        for (header, edges) in arriving {
            if let Some(joined) = guards.join(&mut self.store, edges) {
                arrivals.push((header, guards.term(joined.guard), joined.values));
            }
        }
        Ok(Raw { segment, arrivals })
    }

    /// The values an edge hands to a block: its live cells and its parameters.
    fn incoming(&self, walk: &Walk, block: Block, args: &[Term]) -> Vec<Term> {
        let live = self.live.live_in[block].iter().map(|&c| walk.cells[&self.live.cells[c as usize]]);
        live.chain(args.iter().copied()).collect()
    }

    fn take_in(&self, walk: &mut Walk, block: Block, values: &[Term]) {
        walk.cells.clear();
        let live = self.live.live_in[block].iter().map(|&c| self.live.cells[c as usize]);
        let params = self.body.blocks[block].params.iter().map(|&p| Cell::Value(p));
        for (cell, &value) in live.chain(params).zip(values) {
            walk.cells.insert(cell, value);
        }
    }

    fn block(&mut self, walk: &mut Walk, block: Block, mut guard: Guard) {
        let body: &'a Procedure = self.body;
        let data = &body.blocks[block];
        for &inst in &data.insts {
            match self.inst(walk, &body.insts[inst].data, &body.insts[inst].results, guard) {
                Some(next) => guard = next,
                None => return,
            }
        }
        self.terminator(walk, &data.term, guard);
    }

    /// Runs an instruction; the guard of what follows, if anything can.
    fn inst(&mut self, walk: &mut Walk, data: &InstData, results: &[Value], guard: Guard) -> Option<Guard> {
        let of = |v: Value| walk.cells[&Cell::Value(v)];
        let store = &mut self.store;
        let result = match data {
            InstData::Const(c) => store.constant_term(c.clone()),
            InstData::Unary { op, arg } => store.un(*op, of(*arg)),
            InstData::Binary { op, args } => store.bin(*op, of(args[0]), of(args[1])),
            InstData::Ite { cond, then, other } => store.ite(of(*cond), of(*then), of(*other)),
            InstData::Update { array, index, value } => store.store(of(*array), of(*index), of(*value)),
            InstData::Read { place } => self.current(walk, cell(*place)),
            InstData::Load { place, index } => {
                let array = self.current(walk, cell(*place));
                let index = walk.cells[&Cell::Value(*index)];
                self.store.select(array, index)
            }
            InstData::Havoc { site } => {
                let data = &self.inlined.program.sites[*site];
                let value = store.new_symbol(&data.name, self.body.value_type(results[0]));
                walk.segment.inputs.push(Input { guard: walk.guards.term(guard), site: *site, value });
                value
            }
            InstData::Write { place, value } => {
                let value = of(*value);
                walk.cells.insert(cell(*place), value);
                return Some(guard);
            }
            InstData::Store { place, index, value } => {
                let (index, value) = (of(*index), of(*value));
                // An array that is not live before is not read after.
                if let Some(&array) = walk.cells.get(&cell(*place)) {
                    let array = self.store.store(array, index, value);
                    walk.cells.insert(cell(*place), array);
                }
                return Some(guard);
            }
            InstData::Assume { cond } => {
                let cond = of(*cond);
                return walk.guards.and(store, guard, cond);
            }
            InstData::Assert { prop, cond } => {
                let cond = of(*cond);
                let negated = store.not(cond);
                if let Some(violated) = walk.guards.and(store, guard, negated) {
                    walk.segment.violations.push((*prop, walk.guards.term(violated)));
                }
                return walk.guards.and(store, guard, cond);
            }
            InstData::Unsupported { obligation } => {
                walk.segment.unsupported.push((*obligation, walk.guards.term(guard)));
                return None;
            }
            InstData::Print { .. } => return Some(guard),
            InstData::Call { .. } => unreachable!("an inlined program has no calls"),
        };
        walk.cells.insert(Cell::Value(results[0]), result);
        Some(guard)
    }

    /// A variable's value. One that is not live is read only where nothing depends on the result.
    fn current(&mut self, walk: &Walk, cell: Cell) -> Term {
        match walk.cells.get(&cell) {
            Some(&term) => term,
            None => unreachable!("a variable that is read is live: {}", self.cell_name(cell)),
        }
    }

    fn terminator(&mut self, walk: &mut Walk, term: &Terminator, guard: Guard) {
        match term {
            Terminator::Jump(target) => self.edge(walk, target, Some(guard)),
            Terminator::Branch { cond, then, other } => {
                let cond = walk.cells[&Cell::Value(*cond)];
                let negated = self.store.not(cond);
                let taken = walk.guards.and(&mut self.store, guard, cond);
                self.edge(walk, then, taken);
                let not_taken = walk.guards.and(&mut self.store, guard, negated);
                self.edge(walk, other, not_taken);
            }
            Terminator::Switch { value, cases, default } => {
                let value = walk.cells[&Cell::Value(*value)];
                let width = self.store.width(value);
                let mut rest = Some(guard);
                for (constant, target) in cases {
                    let Some(here) = rest else { return };
                    let constant = self.store.bv(width, *constant);
                    let equal = self.store.bin(BinOp::Eq, value, constant);
                    let term = self.store.and(walk.guards.term(guard), equal);
                    let taken = walk.guards.and_as(&mut self.store, here, equal, Some(term));
                    self.edge(walk, target, taken);
                    let differs = self.store.not(equal);
                    rest = walk.guards.and(&mut self.store, here, differs);
                }
                self.edge(walk, default, rest);
            }
            Terminator::Return(_) | Terminator::Stop => {}
            Terminator::Step(_) => unreachable!("a process is not a sequential program"),
        }
    }

    fn edge(&mut self, walk: &mut Walk, target: &BlockCall, guard: Option<Guard>) {
        let Some(guard) = guard else { return };
        let args: Vec<Term> = target.args.iter().map(|&a| walk.cells[&Cell::Value(a)]).collect();
        let values = self.incoming(walk, target.block, &args);
        let waiting = match self.heads.contains_key(&target.block) {
            true => walk.arriving.entry(target.block).or_default(),
            false => walk.pending.entry(self.order[target.block]).or_default(),
        };
        waiting.push((guard, values));
    }

    /// Keeps in the state what some condition depends on: guards, and values of cells that are kept.
    fn drop_irrelevant(&mut self) {
        let cells: FxHashMap<Term, Cell> = self.symbols.iter().map(|(&c, &t)| (t, c)).collect();
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut wanted: FxHashSet<Cell> = FxHashSet::default();
        let mut stack: Vec<Term> = Vec::new();
        let raws = || std::iter::once(&self.init).chain(self.heads.values().filter_map(|h| h.segment.as_ref()));
        for raw in raws() {
            stack.extend(raw.arrivals.iter().map(|(_, guard, _)| *guard));
            stack.extend(raw.segment.violations.iter().map(|(_, guard)| *guard));
            stack.extend(raw.segment.unsupported.iter().map(|(_, guard)| *guard));
        }
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            stack.extend(self.store.node(term).args());
            let Some(&cell) = cells.get(&term) else { continue };
            if !wanted.insert(cell) {
                continue;
            }
            for raw in raws() {
                for (header, _, values) in &raw.arrivals {
                    let at = self.heads[header].cells.iter().position(|&c| c == cell);
                    stack.extend(at.map(|i| values[i]));
                }
            }
        }
        for head in self.heads.values_mut() {
            head.relevant = head.cells.iter().map(|c| wanted.contains(c)).collect();
        }
    }
}

impl Walk {
    fn new(store: &TermStore) -> Walk {
        Walk {
            guards: Guards::new(store),
            pending: Pending::new(),
            arriving: BTreeMap::new(),
            segment: Segment::default(),
            cells: FxHashMap::default(),
        }
    }
}

/// The blocks in an order in which every edge leads forward, but for those into the headers of loops around it.
fn flatten(nest: &LoopNest) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut work: Vec<Component> = nest.top.iter().rev().copied().collect();
    while let Some(component) = work.pop() {
        match component {
            Component::Block(b) => blocks.push(b),
            Component::Loop(l) => work.extend(nest.loops[l].body.iter().rev().copied()),
        }
    }
    blocks
}
