//! Affine relations modulo 2^w that all states seen satisfy, after Müller-Olm and Seidl, *Analysis of modular
//! arithmetic* (2007), computed from states instead of the program.
//!
//! The relations `c + a1 x1 + ... + an xn = 0 (mod 2^w)` that a state satisfies form a module. Starting from all of them,
//! each state cuts the module down to what it satisfies: of the generators, the one whose value on the state has the
//! fewest factors of two clears the others, and is itself multiplied until it vanishes. What is left after all states
//! generates exactly what they have in common; a generator `2^k (...)` is a congruence modulo 2^(w-k).

use super::Columns;
use crate::logic::{Term, TermStore};
use syncline_ir::BinOp;

/// Cells beyond which there are no relations, and beyond which there are none with products.
const MAX_CELLS: usize = 40;
const MAX_FACTORS: usize = 5;
/// States there must be beyond the unknowns for a relation to be no accident.
const MARGIN: usize = 3;

/// Relations between cells.
pub fn linear(store: &mut TermStore, columns: &Columns) -> Vec<Term> {
    let all: Vec<usize> = (0..columns.cells.len()).collect();
    of(columns, &all, &[]).iter().map(|g| term(store, columns, &all, &[], g)).collect()
}

/// Relations between products of cells. Cells that the others determine are left out: their products say nothing new.
pub fn quadratic(store: &mut TermStore, columns: &Columns) -> Vec<Term> {
    let all: Vec<usize> = (0..columns.cells.len()).collect();
    let mut cells = all.clone();
    for relation in of(columns, &all, &[]) {
        cells.retain(|&c| relation[1 + c] % 2 == 0 || relation[1 + c..].iter().skip(1).any(|c| c % 2 == 1));
    }
    if !(1..=MAX_FACTORS).contains(&cells.len()) {
        return Vec::new();
    }
    let products: Vec<(usize, usize)> = cells.iter().flat_map(|&a| all[a..].iter().map(move |&b| (a, b))).collect();
    let products: Vec<(usize, usize)> = products.into_iter().filter(|(_, b)| cells.contains(b)).collect();
    of(columns, &cells, &products).iter().map(|g| term(store, columns, &cells, &products, g)).collect()
}

/// The relations between 1, these cells, and these products of cells.
fn of(columns: &Columns, cells: &[usize], products: &[(usize, usize)]) -> Vec<Vec<u64>> {
    let (width, unknowns) = (columns.width, 1 + cells.len() + products.len());
    if cells.len() > MAX_CELLS || width > 64 || columns.rows.len() < unknowns + MARGIN {
        return Vec::new();
    }
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let unit = |n: usize| (0..unknowns).map(|m| u64::from(n == m)).collect();
    let mut generators: Vec<Vec<u64>> = (0..unknowns).map(unit).collect();
    for row in &columns.rows {
        let mut state: Vec<u64> = vec![1];
        state.extend(cells.iter().map(|&c| row[c] as u64));
        state.extend(products.iter().map(|&(a, b)| (row[a] as u64).wrapping_mul(row[b] as u64)));
        cut_down(&mut generators, &state, mask, width);
    }
    generators.into_iter().map(|g| small(g, mask, width)).collect()
}

/// The multiple of a relation by an odd number, which says the same, with the smallest coefficients.
fn small(generator: Vec<u64>, mask: u64, width: u32) -> Vec<u64> {
    let absolute = |c: u64| u128::from(c.min(c.wrapping_neg() & mask));
    let size = |g: &[u64]| g.iter().map(|&c| absolute(c)).sum::<u128>();
    let by = |factor: u64| generator.iter().map(|c| c.wrapping_mul(factor) & mask).collect::<Vec<u64>>();
    let twos = generator.iter().map(|c| c.trailing_zeros()).min().unwrap_or(0).min(width - 1);
    let odd = generator.iter().map(|c| c >> twos).filter(|c| c % 2 == 1);
    let multiples: Vec<Vec<u64>> = odd.map(|c| by(inverse(c))).collect();
    multiples.into_iter().min_by_key(|g| size(g)).unwrap_or(generator)
}

/// Restricts the module to the relations that the state satisfies.
fn cut_down(generators: &mut Vec<Vec<u64>>, state: &[u64], mask: u64, width: u32) {
    let value = |g: &[u64]| g.iter().zip(state).fold(0u64, |sum, (c, x)| sum.wrapping_add(c.wrapping_mul(*x))) & mask;
    let values: Vec<u64> = generators.iter().map(|g| value(g)).collect();
    let Some(pivot) = (0..values.len()).rev().filter(|&n| values[n] != 0).min_by_key(|&n| values[n].trailing_zeros())
    else {
        return;
    };
    let twos = values[pivot].trailing_zeros();
    let inverse = inverse(values[pivot] >> twos);
    let cleared = generators[pivot].clone();
    for (n, generator) in generators.iter_mut().enumerate() {
        if n == pivot || values[n] == 0 {
            continue;
        }
        let factor = (values[n] >> twos).wrapping_mul(inverse);
        for (c, p) in generator.iter_mut().zip(&cleared) {
            *c = c.wrapping_sub(factor.wrapping_mul(*p)) & mask;
        }
    }
    if twos == 0 {
        generators.remove(pivot);
    } else {
        for c in &mut generators[pivot] {
            *c = (*c << (width - twos)) & mask;
        }
    }
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration.
fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))))
}

/// `sum = 0`, with the smaller of a coefficient and its negation on its own side.
fn term(
    store: &mut TermStore,
    columns: &Columns,
    cells: &[usize],
    products: &[(usize, usize)],
    generator: &[u64],
) -> Term {
    let width = columns.width;
    let mut sides = [store.bv(width, 0), store.bv(width, 0)];
    for (n, &coefficient) in generator.iter().enumerate() {
        let negative = coefficient >> (width - 1) & 1 == 1 && coefficient != 1 << (width - 1);
        let absolute = if negative { coefficient.wrapping_neg() } else { coefficient };
        if coefficient == 0 {
            continue;
        }
        let factor = store.bv(width, absolute.into());
        let summand = match n.checked_sub(1) {
            None => factor,
            Some(n) => {
                let unknown = match cells.get(n) {
                    Some(&c) => columns.cells[c],
                    None => {
                        let (a, b) = products[n - cells.len()];
                        store.bin(BinOp::Mul, columns.cells[a], columns.cells[b])
                    }
                };
                store.bin(BinOp::Mul, factor, unknown)
            }
        };
        let side = usize::from(negative);
        sides[side] = store.bin(BinOp::Add, sides[side], summand);
    }
    store.eq(sides[0], sides[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(width: u32, rows: Vec<Vec<u128>>) -> Vec<Vec<u64>> {
        let unknowns = rows[0].len() + 1;
        let mask = (1u64 << width) - 1;
        let mut generators: Vec<Vec<u64>> =
            (0..unknowns).map(|n| (0..unknowns).map(|m| u64::from(n == m)).collect()).collect();
        for row in rows {
            let mut state = vec![1];
            state.extend(row.iter().map(|&b| b as u64));
            cut_down(&mut generators, &state, mask, width);
        }
        generators
    }

    /// Every relation over two 3-bit variables that all states satisfy is generated, and nothing else.
    #[test]
    fn the_module_is_exactly_what_the_states_share() {
        let mut random = 7u64;
        for _ in 0..200 {
            let mut rows = Vec::new();
            for _ in 0..3 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                rows.push(vec![u128::from(random >> 33 & 7), u128::from(random >> 43 & 7)]);
            }
            let generators = seen(3, rows.clone());
            let mut spanned = std::collections::BTreeSet::from([vec![0u64; 3]]);
            for generator in &generators {
                let before: Vec<Vec<u64>> = spanned.iter().cloned().collect();
                for factor in 1..8u64 {
                    for relation in &before {
                        spanned.insert(relation.iter().zip(generator).map(|(r, g)| (r + factor * g) & 7).collect());
                    }
                }
            }
            for relation in 0..512u64 {
                let relation = vec![relation & 7, relation >> 3 & 7, relation >> 6];
                let holds = rows.iter().all(|row| {
                    (relation[0] + relation[1] * row[0] as u64 + relation[2] * row[1] as u64).is_multiple_of(8)
                });
                assert_eq!(holds, spanned.contains(&relation), "{relation:?} on {rows:?}");
            }
        }
    }
}
