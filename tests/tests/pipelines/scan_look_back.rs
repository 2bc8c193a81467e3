//! Look-back over tiles that are finished, half published, or from an earlier scan.

use cuda_std::prelude::*;
use ferrovox_kernels::{
    operator::Sum,
    scan::look_back::{HEADER, TileStates},
    warp::AnyWarps,
};
use ferrovox_tests::noise::Noise;
use simt::{LaunchShape, Mode};

const EPOCH: u32 = 9;

/// Computes the exclusive prefix of `tile` in one block.
///
/// # Safety
/// `states` has a header and two words per tile before `tile`.
#[kernel]
unsafe fn look(tile: u32, states: ViewMut<u64>, found: ViewMut<u64>) {
    let states = TileStates::new(states, EPOCH);
    if thread::thread_idx_x() < 32 {
        let before = states.look_back::<u64, Sum, AnyWarps>(tile);
        if thread::thread_idx_x() == 0 {
            found.write(0, before);
        }
    }
}

/// Returns the two words that a tile publishes: kind 1 for its aggregate, 2 for its inclusive
/// prefix.
fn words(value: u64, epoch: u32, kind: u64) -> [u64; 2] {
    let tag = u64::from(epoch) << 2 | kind;
    [(value & 0xffff_ffff) << 32 | tag, value >> 32 << 32 | tag]
}

fn look_on_cpu(mode: Mode, block: u32, tile: u32, states: &mut [u64]) -> u64 {
    let mut found = [0];
    let args = (tile, ViewMut::from(states), ViewMut::from(&mut found[..]));
    // SAFETY: two words per tile, and one result.
    unsafe { cuda_std::launch_on_cpu::<look>(LaunchShape::new(1, block), mode, args) }.unwrap();
    found[0]
}

/// Aggregates and prefixes in any mixture: near, far, beyond several windows.
#[test]
fn any_mixture_of_aggregates_and_prefixes_gives_the_prefix() {
    let mut noise = Noise(101);
    for block in [1, 20, 32, 64] {
        for tiles in [1, 2, 31, 32, 33, 64, 65, 100] {
            for share in [0, 10, 100] {
                let mut states = vec![0; HEADER];
                let mut sum = 0u64;
                for tile in 0..tiles {
                    let own = noise.bits() >> 20;
                    sum += own;
                    let finished = tile == 0 || noise.below(100) < share;
                    states.extend(if finished {
                        words(sum, EPOCH, 2)
                    } else {
                        words(own, EPOCH, 1)
                    });
                }
                let mode = Mode::Checked { seed: 5 };
                let found = look_on_cpu(mode, block, tiles, &mut states);
                assert_eq!(found, sum, "{tiles} tiles, {share} of 100 finished");
            }
        }
    }
}

/// Computes the exclusive prefix of `tile` by groups, in one block.
///
/// # Safety
/// As for [`look`].
#[kernel]
unsafe fn look_by_groups(tile: u32, states: ViewMut<u64>, found: ViewMut<f64>) {
    let states = TileStates::new(states, EPOCH);
    if thread::thread_idx_x() < 32 {
        let before = states.look_back_by_groups::<f64, Sum, AnyWarps>(tile, START);
        if thread::thread_idx_x() == 0 {
            found.write(0, before);
        }
    }
}

/// Value before the first tile.
const START: f64 = 0.3;

/// Returns the sum of a group of at most `width` consecutive aggregates, in the order in which the
/// lanes of a warp combine them: the last tile of a complete group is in lane 0.
fn group_sum(aggregates: &[f64], width: usize) -> f64 {
    let mut lanes = vec![-0.0; width];
    for (tile, &aggregate) in aggregates.iter().enumerate() {
        lanes[width - 1 - tile] = aggregate;
    }
    let mut distance = 1;
    while distance < 32 {
        let before = lanes.clone();
        for lane in 0..width.saturating_sub(distance) {
            lanes[lane] = before[lane + distance] + before[lane];
        }
        distance *= 2;
    }
    lanes[0]
}

/// The bits are the same however many groups have published their prefix, up to the number of
/// groups of which a warp keeps the sums, and beyond.
#[test]
fn floating_point_prefixes_do_not_depend_on_timing() {
    let mut noise = Noise(102);
    for (block, width) in [(2, 2), (20, 20), (32, 32), (64, 32)] {
        for tiles in [1, 2, 19, 20, 31, 32, 33, 64, 65, 100, 1100] {
            let aggregates: Vec<f64> = (0..tiles)
                .map(|_| noise.bits() as f64 / (1u64 << 60) as f64 - 0.9)
                .collect();
            let partial = aggregates.chunks_exact(width).remainder();
            let exclusive = prefix_before(&aggregates, width) + group_sum(partial, width);
            for share in [0, 10, 100] {
                let mut states = vec![0; HEADER];
                let mut prefix = START;
                for (first, group) in aggregates.chunks(width).enumerate() {
                    prefix += group_sum(group, width);
                    for (i, &aggregate) in group.iter().enumerate() {
                        // a warp waits for the prefix of a group whose sum it cannot keep
                        let required = first + width <= tiles / width;
                        let finished = i + 1 == width && (required || noise.below(100) < share);
                        states.extend(if finished {
                            words(prefix.to_bits(), EPOCH, 2)
                        } else {
                            words(aggregate.to_bits(), EPOCH, 1)
                        });
                    }
                }
                let mut found = [0.0];
                let args = (
                    tiles as u32,
                    ViewMut::from(&mut states[..]),
                    ViewMut::from(&mut found[..]),
                );
                let (shape, mode) = (LaunchShape::new(1, block), Mode::Checked { seed: 5 });
                // SAFETY: two words per tile, and one result.
                unsafe { cuda_std::launch_on_cpu::<look_by_groups>(shape, mode, args) }.unwrap();
                let case = format!("{tiles} tiles, blocks of {block}, {share} of 100 finished");
                assert_eq!(found[0].to_bits(), exclusive.to_bits(), "{case}");
            }
        }
    }
}

/// Returns the prefix of the complete groups.
fn prefix_before(aggregates: &[f64], width: usize) -> f64 {
    let groups = aggregates.chunks_exact(width);
    groups.fold(START, |sum, group| sum + group_sum(group, width))
}

/// Words of an earlier scan, and states of which only one word is current, are waited for.
#[test]
fn stale_and_half_written_words_are_waited_for() {
    use std::sync::atomic::{AtomicU64, Ordering};
    for block in [1, 32, 64] {
        let mut states = vec![0u64; HEADER];
        for tile in 0..40u64 {
            states.extend(match tile {
                0 => words(1 << 33, EPOCH, 2),
                // from the previous scan
                20 => words(77, EPOCH - 1, 2),
                // an aggregate of which one word has been replaced by the prefix's
                30 => [words(5, EPOCH, 1)[0], words(5, EPOCH, 2)[1]],
                _ => words(1, EPOCH, 1),
            });
        }
        let address = states.as_mut_ptr() as usize;
        let found = std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(20));
                let put = |tile: usize, value: [u64; 2]| {
                    for (i, word) in value.into_iter().enumerate() {
                        let at = address + (HEADER + 2 * tile + i) * 8;
                        // SAFETY: a word of `states`, which lives longer, and which the kernel
                        // reads atomically.
                        unsafe { AtomicU64::from_ptr(at as *mut u64) }
                            .store(word, Ordering::Relaxed);
                    }
                };
                put(20, words(1, EPOCH, 1));
                std::thread::sleep(std::time::Duration::from_millis(20));
                put(30, words((1 << 33) + 34, EPOCH, 2));
            });
            look_on_cpu(Mode::Fast, block, 40, &mut states)
        });
        assert_eq!(found, (1 << 33) + 34 + 9, "block of {block}");
    }
}
