//! Packing of samples, cells and edges into words, and of words into tiles.

use crate::{
    arith::{div_ceil, div_ceil_u32, div_rem},
    grid::Grid,
};
use cuda_std::{View, thread};

/// Maximum number of words of a tile, the unit of work of a block.
pub const TILE_WORDS: u32 = 256;

/// Number of equal parts of a tile that different blocks can process.
pub const TILE_PARTS: u32 = 4;
/// Words in a part of a tile.
pub(super) const PART_WORDS: u32 = TILE_WORDS / TILE_PARTS;

/// Number of elements at the end of the counts, after those of the tiles: the number of cells
/// excluded because of a non-finite corner, and an element for the grand total of the scan.
pub const EXTRA_COUNTS: u64 = 2;

/// The words of a grid, and the range of planes whose cells are meshed.
///
/// Words of sample bits cover the whole grid, row by row. Words of active edges and occupied cells
/// cover only the planes `first` to `end`: the lower planes of the cells `first <= z < end`, and
/// the plane `end` on top of them, which has vertices in it but none above it. Tiles are ranges of
/// words of one plane.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordLayout {
    /// Grid of samples.
    pub grid: Grid,
    /// Words per row of samples.
    pub per_row: u32,
    /// First plane of the meshed cells.
    pub first: u32,
    /// Plane after the last plane of the meshed cells.
    pub end: u32,
    /// 1 if ambiguous cells are resolved by the trilinear interpolant and may have inner vertices,
    /// else 0.
    pub trilinear: u32,
}

impl WordLayout {
    /// Creates the layout of a grid, for the cells `first <= z < end`, with `first < end <
    /// grid.nz`. `trilinear` selects the [resolution of ambiguous
    /// cells](crate::isosurface::topology::Subcase).
    pub const fn new(grid: Grid, first: u32, end: u32, trilinear: bool) -> Self {
        Self {
            grid,
            per_row: div_ceil_u32(grid.nx, 32),
            first,
            end,
            trilinear: trilinear as u32,
        }
    }

    /// Returns the number of words per plane.
    #[inline(always)]
    pub const fn per_plane(self) -> u64 {
        self.per_row as u64 * self.grid.ny as u64
    }

    /// Returns the number of words of sample bits, over all planes.
    #[inline(always)]
    pub const fn sample_words(self) -> u64 {
        self.per_plane() * self.grid.nz as u64
    }

    /// Returns the number of words of active edges and occupied cells, over the planes `first` to
    /// `end`.
    #[inline(always)]
    pub const fn edge_words(self) -> u64 {
        self.per_plane() * (self.end - self.first + 1) as u64
    }

    /// Returns the number of tiles per plane.
    #[inline(always)]
    pub const fn tiles_per_plane(self) -> u64 {
        div_ceil(self.per_plane(), TILE_WORDS as u64)
    }

    /// Returns the number of tiles.
    #[inline(always)]
    pub const fn tiles(self) -> u64 {
        self.tiles_per_plane() * (self.end - self.first + 1) as u64
    }

    /// Returns the number of parts of all tiles.
    #[inline(always)]
    pub const fn parts(self) -> u64 {
        self.tiles() * TILE_PARTS as u64
    }

    /// Returns the number of elements of the counts.
    ///
    /// Plane by plane, the counts hold for each tile the vertices in the plane, then for each tile
    /// the vertices on edges above the plane, in the order of [the grid's edge
    /// slots](Grid#edge-slots), then, if `trilinear`, for each tile the inner vertices of the cells
    /// above the plane. The triangles of each tile follow; then, if `trilinear`, the ambiguous
    /// cells of each tile; then [`EXTRA_COUNTS`] elements. After an exclusive scan they are
    /// offsets.
    #[inline(always)]
    pub const fn counts_len(self) -> u64 {
        (self.vertex_groups() + 1 + self.trilinear as u64) * self.tiles() + EXTRA_COUNTS
    }

    /// Returns the number of vertex counts per tile.
    #[inline(always)]
    pub(super) const fn vertex_groups(self) -> u64 {
        2 + self.trilinear as u64
    }

    /// Returns the index of the first triangle count, after all vertex counts.
    #[inline(always)]
    pub const fn triangle_counts_start(self) -> u64 {
        self.vertex_groups() * self.tiles()
    }

    /// Returns the index of the first ambiguous cell count (if there are any), after all triangle
    /// counts.
    #[inline(always)]
    pub const fn ambiguous_counts_start(self) -> u64 {
        self.triangle_counts_start() + self.tiles()
    }

    /// Returns `true` if a tile has ambiguous cells, according to the scanned counts.
    #[inline(always)]
    pub(super) fn has_ambiguous_cells(self, tile: u64, offsets: View<u64>) -> bool {
        let at = (self.ambiguous_counts_start() + tile) as usize;
        offsets.read(at) != offsets.read(at + 1)
    }

    /// Returns the length of the list of tiles with ambiguous cells: their number, then their
    /// indices; 0 unless `trilinear`.
    #[inline(always)]
    pub const fn ambiguous_tiles_len(self) -> u64 {
        (self.tiles() + 1) * self.trilinear as u64
    }

    /// Returns the index of the first vertex count of the plane `end`.
    #[inline(always)]
    pub const fn end_plane_counts_start(self) -> u64 {
        self.vertex_groups() * self.tiles_per_plane() * (self.end - self.first) as u64
    }

    /// Returns a bit mask of the samples of word `word` of a row that have a right neighbour.
    #[inline(always)]
    pub(super) const fn right_neighbour_mask(self, word: u32) -> u32 {
        let remaining = self.grid.nx - 1 - word * 32;
        if remaining >= 32 {
            u32::MAX
        } else {
            (1 << remaining) - 1
        }
    }

    /// Calls `visit` for each tile of the calling block, for any launch shape. `divide` is
    /// [`div_rem`] or [`div_rem_native`](crate::arith::div_rem_native).
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

    /// Calls `visit` with each tile and part of the calling block, where `SHARING` blocks share a
    /// tile: 1 or [`TILE_PARTS`].
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

    /// Calls `visit` for the calling block's share of the tiles with ambiguous cells. The first
    /// element of `ambiguous_tiles` is their number; their indices follow, in any order.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub(super) fn for_each_ambiguous_tile(
        self,
        ambiguous_tiles: View<u64>,
        mut visit: impl FnMut(Tile),
    ) {
        let count = ambiguous_tiles.read(0);
        let mut at = thread::block_idx_x() as u64;
        while at < count {
            let index = ambiguous_tiles.read(1 + at as usize);
            visit(self.tile(&div_rem, self.tiles_per_plane(), index));
            at += thread::grid_dim_x() as u64;
        }
    }

    /// Returns tile `index`.
    #[inline(always)]
    fn tile(self, divide: &impl Fn(u64, u64) -> (u64, u64), per_plane: u64, index: u64) -> Tile {
        let (plane, in_plane) = divide(index, per_plane);
        let first_word = in_plane * TILE_WORDS as u64;
        let remaining = self.per_plane() - first_word;
        let (y, word) = divide(first_word, self.per_row as u64);
        Tile {
            z: self.first + plane as u32,
            first_word,
            words: if remaining < TILE_WORDS as u64 {
                remaining as u32
            } else {
                TILE_WORDS
            },
            per_row: self.per_row,
            y: y as u32,
            word: word as u32,
            in_plane_index: self.vertex_groups() * plane * per_plane + in_plane,
            above_index: (self.vertex_groups() * plane + 1) * per_plane + in_plane,
            triangles_index: self.triangle_counts_start() + index,
        }
    }
}

/// A range of words of one plane.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    /// Plane of the tile.
    pub z: u32,
    /// Index of the tile's first word within the plane.
    pub first_word: u64,
    /// Number of words.
    pub words: u32,
    per_row: u32,
    /// Row of the first word, and its index within the row.
    y: u32,
    word: u32,
    /// Indices of the tile's counts of vertices in the plane, vertices above it, and triangles.
    pub in_plane_index: u64,
    pub above_index: u64,
    pub triangles_index: u64,
}

impl Tile {
    /// Returns the index of the tile's first word among the words of active edges.
    #[inline(always)]
    pub const fn first_edge_word(&self, layout: WordLayout) -> usize {
        ((self.z - layout.first) as u64 * layout.per_plane() + self.first_word) as usize
    }

    /// Returns the index of the tile's inner vertex count, if `trilinear`.
    #[inline(always)]
    pub const fn inner_index(&self, layout: WordLayout) -> u64 {
        self.above_index + layout.tiles_per_plane()
    }

    /// Returns the index of a part's element in the triangle counts of parts.
    #[inline(always)]
    pub const fn part(&self, layout: WordLayout, part: u32) -> usize {
        (self.index(layout) * TILE_PARTS as u64) as usize + part as usize
    }

    /// Returns the index of the tile.
    #[inline(always)]
    pub const fn index(&self, layout: WordLayout) -> u64 {
        self.triangles_index - layout.triangle_counts_start()
    }

    /// Returns the index of the tile's ambiguous cell count, if `trilinear`.
    #[inline(always)]
    pub const fn ambiguous_index(&self, layout: WordLayout) -> u64 {
        self.triangles_index + layout.tiles()
    }

    /// Returns the index of the tile's first word among the words of sample bits.
    #[inline(always)]
    pub const fn first_sample_word(&self, layout: WordLayout) -> usize {
        (self.first_word + self.z as u64 * layout.per_plane()) as usize
    }

    /// Returns the lowest corner of the cell at bit `bit` of word `word` of the tile.
    #[inline(always)]
    pub const fn cell(&self, word: u32, bit: u32) -> [u32; 3] {
        let (y, in_row) = self.row_and_word(word);
        [in_row * 32 + bit, y, self.z]
    }

    /// Returns the row of a word of the tile, and its index within the row.
    #[inline(always)]
    pub const fn row_and_word(&self, word: u32) -> (u32, u32) {
        let from_row = self.word + word;
        let rows = match from_row.checked_div(self.per_row) {
            Some(rows) => rows,
            None => 0,
        };
        (self.y + rows, from_row - rows * self.per_row)
    }
}
