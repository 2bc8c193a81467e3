//! Division of an input into chunks.

use crate::partition::slab::ranges_with_lengths;

/// Maximum number of elements per chunk, at which the overhead per chunk is negligible.
const MAX_CHUNK: usize = 1 << 22;
/// Minimum number of elements per chunk, unless a device's share is smaller. A shorter scan would
/// take as long as its launch.
const MIN_CHUNK: usize = 1 << 18;
/// Number of chunks per device, if they have at least [`MIN_CHUNK`] elements. While the first chunk
/// is uploaded nothing can be downloaded, and vice versa for the last.
const ROUNDS: usize = 8;
/// Chunks begin at multiples of this number of elements, so that copies are aligned to pages or
/// fractions of pages.
const UNIT: usize = 64;

/// Returns the lengths of the chunks of `len` elements, which are assigned to the devices in turn:
/// the same number of equal chunks for each device. If they are long enough, the first and the last
/// chunk of each device are split, with the outer quarter on its own.
pub(super) fn default_chunks(len: usize, devices: usize) -> Vec<usize> {
    let devices = devices.max(1);
    let share = len.div_ceil(devices);
    let rounds = share
        .div_ceil(MAX_CHUNK)
        .max(ROUNDS)
        .min((share / MIN_CHUNK).max(1));
    let chunk = len
        .div_ceil(devices * rounds)
        .next_multiple_of(UNIT)
        .max(UNIT);
    let outer = (chunk / 4).next_multiple_of(UNIT);
    if rounds < 3 || outer < MIN_CHUNK / 2 {
        return chunk_lengths(len, std::iter::repeat(chunk));
    }
    let inner = chunk - outer;
    let begin = [outer, inner].into_iter();
    let middle = std::iter::repeat_n(chunk, rounds - 2);
    // rounding up may shorten the last chunks
    let end = [inner].into_iter().chain(std::iter::repeat(outer));
    let of_each = |length| std::iter::repeat_n(length, devices);
    chunk_lengths(len, begin.chain(middle).chain(end).flat_map(of_each))
}

/// Divides `len` elements into ranges of the given lengths; the last range is shortened if fewer
/// elements remain.
pub(super) fn chunk_lengths(len: usize, lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    ranges_with_lengths(len, lengths)
        .map(|range| range.len())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: [usize; 12] = [
        0,
        1,
        2,
        63,
        65,
        262_147,
        1 << 20,
        2_097_143,
        128 * 128 * 128,
        10 * 128 * 128 * 128,
        (1 << 28) - 57,
        (1 << 33) + 17,
    ];

    #[test]
    fn chunks_are_all_of_the_input_within_their_bounds() {
        for len in LENGTHS {
            for devices in [1, 2, 3, 8] {
                let chunks = default_chunks(len, devices);
                assert_eq!(chunks.iter().sum::<usize>(), len, "{len} on {devices}");
                assert!(chunks.iter().all(|&chunk| (1..=MAX_CHUNK).contains(&chunk)));
                let share = len.div_ceil(devices);
                let short = chunks
                    .iter()
                    .filter(|&&chunk| chunk < MIN_CHUNK / 2)
                    .count();
                // the remainder at the end
                assert!(short <= devices || share < MIN_CHUNK, "{chunks:?}");
            }
        }
    }

    /// The devices' shares differ by less than 1 %, if there are enough elements.
    #[test]
    fn devices_have_equal_shares() {
        for len in LENGTHS.into_iter().filter(|&len| len >= 1 << 20) {
            for devices in [2, 3, 8] {
                let mut shares = vec![0usize; devices];
                for (i, chunk) in default_chunks(len, devices).into_iter().enumerate() {
                    shares[i % devices] += chunk;
                }
                let (min_share, max_share) = (shares.iter().min(), shares.iter().max());
                let spread = max_share.unwrap() - min_share.unwrap();
                assert!(spread * 100 <= len / devices, "{len}: {shares:?}");
            }
        }
    }

    #[test]
    fn ends_are_short_where_there_is_enough() {
        let chunks = default_chunks(10 * 128 * 128 * 128, 2);
        assert_eq!(chunks.len(), 2 * (ROUNDS + 2));
        assert_eq!(chunks[0], chunks[4].div_ceil(4));
        assert_eq!(chunks[0] + chunks[2], chunks[4]);
        assert_eq!(chunks[18], chunks[0]);
        assert_eq!(default_chunks(1 << 20, 1), [MIN_CHUNK; 4]);
        assert_eq!(default_chunks(1000, 1), [1000]);
        assert_eq!(default_chunks(0, 2), [0usize; 0]);
    }
}
