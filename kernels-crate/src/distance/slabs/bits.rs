//! Bits along another axis.

use crate::{
    arith::{div_rem, quotient_up_u32},
    distance::sites::BitRows,
    grid::Grid,
};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// Words along x, and along z, of a tile: sectors of 32 bytes on both sides.
const SIDE: u32 = 8;
/// Voxels of a tile along x, and along z.
const VOXELS: u32 = 32 * SIDE;
/// Numbers in shared memory for the words that 32 planes have: one more, so that those of the next
/// planes are in other banks.
const STEP: u32 = 32 * SIDE + 1;

/// The bits of a volume, along x and along z, in tiles of 256 x 256 voxels of an xz plane.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitTiles {
    /// Bits along x.
    pub from: BitRows,
    /// Bits along z: those of the grid whose x is the volume's z, and whose z is its x.
    pub to: BitRows,
}

impl BitTiles {
    /// Those of a volume.
    pub const fn new(grid: Grid) -> Self {
        let turned = Grid {
            nx: grid.nz,
            ny: grid.ny,
            nz: grid.nx,
        };
        Self {
            from: BitRows::new(grid),
            to: BitRows::new(turned),
        }
    }

    #[inline(always)]
    const fn along_x(self) -> u64 {
        quotient_up_u32(self.from.per_row, SIDE) as u64
    }

    #[inline(always)]
    const fn along_z(self) -> u64 {
        quotient_up_u32(self.to.per_row, SIDE) as u64
    }

    /// How many tiles.
    #[inline(always)]
    pub const fn count(self) -> u64 {
        self.along_x() * self.from.grid.ny as u64 * self.along_z()
    }

    #[inline(always)]
    const fn at(self, index: u64) -> Tile {
        let (row, x) = div_rem(index, self.along_x());
        let (z, y) = div_rem(row, self.from.grid.ny as u64);
        Tile {
            x: x as u32 * VOXELS,
            y: y as u32,
            z: z as u32 * VOXELS,
        }
    }
}

/// A tile's first voxel.
#[derive(Clone, Copy)]
struct Tile {
    x: u32,
    y: u32,
    z: u32,
}

#[inline(always)]
const fn least(a: u32, b: u32) -> u32 {
    if a < b { a } else { b }
}

/// Where the word `word` of a tile's plane `plane` is in shared memory.
#[inline(always)]
const fn place(plane: u32, word: u32) -> usize {
    (plane / 32 * STEP + plane % 32 * SIDE + word) as usize
}

/// Turns bits along x into bits along z.
///
/// A block takes tiles: 8 words along x of 256 planes, which it puts into shared memory; then a
/// thread makes a word along z of a voxel's bits in 32 planes. Each bit is read and written once.
///
/// # Safety
/// `bits` holds `tiles.from.words()` elements, `turned` `tiles.to.words()`.
#[kernel]
pub unsafe fn transpose_bits(bits: View<u32>, tiles: BitTiles, turned: ViewMut<u32>) {
    let shared = shared_view![u32; (SIDE * STEP) as usize];
    let mut index = thread::block_idx_x() as u64;
    while index < tiles.count() {
        let tile = tiles.at(index);
        load(bits, tiles, tile, shared);
        thread::sync_threads();
        store(shared, tiles, tile, turned);
        // before the next tile's words replace these
        thread::sync_threads();
        index += thread::grid_dim_x() as u64;
    }
}

/// Words of the tile, and zeros up to a multiple of 32 planes.
#[inline(always)]
fn load(bits: View<u32>, tiles: BitTiles, tile: Tile, shared: SharedView<u32>) {
    let grid = tiles.from.grid;
    let planes = quotient_up_u32(least(grid.nz - tile.z, VOXELS), 32) * 32;
    let words = least(tiles.from.per_row - tile.x / 32, SIDE);
    let mut i = thread::thread_idx_x();
    while i < planes * SIDE {
        let (plane, word) = (i / SIDE, i % SIDE);
        if word < words {
            let value = if plane < grid.nz - tile.z {
                let (x, z) = (tile.x + word * 32, tile.z + plane);
                bits.read(tiles.from.word_of(x, tile.y, z))
            } else {
                0
            };
            shared.write(place(plane, word), value);
        }
        i += thread::block_dim_x();
    }
}

#[inline(always)]
fn store(shared: SharedView<u32>, tiles: BitTiles, tile: Tile, turned: ViewMut<u32>) {
    let grid = tiles.from.grid;
    let columns = least(grid.nx - tile.x, VOXELS);
    let words = least(tiles.to.per_row - tile.z / 32, SIDE);
    let mut i = thread::thread_idx_x();
    while i < columns * SIDE {
        let (column, word) = (i / SIDE, i % SIDE);
        if word < words {
            let (from, bit) = (column / 32, column % 32);
            let mut value = 0;
            let mut k = 0;
            while k < 32 {
                value |= (shared.read(place(word * 32 + k, from)) >> bit & 1) << k;
                k += 1;
            }
            let z = tile.z + word * 32;
            turned.write(tiles.to.word_of(z, tile.y, tile.x + column), value);
        }
        i += thread::block_dim_x();
    }
}
