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
        let mut seen = FxHashSet::default();
        for shared in &system.shared {
            match self.program.vars.get(shared.var) {
                None => self.report(Rule::System, "shared".to_string(), format!("{} does not exist", shared.var)),
                Some(var) if !seen.insert(shared.var) => {
                    self.report(Rule::System, format!("shared @{}", var.name), "is listed twice");
                }
                Some(_) => {}
            }
        }
        self.parents(&system.processes);
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

    /// `step` only where a process comes.
    fn steps(&mut self) {
        let program = self.program;
        let mut reached = vec![false; program.procs.len()];
        let mut work: Vec<Proc> = Vec::new();
        if let Some(system) = &program.system {
            work.extend(system.processes.iter().map(|p| p.body).chain(system.environment));
        }
        while let Some(proc) = work.pop() {
            let Some(procedure) = program.procs.get(proc) else { continue };
            if !std::mem::replace(&mut reached[proc.as_u32() as usize], true) {
                work.extend(callees(procedure));
            }
        }
        for (proc, procedure) in program.procs.iter() {
            if reached[proc.as_u32() as usize] {
                continue;
            }
            for &block in &procedure.layout {
                if let Some(BlockData { term: Terminator::Step(_), .. }) = procedure.blocks.get(block) {
                    self.out.push(Violation {
                        proc: Some(proc),
                        block: Some(block),
                        inst: None,
                        rule: Rule::Step,
                        place: format!("{}, {block}", procedure.name),
                        message: "`step` in a procedure that no process reaches".to_string(),
                    });
                }
            }
        }
    }
}

fn callees(procedure: &Procedure) -> impl Iterator<Item = Proc> + '_ {
    let blocks = procedure.layout.iter().filter_map(|&block| procedure.blocks.get(block));
    let insts = blocks.flat_map(|block| &block.insts).filter_map(|&inst| procedure.insts.get(inst));
    insts.filter_map(|node| match &node.data {
        InstData::Call { callee, .. } => Some(*callee),
        _ => None,
    })
}
