//! Vector propagation after Danielsson (*Euclidean distance mapping*, 1980): nearest-site indices
//! are passed from plane to plane along x, y and z in both directions, until nothing changes.
//!
//! Each voxel reads nine neighbours in the preceding plane; the six directions together cover its
//! 26 neighbours. The result is usually, but not always, the nearest site: the nearest site of a
//! voxel need not be the nearest site of any of its neighbours.

use super::super::sites::BitRows;
use crate::{
    arith::div_rem,
    grid::{Grid, X, Y},
    rows::{Items, Rows},
    sample::Count,
};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Two neighbouring planes perpendicular to an axis.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanePair {
    /// Axis perpendicular to the planes.
    pub axis: u32,
    /// Source plane, whose site indices are read.
    pub from: u32,
    /// Target plane, whose site indices are updated.
    pub to: u32,
}

/// Initialises the nearest-site index of each site with its own index and that of every other voxel
/// with "unknown" (all ones).
///
/// **Mapping:** one voxel per thread, neighbouring threads on neighbouring voxels. **Global
/// memory:** reads one bit and writes one index. Shared memory is not used.
///
/// # Safety
/// `rows` are the rows of `bits.grid`; `sites` holds `bits.words()` elements, `nearest` holds
/// `bits.grid.samples()`.
#[kernel(I = [u32, u64])]
pub unsafe fn seed_nearest<I: Count>(
    sites: View<u32>,
    bits: BitRows,
    rows: Rows,
    nearest: ViewMut<I>,
) {
    rows.for_each_run(|run| {
        let row = bits.word_index(0, run.y, run.z);
        let first = bits.grid.sample(0, run.y, run.z);
        let mut x = run.start;
        while x < run.end {
            let at = first + x as usize;
            let is_site = sites.read(row + (x >> 5) as usize) >> (x & 31) & 1 != 0;
            let site = if is_site { at as u64 } else { u64::MAX };
            nearest.write(at, I::narrow(site));
            x += 1;
        }
    });
}

/// Returns the squared distance between a voxel and the site with linear index `site`.
#[cuda_std::inline_closures]
#[inline(always)]
fn squared(grid: Grid, spacing: [f64; 3], at: [u32; 3], site: u64) -> f64 {
    let (row, x) = div_rem(site, grid.nx as u64);
    let (z, y) = div_rem(row, grid.ny as u64);
    let squared_along = |spacing: f64, voxel: u32, site: u64| {
        let length = spacing * (voxel as f64 - site as f64);
        length * length
    };
    squared_along(spacing[0], at[0], x)
        + squared_along(spacing[1], at[1], y)
        + squared_along(spacing[2], at[2], z)
}

/// Propagates site indices from one plane to the next: each voxel of plane `to` takes the nearest
/// of its own site and the sites of nine voxels of plane `from`. Ties are broken by the smallest
/// index.
///
/// **Mapping:** one voxel per thread, neighbouring threads on neighbours along x (along y for
/// planes perpendicular to x). **Global memory:** reads ten indices and writes one if it changes;
/// sets `changed[0]` to 1 if any index changes. Shared memory is not used.
///
/// # Safety
/// `nearest` holds `grid.samples()` elements, `items` counts the voxels of a plane perpendicular to
/// the axis, `changed` holds one element.
#[kernel(I = [u32, u64])]
pub unsafe fn spread_nearest<I: Count>(
    grid: Grid,
    spacing: [f64; 3],
    planes: PlanePair,
    items: Items,
    nearest: ViewMut<I>,
    changed: ViewMut<u32>,
) {
    let unknown = I::narrow(u64::MAX).widen();
    // The two axes within the planes and the axis across them: sizes and strides.
    let (row, plane) = (grid.nx as usize, grid.nx as usize * grid.ny as usize);
    let (counts, steps) = if planes.axis == X {
        ([grid.ny, grid.nz], [row, plane, 1])
    } else if planes.axis == Y {
        ([grid.nx, grid.nz], [1, plane, row])
    } else {
        ([grid.nx, grid.ny], [1, row, plane])
    };
    let mut any = false;
    items.for_each(|item| {
        let (v, u) = div_rem(item as u64, counts[0] as u64);
        let (u, v) = (u as u32, v as u32);
        let at = if planes.axis == X {
            [planes.to, u, v]
        } else if planes.axis == Y {
            [u, planes.to, v]
        } else {
            [u, v, planes.to]
        };
        let in_plane = u as usize * steps[0] + v as usize * steps[1];
        let here = in_plane + planes.to as usize * steps[2];
        let centre = in_plane + planes.from as usize * steps[2];
        let current = nearest.read(here).widen();
        let (mut best, mut best_squared) = (current, f64::INFINITY);
        if current != unknown {
            best_squared = squared(grid, spacing, at, current);
        }
        // Offsets -1 to 1 along both axes, clipped to the plane.
        let (v_first, v_end) = ((v == 0) as u32, 3 - (v + 1 == counts[1]) as u32);
        let (u_first, u_end) = ((u == 0) as u32, 3 - (u + 1 == counts[0]) as u32);
        // Neighbouring voxels usually store the same site, so the last one is skipped.
        let mut last_site = unknown;
        let mut dv = v_first;
        while dv < v_end {
            let mut du = u_first;
            while du < u_end {
                let neighbour = centre + du as usize * steps[0] + dv as usize * steps[1];
                let site = nearest.read(neighbour - steps[0] - steps[1]).widen();
                if site != unknown && site != best && site != last_site {
                    last_site = site;
                    let distance = squared(grid, spacing, at, site);
                    if distance < best_squared || distance == best_squared && site < best {
                        (best, best_squared) = (site, distance);
                    }
                }
                du += 1;
            }
            dv += 1;
        }
        if best != current {
            nearest.write(here, I::narrow(best));
            any = true;
        }
    });
    if any && changed.atomic_load(0, Relaxed) == 0 {
        changed.atomic_store(0, 1, Relaxed);
    }
}

/// Computes the distance of each voxel to its stored site. Voxels without a site, or with one
/// beyond `max_distance`, get the maximum distance, and their site is cleared.
///
/// **Mapping:** one voxel per thread, neighbouring threads on neighbouring voxels. **Global
/// memory:** reads one index, writes one distance, and writes an index if it is cleared. Shared
/// memory is not used.
///
/// # Safety
/// `rows` are the rows of `grid`; `nearest` and `distances` hold `grid.samples()` elements.
#[kernel(I = [u32, u64])]
pub unsafe fn measure_nearest<I: Count>(
    grid: Grid,
    spacing: [f64; 3],
    max_distance: f64,
    rows: Rows,
    nearest: ViewMut<I>,
    distances: ViewMut<f32>,
) {
    let unknown = I::narrow(u64::MAX).widen();
    rows.for_each_run(|run| {
        let first = grid.sample(0, run.y, run.z);
        let mut x = run.start;
        while x < run.end {
            let at = first + x as usize;
            let site = nearest.read(at).widen();
            let mut distance = max_distance;
            if site != unknown {
                let found = GpuFloat::sqrt(squared(grid, spacing, [x, run.y, run.z], site));
                if found <= max_distance {
                    distance = found;
                } else {
                    nearest.write(at, I::narrow(u64::MAX));
                }
            }
            distances.write(at, distance as f32);
            x += 1;
        }
    });
}
