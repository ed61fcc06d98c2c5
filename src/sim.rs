//! `syncline sim`: runs a chart on given inputs, by the reference simulator.

use crate::args::SimArgs;
use crate::BAD_INPUT;
use std::path::Path;
use syncline_statechart::import::{self, Mapping};
use syncline_statechart::model::Chart;
use syncline_statechart::sim::{csv, table, Choice, Chooser, FirstChoice, Inputs, Simulator};

/// 0 when the run ended without a fault, 10 when a step had one or violated a requirement.
pub fn main(args: SimArgs) -> u8 {
    match run(&args) {
        Ok(status) => status,
        Err(errors) => {
            errors.iter().for_each(|error| eprintln!("error: {error}"));
            BAD_INPUT
        }
    }
}

fn run(args: &SimArgs) -> Result<u8, Vec<String>> {
    let chart = read_chart(args)?;
    let inputs = match &args.inputs {
        Some(path) => read_inputs(&chart, path)?,
        None => vec![Inputs::default(); args.steps],
    };
    let sim = Simulator::new(&chart);
    let mut first = FirstChoice;
    let mut random = args.seed.map(Random);
    let chooser: &mut dyn Chooser = match &mut random {
        Some(random) => random,
        None => &mut first,
    };
    let mut recorder = table::Recorder::new(&sim);
    let start = sim.start(chooser);
    let mut rows = vec![recorder.start(&start)];
    let mut status = start.next;
    for inputs in &inputs {
        if status.aborted {
            break;
        }
        let superstep = sim.superstep(&status, inputs, chooser);
        rows.extend(recorder.superstep(&superstep));
        status = superstep.next().clone();
        if !superstep.settled {
            break;
        }
    }
    let written = if args.csv { table::csv(&rows) } else { table::text(&rows) };
    say!("{}", written.trim_end());
    Ok(if rows.iter().all(|row| row.faults.is_empty()) { 0 } else { 10 })
}

fn read_chart(args: &SimArgs) -> Result<Chart, Vec<String>> {
    let mapping = match &args.mapping {
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|e| vec![format!("{}: {e}", path.display())])?;
            Mapping::parse(&text, &path.display().to_string()).map_err(|errors| texts(&errors))?
        }
        None => Mapping::default(),
    };
    let options = import::Options { mapping, ..import::Options::default() };
    import::read(&args.file, &options).map_err(|errors| texts(&errors))
}

fn read_inputs(chart: &Chart, path: &Path) -> Result<Vec<Inputs>, Vec<String>> {
    let text = std::fs::read_to_string(path).map_err(|e| vec![format!("{}: {e}", path.display())])?;
    let place = |error: &csv::Error| format!("{}:{error}", path.display());
    csv::read_inputs(chart, &text).map_err(|errors| errors.iter().map(place).collect())
}

fn texts(errors: &[import::Error]) -> Vec<String> {
    errors.iter().map(|error| error.to_string()).collect()
}

/// Any of the choices, by Marsaglia's xorshift.
struct Random(u64);

impl Chooser for Random {
    fn choose(&mut self, choice: Choice) -> usize {
        self.0 = self.0.max(1);
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % choice.count() as u64) as usize
    }
}
