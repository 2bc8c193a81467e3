//! The oracle accepts correct skeletons, and detects the violation of each property separately.

use super::{Object, Rules, Verdict, check};
use crate::reference_objects::{Axis, Grid, ReferenceObject, random, simple, solid};
use ferrovox::graph::{Edge, Node, NodeKind, Skeleton};
use nalgebra::Point3;
use std::f64::consts::TAU;

type Position = [f64; 3];

/// Creates a skeleton in the world of an object.
fn skeleton(
    reference: &ReferenceObject,
    nodes: &[Position],
    edges: &[(usize, usize, Vec<Position>)],
) -> Skeleton {
    let geometry = *reference.voxels.geometry();
    let voxels = |position: Position| geometry.world_to_index(Point3::from(position));
    let nodes: Vec<Node> = nodes
        .iter()
        .map(|&position| Node {
            kind: NodeKind::Junction,
            position: voxels(position),
            eigenvalues: None,
            radius: 0.0,
            component: 0,
        })
        .collect();
    let edges = edges.iter().map(|(a, b, inner)| {
        let mut points = vec![nodes[*a].position];
        points.extend(inner.iter().map(|&position| voxels(position)));
        points.push(nodes[*b].position);
        Edge {
            nodes: [*a, *b],
            radii: vec![0.0; points.len()],
            points,
            section_areas: Vec::new(),
            level: 0,
        }
    });
    Skeleton {
        edges: edges.collect(),
        nodes,
        geometry,
    }
}

fn check_skeleton(
    reference: &ReferenceObject,
    nodes: &[Position],
    edges: &[(usize, usize, Vec<Position>)],
) -> Verdict {
    let object = Object::new(&reference.voxels);
    let result = skeleton(reference, nodes, edges);
    result.validate().unwrap();
    check(&object, &result, &Rules::default(), &reference.axes)
}

/// Returns the properties that fail.
fn failed_properties(verdict: &Verdict) -> Vec<&'static str> {
    let properties = verdict.properties().into_iter();
    let failing = properties.filter(|(_, property)| !property.holds());
    failing.map(|(name, _)| name).collect()
}

/// Returns points of a circle about z, without the end points.
fn circle(radius: f64, from: f64, to: f64, count: usize) -> Vec<Position> {
    let at = |n: usize| TAU * (from + (to - from) * n as f64 / count as f64);
    (1..count)
        .map(|n| [radius * at(n).cos(), radius * at(n).sin(), 0.0])
        .collect()
}

fn rod() -> ReferenceObject {
    simple::rod([1.0, 0.0, 0.0], 3.0, 40.0, Grid::unit())
}

#[test]
fn axis_of_a_rod_passes() {
    for spacing in Grid::SPACINGS {
        for direction in simple::DIRECTIONS {
            let rod = simple::rod(direction, 3.0, 40.0, Grid::spaced(spacing));
            let axis = &rod.axes[0];
            // the cubes of oblique rods begin inside the flat ends
            let from = axis.points[0] + (axis.points[1] - axis.points[0]) * 0.05;
            let to = axis.points[0] + (axis.points[1] - axis.points[0]) * 0.95;
            let verdict = check_skeleton(&rod, &[from.into(), to.into()], &[(0, 1, vec![])]);
            assert!(verdict.holds(), "{spacing:?} {direction:?}: {verdict}");
            assert!((verdict.length - 36.0).abs() < 1e-9);
            assert_eq!(
                (verdict.components, verdict.cycles, verdict.ends),
                (1, 0, 2)
            );
            let deviation = verdict.deviation.unwrap();
            assert!(deviation.max < 1e-9 && (deviation.length_ratio - 0.9).abs() < 1e-9);
        }
    }
}

#[test]
fn empty_skeleton_and_single_point_fail_for_a_rod() {
    let verdict = check_skeleton(&rod(), &[], &[]);
    assert_eq!(failed_properties(&verdict), ["homotopy", "cover"]);
    let verdict = check_skeleton(&rod(), &[[0.0; 3]], &[]);
    assert_eq!(failed_properties(&verdict), ["cover"]);
    let fault = verdict.cover.first.unwrap();
    assert_eq!(fault.component, Some(0));
    // the coverage radius of 1.5 times a radius of 4, plus 4, is 10 of 20
    assert!((0.4..0.6).contains(&verdict.covered), "{}", verdict.covered);
}

#[test]
fn skeleton_in_two_parts_fails() {
    let nodes = [
        [-19.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [19.0, 0.0, 0.0],
    ];
    let verdict = check_skeleton(&rod(), &nodes, &[(0, 1, vec![]), (2, 3, vec![])]);
    assert_eq!(failed_properties(&verdict), ["homotopy"]);
    assert!(
        verdict.to_string().contains("2 parts in one component"),
        "{verdict}"
    );
}

#[test]
fn off_axis_curve_is_not_centred() {
    let verdict = check_skeleton(
        &rod(),
        &[[-19.0, 1.0, 0.0], [19.0, 1.0, 0.0]],
        &[(0, 1, vec![])],
    );
    assert_eq!(failed_properties(&verdict), ["centred"]);
    assert!((verdict.deviation.unwrap().mean - 1.0).abs() < 1e-9);
}

#[test]
fn curve_outside_the_object_fails() {
    let nodes = [[-19.0, 0.0, 0.0], [19.0, 0.0, 0.0]];
    let over = |y: f64| vec![[-1.0, 0.0, 0.0], [0.0, y, 0.0], [1.0, 0.0, 0.0]];
    let verdict = check_skeleton(&rod(), &nodes, &[(0, 1, over(3.51))]);
    assert_eq!(failed_properties(&verdict), ["inside", "centred"]);
    assert!(verdict.inside_share > 0.99 && verdict.inside_share < 1.0);
    // the border of the cubes is not outside: 3.5 is the last plane
    let verdict = check_skeleton(&rod(), &nodes, &[(0, 1, over(3.5))]);
    assert_eq!(failed_properties(&verdict), ["centred"]);
    let verdict = check_skeleton(
        &rod(),
        &[[-19.0, 0.0, 0.0], [30.0, 0.0, 0.0]],
        &[(0, 1, vec![])],
    );
    assert!(failed_properties(&verdict).contains(&"inside"));
}

#[test]
fn curve_that_doubles_back_is_not_thin() {
    let nodes = [[-19.0, 0.0, 0.0], [19.0, 0.0, 0.0]];
    let forth = [5.0, 0.0, 0.0];
    let back = [1.0, 0.0, 0.0];
    let verdict = check_skeleton(&rod(), &nodes, &[(0, 1, vec![forth, back])]);
    assert_eq!(failed_properties(&verdict), ["thin"]);
    let positions = [forth, back].into_iter().cycle().take(200).collect();
    let verdict = check_skeleton(&rod(), &nodes, &[(0, 1, positions)]);
    assert!(failed_properties(&verdict).contains(&"thin"));
    // two coincident points
    let verdict = check_skeleton(&rod(), &nodes, &[(0, 1, vec![forth, forth])]);
    assert_eq!(failed_properties(&verdict), ["thin"]);
}

#[test]
fn helical_curve_is_not_thin() {
    // a helix in the rod, three times as long as the rod
    let wound = (1..400).map(|n| {
        let angle = f64::from(n) * 0.25;
        [
            -19.0 + 38.0 * f64::from(n) / 400.0,
            1.2 * angle.cos(),
            1.2 * angle.sin(),
        ]
    });
    let nodes = [[-19.0, 0.0, 0.0], [19.0, 0.0, 0.0]];
    let verdict = check_skeleton(&rod(), &nodes, &[(0, 1, wound.collect())]);
    assert_eq!(failed_properties(&verdict), ["thin", "centred"]);
    assert!(verdict.thin.first.unwrap().what.contains("would suffice"));
}

#[test]
fn contractible_cycle_fails() {
    let nodes = [
        [-19.0, 0.0, 0.0],
        [-3.0, 0.0, 0.0],
        [3.0, 0.0, 0.0],
        [19.0, 0.0, 0.0],
    ];
    let edges = [
        (0, 1, vec![]),
        (1, 2, vec![[0.0, 1.0, 0.0]]),
        (1, 2, vec![[0.0, -1.0, 0.0]]),
        (2, 3, vec![]),
    ];
    let verdict = check_skeleton(&rod(), &nodes, &edges);
    assert_eq!(failed_properties(&verdict), ["homotopy"]);
    assert_eq!(verdict.cycles, 1);
}

fn ring() -> ReferenceObject {
    simple::ring([0.0, 0.0, 1.0], 12.0, 2.0, Grid::unit())
}

#[test]
fn circle_of_a_ring_passes() {
    let verdict = check_skeleton(
        &ring(),
        &[[12.0, 0.0, 0.0]],
        &[(0, 0, circle(12.0, 0.0, 1.0, 90))],
    );
    assert!(verdict.holds(), "{verdict}");
    assert_eq!(
        (verdict.components, verdict.cycles, verdict.ends),
        (1, 1, 0)
    );
    let halves = [
        (0, 1, circle(12.0, 0.0, 0.5, 45)),
        (1, 0, circle(12.0, 0.5, 1.0, 45)),
    ];
    let verdict = check_skeleton(&ring(), &[[12.0, 0.0, 0.0], [-12.0, 0.0, 0.0]], &halves);
    assert!(verdict.holds(), "{verdict}");
}

#[test]
fn open_ring_and_contractible_cycle_fail() {
    let mut open = circle(12.0, 0.0, 0.98, 90);
    let end = open.pop().unwrap();
    let verdict = check_skeleton(&ring(), &[[12.0, 0.0, 0.0], end], &[(0, 1, open.clone())]);
    assert_eq!(failed_properties(&verdict), ["homotopy"], "{verdict}");
    // the number of cycles is correct, but the cycle surrounds nothing: numbers agree, classes do
    // not
    let small = |x: f64, y: f64| [12.0 + x, y, 0.0];
    let edges = [
        (0, 1, open),
        (
            0,
            0,
            vec![small(0.7, -1.0), small(0.0, -1.8), small(-0.7, -1.0)],
        ),
    ];
    let verdict = check_skeleton(&ring(), &[[12.0, 0.0, 0.0], end], &edges);
    assert_eq!(verdict.cycles, 1);
    assert!(failed_properties(&verdict).contains(&"homotopy"));
    assert!(
        verdict.to_string().contains("surrounds no tunnel"),
        "{verdict}"
    );
}

#[test]
fn ring_traversed_twice_fails() {
    // modulo 2 this is no cycle around the hole, and it passes the same positions twice
    let twice = circle(12.0, 0.0, 2.0, 181);
    let verdict = check_skeleton(&ring(), &[[12.0, 0.0, 0.0]], &[(0, 0, twice)]);
    assert!(
        failed_properties(&verdict).contains(&"homotopy")
            && failed_properties(&verdict).contains(&"thin"),
        "{verdict}"
    );
}

/// Returns the curve around the hole of [`solid::tunnel_and_cavity`], as voxels.
fn around_the_hole() -> Vec<Position> {
    vec![[5.0, 17.5, 9.5], [20.0, 17.5, 9.5], [20.0, 5.5, 9.5]]
}

#[test]
fn cycle_must_surround_the_tunnel_not_the_cavity() {
    let reference = solid::tunnel_and_cavity();
    let nodes = [[5.0, 5.5, 9.5], [39.0, 5.5, 9.5]];
    let verdict = check_skeleton(
        &reference,
        &nodes,
        &[
            (0, 0, around_the_hole()),
            (0, 1, vec![[7.0, 4.0, 9.5], [23.0, 4.0, 9.5]]),
        ],
    );
    assert!(
        verdict.homotopy.holds() && verdict.inside.holds(),
        "{verdict}"
    );
    // around the cavity instead: it surrounds nothing, though the numbers agree
    let elsewhere = vec![[23.0, 19.0, 9.5], [37.0, 19.0, 9.5], [37.0, 4.0, 9.5]];
    let verdict = check_skeleton(&reference, &[[23.0, 4.0, 9.5]], &[(0, 0, elsewhere)]);
    assert!(verdict.inside.holds());
    assert!(!verdict.homotopy.holds());
    // no cycle at all: the Euler characteristic would not reveal it
    let verdict = check_skeleton(
        &reference,
        &[[23.0, 4.0, 9.5], [37.0, 4.0, 9.5]],
        &[(0, 1, vec![])],
    );
    assert!(
        verdict.to_string().contains("0 cycles for 1 tunnels"),
        "{verdict}"
    );
}

#[test]
fn cycles_must_be_independent() {
    let reference = solid::plate(3, 2);
    // holes at x 12..17 and 24..29, y 12..17
    let around = |first: f64, last: f64, y: [f64; 2]| {
        vec![[first, y[1], 3.0], [last, y[1], 3.0], [last, y[0], 3.0]]
    };
    let nodes = [[9.0, 9.0, 3.0], [21.0, 8.0, 3.0]];
    let right = [
        (0, 0, around(9.0, 19.0, [9.0, 20.0])),
        (1, 1, around(21.0, 32.0, [8.0, 21.0])),
        (0, 1, vec![[9.0, 7.0, 3.0], [21.0, 7.0, 3.0]]),
    ];
    let verdict = check_skeleton(&reference, &nodes, &right);
    assert!(
        verdict.homotopy.holds() && verdict.inside.holds(),
        "{verdict}"
    );
    assert_eq!(verdict.cycles, 2);
    // the same hole twice
    let wrong = [
        (0, 0, around(9.0, 19.0, [9.0, 20.0])),
        (
            1,
            1,
            vec![[21.0, 22.0, 3.0], [7.0, 22.0, 3.0], [7.0, 8.0, 3.0]],
        ),
        (0, 1, vec![[9.0, 7.0, 3.0], [21.0, 7.0, 3.0]]),
    ];
    let verdict = check_skeleton(&reference, &nodes, &wrong);
    assert_eq!(verdict.cycles, 2);
    assert!(!verdict.homotopy.holds());
}

#[test]
fn path_around_a_tunnel_has_another_class() {
    // the long way around the ring, with the hole closed by the short one
    let nodes = [
        [12.0, 0.0, 0.0],
        [12.0 * 0.2f64.cos(), 12.0 * 0.2f64.sin(), 0.0],
    ];
    let part = 0.2 / TAU;
    let edges = [
        (0, 1, circle(12.0, 0.0, part, 4)),
        (1, 0, circle(12.0, part, 1.0, 90)),
    ];
    let verdict = check_skeleton(&ring(), &nodes, &edges);
    assert!(verdict.holds(), "{verdict}");
}

#[test]
fn touching_voxels_are_connected() {
    let corner = solid::touching_at_a_corner();
    let verdict = check_skeleton(&corner, &[[2.0; 3], [3.0; 3]], &[(0, 1, vec![])]);
    assert!(verdict.holds(), "{verdict}");
    // next to the corner it is outside
    let verdict = check_skeleton(
        &corner,
        &[[2.0; 3], [3.0; 3]],
        &[(0, 1, vec![[2.5, 2.5, 2.499]])],
    );
    assert_eq!(failed_properties(&verdict), ["inside"]);
    let edge = solid::touching_at_an_edge();
    let verdict = check_skeleton(
        &edge,
        &[[2.0, 2.0, 2.2], [3.0, 3.0, 1.8]],
        &[(0, 1, vec![])],
    );
    assert!(verdict.holds(), "{verdict}");
    let verdict = check_skeleton(
        &solid::ring_of_corners(),
        &[[1.0, 2.0, 1.0]],
        &[(
            0,
            0,
            vec![[2.0, 3.0, 1.0], [3.0, 2.0, 1.0], [2.0, 1.0, 1.0]],
        )],
    );
    assert!(verdict.holds(), "{verdict}");
}

#[test]
fn isolated_voxels_need_a_node_each() {
    let dust = random::dust([6, 5, 4]);
    let voxels = |x: usize, y: usize, z: usize| [x, y, z].map(|c| (2 * c + 1) as f64);
    let mut nodes: Vec<Position> = (0..120).map(|n| voxels(n % 6, n / 6 % 5, n / 30)).collect();
    assert!(check_skeleton(&dust, &nodes, &[]).holds());
    nodes.pop();
    let verdict = check_skeleton(&dust, &nodes, &[]);
    assert_eq!((verdict.homotopy.faults, verdict.cover.faults), (1, 1));
}

#[test]
fn missing_branch_is_not_covered() {
    let reference = simple::thin_branch(Grid::unit());
    let axes: Vec<Axis> = reference.axes.clone();
    let trunk: Vec<Position> = axes[0].points.iter().map(|&p| p.into()).collect();
    let branch: Vec<Position> = axes[1].points.iter().map(|&p| p.into()).collect();
    let nodes = [trunk[0], trunk[1], branch[0], branch[1]];
    let verdict = check_skeleton(&reference, &nodes[..2], &[(0, 1, vec![])]);
    assert_eq!(failed_properties(&verdict), ["cover"]);
    let all = [(0, 2, vec![]), (2, 1, vec![]), (2, 3, vec![])];
    let verdict = check_skeleton(&reference, &nodes, &all);
    assert!(verdict.holds(), "{verdict}");
}
