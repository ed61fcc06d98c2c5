//! Transformations from IR to IR. Each keeps the origins of what it keeps and the sites of unknown values, so traces
//! name the source; each takes any well-formed program and gives one (see [`crate::verify`]).
//!
//! A run of the result violates the same property, prints the same and ends the same way as the run of the original
//! on the same inputs, with the exceptions each pass names: `slice` looks at some properties only, `unroll` cuts long
//! runs. [`prepare`] is the order in which engines want them.

mod close_loops;
mod constprop;
mod dce;
mod edit;
mod lift_globals;
pub mod probe;
pub mod sequentialise;
mod simplify_cfg;
mod slice;
mod ssa;
mod unroll;

pub use close_loops::{check_loop_closed, close_loops};
pub use constprop::constprop;
pub use dce::dce;
pub use lift_globals::lift_globals;
pub use simplify_cfg::simplify_cfg;
pub use slice::slice;
pub use ssa::ssa;
pub use unroll::{unroll, Cut};

use crate::analysis::callgraph::roots;
use crate::analysis::CallGraph;
use crate::entities::{Proc, Prop};
use crate::inst::InstData;
use crate::program::Program;
use cranelift_entity::{PrimaryMap, SecondaryMap};

/// The passes [`run_by_name`] knows. `slice` and `slice=NAME` keep all properties or one, `unroll=N` stops runs past
/// the bound.
pub const NAMES: [&str; 11] = [
    "sequentialise",
    "remove-unreachable-procs",
    "slice",
    "lift-globals",
    "ssa",
    "constprop",
    "dce",
    "simplify-cfg",
    "close-loops",
    "unroll",
    "prepare",
];

/// Runs a pass; in debug builds the result is verified, and a violation panics under the pass's name.
pub fn run(program: &mut Program, name: &str, pass: impl FnOnce(&mut Program)) {
    pass(program);
    #[cfg(debug_assertions)]
    if let Err(violations) = crate::verify::verify(program) {
        let list: Vec<String> = violations.iter().take(10).map(|v| v.to_string()).collect();
        panic!("pass {name} broke the program:\n{}", list.join("\n"));
    }
    #[cfg(not(debug_assertions))]
    let _ = name;
}

/// The form engines work on, cut down to these properties: every procedure a relation over values in loop-closed SSA.
pub fn prepare(program: &mut Program, props: &[Prop]) {
    run(program, "remove-unreachable-procs", remove_unreachable_procs);
    run(program, "slice", |p| slice(p, props));
    run(program, "lift-globals", lift_globals);
    run(program, "ssa", ssa);
    run(program, "constprop", constprop);
    // Constants have decided branches and asserts, so there is more to cut.
    run(program, "slice", |p| slice(p, props));
    run(program, "simplify-cfg", simplify_cfg);
    run(program, "dce", dce);
    run(program, "remove-unreachable-procs", remove_unreachable_procs);
    run(program, "close-loops", close_loops);
    debug_assert_eq!(program.procs.values().try_for_each(check_loop_closed), Ok(()));
}

/// Runs a pass given by its name, one of [`NAMES`].
pub fn run_by_name(program: &mut Program, name: &str) -> Result<(), String> {
    let (pass, option) = name.split_once('=').map_or((name, None), |(pass, option)| (pass, Some(option)));
    match (pass, option) {
        ("sequentialise", None) => {
            if let Some(sequential) = sequentialise::sequentialise(program) {
                *program = sequential.program;
            }
        }
        ("remove-unreachable-procs", None) => run(program, name, remove_unreachable_procs),
        ("lift-globals", None) => run(program, name, lift_globals),
        ("ssa", None) => run(program, name, ssa),
        ("constprop", None) => run(program, name, constprop),
        ("dce", None) => run(program, name, dce),
        ("simplify-cfg", None) => run(program, name, simplify_cfg),
        ("close-loops", None) => run(program, name, close_loops),
        ("slice", prop) => {
            let props = named_props(program, prop)?;
            run(program, name, |p| slice(p, &props));
        }
        ("prepare", prop) => {
            let props = named_props(program, prop)?;
            prepare(program, &props);
        }
        ("unroll", Some(bound)) => {
            let bound = bound.parse().map_err(|_| format!("`{bound}` is not a bound for unroll"))?;
            run(program, name, |p| unroll(p, bound, Cut::Stop));
        }
        _ => return Err(format!("there is no pass `{name}`; the passes are {}", NAMES.join(", "))),
    }
    Ok(())
}

/// The property of this name, or all.
fn named_props(program: &Program, name: Option<&str>) -> Result<Vec<Prop>, String> {
    let Some(name) = name else { return Ok(program.props.keys().collect()) };
    let found = program.props.iter().find(|(_, p)| p.name == name).map(|(id, _)| vec![id]);
    found.ok_or_else(|| format!("there is no property `{name}`"))
}

/// Removes the procedures no run enters, and renumbers the others. A library (nothing starts a run) keeps all.
pub fn remove_unreachable_procs(program: &mut Program) {
    let roots = roots(program);
    let reached = CallGraph::compute(program).reachable(roots.iter().copied());
    if roots.is_empty() || program.procs.keys().all(|p| reached.contains(p)) {
        return;
    }
    let mut renumbered: SecondaryMap<Proc, Option<Proc>> = SecondaryMap::new();
    let mut procs = PrimaryMap::new();
    for (id, proc) in std::mem::take(&mut program.procs) {
        if reached.contains(id) {
            renumbered[id] = Some(procs.push(proc));
        }
    }
    let renumber = |id: &mut Proc| *id = renumbered[*id].unwrap_or(*id);
    for proc in procs.values_mut() {
        for &block in &proc.layout {
            for &inst in &proc.blocks[block].insts {
                if let InstData::Call { callee, .. } = &mut proc.insts[inst].data {
                    renumber(callee);
                }
            }
        }
    }
    program.procs = procs;
    program.entry.iter_mut().for_each(renumber);
    if let Some(system) = &mut program.system {
        system.processes.iter_mut().for_each(|p| renumber(&mut p.body));
        system.environment.iter_mut().chain(&mut system.observer).for_each(renumber);
    }
}
