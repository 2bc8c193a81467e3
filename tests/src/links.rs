//! Graphs of points and links between them, as other programs give them, as curves.

use ferrovox::{
    graph::{Edge, Node, NodeKind, Skeleton},
    grid::Geometry,
};
use nalgebra::Point3;
use std::collections::HashMap;

/// Curves through points with two links, between the others. A ring has one node, a point without
/// links is a node. Points are in voxels; links from a point to itself and those that are there
/// already are left out.
pub fn skeleton(points: &[Point3<f64>], links: &[[usize; 2]], geometry: Geometry) -> Skeleton {
    let mut others: Vec<Vec<usize>> = vec![Vec::new(); points.len()];
    for &[a, b] in links {
        if a != b && !others[a].contains(&b) {
            others[a].push(b);
            others[b].push(a);
        }
    }
    let mut made = Skeleton {
        geometry,
        ..Skeleton::default()
    };
    let mut node_of = vec![usize::MAX; points.len()];
    let mut used = vec![false; points.len()];
    for rings in [false, true] {
        for start in 0..points.len() {
            let is_inner = others[start].len() == 2;
            if is_inner != rings || used[start] {
                continue;
            }
            let node = node_at(&mut made, &mut node_of, points, start);
            used[start] = true;
            for &first in &others[start] {
                let mut way = vec![start, first];
                // a ring is gone around once, a link between two nodes taken from its lower end
                let (mut before, mut at) = (start, first);
                if used[at] && others[at].len() == 2 {
                    continue;
                }
                while at != start && others[at].len() == 2 {
                    used[at] = true;
                    let next = others[at].iter().copied().find(|&next| next != before);
                    (before, at) = (at, next.unwrap_or(start));
                    way.push(at);
                }
                if way.len() == 2 && at < start {
                    continue;
                }
                let end = node_at(&mut made, &mut node_of, points, at);
                made.edges.push(Edge {
                    nodes: [node, end],
                    points: way.iter().map(|&point| points[point]).collect(),
                    radii: vec![0.0; way.len()],
                    level: 0,
                });
            }
        }
    }
    made
}

fn node_at(
    made: &mut Skeleton,
    node_of: &mut [usize],
    points: &[Point3<f64>],
    point: usize,
) -> usize {
    if node_of[point] == usize::MAX {
        node_of[point] = made.nodes.len();
        made.nodes.push(Node {
            kind: NodeKind::Junction,
            position: points[point],
            eigenvalues: None,
            radius: 0.0,
            component: 0,
        });
    }
    node_of[point]
}

/// Links between voxels that touch, shorter ones first, but none between two that links join
/// already within two voxels along each axis: what touches there has a corner in common, so there
/// is nothing to go around.
pub fn of_voxels(voxels: &[[i64; 3]]) -> Vec<[usize; 2]> {
    let number: HashMap<[i64; 3], usize> = voxels.iter().copied().zip(0..).collect();
    let mut links: Vec<(i64, [usize; 2])> = Vec::new();
    for (index, voxel) in voxels.iter().enumerate() {
        for n in 14..27 {
            let step = [n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1];
            if let Some(&other) = number.get(&[0, 1, 2].map(|k| voxel[k] + step[k])) {
                links.push((step.iter().map(|s| s * s).sum(), [index, other]));
            }
        }
    }
    links.sort_unstable();
    let mut others: Vec<Vec<usize>> = vec![Vec::new(); voxels.len()];
    let mut kept = Vec::new();
    for (_, [a, b]) in links {
        let low = [0, 1, 2].map(|k| voxels[a][k].min(voxels[b][k]));
        let wide = [0, 1, 2].map(|k| (voxels[a][k] - voxels[b][k]).abs());
        // the corners that both have: where they are in one plane, on either side of it
        let joined = (0..8).filter(|n| (0..3).all(|k| wide[k] == 0 || n >> k & 1 == 0));
        let mut joined = joined.map(|n| [0, 1, 2].map(|k| low[k] - (n >> k & 1)));
        let is_joined = joined.any(|first| {
            let within =
                |voxel: usize| (0..3).all(|k| (0..2).contains(&(voxels[voxel][k] - first[k])));
            let mut seen = vec![a];
            let mut next = 0;
            while next < seen.len() {
                for &other in &others[seen[next]] {
                    if within(other) && !seen.contains(&other) {
                        seen.push(other);
                    }
                }
                next += 1;
            }
            seen.contains(&b)
        });
        if !is_joined {
            others[a].push(b);
            others[b].push(a);
            kept.push([a, b]);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(count: usize) -> Vec<Point3<f64>> {
        let at = |n: usize| Point3::new(n as f64, (n * n % 5) as f64, (n * n * n % 7) as f64);
        (0..count).map(at).collect()
    }

    fn counts(made: &Skeleton) -> (usize, usize, usize, usize) {
        made.validate().unwrap();
        let pieces = made.components().count;
        (made.nodes.len(), made.edges.len(), pieces, made.cycles())
    }

    #[test]
    fn chains_rings_and_points() {
        let of = |count: usize, links: &[[usize; 2]]| {
            counts(&skeleton(&points(count), links, Geometry::default()))
        };
        assert_eq!(of(1, &[]), (1, 0, 1, 0));
        assert_eq!(of(2, &[[1, 0], [0, 1], [1, 1]]), (2, 1, 1, 0));
        assert_eq!(of(4, &[[0, 1], [1, 2], [2, 3]]), (2, 1, 1, 0));
        assert_eq!(of(3, &[[0, 1], [1, 2], [2, 0]]), (1, 1, 1, 1));
        // a ring with a tail, and a point
        assert_eq!(
            of(6, &[[0, 1], [1, 2], [2, 0], [2, 3], [3, 4]]),
            (3, 2, 2, 1)
        );
        // a Y, and two rings at one point
        assert_eq!(of(4, &[[0, 3], [1, 3], [2, 3]]), (4, 3, 1, 0));
        let rings = [[0, 1], [1, 2], [2, 0], [0, 3], [3, 4], [4, 0]];
        assert_eq!(of(5, &rings), (1, 2, 1, 2));
    }

    #[test]
    fn voxels_that_touch_are_linked_once() {
        // a corner: the diagonal is not needed
        let corner = [[0, 0, 0], [1, 0, 0], [1, 1, 0]];
        assert_eq!(of_voxels(&corner), [[0, 1], [1, 2]]);
        assert_eq!(of_voxels(&[[0, 0, 0], [1, 1, 1]]).len(), 1);
        // four around a hole
        let hole = [[1, 0, 0], [0, 1, 0], [2, 1, 0], [1, 2, 0]];
        let links = of_voxels(&hole);
        assert_eq!(links.len(), 4);
        // a block of eight has a corner in common
        let block: Vec<[i64; 3]> = (0..8).map(|n| [n & 1, n >> 1 & 1, n >> 2]).collect();
        assert_eq!(of_voxels(&block).len(), 7);
    }
}
