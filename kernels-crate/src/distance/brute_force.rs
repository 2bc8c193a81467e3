//! Every voxel against every site.

use super::sheared::Tilt;
use crate::{
    arith::{div_rem, quotient_up},
    grid::Grid,
    sample::Count,
};
use cuda_std::{View, ViewMut, kernel, shared_view, thread};

/// Voxels that a block takes at a time: it goes through the sites once for each.
pub const VOXELS: u32 = 1024;
/// Voxels that a thread holds at a time.
const HELD: usize = 4;
/// Sites in shared memory at a time.
const TILE: usize = 256;

/// The nearest of the sites seen so far, for some neighbouring voxels.
#[derive(Clone, Copy)]
struct Held {
    /// The voxels' coordinates.
    at: [[f64; 3]; HELD],
    squared: [f64; HELD],
    number: [u64; HELD],
}

/// For each voxel the distance to the nearest of the sites and, if `nearest` is not empty, which it
/// is: of several the first. If `voxels` is not 0 the sites are voxels in the order of their
/// indices, and `nearest` gets indices, else the numbers of points.
///
/// A block takes 1024 voxels at a time, a thread four of them. The block stages the sites in shared
/// memory, 256 of them, 3 KiB; in a warp all read the same. Coordinates are exact in `f64`, and
/// squared distances of integers are too, to 2⁵³.
///
/// # Safety
/// `sites` holds x, y and z of each site, `distances` `grid.samples()` elements, `nearest` as many
/// or none.
#[kernel(I = [u32, u64])]
pub unsafe fn nearest_of_all<I: Count>(
    sites: View<f32>,
    voxels: u32,
    grid: Grid,
    tilt: Tilt,
    distances: ViewMut<f32>,
    nearest: ViewMut<I>,
) {
    let threads = thread::block_dim_x() as u64 * HELD as u64;
    let pieces = quotient_up(grid.samples(), VOXELS as u64);
    let mut piece = thread::block_idx_x() as u64;
    while piece < pieces {
        let start = piece * VOXELS as u64;
        // the same rounds for all threads, since they wait for one another
        let mut round = start;
        while round < start + VOXELS as u64 {
            let first = round + thread::thread_idx_x() as u64 * HELD as u64;
            let held = nearest_of_held(sites, grid, first, &tilt);
            let end = start + VOXELS as u64;
            let end = if end < grid.samples() {
                end
            } else {
                grid.samples()
            };
            let write = |voxel: u64, squared: f64, number: u64| {
                if voxel >= end {
                    return;
                }
                let far = number == u64::MAX || squared > tilt.scale.most_squared();
                let squared = if far { f64::INFINITY } else { squared };
                distances.write(voxel as usize, tilt.scale.root(squared));
                if !nearest.is_empty() {
                    let found = if far {
                        u64::MAX
                    } else {
                        index_of(sites, number, voxels, grid)
                    };
                    nearest.write(voxel as usize, I::narrow(found));
                }
            };
            // spelled out: as a loop it would want the arrays in memory
            write(first, held.squared[0], held.number[0]);
            write(first + 1, held.squared[1], held.number[1]);
            write(first + 2, held.squared[2], held.number[2]);
            write(first + 3, held.squared[3], held.number[3]);
            round += threads;
        }
        piece += thread::grid_dim_x() as u64;
    }
}

/// The nearest sites of the voxels from `first` on. All threads of the block must call it.
#[inline(always)]
fn nearest_of_held(sites: View<f32>, grid: Grid, first: u64, tilt: &Tilt) -> Held {
    let tile = shared_view![f32; 3 * TILE];
    let mut held = Held {
        at: [[0.0; 3]; HELD],
        squared: [f64::INFINITY; HELD],
        number: [u64::MAX; HELD],
    };
    let (row, mut x) = div_rem(first, grid.nx as u64);
    let (mut z, mut y) = div_rem(row, grid.ny as u64);
    let mut k = 0;
    while k < HELD {
        held.at[k] = [x as f64, y as f64, z as f64];
        x += 1;
        if x == grid.nx as u64 {
            (x, y) = (0, y + 1);
        }
        if y == grid.ny as u64 {
            (y, z) = (0, z + 1);
        }
        k += 1;
    }
    let mut start = 0;
    while start < sites.len() {
        let rest = sites.len() - start;
        let here = if rest < 3 * TILE { rest } else { 3 * TILE };
        thread::sync_threads();
        let mut i = thread::thread_idx_x() as usize;
        while i < here {
            tile.write(i, sites.read(start + i));
            i += thread::block_dim_x() as usize;
        }
        thread::sync_threads();
        let mut i = 0;
        while i + 2 < here {
            let site = [tile.read(i), tile.read(i + 1), tile.read(i + 2)].map(f64::from);
            let mut k = 0;
            while k < HELD {
                let squared = tilt.squared(minus(held.at[k], site));
                // a later site at the same distance changes nothing; the first counts whatever its
                // distance
                if squared < held.squared[k] {
                    held.squared[k] = squared;
                    held.number[k] = (start + i) as u64;
                }
                k += 1;
            }
            i += 3;
        }
        start += 3 * TILE;
    }
    held
}

/// `a - b`.
#[inline(always)]
fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// What `nearest` has for the site whose coordinates begin at `place`.
#[inline(always)]
fn index_of(sites: View<f32>, place: u64, voxels: u32, grid: Grid) -> u64 {
    if voxels == 0 {
        return div_rem(place, 3).0;
    }
    let place = place as usize;
    let [x, y, z] = [place, place + 1, place + 2].map(|i| sites.read(i) as u32);
    grid.sample(x, y, z) as u64
}
