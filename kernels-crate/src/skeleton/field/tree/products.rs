//! Sums of products of coefficients, eight translations at a time.

use super::MAX_TERMS;
use cuda_std::{GpuFloat, SharedView, View, shared_view, thread};

/// Translations that are made at a time.
pub const LANES: usize = 8;

/// Products that a task adds up in `f32` for each of them, at most.
pub const LONGEST: usize = 24;

/// Tasks at most: those of the highest order.
pub const MAX_TASKS: usize = 1056;

/// Which coefficients are multiplied, and what the products are added to.
///
/// A task adds up to [`LONGEST`] products for one coefficient of the result; long ones come first,
/// so that the threads of a warp have about as much to do. The table of tasks lies in a list of
/// numbers, which begin at:
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// How many tasks there are.
    pub tasks: u32,
    /// The length of each.
    pub lengths: u32,
    /// The places of the two coefficients, 16 bits each; first those of the first product of all
    /// tasks, then those of the second, and so on.
    pub entries: u32,
    /// For each coefficient of the result where its tasks begin in what follows, and where the last
    /// ones end.
    pub firsts: u32,
    /// The tasks of each coefficient of the result.
    pub parts: u32,
}

/// Numbers of eight translations.
pub type Lanes = [f32; LANES];

/// A number for each.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn each(of: impl Fn(usize) -> f32) -> Lanes {
    let mut lanes = [0.0; LANES];
    let mut lane = 0;
    while lane < LANES {
        lanes[lane] = of(lane);
        lane += 1;
    }
    lanes
}

/// The coefficients of eight translations side by side, and the sums of tasks: 36.7 KiB.
#[derive(Clone, Copy)]
pub struct Products {
    pub first: SharedView<f32>,
    pub second: SharedView<f32>,
    sums: SharedView<f64>,
}

impl Products {
    /// The block's.
    #[inline(always)]
    pub fn of_block() -> Self {
        Self {
            first: shared_view![f32; LANES * MAX_TERMS],
            second: shared_view![f32; LANES * MAX_TERMS],
            sums: shared_view![f64; MAX_TASKS],
        }
    }

    /// Sets the sums of the calling thread to 0.
    #[inline(always)]
    pub fn clear(&self, pairs: Pairs) {
        let mut task = thread::thread_idx_x();
        while task < pairs.tasks {
            self.sums.write(task as usize, 0.0);
            task += thread::block_dim_x();
        }
    }

    /// Puts the coefficients of `terms` terms there, from a lane and a term. Between barriers.
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
            write(self.first, term, each(|lane| first(lane, term)));
            write(self.second, term, each(|lane| second(lane, term)));
            term += thread::block_dim_x() as usize;
        }
    }

    /// Adds the products to the sums of the calling thread's tasks: in `f32` within a task, then
    /// those of the eight translations two by two, then in `f64`.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn add(&self, tables: View<u32>, pairs: Pairs) {
        let mut task = thread::thread_idx_x();
        while task < pairs.tasks {
            let length = tables.read((pairs.lengths + task) as usize);
            let mut at = (pairs.entries + task) as usize;
            let mut held = [0.0; LANES];
            let mut step = 0;
            while step < length {
                let entry = tables.read(at) as usize;
                let first = read(self.first, entry & 0xffff);
                let second = read(self.second, entry >> 16);
                held = each(|lane| GpuFloat::mul_add(first[lane], second[lane], held[lane]));
                at += pairs.tasks as usize;
                step += 1;
            }
            let [a, b, c, d] = [
                held[0] + held[4],
                held[1] + held[5],
                held[2] + held[6],
                held[3] + held[7],
            ];
            let sum = (a + c) + (b + d);
            let before = self.sums.read(task as usize);
            self.sums.write(task as usize, before + sum as f64);
            task += thread::block_dim_x();
        }
    }

    /// A coefficient of the result. After a barrier.
    #[inline(always)]
    pub fn result(&self, tables: View<u32>, pairs: Pairs, term: usize) -> f64 {
        let firsts = pairs.firsts as usize + term;
        let mut part = tables.read(firsts);
        let end = tables.read(firsts + 1);
        let mut sum = 0.0;
        while part < end {
            let task = tables.read((pairs.parts + part) as usize);
            sum += self.sums.read(task as usize);
            part += 1;
        }
        sum
    }
}

/// Eight numbers side by side, of which a GPU takes four at a time.
#[inline(always)]
fn read(from: SharedView<f32>, term: usize) -> Lanes {
    if cfg!(target_arch = "nvptx64") {
        let [a, b, c, d] = from.read_vector::<4>(LANES * term);
        let [e, f, g, h] = from.read_vector::<4>(LANES * term + 4);
        [a, b, c, d, e, f, g, h]
    } else {
        from.read_vector::<LANES>(LANES * term)
    }
}

#[inline(always)]
fn write(to: SharedView<f32>, term: usize, [a, b, c, d, e, f, g, h]: Lanes) {
    to.write_vector(LANES * term, [a, b, c, d]);
    to.write_vector(LANES * term + 4, [e, f, g, h]);
}
