//! The solver stack on random formulas: models are models, unsatisfiable is unsatisfiable, the cores agree.

mod logic_gen;

use logic_gen::{Rng, Round, MODELS};
use std::time::{Duration, Instant};
use syncline_engines::logic::{default_solver, Answer, ArraySolver, Core, Limits, Solver, Term, Z3Solver};
use syncline_ir::{Const, Type};

fn booleans(round: &Round) -> Vec<usize> {
    (0..round.pool.len()).filter(|&i| round.store.ty(round.pool[i].0) == Type::BOOL).collect()
}

/// Checks some conjunctions of one round on one solver, all incrementally.
fn solve(round: &mut Round, rng: &mut Rng, solvers: &mut [Box<dyn Solver>]) {
    let candidates = booleans(round);
    let mut asserted: Vec<usize> = Vec::new();
    for k in 0..4 {
        let mut chosen: Vec<usize> = (0..3).map(|_| candidates[rng.below(candidates.len())]).collect();
        if k == 2 {
            let i = chosen.pop().unwrap();
            solvers.iter_mut().for_each(|s| s.assert(&mut round.store, round.pool[i].0));
            asserted.push(i);
        }
        let assumptions: Vec<Term> = chosen.iter().map(|&i| round.pool[i].0).collect();
        let all: Vec<usize> = asserted.iter().chain(&chosen).copied().collect();
        let holds = |m: usize| all.iter().all(|&i| round.pool[i].1[m] == Const::TRUE);
        let known_sat = (0..MODELS).any(holds);
        let mut answers = Vec::new();
        for (n, solver) in solvers.iter_mut().enumerate() {
            let limits = Limits::until(Instant::now() + Duration::from_secs(if n == 0 { 60 } else { 2 }));
            let answer = solver.check(&mut round.store, &assumptions, &limits);
            assert!(n > 0 || !matches!(answer, Answer::Unknown(_)), "{answer:?}");
            match answer {
                Answer::Sat => {
                    for &i in &all {
                        assert_eq!(solver.model_value(&round.store, round.pool[i].0), Const::TRUE);
                    }
                }
                Answer::Unsat => {
                    assert!(!known_sat, "a model exists");
                    let core = solver.core();
                    assert!(core.iter().all(|t| assumptions.contains(t)));
                    assert_ne!(solver.check(&mut round.store, &core, &limits), Answer::Sat);
                }
                // The general core may give up, mostly over floats.
                Answer::Unknown(_) => continue,
            }
            answers.push(answer);
        }
        assert!(answers.windows(2).all(|w| w[0] == w[1]), "{answers:?}");
    }
}

fn random_formulas(seed: u64, rounds: usize, floats: bool) {
    let mut rng = Rng(seed);
    for _ in 0..rounds {
        let mut round = Round::new(&mut rng, floats);
        for _ in 0..60 {
            round.step(&mut rng);
        }
        let mut solvers: Vec<Box<dyn Solver>> = vec![
            default_solver(),
            Box::new(ArraySolver::new(Z3Solver::new(Core::BitBlast))),
            Box::new(Z3Solver::new(Core::General)),
        ];
        solve(&mut round, &mut rng, &mut solvers);
    }
}

#[test]
fn cores_agree_without_floats() {
    random_formulas(0x1234_5678_9abc_def1, 120, false);
}

#[test]
fn cores_agree_on_floats() {
    random_formulas(0x0fed_cba9_8765_4321, 15, true);
}
