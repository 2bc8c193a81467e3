//! A length, such as the planes of a volume along z, cut into ranges that follow each other.

use std::ops::Range;

/// How many planes beyond its own a slab needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Halo {
    /// Before its first.
    pub below: usize,
    /// After its last.
    pub above: usize,
}

impl Halo {
    /// All that a slab needs of `len` planes.
    pub fn around(self, slab: &Range<usize>, len: usize) -> Range<usize> {
        let end = slab.end.saturating_add(self.above).min(len);
        slab.start.saturating_sub(self.below)..end
    }
}

/// Share `number` of `parts` shares of about the same length.
pub(crate) fn share(len: usize, parts: usize, number: usize) -> Range<usize> {
    let start = |number: usize| (len as u128 * number as u128 / parts.max(1) as u128) as usize;
    start(number)..start(number + 1)
}

/// Shares of about the same length, none of them empty: `parts`, or fewer if there is less to
/// share.
pub(crate) fn even(len: usize, parts: usize) -> impl Iterator<Item = Range<usize>> {
    let parts = parts.min(len);
    (0..parts).map(move |number| share(len, parts, number))
}

/// Ranges of `height`, at least 1, but for the last, which is what is left.
pub(crate) fn at_most(len: usize, height: usize) -> impl Iterator<Item = Range<usize>> {
    let height = height.max(1);
    (0..len.div_ceil(height)).map(move |number| {
        let start = number * height;
        start..start + height.min(len - start)
    })
}

/// Ranges of these lengths, at least 1 each, of which there are enough; the last is what is left.
pub(crate) fn of_lengths(
    len: usize,
    lengths: impl Iterator<Item = usize>,
) -> impl Iterator<Item = Range<usize>> {
    lengths.scan(0, move |start, length| {
        let first = *start;
        (first < len).then(|| {
            *start = first + length.clamp(1, len - first);
            first..*start
        })
    })
}

/// The planes of some steps of `step` planes each, of `len` planes in all; the last step may be
/// short.
pub(crate) fn in_steps(steps: Range<usize>, step: usize, len: usize) -> Range<usize> {
    let plane = |number: usize| number.saturating_mul(step).min(len);
    plane(steps.start)..plane(steps.end)
}

/// Cuts as many elements as there are weights into `parts` ranges of about the same weight. Some
/// may be empty.
pub(crate) fn by_weight(
    weights: impl ExactSizeIterator<Item = u64> + Clone,
    parts: usize,
) -> Vec<Range<usize>> {
    let len = weights.len();
    let all: u64 = weights.clone().sum();
    let mut weights = weights.into_iter();
    let (mut start, mut before) = (0, 0);
    let part = |number: usize| {
        let wanted = (u128::from(all) * number as u128 / parts as u128) as u64;
        let first = start;
        while start < len && (before < wanted || number == parts) {
            before += weights.next().unwrap_or(0);
            start += 1;
        }
        first..start
    };
    (1..=parts).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halos_end_where_the_planes_do() {
        let halo = Halo { below: 1, above: 2 };
        assert_eq!(halo.around(&(3..5), 10), 2..7);
        assert_eq!(halo.around(&(0..4), 5), 0..5);
    }

    #[test]
    fn shares_are_even_and_none_is_empty() {
        let shares: Vec<_> = even(7, 3).collect();
        assert_eq!(shares, [0..2, 2..4, 4..7]);
        assert_eq!(even(2, 8).count(), 2);
        assert_eq!((even(0, 8).count(), even(5, 0).count()), (0, 0));
    }

    #[test]
    fn heights_and_lengths_add_up() {
        let slabs: Vec<_> = at_most(10, 4).collect();
        assert_eq!(slabs, [0..4, 4..8, 8..10]);
        assert_eq!(at_most(3, 0).count(), 3);
        let of = |len, length| -> Vec<_> {
            of_lengths(len, std::iter::repeat(length))
                .map(|range| range.len())
                .collect()
        };
        assert_eq!(of(3, 0), [1, 1, 1]);
        assert_eq!(of(7, 3), [3, 3, 1]);
        assert_eq!(of(0, 3), [0; 0]);
    }

    #[test]
    fn steps_are_whole_but_for_the_last() {
        assert_eq!(in_steps(1..3, 32, 100), 32..96);
        assert_eq!(in_steps(3..4, 32, 100), 96..100);
    }

    proptest! {
        #[test]
        fn weights_are_all_and_about_equal(weights in prop::collection::vec(0u64..33, 0..50), parts in 1usize..9) {
            let cuts = by_weight(weights.iter().copied(), parts);
            prop_assert_eq!(cuts.len(), parts);
            prop_assert_eq!((cuts[0].start, cuts[parts - 1].end), (0, weights.len()));
            prop_assert!(cuts.windows(2).all(|pair| pair[0].end == pair[1].start));
            let equal = weights.iter().sum::<u64>() / parts as u64;
            for part in cuts {
                let found: u64 = weights[part].iter().sum();
                prop_assert!(found.abs_diff(equal) <= 33, "{} of {}", found, equal);
            }
        }
    }
}
