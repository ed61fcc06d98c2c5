//! Blocking without frames: bad states, those before them, and so on, all taken to be unreachable while that is being shown.
//!
//! Obligations are a stack. The last one is blocked if no run starts in it and no step leads into it from outside of all
//! obligations on the stack and all lemmas so far; else a state from which a step does is the next obligation. When the
//! stack is empty, each lemma covers an obligation, so that what was assumed follows from the lemmas: they are inductive
//! together, and hold for ever. If a run starts in an obligation, the stack is its way to the violation. If neither
//! comes of it, its lemmas are nobody's but the dive's.
//!
//! Every state of an obligation has a way to a bad one. So where the property holds, what is assumed is true, and lemmas
//! under it are as well. Frames are more eager: what is true for a few steps lets them generalise more. But where a property
//! counts steps they have to be as many as it counts, and learn in each that none counts farther; here the steps are gone back
//! one by one, and each lemma is learnt once.

use super::frames::Frames;
use crate::companion::{Alone, Turns};
use crate::logic::Term;
use crate::relation::{generalise, Blocker, Cube, End, Inputs, Literal, Outcome};
use crate::task::Context;
use syncline_ir::Type;

/// An obligation, and with which inputs a step leads from it to the one below.
struct Pending {
    cube: Cube,
    inputs: Inputs,
    /// A state is not in the cube.
    outside: Term,
}

/// A dive that can be left and taken up again.
#[derive(Default)]
pub struct Diving {
    /// On in the queries of this dive: its lemmas.
    switch: Option<Term>,
    stack: Vec<Pending>,
    lemmas: Vec<Cube>,
}

struct Dive<'f, 's> {
    frames: &'f mut Frames<'s>,
    switch: Term,
    stack: &'f mut Vec<Pending>,
    lemmas: &'f mut Vec<Cube>,
}

impl Diving {
    /// Has new solvers know the lemmas.
    pub fn renew(&self, frames: &mut Frames) {
        let Some(switch) = self.switch else { return };
        self.lemmas.iter().for_each(|lemma| frames.assert_under(switch, lemma));
    }
}

impl Frames<'_> {
    /// Proves the property that the relation asks about, given lemmas that hold for ever, or refutes it. The lemmas are
    /// among these then.
    pub fn dive(&mut self, diving: &mut Diving, context: &mut Context) -> Outcome<End> {
        let Diving { switch, stack, lemmas } = diving;
        let switch = *switch.get_or_insert_with(|| self.relation.system.store.new_symbol("dive", Type::BOOL));
        let way = Dive { frames: self, switch, stack, lemmas }.run(context)?;
        let lemmas = std::mem::take(lemmas);
        match way {
            Some(way) => Ok(End::Violated(way)),
            None => Ok(End::Proved(lemmas.into_iter().map(|lemma| self.hold_for_ever(lemma)).collect())),
        }
    }
}

impl Dive<'_, '_> {
    fn run(&mut self, context: &mut Context) -> Outcome<Option<Vec<Inputs>>> {
        loop {
            if self.stack.is_empty() {
                let Some((cube, inputs)) = self.frames.relation.find_bad(&[self.switch])? else { return Ok(None) };
                self.push(cube, inputs);
            }
            while let Some(last) = self.stack.last() {
                Alone.turn(context)?;
                let cube = last.cube.clone();
                if let Ok(start) = self.frames.relation.starts_in(&cube)? {
                    return Ok(Some(self.way(start)));
                }
                let assumptions = self.assumptions();
                match self.frames.relation.step_into(&cube, &assumptions)? {
                    Ok((cube, inputs)) => self.push(cube, inputs),
                    Err(needed) => {
                        let cube = self.frames.relation.apart_from_start(&cube, needed)?;
                        let lemma = generalise(self, cube)?;
                        self.stack.pop();
                        self.add(lemma);
                    }
                }
            }
        }
    }

    fn push(&mut self, cube: Cube, inputs: Inputs) {
        let outside = self.frames.relation.excluded(&cube);
        self.stack.push(Pending { cube, inputs, outside });
    }

    /// States outside of the obligations, the lemmas, and what never holds.
    fn assumptions(&self) -> Vec<Term> {
        std::iter::once(self.switch).chain(self.stack.iter().map(|pending| pending.outside)).collect()
    }

    fn add(&mut self, lemma: Cube) {
        self.frames.assert_under(self.switch, &lemma);
        self.lemmas.retain(|other| !lemma.covers(other));
        self.lemmas.push(lemma);
    }

    fn way(&self, start: Inputs) -> Vec<Inputs> {
        std::iter::once(start).chain(self.stack.iter().rev().map(|pending| pending.inputs.clone())).collect()
    }
}

impl Blocker for Dive<'_, '_> {
    fn word(&self, literal: Literal) -> u32 {
        self.frames.relation.word_of(literal)
    }

    fn blocked(&mut self, cube: Cube) -> Outcome<Option<Cube>> {
        if self.frames.relation.no_start(&cube)?.is_none() {
            return Ok(None);
        }
        let mut assumptions = self.assumptions();
        assumptions.push(self.frames.relation.excluded(&cube));
        match self.frames.relation.no_step(&cube, &assumptions)? {
            None => Ok(None),
            Some(needed) => self.frames.relation.apart_from_start(&cube, needed).map(Some),
        }
    }
}
