//! Distances of the voxels, computed brick by brick.

use super::{
    brick::{BRICK_SHAPE, Brick, ROW_VOXELS, ROWS, SLACK, VOXELS},
    centres::{BlockGrid, NO_SITE},
    metric::ObliqueMetric,
    tree::{Tree, site},
};
use crate::{
    distance::{
        site_buffer::{CAPACITY, SiteBuffer},
        sites::BitRows,
    },
    grid::Grid,
    sample::Count,
};
use cuda_std::{View, ViewMut, kernel, shared_view, thread};

/// Range of planes of a distance map.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneRange {
    /// Grid of the entire volume.
    pub grid: Grid,
    /// Index of the first plane, a multiple of the brick height.
    pub first: u32,
    /// Number of planes.
    pub count: u32,
}

impl PlaneRange {
    /// Returns the division of these planes into bricks.
    pub const fn bricks(self) -> BlockGrid {
        BlockGrid::new([self.grid.nx, self.grid.ny, self.count], BRICK_SHAPE)
    }
}

/// Returns the site bits of a row of a brick, starting at the lowest bit. Bits beyond the grid are
/// 1, so that a 0 bit always means a voxel that is not a site.
#[inline(always)]
fn sites_in_row(bits: View<u32>, layout: BitRows, x: u32, [y, z]: [u32; 2]) -> u32 {
    let grid = layout.grid;
    if y >= grid.ny || z >= grid.nz {
        return 0xff;
    }
    if bits.is_empty() {
        return 0;
    }
    let word = bits.read(layout.word_index(x, y, z)) | !layout.voxel_mask(x >> 5);
    word >> (x & 31) & 0xff
}

/// Writes the distance of every voxel of a range of planes and, unless `nearest` is empty, the
/// number of the nearest site; ties are broken by the smallest number.
///
/// `bits`, unless empty, is the mask of all voxels that are sites; `sorted` may omit interior ones.
/// `site_numbers` holds the numbers of the sites; if it is empty, sites are voxels, identified by
/// their linear indices. `labels`, unless empty, holds the labels of the voxels. Sites are then
/// voxels, and valid only for voxels with another label; if the nearest site of a brick's centre is
/// not valid for a voxel, one of its `neighbours`, at most `margin` away, is. `centre_sites` is the
/// result of [`nearest_to_centres`] for the bricks of the entire grid.
///
/// **Mapping:** one brick per block, rows of 8 voxels per thread, whose squared distances stay in
/// registers during a comparison. **Phases**, separated by barriers: (1) all threads traverse the
/// tree together, stride over the sites of a cell, and append those that can be nearest to a buffer
/// of 512 sites; (2) every thread compares its voxels with all buffered sites, all lanes reading
/// the same one. A second search finds site numbers. **Shared memory:** 14 KiB. **Global memory:**
/// writes one distance, and optionally one site number, per voxel.
///
/// # Safety
/// There is at least one site; `sorted`, `starts` and `boxes` are the results of the sorting
/// kernels and [`join_boxes`](super::join_boxes); `site_numbers` holds one element per site or
/// none, `labels` one per voxel or none, `bits` the words of the grid or none; `distances` holds
/// one element per voxel of the planes, and `nearest` the same number or none; `neighbours` holds
/// the steps to the neighbours.
///
/// [`nearest_to_centres`]: super::nearest_to_centres
#[kernel(I = [u32, u64])]
pub unsafe fn measure_oblique<I: Count>(
    sorted: View<f32>,
    site_numbers: View<u64>,
    starts: View<u64>,
    boxes: View<f32>,
    tree: Tree,
    metric: ObliqueMetric,
    centre_sites: View<f32>,
    bits: View<u32>,
    labels: View<f32>,
    margin: f64,
    neighbours: View<i32>,
    planes: PlaneRange,
    distances: ViewMut<f32>,
    nearest: ViewMut<I>,
) {
    let site_coordinates = shared_view![f32; 3 * CAPACITY];
    let site_keys = shared_view![u64; CAPACITY];
    let count = shared_view![u32; 1];
    let best = shared_view![f64; VOXELS];
    let site_number = shared_view![u64; VOXELS];
    let grid = planes.grid;
    let layout = BitRows::new(grid);
    let bricks = planes.bricks();
    let half = bricks.half();
    let mut index = thread::block_idx_x() as u64;
    while index < bricks.count() {
        let [x, y, z] = bricks.first_voxel(index);
        let first = [x, y, planes.first + z];
        // Bricks of the entire grid are numbered from its first plane.
        let before = (planes.first / BRICK_SHAPE[2]) as u64
            * bricks.counts[0] as u64
            * bricks.counts[1] as u64;
        let initial_site = site(centre_sites, (before + index) as usize);
        let mut brick = Brick {
            metric: &metric,
            sorted,
            site_numbers,
            labels,
            grid,
            first,
            middle: [
                first[0] as f64 + half[0],
                first[1] as f64 + half[1],
                first[2] as f64 + half[2],
            ],
            extent: metric.half_extent(half),
            half_extent: half,
            initial_site,
            has_initial_bound: true,
            max_squared: 0.0,
            label: f32::NAN,
            sites: SiteBuffer {
                coordinates: site_coordinates,
                count,
            },
            site_keys,
            best,
            nearest: site_number,
            find_nearest_site: false,
        };
        Brick::for_each_row(|row| {
            let mut k = 0;
            while k < ROW_VOXELS {
                best.write(row * ROW_VOXELS + k, f64::INFINITY);
                site_number.write(row * ROW_VOXELS + k, u64::MAX);
                k += 1;
            }
        });
        let mut row_bits = 0xff;
        let mut row = 0;
        while row < ROWS {
            row_bits &= sites_in_row(bits, layout, first[0], brick.row(row));
            row += 1;
        }
        if row_bits != 0xff && initial_site[0] < NO_SITE as f64 {
            if !labels.is_empty() {
                brick.label = brick.uniform_label();
                brick.set_initial_site_of_other_label(layout, neighbours);
            }
            let max_squared =
                brick.farthest_squared(if brick.has_initial_bound { 0.0 } else { margin });
            let bound = metric.scale.max_squared();
            brick.max_squared = SLACK
                * if max_squared < bound {
                    max_squared
                } else {
                    bound
                };
            brick.search(boxes, starts, &tree);
            if !nearest.is_empty() {
                brick.find_nearest_site = true;
                brick.search(boxes, starts, &tree);
            }
        }
        Brick::for_each_row(|row| {
            let [y, z] = brick.row(row);
            if y >= grid.ny || z >= planes.first + planes.count {
                return;
            }
            let site_bits = sites_in_row(bits, layout, first[0], [y, z]);
            let mut k = 0;
            while k < ROW_VOXELS {
                let x = first[0] + k as u32;
                if x < grid.nx {
                    let is_site = site_bits >> k & 1 != 0;
                    let squared = best.read(row * ROW_VOXELS + k);
                    let is_far = squared > metric.scale.max_squared();
                    let squared = if is_site {
                        0.0
                    } else if is_far {
                        f64::INFINITY
                    } else {
                        squared
                    };
                    let voxel = grid.sample(x, y, z - planes.first);
                    distances.write(voxel, metric.scale.root(squared));
                    if !nearest.is_empty() {
                        let site_number = if is_site {
                            grid.sample(x, y, z) as u64
                        } else if is_far {
                            u64::MAX
                        } else {
                            site_number.read(row * ROW_VOXELS + k)
                        };
                        nearest.write(voxel, I::narrow(site_number));
                    }
                }
                k += 1;
            }
        });
        thread::sync_threads();
        index += thread::grid_dim_x() as u64;
    }
}
