//! T4 and T6 word by word, against the way of the simulator from the root inwards.

use super::step::Notes;
use super::transitions::{strictly_contains, Enabled};
use super::{Inputs, Simulator, Status};
use crate::import;
use crate::model::*;
use std::collections::BTreeSet;
use std::path::Path;

/// All maximal sets of enabled, non-conflicting, priority-respecting transitions, each as the segments of its transitions.
fn t6_literally(sim: &Simulator, status: &Status) -> BTreeSet<BTreeSet<Vec<Segment>>> {
    let chart = sim.chart();
    let mut notes = Notes::default();
    let enabled: Vec<Enabled> =
        chart.states.keys().flat_map(|scope| sim.t2_enabled(status, scope, &mut notes)).collect();
    assert!(notes.faults.is_empty(), "no fault in a guard");
    let conflict = |a: &Enabled, b: &Enabled| !sim.t3_left(status, a).is_disjoint(&sim.t3_left(status, b));
    let outer = |a: &Enabled, b: &Enabled| strictly_contains(chart, a.scope, b.scope);
    let respects = |t: &Enabled| !enabled.iter().any(|u| conflict(u, t) && outer(u, t));
    let fits = |set: &[&Enabled], t: &Enabled| respects(t) && set.iter().all(|u| !conflict(u, t));
    assert!(enabled.len() < 12);
    let mut maximal = BTreeSet::new();
    for subset in 0..1usize << enabled.len() {
        let (mut set, mut good) = (Vec::new(), true);
        for (_, t) in enabled.iter().enumerate().filter(|(n, _)| subset >> n & 1 == 1) {
            good &= fits(&set, t);
            set.push(t);
        }
        let is_in = |t: &Enabled| set.iter().any(|u| u.segments == t.segments);
        if good && enabled.iter().all(|t| is_in(t) || !fits(&set, t)) {
            maximal.insert(set.iter().map(|t| t.segments.clone()).collect());
        }
    }
    maximal
}

/// A generator of numbers: Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

fn any_inputs(chart: &Chart, random: &mut Random) -> Inputs {
    let mut inputs = Inputs::default();
    inputs.events.extend(chart.events.iter().filter(|(_, data)| data.input).map(|(event, _)| event));
    inputs.events.retain(|_| random.below(2) == 0);
    for (item, data) in chart.items.iter().filter(|(_, data)| data.input) {
        let value = match data.ty {
            ItemType::Bool => Literal::Bool(random.below(2) == 0),
            ItemType::Int { min, max } => {
                Literal::Int((i64::from(min) + random.below((max - min + 1) as u64) as i64) as i32)
            }
            ItemType::Enum(_) | ItemType::Real => continue,
        };
        inputs.items.push((item, None, value));
    }
    inputs
}

#[test]
fn steps_are_the_maximal_sets_of_t6() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/statechart/rules");
    let (mut random, mut choices, mut charts) = (Random(7), 0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // Guards of transitions that priority rules out are not evaluated, and may divide.
        if path.extension().is_none_or(|e| e != "xml") || name == "D-division" {
            continue;
        }
        charts += 1;
        let chart = import::read(&path, &import::Options::default()).unwrap();
        let sim = Simulator::new(&chart);
        let mut status = sim.initial().remove(0);
        for _ in 0..300 {
            if status.aborted || status.terminated || random.below(60) == 0 {
                status = sim.initial().remove(0);
            }
            let now = sim.status_with_inputs(&status, &any_inputs(&chart, &mut random));
            let results = sim.steps(&now);
            let done = results.iter().filter(|r| !r.next.aborted);
            let fired: BTreeSet<BTreeSet<_>> = done.map(|r| r.fired.iter().cloned().collect()).collect();
            if !fired.is_empty() {
                assert_eq!(fired, t6_literally(&sim, &now), "{name}");
            }
            choices += usize::from(fired.len() > 1);
            let taken = random.below(results.len() as u64) as usize;
            status = results[taken].next.clone();
        }
    }
    assert!(charts > 30 && choices > 50, "{charts} charts, {choices} choices");
}
