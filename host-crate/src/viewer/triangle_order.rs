//! Order of triangles for small indices: fans around vertices that were used recently.
//!
//! The walk is that of Sander, Nehab and Barczak (2007), "Fast Triangle Reordering for Vertex
//! Locality and Reduced Overdraw", without its model of a cache: the next fan is around the vertex
//! that was used last and still has triangles.

use crate::memory::{
    CollectOrUnwind, ExtendOrUnwind, copy_or_unwind, filled_or_unwind, with_capacity_or_unwind,
    zeroed_or_unwind,
};

/// Reorders triangles into fans. The first corner of a triangle is the vertex of its fan; the
/// orientation is kept. Linear in the number of triangles and vertices.
pub(super) fn order_in_fans(triangles: &[[u32; 3]], vertices: usize) -> Vec<[u32; 3]> {
    let incident = IncidentTriangles::new(triangles, vertices);
    let counts = incident.starts.windows(2).map(|ends| ends[1] - ends[0]);
    let mut remaining: Vec<u32> = counts.collect_or_unwind();
    let mut is_listed = filled_or_unwind(false, triangles.len());
    let mut ordered = with_capacity_or_unwind(triangles.len());
    let mut recent: Vec<u32> = Vec::new();
    for first in 0..vertices as u32 {
        recent.push_or_unwind(first);
        while let Some(center) = recent.pop() {
            if remaining[center as usize] == 0 {
                continue;
            }
            for &triangle in incident.triangles_at(center) {
                if std::mem::replace(&mut is_listed[triangle as usize], true) {
                    continue;
                }
                let corners = rotated(triangles[triangle as usize], center);
                for corner in corners {
                    remaining[corner as usize] -= 1;
                }
                recent.extend_or_unwind(corners[1..].iter().copied());
                ordered.push(corners);
            }
        }
    }
    ordered
}

/// Rotates a triangle so that it begins with one of its vertices.
fn rotated([a, b, c]: [u32; 3], first: u32) -> [u32; 3] {
    if a == first {
        [a, b, c]
    } else if b == first {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

/// Triangles at each vertex, in compressed rows.
struct IncidentTriangles {
    /// Start of each vertex's triangles, and the end of the last ones.
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl IncidentTriangles {
    fn new(triangles: &[[u32; 3]], vertices: usize) -> Self {
        let mut starts = zeroed_or_unwind::<u32>(vertices + 1);
        for &corner in triangles.as_flattened() {
            starts[corner as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            starts[vertex + 1] += starts[vertex];
        }
        let mut next = copy_or_unwind(&starts);
        let mut incident = zeroed_or_unwind::<u32>(3 * triangles.len());
        for (triangle, corners) in triangles.iter().enumerate() {
            for &corner in corners {
                incident[next[corner as usize] as usize] = triangle as u32;
                next[corner as usize] += 1;
            }
        }
        Self {
            starts,
            triangles: incident,
        }
    }

    fn triangles_at(&self, vertex: u32) -> &[u32] {
        let [start, end] = [0, 1].map(|side| self.starts[vertex as usize + side] as usize);
        &self.triangles[start..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fans_keep_all_triangles_and_their_orientation() {
        let triangles = [[0, 1, 2], [2, 1, 3], [5, 4, 3], [1, 1, 0]];
        let mut ordered = order_in_fans(&triangles, 7);
        let least_first = |[a, b, c]: [u32; 3]| [[a, b, c], [b, c, a], [c, a, b]].into_iter().min();
        ordered.sort_by_key(|&corners| least_first(corners));
        let ordered: Vec<_> = ordered.into_iter().filter_map(least_first).collect();
        let mut expected: Vec<_> = triangles.into_iter().filter_map(least_first).collect();
        expected.sort_unstable();
        assert_eq!(ordered, expected);
    }
}
