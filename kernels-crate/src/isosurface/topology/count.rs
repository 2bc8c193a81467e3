//! How many cells of which sort there are.

use super::{decide::Shape, loops::AMBIGUOUS, vertices::HEXAGON};
use cuda_std::ViewMut;

/// Cells by sort, of one thread or block: each less than 2¹⁶.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellCounts(u64);

impl CellCounts {
    /// Elements of the totals that [`add_to`](Self::add_to) adds to: cells with an ambiguous face,
    /// cells in which a tunnel was looked for, tunnels, inner vertices.
    pub const TOTALS: usize = 4;

    /// Of one cell: its case, its shape, and whether a tunnel was looked for.
    #[inline(always)]
    pub fn of(case: u32, shape: Shape, is_asked: bool) -> Self {
        let is_ambiguous = AMBIGUOUS[case as usize & 0xff] != 0;
        let (has_tube, inner) = (shape.has_tube(), shape.inner_vertices());
        let centroids = inner - has_tube as u32 * HEXAGON;
        Self(
            is_ambiguous as u64
                | (is_asked as u64) << 16
                | (has_tube as u64) << 32
                | (centroids as u64) << 48,
        )
    }

    /// Of two sets of cells.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// The four counts in one number, whose sums are those of the counts.
    #[inline(always)]
    pub fn packed(self) -> u64 {
        self.0
    }

    /// From [`packed`](Self::packed).
    #[inline(always)]
    pub fn from_packed(packed: u64) -> Self {
        Self(packed)
    }

    /// The inner vertices.
    #[inline(always)]
    pub fn inner_vertices(self) -> u64 {
        (self.0 >> 48) + HEXAGON as u64 * (self.0 >> 32 & 0xffff)
    }

    /// Adds the counts to the totals, atomically.
    #[inline(always)]
    pub fn add_to(self, totals: ViewMut<u64>) {
        if self.0 == 0 {
            return;
        }
        totals.atomic_add(0, self.0 & 0xffff);
        totals.atomic_add(1, self.0 >> 16 & 0xffff);
        totals.atomic_add(2, self.0 >> 32 & 0xffff);
        totals.atomic_add(3, self.inner_vertices());
    }
}
