//! How samples, cells and edges lie in words, and words in tiles.

use crate::{
    arith::{div_rem, quotient_up, quotient_up_u32},
    grid::Grid,
};
use cuda_std::{View, thread};

/// Words in a tile at most: what a block counts, and emits, together.
pub const TILE: u32 = 256;

/// Equal parts of a tile that blocks can share, at most; and the words of each.
pub const PARTS: u32 = 4;
pub(super) const PART: u32 = TILE / PARTS;

/// Elements of the sums after those of the tiles: the cells left out for a non-finite corner, and a
/// place for the total.
pub const SUMS_AFTER_TILES: u64 = 2;

/// The words of a grid, and the planes whose surface is wanted.
///
/// Words of signs are numbered row by row over the whole grid. Marks (active edges, occupied cells)
/// exist for the planes `first` to `last` alone: those from whose samples cells `first <= z < last`
/// rise, and the plane `last` that ends them, which has the vertices in it but nothing above. Tiles
/// are cut from the words of a plane.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// The samples.
    pub grid: Grid,
    /// Words in a row of samples.
    pub per_row: u32,
    /// The first plane of the wanted cells.
    pub first: u32,
    /// The plane after the last plane of the wanted cells.
    pub last: u32,
    /// 1 if cells may have inner vertices, and triangles that depend on the samples' values; else 0.
    pub shaped: u32,
}

impl Words {
    /// The words of a grid, for the cells `first <= z < last`; `first < last < grid.nz`. `shaped`:
    /// whether cells have [shapes](crate::isosurface::topology::Shape) that depend on values.
    pub const fn new(grid: Grid, first: u32, last: u32, shaped: bool) -> Self {
        Self {
            grid,
            per_row: quotient_up_u32(grid.nx, 32),
            first,
            last,
            shaped: shaped as u32,
        }
    }

    /// Words in a plane.
    #[inline(always)]
    pub const fn per_plane(self) -> u64 {
        self.per_row as u64 * self.grid.ny as u64
    }

    /// Words of signs: those of all planes.
    #[inline(always)]
    pub const fn signs(self) -> u64 {
        self.per_plane() * self.grid.nz as u64
    }

    /// Words with marks: those of the planes `first` to `last`.
    #[inline(always)]
    pub const fn marked(self) -> u64 {
        self.per_plane() * (self.last - self.first + 1) as u64
    }

    /// Tiles in a plane.
    #[inline(always)]
    pub const fn tiles_per_plane(self) -> u64 {
        quotient_up(self.per_plane(), TILE as u64)
    }

    /// All tiles.
    #[inline(always)]
    pub const fn tiles(self) -> u64 {
        self.tiles_per_plane() * (self.last - self.first + 1) as u64
    }

    /// Parts of all tiles.
    #[inline(always)]
    pub const fn parts(self) -> u64 {
        self.tiles() * PARTS as u64
    }

    /// Elements of the sums.
    ///
    /// Plane by plane the vertices of each tile that lie in the plane, then those on edges above
    /// it; so the order is that of [the grid's edges](Grid#edge-slots). If cells are shaped, the
    /// inner vertices of the cells above the plane follow. After all of these the triangles of each
    /// tile; if cells are shaped, how many of the tile's cells are listed for it; and
    /// [`SUMS_AFTER_TILES`] more.
    #[inline(always)]
    pub const fn sums(self) -> u64 {
        (self.vertex_groups() + 1 + self.shaped as u64) * self.tiles() + SUMS_AFTER_TILES
    }

    /// Sums of vertices that a tile has.
    #[inline(always)]
    pub(super) const fn vertex_groups(self) -> u64 {
        2 + self.shaped as u64
    }

    /// Where in the sums the triangles begin: after all vertices.
    #[inline(always)]
    pub const fn triangle_sums(self) -> u64 {
        self.vertex_groups() * self.tiles()
    }

    /// Where in the sums the listed cells begin, or would: after all triangles.
    #[inline(always)]
    pub const fn listed_sums(self) -> u64 {
        self.triangle_sums() + self.tiles()
    }

    /// Whether a tile has listed cells, by its number and the scanned sums.
    #[inline(always)]
    pub(super) fn is_listed(self, tile: u64, places: View<u64>) -> bool {
        let at = (self.listed_sums() + tile) as usize;
        places.read(at) != places.read(at + 1)
    }

    /// Elements of the list of tiles with listed cells: their number, and theirs; none if cells are
    /// not shaped.
    #[inline(always)]
    pub const fn listed_tiles(self) -> u64 {
        (self.tiles() + 1) * self.shaped as u64
    }

    /// Where in the sums the vertices of the plane `last` begin.
    #[inline(always)]
    pub const fn last_plane_sums(self) -> u64 {
        self.vertex_groups() * self.tiles_per_plane() * (self.last - self.first) as u64
    }

    /// Whether sample `x` of row `y`, plane `z` has a neighbour along each axis, as masks of the
    /// word that `x` begins; along z only within the wanted planes.
    #[inline(always)]
    pub(super) const fn with_right_neighbour(self, word: u32) -> u32 {
        let rest = self.grid.nx - 1 - word * 32;
        if rest >= 32 {
            u32::MAX
        } else {
            (1 << rest) - 1
        }
    }

    /// Calls `visit` for each tile of the calling block, under any launch shape. `divide` is
    /// [`div_rem`] or [`div_rem_at_once`](crate::arith::div_rem_at_once).
    #[inline(always)]
    pub(super) fn for_each_tile(
        self,
        divide: impl Fn(u64, u64) -> (u64, u64),
        mut visit: impl FnMut(Tile),
    ) {
        let per_plane = self.tiles_per_plane();
        let mut index = thread::block_idx_x() as u64;
        while index < self.tiles() {
            visit(self.tile(&divide, per_plane, index));
            index += thread::grid_dim_x() as u64;
        }
    }

    /// As [`for_each_tile`](Self::for_each_tile) with [`div_rem`], of tiles that `SHARING` blocks
    /// share, 1 or [`PARTS`]: calls `visit` with the tile and the calling block's part of it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub(super) fn for_each_part<const SHARING: u32>(self, mut visit: impl FnMut(Tile, u32)) {
        let per_plane = self.tiles_per_plane();
        let mut index = thread::block_idx_x() as u64;
        while index < self.tiles() * SHARING as u64 {
            let (tile, part) = (index / SHARING as u64, index as u32 % SHARING);
            visit(self.tile(&div_rem, per_plane, tile), part);
            index += thread::grid_dim_x() as u64;
        }
    }

    /// Calls `visit` for the calling block's share of the tiles that have listed cells: how many
    /// they are is the first element of `listed_tiles`, their numbers, in any order, are the next.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub(super) fn for_each_listed_tile(self, listed_tiles: View<u64>, mut visit: impl FnMut(Tile)) {
        let count = listed_tiles.read(0);
        let mut at = thread::block_idx_x() as u64;
        while at < count {
            let index = listed_tiles.read(1 + at as usize);
            visit(self.tile(&div_rem, self.tiles_per_plane(), index));
            at += thread::grid_dim_x() as u64;
        }
    }

    /// Tile number `index`.
    #[inline(always)]
    fn tile(self, divide: &impl Fn(u64, u64) -> (u64, u64), per_plane: u64, index: u64) -> Tile {
        let (plane, in_plane) = divide(index, per_plane);
        let first_word = in_plane * TILE as u64;
        let rest = self.per_plane() - first_word;
        let (y, word) = divide(first_word, self.per_row as u64);
        Tile {
            z: self.first + plane as u32,
            first_word,
            words: if rest < TILE as u64 {
                rest as u32
            } else {
                TILE
            },
            per_row: self.per_row,
            y: y as u32,
            word: word as u32,
            sum_in_plane: self.vertex_groups() * plane * per_plane + in_plane,
            sum_above: (self.vertex_groups() * plane + 1) * per_plane + in_plane,
            sum_triangles: self.triangle_sums() + index,
        }
    }
}

/// Neighbouring words of one plane.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    /// The plane.
    pub z: u32,
    /// Its first word, counted in the plane.
    pub first_word: u64,
    /// How many.
    pub words: u32,
    per_row: u32,
    /// The row of the first word, and its place in the row.
    y: u32,
    word: u32,
    /// Where its three sums are.
    pub sum_in_plane: u64,
    pub sum_above: u64,
    pub sum_triangles: u64,
}

impl Tile {
    /// Where the marks of its first word are.
    #[inline(always)]
    pub const fn first_marked(&self, words: Words) -> usize {
        ((self.z - words.first) as u64 * words.per_plane() + self.first_word) as usize
    }

    /// Where the sum of its inner vertices is, if cells are shaped.
    #[inline(always)]
    pub const fn sum_inner(&self, words: Words) -> u64 {
        self.sum_above + words.tiles_per_plane()
    }

    /// Where the number of its triangles before a part is.
    #[inline(always)]
    pub const fn part(&self, words: Words, part: u32) -> usize {
        (self.index(words) * PARTS as u64) as usize + part as usize
    }

    /// Its number.
    #[inline(always)]
    pub const fn index(&self, words: Words) -> u64 {
        self.sum_triangles - words.triangle_sums()
    }

    /// Where the number of its listed cells is, if cells are shaped.
    #[inline(always)]
    pub const fn sum_listed(&self, words: Words) -> u64 {
        self.sum_triangles + words.tiles()
    }

    /// Where the signs of its first word are.
    #[inline(always)]
    pub const fn first_sign(&self, words: Words) -> usize {
        (self.first_word + self.z as u64 * words.per_plane()) as usize
    }

    /// The lowest corner of the cell at bit `bit` of word `word` of the tile.
    #[inline(always)]
    pub const fn cell(&self, word: u32, bit: u32) -> [u32; 3] {
        let (y, in_row) = self.row_of(word);
        [in_row * 32 + bit, y, self.z]
    }

    /// The row of a word of the tile, and its place in the row.
    #[inline(always)]
    pub const fn row_of(&self, word: u32) -> (u32, u32) {
        let from_row = self.word + word;
        let rows = match from_row.checked_div(self.per_row) {
            Some(rows) => rows,
            None => 0,
        };
        (self.y + rows, from_row - rows * self.per_row)
    }
}
