//! Lower envelopes of the scanlines of a group.

use super::super::cost::Axis;
use cuda_std::{SharedView, shared::dynamic_shared_mem, thread};

/// Number of rows that are read at once, so that their latencies overlap; one on the device, which
/// overlaps those of threads.
const BATCH: usize = if cfg!(target_arch = "nvptx64") { 1 } else { 8 };

/// Repeats a block with a constant index from 0 to 15.
macro_rules! unroll_16 {
    ($k:ident => $body:block) => {
        unroll_16!(@ $k $body 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ $k:ident $body:block $($n:literal)+) => {
        $({
            const $k: usize = $n;
            $body
        })+
    };
}

/// Returns the dynamic shared memory per thread, in bytes, for scanlines of `len` voxels in groups
/// of `width`.
pub const fn group_shared_bytes(len: u32, width: u32) -> u64 {
    (len as u64 + 1) * width as u64 * 8
}

/// Stacks of the scanlines of a group: one row for the empty stack, and one per position.
#[derive(Clone, Copy)]
pub(in crate::distance) struct Stacks<const W: usize> {
    /// For each position, what is below it: its cost `c` in the high 32 bits, its position in the
    /// next 16, and its first output in the low 16.
    below: SharedView<u64>,
}

/// Tops of the stacks of a group, per lane.
#[derive(Clone, Copy)]
struct Tops<const W: usize> {
    /// Position, -1 if the stack is empty.
    positions: [i32; W],
    /// First output at which the position is the best; 0 if the stack is empty.
    starts: [i32; W],
    /// Cost `c` of the position.
    costs: [i32; W],
}

impl<const W: usize> Stacks<W> {
    /// Creates the stacks of the calling thread for scanlines of `len` voxels.
    ///
    /// # Safety
    /// The block has [`group_shared_bytes`] of dynamic shared memory per thread.
    #[inline(always)]
    pub unsafe fn for_thread(len: u32) -> Self {
        let bytes = group_shared_bytes(len, W as u32) as usize;
        // SAFETY: guaranteed by the caller.
        unsafe {
            Self::at(
                dynamic_shared_mem::<u8>().add(thread::thread_idx_x() as usize * bytes),
                len,
            )
        }
    }

    /// Creates stacks for scanlines of `len` voxels in the memory that begins at `start`.
    ///
    /// # Safety
    /// `start` is a multiple of 8, and valid for [`group_shared_bytes`] that only the thread uses.
    #[inline(always)]
    pub unsafe fn at(start: *mut u8, len: u32) -> Self {
        let rows = len as usize + 1;
        // SAFETY: guaranteed by the caller.
        let below = unsafe { SharedView::from_raw_parts(start.cast(), rows * W) };
        Self { below }
    }

    /// Calls `costs` for each position, in order, which returns the costs of a group; and then
    /// `write` for each output, from the last to the first, with its minima.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn minimise(
        self,
        len: u32,
        axis: Axis<u32>,
        mut costs: impl FnMut(u32) -> [u32; W],
        mut write: impl FnMut(u32, [u32; W]),
    ) {
        let mut tops = Tops::<W> {
            positions: [-1; W],
            starts: [0; W],
            costs: [0; W],
        };
        self.save(&tops, 0);
        let mut batch = 0;
        while batch < len {
            let remaining = len - batch;
            let mut rows = [[axis.no_site; W]; BATCH];
            let mut i = 0;
            while i < BATCH {
                if (i as u32) < remaining {
                    rows[i] = costs(batch + i as u32);
                }
                i += 1;
            }
            let mut i = 0;
            while i < BATCH && (i as u32) < remaining {
                self.push(&mut tops, rows[i], batch + i as u32, len, &axis);
                i += 1;
            }
            batch += BATCH as u32;
        }
        let mut output = len;
        while output > 0 {
            output -= 1;
            let position = output as i32;
            loop {
                let (mut remove, mut any) = ([0; W], 0);
                let mut k = 0;
                while k < W {
                    remove[k] = mask(tops.starts[k] > position);
                    any |= remove[k];
                    k += 1;
                }
                if any == 0 {
                    break;
                }
                self.pop(&mut tops, remove);
            }
            let weight = axis.weight as i32;
            let mut minima = [axis.no_site; W];
            let mut k = 0;
            while k < W {
                let offset = position * (position - 2 * tops.positions[k]);
                let minimum = (tops.costs[k] + weight * offset) as u32;
                if tops.positions[k] >= 0 && minimum < axis.no_site {
                    minima[k] = minimum;
                }
                k += 1;
            }
            write(output, minima);
        }
    }

    /// Adds a position to the stacks of the lanes in which it has a site.
    #[inline(always)]
    fn push(self, tops: &mut Tops<W>, row: [u32; W], position: u32, len: u32, axis: &Axis<u32>) {
        let (position, len, weight) = (position as i32, len as i32, axis.weight as i32);
        let square = weight * position * position;
        let (mut costs, mut has_site, mut any) = ([0; W], [0; W], 0);
        let mut k = 0;
        while k < W {
            has_site[k] = mask(row[k] < axis.no_site);
            costs[k] = row[k] as i32 + square;
            any |= has_site[k];
            k += 1;
        }
        if any == 0 {
            return;
        }
        // the first output at which the position is better is the quotient plus 1
        let (mut differences, mut divisors) = ([0; W], [0; W]);
        loop {
            let (mut remove, mut any) = ([0; W], 0);
            let mut k = 0;
            while k < W {
                differences[k] = costs[k] - tops.costs[k];
                divisors[k] = 2 * weight * (position - tops.positions[k]);
                let is_better_at_start = differences[k] < divisors[k] * tops.starts[k];
                let is_better = mask(is_better_at_start) & mask(tops.positions[k] >= 0);
                remove[k] = is_better & has_site[k];
                any |= remove[k];
                k += 1;
            }
            if any == 0 {
                break;
            }
            self.pop(tops, remove);
        }
        self.save(tops, position as usize + 1);
        let mut k = 0;
        while k < W {
            let quotient = floor_quotient(differences[k], divisors[k], len);
            let start = (quotient + 1) & mask(tops.positions[k] >= 0);
            let add = has_site[k] & mask(start < len);
            tops.positions[k] = select(add, position, tops.positions[k]);
            tops.starts[k] = select(add, start, tops.starts[k]);
            tops.costs[k] = select(add, costs[k], tops.costs[k]);
            k += 1;
        }
    }

    /// Stores the tops in a row.
    #[inline(always)]
    fn save(self, tops: &Tops<W>, row: usize) {
        let mut entries = [0; W];
        let mut k = 0;
        while k < W {
            let link = tops.positions[k] << 16 | tops.starts[k];
            entries[k] = (tops.costs[k] as u32 as u64) << 32 | link as u32 as u64;
            k += 1;
        }
        self.below.write_vector(row * W, entries);
    }

    /// Removes the top in the lanes whose mask is set.
    #[inline(always)]
    fn pop(self, tops: &mut Tops<W>, remove: [i32; W]) {
        let (mut links, mut costs) = ([0; W], [0; W]);
        // unrolled, so that the lanes are gathered in registers
        unroll_16!(K => {
            if K < W {
                let entry = self.below.read((tops.positions[K] + 1) as usize * W + K);
                links[K] = entry as i32;
                costs[K] = (entry >> 32) as i32;
            }
        });
        let mut k = 0;
        while k < W {
            tops.positions[k] = select(remove[k], links[k] >> 16, tops.positions[k]);
            tops.starts[k] = select(remove[k], links[k] & 0xffff, tops.starts[k]);
            tops.costs[k] = select(remove[k], costs[k], tops.costs[k]);
            k += 1;
        }
    }
}

/// Returns all ones for `true`, otherwise 0.
#[inline(always)]
const fn mask(condition: bool) -> i32 {
    -(condition as i32)
}

/// Returns `a` if the mask is set, otherwise `b`.
#[inline(always)]
const fn select(mask: i32, a: i32, b: i32) -> i32 {
    a & mask | b & !mask
}

/// Returns `dividend / divisor` rounded down, or a number of at least `max` if that is larger;
/// unspecified for negative dividends. `dividend` and `divisor` are less than 2^26, and `max` is at
/// most 2^15.
#[inline(always)]
fn floor_quotient(dividend: i32, divisor: i32, max: i32) -> i32 {
    // Added to a number below 2^22, it leaves the nearest integer in the low bits.
    const ROUNDING: f32 = 8_388_608.0;
    let quotient = dividend as f32 / divisor as f32;
    let quotient = if quotient < max as f32 {
        quotient
    } else {
        max as f32
    };
    let quotient = if quotient > 0.0 { quotient } else { 0.0 };
    // within 1 of the result
    let nearest = ((quotient + ROUNDING).to_bits() - ROUNDING.to_bits()) as i32;
    let remainder = dividend.wrapping_sub(nearest.wrapping_mul(divisor));
    nearest + mask(remainder < 0) - mask(remainder >= divisor)
}
