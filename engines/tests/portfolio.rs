//! Which engines fit a program, and what an engine makes of what others tell it.

use std::time::{Duration, Instant};
use syncline_engines::annotation::{self, Cell, Formula, FormulaNode, Location, Original};
use syncline_engines::cuts::CutSystem;
use syncline_engines::houdini::{self, Houdini};
use syncline_engines::portfolio::{choose, read_fact, write_fact, Engine, Kind, News};
use syncline_engines::task::{Certificate, Context, Task, Verdict};
use syncline_engines::{evidence, kinduction, pdr};
use syncline_ir::{read, BinOp, Const, Program, Prop, UnOp};

fn parse(text: &str) -> Program {
    read::well_formed(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn task(program: &Program) -> Task<'_> {
    Task::new(program, program.props.keys().collect())
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

/// `x` is 0 and 6 in turns, or some other value in between; two properties about it.
const TOGGLES: &str = "in0 = site \"in\": bv8
    var @x: bv8 = bv8 0
    prop0 = assertion \"main.assertion.1\" \"\"
    prop1 = assertion \"main.assertion.2\" \"\"
    entry main
    proc main {
    block0:
        jump block1
    block1:
        v0: bv8 = read @x
        v1 = const bv8 9
        v2: bool = eq v0, v1
        v3: bool = not v2
        assert prop0, v3
        v4 = const bv8 17
        v5: bool = eq v0, v4
        v6: bool = not v5
        assert prop1, v6
        v7: bv8 = havoc in0
        v8 = const bv8 6
        v9: bv8 = bvand v7, v8
        v10: bv8 = bvxor v0, v9
        write @x, v10
        jump block1
    }
    ";

/// Where the loop of the program is, and what `x` is called there.
fn names(system: &CutSystem) -> (Location, Original) {
    let (_, data) = system.cuts.iter().next().expect("a cut");
    let location = annotation::location(&system.inlined, data.header).expect("a place");
    let cell = data.cells.iter().find(|c| matches!(c, Cell::Global(_))).expect("x is part of the state");
    (location, annotation::original(&system.inlined, *cell).expect("a name"))
}

/// `(x | bits) = bits`.
fn only_bits(x: &Original, bits: u128) -> Formula<Original> {
    let mut formula = Formula::default();
    let x = formula.push(FormulaNode::State(x.clone()));
    let bits = formula.push(FormulaNode::Const(Const::bv(8, bits)));
    let or = formula.push(FormulaNode::Bin(BinOp::BvOr, x, bits));
    formula.push(FormulaNode::Bin(BinOp::Eq, or, bits));
    formula
}

/// What is kept once this was heard, and whether that is more than before.
fn heard(facts: impl Fn(&Location, &Original) -> Vec<(Location, Formula<Original>)>) -> (Houdini, bool, usize) {
    let program = parse(TOGGLES);
    let task = task(&program);
    let mut context = Context::new(soon(), |_, _| {});
    let mut system = CutSystem::new(&task, &task.props, context.deadline).expect("a system");
    let (location, x) = names(&system);
    let mut houdini = houdini::invariants(&mut system, &mut context);
    let before = houdini.kept.len();
    for (place, formula) in facts(&location, &x) {
        // As it comes from another process.
        let (place, formula) = read_fact(&write_fact(&place, &formula)).expect("a fact");
        context.news.add_fact(place, formula);
    }
    let more = houdini.try_news(&mut system, &context);
    assert!(!houdini.try_news(&mut system, &context), "nothing is tried twice");
    (houdini, more, before)
}

#[test]
fn facts_of_others_are_taken_up() {
    let (houdini, more, before) = heard(|at, x| vec![(at.clone(), only_bits(x, 6))]);
    assert!(more && houdini.kept.len() == before + 1, "{} and then {}", before, houdini.kept.len());
}

#[test]
fn facts_that_do_not_hold_do_no_harm() {
    let (houdini, more, before) = heard(|at, x| vec![(at.clone(), only_bits(x, 0)), (at.clone(), only_bits(x, 2))]);
    assert!(!more && houdini.kept.len() == before);
}

#[test]
fn facts_about_something_else_are_left_out() {
    let (houdini, more, before) = heard(|at, x| {
        let elsewhere = Location { calls: vec![syncline_ir::Inst::from_u32(3)], ..at.clone() };
        let unknown = Original::Global(syncline_ir::Var::from_u32(77));
        let mut ill_typed = Formula::default();
        let state = ill_typed.push(FormulaNode::State(x.clone()));
        ill_typed.push(FormulaNode::Un(UnOp::Not, state));
        let mut no_formula = Formula::default();
        no_formula.push(FormulaNode::State(x.clone()));
        vec![
            (elsewhere, only_bits(x, 6)),
            (at.clone(), only_bits(&unknown, 6)),
            (at.clone(), ill_typed),
            (at.clone(), no_formula),
        ]
    });
    assert!(!more && houdini.kept.len() == before);
}

/// The verdicts on the program, each confirmed, with this news.
fn verdicts(engine: fn(&Task, &mut Context), news: &News) -> Vec<(Prop, Verdict)> {
    let program = parse(TOGGLES);
    let deadline = soon();
    let mut found = Vec::new();
    let mut context = Context::new(deadline, |p, v| found.push((p, evidence::confirm(&program, p, v, deadline))));
    context.news = news.clone();
    engine(&task(&program), &mut context);
    drop(context);
    found
}

#[test]
fn the_certificate_of_one_engine_is_news_for_another() {
    let news = News::default();
    for (_, verdict) in verdicts(pdr::check, &news) {
        let Verdict::Safe(Certificate::Inductive { annotations, .. }) = verdict else { panic!("{verdict:?}") };
        for (place, formulas) in annotations {
            formulas.into_iter().for_each(|formula| news.add_fact(place.clone(), formula));
        }
    }
    for (_, verdict) in verdicts(kinduction::check, &news) {
        assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    }
}

#[test]
fn what_others_have_decided_is_left_alone() {
    for engine in [kinduction::check as fn(&Task, &mut Context), pdr::check] {
        let news = News::default();
        news.add_decided(Prop::from_u32(0));
        let found: Vec<Prop> = verdicts(engine, &news).into_iter().map(|(p, _)| p).collect();
        assert_eq!(found, [Prop::from_u32(1)]);
    }
}

fn chosen(text: &str, kind: Kind) -> Vec<Engine> {
    let choices = choose(&parse(text), kind);
    assert!(choices.windows(2).all(|w| w[0].start.after <= w[1].start.after), "by the time they start");
    assert!(choices[0].start.is_due(Duration::ZERO, false), "the first one starts at once");
    choices.into_iter().map(|c| c.engine).collect()
}

#[test]
fn engines_are_chosen_by_the_shape_of_the_program() {
    assert_eq!(
        chosen(TOGGLES, Kind::Sequential),
        [Engine::Kinduction, Engine::Explicit, Engine::Pdr, Engine::Lawi, Engine::Inline],
        "a loop with an input, all bits"
    );
    let straight = "entry main\nproc main {\nblock0:\n    return\n}\n";
    assert_eq!(chosen(straight, Kind::Sequential), [Engine::Bmc]);
    let recursive = "entry main\nproc main {\nblock0:\n    call main()\n    return\n}\n";
    assert_eq!(chosen(recursive, Kind::Sequential), [Engine::Bmc, Engine::Inline]);
    let floats = TOGGLES.replace("var @x", "var @y: f64 = f64 0x0\n    var @x");
    assert_eq!(
        chosen(&floats, Kind::Sequential),
        [Engine::Kinduction, Engine::Explicit, Engine::Pdr, Engine::Inline],
        "contracts are for any state"
    );
    assert_eq!(chosen(TOGGLES, Kind::Chart)[..], [Engine::Together, Engine::Pdr, Engine::Bmc, Engine::Kinduction]);
    let waits = "entry main\nproc main {\nblock0:\n    v0 = const bv32 1000000\n    return\n}\n";
    assert_eq!(chosen(waits, Kind::Chart)[..], [Engine::Together, Engine::Bmc, Engine::Pdr, Engine::Kinduction]);
}
