//! The numbers of the vertices around a cell.

use super::words::{TILE, Tile, Words};
use cuda_std::View;

/// What the threads of a block need to know of a tile to number its vertices.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a> {
    edges: View<'a, u32>,
    places: View<'a, u64>,
    per_row: u32,
    /// The tile's first word among those with marks, in its plane and in the one above.
    first: [usize; 2],
    /// Where the places of its vertices are: of those in its plane, above it, and in the plane
    /// above.
    sums: [usize; 3],
}

/// A row of edges, from the sample of a cell's corner on.
#[derive(Clone, Copy)]
struct RowAt {
    /// Active edges along x, y and z of the word, the sample's first.
    x: u32,
    y: u32,
    z: u32,
    /// The first vertex in the plane that is not before the sample, and the first above it.
    in_plane: u64,
    above: u64,
}

impl<'a> Numbers<'a> {
    #[inline(always)]
    pub fn of(tile: &Tile, words: Words, edges: View<'a, u32>, places: View<'a, u64>) -> Self {
        let first = tile.first_marked(words);
        let sum = tile.sum_in_plane as usize;
        let tiles = words.tiles_per_plane() as usize;
        Self {
            edges,
            places,
            per_row: words.per_row,
            first: [first, first + words.per_plane() as usize],
            sums: [
                sum,
                sum + tiles,
                sum + words.vertex_groups() as usize * tiles,
            ],
        }
    }

    /// The edges at a sample of the tile's plane (`dz` 0) or of the one above (1), in the cell's
    /// row or in the next.
    #[inline(always)]
    fn row(&self, word: u32, bit: u32, next_row: bool, dz: usize) -> RowAt {
        let word = word + if next_row { self.per_row } else { 0 };
        let [x, y, z, before] = self
            .edges
            .read_vector::<4>((self.first[dz] + word as usize) * 4);
        let lower = (1u32 << bit) - 1;
        let tiles_on = (word / TILE) as usize;
        let rank = (x & lower).count_ones() + (y & lower).count_ones();
        let in_plane = self.places.read(self.sums[2 * dz] + tiles_on);
        let above = if dz == 0 {
            let place = self.places.read(self.sums[1] + tiles_on);
            place + ((before >> 16) + (z & lower).count_ones()) as u64
        } else {
            // a cell has no vertex above its upper corners
            0
        };
        RowAt {
            x: x >> bit,
            y: y >> bit,
            z: z >> bit,
            in_plane: in_plane + ((before & 0xffff) + rank) as u64,
            above,
        }
    }

    /// The number of the vertex on the y edge of the next sample, which may be in the next word.
    /// Vertices in a plane are numbered along its rows without a gap between words or tiles: it
    /// comes after those on this sample's edges and on the next's x edge.
    #[inline(always)]
    fn right(&self, row: &RowAt, word: u32, bit: u32, dz: usize) -> u64 {
        let next_x = if bit < 31 {
            row.x >> 1 & 1
        } else {
            self.edges.read((self.first[dz] + word as usize + 1) * 4) & 1
        };
        row.in_plane + ((row.x & 1) + (row.y & 1) + next_x) as u64
    }

    /// The numbers of the vertices on the twelve edges of an occupied cell (where an edge has none,
    /// the number means nothing), and the cell's signs by rows; bit 0 of `below` is the sign of its
    /// first corner.
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
        // signs change along active edges, and along no other edge of an occupied cell
        let along_y = below ^ a.y;
        let along_z = below ^ a.z;
        let along_both = along_z ^ c.y;
        let pair = |first: u32, row: &RowAt| (first & 1) | ((first ^ row.x) & 1) << 1;
        let signs = pair(below, &a)
            | pair(along_y, &b) << 2
            | pair(along_z, &c) << 4
            | pair(along_both, &d) << 6;
        (numbers, signs as usize & 0xff)
    }
}
