//! Larger cubes that are blocked too: whole words dropped first, then single literals.

use super::{Cube, Literal, Outcome};

/// After so many literals in a row that cannot be dropped, a cube is left as it is.
const MAX_FAILURES: u32 = 12;

/// What it means for a cube to be blocked.
pub trait Blocker {
    /// The word the literal is a bit of.
    fn word(&self, literal: Literal) -> u32;

    /// Whether the cube is blocked: then a cube with some of its literals that is blocked as well.
    fn blocked(&mut self, cube: Cube) -> Outcome<Option<Cube>>;
}

/// A cube with some literals of this blocked one that is blocked too.
pub fn generalise(blocker: &mut impl Blocker, cube: Cube) -> Outcome<Cube> {
    let mut best = cube;
    // Whole words first: what a lemma does not need is seldom half of one.
    let mut words: Vec<u32> = best.literals.iter().map(|&l| blocker.word(l)).collect();
    words.dedup();
    for word in words {
        let kept: Vec<Literal> = best.literals.iter().copied().filter(|&l| blocker.word(l) != word).collect();
        if best.literals.len() - kept.len() > 1 {
            let cube = Cube { cut: best.cut, literals: kept };
            best = blocker.blocked(cube)?.unwrap_or(best);
        }
    }
    let mut failures = 0;
    let mut at = 0;
    while at < best.literals.len() && failures < MAX_FAILURES {
        let mut smaller = best.clone();
        smaller.literals.remove(at);
        match blocker.blocked(smaller)? {
            Some(cube) => {
                best = cube;
                failures = 0;
            }
            None => {
                failures += 1;
                at += 1;
            }
        }
    }
    Ok(best)
}
