//! Comparison of parallel with sequential decoding.

use flate2::write::GzEncoder;
use flate2::{Compress, Compression, FlushCompress, GzBuilder};
use proptest::prelude::*;
use std::io::Write;

use super::fuzz::{Outcome, SMALL, compare_decoders, compressed, decode_in_parallel};
use super::*;

/// Compares both decoders from the start and after `skip` bytes.
fn compare(packed: &[u8], skip: usize, threads: usize) -> Outcome {
    let outcome = compare_decoders(packed, 0, threads, usize::MAX);
    compare_decoders(packed, skip, threads, usize::MAX);
    outcome
}

/// Content of `len` bytes between the extremes of noise and of a single value.
fn content(len: usize, seed: u64, kind: u8) -> Vec<u8> {
    let mut state = seed | 1;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 11
    };
    (0..len)
        .map(|i| match kind {
            0 => random() as u8,
            1 => 7,
            // a smooth field with noise, as 16-bit samples
            2 if i % 2 == 0 => (i / 64 + (random() % 16) as usize) as u8,
            2 => (i / 5000) as u8,
            // text
            3 => b"the quick brown fox "[(random() % 20) as usize],
            // runs
            _ if random() % 50 == 0 => random() as u8,
            _ => (i / 300) as u8,
        })
        .collect()
}

fn pack(content: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Compresses with a flush after every `step` bytes, which makes short blocks of all kinds.
fn pack_with_flushes(content: &[u8], level: u32, step: usize, flush: FlushCompress) -> Vec<u8> {
    let mut compress = Compress::new(Compression::new(level), false);
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    for chunk in content.chunks(step) {
        packed.reserve(2 * chunk.len() + 1000);
        compress.compress_vec(chunk, &mut packed, flush).unwrap();
    }
    packed.reserve(1000);
    compress
        .compress_vec(&[], &mut packed, FlushCompress::Finish)
        .unwrap();
    let mut crc = flate2::Crc::new();
    crc.update(content);
    packed.extend(crc.sum().to_le_bytes());
    packed.extend(crc.amount().to_le_bytes());
    packed
}

/// Level 1 of `zlib-rs` writes a single block with fixed codes.
#[test]
fn chunks_are_decoded_in_parallel() {
    for kind in [2, 3, 4] {
        let content = content(3_000_000, 1, kind);
        for level in [2, 6, 9] {
            let packed = pack(&content, level);
            let outcome = decode_in_parallel(&packed, 0, 4, ChunkSizes::DEFAULT, usize::MAX);
            assert_eq!(outcome.error, None);
            assert!(outcome.bytes == content, "{kind} {level}");
            assert!(outcome.is_parallel, "{kind} {level}");
        }
    }
}

/// Only guesses that are right save time.
#[test]
fn most_guesses_are_right() {
    let content = content(4_000_000, 5, 2);
    let packed = pack(&content, 6);
    let sizes = ChunkSizes {
        max: 1 << 17,
        ..ChunkSizes::DEFAULT
    };
    let mut decoder = WaveDecoder::new(compressed(&packed), sizes);
    let (mut bytes, mut chunks, mut waves) = (Vec::new(), 0, 0);
    while !decoder.is_at_end() {
        let take = |chunk: &mut Vec<u8>| {
            bytes.append(chunk);
            chunks += 1;
        };
        decoder.decode(4, take).unwrap();
        waves += 1;
    }
    assert!(bytes == content);
    assert!(chunks > 2 * waves, "{chunks} chunks in {waves} waves");
}

#[test]
fn members_are_decoded_in_parallel() {
    let content = content(500_000, 3, 2);
    let mut packed = Vec::new();
    for part in content.chunks(1000) {
        let encoder = GzBuilder::new().filename("a").comment("b").extra("BC12");
        let mut encoder = encoder.write(&mut packed, Compression::new(6));
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap();
    }
    packed.extend(pack(&[], 6));
    packed.extend([0; 700]);
    let outcome = compare(&packed, 1234, 4);
    assert!(outcome.is_parallel && outcome.bytes == content);
}

#[test]
fn empty_and_short_files_are_decoded() {
    for content in [&b""[..], b"a", b"abcabcabcabcabc"] {
        for level in 0..=9 {
            let outcome = compare(&pack(content, level), 1, 2);
            assert!(outcome.is_parallel && outcome.bytes == content);
        }
    }
    compare(&[], 0, 2);
}

#[test]
fn files_cut_anywhere_give_the_errors_of_the_sequential_decoder() {
    let content = content(9000, 11, 3);
    let mut packed = pack(&content, 6);
    packed.extend(pack_with_flushes(&content, 1, 500, FlushCompress::Sync));
    for end in (0..packed.len())
        .step_by(13)
        .chain(packed.len() - 20..packed.len())
    {
        compare(&packed[..end], 100, 3);
    }
    packed.extend(b"garbage");
    assert!(compare(&packed, 100, 3).error.is_some());
}

#[test]
fn wrong_checksums_and_lengths_are_errors() {
    let content = content(100_000, 13, 2);
    let packed = pack(&content, 6);
    for from_end in [1, 8] {
        let mut packed = packed.clone();
        let index = packed.len() - from_end;
        packed[index] ^= 1;
        packed.extend(pack(&content, 6));
        assert!(compare(&packed, 0, 3).error.is_some());
    }
}

/// Blocks that are longer than a chunk may be.
#[test]
fn long_blocks_are_left_to_the_sequential_decoder() {
    let content = content(3_000_000, 17, 1);
    let outcome = compare(&pack(&content, 9), 10, 2);
    assert!(!outcome.is_parallel && outcome.bytes == content);
}

#[test]
fn decoders_run_on_threads_of_their_own() {
    let content = content(300_000, 19, 2);
    let packed = pack(&content, 6);
    let decoders = Decoders::new();
    let share = decoders.add(4, 0).unwrap();
    let mut decoder =
        ParallelGunzip::with_sizes(compressed(&packed), 0, share, ChunkSizes::DEFAULT);
    let (mut chunk, mut found) = (Vec::new(), Vec::new());
    decoder.with_threads(|decoder| {
        assert_eq!(rayon::current_num_threads(), 4);
        assert_eq!(std::thread::current().name(), Some("decode gzip"));
        while decoder.next_chunk(&mut chunk).unwrap() {
            found.append(&mut chunk);
        }
    });
    assert!(found == content);
}

#[test]
fn large_lists_are_not_kept() {
    let content = content(20_000_000, 23, 1);
    let packed = pack(&content, 9);
    let decoders = Decoders::new();
    let share = decoders.add(2, 0).unwrap();
    let mut decoder =
        ParallelGunzip::with_sizes(compressed(&packed), 0, share, ChunkSizes::DEFAULT);
    let (mut chunk, mut found, mut largest) = (Vec::new(), 0, 0);
    while decoder.next_chunk(&mut chunk).unwrap() {
        found += chunk.len();
        largest = largest.max(chunk.len());
    }
    assert_eq!(found, content.len());
    assert!(largest > 2 * MAX_SPARE && largest <= ChunkSizes::DEFAULT.max_decoded);
    let State::Parallel { spare, .. } = &decoder.state else {
        panic!("nothing is unexpected")
    };
    assert!(spare.iter().all(|list| list.capacity() <= MAX_SPARE));
}

/// The reader of the decoded bytes may be dropped between two calls.
#[test]
fn bytes_are_skipped_by_many_calls() {
    let len = 3_000_000;
    let cases = [
        (1, SMALL, len / BUFFER, false),
        (2, ChunkSizes::DEFAULT, 2, true),
    ];
    for (kind, sizes, steps, is_parallel) in cases {
        let packed = pack(&content(len, 17, kind), 9);
        let decoders = Decoders::new();
        let share = decoders.add(2, 0).unwrap();
        let mut decoder = ParallelGunzip::with_sizes(compressed(&packed), len as u64, share, sizes);
        let (mut chunk, mut calls) = (vec![1], 0);
        while decoder.next_chunk(&mut chunk).unwrap() {
            assert!(chunk.is_empty());
            calls += 1;
        }
        assert!(calls >= steps, "{calls} calls");
        let found = matches!(decoder.state, State::Parallel { .. });
        assert_eq!(found, is_parallel);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn decoders_agree(
        parts in prop::collection::vec((0_usize..40_000, any::<u64>(), 0_u8..5, 0_u32..=9), 1..4),
        step in 20_usize..20_000,
        flush in 0..4,
        threads in 1_usize..6,
        skip in 0_usize..50_000,
    ) {
        let mut packed = Vec::new();
        let mut all = Vec::new();
        for (len, seed, kind, level) in parts {
            let content = content(len, seed, kind);
            packed.extend(match flush {
                0 => pack_with_flushes(&content, level, step, FlushCompress::Sync),
                1 => pack_with_flushes(&content, level, step, FlushCompress::Full),
                2 => pack_with_flushes(&content, level, step, FlushCompress::Partial),
                _ => pack(&content, level),
            });
            all.extend(content);
        }
        let outcome = compare(&packed, skip, threads);
        prop_assert!(outcome.error.is_none());
        prop_assert!(outcome.bytes == all);
    }

    #[test]
    fn damaged_files_give_the_errors_of_the_sequential_decoder(
        len in 1_usize..40_000,
        seed: u64,
        kind in 0_u8..5,
        level in 0_u32..=9,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        threads in 1_usize..6,
    ) {
        let content = content(len, seed, kind);
        let mut packed = pack(&content, level);
        packed.extend(pack_with_flushes(&content, level, 777, FlushCompress::Sync));
        for (index, byte) in damage {
            let index = index.index(packed.len());
            packed[index] = byte;
        }
        compare(&packed, 300, threads);
    }
}
