//! Brute force: compares every voxel with every site. The reference for the other methods.

use super::oblique::ObliqueMetric;
use crate::{
    arith::{div_ceil, div_rem},
    grid::Grid,
    sample::Count,
};
use cuda_std::{View, ViewMut, kernel, shared_view, thread};

/// Number of voxels per batch of a block, which reads all sites once per batch.
pub const BLOCK_VOXELS: u32 = 1024;
/// Number of voxels per thread.
const THREAD_VOXELS: usize = 4;
/// Number of sites in shared memory at a time.
const TILE: usize = 256;

/// Nearest site found so far for consecutive voxels.
#[derive(Clone, Copy)]
struct NearestSoFar {
    /// Voxel coordinates.
    position: [[f64; 3]; THREAD_VOXELS],
    /// Squared distance to the nearest site so far.
    squared: [f64; THREAD_VOXELS],
    /// Offset of that site's coordinates; `u64::MAX` before the first site.
    offset: [u64; THREAD_VOXELS],
}

/// Computes, for each voxel, the distance to the nearest site and, unless `nearest` is empty, the
/// index of that site; ties are broken by the first site. If `voxels` is nonzero, the sites are
/// voxels in index order, and `nearest` receives linear voxel indices; otherwise it receives point
/// numbers.
///
/// **Mapping:** batches of 1024 voxels per block, four voxels per thread. **Phases**, separated by
/// barriers and repeated for all sites: (1) load 256 sites into shared memory; (2) compare them
/// with the thread's voxels; all lanes of a warp read the same site. **Shared memory:** 3 KiB.
/// Coordinates are exact in `f64`, and so are squared distances of integers up to 2⁵³.
///
/// # Safety
/// `sites` holds x, y and z of each site, `distances` holds `grid.samples()` elements, and
/// `nearest` holds the same number or none.
#[kernel(I = [u32, u64])]
pub unsafe fn nearest_brute_force<I: Count>(
    sites: View<f32>,
    voxels: u32,
    grid: Grid,
    metric: ObliqueMetric,
    distances: ViewMut<f32>,
    nearest: ViewMut<I>,
) {
    let threads = thread::block_dim_x() as u64 * THREAD_VOXELS as u64;
    let batches = div_ceil(grid.samples(), BLOCK_VOXELS as u64);
    let mut batch = thread::block_idx_x() as u64;
    while batch < batches {
        let start = batch * BLOCK_VOXELS as u64;
        // All threads execute the same number of steps, because of the barriers.
        let mut step_start = start;
        while step_start < start + BLOCK_VOXELS as u64 {
            let first = step_start + thread::thread_idx_x() as u64 * THREAD_VOXELS as u64;
            let nearest_so_far = find_nearest(sites, grid, first, &metric);
            let end = start + BLOCK_VOXELS as u64;
            let end = if end < grid.samples() {
                end
            } else {
                grid.samples()
            };
            let write = |voxel: u64, squared: f64, offset: u64| {
                if voxel >= end {
                    return;
                }
                let is_far = offset == u64::MAX || squared > metric.scale.max_squared();
                let squared = if is_far { f64::INFINITY } else { squared };
                distances.write(voxel as usize, metric.scale.root(squared));
                if !nearest.is_empty() {
                    let index = if is_far {
                        u64::MAX
                    } else {
                        site_index(sites, offset, voxels, grid)
                    };
                    nearest.write(voxel as usize, I::narrow(index));
                }
            };
            // Unrolled by hand: indexing in a loop would place the arrays in local memory.
            write(first, nearest_so_far.squared[0], nearest_so_far.offset[0]);
            write(
                first + 1,
                nearest_so_far.squared[1],
                nearest_so_far.offset[1],
            );
            write(
                first + 2,
                nearest_so_far.squared[2],
                nearest_so_far.offset[2],
            );
            write(
                first + 3,
                nearest_so_far.squared[3],
                nearest_so_far.offset[3],
            );
            step_start += threads;
        }
        batch += thread::grid_dim_x() as u64;
    }
}

/// Finds the nearest sites of the voxels starting at `first`. All threads of the block must call
/// it.
#[inline(always)]
fn find_nearest(sites: View<f32>, grid: Grid, first: u64, metric: &ObliqueMetric) -> NearestSoFar {
    let tile = shared_view![f32; 3 * TILE];
    let mut nearest_so_far = NearestSoFar {
        position: [[0.0; 3]; THREAD_VOXELS],
        squared: [f64::INFINITY; THREAD_VOXELS],
        offset: [u64::MAX; THREAD_VOXELS],
    };
    let (row, mut x) = div_rem(first, grid.nx as u64);
    let (mut z, mut y) = div_rem(row, grid.ny as u64);
    let mut k = 0;
    while k < THREAD_VOXELS {
        nearest_so_far.position[k] = [x as f64, y as f64, z as f64];
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
        let remaining = sites.len() - start;
        let loaded = if remaining < 3 * TILE {
            remaining
        } else {
            3 * TILE
        };
        thread::sync_threads();
        let mut i = thread::thread_idx_x() as usize;
        while i < loaded {
            tile.write(i, sites.read(start + i));
            i += thread::block_dim_x() as usize;
        }
        thread::sync_threads();
        let mut i = 0;
        while i + 2 < loaded {
            let site = [tile.read(i), tile.read(i + 1), tile.read(i + 2)].map(f64::from);
            let mut k = 0;
            while k < THREAD_VOXELS {
                let squared = metric.squared(subtract(nearest_so_far.position[k], site));
                // A later site at the same distance is ignored; the first site is accepted at any
                // distance.
                if squared < nearest_so_far.squared[k] {
                    nearest_so_far.squared[k] = squared;
                    nearest_so_far.offset[k] = (start + i) as u64;
                }
                k += 1;
            }
            i += 3;
        }
        start += 3 * TILE;
    }
    nearest_so_far
}

/// Returns `a - b`.
#[inline(always)]
fn subtract(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Returns the entry of `nearest` for the site whose coordinates start at `offset`: a linear voxel
/// index or a point number.
#[cuda_std::inline_closures]
#[inline(always)]
fn site_index(sites: View<f32>, offset: u64, voxels: u32, grid: Grid) -> u64 {
    if voxels == 0 {
        return div_rem(offset, 3).0;
    }
    let offset = offset as usize;
    let [x, y, z] = [offset, offset + 1, offset + 2].map(|i| sites.read(i) as u32);
    grid.sample(x, y, z) as u64
}
