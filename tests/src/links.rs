//! Conversion of graphs of points and links, as produced by other programs, to skeletons.

use ferrovox::{
    graph::{Edge, Node, NodeKind, Skeleton},
    grid::Geometry,
};
use nalgebra::Point3;
use std::collections::HashMap;

/// Creates a skeleton whose curves pass through the points with two links and end at the others. A
/// ring has one node; a point without links is a node. Points are in voxel coordinates; self-links
/// and duplicate links are ignored.
pub fn skeleton_from_links(
    points: &[Point3<f64>],
    links: &[[usize; 2]],
    geometry: Geometry,
) -> Skeleton {
    let mut links_by_voxel: Vec<Vec<usize>> = vec![Vec::new(); points.len()];
    for &[a, b] in links {
        if a != b && !links_by_voxel[a].contains(&b) {
            links_by_voxel[a].push(b);
            links_by_voxel[b].push(a);
        }
    }
    let mut skeleton = Skeleton {
        geometry,
        ..Skeleton::default()
    };
    let mut node_of = vec![usize::MAX; points.len()];
    let mut used = vec![false; points.len()];
    for rings in [false, true] {
        for start in 0..points.len() {
            let is_inner = links_by_voxel[start].len() == 2;
            if is_inner != rings || used[start] {
                continue;
            }
            let node = node_at(&mut skeleton, &mut node_of, points, start);
            used[start] = true;
            for &first in &links_by_voxel[start] {
                let mut path = vec![start, first];
                // a ring is traversed once; a link between two nodes is taken from its lower end
                let (mut before, mut at) = (start, first);
                if used[at] && links_by_voxel[at].len() == 2 {
                    continue;
                }
                while at != start && links_by_voxel[at].len() == 2 {
                    used[at] = true;
                    let next = links_by_voxel[at]
                        .iter()
                        .copied()
                        .find(|&next| next != before);
                    (before, at) = (at, next.unwrap_or(start));
                    path.push(at);
                }
                if path.len() == 2 && at < start {
                    continue;
                }
                let end = node_at(&mut skeleton, &mut node_of, points, at);
                skeleton.edges.push(Edge {
                    nodes: [node, end],
                    points: path.iter().map(|&point| points[point]).collect(),
                    radii: vec![0.0; path.len()],
                    section_areas: Vec::new(),
                    level: 0,
                });
            }
        }
    }
    skeleton
}

fn node_at(
    skeleton: &mut Skeleton,
    node_of: &mut [usize],
    points: &[Point3<f64>],
    point: usize,
) -> usize {
    if node_of[point] == usize::MAX {
        node_of[point] = skeleton.nodes.len();
        skeleton.nodes.push(Node {
            kind: NodeKind::Junction,
            position: points[point],
            eigenvalues: None,
            radius: 0.0,
            component: 0,
        });
    }
    node_of[point]
}

/// Returns links between 26-adjacent voxels, shorter ones first, except between voxels that are
/// already connected by links within two voxels along each axis: such voxels share a corner, so
/// there is no hole between them.
pub fn voxel_links(voxels: &[[i64; 3]]) -> Vec<[usize; 2]> {
    let number: HashMap<[i64; 3], usize> = voxels.iter().copied().zip(0..).collect();
    let mut links: Vec<(i64, [usize; 2])> = Vec::new();
    for (index, voxel) in voxels.iter().enumerate() {
        for n in 14..27 {
            let step = [n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1];
            if let Some(&neighbour) = number.get(&[0, 1, 2].map(|k| voxel[k] + step[k])) {
                links.push((step.iter().map(|s| s * s).sum(), [index, neighbour]));
            }
        }
    }
    links.sort_unstable();
    let mut links_by_voxel: Vec<Vec<usize>> = vec![Vec::new(); voxels.len()];
    let mut kept = Vec::new();
    for (_, [a, b]) in links {
        let low = [0, 1, 2].map(|k| voxels[a][k].min(voxels[b][k]));
        let wide = [0, 1, 2].map(|k| (voxels[a][k] - voxels[b][k]).abs());
        // the corners that both voxels share; if they lie in a plane, the voxels on either side of
        // it
        let joined = (0..8).filter(|n| (0..3).all(|k| wide[k] == 0 || n >> k & 1 == 0));
        let mut joined = joined.map(|n| [0, 1, 2].map(|k| low[k] - (n >> k & 1)));
        let is_joined = joined.any(|first| {
            let within =
                |voxel: usize| (0..3).all(|k| (0..2).contains(&(voxels[voxel][k] - first[k])));
            let mut visited = vec![a];
            let mut next = 0;
            while next < visited.len() {
                for &neighbour in &links_by_voxel[visited[next]] {
                    if within(neighbour) && !visited.contains(&neighbour) {
                        visited.push(neighbour);
                    }
                }
                next += 1;
            }
            visited.contains(&b)
        });
        if !is_joined {
            links_by_voxel[a].push(b);
            links_by_voxel[b].push(a);
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

    fn counts(skeleton: &Skeleton) -> (usize, usize, usize, usize) {
        skeleton.validate().unwrap();
        let components = skeleton.components().count;
        (
            skeleton.nodes.len(),
            skeleton.edges.len(),
            components,
            skeleton.cycles(),
        )
    }

    #[test]
    fn chains_rings_and_isolated_points() {
        let link_counts = |count: usize, links: &[[usize; 2]]| {
            counts(&skeleton_from_links(
                &points(count),
                links,
                Geometry::default(),
            ))
        };
        assert_eq!(link_counts(1, &[]), (1, 0, 1, 0));
        assert_eq!(link_counts(2, &[[1, 0], [0, 1], [1, 1]]), (2, 1, 1, 0));
        assert_eq!(link_counts(4, &[[0, 1], [1, 2], [2, 3]]), (2, 1, 1, 0));
        assert_eq!(link_counts(3, &[[0, 1], [1, 2], [2, 0]]), (1, 1, 1, 1));
        // a ring with a tail, and an isolated point
        assert_eq!(
            link_counts(6, &[[0, 1], [1, 2], [2, 0], [2, 3], [3, 4]]),
            (3, 2, 2, 1)
        );
        // a Y, and two rings that share a point
        assert_eq!(link_counts(4, &[[0, 3], [1, 3], [2, 3]]), (4, 3, 1, 0));
        let rings = [[0, 1], [1, 2], [2, 0], [0, 3], [3, 4], [4, 0]];
        assert_eq!(link_counts(5, &rings), (1, 2, 1, 2));
    }

    #[test]
    fn adjacent_voxels_are_linked_once() {
        // a corner: the diagonal is not needed
        let corner = [[0, 0, 0], [1, 0, 0], [1, 1, 0]];
        assert_eq!(voxel_links(&corner), [[0, 1], [1, 2]]);
        assert_eq!(voxel_links(&[[0, 0, 0], [1, 1, 1]]).len(), 1);
        // four voxels around a hole
        let hole = [[1, 0, 0], [0, 1, 0], [2, 1, 0], [1, 2, 0]];
        let links = voxel_links(&hole);
        assert_eq!(links.len(), 4);
        // the voxels of a block of eight share a corner
        let block: Vec<[i64; 3]> = (0..8).map(|n| [n & 1, n >> 1 & 1, n >> 2]).collect();
        assert_eq!(voxel_links(&block).len(), 7);
    }
}
