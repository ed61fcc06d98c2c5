//! Rules on the tables of the program, and on its system.

use super::{constant_fault, legal_type, origin_fault, Rule, Violation};
use crate::entities::*;
use crate::inst::{InstData, Terminator};
use crate::program::*;
use crate::types::Type;
use rustc_hash::FxHashSet;

pub(super) fn check(program: &Program, out: &mut Vec<Violation>) {
    let mut tables = Tables { program, out };
    tables.origins();
    tables.declarations();
    tables.names();
    if program.entry.is_some_and(|entry| !program.procs.is_valid(entry)) {
        tables.report(Rule::Entry, "entry".to_string(), "the procedure does not exist");
    }
    if let Some(system) = &program.system {
        tables.system(system);
    }
    tables.steps();
}

struct Tables<'a> {
    program: &'a Program,
    out: &'a mut Vec<Violation>,
}

impl Tables<'_> {
    fn report(&mut self, rule: Rule, place: String, message: impl Into<String>) {
        self.out.push(Violation { proc: None, block: None, inst: None, rule, place, message: message.into() });
    }

    fn origins(&mut self) {
        let program = self.program;
        if program.origins.get(Origin::from_u32(0)) != Some(&OriginData::None) {
            self.report(Rule::Origin, "loc0".to_string(), "is not `none`");
        }
        for (origin, data) in program.origins.iter() {
            match data {
                OriginData::Source { file, .. } if program.files.get(*file as usize).is_none() => {
                    self.report(Rule::Origin, origin.to_string(), format!("file{file} does not exist"));
                }
                OriginData::None | OriginData::Source { .. } | OriginData::Element(_) => {}
            }
        }
    }

    fn origin(&mut self, origin: Origin, place: impl Fn() -> String) {
        if let Some(fault) = origin_fault(self.program, origin) {
            self.report(Rule::Origin, place(), fault);
        }
    }

    fn ty(&mut self, ty: Type, place: impl Fn() -> String) {
        if !legal_type(ty) {
            self.report(Rule::Type, place(), format!("{ty} is no type"));
        }
    }

    fn declarations(&mut self) {
        let program = self.program;
        for (site, data) in program.sites.iter() {
            self.origin(data.origin, || site.to_string());
            self.ty(data.ty, || site.to_string());
        }
        for data in program.vars.values() {
            let place = || format!("@{}", data.name);
            self.origin(data.origin, place);
            self.ty(data.ty, place);
            self.initial(data);
        }
        for (prop, data) in program.props.iter() {
            self.origin(data.origin, || prop.to_string());
        }
        for (obligation, data) in program.obligations.iter() {
            self.origin(data.origin, || obligation.to_string());
        }
        for (origin, _) in &program.assumptions {
            self.origin(*origin, || "assumption".to_string());
        }
    }

    fn initial(&mut self, data: &VarData) {
        let place = || format!("@{}", data.name);
        let ty = match &data.init {
            Initial::Const(value) => {
                if let Some(fault) = constant_fault(value) {
                    self.report(Rule::Constant, place(), fault);
                }
                value.ty()
            }
            Initial::Any(site) => match self.program.sites.get(*site) {
                Some(site) => site.ty,
                None => return self.report(Rule::Initial, place(), format!("{site} does not exist")),
            },
        };
        if ty != data.ty {
            self.report(Rule::Initial, place(), format!("begins with a value of type {ty}, not {}", data.ty));
        }
    }

    fn names(&mut self) {
        let program = self.program;
        self.unique("variable", program.vars.values().map(|v| v.name.as_str()));
        self.unique("procedure", program.procs.values().map(|p| p.name.as_str()));
        self.unique("property", program.props.values().map(|p| p.name.as_str()));
    }

    fn unique<'n>(&mut self, what: &str, names: impl Iterator<Item = &'n str>) {
        let mut seen = FxHashSet::default();
        for name in names {
            if !seen.insert(name) {
                self.report(Rule::Name, format!("{what} {name:?}"), "there is another of this name");
            }
        }
    }

    fn system(&mut self, system: &System) {
        for process in &system.processes {
            self.process_body(process.body, || format!("process {:?}", process.name));
        }
        if let Some(environment) = system.environment {
            self.process_body(environment, || "environment".to_string());
        }
        if let Some(observer) = system.observer {
            self.process_body(observer, || "observer".to_string());
        }
        self.controls(system);
        if let Some(stability) = system.stability {
            self.stability(stability);
        }
        let mut seen = FxHashSet::default();
        for shared in &system.shared {
            match self.program.vars.get(shared.var) {
                None => self.report(Rule::System, "shared".to_string(), format!("{} does not exist", shared.var)),
                Some(var) if !seen.insert(shared.var) => {
                    self.report(Rule::System, format!("shared @{}", var.name), "is listed twice");
                }
                Some(var) => self.shared(system, shared, var),
            }
        }
        self.parents(&system.processes);
    }

    fn shared(&mut self, system: &System, shared: &SharedVar, var: &VarData) {
        let place = || format!("shared @{}", var.name);
        if shared.race.is_some_and(|prop| !self.program.props.is_valid(prop)) {
            self.report(Rule::System, place(), "its property does not exist");
        }
        let needed = shared.choice.is_some() && var.ty.is_array();
        if shared.cells > 0 && !var.ty.is_array() || shared.cells == 0 && needed {
            self.report(Rule::System, place(), "cells are of arrays, and those with a choice have cells");
        }
        let Some(choice) = shared.choice else { return };
        let wide = Type::bv(choice_width(system));
        if self.program.sites.get(choice).is_none_or(|site| site.ty != wide) {
            self.report(Rule::System, place(), format!("its choice is no site of type {wide}"));
        }
        if shared.write == WriteKind::Blocking {
            self.report(Rule::System, place(), "has a choice and is not written at the boundary");
        }
    }

    fn controls(&mut self, system: &System) {
        let mut seen: FxHashSet<Var> = system.shared.iter().map(|s| s.var).collect();
        for process in &system.processes {
            let Some(control) = process.control else { continue };
            let place = || format!("process {:?}", process.name);
            if self.program.vars.get(control).is_none_or(|var| var.ty != Type::bv(2)) {
                self.report(Rule::System, place(), "its control is no variable of type bv2");
            }
            if !seen.insert(control) {
                self.report(Rule::System, place(), "its control is a shared variable, or controls another process");
            }
        }
    }

    fn stability(&mut self, stability: Stability) {
        let program = self.program;
        let mut fail = |what: &str| self.report(Rule::System, "stability".to_string(), what);
        if !program.props.is_valid(stability.prop) {
            fail("its property does not exist");
        }
        if let StabilityAsk::Lasso(site) = stability.ask {
            if program.sites.get(site).is_none_or(|site| site.ty != Type::BOOL) {
                fail("the choice of a state is no site of type bool");
            }
        }
    }

    fn process_body(&mut self, body: Proc, place: impl Fn() -> String) {
        match self.program.procs.get(body) {
            None => self.report(Rule::System, place(), format!("{body} does not exist")),
            Some(procedure) if procedure.blocks.get(procedure.entry).is_some_and(|b| !b.params.is_empty()) => {
                self.report(Rule::System, place(), format!("{} takes parameters", procedure.name));
            }
            Some(_) => {}
        }
    }

    fn parents(&mut self, processes: &[Process]) {
        // The round in which a process was first met; meeting one of this round again closes a cycle.
        let mut round = vec![usize::MAX; processes.len()];
        for start in 0..processes.len() {
            let mut at = start;
            while round[at] == usize::MAX {
                round[at] = start;
                let Some(parent) = processes[at].parent else { break };
                let place = || format!("process {:?}", processes[at].name);
                if parent as usize >= processes.len() {
                    self.report(Rule::System, place(), format!("parent {parent} does not exist"));
                    break;
                }
                if round[parent as usize] == start {
                    self.report(Rule::System, place(), "is its own ancestor");
                    break;
                }
                at = parent as usize;
            }
        }
    }

    /// `step` only in bodies of processes, which nobody calls.
    fn steps(&mut self) {
        let program = self.program;
        let bodies: FxHashSet<Proc> = program.system.iter().flat_map(|s| s.processes.iter().map(|p| p.body)).collect();
        for (proc, procedure) in program.procs.iter() {
            for callee in callees(procedure).filter(|callee| bodies.contains(callee)) {
                let words = format!("calls the body of a process, {}", name_of(program, callee));
                self.report(Rule::Step, procedure.name.clone(), words);
            }
            for &block in &procedure.layout {
                let Some(BlockData { term: Terminator::Step(to), .. }) = procedure.blocks.get(block) else { continue };
                let message = match bodies.contains(&proc) {
                    true if to.args.is_empty() => continue,
                    true => "`step` with arguments",
                    false => "`step` in a procedure that is no process",
                };
                let (proc, place) = (Some(proc), format!("{}, {block}", procedure.name));
                let message = message.to_string();
                self.out.push(Violation { proc, block: Some(block), inst: None, rule: Rule::Step, place, message });
            }
        }
    }
}

fn name_of(program: &Program, proc: Proc) -> &str {
    program.procs.get(proc).map_or("", |p| p.name.as_str())
}

fn callees(procedure: &Procedure) -> impl Iterator<Item = Proc> + '_ {
    let blocks = procedure.layout.iter().filter_map(|&block| procedure.blocks.get(block));
    let insts = blocks.flat_map(|block| &block.insts).filter_map(|&inst| procedure.insts.get(inst));
    insts.filter_map(|node| match &node.data {
        InstData::Call { callee, .. } => Some(*callee),
        _ => None,
    })
}
