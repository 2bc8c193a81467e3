//! The kernels that minimise along y and along x.

use super::{
    along_z::Place,
    cost::{Axis, Cost},
    line::{COLUMNS, GROUP, Shape, Store, Teams, Tile},
};
use crate::{
    arith::{div_rem, quotient_up_u32},
    grid::Grid,
};
use cuda_std::{KernelType, SharedView, View, ViewMut, kernel, shared::dynamic_shared_mem, thread};

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
    let shape = Shape {
        len: grid.ny,
        stride: COLUMNS,
    };
    let tile = shared_tile(shape, axis);
    let tiles_of_plane = quotient_up_u32(grid.nx, COLUMNS) as u64;
    let tiles = tiles_of_plane * grid.nz as u64;
    let mut index = thread::block_idx_x() as u64;
    while index < tiles {
        let (z, in_plane) = div_rem(index, tiles_of_plane);
        let first_x = in_plane as u32 * COLUMNS;
        let rest = grid.nx - first_x;
        let plane = z as usize * grid.nx as usize * grid.ny as usize;
        let voxel = |y: u32, column: u32| {
            plane + y as usize * grid.nx as usize + (first_x + column) as usize
        };
        let mut any = false;
        tile.teams.for_each(grid.ny, |y, column| {
            if column < rest {
                let place = places.read(voxel(y, column)).get();
                let cost = if place == u32::MAX {
                    axis.none
                } else {
                    any = true;
                    C::squared(across, place.abs_diff(z as u32))
                };
                tile.costs.put(shape.at(y, column), cost.stored(&axis, y));
            } else {
                tile.costs
                    .put(shape.at(y, column), axis.none.stored(&axis, y));
            }
        });
        let any = thread::sync_threads_or(any as u32) != 0;
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
    let shape = Shape {
        len: grid.nx,
        stride: COLUMNS + 1,
    };
    let tile = shared_tile(shape, axis);
    let rows = grid.ny as u64 * grid.nz as u64;
    let tiles = crate::arith::quotient_up(rows, COLUMNS as u64);
    let by_fours = grid.nx.is_multiple_of(4);
    let mut index = thread::block_idx_x() as u64;
    while index < tiles {
        let first_row = index * COLUMNS as u64;
        let rest = rows - first_row;
        let voxel =
            |row: u32, x: u32| (first_row as usize + row as usize) * grid.nx as usize + x as usize;
        let mut any = false;
        // here a team's threads go along a row
        tile.teams.for_each_column(|lane| {
            let mut row = tile.teams.team;
            while row < COLUMNS {
                let mut x = lane;
                while x < grid.nx {
                    let cost = if (row as u64) < rest {
                        squared.read(voxel(row, x))
                    } else {
                        axis.none
                    };
                    any |= cost < axis.none;
                    tile.costs.put(shape.at(x, row), cost.stored(&axis, x));
                    x += COLUMNS;
                }
                row += tile.teams.count;
            }
        });
        let any = thread::sync_threads_or(any as u32) != 0;
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

/// A tile in the block's shared memory: first its costs, then its best places.
#[inline(always)]
fn shared_tile<C: Cost>(shape: Shape, axis: Axis<C>) -> Tile<C, SharedView<C>, SharedView<u32>> {
    let start = dynamic_shared_mem::<C>();
    // SAFETY: the launch gives the block room for both; the costs end at a multiple of their size, which is one of 4.
    unsafe {
        Tile {
            shape,
            axis,
            costs: SharedView::from_raw_parts(start, shape.costs()),
            teams: Teams::of_block(),
            bests: SharedView::from_raw_parts(
                start.add(shape.costs()).cast(),
                shape.bests() + thread::block_dim_x() as usize,
            ),
        }
    }
}
