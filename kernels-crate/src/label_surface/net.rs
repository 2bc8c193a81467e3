//! The cells around the voxels of a grid, 32 along x in a word.

use crate::{arith::div_rem, grid::Grid, sample::Count};
use cuda_std::View;

/// Words of marks for 32 cells: which have a vertex, then which have a quad across their edges
/// along x, y and z.
pub const MARKS: usize = 4;

/// The cells around the voxels of a grid: one more than voxels along each axis. Cell (x, y, z) is
/// the one before voxel (x, y, z): its corners are the voxels from (x - 1, y - 1, z - 1) to (x, y,
/// z). The quads of a cell are those across the three edges that end in that last corner.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Net {
    /// The voxels.
    pub grid: Grid,
    /// Words of a row of cells.
    pub per_row: u32,
}

/// Where a word of cells is.
#[derive(Clone, Copy)]
pub(super) struct Word {
    /// The first cell of the word.
    pub x: u32,
    /// The row of cells.
    pub y: u32,
    /// The plane of cells.
    pub z: u32,
}

impl Net {
    /// The cells around the voxels of a grid, of which there is one at least, and fewer than 2³² -
    /// 1 along each axis.
    #[inline(always)]
    pub const fn new(grid: Grid) -> Self {
        Self {
            grid,
            per_row: grid.nx / 32 + 1,
        }
    }

    /// The number of words.
    #[inline(always)]
    pub const fn words(self) -> u64 {
        self.per_row as u64 * (self.grid.ny as u64 + 1) * (self.grid.nz as u64 + 1)
    }

    /// Where a word is.
    #[inline(always)]
    pub(super) const fn word(self, index: u64) -> Word {
        let (row, in_row) = div_rem(index, self.per_row as u64);
        let (z, y) = div_rem(row, self.grid.ny as u64 + 1);
        Word {
            x: in_row as u32 * 32,
            y: y as u32,
            z: z as u32,
        }
    }

    /// The number of the vertex of a cell that has one.
    #[inline(always)]
    pub(super) fn vertex(self, marks: View<u32>, offsets: View<u64>, [x, y, z]: [u32; 3]) -> u64 {
        let row = z as u64 * (self.grid.ny as u64 + 1) + y as u64;
        let word = (row * self.per_row as u64 + (x / 32) as u64) as usize;
        let before = marks.read(word * MARKS) & below(x % 32);
        offsets.read(word) + before.count_ones() as u64
    }

    /// The four rows of voxels along the cells of a row.
    #[inline(always)]
    pub(super) const fn columns(self, y: u32, z: u32) -> Columns {
        Columns {
            grid: self.grid,
            y,
            z,
        }
    }
}

/// The bits before a lane's.
#[inline(always)]
pub(super) const fn below(lane: u32) -> u32 {
    (1 << lane) - 1
}

/// The rows of voxels along a row of cells.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    grid: Grid,
    y: u32,
    z: u32,
}

impl Columns {
    /// The labels of the voxels `x - 1` of the four rows: (y - 1, z - 1), (y, z - 1), (y - 1, z)
    /// and (y, z); 0 outside the volume.
    #[inline(always)]
    pub fn before<T: Count>(self, labels: View<T>, x: u32) -> [u32; 4] {
        if x == 0 || x > self.grid.nx {
            return [0; 4];
        }
        let Grid { nx, ny, nz } = self.grid;
        let (has_low_y, has_high_y) = (self.y > 0, self.y < ny);
        let (has_low_z, has_high_z) = (self.z > 0, self.z < nz);
        let plane = nx as u64 * ny as u64;
        // the place of (x - 1, y, z), from which the others are steps back; those that are not
        // there are not read
        let place = self.z as u64 * plane + self.y as u64 * nx as u64 + (x - 1) as u64;
        let read = |exists: bool, back: u64| {
            if exists {
                labels.read((place - back) as usize).widen() as u32
            } else {
                0
            }
        };
        [
            read(has_low_y && has_low_z, nx as u64 + plane),
            read(has_high_y && has_low_z, plane),
            read(has_low_y && has_high_z, nx as u64),
            read(has_high_y && has_high_z, 0),
        ]
    }
}
