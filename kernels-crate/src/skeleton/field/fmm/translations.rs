//! Translations of expansions: sums of products of coefficients, eight translations at a time.

use super::MAX_TERMS;
use cuda_std::{GpuFloat, SharedView, View, shared_view, thread};

/// Translations computed at a time.
pub const TRANSLATIONS: usize = 8;

/// Maximum number of products that a task accumulates in `f32` per translation.
pub const MAX_TASK_PRODUCTS: usize = 24;

/// Maximum number of tasks, reached at the highest order.
pub const MAX_TASKS: usize = 1056;

/// Table of the coefficient pairs to multiply, and of the results to which their products
/// contribute.
///
/// A task accumulates at most [`MAX_TASK_PRODUCTS`] products for one coefficient of the result.
/// Tasks are sorted by decreasing length, so that the threads of a warp have similar work. The
/// table is stored in one array of `u32`; the fields below are indices into it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductTable {
    /// Number of tasks.
    pub tasks: u32,
    /// Start of the task lengths.
    pub lengths: u32,
    /// Start of the coefficient pairs, two 16-bit indices per element: the first product of all
    /// tasks, then the second of all tasks, and so on.
    pub entries: u32,
    /// Start of the task ranges: for each coefficient of the result, the index of its first task in
    /// the list below, and a final end index.
    pub firsts: u32,
    /// Start of the task list, grouped by coefficient of the result.
    pub parts: u32,
}

/// One value per translation.
pub type Coefficients = [f32; TRANSLATIONS];

/// Evaluates `value` for each translation.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn per_translation(value: impl Fn(usize) -> f32) -> Coefficients {
    let mut lanes = [0.0; TRANSLATIONS];
    let mut lane = 0;
    while lane < TRANSLATIONS {
        lanes[lane] = value(lane);
        lane += 1;
    }
    lanes
}

/// Coefficients of eight interleaved translations, and the sums of all tasks, in shared memory
/// (36.7 KiB).
#[derive(Clone, Copy)]
pub struct TranslationBatch {
    pub first: SharedView<f32>,
    pub second: SharedView<f32>,
    sums: SharedView<f64>,
}

impl TranslationBatch {
    /// Allocates the batch in the block's shared memory.
    #[inline(always)]
    pub fn new() -> Self {
        Self {
            first: shared_view![f32; TRANSLATIONS * MAX_TERMS],
            second: shared_view![f32; TRANSLATIONS * MAX_TERMS],
            sums: shared_view![f64; MAX_TASKS],
        }
    }

    /// Sets the calling thread's task sums to 0.
    #[inline(always)]
    pub fn clear(&self, table: ProductTable) {
        let mut task = thread::thread_idx_x();
        while task < table.tasks {
            self.sums.write(task as usize, 0.0);
            task += thread::block_dim_x();
        }
    }

    /// Stages `terms` coefficients of both factors, each given by translation and term. The caller
    /// provides barriers before and after.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn stage(
        &self,
        terms: u32,
        first: impl Fn(usize, usize) -> f32,
        second: impl Fn(usize, usize) -> f32,
    ) {
        let mut term = thread::thread_idx_x() as usize;
        while term < terms as usize {
            write_coefficients(self.first, term, per_translation(|lane| first(lane, term)));
            write_coefficients(
                self.second,
                term,
                per_translation(|lane| second(lane, term)),
            );
            term += thread::block_dim_x() as usize;
        }
    }

    /// Adds the staged products to the sums of the calling thread's tasks: in `f32` within a task,
    /// then pairwise over the eight translations, then in `f64`.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn accumulate(&self, tables: View<u32>, table: ProductTable) {
        let mut task = thread::thread_idx_x();
        while task < table.tasks {
            let length = tables.read((table.lengths + task) as usize);
            let mut at = (table.entries + task) as usize;
            let mut lane_sums = [0.0; TRANSLATIONS];
            let mut step = 0;
            while step < length {
                let entry = tables.read(at) as usize;
                let first = read_coefficients(self.first, entry & 0xffff);
                let second = read_coefficients(self.second, entry >> 16);
                lane_sums = per_translation(|lane| {
                    GpuFloat::mul_add(first[lane], second[lane], lane_sums[lane])
                });
                at += table.tasks as usize;
                step += 1;
            }
            let [a, b, c, d] = [
                lane_sums[0] + lane_sums[4],
                lane_sums[1] + lane_sums[5],
                lane_sums[2] + lane_sums[6],
                lane_sums[3] + lane_sums[7],
            ];
            let sum = (a + c) + (b + d);
            let before = self.sums.read(task as usize);
            self.sums.write(task as usize, before + sum as f64);
            task += thread::block_dim_x();
        }
    }

    /// Returns a coefficient of the result. The caller provides a barrier after
    /// [`TranslationBatch::accumulate`].
    #[inline(always)]
    pub fn result(&self, tables: View<u32>, table: ProductTable, term: usize) -> f64 {
        let firsts = table.firsts as usize + term;
        let mut part = tables.read(firsts);
        let end = tables.read(firsts + 1);
        let mut sum = 0.0;
        while part < end {
            let task = tables.read((table.parts + part) as usize);
            sum += self.sums.read(task as usize);
            part += 1;
        }
        sum
    }
}

/// Reads eight interleaved coefficients; GPUs load four at a time.
#[inline(always)]
fn read_coefficients(from: SharedView<f32>, term: usize) -> Coefficients {
    if cfg!(target_arch = "nvptx64") {
        let [a, b, c, d] = from.read_vector::<4>(TRANSLATIONS * term);
        let [e, f, g, h] = from.read_vector::<4>(TRANSLATIONS * term + 4);
        [a, b, c, d, e, f, g, h]
    } else {
        from.read_vector::<TRANSLATIONS>(TRANSLATIONS * term)
    }
}

#[inline(always)]
fn write_coefficients(to: SharedView<f32>, term: usize, [a, b, c, d, e, f, g, h]: Coefficients) {
    to.write_vector(TRANSLATIONS * term, [a, b, c, d]);
    to.write_vector(TRANSLATIONS * term + 4, [e, f, g, h]);
}
