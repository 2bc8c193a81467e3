//! Queries, merging and pruning of small and of random graphs.

use super::*;
use crate::grid::Geometry;
use nalgebra::Point3;
use proptest::prelude::*;

/// Creates a skeleton with nodes on a helix, in voxels of 2 × 2 × 2. Each edge is given by its two
/// nodes, its number of inner points and its level.
fn skeleton(nodes: usize, edges: &[(usize, usize, usize, u8)]) -> Skeleton {
    let helix_point = |t: f64| Point3::new(3.0 * t.cos(), 3.0 * t.sin(), t);
    let kinds = [
        NodeKind::Attracting,
        NodeKind::Saddle { index: 1 },
        NodeKind::Junction,
        NodeKind::End,
    ];
    let node = |index: usize| Node {
        kind: kinds[index % 4],
        position: helix_point(index as f64),
        eigenvalues: None,
        radius: 1.0 + index as f64,
        component: 0,
    };
    let edge = |&(from, to, inner, level): &(usize, usize, usize, u8)| {
        let mut points = vec![helix_point(from as f64)];
        points.extend((0..inner).map(|k| helix_point(100.0 + (from * 7 + to * 3 + k) as f64)));
        points.push(helix_point(to as f64));
        let radii = points.iter().map(|point| point.z.abs() + 1.0).collect();
        Edge {
            nodes: [from, to],
            points,
            radii,
            section_areas: Vec::new(),
            level,
        }
    };
    Skeleton {
        nodes: (0..nodes).map(node).collect(),
        edges: edges.iter().map(edge).collect(),
        geometry: Geometry::from_spacing([2.0; 3], [5.0, 6.0, 7.0]).unwrap(),
    }
}

/// Creates a straight skeleton with nodes at the given positions on the x axis.
fn on_axis(xs: &[f64], edges: &[(usize, usize)]) -> Skeleton {
    let mut graph = skeleton(xs.len(), &[]);
    graph.geometry = Geometry::default();
    for (node, &x) in graph.nodes.iter_mut().zip(xs) {
        node.position = Point3::new(x, 0.0, 0.0);
    }
    for &(from, to) in edges {
        let points = vec![graph.nodes[from].position, graph.nodes[to].position];
        graph.edges.push(Edge {
            nodes: [from, to],
            points,
            radii: vec![2.0; 2],
            section_areas: Vec::new(),
            level: 0,
        });
    }
    graph
}

#[test]
fn empty_graph_and_single_node() {
    let empty = Skeleton::default();
    assert!(empty.is_connected() && empty.chains().is_empty());
    assert_eq!((empty.cycles(), empty.euler_number()), (0, 0));
    let mut point = skeleton(1, &[]);
    assert_eq!(point.prune(Prune::Length(1e9)).unwrap(), 0);
    point.merge_chains();
    assert_eq!((point.nodes.len(), point.euler_number()), (1, 1));
    assert_eq!(point.node_in_world(0), Point3::new(11.0, 6.0, 7.0));
}

#[test]
fn merging_turns_a_chain_into_one_edge_and_keeps_one_node_of_a_ring() {
    // 0 – 1 – 2 with the second edge reversed, and a ring 3 – 4 – 5
    let mut graph = skeleton(
        6,
        &[
            (0, 1, 2, 0),
            (2, 1, 1, 0),
            (3, 4, 0, 1),
            (5, 4, 1, 1),
            (5, 3, 0, 1),
        ],
    );
    let length = graph.length();
    assert_eq!(graph.branch_lengths().len(), 2);
    graph.merge_chains();
    graph.validate().unwrap();
    assert_eq!((graph.nodes.len(), graph.edges.len()), (3, 2));
    assert_eq!(graph.edges[0].nodes, [0, 1]);
    assert_eq!(graph.edges[0].points.len(), 4 + 3 - 1);
    assert_eq!(graph.edges[1].nodes, [2, 2]);
    assert_eq!(graph.degrees(), [1, 1, 2]);
    assert!((graph.length() - length).abs() < 1e-9);
    assert_eq!((graph.cycles(), graph.components().count), (1, 2));
}

#[test]
fn merging_keeps_edges_of_different_levels_separate() {
    let mut graph = skeleton(4, &[(0, 1, 0, 0), (1, 2, 0, 0), (2, 3, 0, 1)]);
    assert_eq!(graph.chains().len(), 1);
    graph.merge_chains();
    assert_eq!((graph.nodes.len(), graph.edges.len()), (3, 2));
    assert_eq!([graph.edges[0].level, graph.edges[1].level], [0, 1]);
}

/// One of two short branches at a fork is removed; the other then belongs to the stem.
#[test]
fn pruning_removes_the_shortest_branch_first() {
    let edges = [(0, 1), (1, 2), (1, 3)];
    let mut fork = on_axis(&[0.0, 10.0, 12.0, 13.0], &edges);
    assert_eq!(fork.prune(Prune::Length(5.0)).unwrap(), 1);
    assert_eq!((fork.nodes.len(), fork.edges.len()), (3, 2));
    assert_eq!(fork.length(), 13.0);
    // the rest is a single branch, which is kept
    assert_eq!(fork.prune(Prune::Length(1e9)).unwrap(), 0);
    let mut by_radius = on_axis(&[0.0, 10.0, 12.0, 13.0], &edges);
    assert_eq!(by_radius.prune(Prune::LengthByRadius(1.0)).unwrap(), 0);
    assert_eq!(by_radius.prune(Prune::LengthByRadius(1.01)).unwrap(), 1);
    // one branch attached to a ring, and one between two rings
    let rings = [
        (0, 1),
        (1, 2),
        (2, 0),
        (2, 3),
        (3, 4),
        (4, 5),
        (5, 3),
        (5, 6),
    ];
    let mut graph = on_axis(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &rings);
    assert_eq!(graph.prune(Prune::Length(100.0)).unwrap(), 1);
    assert_eq!((graph.edges.len(), graph.cycles()), (7, 2));
}

#[test]
fn invalid_pruning_limits_are_rejected() {
    for limit in [-1.0, f64::NAN] {
        for by in [Prune::Length(limit), Prune::LengthByRadius(limit)] {
            let error = Skeleton::default().prune(by).unwrap_err();
            assert!(matches!(error, GraphError::Prune { .. }), "{error}");
        }
    }
}

#[test]
fn inconsistent_graphs_are_rejected() {
    let valid = skeleton(3, &[(0, 1, 1, 0), (1, 2, 0, 0)]);
    valid.validate().unwrap();
    type Change = fn(&mut Skeleton);
    let invalid_graphs: [(&str, Change); 5] = [
        ("edge 1 refers to node 3", |s| s.edges[1].nodes[0] = 3),
        ("1 radii", |s| s.edges[1].radii.truncate(1)),
        ("does not end at its node 2", |s| {
            s.nodes[2].position.x += 1.0
        }),
        ("edge 0 has a point", |s| s.edges[0].points[1].y = f64::NAN),
        ("node 0", |s| s.nodes[0].radius = f64::INFINITY),
    ];
    for (words, change) in invalid_graphs {
        let mut invalid = valid.clone();
        change(&mut invalid);
        let error = invalid.validate().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// Labels each node with the smallest node reachable from it along the edges that are not removed.
fn reachable_labels(skeleton: &Skeleton, without: &[bool]) -> Vec<usize> {
    let count = skeleton.nodes.len();
    let mut labels: Vec<usize> = (0..count).collect();
    for _ in 0..count {
        for (edge, &removed) in skeleton.edges.iter().zip(without) {
            let [a, b] = edge.nodes;
            if !removed {
                let min = labels[a].min(labels[b]);
                (labels[a], labels[b]) = (min, min);
            }
        }
    }
    labels
}

fn distinct(labels: &[usize]) -> usize {
    let roots = labels.iter().enumerate();
    roots.filter(|&(node, &label)| node == label).count()
}

fn graphs() -> impl Strategy<Value = Skeleton> {
    (1usize..14).prop_flat_map(|nodes| {
        let edge = (0..nodes, 0..nodes, 0usize..3, 0u8..2);
        proptest::collection::vec(edge, 0..20).prop_map(move |edges| skeleton(nodes, &edges))
    })
}

proptest! {
    #[test]
    fn components_and_cycles_match_brute_force(graph in graphs()) {
        let labels = reachable_labels(&graph, &vec![false; graph.edges.len()]);
        let components = graph.components();
        prop_assert_eq!(components.count, distinct(&labels));
        for (a, b) in (0..labels.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
            prop_assert_eq!(labels[a] == labels[b], components.labels[a] == components.labels[b]);
        }
        // remove edges one by one as long as the number of components stays the same
        let mut without = vec![false; graph.edges.len()];
        for edge in 0..graph.edges.len() {
            without[edge] = true;
            without[edge] = distinct(&reachable_labels(&graph, &without)) == components.count;
        }
        prop_assert_eq!(graph.cycles(), without.iter().filter(|&&removed| removed).count());
        let euler = components.count as i64 - graph.cycles() as i64;
        prop_assert_eq!(graph.euler_number(), euler);
        let degrees: Vec<_> = (0..graph.nodes.len()).map(|node| graph.degree(node)).collect();
        prop_assert_eq!(graph.degrees(), degrees);
    }

    #[test]
    fn chains_contain_every_edge_once(graph in graphs()) {
        let mut seen = vec![0; graph.edges.len()];
        let degrees = graph.degrees();
        for chain in graph.chains() {
            for (step, (&edge, &reversed)) in chain.edges.iter().zip(&chain.reversed).enumerate() {
                seen[edge] += 1;
                let mut nodes = graph.edges[edge].nodes;
                if reversed {
                    nodes.reverse();
                }
                prop_assert_eq!(&nodes[..], &chain.nodes[step..step + 2]);
            }
            prop_assert!(chain.nodes[1..chain.edges.len()].iter().all(|&node| degrees[node] == 2));
            let [first, last] = chain.ends();
            prop_assert!(first == last || (degrees[first] != 2 && degrees[last] != 2));
        }
        prop_assert!(seen.iter().all(|&times| times == 1));
    }

    #[test]
    fn merging_preserves_length_and_topology(graph in graphs()) {
        let mut merged = graph.clone();
        merged.merge_chains();
        merged.validate().unwrap();
        prop_assert!((merged.length() - graph.length()).abs() < 1e-9 * (1.0 + graph.length()));
        prop_assert_eq!(merged.cycles(), graph.cycles());
        prop_assert_eq!(merged.components().count, graph.components().count);
        let mut merged_again = merged.clone();
        merged_again.merge_chains();
        prop_assert_eq!(&merged_again, &merged);
        for (node, degree) in merged.degrees().into_iter().enumerate() {
            let at: Vec<_> = merged.edges.iter().filter(|edge| edge.nodes.contains(&node)).collect();
            prop_assert!(degree != 2 || at.len() == 1 || at[0].level != at[1].level);
        }
    }

    #[test]
    fn pruning_keeps_cycles_and_long_branches(graph in graphs(), limit in 0.0f64..900.0) {
        let mut pruned = graph.clone();
        pruned.prune(Prune::Length(limit)).unwrap();
        pruned.validate().unwrap();
        prop_assert_eq!(pruned.cycles(), graph.cycles());
        prop_assert_eq!(pruned.components().count, graph.components().count);
        let degrees = pruned.degrees();
        for (chain, length) in pruned.chains().iter().zip(pruned.branch_lengths()) {
            let free = chain.ends().iter().filter(|&&end| degrees[end] == 1).count();
            prop_assert!(free != 1 || length >= limit);
        }
        for edge in &pruned.edges {
            prop_assert!(graph.edges.iter().any(|other| other.points == edge.points));
        }
    }
}
