//! Pieces and cycles of a skeleton against those of its object, component by component.

use super::{Object, Verdict, collapse::Collapse, inside::Traced};
use ferrovox::graph::Skeleton;
use nalgebra::Point3;
use std::collections::VecDeque;

/// The skeleton as a forest and the edges that close cycles.
struct Forest {
    /// For each node its piece.
    piece: Vec<usize>,
    /// For each piece its first node.
    roots: Vec<usize>,
    /// For each node the sum of the edges' classes on its way from the root. None if one is not
    /// known.
    way: Vec<Option<Vec<u64>>>,
    /// Edges that are not of the forest.
    closing: Vec<usize>,
}

fn forest(skeleton: &Skeleton, classes: &[Option<Vec<u64>>], words: usize) -> Forest {
    let count = skeleton.nodes.len();
    let mut ends = vec![Vec::new(); count];
    for (number, edge) in skeleton.edges.iter().enumerate() {
        let [a, b] = edge.nodes;
        ends[a].push((number, b));
        if a != b {
            ends[b].push((number, a));
        }
    }
    let mut made = Forest {
        piece: vec![usize::MAX; count],
        roots: Vec::new(),
        way: vec![None; count],
        closing: Vec::new(),
    };
    let mut used = vec![false; skeleton.edges.len()];
    for root in 0..count {
        if made.piece[root] != usize::MAX {
            continue;
        }
        let piece = made.roots.len();
        made.roots.push(root);
        made.piece[root] = piece;
        made.way[root] = Some(vec![0; words]);
        let mut open = VecDeque::from([root]);
        while let Some(node) = open.pop_front() {
            for &(edge, other) in &ends[node] {
                if used[edge] {
                    continue;
                }
                used[edge] = true;
                if made.piece[other] == usize::MAX {
                    made.piece[other] = piece;
                    made.way[other] = sum(&made.way[node], &classes[edge]);
                    open.push_back(other);
                } else {
                    made.closing.push(edge);
                }
            }
        }
    }
    made
}

fn sum(a: &Option<Vec<u64>>, b: &Option<Vec<u64>>) -> Option<Vec<u64>> {
    let (a, b) = (a.as_ref()?, b.as_ref()?);
    Some(a.iter().zip(b).map(|(x, y)| x ^ y).collect())
}

/// Compares.
///
/// # Panics
/// If the two ways to find the object's tunnels disagree: then this is wrong, not the skeleton.
pub fn check(
    verdict: &mut Verdict,
    object: &Object,
    collapse: &Collapse,
    skeleton: &Skeleton,
    traced: &Traced,
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
            "homology and Euler number of component {number}"
        );
    }
    let words = classes.of_chains.first().map_or(1, Vec::len);
    let known = traced.chains.iter().zip(&classes.of_chains);
    let of_edges: Vec<Option<Vec<u64>>> = known
        .map(|(chain, class)| chain.as_ref().map(|_| class.clone()))
        .collect();
    let forest = forest(skeleton, &of_edges, words);
    verdict.pieces = forest.roots.len();
    verdict.cycles = forest.closing.len();
    verdict.length = traced.length;
    let mut degrees = vec![0usize; skeleton.nodes.len()];
    let ends = skeleton.edges.iter().flat_map(|edge| edge.nodes);
    ends.for_each(|node| degrees[node] += 1);
    verdict.ends = degrees.iter().filter(|&&degree| degree == 1).count();

    let property = &mut verdict.homotopy;
    let of_piece = |piece: usize| traced.nodes[forest.roots[piece]];
    for (node, component) in traced.nodes.iter().enumerate() {
        if *component != of_piece(forest.piece[node]) {
            property.fault(*component, skeleton.nodes[node].position, || {
                format!("node {node} and others of its piece are in different components")
            });
        }
    }
    let mut pieces = vec![0; object.count()];
    for piece in 0..forest.roots.len() {
        if let Some(component) = of_piece(piece) {
            pieces[component] += 1;
        }
    }
    let mut cycles = vec![(0, 0, 0); object.count()];
    for &edge in &forest.closing {
        let [a, b] = skeleton.edges[edge].nodes;
        let Some(component) = traced.nodes[a] else {
            continue;
        };
        let around = sum(&forest.way[a], &forest.way[b]);
        let (count, independent, unknown) = &mut cycles[component];
        *count += 1;
        match sum(&around, &of_edges[edge]) {
            None => *unknown += 1,
            Some(class) if rows[component].add(class.clone()) => *independent += 1,
            // a cycle that is the border of something, or the sum of others
            Some(_) => property.fault(Some(component), middle(skeleton, edge), || {
                format!("edge {edge} closes a cycle that is no tunnel, or a sum of others")
            }),
        }
    }
    for number in 0..object.count() {
        let voxel = object.centre(object.component(number)[0] as usize);
        let tunnels = verdict.betti[number].tunnels as usize;
        let (count, independent, unknown) = cycles[number];
        property.undecided += unknown;
        verdict.tunnels += independent;
        if pieces[number] != 1 {
            property.fault(Some(number), voxel, || {
                format!("{} pieces in one component", pieces[number])
            });
        }
        if count != tunnels {
            property.fault(Some(number), voxel, || {
                format!("{count} cycles for {tunnels} tunnels")
            });
        } else if unknown == 0 && independent != tunnels {
            property.fault(Some(number), voxel, || {
                format!("cycles are around {independent} of {tunnels} tunnels")
            });
        }
    }
}

fn middle(skeleton: &Skeleton, edge: usize) -> Point3<f64> {
    let points = &skeleton.edges[edge].points;
    points[points.len() / 2]
}
