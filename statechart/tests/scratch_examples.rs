mod gen;
use gen::search;
use std::path::Path;
use syncline_statechart::import;

#[test]
fn examples() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let limit: usize = std::env::var("LIMIT").ok().and_then(|v| v.parse().ok()).unwrap_or(20000);
    for entry in std::fs::read_dir("../examples/statecharts").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "xml") || !path.to_string_lossy().contains(&only) { continue; }
        match import::read(Path::new(&path), &import::Options::default()) {
            Err(errors) => { println!("{}:", path.display()); for e in errors { println!("   {e}"); } }
            Ok(chart) => {
                println!("{}: {} states {} segments", path.display(), chart.states.len(), chart.segments.len());
                if std::env::var("SEARCH").is_err() { continue; }
                let t = std::time::Instant::now();
                match search::explore(&chart, limit, 70000) {
                    None => println!("   inputs too many"),
                    Some((complete, found)) => {
                        println!("   complete {complete} {} statuses {:?}", found.statuses, t.elapsed());
                        let name = |s: &syncline_statechart::model::State| chart.states[*s].path.clone();
                        if !found.conflicts.is_empty() { println!("   conflicts {:?}", found.conflicts.iter().map(name).collect::<Vec<_>>()); }
                        for i in &found.races { println!("   race {}", chart.items[*i].name); }
                        for i in &found.ranges { println!("   range {}", chart.items[*i].name); }
                        for i in &found.indices { println!("   index {}", chart.items[*i].name); }
                        if found.unstable { println!("   unstable"); }
                        for s in chart.states.keys() { if !found.entered.contains(&s) { println!("   unreachable {}", name(&s)); } }
                        for (s, d) in &chart.segments { if !found.taken.contains(&s) { println!("   dead {:?} line {} {}", s, d.position.line, d.label); } }
                        for s in chart.states.keys() { for n in 0..chart.states[s].reactions.len() { if !found.reacted.contains(&(s, n)) { println!("   dead reaction {} {n}", name(&s)); } } }
                        for n in &found.violated { println!("   violated {}", chart.requirements[*n].name); }
                    }
                }
            }
        }
    }
}

#[test]
fn walk() {
    use gen::rng::Rng;
    use syncline_statechart::model::*;
    use syncline_statechart::sim::*;
    use std::collections::BTreeSet;
    let only = std::env::var("ONLY").unwrap_or_default();
    let runs: u64 = std::env::var("RUNS").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    for entry in std::fs::read_dir("../examples/statecharts").unwrap() {
        let path = entry.unwrap().path();
        if runs == 0 || path.extension().is_none_or(|e| e != "xml") || !path.to_string_lossy().contains(&only) { continue; }
        let Ok(chart) = import::read(Path::new(&path), &import::Options::default()) else { continue };
        let sim = Simulator::new(&chart);
        let mut taken = BTreeSet::new(); let mut entered = BTreeSet::new(); let mut reacted = BTreeSet::new();
        let mut bad: std::collections::BTreeMap<String, u64> = Default::default();
        let t = std::time::Instant::now();
        for run in 0..runs {
            let mut rng = Rng::new(77, run);
            let start = sim.start(&mut FirstChoice);
            let mut status = start.next; entered.extend(start.entered.iter().copied()); taken.extend(start.fired.into_iter().flatten());
            let mut obs = requirements::Observer::new(&chart);
            let mut quiet = true; let mut busy = 0;
            let mut items: Vec<(Item, Option<i32>, Literal)> = chart.items.iter().filter(|(_, d)| d.input).map(|(i, d)| (i, None, d.initial)).collect();
            let eager = [2, 6, 15, 40][rng.below(4)];
            let lazy = [3, 10, 40][rng.below(3)];
            for _ in 0..200 {
                if quiet {
                    let mut inputs = Inputs::default();
                    if let Time::Asynchronous { max_advance } = chart.time { inputs.advance = 1 + rng.below(max_advance as usize) as u32; }
                    inputs.events = chart.events.keys().filter(|&e| chart.events[e].input && rng.chance(eager)).collect();
                    for (i, _, v) in &mut items { if rng.chance(lazy) { *v = match chart.items[*i].ty { ItemType::Bool => Literal::Bool(rng.chance(50)), ItemType::Int{min,max} => Literal::Int(rng.range(min.into(), max.into()) as i32), ItemType::Enum(t) => Literal::Int(rng.below(chart.enums[t as usize].values.len()) as i32), ItemType::Real => Literal::Real(0.0) }; } }
                    inputs.items = items.clone();
                    status = sim.status_with_inputs(&status, &inputs); busy = 0;
                }
                for (n, k) in obs.observe(&sim, &status).into_iter().enumerate() { if k != Ok(true) { *bad.entry(format!("violated {}", chart.requirements[n].name)).or_default() += 1; } }
                let r = sim.step(&status, &mut FirstChoice);
                for f in &r.faults { let w = match f { Fault::Conflict { scope, transitions } => format!("conflict {} {:?}", chart.states[*scope].path, transitions), Fault::Race { item, .. } => format!("race {}", chart.items[*item].name), f => format!("{f:?}") }; *bad.entry(w).or_default() += 1; }
                entered.extend(r.entered.iter().copied()); taken.extend(r.fired.iter().flatten().copied()); reacted.extend(r.reactions.iter().copied());
                quiet = chart.time == Time::Synchronous || r.is_empty(); busy += 1;
                if busy > 50 { *bad.entry("unstable".into()).or_default() += 1; break; }
                if r.next.aborted || r.next.terminated { break; }
                status = r.next;
            }
        }
        println!("{} {runs} runs {:?}", path.display(), t.elapsed());
        for (w, n) in bad { println!("   {n} x {w}"); }
        for (s, d) in &chart.states { if !entered.contains(&s) { println!("   unreached {}", d.path); } for n in 0..d.reactions.len() { if !reacted.contains(&(s, n)) { println!("   dead reaction {} {n}", d.path); } } }
        for (s, d) in &chart.segments { if !taken.contains(&s) { println!("   dead {:?} line {} {}", s, d.position.line, d.label); } }
    }
}
