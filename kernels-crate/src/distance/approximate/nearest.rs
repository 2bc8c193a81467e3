//! The nearest of the sites that a voxel's neighbours know: sites are handed on from plane to
//! plane, along x, y and z, up and down, until nothing changes. (So do the propagations of vectors
//! after Danielsson, *Euclidean distance mapping*, 1980.)
//!
//! A voxel asks nine neighbours in the plane before it; the six directions together are its 26
//! neighbours. What it ends with is mostly the nearest site, and not always: the nearest of one
//! voxel may be that of none of its neighbours.

use super::super::sites::BitRows;
use crate::{
    arith::div_rem,
    grid::{Grid, X, Y},
    rows::{Items, Rows},
    sample::Count,
};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Two neighbouring planes across an axis.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planes {
    /// The axis.
    pub axis: u32,
    /// The plane whose sites are known.
    pub from: u32,
    /// The plane that asks.
    pub to: u32,
}

/// Says of each voxel that is a site that its nearest site is itself, and of the others that it is
/// not known.
///
/// A thread takes single voxels, neighbouring threads neighbouring ones: it reads a bit and writes
/// an index. Nothing is shared.
///
/// # Safety
/// `rows` are those of `bits.grid`; `sites` holds `bits.words()` elements, `nearest`
/// `bits.grid.samples()`.
#[kernel(I = [u32, u64])]
pub unsafe fn seed_nearest<I: Count>(
    sites: View<u32>,
    bits: BitRows,
    rows: Rows,
    nearest: ViewMut<I>,
) {
    rows.for_each_run(|run| {
        let row = bits.word_of(0, run.y, run.z);
        let first = bits.grid.sample(0, run.y, run.z);
        let mut x = run.start;
        while x < run.end {
            let at = first + x as usize;
            let is_site = sites.read(row + (x >> 5) as usize) >> (x & 31) & 1 != 0;
            let known = if is_site { at as u64 } else { u64::MAX };
            nearest.write(at, I::narrow(known));
            x += 1;
        }
    });
}

/// The square of the distance between a voxel and the site with a linear index.
#[inline(always)]
fn squared(grid: Grid, spacing: [f64; 3], at: [u32; 3], site: u64) -> f64 {
    let (row, x) = div_rem(site, grid.nx as u64);
    let (z, y) = div_rem(row, grid.ny as u64);
    let part = |spacing: f64, here: u32, there: u64| {
        let part = spacing * (here as f64 - there as f64);
        part * part
    };
    part(spacing[0], at[0], x) + part(spacing[1], at[1], y) + part(spacing[2], at[2], z)
}

/// Hands sites on from a plane to the next: each voxel of the plane `to` takes the nearest of its
/// own and of those that nine voxels of the plane `from` have; of several at the same distance that
/// with the smallest index.
///
/// A thread takes single voxels, neighbouring threads neighbouring ones along x (along y in planes
/// across x): it reads ten indices, and writes one if it changes. `changed[0]` becomes 1 if any
/// does. Nothing is shared in the block.
///
/// # Safety
/// `nearest` holds `grid.samples()` elements, `items` counts the voxels of a plane across the axis,
/// `changed` holds one.
#[kernel(I = [u32, u64])]
pub unsafe fn spread_nearest<I: Count>(
    grid: Grid,
    spacing: [f64; 3],
    planes: Planes,
    items: Items,
    nearest: ViewMut<I>,
    changed: ViewMut<u32>,
) {
    let unknown = I::narrow(u64::MAX).widen();
    // the axes in the planes, and how far apart neighbours along them are stored
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
        let own = nearest.read(here).widen();
        let (mut best, mut least) = (own, f64::INFINITY);
        if own != unknown {
            least = squared(grid, spacing, at, own);
        }
        // from -1 to 1 along both axes, where that is in the plane
        let (v_first, v_end) = ((v == 0) as u32, 3 - (v + 1 == counts[1]) as u32);
        let (u_first, u_end) = ((u == 0) as u32, 3 - (u + 1 == counts[0]) as u32);
        // neighbours mostly know the same sites
        let mut asked = unknown;
        let mut dv = v_first;
        while dv < v_end {
            let mut du = u_first;
            while du < u_end {
                let there = centre + du as usize * steps[0] + dv as usize * steps[1];
                let known = nearest.read(there - steps[0] - steps[1]).widen();
                if known != unknown && known != best && known != asked {
                    asked = known;
                    let distance = squared(grid, spacing, at, known);
                    if distance < least || distance == least && known < best {
                        (best, least) = (known, distance);
                    }
                }
                du += 1;
            }
            dv += 1;
        }
        if best != own {
            nearest.write(here, I::narrow(best));
            any = true;
        }
    });
    if any && changed.atomic_load(0, Relaxed) == 0 {
        changed.atomic_store(0, 1, Relaxed);
    }
}

/// The distance of each voxel to the site it knows; where that is more than `bound`, or none, the
/// bound, and the site is forgotten.
///
/// A thread takes single voxels, neighbouring threads neighbouring ones: it reads an index, and
/// writes a distance, and an index where it is forgotten. Nothing is shared in the block.
///
/// # Safety
/// `rows` are those of `grid`; `nearest` and `distances` hold `grid.samples()` elements.
#[kernel(I = [u32, u64])]
pub unsafe fn measure_nearest<I: Count>(
    grid: Grid,
    spacing: [f64; 3],
    bound: f64,
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
            let known = nearest.read(at).widen();
            let mut distance = bound;
            if known != unknown {
                let found = GpuFloat::sqrt(squared(grid, spacing, [x, run.y, run.z], known));
                if found <= bound {
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
