//! Active edges and occupied cells of each word, from the below bits.

use super::{
    super::table::FURTHER_LOOPS_BY_ROWS,
    layout::{PART_WORDS, Tile, WordLayout},
};
use crate::{arith::div_rem_native, block};
use cuda_std::{View, ViewMut, kernel, thread};

/// Below bits at the corners of a word's 32 cells: for each of the four rows of samples around
/// them, at the lower and at the higher x of the cells.
#[derive(Clone, Copy)]
pub(super) struct CornerBits {
    /// Rows (y, z), (y + 1, z), (y, z + 1), (y + 1, z + 1).
    rows: [[u32; 2]; 4],
}

impl CornerBits {
    /// Reads the rows around word `word` of row (y, z). A row that does not exist repeats its
    /// neighbour, so that no edge towards it is active.
    #[inline(always)]
    pub fn read(below: View<u32>, layout: WordLayout, word: u32, y: u32, z: u32) -> Self {
        let dy = if y + 1 < layout.grid.ny {
            layout.per_row as usize
        } else {
            0
        };
        let dz = if z < layout.last {
            layout.per_plane() as usize
        } else {
            0
        };
        let own_word = sample_word_index(layout, word, y, z);
        let read = |at: usize| {
            let low = below.read(at);
            let next = if word + 1 < layout.per_row {
                below.read(at + 1)
            } else {
                0
            };
            [low, low >> 1 | next << 31]
        };
        Self {
            rows: [
                read(own_word),
                read(own_word + dy),
                read(own_word + dz),
                read(own_word + dy + dz),
            ],
        }
    }

    /// Returns the cells with both below and above corners, including cells beyond the grid.
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

    /// Returns the edges of the cells whose ends differ: for each axis, the four edges of each cell
    /// along that axis.
    #[inline(always)]
    fn edge_changes(&self) -> [[u32; 4]; 3] {
        // rows a to d, at the lower and higher x of the cells
        let [[a0, a1], [b0, b1], [c0, c1], [d0, d1]] = self.rows;
        [
            [a0 ^ a1, b0 ^ b1, c0 ^ c1, d0 ^ d1],
            [a0 ^ b0, a1 ^ b1, c0 ^ d0, c1 ^ d1],
            [a0 ^ c0, a1 ^ c1, b0 ^ d0, b1 ^ d1],
        ]
    }

    /// Returns the ambiguous cells among the occupied ones: those with an ambiguous face, or with
    /// two opposite corners that are cut off separately. All other cells have one loop, and their
    /// triangles do not depend on the values.
    #[inline(always)]
    pub fn ambiguous(&self, occupied: u32) -> u32 {
        let [
            [xa, xb, xc, xd],
            [yab0, yab1, ycd0, ycd1],
            [zac0, zac1, zbd0, zbd1],
        ] = self.edge_changes();
        // On an ambiguous face all edges are active; testing three suffices, as the number of sign
        // changes around a face is even. Otherwise, two loops surround two opposite corners.
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

    /// Returns the signs at the corners of cell `x` of the word in row order: the index of the
    /// `BY_ROWS` tables.
    #[inline(always)]
    fn row_order_signs(&self, x: u32) -> usize {
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

/// Returns the index of word `word` of row (y, z) among the words of all samples.
#[inline(always)]
fn sample_word_index(layout: WordLayout, word: u32, y: u32, z: u32) -> usize {
    ((z as u64 * layout.grid.ny as u64 + y as u64) * layout.per_row as u64 + word as u64) as usize
}

/// Active edges and occupied cells of a word, as bit masks.
struct ActiveBits {
    /// Active edges along x, y and z.
    edges: [u32; 3],
    /// Cells that emit triangles.
    occupied: u32,
}

/// Bits of the samples that exclude cells.
#[derive(Clone, Copy)]
struct SampleFilter<'a> {
    finite: View<'a, u32>,
    unmasked: View<'a, u32>,
}

/// Cells of a word whose corners are all finite, and cells whose corners are all unmasked.
#[derive(Clone, Copy)]
struct CellFilter {
    finite: u32,
    unmasked: u32,
}

impl SampleFilter<'_> {
    /// Returns the cells of word `word` of row (y, z); cells beyond the grid are in neither set.
    #[inline(always)]
    fn cells(&self, layout: WordLayout, word: u32, y: u32, z: u32) -> CellFilter {
        if y + 1 >= layout.grid.ny || z + 1 >= layout.grid.nz {
            return CellFilter {
                finite: 0,
                unmasked: 0,
            };
        }
        let exist = layout.right_neighbour_mask(word);
        let mut cells = CellFilter {
            finite: exist,
            unmasked: exist,
        };
        let mut row = 0;
        while row < 4 {
            let at = sample_word_index(layout, word, y + (row & 1), z + (row >> 1));
            let both = |bits: View<u32>| {
                if bits.is_empty() {
                    return u32::MAX;
                }
                let low = bits.read(at);
                let next = if word + 1 < layout.per_row {
                    bits.read(at + 1)
                } else {
                    0
                };
                low & (low >> 1 | next << 31)
            };
            cells.finite &= both(self.finite);
            cells.unmasked &= both(self.unmasked);
            row += 1;
        }
        cells
    }

    /// Removes the excluded cells, and the edges that are adjacent to excluded cells only. Returns
    /// the number of the word's cells that are excluded because of a non-finite corner.
    #[inline(always)]
    fn exclude(
        &self,
        layout: WordLayout,
        active: &mut ActiveBits,
        word: u32,
        y: u32,
        z: u32,
    ) -> u32 {
        let (mut around_x, mut around_y, mut around_z) = (0, 0, 0);
        let mut own = CellFilter {
            finite: 0,
            unmasked: 0,
        };
        // this word and the previous one, whose last cell is the left neighbour of this word's
        // first cell
        let combinations = if word > 0 { 8 } else { 4 };
        let mut combination = 0;
        while combination < combinations {
            let (dy, dz, before) = (combination & 1, combination >> 1 & 1, combination >> 2);
            if y >= dy && z >= dz {
                let cells = self.cells(layout, word - before, y - dy, z - dz);
                if combination == 0 {
                    own = cells;
                }
                let included = cells.finite & cells.unmasked;
                let own_cells = if before == 0 { included } else { 0 };
                let own_or_left = if before == 0 {
                    included | included << 1
                } else {
                    included >> 31
                };
                around_x |= own_cells;
                if dy == 0 {
                    around_y |= own_or_left;
                }
                if dz == 0 {
                    around_z |= own_or_left;
                }
            }
            combination += 1;
        }
        let [x, y_edges, z_edges] = active.edges;
        active.edges = [x & around_x, y_edges & around_y, z_edges & around_z];
        active.occupied &= own.finite & own.unmasked;
        if z == layout.last {
            return 0;
        }
        let exist = if y + 1 < layout.grid.ny {
            layout.right_neighbour_mask(word)
        } else {
            0
        };
        (exist & own.unmasked & !own.finite).count_ones()
    }
}

/// Finds the active edges and occupied cells of every word, and counts the vertices and triangles
/// they emit.
///
/// **Mapping:** one block per tile of [`TILE_WORDS`](super::TILE_WORDS) words, one word (32
/// samples, with the edges and cells whose lowest corner they are) per thread. **Shared memory:** a
/// block scan of the counts.
///
/// **Reads** per word: the below bits of the four rows around it (eight words), and, if cells may
/// be excluded (`masked` is not 0, or `exclusions[0]` is not 0), the `finite` and `unmasked` bits
/// around it.
///
/// **Writes** per word: to `edges`, the active edges along x, y and z and, as the fourth element,
/// the number of vertices of the tile before this word: in the plane (low half) and above it (high
/// half); to `occupied`, the occupied cells. Per tile: its counts, see [`WordLayout::counts_len`].
/// If ambiguous cells are resolved, a tile with such cells is appended to `ambiguous_tiles`. Unless
/// `parts` is empty, the number of the tile's triangles before each of its
/// [`TILE_PARTS`](super::TILE_PARTS) parts. Cells excluded because of a non-finite corner are
/// counted in the second to last element of `counts`.
///
/// # Safety
/// `below` (and `finite` and `unmasked`, unless empty) hold `layout.sample_words()` elements,
/// `exclusions` one; `edges` holds four for each of `layout.edge_words()` words, `occupied` one;
/// `parts` holds `layout.parts()` elements or none, `counts` `layout.counts_len()`,
/// `ambiguous_tiles` `layout.ambiguous_tiles_len()`; all elements of the last two are 0.
#[kernel]
pub unsafe fn classify_edges(
    below: View<u32>,
    finite: View<u32>,
    unmasked: View<u32>,
    layout: WordLayout,
    masked: u32,
    exclusions: View<u64>,
    edges: ViewMut<u32>,
    occupied: ViewMut<u32>,
    parts: ViewMut<u16>,
    counts: ViewMut<u64>,
    ambiguous_tiles: ViewMut<u64>,
) {
    let has_exclusions = masked != 0 || exclusions.read(0) != 0;
    // This kernel is bound by instruction throughput: the set-up of the bit-wise division alone
    // would cost a tenth of its time.
    layout.for_each_tile(div_rem_native, |tile| {
        let first = tile.first_edge_word(layout);
        let mut before = Counts(0);
        let mut start = 0;
        while start < tile.words {
            let word = start + thread::thread_idx_x();
            let mut active = ActiveBits {
                edges: [0; 3],
                occupied: 0,
            };
            let mut word_counts = Counts(0);
            if word < tile.words {
                let (y, in_row) = tile.row_and_word(word);
                let corners = CornerBits::read(below, layout, in_row, y, tile.z);
                active = active_bits(&corners, layout, &tile, in_row, y);
                if has_exclusions {
                    let filter = SampleFilter { finite, unmasked };
                    let count = filter.exclude(layout, &mut active, in_row, y, tile.z);
                    if count > 0 {
                        counts.atomic_add(layout.counts_len() as usize - 2, count as u64);
                    }
                }
                word_counts = Counts::new(&active, &corners, layout.trilinear != 0);
            }
            let sum = block::exclusive_sum(word_counts.0);
            if word < tile.words {
                let offset = Counts(before.0 + sum.before);
                let [x, y, z] = active.edges;
                let at = first + word as usize;
                edges.write_vector(at * 4, [x, y, z, offset.vertices_in_halves()]);
                occupied.write(at, active.occupied);
                if word.is_multiple_of(PART_WORDS) && !parts.is_empty() {
                    let part = tile.part(layout, word / PART_WORDS);
                    parts.write(part, offset.triangles() as u16);
                }
            }
            before = Counts(before.0 + sum.total);
            start += thread::block_dim_x();
        }
        if thread::thread_idx_x() == 0 {
            counts.write(tile.in_plane_index as usize, before.in_plane());
            counts.write(tile.above_index as usize, before.above());
            counts.write(tile.triangles_index as usize, before.triangles());
            if layout.trilinear != 0 && before.ambiguous() > 0 {
                counts.write(tile.ambiguous_index(layout) as usize, before.ambiguous());
                let at = ambiguous_tiles.atomic_add(0, 1);
                ambiguous_tiles.write(1 + at as usize, tile.index(layout));
            }
        }
    });
}

/// Returns the edges of a word whose ends differ, and the cells whose corners differ.
#[inline(always)]
fn active_bits(
    corners: &CornerBits,
    layout: WordLayout,
    tile: &Tile,
    word: u32,
    y: u32,
) -> ActiveBits {
    let [own, along_y, along_z, _] = corners.rows;
    let right = layout.right_neighbour_mask(word);
    let cells_rise = y + 1 < layout.grid.ny && tile.z < layout.last;
    ActiveBits {
        edges: [
            (own[0] ^ own[1]) & right,
            own[0] ^ along_y[0],
            own[0] ^ along_z[0],
        ],
        occupied: if cells_rise {
            corners.mixed() & right
        } else {
            0
        },
    }
}

/// Four counts of a tile packed into one number: vertices in its plane, vertices above it,
/// triangles, and ambiguous cells. With 256 words per tile, the maxima are 16384, 8192, 40960 and
/// 8192.
#[derive(Clone, Copy)]
struct Counts(u64);

impl Counts {
    const BITS: u32 = 16;

    #[inline(always)]
    fn new(active: &ActiveBits, corners: &CornerBits, trilinear: bool) -> Self {
        let [x, y, z] = active.edges.map(|edges| edges.count_ones() as u64);
        let [triangles, ambiguous] =
            count_triangles(corners, active.occupied, trilinear).map(u64::from);
        Self(
            (x + y)
                | z << Self::BITS
                | triangles << (2 * Self::BITS)
                | ambiguous << (3 * Self::BITS),
        )
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
    fn ambiguous(self) -> u64 {
        self.field(3)
    }

    #[inline(always)]
    fn vertices_in_halves(self) -> u32 {
        (self.in_plane() | self.above() << 16) as u32
    }
}

/// Returns the number of triangles of a word's occupied cells, and the number of ambiguous cells.
///
/// A loop of n edges is triangulated into n - 2 triangles, so a cell has as many triangles as
/// active edges minus twice its loops. Edges are counted for 32 cells at a time; only ambiguous
/// cells are looked up in a table, which assumes that above corners are separated on every face. If
/// `trilinear`, the triangles of ambiguous cells are not counted.
#[inline(always)]
fn count_triangles(corners: &CornerBits, occupied: u32, trilinear: bool) -> [u32; 2] {
    if occupied == 0 {
        return [0; 2];
    }
    let ambiguous = corners.ambiguous(occupied);
    let counted = if trilinear {
        occupied & !ambiguous
    } else {
        occupied
    };
    let mut edges = 0;
    let edge_changes = corners.edge_changes();
    let mut axis = 0;
    while axis < 3 {
        let mut edge = 0;
        while edge < 4 {
            edges += (edge_changes[axis][edge] & counted).count_ones();
            edge += 1;
        }
        axis += 1;
    }
    let mut loops = counted.count_ones();
    let mut left = ambiguous & counted;
    while left != 0 {
        loops += FURTHER_LOOPS_BY_ROWS[corners.row_order_signs(left.trailing_zeros())] as u32;
        left &= left - 1;
    }
    [edges - 2 * loops, ambiguous.count_ones()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isosurface::{table::case_by_rows, topology::is_ambiguous_case};

    #[test]
    fn ambiguous_cells_are_those_whose_triangles_depend_on_values() {
        for rows in 0..256u32 {
            let pair = |row: u32| [rows >> (2 * row) & 1, rows >> (2 * row + 1) & 1];
            let corners = CornerBits {
                rows: [pair(0), pair(1), pair(2), pair(3)],
            };
            assert_eq!(corners.row_order_signs(0), rows as usize);
            let occupied = (rows != 0 && rows != 255) as u32;
            let ambiguous = corners.ambiguous(occupied) == 1;
            assert_eq!(
                ambiguous,
                is_ambiguous_case(case_by_rows(rows as usize) as u32),
                "{rows:#b}"
            );
        }
    }
}
