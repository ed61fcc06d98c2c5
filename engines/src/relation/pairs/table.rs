//! What the atoms of a cut are in the states known there, and what these states allow.

use crate::cuts::Cut;
use crate::logic::Term;
use rustc_hash::FxHashMap;

/// What the atoms of a cut are in the states known there.
#[derive(Clone, Default)]
pub struct Table {
    pub atoms: Vec<Term>,
    /// The cells in each atom, by their places at the cut.
    pub cells: Vec<Vec<usize>>,
    /// A bit for each known state.
    columns: Vec<Vec<u64>>,
    known: usize,
}

/// An atom, or its negation.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Signed {
    pub atom: usize,
    pub negated: bool,
}

impl Signed {
    fn all(atoms: &[usize]) -> Vec<Signed> {
        atoms.iter().flat_map(|&atom| [false, true].map(|negated| Signed { atom, negated })).collect()
    }
}

/// What may hold at a cut: the left side implies the right one, or is the same; without a left side, the right one holds.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Candidate {
    pub cut: Cut,
    pub left: Option<Signed>,
    pub right: Signed,
    pub same: bool,
}

impl Candidate {
    pub fn holds(&self, values: &[bool]) -> bool {
        let of = |s: Signed| values[s.atom] != s.negated;
        match self.left {
            None => of(self.right),
            Some(left) if self.same => of(left) == of(self.right),
            Some(left) => !of(left) || of(self.right),
        }
    }
}

impl Table {
    pub fn new(atoms: Vec<Term>, cells: Vec<Vec<usize>>) -> Table {
        Table { columns: vec![Vec::new(); atoms.len()], atoms, cells, known: 0 }
    }

    pub fn add(&mut self, values: &[bool]) {
        let (word, bit) = (self.known / 64, self.known % 64);
        for (column, &value) in self.columns.iter_mut().zip(values) {
            if bit == 0 {
                column.push(0);
            }
            column[word] |= u64::from(value) << bit;
        }
        self.known += 1;
    }

    /// The literal's value in each known state, 64 at a time.
    fn signature(&self, literal: Signed) -> Vec<u64> {
        let mut words = self.columns[literal.atom].clone();
        if literal.negated {
            words.iter_mut().for_each(|w| *w = !*w);
        }
        if let (Some(last), 1..) = (words.last_mut(), self.known % 64) {
            *last &= (1 << (self.known % 64)) - 1;
        }
        words
    }

    /// How many of the known states would contradict the candidate if its sides were independent of each other.
    pub fn expected(&self, candidate: &Candidate) -> usize {
        let ones = |literal: Signed| self.signature(literal).iter().map(|w| w.count_ones() as usize).sum::<usize>();
        let right = ones(candidate.right);
        match candidate.left {
            None => self.known,
            Some(_) if candidate.same => right.min(self.known - right),
            Some(left) => ones(left) * (self.known - right) / self.known.max(1),
        }
    }

    /// All that the known states allow, without what follows from the rest.
    pub fn candidates(&self, cut: Cut) -> Vec<Candidate> {
        let mut found = Vec::new();
        let mut classes: FxHashMap<Vec<u64>, Signed> = FxHashMap::default();
        let mut chosen = Vec::new();
        for atom in 0..self.atoms.len() {
            // Of the two signs the one that is true in the first state.
            let first = self.columns[atom].first().is_some_and(|w| w & 1 == 1);
            let literal = Signed { atom, negated: !first };
            let signature = self.signature(literal);
            if signature.iter().map(|w| w.count_ones() as usize).sum::<usize>() == self.known {
                found.push(Candidate { cut, left: None, right: literal, same: false });
            } else if let Some(&other) = classes.get(&signature) {
                found.push(Candidate { cut, left: Some(literal), right: other, same: true });
            } else {
                classes.insert(signature, literal);
                chosen.push(atom);
            }
        }
        found.extend(self.implications(cut, &Signed::all(&chosen)));
        found
    }

    /// The implications between literals with different signatures that are not made of two others.
    fn implications(&self, cut: Cut, literals: &[Signed]) -> Vec<Candidate> {
        let signatures: Vec<Vec<u64>> = literals.iter().map(|&l| self.signature(l)).collect();
        let below = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a & !b == 0);
        let mut above: Vec<Vec<u64>> = vec![vec![0; literals.len().div_ceil(64)]; literals.len()];
        for a in 0..literals.len() {
            for b in (0..literals.len()).filter(|&b| b != a && below(&signatures[a], &signatures[b])) {
                above[a][b / 64] |= 1 << (b % 64);
            }
        }
        let mut found = Vec::new();
        for a in 0..literals.len() {
            let is_above = |b: usize| above[a][b / 64] >> (b % 64) & 1 == 1;
            let mut farther = vec![0u64; above[a].len()];
            for b in (0..literals.len()).filter(|&b| is_above(b)) {
                farther.iter_mut().zip(&above[b]).for_each(|(f, w)| *f |= w);
            }
            for b in (0..literals.len()).filter(|&b| is_above(b) && farther[b / 64] >> (b % 64) & 1 == 0) {
                // Each implication is there twice, the other time from the negations: literals of one atom are
                // neighbours, the negated one second.
                if (a, b) <= (b ^ 1, a ^ 1) {
                    found.push(Candidate { cut, left: Some(literals[a]), right: literals[b], same: false });
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::TermStore;
    use cranelift_entity::EntityRef;
    use syncline_ir::Type;

    /// A table of atoms `a`, `b`, ... that are as these words say, one a state.
    fn table(states: &[&str]) -> Table {
        let mut store = TermStore::new();
        let atoms: Vec<Term> = states[0].chars().map(|_| store.new_symbol("a", Type::BOOL)).collect();
        let cells = vec![Vec::new(); atoms.len()];
        let mut table = Table::new(atoms, cells);
        for state in states {
            table.add(&state.chars().map(|c| c == '1').collect::<Vec<_>>());
        }
        table
    }

    fn written(candidates: &[Candidate]) -> Vec<String> {
        let of = |s: Signed| format!("{}{}", if s.negated { "!" } else { "" }, (b'a' + s.atom as u8) as char);
        let mut words: Vec<String> = candidates
            .iter()
            .map(|c| match c.left {
                None => of(c.right),
                Some(left) if c.same => format!("{}={}", of(left), of(c.right)),
                Some(left) => format!("{}>{}", of(left), of(c.right)),
            })
            .collect();
        words.sort();
        words
    }

    #[test]
    fn what_follows_from_two_others_is_left_out() {
        let table = table(&["000", "001", "011", "111"]);
        assert_eq!(written(&table.candidates(Cut::new(0))), ["a>b", "b>c"]);
    }

    #[test]
    fn one_literal_stands_for_all_that_are_the_same() {
        let table = table(&["0101", "1001", "0101"]);
        // The second is the negation of the first, the third is never true and the fourth always.
        assert_eq!(written(&table.candidates(Cut::new(0))), ["!c", "b=!a", "d"]);
    }

    #[test]
    fn every_candidate_holds_in_every_known_state() {
        let states = ["0110", "1010", "1110", "0010", "0111", "0011"];
        let table = table(&states);
        let candidates = table.candidates(Cut::new(0));
        assert_eq!(written(&candidates), ["a>!d", "c"]);
        for state in states {
            let values: Vec<bool> = state.chars().map(|c| c == '1').collect();
            assert!(candidates.iter().all(|c| c.holds(&values)), "{state}");
        }
    }

    #[test]
    fn more_than_64_states_are_known() {
        let mut states = vec!["01"; 70];
        states.extend(["10", "00"]);
        assert_eq!(written(&table(&states).candidates(Cut::new(0))), ["a>!b"]);
        assert_eq!(table(&states).expected(&table(&states).candidates(Cut::new(0))[0]), 70 / 72);
    }
}
