//! Layout of the surface net: the cells between the voxels of a grid, packed into words of 32 cells
//! along x, and the numbers of their vertices.

use super::{cell::next_axis, sheets::NODE_WORDS};
use crate::{arith::div_rem, grid::Grid, isosurface::interpolate::IndexToWorld, sample::Count};
use cuda_std::View;

/// Number of bit masks per word of 32 cells: cells with a vertex; the cells with a quad across
/// their edge along x, along y, and along z; and cells with ambiguous boundaries.
pub const MASKS_PER_WORD: usize = 5;

/// Index of the mask of ambiguous cells.
pub(super) const AMBIGUOUS: usize = 4;

/// The cells between the voxels of a grid, one more than voxels along each axis.
///
/// The corners of cell (x, y, z) are the voxels from (x - 1, y - 1, z - 1) to (x, y, z). A cell has
/// the quads across its three edges that end at its highest corner, voxel (x, y, z).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Net {
    /// Grid of voxels.
    pub grid: Grid,
    /// Number of words per row of cells.
    pub per_row: u32,
    /// Rule for voxels of one label that touch in an edge only, between background:
    /// [`JOIN_CONTACTS`](super::cell::JOIN_CONTACTS), or 1 to separate them.
    pub contacts: u32,
    /// Index in the whole volume of the first plane of voxels of the grid, if it is a slab.
    pub first_plane: u32,
}

/// Position of a word of cells.
#[derive(Clone, Copy)]
pub(super) struct Word {
    /// The first cell of the word.
    pub x: u32,
    /// The row of cells.
    pub y: u32,
    /// The plane of cells.
    pub z: u32,
}

impl Net {
    /// Creates the net of a grid with at least one voxel and fewer than 2³² - 1 voxels along each
    /// axis.
    #[inline(always)]
    pub const fn new(grid: Grid, contacts: u32) -> Self {
        Self {
            grid,
            per_row: grid.nx / 32 + 1,
            contacts,
            first_plane: 0,
        }
    }

    /// Returns the net of a slab of a volume, whose first plane of voxels has index `first_plane`.
    #[inline(always)]
    pub const fn with_first_plane(self, first_plane: u32) -> Self {
        Self {
            first_plane,
            ..self
        }
    }

    /// Returns the number of words per plane of cells.
    #[inline(always)]
    pub const fn words_per_plane(self) -> u64 {
        self.per_row as u64 * (self.grid.ny as u64 + 1)
    }

    /// Returns the number of words.
    #[inline(always)]
    pub const fn words(self) -> u64 {
        self.words_per_plane() * (self.grid.nz as u64 + 1)
    }

    /// Returns the position of word `index`.
    #[inline(always)]
    pub(super) const fn word(self, index: u64) -> Word {
        let (row, in_row) = div_rem(index, self.per_row as u64);
        let (z, y) = div_rem(row, self.grid.ny as u64 + 1);
        Word {
            x: in_row as u32 * 32,
            y: y as u32,
            z: z as u32,
        }
    }

    /// Returns the index of a cell: 32 times the index of its word, plus its bit.
    #[inline(always)]
    pub(super) const fn cell_index(self, [x, y, z]: [u32; 3]) -> u64 {
        let row = z as u64 * (self.grid.ny as u64 + 1) + y as u64;
        (row * self.per_row as u64 + (x / 32) as u64) * 32 + (x % 32) as u64
    }

    /// Returns the cell with an index.
    #[inline(always)]
    pub(super) const fn cell(self, index: u64) -> [u32; 3] {
        let word = self.word(index / 32);
        [word.x + (index % 32) as u32, word.y, word.z]
    }

    /// Returns the world position of a position relative to the lowest corner of a cell.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub(super) fn world_position(
        self,
        cell: [u32; 3],
        within: [f64; 3],
        to_world: IndexToWorld,
    ) -> [f32; 3] {
        // exact, so that it does not depend on the slab
        let corner = |axis: usize| (cell[axis] as f64 - 1.0) + self.axis_origin(axis);
        to_world.position([
            corner(0) + within[0],
            corner(1) + within[1],
            corner(2) + within[2],
        ])
    }

    #[inline(always)]
    const fn axis_origin(self, axis: usize) -> f64 {
        if axis == 2 {
            self.first_plane as f64
        } else {
            0.0
        }
    }

    /// Returns the four rows of voxels around a row of cells.
    #[inline(always)]
    pub(super) const fn voxel_rows(self, y: u32, z: u32) -> VoxelRows {
        VoxelRows {
            grid: self.grid,
            y,
            z,
        }
    }

    /// Returns the labels at the corners of a cell.
    #[inline(always)]
    pub(super) fn corner_labels<T: Count>(self, labels: View<T>, [x, y, z]: [u32; 3]) -> [u32; 8] {
        let rows = self.voxel_rows(y, z);
        let [a, c, e, g] = rows.labels_before(labels, x);
        let [b, d, f, h] = rows.labels_before(labels, x + 1);
        [a, b, c, d, e, f, g, h]
    }

    /// Returns the label of a voxel, 0 outside of the volume. Indices below 0 wrap around to large
    /// numbers, which are outside.
    #[inline(always)]
    pub(super) fn label<T: Count>(self, labels: View<T>, [x, y, z]: [u32; 3]) -> u32 {
        let grid = self.grid;
        if x < grid.nx && y < grid.ny && z < grid.nz {
            labels.read(grid.sample(x, y, z)).widen() as u32
        } else {
            0
        }
    }
}

/// Returns a mask of the bits below a lane's.
#[inline(always)]
pub(super) const fn lower_bits(lane: u32) -> u32 {
    (1 << lane) - 1
}

/// Moves a voxel or cell index by `steps`, modulo 2³², along an axis.
#[inline(always)]
pub(super) const fn moved([x, y, z]: [u32; 3], axis: u32, steps: u32) -> [u32; 3] {
    match axis {
        0 => [x.wrapping_add(steps), y, z],
        1 => [x, y.wrapping_add(steps), z],
        _ => [x, y, z.wrapping_add(steps)],
    }
}

/// Returns the cell of quad corner `corner` (0 to 3), in the order around the edge along `axis`
/// that ends at the highest corner of `cell`, counter-clockwise as seen from its upper end.
#[inline(always)]
pub(super) const fn quad_cell(cell: [u32; 3], axis: u32, corner: u32) -> [u32; 3] {
    let first = next_axis(axis);
    let [i, j] = corner_offset(corner);
    moved(moved(cell, first, i), next_axis(first), j)
}

/// Returns the offsets of quad corner `corner` (0 to 3) along the two axes after the quad's.
#[inline(always)]
pub(super) const fn corner_offset(corner: u32) -> [u32; 2] {
    [(corner ^ corner >> 1) & 1, corner >> 1 & 1]
}

/// Returns the number that a quad's edge has in the cell of quad corner `corner`.
#[inline(always)]
pub(super) const fn quad_edge(axis: u32, corner: u32) -> u32 {
    let [i, j] = corner_offset(corner);
    4 * axis + (1 - i) + 2 * (1 - j)
}

/// Returns the face that leads from the cell of quad corner `corner` to that of the next corner.
#[inline(always)]
pub(super) const fn side_face(axis: u32, corner: u32) -> u32 {
    let first = next_axis(axis);
    let across = if corner & 1 == 0 {
        first
    } else {
        next_axis(first)
    };
    2 * across + (corner < 2) as u32
}

/// The four rows of voxels around a row of cells.
#[derive(Clone, Copy)]
pub(super) struct VoxelRows {
    grid: Grid,
    y: u32,
    z: u32,
}

impl VoxelRows {
    /// Returns the labels of voxel `x - 1` in each of the four rows, 0 outside of the volume. The
    /// rows are (y - 1, z - 1), (y, z - 1), (y - 1, z) and (y, z).
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn labels_before<T: Count>(self, labels: View<T>, x: u32) -> [u32; 4] {
        if x == 0 || x > self.grid.nx {
            return [0; 4];
        }
        let Grid { nx, ny, nz } = self.grid;
        let (has_low_y, has_high_y) = (self.y > 0, self.y < ny);
        let (has_low_z, has_high_z) = (self.z > 0, self.z < nz);
        let plane = nx as u64 * ny as u64;
        // index of voxel (x - 1, y, z), from which the others are at negative offsets; voxels that
        // do not exist are not read
        let index = self.z as u64 * plane + self.y as u64 * nx as u64 + (x - 1) as u64;
        let read = |exists: bool, back: u64| {
            if exists {
                labels.read((index - back) as usize).widen() as u32
            } else {
                0
            }
        };
        [
            read(has_low_y && has_low_z, nx as u64 + plane),
            read(has_high_y && has_low_z, plane),
            read(has_low_y && has_high_z, nx as u64),
            read(has_high_y && has_high_z, 0),
        ]
    }
}

/// The ambiguous cells of a net.
#[derive(Clone, Copy)]
pub(super) struct AmbiguousCells<'a> {
    /// The net.
    pub net: Net,
    /// Bit masks of each word; see [`MASKS_PER_WORD`].
    pub masks: View<'a, u32>,
    /// Number of ambiguous cells before each word.
    pub offsets: View<'a, u64>,
    /// Vertex numbers of the nodes of each ambiguous cell.
    pub nodes: View<'a, u32>,
}

impl AmbiguousCells<'_> {
    /// Returns the number of ambiguous cells before a cell, and `true` if the cell is ambiguous.
    #[inline(always)]
    pub fn rank(self, cell: [u32; 3]) -> (usize, bool) {
        let index = self.net.cell_index(cell);
        let (word, lane) = ((index / 32) as usize, (index % 32) as u32);
        let mask = self.masks.read(word * MASKS_PER_WORD + AMBIGUOUS);
        let before = (mask & lower_bits(lane)).count_ones() as u64;
        (
            (self.offsets.read(word) + before) as usize,
            mask >> lane & 1 == 1,
        )
    }

    /// Returns the number within the cell of the vertex of a node of ambiguous cell `rank`.
    #[inline(always)]
    pub fn node_vertex(self, rank: usize, node: u32) -> u32 {
        let word = self.nodes.read(rank * NODE_WORDS + (node >> 3) as usize);
        word >> (4 * (node & 7)) & 15
    }

    /// Returns the numbers within the cell of the vertices at the lower and the upper end of an
    /// edge.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn edge_vertices(self, cell: [u32; 3], edge: u32) -> [u32; 2] {
        match self.rank(cell) {
            (_, false) => [0; 2],
            (rank, true) => [0, 1].map(|side| self.node_vertex(rank, 2 * edge + side)),
        }
    }
}

/// The vertices of a net.
#[derive(Clone, Copy)]
pub(super) struct NetVertices<'a> {
    /// The ambiguous cells.
    pub ambiguous: AmbiguousCells<'a>,
    /// Number of cells with a vertex before each word.
    pub cell_offsets: View<'a, u64>,
    /// Number of vertices beyond the first of their cell, before each ambiguous cell.
    pub extra_offsets: View<'a, u64>,
}

impl NetVertices<'_> {
    /// Returns the index of the first vertex of a cell that has one.
    #[inline(always)]
    pub fn first(self, cell: [u32; 3]) -> u64 {
        let index = self.ambiguous.net.cell_index(cell);
        let (word, lane) = ((index / 32) as usize, (index % 32) as u32);
        let before = self.ambiguous.masks.read(word * MASKS_PER_WORD) & lower_bits(lane);
        let (rank, _) = self.ambiguous.rank(cell);
        self.cell_offsets.read(word) + before.count_ones() as u64 + self.extra_offsets.read(rank)
    }
}
