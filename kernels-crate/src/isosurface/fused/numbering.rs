//! Vertex numbering of a cell's edges.
//!
//! A number consists of the scanned count before the tile, the count before the word within the
//! tile, and the population count of the lower bits. Numbers begin at 0 in each slab; the caller
//! adds the number of vertices of all preceding slabs. The vertices in the plane
//! [`WordLayout::last`] have the last numbers, in the same order as in the next slab, of which it
//! is the first plane; so both slabs obtain the same index for each of them.

use super::layout::{TILE_WORDS, Tile, WordLayout};
use cuda_std::View;

/// Active edges and offsets around a tile, from which the vertices of its cells are numbered.
#[derive(Clone, Copy)]
pub(super) struct VertexNumbering<'a> {
    edges: View<'a, u32>,
    offsets: View<'a, u64>,
    per_row: u32,
    /// Index of the tile's first word among the words of active edges: in its plane, and in the
    /// next plane.
    first_word: [usize; 2],
    /// Indices into the offsets of the tile's vertices: in its plane, above it, and in the next
    /// plane.
    offset_index: [usize; 3],
}

/// Active edges of a row, beginning at the sample at a cell's corner.
#[derive(Clone, Copy)]
struct RowEdges {
    /// Active edges of the word along x, y and z, shifted such that bit 0 is the sample's.
    x: u32,
    y: u32,
    z: u32,
    /// Numbers of the first vertices at or after the sample: in its plane, and on edges to the next
    /// plane.
    in_plane: u64,
    above: u64,
}

impl<'a> VertexNumbering<'a> {
    #[inline(always)]
    pub fn new(
        tile: &Tile,
        layout: WordLayout,
        edges: View<'a, u32>,
        offsets: View<'a, u64>,
    ) -> Self {
        let first = tile.first_edge_word(layout);
        let sum = tile.in_plane_index as usize;
        let tiles = layout.tiles_per_plane() as usize;
        Self {
            edges,
            offsets,
            per_row: layout.per_row,
            first_word: [first, first + layout.per_plane() as usize],
            offset_index: [
                sum,
                sum + tiles,
                sum + layout.vertex_groups() as usize * tiles,
            ],
        }
    }

    /// Reads the edges at a sample of the tile's plane (`dz` = 0) or of the next plane (1), in the
    /// cell's row or in the next row.
    #[inline(always)]
    fn row(&self, word: u32, bit: u32, next_row: bool, dz: usize) -> RowEdges {
        let word = word + if next_row { self.per_row } else { 0 };
        let [x, y, z, before] = self
            .edges
            .read_vector::<4>((self.first_word[dz] + word as usize) * 4);
        let lower = (1u32 << bit) - 1;
        let tiles_on = (word / TILE_WORDS) as usize;
        let rank = (x & lower).count_ones() + (y & lower).count_ones();
        let in_plane = self.offsets.read(self.offset_index[2 * dz] + tiles_on);
        let above = if dz == 0 {
            let tile_offset = self.offsets.read(self.offset_index[1] + tiles_on);
            tile_offset + ((before >> 16) + (z & lower).count_ones()) as u64
        } else {
            // a cell has no edge above its upper corners
            0
        };
        RowEdges {
            x: x >> bit,
            y: y >> bit,
            z: z >> bit,
            in_plane: in_plane + ((before & 0xffff) + rank) as u64,
            above,
        }
    }

    /// Returns the number of the vertex on the y edge of the next sample, which may be in the next
    /// word.
    ///
    /// Vertices in a plane are numbered along its rows without gaps between words or tiles: this
    /// one follows those on the current sample's edges and on the next sample's x edge.
    #[inline(always)]
    fn right(&self, row: &RowEdges, word: u32, bit: u32, dz: usize) -> u64 {
        let next_x = if bit < 31 {
            row.x >> 1 & 1
        } else {
            self.edges
                .read((self.first_word[dz] + word as usize + 1) * 4)
                & 1
        };
        row.in_plane + ((row.x & 1) + (row.y & 1) + next_x) as u64
    }

    /// Returns the numbers of the vertices on the twelve edges of an occupied cell (arbitrary for
    /// inactive edges), and the cell's signs in row order. Bit 0 of `below` is the sign of its
    /// lowest corner.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn cell(&self, word: u32, bit: u32, below: u32) -> ([u64; 12], usize) {
        let a = self.row(word, bit, false, 0);
        let b = self.row(word, bit, true, 0);
        let c = self.row(word, bit, false, 1);
        let d = self.row(word, bit, true, 1);
        let numbers = [
            a.in_plane,
            self.right(&a, word, bit, 0),
            b.in_plane,
            a.in_plane + (a.x & 1) as u64,
            c.in_plane,
            self.right(&c, word, bit, 1),
            d.in_plane,
            c.in_plane + (c.x & 1) as u64,
            a.above,
            a.above + (a.z & 1) as u64,
            b.above + (b.z & 1) as u64,
            b.above,
        ];
        // along an edge of an occupied cell, the sign changes if and only if the edge is active
        let along_y = below ^ a.y;
        let along_z = below ^ a.z;
        let along_both = along_z ^ c.y;
        let pair = |first: u32, row: &RowEdges| (first & 1) | ((first ^ row.x) & 1) << 1;
        let signs = pair(below, &a)
            | pair(along_y, &b) << 2
            | pair(along_z, &c) << 4
            | pair(along_both, &d) << 6;
        (numbers, signs as usize & 0xff)
    }
}
