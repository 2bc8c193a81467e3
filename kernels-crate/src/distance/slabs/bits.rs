//! Transposition of bit masks from rows along x to rows along z.

use crate::{
    arith::{div_ceil_u32, div_rem, min_u32},
    distance::sites::BitRows,
    grid::Grid,
};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// Words per tile along x and along z: 32-byte sectors on both sides.
const SIDE: u32 = 8;
/// Voxels per tile along x and along z.
const VOXELS: u32 = 32 * SIDE;
/// Stride in shared memory between groups of 32 planes, in words. The extra word places
/// neighbouring groups in different banks.
const STEP: u32 = 32 * SIDE + 1;

/// Layouts of a bit mask along x and along z, divided into tiles of 256 × 256 voxels in the xz
/// plane.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitTiles {
    /// Layout with rows along x.
    pub from: BitRows,
    /// Layout with rows along z: the grid with x and z exchanged.
    pub to: BitRows,
}

impl BitTiles {
    /// Creates both layouts for the volume `grid`.
    pub const fn new(grid: Grid) -> Self {
        let transposed = Grid {
            nx: grid.nz,
            ny: grid.ny,
            nz: grid.nx,
        };
        Self {
            from: BitRows::new(grid),
            to: BitRows::new(transposed),
        }
    }

    #[inline(always)]
    const fn tiles_along_x(self) -> u64 {
        div_ceil_u32(self.from.per_row, SIDE) as u64
    }

    #[inline(always)]
    const fn tiles_along_z(self) -> u64 {
        div_ceil_u32(self.to.per_row, SIDE) as u64
    }

    /// Returns the number of tiles.
    #[inline(always)]
    pub const fn count(self) -> u64 {
        self.tiles_along_x() * self.from.grid.ny as u64 * self.tiles_along_z()
    }

    #[inline(always)]
    const fn at(self, index: u64) -> Tile {
        let (row, x) = div_rem(index, self.tiles_along_x());
        let (z, y) = div_rem(row, self.from.grid.ny as u64);
        Tile {
            x: x as u32 * VOXELS,
            y: y as u32,
            z: z as u32 * VOXELS,
        }
    }
}

/// Coordinates of the first voxel of a tile.
#[derive(Clone, Copy)]
struct Tile {
    x: u32,
    y: u32,
    z: u32,
}

/// Returns the index in shared memory of word `word` of plane `plane` of a tile.
#[inline(always)]
const fn shared_index(plane: u32, word: u32) -> usize {
    (plane / 32 * STEP + plane % 32 * SIDE + word) as usize
}

/// Transposes a bit mask from rows along x to rows along z.
///
/// **Mapping:** one tile per block. **Phases**, separated by barriers: (1) load 8 words along x of
/// 256 planes into shared memory; (2) each thread assembles words along z from one bit of each of
/// 32 planes. **Shared memory:** 8224 bytes. **Global memory:** each word is read and written once.
///
/// # Safety
/// `bits` holds `tiles.from.words()` elements, `transposed` holds `tiles.to.words()`.
#[kernel]
pub unsafe fn transpose_bits(bits: View<u32>, tiles: BitTiles, transposed: ViewMut<u32>) {
    let shared = shared_view![u32; (SIDE * STEP) as usize];
    let mut index = thread::block_idx_x() as u64;
    while index < tiles.count() {
        let tile = tiles.at(index);
        load(bits, tiles, tile, shared);
        thread::sync_threads();
        store(shared, tiles, tile, transposed);
        // The next tile overwrites the shared words.
        thread::sync_threads();
        index += thread::grid_dim_x() as u64;
    }
}

/// Loads the words of a tile, padded with zeros to a multiple of 32 planes.
#[inline(always)]
fn load(bits: View<u32>, tiles: BitTiles, tile: Tile, shared: SharedView<u32>) {
    let grid = tiles.from.grid;
    let planes = div_ceil_u32(min_u32(grid.nz - tile.z, VOXELS), 32) * 32;
    let words = min_u32(tiles.from.per_row - tile.x / 32, SIDE);
    let mut i = thread::thread_idx_x();
    while i < planes * SIDE {
        let (plane, word) = (i / SIDE, i % SIDE);
        if word < words {
            let value = if plane < grid.nz - tile.z {
                let (x, z) = (tile.x + word * 32, tile.z + plane);
                bits.read(tiles.from.word_index(x, tile.y, z))
            } else {
                0
            };
            shared.write(shared_index(plane, word), value);
        }
        i += thread::block_dim_x();
    }
}

#[inline(always)]
fn store(shared: SharedView<u32>, tiles: BitTiles, tile: Tile, transposed: ViewMut<u32>) {
    let grid = tiles.from.grid;
    let columns = min_u32(grid.nx - tile.x, VOXELS);
    let words = min_u32(tiles.to.per_row - tile.z / 32, SIDE);
    let mut i = thread::thread_idx_x();
    while i < columns * SIDE {
        let (column, word) = (i / SIDE, i % SIDE);
        if word < words {
            let (from, bit) = (column / 32, column % 32);
            let mut value = 0;
            let mut k = 0;
            while k < 32 {
                value |= (shared.read(shared_index(word * 32 + k, from)) >> bit & 1) << k;
                k += 1;
            }
            let z = tile.z + word * 32;
            transposed.write(tiles.to.word_index(z, tile.y, tile.x + column), value);
        }
        i += thread::block_dim_x();
    }
}
