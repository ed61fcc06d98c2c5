//! The results as a document.

use super::document::{self, Assumption, Document, Entry, SolverAccount};
use super::{verdict_word, Property, Report, Told};
use crate::answer::{location, Account, Answer};
use crate::args::CheckArgs;
use crate::chart::follow::Run;
use crate::crew::Ran;
use crate::table::Table;
use crate::trace::{Step, Steps};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use syncline_ir::Prop;

impl Report {
    pub(super) fn document(
        &self,
        args: &CheckArgs,
        traces: &BTreeMap<Prop, Told>,
        runs: &BTreeMap<Prop, Run>,
        test: Json,
        seconds: f64,
    ) -> Document {
        let entry = |p: &Property| self.entry(args, p, traces.get(&p.prop), runs.get(&p.prop));
        let assumption = |(origin, text): &(_, String)| Assumption {
            location: location(&self.program, *origin),
            text: text.clone(),
        };
        Document {
            tool: "syncline",
            version: env!("CARGO_PKG_VERSION"),
            format: document::FORMAT,
            files: args.input.files.iter().map(|f| f.display().to_string()).collect(),
            data_model: if args.input.ilp32 { "ILP32" } else { "LP64" },
            verdict: self.summary(),
            exit_status: self.status(),
            seconds,
            properties: self.results.values().map(entry).collect(),
            assumptions: self.program.assumptions.iter().map(assumption).collect(),
            test,
            statistics: self.main_account().map(account),
            engines: self.ran.iter().map(|r| self.engine(r)).collect(),
        }
    }

    /// What was done by the one that decided most.
    fn main_account(&self) -> Option<&Account> {
        let told = self.ran.iter().filter(|r| r.account.is_some());
        told.max_by_key(|r| r.decided.len()).and_then(|r| r.account.as_ref())
    }

    fn engine(&self, ran: &Ran) -> document::Engine {
        document::Engine {
            engine: ran.work.name(),
            chosen: ran.why,
            from: ran.from,
            to: ran.to,
            end: ran.end.words(),
            decided: ran.decided.iter().map(|&p| self.name(p).to_string()).collect(),
            reason: ran.unknown.as_ref().map(|r| self.reason(r)),
            statistics: ran.account.as_ref().map(account),
        }
    }

    fn entry(&self, args: &CheckArgs, p: &Property, told: Option<&Told>, run: Option<&Run>) -> Entry {
        let data = &self.program.props[p.prop];
        let (attempts, advice) = match &p.answer {
            Answer::Unknown(reason) => (self.attempts(p.prop), self.advice(p.prop, reason, args)),
            Answer::Safe(_) | Answer::Unsafe(_) => (Vec::new(), Vec::new()),
        };
        let (reason, certificate) = match &p.answer {
            Answer::Unknown(reason) => (Some(self.reason(reason)), None),
            Answer::Unsafe(_) => (None, None),
            Answer::Safe(summary) => (None, Some(summary.clone())),
        };
        Entry {
            name: data.name.clone(),
            kind: data.kind.name(),
            description: data.description.clone(),
            location: location(&self.program, data.origin),
            verdict: verdict_word(&p.answer),
            engine: p.engine,
            seconds: p.seconds,
            reason,
            attempts,
            advice,
            vacuous: self.vacuous.get(&p.prop).cloned(),
            certificate,
            trace: told.map(|told| trace(&told.steps)),
            table: told.and_then(|told| told.table.as_ref()).map(Table::document),
            chart: self.findings().map(|findings| findings.document(p.prop, run)),
        }
    }
}

fn trace(steps: &Steps) -> document::Trace {
    let step = |s: &Step| {
        let change = |c: &crate::trace::Change| document::Change {
            name: c.name.clone(),
            value: c.value.clone(),
            input: c.input,
            local: c.local,
        };
        let changes = s.changes.iter().map(change).collect();
        document::Step { file: s.file.clone(), line: s.line, function: s.function.clone(), changes, outside: s.outside }
    };
    document::Trace {
        first: steps.first.iter().map(step).collect(),
        outside: steps.outside.clone(),
        omitted: steps.omitted,
        last: steps.last.iter().map(step).collect(),
    }
}

fn account(account: &Account) -> document::Account {
    document::Account {
        engine: account.engine.clone(),
        counts: account.counts.iter().cloned().collect(),
        notes: account.notes.clone(),
        solver: SolverAccount {
            checks: account.checks,
            sat: account.sat,
            unsat: account.unsat,
            unknown: account.unknown,
            asserted: account.asserted,
            seconds: account.seconds,
        },
    }
}
