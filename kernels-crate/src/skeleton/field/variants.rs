//! Zhao et al.'s (2016) ways: a thread has a target.

use super::{
    add::{Add, Portion, Slices},
    power::{AnyPower, Power, Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9},
    tile::Tile,
};
use crate::arith::{div_rem, quotient_up};
use cuda_std::{GpuFloat, View, ViewMut, address_space, kernel, thread};

/// A target, and the force on it so far.
#[derive(Clone, Copy)]
struct Target<A> {
    at: [f32; 3],
    sum: [A; 3],
}

impl<A: Add> Target<A> {
    /// Target `index`; one in the corner if there is none.
    #[inline(always)]
    fn read(targets: View<f32>, index: u64, count: u64) -> Self {
        let mut at = [0.0; 3];
        if index < count {
            let first = 3 * index as usize;
            at = [
                targets.read(first),
                targets.read(first + 1),
                targets.read(first + 2),
            ];
        }
        Self {
            at,
            sum: [A::ZERO; 3],
        }
    }

    /// Adds the force of a source.
    #[inline(always)]
    fn add<P: Power>(&mut self, [cx, cy, cz]: [f32; 3], exponent: f32) {
        let [x, y, z] = self.at;
        let (dx, dy, dz) = (x - cx, y - cy, z - cz);
        let squared = GpuFloat::mul_add(dx, dx, GpuFloat::mul_add(dy, dy, dz * dz));
        let weight = A::of(P::weight(squared, exponent));
        self.sum = [
            self.sum[0].plus(weight, A::of(dx)),
            self.sum[1].plus(weight, A::of(dy)),
            self.sum[2].plus(weight, A::of(dz)),
        ];
    }

    /// Adds the sum to what is there.
    #[inline(always)]
    fn add_to(self, sums: ViewMut<f64>, to: usize) {
        sums.write(to, sums.read(to) + self.sum[0].widen());
        sums.write(to + 1, sums.read(to + 1) + self.sum[1].widen());
        sums.write(to + 2, sums.read(to + 2) + self.sum[2].widen());
    }

    #[inline(always)]
    fn write(self, sums: ViewMut<f64>, to: usize) {
        sums.write(to, self.sum[0].widen());
        sums.write(to + 1, self.sum[1].widen());
        sums.write(to + 2, self.sum[2].widen());
    }
}

/// Calls `visit` with each slice and target of the calling thread: with as many as the block's
/// other threads, some of which are no targets.
#[inline(always)]
fn for_each_target(slices: Slices, portion: Portion, mut visit: impl FnMut(u64, u64)) {
    let threads = thread::block_dim_x() as u64;
    let blocks = quotient_up(slices.targets, threads);
    let mut item = portion.first + thread::block_idx_x() as u64;
    while item < portion.end {
        let (slice, block) = div_rem(item, blocks);
        visit(slice, block * threads + thread::thread_idx_x() as u64);
        item += thread::grid_dim_x() as u64;
    }
}

/// The force at each target; sources are read from global memory.
///
/// A thread has a target and goes through all sources of a slice; all threads read the same.
/// Nothing is shared in the block. Per target three sums are written for each slice.
///
/// # Safety
/// `sources` and `targets` hold three coordinates for each, `sums` three for each target and slice;
/// `portion` is of the pairs of a slice and a block of targets.
#[kernel(A = [f32, f64], P = [Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9, AnyPower], fused)]
pub unsafe fn forces_simple<A: Add, P: Power>(
    sources: View<f32>,
    targets: View<f32>,
    slices: Slices,
    portion: Portion,
    exponent: f32,
    sums: ViewMut<f64>,
) {
    for_each_target(slices, portion, |slice, index| {
        let mut target = Target::<A>::read(targets, index, slices.targets);
        let [start, end] = slices.range(slice);
        let mut source = start;
        while source < end {
            let first = 3 * source as usize;
            let at = [
                sources.read(first),
                sources.read(first + 1),
                sources.read(first + 2),
            ];
            target.add::<P>(at, exponent);
            source += 1;
        }
        if index < slices.targets {
            target.write(sums, slices.sums(slice, index));
        }
    });
}

/// Sources that are in constant memory at a time: three numbers each, and 64 KB in all.
pub const PIECE: usize = 5461;

/// These sources; the host copies them there before each launch.
#[address_space(constant)]
pub static FIELD_SOURCES: [f32; 3 * PIECE] = [0.0; 3 * PIECE];

/// The force at each target of one slice of sources, added to that of the slices before; sources
/// are in constant memory.
///
/// A thread has a target and goes through the slice; all threads read the same. Nothing is shared
/// in the block. Per target three sums are read and written.
///
/// # Safety
/// [`FIELD_SOURCES`] holds the sources of one slice, `portion` is of pairs of it and a block of
/// targets, and slices have at most [`PIECE`] sources. `targets` hold three coordinates for each,
/// `sums` three for each.
#[kernel(A = [f32, f64], P = [Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9, AnyPower], fused)]
pub unsafe fn forces_constant<A: Add, P: Power>(
    targets: View<f32>,
    slices: Slices,
    portion: Portion,
    exponent: f32,
    sums: ViewMut<f64>,
) {
    let sources = FIELD_SOURCES.as_ptr();
    for_each_target(slices, portion, |slice, index| {
        let mut target = Target::<A>::read(targets, index, slices.targets);
        let [start, end] = slices.range(slice);
        let mut source = 0;
        while source < (end - start) as usize {
            // SAFETY: the slice is no longer than a piece.
            let at = unsafe {
                let first = sources.add(3 * source);
                [*first, *first.add(1), *first.add(2)]
            };
            target.add::<P>(at, exponent);
            source += 1;
        }
        if index < slices.targets {
            target.add_to(sums, slices.sums(0, index));
        }
    });
}

/// The force at each target; sources come through shared memory.
///
/// A thread has a target. The block stages sources, 8 KiB at a time, and all its threads go through
/// them. Per target three sums are written for each slice.
///
/// # Safety
/// As [`forces_simple`].
#[kernel(A = [f32, f64], P = [Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9, AnyPower], fused)]
pub unsafe fn forces_shared<A: Add, P: Power>(
    sources: View<f32>,
    targets: View<f32>,
    slices: Slices,
    portion: Portion,
    exponent: f32,
    sums: ViewMut<f64>,
) {
    let tile = Tile::of_block::<f32>();
    for_each_target(slices, portion, |slice, index| {
        let mut target = Target::<A>::read(targets, index, slices.targets);
        let [mut start, end] = slices.range(slice);
        while start < end {
            let here = tile.stage(sources, None, start, end);
            let mut i = 0;
            while i < here {
                target.add::<P>(tile.source(i), exponent);
                i += 1;
            }
            start += here as u64;
        }
        if index < slices.targets {
            target.write(sums, slices.sums(slice, index));
        }
    });
}
