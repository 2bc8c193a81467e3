//! Division of a length, such as the number of planes of a volume, into consecutive ranges.

use std::ops::Range;

/// Number of extra planes that a slab needs on each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Halo {
    /// Planes before the first plane of the slab.
    pub below: usize,
    /// Planes after the last plane of the slab.
    pub above: usize,
}

impl Halo {
    /// Returns the slab with its halo, clamped to `len` planes.
    pub fn around(self, slab: &Range<usize>, len: usize) -> Range<usize> {
        let end = slab.end.saturating_add(self.above).min(len);
        slab.start.saturating_sub(self.below)..end
    }
}

/// Returns range `number` of `parts` ranges of nearly equal length.
pub(crate) fn nth_share(len: usize, parts: usize, number: usize) -> Range<usize> {
    let start = |number: usize| (len as u128 * number as u128 / parts.max(1) as u128) as usize;
    start(number)..start(number + 1)
}

/// Divides `len` into `parts` ranges of nearly equal length, or into fewer so that none is empty.
pub(crate) fn even_shares(len: usize, parts: usize) -> impl Iterator<Item = Range<usize>> {
    let parts = parts.min(len);
    (0..parts).map(move |number| nth_share(len, parts, number))
}

/// Divides `len` into ranges of length `height` (at least 1); the last may be shorter.
pub(crate) fn chunks(len: usize, height: usize) -> impl Iterator<Item = Range<usize>> {
    let height = height.max(1);
    (0..len.div_ceil(height)).map(move |number| {
        let start = number * height;
        start..start + height.min(len - start)
    })
}

/// Divides `len` into ranges of these lengths, at least 1 each; the last is cut at `len`. There
/// must be enough lengths.
pub(crate) fn ranges_with_lengths(
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

/// Returns the planes of a range of steps of `step` planes each, clamped to `len` planes.
pub(crate) fn planes_in_steps(steps: Range<usize>, step: usize, len: usize) -> Range<usize> {
    let plane = |number: usize| number.saturating_mul(step).min(len);
    plane(steps.start)..plane(steps.end)
}

/// Divides elements with these weights into `parts` ranges of nearly equal weight. Ranges may be
/// empty.
pub(crate) fn split_by_weight(
    weights: impl ExactSizeIterator<Item = u64> + Clone,
    parts: usize,
) -> Vec<Range<usize>> {
    let len = weights.len();
    let total: u64 = weights.clone().sum();
    let mut weights = weights.into_iter();
    let (mut start, mut before) = (0, 0);
    let part = |number: usize| {
        let target = (u128::from(total) * number as u128 / parts as u128) as u64;
        let first = start;
        while start < len && (before < target || number == parts) {
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
    fn halos_are_clamped_to_the_volume() {
        let halo = Halo { below: 1, above: 2 };
        assert_eq!(halo.around(&(3..5), 10), 2..7);
        assert_eq!(halo.around(&(0..4), 5), 0..5);
    }

    #[test]
    fn shares_are_even_and_not_empty() {
        let shares: Vec<_> = even_shares(7, 3).collect();
        assert_eq!(shares, [0..2, 2..4, 4..7]);
        assert_eq!(even_shares(2, 8).count(), 2);
        assert_eq!(
            (even_shares(0, 8).count(), even_shares(5, 0).count()),
            (0, 0)
        );
    }

    #[test]
    fn chunks_and_lengths_cover_the_range() {
        let slabs: Vec<_> = chunks(10, 4).collect();
        assert_eq!(slabs, [0..4, 4..8, 8..10]);
        assert_eq!(chunks(3, 0).count(), 3);
        let ranges = |len, length| -> Vec<_> {
            ranges_with_lengths(len, std::iter::repeat(length))
                .map(|range| range.len())
                .collect()
        };
        assert_eq!(ranges(3, 0), [1, 1, 1]);
        assert_eq!(ranges(7, 3), [3, 3, 1]);
        assert_eq!(ranges(0, 3), [0; 0]);
    }

    #[test]
    fn only_the_last_step_is_short() {
        assert_eq!(planes_in_steps(1..3, 32, 100), 32..96);
        assert_eq!(planes_in_steps(3..4, 32, 100), 96..100);
    }

    proptest! {
        #[test]
        fn weights_are_split_evenly(weights in prop::collection::vec(0u64..33, 0..50), parts in 1usize..9) {
            let cuts = split_by_weight(weights.iter().copied(), parts);
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
