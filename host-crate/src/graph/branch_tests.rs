//! Measures of branches, cell bodies, joins and pruning by significance.

use super::*;
use crate::grid::Geometry;
use nalgebra::Point3;

/// Creates a skeleton at unit spacing from positions with radii, and straight edges with points at
/// most one unit apart, whose radii are interpolated.
fn skeleton(nodes: &[([f64; 3], f64)], edges: &[(usize, usize)]) -> Skeleton {
    let node = |&(position, radius): &([f64; 3], f64)| Node {
        kind: NodeKind::End,
        position: Point3::from(position),
        eigenvalues: None,
        radius,
        component: 0,
    };
    let edge = |&(from, to): &(usize, usize)| {
        let [a, b] = [from, to].map(|at| Point3::from(nodes[at].0));
        let steps = (b - a).norm().ceil() as usize;
        let fraction = |step: usize| step as f64 / steps as f64;
        let radii = [nodes[from].1, nodes[to].1];
        Edge {
            nodes: [from, to],
            points: (0..=steps)
                .map(|step| match step {
                    0 => a,
                    _ if step == steps => b,
                    _ => a + (b - a) * fraction(step),
                })
                .collect(),
            radii: (0..=steps)
                .map(|step| radii[0] + (radii[1] - radii[0]) * fraction(step))
                .collect(),
            section_areas: Vec::new(),
            level: 0,
        }
    };
    Skeleton {
        nodes: nodes.iter().map(node).collect(),
        edges: edges.iter().map(edge).collect(),
        geometry: Geometry::default(),
    }
}

/// A tree of two forks: orders 1, 1 and 2 meet at the second one.
#[test]
fn branches_have_lengths_radii_and_orders() {
    let nodes = [
        ([0.0, 0.0, 0.0], 5.0),
        ([10.0, 0.0, 0.0], 3.0),
        ([16.0, 8.0, 0.0], 1.0),
        ([16.0, -8.0, 0.0], 1.0),
        ([5.0, 0.0, 0.0], 4.0),
        ([5.0, 0.0, 3.0], 1.0),
    ];
    let tree = skeleton(&nodes, &[(0, 4), (4, 1), (1, 2), (1, 3), (4, 5)]);
    tree.validate().unwrap();
    let branches = tree.branches();
    let row = |ends: [usize; 2]| {
        let found = branches.iter().find(|branch| branch.chain.ends() == ends);
        found.unwrap_or_else(|| panic!("no {ends:?} in {branches:?}"))
    };
    let stem = row([0, 4]);
    assert_eq!(
        (stem.kind, stem.strahler_order),
        (BranchKind::EndJunction, Some(2))
    );
    assert!((stem.mean_radius - 4.5).abs() < 1e-12);
    assert_eq!([stem.min_radius, stem.max_radius], [4.0, 5.0]);
    let middle = row([1, 4]);
    assert_eq!(middle.kind, BranchKind::JunctionJunction);
    assert_eq!(middle.strahler_order, Some(2));
    let twig = row([1, 2]);
    assert_eq!(twig.strahler_order, Some(1));
    assert!((twig.length - 10.0).abs() < 1e-9 && (twig.distance - 10.0).abs() < 1e-9);
    assert!((twig.tortuosity().unwrap() - 1.0).abs() < 1e-9);
    assert_eq!(twig.mean_section_area, None);
}

#[test]
fn branches_on_cycles_have_no_order() {
    let corners = [
        [0.0, 0.0, 0.0],
        [6.0, 0.0, 0.0],
        [3.0, 5.0, 0.0],
        [3.0, 12.0, 0.0],
    ];
    let nodes = corners.map(|corner| (corner, 1.0));
    let ring = skeleton(&nodes[..3], &[(0, 1), (1, 2), (2, 0)]);
    let [only] = &ring.branches()[..] else {
        panic!("{:?}", ring.branches())
    };
    assert_eq!((only.kind, only.strahler_order), (BranchKind::Ring, None));
    assert_eq!(only.tortuosity(), None);
    let with_tail = skeleton(&nodes, &[(0, 1), (1, 2), (2, 0), (2, 3)]);
    let orders = with_tail.branches().into_iter();
    let orders: Vec<_> = orders
        .map(|branch| (branch.kind, branch.strahler_order))
        .collect();
    assert_eq!(
        orders,
        [
            (BranchKind::JunctionJunction, None),
            (BranchKind::EndJunction, Some(1))
        ]
    );
}

#[test]
fn section_areas_follow_merged_edges() {
    let nodes = [
        ([0.0; 3], 1.0),
        ([2.0, 0.0, 0.0], 1.0),
        ([4.0, 0.0, 0.0], 1.0),
    ];
    let mut rod = skeleton(&nodes, &[(0, 1), (2, 1)]);
    rod.edges[0].section_areas = vec![None, Some(3.0), Some(4.0)];
    rod.edges[1].section_areas = vec![None, Some(6.0), Some(4.0)];
    assert_eq!(rod.branches()[0].mean_section_area, Some(13.0 / 3.0));
    rod.merge_chains();
    rod.validate().unwrap();
    let areas = [None, Some(3.0), Some(4.0), Some(6.0), None];
    assert_eq!(rod.edges[0].section_areas, areas);
    let radius = rod.edges[0].section_radius(1).unwrap();
    assert!((radius - (3.0 / std::f64::consts::PI).sqrt()).abs() < 1e-12);
    rod.edges[0].section_areas.pop();
    assert!(
        rod.validate()
            .unwrap_err()
            .to_string()
            .contains("4 section areas")
    );
}

#[test]
fn balls_with_thin_branches_are_cell_bodies() {
    let at = |x: f64, radius: f64| ([x, 0.0, 0.0], radius);
    // the radius falls inside the ball, and is 1 along the dendrite
    let cell = skeleton(
        &[at(0.0, 10.0), at(10.0, 1.0), at(30.0, 1.0)],
        &[(0, 1), (1, 2)],
    );
    let [soma] = cell.somas()[..] else {
        panic!("{:?}", cell.somas())
    };
    assert_eq!(
        (soma.component, soma.radius, soma.position),
        (0, 10.0, Point3::origin())
    );
    let tapering = skeleton(&[at(0.0, 10.0), at(40.0, 1.0)], &[(0, 1)]);
    assert!(tapering.somas().is_empty());
    let ball = skeleton(&[at(0.0, 10.0)], &[]);
    assert!(ball.somas().is_empty());
}

#[test]
fn gaps_are_joined_shortest_first_without_cycles() {
    let at = |x: f64, y: f64| ([x, y, 0.0], 1.0);
    let nodes = [
        at(0.0, 0.0),
        at(10.0, 0.0),
        at(5.0, 2.0),
        at(5.0, 9.0),
        at(13.0, 0.0),
        at(40.0, 0.0),
    ];
    let parts = skeleton(&nodes, &[(0, 1), (2, 3), (4, 5)]);
    assert_eq!(parts.components().count, 3);
    let mut unchanged = parts.clone();
    assert_eq!(unchanged.join_components(1.9).unwrap(), 0);
    assert_eq!(unchanged, parts);
    let mut two = parts.clone();
    assert_eq!(two.join_components(2.5).unwrap(), 1);
    two.validate().unwrap();
    // the inner point below the second part became a node
    assert_eq!((two.nodes.len(), two.edges.len()), (7, 5));
    assert_eq!(two.nodes[6].position, Point3::new(5.0, 0.0, 0.0));
    assert_eq!((two.components().count, two.cycles()), (2, 0));
    let mut one = parts.clone();
    assert_eq!(one.join_components(100.0).unwrap(), 2);
    one.validate().unwrap();
    assert_eq!((one.components().count, one.cycles()), (1, 0));
    assert!((one.length() - parts.length() - 5.0).abs() < 1e-9);
    for distance in [-1.0, f64::NAN, f64::INFINITY] {
        let error = parts.clone().join_components(distance).unwrap_err();
        assert!(matches!(error, GraphError::Join { .. }), "{error}");
    }
}

/// A stub of 4 units at a trunk of radius 5 ends inside its ball; a twig protrudes by 15 radii.
#[test]
fn pruning_by_significance_removes_stubs_of_thick_parts() {
    let nodes = [
        ([0.0, 0.0, 0.0], 5.0),
        ([30.0, 0.0, 0.0], 5.0),
        ([60.0, 0.0, 0.0], 5.0),
        ([30.0, 4.0, 0.0], 1.0),
        ([30.0, 0.0, 22.0], 1.0),
    ];
    let edges = [(0, 1), (1, 2), (1, 3), (1, 4)];
    let mut tree = skeleton(&nodes, &edges);
    assert_eq!(tree.prune(Prune::Significance(1.25)).unwrap(), 1);
    assert_eq!(tree.edges.len(), 3);
    assert!(!tree.nodes.iter().any(|node| node.position.y == 4.0));
    assert_eq!(tree.prune(Prune::Significance(3.0)).unwrap(), 0);
}
