//! Questions about many cubes, or many properties, at once: a model answers for all those it shows.

use super::{Cube, Outcome, Relation, Which};
use crate::cuts::Cut;
use crate::logic::{ModelView, Solver, Term};
use syncline_ir::Prop;

impl Relation<'_> {
    /// Begins with new solvers that know these facts: what was asked once and is not asked again costs time in every query.
    pub fn renew(&mut self, facts: &[(Cut, Term)], factory: &dyn Fn() -> Box<dyn Solver>) {
        (self.solver, self.lifter, self.asked) = (factory(), factory(), None);
        for &(cut, fact) in facts {
            let formula = self.system.store.implies(self.now[&cut], fact);
            self.solver.assert(&mut self.system.store, formula);
        }
    }

    /// The cubes that no step enters from outside of all of them, the largest such set, and the others. No run may start
    /// in any of them.
    pub fn inductive(&mut self, mut cubes: Vec<Cube>) -> Outcome<(Vec<Cube>, Vec<Cube>)> {
        let mut others = Vec::new();
        loop {
            let outside: Vec<Term> = cubes.iter().map(|cube| self.excluded(cube)).collect();
            let entered: Vec<Term> = cubes.iter().map(|cube| self.entering(cube)).collect();
            let shown = self.shown(&outside, &entered)?;
            if !shown.contains(&true) {
                return Ok((cubes, others));
            }
            let mut at = shown.iter();
            let (out, kept) = cubes.into_iter().partition(|_| *at.next().unwrap_or(&true));
            others.extend::<Vec<Cube>>(out);
            cubes = kept;
        }
    }

    /// Which of the properties no step violates.
    pub fn kept(&mut self, mut props: Vec<Prop>) -> Outcome<Vec<Prop>> {
        loop {
            let violated: Vec<Term> =
                props.iter().map(|&prop| self.steps[0].bad(&mut self.system.store, prop)).collect();
            let shown = self.shown(&[], &violated)?;
            if !shown.contains(&true) {
                return Ok(props);
            }
            let mut at = shown.iter();
            props.retain(|_| !*at.next().unwrap_or(&true));
        }
    }

    /// A step leads into the cube.
    fn entering(&mut self, cube: &Cube) -> Term {
        let Some(&arrives) = self.next.get(&cube.cut) else { return self.system.store.ff() };
        let literals: Vec<Term> = cube.literals.iter().map(|&l| self.literal(l, |t| t.next)).collect();
        self.system.store.and_all(literals.into_iter().chain([arrives]))
    }

    /// Which of these one step does under the assumptions; none if no step does any.
    fn shown(&mut self, assumptions: &[Term], wanted: &[Term]) -> Outcome<Vec<bool>> {
        let any = self.system.store.or_all(wanted.iter().copied());
        if !self.meets(Which::Step, assumptions, any)? {
            return Ok(vec![false; wanted.len()]);
        }
        let mut model = ModelView::new(&mut *self.solver);
        Ok(wanted.iter().map(|&t| model.is_true(&self.system.store, t)).collect())
    }
}
