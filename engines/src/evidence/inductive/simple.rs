//! Simple paths: an induction step that looks only at runs whose states at the loop headers are pairwise different.
//!
//! The certificate names some cells of the state at each header. That it may leave out runs that come twice to a header
//! with the same values of its cells rests on one thing: *the cells determine what follows*. Two states at a header in
//! which the formulas hold and the cells are equal do the same on the same inputs: both violate the property in their
//! segment or neither does, and they come to the same next header with equal cells there. This is asked of the solver,
//! header by header ([`Check::determined`]); nothing is taken from how the cells were chosen. Cells too few fail there,
//! cells too many only make fewer states equal.
//!
//! Then a run that violates the property and comes to the fewest headers before it does comes to no two of them alike:
//! from the first of the two it could go on with the inputs that follow the second, and would violate the property after
//! fewer headers. (All states on the way are reached by runs, so the formulas hold there.) Such a shortest run does not
//! exist: the base says that it comes to more than `k` headers, and of its last `k` + 1 states, which are pairwise
//! different, the step says that no violation follows. So no run violates the property.
//!
//! Visits of a header with an array among its cells are not told apart: to assume less is always right.

use super::super::emit::Name;
use super::super::refuse;
use super::annotate::{part, At, Part};
use super::segment::{Outcome, Runner, Segment};
use super::unfold::{Node, Unfolded};
use super::Check;
use crate::annotation::{Location, Original};
use std::collections::{BTreeMap, BTreeSet};
use syncline_ir::{BinOp, Const};

/// By cut point, the state that is compared. One that is not named has none, and all its visits are alike.
pub(super) type Cells = BTreeMap<Node, BTreeSet<Part>>;

/// The cells by the node they are about.
pub(super) fn resolve(graph: &Unfolded<'_>, cells: &BTreeMap<Location, Vec<Original>>) -> Outcome<Cells> {
    let mut resolved = Cells::new();
    for (location, names) in cells {
        let node = graph.location(location).ok_or_else(|| refuse(format!("there is no place {location:?}")))?;
        let parts: Outcome<Vec<Part>> = names.iter().map(|name| Ok(part(graph, node, name)?.0)).collect();
        resolved.entry(node).or_default().extend(parts?);
    }
    Ok(resolved)
}

impl<'c, 'p> Check<'c, 'p> {
    /// Two runs from the cut point with equal cells and the same inputs do alike. The formulas are not split into cases:
    /// the two states may be in different ones.
    pub(super) fn determined(&mut self, cut: Node, cells: &Cells) -> Outcome<()> {
        let mut runner = self.runner();
        let start = self.anywhere(cut);
        let (one, holds) = self.start(&mut runner, cut, &start, &BTreeMap::new())?;
        let mut shared = BTreeMap::new();
        for &part in cells.get(&cut).into_iter().flatten() {
            shared.insert(part, runner.part_at_start(one, cut, part)?);
        }
        let (other, also) = self.start(&mut runner, cut, &start, &shared)?;
        runner.go(one, cut)?;
        runner.go_alike(other, cut, one)?;
        let (violates, violates_too) = (runner.violates(one), runner.violates(other));
        let spared = runner.script.not(violates_too);
        let mut differs = vec![runner.script.and(violates, spared)];
        for (node, edge) in runner.segments[one].arrivals.clone() {
            let taken = runner.taken(&edge);
            let mut alike = runner.script.constant(&Const::FALSE);
            if let Some(follows) = runner.segments[other].arrivals.get(&node).cloned() {
                alike = runner.taken(&follows);
                for &part in cells.get(&node).into_iter().flatten() {
                    let mine = runner.part(&At { node, segment: one, edge: &edge }, part)?;
                    let theirs = runner.part(&At { node, segment: other, edge: &follows }, part)?;
                    let same = runner.same(mine, theirs)?;
                    alike = runner.script.and(alike, same);
                }
            }
            let unlike = runner.script.not(alike);
            differs.push(runner.script.and(taken, unlike));
        }
        let place = self.describe(cut);
        let meaning =
            format!("runs from {place} with equal cells and the same inputs do alike up to the next loop header");
        let purpose = format!("alike-{}", self.file_name(cut));
        if self.is_unsat(&mut runner.script, &[holds, also], &differs, &purpose, &meaning)? {
            return Ok(());
        }
        Err(refuse(format!("the cells at {place} do not determine what follows")))
    }

    /// No two of these visits, one layer after another, are at one cut point with equal cells.
    pub(super) fn distinct(
        &self,
        runner: &mut Runner<'c, 'p>,
        layers: &[Vec<(Node, Segment)>],
        cells: &Cells,
    ) -> Outcome<Vec<Name>> {
        let mut found = Vec::new();
        for (n, layer) in layers.iter().enumerate() {
            for &(cut, later) in layer {
                let earlier = layers[..n].iter().flatten().filter(|(node, _)| *node == cut);
                for &(_, earlier) in earlier {
                    if let Some(alike) = self.alike(runner, cut, earlier, later, cells)? {
                        found.push(runner.script.not(alike));
                    }
                }
            }
        }
        Ok(found)
    }

    /// Both segments are taken and start with equal cells; `None` if that is not looked at.
    fn alike(
        &self,
        runner: &mut Runner<'c, 'p>,
        cut: Node,
        one: Segment,
        other: Segment,
        cells: &Cells,
    ) -> Outcome<Option<Name>> {
        let starts = (runner.segments[one].start.clone(), runner.segments[other].start.clone());
        let (Some(first), Some(second)) = starts else { return Ok(None) };
        let (first, second) = (runner.taken(&first), runner.taken(&second));
        let mut alike = runner.script.and(first, second);
        for &part in cells.get(&cut).into_iter().flatten() {
            let mine = runner.part_at_start(one, cut, part)?;
            let theirs = runner.part_at_start(other, cut, part)?;
            if runner.script.ty(mine).is_array() {
                return Ok(None);
            }
            let same = runner.same(mine, theirs)?;
            alike = runner.script.and(alike, same);
        }
        Ok(Some(alike))
    }
}

impl Runner<'_, '_> {
    fn part_at_start(&mut self, segment: Segment, cut: Node, part: Part) -> Outcome<Name> {
        let edge = self.segments[segment].start.clone().ok_or_else(|| refuse("a segment without a start"))?;
        self.part(&At { node: cut, segment, edge: &edge }, part)
    }

    fn same(&mut self, a: Name, b: Name) -> Outcome<Name> {
        if a == b {
            return Ok(self.script.constant(&Const::TRUE));
        }
        self.script.binary(BinOp::Eq, a, b).ok_or_else(|| refuse("cells of different types"))
    }

    /// The segment violates something.
    fn violates(&mut self, segment: Segment) -> Name {
        let mut any = self.script.constant(&Const::FALSE);
        for violated in self.segments[segment].violations.clone() {
            any = self.script.or(any, violated);
        }
        any
    }
}
