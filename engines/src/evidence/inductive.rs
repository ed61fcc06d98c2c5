//! Checks formulas at loop headers: they hold whenever a run comes there, and with them no run violates the property.
//!
//! The program as lowered is cut at its loop headers, calls in place ([`unfold`]); between the cut points a plain
//! symbolic execution gives the states that come to the next ones and the violations on the way ([`segment`]). The
//! queries ask for a segment that starts where the formulas of its cut point hold and ends where those of the next do
//! not, or violates something. With `k` above zero violations are looked for after segments without any: from the
//! entry the first `k` + 1 segments, and from each cut point the last of `k` + 1. States that come to one cut point at
//! one time are merged. The last ones may be taken to be of runs that repeat no state, where that is shown to be enough
//! ([`simple`]).
//!
//! A certificate may say which calls are looked into ([`unfold`]); the others give back anything, leave anything in what they may
//! write, and count as a violation where they may be one.
//!
//! What takes long is checked for each disjunct of some formulas at the start by itself, so that constants decide most.
//!
//! The check decides by itself where the program is cut, so a certificate that names too few headers is refused at
//! worst. It cuts no more than a loop nest of any smaller program does; with fewer cuts segments are longer, which can
//! only prove more.

mod annotate;
mod guard;
mod segment;
mod simple;
mod unfold;

use super::emit::{Name, Script};
use super::refuse;
use super::solve::{is_unsat, Judge};
use crate::annotation::{Formula, Location, Original};
use crate::task::Reason;
pub(super) use annotate::is_legal;
use annotate::{resolve, Annotation, Annotations, At, Case, Part};
use segment::{Outcome, Runner, Segment};
use simple::Cells;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use syncline_ir::inline::calls::CallPath;
use syncline_ir::{Const, Program, Prop};
use unfold::{is_asked, Node, Unfolded};

/// Certificates with a larger `k` are refused: values are looked up through so many segments.
const MAX_K: u32 = 10_000;

/// A query that takes longer is split into cases, if there are any.
const PATIENCE: Duration = Duration::from_millis(1500);
/// Or if it takes so many times as long as to write it down.
const PATIENT: u32 = 8;
/// At least so many at once: a case should be much simpler than the whole.
const CASES: usize = 40;
/// Where several properties are checked together, so much is asked at once: what one query needs of a large program is
/// then little.
const PORTION: usize = 16;

pub fn check(
    program: &Program,
    props: &[Prop],
    k: u32,
    annotations: &BTreeMap<Location, Vec<Formula<Original>>>,
    opened: Option<&BTreeSet<CallPath>>,
    judge: &mut Judge,
) -> Result<(), Reason> {
    check_on(program, props, k, annotations, opened, None, judge)
}

/// The same, where the last `k` + 1 states of a run may be taken to be pairwise different in these cells.
pub fn check_simple_path(
    program: &Program,
    props: &[Prop],
    k: u32,
    annotations: &BTreeMap<Location, Vec<Formula<Original>>>,
    cells: &BTreeMap<Location, Vec<Original>>,
    judge: &mut Judge,
) -> Result<(), Reason> {
    check_on(program, props, k, annotations, None, Some(cells), judge)
}

fn check_on(
    program: &Program,
    props: &[Prop],
    k: u32,
    annotations: &BTreeMap<Location, Vec<Formula<Original>>>,
    opened: Option<&BTreeSet<CallPath>>,
    cells: Option<&BTreeMap<Location, Vec<Original>>>,
    judge: &mut Judge,
) -> Result<(), Reason> {
    if k > MAX_K {
        return Err(refuse(format!("{k} steps of induction are too many to check")));
    }
    if program.system.is_none() && program.entry.is_some() && !is_asked(program, props) {
        return Ok(());
    }
    let mut graph = Unfolded::new(program, props, opened)?;
    let annotations = resolve(&graph, annotations)?;
    let cells = cells.map(|cells| simple::resolve(&graph, cells)).transpose()?;
    graph.cut(annotations.keys().copied());
    let mut check = Check { graph: &graph, annotations: &annotations, k, hurry: None, judge };
    check.entry()?;
    for &cut in &graph.cuts {
        check.by_cases(cut, |check, start| check.consecution(cut, start))?;
    }
    if k == 0 {
        return Ok(());
    }
    check.first_segments()?;
    for &cut in &graph.cuts {
        if let Some(cells) = &cells {
            check.determined(cut, cells)?;
        }
        check.by_cases(cut, |check, start| check.step(cut, start, cells.as_ref()))?;
    }
    Ok(())
}

struct Check<'c, 'p> {
    graph: &'c Unfolded<'p>,
    annotations: &'c Annotations,
    k: u32,
    /// When the check of a case began that may be split further.
    hurry: Option<Instant>,
    judge: &'c mut Judge,
}

/// A case in which segments start: for some of the formulas there, one of their disjuncts each.
#[derive(Clone, Default)]
struct Start<'c> {
    fixed: BTreeMap<Part, Const>,
    chosen: Vec<(&'c Annotation, &'c Case)>,
    /// Part of the file name, if there is more than one.
    suffix: String,
}

impl<'c> Start<'c> {
    /// The cases of each of the next formulas, so many of these that there are enough cases.
    fn split(self, formulas: &[&'c Annotation]) -> Vec<Start<'c>> {
        let mut starts = vec![self];
        while starts.len() < CASES {
            let Some(&formula) = formulas.get(starts.first().map_or(0, |s| s.chosen.len())) else { break };
            let with = |start: Start<'c>| {
                let one = move |case: &'c Case| {
                    let mut start = start.clone();
                    start.fixed.extend(case.fixed.iter().cloned());
                    start.chosen.push((formula, case));
                    start
                };
                formula.cases.iter().map(one).collect::<Vec<_>>()
            };
            starts = starts.into_iter().flat_map(with).collect();
        }
        starts
    }
}

impl<'c, 'p> Check<'c, 'p> {
    fn runner(&self) -> Runner<'c, 'p> {
        Runner::new(self.graph, self.judge.deadline)
    }

    /// The formulas hold at the first cut point.
    fn entry(&mut self) -> Outcome<()> {
        let mut runner = self.runner();
        let segment = runner.start_at_entry()?;
        self.segment(runner, segment, &[], "entry", "the start of the program")
    }

    /// Checks something of a cut point: at once, or, if that takes long, for each disjunct of some of its formulas, and
    /// so on. A case starts with constants, which do most of the work. Formulas that list whole states are
    /// split at once.
    fn by_cases(&mut self, cut: Node, check: impl Fn(&mut Self, &Start<'c>) -> Outcome<()>) -> Outcome<()> {
        let annotations: &'c [Annotation] = self.annotations.get(&cut).map_or(&[], Vec::as_slice);
        let whole = self.anywhere(cut);
        let mut formulas: Vec<&'c Annotation> = annotations.iter().filter(|a| a.cases.len() > 1).collect();
        let states = |a: &Annotation| a.cases.iter().all(|c| c.fixed.len() > 1);
        formulas.sort_by_key(|a| (!states(a), std::cmp::Reverse(a.cases.len())));
        let mut starts = match formulas.first() {
            Some(first) if states(first) => whole.split(&formulas),
            Some(_) | None => vec![whole],
        };
        let deadline = self.judge.deadline;
        let mut number = 0;
        while let Some(mut start) = starts.pop() {
            if number > 0 || !starts.is_empty() {
                start.suffix = format!("-case-{}", number + 1);
            }
            let last = start.chosen.len() == formulas.len();
            self.hurry = (!last).then(Instant::now);
            let outcome = check(self, &start);
            self.hurry = None;
            match outcome {
                Ok(()) => number += 1,
                Err(Reason::Time) if !last && Instant::now() < deadline => starts.extend(start.split(&formulas)),
                Err(reason) => return Err(reason),
            }
        }
        Ok(())
    }

    /// Any state in which the formulas of the cut point hold.
    fn anywhere(&self, cut: Node) -> Start<'c> {
        let formulas = self.annotations.get(&cut).into_iter().flatten();
        let always = formulas.filter(|a| a.cases.len() == 1).flat_map(|a| &a.cases[0].fixed);
        Start { fixed: always.cloned().collect(), ..Start::default() }
    }

    /// From a cut point where its formulas hold, those of the next hold there.
    fn consecution(&mut self, cut: Node, start: &Start<'c>) -> Outcome<()> {
        let mut runner = self.runner();
        let (segment, given) = self.start(&mut runner, cut, start, &BTreeMap::new())?;
        if runner.script.is_known(given, false) {
            return Ok(());
        }
        runner.go(segment, cut)?;
        let purpose = format!("from-{}{}", self.file_name(cut), start.suffix);
        self.segment(runner, segment, &[given], &purpose, &self.describe(cut))
    }

    /// A segment from any state in which the formulas of the cut point hold, in one case; and that they do. Some of the
    /// state may be given.
    fn start(
        &self,
        runner: &mut Runner<'c, 'p>,
        cut: Node,
        start: &Start<'c>,
        shared: &BTreeMap<Part, Name>,
    ) -> Outcome<(Segment, Name)> {
        let mut names = shared.clone();
        for (&part, constant) in &start.fixed {
            names.entry(part).or_insert_with(|| runner.script.constant(constant));
        }
        let segment = runner.start_anywhere(cut, &names);
        let mut given = runner.script.constant(&Const::TRUE);
        let annotations = self.annotations.get(&cut).map_or(&[][..], Vec::as_slice);
        let Some(edge) = runner.segments[segment].start.clone() else { return Ok((segment, given)) };
        let at = At { node: cut, segment, edge: &edge };
        for annotation in annotations {
            let chosen = start.chosen.iter().find(|(formula, _)| std::ptr::eq(*formula, annotation));
            let holds = match chosen {
                Some((_, case)) => runner.case_holds(&at, annotation, case)?,
                None => runner.holds(&at, annotation)?,
            };
            given = runner.script.and(given, holds);
        }
        Ok((segment, given))
    }

    /// For each cut point the segment comes to: it does, and whether the formulas hold there, in portions.
    fn arrivals(&self, runner: &mut Runner<'c, 'p>, segment: Segment) -> Outcome<Vec<(Name, Vec<Name>)>> {
        let arrivals = runner.segments[segment].arrivals.clone();
        let mut found = Vec::new();
        for (node, edge) in arrivals {
            if let Some(annotations) = self.annotations.get(&node) {
                let at = At { node, segment, edge: &edge };
                let portion = if self.together() { 1 } else { annotations.len().max(1) };
                let holds = annotations.chunks(portion).map(|some| runner.hold(&at, some)).collect::<Outcome<_>>()?;
                found.push((runner.taken(&edge), holds));
            }
        }
        Ok(found)
    }

    /// Whether several properties are checked together.
    fn together(&self) -> bool {
        self.graph.props.len() > 1
    }

    /// A segment ends where formulas hold, and with `k` = 0 it violates nothing.
    fn segment(
        &mut self,
        mut runner: Runner<'c, 'p>,
        segment: Segment,
        given: &[Name],
        purpose: &str,
        place: &str,
    ) -> Outcome<()> {
        let mut broken = Vec::new();
        for (guard, holds) in self.arrivals(&mut runner, segment)? {
            for holds in holds {
                let fails = runner.script.not(holds);
                broken.push(runner.script.and(guard, fails));
            }
        }
        let violations = if self.k == 0 { runner.segments[segment].violations.clone() } else { Vec::new() };
        let any: Vec<Name> = broken.iter().chain(&violations).copied().collect();
        let safe = if self.k == 0 { ", and violates nothing on the way" } else { "" };
        let meaning = format!("a run from {place} comes to the next loop header with its formulas{safe}");
        if self.is_unsat(&mut runner.script, given, &any, purpose, &meaning)? {
            return Ok(());
        }
        let violations = runner.script.query(given, &violations);
        Err(refuse(if is_unsat(&violations, self.judge.deadline)? {
            format!("a run from {place} comes to the next loop header without its formulas")
        } else {
            format!("a run from {place} violates the property before the next loop header")
        }))
    }

    /// Nothing is violated in the first `k` + 1 segments.
    fn first_segments(&mut self) -> Outcome<()> {
        let mut runner = self.runner();
        let entry = runner.start_at_entry()?;
        // Where it starts does not matter.
        let mut layer = vec![(0, entry)];
        for _ in 0..self.k {
            layer = self.next_layer(&mut runner, &layer)?;
        }
        let any: Vec<Name> = runner.segments.iter().flat_map(|s| s.violations.iter().copied()).collect();
        let meaning = format!("no run violates anything before it has come to {} loop headers", self.k + 1);
        if self.is_unsat(&mut runner.script, &[], &any, "base", &meaning)? {
            return Ok(());
        }
        Err(refuse(format!("a run violates the property before it has come to {} loop headers", self.k + 1)))
    }

    /// The segments that follow, by where they start, with the states these end in.
    fn next_layer(&self, runner: &mut Runner<'c, 'p>, layer: &[(Node, Segment)]) -> Outcome<Vec<(Node, Segment)>> {
        let layer: Vec<Segment> = layer.iter().map(|&(_, segment)| segment).collect();
        let cuts: BTreeSet<Node> = layer.iter().flat_map(|&s| runner.segments[s].arrivals.keys().copied()).collect();
        let mut next = Vec::new();
        for cut in cuts {
            let segment = runner.start_after(cut, &layer);
            runner.go(segment, cut)?;
            next.push((cut, segment));
        }
        Ok(next)
    }

    /// After `k` segments from the cut point that violate nothing, the next one violates nothing.
    fn step(&mut self, cut: Node, start: &Start<'c>, cells: Option<&Cells>) -> Outcome<()> {
        let mut runner = self.runner();
        let (segment, holds) = self.start(&mut runner, cut, start, &BTreeMap::new())?;
        if runner.script.is_known(holds, false) {
            return Ok(());
        }
        let mut given = vec![holds];
        runner.go(segment, cut)?;
        let mut layers = vec![vec![(cut, segment)]];
        for n in 0..self.k as usize {
            for &(_, segment) in &layers[n] {
                for violated in runner.segments[segment].violations.clone() {
                    given.push(runner.script.not(violated));
                }
                // They do, by consecution.
                for (guard, holds) in self.arrivals(&mut runner, segment)? {
                    let elsewhere = runner.script.not(guard);
                    for holds in holds {
                        given.push(runner.script.or(elsewhere, holds));
                    }
                }
            }
            let next = self.next_layer(&mut runner, &layers[n])?;
            layers.push(next);
        }
        let last = layers.last().into_iter().flatten();
        let any: Vec<Name> = last.flat_map(|&(_, s)| runner.segments[s].violations.iter().copied()).collect();
        if let Some(cells) = cells {
            given.extend(self.distinct(&mut runner, &layers, cells)?);
        }
        let (place, k) = (self.describe(cut), self.k);
        let simple = cells.map_or("", |_| " and comes to no loop header twice with equal cells");
        let meaning =
            format!("a run from {place} that violates nothing up to loop header {k} after it{simple} goes on so");
        let purpose = format!("step-{}{}", self.file_name(cut), start.suffix);
        if self.is_unsat(&mut runner.script, &given, &any, &purpose, &meaning)? {
            return Ok(());
        }
        Err(refuse(format!("a run from {place} may violate the property after {k} loop headers for the first time")))
    }

    /// Whether none of `any` holds where all of `given` do.
    fn is_unsat(
        &mut self,
        script: &mut Script,
        given: &[Name],
        any: &[Name],
        purpose: &str,
        meaning: &str,
    ) -> Outcome<bool> {
        let any: Vec<Name> = any.iter().copied().filter(|&n| !script.is_known(n, false)).collect();
        if any.is_empty() {
            return Ok(true);
        }
        let given: Vec<Name> = given.iter().copied().filter(|&n| !script.is_known(n, true)).collect();
        let portion = if self.together() { PORTION } else { any.len() };
        for any in any.chunks(portion) {
            let query = script.query(&given, any);
            let deadline = self.judge.deadline;
            let until = match self.hurry {
                Some(began) => deadline.min(Instant::now() + PATIENCE.max(began.elapsed() * PATIENT)),
                None => deadline,
            };
            if !is_unsat(&query, until)? {
                return Ok(false);
            }
            self.judge.keep(purpose, meaning, query);
        }
        Ok(true)
    }

    /// The cut point in words.
    fn describe(&self, cut: Node) -> String {
        let node = &self.graph.nodes[cut];
        let body = self.graph.body(node.activation);
        let block = &body.blocks[node.block];
        let origin = block.insts.first().map_or(block.term_origin, |&i| body.insts[i].origin);
        format!("{} of {} ({})", node.block, body.name, self.graph.program.describe_origin(origin))
    }

    /// The cut point as part of a file name.
    fn file_name(&self, cut: Node) -> String {
        let node = &self.graph.nodes[cut];
        let name = &self.graph.body(node.activation).name;
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        format!("{name}-{}-{cut}", node.block)
    }
}
