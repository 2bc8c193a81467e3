//! Minima along scanlines by lower envelopes, one group of neighbouring scanlines per thread.
//!
//! The costs are those of [`minimise`](super::minimise), and so are the results. Let `c(p) = g(p) +
//! weight · p²` for the cost `g(p)` of position `p`. A later position `b` has the smaller cost at
//! the outputs beyond `(c(b) - c(a)) / (2 · weight · (b - a))`. A sweep over the positions keeps
//! those that are best at some output on a stack, each with its first output (Felzenszwalb and
//! Huttenlocher 2012; Meijster, Roerdink and Hesselink 2000): a position removes those above whose
//! first output it is already better. A sweep over the outputs, from the last to the first, then
//! removes the positions again.
//!
//! All scanlines of a group advance together, with one lane per scanline, so that a processor with
//! vector instructions handles them at once. The stacks are linked lists in the order of the
//! positions: the row of a position holds, for each lane, what was on top of the stack before it.
//! Rows are therefore written consecutively, and only removals read from different rows.
//!
//! Linear in the number of voxels. Exact, because all numbers are integers below 2^25: the quotient
//! is computed in `f32` and corrected by its remainder.

mod row;
mod stacks;

pub(in crate::distance) use row::Row;
pub(in crate::distance) use stacks::Stacks;
pub use stacks::group_shared_bytes;

use super::{
    conversion::DistanceConversion,
    cost::{Axis, Cost},
    layout::Layout,
    line_costs::RowCosts,
    rows::RowScan,
    scanline_groups::{MAX_GROUP_WIDTH, ScanlineGroups},
};
use cuda_std::{View, ViewMut, kernel};

/// Computes, for each voxel, the minimum cost along its scanline, where costs are squared distances
/// along x, as [`minimise_from_rows`](super::minimise_from_rows) does.
///
/// **Mapping:** one [group of scanlines](ScanlineGroups) per thread, which sweeps over it twice.
/// **Shared memory:** [`group_shared_bytes`] per thread. **Global memory:** per voxel, reads half a
/// byte and writes 4 bytes.
///
/// # Safety
/// `row_scan` has 4 fields per word of the scanlines' columns, `squared` one element per voxel; the
/// block has [`group_shared_bytes`] of dynamic shared memory per thread. Scanlines have `len`
/// voxels, at most 2^15, and all numbers are below 2^25.
#[kernel]
pub unsafe fn group_minima_from_rows(
    row_scan: View<u32>,
    row_costs: RowCosts<u32>,
    groups: ScanlineGroups,
    len: u32,
    axis: Axis<u32>,
    layout: Layout,
    squared: ViewMut<u32>,
) {
    let pass = FromRows {
        row_scan,
        row_costs,
        layout,
        squared,
    };
    // SAFETY: guaranteed by the caller.
    unsafe {
        if groups.is_wide() {
            pass.run::<{ MAX_GROUP_WIDTH as usize }>(groups, len, axis);
        } else {
            pass.run::<1>(groups, len, axis);
        }
    }
}

/// Computes, for each voxel, the minimum cost along its scanline, as
/// [`minimise_along`](super::minimise_along) does; may operate in place.
///
/// The mapping is that of [`group_minima_from_rows`]. **Global memory:** per voxel, reads and
/// writes one cost.
///
/// # Safety
/// `costs` and `squared` have one element per voxel; the other requirements are those of
/// [`group_minima_from_rows`].
#[kernel]
pub unsafe fn group_minima_along(
    costs: View<u32>,
    groups: ScanlineGroups,
    len: u32,
    axis: Axis<u32>,
    layout: Layout,
    squared: ViewMut<u32>,
) {
    let pass = Along {
        costs,
        layout,
        squared,
    };
    // SAFETY: guaranteed by the caller.
    unsafe {
        if groups.is_wide() {
            pass.run::<{ MAX_GROUP_WIDTH as usize }>(groups, len, axis);
        } else {
            pass.run::<1>(groups, len, axis);
        }
    }
}

/// Computes, for each voxel, the distance to the nearest site, as
/// [`distances_along`](super::distances_along) does: the root of the minimum cost along its
/// scanline.
///
/// The mapping is that of [`group_minima_from_rows`]. **Global memory:** per voxel, reads one cost
/// and writes the bits of one distance; may operate in place if both layouts are equal.
///
/// # Safety
/// `costs` and `distances` have one element per voxel; the other requirements are those of
/// [`group_minima_from_rows`].
#[kernel]
pub unsafe fn group_distances_along(
    costs: View<u32>,
    groups: ScanlineGroups,
    len: u32,
    axis: Axis<u32>,
    layouts: [Layout; 2],
    conversion: DistanceConversion,
    distances: ViewMut<u32>,
) {
    let pass = LastAlong {
        costs,
        layouts,
        conversion,
        distances,
    };
    // SAFETY: guaranteed by the caller.
    unsafe {
        if groups.is_wide() {
            pass.run::<{ MAX_GROUP_WIDTH as usize }>(groups, len, axis);
        } else {
            pass.run::<1>(groups, len, axis);
        }
    }
}

/// Arguments of [`group_minima_from_rows`].
#[derive(Clone, Copy)]
struct FromRows<'a> {
    row_scan: View<'a, u32>,
    row_costs: RowCosts<u32>,
    layout: Layout,
    squared: ViewMut<'a, u32>,
}

impl FromRows<'_> {
    /// # Safety
    /// The requirements of the kernel hold.
    #[cuda_std::inline_closures]
    #[inline(always)]
    unsafe fn run<const W: usize>(self, groups: ScanlineGroups, len: u32, axis: Axis<u32>) {
        // SAFETY: guaranteed by the caller.
        let stacks = unsafe { Stacks::<W>::for_thread(len) };
        let Self { row_costs, .. } = self;
        groups.for_each::<W>(|batch, column, count| {
            let first_word = batch * row_costs.rows as u64 * row_costs.words as u64 + column / 32;
            let row = Row::new(self.layout, batch, column, count);
            let costs = |position: u32| {
                let word = first_word + position as u64 * row_costs.words as u64;
                let scan = RowScan::read(self.row_scan, word as usize);
                let distances = scan.distances::<W>(column as u32 % 32);
                let mut costs = [axis.no_site; W];
                let mut k = 0;
                while k < W {
                    if distances[k] <= row_costs.max_distance {
                        costs[k] = u32::squared(row_costs.weight, distances[k]);
                    }
                    k += 1;
                }
                costs
            };
            let write = |position: u32, minima: [u32; W]| row.write(self.squared, position, minima);
            stacks.minimise(len, axis, costs, write);
        });
    }
}

/// Arguments of [`group_minima_along`].
#[derive(Clone, Copy)]
struct Along<'a> {
    costs: View<'a, u32>,
    layout: Layout,
    squared: ViewMut<'a, u32>,
}

impl Along<'_> {
    /// # Safety
    /// The requirements of the kernel hold.
    #[cuda_std::inline_closures]
    #[inline(always)]
    unsafe fn run<const W: usize>(self, groups: ScanlineGroups, len: u32, axis: Axis<u32>) {
        // SAFETY: guaranteed by the caller.
        let stacks = unsafe { Stacks::<W>::for_thread(len) };
        groups.for_each::<W>(|batch, column, count| {
            let row = Row::new(self.layout, batch, column, count);
            let costs = |position: u32| row.read(self.costs, position, axis.no_site);
            let write = |position: u32, minima: [u32; W]| row.write(self.squared, position, minima);
            stacks.minimise(len, axis, costs, write);
        });
    }
}

/// Arguments of [`group_distances_along`].
#[derive(Clone, Copy)]
struct LastAlong<'a> {
    costs: View<'a, u32>,
    layouts: [Layout; 2],
    conversion: DistanceConversion,
    distances: ViewMut<'a, u32>,
}

impl LastAlong<'_> {
    /// # Safety
    /// The requirements of the kernel hold.
    #[cuda_std::inline_closures]
    #[inline(always)]
    unsafe fn run<const W: usize>(self, groups: ScanlineGroups, len: u32, axis: Axis<u32>) {
        // SAFETY: guaranteed by the caller.
        let stacks = unsafe { Stacks::<W>::for_thread(len) };
        let (conversion, [from, to]) = (self.conversion, self.layouts);
        let is_small = conversion.is_small(&axis);
        groups.for_each::<W>(|batch, column, count| {
            let (from, to) = (
                Row::new(from, batch, column, count),
                Row::new(to, batch, column, count),
            );
            let costs = |position: u32| from.read(self.costs, position, axis.no_site);
            stacks.minimise(len, axis, costs, |position, minima: [u32; W]| {
                let distances = conversion.convert_row_to_bits(minima, &axis, is_small);
                to.write(self.distances, position, distances);
            });
        });
    }
}
