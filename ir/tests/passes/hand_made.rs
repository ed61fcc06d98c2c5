//! What passes make of small programs.

use syncline_ir::analysis::{CallGraph, LoopNest};
use syncline_ir::interp::{self, Limits, NoObserver, Outcome, ZeroInputs};
use syncline_ir::passes::{self, Cut};
use syncline_ir::*;

const HEAD: &str = "
prop0 = assertion \"main.assertion.0\" \"\"
prop1 = assertion \"main.assertion.1\" \"\"
obligation0 = \"not modelled\"
in0 = site \"x\": bv8
var @a: bv8 = bv8 3
var @b: bv8 = any in0
entry main
";

fn read(body: &str) -> Program {
    let program = read::program(&format!("{HEAD}{body}")).unwrap();
    assert_eq!(verify::verify(&program), Ok(()));
    program
}

fn text(program: &Program, name: &str) -> String {
    let proc = program.procs.values().find(|p| p.name == name).unwrap();
    write::procedure(program, proc)
}

fn apply(program: &mut Program, names: &[&str]) {
    names.iter().for_each(|name| passes::run_by_name(program, name).unwrap());
}

fn outcome(program: &Program) -> Outcome {
    interp::run(program, &mut ZeroInputs, &mut NoObserver, Limits::default())
}

/// Counts to 3 in a slot.
const COUNT: &str = "
proc main -> bv8 {
    slot0 = slot \"i\": bv8
block0:
    v0 = const bv8 1
    jump block1
block1:
    v1: bv8 = read slot0
    v2 = const bv8 3
    v3: bool = ult v1, v2
    branch v3, block2, block3
block2:
    v4: bv8 = add v1, v0
    write slot0, v4
    jump block1
block3:
    v5: bv8 = read slot0
    return v5
}
";

#[test]
fn ssa_makes_the_counter_a_parameter_and_starts_at_zero() {
    let mut program = read(COUNT);
    apply(&mut program, &["ssa"]);
    let proc = program.procs.values().next().unwrap();
    let params: Vec<usize> = proc.layout.iter().map(|&b| proc.blocks[b].params.len()).collect();
    assert_eq!(params, [0, 1, 0, 0]);
    assert!(text(&program, "main").contains("const bv8 0"));
    assert_eq!(outcome(&program), Outcome::Returned(vec![Const::bv(8, 3)]));
}

#[test]
fn unroll_keeps_runs_within_the_bound() {
    for bound in 0..6 {
        let mut program = read(COUNT);
        apply(&mut program, &["ssa"]);
        passes::run(&mut program, "unroll", |p| passes::unroll(p, bound, Cut::Stop));
        let expected = if bound < 3 { Outcome::Stopped } else { Outcome::Returned(vec![Const::bv(8, 3)]) };
        assert_eq!(outcome(&program), expected, "bound {bound}");
    }
}

#[test]
fn loops_are_closed_across_levels() {
    // The inner loop leaves both loops at once.
    let mut program = read(
        "
proc main -> bv8 {
block0:
    jump block1
block1:
    v0: bv8 = havoc in0
    v1 = const bv8 7
    jump block2
block2:
    v2: bv8 = add v0, v1
    v3: bool = eq v2, v1
    branch v3, block4, block3
block3:
    v4: bool = ult v2, v0
    branch v4, block2, block1
block4:
    v5: bv8 = add v2, v1
    v6: bv8 = add v5, v0
    return v6
}
",
    );
    let proc = |p: &Program| p.procs.values().next().unwrap().clone();
    assert!(passes::check_loop_closed(&proc(&program)).is_err());
    apply(&mut program, &["close-loops"]);
    let closed = proc(&program);
    assert_eq!(passes::check_loop_closed(&closed), Ok(()));
    // v2 and v0 leave by parameters, the constant moves to the entry.
    assert_eq!(closed.blocks[closed.layout[4]].params.len(), 2);
    assert_eq!(closed.blocks[closed.entry].insts.len(), 1);
    assert_eq!(outcome(&program), Outcome::Returned(vec![Const::bv(8, 14)]));
}

#[test]
fn a_called_entry_gets_a_new_one_before_it() {
    let mut program = read(
        "
proc main {
block0:
    v0: bv8 = read @a
    v1 = const bv8 0
    v2: bool = eq v0, v1
    branch v2, block1, block2
block1:
    v3: bv8 = read @b
    v4: bool = eq v3, v1
    assert prop0, v4
    return
block2:
    v5 = const bv8 1
    v6: bv8 = sub v0, v5
    write @a, v6
    call main()
    return
}
",
    );
    apply(&mut program, &["lift-globals", "ssa"]);
    assert_eq!(program.procs.len(), 2);
    let calls = CallGraph::compute(&program);
    assert!(!calls.is_recursive(program.entry.unwrap()));
    // It writes @a only, and takes both.
    let main = program.procs.values().find(|p| p.name == "main").unwrap();
    assert_eq!((main.params().len(), main.results.len()), (2, 1));
    assert_eq!(outcome(&program), Outcome::Returned(vec![]));
}

#[test]
fn constants_decide_branches_and_asserts() {
    let mut program = read(
        "
proc main -> bv8 {
block0:
    v0 = const bv8 4
    v1: bv8 = havoc in0
    jump block1(v0, v1)
block1(v2: bv8, v3: bv8):
    v4 = const bv8 4
    v5: bool = eq v2, v4
    branch v5, block2(v2), block3
block2(v6: bv8):
    assert prop0, v5
    v7: bool = ult v3, v6
    branch v7, block1(v6, v3), block4
block3:
    v8 = const bv8 5
    jump block1(v8, v8)
block4:
    v9: bv8 = add v6, v4
    return v9
}
",
    );
    apply(&mut program, &["constprop", "dce", "simplify-cfg"]);
    let main = text(&program, "main");
    assert!(!main.contains("assert") && main.contains("const bv8 8"), "{main}");
    assert_eq!(program.procs.values().next().unwrap().layout.len(), 3, "{main}");
}

#[test]
fn dead_parameters_and_results_go_even_around_recursion() {
    let mut program = read(
        "
proc main {
block0:
    v0: bv8 = havoc in0
    v1: bv8 = havoc in0
    v2: bv8, v3: bv8 = call f(v0, v1)
    v4: bool = eq v2, v0
    assert prop0, v4
    return
}

proc f -> bv8, bv8 {
block0(v0: bv8, v1: bv8):
    v2: bool = eq v0, v0
    branch v2, block1, block2
block1:
    v3: bv8 = add v1, v0
    v4: bv8, v5: bv8 = call f(v0, v3)
    return v4, v5
block2:
    return v0, v1
}
",
    );
    apply(&mut program, &["dce"]);
    let f = program.procs.values().find(|p| p.name == "f").unwrap();
    assert_eq!((f.params().len(), f.results.len()), (1, 1));
}

#[test]
fn a_call_that_may_not_return_stays() {
    let text_of = |term: &str| {
        let mut program = read(&format!(
            "
proc main {{
block0:
    call f()
    v0 = const false
    assert prop0, v0
    return
}}

proc f {{
block0:
    jump block1
block1:
    {term}
}}
"
        ));
        apply(&mut program, &["dce"]);
        text(&program, "main")
    };
    assert!(!text_of("return").contains("call"));
    assert!(text_of("stop").contains("call"));
    assert!(text_of("jump block1").contains("call"));
}

const SLICED: &str = "
proc main {
block0:
    v0: bv8 = havoc in0
    v1 = const bv8 1
    v2: bool = ult v0, v1
    call check(v2)
    branch v2, block1, block2
block1:
    call check(v2)
    call quiet()
    v3: bv8 = add v0, v1
    print \"%d\", v3
    assert prop1, v2
    return
block2:
    call quiet()
    call quiet()
    return
}

proc check {
block0(v0: bool):
    assert prop0, v0
    return
}

proc quiet {
block0:
    print \"quiet\"
    v0: bv8 = read @b
    v1 = const bv8 1
    v2: bool = eq v0, v1
    assert prop1, v2
    write @a, v1
    return
}
";

#[test]
fn slices_stop_where_nothing_wanted_comes() {
    let mut program = read(SLICED);
    let full = program.clone();
    apply(&mut program, &["slice=main.assertion.0"]);
    let main = text(&program, "main");
    assert!(!main.contains("quiet") && !main.contains("assert") && !main.contains("print"), "{main}");
    assert_eq!(main.matches("call check").count(), 2);
    assert_eq!(main.matches("stop").count(), 2, "{main}");
    let mut other = full;
    apply(&mut other, &["slice=main.assertion.1"]);
    assert!(text(&other, "check").contains("assume"));
    assert_eq!(text(&other, "main").matches("call quiet").count(), 3);
}

#[test]
fn a_choice_becomes_an_ite() {
    let mut program = read(
        "
proc main -> bv8 {
block0:
    v0: bv8 = havoc in0
    v1 = const bv8 1
    v2: bool = ult v0, v1
    branch v2, block1, block2
block1:
    jump block3(v0)
block2:
    jump block3(v1)
block3(v3: bv8):
    return v3
}
",
    );
    apply(&mut program, &["simplify-cfg"]);
    let main = text(&program, "main");
    assert!(main.contains("ite v2, v0, v1") && !main.contains("block1"), "{main}");
}

#[test]
fn empty_cycles_stay_cycles() {
    let mut program = read(
        "
proc main {
block0:
    jump block1
block1:
    jump block2
block2:
    jump block3
block3:
    jump block1
}
",
    );
    apply(&mut program, &["simplify-cfg"]);
    assert_eq!(LoopNest::compute(program.procs.values().next().unwrap()).loops.len(), 1);
    let limits = Limits { fuel: 99, ..Limits::default() };
    assert_eq!(interp::run(&program, &mut ZeroInputs, &mut NoObserver, limits), Outcome::OutOfFuel);
}

/// The assertion fails, but only after two returns and because of a write two calls down.
const CHAIN: &str = "
proc main {
block0:
    call f()
    v0: bv8 = read @a
    v1 = const bv8 3
    v2: bool = eq v0, v1
    assert prop0, v2
    return
}

proc f {
block0:
    call g()
    return
}

proc g {
block0:
    v0 = const bv8 4
    write @a, v0
    return
}
";

#[test]
fn effects_and_returns_travel_up_the_calls() {
    let program = read(CHAIN);
    let violated = Outcome::Violated(Prop::from_u32(0));
    assert_eq!(outcome(&program), violated);
    for passes in [&["slice=main.assertion.0"][..], &["lift-globals"], &["prepare=main.assertion.0"]] {
        let mut changed = program.clone();
        apply(&mut changed, passes);
        assert_eq!(outcome(&changed), violated, "{passes:?}");
    }
}

/// The verdict hangs on the third input: the first two are not used, one of them in a procedure that does nothing else.
const INPUTS: &str = "
proc main {
block0:
    v0: bv8 = call ask()
    v1: bv8 = havoc in0
    v2: bv8 = havoc in0
    v3 = const bv8 9
    v4: bool = eq v2, v3
    assert prop0, v4
    return
}

proc ask -> bv8 {
block0:
    v0: bv8 = havoc in0
    return v0
}
";

#[test]
fn an_input_keeps_its_place_among_those_of_its_site() {
    let mut program = read(INPUTS);
    let third = |program: &Program| {
        let mut inputs = interp::SiteQueues::default();
        // The variable @b asks at the same site, as long as it is there.
        let first = usize::from(program.vars.is_empty());
        for n in [1, 2, 3, 9].into_iter().skip(first) {
            inputs.push(Site::from_u32(0), Const::bv(8, n));
        }
        interp::run(program, &mut inputs, &mut NoObserver, Limits::default())
    };
    assert_eq!(third(&program), Outcome::Returned(vec![]));
    apply(&mut program, &["prepare"]);
    // Behind the last assertion the slice stops.
    assert_eq!(third(&program), Outcome::Stopped);
}

/// A silent process counts steps. The environment runs whenever the last step was quiet, and its second run violates.
fn counting(silent: &str) -> Program {
    read(&format!(
        "var @runs: bv8 = bv8 0
var @steps: bv8 = bv8 0
system asynchronous {{
    process \"count\" = count {silent}
    environment inputs
}}
proc main {{
block0:
    return
}}
proc count {{
block0:
    jump block1
block1:
    v0: bv8 = read @steps
    v1 = const bv8 1
    v2: bv8 = add v0, v1
    write @steps, v2
    v3 = const bv8 9
    v4: bool = ult v2, v3
    assert prop0, v4
    step block1
}}
proc inputs {{
block0:
    v0: bv8 = read @runs
    v1 = const bv8 1
    v2: bv8 = add v0, v1
    write @runs, v2
    v3: bool = ult v0, v1
    assert prop1, v3
    return
}}"
    ))
}

#[test]
fn a_silent_process_does_not_keep_inputs_away() {
    for (silent, violated) in [("", 0), ("silent", 1)] {
        let program = counting(silent);
        let sequential = passes::sequentialise::sequentialise(&program).expect("a system");
        for program in [&program, &sequential.program] {
            assert_eq!(outcome(program), Outcome::Violated(Prop::from_u32(violated)), "{silent}");
        }
    }
}
