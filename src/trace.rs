//! A counterexample in the words of the source: its lines in the order of the run, with what changed.

use crate::outside::{self, Accesses};
use std::collections::VecDeque;
use std::time::Instant;
use syncline_engines::evidence::replay;
use syncline_engines::task::Trace;
use syncline_ir::interp::Observer;
use syncline_ir::{Block, Const, FloatFormat, Origin, OriginData, Place, Proc, Program, Site};

/// Steps kept at each end of a run.
const KEPT: usize = 2_000;
/// Changes of one step; a loop on one line has several steps, of which those in the middle are left out.
const MOST_CHANGES: usize = 40;

/// A source line that took in or changed something.
#[derive(Clone, Debug)]
pub struct Step {
    pub function: String,
    pub file: String,
    pub line: u32,
    pub changes: Vec<Change>,
    /// Here is the first access outside of its object.
    pub outside: bool,
}

#[derive(Clone, Debug)]
pub struct Change {
    pub name: String,
    pub value: String,
    /// An unknown value that comes in here.
    pub input: bool,
    /// Of a variable of the step's function.
    pub local: bool,
}

/// The steps of a run; in a long one the middle is left out.
pub struct Steps {
    pub first: Vec<Step>,
    pub omitted: u64,
    pub last: VecDeque<Step>,
    /// The first access outside of its object, if there is one.
    pub outside: Option<String>,
}

pub fn steps(program: &Program, trace: &Trace, accesses: &Accesses, deadline: Option<Instant>) -> Steps {
    let outside = match accesses {
        Accesses::Outside(o) => Some(format!("{}:{}:{}", o.file, o.line, o.column)),
        Accesses::Inside | Accesses::Unknown => None,
    };
    let mut recorder = Recorder {
        program,
        stack: Vec::new(),
        steps: Steps { first: Vec::new(), omitted: 0, last: VecDeque::new(), outside },
        current: None,
        events: 0,
        accesses,
        marked: false,
    };
    replay::run(program, trace, &mut recorder, deadline);
    recorder.flush();
    recorder.steps
}

struct Recorder<'p> {
    program: &'p Program,
    stack: Vec<Proc>,
    steps: Steps,
    current: Option<(Proc, Step)>,
    /// Inputs, writes and branches so far.
    events: u64,
    accesses: &'p Accesses,
    marked: bool,
}

impl Recorder<'_> {
    fn flush(&mut self) {
        let Some((_, step)) = self.current.take() else { return };
        if self.steps.first.len() < KEPT {
            self.steps.first.push(step);
            return;
        }
        if self.steps.last.len() == KEPT {
            self.steps.last.pop_front();
            self.steps.omitted += 1;
        }
        self.steps.last.push_back(step);
    }

    fn add(&mut self, proc: Proc, origin: Origin, change: Change) {
        let OriginData::Source { file, line, .. } = self.program.origins[origin] else { return };
        let file = &self.program.files[file as usize];
        if let Some((owner, step)) = &mut self.current {
            let room = step.changes.len() < MOST_CHANGES;
            if room && *owner == proc && step.line == line && step.file == *file {
                step.changes.push(change);
                return;
            }
        }
        self.flush();
        let function = self.program.procs[proc].name.clone();
        let outside = match self.accesses {
            Accesses::Outside(o) => self.events > o.events && !self.marked && o.line == line && o.file == *file,
            Accesses::Inside | Accesses::Unknown => false,
        };
        self.marked |= outside;
        self.current = Some((proc, Step { function, file: file.clone(), line, changes: vec![change], outside }));
    }

    /// Whether the value comes from outside of all objects, and the run has not left them yet: nobody takes it.
    fn idle(&self, name: &str) -> bool {
        let inside = match self.accesses {
            Accesses::Outside(o) => self.events <= o.events,
            Accesses::Inside => true,
            Accesses::Unknown => false,
        };
        inside && name.starts_with(outside::SITE)
    }
}

impl Observer for Recorder<'_> {
    fn input(&mut self, site: Site, value: &Const, origin: Origin) {
        self.events += 1;
        let Some(&proc) = self.stack.last() else { return };
        let name = self.program.sites[site].name.clone();
        if self.idle(&name) {
            return;
        }
        self.add(proc, origin, Change { name, value: show(value), input: true, local: false });
    }

    fn write(&mut self, proc: Proc, place: Place, index: Option<u128>, value: &Const, origin: Origin) {
        self.events += 1;
        let (name, local) = match place {
            Place::Global(var) => (&self.program.vars[var].name, false),
            Place::Local(slot) => (&self.program.procs[proc].slots[slot].name, true),
        };
        let name = match index {
            Some(i) => format!("{name}[{i}]"),
            None => name.clone(),
        };
        self.add(proc, origin, Change { name, value: show(value), input: false, local });
    }

    fn branch(&mut self, _: Proc, _: Block, _: usize, _: Origin) {
        self.events += 1;
    }

    fn enter(&mut self, proc: Proc, _: Origin) {
        self.stack.push(proc);
    }

    fn leave(&mut self, _: Proc) {
        self.stack.pop();
    }
}

/// A value as people read it: signed, with the unsigned reading beside it where they differ.
pub fn show(value: &Const) -> String {
    match value {
        Const::Bool(b) => b.to_string(),
        Const::Bv { width, bits } => {
            let signed = syncline_ir::consts::sign_extend(*width, *bits);
            if signed < 0 {
                format!("{signed} ({bits:#x})")
            } else {
                bits.to_string()
            }
        }
        Const::Float { format: FloatFormat::F32, bits } => f32::from_bits(*bits as u32).to_string(),
        Const::Float { format: FloatFormat::F64, bits } => f64::from_bits(*bits as u64).to_string(),
        Const::Float { format: FloatFormat::X87, bits } => format!("x87 {bits:#x}"),
        Const::Array(array) => {
            let cells: Vec<String> = array.cells().take(8).map(|(i, c)| format!("[{i}] = {}", show(c))).collect();
            let more = if array.cell_count() > 8 { ", ..." } else { "" };
            format!("{{{}{more}}} else {}", cells.join(", "), show(array.default_cell()))
        }
    }
}
