//! Any SMT-LIB 2 solver as a process: `z3 -in`, `cvc5 --incremental --lang smt2`, and the like.
//!
//! The solver is spoken to as the standard has it: terms are defined once (`define-fun`), formulas asserted for good,
//! assumptions are literals of `check-sat-assuming`, models come from `get-value`, cores from `get-unsat-assumptions`.
//! It gets bit-vectors, and floats from the first one on, when it is started anew for that logic; arrays are
//! eliminated above ([`super::arrays`]).
//!
//! The process ([`process`]) dies with the thread that started it, with an interrupt, and at the deadline of a check;
//! the next check then starts another and tells it everything again. Its memory is limited by the kernel. What the
//! process says is not believed to be well-formed: anything unexpected is the answer `Unknown`.

mod process;
mod value;

use super::eval::{Evaluator, Model};
use super::smtlib;
use super::solver::{Answer, Interrupt, Limits, Solver, SolverStats};
use super::term::{Node, Symbol, Term, TermStore};
use process::{Failure, Process};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use syncline_ir::{Const, Scalar, Type, UnOp};

/// How long a model or a core may take, which the solver has at hand.
const ANSWER_TIME: Duration = Duration::from_secs(60);

/// How to start the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The program and its arguments, separated by blanks.
    pub line: String,
    /// Address space in bytes; none: no limit.
    pub memory: Option<u64>,
}

pub struct ExternalSolver {
    command: Command,
    process: Option<Process>,
    control: Arc<process::Control>,
    /// Everything asserted, for a process that has to be started anew.
    asserted: Vec<Term>,
    /// What the current process knows.
    defined: FxHashSet<Term>,
    proxies: FxHashSet<Term>,
    /// How many of `asserted` it has been told.
    told: usize,
    floats: bool,
    /// Text for the process that has not been sent yet.
    text: String,
    /// The assumptions of the last check, by the literal assumed.
    assumed: FxHashMap<String, Term>,
    values: Option<FxHashMap<Symbol, Const>>,
    last: Answer,
    evaluator: Evaluator,
    stats: SolverStats,
}

impl ExternalSolver {
    pub fn new(command: Command) -> ExternalSolver {
        ExternalSolver {
            command,
            process: None,
            control: Arc::default(),
            asserted: Vec::new(),
            defined: FxHashSet::default(),
            proxies: FxHashSet::default(),
            told: 0,
            floats: false,
            text: String::new(),
            assumed: FxHashMap::default(),
            values: None,
            last: Answer::Unknown("no check yet".into()),
            evaluator: Evaluator::new(),
            stats: SolverStats::default(),
        }
    }

    /// Forgets the process; the next check starts another.
    fn abandon(&mut self) {
        self.process = None;
        self.defined.clear();
        self.proxies.clear();
        self.told = 0;
        self.text.clear();
    }

    fn start(&mut self) -> Result<(), Failure> {
        if self.process.is_none() {
            self.process = Some(Process::start(&self.command, &self.control)?);
            let logic = if self.floats { "QF_BVFP" } else { "QF_BV" };
            let _ = writeln!(
                self.text,
                "(set-option :print-success false)\n(set-option :produce-models true)\n\
                 (set-option :produce-unsat-assumptions true)\n(set-logic {logic})"
            );
        }
        Ok(())
    }

    /// Defines a term and what it is made of.
    fn define(&mut self, store: &TermStore, term: Term) {
        let before = self.defined.len();
        smtlib::define(store, term, &mut self.defined, &mut self.text);
        self.stats.translated += (self.defined.len() - before) as u64;
    }

    /// The literal that stands for an assumption.
    fn literal(&mut self, store: &TermStore, t: Term) -> String {
        self.define(store, t);
        let atom = match store.node(t) {
            Node::Un(UnOp::Not, x) => x,
            _ => t,
        };
        if store.as_symbol(atom).is_some() {
            let name = smtlib::reference(store, atom);
            return if atom == t { name } else { format!("(not {name})") };
        }
        let proxy = format!("assumption{}", t.index());
        if self.proxies.insert(t) {
            let name = smtlib::reference(store, t);
            let _ = writeln!(self.text, "(declare-fun {proxy} () Bool)\n(assert (=> {proxy} {name}))");
        }
        proxy
    }

    /// Tells the process what it does not know yet, and the assumptions.
    fn tell(&mut self, store: &TermStore, assumptions: &[Term]) {
        for n in self.told..self.asserted.len() {
            let t = self.asserted[n];
            self.define(store, t);
            let name = smtlib::reference(store, t);
            let _ = writeln!(self.text, "(assert {name})");
        }
        self.told = self.asserted.len();
        let mut literals = String::new();
        for &t in assumptions {
            if store.as_bool(t) == Some(true) {
                continue;
            }
            let literal = self.literal(store, t);
            let _ = write!(literals, " {literal}");
            self.assumed.insert(plain(&literal), t);
        }
        let _ = match literals.is_empty() {
            true => writeln!(self.text, "(check-sat)"),
            false => writeln!(self.text, "(check-sat-assuming ({}))", literals.trim_start()),
        };
    }

    fn exchange(&mut self, deadline: Option<Instant>) -> Result<String, Failure> {
        let text = std::mem::take(&mut self.text);
        let Some(process) = &mut self.process else { return Err(Failure::Ended(String::new())) };
        process.send(text)?;
        process.receive(deadline)
    }

    fn ask(&mut self, store: &TermStore, assumptions: &[Term], limits: &Limits) -> Result<Answer, Failure> {
        let floats = |s: &ExternalSolver, t: Term| !s.defined.contains(&t) && has_floats(store, t, &s.defined);
        let new = self.asserted[self.told..].iter().chain(assumptions);
        if !self.floats && new.into_iter().any(|&t| floats(self, t)) {
            self.abandon();
            self.floats = true;
        }
        self.start()?;
        self.tell(store, assumptions);
        let answer = self.exchange(limits.deadline)?;
        Ok(match answer.as_str() {
            "sat" => Answer::Sat,
            "unsat" => Answer::Unsat,
            "unknown" => Answer::Unknown("the solver gave up".into()),
            "timeout" => Answer::Unknown("timeout".into()),
            other => return Err(Failure::Said(other.to_string())),
        })
    }

    /// The values of all symbols the process knows. They are asked for once a model: most get looked at.
    fn fetch(&mut self, store: &TermStore) -> FxHashMap<Symbol, Const> {
        let mut symbols: Vec<Symbol> = self.defined.iter().filter_map(|&t| store.as_symbol(t)).collect();
        symbols.sort_unstable_by_key(|s| s.index());
        let mut values = FxHashMap::default();
        if self.last != Answer::Sat || symbols.is_empty() {
            return values;
        }
        self.text.push_str("(get-value (");
        for &s in &symbols {
            let _ = write!(self.text, " {}", smtlib::reference(store, store.symbol_term(s)));
        }
        self.text.push_str("))\n");
        match self.exchange(Some(Instant::now() + ANSWER_TIME)) {
            Ok(answer) => {
                let pairs = value::pairs(&answer).unwrap_or_default();
                for (&s, text) in symbols.iter().zip(&pairs) {
                    if let Some(value) = scalar_type(store.symbol_type(s)).and_then(|ty| value::constant(text, ty)) {
                        values.insert(s, value);
                    }
                }
            }
            // A wrong model is found out when the trace is replayed.
            Err(_) => self.abandon(),
        }
        values
    }
}

impl Solver for ExternalSolver {
    fn assert(&mut self, store: &mut TermStore, formula: Term) {
        if store.as_bool(formula) == Some(true) {
            return;
        }
        self.stats.asserted += 1;
        self.asserted.push(formula);
    }

    /// Not used: arrays are gone before formulas come here. Kept whole, as one formula.
    fn assert_array_eq(&mut self, store: &mut TermStore, guard: Term, array: Term, value: Term) {
        let same = store.eq(array, value);
        let formula = store.implies(guard, same);
        self.assert(store, formula);
    }

    fn assert_cells(&mut self, _: &mut TermStore, _: Term, _: Term, _: Term) {
        unreachable!("arrays are gone before formulas come here")
    }

    fn check(&mut self, store: &mut TermStore, assumptions: &[Term], limits: &Limits) -> Answer {
        let start = Instant::now();
        self.assumed.clear();
        self.values = None;
        self.evaluator.clear();
        let answer = if self.control.is_stopped() {
            Answer::Unknown("interrupted".into())
        } else if limits.left().is_some_and(|d| d.is_zero()) {
            Answer::Unknown("timeout".into())
        } else {
            match self.ask(store, assumptions, limits) {
                Ok(answer) => answer,
                Err(failure) => {
                    self.abandon();
                    let stopped = self.control.is_stopped();
                    Answer::Unknown(if stopped { "interrupted".into() } else { failure.words(&self.command.line) })
                }
            }
        };
        self.stats.checks += 1;
        match answer {
            Answer::Sat => self.stats.sat += 1,
            Answer::Unsat => self.stats.unsat += 1,
            Answer::Unknown(_) => self.stats.unknown += 1,
        }
        self.stats.check_time += start.elapsed();
        self.last = answer.clone();
        answer
    }

    fn model_value(&mut self, store: &TermStore, term: Term) -> Const {
        let values = match self.values.take() {
            Some(values) => values,
            None => self.fetch(store),
        };
        let value = self.evaluator.eval(store, term, &values as &dyn Model);
        self.values = Some(values);
        value
    }

    fn core(&mut self) -> Vec<Term> {
        let all: Vec<Term> = self.assumed.values().copied().collect();
        if self.last != Answer::Unsat || all.is_empty() {
            return all;
        }
        self.text.push_str("(get-unsat-assumptions)\n");
        match self.exchange(Some(Instant::now() + ANSWER_TIME)) {
            Ok(answer) if !answer.starts_with("(error") => {
                let literals = value::items(&answer).unwrap_or_default();
                literals.iter().filter_map(|l| self.assumed.get(&plain(l)).copied()).collect()
            }
            // All of them are a core too.
            Ok(_) => all,
            Err(_) => {
                self.abandon();
                all
            }
        }
    }

    fn interrupt_handle(&self) -> Interrupt {
        let control = Arc::clone(&self.control);
        Arc::new(move || control.stop())
    }

    fn stats(&self) -> SolverStats {
        self.stats
    }
}

/// A literal without the bars some solvers leave away, and with single blanks.
fn plain(literal: &str) -> String {
    literal.replace('|', "").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn scalar_type(ty: Type) -> Option<Scalar> {
    match ty {
        Type::Scalar(s) => Some(s),
        Type::Array { .. } => None,
    }
}

/// Whether a term has floats outside of what is known to have none.
fn has_floats(store: &TermStore, term: Term, known: &FxHashSet<Term>) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![term];
    while let Some(t) = stack.pop() {
        if known.contains(&t) || !seen.insert(t) {
            continue;
        }
        if matches!(scalar_type(store.ty(t)), Some(Scalar::Float(_))) {
            return true;
        }
        stack.extend(store.node(t).args());
    }
    false
}
