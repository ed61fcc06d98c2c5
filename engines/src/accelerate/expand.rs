//! From a run of the rewritten program to one of the original: n iterations at once become n iterations.
//!
//! The rewritten program is run on the inputs of the model, all of it, and what comes in is written down in order: an
//! input of the original as it is, an accelerated path as n times the inputs of one iteration along it. An iteration
//! asks the same sites in the same order each time, since its path decides which. The run that comes out is replayed on
//! the original like any other: nothing rests on what is done here.

use super::rewrite::{Rewritten, Role};
use super::Accelerator;
use crate::task::Trace;
use rustc_hash::FxHashMap;
use std::time::Instant;
use syncline_ir::interp::{self, Limits, Observer, SiteQueues};
use syncline_ir::{Const, Origin, Site};

/// A run with more inputs is given up.
const MAX_INPUTS: usize = 40_000_000;

/// The inputs of the original run; `None` if there are too many.
pub fn expand(
    rewritten: &Rewritten,
    accelerators: &[Accelerator],
    trace: &Trace,
    fuel: u64,
    deadline: Instant,
) -> Option<Trace> {
    let mut queues = SiteQueues::new(&trace.inputs);
    let mut expander =
        Expander { roles: &rewritten.roles, accelerators, trace: Trace::default(), inputs: 0, taking: None };
    let limits = Limits { fuel, deadline: Some(deadline), ..Limits::default() };
    interp::run(&rewritten.program, &mut queues, &mut expander, limits);
    (expander.inputs <= MAX_INPUTS).then_some(expander.trace)
}

struct Expander<'r> {
    roles: &'r FxHashMap<Site, Role>,
    accelerators: &'r [Accelerator],
    trace: Trace,
    inputs: usize,
    /// An accelerator whose inputs are coming in: how often, and those that have come.
    taking: Option<(usize, u128, Vec<Option<Const>>)>,
}

impl Expander<'_> {
    fn push(&mut self, site: Site, value: Const, times: usize) {
        self.inputs = self.inputs.saturating_add(times);
        if self.inputs <= MAX_INPUTS {
            self.trace.inputs.entry(site).or_default().push_times(value, times);
        }
    }

    /// Writes the iterations down once all inputs of the path have come.
    fn take(&mut self) {
        let Some((at, times, values)) = self.taking.take() else { return };
        let inputs = &self.accelerators[at].inputs;
        if inputs.iter().zip(&values).any(|(i, v)| i.matters && v.is_none()) {
            self.taking = Some((at, times, values));
            return;
        }
        let times = usize::try_from(times).unwrap_or(usize::MAX);
        let of = |site: Site| {
            let here = inputs.iter().zip(&values).filter(move |(i, _)| i.site == site);
            here.map(|(i, v)| v.clone().unwrap_or_else(|| Const::zero(i.ty)))
        };
        let mut sites: Vec<Site> = inputs.iter().map(|i| i.site).collect();
        sites.sort_unstable();
        sites.dedup();
        for site in sites {
            let round: Vec<Const> = of(site).collect();
            if let [value] = &round[..] {
                self.push(site, value.clone(), times);
                continue;
            }
            for _ in 0..times {
                round.iter().for_each(|v| self.push(site, v.clone(), 1));
                if self.inputs > MAX_INPUTS {
                    return;
                }
            }
        }
    }
}

impl Observer for Expander<'_> {
    fn input(&mut self, site: Site, value: &Const, _: Origin) {
        match self.roles.get(&site) {
            None => self.push(site, value.clone(), 1),
            Some(Role::Own(own)) => self.push(*own, value.clone(), 1),
            Some(Role::Choice) => {}
            Some(&Role::Count(at)) => {
                let missing = vec![None; self.accelerators[at].inputs.len()];
                self.taking = Some((at, value.as_bits().unwrap_or(0), missing));
                self.take();
            }
            Some(&Role::Input(at, number)) => {
                if let Some((taking, _, values)) = &mut self.taking {
                    if *taking == at {
                        values[number] = Some(value.clone());
                    }
                }
                self.take();
            }
        }
    }
}
