//! Synchronous C: a program whose `main` registers processes becomes a program with a `System`.
//!
//! ```text
//! mod     what `main` registers: the plan         words   the intrinsics behind syncline.h
//! body    where steps end: statements, atomic sections, choices
//! turns   a process that never ends a step        finish  the shared variables, races, the system itself
//! ```
//!
//! `docs/synchronous-c.md` says what the words mean. Atomic sections and choices leave nothing behind but the places of
//! `step`; starting a process is a write to its control variable; a write to a local variable that lasts is followed by
//! one to a variable of no other use, where it matters whether a process fires.

mod body;
mod finish;
mod turns;
mod words;

pub(super) use body::{Role, Words};
pub(super) use finish::{declare, finish};
pub(super) use words::{call_of, Word};

use crate::hir::{Expr, Func, Loc, Stmt, StmtKind, Unit};
use crate::types::Type as CType;
use rustc_hash::{FxHashMap, FxHashSet};
use syncline_ir::{TimeModel, Var};

/// Something wrong with a system, and where.
pub(super) type Fault = (Loc, String);

/// What `main` registers, and what processes start.
#[derive(Default)]
pub(super) struct Plan<'u> {
    /// In the order of their turns.
    pub processes: Vec<Planned>,
    pub environment: Option<(Func, Loc)>,
    pub time: Option<(TimeModel, Loc)>,
    /// The arguments of `always`.
    pub always: Vec<(Loc, &'u Expr)>,
    /// Where registrations stand; elsewhere in `main` they are faults.
    pub registered: FxHashSet<Loc>,
    pub faults: Vec<Fault>,
    /// Written where a process fires by a write to one of its own variables.
    pub moved: Option<Var>,
}

pub(super) struct Planned {
    pub func: Func,
    pub parent: Option<u32>,
    pub loc: Loc,
    pub control: Option<Var>,
}

impl Plan<'_> {
    pub fn process(&self, func: Func) -> Option<usize> {
        self.processes.iter().position(|p| p.func == func)
    }

    pub fn time(&self) -> TimeModel {
        self.time.map_or(TimeModel::Synchronous, |(time, _)| time)
    }
}

/// Reads the registrations; `None` if `main` registers nothing, so that the program is sequential.
pub(super) fn plan(unit: &Unit, main: Func) -> Option<Plan<'_>> {
    let mut planner = Planner { unit, plan: Plan::default(), places: FxHashMap::default() };
    let body = unit.functions[main].body.as_deref().unwrap_or_default();
    planner.main(body);
    let plan = planner.plan;
    let used = !plan.processes.is_empty() || plan.environment.is_some() || !plan.faults.is_empty();
    (used || !plan.always.is_empty() || plan.time.is_some()).then_some(plan)
}

struct Planner<'u> {
    unit: &'u Unit,
    plan: Plan<'u>,
    /// Where each process was registered.
    places: FxHashMap<Func, Loc>,
}

impl<'u> Planner<'u> {
    fn fault(&mut self, loc: Loc, words: impl Into<String>) {
        self.plan.faults.push((loc, words.into()));
    }

    /// The statements of `main` that are executed whatever happens.
    fn main(&mut self, stmts: &'u [Stmt]) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Block(inner) => self.main(inner),
                StmtKind::If { .. } => {
                    if let Some(inner) = words::atomic_body(self.unit, stmt) {
                        self.main(std::slice::from_ref(inner));
                    }
                }
                StmtKind::Expr(e) => self.registration(e),
                _ => {}
            }
        }
    }

    fn registration(&mut self, expr: &'u Expr) {
        let Some((word, args)) = call_of(self.unit, expr) else { return };
        let loc = expr.loc;
        match word {
            Word::Sync => {
                if let Some(func) = self.function(args.first(), loc) {
                    self.process(func, None, loc, &mut Vec::new());
                }
            }
            Word::Environment => {
                let Some(func) = self.function(args.first(), loc) else { return };
                match self.plan.environment {
                    None => self.plan.environment = Some((func, loc)),
                    Some((_, first)) => {
                        self.fault(loc, format!("a second environment: the first is registered in line {}", first.line))
                    }
                }
            }
            Word::Time(time) => match self.plan.time {
                None => self.plan.time = Some((time, loc)),
                Some((_, first)) => {
                    self.fault(loc, format!("the time model is chosen twice, first in line {}", first.line))
                }
            },
            Word::Always => self.plan.always.push((loc, expr)),
            Word::Stop | Word::Idle | Word::Atomic | Word::Choice | Word::When => return,
        }
        self.plan.registered.insert(loc);
    }

    /// The function a registration names; it must be one that can run by itself.
    fn function(&mut self, arg: Option<&Expr>, loc: Loc) -> Option<Func> {
        let Some(func) = words::named_function(arg?) else {
            self.fault(loc, "name the function here: `sync(p)` with `void p(void) { ... }`");
            return None;
        };
        let function = &self.unit.functions[func];
        let result_is_void = match self.unit.types.get(function.ty) {
            CType::Function(signature) => matches!(self.unit.types.get(signature.result), CType::Void),
            _ => false,
        };
        if function.body.is_none() {
            self.fault(loc, format!("`{}` is only declared: give the file that defines it too", function.name));
        } else if !result_is_void || !function.params.is_empty() {
            self.fault(loc, format!("`{}` must be `void {}(void)`", function.name, function.name));
        } else {
            return Some(func);
        }
        None
    }

    /// A process, then those it starts. `above` are its ancestors.
    fn process(&mut self, func: Func, parent: Option<u32>, loc: Loc, above: &mut Vec<Func>) {
        let name = &self.unit.functions[func].name;
        if above.contains(&func) {
            self.fault(loc, format!("recursion through processes: `{name}` would start itself"));
            return;
        }
        if let Some(first) = self.places.insert(func, loc) {
            let words = format!("the process `{name}` is registered twice, first in line {}", first.line);
            self.fault(loc, format!("{words}: write a function for each process"));
            return;
        }
        let own = self.plan.processes.len() as u32;
        self.plan.processes.push(Planned { func, parent, loc, control: None });
        above.push(func);
        let mut children = Vec::new();
        self.children(self.unit.functions[func].body.as_deref().unwrap_or_default(), &mut children);
        let mut seen = FxHashSet::default();
        for (child, loc) in children {
            if seen.insert(child) {
                self.process(child, Some(own), loc, above);
            }
        }
        above.pop();
    }

    /// The processes that statements start, in the order of the text.
    fn children(&mut self, stmts: &[Stmt], found: &mut Vec<(Func, Loc)>) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Expr(e) => {
                    if let Some((Word::Sync, args)) = call_of(self.unit, e) {
                        found.extend(self.function(args.first(), e.loc).map(|func| (func, e.loc)));
                    }
                }
                _ => words::inner(stmt).into_iter().for_each(|s| self.children(std::slice::from_ref(s), found)),
            }
        }
    }
}
