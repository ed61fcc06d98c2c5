//! What is printed: a line a property, the reasons below it, the trace, and the verdict as the last line.

use super::{verdict_word, Property, Report, Told};
use crate::answer::{Account, Answer};
use crate::args::CheckArgs;
use crate::chart::follow::Run;
use crate::load::source_line;
use crate::trace::{Change, Step, Steps};
use std::collections::BTreeMap;
use syncline_ir::Prop;

/// Steps of a trace that are printed.
const PRINTED: usize = 60;

impl Report {
    pub(super) fn print(&self, traces: &BTreeMap<Prop, Told>, runs: &BTreeMap<Prop, Run>, args: &CheckArgs) {
        if self.results.is_empty() && self.stopped.is_none() {
            match args.input.check.is_empty() {
                true => {
                    say!("The input has no property: no assert, no __VERIFIER_error, no reach_error, and no --check.")
                }
                false => say!("There is nothing to decide: no assert, and nothing that could have a fault of --check."),
            }
        }
        match self.findings() {
            Some(findings) => {
                let mut told = Vec::new();
                findings.print(|p| self.unknown(p, args, &mut told), runs);
            }
            None => self.print_results(traces, args),
        }
        let decided = self.results.values().any(|p| !matches!(p.answer, Answer::Unknown(_)));
        if decided && !self.program.assumptions.is_empty() {
            say!("The verdicts rest on:");
            for (origin, text) in &self.program.assumptions {
                say!("    {}: {text}", self.place(*origin));
            }
        }
        if args.stats {
            self.print_stats();
        }
    }

    fn print_results(&self, traces: &BTreeMap<Prop, Told>, args: &CheckArgs) {
        let mut told = Vec::new();
        let width = self.results.keys().map(|&p| self.program.props[p].name.len()).max().unwrap_or(0);
        for p in self.results.values() {
            let data = &self.program.props[p.prop];
            let word = verdict_word(&p.answer);
            let place = self.place(data.origin);
            say!("{:width$}  {word:7}  {:7.2} s  {place}  {}", data.name, p.seconds, data.description);
            if let Some(words) = self.vacuous.get(&p.prop) {
                say!("    vacuous: {words}");
            }
            self.unknown(p, args, &mut told).iter().for_each(|line| say!("    {line}"));
            match traces.get(&p.prop) {
                Some(Told { table: Some(table), .. }) => table.print(),
                Some(Told { table: None, steps }) => self.print_trace(steps),
                None => {}
            }
        }
    }

    /// Why the property is undecided, what was tried and what may help. What was told of another one is not told again.
    fn unknown(&self, p: &Property, args: &CheckArgs, told: &mut Vec<String>) -> Vec<String> {
        let Answer::Unknown(reason) = &p.answer else { return Vec::new() };
        let mut lines = vec![format!("because: {}", self.reason(reason))];
        let tried = self.attempts(p.prop).into_iter().map(|attempt| format!("tried:   {attempt}"));
        let advice = self.advice(p.prop, reason, args).into_iter().map(|words| format!("try:     {words}"));
        for line in tried.chain(advice) {
            if !told.contains(&line) {
                lines.push(line.clone());
                told.push(line);
            }
        }
        lines
    }

    /// What ran, why, and what it did.
    fn print_stats(&self) {
        let width = self.ran.iter().map(|r| r.work.name().len()).max().unwrap_or(0);
        say!("engines:");
        for ran in &self.ran {
            let why = ran.unknown.as_ref().map(|r| format!("; {}", self.reason(r))).unwrap_or_default();
            say!(
                "    {:width$}  {:6.2} s to {:6.2} s  {}, decided {}{why}",
                ran.work.name(),
                ran.from,
                ran.to,
                ran.end.words(),
                ran.decided.len()
            );
            say!("    {:width$}  chosen: {}", "", ran.why);
        }
        if !self.looked.is_zero() {
            say!("vacuity: {:.2} s", self.looked.as_secs_f64());
        }
        self.ran.iter().filter_map(|r| r.account.as_ref()).for_each(print_account);
    }

    fn print_trace(&self, steps: &Steps) {
        if let Some(place) = &steps.outside {
            say!("    the first access outside of its object is at {place}");
        }
        let all: Vec<&Step> = steps.first.iter().chain(&steps.last).collect();
        let half = PRINTED / 2;
        if all.len() <= PRINTED {
            all.iter().for_each(|s| print_step(s));
            return;
        }
        all[..half].iter().for_each(|s| print_step(s));
        let omitted = (all.len() - PRINTED) as u64 + steps.omitted;
        say!("    ... {omitted} more steps ...");
        all[all.len() - half..].iter().for_each(|s| print_step(s));
    }
}

fn print_step(step: &Step) {
    let text = source_line(&step.file, step.line).unwrap_or_default();
    say!("    {}:{} in {}: {}", step.file, step.line, step.function, text.trim());
    let show = |c: &Change| format!("{} {} {}", c.name, if c.input { "gives" } else { "=" }, c.value);
    let changes: Vec<String> = step.changes.iter().map(show).collect();
    say!("        {}", changes.join(", "));
    if step.outside {
        say!("        outside of its object here: from now on such reads give any value");
    }
}

fn print_account(account: &Account) {
    say!("{}:", account.engine);
    for (name, count) in &account.counts {
        say!("    {count:>12}  {name}");
    }
    account.notes.iter().for_each(|note| say!("    {note}"));
    let Account { checks, sat, unsat, unknown, asserted, seconds, .. } = account;
    say!("    {checks:>12}  solver checks ({sat} sat, {unsat} unsat, {unknown} unknown)");
    say!("    {asserted:>12}  formulas asserted");
    say!("    {seconds:>12.3}  seconds in the solver");
}
