//! The list of cases.

mod atomics;
mod elementwise;
mod floats;
mod indices;
mod shared_memory;
mod synchronisation;

use crate::Machine;
use simt::{Dim3, LaunchShape};

/// A kernel with its inputs and expected results.
pub struct Case<M: Machine> {
    /// Name of the kernel.
    pub name: &'static str,
    /// Block sizes, in threads, with which it can be launched.
    pub blocks: &'static [u32],
    /// Runs it with one block size; the error describes the difference.
    pub run: fn(&mut M, u32) -> Result<(), String>,
}

/// Block sizes for a kernel that accepts any.
const ANY: &[u32] = &[1, 32, 48, 256, 1024];
/// Block sizes for a kernel that requires powers of two.
const POWERS_OF_TWO: &[u32] = &[1, 2, 32, 256, 1024];
/// Block sizes for a kernel with static arrays of 256 elements.
const AT_MOST_256: &[u32] = &[1, 7, 32, 256];
/// Block sizes of whole warps.
const WARPS: &[u32] = &[32, 64, 512];

/// Returns all cases.
pub fn all_cases<M: Machine>() -> Vec<Case<M>> {
    macro_rules! cases {
        ($($module:ident: $($name:ident $blocks:ident),+;)+) => {
            vec![$($(Case { name: stringify!($name), blocks: $blocks, run: $module::$name::<M> }),+),+]
        };
    }
    cases! {
        elementwise: vecadd ANY, saxpy ANY, square ANY, crop POWERS_OF_TWO;
        indices: places ANY, ranks ANY;
        shared_memory: block_sum POWERS_OF_TWO, transpose POWERS_OF_TWO, reverse_blocks AT_MOST_256, smooth_blocks AT_MOST_256,
            scan_blocks ANY, convolve ANY, rotate_warps WARPS;
        atomics: histogram ANY, histogram_by_blocks ANY, float_sums ANY, extremes ANY, locked_count ANY;
        synchronisation: count_even ANY, sum_in_one_launch ANY, hand_over WARPS, lanes ANY;
        floats: exact_functions ANY, accurate_functions ANY;
    }
}

/// Number of elements of most inputs: not a multiple of any block size.
const LENGTH: usize = 3001;

/// Returns a one-dimensional launch with enough blocks of `block` threads for `items` items.
fn launch_1d(items: usize, block: u32) -> LaunchShape {
    let blocks = u32::try_from(items).expect("few items").div_ceil(block);
    LaunchShape {
        grid: Dim3::from(blocks),
        block: Dim3::from(block),
        dynamic_shared_bytes: 0,
    }
}

/// Returns reproducible pseudorandom numbers (a linear congruential generator).
fn numbers(count: usize, seed: u64) -> impl Iterator<Item = u32> {
    let mut state = seed;
    (0..count).map(move |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    })
}

/// Returns small integers as floats, whose sums are exact in any order.
fn whole_floats(count: usize, seed: u64) -> Vec<f32> {
    numbers(count, seed)
        .map(|n| (n % 64) as f32 - 20.0)
        .collect()
}
