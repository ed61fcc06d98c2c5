mod gen;

use gen::cover::Coverage;
use gen::rng::Rng;
use gen::search;
use gen::Profile;
use syncline_statechart::model::*;
use syncline_statechart::sim::{Chooser, Choice, Inputs, Simulator};

struct Random<'r>(&'r mut Rng);
impl Chooser for Random<'_> {
    fn choose(&mut self, choice: Choice) -> usize {
        self.0.below(choice.count())
    }
}

#[test]
fn probe() {
    let n: u64 = std::env::var("SYNCLINE_CHART_COUNT").ok().and_then(|v| v.parse().ok()).unwrap_or(200);
    let mut cov = Coverage::default();
    for index in 0..n {
        let chart = gen::chart(1, index, Profile::Large);
        cov.chart(&chart);
        let sim = Simulator::new(&chart);
        let mut rng = Rng::new(2, index);
        let start = sim.start(&mut Random(&mut rng));
        let mut status = start.next;
        let mut quiet = true;
        for _ in 0..100 {
            if status.aborted { break; }
            if quiet {
                let inputs = Inputs { advance: 1, ..Inputs::default() };
                let _ = &inputs;
                let mut inputs = inputs;
                for (e, d) in &chart.events { if d.input && rng.chance(40) { inputs.events.insert(e); } }
                status = sim.status_with_inputs(&status, &inputs);
            }
            let r = sim.step(&status, &mut Random(&mut rng));
            cov.step(&chart, &status, &r);
            if rng.chance(10) { cov.priority(&chart, &status, &r); }
            quiet = chart.time == Time::Synchronous || r.is_empty();
            status = r.next;
        }
    }
    eprintln!("{}\n{:?}", cov.report(), cov.zeros());
    let mut sizes = vec![];
    let t = std::time::Instant::now();
    let mut none = 0;
    for index in 0..n {
        let chart = gen::chart(1, index, Profile::Small);
        match search::search(&chart, 3000) { Some(f) => sizes.push(f.statuses), None => none += 1 }
    }
    sizes.sort();
    eprintln!("{none} too large, {:?} {:?}", sizes, t.elapsed());
    println!("{}", gen::text::xml(&gen::chart(1, 3, Profile::Small)));
}
