//! Long runs of writes and many reads, where constraints come on demand: the value of every read is what plain
//! evaluation says, and no other.

mod logic_gen;

use logic_gen::Rng;
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};
use syncline_engines::logic::{default_solver, Answer, Limits, Solver, Symbol, Term, TermStore};
use syncline_ir::{ArrayConst, Const, Scalar, Type};

const INDEX: u32 = 10;
const ELEM: u32 = 4;

fn soon() -> Limits {
    Limits::until(Instant::now() + Duration::from_secs(60))
}

struct World {
    store: TermStore,
    solver: Box<dyn Solver>,
    /// The scalar symbols with their values.
    fixed: Vec<(Term, Const)>,
    model: FxHashMap<Symbol, Const>,
}

impl World {
    fn new() -> World {
        World { store: TermStore::new(), solver: default_solver(), fixed: Vec::new(), model: FxHashMap::default() }
    }

    fn symbol(&mut self, ty: Type, value: Const) -> Term {
        let t = self.store.new_symbol("x", ty);
        self.model.insert(self.store.as_symbol(t).unwrap(), value.clone());
        if !ty.is_array() {
            self.fixed.push((t, value));
        }
        t
    }

    fn scalar(&mut self, rng: &mut Rng, width: u32) -> Term {
        self.symbol(Type::bv(width), Const::bv(width, rng.next() as u128))
    }

    fn equal(&mut self, t: Term, value: &Const) -> Term {
        let value = self.store.constant_term(value.clone());
        self.store.eq(t, value)
    }

    fn check(&mut self, assumptions: &[Term]) -> Answer {
        let answer = self.solver.check(&mut self.store, assumptions, &soon());
        if answer == Answer::Sat {
            for &t in assumptions {
                assert_eq!(self.solver.model_value(&self.store, t), Const::TRUE, "the model violates {t:?}");
            }
        }
        answer
    }
}

/// A run of writes, most at constant indices close to each other, many of them of one value.
fn written(world: &mut World, rng: &mut Rng, mut array: Term, writes: usize) -> Term {
    let dense = rng.next() as u128 & 0x3ff;
    for k in 0..writes {
        let index = match rng.below(40) {
            0 => world.scalar(rng, INDEX),
            1..=8 => world.store.bv(INDEX, rng.next() as u128),
            _ => world.store.bv(INDEX, dense.wrapping_add(k as u128)),
        };
        let value = match rng.below(4) {
            0 => world.scalar(rng, ELEM),
            1 => world.store.bv(ELEM, rng.next() as u128),
            _ => world.store.bv(ELEM, 0),
        };
        array = world.store.store(array, index, value);
    }
    array
}

#[test]
fn reads_of_long_runs_have_one_value() {
    let mut rng = Rng(0x5eed_0001_2345_6789);
    for round in 0..12 {
        let mut world = World::new();
        let base = Const::Array(ArrayConst::filled(INDEX, Const::bv(ELEM, 5)));
        let mut array = match round % 3 {
            0 => world.store.constant_term(base),
            _ => world.symbol(Type::Array { index: INDEX, elem: Scalar::Bv(ELEM) }, base),
        };
        let start = array;
        let mut reads = Vec::new();
        for _ in 0..3 {
            let writes = 30 + rng.below(120);
            array = written(&mut world, &mut rng, array, writes);
            for _ in 0..6 {
                let index = world.scalar(&mut rng, INDEX);
                reads.push(world.store.select(array, index));
            }
        }
        let mut assumptions: Vec<Term> = Vec::new();
        for (t, value) in world.fixed.clone() {
            assumptions.push(world.equal(t, &value));
        }
        for &read in &reads {
            let expected = world.store.eval(read, &world.model);
            // The symbol below holds 5 everywhere, as far as it is read at all.
            let same = world.equal(read, &expected);
            let other = world.store.not(same);
            let mut all = assumptions.clone();
            if world.store.as_symbol(start).is_some() {
                for (t, _) in world.fixed.clone() {
                    if world.store.width(t) == INDEX {
                        let cell = world.store.select(start, t);
                        all.push(world.equal(cell, &Const::bv(ELEM, 5)));
                    }
                }
            }
            all.push(same);
            assert_eq!(world.check(&all), Answer::Sat, "round {round}");
            *all.last_mut().unwrap() = other;
            assert_eq!(world.check(&all), Answer::Unsat, "round {round}");
        }
        // Without values for the symbols, models are still models; the values of the round are one.
        let free: Vec<Term> = reads
            .iter()
            .map(|&r| {
                let value = world.store.eval(r, &world.model);
                world.equal(r, &value)
            })
            .collect();
        assert_eq!(world.check(&free), Answer::Sat, "round {round}");
    }
}

#[test]
fn many_cells_of_one_symbol_agree() {
    let mut rng = Rng(0x5eed_0002_2345_6789);
    let mut world = World::new();
    let array = world.store.new_symbol("a", Type::Array { index: INDEX, elem: Scalar::Bv(ELEM) });
    let cells: Vec<(Term, Term)> = (0..90)
        .map(|_| {
            let index = world.store.new_symbol("i", Type::bv(INDEX));
            (index, world.store.select(array, index))
        })
        .collect();
    for _ in 0..40 {
        // All indices among a few; two cells that differ although some chain makes their indices equal.
        let mut assumptions: Vec<Term> = Vec::new();
        for &(i, _) in &cells {
            let bound = world.store.bv(INDEX, 3);
            assumptions.push(world.store.bin(syncline_ir::BinOp::Ult, i, bound));
        }
        let chosen: Vec<usize> = (0..5).map(|_| rng.below(cells.len())).collect();
        for pair in chosen.windows(2) {
            assumptions.push(world.store.eq(cells[pair[0]].0, cells[pair[1]].0));
        }
        let (first, last) = (cells[chosen[0]].1, cells[chosen[4]].1);
        let same = world.store.eq(first, last);
        let other = world.store.not(same);
        assumptions.push(same);
        assert_eq!(world.check(&assumptions), Answer::Sat);
        *assumptions.last_mut().unwrap() = other;
        assert_eq!(world.check(&assumptions), Answer::Unsat);
        // Three indices have three values at most.
        let mut four = assumptions[..cells.len()].to_vec();
        for k in 0..4 {
            let value = world.store.bv(ELEM, k);
            four.push(world.store.eq(cells[(chosen[0] + k as usize * 7) % cells.len()].1, value));
        }
        assert_eq!(world.check(&four[..four.len() - 1]), Answer::Sat);
        assert_eq!(world.check(&four), Answer::Unsat);
    }
}

/// One read, asked at one index after the other: what was learnt at one must not spoil its neighbours.
#[test]
fn a_read_moves_through_its_runs() {
    let mut rng = Rng(0x5eed_0003_2345_6789);
    for round in 0..6 {
        let mut world = World::new();
        // With so many cells the constant takes in no more writes: those that follow stay writes.
        let mut base = ArrayConst::filled(INDEX, Const::bv(ELEM, 5));
        (900..1000).for_each(|i| base.set(i, Const::bv(ELEM, 6)));
        let mut array = world.store.constant_term(Const::Array(base));
        // Runs of one to four cells, with gaps of up to two between them; more of them than a read is patient.
        let mut at = 100 + rng.below(50) as u128;
        let first = at;
        for _ in 0..60 {
            let value = world.store.bv(ELEM, rng.next() as u128);
            for _ in 0..1 + rng.below(4) {
                let index = world.store.bv(INDEX, at);
                array = world.store.store(array, index, value);
                at += 1;
            }
            at += rng.below(3) as u128;
        }
        let index = world.store.new_symbol("i", Type::bv(INDEX));
        let read = world.store.select(array, index);
        let symbol = world.store.as_symbol(index).unwrap();
        for step in 0..40 {
            // Every other round goes down.
            let i = if round % 2 == 1 { at - step } else { first - 1 + step };
            let i = Const::bv(INDEX, i);
            world.model.insert(symbol, i.clone());
            let expected = world.store.eval(read, &world.model);
            let here = world.equal(index, &i);
            let same = world.equal(read, &expected);
            let other = world.store.not(same);
            assert_eq!(world.check(&[here, same]), Answer::Sat, "round {round}, step {step}");
            assert_eq!(world.check(&[here, other]), Answer::Unsat, "round {round}, step {step}");
        }
    }
}
