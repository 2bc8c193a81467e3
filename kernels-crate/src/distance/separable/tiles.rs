//! The tiles of a grid along y and along x, in a block's shared memory.

use super::{
    along_z::Place,
    cost::{Axis, Cost},
    line::{COLUMNS, Shape, Teams, Tile},
};
use crate::{
    arith::{div_rem, quotient_up, quotient_up_u32},
    grid::Grid,
};
use cuda_std::{SharedView, View, shared::dynamic_shared_mem, thread};

/// A tile in shared memory.
pub type SharedTile<C> = Tile<C, SharedView<C>, SharedView<u32>>;

/// Tiles of 32 neighbouring columns along y, in one plane.
#[derive(Clone, Copy)]
pub struct Columns<C> {
    /// All voxels.
    pub grid: Grid,
    /// The squared spacing along z.
    pub across: C,
    /// The columns.
    pub axis: Axis<C>,
}

/// Where a tile of columns is.
#[derive(Clone, Copy)]
pub struct ColumnsAt {
    /// The plane.
    pub z: u32,
    /// Its first column.
    pub first_x: u32,
}

impl<C: Cost> Columns<C> {
    /// How many tiles.
    #[inline(always)]
    pub fn tiles(&self) -> u64 {
        quotient_up_u32(self.grid.nx, COLUMNS) as u64 * self.grid.nz as u64
    }

    /// Where tile `index` is.
    #[inline(always)]
    pub fn place(&self, index: u64) -> ColumnsAt {
        let (z, in_plane) = div_rem(index, quotient_up_u32(self.grid.nx, COLUMNS) as u64);
        ColumnsAt {
            z: z as u32,
            first_x: in_plane as u32 * COLUMNS,
        }
    }

    /// The index of a voxel of a tile.
    #[inline(always)]
    pub fn voxel(&self, at: ColumnsAt, y: u32, column: u32) -> usize {
        let nx = self.grid.nx as usize;
        let row = at.z as usize * self.grid.ny as usize + y as usize;
        row * nx + (at.first_x + column) as usize
    }

    /// The block's tile.
    #[inline(always)]
    pub fn tile(&self) -> SharedTile<C> {
        let shape = Shape {
            len: self.grid.ny,
            stride: COLUMNS,
        };
        shared_tile(shape, self.axis)
    }

    /// Stores what the nearest sites along z cost; whether there are any. A barrier is its end.
    #[inline(always)]
    pub fn load<P: Place>(&self, tile: &SharedTile<C>, places: View<P>, at: ColumnsAt) -> bool {
        let axis = &self.axis;
        let rest = self.grid.nx - at.first_x;
        let mut any = false;
        tile.teams.for_each(self.grid.ny, |y, column| {
            let mut cost = axis.none;
            if column < rest {
                let place = places.read(self.voxel(at, y, column)).get();
                if place != u32::MAX {
                    any = true;
                    cost = C::squared(self.across, place.abs_diff(at.z));
                }
            }
            tile.costs
                .write(tile.shape.at(y, column), cost.stored(axis, y));
        });
        thread::sync_threads_or(any as u32) != 0
    }
}

/// Tiles of 32 neighbouring rows along x; those of a plane may be followed by those of the next.
#[derive(Clone, Copy)]
pub struct Rows<C> {
    /// All voxels.
    pub grid: Grid,
    /// The rows.
    pub axis: Axis<C>,
}

impl<C: Cost> Rows<C> {
    /// How many rows.
    #[inline(always)]
    pub fn rows(&self) -> u64 {
        self.grid.ny as u64 * self.grid.nz as u64
    }

    /// How many tiles.
    #[inline(always)]
    pub fn tiles(&self) -> u64 {
        quotient_up(self.rows(), COLUMNS as u64)
    }

    /// The index of a voxel of a tile.
    #[inline(always)]
    pub fn voxel(&self, first_row: u64, row: u32, x: u32) -> usize {
        (first_row as usize + row as usize) * self.grid.nx as usize + x as usize
    }

    /// The block's tile.
    #[inline(always)]
    pub fn tile(&self) -> SharedTile<C> {
        let shape = Shape {
            len: self.grid.nx,
            stride: COLUMNS + 1,
        };
        shared_tile(shape, self.axis)
    }

    /// Stores the costs, which a team's threads read along a row; whether one is less than none. A barrier is its end.
    #[inline(always)]
    pub fn load(&self, tile: &SharedTile<C>, squared: View<C>, first_row: u64) -> bool {
        let axis = &self.axis;
        let rest = self.rows() - first_row;
        let mut any = false;
        tile.teams.for_each_column(|lane| {
            let mut row = tile.teams.team;
            while row < COLUMNS {
                let mut x = lane;
                while x < self.grid.nx {
                    let cost = if (row as u64) < rest {
                        squared.read(self.voxel(first_row, row, x))
                    } else {
                        axis.none
                    };
                    any |= cost < axis.none;
                    tile.costs
                        .write(tile.shape.at(x, row), cost.stored(axis, x));
                    x += COLUMNS;
                }
                row += tile.teams.count;
            }
        });
        thread::sync_threads_or(any as u32) != 0
    }
}

/// A tile in the block's shared memory: first its costs, then its best places.
#[inline(always)]
fn shared_tile<C: Cost>(shape: Shape, axis: Axis<C>) -> SharedTile<C> {
    let start = dynamic_shared_mem::<C>();
    // SAFETY: the launch gives the block room for both; the costs end at a multiple of their size, which is one of 4.
    unsafe {
        Tile {
            shape,
            axis,
            teams: Teams::of_block(),
            costs: SharedView::from_raw_parts(start, shape.costs()),
            bests: SharedView::from_raw_parts(
                start.add(shape.costs()).cast(),
                shape.bests() + thread::block_dim_x() as usize,
            ),
        }
    }
}
