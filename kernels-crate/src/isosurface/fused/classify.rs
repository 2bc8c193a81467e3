//! Active edges and occupied cells, from the signs.

use super::{
    super::table::FURTHER_LOOPS_BY_ROWS,
    words::{PART, Tile, Words},
};
use crate::{arith::div_rem_at_once, block};
use cuda_std::{View, ViewMut, kernel, thread};

/// The signs at the corners of a word's 32 cells: of each of the four rows of samples around them,
/// at the cells' lower x and at their higher x.
#[derive(Clone, Copy)]
pub(super) struct Corners {
    /// Rows (y, z), (y + 1, z), (y, z + 1), (y + 1, z + 1).
    rows: [[u32; 2]; 4],
}

impl Corners {
    /// Reads the rows around word `word` of row (y, z). A row that does not exist repeats its
    /// neighbour, so that nothing seems to change towards it.
    #[inline(always)]
    pub fn read(signs: View<u32>, words: Words, word: u32, y: u32, z: u32) -> Self {
        let dy = if y + 1 < words.grid.ny {
            words.per_row as usize
        } else {
            0
        };
        let dz = if z < words.last {
            words.per_plane() as usize
        } else {
            0
        };
        let here = sign_index(words, word, y, z);
        let read = |at: usize| {
            let low = signs.read(at);
            let next = if word + 1 < words.per_row {
                signs.read(at + 1)
            } else {
                0
            };
            [low, low >> 1 | next << 31]
        };
        Self {
            rows: [
                read(here),
                read(here + dy),
                read(here + dz),
                read(here + dy + dz),
            ],
        }
    }

    /// Which cells have corners of both signs, were they all to exist.
    #[inline(always)]
    fn mixed(&self) -> u32 {
        let (mut all, mut any) = (u32::MAX, 0);
        let mut row = 0;
        while row < 4 {
            let [low, high] = self.rows[row];
            all &= low & high;
            any |= low | high;
            row += 1;
        }
        any & !all
    }

    /// The edges of the cells along which signs change: along x, y and z, of four cells' edges
    /// each.
    #[inline(always)]
    fn changes(&self) -> [[u32; 4]; 3] {
        // rows a to d, at the cells' lower and higher x
        let [[a0, a1], [b0, b1], [c0, c1], [d0, d1]] = self.rows;
        [
            [a0 ^ a1, b0 ^ b1, c0 ^ c1, d0 ^ d1],
            [a0 ^ b0, a1 ^ b1, c0 ^ d0, c1 ^ d1],
            [a0 ^ c0, a1 ^ c1, b0 ^ d0, b1 ^ d1],
        ]
    }

    /// Which of the occupied cells have an ambiguous face, or a corner and the opposite one that
    /// are cut off: all others have one loop, and triangles that do not depend on values.
    #[inline(always)]
    pub fn listed(&self, occupied: u32) -> u32 {
        let [
            [xa, xb, xc, xd],
            [yab0, yab1, ycd0, ycd1],
            [zac0, zac1, zbd0, zbd1],
        ] = self.changes();
        // two loops meet in a face all of whose edges are active (three of them, as signs change an
        // even number of times around it), or they are around two opposite corners
        let faces = xa & xb & yab0
            | xc & xd & ycd0
            | xa & xc & zac0
            | xb & xd & zbd0
            | yab0 & ycd0 & zac0
            | yab1 & ycd1 & zac1;
        let opposite = (xa & yab0 & zac0) & (xd & ycd1 & zbd1)
            | (xa & yab1 & zac1) & (xd & ycd0 & zbd0)
            | (xb & yab0 & zbd0) & (xc & ycd1 & zac1)
            | (xb & yab1 & zbd1) & (xc & ycd0 & zac0);
        occupied & (faces | opposite)
    }

    /// The signs of cell `x` of the word, row by row: the index of the tables by rows.
    #[inline(always)]
    fn by_rows(&self, x: u32) -> usize {
        let mut index = 0;
        let mut row = 0;
        while row < 4 {
            let [low, high] = self.rows[row];
            index |= (low >> x & 1 | (high >> x & 1) << 1) << (2 * row);
            row += 1;
        }
        index as usize & 0xff
    }
}

/// Where the signs of word `word` of row (y, z) are.
#[inline(always)]
fn sign_index(words: Words, word: u32, y: u32, z: u32) -> usize {
    ((z as u64 * words.grid.ny as u64 + y as u64) * words.per_row as u64 + word as u64) as usize
}

/// What the surface crosses in a word.
struct Marks {
    /// Active edges along x, y and z.
    edges: [u32; 3],
    /// Cells with triangles.
    occupied: u32,
}

/// The bits of the samples that cells are left out for.
#[derive(Clone, Copy)]
struct Kept<'a> {
    finite: View<'a, u32>,
    kept: View<'a, u32>,
}

/// Which cells of a word have all corners finite, and which have none masked.
#[derive(Clone, Copy)]
struct WholeCells {
    finite: u32,
    kept: u32,
}

impl Kept<'_> {
    /// The cells of word `word` of row (y, z); a cell that does not exist is in neither.
    #[inline(always)]
    fn cells(&self, words: Words, word: u32, y: u32, z: u32) -> WholeCells {
        if y + 1 >= words.grid.ny || z + 1 >= words.grid.nz {
            return WholeCells { finite: 0, kept: 0 };
        }
        let exist = words.with_right_neighbour(word);
        let mut cells = WholeCells {
            finite: exist,
            kept: exist,
        };
        let mut row = 0;
        while row < 4 {
            let at = sign_index(words, word, y + (row & 1), z + (row >> 1));
            let both = |bits: View<u32>| {
                if bits.is_empty() {
                    return u32::MAX;
                }
                let low = bits.read(at);
                let next = if word + 1 < words.per_row {
                    bits.read(at + 1)
                } else {
                    0
                };
                low & (low >> 1 | next << 31)
            };
            cells.finite &= both(self.finite);
            cells.kept &= both(self.kept);
            row += 1;
        }
        cells
    }

    /// Takes away the occupied cells that are left out and the edges that have none but such cells
    /// around them; the number of the word's cells that are left out for a corner that is not
    /// finite.
    #[inline(always)]
    fn exclude(&self, words: Words, marks: &mut Marks, word: u32, y: u32, z: u32) -> u32 {
        let (mut around_x, mut around_y, mut around_z) = (0, 0, 0);
        let mut own = WholeCells { finite: 0, kept: 0 };
        // this word and the one before it, whose last cell is the left neighbour of this word's
        // first
        let combinations = if word > 0 { 8 } else { 4 };
        let mut combination = 0;
        while combination < combinations {
            let (dy, dz, before) = (combination & 1, combination >> 1 & 1, combination >> 2);
            if y >= dy && z >= dz {
                let cells = self.cells(words, word - before, y - dy, z - dz);
                if combination == 0 {
                    own = cells;
                }
                let whole = cells.finite & cells.kept;
                let here = if before == 0 { whole } else { 0 };
                let here_or_left = if before == 0 {
                    whole | whole << 1
                } else {
                    whole >> 31
                };
                around_x |= here;
                if dy == 0 {
                    around_y |= here_or_left;
                }
                if dz == 0 {
                    around_z |= here_or_left;
                }
            }
            combination += 1;
        }
        let [x, y_edges, z_edges] = marks.edges;
        marks.edges = [x & around_x, y_edges & around_y, z_edges & around_z];
        marks.occupied &= own.finite & own.kept;
        if z == words.last {
            return 0;
        }
        let exist = if y + 1 < words.grid.ny {
            words.with_right_neighbour(word)
        } else {
            0
        };
        (exist & own.kept & !own.finite).count_ones()
    }
}

/// Finds the active edges and the occupied cells of every word, and counts what they will emit.
///
/// A block takes whole tiles; a thread takes single words: 32 samples with the edges and cells that
/// rise from them. It reads the signs of the four rows of samples around them (eight words), and
/// where cells may be left out (`masked` not 0, or `exclusions[0]`) the bits of `finite` and `kept`
/// around it too. It writes the word's active edges along x, y and z and, as the fourth element,
/// how many of the tile's vertices come before the word's: in the low half those in the plane, in
/// the high half those above it; the occupied cells go to `occupied`. The block adds up the counts
/// of its tile in shared memory and writes the tile's three sums, and a fourth if cells are shaped:
/// how many are listed for [`count_shapes`](super::count_shapes), and if there are any the tile is
/// put on the list of such tiles. Cells left out for a non-finite corner are counted in the last
/// but one. To `parts`, unless it is empty, go the triangles of the tile before each of its
/// [`PARTS`](super::PARTS) parts.
///
/// # Safety
/// `below` (and `finite` and `kept`, unless empty) hold `words.signs()` elements, `exclusions` one,
/// `edges` four for each of `words.marked()` words, `occupied` one, `parts` `words.parts()`
/// elements or none, `sums` `words.sums()`, `listed_tiles` `words.listed_tiles()`; all of the last
/// two are 0.
#[kernel]
pub unsafe fn classify_edges(
    below: View<u32>,
    finite: View<u32>,
    kept: View<u32>,
    words: Words,
    masked: u32,
    exclusions: View<u64>,
    edges: ViewMut<u32>,
    occupied: ViewMut<u32>,
    parts: ViewMut<u16>,
    sums: ViewMut<u64>,
    listed_tiles: ViewMut<u64>,
) {
    let left_out = masked != 0 || exclusions.read(0) != 0;
    // this kernel is bound by instructions: the bit-wise division costs a tenth of its time in
    // preparations alone
    words.for_each_tile(div_rem_at_once, |tile| {
        let first = tile.first_marked(words);
        let mut before = Counts(0);
        let mut start = 0;
        while start < tile.words {
            let word = start + thread::thread_idx_x();
            let mut marks = Marks {
                edges: [0; 3],
                occupied: 0,
            };
            let mut counts = Counts(0);
            if word < tile.words {
                let (y, in_row) = tile.row_of(word);
                let corners = Corners::read(below, words, in_row, y, tile.z);
                marks = mark(&corners, words, &tile, in_row, y);
                if left_out {
                    let kept = Kept { finite, kept };
                    let count = kept.exclude(words, &mut marks, in_row, y, tile.z);
                    if count > 0 {
                        sums.atomic_add(words.sums() as usize - 2, count as u64);
                    }
                }
                counts = Counts::of(&marks, &corners, words.shaped != 0);
            }
            let sum = block::exclusive_sum(counts.0);
            if word < tile.words {
                let offset = Counts(before.0 + sum.before);
                let [x, y, z] = marks.edges;
                let at = first + word as usize;
                edges.write_vector(at * 4, [x, y, z, offset.vertices_in_halves()]);
                occupied.write(at, marks.occupied);
                if word.is_multiple_of(PART) && !parts.is_empty() {
                    let part = tile.part(words, word / PART);
                    parts.write(part, offset.triangles() as u16);
                }
            }
            before = Counts(before.0 + sum.total);
            start += thread::block_dim_x();
        }
        if thread::thread_idx_x() == 0 {
            sums.write(tile.sum_in_plane as usize, before.in_plane());
            sums.write(tile.sum_above as usize, before.above());
            sums.write(tile.sum_triangles as usize, before.triangles());
            if words.shaped != 0 && before.listed() > 0 {
                sums.write(tile.sum_listed(words) as usize, before.listed());
                let at = listed_tiles.atomic_add(0, 1);
                listed_tiles.write(1 + at as usize, tile.index(words));
            }
        }
    });
}

/// The edges and cells of a word whose ends or corners have both signs.
#[inline(always)]
fn mark(corners: &Corners, words: Words, tile: &Tile, word: u32, y: u32) -> Marks {
    let [here, along_y, along_z, _] = corners.rows;
    let right = words.with_right_neighbour(word);
    let cells_rise = y + 1 < words.grid.ny && tile.z < words.last;
    Marks {
        edges: [
            (here[0] ^ here[1]) & right,
            here[0] ^ along_y[0],
            here[0] ^ along_z[0],
        ],
        occupied: if cells_rise {
            corners.mixed() & right
        } else {
            0
        },
    }
}

/// Four counts of a tile in one number: of vertices in its plane, of vertices above it, of
/// triangles, of listed cells. A tile has 256 words, so they are at most 16384, 8192, 40960 and 8192.
#[derive(Clone, Copy)]
struct Counts(u64);

impl Counts {
    const BITS: u32 = 16;

    #[inline(always)]
    fn of(marks: &Marks, corners: &Corners, shaped: bool) -> Self {
        let [x, y, z] = marks.edges.map(|edges| edges.count_ones() as u64);
        let [triangles, listed] = count_triangles(corners, marks.occupied, shaped).map(u64::from);
        Self((x + y) | z << Self::BITS | triangles << (2 * Self::BITS) | listed << (3 * Self::BITS))
    }

    #[inline(always)]
    fn field(self, which: u32) -> u64 {
        self.0 >> (which * Self::BITS) & ((1 << Self::BITS) - 1)
    }

    #[inline(always)]
    fn in_plane(self) -> u64 {
        self.field(0)
    }

    #[inline(always)]
    fn above(self) -> u64 {
        self.field(1)
    }

    #[inline(always)]
    fn triangles(self) -> u64 {
        self.field(2)
    }

    #[inline(always)]
    fn listed(self) -> u64 {
        self.field(3)
    }

    #[inline(always)]
    fn vertices_in_halves(self) -> u32 {
        (self.in_plane() | self.above() << 16) as u32
    }
}

/// The number of triangles of the occupied cells of a word, and how many of the cells are listed.
///
/// A loop of n edges is cut into n - 2 triangles, so it is the number of active edges, cell by
/// cell, less twice the number of loops. Edges are counted for 32 cells at a time; only cells that
/// may have more than one loop are looked up, above corners kept apart on every face. If cells are
/// shaped, the triangles of listed cells are not counted.
#[inline(always)]
fn count_triangles(corners: &Corners, occupied: u32, shaped: bool) -> [u32; 2] {
    if occupied == 0 {
        return [0; 2];
    }
    let listed = corners.listed(occupied);
    let counted = if shaped { occupied & !listed } else { occupied };
    let mut edges = 0;
    let changes = corners.changes();
    let mut axis = 0;
    while axis < 3 {
        let mut edge = 0;
        while edge < 4 {
            edges += (changes[axis][edge] & counted).count_ones();
            edge += 1;
        }
        axis += 1;
    }
    let mut loops = counted.count_ones();
    let mut left = listed & counted;
    while left != 0 {
        loops += FURTHER_LOOPS_BY_ROWS[corners.by_rows(left.trailing_zeros())] as u32;
        left &= left - 1;
    }
    [edges - 2 * loops, listed.count_ones()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isosurface::{table::case_by_rows, topology::needs_values};

    #[test]
    fn cells_are_listed_whose_triangles_depend_on_values() {
        for rows in 0..256u32 {
            let pair = |row: u32| [rows >> (2 * row) & 1, rows >> (2 * row + 1) & 1];
            let corners = Corners {
                rows: [pair(0), pair(1), pair(2), pair(3)],
            };
            assert_eq!(corners.by_rows(0), rows as usize);
            let occupied = (rows != 0 && rows != 255) as u32;
            let listed = corners.listed(occupied) == 1;
            assert_eq!(
                listed,
                needs_values(case_by_rows(rows as usize) as u32),
                "{rows:#b}"
            );
        }
    }
}
