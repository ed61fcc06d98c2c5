//! Runs a synchronous system: this says what one means (`docs/synchronous-c.md` says it in words).
//!
//! The program's entry runs first, as in a sequential program. Then come steps, each of them:
//!
//! 1. In synchronous time, in the first step, and after a step in which no process fired: the environment runs. What
//!    it writes shows at once.
//! 2. Every active process, in order, runs on from its location to its next `step`, or to its end. What it writes to a
//!    [`WriteKind::Next`] variable goes to a pending value of its own; what it reads there is the variable. All other
//!    variables are read and written at once. Its slots last from step to step. It *fires* if it ends the step at another
//!    location, ends, or writes any variable of the program, unless it is silent.
//! 3. The boundary. Races are looked for; each variable gets the pending value of one of the processes that have one,
//!    by an input of its own; processes are stopped and started; stability is looked at; the observer runs.
//!
//! The observer also runs before the first step. A run goes on for ever, unless there is neither a process nor an
//! environment left, or something ends it: a violation, `stop`, an assumption, an obligation.
//!
//! Values do not last beyond a step (the verifier sees to it), so the slots and the location are a process's state.

use super::array::Array;
use super::machine::{Machine, Raw};
use super::{Boundary, Outcome};
use crate::analysis::system::first_location;
use crate::consts::Const;
use crate::entities::{Block, Proc, Prop, Var};
use crate::eval;
use crate::program::{choice_width, StabilityAsk, System, TimeModel, WriteKind, START, STOP};
use crate::types::Type;
use cranelift_entity::EntityRef;

/// What has happened in the step so far.
pub(super) struct StepState<'a> {
    system: &'a System,
    /// For each variable its place among the shared ones.
    shared: Vec<Option<usize>>,
    /// Whose turn it is; `None` for the environment, the observer and the entry.
    turn: Option<usize>,
    fired: bool,
    /// For each shared variable who has written it, in order, and the last value.
    pending: Vec<Vec<(usize, Raw)>>,
    /// For each shared variable the processes that have accessed it at once in this step.
    readers: Vec<Vec<usize>>,
    writers: Vec<Vec<usize>>,
}

impl<'a> StepState<'a> {
    fn new(system: &'a System, vars: usize) -> StepState<'a> {
        let mut shared = vec![None; vars];
        for (n, s) in system.shared.iter().enumerate() {
            shared[s.var.index()] = Some(n);
        }
        let count = system.shared.len();
        StepState {
            system,
            shared,
            turn: None,
            fired: false,
            pending: vec![Vec::new(); count],
            readers: vec![Vec::new(); count],
            writers: vec![Vec::new(); count],
        }
    }

    fn begin(&mut self) {
        self.fired = false;
        self.pending.iter_mut().for_each(Vec::clear);
        self.readers.iter_mut().for_each(Vec::clear);
        self.writers.iter_mut().for_each(Vec::clear);
    }

    /// A process accesses a blocking variable: the race this is, if it is one.
    fn access(&mut self, process: usize, n: usize, write: bool) -> Option<Prop> {
        let others = |list: &[usize]| list.iter().any(|&p| p != process);
        let race = others(&self.writers[n]) || (write && others(&self.readers[n]));
        let list = if write { &mut self.writers[n] } else { &mut self.readers[n] };
        list.push(process);
        self.system.shared[n].race.filter(|_| race)
    }
}

/// A process between two steps.
#[derive(Clone)]
struct Saved {
    /// Where its next step begins; `None` if it is not active.
    at: Option<Location>,
    scalars: Vec<u128>,
    arrays: Vec<Array>,
}

#[derive(Copy, Clone, PartialEq)]
enum Location {
    /// It has not begun: its slots are zero.
    Start,
    Block(Block),
}

/// What has been seen of stability.
#[derive(Default)]
struct Watch {
    /// Steps since the last one in which no process fired.
    busy: u64,
    saved: Option<Vec<Const>>,
}

impl<'a> Machine<'a> {
    pub(super) fn run_system(mut self, system: &'a System, entry: Proc) -> Outcome {
        self.initialise();
        self.step = Some(Box::new(StepState::new(system, self.program.vars.len())));
        match self.call_root(entry) {
            Outcome::Returned(_) => {}
            other => return other,
        }
        let active = |control: Option<Var>| control.is_none().then_some(Location::Start);
        let fresh = |p: &crate::program::Process| Saved { at: active(p.control), scalars: vec![], arrays: vec![] };
        let mut processes: Vec<Saved> = system.processes.iter().map(fresh).collect();
        if let Some(outcome) = self.observe(system) {
            return outcome;
        }
        let mut watch = Watch::default();
        let mut quiet = true;
        for step in 1.. {
            if system.environment.is_none() && processes.iter().all(|p| p.at.is_none()) {
                break;
            }
            if let Some(outcome) = self.step(system, &mut processes, quiet) {
                return outcome;
            }
            quiet = !self.state().fired;
            if let Some(outcome) = self.boundary(system, &mut processes) {
                return outcome;
            }
            self.report(system, &processes, step);
            if let Some(outcome) = self.stability(system, &processes, &mut watch) {
                return outcome;
            }
            if let Some(outcome) = self.observe(system) {
                return outcome;
            }
        }
        Outcome::Returned(Vec::new())
    }

    fn state(&mut self) -> &mut StepState<'a> {
        self.step.as_mut().expect("a system has a step")
    }

    /// Runs the environment or the observer.
    fn run_aside(&mut self, proc: Option<Proc>) -> Option<Outcome> {
        self.state().turn = None;
        match self.call_root(proc?) {
            Outcome::Returned(_) => None,
            other => Some(other),
        }
    }

    fn observe(&mut self, system: &System) -> Option<Outcome> {
        self.run_aside(system.observer)
    }

    /// Inputs and turns.
    fn step(&mut self, system: &System, processes: &mut [Saved], quiet: bool) -> Option<Outcome> {
        self.state().begin();
        if system.time == TimeModel::Synchronous || quiet {
            if let Some(outcome) = self.run_aside(system.environment) {
                return Some(outcome);
            }
        }
        for (n, saved) in processes.iter_mut().enumerate() {
            if let Some(outcome) = self.turn(n, system.processes[n].body, saved) {
                return Some(outcome);
            }
        }
        None
    }

    fn turn(&mut self, n: usize, body: Proc, saved: &mut Saved) -> Option<Outcome> {
        let at = saved.at?;
        self.state().turn = Some(n);
        let silent = self.state().system.processes[n].silent;
        let procedure = &self.program.procs[body];
        let from = match at {
            Location::Start => {
                if !self.begin(body) {
                    return Some(Outcome::StackOverflow);
                }
                first_location(procedure)
            }
            Location::Block(block) => {
                self.resume(body, block, saved);
                block
            }
        };
        let outcome = self.execute();
        std::mem::swap(&mut self.scalars, &mut saved.scalars);
        std::mem::swap(&mut self.arrays, &mut saved.arrays);
        match outcome {
            None => {
                let to = self.code.block_at(self.pc);
                saved.at = Some(Location::Block(to));
                self.state().fired |= to != from && !silent;
                None
            }
            Some(Outcome::Returned(_)) => {
                saved.at = None;
                self.state().fired |= !silent;
                None
            }
            other => other,
        }
    }

    /// Goes on where a step has ended.
    fn resume(&mut self, body: Proc, block: Block, saved: &mut Saved) {
        if self.watched {
            self.observer.enter(body, self.program.procs[body].origin);
        }
        std::mem::swap(&mut self.scalars, &mut saved.scalars);
        std::mem::swap(&mut self.arrays, &mut saved.arrays);
        (self.proc, self.code) = (body, self.codes.get(body));
        (self.base, self.array_base) = (0, 0);
        let start = self.code.starts.iter().find(|(_, b)| *b == block);
        self.pc = start.expect("a location is a block").0 as usize;
    }

    /// A variable is accessed: the race this is, if a property asks for it.
    #[inline]
    pub(super) fn touch(&mut self, var: Var, write: bool) -> Option<Outcome> {
        let state = self.step.as_mut()?;
        let turn = state.turn?;
        state.fired |= write && !state.system.processes[turn].silent;
        let n = state.shared[var.index()]?;
        if state.system.shared[n].write == WriteKind::Next {
            return None;
        }
        state.access(turn, n, write).map(Outcome::Violated)
    }

    /// The running process's pending value of a variable that is written at the boundary.
    #[inline]
    pub(super) fn pending(&mut self, var: Var) -> Option<&mut Raw> {
        let state = self.step.as_mut()?;
        let turn = state.turn?;
        let n = state.shared[var.index()]?;
        if state.system.shared[n].write == WriteKind::Blocking {
            return None;
        }
        let written = &mut state.pending[n];
        if written.last().is_none_or(|(process, _)| *process != turn) {
            let start = match self.program.vars[var].ty {
                Type::Scalar(_) => Raw::Scalar(0),
                Type::Array { .. } => Raw::Array(self.global_arrays[var.index()].clone()),
            };
            written.push((turn, start));
        }
        written.last_mut().map(|(_, value)| value)
    }

    fn boundary(&mut self, system: &System, processes: &mut [Saved]) -> Option<Outcome> {
        self.state().turn = None;
        for n in 0..system.shared.len() {
            if let Some(prop) = system.shared[n].race.filter(|_| differ(&self.state().pending[n])) {
                return Some(Outcome::Violated(prop));
            }
        }
        for n in 0..system.shared.len() {
            if let Some(outcome) = self.update(system, n) {
                return Some(outcome);
            }
        }
        self.control(system, processes);
        None
    }

    /// A shared variable gets one of the values written to it.
    fn update(&mut self, system: &System, n: usize) -> Option<Outcome> {
        let shared = system.shared[n];
        let winner = shared.choice.map(|site| {
            let ty = Type::bv(choice_width(system));
            match self.input(site, ty, self.program.sites[site].origin) {
                Raw::Scalar(bits) => bits,
                Raw::Array(_) => 0,
            }
        });
        let written = std::mem::take(&mut self.state().pending[n]);
        if written.len() > 1 && winner.is_none() {
            return Some(Outcome::NotRunnable("two processes write a variable that has no choice"));
        }
        let place = written.iter().position(|(process, _)| Some(*process as u128) == winner).unwrap_or(0);
        match written.into_iter().nth(place) {
            Some((_, Raw::Scalar(bits))) => self.globals[shared.var.index()] = bits,
            Some((_, Raw::Array(array))) => self.global_arrays[shared.var.index()] = array,
            None => {}
        }
        None
    }

    /// Starts and stops processes. What a process has started goes when it is stopped or started anew.
    fn control(&mut self, system: &System, processes: &mut [Saved]) {
        let order = |n: usize, globals: &[u128]| system.processes[n].control.map_or(0, |v| globals[v.index()]);
        let mut gone = vec![false; processes.len()];
        for (n, gone) in gone.iter_mut().enumerate() {
            let mut up = system.processes[n].parent;
            let mut dies = order(n, &self.globals) == STOP;
            while let Some(parent) = up {
                dies |= matches!(order(parent as usize, &self.globals), START | STOP);
                up = system.processes[parent as usize].parent;
            }
            *gone = dies;
        }
        for (n, saved) in processes.iter_mut().enumerate() {
            if gone[n] {
                saved.at = None;
            } else if order(n, &self.globals) == START {
                saved.at = Some(Location::Start);
            }
        }
        for var in system.processes.iter().filter_map(|p| p.control) {
            self.globals[var.index()] = 0;
        }
    }

    fn stability(&mut self, system: &System, processes: &[Saved], watch: &mut Watch) -> Option<Outcome> {
        let stability = system.stability?;
        watch.busy = if self.state().fired { watch.busy + 1 } else { 0 };
        match stability.ask {
            StabilityAsk::Bound(bound) => (watch.busy > u64::from(bound)).then_some(Outcome::Violated(stability.prop)),
            StabilityAsk::Lasso(site) => {
                if watch.busy == 0 {
                    watch.saved = None;
                }
                let now = self.whole_state(system, processes);
                if watch.saved.as_ref() == Some(&now) {
                    return Some(Outcome::Violated(stability.prop));
                }
                let save = self.input(site, Type::BOOL, self.program.sites[site].origin);
                if watch.saved.is_none() && watch.busy > 0 && matches!(save, Raw::Scalar(1)) {
                    watch.saved = Some(now);
                }
                None
            }
        }
    }

    /// The variables, and location and slots of every process that is active.
    fn whole_state(&self, system: &System, processes: &[Saved]) -> Vec<Const> {
        let mut state: Vec<Const> = self.program.vars.keys().map(|var| self.value_of(var)).collect();
        for (n, saved) in processes.iter().enumerate() {
            let procedure = &self.program.procs[system.processes[n].body];
            let code = self.codes.get(system.processes[n].body);
            let place = match saved.at {
                None => u128::from(u32::MAX),
                Some(Location::Start) => u128::from(first_location(procedure).as_u32()),
                Some(Location::Block(block)) => u128::from(block.as_u32()),
            };
            state.push(Const::bv(32, place));
            let begun = matches!(saved.at, Some(Location::Block(_)));
            for (slot, data) in procedure.slots.iter() {
                state.push(match (begun, data.ty) {
                    (false, ty) => Const::zero(ty),
                    (true, Type::Scalar(ty)) => eval::from_bits(ty, saved.scalars[code.slot_register(slot)]),
                    (true, Type::Array { index, elem }) => {
                        Const::Array(saved.arrays[code.slot_register(slot)].to_const(index, elem))
                    }
                });
            }
        }
        state
    }

    fn value_of(&self, var: Var) -> Const {
        match self.program.vars[var].ty {
            Type::Scalar(ty) => eval::from_bits(ty, self.globals[var.index()]),
            Type::Array { index, elem } => Const::Array(self.global_arrays[var.index()].to_const(index, elem)),
        }
    }

    fn report(&mut self, system: &System, processes: &[Saved], step: u64) {
        if !self.watched {
            return;
        }
        let block = |(saved, process): (&Saved, &crate::program::Process)| match saved.at? {
            Location::Start => Some(first_location(&self.program.procs[process.body])),
            Location::Block(block) => Some(block),
        };
        let locations = processes.iter().zip(&system.processes).map(block).collect();
        let shared = system.shared.iter().map(|s| self.value_of(s.var)).collect();
        let fired = self.state().fired;
        self.observer.boundary(&Boundary { step, locations, shared, fired });
    }
}

/// Whether processes have written different values.
fn differ(written: &[(usize, Raw)]) -> bool {
    let bits = |raw: &Raw| match raw {
        Raw::Scalar(bits) => Some(*bits),
        Raw::Array(_) => None,
    };
    written.windows(2).any(|pair| bits(&pair[0].1) != bits(&pair[1].1))
}
