//! The trace of a program that is called step by step: a table with a row for each step. A row has the inputs of the step
//! and what the step has changed; row 0 is what was changed before the first step.

use crate::load::Loaded;
use crate::outside;
use crate::table::{Row, Table};
use crate::trace::show;
use std::collections::BTreeMap;
use std::time::Instant;
use syncline_engines::evidence::replay;
use syncline_engines::task::Trace;
use syncline_frontend::lower::MemoryMap;
use syncline_frontend::reactive::{Harness, INPUTS};
use syncline_ir::interp::Observer;
use syncline_ir::{Const, Initial, Origin, Place, Proc, Program, Site, Var};

/// The table of a run; `None` if nothing calls the program step by step.
pub fn table(loaded: &Loaded, trace: &Trace, deadline: Option<Instant>) -> Option<Table> {
    let harness = loaded.harness.as_ref()?;
    let mut recorder = Recorder {
        program: &loaded.program,
        map: &loaded.map,
        harness,
        stack: Vec::new(),
        started: false,
        inputs: Vec::new(),
        before: BTreeMap::new(),
        now: BTreeMap::new(),
        rows: Vec::new(),
    };
    replay::run(&loaded.program, trace, &mut recorder, deadline);
    recorder.finish();
    Some(Table::of_rows(recorder.rows))
}

struct Recorder<'p> {
    program: &'p Program,
    map: &'p MemoryMap,
    harness: &'p Harness,
    stack: Vec<Proc>,
    /// The first step has begun.
    started: bool,
    inputs: Vec<(String, String)>,
    /// What was written in this step: the value before it, if known, and the value now.
    before: BTreeMap<String, Option<Const>>,
    now: BTreeMap<String, Const>,
    rows: Vec<Row>,
}

impl Recorder<'_> {
    fn is_called(&self, name: &str) -> bool {
        self.stack.iter().any(|&p| self.program.procs[p].name == name)
    }

    /// The row of what has been so far.
    fn finish(&mut self) {
        let changed = |(name, before): (String, Option<Const>)| {
            let now = self.now.get(&name)?;
            (before.as_ref() != Some(now)).then(|| (name, show(now)))
        };
        let changes: Vec<_> = std::mem::take(&mut self.before).into_iter().filter_map(changed).collect();
        let inputs = std::mem::take(&mut self.inputs);
        if self.started || !changes.is_empty() {
            let step = self.rows.last().map_or(u64::from(self.started), |row: &Row| row.step + 1);
            self.rows.push(Row { step, inputs, locations: Some(Vec::new()), changes });
        }
    }

    /// How a cell is called; of memory, by the object it is in. What the program has no word for has no name.
    fn name(&self, var: Var, index: Option<u128>) -> Option<String> {
        let name = &self.program.vars[var].name;
        let regions = &self.map.regions;
        match index {
            _ if regions.iter().any(|r| r.sizes == Some(var) || r.count == Some(var)) => None,
            Some(index) if regions.iter().any(|r| r.arrays.contains(&var)) => {
                self.harness.cells.get(&u64::try_from(index).ok()?).cloned()
            }
            Some(index) => Some(format!("{name}[{index}]")),
            None => Some(name.clone()),
        }
    }
}

impl Observer for Recorder<'_> {
    /// An unknown value that the program reads by itself, such as that of a `volatile` object.
    fn input(&mut self, site: Site, value: &Const, _: Origin) {
        let name = &self.program.sites[site].name;
        if self.started && !self.is_called(INPUTS) && !name.starts_with(outside::SITE) && self.harness.tells(name, "") {
            self.inputs.push((name.clone(), show(value)));
        }
    }

    fn write(&mut self, _: Proc, place: Place, index: Option<u128>, value: &Const, _: Origin) {
        let Place::Global(var) = place else { return };
        let Some(name) = self.name(var, index) else { return };
        if self.is_called(INPUTS) {
            if self.harness.shows(&name) {
                self.inputs.push((name.clone(), show(value)));
                self.now.insert(name, value.clone());
            }
            return;
        }
        let function = self.stack.last().map_or("", |&p| self.program.procs[p].name.as_str());
        if !self.harness.tells(&name, function) {
            return;
        }
        let start = || match (&self.program.vars[var].init, index) {
            (Initial::Const(value), None) => Some(value.clone()),
            (Initial::Const(Const::Array(cells)), Some(index)) => Some(cells.get(index).clone()),
            (Initial::Const(_), Some(_)) | (Initial::Any(_), _) => None,
        };
        let old = self.now.get(&name).cloned().or_else(start);
        self.before.entry(name.clone()).or_insert(old);
        self.now.insert(name, value.clone());
    }

    fn enter(&mut self, proc: Proc, _: Origin) {
        if self.program.procs[proc].name == INPUTS {
            self.finish();
            self.started = true;
        }
        self.stack.push(proc);
    }

    fn leave(&mut self, _: Proc) {
        self.stack.pop();
    }
}
