//! Layout of the surface net: the cells between the voxels of a grid, packed into words of 32 cells
//! along x.

use crate::{arith::div_rem, grid::Grid, sample::Count};
use cuda_std::View;

/// Number of bit masks per word of 32 cells: cells with a vertex, then the cells with a quad across
/// their edge along x, along y, and along z.
pub const MASKS_PER_WORD: usize = 4;

/// The cells between the voxels of a grid, one more than voxels along each axis.
///
/// The corners of cell (x, y, z) are the voxels from (x - 1, y - 1, z - 1) to (x, y, z). A cell has
/// the quads across its three edges that end at its highest corner, voxel (x, y, z).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Net {
    /// Grid of voxels.
    pub grid: Grid,
    /// Number of words per row of cells.
    pub per_row: u32,
}

/// Position of a word of cells.
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
    /// Creates the net of a grid with at least one voxel and fewer than 2³² - 1 voxels along each
    /// axis.
    #[inline(always)]
    pub const fn new(grid: Grid) -> Self {
        Self {
            grid,
            per_row: grid.nx / 32 + 1,
        }
    }

    /// Returns the number of words.
    #[inline(always)]
    pub const fn words(self) -> u64 {
        self.per_row as u64 * (self.grid.ny as u64 + 1) * (self.grid.nz as u64 + 1)
    }

    /// Returns the position of word `index`.
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

    /// Returns the index of the vertex of a cell that has one.
    #[inline(always)]
    pub(super) fn vertex(self, masks: View<u32>, offsets: View<u64>, [x, y, z]: [u32; 3]) -> u64 {
        let row = z as u64 * (self.grid.ny as u64 + 1) + y as u64;
        let word = (row * self.per_row as u64 + (x / 32) as u64) as usize;
        let before = masks.read(word * MASKS_PER_WORD) & lower_bits(x % 32);
        offsets.read(word) + before.count_ones() as u64
    }

    /// Returns the four rows of voxels around a row of cells.
    #[inline(always)]
    pub(super) const fn voxel_rows(self, y: u32, z: u32) -> VoxelRows {
        VoxelRows {
            grid: self.grid,
            y,
            z,
        }
    }
}

/// Returns a mask of the bits below a lane's.
#[inline(always)]
pub(super) const fn lower_bits(lane: u32) -> u32 {
    (1 << lane) - 1
}

/// The four rows of voxels around a row of cells.
#[derive(Clone, Copy)]
pub(super) struct VoxelRows {
    grid: Grid,
    y: u32,
    z: u32,
}

impl VoxelRows {
    /// Returns the labels of voxel `x - 1` in each of the four rows, 0 outside of the volume. The
    /// rows are (y - 1, z - 1), (y, z - 1), (y - 1, z) and (y, z).
    #[inline(always)]
    pub fn labels_before<T: Count>(self, labels: View<T>, x: u32) -> [u32; 4] {
        if x == 0 || x > self.grid.nx {
            return [0; 4];
        }
        let Grid { nx, ny, nz } = self.grid;
        let (has_low_y, has_high_y) = (self.y > 0, self.y < ny);
        let (has_low_z, has_high_z) = (self.z > 0, self.z < nz);
        let plane = nx as u64 * ny as u64;
        // index of voxel (x - 1, y, z), from which the others are at negative offsets; voxels that
        // do not exist are not read
        let index = self.z as u64 * plane + self.y as u64 * nx as u64 + (x - 1) as u64;
        let read = |exists: bool, back: u64| {
            if exists {
                labels.read((index - back) as usize).widen() as u32
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
