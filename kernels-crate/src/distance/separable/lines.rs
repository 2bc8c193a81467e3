//! The kernels that minimise along y and along x.

use super::{
    along_z::Place,
    cost::{Axis, Cost},
    line::{COLUMNS, GROUP},
    tiles::{Columns, Rows},
};
use crate::grid::Grid;
use cuda_std::{KernelType, View, ViewMut, kernel, thread};

/// What the map has where there is no site within the bound, and the unit of the squared distances.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Far {
    /// What a squared distance of 1 is, as a distance.
    pub unit: f64,
    /// The distance where there is no site.
    pub distance: f32,
    /// The largest distance otherwise.
    pub most: f32,
}

/// For each voxel the least cost along y, which is the squared distance to the nearest site with the same x.
///
/// A block takes tiles: 32 neighbouring columns of a plane. It reads the places of the nearest sites along z, stores what they cost in shared
/// memory, and finds the least as [`line`](mod@super::line) describes; every thread works out eight neighbouring outputs of one column at a
/// time. Per voxel a place is read and a cost written. A tile without a site is written at once.
///
/// # Safety
/// `places` and `squared` have an element for each voxel; the block has shared memory for the costs and the best places of a tile.
#[kernel(P = [u16, u32], C = [u32, u64, f64])]
pub unsafe fn least_along_y<P: Place, C: Cost + KernelType>(
    places: View<P>,
    grid: Grid,
    across: C,
    axis: Axis<C>,
    squared: ViewMut<C>,
) {
    let columns = Columns { grid, across, axis };
    let tile = columns.tile();
    let shape = tile.shape;
    let mut index = thread::block_idx_x() as u64;
    while index < columns.tiles() {
        let place = columns.place(index);
        let rest = grid.nx - place.first_x;
        let voxel = |y: u32, column: u32| columns.voxel(place, y, column);
        let any = columns.load(&tile, places, place);
        if any {
            tile.find_bests();
            tile.teams.for_each(shape.groups(), |group, column| {
                let least = tile.least_of_group(group, column);
                let mut k = 0;
                while k < GROUP {
                    let y = group * GROUP + k;
                    if y < grid.ny && column < rest {
                        let cost = least[k as usize];
                        let cost = if cost < axis.none { cost } else { axis.none };
                        squared.write(voxel(y, column), cost);
                    }
                    k += 1;
                }
            });
            // before the next tile's costs replace these
            thread::sync_threads();
        } else {
            tile.teams.for_each(grid.ny, |y, column| {
                if column < rest {
                    squared.write(voxel(y, column), axis.none);
                }
            });
        }
        index += thread::grid_dim_x() as u64;
    }
}

/// For each voxel the distance to the nearest site: the root of the least cost along x.
///
/// A block takes tiles: 32 neighbouring rows of a plane, whose costs neighbouring threads read along x and store in shared memory
/// across it, a row beside the next. Otherwise as [`least_along_y`]. Per voxel a cost is read and a distance written.
///
/// # Safety
/// `squared` and `distances` have an element for each voxel; the block has shared memory for the costs and the best places of a tile.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn least_along_x<C: Cost + KernelType>(
    squared: View<C>,
    grid: Grid,
    axis: Axis<C>,
    far: Far,
    distances: ViewMut<f32>,
) {
    let rows = Rows { grid, axis };
    let tile = rows.tile();
    let shape = tile.shape;
    let by_fours = grid.nx.is_multiple_of(4);
    let mut index = thread::block_idx_x() as u64;
    while index < rows.tiles() {
        let first_row = index * COLUMNS as u64;
        let rest = rows.rows() - first_row;
        let voxel = |row: u32, x: u32| rows.voxel(first_row, row, x);
        let any = rows.load(&tile, squared, first_row);
        if any {
            tile.find_bests();
        }
        let distance = |cost: C| {
            let distance = cost.root(far.unit);
            if cost >= axis.none {
                far.distance
            } else if distance > far.most {
                far.most
            } else {
                distance
            }
        };
        tile.teams.for_each(shape.groups(), |group, row| {
            if row as u64 >= rest {
                return;
            }
            let mut values = [far.distance; GROUP as usize];
            if any {
                let least = tile.least_of_group(group, row);
                let mut k = 0;
                while k < GROUP as usize {
                    values[k] = distance(least[k]);
                    k += 1;
                }
            }
            let x = group * GROUP;
            if by_fours && x + 4 <= grid.nx {
                let [a, b, c, d, e, f, g, h] = values;
                distances.write_vector::<4>(voxel(row, x), [a, b, c, d]);
                if x + 8 <= grid.nx {
                    distances.write_vector::<4>(voxel(row, x) + 4, [e, f, g, h]);
                }
            } else {
                let mut k = 0;
                while k < GROUP {
                    if x + k < grid.nx {
                        distances.write(voxel(row, x + k), values[k as usize]);
                    }
                    k += 1;
                }
            }
        });
        // before the next tile's costs replace these
        thread::sync_threads();
        index += thread::grid_dim_x() as u64;
    }
}
