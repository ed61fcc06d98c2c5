//! Passes keep the meaning of programs: random programs run before and after each pass with the same inputs. And what
//! each pass promises beside that, on random and on hand-made programs.

mod analyses;
mod generator;
mod hand_made;
mod large;

use generator::Rng;
use rustc_hash::FxHashMap;
use syncline_ir::interp::{self, Inputs, Limits, Observer, Outcome};
use syncline_ir::passes::{self, Cut};
use syncline_ir::*;

const SEEDS: u64 = 500;
const FUEL: u64 = 500;

/// Inputs that depend on the site and on how often it was asked, so a pass may drop a `havoc` nobody needs.
struct Scattered {
    seed: u64,
    asked: FxHashMap<Site, u64>,
}

impl Inputs for Scattered {
    fn next(&mut self, site: Site, ty: Type) -> Const {
        let count = self.asked.entry(site).or_default();
        *count += 1;
        let mut rng = Rng::new(self.seed ^ u64::from(site.as_u32()) << 20 ^ *count << 40);
        let cell = match ty {
            Type::Scalar(Scalar::Bool) => return Const::Bool(rng.chance(50)),
            _ => Const::bv(4, rng.below(16) as u128),
        };
        match ty {
            Type::Array { index, .. } => Const::Array(ArrayConst::filled(index, cell)),
            Type::Scalar(_) => cell,
        }
    }
}

#[derive(Default)]
struct Prints(String);

impl Observer for Prints {
    fn print(&mut self, text: &str) {
        self.0.push_str(text);
    }
}

fn execute(program: &Program, seed: u64, fuel: u64, depth: u32) -> (Outcome, String) {
    let mut inputs = Scattered { seed, asked: FxHashMap::default() };
    let mut prints = Prints::default();
    let limits = Limits { fuel, depth, deadline: None };
    (interp::run(program, &mut inputs, &mut prints, limits), prints.0)
}

fn cut_short(run: &(Outcome, String)) -> bool {
    matches!(run.0, Outcome::OutOfFuel | Outcome::StackOverflow)
}

fn check_verified(program: &Program, what: &str) {
    if let Err(violations) = verify::verify(program) {
        panic!("{what}: {}\n{}", violations[0], write::program(program));
    }
}

/// Runs `pass` on random programs prepared by `before`; `same` compares the runs.
fn check_pass(
    name: &str,
    before: &[fn(&mut Program)],
    pass: impl Fn(&mut Program),
    same: impl Fn(&(Outcome, String), &(Outcome, String)) -> bool,
) {
    let mut compared = 0;
    for seed in 0..SEEDS {
        let mut original = generator::program(&mut Rng::new(seed));
        check_verified(&original, "generator");
        before.iter().for_each(|p| p(&mut original));
        let mut changed = original.clone();
        passes::run(&mut changed, name, &pass);
        for inputs in 0..4 {
            // The changed program may take more instructions and one more activation.
            let expected = execute(&original, inputs, FUEL, 40);
            let run = execute(&changed, inputs, 20 * FUEL, 45);
            compared += u64::from(!cut_short(&expected));
            let (old, new) = (write::program(&original), write::program(&changed));
            assert!(same(&expected, &run), "{name}, seed {seed}: {expected:?} became {run:?}\n{old}\n{new}");
        }
    }
    assert!(compared > SEEDS, "{name}: only {compared} runs ended");
}

/// Of a run that was cut short, the output so far counts.
fn equal(a: &(Outcome, String), b: &(Outcome, String)) -> bool {
    if cut_short(a) {
        b.1.starts_with(&a.1)
    } else {
        a == b
    }
}

#[test]
fn ssa_keeps_runs() {
    let no_slots = |p: &mut Program| {
        passes::ssa(p);
        assert!(p.procs.values().all(|proc| proc.slots.is_empty()));
    };
    check_pass("ssa", &[], no_slots, equal);
}

#[test]
fn lift_globals_keeps_runs() {
    let no_globals = |p: &mut Program| {
        passes::lift_globals(p);
        let global = |data: &InstData| match data {
            InstData::Read { place }
            | InstData::Load { place, .. }
            | InstData::Write { place, .. }
            | InstData::Store { place, .. } => matches!(place, Place::Global(_)),
            _ => false,
        };
        for proc in p.procs.values() {
            let mut insts = proc.layout.iter().flat_map(|&b| &proc.blocks[b].insts);
            assert!(!insts.any(|&i| global(&proc.insts[i].data)));
        }
    };
    check_pass("lift-globals", &[], no_globals, equal);
}

#[test]
fn remove_unreachable_procs_keeps_runs() {
    check_pass("remove-unreachable-procs", &[], passes::remove_unreachable_procs, equal);
}

#[test]
fn close_loops_keeps_runs() {
    let closed = |p: &mut Program| {
        passes::close_loops(p);
        p.procs.values().for_each(|proc| passes::check_loop_closed(proc).unwrap());
    };
    check_pass("close-loops", &[], closed, equal);
    check_pass("close-loops", &[passes::lift_globals, passes::ssa], closed, equal);
}

#[test]
fn constprop_keeps_runs() {
    check_pass("constprop", &[], passes::constprop, equal);
    check_pass("constprop", &[passes::lift_globals, passes::ssa], passes::constprop, equal);
}

#[test]
fn dce_keeps_runs() {
    check_pass("dce", &[], passes::dce, equal);
    check_pass("dce", &[passes::lift_globals, passes::ssa], passes::dce, equal);
}

#[test]
fn simplify_cfg_keeps_runs() {
    check_pass("simplify-cfg", &[], passes::simplify_cfg, equal);
    check_pass("simplify-cfg", &[passes::lift_globals, passes::ssa, passes::constprop], passes::simplify_cfg, equal);
}

/// The same verdict on the first and third property.
fn same_verdict(a: &(Outcome, String), b: &(Outcome, String)) -> bool {
    let verdict = |outcome: &Outcome| match outcome {
        Outcome::Violated(prop) if prop.as_u32() != 1 => Some(outcome.clone()),
        Outcome::Unsupported(_) => Some(outcome.clone()),
        _ => None,
    };
    cut_short(a) || verdict(&a.0) == verdict(&b.0)
}

#[test]
fn slice_keeps_verdicts() {
    let wanted = [Prop::from_u32(0), Prop::from_u32(2)];
    let sliced = |p: &mut Program| passes::slice(p, &wanted);
    check_pass("slice", &[], sliced, same_verdict);
    check_pass("slice", &[passes::lift_globals, passes::ssa], sliced, same_verdict);
}

#[test]
fn prepare_keeps_verdicts() {
    let wanted = [Prop::from_u32(0), Prop::from_u32(2)];
    check_pass("prepare", &[], |p| passes::prepare(p, &wanted), same_verdict);
}

#[test]
fn unroll_cuts_runs_or_keeps_them() {
    for bound in 0..3 {
        let unrolled = |p: &mut Program| {
            passes::unroll(p, bound, Cut::Stop);
            assert!(p.procs.values().all(|proc| analysis::LoopNest::compute(proc).loops.is_empty()));
        };
        let cut = |a: &(Outcome, String), b: &(Outcome, String)| match b.0 {
            Outcome::Stopped => cut_short(a) || a.1.starts_with(&b.1),
            _ => equal(a, b),
        };
        check_pass("unroll", &[], unrolled, cut);
        let to_obligation = |p: &mut Program| passes::unroll(p, bound, Cut::Unsupported);
        let cut = |a: &(Outcome, String), b: &(Outcome, String)| match b.0 {
            Outcome::Unsupported(o) if o.as_u32() > 0 => cut_short(a) || a.1.starts_with(&b.1),
            _ => equal(a, b),
        };
        check_pass("unroll", &[passes::ssa], to_obligation, cut);
    }
}

#[test]
fn passes_have_names() {
    let mut program = generator::program(&mut Rng::new(7));
    for name in passes::NAMES {
        let name = if name == "unroll" { "unroll=2" } else { name };
        passes::run_by_name(&mut program, name).unwrap();
    }
    assert!(passes::run_by_name(&mut program, "slice=main.assertion.1").is_ok());
    assert!(passes::run_by_name(&mut program, "slice=nothing").is_err());
    assert!(passes::run_by_name(&mut program, "unroll=x").is_err());
    assert!(passes::run_by_name(&mut program, "nonsense").is_err());
}
