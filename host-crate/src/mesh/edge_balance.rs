//! Test for open meshes in one pass over the triangles, without memory.

use super::{Triangles, VertexIndex};
use crate::parallel::{self, CHUNK_LEN};
use std::ops::Range;

/// Sum over the directed edges of triangles: each contributes a hash of its ends, with opposite
/// signs for opposite directions.
///
/// It is zero if every edge is used equally often in both directions, as in a closed and oriented
/// mesh, and for any other mesh with a probability of 2⁻⁶⁴. The balances of parts of a mesh add up
/// to that of the mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeBalance(u64);

impl EdgeBalance {
    /// Sums the edges of triangles. Time is linear in their number, about 10 ns per triangle on one
    /// core.
    pub fn from_triangles(triangles: &Triangles) -> Self {
        let sum = |range| Self::from_range(triangles, range);
        parallel::reduce(triangles.len(), CHUNK_LEN, sum, Self::plus).unwrap_or_default()
    }

    /// Sums the edges of triangles on other threads while the calling thread calls `work`, and
    /// returns its result, too.
    pub(crate) fn from_triangles_during<R>(
        triangles: &Triangles,
        work: impl FnOnce() -> R,
    ) -> (Self, R) {
        let sum = |range| Self::from_range(triangles, range);
        let count = triangles.len();
        let (sum, result) = parallel::reduce_in_background(count, CHUNK_LEN, sum, Self::plus, work);
        (sum.unwrap_or_default(), result)
    }

    fn from_range(triangles: &Triangles, range: Range<usize>) -> Self {
        match triangles {
            Triangles::U32(triangles) => sum_edges(&triangles[range]),
            Triangles::U64(triangles) => sum_edges(&triangles[range]),
        }
    }

    /// Adds the balance of other triangles.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// Returns `true` if the edges cancel: the mesh is closed and oriented.
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }
}

fn sum_edges<I: VertexIndex + Into<u64>>(triangles: &[[I; 3]]) -> EdgeBalance {
    let sum = triangles.iter().fold(0_u64, |sum, triangle| {
        let [a, b, c] = triangle.map(Into::into);
        let edges = signed_hash(a, b).wrapping_add(signed_hash(b, c));
        sum.wrapping_add(edges).wrapping_add(signed_hash(c, a))
    });
    EdgeBalance(sum)
}

/// Returns a hash of an edge, negated for the opposite direction; 0 if the ends are equal. Without
/// branches, which would be mispredicted half of the time.
fn signed_hash(from: u64, to: u64) -> u64 {
    let ends = from
        .min(to)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(from.max(to))
        .wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (ends ^ ends >> 32).wrapping_mul(0x94d0_49bb_1331_11eb);
    let hash = (mixed ^ mixed >> 29) & u64::from(from != to).wrapping_neg();
    let sign = u64::from(from > to).wrapping_neg();
    (hash ^ sign).wrapping_sub(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    fn is_balanced(triangles: &[[u32; 3]]) -> bool {
        EdgeBalance::from_triangles(&Triangles::U32(triangles.to_vec())).is_zero()
    }

    #[test]
    fn closed_and_oriented_meshes_are_balanced() {
        assert!(is_balanced(&[]));
        assert!(is_balanced(&TETRAHEDRON));
        let wide = TETRAHEDRON.map(|triangle| triangle.map(|index| u64::from(index) << 40));
        assert!(EdgeBalance::from_triangles(&Triangles::U64(wide.to_vec())).is_zero());
        // a repeated index has no edge of its own
        assert!(is_balanced(&[[0, 0, 1]]));
    }

    #[test]
    fn open_and_inconsistent_meshes_are_not_balanced() {
        for missing in 0..4 {
            let mut open = TETRAHEDRON.to_vec();
            open.remove(missing);
            assert!(!is_balanced(&open));
            let mut inconsistent = TETRAHEDRON;
            inconsistent[missing].swap(0, 1);
            assert!(!is_balanced(&inconsistent));
        }
    }

    #[test]
    fn balances_of_parts_add_up() {
        let part = |triangles: &[[u32; 3]]| {
            EdgeBalance::from_triangles(&Triangles::U32(triangles.to_vec()))
        };
        let (first, second) = (part(&TETRAHEDRON[..1]), part(&TETRAHEDRON[1..]));
        assert!(!first.is_zero() && first.plus(second).is_zero());
    }
}
