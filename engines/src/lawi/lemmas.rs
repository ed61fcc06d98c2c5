//! What labels are made of: lemmas, each the negation of a cube, by number.
//!
//! Equal lemmas have one number, so that a label is a set of numbers and the cheapest implication between labels is
//! inclusion.

use crate::relation::Cube;
use cranelift_entity::{entity_impl, PrimaryMap};
use rustc_hash::FxHashMap;

/// No state of the cube is here.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lemma(u32);
entity_impl!(Lemma, "lemma");

#[derive(Default)]
pub struct Lemmas {
    cubes: PrimaryMap<Lemma, Cube>,
    numbers: FxHashMap<Cube, Lemma>,
}

impl Lemmas {
    pub fn number(&mut self, cube: Cube) -> Lemma {
        if let Some(&lemma) = self.numbers.get(&cube) {
            return lemma;
        }
        let lemma = self.cubes.push(cube.clone());
        self.numbers.insert(cube, lemma);
        lemma
    }

    pub fn cube(&self, lemma: Lemma) -> &Cube {
        &self.cubes[lemma]
    }

    pub fn len(&self) -> usize {
        self.cubes.len()
    }

    /// The lemma is false: no state is here at all.
    pub fn is_false(&self, lemma: Lemma) -> bool {
        self.cubes[lemma].literals.is_empty()
    }
}

/// A conjunction of lemmas about the states at one cut. It only ever gets stronger.
#[derive(Clone, Default)]
pub struct Label {
    /// Sorted. None follows from another one alone.
    lemmas: Vec<Lemma>,
    /// How often it has become stronger.
    pub version: u32,
}

/// Which of the cheap checks has found an implication.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Cheap {
    Member,
    Subsumed,
}

impl Label {
    pub fn lemmas(&self) -> &[Lemma] {
        &self.lemmas
    }

    /// Whether the lemma is one of these, or follows from one: conservative.
    pub fn implies(&self, lemma: Lemma, all: &Lemmas) -> Option<Cheap> {
        if self.lemmas.binary_search(&lemma).is_ok() {
            return Some(Cheap::Member);
        }
        let cube = all.cube(lemma);
        self.lemmas.iter().any(|&l| all.cube(l).covers(cube)).then_some(Cheap::Subsumed)
    }

    /// Whether some lemma covers the cube.
    pub fn excludes(&self, cube: &Cube, all: &Lemmas) -> bool {
        self.lemmas.iter().any(|&l| all.cube(l).covers(cube))
    }

    /// The lemmas of the other label that do not follow cheaply, and the dearest of the checks that found the rest.
    pub fn missing(&self, other: &Label, all: &Lemmas) -> (Vec<Lemma>, Cheap) {
        let mut dearest = Cheap::Member;
        let mut missing = Vec::new();
        for &lemma in &other.lemmas {
            match self.implies(lemma, all) {
                Some(Cheap::Member) => {}
                Some(Cheap::Subsumed) => dearest = Cheap::Subsumed,
                None => missing.push(lemma),
            }
        }
        (missing, dearest)
    }

    /// Adds a lemma; false if it follows cheaply already.
    pub fn add(&mut self, lemma: Lemma, all: &Lemmas) -> bool {
        if self.implies(lemma, all).is_some() {
            return false;
        }
        let cube = all.cube(lemma);
        self.lemmas.retain(|&l| !cube.covers(all.cube(l)));
        let at = self.lemmas.partition_point(|&l| l < lemma);
        self.lemmas.insert(at, lemma);
        self.version += 1;
        true
    }
}
