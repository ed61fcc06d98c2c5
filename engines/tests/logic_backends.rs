//! All back ends agree: on random formulas, asserted bit by bit, under random assumptions. Models satisfy what was
//! asserted and assumed, cores are unsatisfiable assumptions. Solvers that are not installed are skipped.

mod logic_gen;

use logic_gen::{Rng, Round};
use std::time::{Duration, Instant};
use syncline_engines::logic::external::Command;
use syncline_engines::logic::{Answer, Backend, Limits, Solver, Term};
use syncline_ir::{BinOp, Const, Type};

const Z3: &str = "z3 -in";
const CVC5: &str = "cvc5 --incremental --lang smt2";

fn external(line: &str) -> Backend {
    Backend::External(Command { line: line.into(), memory: Some(4 << 30) })
}

fn installed(command: &str) -> bool {
    let program = command.split_whitespace().next().unwrap_or_default();
    let found = std::process::Command::new(program).arg("--version").output().is_ok();
    if !found {
        eprintln!("{program} is not installed: not compared");
    }
    found
}

fn soon() -> Limits {
    Limits::until(Instant::now() + Duration::from_secs(20))
}

struct Contender {
    name: String,
    solver: Box<dyn Solver>,
}

fn contenders(floats: bool) -> Vec<Contender> {
    let mut backends = vec![Backend::Mixed, Backend::Z3];
    // cvc5 1.0 knows no float formats but the common ones, CaDiCaL none.
    backends.extend((!floats).then_some(Backend::Cadical));
    backends.extend(installed(Z3).then(|| external(Z3)));
    backends.extend((!floats && installed(CVC5)).then(|| external(CVC5)));
    backends.into_iter().map(|b| Contender { name: format!("{b:?}"), solver: b.solver() }).collect()
}

/// One check by one solver: the answer, found consistent.
fn ask(round: &mut Round, contender: &mut Contender, asserted: &[Term], assumptions: &[Term]) -> Answer {
    let Contender { name, solver } = contender;
    let answer = solver.check(&mut round.store, assumptions, &soon());
    match answer {
        Answer::Sat => {
            for &t in asserted.iter().chain(assumptions) {
                assert_eq!(solver.model_value(&round.store, t), Const::TRUE, "{name}: the model violates {t:?}");
            }
        }
        Answer::Unsat => {
            let core = solver.core();
            assert!(core.iter().all(|t| assumptions.contains(t)), "{name}: the core is no part of the assumptions");
            let again = solver.check(&mut round.store, &core, &soon());
            assert!(!matches!(again, Answer::Sat), "{name}: the core is satisfiable");
        }
        Answer::Unknown(_) => {}
    }
    answer
}

fn random(seed: u64, rounds: usize, floats: bool) {
    let mut rng = Rng(seed);
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..rounds {
        let mut round = Round::new(&mut rng, floats);
        let mut solvers = contenders(floats);
        let mut asserted: Vec<Term> = Vec::new();
        for _ in 0..4 {
            for _ in 0..12 {
                round.step(&mut rng);
            }
            let bools: Vec<Term> =
                round.pool.iter().map(|p| p.0).filter(|&t| round.store.ty(t) == Type::BOOL).collect();
            let formula = bools[rng.below(bools.len())];
            asserted.push(formula);
            solvers.iter_mut().for_each(|c| c.solver.assert(&mut round.store, formula));
            let assumptions: Vec<Term> = (0..rng.below(4)).map(|_| bools[rng.below(bools.len())]).collect();
            let answers: Vec<Answer> =
                solvers.iter_mut().map(|c| ask(&mut round, c, &asserted, &assumptions)).collect();
            let known: Vec<&Answer> = answers.iter().filter(|a| !matches!(a, Answer::Unknown(_))).collect();
            let names: Vec<&str> = solvers.iter().map(|c| c.name.as_str()).collect();
            assert!(known.iter().all(|a| *a == known[0]), "{names:?} say {answers:?}");
            match known.first() {
                Some(Answer::Sat) => sat += 1,
                Some(Answer::Unsat) => unsat += 1,
                _ => panic!("{names:?} say {answers:?}"),
            }
            if known.first() == Some(&&Answer::Unsat) && assumptions.is_empty() {
                break;
            }
        }
    }
    assert!(sat >= rounds / 4 && unsat >= rounds / 8, "one-sided: {sat} sat, {unsat} unsat");
}

#[test]
fn all_agree() {
    random(0x5eed_0000_0000_0011, 60, false);
}

#[test]
fn all_agree_on_floats() {
    random(0x5eed_0000_0000_0012, 12, true);
}

#[test]
fn no_such_solver() {
    let mut round = Round::new(&mut Rng(7), false);
    let mut solver = external("/no/such/solver").solver();
    let x = round.store.new_symbol("x", Type::BOOL);
    match solver.check(&mut round.store, &[x], &soon()) {
        Answer::Unknown(words) => assert!(words.contains("/no/such/solver"), "{words}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn not_a_solver() {
    let mut round = Round::new(&mut Rng(7), false);
    let x = round.store.new_symbol("x", Type::BOOL);
    for command in ["true", "cat", "echo maybe", "echo (((("] {
        let mut solver = external(command).solver();
        let answer = solver.check(&mut round.store, &[x], &soon());
        assert!(matches!(answer, Answer::Unknown(_)), "{command}: {answer:?}");
    }
}

/// Factoring a product of two large primes: no solver here does that in a moment.
fn hard(round: &mut Round) -> Term {
    let (x, y) = (round.store.new_symbol("x", Type::bv(96)), round.store.new_symbol("y", Type::bv(96)));
    let product = round.store.bin(BinOp::Mul, x, y);
    let goal = round.store.bv(96, 0x7f_ffff_ffe7 * 0x7f_ffff_ff77);
    let bound = round.store.bv(96, 1 << 40);
    let one = round.store.bv(96, 1);
    let parts = [
        round.store.eq(product, goal),
        round.store.bin(BinOp::Ult, x, bound),
        round.store.bin(BinOp::Ult, y, bound),
        round.store.bin(BinOp::Ult, one, x),
        round.store.bin(BinOp::Ult, one, y),
    ];
    parts.into_iter().reduce(|a, b| round.store.and(a, b)).expect("there are some")
}

#[test]
fn limits_hold_and_the_solver_goes_on() {
    if !installed(Z3) {
        return;
    }
    let mut round = Round::new(&mut Rng(7), false);
    let mut solver = external(Z3).solver();
    let formula = hard(&mut round);
    let start = Instant::now();
    let limits = Limits::until(start + Duration::from_millis(300));
    assert_eq!(solver.check(&mut round.store, &[formula], &limits), Answer::Unknown("timeout".into()));
    assert!(start.elapsed() < Duration::from_secs(5));
    // A new process knows what the old one was told.
    let p = round.store.new_symbol("p", Type::BOOL);
    let not_p = round.store.not(p);
    solver.assert(&mut round.store, p);
    assert_eq!(solver.check(&mut round.store, &[not_p], &soon()), Answer::Unsat);
    assert_eq!(solver.core(), vec![not_p]);
    let stop = solver.interrupt_handle();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        stop();
    });
    assert_eq!(solver.check(&mut round.store, &[formula], &soon()), Answer::Unknown("interrupted".into()));
    stopper.join().expect("the thread ends");
}
