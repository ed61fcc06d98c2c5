//! Formulas and the solvers that decide them.
//!
//! Start at [`term`]: one [`TermStore`] holds a hash-consed DAG whose constructors rewrite ([`rewrite`]). [`solver`]
//! has the trait engines talk to; [`sat`] (CaDiCaL) and [`z3`] are its back ends, [`mixed`] takes the first for as long
//! as it can, and [`arrays`] removes arrays before either sees them; [`default_solver`] stacks them. [`eval`] gives terms a value, [`subst`] walks and replaces,
//! [`smtlib`] writes queries for any other solver, and [`external`] runs one. Nothing here knows programs, only operators and constants.

pub mod arrays;
pub mod eval;
pub mod external;
pub mod mixed;
pub mod rewrite;
pub mod sat;
pub mod smtlib;
pub mod solver;
pub mod subst;
pub mod term;
pub mod view;
pub mod z3;

pub use arrays::ArraySolver;
pub use eval::{Evaluator, Model};
pub use external::ExternalSolver;
pub use mixed::MixedSolver;
pub use sat::SatSolver;
pub use solver::{Answer, Interrupt, Limits, Solver, SolverStats};
pub use term::{Node, Symbol, Term, TermStore};
pub use view::ModelView;
pub use z3::{Core, Z3Solver};

/// The solver to use unless there is a reason not to: bit-blasting with assumptions, arrays eliminated.
/// `docs/decisions/0002-solver.md` has the measurements behind it.
pub fn default_solver() -> Box<dyn Solver> {
    Box::new(ArraySolver::new(MixedSolver::new()))
}

/// A solver that can be asked for by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// CaDiCaL, and Z3 from the first float on: [`default_solver`].
    Mixed,
    /// CaDiCaL alone; floats are refused.
    Cadical,
    /// Z3's library, bit-blasting.
    Z3,
    /// A process that speaks SMT-LIB.
    External(external::Command),
}

impl Backend {
    /// A new solver, for arrays too.
    pub fn solver(&self) -> Box<dyn Solver> {
        match self {
            Backend::Mixed => default_solver(),
            Backend::Cadical => Box::new(ArraySolver::new(MixedSolver::only_sat())),
            Backend::Z3 => Box::new(ArraySolver::new(Z3Solver::new(Core::BitBlast))),
            Backend::External(command) => Box::new(ArraySolver::new(ExternalSolver::new(command.clone()))),
        }
    }
}
