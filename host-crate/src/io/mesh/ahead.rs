//! Indices of vertices that are still to come.

use crate::mesh::{MeshError, VertexIndex};
use crate::parallel;
use std::ops::Range;

/// The triangles that could turn out to be the first with an index out of range: each has a larger
/// index than all before it. Those whose vertices have come are forgotten, so there are at most as
/// many as triangles wait for vertices.
#[derive(Debug, Default)]
pub(super) struct Ahead(Vec<(u64, [u64; 3])>);

impl Ahead {
    /// Takes note of triangles, the first of which has the number `first`. So far there are
    /// `vertices` vertices.
    pub fn note<I: VertexIndex + Into<u64>>(
        &mut self,
        first: u64,
        triangles: &[[I; 3]],
        vertices: u64,
    ) {
        self.0.retain(|(_, corners)| largest(*corners) >= vertices);
        let of_range = |range: Range<usize>| triangles[range].as_flattened().iter().copied().max();
        let most = parallel::reduce(triangles.len(), 1 << 12, of_range, Option::max).flatten();
        if most.is_none_or(|most| most.into() < vertices) {
            return;
        }
        let last = self.0.last().map(|(_, corners)| largest(*corners));
        let mut largest_so_far = last.max(vertices.checked_sub(1));
        for (corners, triangle) in triangles.iter().zip(first..) {
            let corners = corners.map(Into::into);
            if Some(largest(corners)) > largest_so_far {
                largest_so_far = Some(largest(corners));
                self.0.push((triangle, corners));
            }
        }
    }

    /// Finds the first triangle that names a vertex beyond `vertices`.
    pub fn check(&self, vertices: u64) -> Result<(), MeshError> {
        for (triangle, corners) in &self.0 {
            if let Some(&index) = corners.iter().find(|&&corner| corner >= vertices) {
                return Err(MeshError::IndexOutOfRange {
                    triangle: *triangle as usize,
                    index,
                    vertices: vertices as usize,
                });
            }
        }
        Ok(())
    }
}

fn largest(corners: [u64; 3]) -> u64 {
    corners[0].max(corners[1]).max(corners[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_defect_is_found_and_the_list_stays_short() {
        let mut ahead = Ahead::default();
        ahead.note(0, &[[0_u32, 1, 2], [5, 1, 0], [4, 5, 1], [9, 2, 7]], 3);
        assert_eq!(ahead.0, [(1, [5, 1, 0]), (3, [9, 2, 7])]);
        assert_eq!(
            ahead.check(5).unwrap_err(),
            MeshError::IndexOutOfRange {
                triangle: 1,
                index: 5,
                vertices: 5
            }
        );
        ahead.note(4, &[[8_u64, 8, 8], [10, 11, 3]], 8);
        assert_eq!(ahead.0, [(3, [9, 2, 7]), (5, [10, 11, 3])]);
        assert_eq!(
            ahead.check(10).unwrap_err(),
            MeshError::IndexOutOfRange {
                triangle: 5,
                index: 10,
                vertices: 10
            }
        );
        assert_eq!(ahead.check(12), Ok(()));
        ahead.note(6, &[[11_u64, 0, 0]], 12);
        assert_eq!(ahead.0, []);
        let mut ahead = Ahead::default();
        ahead.note(0, &[[u64::MAX, 0, 0], [u64::MAX; 3]], 0);
        assert_eq!(ahead.0.len(), 1);
        ahead.note(2, &[[u64::MAX; 3]], 0);
        assert_eq!(ahead.0.len(), 1);
        assert!(ahead.check(u64::MAX).is_err());
    }
}
