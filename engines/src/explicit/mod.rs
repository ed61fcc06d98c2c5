//! Explicit search: every state a run can have at a loop header, one by one.
//!
//! The program is sliced, inlined and turned into flat code ([`compile`]). A state is a header with the values of the
//! cells that are live there ([`live`]); states are packed and hashed ([`states`]). From each, the machine ([`machine`])
//! runs to the headers that come next, splitting the inputs only by what the program compares them with. The search is
//! breadth first, so a violation has a short run; its inputs are found again by running its states once more. When no
//! state is left, the reached ones are an inductive invariant ([`certificate`]).
//!
//! After Holzmann's SPIN, without its reductions. It is meant for control programs whose variables take few values, and
//! says early when a program is not one: an input of many values is kept or computed with, a variable takes too many
//! values, or there are too many states. Arrays are interned values, so an array that changes in a loop costs its length
//! each time. Recursion and systems of processes are not for it.

mod certificate;
mod code;
mod compile;
mod cuts;
mod domain;
mod live;
mod machine;
mod states;
mod taint;

use crate::annotation::{location, original, Cell, Formula, Location, Original};
use crate::task::{Certificate, Context, Reason, Stats, Task, Trace, Verdict};
use code::Code;
use live::{Liveness, NONE};
use machine::{Machine, Sink, Symbol};
use rustc_hash::FxHashSet;
use states::States;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use syncline_ir::analysis::{cut_points, Cfg, LoopNest};
use syncline_ir::inline::{inline, Inlined, Refusal};
use syncline_ir::{passes, Block, Const, Initial, InstData, Obligation, Place, Prop, Site, Var};

/// Instructions of the inlined program.
const MAX_INSTS: usize = 300_000;
/// States, and bytes for them.
const MAX_STATES: usize = 12_000_000;
const MAX_BYTES: usize = 3 << 29;
/// Cells of interned arrays.
const MAX_WEIGHT: usize = 1 << 24;
/// After so many states no cell may have taken as many values as `MAX_CELL_VALUES`.
const COUNTED_AT: usize = 1 << 20;
const MAX_CELL_VALUES: usize = 1 << 19;
/// Once a path was given up nothing can be proved, and violations are looked for in this many states more.
const STATES_AFTER_LOSS: usize = 200_000;
/// States between looks at the clock.
const ROUND: usize = 1024;

/// Decides the task's properties, one call of `context.found` each.
pub fn check(task: &Task, context: &mut Context) {
    context.stats.engine = "explicit";
    let mut undecided = task.props.clone();
    let outcome = prepare(task).and_then(|prepared| decide(&prepared, &mut undecided, context));
    for prop in undecided {
        let verdict = match &outcome {
            Ok(annotations) => {
                Verdict::Safe(Certificate::Inductive { k: 0, annotations: annotations.clone(), opened: None })
            }
            Err(reason) => Verdict::Unknown(reason.clone()),
        };
        context.found(prop, verdict);
    }
}

/// Reports what is violated, and leaves what is not; the formulas show that, or the reason says why nothing does.
fn decide(prepared: &Prepared, undecided: &mut Vec<Prop>, context: &mut Context) -> Result<Annotations, Reason> {
    let annotations = search(prepared, &prepared.headers, undecided, context)?;
    let is_named = |block| location(&prepared.inlined, block).is_some();
    let finer = cuts::finer(prepared.inlined.body(), &prepared.cfg, &prepared.headers, is_named);
    match finer {
        // All is known, so nothing new is found; but states between headers may be too many.
        Some(cuts) if !undecided.is_empty() => {
            let stats = context.stats.clone();
            let fine = search(prepared, &cuts, undecided, context);
            context.stats = stats;
            Ok(fine.unwrap_or(annotations))
        }
        Some(_) | None => Ok(annotations),
    }
}

/// Finds the states at these cut points.
fn search(
    prepared: &Prepared,
    cuts: &[Block],
    undecided: &mut Vec<Prop>,
    context: &mut Context,
) -> Result<Annotations, Reason> {
    let Prepared { inlined, cfg, live, .. } = prepared;
    let mut code = compile::compile(&inlined.program, inlined.body(), cfg, live, cuts)
        .ok_or_else(|| not_for("a switch is on a value of more than 64 bits"))?;
    let boxed = std::mem::take(&mut code.boxed);
    let mut search = Search::new(&code, std::mem::take(undecided));
    let mut machine = Machine::new(&code, boxed);
    let outcome = search.run(&mut machine, context);
    context.stats = search.stats(&machine);
    *undecided = std::mem::take(&mut search.undecided);
    outcome?;
    if undecided.is_empty() {
        return Ok(Annotations::new());
    }
    search.annotations(prepared, machine)
}

struct Prepared {
    inlined: Inlined,
    cfg: Cfg,
    headers: Vec<Block>,
    live: Liveness,
    /// The variables that are read and never written.
    constants: Vec<(Cell, Const)>,
}

impl Prepared {
    /// The values used behind the start of the block that are constants. Values the inliner made have no name, and need
    /// none: they are used where they are defined.
    fn live_constants(&self, block: Block) -> Vec<(Cell, Const)> {
        let body = self.inlined.body();
        let live = self.live.live_cells(block).map(|cell| self.live.cells[cell as usize]);
        let constant = |cell: Cell| match cell {
            Cell::Value(value) => live::constant(body, value).map(|c| (cell, c.clone())),
            Cell::Global(_) | Cell::Local(_) => None,
        };
        live.filter(|&cell| original(&self.inlined, cell).is_some()).filter_map(constant).collect()
    }
}

fn prepare(task: &Task) -> Result<Prepared, Reason> {
    let mut program = task.program.clone();
    passes::slice(&mut program, &task.props);
    let inlined = inline(&program, MAX_INSTS).map_err(|refusal| not_for(words(&refusal)))?;
    let cfg = Cfg::compute(inlined.body());
    let headers = cut_points(&LoopNest::of(&cfg));
    let live =
        Liveness::compute(&inlined.program, inlined.body(), &cfg).ok_or_else(|| not_for("the program is too large"))?;
    let constants = constants(&inlined, &cfg, &live);
    Ok(Prepared { inlined, cfg, headers, live, constants })
}

fn constants(inlined: &Inlined, cfg: &Cfg, live: &Liveness) -> Vec<(Cell, Const)> {
    let body = inlined.body();
    let insts = cfg.rpo().iter().flat_map(|&b| &body.blocks[b].insts);
    let read: BTreeSet<Var> = insts
        .filter_map(|&i| match body.insts[i].data {
            InstData::Read { place: Place::Global(var) } | InstData::Load { place: Place::Global(var), .. } => {
                Some(var)
            }
            _ => None,
        })
        .filter(|&var| live.place(Place::Global(var)) == NONE)
        .collect();
    let constant = |var: Var| match &inlined.program.vars[var].init {
        Initial::Const(c) => Some((Cell::Global(var), c.clone())),
        Initial::Any(_) => None,
    };
    read.into_iter().filter_map(constant).collect()
}

fn not_for(words: impl Into<String>) -> Reason {
    Reason::NotForEngine(words.into())
}

fn words(refusal: &Refusal) -> String {
    match refusal {
        Refusal::NoEntry => "the program has no entry".to_string(),
        Refusal::System => "the program is a system of processes".to_string(),
        Refusal::Recursive(name) => format!("{name} is recursive"),
        Refusal::TooLarge => "the program is too large with its calls inlined".to_string(),
    }
}

/// The inputs of a part of a run, in order.
type Inputs = Vec<(Site, Const)>;

type Annotations = BTreeMap<Location, Vec<Formula<Original>>>;

struct Search<'c> {
    code: &'c Code,
    undecided: Vec<Prop>,
    /// By header.
    states: Vec<States>,
    /// Header and number of each state, in the order in which they were found.
    order: Vec<(u32, u32)>,
    /// The state from which each was found, `NONE` for the start.
    parents: Vec<u32>,
    current: u32,
    /// Violations whose runs are not put together yet: where the last part starts, and its inputs.
    violations: Vec<(Prop, u32, Inputs)>,
    unsupported: Option<Obligation>,
    lost: Option<&'static str>,
    packed: Vec<u64>,
}

impl<'c> Search<'c> {
    fn new(code: &'c Code, undecided: Vec<Prop>) -> Search<'c> {
        Search {
            code,
            undecided,
            states: code.headers.iter().map(|h| States::new(h.words)).collect(),
            order: Vec::new(),
            parents: Vec::new(),
            current: NONE,
            violations: Vec::new(),
            unsupported: None,
            lost: None,
            packed: Vec::new(),
        }
    }

    /// Finds every state; an error is why it did not, or why that proves nothing.
    fn run(&mut self, machine: &mut Machine, context: &mut Context) -> Result<(), Reason> {
        let start = Instant::now();
        machine.run_initial(self);
        self.report(machine, context);
        let mut next = 0;
        let mut lost_at = None;
        while next < self.order.len() && !self.undecided.is_empty() {
            if next % ROUND == 0 {
                self.limits(next, start, machine, context)?;
            }
            let (header, number) = self.order[next];
            self.current = next as u32;
            let state = self.states[header as usize].get(number).to_vec();
            machine.run_state(header, &state, self);
            if !self.violations.is_empty() {
                self.report(machine, context);
            }
            if let (Some(why), Some(at)) = (self.lost, lost_at) {
                if next - at > STATES_AFTER_LOSS {
                    return Err(not_for(why));
                }
            }
            lost_at = lost_at.or(self.lost.map(|_| next));
            next += 1;
        }
        match (self.unsupported, self.lost) {
            (Some(obligation), _) => Err(Reason::Unsupported(obligation)),
            (None, Some(why)) => Err(not_for(why)),
            (None, None) => Ok(()),
        }
    }

    /// Why the search must end before all states are found, if it must.
    fn limits(&self, next: usize, start: Instant, machine: &Machine, context: &mut Context) -> Result<(), Reason> {
        if let Some(reason) = context.must_stop() {
            return Err(reason);
        }
        (context.progress)(&format!("explicit: {} states, {} to do", self.order.len(), self.order.len() - next));
        // What is found must be checked as well.
        let now = Instant::now();
        if now.duration_since(start) > context.deadline.duration_since(now).saturating_mul(4) {
            return Err(not_for("the state space is too large for the time"));
        }
        let bytes = self.states.iter().map(States::bytes).sum::<usize>() + self.order.capacity() * 12;
        if self.order.len() > MAX_STATES || bytes > MAX_BYTES || machine.boxed.weight > MAX_WEIGHT {
            return Err(not_for(format!("the state space is too large: {} states so far", self.order.len())));
        }
        if next == COUNTED_AT && self.grows() {
            return Err(not_for("the state space is too large: a variable takes too many values"));
        }
        Ok(())
    }

    /// Whether some cell takes about as many values as there are states.
    fn grows(&self) -> bool {
        self.code.headers.iter().zip(&self.states).any(|(header, states)| {
            header.cells.iter().any(|cell| {
                let mut values = FxHashSet::default();
                states.iter().any(|state| {
                    values.insert(header.unpack(cell, state));
                    values.len() > MAX_CELL_VALUES
                })
            })
        })
    }

    /// Puts together the runs of the violations found.
    fn report(&mut self, machine: &mut Machine, context: &mut Context) {
        for (prop, from, last) in std::mem::take(&mut self.violations) {
            let mut trace = Trace::default();
            let mut chain = Vec::new();
            let mut at = from;
            while at != NONE {
                chain.push(at);
                at = self.parents[at as usize];
            }
            let mut before = NONE;
            for &state in chain.iter().rev() {
                add(&mut trace, self.step(machine, before, state));
                before = state;
            }
            add(&mut trace, last);
            context.found(prop, Verdict::Unsafe(trace));
        }
    }

    /// The inputs with which a state follows another.
    fn step(&self, machine: &mut Machine, from: u32, to: u32) -> Inputs {
        let (header, number) = self.order[to as usize];
        let state = self.states[header as usize].get(number);
        let mut finder = Finder { code: self.code, header, state, inputs: Vec::new(), packed: Vec::new() };
        match self.order.get(from as usize) {
            None => machine.run_initial(&mut finder),
            Some(&(header, number)) => machine.run_state(header, self.states[header as usize].get(number), &mut finder),
        };
        finder.inputs
    }

    /// The reached states as formulas about the program as lowered.
    fn annotations(&self, prepared: &Prepared, machine: Machine) -> Result<Annotations, Reason> {
        let Prepared { inlined, live, .. } = prepared;
        let Machine { mut boxed, read, .. } = machine;
        let everywhere = certificate::equations(&prepared.constants, &read);
        let unnamed = || not_for("a part of the state has no name in the program");
        let mut result = Annotations::new();
        for (header, states) in self.code.headers.iter().zip(&self.states) {
            let place = location(inlined, header.block).ok_or_else(unnamed)?;
            let formulas = certificate::formulas(header, states, &live.cells, &mut boxed, &read)
                .ok_or_else(|| not_for("the reached states are too many to be written down"))?;
            let here = certificate::equations(&prepared.live_constants(header.block), &read);
            let all = everywhere.iter().chain(&here).chain(&formulas);
            let renamed = all.map(|f| f.rename(|&cell| original(inlined, cell)));
            result.insert(place, renamed.collect::<Option<_>>().ok_or_else(unnamed)?);
        }
        Ok(result)
    }

    fn stats(&self, machine: &Machine) -> Stats {
        Stats {
            engine: "explicit",
            counts: vec![
                ("headers", self.code.headers.len() as u64),
                ("operations", self.code.ops.len() as u64),
                ("states", self.order.len() as u64),
                ("paths", machine.total_paths),
            ],
            ..Stats::default()
        }
    }
}

fn add(trace: &mut Trace, inputs: Inputs) {
    for (site, value) in inputs {
        trace.inputs.entry(site).or_default().push(value);
    }
}

fn examples(inputs: &[Symbol]) -> Inputs {
    inputs.iter().map(|symbol| (symbol.site, symbol.example())).collect()
}

fn pack(code: &Code, header: u32, regs: &[u64], packed: &mut Vec<u64>) {
    let header = &code.headers[header as usize];
    packed.clear();
    packed.resize(header.words, 0);
    for cell in &header.cells {
        packed[cell.word as usize] |= regs[cell.reg as usize] << cell.shift;
    }
}

impl Sink for Search<'_> {
    fn cut(&mut self, header: u32, regs: &[u64], _inputs: &[Symbol]) -> bool {
        pack(self.code, header, regs, &mut self.packed);
        if let Some(number) = self.states[header as usize].insert(&self.packed) {
            self.order.push((header, number));
            self.parents.push(self.current);
        }
        true
    }

    fn violated(&mut self, prop: Prop, inputs: &[Symbol]) -> bool {
        if self.undecided.contains(&prop) {
            self.undecided.retain(|&p| p != prop);
            self.violations.push((prop, self.current, examples(inputs)));
        }
        !self.undecided.is_empty()
    }

    fn unsupported(&mut self, obligation: Obligation) -> bool {
        self.unsupported.get_or_insert(obligation);
        true
    }

    fn lost(&mut self, why: &'static str) -> bool {
        self.lost.get_or_insert(why);
        true
    }
}

/// Looks for one state among those that follow another.
struct Finder<'a> {
    code: &'a Code,
    header: u32,
    state: &'a [u64],
    inputs: Inputs,
    packed: Vec<u64>,
}

impl Sink for Finder<'_> {
    fn cut(&mut self, header: u32, regs: &[u64], inputs: &[Symbol]) -> bool {
        if header != self.header {
            return true;
        }
        pack(self.code, header, regs, &mut self.packed);
        if self.packed != self.state {
            return true;
        }
        self.inputs = examples(inputs);
        false
    }

    fn violated(&mut self, _prop: Prop, _inputs: &[Symbol]) -> bool {
        true
    }

    fn unsupported(&mut self, _obligation: Obligation) -> bool {
        true
    }

    fn lost(&mut self, _why: &'static str) -> bool {
        true
    }
}
