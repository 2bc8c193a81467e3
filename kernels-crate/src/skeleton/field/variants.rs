//! All-pairs kernels of Zhao et al. (2016): one target per thread.

use super::{
    accumulator::{Accumulator, LaunchRange, SourceSlices},
    power::{Power, Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9, RealPower},
    tile::Tile,
};
use crate::arith::{div_ceil, div_rem};
use cuda_std::{GpuFloat, View, ViewMut, address_space, kernel, thread};

/// A target, and the force accumulated so far.
#[derive(Clone, Copy)]
struct Target<A> {
    at: [f32; 3],
    sum: [A; 3],
}

impl<A: Accumulator> Target<A> {
    /// Reads target `index`; beyond `count`, returns a dummy target at the origin.
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
        let weight = A::from_f32(P::weight(squared, exponent));
        self.sum = [
            self.sum[0].add_scaled(weight, A::from_f32(dx)),
            self.sum[1].add_scaled(weight, A::from_f32(dy)),
            self.sum[2].add_scaled(weight, A::from_f32(dz)),
        ];
    }

    /// Adds the accumulated force to the stored sums.
    #[inline(always)]
    fn add_to(self, sums: ViewMut<f64>, to: usize) {
        sums.write(to, sums.read(to) + self.sum[0].to_f64());
        sums.write(to + 1, sums.read(to + 1) + self.sum[1].to_f64());
        sums.write(to + 2, sums.read(to + 2) + self.sum[2].to_f64());
    }

    #[inline(always)]
    fn write(self, sums: ViewMut<f64>, to: usize) {
        sums.write(to, self.sum[0].to_f64());
        sums.write(to + 1, self.sum[1].to_f64());
        sums.write(to + 2, self.sum[2].to_f64());
    }
}

/// Calls `visit(slice, target)` for each item of the calling thread. All threads of a block make
/// the same number of calls; the target index may be out of range.
#[inline(always)]
fn for_each_target(slices: SourceSlices, range: LaunchRange, mut visit: impl FnMut(u64, u64)) {
    let threads = thread::block_dim_x() as u64;
    let blocks = div_ceil(slices.targets, threads);
    let mut item = range.first + thread::block_idx_x() as u64;
    while item < range.end {
        let (slice, block) = div_rem(item, blocks);
        visit(slice, block * threads + thread::thread_idx_x() as u64);
        item += thread::grid_dim_x() as u64;
    }
}

/// Computes the force at each target by summing over all sources, which are read from global
/// memory.
///
/// **Mapping:** one (slice, target) pair per thread. **Memory:** all threads of a block read the
/// same source; no shared memory; writes three sums per target and slice.
///
/// # Safety
/// `sources` and `targets` must hold three coordinates each, `sums` three elements per target and
/// slice; `range` must be a range of (slice, block of targets) pairs.
#[kernel(A = [f32, f64], P = [Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9, RealPower], fused)]
pub unsafe fn forces_simple<A: Accumulator, P: Power>(
    sources: View<f32>,
    targets: View<f32>,
    slices: SourceSlices,
    range: LaunchRange,
    exponent: f32,
    sums: ViewMut<f64>,
) {
    for_each_target(slices, range, |slice, index| {
        let mut target = Target::<A>::read(targets, index, slices.targets);
        let [start, end] = slices.range(slice);
        let mut source = start;
        while source < end {
            let first = 3 * source as usize;
            let position = [
                sources.read(first),
                sources.read(first + 1),
                sources.read(first + 2),
            ];
            target.add::<P>(position, exponent);
            source += 1;
        }
        if index < slices.targets {
            target.write(sums, slices.sum_index(slice, index));
        }
    });
}

/// Maximum number of sources in constant memory: three floats each, 64 KB in total.
pub const MAX_CONSTANT_SOURCES: usize = 5461;

/// Sources in constant memory; the host copies them before each launch.
#[address_space(constant)]
pub static FIELD_SOURCES: [f32; 3 * MAX_CONSTANT_SOURCES] = [0.0; 3 * MAX_CONSTANT_SOURCES];

/// Adds the force of one slice of sources, held in constant memory, to the sums of each target.
///
/// **Mapping:** one target per thread. **Memory:** all threads of a block read the same source; no
/// shared memory; reads and writes three sums per target.
///
/// # Safety
/// [`FIELD_SOURCES`] must hold the sources of one slice, and slices must have at most
/// [`MAX_CONSTANT_SOURCES`] sources; `range` must be a range of (slice, block of targets) pairs
/// within that slice. `targets` must hold three coordinates and `sums` three elements per target.
#[kernel(A = [f32, f64], P = [Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9, RealPower], fused)]
pub unsafe fn forces_constant<A: Accumulator, P: Power>(
    targets: View<f32>,
    slices: SourceSlices,
    range: LaunchRange,
    exponent: f32,
    sums: ViewMut<f64>,
) {
    let sources = FIELD_SOURCES.as_ptr();
    for_each_target(slices, range, |slice, index| {
        let mut target = Target::<A>::read(targets, index, slices.targets);
        let [start, end] = slices.range(slice);
        let mut source = 0;
        while source < (end - start) as usize {
            // SAFETY: a slice has at most `MAX_CONSTANT_SOURCES` sources.
            let position = unsafe {
                let first = sources.add(3 * source);
                [*first, *first.add(1), *first.add(2)]
            };
            target.add::<P>(position, exponent);
            source += 1;
        }
        if index < slices.targets {
            target.add_to(sums, slices.sum_index(0, index));
        }
    });
}

/// Computes the force at each target by summing over all sources, which are staged in shared
/// memory.
///
/// **Mapping:** one (slice, target) pair per thread. **Memory:** each block stages 8 KiB of sources
/// at a time, which all its threads read; writes three sums per target and slice.
///
/// # Safety
/// As for [`forces_simple`].
#[kernel(A = [f32, f64], P = [Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9, RealPower], fused)]
pub unsafe fn forces_shared<A: Accumulator, P: Power>(
    sources: View<f32>,
    targets: View<f32>,
    slices: SourceSlices,
    range: LaunchRange,
    exponent: f32,
    sums: ViewMut<f64>,
) {
    let tile = Tile::new::<f32>();
    for_each_target(slices, range, |slice, index| {
        let mut target = Target::<A>::read(targets, index, slices.targets);
        let [mut start, end] = slices.range(slice);
        while start < end {
            let count = tile.stage(sources, None, start, end);
            let mut i = 0;
            while i < count {
                target.add::<P>(tile.source(i), exponent);
                i += 1;
            }
            start += count as u64;
        }
        if index < slices.targets {
            target.write(sums, slices.sum_index(slice, index));
        }
    });
}
