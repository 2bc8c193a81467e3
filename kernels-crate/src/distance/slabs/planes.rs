//! Transposition of distances.

use crate::arith::{div_ceil_u32, div_rem};
use cuda_std::{View, ViewMut, kernel, shared_view, thread};

/// Voxels per tile along x and along z.
const SIDE: u32 = 32;
/// Stride in shared memory between rows of a tile. The extra element places the elements of a
/// column in different banks.
const STEP: u32 = SIDE + 1;

/// Slab divided into tiles of 32 × 32 voxels in the xz plane.
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
    /// Returns the number of tiles.
    #[inline(always)]
    pub const fn count(self) -> u64 {
        let along_x = div_ceil_u32(self.nx, SIDE) as u64;
        along_x * self.ny as u64 * div_ceil_u32(self.planes, SIDE) as u64
    }

    /// Returns the coordinates of the first voxel of a tile.
    #[inline(always)]
    const fn at(self, index: u64) -> [u32; 3] {
        let (row, x) = div_rem(index, div_ceil_u32(self.nx, SIDE) as u64);
        let (z, y) = div_rem(row, self.ny as u64);
        [x as u32 * SIDE, y as u32, z as u32 * SIDE]
    }

    /// Returns the number of voxels of the slab.
    #[inline(always)]
    pub const fn voxels(self) -> u64 {
        self.nx as u64 * self.ny as u64 * self.planes as u64
    }
}

/// Transposes a slab from z fastest, then y, to x fastest, then y.
///
/// **Mapping:** one tile per block. **Phases**, separated by barriers: (1) load the tile into
/// shared memory; (2) write it transposed. **Shared memory:** 4224 bytes. **Global memory:** each
/// distance is read and written once; both accesses are coalesced.
///
/// # Safety
/// `transposed` and `slab` hold `tiles.voxels()` elements.
#[kernel]
pub unsafe fn transpose_slab(transposed: View<f32>, tiles: SlabTiles, slab: ViewMut<f32>) {
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
                shared.write(
                    (column * STEP + plane) as usize,
                    transposed.read(at as usize),
                );
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
        // The next tile overwrites the shared distances.
        thread::sync_threads();
        index += thread::grid_dim_x() as u64;
    }
}
