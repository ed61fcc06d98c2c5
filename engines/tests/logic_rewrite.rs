//! Random terms, built through the rewriting constructors, mean what their operators say.

mod logic_gen;

use logic_gen::{Rng, Round};

#[test]
fn rewriting_keeps_the_meaning() {
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    let mut checked = 0;
    while checked < 100_000 {
        let mut round = Round::new(&mut rng, checked % 4 == 0);
        for _ in 0..120 {
            checked += usize::from(round.step(&mut rng));
        }
    }
}
