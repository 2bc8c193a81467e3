//! The force anywhere, with its derivatives.

use super::{
    lengths::{Cubes, Lengths, World},
    tile::weight_at,
};
use crate::rows::Items;
use cuda_std::{GpuFloat, View, ViewMut, kernel, shared_view, thread};

/// Numbers that are found for a point: the force's x, y and z; the second derivatives xx, xy, xz,
/// yy, yz, zz of what it is the gradient of; and the sum of the magnitudes of all forces, which
/// says what is as good as 0.
pub const OF_POINT: usize = 10;

/// Threads that share a point.
pub const THREADS: u32 = 128;

/// Sources that a thread goes through at a time: on the CPU four are one instruction.
pub(super) const LANES: usize = if cfg!(target_arch = "nvptx64") { 1 } else { 4 };

/// The exponent `m`, and how the power is made of it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponent {
    /// The exponent.
    pub m: f64,
    /// The same, if it is an integer, else 0.
    pub integer: u64,
}

impl Exponent {
    /// That of a number of at least 1.
    pub fn new(m: f64) -> Self {
        let integer = m as u64;
        Self {
            m,
            integer: if integer as f64 == m { integer } else { 0 },
        }
    }

    /// `R^-(m + 1)` from `R²` and `1 / R²`, for some numbers at a time.
    #[inline(always)]
    pub(super) fn weights<const N: usize>(self, squared: [f64; N], inverse: [f64; N]) -> [f64; N] {
        let mut weights = inverse;
        if self.integer == 0 {
            let mut k = 0;
            while k < N {
                weights[k] = GpuFloat::powf(squared[k], -0.5 * (self.m + 1.0));
                k += 1;
            }
            return weights;
        }
        // of an odd m a power of 1 / R^2, of an even one with its root
        if self.integer.is_multiple_of(2) {
            let mut k = 0;
            while k < N {
                weights[k] = GpuFloat::sqrt(inverse[k]);
                k += 1;
            }
        }
        let mut left = self.integer / 2;
        while left > 0 {
            let mut k = 0;
            while k < N {
                weights[k] *= inverse[k];
                k += 1;
            }
            left -= 1;
        }
        weights
    }
}

/// Numbers of sources that a thread goes through at a time.
pub(super) type Lanes = [f64; LANES];

/// A number for each lane.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn each(of: impl Fn(usize) -> f64) -> Lanes {
    let mut lanes = [0.0; LANES];
    let mut lane = 0;
    while lane < LANES {
        lanes[lane] = of(lane);
        lane += 1;
    }
    lanes
}

/// Points, and sources in slices, so that there is work for all of a device where points are few.
/// Each slice has its sums.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointSlices {
    /// Points.
    pub points: u64,
    /// Sources of a slice, the last of which may have fewer.
    pub len: u64,
    /// Slices.
    pub count: u64,
}

/// What each slice of the sources adds to the force at points anywhere, and to its derivatives, all
/// in `f64`.
///
/// A block takes a point and a slice at a time, its threads share the sources: each adds up its
/// own, then ten threads add up what all have, in 10 KiB of shared memory. Per point and slice
/// three numbers are read, and three for each source of the slice; ten are written, as [`OF_POINT`]
/// says.
///
/// # Safety
/// `sources` hold three coordinates for each source, `points` for each point; `sums` hold
/// [`OF_POINT`] elements for each slice of each point, which `slices` counts. Blocks have at most
/// [`THREADS`] threads.
#[kernel(fused)]
pub unsafe fn forces_at(
    sources: View<f32>,
    points: View<f64>,
    slices: PointSlices,
    exponent: Exponent,
    sums: ViewMut<f64>,
) {
    add_up(Cubes, (sources, None), points, slices, exponent, sums);
}

/// The same where voxels are no cubes: forces and derivatives in the world that `world` is the way
/// to.
///
/// A block takes a point and a slice at a time, as in [`forces_at`], with seven products more for
/// each source.
///
/// # Safety
/// As [`forces_at`]; `weights` hold one element for each source, or none: then each weighs 1.
#[kernel(fused)]
pub unsafe fn forces_at_in_world(
    sources: View<f32>,
    weights: View<f32>,
    points: View<f64>,
    slices: PointSlices,
    world: World,
    exponent: Exponent,
    sums: ViewMut<f64>,
) {
    add_up(
        world,
        (sources, Some(weights)),
        points,
        slices,
        exponent,
        sums,
    );
}

/// Writes what slices of the sources add at the points of the calling block.
#[inline(always)]
fn add_up<L: Lengths>(
    lengths: L,
    sources: (View<f32>, Option<View<f32>>),
    points: View<f64>,
    slices: PointSlices,
    exponent: Exponent,
    sums: ViewMut<f64>,
) {
    let shared = shared_view![f64; OF_POINT * THREADS as usize];
    let thread = thread::thread_idx_x() as usize;
    let threads = thread::block_dim_x() as usize;
    let count = sources.0.len() as u64 / 3;
    let mut part = thread::block_idx_x() as u64;
    while part < slices.points * slices.count {
        // there is one at least
        let point = part.checked_div(slices.count).unwrap_or(0);
        let first = 3 * point as usize;
        let at = [
            points.read(first),
            points.read(first + 1),
            points.read(first + 2),
        ];
        let start = (part - point * slices.count) * slices.len;
        let rest = count - start;
        let end = start + if rest < slices.len { rest } else { slices.len };
        let mine = sum_of_thread(
            lengths,
            sources,
            [start as usize, end as usize],
            at,
            exponent,
        );
        let mut k = 0;
        while k < OF_POINT {
            shared.write(k * threads + thread, mine[k]);
            k += 1;
        }
        thread::sync_threads();
        let mut k = thread;
        while k < OF_POINT {
            let (mut sum, mut other) = (0.0, 0);
            while other < threads {
                sum += shared.read(k * threads + other);
                other += 1;
            }
            sums.write(OF_POINT * part as usize + k, sum);
            k += threads;
        }
        thread::sync_threads();
        part += thread::grid_dim_x() as u64;
    }
}

/// Adds up the slices of each point, in their order.
///
/// A thread takes single numbers of points, of which `items` counts all. It reads one for each
/// slice and writes one. Nothing is shared in the block.
///
/// # Safety
/// `sums` hold [`OF_POINT`] elements for each slice of each point, `results` for each point;
/// `items.count` is that of `results`.
#[kernel(fused)]
pub unsafe fn add_slices_at(
    sums: View<f64>,
    slices: PointSlices,
    items: Items,
    results: ViewMut<f64>,
) {
    items.for_each(|item| {
        let (point, k) = (item / OF_POINT, item % OF_POINT);
        let (mut sum, mut slice) = (0.0, 0);
        while slice < slices.count as usize {
            sum += sums.read((point * slices.count as usize + slice) * OF_POINT + k);
            slice += 1;
        }
        results.write(item, sum);
    });
}

/// What those of some sources make that are the calling thread's.
#[cuda_std::inline_closures]
#[inline(always)]
fn sum_of_thread<L: Lengths>(
    lengths: L,
    (sources, weights): (View<f32>, Option<View<f32>>),
    [first, end]: [usize; 2],
    at: [f64; 3],
    exponent: Exponent,
) -> [f64; OF_POINT] {
    let threads = thread::block_dim_x() as usize;
    let mut sums = [[0.0; LANES]; OF_POINT];
    let mut start = first + thread::thread_idx_x() as usize;
    // all lanes have a source, so that nothing is asked for each
    while start + (LANES - 1) * threads < end {
        let from = |axis: usize| {
            each(|lane| at[axis] - sources.read(3 * (start + lane * threads) + axis) as f64)
        };
        let [x, y, z] = [from(0), from(1), from(2)];
        let vector = |axis: usize| each(|lane| lengths.vector([x[lane], y[lane], z[lane]])[axis]);
        let own = each(|lane| weight_at(weights, start + lane * threads) as f64);
        let own = L::WEIGHTED.then_some(own);
        add(&mut sums, [vector(0), vector(1), vector(2)], own, exponent);
        start += LANES * threads;
    }
    // the rest one by one, the other lanes so far away that they make nothing
    while start < end {
        let from = |axis: usize| at[axis] - sources.read(3 * start + axis) as f64;
        let vector = lengths.vector([from(0), from(1), from(2)]);
        let alone = |axis: usize| each(|lane| if lane == 0 { vector[axis] } else { NOWHERE });
        let own = [weight_at(weights, start) as f64; LANES];
        let own = L::WEIGHTED.then_some(own);
        add(&mut sums, [alone(0), alone(1), alone(2)], own, exponent);
        start += threads;
    }
    sums.map(|lanes| {
        let (mut sum, mut lane) = (0.0, 0);
        while lane < LANES {
            sum += lanes[lane];
            lane += 1;
        }
        sum
    })
}

/// So far away that a force is 0.
pub(super) const NOWHERE: f64 = 1e150;

/// Adds what some sources make: x, y and z from them to the point, and their own weights.
#[inline(always)]
fn add(
    sums: &mut [Lanes; OF_POINT],
    [x, y, z]: [Lanes; 3],
    own: Option<Lanes>,
    exponent: Exponent,
) {
    let squared = each(|lane| x[lane] * x[lane] + y[lane] * y[lane] + z[lane] * z[lane]);
    let inverse = squared.map(|squared| 1.0 / squared);
    let mut weight = exponent.weights(squared, inverse);
    if let Some(own) = own {
        weight = each(|lane| weight[lane] * own[lane]);
    }
    let fall = each(|lane| -(exponent.m + 1.0) * weight[lane] * inverse[lane]);
    let made = [
        each(|lane| weight[lane] * x[lane]),
        each(|lane| weight[lane] * y[lane]),
        each(|lane| weight[lane] * z[lane]),
        each(|lane| weight[lane] + fall[lane] * x[lane] * x[lane]),
        each(|lane| fall[lane] * x[lane] * y[lane]),
        each(|lane| fall[lane] * x[lane] * z[lane]),
        each(|lane| weight[lane] + fall[lane] * y[lane] * y[lane]),
        each(|lane| fall[lane] * y[lane] * z[lane]),
        each(|lane| weight[lane] + fall[lane] * z[lane] * z[lane]),
        each(|lane| weight[lane] * GpuFloat::sqrt(squared[lane])),
    ];
    let mut k = 0;
    while k < OF_POINT {
        sums[k] = each(|lane| sums[k][lane] + made[k][lane]);
        k += 1;
    }
}
