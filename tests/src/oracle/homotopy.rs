//! Homotopy: parts and cycles of a skeleton compared with the components and tunnels of its object.

use super::{Object, Verdict, collapse::Collapse, inside::CurveTrace};
use ferrovox::graph::Skeleton;
use nalgebra::Point3;
use std::collections::VecDeque;

/// Spanning forest of the skeleton, and the edges that close cycles.
struct Forest {
    /// Part of the skeleton of each node.
    part: Vec<usize>,
    /// First node of each part.
    roots: Vec<usize>,
    /// Sum of the edge classes along the path from the root to each node; `None` if one is unknown.
    path_class: Vec<Option<Vec<u64>>>,
    /// Edges that are not in the forest.
    closing: Vec<usize>,
}

fn spanning_forest(skeleton: &Skeleton, classes: &[Option<Vec<u64>>], words: usize) -> Forest {
    let count = skeleton.nodes.len();
    let mut ends = vec![Vec::new(); count];
    for (number, edge) in skeleton.edges.iter().enumerate() {
        let [a, b] = edge.nodes;
        ends[a].push((number, b));
        if a != b {
            ends[b].push((number, a));
        }
    }
    let mut forest = Forest {
        part: vec![usize::MAX; count],
        roots: Vec::new(),
        path_class: vec![None; count],
        closing: Vec::new(),
    };
    let mut used = vec![false; skeleton.edges.len()];
    for root in 0..count {
        if forest.part[root] != usize::MAX {
            continue;
        }
        let part = forest.roots.len();
        forest.roots.push(root);
        forest.part[root] = part;
        forest.path_class[root] = Some(vec![0; words]);
        let mut open = VecDeque::from([root]);
        while let Some(node) = open.pop_front() {
            for &(edge, neighbour) in &ends[node] {
                if used[edge] {
                    continue;
                }
                used[edge] = true;
                if forest.part[neighbour] == usize::MAX {
                    forest.part[neighbour] = part;
                    forest.path_class[neighbour] = sum(&forest.path_class[node], &classes[edge]);
                    open.push_back(neighbour);
                } else {
                    forest.closing.push(edge);
                }
            }
        }
    }
    forest
}

fn sum(a: &Option<Vec<u64>>, b: &Option<Vec<u64>>) -> Option<Vec<u64>> {
    let (a, b) = (a.as_ref()?, b.as_ref()?);
    Some(a.iter().zip(b).map(|(x, y)| x ^ y).collect())
}

/// Compares the skeleton with its object.
///
/// # Panics
/// If the two methods of counting the object's tunnels disagree, which is a defect of the oracle,
/// not of the skeleton.
pub fn check(
    verdict: &mut Verdict,
    object: &Object,
    collapse: &Collapse,
    skeleton: &Skeleton,
    traced: &CurveTrace,
) {
    let chains: Vec<Vec<u32>> = traced
        .chains
        .iter()
        .map(|chain| chain.clone().unwrap_or_default())
        .collect();
    let classes = collapse.classes(&chains);
    let mut rows = classes.relations();
    for (number, dimension) in classes.dimensions(&rows).into_iter().enumerate() {
        let tunnels = verdict.betti[number].tunnels as usize;
        assert_eq!(
            dimension, tunnels,
            "homology and Euler characteristic disagree for component {number}"
        );
    }
    let words = classes.chain_classes.first().map_or(1, Vec::len);
    let traced_classes = traced.chains.iter().zip(&classes.chain_classes);
    let edge_classes: Vec<Option<Vec<u64>>> = traced_classes
        .map(|(chain, class)| chain.as_ref().map(|_| class.clone()))
        .collect();
    let forest = spanning_forest(skeleton, &edge_classes, words);
    verdict.components = forest.roots.len();
    verdict.cycles = forest.closing.len();
    verdict.length = traced.length;
    let mut degrees = vec![0usize; skeleton.nodes.len()];
    let ends = skeleton.edges.iter().flat_map(|edge| edge.nodes);
    ends.for_each(|node| degrees[node] += 1);
    verdict.ends = degrees.iter().filter(|&&degree| degree == 1).count();

    let property = &mut verdict.homotopy;
    let object_component = |part: usize| traced.nodes[forest.roots[part]];
    for (node, component) in traced.nodes.iter().enumerate() {
        if *component != object_component(forest.part[node]) {
            property.add_fault(*component, skeleton.nodes[node].position, || {
                format!("node {node} and others of its part are in different components")
            });
        }
    }
    let mut part_counts = vec![0; object.count()];
    for part in 0..forest.roots.len() {
        if let Some(component) = object_component(part) {
            part_counts[component] += 1;
        }
    }
    let mut cycles = vec![(0, 0, 0); object.count()];
    for &edge in &forest.closing {
        let [a, b] = skeleton.edges[edge].nodes;
        let Some(component) = traced.nodes[a] else {
            continue;
        };
        let cycle_class = sum(&forest.path_class[a], &forest.path_class[b]);
        let (count, independent, unknown) = &mut cycles[component];
        *count += 1;
        match sum(&cycle_class, &edge_classes[edge]) {
            None => *unknown += 1,
            Some(class) if rows[component].add(class.clone()) => *independent += 1,
            // the cycle is a boundary, or a sum of others
            Some(_) => property.add_fault(Some(component), edge_midpoint(skeleton, edge), || {
                format!(
                    "edge {edge} closes a cycle that surrounds no tunnel, or is a sum of others"
                )
            }),
        }
    }
    for number in 0..object.count() {
        let voxel = object.centre(object.component(number)[0] as usize);
        let tunnels = verdict.betti[number].tunnels as usize;
        let (count, independent, unknown) = cycles[number];
        property.undecided += unknown;
        verdict.tunnels += independent;
        if part_counts[number] != 1 {
            property.add_fault(Some(number), voxel, || {
                format!("{} parts in one component", part_counts[number])
            });
        }
        if count != tunnels {
            property.add_fault(Some(number), voxel, || {
                format!("{count} cycles for {tunnels} tunnels")
            });
        } else if unknown == 0 && independent != tunnels {
            property.add_fault(Some(number), voxel, || {
                format!("cycles surround {independent} of {tunnels} tunnels")
            });
        }
    }
}

fn edge_midpoint(skeleton: &Skeleton, edge: usize) -> Point3<f64> {
    let points = &skeleton.edges[edge].points;
    points[points.len() / 2]
}
