//! Loop acceleration: an iteration that can be made n times in a row is made n times at once.
//!
//! After *Scalable Safety Verification of Statechart-like Programs* (2018), chapter 3, which has it from Kroening, Lewis
//! and Weissenbacher, *Under-approximating loops in C programs for fast counterexample detection* (2013) and *Proving
//! safety with trace automata and bounded model checking* (2015). For each loop of the inlined program:
//!
//! 1. [`path`]: choose paths from the header back to it, innermost loops first; a loop inside another is gone through at
//!    once, if that can be told from the state;
//! 2. [`closed`]: what the cells are after n iterations, by a polynomial template; [`arrays`]: what they have written to
//!    arrays, as range-writes (section 3.2.4);
//! 3. [`feasible`]: when n iterations are possible, by monotonicity, within ranges where nothing wraps;
//! 4. [`rewrite`]: a program with the accelerated paths beside the original body, in which iterations that an
//!    accelerator stands for are not made one by one;
//! 5. [`expand`]: runs of that program as runs of the original.
//!
//! The rewritten program comes to the same states at the loop's header as the original, up to a violation. A violation of it is expanded to
//! a run and replayed. That it has none is shown by unwinding it, which now ends where a loop's iterations are of few
//! kinds one after another; the certificate has the constraints and closed forms, and what makes their use sound is
//! checked again ([`crate::evidence::accelerated`]).
//!
//! Deviations from the thesis: paths are found by models of the segment between cut points, not by walking the
//! control flow, so a path's conditions are what one iteration depends on. The closed forms are confirmed as
//! polynomials, the constraints by one inductive query, what is written to arrays by one about a symbolic cell. Conditions
//! without which an iteration violates a property need no constraint: states behind a violation may come up, and a run
//! through them violates it. Inequations with a constant need no range constraint. The
//! automaton is two assumptions at the header, without a variable, and it forbids an iteration only where the constraint
//! of the longer acceleration holds, which is checked in the state: no loop has to be shown to be free of wrap-around.

mod arrays;
mod closed;
mod expand;
mod feasible;
mod path;
mod poly;
mod rewrite;

pub use rewrite::{rewrite, Rewritten, Role, Steps};

use crate::annotation::{self, Cell, Counted, Formula, Original, RangeWrite};
use crate::cuts::{decode, Cut, CutSystem};
use crate::logic::Term;
use crate::task::{Acceleration, Annotations, Context, Task, Trace};
use crate::vc::range::RangeRule;
use crate::vc::{header_origin, LoopKey};
use arrays::Writes;
use closed::Closed;
use path::{Cycle, Jump, Jumps, Path};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::{Duration, Instant};
use syncline_ir::inline::Inlined;
use syncline_ir::{analysis::LoopNest, passes, Block, InstData, Place, Proc, Program, Prop, Site, Type};

/// Paths of one loop that are accelerated, and that are looked at for that.
const MAX_PATHS: usize = 4;
const MAX_TRIED: usize = 6;
/// How deep loops may nest.
const MAX_DEPTH: u32 = 3;
/// The share of the time left that may be spent, and the most; and the most for one loop. Where loops have been accelerated,
/// the others may take more: half of them are of no use.
const SHARE: u32 = 15;
const MORE: u32 = 4;
const MOST: Duration = Duration::from_secs(4);
const MOST_FOR_LOOP: Duration = Duration::from_secs(3);
/// Instructions of a run that goes on from a model that violates nothing.
const FUEL: u64 = 200_000;

/// One path of a loop that can be taken n times at once.
#[derive(Clone, Debug)]
pub struct Accelerator {
    pub header: Block,
    /// Bits of n.
    pub width: u32,
    /// When n iterations are possible.
    pub constraint: Formula<Counted<Cell>>,
    /// When one is.
    pub enabled: Formula<Counted<Cell>>,
    /// The largest n, wherever one iteration is possible, if the state alone decides that the path is taken.
    pub most: Option<Formula<Counted<Cell>>>,
    /// What the path also needs in each iteration, asked of the state before it; without it the iteration violates a property.
    pub asserted: Formula<Counted<Cell>>,
    /// What n iterations make of the cells.
    pub forms: Vec<CellForm>,
    /// What they write to arrays, in the order of one iteration.
    pub writes: Vec<RangeWrite<Cell>>,
    /// Cells that stay as they are. Nothing depends on the others.
    pub kept: Vec<Cell>,
    pub inputs: Vec<PathInput>,
    /// The closed forms in words.
    pub text: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct CellForm {
    pub cell: Cell,
    pub formula: Formula<Counted<Cell>>,
}

/// An unknown value that comes in on the path.
#[derive(Copy, Clone, Debug)]
pub struct PathInput {
    pub site: Site,
    pub ty: Type,
    /// Whether the path's conditions or the cells depend on it.
    pub matters: bool,
}

impl Accelerator {
    /// Whether the state alone decides that the path is taken.
    pub fn is_determined(&self) -> bool {
        self.inputs.iter().all(|i| !i.matters)
    }

    /// In the names of the program as lowered, for certificates.
    fn original(&self, inlined: &Inlined) -> Option<Acceleration> {
        let name = |c: &Counted<Cell>| match c {
            Counted::State(cell) => annotation::original(inlined, *cell).map(Counted::State),
            Counted::Count => Some(Counted::Count),
            Counted::Input(_) => None,
        };
        let closed = self.forms.iter().map(|f| Some((annotation::original(inlined, f.cell)?, f.formula.rename(name)?)));
        let kept: Option<Vec<Original>> = self.kept.iter().map(|&c| annotation::original(inlined, c)).collect();
        let written = self.writes.iter().map(|w| {
            let (from, value) = (w.from.rename(name)?, w.value.rename(name)?);
            Some(RangeWrite { array: annotation::original(inlined, w.array)?, from, stride: w.stride, value })
        });
        Some(Acceleration {
            place: annotation::location(inlined, self.header)?,
            width: self.width,
            constraint: self.constraint.rename(name)?,
            most: self.most.as_ref().map(|f| f.rename(name)).unwrap_or_default(),
            closed: closed.collect::<Option<_>>()?,
            written: written.collect::<Option<_>>()?,
            kept: kept?,
        })
    }
}

/// The program with accelerators.
pub struct Accelerated {
    /// The program that is rewritten, sliced to the properties.
    pub inlined: Inlined,
    pub accelerators: Vec<Accelerator>,
    pub rewritten: Rewritten,
    /// The rewritten program in the form in which it is unwound.
    pub prepared: Program,
    /// The procedures of the program as lowered, by which its loops are known.
    names: Vec<String>,
    /// What holds at the headers whenever a run comes there, and the accelerators rest on.
    premises: Annotations,
}

impl Accelerated {
    /// Looks for loops to accelerate; `None` if there are none.
    pub fn new(program: &Program, props: &[Prop], end: Instant, context: &mut Context) -> Option<Accelerated> {
        let now = Instant::now();
        let share = (end.saturating_duration_since(now) / SHARE).min(MOST);
        let (until, more) = (now + share, now + share * MORE);
        (context.progress)("acceleration");
        let task = Task::new(program, props.to_vec());
        let mut system = CutSystem::new(&task, props, until).ok()?;
        let accelerators = accelerators(&mut system, until, more, context);
        if accelerators.is_empty() {
            return None;
        }
        let rewritten = rewrite::rewrite(&system.inlined, &accelerators, Steps::Last);
        let mut prepared = rewritten.program.clone();
        passes::prepare(&mut prepared, props);
        let names = program.procs.values().map(|p| p.name.clone()).collect();
        let premises = system.annotations(&[]);
        Some(Accelerated { inlined: system.inlined, accelerators, rewritten, prepared, names, premises })
    }

    /// What the procedures of the prepared program that are range-writes do.
    pub fn range_writes(&self) -> FxHashMap<Proc, Rc<RangeRule>> {
        let rule = |name: &String| self.rewritten.range_writes.get(name).cloned();
        self.prepared.procs.iter().filter_map(|(id, p)| Some((id, rule(&p.name)?))).collect()
    }

    /// The run of the original program, where the inputs are those of one of the rewritten; of one that violates
    /// something all of it, of others its beginning.
    pub fn expand(&self, trace: &Trace, violates: bool, deadline: Instant) -> Option<Trace> {
        let fuel = if violates { u64::MAX } else { FUEL };
        expand::expand(&self.rewritten, &self.accelerators, trace, fuel, deadline)
    }

    /// The closed forms in words, each with the place of its loop.
    pub fn describe(&self) -> Vec<String> {
        let body = self.inlined.body();
        let place = |header: Block| self.inlined.program.describe_origin(header_origin(body, header));
        self.accelerators.iter().map(|a| format!("{}: {}", place(a.header), a.text.join(", "))).collect()
    }

    /// What a certificate says of the accelerators. They are for states that the loop is ever in: what is always the same there,
    /// and matters in the loop, is part of their constraints.
    pub fn certificate(&self) -> Vec<Acceleration> {
        let mut accelerations = Vec::new();
        for accelerator in &self.accelerators {
            let Some(mut acceleration) = accelerator.original(&self.inlined) else { continue };
            let used = self.used_in(accelerator.header);
            let local = |cell: &Original| match cell {
                Original::Global(_) => used.contains(cell),
                Original::Local { calls, .. } => *calls == acceleration.place.calls && used.contains(cell),
                Original::Value { .. } => false,
            };
            let premises = self.premises.get(&acceleration.place).into_iter().flatten();
            for premise in premises {
                let named = premise.rename(|cell| local(cell).then(|| Counted::State(cell.clone())));
                if let Some(named) = named {
                    acceleration.constraint.and(named);
                }
            }
            accelerations.push(acceleration);
        }
        accelerations
    }

    /// The variables that instructions of the loop read or write.
    fn used_in(&self, header: Block) -> BTreeSet<Original> {
        let body = self.inlined.body();
        let nest = LoopNest::compute(body);
        let Some((l, _)) = nest.loops.iter().find(|(_, l)| l.header == header) else { return BTreeSet::new() };
        let blocks = body.layout.iter().filter(|&&b| nest.contains(l, b));
        let insts = blocks.flat_map(|&b| &body.blocks[b].insts);
        // Whatever is left out here makes an acceleration weaker, at worst one that its check refuses.
        let cells = insts.filter_map(|&inst| match body.insts[inst].data {
            InstData::Read { place } | InstData::Write { place, .. } => Some(place),
            InstData::Load { place, .. } | InstData::Store { place, .. } => Some(place),
            _ => None,
        });
        let cells = cells.map(|place| match place {
            Place::Global(var) => Cell::Global(var),
            Place::Local(slot) => Cell::Local(slot),
        });
        cells.filter_map(|cell| annotation::original(&self.inlined, cell)).collect()
    }

    /// Bounds of loops of the rewritten program, as bounds of those of the program as lowered.
    pub fn bounds(&self, depths: impl Iterator<Item = (LoopKey, u32)>) -> BTreeMap<LoopKey, u32> {
        let body = self.inlined.body();
        let mut bounds = BTreeMap::new();
        for (key, depth) in depths {
            for &block in body.layout.iter().filter(|&&b| header_origin(body, b) == key.header) {
                let Some((activation, ..)) = self.inlined.blocks[block] else { continue };
                let proc = self.inlined.activations[activation].proc;
                let Some(name) = self.names.get(proc.as_u32() as usize) else { continue };
                let key = LoopKey { proc: name.clone(), header: key.header };
                let bound = bounds.entry(key).or_insert(0);
                *bound = depth.max(*bound);
            }
        }
        bounds
    }
}

/// The accelerators of all loops, by their headers, innermost loops first; some by the first instant, all by the second.
fn accelerators(system: &mut CutSystem, until: Instant, more: Instant, context: &Context) -> Vec<Accelerator> {
    let mut found: Vec<Accelerator> = Vec::new();
    let mut jumps = Jumps::default();
    let headers: Vec<Cut> = system.cuts.iter().filter(|(_, d)| d.is_header).map(|(cut, _)| cut).collect();
    for depth in 0..MAX_DEPTH {
        for &cut in &headers {
            let header = system.cuts[cut].header;
            let until = if found.is_empty() { until } else { more };
            if Instant::now() >= until || found.iter().any(|a| a.header == header) {
                continue;
            }
            let cycles = match depth {
                0 => Cycle::of(system, cut).into_iter().collect(),
                _ => Cycle::through(system, cut, &jumps),
            };
            let until = until.min(Instant::now() + MOST_FOR_LOOP);
            for cycle in cycles {
                for path in cycle.paths(system, MAX_TRIED, &mut *(context.solver)(), until) {
                    if found.iter().filter(|a| a.header == header).count() < MAX_PATHS {
                        let Some((accelerator, jump)) = accelerator(system, &path, until, context) else { continue };
                        found.push(accelerator);
                        jump.into_iter().for_each(|j| jumps.entry(cut).or_default().push(j));
                    }
                }
            }
        }
        if jumps.is_empty() {
            break;
        }
    }
    found.sort_by_key(|a| a.header);
    found
}

/// The accelerator of a path, if it has one.
fn accelerator(
    system: &mut CutSystem,
    path: &Path,
    until: Instant,
    context: &Context,
) -> Option<(Accelerator, Option<Jump>)> {
    let closed = Closed::of(system, path)?;
    let writes = Writes::of(system, path, &closed)?;
    let feasible = feasible::constraint(system, path, &closed, &writes.ranges, &mut *(context.solver)(), until)?;
    let constraint = feasible.constraint;
    if constraint == system.store.ff()
        || !writes.confirmed(&mut system.store, &closed, constraint, &mut *(context.solver)(), until)
    {
        return None;
    }
    let naming = Naming { count: closed.count, path };
    let cells = system.cuts[path.cut].cells.clone();
    let (forms, mut text) = cell_forms(system, path, &closed)?;
    text.extend(writes.describe(&mut system.store, &closed));
    let writes_named = range_writes(system, path, &writes)?;
    let mut roots: Vec<Term> = closed.forms.iter().map(|f| f.after).collect();
    roots.extend(writes.writes.iter().flat_map(|w| [w.index, w.value]));
    roots.extend(feasible.asserted.iter().copied().chain([constraint]));
    let inputs = inputs_of(system, path, &roots);
    let enabled = feasible.enabled;
    let most = feasible.most.filter(|_| inputs.iter().all(|i| !i.matters));
    let mut jump = None;
    if let Some(most) = most.filter(|_| inputs.is_empty() && writes.writes.is_empty()) {
        let forms = closed.forms.iter().map(|f| (cells[f.place], closed.with_count(&mut system.store, f.after, most)));
        jump = Some(Jump { enabled, after: forms.collect() });
    }
    let asserted = system.store.and_all(feasible.asserted);
    let changed: Vec<Cell> = forms.iter().map(|f| f.cell).chain(writes_named.iter().map(|w| w.array)).collect();
    let data = &system.cuts[path.cut];
    let kept = data.cells.iter().chain(data.constants.iter().map(|(c, _)| c)).chain(&data.coded).copied();
    let accelerator = Accelerator {
        header: data.header,
        width: system.store.width(closed.count),
        constraint: naming.formula(system, constraint)?,
        enabled: naming.formula(system, enabled)?,
        most: most.and_then(|t| naming.formula(system, t)),
        asserted: naming.formula(system, asserted)?,
        forms,
        writes: writes_named,
        kept: kept.filter(|c| !changed.contains(c)).collect(),
        inputs,
        text,
    };
    Some((accelerator, jump))
}

/// Whether a value that changes can be given a new one: the header has to take it.
fn can_change(system: &CutSystem, path: &Path, cell: Cell) -> bool {
    let params = &system.inlined.body().blocks[system.cuts[path.cut].header].params;
    !matches!(cell, Cell::Value(v) if !params.contains(&v))
}

/// The closed forms in the names of cells, and in words.
fn cell_forms(system: &mut CutSystem, path: &Path, closed: &Closed) -> Option<(Vec<CellForm>, Vec<String>)> {
    let naming = Naming { count: closed.count, path };
    let (mut forms, mut text) = (Vec::new(), Vec::new());
    for form in &closed.forms {
        let cell = system.cuts[path.cut].cells[form.place];
        if !can_change(system, path, cell) {
            return None;
        }
        let after = match system.codes.get(&cell) {
            Some(values) => decode(&mut system.store, form.after, values),
            None => form.after,
        };
        forms.push(CellForm { cell, formula: naming.formula(system, after)? });
        let name = system.store.as_symbol(form.symbol).map_or("?", |s| system.store.symbol_name(s));
        text.extend(form.poly.as_ref().map(|p| format!("{name} = {}", p.describe(&system.store))));
    }
    Some((forms, text))
}

/// What is written, in the names of cells.
fn range_writes(system: &CutSystem, path: &Path, writes: &Writes) -> Option<Vec<RangeWrite<Cell>>> {
    let naming = Naming { count: writes.number, path };
    let each = |w: &arrays::Write| {
        let array = system.cuts[path.cut].cells[w.place];
        let (from, value) = (naming.formula(system, w.index)?, naming.formula(system, w.value)?);
        can_change(system, path, array).then_some(RangeWrite { array, from, stride: w.stride, value })
    };
    writes.writes.iter().map(each).collect()
}

/// The unknown values that come in on the path; those matter that occur in these terms.
fn inputs_of(system: &CutSystem, path: &Path, roots: &[Term]) -> Vec<PathInput> {
    let symbols = system.store.symbols_of(roots);
    let matters = |t: Term| system.store.as_symbol(t).is_some_and(|s| symbols.contains(&s));
    let input = |&(site, t): &(Site, Term)| PathInput { site, ty: system.store.ty(t), matters: matters(t) };
    path.inputs.iter().map(input).collect()
}

/// How the symbols of an accelerator are called.
struct Naming<'n> {
    /// The symbol of n, or of the number of an iteration.
    count: Term,
    path: &'n Path,
}

impl Naming<'_> {
    fn formula(&self, system: &CutSystem, term: Term) -> Option<Formula<Counted<Cell>>> {
        system.formula_over(term, &Counted::State, &|t| {
            if t == self.count {
                return Some(Counted::Count);
            }
            self.path.inputs.iter().position(|&(_, input)| input == t).map(Counted::Input)
        })
    }
}
