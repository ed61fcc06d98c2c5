//! Requirements: a verdict for each step, straight from the definition in [`RequirementKind`].

use super::eval::Reader;
use super::{Fault, Simulator, Status};
use crate::model::*;
use std::collections::VecDeque;

/// What is remembered of the steps so far, for each requirement of the chart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Observer {
    memory: Vec<Memory>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Memory {
    Always,
    /// For this step and the n before it, the oldest first: the cause held, and no effect has come since.
    LeadsTo(VecDeque<bool>),
    /// E has occurred, and F not since.
    AfterUntil(bool),
}

impl Observer {
    pub fn new(chart: &Chart) -> Observer {
        let memory = |requirement: &Requirement| match requirement.kind {
            RequirementKind::Always(_) => Memory::Always,
            RequirementKind::LeadsTo { .. } => Memory::LeadsTo(VecDeque::new()),
            RequirementKind::AfterUntil { .. } => Memory::AfterUntil(false),
        };
        Observer { memory: chart.requirements.iter().map(memory).collect() }
    }

    /// Judges the status a step starts with, inputs included; to be called once for every step, from step 1 on. For
    /// each requirement: it is kept (`false`: violated) in this step. `Err`: an expression of it ends the run.
    pub fn observe(&mut self, sim: &Simulator, status: &Status) -> Vec<Result<bool, Fault>> {
        let requirements = sim.chart().requirements.iter();
        requirements.zip(&mut self.memory).map(|(r, memory)| sim.judge(status, &r.kind, memory)).collect()
    }
}

impl Simulator<'_> {
    fn judge(&self, status: &Status, kind: &RequirementKind, memory: &mut Memory) -> Result<bool, Fault> {
        let mut reader = Reader::new(status, vec![]);
        match (kind, memory) {
            (RequirementKind::Always(c), _) => self.holds(&mut reader, c),
            // "whenever C holds, D holds at this step or one of the next n"
            (RequirementKind::LeadsTo { cause, effect, within }, Memory::LeadsTo(unanswered)) => {
                unanswered.push_back(self.holds(&mut reader, cause)?);
                if self.holds(&mut reader, effect)? {
                    unanswered.iter_mut().for_each(|step| *step = false);
                }
                let due = unanswered.len() as u64 > u64::from(*within);
                Ok(!(due && unanswered.pop_front() == Some(true)))
            }
            // "once E has occurred C holds from the same step on, up to but not including the step in which F occurs"
            (RequirementKind::AfterUntil { after, holds, until }, Memory::AfterUntil(asked)) => {
                *asked |= self.occurs(&reader, after)?;
                *asked &= !self.occurs(&reader, until)?;
                Ok(!*asked || self.holds(&mut reader, holds)?)
            }
            (RequirementKind::LeadsTo { .. } | RequirementKind::AfterUntil { .. }, _) => {
                unreachable!("the observer is the chart's")
            }
        }
    }
}
