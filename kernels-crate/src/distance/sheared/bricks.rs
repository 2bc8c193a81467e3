//! The distances of the voxels, brick by brick.

use super::{
    brick::{BRICK, Brick, ROWS, SLACK, VOXELS, WIDTH},
    centres::{Blocks, NOWHERE},
    metric::Tilt,
    tree::{Tree, site},
};
use crate::{
    distance::{
        held::{HELD, HeldSites},
        sites::BitRows,
    },
    grid::Grid,
    sample::Count,
};
use cuda_std::{View, ViewMut, kernel, shared_view, thread};

/// Some planes of a map.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planes {
    /// All voxels.
    pub grid: Grid,
    /// The first plane: a whole number of bricks.
    pub first: u32,
    /// How many planes.
    pub count: u32,
}

impl Planes {
    /// The bricks of these planes.
    pub const fn bricks(self) -> Blocks {
        Blocks::new([self.grid.nx, self.grid.ny, self.count], BRICK)
    }
}

/// The bits of a row of a brick, from the lowest on; those beyond the grid are 1, so that only
/// voxels that are not sites have 0.
#[inline(always)]
fn sites_in_row(bits: View<u32>, layout: BitRows, x: u32, [y, z]: [u32; 2]) -> u32 {
    let grid = layout.grid;
    if y >= grid.ny || z >= grid.nz {
        return 0xff;
    }
    if bits.is_empty() {
        return 0;
    }
    let word = bits.read(layout.word_of(x, y, z)) | !layout.voxels_of(x >> 5);
    word >> (x & 31) & 0xff
}

/// Writes the distance of every voxel of some planes and, if `nearest` is not empty, which site is
/// the nearest: of several the one with the least name.
///
/// `bits`, if there are any, are all voxels that are sites themselves, of which `sorted` need not
/// have all. `names` are the numbers of the sites; without them sites are voxels, and have their
/// indices. `labels`, if there are any, are those of the voxels, which all sites are: those with
/// another label than a voxel's count, and a nearest site of a centre has such a one `around` it,
/// within `more`. `found` is what [`nearest_to_centres`] wrote for the bricks of the whole grid.
///
/// A block takes bricks, and a thread rows of 8 voxels, whose least squared distances it has in its
/// registers while it compares them. All threads go through the tree together, stride over the
/// sites of a cell, and put those that can matter side by side in shared memory, up to 512 of them;
/// then every thread goes through these, all reading the same. That takes 14 KiB. For each voxel a
/// distance is written, and what is nearest takes a second search.
///
/// # Safety
/// There is a site; `sorted`, `places` and `boxes` are what the kernels of the sort and
/// [`join_boxes`](super::join_boxes) leave; `names` holds an element for each site or none,
/// `labels` one for each voxel or none, `bits` those of the grid or none; `distances` holds an
/// element for each voxel of the planes, and `nearest` as many or none; `around` holds the steps to
/// the neighbours.
///
/// [`nearest_to_centres`]: super::nearest_to_centres
#[kernel(I = [u32, u64])]
pub unsafe fn measure_sheared<I: Count>(
    sorted: View<f32>,
    names: View<u64>,
    places: View<u64>,
    boxes: View<f32>,
    tree: Tree,
    tilt: Tilt,
    found: View<f32>,
    bits: View<u32>,
    labels: View<f32>,
    more: f64,
    around: View<i32>,
    planes: Planes,
    distances: ViewMut<f32>,
    nearest: ViewMut<I>,
) {
    let places_held = shared_view![f32; 3 * HELD];
    let held = shared_view![u64; HELD];
    let count = shared_view![u32; 1];
    let best = shared_view![f64; VOXELS];
    let name = shared_view![u64; VOXELS];
    let grid = planes.grid;
    let layout = BitRows::new(grid);
    let bricks = planes.bricks();
    let half = bricks.half();
    let mut index = thread::block_idx_x() as u64;
    while index < bricks.all() {
        let [x, y, z] = bricks.first(index);
        let first = [x, y, planes.first + z];
        // bricks of the whole are counted from its first plane
        let before =
            (planes.first / BRICK[2]) as u64 * bricks.count[0] as u64 * bricks.count[1] as u64;
        let begin = site(found, (before + index) as usize);
        let mut brick = Brick {
            tilt: &tilt,
            sorted,
            names,
            labels,
            grid,
            first,
            middle: [
                first[0] as f64 + half[0],
                first[1] as f64 + half[1],
                first[2] as f64 + half[2],
            ],
            reach: tilt.reach(half),
            half,
            begin,
            compares: true,
            most: 0.0,
            label: f32::NAN,
            sites: HeldSites {
                places: places_held,
                count,
            },
            held,
            best,
            name,
            naming: false,
        };
        Brick::for_each_row(|row| {
            let mut k = 0;
            while k < WIDTH {
                best.write(row * WIDTH + k, f64::INFINITY);
                name.write(row * WIDTH + k, u64::MAX);
                k += 1;
            }
        });
        let mut all = 0xff;
        let mut row = 0;
        while row < ROWS {
            all &= sites_in_row(bits, layout, first[0], brick.row(row));
            row += 1;
        }
        if all != 0xff && begin[0] < NOWHERE as f64 {
            if !labels.is_empty() {
                brick.label = brick.only_label();
                brick.begin_with_another(layout, around);
            }
            let most = brick.farthest_squared(if brick.compares { 0.0 } else { more });
            let bound = tilt.scale.most_squared();
            brick.most = SLACK * if most < bound { most } else { bound };
            brick.search(boxes, places, &tree);
            if !nearest.is_empty() {
                brick.naming = true;
                brick.search(boxes, places, &tree);
            }
        }
        Brick::for_each_row(|row| {
            let [y, z] = brick.row(row);
            if y >= grid.ny || z >= planes.first + planes.count {
                return;
            }
            let own = sites_in_row(bits, layout, first[0], [y, z]);
            let mut k = 0;
            while k < WIDTH {
                let x = first[0] + k as u32;
                if x < grid.nx {
                    let is_site = own >> k & 1 != 0;
                    let squared = best.read(row * WIDTH + k);
                    let is_far = squared > tilt.scale.most_squared();
                    let squared = if is_site {
                        0.0
                    } else if is_far {
                        f64::INFINITY
                    } else {
                        squared
                    };
                    let place = grid.sample(x, y, z - planes.first);
                    distances.write(place, tilt.scale.root(squared));
                    if !nearest.is_empty() {
                        let name = if is_site {
                            grid.sample(x, y, z) as u64
                        } else if is_far {
                            u64::MAX
                        } else {
                            name.read(row * WIDTH + k)
                        };
                        nearest.write(place, I::narrow(name));
                    }
                }
                k += 1;
            }
        });
        thread::sync_threads();
        index += thread::grid_dim_x() as u64;
    }
}
