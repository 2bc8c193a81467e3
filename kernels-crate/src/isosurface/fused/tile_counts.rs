//! Counts of vertices, triangles and ambiguous cells of a tile.

use super::{
    super::table::FURTHER_LOOPS_BY_ROWS, active_bits::ActiveBits, corner_bits::CornerBits,
};

/// Four counts of a tile packed into one number: vertices in its plane, vertices above it,
/// triangles, and ambiguous cells. With 256 words per tile, the maxima are 16384, 8192, 40960 and
/// 8192.
#[derive(Clone, Copy)]
pub(super) struct TileCounts(pub u64);

impl TileCounts {
    const BITS: u32 = 16;

    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn new(active: &ActiveBits, corners: &CornerBits, trilinear: bool) -> Self {
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
    pub fn in_plane(self) -> u64 {
        self.field(0)
    }

    #[inline(always)]
    pub fn above(self) -> u64 {
        self.field(1)
    }

    #[inline(always)]
    pub fn triangles(self) -> u64 {
        self.field(2)
    }

    #[inline(always)]
    pub fn ambiguous(self) -> u64 {
        self.field(3)
    }

    #[inline(always)]
    pub fn vertices_in_halves(self) -> u32 {
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
