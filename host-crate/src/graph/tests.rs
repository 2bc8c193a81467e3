//! Queries, merging and pruning of small and of random graphs.

use super::*;
use crate::grid::Geometry;
use nalgebra::Point3;
use proptest::prelude::*;

/// A skeleton with nodes on a helix, and for each edge its two nodes, its inner points and its
/// level. It is in voxels of 2 x 2 x 2.
fn skeleton(nodes: usize, edges: &[(usize, usize, usize, u8)]) -> Skeleton {
    let place = |t: f64| Point3::new(3.0 * t.cos(), 3.0 * t.sin(), t);
    let kinds = [
        NodeKind::Attracting,
        NodeKind::Saddle { index: 1 },
        NodeKind::Junction,
        NodeKind::End,
    ];
    let node = |number: usize| Node {
        kind: kinds[number % 4],
        position: place(number as f64),
        eigenvalues: None,
        radius: 1.0 + number as f64,
        component: 0,
    };
    let edge = |&(from, to, inner, level): &(usize, usize, usize, u8)| {
        let mut points = vec![place(from as f64)];
        points.extend((0..inner).map(|k| place(100.0 + (from * 7 + to * 3 + k) as f64)));
        points.push(place(to as f64));
        let radii = points.iter().map(|point| point.z.abs() + 1.0).collect();
        Edge {
            nodes: [from, to],
            points,
            radii,
            level,
        }
    };
    Skeleton {
        nodes: (0..nodes).map(node).collect(),
        edges: edges.iter().map(edge).collect(),
        geometry: Geometry::from_spacing([2.0; 3], [5.0, 6.0, 7.0]).unwrap(),
    }
}

/// A straight skeleton: nodes at these places on the x axis.
fn on_axis(places: &[f64], edges: &[(usize, usize)]) -> Skeleton {
    let mut made = skeleton(places.len(), &[]);
    made.geometry = Geometry::default();
    for (node, &x) in made.nodes.iter_mut().zip(places) {
        node.position = Point3::new(x, 0.0, 0.0);
    }
    for &(from, to) in edges {
        let points = vec![made.nodes[from].position, made.nodes[to].position];
        made.edges.push(Edge {
            nodes: [from, to],
            points,
            radii: vec![2.0; 2],
            level: 0,
        });
    }
    made
}

#[test]
fn nothing_and_one_point() {
    let nothing = Skeleton::default();
    assert!(nothing.is_connected() && nothing.chains().is_empty());
    assert_eq!((nothing.cycles(), nothing.euler_number()), (0, 0));
    let mut point = skeleton(1, &[]);
    assert_eq!(point.prune(Prune::Length(1e9)).unwrap(), 0);
    point.merge_chains();
    assert_eq!((point.nodes.len(), point.euler_number()), (1, 1));
    assert_eq!(point.node_in_world(0), Point3::new(11.0, 6.0, 7.0));
}

#[test]
fn a_chain_becomes_one_edge_and_a_ring_keeps_a_node() {
    // 0 - 1 - 2 with the second edge backwards, and a ring 3 - 4 - 5
    let mut made = skeleton(
        6,
        &[
            (0, 1, 2, 0),
            (2, 1, 1, 0),
            (3, 4, 0, 1),
            (5, 4, 1, 1),
            (5, 3, 0, 1),
        ],
    );
    let length = made.length();
    assert_eq!(made.branch_lengths().len(), 2);
    made.merge_chains();
    made.validate().unwrap();
    assert_eq!((made.nodes.len(), made.edges.len()), (3, 2));
    assert_eq!(made.edges[0].nodes, [0, 1]);
    assert_eq!(made.edges[0].points.len(), 4 + 3 - 1);
    assert_eq!(made.edges[1].nodes, [2, 2]);
    assert_eq!(made.degrees(), [1, 1, 2]);
    assert!((made.length() - length).abs() < 1e-9);
    assert_eq!((made.cycles(), made.components().count), (1, 2));
}

#[test]
fn edges_of_different_levels_stay_apart() {
    let mut made = skeleton(4, &[(0, 1, 0, 0), (1, 2, 0, 0), (2, 3, 0, 1)]);
    assert_eq!(made.chains().len(), 1);
    made.merge_chains();
    assert_eq!((made.nodes.len(), made.edges.len()), (3, 2));
    assert_eq!([made.edges[0].level, made.edges[1].level], [0, 1]);
}

/// Of two short branches at a fork one goes, and the other is then part of the stem.
#[test]
fn pruning_goes_from_the_outside_in() {
    let edges = [(0, 1), (1, 2), (1, 3)];
    let mut fork = on_axis(&[0.0, 10.0, 12.0, 13.0], &edges);
    assert_eq!(fork.prune(Prune::Length(5.0)).unwrap(), 1);
    assert_eq!((fork.nodes.len(), fork.edges.len()), (3, 2));
    assert_eq!(fork.length(), 13.0);
    // nothing of what is left can go: it is all there is
    assert_eq!(fork.prune(Prune::Length(1e9)).unwrap(), 0);
    let mut by_radius = on_axis(&[0.0, 10.0, 12.0, 13.0], &edges);
    assert_eq!(by_radius.prune(Prune::LengthByRadius(1.0)).unwrap(), 0);
    assert_eq!(by_radius.prune(Prune::LengthByRadius(1.01)).unwrap(), 1);
    // a branch at a ring, and one between two rings
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
    let mut made = on_axis(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &rings);
    assert_eq!(made.prune(Prune::Length(100.0)).unwrap(), 1);
    assert_eq!((made.edges.len(), made.cycles()), (7, 2));
}

#[test]
fn limits_that_are_none_are_refused() {
    for limit in [-1.0, f64::NAN] {
        for by in [Prune::Length(limit), Prune::LengthByRadius(limit)] {
            let error = Skeleton::default().prune(by).unwrap_err();
            assert!(matches!(error, GraphError::Prune { .. }), "{error}");
        }
    }
}

#[test]
fn graphs_that_do_not_fit_together_are_refused() {
    let good = skeleton(3, &[(0, 1, 1, 0), (1, 2, 0, 0)]);
    good.validate().unwrap();
    type Spoil = fn(&mut Skeleton);
    let spoiled: [(&str, Spoil); 5] = [
        ("edge 1 has node 3", |s| s.edges[1].nodes[0] = 3),
        ("1 radii", |s| s.edges[1].radii.truncate(1)),
        ("does not end at its node 2", |s| {
            s.nodes[2].position.x += 1.0
        }),
        ("edge 0 has a point", |s| s.edges[0].points[1].y = f64::NAN),
        ("node 0", |s| s.nodes[0].radius = f64::INFINITY),
    ];
    for (words, spoil) in spoiled {
        let mut bad = good.clone();
        spoil(&mut bad);
        let error = bad.validate().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// The nodes that can be reached from each, by going along edges.
fn reached(skeleton: &Skeleton, without: &[bool]) -> Vec<usize> {
    let count = skeleton.nodes.len();
    let mut labels: Vec<usize> = (0..count).collect();
    for _ in 0..count {
        for (edge, &out) in skeleton.edges.iter().zip(without) {
            let [a, b] = edge.nodes;
            if !out {
                let least = labels[a].min(labels[b]);
                (labels[a], labels[b]) = (least, least);
            }
        }
    }
    labels
}

fn distinct(labels: &[usize]) -> usize {
    let own = labels.iter().enumerate();
    own.filter(|&(node, &label)| node == label).count()
}

fn graphs() -> impl Strategy<Value = Skeleton> {
    (1usize..14).prop_flat_map(|nodes| {
        let edge = (0..nodes, 0..nodes, 0usize..3, 0u8..2);
        proptest::collection::vec(edge, 0..20).prop_map(move |edges| skeleton(nodes, &edges))
    })
}

proptest! {
    #[test]
    fn components_and_cycles_are_those_of_brute_force(made in graphs()) {
        let labels = reached(&made, &vec![false; made.edges.len()]);
        let components = made.components();
        prop_assert_eq!(components.count, distinct(&labels));
        for (a, b) in (0..labels.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
            prop_assert_eq!(labels[a] == labels[b], components.labels[a] == components.labels[b]);
        }
        // edges are taken away one by one as long as nothing comes apart
        let mut without = vec![false; made.edges.len()];
        for edge in 0..made.edges.len() {
            without[edge] = true;
            without[edge] = distinct(&reached(&made, &without)) == components.count;
        }
        prop_assert_eq!(made.cycles(), without.iter().filter(|&&out| out).count());
        let euler = components.count as i64 - made.cycles() as i64;
        prop_assert_eq!(made.euler_number(), euler);
        let degrees: Vec<_> = (0..made.nodes.len()).map(|node| made.degree(node)).collect();
        prop_assert_eq!(made.degrees(), degrees);
    }

    #[test]
    fn chains_have_every_edge_once(made in graphs()) {
        let mut seen = vec![0; made.edges.len()];
        let degrees = made.degrees();
        for chain in made.chains() {
            for (step, (&edge, &backwards)) in chain.edges.iter().zip(&chain.backwards).enumerate() {
                seen[edge] += 1;
                let mut nodes = made.edges[edge].nodes;
                if backwards {
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
    fn merging_keeps_the_shape(made in graphs()) {
        let mut merged = made.clone();
        merged.merge_chains();
        merged.validate().unwrap();
        prop_assert!((merged.length() - made.length()).abs() < 1e-9 * (1.0 + made.length()));
        prop_assert_eq!(merged.cycles(), made.cycles());
        prop_assert_eq!(merged.components().count, made.components().count);
        let mut twice = merged.clone();
        twice.merge_chains();
        prop_assert_eq!(&twice, &merged);
        for (node, degree) in merged.degrees().into_iter().enumerate() {
            let at: Vec<_> = merged.edges.iter().filter(|edge| edge.nodes.contains(&node)).collect();
            prop_assert!(degree != 2 || at.len() == 1 || at[0].level != at[1].level);
        }
    }

    #[test]
    fn pruning_leaves_cycles_and_long_branches(made in graphs(), limit in 0.0f64..900.0) {
        let mut pruned = made.clone();
        pruned.prune(Prune::Length(limit)).unwrap();
        pruned.validate().unwrap();
        prop_assert_eq!(pruned.cycles(), made.cycles());
        prop_assert_eq!(pruned.components().count, made.components().count);
        let degrees = pruned.degrees();
        for (chain, length) in pruned.chains().iter().zip(pruned.branch_lengths()) {
            let free = chain.ends().iter().filter(|&&end| degrees[end] == 1).count();
            prop_assert!(free != 1 || length >= limit);
        }
        for edge in &pruned.edges {
            prop_assert!(made.edges.iter().any(|other| other.points == edge.points));
        }
    }
}
