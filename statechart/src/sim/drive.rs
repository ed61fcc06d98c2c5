//! M1, M2: steps and supersteps under the environment.

use super::{Chooser, Inputs, Simulator, Status, StepResult};
use crate::model::Time;

/// Steps of a superstep before it counts as one that never ends.
pub const SUPERSTEP_LIMIT: usize = 10_000;

/// What follows when the environment has come once.
#[derive(Clone, Debug)]
pub struct Superstep {
    /// The status each step starts with, inputs included, and what it does.
    pub steps: Vec<(Status, StepResult)>,
    /// It has ended, or a fault has ended the run; else the limit was met.
    pub settled: bool,
}

impl Superstep {
    pub fn next(&self) -> &Status {
        &self.steps.last().expect("a superstep has a step").1.next
    }
}

impl Simulator<'_> {
    /// M1 "Synchronous: every step takes one time unit, and external changes are seen at every step": one step.
    ///
    /// M2 "Asynchronous: external changes arrive only when the status is stable; the chain of steps that follows is a superstep
    /// and takes no time": steps up to the one in which nothing is enabled. (Its events "enable nothing" and "are lost".)
    pub fn superstep(&self, status: &Status, inputs: &Inputs, chooser: &mut dyn Chooser) -> Superstep {
        let mut status = self.status_with_inputs(status, inputs);
        let mut steps = Vec::new();
        while steps.len() < SUPERSTEP_LIMIT {
            let result = self.step(&status, chooser);
            let next = result.next.clone();
            let last = match self.chart.time {
                Time::Synchronous => true,
                Time::Asynchronous { .. } => result.is_empty() || next.aborted,
            };
            steps.push((status, result));
            if last {
                return Superstep { steps, settled: true };
            }
            status = next;
        }
        Superstep { steps, settled: false }
    }

    /// Supersteps from the chart's start, one for each of the inputs, until a fault ends the run or one does not settle.
    pub fn run(&self, inputs: &[Inputs], chooser: &mut dyn Chooser) -> (StepResult, Vec<Superstep>) {
        let start = self.start(chooser);
        let mut supersteps: Vec<Superstep> = Vec::new();
        for inputs in inputs {
            let status = supersteps.last().map_or(&start.next, Superstep::next);
            if status.aborted || supersteps.last().is_some_and(|s| !s.settled) {
                break;
            }
            supersteps.push(self.superstep(status, inputs, chooser));
        }
        (start, supersteps)
    }
}
