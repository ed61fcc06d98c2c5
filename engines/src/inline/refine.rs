//! Which variables to track (CORRAL, section 3.1): a minimal set that rules a counterexample out.
//!
//! The question is put as one about sets: a predicate `check` over subsets of `0..n` says whether a set suffices. It is
//! *monotone*: with more tracked there are fewer runs, so what suffices does so with more in it. The whole suffices, the set
//! tracked so far does not. Wanted is a minimal set between the two: none of what it adds can be left out.
//!
//! [`hierarchical`] is the search of both `hrefine` (Alg. 1) and `vcrefine` (Alg. 2). These differ only in what a check is:
//! the condition of the abstracted path made anew, or assumptions about one condition with a Boolean for each variable
//! ([`super::abstraction`]). It needs at most 2 k ceil(log2 m) + 1 checks for k variables out of m, and never more than
//! 2 m - 1 (Lemma 1). [`linear`] is STORM's, of which the paper says that it finds a minimal set in about m checks:
//! variables are left out one by one.
//!
//! # Deviations
//! The paper parts the undecided variables by chance; here the first half is one part, so that runs can be repeated.

/// Members of `0..n`.
pub type Set = Vec<bool>;

/// Which search is made, and what a check is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Refinement {
    /// `hrefine`.
    Hierarchical,
    /// `vcrefine`.
    Conditions,
    /// STORM's.
    Linear,
}

/// A minimal set that suffices and holds `tracked`. The whole set suffices.
pub fn hierarchical<E>(tracked: &Set, check: &mut impl FnMut(&Set) -> Result<bool, E>) -> Result<Set, E> {
    let undecided: Vec<usize> = (0..tracked.len()).filter(|&v| !tracked[v]).collect();
    hrefine(tracked, &undecided, check)
}

/// What is neither `tracked` nor `undecided` is the paper's `D`: it need not be tracked.
fn hrefine<E>(tracked: &Set, undecided: &[usize], check: &mut impl FnMut(&Set) -> Result<bool, E>) -> Result<Set, E> {
    if undecided.is_empty() || check(tracked)? {
        return Ok(tracked.clone());
    }
    if undecided.len() == 1 {
        return Ok(with(tracked, undecided));
    }
    let (first, second) = undecided.split_at(undecided.len() / 2);
    let found = hrefine(&with(tracked, second), first, check)?;
    let needed: Vec<usize> = first.iter().copied().filter(|&v| found[v]).collect();
    hrefine(&with(tracked, &needed), second, check)
}

/// As [`hierarchical`], one variable a check.
pub fn linear<E>(tracked: &Set, check: &mut impl FnMut(&Set) -> Result<bool, E>) -> Result<Set, E> {
    let mut found = vec![true; tracked.len()];
    for v in (0..tracked.len()).filter(|&v| !tracked[v]) {
        found[v] = false;
        found[v] = !check(&found)?;
    }
    Ok(found)
}

fn with(set: &Set, more: &[usize]) -> Set {
    let mut union = set.clone();
    more.iter().for_each(|&v| union[v] = true);
    union
}

#[cfg(test)]
mod tests {
    use super::{hierarchical, linear, Set};

    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    fn bits(mask: u64, n: usize) -> Set {
        (0..n).map(|v| mask >> v & 1 == 1).collect()
    }

    fn mask(set: &Set) -> u64 {
        set.iter().enumerate().fold(0, |all, (v, &is)| all | u64::from(is) << v)
    }

    fn ceil_log2(n: u64) -> u64 {
        n.next_power_of_two().trailing_zeros().into()
    }

    type Search = fn(&Set, &mut dyn FnMut(&Set) -> Result<bool, ()>) -> Result<Set, ()>;

    /// A set suffices if it has all of one of these: any monotone predicate is of this form.
    fn suffices(enough: &[u64], set: u64) -> bool {
        enough.iter().any(|&e| e & !set == 0)
    }

    /// Asserts that what is found is minimal, against all sets between; the number of checks.
    fn checks(search: Search, tracked: u64, enough: &[u64], n: usize) -> (u64, u64) {
        let mut count = 0;
        let found = search(&bits(tracked, n), &mut |set| {
            count += 1;
            Ok(suffices(enough, mask(set)))
        });
        let found = mask(&found.expect("no check fails"));
        assert_eq!(found & tracked, tracked);
        assert!(suffices(enough, found));
        for between in (0..1 << n).filter(|set| set & tracked == tracked && set & found == *set && *set != found) {
            assert!(!suffices(enough, between), "{found:b} is not minimal: {between:b}");
        }
        (count, (found & !tracked).count_ones().into())
    }

    #[test]
    fn what_is_found_is_minimal_and_checks_are_within_the_bounds() {
        let mut state = 7;
        let mut checked = 0;
        for n in 1..=8usize {
            for _ in 0..400 {
                let whole = (1 << n) - 1;
                let tracked = random(&mut state) & random(&mut state) & whole;
                let enough: Vec<u64> = (0..1 + random(&mut state) % 4)
                    .map(|_| random(&mut state) & random(&mut state) & whole)
                    .filter(|&e| e & !tracked != 0)
                    .collect();
                if enough.is_empty() {
                    continue;
                }
                checked += 1;
                let undecided = u64::from((whole & !tracked).count_ones());
                let (made, added) = checks(|t, c| hierarchical(t, &mut |s| c(s)), tracked, &enough, n);
                assert!(made <= 2 * added * ceil_log2(undecided) + 1, "{made} checks for {added} of {undecided}");
                assert!(made < 2 * undecided, "{made} checks of {undecided} variables");
                let (made, _) = checks(|t, c| linear(t, &mut |s| c(s)), tracked, &enough, n);
                assert_eq!(made, undecided);
            }
        }
        assert!(checked > 1_000);
    }

    #[test]
    fn one_variable_of_a_thousand_takes_few_checks() {
        for wanted in [0, 1, 511, 512, 999] {
            let mut count = 0;
            let found = hierarchical(&vec![false; 1_000], &mut |set| {
                count += 1;
                Ok::<bool, ()>(set[wanted])
            });
            assert_eq!(found.map(|set| set.iter().filter(|&&is| is).count()), Ok(1));
            assert!(count <= 21, "{count} checks");
        }
    }

    #[test]
    fn a_check_that_fails_ends_the_search() {
        let fails = |_: &Set| Err::<bool, &str>("time");
        assert_eq!(hierarchical(&vec![false; 4], &mut { fails }), Err("time"));
        assert_eq!(linear(&vec![false; 4], &mut { fails }), Err("time"));
        assert_eq!(hierarchical(&vec![true; 4], &mut { fails }), Ok(vec![true; 4]));
    }
}
