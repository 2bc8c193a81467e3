//! Distances to other labels by [lower envelopes](super::super::separable::group_envelope), one
//! group of neighbouring scanlines per thread.
//!
//! One pass per axis minimises the costs and clamps the minima to the distances along the scanline,
//! instead of a pass for each: [the clamp](super) follows the minimum, and both sweep over the
//! positions forwards and backwards.

use super::{
    super::separable::{
        Axis, Cost, DistanceConversion, FIELDS_PER_WORD, Layout, MAX_GROUP_WIDTH, RowCosts,
        ScanlineGroups,
        group_envelope::{Row, Stacks},
        group_shared_bytes,
    },
    rows::distances_to_other_labels,
    sweep::LineChanges,
};
use cuda_std::{SharedView, View, ViewMut, kernel, shared::dynamic_shared_mem, thread};

/// Returns the dynamic shared memory per thread, in bytes, for scanlines of `len` voxels in groups
/// of `width`: a multiple of 8.
pub const fn label_group_shared_bytes(len: u32, width: u32) -> u64 {
    group_shared_bytes(len, width) + (len as u64 * width as u64 * 2).next_multiple_of(8)
}

/// Computes, for each voxel, the squared distance to the nearest voxel with another label in its
/// plane: what [`squared_from_changes`](super::squared_from_changes),
/// [`minimise_along`](super::super::separable::minimise_along) and
/// [`clamp_to_changes`](super::clamp_to_changes) compute one after another.
///
/// **Mapping:** one [group of scanlines](ScanlineGroups) per thread, which sweeps over it twice.
/// **Shared memory:** [`label_group_shared_bytes`] per thread. **Global memory:** per voxel, reads
/// half a byte and two bits, and writes 4 bytes.
///
/// # Safety
/// `row_scan` is that of the label changes along x, with 4 fields per word of the scanlines'
/// columns; `line_changes` locates the `changes` along the scanlines; `squared` has one element per
/// voxel; the block has [`label_group_shared_bytes`] of dynamic shared memory per thread. Scanlines
/// have at most 2^15 voxels, and all numbers are below 2^25.
#[kernel]
pub unsafe fn group_label_minima_from_rows(
    row_scan: View<u32>,
    row_costs: RowCosts<u32>,
    changes: View<u32>,
    line_changes: LineChanges,
    groups: ScanlineGroups,
    axis: Axis<u32>,
    max_distance: u32,
    layout: Layout,
    squared: ViewMut<u32>,
) {
    let pass = FromRows {
        row_scan,
        row_costs,
        layout,
        squared,
    };
    let line = Line {
        changes,
        line_changes,
        axis,
        max_distance,
    };
    // SAFETY: guaranteed by the caller.
    unsafe {
        if groups.is_wide() {
            pass.run::<{ MAX_GROUP_WIDTH as usize }>(groups, line);
        } else {
            pass.run::<1>(groups, line);
        }
    }
}

/// Computes, for each voxel, the minimum along its scanline, clamped to the squared distance to the
/// nearest voxel of the scanline with another label; may operate in place.
///
/// The mapping is that of [`group_label_minima_from_rows`]. **Global memory:** per voxel, reads a
/// cost and two bits, and writes a cost.
///
/// # Safety
/// `costs` and `squared` have one element per voxel; the other requirements are those of
/// [`group_label_minima_from_rows`].
#[kernel]
pub unsafe fn group_label_minima_along(
    costs: View<u32>,
    changes: View<u32>,
    line_changes: LineChanges,
    groups: ScanlineGroups,
    axis: Axis<u32>,
    max_distance: u32,
    layout: Layout,
    squared: ViewMut<u32>,
) {
    let pass = Along {
        costs,
        layout,
        squared,
    };
    let line = Line {
        changes,
        line_changes,
        axis,
        max_distance,
    };
    // SAFETY: guaranteed by the caller.
    unsafe {
        if groups.is_wide() {
            pass.run::<{ MAX_GROUP_WIDTH as usize }>(groups, line);
        } else {
            pass.run::<1>(groups, line);
        }
    }
}

/// Computes, for each voxel, the distance to the nearest voxel with another label: the root of the
/// number that [`group_label_minima_along`] would write.
///
/// The mapping is that of [`group_label_minima_from_rows`]. **Global memory:** per voxel, reads a
/// cost and two bits, and writes the bits of a distance; may operate in place if both layouts are
/// equal.
///
/// # Safety
/// `costs` and `distances` have one element per voxel; the other requirements are those of
/// [`group_label_minima_from_rows`].
#[kernel]
pub unsafe fn group_label_distances_along(
    costs: View<u32>,
    changes: View<u32>,
    line_changes: LineChanges,
    groups: ScanlineGroups,
    axis: Axis<u32>,
    max_distance: u32,
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
    let line = Line {
        changes,
        line_changes,
        axis,
        max_distance,
    };
    // SAFETY: guaranteed by the caller.
    unsafe {
        if groups.is_wide() {
            pass.run::<{ MAX_GROUP_WIDTH as usize }>(groups, line);
        } else {
            pass.run::<1>(groups, line);
        }
    }
}

/// Arguments of [`group_label_minima_from_rows`].
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
    unsafe fn run<const W: usize>(self, groups: ScanlineGroups, line: Line<'_>) {
        // SAFETY: guaranteed by the caller.
        let clamped = unsafe { Clamped::<W>::for_thread(line) };
        let (row_costs, no_site) = (self.row_costs, line.axis.no_site);
        groups.for_each::<W>(|batch, column, count| {
            let first_word = batch * row_costs.rows as u64 * row_costs.words as u64 + column / 32;
            let row = Row::new(self.layout, batch, column, count);
            let costs = |position: u32| {
                let word = first_word + position as u64 * row_costs.words as u64;
                let first_field = word as usize * FIELDS_PER_WORD as usize;
                let scan = self.row_scan.read_vector::<4>(first_field);
                let distances = distances_to_other_labels::<W>(scan, column as u32 % 32);
                let mut costs = [no_site; W];
                let mut k = 0;
                while k < W {
                    if distances[k] <= row_costs.max_distance {
                        costs[k] = u32::squared(row_costs.weight, distances[k]).smaller(no_site);
                    }
                    k += 1;
                }
                costs
            };
            clamped.minimise(batch, column, costs, |position, minima| {
                row.write(self.squared, position, minima);
            });
        });
    }
}

/// Arguments of [`group_label_minima_along`].
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
    unsafe fn run<const W: usize>(self, groups: ScanlineGroups, line: Line<'_>) {
        // SAFETY: guaranteed by the caller.
        let clamped = unsafe { Clamped::<W>::for_thread(line) };
        groups.for_each::<W>(|batch, column, count| {
            let row = Row::new(self.layout, batch, column, count);
            let costs = |position: u32| row.read(self.costs, position, line.axis.no_site);
            clamped.minimise(batch, column, costs, |position, minima| {
                row.write(self.squared, position, minima);
            });
        });
    }
}

/// Arguments of [`group_label_distances_along`].
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
    unsafe fn run<const W: usize>(self, groups: ScanlineGroups, line: Line<'_>) {
        // SAFETY: guaranteed by the caller.
        let clamped = unsafe { Clamped::<W>::for_thread(line) };
        let (conversion, [from, to]) = (self.conversion, self.layouts);
        let is_small = conversion.is_small(&line.axis);
        groups.for_each::<W>(|batch, column, count| {
            let (from, to) = (
                Row::new(from, batch, column, count),
                Row::new(to, batch, column, count),
            );
            let costs = |position: u32| from.read(self.costs, position, line.axis.no_site);
            clamped.minimise(batch, column, costs, |position, minima| {
                let distances = conversion.convert_row_to_bits(minima, &line.axis, is_small);
                to.write(self.distances, position, distances);
            });
        });
    }
}

/// Scanlines with label changes.
#[derive(Clone, Copy)]
struct Line<'a> {
    changes: View<'a, u32>,
    line_changes: LineChanges,
    axis: Axis<u32>,
    /// Maximum distance along the scanline, in voxels.
    max_distance: u32,
}

/// Initial distance, before any label change.
const NO_DISTANCE: u16 = u16::MAX;

/// Minima along the scanlines of a thread, clamped to the distances to label changes.
#[derive(Clone, Copy)]
struct Clamped<'a, const W: usize> {
    line: Line<'a>,
    stacks: Stacks<W>,
    /// Distance to the last voxel with another label before each position, per lane.
    steps_back: SharedView<u16>,
}

impl<'a, const W: usize> Clamped<'a, W> {
    /// # Safety
    /// The block has [`label_group_shared_bytes`] of dynamic shared memory per thread.
    #[inline(always)]
    unsafe fn for_thread(line: Line<'a>) -> Self {
        let (len, width) = (line.line_changes.len, W as u32);
        let bytes = label_group_shared_bytes(len, width) as usize;
        // SAFETY: the parts are consecutive and lie within the thread's part of the memory.
        unsafe {
            let start = dynamic_shared_mem::<u8>().add(thread::thread_idx_x() as usize * bytes);
            let steps_back = start.add(group_shared_bytes(len, width) as usize).cast();
            Self {
                line,
                stacks: Stacks::at(start, len),
                steps_back: SharedView::from_raw_parts(steps_back, len as usize * W),
            }
        }
    }

    /// Calls `costs` for each position of a group, in order, and then `write` for each output, from
    /// the last to the first, with the clamped minima.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn minimise(
        self,
        batch: u64,
        column: u64,
        costs: impl Fn(u32) -> [u32; W],
        write: impl Fn(u32, [u32; W]),
    ) {
        let Line {
            changes,
            line_changes,
            axis,
            max_distance,
        } = self.line;
        let x = line_changes.first_x as u64 + column;
        let first_word = batch * line_changes.layout.batch + x / 32;
        let changes = |position: u32| {
            let word = first_word + position as u64 * line_changes.layout.along;
            changes.read(word as usize) >> (x % 32)
        };
        let (mut steps_back, mut steps_forward) = ([NO_DISTANCE; W], [NO_DISTANCE; W]);
        let advance = |steps: &mut [u16; W], changes: u32| {
            let mut k = 0;
            while k < W {
                steps[k] = if changes >> k & 1 != 0 {
                    1
                } else {
                    steps[k].saturating_add(1)
                };
                k += 1;
            }
        };
        self.stacks.minimise(
            line_changes.len,
            axis,
            |position| {
                advance(&mut steps_back, changes(position));
                self.steps_back
                    .write_vector(position as usize * W, steps_back);
                costs(position)
            },
            |position, mut minima: [u32; W]| {
                let steps_back: [u16; W] = self.steps_back.read_vector(position as usize * W);
                let mut k = 0;
                while k < W {
                    let steps = if steps_back[k] < steps_forward[k] {
                        steps_back[k]
                    } else {
                        steps_forward[k]
                    };
                    if steps != NO_DISTANCE && steps as u32 <= max_distance {
                        minima[k] = minima[k].smaller(u32::squared(axis.weight, steps as u32));
                    }
                    k += 1;
                }
                write(position, minima);
                // a change here lies between this position and the previous one
                advance(&mut steps_forward, changes(position));
            },
        );
    }
}
