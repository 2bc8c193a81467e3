//! The force anywhere, with its derivatives.

use crate::rows::Items;
use cuda_std::{GpuFloat, View, ViewMut, kernel, shared_view, thread};

/// Numbers that are found for a point: the force's x, y and z; the second derivatives xx, xy, xz, yy, yz, zz of what it is the gradient of; and the
/// sum of the magnitudes of all forces, which says what is as good as 0.
pub const OF_POINT: usize = 10;

/// Threads that share a point.
pub const THREADS: u32 = 128;

/// Sources that a thread goes through at a time: on the CPU four are one instruction.
const LANES: usize = if cfg!(target_arch = "nvptx64") { 1 } else { 4 };

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

    /// `R^-(m + 1)` from `R²`, and `1 / R²`.
    #[inline(always)]
    fn weight(self, squared: f64) -> [f64; 2] {
        let inverse = 1.0 / squared;
        if self.integer == 0 {
            return [GpuFloat::powf(squared, -0.5 * (self.m + 1.0)), inverse];
        }
        // R^-(m + 1): of an odd m a power of 1 / R^2, of an even one with its root
        let is_even = self.integer % 2 == 0;
        let mut weight = if is_even {
            GpuFloat::sqrt(inverse)
        } else {
            inverse
        };
        let mut left = self.integer / 2;
        while left > 0 {
            weight *= inverse;
            left -= 1;
        }
        [weight, inverse]
    }
}

/// The force at points anywhere, and its derivatives, all in `f64`.
///
/// A block takes a point at a time, its threads share the sources: each adds up its own, then ten threads add up what all have, in 10 KiB of shared
/// memory. Per point three numbers are read and ten written, as [`OF_POINT`] says.
///
/// # Safety
/// `sources` hold three coordinates for each source, `points` for each point, of which there are `items.count`; `results` hold
/// [`OF_POINT`] elements for each. Blocks have at most [`THREADS`] threads.
#[kernel]
pub unsafe fn forces_at(
    sources: View<f32>,
    points: View<f64>,
    items: Items,
    exponent: Exponent,
    results: ViewMut<f64>,
) {
    let shared = shared_view![f64; OF_POINT * THREADS as usize];
    let thread = thread::thread_idx_x() as usize;
    let threads = thread::block_dim_x() as usize;
    let mut point = thread::block_idx_x() as u64;
    while point < items.count {
        let first = 3 * point as usize;
        let at = [
            points.read(first),
            points.read(first + 1),
            points.read(first + 2),
        ];
        let mine = sum_of_thread(sources, at, exponent);
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
            results.write(OF_POINT * point as usize + k, sum);
            k += threads;
        }
        thread::sync_threads();
        point += thread::grid_dim_x() as u64;
    }
}

/// What the sources of the calling thread make.
#[inline(always)]
fn sum_of_thread(sources: View<f32>, at: [f64; 3], exponent: Exponent) -> [f64; OF_POINT] {
    let count = sources.len() / 3;
    let threads = thread::block_dim_x() as usize;
    let mut lanes = [[0.0; LANES]; OF_POINT];
    let mut start = thread::thread_idx_x() as usize;
    while start < count {
        let mut lane = 0;
        while lane < LANES {
            let source = start + lane * threads;
            if source < count {
                let d = [0, 1, 2].map(|axis| at[axis] - sources.read(3 * source + axis) as f64);
                let made = of_source(d, exponent);
                let mut k = 0;
                while k < OF_POINT {
                    lanes[k][lane] += made[k];
                    k += 1;
                }
            }
            lane += 1;
        }
        start += LANES * threads;
    }
    lanes.map(|lanes| {
        let (mut sum, mut lane) = (0.0, 0);
        while lane < LANES {
            sum += lanes[lane];
            lane += 1;
        }
        sum
    })
}

/// What a source makes: `d` from it to the point.
#[inline(always)]
fn of_source([x, y, z]: [f64; 3], exponent: Exponent) -> [f64; OF_POINT] {
    let squared = x * x + y * y + z * z;
    let [weight, inverse] = exponent.weight(squared);
    let fall = -(exponent.m + 1.0) * weight * inverse;
    [
        weight * x,
        weight * y,
        weight * z,
        weight + fall * x * x,
        fall * x * y,
        fall * x * z,
        weight + fall * y * y,
        fall * y * z,
        weight + fall * z * z,
        weight * GpuFloat::sqrt(squared),
    ]
}
