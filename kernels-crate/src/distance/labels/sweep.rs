//! Distances along y and z.

use super::super::separable::{Axis, Cost, Far, Layout, Lines};
use crate::{
    arith::{div_rem, quotient_up},
    rows::Items,
};
use cuda_std::{KernelType, View, ViewMut, kernel};

/// Neighbouring lines that a thread of a CPU takes together, so that it reads whole cache lines.
/// Divides 32: they have their bits in one word.
pub const WIDE: u32 = 16;

/// Lines, and how threads take them: `width` neighbouring ones of a batch at a time.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundles {
    /// The lines.
    pub lines: Lines,
    /// Bundles that blocks take at a time, at least 1.
    pub piece: u32,
    /// Lines of a bundle: 1, or on a CPU [`WIDE`].
    pub width: u32,
}

impl Bundles {
    /// The bundles.
    #[inline(always)]
    pub const fn items(self) -> Items {
        Items {
            count: self.lines.batches * quotient_up(self.lines.columns, self.width as u64),
            piece: self.piece,
        }
    }

    /// Calls `visit` with those of the calling thread: the batch, the first line in it, and how
    /// many of `W` lines there are.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn for_each<const W: usize>(self, mut visit: impl FnMut(u64, u64, usize)) {
        let per_batch = quotient_up(self.lines.columns, W as u64);
        self.items().for_each(|bundle| {
            let (batch, in_batch) = div_rem(bundle as u64, per_batch);
            let column = in_batch * W as u64;
            let rest = self.lines.columns - column;
            let count = if rest < W as u64 { rest } else { W as u64 };
            visit(batch, column, count as usize);
        });
    }
}

/// Where the changes along a line are.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangesAlong {
    /// Their words.
    pub layout: Layout,
    /// The x of the first column, a multiple of 32.
    pub first_x: u32,
    /// Voxels of a line.
    pub len: u32,
}

/// What is known of a job.
#[derive(Clone, Copy)]
struct Sweep<'a, C> {
    changes: View<'a, u32>,
    at: ChangesAlong,
    axis: Axis<C>,
    most: u32,
    costs: ViewMut<'a, C>,
    layout: Layout,
}

/// No voxel of another label yet.
const NONE: u32 = u32::MAX;

impl<C: Cost> Sweep<'_, C> {
    /// The lesser of a cost and a squared distance along the line.
    #[inline(always)]
    fn clamped(&self, cost: C, distance: u32) -> C {
        if distance <= self.most {
            C::squared(self.axis.weight, distance).least(cost)
        } else {
            cost
        }
    }

    /// Goes along a bundle and back. Calls `done` with the place and the number of each line's
    /// voxels, the cost that is stored, and what becomes of it.
    #[inline(always)]
    fn run<const W: usize>(
        &self,
        (batch, column, count): (u64, u64, usize),
        done: impl Fn(u32, usize, C, C),
    ) {
        let x = self.at.first_x as u64 + column;
        let first_word = batch * self.at.layout.batch + x / 32;
        let first = batch * self.layout.batch + column;
        let changes = |place: u32| {
            let word = first_word + place as u64 * self.at.layout.along;
            self.changes.read(word as usize) >> (x % 32)
        };
        let voxel = |place: u32| (first + place as u64 * self.layout.along) as usize;
        let mut distances = [NONE; W];
        let mut place = 0;
        while place < self.at.len {
            let (changes, voxel) = (changes(place), voxel(place));
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
            place += 1;
        }
        distances = [NONE; W];
        while place > 0 {
            place -= 1;
            let (changes, voxel) = (changes(place), voxel(place));
            let mut k = 0;
            while k < W {
                if k < count {
                    let cost = self.costs.read(voxel + k);
                    done(place, k, cost, self.clamped(cost, distances[k]));
                    // a change here is between this place and the one before it
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

    #[inline(always)]
    fn clamp<const W: usize>(&self, bundles: Bundles) {
        bundles.for_each::<W>(|batch, column, count| {
            let first = batch * self.layout.batch + column;
            self.run::<W>((batch, column, count), |place, k, cost, clamped| {
                if clamped < cost {
                    let voxel = first + place as u64 * self.layout.along;
                    self.costs.write(voxel as usize + k, clamped);
                }
            });
        });
    }

    #[inline(always)]
    fn measure<const W: usize>(
        &self,
        bundles: Bundles,
        to: Layout,
        far: Far,
        distances: ViewMut<f32>,
    ) {
        let is_small = far.is_small(&self.axis);
        bundles.for_each::<W>(|batch, column, count| {
            let first = batch * to.batch + column;
            self.run::<W>((batch, column, count), |place, k, _, cost| {
                let voxel = first + place as u64 * to.along;
                let distance = if is_small {
                    far.small_distance(cost, &self.axis)
                } else {
                    far.distance(cost, &self.axis)
                };
                distances.write(voxel as usize + k, distance);
            });
        });
    }
}

/// Replaces each cost by the squared distance to the nearest voxel of its line with another label,
/// where that is less and the distance at most `most`.
///
/// A thread takes whole lines along y or z, neighbouring threads neighbouring ones: it goes along
/// the line and back, reads a bit and a cost each time, and writes costs that become less. On the
/// CPU a thread takes [`WIDE`] lines at a time. Nothing is shared in the block.
///
/// # Safety
/// `changes` are those of the axis, whose words lie as `at` says, and `costs` have an element for
/// each voxel of the lines.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn clamp_to_changes<C: Cost + KernelType>(
    changes: View<u32>,
    at: ChangesAlong,
    bundles: Bundles,
    axis: Axis<C>,
    most: u32,
    layout: Layout,
    costs: ViewMut<C>,
) {
    let sweep = Sweep {
        changes,
        at,
        axis,
        most,
        costs,
        layout,
    };
    #[cfg(not(target_arch = "nvptx64"))]
    if bundles.width == WIDE {
        return sweep.clamp::<{ WIDE as usize }>(bundles);
    }
    sweep.clamp::<1>(bundles);
}

/// The distance of each voxel: the root of what [`clamp_to_changes`] would make of its cost.
///
/// Otherwise as there; a distance is written for each voxel, and costs that become less are written
/// on the way along.
///
/// # Safety
/// As there; `distances` have an element for each voxel, where the second layout says.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn distances_from_changes<C: Cost + KernelType>(
    changes: View<u32>,
    at: ChangesAlong,
    bundles: Bundles,
    axis: Axis<C>,
    most: u32,
    layouts: [Layout; 2],
    costs: ViewMut<C>,
    far: Far,
    distances: ViewMut<f32>,
) {
    let [layout, to] = layouts;
    let sweep = Sweep {
        changes,
        at,
        axis,
        most,
        costs,
        layout,
    };
    #[cfg(not(target_arch = "nvptx64"))]
    if bundles.width == WIDE {
        return sweep.measure::<{ WIDE as usize }>(bundles, to, far, distances);
    }
    sweep.measure::<1>(bundles, to, far, distances);
}
