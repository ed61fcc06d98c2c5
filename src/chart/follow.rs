//! A trace followed by the reference simulator.
//!
//! The interpreter runs the program on the trace's inputs and shows inputs and status of every step. The simulator is given
//! the same inputs, and makes of the chart's possible steps those with that status. In the last step it must see the fault
//! too. A trace that it cannot follow is not reported: then lowering or simulator are wrong.

use super::Charted;
use std::time::Instant;
use syncline_engines::evidence::replay;
use syncline_engines::task::Trace;
use syncline_ir::interp::{Boundary, Observer};
use syncline_ir::{Const, Origin, Prop, Site};
use syncline_statechart::lower::{self, Check, InputMeaning, Question, Subject};
use syncline_statechart::model::{Chart, Literal, Time};
use syncline_statechart::sim::requirements::Observer as Requirements;
use syncline_statechart::sim::{Fault, Inputs, Simulator, Status, StepResult, Superstep};

/// Different pasts of the chart that look the same, which are followed side by side.
const MAX_PASTS: usize = 200;

/// A run of the chart.
pub struct Run {
    pub start: StepResult,
    pub supersteps: Vec<Superstep>,
    /// What the environment brought, once for each superstep.
    pub inputs: Vec<Inputs>,
}

/// The run of the simulator that is the trace's; or why there is none.
pub fn follow(charted: &Charted, prop: Prop, trace: &Trace, deadline: Instant) -> Result<Run, String> {
    let question = charted.question(prop).ok_or("the property is none of the chart's")?;
    let steps = record(charted, trace, deadline);
    let sim = Simulator::new(&charted.chart);
    let run = |steps: &[Seen]| Follower { charted, sim: &sim, question, nodes: Vec::new() }.run(steps);
    let outcome = run(&steps);
    if outcome.is_ok() || question.check != Check::Stability {
        return outcome;
    }
    // The simulator's status has more in it than the program's, such as values before the last step that nobody asks for:
    // it may come again only a lap later.
    let again = laps(&steps).find_map(|steps| run(&steps).ok());
    again.map_or(outcome, Ok)
}

/// The steps, with what may be the way round gone once more at their end.
fn laps(steps: &[Seen]) -> impl Iterator<Item = Vec<Seen>> + '_ {
    let begin = steps.iter().rposition(|s| s.environment).unwrap_or(0);
    let end = steps.last().and_then(|s| s.status.as_ref());
    let ends = (begin..steps.len().saturating_sub(1)).rev().filter(move |&n| steps[n].status.as_ref() == end);
    ends.map(|n| steps.iter().chain(&steps[n + 1..]).cloned().collect())
}

/// What the interpreter shows of one step.
#[derive(Clone, Default)]
struct Seen {
    inputs: Vec<(Site, Const)>,
    /// `None` in the step in which the run ends.
    status: Option<lower::Status>,
    environment: bool,
}

struct Recorder<'c> {
    charted: &'c Charted,
    steps: Vec<Seen>,
    current: Seen,
    begun: bool,
}

impl Observer for Recorder<'_> {
    fn input(&mut self, site: Site, value: &Const, _: Origin) {
        self.current.inputs.push((site, value.clone()));
    }

    fn enter(&mut self, proc: syncline_ir::Proc, _: Origin) {
        let system = self.charted.program.system.as_ref();
        self.begun |= system.is_some_and(|s| s.environment == Some(proc) || s.processes.iter().any(|p| p.body == proc));
        self.current.environment |= system.is_some_and(|s| s.environment == Some(proc));
    }

    fn boundary(&mut self, boundary: &Boundary) {
        self.current.status = Some(self.charted.map.status(&self.charted.chart, boundary));
        self.steps.push(std::mem::take(&mut self.current));
        self.begun = false;
    }
}

fn record(charted: &Charted, trace: &Trace, deadline: Instant) -> Vec<Seen> {
    let mut recorder = Recorder { charted, steps: Vec::new(), current: Seen::default(), begun: false };
    replay::run(&charted.program, trace, &mut recorder, Some(deadline));
    if recorder.begun {
        let last = std::mem::take(&mut recorder.current);
        recorder.steps.push(last);
    }
    recorder.steps
}

/// One step of the simulator, after another one.
struct Node {
    /// `None`: after step 0.
    before: Option<usize>,
    /// With the inputs, if the environment came.
    status: Status,
    result: StepResult,
    inputs: Option<Inputs>,
}

struct Follower<'f> {
    charted: &'f Charted,
    sim: &'f Simulator<'f>,
    question: Question,
    nodes: Vec<Node>,
}

impl Follower<'_> {
    fn run(mut self, steps: &[Seen]) -> Result<Run, String> {
        let starts = self.sim.starts();
        if steps.is_empty() {
            let start = starts.into_iter().find(|start| self.shows(None, start));
            let start = start.ok_or("the simulator does not see it in step 0")?;
            return Ok(Run { start, supersteps: Vec::new(), inputs: Vec::new() });
        }
        let mut words = "the simulator has no such start".to_string();
        for start in starts {
            self.nodes.clear();
            match self.follow(&start, steps) {
                Ok(last) => return Ok(self.path(start, last)),
                Err(why) => words = why,
            }
        }
        Err(words)
    }

    /// The last node of a run that shows the steps, and the fault at their end.
    fn follow(&mut self, start: &StepResult, steps: &[Seen]) -> Result<usize, String> {
        let mut pasts: Vec<Option<usize>> = vec![None];
        for (n, seen) in steps.iter().enumerate() {
            let mut next: Vec<usize> = Vec::new();
            let inputs = seen.environment.then(|| self.inputs(seen));
            for &past in &pasts {
                let before = past.map_or(&start.next, |p| &self.nodes[p].result.next);
                let status = match &inputs {
                    Some(inputs) => self.sim.status_with_inputs(before, inputs),
                    None => before.clone(),
                };
                for result in self.sim.steps(&status) {
                    let fits = match &seen.status {
                        Some(wanted) => same(&self.charted.chart, wanted, &result.next),
                        None => true,
                    };
                    let known = next.iter().any(|&k| self.nodes[k].result.next == result.next);
                    if !fits || (known && seen.status.is_some()) || next.len() >= MAX_PASTS {
                        continue;
                    }
                    let node = Node { before: past, status: status.clone(), result, inputs: inputs.clone() };
                    self.nodes.push(node);
                    next.push(self.nodes.len() - 1);
                }
            }
            if n + 1 == steps.len() {
                let last = next.iter().copied().find(|&k| self.shows_at(k));
                return last.ok_or_else(|| format!("the simulator does not see it in step {}", n + 1));
            }
            if next.is_empty() {
                return Err(format!("the simulator makes another step {}", n + 1));
            }
            pasts = next.into_iter().map(Some).collect();
        }
        Err("there is no step".to_string())
    }

    /// What the environment brought.
    fn inputs(&self, seen: &Seen) -> Inputs {
        let chart = &self.charted.chart;
        let sites = self.charted.map.input_sites();
        let mut inputs = Inputs::default();
        for (site, value) in &seen.inputs {
            match sites.get(site) {
                None => {}
                Some(InputMeaning::Advance) => {
                    let most = match chart.time {
                        Time::Synchronous => 1,
                        Time::Asynchronous { max_advance } => max_advance,
                    };
                    let units = value.as_bits().map_or(1, |bits| bits as u32 + 1);
                    inputs.advance = if units > most { 1 } else { units };
                }
                Some(&InputMeaning::Item(item, n)) => {
                    let cell = chart.items[item].array.map(|array| array.first.wrapping_add(n as i32));
                    inputs.items.push((item, cell, self.charted.map.input_value(chart, item, value)));
                }
                Some(&InputMeaning::Event(event)) if value.as_bool() == Some(true) => {
                    inputs.events.insert(event);
                }
                Some(InputMeaning::Event(_)) => {}
            }
        }
        inputs
    }

    /// The simulator sees the fault in this step.
    fn shows_at(&self, node: usize) -> bool {
        match self.question.check {
            Check::Requirement => self.breaks_requirement(node),
            Check::Stability => self.goes_round(node),
            Check::Conflict | Check::Race | Check::Unreachable | Check::Dead | Check::Range | Check::Constant => {
                self.shows(Some(&self.nodes[node].status), &self.nodes[node].result)
            }
        }
    }

    fn shows(&self, status: Option<&Status>, result: &StepResult) -> bool {
        let fault = |f: &Fault| match (self.question.check, self.question.subject, f) {
            (Check::Conflict, Subject::State(state), Fault::Conflict { scope, .. }) => *scope == state,
            (Check::Race, Subject::Item(item), Fault::Race { item: of, .. }) => *of == item,
            (Check::Range, _, Fault::Range { spot, .. } | Fault::Index { spot, .. } | Fault::Division { spot }) => {
                self.question.spot == Some(*spot)
            }
            _ => false,
        };
        match (self.question.check, self.question.subject) {
            (Check::Unreachable, Subject::State(state)) => result.entered.contains(&state),
            (Check::Dead, Subject::Segment(segment)) => result.fired.iter().any(|t| t.contains(&segment)),
            // What is evaluated is not among what the simulator tells.
            (Check::Constant, _) => status.is_some(),
            _ => result.faults.iter().any(fault),
        }
    }

    /// The nodes of a run, the first one first.
    fn nodes_to(&self, last: usize) -> Vec<usize> {
        let mut path: Vec<usize> = std::iter::successors(Some(last), |&n| self.nodes[n].before).collect();
        path.reverse();
        path
    }

    fn breaks_requirement(&self, node: usize) -> bool {
        let Subject::Requirement(number) = self.question.subject else { return false };
        let mut observer = Requirements::new(&self.charted.chart);
        let mut kept = true;
        for n in self.nodes_to(node) {
            let verdicts = observer.observe(self.sim, &self.nodes[n].status);
            kept = matches!(verdicts.get(number as usize), Some(Ok(true)));
        }
        !kept
    }

    /// The superstep comes to a status it had before.
    fn goes_round(&self, node: usize) -> bool {
        let end = &self.nodes[node].result.next;
        let path = self.nodes_to(node);
        let begin = path.iter().rposition(|&n| self.nodes[n].inputs.is_some()).unwrap_or(0);
        path[begin + 1..].iter().any(|&n| self.nodes[n].status == *end)
    }

    fn path(mut self, start: StepResult, last: usize) -> Run {
        let mut run = Run { start, supersteps: Vec::new(), inputs: Vec::new() };
        let path = self.nodes_to(last);
        let mut nodes: Vec<Option<Node>> = self.nodes.drain(..).map(Some).collect();
        for n in path {
            let Some(node) = nodes[n].take() else { continue };
            if node.inputs.is_some() || run.supersteps.is_empty() {
                run.inputs.push(node.inputs.unwrap_or_default());
                run.supersteps.push(Superstep { steps: Vec::new(), settled: true });
            }
            if let Some(superstep) = run.supersteps.last_mut() {
                superstep.steps.push((node.status, node.result));
            }
        }
        if let (Check::Stability, Some(last)) = (self.question.check, run.supersteps.last_mut()) {
            last.settled = false;
        }
        run
    }
}

fn same(chart: &Chart, seen: &lower::Status, status: &Status) -> bool {
    let cell = |item, n: usize| chart.items[item].array.map(|array| array.first.wrapping_add(n as i32));
    status.configuration == seen.configuration
        && status.events == seen.events
        && seen.items.iter().all(|(&item, cells)| {
            cells.iter().enumerate().all(|(n, &value)| status.values.get(&(item, cell(item, n))) == Some(&value.into()))
        })
}

/// The inputs of a run as `syncline sim --inputs` reads them.
pub fn csv(chart: &Chart, run: &Run) -> String {
    let events: Vec<_> = chart.events.iter().filter(|(_, e)| e.input).collect();
    let mut columns: Vec<(_, Option<i32>)> = Vec::new();
    for (item, data) in chart.items.iter().filter(|(_, i)| i.input) {
        match data.array {
            None => columns.push((item, None)),
            Some(array) => columns.extend((0..array.cells).map(|n| (item, Some(array.first.wrapping_add(n as i32))))),
        }
    }
    let mut header = vec!["time".to_string()];
    header.extend(events.iter().map(|(_, e)| e.name.clone()));
    header.extend(columns.iter().map(|&(item, cell)| match cell {
        None => chart.items[item].name.clone(),
        Some(index) => format!("{}({index})", chart.items[item].name),
    }));
    let mut text = header.join(",") + "\n";
    for inputs in &run.inputs {
        let mut cells = vec![inputs.advance.to_string()];
        cells.extend(events.iter().map(|(event, _)| u32::from(inputs.events.contains(event)).to_string()));
        for &(item, cell) in &columns {
            let value = inputs.items.iter().find(|(i, c, _)| *i == item && *c == cell).map(|&(_, _, value)| value);
            cells.push(value.map(|v| word(chart, item, v)).unwrap_or_default());
        }
        text += &(cells.join(",") + "\n");
    }
    text
}

fn word(chart: &Chart, item: syncline_statechart::model::Item, value: Literal) -> String {
    use syncline_statechart::model::ItemType;
    match (chart.items[item].ty, value) {
        (ItemType::Enum(ty), Literal::Int(n)) => {
            let names = &chart.enums[ty as usize].values;
            usize::try_from(n).ok().and_then(|n| names.get(n)).cloned().unwrap_or_else(|| n.to_string())
        }
        (_, Literal::Bool(b)) => b.to_string(),
        (_, Literal::Int(n)) => n.to_string(),
        (_, Literal::Real(x)) => format!("{x:?}"),
    }
}
