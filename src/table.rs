//! The trace of a synchronous system: a table with a row for each step. A row has the inputs, for each process
//! where its next step begins (the label there, or the line), and the shared variables that have changed.

use crate::report::document;
use crate::trace::show;
use std::collections::BTreeMap;
use std::time::Instant;
use syncline_engines::evidence::replay;
use syncline_engines::task::Trace;
use syncline_ir::interp::{Boundary, Observer};
use syncline_ir::{
    Block, Const, Initial, Origin, OriginData, Place, Proc, Procedure, Program, Site, StabilityAsk, System,
};

/// Rows printed at each end.
const PRINTED: usize = 40;

pub struct Table {
    processes: Vec<String>,
    rows: Vec<Row>,
}

pub struct Row {
    pub step: u64,
    pub inputs: Vec<(String, String)>,
    /// `None` for the step in which the run ends.
    pub locations: Option<Vec<String>>,
    pub changes: Vec<(String, String)>,
}

/// The table of a run; `None` if the program is no system.
pub fn table(program: &Program, trace: &Trace, deadline: Option<Instant>) -> Option<Table> {
    let system = program.system.as_ref()?;
    let start = |s: &syncline_ir::SharedVar| match &program.vars[s.var].init {
        Initial::Const(value) => Some(value.clone()),
        Initial::Any(_) => None,
    };
    let shared = system.shared.iter().map(start).collect();
    let mut recorder = Recorder {
        program,
        system,
        stack: Vec::new(),
        shared,
        inputs: BTreeMap::new(),
        begun: false,
        rows: Vec::new(),
    };
    replay::run(program, trace, &mut recorder, deadline);
    recorder.end();
    let processes = system.processes.iter().map(|p| p.name.clone()).collect();
    Some(Table { processes, rows: recorder.rows })
}

struct Recorder<'p> {
    program: &'p Program,
    system: &'p System,
    stack: Vec<Proc>,
    shared: Vec<Option<Const>>,
    /// Of this step, by name.
    inputs: BTreeMap<String, String>,
    /// The step has begun.
    begun: bool,
    rows: Vec<Row>,
}

impl Recorder<'_> {
    /// The environment is at work.
    fn outside(&self) -> bool {
        self.stack.first().is_some_and(|&proc| Some(proc) == self.system.environment)
    }

    /// The step that did not come to its end.
    fn end(&mut self) {
        let inputs: Vec<_> = std::mem::take(&mut self.inputs).into_iter().collect();
        if self.begun {
            let step = self.rows.last().map_or(1, |row| row.step + 1);
            self.rows.push(Row { step, inputs, locations: None, changes: Vec::new() });
        }
    }

    fn location(&self, body: &Procedure, block: Option<Block>) -> String {
        let Some(block) = block else { return "-".to_string() };
        let data = &body.blocks[block];
        if let Some(label) = &data.label {
            return label.clone();
        }
        let origin = data.insts.first().map_or(data.term_origin, |&inst| body.insts[inst].origin);
        match self.program.origins[origin] {
            OriginData::Source { line, .. } => line.to_string(),
            OriginData::None | OriginData::Element(_) => block.to_string(),
        }
    }
}

impl Observer for Recorder<'_> {
    fn input(&mut self, site: Site, value: &Const, _: Origin) {
        let saves = self.system.stability.is_some_and(|s| s.ask == StabilityAsk::Lasso(site));
        let resolves = saves || self.system.shared.iter().any(|s| s.choice == Some(site));
        let name = &self.program.sites[site].name;
        // The inputs of the environment are seen in what it writes, and who wins in what has changed.
        if !resolves && !self.outside() && !self.stack.is_empty() {
            self.inputs.insert(name.clone(), show(value));
        }
    }

    fn write(&mut self, _: Proc, place: Place, index: Option<u128>, value: &Const, _: Origin) {
        if let (true, Place::Global(var)) = (self.outside(), place) {
            let name = &self.program.vars[var].name;
            let name = index.map_or(name.clone(), |index| format!("{name}[{index}]"));
            self.inputs.insert(name, show(value));
            if let Some(n) = self.system.shared.iter().position(|s| s.var == var) {
                if index.is_none() {
                    self.shared[n] = Some(value.clone());
                }
            }
        }
    }

    fn enter(&mut self, proc: Proc, _: Origin) {
        let is_root = |p: Proc| {
            let s = self.system;
            Some(p) == s.environment || Some(p) == s.observer || s.processes.iter().any(|q| q.body == p)
        };
        // A step that ends leaves its process without a word.
        if is_root(proc) {
            self.stack.clear();
            self.begun |= Some(proc) != self.system.observer;
        }
        self.stack.push(proc);
    }

    fn leave(&mut self, _: Proc) {
        self.stack.pop();
    }

    fn boundary(&mut self, boundary: &Boundary) {
        self.stack.clear();
        self.begun = false;
        let mut changes = Vec::new();
        for ((shared, old), new) in self.system.shared.iter().zip(&mut self.shared).zip(&boundary.shared) {
            if old.as_ref() != Some(new) {
                changes.push((self.program.vars[shared.var].name.clone(), show(new)));
                *old = Some(new.clone());
            }
        }
        let bodies = self.system.processes.iter().map(|p| &self.program.procs[p.body]);
        let locations = bodies.zip(&boundary.locations).map(|(body, &block)| self.location(body, block)).collect();
        let inputs = std::mem::take(&mut self.inputs).into_iter().collect();
        self.rows.push(Row { step: boundary.step, inputs, locations: Some(locations), changes });
    }
}

fn pairs(list: &[(String, String)]) -> String {
    list.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

impl Table {
    /// Of a program that is one process without locations.
    pub fn of_rows(rows: Vec<Row>) -> Table {
        Table { processes: Vec::new(), rows }
    }

    pub fn print(&self) {
        let cells: Vec<Vec<String>> = self.rows.iter().map(|row| self.cells(row)).collect();
        let mut head = vec!["step".to_string(), "inputs".to_string()];
        head.extend(self.processes.iter().cloned());
        head.push("changed".to_string());
        let shown: Vec<usize> = (0..cells.len()).filter(|&n| n < PRINTED || n + PRINTED >= cells.len()).collect();
        let width = |k: usize| {
            let cells = shown.iter().map(|&n| cells[n][k].chars().count());
            cells.chain([head[k].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        print_row(&head, &widths);
        let mut last = None;
        for &n in &shown {
            if last.is_some_and(|last| last + 1 != n) {
                say!("    ... {} more steps ...", cells.len() - shown.len());
            }
            print_row(&cells[n], &widths);
            last = Some(n);
        }
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let mut cells = vec![row.step.to_string(), pairs(&row.inputs)];
        match &row.locations {
            Some(locations) => cells.extend(locations.iter().cloned()),
            None => cells.extend(self.processes.iter().map(|_| String::new())),
        }
        cells.push(if row.locations.is_some() { pairs(&row.changes) } else { "the run ends in this step".to_string() });
        cells
    }

    pub fn document(&self) -> Vec<document::Row> {
        let row = |row: &Row| {
            let locations = |places: &Vec<String>| self.processes.iter().cloned().zip(places.iter().cloned()).collect();
            document::Row {
                step: row.step,
                inputs: row.inputs.iter().cloned().collect(),
                locations: row.locations.as_ref().map(locations),
                changed: row.changes.iter().cloned().collect(),
            }
        };
        self.rows.iter().map(row).collect()
    }
}

fn print_row(cells: &[String], widths: &[usize]) {
    let padded: Vec<String> = cells.iter().zip(widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
    say!("    {}", padded.join("  ").trim_end());
}
