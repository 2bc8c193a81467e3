//! Statistics of ambiguous cells.

use super::{loops::AMBIGUOUS_FACES, subcase::Subcase, vertices::HEXAGON_VERTICES};
use cuda_std::ViewMut;

/// Counts of cells by kind, accumulated by one thread or block; each count is less than 2¹⁶.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellCounts(u64);

impl CellCounts {
    /// Number of totals that [`add_to`](Self::add_to) adds to: cells with an ambiguous face, cells
    /// tested for a tunnel, tunnels, inner vertices.
    pub const TOTALS: usize = 4;

    /// Counts one cell, by its case, its subcase, and whether it was tested for a tunnel.
    #[inline(always)]
    pub fn from_cell(case: u32, subcase: Subcase, tunnel_tested: bool) -> Self {
        let is_ambiguous = AMBIGUOUS_FACES[case as usize & 0xff] != 0;
        let (has_tube, inner) = (subcase.has_tube(), subcase.inner_vertices());
        let centroids = inner - has_tube as u32 * HEXAGON_VERTICES;
        Self(
            is_ambiguous as u64
                | (tunnel_tested as u64) << 16
                | (has_tube as u64) << 32
                | (centroids as u64) << 48,
        )
    }

    /// Returns the sums of two sets of counts.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// Returns the four counts packed into one number; sums of packed numbers are packed sums.
    #[inline(always)]
    pub fn packed(self) -> u64 {
        self.0
    }

    /// Restores counts from [`packed`](Self::packed).
    #[inline(always)]
    pub fn from_packed(packed: u64) -> Self {
        Self(packed)
    }

    /// Returns the number of inner vertices.
    #[inline(always)]
    pub fn inner_vertices(self) -> u64 {
        (self.0 >> 48) + HEXAGON_VERTICES as u64 * (self.0 >> 32 & 0xffff)
    }

    /// Adds the counts to the totals atomically.
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
