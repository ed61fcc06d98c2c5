//! The frames, the obligations, and the search.

use crate::companion::Turns;
use crate::cuts::Cut;
use crate::logic::{Solver, Term};
use crate::relation::{generalise, Blocker, Cube, End, Inputs, Literal, Outcome, Relation};
use crate::task::Context;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use syncline_ir::Type;

/// A state from which the property is violated, and by which way.
struct Obligation {
    cube: Cube,
    /// With these a step leads from the cube to the next obligation; the last one violates the property with them.
    inputs: Inputs,
    next: Option<usize>,
}

pub struct Frames<'s> {
    pub relation: Relation<'s>,
    /// On in a query about this frame or one before it. Frame 0 is the start, and has no lemmas.
    switches: Vec<Term>,
    /// The lemmas whose last frame this is.
    lemmas: Vec<Vec<Cube>>,
    /// Those that are inductive together: they are on in every query.
    forever: Vec<Cube>,
    obligations: Vec<Obligation>,
    blocked: u64,
    dropped: u64,
}

impl<'s> Frames<'s> {
    pub fn new(relation: Relation<'s>) -> Frames<'s> {
        let mut frames = Frames {
            relation,
            switches: Vec::new(),
            lemmas: Vec::new(),
            forever: Vec::new(),
            obligations: Vec::new(),
            blocked: 0,
            dropped: 0,
        };
        frames.add_frame();
        frames.assert_start();
        frames.add_frame();
        frames
    }

    fn assert_start(&mut self) {
        let start = self.relation.start();
        let store = &mut self.relation.system.store;
        let formula = store.implies(self.switches[0], start);
        self.relation.solver.assert(store, formula);
    }

    /// Begins with new solvers that know these facts, and the lemmas of the frames.
    pub fn renew(&mut self, facts: &[(Cut, Term)], factory: &dyn Fn() -> Box<dyn Solver>) {
        self.relation.renew(facts, factory);
        self.assert_start();
        for level in 0..self.lemmas.len() {
            for lemma in self.lemmas[level].clone() {
                self.assert_under(self.switches[level], &lemma);
            }
        }
    }

    /// No state is in the cube where the switch is on.
    pub fn assert_under(&mut self, switch: Term, cube: &Cube) {
        let outside = self.relation.excluded(cube);
        let store = &mut self.relation.system.store;
        let formula = store.implies(switch, outside);
        self.relation.solver.assert(store, formula);
    }

    /// These hold at the cuts, whatever runs do.
    pub fn assume(&mut self, facts: &[(Cut, Term)]) {
        for &(cut, fact) in facts {
            let at = self.relation.at(cut);
            let store = &mut self.relation.system.store;
            let formula = store.implies(at, fact);
            self.relation.solver.assert(store, formula);
        }
    }

    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("frames", self.lemmas.len() as u64 - 1),
            ("lemmas", self.lemmas.iter().map(|l| l.len() as u64).sum::<u64>() + self.forever.len() as u64),
            ("obligations", self.obligations.len() as u64),
            ("blocked", self.blocked),
            ("literals dropped", self.dropped),
            ("queries", self.relation.queries),
            ("cut points", self.relation.system.cuts.len() as u64),
            ("state bits", self.relation.bit_count() as u64),
        ]
    }

    fn add_frame(&mut self) {
        self.switches.push(self.relation.system.store.new_symbol("frame", Type::BOOL));
        self.lemmas.push(Vec::new());
    }

    fn last(&self) -> usize {
        self.lemmas.len() - 1
    }

    /// The lemmas of frame `i` and later ones are on.
    fn frame(&self, i: usize) -> Vec<Term> {
        self.switches[i..].to_vec()
    }

    pub fn run(&mut self, companion: &mut dyn Turns, context: &mut Context) -> Outcome<End> {
        if let Some(inputs) = self.relation.bad_at_start()? {
            return Ok(End::Violated(vec![inputs]));
        }
        loop {
            if let Some(end) = self.clear(companion, context)? {
                return Ok(end);
            }
            if let Some(fixed) = self.grow(companion, context)? {
                return Ok(End::Proved(self.invariants(fixed)));
            }
        }
    }

    /// Blocks all bad states at the last frame; the end if a run comes to one.
    pub fn clear(&mut self, companion: &mut dyn Turns, context: &mut Context) -> Outcome<Option<End>> {
        let last = self.last();
        (context.progress)(&format!("pdr: frame {last}, {} lemmas", self.counts()[1].1));
        while let Some((cube, inputs)) = self.relation.find_bad(&self.frame(last))? {
            self.obligations.clear();
            if let Some(end) = self.block(cube, inputs, companion, context)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// One frame more; a fixpoint, if there is one.
    pub fn grow(&mut self, companion: &mut dyn Turns, context: &mut Context) -> Outcome<Option<usize>> {
        self.add_frame();
        self.propagate(companion, context)
    }

    /// Has those lemmas of the last frame that are inductive together, after a fixpoint all behind it, hold for ever: in
    /// the queries that follow, and in what is returned.
    pub fn settle(&mut self, fixed: Option<usize>) -> Outcome<Vec<(Cut, Term)>> {
        let last = self.last();
        let from = fixed.map_or(last, |fixed| fixed + 1);
        let lemmas: Vec<Cube> = self.lemmas[from..].iter_mut().flat_map(std::mem::take).collect();
        let (inductive, others) = self.relation.inductive(lemmas)?;
        self.lemmas[last] = others;
        Ok(inductive.into_iter().map(|lemma| self.hold_for_ever(lemma)).collect())
    }

    /// The lemma is on in every query from now on; what it says at its cut.
    pub fn hold_for_ever(&mut self, lemma: Cube) -> (Cut, Term) {
        let outside = self.relation.excluded(&lemma);
        let inside = self.relation.now(&lemma);
        let store = &mut self.relation.system.store;
        self.relation.solver.assert(store, outside);
        let fact = (lemma.cut, store.not(inside));
        self.lemmas.iter_mut().for_each(|frame| frame.retain(|other| !lemma.covers(other)));
        self.forever.push(lemma);
        fact
    }

    /// Blocks a bad state at the last frame; the end if a run comes there.
    fn block(
        &mut self,
        cube: Cube,
        inputs: Inputs,
        companion: &mut dyn Turns,
        context: &mut Context,
    ) -> Outcome<Option<End>> {
        let last = self.last();
        self.obligations.push(Obligation { cube, inputs, next: None });
        let mut queue = BinaryHeap::new();
        queue.push(Reverse((last, 0usize)));
        while let Some(Reverse((level, id))) = queue.pop() {
            companion.turn(context)?;
            let cube = self.obligations[id].cube.clone();
            if let Ok(start) = self.relation.starts_in(&cube)? {
                return Ok(Some(End::Violated(self.way(start, id))));
            }
            if self.is_blocked(&cube, level) {
                continue;
            }
            match self.relative(&cube, level)? {
                Ok((before, inputs)) => {
                    self.obligations.push(Obligation { cube: before, inputs, next: Some(id) });
                    queue.push(Reverse((level - 1, self.obligations.len() - 1)));
                    queue.push(Reverse((level, id)));
                }
                Err(needed) => {
                    let cube = self.relation.apart_from_start(&cube, needed)?;
                    let before = cube.literals.len();
                    let lemma = generalise(&mut AtLevel { frames: self, level }, cube)?;
                    self.dropped += (before - lemma.literals.len()) as u64;
                    let at = self.push_forward(&lemma, level)?;
                    self.add_lemma(lemma, at);
                    if at < last {
                        queue.push(Reverse((at + 1, id)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether a lemma of the frame covers the cube already.
    fn is_blocked(&self, cube: &Cube, level: usize) -> bool {
        self.forever.iter().chain(self.lemmas[level..].iter().flatten()).any(|lemma| lemma.covers(cube))
    }

    /// States of frame `level` - 1 outside the cube.
    fn outside(&mut self, cube: &Cube, level: usize) -> Vec<Term> {
        let mut assumptions = self.frame(level - 1);
        assumptions.push(self.relation.excluded(cube));
        assumptions
    }

    /// Whether a step from frame `level` - 1, outside the cube, leads into it.
    fn relative(&mut self, cube: &Cube, level: usize) -> Outcome<Result<(Cube, Inputs), Vec<Literal>>> {
        let assumptions = self.outside(cube, level);
        self.relation.step_into(cube, &assumptions)
    }

    /// The way of a run from its start to the violation.
    fn way(&self, start: Inputs, first: usize) -> Vec<Inputs> {
        let mut way = vec![start];
        let mut at = Some(first);
        while let Some(id) = at {
            way.push(self.obligations[id].inputs.clone());
            at = self.obligations[id].next;
        }
        way
    }

    /// The last frame at which the lemma holds.
    fn push_forward(&mut self, lemma: &Cube, mut level: usize) -> Outcome<usize> {
        while level < self.last() {
            let mut assumptions = self.frame(level);
            let outside = self.relation.excluded(lemma);
            assumptions.push(outside);
            if self.relation.step_into(lemma, &assumptions)?.is_ok() {
                break;
            }
            level += 1;
        }
        Ok(level)
    }

    fn add_lemma(&mut self, lemma: Cube, level: usize) {
        self.blocked += 1;
        for frame in &mut self.lemmas[1..=level] {
            frame.retain(|other| !lemma.covers(other));
        }
        self.assert_under(self.switches[level], &lemma);
        self.lemmas[level].push(lemma);
    }

    /// Moves lemmas on to the next frame where they hold; a frame all of whose lemmas move is a fixpoint.
    fn propagate(&mut self, companion: &mut dyn Turns, context: &mut Context) -> Outcome<Option<usize>> {
        for level in 1..self.last() {
            for lemma in std::mem::take(&mut self.lemmas[level]) {
                companion.turn(context)?;
                let assumptions = self.frame(level);
                match self.relation.step_into(&lemma, &assumptions)? {
                    Err(needed) => {
                        let lemma = self.relation.apart_from_start(&lemma, needed)?;
                        self.add_lemma(lemma, level + 1);
                    }
                    Ok(_) => self.lemmas[level].push(lemma),
                }
            }
            if self.lemmas[level].is_empty() {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    /// The lemmas of the frames after `fixed`.
    fn invariants(&mut self, fixed: usize) -> Vec<(Cut, Term)> {
        let lemmas: Vec<Cube> = self.lemmas[fixed + 1..].iter().flatten().cloned().collect();
        let mut invariants = Vec::new();
        for lemma in lemmas {
            let inside = self.relation.now(&lemma);
            invariants.push((lemma.cut, self.relation.system.store.not(inside)));
        }
        invariants
    }
}

/// Cubes are blocked at a level.
struct AtLevel<'f, 's> {
    frames: &'f mut Frames<'s>,
    level: usize,
}

impl Blocker for AtLevel<'_, '_> {
    fn word(&self, literal: Literal) -> u32 {
        self.frames.relation.word_of(literal)
    }

    fn blocked(&mut self, cube: Cube) -> Outcome<Option<Cube>> {
        if self.frames.relation.no_start(&cube)?.is_none() {
            return Ok(None);
        }
        let assumptions = self.frames.outside(&cube, self.level);
        match self.frames.relation.no_step(&cube, &assumptions)? {
            None => Ok(None),
            Some(needed) => self.frames.relation.apart_from_start(&cube, needed).map(Some),
        }
    }
}
