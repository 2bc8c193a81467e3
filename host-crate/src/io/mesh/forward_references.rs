//! Triangles with vertices that have not been written yet.

use crate::mesh::{MeshError, VertexIndex};
use crate::parallel;
use std::ops::Range;

/// Candidates for the first triangle with an index out of range.
///
/// A triangle is a candidate if its largest index exceeds those of all triangles before it.
/// Candidates are dropped once their vertices exist, so the list is at most as long as the number
/// of triangles that wait for vertices.
#[derive(Debug, Default)]
pub(super) struct ForwardReferences {
    /// Number and vertex indices of each candidate, in the order of the triangles.
    candidates: Vec<(u64, [u64; 3])>,
}

impl ForwardReferences {
    /// Adds the candidates among `triangles`, the first of which has the number `first`, when
    /// `vertices` vertices exist.
    pub fn add<I: VertexIndex + Into<u64>>(
        &mut self,
        first: u64,
        triangles: &[[I; 3]],
        vertices: u64,
    ) {
        self.candidates
            .retain(|(_, corners)| largest(*corners) >= vertices);
        let max_in = |range: Range<usize>| triangles[range].as_flattened().iter().copied().max();
        let max = parallel::reduce(triangles.len(), 1 << 12, max_in, Option::max).flatten();
        if max.is_none_or(|max| max.into() < vertices) {
            return;
        }
        let last = self.candidates.last();
        let last = last.map(|(_, corners)| largest(*corners));
        let mut largest_so_far = last.max(vertices.checked_sub(1));
        for (corners, triangle) in triangles.iter().zip(first..) {
            let corners = corners.map(Into::into);
            if Some(largest(corners)) > largest_so_far {
                largest_so_far = Some(largest(corners));
                self.candidates.push((triangle, corners));
            }
        }
    }

    /// Fails with the first triangle that has an index of at least `vertices`.
    pub fn check(&self, vertices: u64) -> Result<(), MeshError> {
        for (triangle, corners) in &self.candidates {
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
    fn first_index_out_of_range_is_found_with_a_short_list() {
        let mut references = ForwardReferences::default();
        references.add(0, &[[0_u32, 1, 2], [5, 1, 0], [4, 5, 1], [9, 2, 7]], 3);
        assert_eq!(references.candidates, [(1, [5, 1, 0]), (3, [9, 2, 7])]);
        assert_eq!(
            references.check(5).unwrap_err(),
            MeshError::IndexOutOfRange {
                triangle: 1,
                index: 5,
                vertices: 5
            }
        );
        references.add(4, &[[8_u64, 8, 8], [10, 11, 3]], 8);
        assert_eq!(references.candidates, [(3, [9, 2, 7]), (5, [10, 11, 3])]);
        assert_eq!(
            references.check(10).unwrap_err(),
            MeshError::IndexOutOfRange {
                triangle: 5,
                index: 10,
                vertices: 10
            }
        );
        assert_eq!(references.check(12), Ok(()));
        references.add(6, &[[11_u64, 0, 0]], 12);
        assert_eq!(references.candidates, []);
        let mut references = ForwardReferences::default();
        references.add(0, &[[u64::MAX, 0, 0], [u64::MAX; 3]], 0);
        assert_eq!(references.candidates.len(), 1);
        references.add(2, &[[u64::MAX; 3]], 0);
        assert_eq!(references.candidates.len(), 1);
        assert!(references.check(u64::MAX).is_err());
    }
}
