//! Distances to other labels along y and z.

use super::super::separable::{
    Axis, Cost, DistanceConversion, Layout, MAX_GROUP_WIDTH, ScanlineGroups,
};
use cuda_std::{KernelType, View, ViewMut, kernel};

/// Location of the label changes along a scanline.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineChanges {
    /// Strides of the words.
    pub layout: Layout,
    /// The x of the first column, a multiple of 32.
    pub first_x: u32,
    /// Number of voxels of a scanline.
    pub len: u32,
}

/// Arguments shared by the kernels.
#[derive(Clone, Copy)]
struct Sweep<'a, C> {
    changes: View<'a, u32>,
    line_changes: LineChanges,
    axis: Axis<C>,
    max_distance: u32,
    costs: ViewMut<'a, C>,
    layout: Layout,
}

/// Initial distance, before any label change.
const NO_DISTANCE: u32 = u32::MAX;

impl<C: Cost> Sweep<'_, C> {
    /// Returns the smaller of a cost and the squared distance along the scanline.
    #[inline(always)]
    fn clamped(&self, cost: C, distance: u32) -> C {
        if distance <= self.max_distance {
            C::squared(self.axis.weight, distance).smaller(cost)
        } else {
            cost
        }
    }

    /// Sweeps forwards and backwards over a group of scanlines. Calls `visit` for each voxel in the
    /// backward sweep with its position, the index of its scanline in the group, its stored cost,
    /// and its clamped cost.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn sweep<const W: usize>(
        &self,
        (batch, column, count): (u64, u64, usize),
        visit: impl Fn(u32, usize, C, C),
    ) {
        let x = self.line_changes.first_x as u64 + column;
        let first_word = batch * self.line_changes.layout.batch + x / 32;
        let first = batch * self.layout.batch + column;
        let changes = |position: u32| {
            let word = first_word + position as u64 * self.line_changes.layout.along;
            self.changes.read(word as usize) >> (x % 32)
        };
        let voxel = |position: u32| (first + position as u64 * self.layout.along) as usize;
        let mut distances = [NO_DISTANCE; W];
        let mut position = 0;
        while position < self.line_changes.len {
            let (changes, voxel) = (changes(position), voxel(position));
            let mut k = 0;
            while k < W {
                if k < count {
                    distances[k] = if changes >> k & 1 != 0 {
                        1
                    } else {
                        distances[k].saturating_add(1)
                    };
                    let cost = self.costs.read(voxel + k);
                    let clamped = self.clamped(cost, distances[k]);
                    if clamped < cost {
                        self.costs.write(voxel + k, clamped);
                    }
                }
                k += 1;
            }
            position += 1;
        }
        distances = [NO_DISTANCE; W];
        while position > 0 {
            position -= 1;
            let (changes, voxel) = (changes(position), voxel(position));
            let mut k = 0;
            while k < W {
                if k < count {
                    let cost = self.costs.read(voxel + k);
                    visit(position, k, cost, self.clamped(cost, distances[k]));
                    // A change here lies between this position and the previous one.
                    distances[k] = if changes >> k & 1 != 0 {
                        1
                    } else {
                        distances[k].saturating_add(1)
                    };
                }
                k += 1;
            }
        }
    }

    /// Clamps the costs of all scanlines of the calling thread.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn clamp<const W: usize>(&self, groups: ScanlineGroups) {
        groups.for_each::<W>(|batch, column, count| {
            let first = batch * self.layout.batch + column;
            self.sweep::<W>((batch, column, count), |position, k, cost, clamped| {
                if clamped < cost {
                    let voxel = first + position as u64 * self.layout.along;
                    self.costs.write(voxel as usize + k, clamped);
                }
            });
        });
    }

    /// Writes the distances of all scanlines of the calling thread.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn measure<const W: usize>(
        &self,
        groups: ScanlineGroups,
        output_layout: Layout,
        conversion: DistanceConversion,
        distances: ViewMut<f32>,
    ) {
        let is_small = conversion.is_small(&self.axis);
        groups.for_each::<W>(|batch, column, count| {
            let first = batch * output_layout.batch + column;
            self.sweep::<W>((batch, column, count), |position, k, _, cost| {
                let voxel = first + position as u64 * output_layout.along;
                let distance = if is_small {
                    conversion.convert_small(cost, &self.axis)
                } else {
                    conversion.convert(cost, &self.axis)
                };
                distances.write(voxel as usize + k, distance);
            });
        });
    }
}

/// Replaces each cost by the squared distance to the nearest voxel of its scanline with another
/// label if that is smaller and the distance is at most `max_distance`.
///
/// **Mapping:** one scanline along y or z per thread ([`MAX_GROUP_WIDTH`] on a CPU), neighbouring
/// threads on neighbouring scanlines; one forward and one backward sweep. **Global memory:** reads
/// one bit and one cost per voxel and sweep, and writes the costs that decrease. Shared memory is
/// not used.
///
/// # Safety
/// `changes` are the label changes along the axis, located as described by `line_changes`, and
/// `costs` has one element per voxel of the scanlines.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn clamp_to_changes<C: Cost + KernelType>(
    changes: View<u32>,
    line_changes: LineChanges,
    groups: ScanlineGroups,
    axis: Axis<C>,
    max_distance: u32,
    layout: Layout,
    costs: ViewMut<C>,
) {
    let sweep = Sweep {
        changes,
        line_changes,
        axis,
        max_distance,
        costs,
        layout,
    };
    if groups.is_wide() {
        return sweep.clamp::<{ MAX_GROUP_WIDTH as usize }>(groups);
    }
    sweep.clamp::<1>(groups);
}

/// Computes the distance of each voxel: the root of the cost that [`clamp_to_changes`] would store.
///
/// The mapping is that of [`clamp_to_changes`]; one distance is written per voxel, and costs that
/// decrease are written during the forward sweep.
///
/// # Safety
/// The requirements of [`clamp_to_changes`] hold; `distances` has one element per voxel, located by
/// the second layout.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn distances_from_changes<C: Cost + KernelType>(
    changes: View<u32>,
    line_changes: LineChanges,
    groups: ScanlineGroups,
    axis: Axis<C>,
    max_distance: u32,
    layouts: [Layout; 2],
    costs: ViewMut<C>,
    conversion: DistanceConversion,
    distances: ViewMut<f32>,
) {
    let [layout, output_layout] = layouts;
    let sweep = Sweep {
        changes,
        line_changes,
        axis,
        max_distance,
        costs,
        layout,
    };
    if groups.is_wide() {
        return sweep.measure::<{ MAX_GROUP_WIDTH as usize }>(
            groups,
            output_layout,
            conversion,
            distances,
        );
    }
    sweep.measure::<1>(groups, output_layout, conversion, distances);
}
