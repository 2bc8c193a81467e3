//! Comparison of parallel with sequential decoding, for tests and fuzzers.

use super::share::Decoders;
use super::wave::{ChunkSizes, CompressedBytes};
use super::{ParallelGunzip, RandomAccessBytes, sequential};
use crate::io::source::read_ahead::AheadDecoder;

/// Sizes that cut short files into many chunks.
pub(super) const SMALL: ChunkSizes = ChunkSizes {
    min: 64,
    first: 256,
    max: 2048,
    decoded: 4096,
    max_decoded: 1 << 20,
};

/// Result of decoding a file.
pub(in crate::io) struct Outcome {
    /// Decoded bytes up to the end or the first error.
    pub bytes: Vec<u8>,
    pub error: Option<String>,
    /// `true` if the sequential decoder was not needed.
    #[cfg(test)]
    pub is_parallel: bool,
}

fn decode(decoder: &mut impl AheadDecoder, limit: usize) -> (Vec<u8>, Option<String>) {
    let (mut bytes, mut chunk) = (Vec::new(), Vec::new());
    while bytes.len() < limit {
        match decoder.next_chunk(&mut chunk) {
            Ok(true) => bytes.extend_from_slice(&chunk),
            Ok(false) => break,
            Err(error) => return (bytes, Some(error.to_string())),
        }
    }
    bytes.truncate(limit);
    (bytes, None)
}

/// Returns a file in memory.
pub(super) fn compressed(packed: &[u8]) -> CompressedBytes<'_> {
    CompressedBytes {
        bytes: RandomAccessBytes::Bytes(packed),
        start: 0,
        end: packed.len() as u64,
        decoded: u64::MAX,
    }
}

/// Decodes `packed` with `threads` chunks at a time, from decoded byte `skip` on.
pub(super) fn decode_in_parallel(
    packed: &[u8],
    skip: usize,
    threads: usize,
    sizes: ChunkSizes,
    limit: usize,
) -> Outcome {
    let decoders = Decoders::new();
    let share = decoders.add(threads, 0);
    let share = share.expect("any number of threads suffices");
    let compressed = compressed(packed);
    let mut decoder = ParallelGunzip::with_sizes(compressed, skip as u64, share, sizes);
    let (bytes, error) = decode(&mut decoder, limit);
    Outcome {
        bytes,
        error,
        #[cfg(test)]
        is_parallel: matches!(decoder.state, super::State::Parallel { .. }),
    }
}

/// Decodes at most `limit` bytes with both decoders, with parallel decoding from decoded byte
/// `skip` on. Returns the outcome of the latter.
///
/// # Panics
/// If they differ in the bytes or in the error after them.
pub(in crate::io) fn compare_decoders(
    packed: &[u8],
    skip: usize,
    threads: usize,
    limit: usize,
) -> Outcome {
    let (bytes, error) = decode(&mut sequential(packed), limit);
    let skip = skip.min(bytes.len());
    let outcome = decode_in_parallel(packed, skip, threads, SMALL, limit - skip);
    assert_eq!(outcome.error, error);
    assert!(outcome.bytes == bytes[skip..]);
    outcome
}
