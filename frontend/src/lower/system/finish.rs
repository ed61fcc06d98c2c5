//! The system itself, when all functions are lowered: shared variables, choices, races, what is refused.

use super::{turns, Plan};
use crate::hir::{Loc, Obj};
use crate::lower::build::FnLower;
use crate::lower::memory;
use crate::lower::place::HomeKind;
use crate::lower::Lower;
use crate::points::CellUnit;
use rustc_hash::{FxHashMap, FxHashSet};
use syncline_ir::analysis::system::{accesses, Accesses};
use syncline_ir::analysis::CallGraph;
use syncline_ir::program::choice_width;
use syncline_ir::{
    Const, Initial, InstData, Origin, OriginData, Place, Proc, Process, Prop, PropData, PropKind, SharedVar, SiteData,
    Stability, StabilityAsk, System, TimeModel, Type, Var, VarData, WriteKind,
};

/// Cells of an array that several processes may write: each has a choice of its own at every step boundary.
const MAX_CELLS: u64 = 64;

/// Makes the variables that statements of processes write, before they are lowered.
pub(in crate::lower) fn declare(cx: &mut Lower<'_>) {
    let Some(mut plan) = cx.plan.take() else { return };
    for process in plan.processes.iter_mut().filter(|p| p.parent.is_some()) {
        let name = format!("{}.control", cx.unit.functions[process.func].name);
        process.control = Some(variable(cx, name, Type::bv(2), process.loc));
    }
    if plan.time() == TimeModel::Asynchronous {
        if let Some(loc) = plan.processes.first().map(|p| p.loc) {
            plan.moved = Some(variable(cx, "a process moves".into(), Type::BOOL, loc));
        }
    }
    cx.faults.append(&mut plan.faults);
    cx.plan = Some(plan);
}

fn variable(cx: &mut Lower<'_>, name: String, ty: Type, loc: Loc) -> Var {
    let name = cx.var_names.claim(name);
    let origin = cx.origin(loc);
    cx.program.vars.push(VarData { name, ty, init: Initial::Const(Const::zero(ty)), origin })
}

impl FnLower<'_, '_> {
    /// Refuses a process that never ends a step.
    pub fn check_turns(&mut self) {
        if self.words.role == super::Role::Process {
            for (origin, words) in turns::endless(&self.proc, &self.words.atomic) {
                let loc = place(self.cx, origin);
                self.cx.fault(loc, words);
            }
        }
    }
}

fn place(cx: &Lower<'_>, origin: Origin) -> Loc {
    match cx.program.origins[origin] {
        OriginData::Source { file, line, column } => Loc { file, line, column },
        OriginData::None | OriginData::Element(_) => Loc::default(),
    }
}

/// Makes the program a system, after all its functions.
pub(in crate::lower) fn finish(cx: &mut Lower<'_>) {
    let Some(plan) = cx.plan.take() else { return };
    if plan.processes.is_empty() {
        let loc = plan.environment.map(|(_, loc)| loc).or(plan.registered.iter().min().copied());
        cx.fault(loc.unwrap_or_default(), "a system without a process: register one with `sync(p)`");
        return;
    }
    refuse_calls(cx, &plan);
    let observer = observer(cx, &plan);
    let processes = plan.processes.iter().map(|p| Process {
        name: cx.unit.functions[p.func].name.clone(),
        body: cx.procs[&p.func],
        parent: p.parent,
        control: p.control,
        silent: false,
    });
    let processes = processes.collect();
    let (shared, lengths) = shared(cx);
    let mut system = System {
        processes,
        environment: plan.environment.map(|(func, _)| cx.procs[&func]),
        observer,
        shared,
        time: plan.time(),
        stability: None,
    };
    refuse_endless(cx, &system);
    let accesses = accesses(&cx.program, &system);
    for n in 0..system.shared.len() {
        let var = system.shared[n].var;
        choose(cx, &mut system, n, writers(&accesses, var), lengths.get(&var).copied());
        race(cx, &mut system, n, &accesses);
    }
    stability(cx, &mut system, &plan);
    cx.program.system = Some(system);
}

fn writers(accesses: &[Accesses], var: Var) -> usize {
    accesses.iter().filter(|a| a.writes.contains(var)).count()
}

/// A process is no function to call: its steps would have no place.
fn refuse_calls(cx: &mut Lower<'_>, plan: &Plan<'_>) {
    let bodies: FxHashMap<Proc, &str> =
        plan.processes.iter().map(|p| (cx.procs[&p.func], cx.unit.functions[p.func].name.as_str())).collect();
    let mut found = Vec::new();
    for procedure in cx.program.procs.values() {
        for &inst in procedure.layout.iter().flat_map(|&b| &procedure.blocks[b].insts) {
            if let InstData::Call { callee, .. } = &procedure.insts[inst].data {
                if let Some(name) = bodies.get(callee) {
                    found.push((procedure.insts[inst].origin, format!("the process `{name}` is called as a function")));
                }
            }
        }
    }
    for (origin, words) in found {
        let loc = place(cx, origin);
        cx.fault(loc, words);
    }
}

/// A function that a process or the environment calls and that cannot end.
fn refuse_endless(cx: &mut Lower<'_>, system: &System) {
    let calls = CallGraph::compute(&cx.program);
    let bodies: FxHashSet<Proc> = system.processes.iter().map(|p| p.body).collect();
    let roots = bodies.iter().copied().chain(system.environment).chain(system.observer);
    let helpers = calls.reachable(roots);
    let stuck = |proc: &Proc| !bodies.contains(proc) && !turns::ends(&cx.program.procs[*proc]);
    let found: Vec<Origin> = helpers.iter().filter(stuck).map(|p| cx.program.procs[p].origin).collect();
    for origin in found {
        let loc = place(cx, origin);
        cx.fault(loc, "this function never ends, so neither does the step that calls it");
    }
}

/// What `always` asks for, as one procedure.
fn observer(cx: &mut Lower<'_>, plan: &Plan<'_>) -> Option<Proc> {
    let (loc, _) = *plan.always.first()?;
    let name = cx.names.claim("always".into());
    let mut f = FnLower::new(cx, &name, loc);
    for &(loc, expr) in &plan.always {
        let Some((_, [holds, text])) = super::call_of(f.cx.unit, expr) else { continue };
        let cond = f.condition(holds);
        f.set_loc(loc);
        let text = f.text_of(text).unwrap_or_else(|| "always".into());
        f.assert(PropKind::Assertion, cond, text, loc);
    }
    f.finish_procedure(&name);
    let proc = f.proc;
    Some(cx.program.procs.push(proc))
}

/// The objects with static storage, each with its variables; and the lengths of arrays.
fn shared(cx: &mut Lower<'_>) -> (Vec<SharedVar>, FxHashMap<Var, u64>) {
    let mut objects: Vec<Obj> = cx.homes.keys().copied().collect();
    objects.sort_unstable();
    let (mut found, mut lengths) = (Vec::new(), FxHashMap::default());
    for obj in objects {
        let object = &cx.unit.objects[obj];
        let (name, loc) = (&object.name, object.loc);
        if cx.in_memory(obj) {
            let words = format!("the address of the shared variable `{name}` is taken");
            cx.fault(loc, format!("{words}: a write through a pointer would have no owner"));
            continue;
        }
        let write = if object.blocking { WriteKind::Blocking } else { WriteKind::Next };
        let places = match cx.homes[&obj].kind.clone() {
            HomeKind::Scalar(place) => vec![place],
            HomeKind::Array { place, len } => {
                if let Place::Global(var) = place {
                    lengths.insert(var, len);
                }
                vec![place]
            }
            HomeKind::Region(region) => {
                if overlaps(cx, obj) {
                    let words = format!("the shared variable `{name}` is a union, or is accessed in overlapping parts");
                    cx.fault(loc, words);
                }
                region.places()
            }
            HomeKind::Vla { .. } | HomeKind::Moving(_) | HomeKind::Unused | HomeKind::Unmodelled(_) => Vec::new(),
        };
        let vars = places.into_iter().filter_map(|place| match place {
            Place::Global(var) => Some(var),
            Place::Local(_) => None,
        });
        let few = |var: &Var| lengths.get(var).copied().filter(|&length| length <= MAX_CELLS).unwrap_or(0) as u32;
        found.extend(vars.map(|var| SharedVar { var, write, choice: None, cells: few(&var), race: None }));
    }
    found.sort_by_key(|s| s.var);
    found.dedup_by_key(|s| s.var);
    (found, lengths)
}

fn overlaps(cx: &Lower<'_>, obj: Obj) -> bool {
    let data = cx.points.object(obj).map(|node| cx.points.graph.data(node));
    data.is_some_and(|data| memory::cells(data).iter().any(|(_, cell)| cell.unit == CellUnit::Bytes))
}

/// Says who wins where several processes may write.
fn choose(cx: &mut Lower<'_>, system: &mut System, n: usize, writers: usize, length: Option<u64>) {
    let shared = system.shared[n];
    if writers < 2 || shared.write == WriteKind::Blocking {
        return;
    }
    let VarData { name, ty, origin, .. } = cx.program.vars[shared.var].clone();
    if ty.is_array() && shared.cells == 0 {
        let reason = match length {
            Some(_) => {
                let words = format!("which several processes write and which has more than {MAX_CELLS} cells");
                format!("a write to the array `{name}`, {words}")
            }
            None => format!("a write to `{name}`, in an array of records that several processes write"),
        };
        return give_up(cx, system, shared.var, reason);
    }
    let site = SiteData { name: format!("{name}: whose value counts"), ty: Type::bv(choice_width(system)), origin };
    system.shared[n].choice = Some(cx.program.sites.push(site));
}

/// Writes to cells of many owners are not modelled.
fn give_up(cx: &mut Lower<'_>, system: &System, var: Var, reason: String) {
    let calls = CallGraph::compute(&cx.program);
    let procs: Vec<Proc> = calls.reachable(system.processes.iter().map(|p| p.body)).iter().collect();
    for proc in procs {
        let procedure = &mut cx.program.procs[proc];
        for n in 0..procedure.layout.len() {
            let block = procedure.layout[n];
            for k in 0..procedure.blocks[block].insts.len() {
                let inst = procedure.blocks[block].insts[k];
                let node = &mut procedure.insts[inst];
                if let InstData::Write { place: Place::Global(to), .. }
                | InstData::Store { place: Place::Global(to), .. } = node.data
                {
                    if to == var {
                        let (reason, origin) = (reason.clone(), node.origin);
                        let obligation = syncline_ir::ObligationData { reason, origin };
                        node.data = InstData::Unsupported { obligation: cx.program.obligations.push(obligation) };
                    }
                }
            }
        }
    }
}

/// A property for each variable that some process writes.
fn race(cx: &mut Lower<'_>, system: &mut System, n: usize, accesses: &[Accesses]) {
    let shared = system.shared[n];
    if !cx.checks(PropKind::Race) || writers(accesses, shared.var) == 0 {
        return;
    }
    let VarData { name, origin, .. } = cx.program.vars[shared.var].clone();
    let description = match shared.write {
        WriteKind::Next => format!("no two processes write different values to {name} in one step"),
        WriteKind::Blocking => format!("no process accesses {name} in a step in which another one writes it"),
    };
    system.shared[n].race = Some(property(cx, &name, PropKind::Race, description, origin));
}

fn property(cx: &mut Lower<'_>, owner: &str, kind: PropKind, description: String, origin: Origin) -> Prop {
    let name = format!("{owner}.{}.1", kind.name());
    cx.program.props.push(PropData { name, kind, description, origin })
}

fn stability(cx: &mut Lower<'_>, system: &mut System, plan: &Plan<'_>) {
    if !cx.checks(PropKind::Stability) {
        return;
    }
    let loc = plan.time.map_or(plan.processes[0].loc, |(_, loc)| loc);
    if system.time == TimeModel::Synchronous {
        cx.fault(loc, "stability is a property of asynchronous time: write `sync_time(asynchronous);` in `main`");
        return;
    }
    let origin = cx.origin(loc);
    let text = "the system comes to a stable state again and again".to_string();
    let prop = property(cx, "system", PropKind::Stability, text, origin);
    let site = cx.site("the state that comes again", Type::BOOL, origin);
    system.stability = Some(Stability { prop, ask: StabilityAsk::Lasso(site) });
}
