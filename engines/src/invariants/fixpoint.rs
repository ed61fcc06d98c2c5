//! The iteration: loops from the inside out in weak topological order, widening at their headers; then a few passes
//! without widening, each of which keeps every state sound, since all it starts from are sound.
//!
//! A block whose input is the version it was last run on is not run again.

use super::state::State;
use super::tables::Tables;
use super::transfer;
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::FxHashMap;
use std::time::Instant;
use syncline_ir::analysis::{Component, LoopNest};
use syncline_ir::Block;

const DESCENDING_PASSES: usize = 3;
/// Blocks between two looks at the clock.
const SLICE: u32 = 64;

#[derive(Copy, Clone)]
enum Step {
    Block(Block),
    Head(Block),
    /// The end of the loop whose head stands there.
    End(usize),
}

/// The order of blocks, flat.
fn order(nest: &LoopNest) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut stack: Vec<(std::slice::Iter<'_, Component>, Option<usize>)> = vec![(nest.top.iter(), None)];
    while let Some((rest, head)) = stack.last_mut() {
        match rest.next() {
            Some(Component::Block(block)) => match *head {
                Some(at) if at == steps.len() => steps.push(Step::Head(*block)),
                Some(_) | None => steps.push(Step::Block(*block)),
            },
            Some(Component::Loop(id)) => {
                let head = steps.len();
                stack.push((nest.loops[*id].body.iter(), Some(head)));
            }
            None => {
                steps.extend(head.map(Step::End));
                stack.pop();
            }
        }
    }
    steps
}

pub(super) struct Fixpoint<'t, 'a> {
    tables: &'t Tables<'a>,
    deadline: Instant,
    until_look: u32,
    inputs: Vec<Option<State>>,
    /// The edges of each block, and the input they are of.
    edges: SecondaryMap<Block, Vec<Option<State>>>,
    ran_on: Vec<Option<State>>,
    visits: FxHashMap<Block, u32>,
    /// The edges into each block, by source and place among its targets.
    incoming: SecondaryMap<Block, Vec<(Block, usize)>>,
}

impl<'t, 'a> Fixpoint<'t, 'a> {
    /// Sound states at the starts of blocks (`None`: no run comes there); nothing if the time does not suffice.
    pub fn solve(tables: &'t Tables<'a>, nest: &LoopNest, deadline: Instant) -> Option<Vec<Option<State>>> {
        let len = tables.body.blocks.len();
        let mut incoming: SecondaryMap<Block, Vec<(Block, usize)>> = SecondaryMap::new();
        for &block in tables.cfg.rpo() {
            for (n, target) in tables.body.successors(block).enumerate() {
                incoming[target.block].push((block, n));
            }
        }
        let mut fixpoint = Fixpoint {
            tables,
            deadline,
            until_look: SLICE,
            inputs: vec![None; len],
            edges: SecondaryMap::new(),
            ran_on: vec![None; len],
            visits: FxHashMap::default(),
            incoming,
        };
        let steps = order(nest);
        fixpoint.ascend(&steps)?;
        for _ in 0..DESCENDING_PASSES {
            if fixpoint.descend(&steps).is_none() {
                break;
            }
        }
        Some(fixpoint.inputs)
    }

    fn in_time(&mut self) -> Option<()> {
        self.until_look -= 1;
        if self.until_look == 0 {
            self.until_look = SLICE;
            return (Instant::now() < self.deadline).then_some(());
        }
        Some(())
    }

    fn ascend(&mut self, steps: &[Step]) -> Option<()> {
        let mut at = 0;
        while let Some(&step) = steps.get(at) {
            self.in_time()?;
            match step {
                Step::Block(block) => {
                    self.inputs[block.index()] = self.joined(block);
                    self.run(block);
                }
                Step::Head(block) => {
                    self.grow(block);
                    self.run(block);
                }
                Step::End(head) => {
                    if let Step::Head(block) = steps[head] {
                        if self.grow(block) {
                            self.run(block);
                            at = head;
                        }
                    }
                }
            }
            at += 1;
        }
        Some(())
    }

    fn descend(&mut self, steps: &[Step]) -> Option<()> {
        for &step in steps {
            self.in_time()?;
            match step {
                Step::Block(block) | Step::Head(block) => {
                    self.inputs[block.index()] = self.joined(block);
                    self.run(block);
                }
                Step::End(_) => {}
            }
        }
        Some(())
    }

    /// What comes in over the edges.
    fn joined(&self, block: Block) -> Option<State> {
        let mut result = (block == self.tables.body.entry).then(|| transfer::initial(self.tables));
        for &(from, n) in &self.incoming[block] {
            let Some(Some(state)) = self.edges[from].get(n) else { continue };
            result = Some(match result {
                Some(sum) => sum.join(state, self.tables, block),
                None => state.clone(),
            });
        }
        result
    }

    /// Widens a header's state by what comes in; whether it changed.
    fn grow(&mut self, block: Block) -> bool {
        let Some(new) = self.joined(block) else { return false };
        let visits = self.visits.entry(block).or_insert(0);
        let old = &mut self.inputs[block.index()];
        let next = match old {
            Some(old) => {
                let next = old.widen(&old.join(&new, self.tables, block), self.tables, *visits);
                if next.same(old) {
                    return false;
                }
                next
            }
            None => new,
        };
        *visits += 1;
        *old = Some(next);
        true
    }

    fn run(&mut self, block: Block) {
        let Some(input) = &self.inputs[block.index()] else {
            self.edges[block] = Vec::new();
            self.ran_on[block.index()] = None;
            return;
        };
        if self.ran_on[block.index()].as_ref().is_some_and(|last| last.same(input)) {
            return;
        }
        self.edges[block] = transfer::block(self.tables, block, input);
        self.ran_on[block.index()] = Some(input.clone());
    }
}
