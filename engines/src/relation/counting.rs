//! How long a run can go on: "after k steps this is over", for one k after the other, until nothing is left.
//!
//! Where a question counts steps in unary ([`Task::counter`]), bit k is true after a step only if bit k - 1 was true before
//! it. So what holds of states with a count of k follows, by one step, from what holds of states with k - 1: no
//! frames, no induction, and the facts get stronger with k ([`sweep`](super::sweep) finds those of two literals). When the facts let no step
//! reach bit k, the count never gets there. Facts about all runs come first, those about the states where counting begins
//! next. Frames are no help here: in frame i no run has counted beyond i, and lemmas that say no more than that have to be
//! unlearnt frame by frame.
//!
//! Each fact is a cube that no step enters from where the facts before it hold, and in which no run starts: they hold,
//! whatever comes of the search.

use super::sweep::{Ask, Sweep};
use super::{Cube, Literal, Outcome, Relation, Stop};
use crate::annotation::Cell;
use crate::cuts::Cut;
use crate::logic::Term;
use crate::task::{Context, Task};

pub struct Counting<'s> {
    relation: Relation<'s>,
    /// The bits of the counter: at least one step, at least two, ...
    counter: Vec<u32>,
    lemmas: Vec<Cube>,
}

impl<'s> Counting<'s> {
    /// `None` if the question counts nothing.
    pub fn new(relation: Relation<'s>, task: &Task) -> Option<Counting<'s>> {
        let bits: Option<Vec<u32>> = task.counter.iter().map(|&var| relation.bit_of(Cell::Global(var))).collect();
        let counter = bits.filter(|bits| !bits.is_empty())?;
        Some(Counting { relation, counter, lemmas: Vec::new() })
    }

    /// Where no steps are counted: what holds of all runs. As far as the relation's queries go.
    pub fn of_all_runs(relation: Relation<'s>, context: &mut Context) -> Outcome<Vec<(Cut, Term)>> {
        let mut counting = Counting { relation, counter: Vec::new(), lemmas: Vec::new() };
        (context.progress)("facts of two literals");
        for cut in counting.relation.system.cuts.keys().collect::<Vec<_>>() {
            let mut sweep = Sweep::new(&counting.relation, cut, &[]);
            loop {
                match counting.find(&mut sweep, Ask::Always, context) {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(Stop::Spent) => return Ok(counting.facts()),
                    Err(stop) => return Err(stop),
                }
            }
        }
        Ok(counting.facts())
    }

    /// Whether the facts that are found prove the property.
    pub fn run(&mut self, context: &mut Context) -> Outcome<bool> {
        for cut in self.relation.system.cuts.keys().collect::<Vec<_>>() {
            self.order(cut)?;
            let mut sweep = Sweep::new(&self.relation, cut, &self.counter);
            (context.progress)("facts of two literals");
            while self.find(&mut sweep, Ask::Always, context)? > 0 {}
            self.find(&mut sweep, Ask::Count(0), context)?;
            for count in 1..=self.counter.len() {
                (context.progress)(&format!("facts after {count} steps"));
                let reached = Cube { cut, literals: vec![self.at_least(count)] };
                if self.is_fact(&reached)? {
                    self.add(reached);
                    break;
                }
                // States that count further are among those that count this far: what adds nothing will add nothing.
                if self.find(&mut sweep, Ask::Count(count), context)? == 0 && count > 1 {
                    break;
                }
            }
        }
        let no_start = self.relation.bad_at_start()?.is_none();
        Ok(no_start && self.relation.find_bad(&[])?.is_none())
    }

    fn at_least(&self, count: usize) -> Literal {
        Literal { bit: self.counter[count - 1], value: true }
    }

    /// A bit of the counter is true only with the one before it.
    fn order(&mut self, cut: Cut) -> Outcome<()> {
        for count in 2..=self.counter.len() {
            let fewer = Literal { value: false, ..self.at_least(count - 1) };
            let cube = Cube::new(cut, [fewer, self.at_least(count)]);
            if self.is_fact(&cube)? {
                self.add(cube);
            }
        }
        Ok(())
    }

    /// No run starts in the cube, and no step enters it from outside.
    fn is_fact(&mut self, cube: &Cube) -> Outcome<bool> {
        let outside = self.relation.excluded(cube);
        Ok(self.relation.no_start(cube)?.is_some() && self.relation.no_step(cube, &[outside])?.is_some())
    }

    /// How many facts there are that answer the question.
    fn find(&mut self, sweep: &mut Sweep, ask: Ask, context: &Context) -> Outcome<usize> {
        if context.must_stop().is_some() {
            return Err(Stop::Cancelled);
        }
        let found = sweep.sweep(&mut self.relation, ask)?;
        let number = found.len();
        found.into_iter().for_each(|cube| self.add(cube));
        Ok(number)
    }

    fn add(&mut self, lemma: Cube) {
        let outside = self.relation.excluded(&lemma);
        self.relation.solver.assert(&mut self.relation.system.store, outside);
        self.lemmas.push(lemma);
    }

    /// What has been found, at the cuts.
    pub fn facts(&mut self) -> Vec<(Cut, Term)> {
        let mut facts = Vec::new();
        for lemma in &self.lemmas {
            let inside = self.relation.now(lemma);
            facts.push((lemma.cut, self.relation.system.store.not(inside)));
        }
        facts
    }
}
