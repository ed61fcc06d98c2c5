//! The Z3 back end, on Z3's C interface.
//!
//! One context and one solver a [`Z3Solver`]. Terms are translated once, iteratively, and kept. With
//! [`Core::BitBlast`], the default, Z3 only ever sees bit-vectors: floats become the bits of their encoding, each
//! float operation a fresh vector whose definition Z3's own `fpa2bv` bit-blasts once ([`floats`]), so that the
//! incremental SAT solver serves them too. It knows no arrays: [`super::ArraySolver`] goes in front. The other
//! cores take arrays and floats natively. `docs/decisions/0002-solver.md` compares them.
//!
//! Limits: Z3 looks at its cancel flag now and then, so a check may overrun its deadline a little. An interrupt that
//! comes in the instant between the test of the flag and Z3's own start is only seen by the next check.

mod floats;
mod translate;

use super::eval::{Evaluator, Model};
use super::solver::{Answer, Interrupt, Limits, Solver, SolverStats};
use super::term::{Node, Symbol, Term, TermStore};
use rustc_hash::FxHashMap;
use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use syncline_ir::{Const, UnOp};
use translate::Translator;
use z3_sys::*;

/// Which of Z3's solvers to use.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Core {
    /// Bit-blasting onto an incremental SAT solver (Z3's solver for QF_BV). No arrays.
    BitBlast,
    /// The general incremental SMT core; arrays and floats natively.
    General,
    /// Z3's default: the SMT core when used incrementally, a tactic for the first check.
    Combined,
    /// `simplify, propagate-values, solve-eqs, bit-blast, sat`, from scratch at every check. No arrays.
    Tactics,
}

/// What stands in reports is one line.
fn one_line(words: &str) -> String {
    let mut line: String = words.lines().next().unwrap_or_default().chars().take(100).collect();
    if line.len() < words.len() {
        line += " ...";
    }
    line
}

/// A solver of its own context. Not for sharing between threads; only its [`Interrupt`] is.
pub struct Z3Solver {
    translator: Translator,
    solver: Z3_solver,
    shared: Arc<Shared>,
    model: Option<Z3Model>,
    evaluator: Evaluator,
    /// Stand-ins for assumptions that are no literals.
    proxies: FxHashMap<Term, Z3_ast>,
    /// The assumptions of the last check, by the literal assumed.
    assumed: FxHashMap<Z3_ast, Term>,
    /// Whether Z3 has a timeout set, which holds until it is changed.
    timed: bool,
    stats: SolverStats,
}

/// What an interrupt handle needs; the context is gone once the solver is.
struct Shared {
    context: Mutex<Option<ContextPtr>>,
    stop: AtomicBool,
}

struct ContextPtr(Z3_context);

// SAFETY: `Z3_interrupt`, the only use made of it on other threads, is safe to call from any thread.
unsafe impl Send for ContextPtr {}

struct Z3Model {
    model: Z3_model,
    values: FxHashMap<Symbol, Const>,
}

impl Z3Solver {
    pub fn new(core: Core) -> Z3Solver {
        // SAFETY: plain creation; the context is deleted in `drop`, after everything that uses it. Contexts made by
        // `Z3_mk_context` keep every term alive, which is what the memo table wants anyway.
        unsafe {
            // `fpa2bv` would use uninterpreted functions for what SMT-LIB leaves open, and the SAT solver knows none.
            // (No such value gets used, see `floats`.) The tactic has no parameter of its own for it.
            Z3_global_param_set(c"rewriter.hi_fp_unspecified".as_ptr(), c"true".as_ptr());
            // Guards are long chains of conjunctions that share their prefixes; flattening each is quadratic.
            Z3_global_param_set(c"rewriter.flat_and_or".as_ptr(), c"false".as_ptr());
            let config = Z3_mk_config().expect("Z3 could not be started");
            let context = Z3_mk_context(config).expect("Z3 could not be started");
            Z3_del_config(config);
            // Without a handler, errors show as null results and codes instead of ending the process.
            Z3_set_error_handler(context, None);
            let solver = make_solver(context, core).expect("Z3 has no such solver");
            Z3_solver_inc_ref(context, solver);
            Z3Solver {
                translator: Translator::new(context, core == Core::BitBlast || core == Core::Tactics),
                solver,
                shared: Arc::new(Shared {
                    context: Mutex::new(Some(ContextPtr(context))),
                    stop: AtomicBool::new(false),
                }),
                model: None,
                evaluator: Evaluator::new(),
                proxies: FxHashMap::default(),
                assumed: FxHashMap::default(),
                timed: false,
                stats: SolverStats::default(),
            }
        }
    }

    fn context(&self) -> Z3_context {
        self.translator.context
    }

    fn add(&mut self, formula: Z3_ast) {
        // SAFETY: the formula is of this context.
        unsafe { Z3_solver_assert(self.context(), self.solver, formula) };
        self.stats.asserted += 1;
    }

    /// Translates, and asserts the definitions that came up.
    fn translate(&mut self, store: &TermStore, t: Term) -> Z3_ast {
        let ast = self.translator.translate(store, t);
        for definition in std::mem::take(&mut self.translator.definitions) {
            self.add(definition);
        }
        ast
    }

    /// The literal that stands for an assumption.
    fn literal(&mut self, store: &TermStore, t: Term) -> Z3_ast {
        let atom = match store.node(t) {
            Node::Un(UnOp::Not, x) => x,
            _ => t,
        };
        let ast = self.translate(store, t);
        if store.as_symbol(atom).is_some() {
            return ast;
        }
        if let Some(&proxy) = self.proxies.get(&t) {
            return proxy;
        }
        let proxy = self.translator.fresh_bool();
        let definition = self.translator.implies(proxy, ast);
        self.add(definition);
        self.proxies.insert(t, proxy);
        proxy
    }

    fn set_timeout(&mut self, limits: &Limits) {
        // Zero would mean none.
        let ms = limits.left().map_or(u32::MAX, |left| left.as_millis().clamp(1, u32::MAX as u128 - 1) as u32);
        // SAFETY: the parameter set lives from its creation to the `dec_ref`.
        unsafe {
            let context = self.context();
            let Some(params) = Z3_mk_params(context) else { return };
            Z3_params_inc_ref(context, params);
            if let Some(key) = Z3_mk_string_symbol(context, c"timeout".as_ptr()) {
                Z3_params_set_uint(context, params, key, ms);
                Z3_solver_set_params(context, self.solver, params);
            }
            Z3_params_dec_ref(context, params);
        }
    }

    fn drop_model(&mut self) {
        if let Some(old) = self.model.take() {
            // SAFETY: the reference was taken in `take_model`.
            unsafe { Z3_model_dec_ref(self.context(), old.model) };
        }
        self.evaluator.clear();
    }

    fn take_model(&mut self) -> bool {
        // SAFETY: the solver answered sat, so it has a model; the reference is given back in `drop_model`.
        unsafe {
            let Some(model) = Z3_solver_get_model(self.context(), self.solver) else { return false };
            Z3_model_inc_ref(self.context(), model);
            self.model = Some(Z3Model { model, values: FxHashMap::default() });
        }
        true
    }

    fn reason_unknown(&self, limits: &Limits) -> String {
        if self.shared.stop.load(Ordering::SeqCst) {
            return "interrupted".into();
        }
        if limits.left().is_some_and(|d| d.is_zero()) {
            return "timeout".into();
        }
        // SAFETY: Z3 returns a string that lives until the next call.
        let reason = unsafe {
            let text = Z3_solver_get_reason_unknown(self.context(), self.solver);
            if text.is_null() {
                String::new()
            } else {
                CStr::from_ptr(text).to_string_lossy().into_owned()
            }
        };
        match reason.as_str() {
            "timeout" | "canceled" => "timeout".into(),
            "memout" | "out of memory" | "max. memory exceeded" => "memory".into(),
            "" => "the solver gave no reason".into(),
            _ => one_line(&reason),
        }
    }

    fn run(&mut self, literals: &[Z3_ast], limits: &Limits) -> Answer {
        if limits.deadline.is_some() || self.timed {
            self.set_timeout(limits);
            self.timed = limits.deadline.is_some();
        }
        // SAFETY: all literals are of this context.
        let result = unsafe {
            Z3_solver_check_assumptions(self.context(), self.solver, literals.len() as u32, literals.as_ptr())
        };
        match result {
            Z3_L_TRUE if self.take_model() => Answer::Sat,
            Z3_L_FALSE => Answer::Unsat,
            _ => Answer::Unknown(self.reason_unknown(limits)),
        }
    }
}

impl Solver for Z3Solver {
    fn assert(&mut self, store: &mut TermStore, formula: Term) {
        if store.as_bool(formula) == Some(true) {
            return;
        }
        let ast = self.translate(store, formula);
        self.add(ast);
    }

    fn assert_array_eq(&mut self, store: &mut TermStore, guard: Term, array: Term, value: Term) {
        let [guard, array, value] = [guard, array, value].map(|t| self.translate(store, t));
        let same = self.translator.same(array, value);
        let formula = self.translator.implies(guard, same);
        self.add(formula);
    }

    fn assert_cells(&mut self, _: &mut TermStore, _: Term, _: Term, _: Term) {
        unreachable!("arrays that are defined cell by cell are gone before formulas come here")
    }

    fn check(&mut self, store: &mut TermStore, assumptions: &[Term], limits: &Limits) -> Answer {
        let start = Instant::now();
        self.drop_model();
        self.assumed.clear();
        let mut literals = Vec::with_capacity(assumptions.len());
        for &t in assumptions {
            if store.as_bool(t) == Some(true) {
                continue;
            }
            let literal = self.literal(store, t);
            self.assumed.insert(literal, t);
            literals.push(literal);
        }
        let answer = if self.shared.stop.load(Ordering::SeqCst) {
            Answer::Unknown("interrupted".into())
        } else if limits.left().is_some_and(|d| d.is_zero()) {
            Answer::Unknown("timeout".into())
        } else if let Some(error) = self.translator.error() {
            Answer::Unknown(error)
        } else {
            self.run(&literals, limits)
        };
        self.stats.checks += 1;
        match answer {
            Answer::Sat => self.stats.sat += 1,
            Answer::Unsat => self.stats.unsat += 1,
            Answer::Unknown(_) => self.stats.unknown += 1,
        }
        self.stats.check_time += start.elapsed();
        answer
    }

    fn model_value(&mut self, store: &TermStore, term: Term) -> Const {
        // Symbols are read off the model, the rest is computed: Z3's own evaluation builds terms.
        let Some(model) = &mut self.model else { return Const::zero(store.ty(term)) };
        if let Some(s) = store.as_symbol(term) {
            return self.translator.symbol_value(model.model, store, s);
        }
        for s in store.symbols_of(&[term]) {
            if let std::collections::hash_map::Entry::Vacant(slot) = model.values.entry(s) {
                slot.insert(self.translator.symbol_value(model.model, store, s));
            }
        }
        self.evaluator.eval(store, term, &model.values as &dyn Model)
    }

    fn core(&mut self) -> Vec<Term> {
        let context = self.context();
        // SAFETY: the vector is kept alive between `inc_ref` and `dec_ref`, its elements by the context.
        unsafe {
            let Some(core) = Z3_solver_get_unsat_core(context, self.solver) else { return Vec::new() };
            Z3_ast_vector_inc_ref(context, core);
            let terms = (0..Z3_ast_vector_size(context, core))
                .filter_map(|i| Z3_ast_vector_get(context, core, i))
                .filter_map(|literal| self.assumed.get(&literal).copied())
                .collect();
            Z3_ast_vector_dec_ref(context, core);
            terms
        }
    }

    fn interrupt_handle(&self) -> Interrupt {
        let shared = Arc::clone(&self.shared);
        Arc::new(move || {
            shared.stop.store(true, Ordering::SeqCst);
            let context = shared.context.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(ContextPtr(context)) = *context {
                // SAFETY: the context is alive while the lock is held.
                unsafe { Z3_interrupt(context) };
            }
        })
    }

    fn stats(&self) -> SolverStats {
        SolverStats { translated: self.translator.translated, ..self.stats }
    }
}

impl Drop for Z3Solver {
    fn drop(&mut self) {
        self.drop_model();
        let context = self.context();
        let mut shared = self.shared.context.lock().unwrap_or_else(PoisonError::into_inner);
        *shared = None;
        // SAFETY: nothing uses the context any more: the handles see `None`.
        unsafe {
            Z3_solver_dec_ref(context, self.solver);
            Z3_del_context(context);
        }
    }
}

unsafe fn make_solver(context: Z3_context, core: Core) -> Option<Z3_solver> {
    // SAFETY: the caller's context is alive; tactics are kept alive until the solver holds them.
    unsafe {
        match core {
            Core::BitBlast => Z3_mk_solver_for_logic(context, Z3_mk_string_symbol(context, c"QF_BV".as_ptr())?),
            Core::General => Z3_mk_simple_solver(context),
            Core::Combined => Z3_mk_solver(context),
            Core::Tactics => {
                let mut chain: Option<Z3_tactic> = None;
                for name in ["sat", "bit-blast", "solve-eqs", "propagate-values", "simplify"] {
                    let name = CString::new(name).ok()?;
                    let tactic = Z3_mk_tactic(context, name.as_ptr())?;
                    Z3_tactic_inc_ref(context, tactic);
                    let next = match chain {
                        None => tactic,
                        Some(rest) => Z3_tactic_and_then(context, tactic, rest)?,
                    };
                    Z3_tactic_inc_ref(context, next);
                    chain = Some(next);
                }
                Z3_mk_solver_from_tactic(context, chain?)
            }
        }
    }
}
