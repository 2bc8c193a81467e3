//! Distances with another axis fastest.

use crate::arith::{div_rem, quotient_up_u32};
use cuda_std::{View, ViewMut, kernel, shared_view, thread};

/// Voxels of a tile along x, and along z.
const SIDE: u32 = 32;
/// From a line of a tile to the next: one more, so that those of a column are in different banks of
/// shared memory.
const STEP: u32 = SIDE + 1;

/// A slab, in tiles of 32 x 32 voxels of an xz plane.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlabTiles {
    /// Voxels along x.
    pub nx: u32,
    /// Voxels along y.
    pub ny: u32,
    /// Planes of the slab.
    pub planes: u32,
}

impl SlabTiles {
    /// How many tiles.
    #[inline(always)]
    pub const fn count(self) -> u64 {
        let along_x = quotient_up_u32(self.nx, SIDE) as u64;
        along_x * self.ny as u64 * quotient_up_u32(self.planes, SIDE) as u64
    }

    /// The first voxel of a tile.
    #[inline(always)]
    const fn at(self, index: u64) -> [u32; 3] {
        let (row, x) = div_rem(index, quotient_up_u32(self.nx, SIDE) as u64);
        let (z, y) = div_rem(row, self.ny as u64);
        [x as u32 * SIDE, y as u32, z as u32 * SIDE]
    }

    /// Voxels of the slab.
    #[inline(always)]
    pub const fn voxels(self) -> u64 {
        self.nx as u64 * self.ny as u64 * self.planes as u64
    }
}

/// Turns a slab with z fastest, then y, into one with x fastest, then y.
///
/// A block takes tiles, and puts them into shared memory. Each distance is read and written once, a
/// line of a tile by neighbouring threads.
///
/// # Safety
/// `turned` and `slab` hold `tiles.voxels()` elements.
#[kernel]
pub unsafe fn transpose_slab(turned: View<f32>, tiles: SlabTiles, slab: ViewMut<f32>) {
    let shared = shared_view![f32; (SIDE * STEP) as usize];
    let mut index = thread::block_idx_x() as u64;
    while index < tiles.count() {
        let [x, y, z] = tiles.at(index);
        let (columns, planes) = (tiles.nx - x, tiles.planes - z);
        let mut i = thread::thread_idx_x();
        while i < SIDE * SIDE {
            let (column, plane) = (i / SIDE, i % SIDE);
            if column < columns && plane < planes {
                let row = (x + column) as u64 * tiles.ny as u64 + y as u64;
                let at = row * tiles.planes as u64 + (z + plane) as u64;
                shared.write((column * STEP + plane) as usize, turned.read(at as usize));
            }
            i += thread::block_dim_x();
        }
        thread::sync_threads();
        let mut i = thread::thread_idx_x();
        while i < SIDE * SIDE {
            let (plane, column) = (i / SIDE, i % SIDE);
            if column < columns && plane < planes {
                let row = (z + plane) as u64 * tiles.ny as u64 + y as u64;
                let at = row * tiles.nx as u64 + (x + column) as u64;
                slab.write(at as usize, shared.read((column * STEP + plane) as usize));
            }
            i += thread::block_dim_x();
        }
        // before the next tile's distances replace these
        thread::sync_threads();
        index += thread::grid_dim_x() as u64;
    }
}
