//! Force field at arbitrary points, with its derivatives.

use super::{
    metric::{UnitMetric, VoxelMetric, WorldMetric},
    tile::weight_at,
};
use crate::rows::Items;
use cuda_std::{GpuFloat, View, ViewMut, kernel, shared_view, thread};

/// Elements computed per point: the force (x, y, z); the second derivatives (xx, xy, xz, yy, yz,
/// zz) of the function whose gradient is the force; and the sum of the magnitudes of all source
/// forces, the scale below which a force counts as zero.
pub const POINT_COMPONENTS: usize = 10;

/// Threads that share a point.
pub const THREADS_PER_POINT: u32 = 128;

/// Sources that a thread processes at a time: one on GPUs, four on the CPU, where four `f64` form
/// one vector register.
pub(super) const LANES: usize = if cfg!(target_arch = "nvptx64") { 1 } else { 4 };

/// Exponent `m` of the force law, and whether it is an integer.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponent {
    /// Exponent.
    pub m: f64,
    /// Exponent as an integer, or 0 if it is not an integer.
    pub integer: u64,
}

impl Exponent {
    /// Creates the exponent `m`, which must be at least 1.
    pub fn new(m: f64) -> Self {
        let integer = m as u64;
        Self {
            m,
            integer: if integer as f64 == m { integer } else { 0 },
        }
    }

    /// Returns `R^-(m + 1)` for several values of `R²` and `1 / R²`.
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
        // an odd m needs a power of 1 / R^2, an even one also its square root
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

/// One value per source processed at a time.
pub(super) type Lanes = [f64; LANES];

/// Evaluates `value` for each lane.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn per_lane(value: impl Fn(usize) -> f64) -> Lanes {
    let mut lanes = [0.0; LANES];
    let mut lane = 0;
    while lane < LANES {
        lanes[lane] = value(lane);
        lane += 1;
    }
    lanes
}

/// Points, and the division of the sources into slices, which provides parallelism when there are
/// few points. Each slice has its own sums.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointSlices {
    /// Number of points.
    pub points: u64,
    /// Sources per slice; the last slice may have fewer.
    pub len: u64,
    /// Number of slices.
    pub count: u64,
}

/// Computes each slice's contribution to the force and its derivatives at arbitrary points, in
/// `f64`.
///
/// **Mapping:** one block per (point, slice) pair; the threads share the sources. **Phases**,
/// separated by barriers: (1) each thread sums its own sources and stores the sums in shared memory
/// (10 KiB); (2) ten threads add the sums of all threads, one component each. **Memory:** reads
/// three floats per point and per source of the slice; writes [`POINT_COMPONENTS`] elements.
///
/// # Safety
/// `sources` must hold three coordinates per source, `points` three per point; `sums` must hold
/// [`POINT_COMPONENTS`] elements per slice of each point. Blocks must have at most
/// [`THREADS_PER_POINT`] threads.
#[kernel(fused)]
pub unsafe fn forces_at_points(
    sources: View<f32>,
    points: View<f64>,
    slices: PointSlices,
    exponent: Exponent,
    sums: ViewMut<f64>,
) {
    sum_slices(UnitMetric, (sources, None), points, slices, exponent, sums);
}

/// Computes each slice's contribution to the force and its derivatives at arbitrary points, in
/// world space, for anisotropic or oblique voxels.
///
/// **Mapping and memory:** as for [`forces_at_points`]; also reads one weight per source.
///
/// # Safety
/// As for [`forces_at_points`]; `weights` must hold one element per source or be empty, in which
/// case every weight is 1.
#[kernel(fused)]
pub unsafe fn forces_at_points_in_world(
    sources: View<f32>,
    weights: View<f32>,
    points: View<f64>,
    slices: PointSlices,
    world: WorldMetric,
    exponent: Exponent,
    sums: ViewMut<f64>,
) {
    sum_slices(
        world,
        (sources, Some(weights)),
        points,
        slices,
        exponent,
        sums,
    );
}

/// Writes the slice sums of the calling block's points.
#[inline(always)]
fn sum_slices<L: VoxelMetric>(
    metric: L,
    sources: (View<f32>, Option<View<f32>>),
    points: View<f64>,
    slices: PointSlices,
    exponent: Exponent,
    sums: ViewMut<f64>,
) {
    let shared = shared_view![f64; POINT_COMPONENTS * THREADS_PER_POINT as usize];
    let thread = thread::thread_idx_x() as usize;
    let threads = thread::block_dim_x() as usize;
    let count = sources.0.len() as u64 / 3;
    let mut part = thread::block_idx_x() as u64;
    while part < slices.points * slices.count {
        // there is at least one slice
        let point = part.checked_div(slices.count).unwrap_or(0);
        let first = 3 * point as usize;
        let at = [
            points.read(first),
            points.read(first + 1),
            points.read(first + 2),
        ];
        let start = (part - point * slices.count) * slices.len;
        let remaining = count - start;
        let end = start
            + if remaining < slices.len {
                remaining
            } else {
                slices.len
            };
        let thread_sums = sum_thread_sources(
            metric,
            sources,
            [start as usize, end as usize],
            at,
            exponent,
        );
        let mut k = 0;
        while k < POINT_COMPONENTS {
            shared.write(k * threads + thread, thread_sums[k]);
            k += 1;
        }
        thread::sync_threads();
        let mut k = thread;
        while k < POINT_COMPONENTS {
            let (mut sum, mut other_thread) = (0.0, 0);
            while other_thread < threads {
                sum += shared.read(k * threads + other_thread);
                other_thread += 1;
            }
            sums.write(POINT_COMPONENTS * part as usize + k, sum);
            k += threads;
        }
        thread::sync_threads();
        part += thread::grid_dim_x() as u64;
    }
}

/// Adds the slices of each point, in slice order.
///
/// **Mapping:** one component of a point per thread. **Memory:** reads one element per slice and
/// writes one; no shared memory.
///
/// # Safety
/// `sums` must hold [`POINT_COMPONENTS`] elements per slice of each point, `results`
/// [`POINT_COMPONENTS`] per point; `items.count` must be the length of `results`.
#[kernel(fused)]
pub unsafe fn reduce_point_slices(
    sums: View<f64>,
    slices: PointSlices,
    items: Items,
    results: ViewMut<f64>,
) {
    items.for_each(|item| {
        let (point, k) = (item / POINT_COMPONENTS, item % POINT_COMPONENTS);
        let (mut sum, mut slice) = (0.0, 0);
        while slice < slices.count as usize {
            sum += sums.read((point * slices.count as usize + slice) * POINT_COMPONENTS + k);
            slice += 1;
        }
        results.write(item, sum);
    });
}

/// Sums the contributions of the calling thread's sources in a range.
#[cuda_std::inline_closures]
#[inline(always)]
fn sum_thread_sources<L: VoxelMetric>(
    metric: L,
    (sources, weights): (View<f32>, Option<View<f32>>),
    [first, end]: [usize; 2],
    at: [f64; 3],
    exponent: Exponent,
) -> [f64; POINT_COMPONENTS] {
    let threads = thread::block_dim_x() as usize;
    let mut sums = [[0.0; LANES]; POINT_COMPONENTS];
    let mut start = first + thread::thread_idx_x() as usize;
    // all lanes have a source, so no bounds test is needed
    while start + (LANES - 1) * threads < end {
        let from = |axis: usize| {
            per_lane(|lane| at[axis] - sources.read(3 * (start + lane * threads) + axis) as f64)
        };
        let [x, y, z] = [from(0), from(1), from(2)];
        let vector =
            |axis: usize| per_lane(|lane| metric.to_world([x[lane], y[lane], z[lane]])[axis]);
        let source_weights = per_lane(|lane| weight_at(weights, start + lane * threads) as f64);
        let source_weights = L::WEIGHTED.then_some(source_weights);
        add(
            &mut sums,
            [vector(0), vector(1), vector(2)],
            source_weights,
            exponent,
        );
        start += LANES * threads;
    }
    // the remaining sources one by one; the other lanes are so far away that they contribute
    // nothing
    while start < end {
        let from = |axis: usize| at[axis] - sources.read(3 * start + axis) as f64;
        let vector = metric.to_world([from(0), from(1), from(2)]);
        let in_first_lane =
            |axis: usize| per_lane(|lane| if lane == 0 { vector[axis] } else { FAR_AWAY });
        let source_weights = [weight_at(weights, start) as f64; LANES];
        let source_weights = L::WEIGHTED.then_some(source_weights);
        add(
            &mut sums,
            [in_first_lane(0), in_first_lane(1), in_first_lane(2)],
            source_weights,
            exponent,
        );
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

/// Distance at which a force is zero.
pub(super) const FAR_AWAY: f64 = 1e150;

/// Adds the contributions of the given differences from sources to the point.
#[cuda_std::inline_closures]
#[inline(always)]
fn add(
    sums: &mut [Lanes; POINT_COMPONENTS],
    [x, y, z]: [Lanes; 3],
    source_weights: Option<Lanes>,
    exponent: Exponent,
) {
    let squared = per_lane(|lane| x[lane] * x[lane] + y[lane] * y[lane] + z[lane] * z[lane]);
    let inverse = squared.map(|squared| 1.0 / squared);
    let mut weight = exponent.weights(squared, inverse);
    if let Some(source_weights) = source_weights {
        weight = per_lane(|lane| weight[lane] * source_weights[lane]);
    }
    let derivative = per_lane(|lane| -(exponent.m + 1.0) * weight[lane] * inverse[lane]);
    let terms = [
        per_lane(|lane| weight[lane] * x[lane]),
        per_lane(|lane| weight[lane] * y[lane]),
        per_lane(|lane| weight[lane] * z[lane]),
        per_lane(|lane| weight[lane] + derivative[lane] * x[lane] * x[lane]),
        per_lane(|lane| derivative[lane] * x[lane] * y[lane]),
        per_lane(|lane| derivative[lane] * x[lane] * z[lane]),
        per_lane(|lane| weight[lane] + derivative[lane] * y[lane] * y[lane]),
        per_lane(|lane| derivative[lane] * y[lane] * z[lane]),
        per_lane(|lane| weight[lane] + derivative[lane] * z[lane] * z[lane]),
        per_lane(|lane| weight[lane] * GpuFloat::sqrt(squared[lane])),
    ];
    let mut k = 0;
    while k < POINT_COMPONENTS {
        sums[k] = per_lane(|lane| sums[k][lane] + terms[k][lane]);
        k += 1;
    }
}
