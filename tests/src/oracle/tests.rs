//! The checker finds right what is right, and wrong what is wrong, each property by itself.

use super::{Object, Rules, Verdict, check};
use crate::known::{Axis, Grid, Known, random, simple, solid};
use ferrovox::graph::{Edge, Node, NodeKind, Skeleton};
use nalgebra::Point3;
use std::f64::consts::TAU;

type Place = [f64; 3];

/// A skeleton in the world of an object.
fn skeleton(known: &Known, nodes: &[Place], edges: &[(usize, usize, Vec<Place>)]) -> Skeleton {
    let geometry = *known.voxels.geometry();
    let voxels = |place: Place| geometry.world_to_index(Point3::from(place));
    let nodes: Vec<Node> = nodes
        .iter()
        .map(|&place| Node {
            kind: NodeKind::Junction,
            position: voxels(place),
            eigenvalues: None,
            radius: 0.0,
            component: 0,
        })
        .collect();
    let edges = edges.iter().map(|(a, b, inner)| {
        let mut points = vec![nodes[*a].position];
        points.extend(inner.iter().map(|&place| voxels(place)));
        points.push(nodes[*b].position);
        Edge {
            nodes: [*a, *b],
            radii: vec![0.0; points.len()],
            points,
            level: 0,
        }
    });
    Skeleton {
        edges: edges.collect(),
        nodes,
        geometry,
    }
}

fn verdict(known: &Known, nodes: &[Place], edges: &[(usize, usize, Vec<Place>)]) -> Verdict {
    let object = Object::of(&known.voxels);
    let made = skeleton(known, nodes, edges);
    made.validate().unwrap();
    check(&object, &made, &Rules::default(), &known.axes)
}

/// Which properties fail.
fn fails(verdict: &Verdict) -> Vec<&'static str> {
    let properties = verdict.properties().into_iter();
    let failing = properties.filter(|(_, property)| !property.holds());
    failing.map(|(name, _)| name).collect()
}

/// Points of a circle about z, the ends left out.
fn circle(radius: f64, from: f64, to: f64, count: usize) -> Vec<Place> {
    let at = |n: usize| TAU * (from + (to - from) * n as f64 / count as f64);
    (1..count)
        .map(|n| [radius * at(n).cos(), radius * at(n).sin(), 0.0])
        .collect()
}

fn rod() -> Known {
    simple::rod([1.0, 0.0, 0.0], 3.0, 40.0, Grid::unit())
}

#[test]
fn a_rod_with_its_axis() {
    for spacing in Grid::SPACINGS {
        for direction in simple::DIRECTIONS {
            let rod = simple::rod(direction, 3.0, 40.0, Grid::spaced(spacing));
            let axis = &rod.axes[0];
            // the cubes of oblique rods begin inside of the flat ends
            let from = axis.points[0] + (axis.points[1] - axis.points[0]) * 0.05;
            let to = axis.points[0] + (axis.points[1] - axis.points[0]) * 0.95;
            let found = verdict(&rod, &[from.into(), to.into()], &[(0, 1, vec![])]);
            assert!(found.holds(), "{spacing:?} {direction:?}: {found}");
            assert!((found.length - 36.0).abs() < 1e-9);
            assert_eq!((found.pieces, found.cycles, found.ends), (1, 0, 2));
            let deviation = found.deviation.unwrap();
            assert!(deviation.most < 1e-9 && (deviation.share - 0.9).abs() < 1e-9);
        }
    }
}

#[test]
fn nothing_and_a_point_are_no_skeleton_of_a_rod() {
    let found = verdict(&rod(), &[], &[]);
    assert_eq!(fails(&found), ["homotopy", "cover"]);
    let found = verdict(&rod(), &[[0.0; 3]], &[]);
    assert_eq!(fails(&found), ["cover"]);
    let fault = found.cover.first.unwrap();
    assert_eq!(fault.component, Some(0));
    // 1.5 times a radius of 4, as the voxels' distances have it, and 4 are 10 of 20
    assert!((0.4..0.6).contains(&found.covered), "{}", found.covered);
}

#[test]
fn a_rod_in_two_pieces() {
    let nodes = [
        [-19.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [19.0, 0.0, 0.0],
    ];
    let found = verdict(&rod(), &nodes, &[(0, 1, vec![]), (2, 3, vec![])]);
    assert_eq!(fails(&found), ["homotopy"]);
    assert!(
        found.to_string().contains("2 pieces in one component"),
        "{found}"
    );
}

#[test]
fn a_curve_beside_the_axis() {
    let found = verdict(
        &rod(),
        &[[-19.0, 1.0, 0.0], [19.0, 1.0, 0.0]],
        &[(0, 1, vec![])],
    );
    assert_eq!(fails(&found), ["centred"]);
    assert!((found.deviation.unwrap().mean - 1.0).abs() < 1e-9);
}

#[test]
fn a_curve_that_leaves() {
    let nodes = [[-19.0, 0.0, 0.0], [19.0, 0.0, 0.0]];
    let over = |y: f64| vec![[-1.0, 0.0, 0.0], [0.0, y, 0.0], [1.0, 0.0, 0.0]];
    let found = verdict(&rod(), &nodes, &[(0, 1, over(3.51))]);
    assert_eq!(fails(&found), ["inside", "centred"]);
    assert!(found.inside_share > 0.99 && found.inside_share < 1.0);
    // to the border of the cubes it does not leave: 3.5 is the last plane
    let found = verdict(&rod(), &nodes, &[(0, 1, over(3.5))]);
    assert_eq!(fails(&found), ["centred"]);
    let found = verdict(
        &rod(),
        &[[-19.0, 0.0, 0.0], [30.0, 0.0, 0.0]],
        &[(0, 1, vec![])],
    );
    assert!(fails(&found).contains(&"inside"));
}

#[test]
fn a_curve_that_goes_back_and_forth() {
    let nodes = [[-19.0, 0.0, 0.0], [19.0, 0.0, 0.0]];
    let there = [5.0, 0.0, 0.0];
    let back = [1.0, 0.0, 0.0];
    let found = verdict(&rod(), &nodes, &[(0, 1, vec![there, back])]);
    assert_eq!(fails(&found), ["thin"]);
    let places = [there, back].into_iter().cycle().take(200).collect();
    let found = verdict(&rod(), &nodes, &[(0, 1, places)]);
    assert!(fails(&found).contains(&"thin"));
    // two points in one place
    let found = verdict(&rod(), &nodes, &[(0, 1, vec![there, there])]);
    assert_eq!(fails(&found), ["thin"]);
}

#[test]
fn a_curve_that_winds() {
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
    let found = verdict(&rod(), &nodes, &[(0, 1, wound.collect())]);
    assert_eq!(fails(&found), ["thin", "centred"]);
    assert!(found.thin.first.unwrap().what.contains("would do"));
}

#[test]
fn a_cycle_that_is_none() {
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
    let found = verdict(&rod(), &nodes, &edges);
    assert_eq!(fails(&found), ["homotopy"]);
    assert_eq!(found.cycles, 1);
}

fn ring() -> Known {
    simple::ring([0.0, 0.0, 1.0], 12.0, 2.0, Grid::unit())
}

#[test]
fn a_ring_with_its_circle() {
    let found = verdict(
        &ring(),
        &[[12.0, 0.0, 0.0]],
        &[(0, 0, circle(12.0, 0.0, 1.0, 90))],
    );
    assert!(found.holds(), "{found}");
    assert_eq!((found.pieces, found.cycles, found.ends), (1, 1, 0));
    let halves = [
        (0, 1, circle(12.0, 0.0, 0.5, 45)),
        (1, 0, circle(12.0, 0.5, 1.0, 45)),
    ];
    let found = verdict(&ring(), &[[12.0, 0.0, 0.0], [-12.0, 0.0, 0.0]], &halves);
    assert!(found.holds(), "{found}");
}

#[test]
fn a_ring_that_is_open_or_has_a_cycle_elsewhere() {
    let mut open = circle(12.0, 0.0, 0.98, 90);
    let end = open.pop().unwrap();
    let found = verdict(&ring(), &[[12.0, 0.0, 0.0], end], &[(0, 1, open.clone())]);
    assert_eq!(fails(&found), ["homotopy"], "{found}");
    // one cycle, as there should be, but around nothing: numbers agree, classes do not
    let small = |x: f64, y: f64| [12.0 + x, y, 0.0];
    let edges = [
        (0, 1, open),
        (
            0,
            0,
            vec![small(0.7, -1.0), small(0.0, -1.8), small(-0.7, -1.0)],
        ),
    ];
    let found = verdict(&ring(), &[[12.0, 0.0, 0.0], end], &edges);
    assert_eq!(found.cycles, 1);
    assert!(fails(&found).contains(&"homotopy"));
    assert!(found.to_string().contains("no tunnel"), "{found}");
}

#[test]
fn a_ring_twice_around() {
    // mod 2 that is no cycle around the hole; and it passes the same way twice
    let twice = circle(12.0, 0.0, 2.0, 181);
    let found = verdict(&ring(), &[[12.0, 0.0, 0.0]], &[(0, 0, twice)]);
    assert!(
        fails(&found).contains(&"homotopy") && fails(&found).contains(&"thin"),
        "{found}"
    );
}

/// The curve that goes around the hole of [`solid::tunnel_and_cavity`], as voxels.
fn around_the_hole() -> Vec<Place> {
    vec![[5.0, 17.5, 9.5], [20.0, 17.5, 9.5], [20.0, 5.5, 9.5]]
}

#[test]
fn a_tunnel_and_a_cavity() {
    let known = solid::tunnel_and_cavity();
    let nodes = [[5.0, 5.5, 9.5], [39.0, 5.5, 9.5]];
    let found = verdict(
        &known,
        &nodes,
        &[
            (0, 0, around_the_hole()),
            (0, 1, vec![[7.0, 4.0, 9.5], [23.0, 4.0, 9.5]]),
        ],
    );
    assert!(found.homotopy.holds() && found.inside.holds(), "{found}");
    // around the hollow instead: that is around nothing, though the numbers agree
    let elsewhere = vec![[23.0, 19.0, 9.5], [37.0, 19.0, 9.5], [37.0, 4.0, 9.5]];
    let found = verdict(&known, &[[23.0, 4.0, 9.5]], &[(0, 0, elsewhere)]);
    assert!(found.inside.holds());
    assert!(!found.homotopy.holds());
    // none at all: the Euler number would not tell
    let found = verdict(
        &known,
        &[[23.0, 4.0, 9.5], [37.0, 4.0, 9.5]],
        &[(0, 1, vec![])],
    );
    assert!(
        found.to_string().contains("0 cycles for 1 tunnels"),
        "{found}"
    );
}

#[test]
fn two_holes_with_cycles_that_depend() {
    let known = solid::plate(3, 2);
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
    let found = verdict(&known, &nodes, &right);
    assert!(found.homotopy.holds() && found.inside.holds(), "{found}");
    assert_eq!(found.cycles, 2);
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
    let found = verdict(&known, &nodes, &wrong);
    assert_eq!(found.cycles, 2);
    assert!(!found.homotopy.holds());
}

#[test]
fn way_around_a_tunnel_is_of_another_class() {
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
    let found = verdict(&ring(), &nodes, &edges);
    assert!(found.holds(), "{found}");
}

#[test]
fn voxels_that_touch() {
    let corner = solid::touching_at_a_corner();
    let found = verdict(&corner, &[[2.0; 3], [3.0; 3]], &[(0, 1, vec![])]);
    assert!(found.holds(), "{found}");
    // beside the corner it is outside
    let found = verdict(
        &corner,
        &[[2.0; 3], [3.0; 3]],
        &[(0, 1, vec![[2.5, 2.5, 2.499]])],
    );
    assert_eq!(fails(&found), ["inside"]);
    let edge = solid::touching_at_an_edge();
    let found = verdict(
        &edge,
        &[[2.0, 2.0, 2.2], [3.0, 3.0, 1.8]],
        &[(0, 1, vec![])],
    );
    assert!(found.holds(), "{found}");
    let found = verdict(
        &solid::ring_of_corners(),
        &[[1.0, 2.0, 1.0]],
        &[(
            0,
            0,
            vec![[2.0, 3.0, 1.0], [3.0, 2.0, 1.0], [2.0, 1.0, 1.0]],
        )],
    );
    assert!(found.holds(), "{found}");
}

#[test]
fn dust_is_its_points() {
    let dust = random::dust([6, 5, 4]);
    let voxels = |x: usize, y: usize, z: usize| [x, y, z].map(|c| (2 * c + 1) as f64);
    let mut nodes: Vec<Place> = (0..120).map(|n| voxels(n % 6, n / 6 % 5, n / 30)).collect();
    assert!(verdict(&dust, &nodes, &[]).holds());
    nodes.pop();
    let found = verdict(&dust, &nodes, &[]);
    assert_eq!((found.homotopy.faults, found.cover.faults), (1, 1));
}

#[test]
fn a_lost_branch() {
    let known = simple::thin_branch(Grid::unit());
    let axes: Vec<Axis> = known.axes.clone();
    let trunk: Vec<Place> = axes[0].points.iter().map(|&p| p.into()).collect();
    let branch: Vec<Place> = axes[1].points.iter().map(|&p| p.into()).collect();
    let nodes = [trunk[0], trunk[1], branch[0], branch[1]];
    let found = verdict(&known, &nodes[..2], &[(0, 1, vec![])]);
    assert_eq!(fails(&found), ["cover"]);
    let all = [(0, 2, vec![]), (2, 1, vec![]), (2, 3, vec![])];
    let found = verdict(&known, &nodes, &all);
    assert!(found.holds(), "{found}");
}
