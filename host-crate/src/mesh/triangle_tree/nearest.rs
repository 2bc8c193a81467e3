//! The point of a set of triangles that is nearest to another point.

use super::{Corners, MAX_DEPTH, Node, TriangleTree};
use nalgebra::Point3;

/// A point of a triangle, nearest to another point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPoint {
    /// Distance to the point.
    pub distance: f64,
    /// The nearest point.
    pub position: Point3<f64>,
    /// Index of its triangle in the list that the tree was built from.
    pub triangle: usize,
}

impl TriangleTree {
    /// Returns the nearest point of all triangles; `None` without triangles.
    pub fn nearest(&self, point: Point3<f64>) -> Option<NearestPoint> {
        self.nearest_within(point, f64::INFINITY)
    }

    /// Returns the nearest point of all triangles, if it is at most `distance` away. A small
    /// distance makes the search faster.
    pub fn nearest_within(&self, point: Point3<f64>, distance: f64) -> Option<NearestPoint> {
        let mut nearest: Option<(Point3<f64>, usize)> = None;
        // slightly more, so that rounding does not exclude a point at this distance
        let mut least = distance * distance * (1.0 + 1e-12);
        let mut stack = [(0, 0.0); MAX_DEPTH];
        let mut depth = usize::from(!self.nodes.is_empty());
        if let Some(root) = self.nodes.first() {
            stack[0] = (0, root.squared_distance(point));
        }
        while depth > 0 {
            depth -= 1;
            let (index, bound) = stack[depth];
            if bound > least {
                continue;
            }
            let node = &self.nodes[index];
            if node.second_child == 0 {
                for triangle in node.first as usize..node.end as usize {
                    let candidate = nearest_of_triangle(point, &self.triangles[triangle]);
                    let squared = (candidate - point).norm_squared();
                    if squared < least || squared == least && nearest.is_none() {
                        least = squared;
                        nearest = Some((candidate, triangle));
                    }
                }
                continue;
            }
            let children = [index + 1, node.second_child as usize];
            let bounds = children.map(|child| self.nodes[child].squared_distance(point));
            let nearer = usize::from(bounds[1] < bounds[0]);
            // the nearer child is visited first
            for child in [1 - nearer, nearer] {
                stack[depth] = (children[child], bounds[child]);
                depth += 1;
            }
        }
        nearest.map(|(position, triangle)| NearestPoint {
            distance: (position - point).norm(),
            position,
            triangle: self.indices[triangle] as usize,
        })
    }
}

impl Node {
    /// Returns the squared distance of a point to the box.
    fn squared_distance(&self, point: Point3<f64>) -> f64 {
        let outside = (self.low - point).sup(&(point - self.high));
        outside.map(|x| x.max(0.0)).norm_squared()
    }
}

/// Returns the point of a triangle nearest to `p`, by the regions of its plane (Ericson, *Real-Time
/// Collision Detection*, 2005, section 5.1.5).
fn nearest_of_triangle(p: Point3<f64>, &[a, b, c]: &Corners) -> Point3<f64> {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    a + ab * (vb / sum) + ac * (vc / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns pseudo-random numbers from -1 to 1.
    fn numbers(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1u32 << 30) - 1.0
        }
    }

    /// Samples of a triangle are never nearer than the nearest point, and a fine grid of samples
    /// is nearly as near.
    #[test]
    fn no_sample_of_a_triangle_is_nearer() {
        let mut next = numbers(7);
        let mut point = || Point3::new(next(), next(), next());
        for round in 0..300 {
            let mut corners = [point(), point(), point()];
            match round % 4 {
                1 => corners[2] = corners[1],
                2 => corners = [corners[0]; 3],
                _ => {}
            }
            let p = point() * 2.0;
            let found = (nearest_of_triangle(p, &corners) - p).norm();
            let [a, b, c] = corners;
            let mut least = f64::MAX;
            for i in 0..=60 {
                for j in 0..=60 - i {
                    let (u, v) = (f64::from(i) / 60.0, f64::from(j) / 60.0);
                    least = least.min((a + (b - a) * u + (c - a) * v - p).norm());
                }
            }
            assert!(found <= least + 1e-12, "{found} {least}");
            assert!(found >= least - 0.06, "{found} {least}");
        }
    }

    #[test]
    fn tree_finds_the_nearest_of_all_triangles() {
        for count in [0, 1, 4, 5, 97, 1000] {
            let mut next = numbers(count);
            let mut point = || Point3::new(next(), next(), next());
            let small = |at: Point3<f64>, by: Point3<f64>| at + by.coords * 0.1;
            let triangles: Vec<Corners> = (0..count)
                .map(|_| {
                    let at = point();
                    [at, small(at, point()), small(at, point())]
                })
                .collect();
            let tree = TriangleTree::new(triangles.clone()).unwrap();
            assert_eq!(tree.len(), triangles.len());
            for _ in 0..50 {
                let p = point() * 1.5;
                let distance = |it: &Corners| (nearest_of_triangle(p, it) - p).norm();
                let expected = triangles.iter().map(distance).reduce(f64::min);
                let found = tree.nearest(p);
                assert_eq!(found.map(|it| it.distance), expected);
                if let Some(found) = found {
                    assert_eq!(distance(&triangles[found.triangle]), found.distance);
                    let within = tree.nearest_within(p, found.distance);
                    assert_eq!(within.map(|it| it.distance), expected);
                    assert_eq!(tree.nearest_within(p, found.distance * 0.99), None);
                }
            }
        }
    }
}
