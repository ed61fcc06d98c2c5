//! What to do about a property that was not decided: what was tried on it, how far that came, and what may help. Nothing here
//! is a guess about the program: it follows from the limit that was met, the options given and what the program has.

use super::document::Attempt;
use super::Report;
use crate::args::{CheckArgs, EngineName, SolverName};
use crate::crew::{End, Ran, Work};
use syncline_engines::portfolio::Engine;
use syncline_engines::task::Reason;
use syncline_ir::analysis::CallGraph;
use syncline_ir::{Program, Prop};

impl Report {
    /// The engines that were asked about the property and did not decide it, in the order of their start.
    pub(super) fn attempts(&self, prop: Prop) -> Vec<Attempt> {
        let mut tried: Vec<&Ran> = self.ran().iter().filter(|r| r.asked.contains(&prop)).collect();
        tried.sort_by(|a, b| a.from.total_cmp(&b.from));
        let attempt = |ran: &Ran| Attempt {
            engine: ran.work.name(),
            seconds: ran.to - ran.from,
            end: self.end(ran, prop),
            progress: ran.progress.clone(),
        };
        tried.into_iter().map(attempt).collect()
    }

    /// Why this engine did not decide the property.
    fn end(&self, ran: &Ran, prop: Prop) -> String {
        if let Some(reason) = ran.reasons.get(&prop) {
            return self.reason(reason);
        }
        match (ran.end, ran.work) {
            (End::Done, Work::Sample) => "no run found that shows anything".to_string(),
            (End::Done, Work::Engine(_) | Work::Stability) => "ended without an answer".to_string(),
            (End::Stopped, _) => "stopped at the limit".to_string(),
            (End::Memory, _) => "ended for its memory".to_string(),
            (End::Failed, _) => "failed".to_string(),
        }
    }

    /// What may help, the most promising first.
    pub(super) fn advice(&self, prop: Prop, reason: &Reason, args: &CheckArgs) -> Vec<String> {
        let mut advice = match reason {
            Reason::Time => self.about_time(prop, args),
            Reason::Memory => self.about_memory(args),
            Reason::UnwindBound(n) => vec![
                "leave out --unwind: loops need no bound here".to_string(),
                format!("--unwind {}: a larger bound", n.saturating_mul(4).max(4)),
            ],
            Reason::Unsupported(o) => {
                self.about_unsupported(self.program.obligations.get(*o).map(|o| &*o.reason), args)
            }
            Reason::Solver(_) => vec![another_solver(args)],
            Reason::Evidence(_) => vec![
                "the evidence of an engine was refused, which is an error in syncline: please report it".to_string(),
                "--engine NAME: an engine alone may find evidence that holds".to_string(),
            ],
            Reason::NotForEngine(_) => vec!["leave out --engine: others may be made for this program".to_string()],
            Reason::Cancelled => vec!["let it run to its end".to_string()],
        };
        advice.extend(held_back(args));
        advice
    }

    fn about_time(&self, prop: Prop, args: &CheckArgs) -> Vec<String> {
        let mut advice = Vec::new();
        if !matches!(args.engine, None | Some(EngineName::Auto)) {
            advice.push("leave out --engine: several engines side by side decide more than one".to_string());
        } else if is_recursive(&self.program) {
            advice.push("--engine inline: recursive functions are proved by their contracts".to_string());
        } else if !self.ran().iter().any(|r| r.work == Work::Engine(Engine::Lawi)) && self.loaded.chart.is_none() {
            advice.push("--engine lawi: it was not among those that ran".to_string());
        }
        advice.push(format!("--time {}: ten times as long", args.time() * 10.0));
        if self.props.len() > 1 {
            advice.push(format!("--property {}: only what this property needs is then looked at", self.name(prop)));
        }
        if self.loaded.chart.is_none() && !self.program.sites.is_empty() {
            advice.push("restrict inputs to the values they can have, with __VERIFIER_assume".to_string());
        }
        advice
    }

    fn about_memory(&self, args: &CheckArgs) -> Vec<String> {
        let mut advice = vec![format!("--memory {}: twice as much", (args.memory() >> 20).saturating_mul(2))];
        if self.ran().len() > 1 {
            advice.push("--engine pdr, or another one alone: one process needs less than several".to_string());
        }
        advice
    }

    fn about_unsupported(&self, words: Option<&str>, args: &CheckArgs) -> Vec<String> {
        if args.input.strict_calls && words.is_some_and(|w| w.contains("only declared")) {
            return vec![
                "leave out --strict-calls: the function then returns any value".to_string(),
                "add a file with the function's body, or with a model of it".to_string(),
            ];
        }
        vec![
            "a run comes to what is not modelled (docs/soundness.md): write that place with other means".to_string(),
            "if no run of interest goes there, exclude it with __VERIFIER_assume".to_string(),
        ]
    }
}

fn another_solver(args: &CheckArgs) -> String {
    match args.solver {
        SolverName::Z3 => "leave out --solver: the usual ones share the work".to_string(),
        SolverName::Mixed | SolverName::Cadical | SolverName::External(_) => "--solver z3: another solver".to_string(),
    }
}

/// Options that take something away from the engines.
fn held_back(args: &CheckArgs) -> Vec<String> {
    let options = [
        ("--no-accelerate", args.no_accelerate),
        ("--no-invariants", args.no_invariants),
        ("--no-guesses", args.no_guesses),
    ];
    let given = options.into_iter().filter(|(_, given)| *given);
    given.map(|(option, _)| format!("leave out {option}")).collect()
}

fn is_recursive(program: &Program) -> bool {
    let graph = CallGraph::compute(program);
    program.procs.keys().any(|proc| graph.is_recursive(proc))
}
