//! Checks bounds of accelerated loops. Where the certificate has accelerations of a loop, a run is looked at that may have
//! several iterations made at once whenever it comes to the loop's header, and then makes one by itself; an iteration
//! that an acceleration stands for is forbidden. All else is as in [`super::unwinding`].
//!
//! An acceleration is a constraint `C(x, n)` and closed forms `f(x, n)` over the state `x` at the header: if `C(x, n)` for
//! some n > 0, the state may become `f(x, n)`. An iteration from `x` to `y` is *one of it* if `C(x, 1)` and `y = f(x, 1)`.
//! Cells that are neither closed nor kept get any value, and do not count in that comparison. An iteration is forbidden
//!
//! * after no acceleration, if it is one of some acceleration;
//! * after `n` iterations at once from `x`, if it is one of the same acceleration and `C(x, n + 1)`.
//!
//! **Why nothing is lost.** The lemma, a query for each acceleration by itself: if `C(x, n)`, `C(x, n + 1)` and `y = f(x, n)`
//! with `C(y, 1)`, then `f(y, 1) = f(x, n + 1)`. Take the visits of a loop's header in any run of the program. Where the
//! next iteration is one of no acceleration, make it. Else choose an acceleration it is one of, and let it stand for as
//! many iterations in a row as are of it and satisfy `C(x, 1)`, `C(x, 2)`, ... up to some n; by the lemma the state is
//! `f(x, n)` then, in the cells that count, and what the others are may be chosen. The iteration after these is not
//! forbidden: it is not one of the acceleration, or `C(x, n + 1)` does not hold. So the run has a shorter one that violates
//! the same. Inner loops go first. Nothing here says that an acceleration is possible in the program: if it is not,
//! more is shown than is needed.
//!
//! **Arrays.** What n iterations write to an array is part of `f`: a range-write, whose cell k is what the iteration with that
//! index writes, or what it was ([`super::written`]). The lemma is asked for one cell, of which nothing is known. That
//! closed forms and range-writes are those of the loop's body is not assumed anywhere: an iteration is one of the acceleration only
//! if it has done to all cells, arrays included, what `f(x, 1)` says.
//!
//! **All iterations at once.** An acceleration may say what the largest n is, a term `m(x)`. Then `f(x, m(x))` takes the
//! place of every `x` with `C(x, 1)`, and nothing is chosen or forbidden. Two more queries make that sound. From any state
//! with `C(x, 1)` the body comes back to the header with `f(x, 1)`, if it does not end the run: it neither leaves the loop
//! nor violates anything. And if `C(x, 1)`, and `C(x, n)` for an n that is not `m(x)`, then `C(x, n + 1)`, and with `y = f(x, n)` also `C(y, 1)`
//! and `f(y, 1) = f(x, n + 1)`; where `m(x)` is not 0. So a run that comes to `x` comes to `f(x, m(x))` before it violates
//! anything.
//!
//! **Loops that are entered in the middle.** Such a run comes to a back edge without a visit of the header in the same
//! iteration. What that visit chose has no meaning there, but is not tied to whether it took place either: n can be the
//! largest there is, after which nothing is forbidden. (Were the choice bound to the visit's guard, such a run would be
//! lost.)

use super::emit::{Name, Script};
use super::refuse;
use super::solve::{is_unsat, Judge};
use super::state::{take, Edge, Pending, State};
use super::unwinding::{check_accelerated, Encoder, Outcome, Plan};
use super::written::{Content, Range};
use crate::annotation::{Counted, Formula, FormulaNode, Original};
use crate::task::{Acceleration, Reason};
use crate::vc::LoopKey;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use syncline_ir::analysis::LoopId;
use syncline_ir::{BinOp, Block, Const, Inst, InstData, Program, Prop, Slot, Type, Value, ValueDef, Var};

/// Loops inside an accelerated one may go so much beyond their bounds, which come from runs of the whole program.
const INNER_SLACK: u32 = 2;

pub fn check(
    program: &Program,
    props: &[Prop],
    accelerations: &[Acceleration],
    bounds: &BTreeMap<LoopKey, u32>,
    judge: &mut Judge,
) -> Result<(), Reason> {
    for (number, acceleration) in accelerations.iter().enumerate() {
        lemma(program, acceleration, number, judge)?;
    }
    check_forced(program, props, bounds, accelerations, judge)?;
    check_accelerated(program, props, bounds, accelerations, judge)
}

/// The acceleration goes on as its single iterations do.
fn lemma(program: &Program, acceleration: &Acceleration, number: usize, judge: &mut Judge) -> Outcome<()> {
    if !(1..=128).contains(&acceleration.width) {
        return Err(refuse("a count of so many bits"));
    }
    let mut named = BTreeSet::new();
    for (cell, _) in &acceleration.closed {
        if !named.insert(cell.clone()) {
            return Err(refuse("a cell has two closed forms"));
        }
    }
    if acceleration.written.iter().any(|w| named.contains(&w.array)) {
        return Err(refuse("an array has a closed form and is written to"));
    }
    let mut script = Script::new();
    let mut start: BTreeMap<Original, Name> = BTreeMap::new();
    for cell in cells(acceleration) {
        let ty = cell_type(program, &cell, &acceleration.place.calls)?;
        start.insert(cell, script.declare(ty));
    }
    let n = script.declare(Type::bv(acceleration.width));
    let one = script.constant(&Const::bv(acceleration.width, 1));
    let more = script.binary(BinOp::Add, n, one).ok_or_else(no_term)?;
    let after_n = closed(&mut script, acceleration, &start, n)?;
    let after_more = closed(&mut script, acceleration, &start, more)?;
    let mut then = start.clone();
    for (cell, name) in &mut then {
        if !acceleration.kept.contains(cell) {
            *name = script.declare(script.ty(*name));
        }
    }
    then.extend(after_n);
    let again = closed(&mut script, acceleration, &then, one)?;
    let here = constraint(&mut script, acceleration, &start, n)?;
    let further = constraint(&mut script, acceleration, &start, more)?;
    let enabled = constraint(&mut script, acceleration, &then, one)?;
    let mut differ = Vec::new();
    let given = match &acceleration.most {
        None => vec![here, further, enabled],
        Some(most) => {
            // It goes on so until there are as many as can be; and there is one at least.
            let most = formula(&mut script, most, &start, one)?;
            let ends = script.binary(BinOp::Eq, n, most).ok_or_else(no_term)?;
            let before = script.not(ends);
            differ.extend([script.not(further), script.not(enabled)]);
            let zero = script.constant(&Const::bv(acceleration.width, 0));
            differ.push(script.binary(BinOp::Eq, most, zero).ok_or_else(no_term)?);
            vec![here, constraint(&mut script, acceleration, &start, one)?, before]
        }
    };
    for (cell, name) in &after_more {
        let (mut name, mut again) = (*name, again[cell]);
        if let Type::Array { index, .. } = script.ty(name) {
            // Arrays are the same if one cell is, whichever it is.
            let cell = script.declare(Type::bv(index));
            name = script.binary(BinOp::Select, name, cell).ok_or_else(no_term)?;
            again = script.binary(BinOp::Select, again, cell).ok_or_else(no_term)?;
        }
        let same = script.binary(BinOp::Eq, name, again).ok_or_else(no_term)?;
        differ.push(script.not(same));
    }
    differ.retain(|&name| !script.is_known(name, false));
    for (part, &wrong) in differ.iter().enumerate() {
        let query = script.query(&given, &[wrong]);
        if !is_unsat(&query, judge.deadline)? {
            return Err(refuse("an acceleration does not go on as its iterations do"));
        }
        let meaning = "one more iteration of an acceleration is the acceleration of one more";
        judge.keep(format!("acceleration-{}-{}", number + 1, part + 1), meaning, query);
    }
    Ok(())
}

/// Where an acceleration makes all iterations there are, the loop would make them by itself.
fn check_forced(
    program: &Program,
    props: &[Prop],
    bounds: &BTreeMap<LoopKey, u32>,
    accelerations: &[Acceleration],
    judge: &mut Judge,
) -> Outcome<()> {
    for (number, acceleration) in accelerations.iter().enumerate().filter(|(_, a)| a.most.is_some()) {
        let mut encoder = Encoder::new(program, props, Plan::Bounds { bounds, slack: INNER_SLACK }, judge.deadline);
        encoder.accelerations = accelerations;
        let (possible, mut wrong) = encoder.forced(acceleration)?;
        wrong.retain(|&name| !encoder.script.is_known(name, false));
        if wrong.is_empty() {
            continue;
        }
        let query = encoder.script.query(&[possible], &wrong);
        if !is_unsat(&query, judge.deadline)? {
            return Err(refuse("a loop does not go on as its acceleration says"));
        }
        let meaning = "where the acceleration can make an iteration, the loop makes it and nothing else";
        judge.keep(format!("forced-{}", number + 1), meaning, query);
    }
    Ok(())
}

fn no_term() -> Reason {
    refuse("an operator of an acceleration has no SMT-LIB term")
}

/// The cells an acceleration speaks of.
fn cells(acceleration: &Acceleration) -> BTreeSet<Original> {
    let own = std::iter::once(&acceleration.constraint).chain(&acceleration.most);
    let written = acceleration.written.iter().flat_map(|w| [&w.from, &w.value]);
    let formulas = own.chain(acceleration.closed.iter().map(|(_, f)| f)).chain(written);
    let states = formulas.flat_map(|f| &f.nodes).filter_map(|n| match n {
        FormulaNode::State(Counted::State(cell)) => Some(cell.clone()),
        _ => None,
    });
    let changed = acceleration.closed.iter().map(|(cell, _)| cell).chain(acceleration.written.iter().map(|w| &w.array));
    states.chain(changed.cloned()).collect()
}

/// The type of a cell of the activation that these calls lead to.
fn cell_type(program: &Program, cell: &Original, path: &[Inst]) -> Outcome<Type> {
    let unknown = || refuse("an acceleration speaks of something its loop does not have");
    let mut proc = program.entry.ok_or_else(unknown)?;
    for &inst in path {
        match program.procs[proc].insts.get(inst).map(|i| &i.data) {
            Some(InstData::Call { callee, .. }) => proc = *callee,
            _ => return Err(unknown()),
        }
    }
    let body = &program.procs[proc];
    match cell {
        Original::Global(var) => program.vars.get(*var).map(|v| v.ty),
        Original::Local { calls, slot } if calls == path => body.slots.get(*slot).map(|s| s.ty),
        Original::Value { calls, value } if calls == path => body.values.get(*value).map(|v| v.ty),
        Original::Local { .. } | Original::Value { .. } => None,
    }
    .ok_or_else(unknown)
}

/// Whether n iterations can be made at once.
fn constraint(script: &mut Script, a: &Acceleration, cells: &BTreeMap<Original, Name>, n: Name) -> Outcome<Name> {
    let holds = formula(script, &a.constraint, cells, n)?;
    if script.ty(holds) != Type::BOOL {
        return Err(refuse("the constraint of an acceleration is no condition"));
    }
    let zero = script.constant(&Const::bv(a.width, 0));
    let none = script.binary(BinOp::Eq, n, zero).ok_or_else(no_term)?;
    let some = script.not(none);
    Ok(script.and(some, holds))
}

/// What n iterations make of the cells that have closed forms.
fn closed(
    script: &mut Script,
    a: &Acceleration,
    cells: &BTreeMap<Original, Name>,
    n: Name,
) -> Outcome<BTreeMap<Original, Name>> {
    let mut after = BTreeMap::new();
    for (cell, form) in &a.closed {
        let value = formula(script, form, cells, n)?;
        if cells.get(cell).is_none_or(|&before| script.ty(before) != script.ty(value)) {
            return Err(refuse("a closed form has another type than its cell"));
        }
        after.insert(cell.clone(), value);
    }
    let before = Rc::new(cells.clone());
    for write in &a.written {
        let ill = || refuse("what an acceleration writes does not fit the array");
        let array = *after.get(&write.array).or_else(|| cells.get(&write.array)).ok_or_else(ill)?;
        let from = formula(script, &write.from, cells, n)?;
        let (state, value) = (before.clone(), write.value.clone());
        let content: Content = Rc::new(move |script, number| formula(script, &value, &state, number).ok());
        let range = Range { from, stride: write.stride, count: n, content };
        let array = script.write_range(array, range).ok_or_else(ill)?;
        after.insert(write.array.clone(), array);
    }
    Ok(after)
}

fn formula(
    script: &mut Script,
    formula: &Formula<Counted<Original>>,
    cells: &BTreeMap<Original, Name>,
    n: Name,
) -> Outcome<Name> {
    let ill = || refuse("a formula of an acceleration is ill-formed");
    let mut names: Vec<Name> = Vec::with_capacity(formula.nodes.len());
    for node in &formula.nodes {
        let of = |n: u32| names.get(n as usize).copied().ok_or_else(ill);
        let name = match node {
            FormulaNode::Const(c) => script.constant(c),
            FormulaNode::State(Counted::State(cell)) => *cells.get(cell).ok_or_else(ill)?,
            FormulaNode::State(Counted::Count) => n,
            FormulaNode::State(Counted::Input(_)) => return Err(ill()),
            FormulaNode::Un(op, a) => script.unary(*op, of(*a)?).ok_or_else(no_term)?,
            FormulaNode::Bin(op, a, b) => script.binary(*op, of(*a)?, of(*b)?).ok_or_else(no_term)?,
            FormulaNode::Ite(c, a, b) => {
                let (c, a, b) = (of(*c)?, of(*a)?, of(*b)?);
                if script.ty(c) != Type::BOOL || script.ty(a) != script.ty(b) {
                    return Err(ill());
                }
                script.ite(c, a, b)
            }
        };
        names.push(name);
    }
    names.last().copied().ok_or_else(ill)
}

/// A visit of the header of an accelerated loop.
pub(super) struct Visit<'p> {
    /// The state after the iterations that were made at once, if any were.
    pub start: Edge,
    /// For each acceleration: that it was taken, and would have been possible with one iteration more.
    taken: Vec<(&'p Acceleration, Name)>,
    /// One was taken.
    any: Name,
}

impl<'p> Encoder<'p> {
    /// The accelerations of the loop in the current activation.
    pub(super) fn accelerations_at(&self, header: Block) -> Vec<&'p Acceleration> {
        let accelerations: &'p [Acceleration] = self.accelerations;
        if accelerations.is_empty() {
            return Vec::new();
        }
        let path = self.path();
        accelerations.iter().filter(|a| a.place.header == header && a.place.calls == path).collect()
    }

    fn path(&self) -> Vec<Inst> {
        self.stack.iter().filter_map(|f| f.call).collect()
    }

    /// The cells of an edge to the header that an acceleration speaks of, or that are kept.
    fn cells_of(&self, header: Block, edge: &Edge, acceleration: &Acceleration) -> Outcome<BTreeMap<Original, Name>> {
        let mut found = BTreeMap::new();
        for cell in cells(acceleration).into_iter().chain(acceleration.kept.iter().cloned()) {
            if let Some(name) = self.cell(header, edge, &cell) {
                found.insert(cell, name);
            }
        }
        Ok(found)
    }

    /// A cell of the current activation at its header; others cannot change in the loop.
    fn cell(&self, header: Block, (state, args): &Edge, cell: &Original) -> Option<Name> {
        let path = self.path();
        let frame = self.frame();
        match cell {
            Original::Global(var) => state.globals.get(var.as_u32() as usize).copied(),
            Original::Local { calls, slot } if *calls == path => state.slots.get(slot.as_u32() as usize).copied(),
            Original::Value { calls, value } if *calls == path => {
                let body = &self.program.procs[frame.proc];
                match body.blocks[header].params.iter().position(|p| p == value) {
                    Some(n) => args.get(n).copied(),
                    None => frame.shape.wide[*value].and_then(|n| state.values[n as usize]),
                }
            }
            Original::Local { .. } | Original::Value { .. } => None,
        }
    }

    /// Has iterations made at once, or none.
    pub(super) fn visit(
        &mut self,
        header: Block,
        l: LoopId,
        start: Edge,
        accelerations: &[&'p Acceleration],
    ) -> Outcome<Visit<'p>> {
        let mut start = start;
        for &acceleration in accelerations.iter().filter(|a| a.most.is_some()) {
            self.go_to_the_end(header, l, acceleration, &mut start)?;
        }
        let mut any = self.script.constant(&Const::FALSE);
        let mut taken = Vec::new();
        let mut after = start.clone();
        for &acceleration in accelerations.iter().filter(|a| a.most.is_none()) {
            let cells = self.cells_of(header, &start, acceleration)?;
            let (n, chosen) = (self.script.declare(Type::bv(acceleration.width)), self.script.declare(Type::BOOL));
            let one = self.script.constant(&Const::bv(acceleration.width, 1));
            let more = self.script.binary(BinOp::Add, n, one).ok_or_else(no_term)?;
            let possible = constraint(&mut self.script, acceleration, &cells, n)?;
            let further = constraint(&mut self.script, acceleration, &cells, more)?;
            let others = self.script.not(any);
            let here = self.script.and(chosen, possible);
            let here = self.script.and(here, others);
            any = self.script.or(any, here);
            let closed = closed(&mut self.script, acceleration, &cells, n)?;
            self.change(header, l, here, &closed, acceleration, &mut after);
            taken.push((acceleration, self.script.and(here, further)));
        }
        Ok(Visit { start: after, taken, any })
    }

    /// Where the loop goes on by itself, all iterations are made.
    fn go_to_the_end(
        &mut self,
        header: Block,
        l: LoopId,
        acceleration: &Acceleration,
        start: &mut Edge,
    ) -> Outcome<()> {
        let Some(most) = &acceleration.most else { return Ok(()) };
        let cells = self.cells_of(header, start, acceleration)?;
        let one = self.script.constant(&Const::bv(acceleration.width, 1));
        let here = constraint(&mut self.script, acceleration, &cells, one)?;
        let most = formula(&mut self.script, most, &cells, one)?;
        let closed = closed(&mut self.script, acceleration, &cells, most)?;
        self.change(header, l, here, &closed, acceleration, start);
        Ok(())
    }

    /// Runs the body of an accelerated loop once from any state in which one iteration of it is possible: that it is,
    /// and what must not happen then.
    fn forced(&mut self, acceleration: &Acceleration) -> Outcome<(Name, Vec<Name>)> {
        let unknown = || refuse("an acceleration is of no loop");
        let mut proc = self.program.entry.ok_or_else(unknown)?;
        self.open_frame(proc, None);
        for &call in &acceleration.place.calls {
            match self.program.procs[proc].insts.get(call).map(|i| &i.data) {
                Some(InstData::Call { callee, .. }) => proc = *callee,
                _ => return Err(unknown()),
            }
            self.open_frame(proc, Some(call));
        }
        let (shape, header) = (self.frame().shape.clone(), acceleration.place.header);
        let l = shape.nest.loops.iter().find(|(_, l)| l.header == header).map(|(l, _)| l).ok_or_else(unknown)?;
        let program: &'p Program = self.program;
        let body = &program.procs[proc];
        let globals = program.vars.values().map(|v| self.script.declare(v.ty)).collect();
        let slots = body.slots.values().map(|s| self.script.declare(s.ty)).collect();
        let mut values = vec![None; shape.wide_count];
        for value in body.values.keys() {
            if let Some(n) = shape.wide[value] {
                values[n as usize] = Some(self.script.declare(body.value_type(value)));
            }
        }
        let guard = self.script.constant(&Const::TRUE);
        let state = State { guard, globals: Rc::new(globals), slots: Rc::new(slots), values: Rc::new(values) };
        let args = body.blocks[header].params.iter().map(|&p| self.script.declare(body.value_type(p))).collect();
        let start: Edge = (state, args);
        let cells = self.cells_of(header, &start, acceleration)?;
        let one = self.script.constant(&Const::bv(acceleration.width, 1));
        let possible = constraint(&mut self.script, acceleration, &cells, one)?;
        let inside = Pending::from([(header, vec![start.clone()])]);
        let mut left = self.components(&shape.nest.loops[l].body, inside)?;
        let mut wrong: Vec<Name> = self.unwanted();
        for edge in take(&mut left, |b| b == header).values().flatten() {
            let same = self.follows(header, &start, edge, acceleration)?;
            let differs = self.script.not(same);
            wrong.push(self.script.and(edge.0.guard, differs));
        }
        wrong.extend(left.values().flatten().map(|(state, _)| state.guard));
        wrong.extend(self.frame().returned.iter().map(|(state, _)| state.guard));
        Ok((possible, wrong))
    }

    /// Where the acceleration is taken, cells with a closed form get that, and those not kept any value.
    fn change(
        &mut self,
        header: Block,
        l: LoopId,
        here: Name,
        closed: &BTreeMap<Original, Name>,
        acceleration: &Acceleration,
        (state, args): &mut Edge,
    ) {
        let path = self.path();
        let kept: FxHashSet<&Original> = acceleration.kept.iter().collect();
        let frame = self.frame();
        let (proc, shape) = (frame.proc, frame.shape.clone());
        let program: &'p Program = self.program;
        let body = &program.procs[proc];
        let mut next = |cell: Original, old: Name| {
            let value = match closed.get(&cell) {
                Some(&value) => value,
                None if kept.contains(&cell) => return old,
                None => self.script.declare(self.script.ty(old)),
            };
            self.script.ite(here, value, old)
        };
        let globals = Rc::make_mut(&mut state.globals);
        for (n, name) in globals.iter_mut().enumerate() {
            *name = next(Original::Global(Var::from_u32(n as u32)), *name);
        }
        for (n, name) in Rc::make_mut(&mut state.slots).iter_mut().enumerate() {
            *name = next(Original::Local { calls: path.clone(), slot: Slot::from_u32(n as u32) }, *name);
        }
        for (&param, name) in body.blocks[header].params.iter().zip(args) {
            *name = next(Original::Value { calls: path.clone(), value: param }, *name);
        }
        // What earlier iterations have defined is defined anew before it is used, or may be anything.
        let in_loop = |value: Value| match body.values[value].def {
            ValueDef::Param(block, _) => shape.nest.contains(l, block),
            ValueDef::Result(inst, _) => {
                body.layout.iter().any(|&b| shape.nest.contains(l, b) && body.blocks[b].insts.contains(&inst))
            }
        };
        let values = Rc::make_mut(&mut state.values);
        for value in body.values.keys() {
            let Some(n) = shape.wide[value].map(|n| n as usize) else { continue };
            let Some(old) = values[n].filter(|_| in_loop(value)) else { continue };
            let anything = self.script.declare(self.script.ty(old));
            values[n] = Some(self.script.ite(here, anything, old));
        }
    }

    /// Iterations back to the header that an acceleration stands for are not made by themselves.
    pub(super) fn forbid(&mut self, header: Block, visit: &Visit<'p>, inside: &mut Pending) -> Outcome<()> {
        let Some(edges) = inside.get_mut(&header) else { return Ok(()) };
        for edge in edges.iter_mut() {
            let mut forbidden = self.script.constant(&Const::FALSE);
            for &(acceleration, further) in &visit.taken {
                let one = self.one_of(header, visit, edge, acceleration)?;
                let none = self.script.not(visit.any);
                let when = self.script.or(none, further);
                let both = self.script.and(one, when);
                forbidden = self.script.or(forbidden, both);
            }
            let allowed = self.script.not(forbidden);
            let guard = self.script.and(edge.0.guard, allowed);
            edge.0 = State { guard, ..edge.0.clone() };
        }
        edges.retain(|(state, _)| !self.script.is_known(state.guard, false));
        if edges.is_empty() {
            inside.remove(&header);
        }
        Ok(())
    }

    /// Whether the iteration that ends here is one of the acceleration.
    fn one_of(&mut self, header: Block, visit: &Visit, edge: &Edge, acceleration: &Acceleration) -> Outcome<Name> {
        let before = self.cells_of(header, &visit.start, acceleration)?;
        let one = self.script.constant(&Const::bv(acceleration.width, 1));
        let possible = constraint(&mut self.script, acceleration, &before, one)?;
        let same = self.follows(header, &visit.start, edge, acceleration)?;
        Ok(self.script.and(possible, same))
    }

    /// Whether the second state is what one iteration makes of the first.
    fn follows(&mut self, header: Block, first: &Edge, second: &Edge, acceleration: &Acceleration) -> Outcome<Name> {
        let before = self.cells_of(header, first, acceleration)?;
        let one = self.script.constant(&Const::bv(acceleration.width, 1));
        let closed = closed(&mut self.script, acceleration, &before, one)?;
        let kept = acceleration.kept.iter().filter_map(|c| Some((c, *before.get(c)?)));
        let expected: Vec<(&Original, Name)> =
            closed.iter().map(|(c, &n)| (c, n)).chain(kept.filter(|(c, _)| !closed.contains_key(c))).collect();
        let mut is = self.script.constant(&Const::TRUE);
        for (cell, name) in expected {
            let now = self.cell(header, second, cell).ok_or_else(|| refuse("a cell of an acceleration is gone"))?;
            if now != name {
                let same = self.script.binary(BinOp::Eq, now, name).ok_or_else(no_term)?;
                is = self.script.and(is, same);
            }
        }
        Ok(is)
    }
}
