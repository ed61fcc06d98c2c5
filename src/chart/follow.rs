//! A trace followed by the reference simulator.
//!
//! The interpreter runs the program on the trace's inputs and shows inputs and status of every step. Beside it the simulator is
//! given the same inputs, and makes of the chart's possible steps those with that status. In the last step it must see the fault
//! too. A trace that it cannot follow is not reported: then lowering or simulator are wrong.
//!
//! Runs may have millions of steps: of steps that are alike the first and the last are kept.

use super::Charted;
use std::time::Instant;
use syncline_engines::evidence::replay;
use syncline_engines::task::Trace;
use syncline_ir::interp::{Boundary, Observer};
use syncline_ir::{Const, Origin, Prop, Site};
use syncline_statechart::lower::{self, Check, InputMeaning, Question, Subject};
use syncline_statechart::model::{Chart, Literal, Time};
use syncline_statechart::sim::requirements::Observer as Requirements;
use syncline_statechart::sim::table::{LeftOut, Recorder, Row};
use syncline_statechart::sim::{Fault, Guarded, Inputs, Simulator, Status, StepResult, Superstep};

/// Different pasts of the chart that look the same, which are followed side by side.
const MAX_PASTS: usize = 200;

/// A run of the chart.
pub struct Run {
    pub start: StepResult,
    pub visits: Vec<Visit>,
}

/// What the environment brought, and the steps that follow.
pub struct Visit {
    /// Steps before, like the one before them and this one.
    left_out: Option<LeftOut>,
    inputs: Inputs,
    superstep: Superstep,
}

impl Run {
    pub fn rows(&self, sim: &Simulator) -> Vec<Row> {
        let mut recorder = Recorder::new(sim);
        let mut rows = vec![recorder.start(&self.start)];
        for visit in &self.visits {
            visit.left_out.iter().for_each(|left_out| recorder.leave_out(left_out));
            rows.extend(recorder.superstep(&visit.superstep));
        }
        rows
    }

    /// What the steps do that have a row, the start first.
    pub fn results(&self) -> impl Iterator<Item = &StepResult> {
        let steps = self.visits.iter().flat_map(|visit| visit.superstep.steps.iter().map(|(_, result)| result));
        std::iter::once(&self.start).chain(steps)
    }
}

/// The run of the simulator that is the trace's; or why there is none.
pub fn follow(charted: &Charted, prop: Prop, trace: &Trace, deadline: Instant) -> Result<Run, String> {
    let question = charted.question(prop).ok_or("the property is none of the chart's")?;
    let sim = Simulator::new(&charted.chart);
    let mut follower = Follower::new(charted, &sim, question);
    replay::run(&charted.program, trace, &mut follower, Some(deadline));
    if Instant::now() >= deadline {
        return Err("it is too long to be followed in the time there is".to_string());
    }
    if follower.begun {
        follower.step();
    }
    follower.end()
}

/// What the interpreter shows of one step.
#[derive(Clone, Default)]
struct Seen {
    inputs: Vec<(Site, Const)>,
    /// `None` in the step in which the run ends.
    status: Option<lower::Status>,
    environment: bool,
}

/// One step of the simulator, after another one; or its start.
struct Node {
    before: Option<usize>,
    left_out: Option<LeftOut>,
    /// With the inputs, if the environment came.
    status: Status,
    result: StepResult,
    inputs: Option<Inputs>,
    /// What is remembered of the steps so far, this one included, and whether the requirement is kept in it.
    requirements: Requirements,
    kept: bool,
}

impl Node {
    /// Whether the steps do the same, one for each visit of the environment, and only numbers change.
    fn is_like(&self, other: &Node) -> bool {
        let (a, b) = (&self.result, &other.result);
        let same = self.inputs.is_some()
            && self.inputs == other.inputs
            && self.kept == other.kept
            && self.status.advance == other.status.advance
            && self.status.events == other.status.events;
        let calm = |r: &StepResult| r.left.is_empty() && r.entered.is_empty() && r.faults.is_empty();
        same && calm(a)
            && calm(b)
            && (&a.fired, &a.reactions, &a.performed) == (&b.fired, &b.reactions, &b.performed)
            && a.next.events == b.next.events
    }
}

struct Follower<'f> {
    charted: &'f Charted,
    sim: &'f Simulator<'f>,
    question: Question,
    nodes: Vec<Node>,
    /// The last nodes of the runs that show the steps so far.
    pasts: Vec<usize>,
    /// Why there are none.
    lost: Option<String>,
    steps: u64,
    current: Seen,
    begun: bool,
    /// The steps since the environment came last, the one it came in first; for the question of stability.
    superstep: Vec<Seen>,
}

impl Observer for Follower<'_> {
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
        self.step();
        self.begun = false;
    }
}

impl<'f> Follower<'f> {
    fn new(charted: &'f Charted, sim: &'f Simulator<'f>, question: Question) -> Follower<'f> {
        let start = |result: StepResult| Node {
            before: None,
            left_out: None,
            status: sim.before_start(),
            result,
            inputs: None,
            requirements: Requirements::new(&charted.chart),
            kept: true,
        };
        let nodes: Vec<Node> = sim.starts().into_iter().map(start).collect();
        Follower {
            charted,
            sim,
            question,
            pasts: (0..nodes.len()).collect(),
            nodes,
            lost: None,
            steps: 0,
            current: Seen::default(),
            begun: false,
            superstep: Vec::new(),
        }
    }

    /// The step that was shown has ended.
    fn step(&mut self) {
        let seen = std::mem::take(&mut self.current);
        if self.lost.is_some() {
            return;
        }
        self.steps += 1;
        self.advance(&seen);
        if self.pasts.is_empty() {
            self.lost = Some(format!("the simulator makes another step {}", self.steps));
        }
        self.leave_out();
        if self.question.check == Check::Stability {
            if seen.environment {
                self.superstep.clear();
            }
            self.superstep.push(seen);
        }
    }

    /// Makes the step in every way that looks like it.
    fn advance(&mut self, seen: &Seen) {
        let inputs = seen.environment.then(|| self.inputs(seen));
        let mut next: Vec<usize> = Vec::new();
        for past in std::mem::take(&mut self.pasts) {
            let before = &self.nodes[past].result.next;
            let status = match &inputs {
                Some(inputs) => self.sim.status_with_inputs(before, inputs),
                None => before.clone(),
            };
            for result in self.sim.steps(&status) {
                let fits = seen.status.as_ref().is_none_or(|wanted| same(&self.charted.chart, wanted, &result.next));
                let known = next.iter().any(|&k| self.nodes[k].result.next == result.next);
                if !fits || (known && seen.status.is_some()) || next.len() >= MAX_PASTS {
                    continue;
                }
                let node = self.node(past, status.clone(), result, inputs.clone());
                self.nodes.push(node);
                next.push(self.nodes.len() - 1);
            }
        }
        self.pasts = next;
    }

    fn node(&self, past: usize, status: Status, result: StepResult, inputs: Option<Inputs>) -> Node {
        let mut requirements = self.nodes[past].requirements.clone();
        let verdicts = requirements.observe(self.sim, &status);
        let kept = match self.question.subject {
            Subject::Requirement(number) => matches!(verdicts.get(number as usize), Some(Ok(true))),
            _ => true,
        };
        Node { before: Some(past), left_out: None, status, result, inputs, requirements, kept }
    }

    /// Of three steps that are alike, the last ones, the one in the middle is left out. Only where no other run could go by it.
    fn leave_out(&mut self) {
        let count = self.nodes.len();
        let [last] = self.pasts[..] else { return };
        let Some([first, middle, end]) = self.nodes.last_chunk() else { return };
        let in_a_row = last == count - 1 && end.before == Some(count - 2) && middle.before == Some(count - 3);
        if !in_a_row || !first.is_like(middle) || !middle.is_like(end) {
            return;
        }
        let middle = self.nodes.swap_remove(count - 2);
        let (steps, time) = middle.left_out.map_or((0, 0), |more| (more.steps, more.time));
        let end = &mut self.nodes[count - 2];
        end.before = Some(count - 3);
        end.left_out = Some(LeftOut {
            steps: steps + 1,
            time: time + u64::from(middle.status.advance),
            last: middle.result.next,
            requirements: middle.requirements,
        });
        self.pasts = vec![count - 2];
    }

    fn end(mut self) -> Result<Run, String> {
        if let Some(words) = self.lost {
            return Err(words);
        }
        let shown = self.pasts.iter().copied().find(|&k| self.shows_at(k)).or_else(|| self.again());
        let last = shown.ok_or_else(|| format!("the simulator does not see it in step {}", self.steps))?;
        Ok(self.path(last))
    }

    /// The simulator's status has more in it than the program's, such as values before the last step that nobody asks for: it
    /// may come again only a lap later. So what may be the way round is gone once more.
    fn again(&mut self) -> Option<usize> {
        let steps = std::mem::take(&mut self.superstep);
        let end = steps.last().and_then(|s| s.status.as_ref())?;
        let (pasts, count) = (self.pasts.clone(), self.nodes.len());
        for n in (0..steps.len() - 1).rev().filter(|&n| steps[n].status.as_ref() == Some(end)) {
            self.nodes.truncate(count);
            self.pasts = pasts.clone();
            steps[n + 1..].iter().for_each(|seen| self.advance(seen));
            let shown = self.pasts.iter().copied().find(|&k| self.shows_at(k));
            if shown.is_some() {
                return shown;
            }
        }
        None
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
            Check::Requirement => !self.nodes[node].kept,
            Check::Stability => self.goes_round(node),
            Check::Conflict | Check::Race | Check::Unreachable | Check::Dead | Check::Range | Check::Constant => {
                self.shows(&self.nodes[node].result)
            }
        }
    }

    fn shows(&self, result: &StepResult) -> bool {
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
            (Check::Constant, Subject::SegmentCondition(segment, value)) => {
                result.conditions.contains(&(Guarded::Segment(segment), value))
            }
            (Check::Constant, Subject::ReactionCondition(state, n, value)) => {
                result.conditions.contains(&(Guarded::Reaction(state, n as usize), value))
            }
            _ => result.faults.iter().any(fault),
        }
    }

    /// The nodes of a run, the first one first.
    fn nodes_to(&self, last: usize) -> Vec<usize> {
        let mut path: Vec<usize> = std::iter::successors(Some(last), |&n| self.nodes[n].before).collect();
        path.reverse();
        path
    }

    /// The superstep comes to a status it had before.
    fn goes_round(&self, node: usize) -> bool {
        let end = &self.nodes[node].result.next;
        let path = self.nodes_to(node);
        let begin = path.iter().rposition(|&n| self.nodes[n].inputs.is_some()).unwrap_or(0);
        path[begin + 1..].iter().any(|&n| self.nodes[n].status == *end)
    }

    fn path(mut self, last: usize) -> Run {
        let path = self.nodes_to(last);
        let mut nodes: Vec<Option<Node>> = self.nodes.drain(..).map(Some).collect();
        let mut path = path.into_iter().filter_map(|n| nodes[n].take());
        let start = path.next().map_or_else(|| self.sim.starts().swap_remove(0), |node| node.result);
        let mut visits: Vec<Visit> = Vec::new();
        for node in path {
            if node.inputs.is_some() || visits.is_empty() {
                let superstep = Superstep { steps: Vec::new(), settled: true };
                visits.push(Visit { left_out: node.left_out, inputs: node.inputs.unwrap_or_default(), superstep });
            }
            if let Some(visit) = visits.last_mut() {
                visit.superstep.steps.push((node.status, node.result));
            }
        }
        if let (Check::Stability, Some(last)) = (self.question.check, visits.last_mut()) {
            last.superstep.settled = false;
        }
        Run { start, visits }
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
    for Visit { inputs, left_out, .. } in &run.visits {
        let mut cells = vec![inputs.advance.to_string()];
        cells.extend(events.iter().map(|(event, _)| u32::from(inputs.events.contains(event)).to_string()));
        for &(item, cell) in &columns {
            let value = inputs.items.iter().find(|(i, c, _)| *i == item && *c == cell).map(|&(_, _, value)| value);
            cells.push(value.map(|v| word(chart, item, v)).unwrap_or_default());
        }
        let line = cells.join(",") + "\n";
        text += &line.repeat(1 + left_out.as_ref().map_or(0, |l| l.steps as usize));
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
