//! What sites bring into a run. A run of a million steps in which one input stays as it is holds that value once.

use super::Inputs;
use crate::consts::Const;
use crate::entities::Site;
use crate::types::Type;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::ops::Range;

/// Values in order. Equal neighbours are kept once, with their number: so equal values are kept in the same way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    /// Each value with the number of values up to the last of its kind.
    ends: Vec<(Const, usize)>,
}

impl Values {
    pub fn push(&mut self, value: Const) {
        self.push_times(value, 1);
    }

    pub fn push_times(&mut self, value: Const, times: usize) {
        if times == 0 {
            return;
        }
        let len = self.len().saturating_add(times);
        match self.ends.last_mut() {
            Some((last, end)) if *last == value => *end = len,
            _ => self.ends.push((value, len)),
        }
    }

    pub fn len(&self) -> usize {
        self.ends.last().map_or(0, |(_, end)| *end)
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The values with how often each comes before another one does.
    pub fn runs(&self) -> impl Iterator<Item = (&Const, usize)> {
        let mut begin = 0;
        self.ends.iter().map(move |(value, end)| (value, end - std::mem::replace(&mut begin, *end)))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Const> {
        self.runs().flat_map(|(value, times)| std::iter::repeat_n(value, times))
    }

    pub fn get(&self, n: usize) -> Option<&Const> {
        self.ends.get(self.ends.partition_point(|(_, end)| *end <= n)).map(|(value, _)| value)
    }

    /// With other values in the place of some. Places behind the end are none.
    pub fn replace(&mut self, range: Range<usize>, by: impl IntoIterator<Item = Const>) {
        let old = std::mem::take(self);
        let (mut begin, mut by) = (0, Some(by));
        for (value, end) in old.ends {
            let before = range.start.clamp(begin, end) - begin;
            let behind = end - range.end.max(range.start).clamp(begin, end);
            self.push_times(value.clone(), before);
            if range.start < end {
                by.take().into_iter().flatten().for_each(|value| self.push(value));
            }
            self.push_times(value, behind);
            begin = end;
        }
    }
}

impl FromIterator<Const> for Values {
    fn from_iter<I: IntoIterator<Item = Const>>(values: I) -> Values {
        let mut all = Values::default();
        values.into_iter().for_each(|value| all.push(value));
        all
    }
}

/// For each site the values it brings in, in the order of execution; zero when they are used up.
#[derive(Clone, Debug, Default)]
pub struct SiteQueues {
    queues: FxHashMap<Site, VecDeque<(Const, usize)>>,
    /// How often sites that had values were asked for more of them, and how often they may be.
    beyond: u64,
    most_beyond: Option<u64>,
}

impl SiteQueues {
    pub fn new<'v>(values: impl IntoIterator<Item = (&'v Site, &'v Values)>) -> SiteQueues {
        let queues = values
            .into_iter()
            .map(|(&site, values)| (site, values.runs().map(|(v, times)| (v.clone(), times)).collect()));
        SiteQueues { queues: queues.collect(), ..SiteQueues::default() }
    }

    /// The run is over when sites that had values were asked for more than so many more.
    pub fn ending_after(self, most: u64) -> SiteQueues {
        SiteQueues { most_beyond: Some(most), ..self }
    }

    pub fn push(&mut self, site: Site, value: Const) {
        self.queues.entry(site).or_default().push_back((value, 1));
    }
}

impl Inputs for SiteQueues {
    fn next(&mut self, site: Site, ty: Type) -> Const {
        let Some(queue) = self.queues.get_mut(&site) else { return Const::zero(ty) };
        if let Some((value, times)) = queue.front_mut().filter(|(_, times)| *times > 1) {
            *times -= 1;
            return value.clone();
        }
        queue.pop_front().map_or_else(
            || {
                self.beyond += 1;
                Const::zero(ty)
            },
            |(value, _)| value,
        )
    }

    fn is_over(&self) -> bool {
        self.most_beyond.is_some_and(|most| self.beyond > most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(values: &Values) -> Vec<u128> {
        let by_place = (0..values.len()).map(|n| values.get(n).expect("a value in the middle"));
        assert!(by_place.eq(values.iter()));
        values.iter().map(|value| value.as_bits().expect("a number")).collect()
    }

    fn packed(bits: &[u128]) -> Values {
        bits.iter().map(|&b| Const::bv(8, b)).collect()
    }

    #[test]
    fn places_are_replaced_as_in_a_plain_list() {
        let bits = [1, 1, 2, 2, 2, 3, 1];
        for start in 0..9 {
            for end in start..10 {
                for by in [&[][..], &[2], &[7, 7]] {
                    let mut values = packed(&bits);
                    values.replace(start..end, by.iter().map(|&b| Const::bv(8, b)));
                    let mut wanted = bits.to_vec();
                    if start < bits.len() {
                        wanted.splice(start..end.min(bits.len()), by.iter().copied());
                    }
                    assert_eq!(plain(&values), wanted, "{start}..{end} by {by:?}");
                    assert_eq!(values, packed(&wanted), "kept in the same way: {start}..{end} by {by:?}");
                }
            }
        }
    }

    #[test]
    fn a_queue_gives_every_value_and_then_zeros() {
        let (site, values) = (Site::from_u32(3), packed(&[5, 5, 0, 9]));
        let mut queues = SiteQueues::new([(&site, &values)]);
        let given: Vec<_> = (0..6).map(|_| queues.next(site, Type::bv(8)).as_bits()).collect();
        assert_eq!(given, [5, 5, 0, 9, 0, 0].map(Some));
        assert_eq!(queues.next(Site::from_u32(4), Type::bv(8)), Const::bv(8, 0));
    }
}
