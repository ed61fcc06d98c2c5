//! Verdicts on a chart in its words.
//!
//! Checks ask about every state, transition and scope: what is as it should be is one line a check, what is not has a line
//! of its own, with the run that shows it as a table. A requirement always has its line.

use super::follow::{self, Run};
use super::Charted;
use crate::answer::{Answer, Place};
use crate::report::{document, Property};
use std::collections::BTreeMap;
use std::time::Instant;
use syncline_ir::Prop;
use syncline_statechart::lower::{Check, Subject};
use syncline_statechart::model::{End, Position, Segment, State, StateKind};
use syncline_statechart::sim::{table, Simulator, StepResult};

/// What a verdict means for who reads it.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Finding {
    Good,
    Fault,
    Unknown,
}

/// What was found, by property.
pub struct Findings<'r> {
    charted: &'r Charted,
    results: &'r BTreeMap<Prop, Property>,
}

impl<'r> Findings<'r> {
    pub fn new(charted: &'r Charted, results: &'r BTreeMap<Prop, Property>) -> Findings<'r> {
        Findings { charted, results }
    }

    pub fn of(&self, prop: Prop) -> Finding {
        let Some(answer) = self.results.get(&prop).map(|p| &p.answer) else { return Finding::Unknown };
        let Some(question) = self.charted.question(prop) else { return Finding::Unknown };
        match (answer, question.check.wants_violation()) {
            (Answer::Unknown(_), _) => Finding::Unknown,
            (Answer::Safe(_), false) | (Answer::Unsafe(_), true) => Finding::Good,
            (Answer::Unsafe(_), false) => Finding::Fault,
            // A condition that is never evaluated is neither always true nor always false.
            (Answer::Safe(_), true) => match self.opposite(question.subject) {
                Some(other) if self.is_safe(other) => Finding::Good,
                Some(_) | None => Finding::Fault,
            },
        }
    }

    fn is_safe(&self, subject: Subject) -> bool {
        let is = |(prop, q): (&Prop, &syncline_statechart::lower::Question)| {
            q.check == Check::Constant
                && q.subject == subject
                && matches!(self.results.get(prop), Some(Property { answer: Answer::Safe(_), .. }))
        };
        self.charted.map.questions.iter().any(is)
    }

    fn opposite(&self, subject: Subject) -> Option<Subject> {
        match subject {
            Subject::SegmentCondition(segment, value) => Some(Subject::SegmentCondition(segment, !value)),
            Subject::ReactionCondition(state, n, value) => Some(Subject::ReactionCondition(state, n, !value)),
            Subject::Chart | Subject::State(_) | Subject::Segment(_) | Subject::Item(_) | Subject::Requirement(_) => {
                None
            }
        }
    }

    pub fn word(&self, prop: Prop) -> &'static str {
        let check = self.charted.question(prop).map(|q| q.check);
        let wants = check.is_some_and(Check::wants_violation);
        match (self.of(prop), wants) {
            (Finding::Unknown, _) => "UNKNOWN",
            (Finding::Good, false) => "SAFE",
            (Finding::Fault, false) => "UNSAFE",
            (Finding::Good, true) => "ALIVE",
            (Finding::Fault, true) if check == Some(Check::Constant) => "CONST",
            (Finding::Fault, true) => "DEAD",
        }
    }

    /// Whether another line says it already: what is inside a state that is never entered.
    fn follows(&self, prop: Prop) -> bool {
        let chart = &self.charted.chart;
        let dead = |state: State| {
            let is = |(p, q): (&Prop, &syncline_statechart::lower::Question)| {
                q.check == Check::Unreachable && q.subject == Subject::State(state) && self.of(*p) == Finding::Fault
            };
            self.charted.map.questions.iter().any(is)
        };
        let source = |segment: Segment| match chart.segments[segment].source {
            End::State(state) => Some(state),
            End::Connector(c) => Some(chart.connectors[c].parent),
            End::Default(_) => None,
        };
        match self.charted.question(prop).map(|q| q.subject) {
            Some(Subject::State(state)) => chart.states[state].parent.is_some_and(dead),
            Some(Subject::Segment(segment)) => source(segment).is_some_and(dead),
            _ => false,
        }
    }

    /// One line a check, then lines of what needs one, with what is to be said of an undecided one.
    pub fn print(&self, mut unknown: impl FnMut(&Property) -> Vec<String>, runs: &BTreeMap<Prop, Run>) {
        for check in Check::ALL {
            self.print_check(check);
        }
        let name = |p: Prop| &self.charted.program.props[p].name;
        let shown: Vec<&Property> = self.results.values().filter(|p| self.is_shown(p.prop)).collect();
        let width = shown.iter().map(|p| name(p.prop).chars().count()).max().unwrap_or(0);
        let sim = Simulator::new(&self.charted.chart);
        for p in shown {
            let data = &self.charted.program.props[p.prop];
            let place = self.charted.program.describe_origin(data.origin);
            let word = self.word(p.prop);
            say!("{:width$}  {word:7}  {:7.2} s  {place}  {}", data.name, p.seconds, data.description);
            unknown(p).iter().for_each(|line| say!("    {line}"));
            if let Some(run) = runs.get(&p.prop) {
                let text = table::text(&run.rows(&sim));
                text.lines().for_each(|line| say!("    {line}"));
            }
        }
    }

    fn is_shown(&self, prop: Prop) -> bool {
        let Some(question) = self.charted.question(prop) else { return true };
        match question.check {
            Check::Requirement | Check::Stability => true,
            Check::Conflict | Check::Race | Check::Range | Check::Unreachable | Check::Dead | Check::Constant => {
                self.of(prop) != Finding::Good && !self.follows(prop)
            }
        }
    }

    fn print_check(&self, check: Check) {
        let is = |prop: &&Prop| self.charted.question(**prop).is_some_and(|q| q.check == check);
        let all: Vec<Prop> = self.results.keys().filter(is).copied().collect();
        let count = |finding: Finding| all.iter().filter(|&&p| self.of(p) == finding).count();
        let (good, faults, unknown) = (count(Finding::Good), count(Finding::Fault), count(Finding::Unknown));
        let what = match check {
            Check::Conflict => "scopes of transitions: no two are enabled together",
            Check::Race => "items with several writers: none is written differently in one step",
            Check::Unreachable => "states can be entered",
            Check::Dead => "transitions can fire",
            Check::Range => "assignments, indices and divisions stay in their range",
            Check::Constant => "values of conditions can come up",
            Check::Stability | Check::Requirement => return,
        };
        if all.is_empty() {
            return;
        }
        let mut line = format!("{:11}  {good} of {} {what}", check.name(), all.len());
        if faults > 0 {
            line += &format!("; {faults} not");
        }
        if unknown > 0 {
            line += &format!("; {unknown} undecided");
        }
        say!("{line}");
    }

    /// The runs that show the faults; or why the reference simulator does not make one.
    pub fn runs(&self, deadline: Instant) -> BTreeMap<Prop, Result<Run, String>> {
        let faults = self.results.values().filter(|p| self.of(p.prop) == Finding::Fault);
        let run = |p: &Property| match &p.answer {
            Answer::Unsafe(trace) => Some((p.prop, follow::follow(self.charted, p.prop, trace, deadline))),
            Answer::Safe(_) | Answer::Unknown(_) => None,
        };
        faults.filter_map(run).collect()
    }

    /// What a report says of a property beside the rest.
    pub fn document(&self, prop: Prop, run: Option<&Run>) -> document::Charted {
        document::Charted {
            check: self.charted.question(prop).map(|q| q.check.name()),
            word: self.word(prop),
            fault: self.of(prop) == Finding::Fault,
            run: run.map(|run| self.run(run)),
        }
    }

    fn run(&self, run: &Run) -> Vec<document::ChartRow> {
        let sim = Simulator::new(&self.charted.chart);
        run.rows(&sim).into_iter().zip(run.results()).map(|(row, result)| self.row(row, result)).collect()
    }

    fn row(&self, row: table::Row, result: &StepResult) -> document::ChartRow {
        let chart = &self.charted.chart;
        let words = table::Words { chart };
        let place = |&segment: &Segment| {
            let Position { file, line, column } = chart.segments[segment].position;
            Place::Source { file: chart.files[file as usize].clone(), line, column }
        };
        let child = |&state: &State| {
            let parent = chart.states[state].parent.filter(|&p| chart.states[p].kind == StateKind::Or)?;
            Some((words.state(parent), words.state(state)))
        };
        document::ChartRow {
            left_out: row.left_out,
            step: row.step,
            time: row.time,
            inputs: row.inputs,
            transitions: row.transitions,
            fired: result.fired.iter().flatten().map(place).collect(),
            left: row.left,
            entered: row.entered,
            active: result.next.configuration.iter().filter_map(child).collect(),
            changed: row.changed,
            faults: row.faults,
        }
    }
}
