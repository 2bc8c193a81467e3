//! Skeletons are connected within each component of their solid, and reach into protrusions.

use super::skeleton_classes::mask;
use ferrovox::{
    device::{Device, Stream},
    grid::{Geometry, Volume},
    skeleton::{
        components,
        potential_field::{self, Extraction, Hierarchy},
    },
};
use ferrovox_tests::{devices, noise::Noise, solids::Solid};
use nalgebra::{Point3, Rotation3, Unit, Vector3};

/// Extracts a skeleton and checks that every point is inside and each component has one part.
fn extract_connected(stream: &Stream, voxels: &Volume<u8>, hierarchy: Hierarchy) -> Extraction {
    let params = potential_field::Params {
        hierarchy,
        ..potential_field::Params::default()
    };
    let mask = mask(stream, voxels);
    let extraction = potential_field::extract(stream, &mask, &params).unwrap();
    extraction.skeleton.validate().unwrap();
    let [nx, ny, _] = voxels.dims();
    for point in extraction
        .skeleton
        .edges
        .iter()
        .flat_map(|edge| &edge.points)
    {
        let [x, y, z] = [point.x, point.y, point.z].map(|at| at.round() as usize);
        assert_eq!(voxels.samples()[(z * ny + y) * nx + x], 1, "{point}");
    }
    let parts = extraction.skeleton.components();
    let solid = components(stream, &mask).unwrap();
    assert_eq!(parts.count, solid.count());
    for (node, &part) in extraction.skeleton.nodes.iter().zip(&parts.labels) {
        let first_node = parts.labels.iter().position(|&label| label == part);
        assert_eq!(
            node.component,
            extraction.skeleton.nodes[first_node.unwrap()].component
        );
    }
    extraction
}

/// Returns the distance of the skeleton from a point.
fn distance_to_skeleton(extraction: &Extraction, to: Point3<f64>) -> f64 {
    let points = extraction
        .skeleton
        .edges
        .iter()
        .flat_map(|edge| &edge.points);
    points
        .map(|at| (at - to).norm())
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn divergence_level_reaches_the_ends_of_a_capsule() {
    let (z, oblique) = ([0.0, 0.0, 1.0], [1.0, 2.0, 3.0]);
    let capsule = Solid::capsule(9.0, 41.0);
    let cases = [
        (capsule.clone(), z, 0.0),
        (capsule.shifted([0.5, 0.25, 0.0]), z, 0.0),
        (capsule.rotated(z, 0.5), z, 0.5),
        (capsule.rotated(oblique, 0.9), oblique, 0.9),
    ];
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for (solid, axis, angle) in &cases {
            let core = extract_connected(&stream, &solid.voxels(), Hierarchy::Core);
            let with_divergence =
                extract_connected(&stream, &solid.voxels(), Hierarchy::Divergence);
            let turn = Rotation3::from_axis_angle(&Unit::new_normalize((*axis).into()), *angle);
            for side in [-20.5, 20.5] {
                // the centre of the hemisphere at the end
                let endpoint = solid.origin() + turn * Vector3::new(side, 0.0, 0.0);
                let (before, after) = (
                    distance_to_skeleton(&core, endpoint),
                    distance_to_skeleton(&with_divergence, endpoint),
                );
                let what = format!("{}, {}: {before} {after}", test.label, solid.name);
                assert!(before > 8.0 && after < 2.0, "{what}");
            }
            assert_eq!(
                (
                    with_divergence.bridges,
                    with_divergence.skeleton.chains().len()
                ),
                (0, 1)
            );
        }
    }
}

/// Rotations about three axes.
const ROTATIONS: [([f64; 3], f64); 4] = [
    ([0.0, 0.0, 1.0], 0.0),
    ([0.0, 0.0, 1.0], 0.5),
    ([1.0, 2.0, 3.0], 0.9),
    ([3.0, 1.0, 2.0], 2.2),
];

/// Extracts the skeletons of a solid in several rotations, and calls `check` with the rotation, the
/// free ends relative to the unrotated solid, and the number of ends of the curvature level.
fn check_curvature_ends(solid: &Solid, check: impl Fn(&str, &[Point3<f64>], usize)) {
    let stream = Device::cpu().stream().unwrap();
    for (axis, angle) in ROTATIONS {
        let rotated = solid.rotated(axis, angle);
        let extraction = extract_connected(&stream, &rotated.voxels(), Hierarchy::Curvature);
        let skeleton = &extraction.skeleton;
        let turn = Rotation3::from_axis_angle(&Unit::new_normalize(axis.into()), angle);
        let degrees = skeleton.degrees();
        let free = (0..degrees.len()).filter(|&node| degrees[node] == 1);
        let ends: Vec<Point3<f64>> = free
            .map(|node| turn.inverse() * (skeleton.nodes[node].position - rotated.origin()))
            .map(Point3::from)
            .collect();
        let edges = skeleton.edges.iter();
        check(
            &rotated.name,
            &ends,
            edges.filter(|edge| edge.level == 2).count(),
        );
    }
}

#[test]
fn curvature_level_reaches_the_corners_of_boxes() {
    for half in [[16.0; 3], [12.0, 12.0, 24.0]] {
        check_curvature_ends(&Solid::cuboid(half), |name, ends, _| {
            assert_eq!(ends.len(), 8, "{name}: {ends:?}");
            for corner in 0..8 {
                let side = |axis: usize| half[axis] * f64::from(2 * (corner >> axis & 1) - 1);
                let corner = Point3::new(side(0), side(1), side(2));
                let near = ends.iter().filter(|end| (*end - corner).norm() < 5.0);
                assert_eq!(near.count(), 1, "{name}: {corner}, {ends:?}");
            }
        });
    }
}

#[test]
fn curvature_level_adds_no_curves_to_round_solids() {
    for solid in [
        Solid::ball(14.0),
        Solid::ball(23.5),
        Solid::capsule(9.0, 41.0),
        Solid::torus(22.0, 8.0),
        Solid::y_of_tubes(7.0, 26.0),
    ] {
        check_curvature_ends(&solid, |name, _, added| assert_eq!(added, 0, "{name}"));
    }
}

#[test]
fn parts_joined_by_a_thin_bar_are_bridged() {
    // two balls connected by a bar of one voxel by one, in which there is no force
    let solid = Solid::new("dumbbell", [16.0, 5.0, 5.0], |p| {
        let bar = p.y.abs() < 0.5 && p.z.abs() < 0.5 && p.x.abs() < 14.0;
        bar || (p.x.abs() - 11.0).hypot(p.y).hypot(p.z) <= 5.0
    });
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for (solid, max_distance) in [
            (solid.clone(), 0.01),
            (solid.rotated([0.0, 0.0, 1.0], 0.6), 1.5),
        ] {
            let extraction = extract_connected(&stream, &solid.voxels(), Hierarchy::Core);
            assert_eq!(extraction.bridges, 1, "{}, {}", test.label, solid.name);
            assert!(!extraction.certificate[0].is_balanced());
            // through the middle of the bar
            assert!(
                distance_to_skeleton(&extraction, solid.origin()) < max_distance,
                "{}",
                test.label
            );
            assert!((extraction.skeleton.length() - 22.0).abs() < 4.0);
            assert!(extraction.skeleton.edges[0].radii.iter().all(|&r| r >= 0.5));
        }
    }
}

#[test]
fn random_clusters_of_balls_have_connected_skeletons() {
    let mut noise = Noise(77);
    for balls in [3, 9, 20] {
        let balls_with_radii: Vec<[f64; 4]> = (0..balls)
            .map(|_| {
                let [x, y, z] = [22, 18, 14].map(|n| 2.0 + noise.below(n) as f64);
                [x, y, z, 0.6 + noise.below(40) as f64 * 0.1]
            })
            .collect();
        let voxels = Volume::from_fn([26, 22, 18], Geometry::default(), |x, y, z| {
            let at = Vector3::new(x as f64, y as f64, z as f64);
            let near = |&[x, y, z, r]: &[f64; 4]| (at - Vector3::new(x, y, z)).norm() <= r;
            u8::from(balls_with_radii.iter().any(near))
        });
        let voxels = voxels.unwrap();
        for test in devices::fast() {
            let stream = test.device.stream().unwrap();
            extract_connected(&stream, &voxels, Hierarchy::Curvature);
        }
    }
}

#[test]
fn no_bridges_without_disconnected_parts() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for solid in [Solid::torus(12.0, 5.0), Solid::y_of_tubes(5.0, 16.0)] {
            let extraction = extract_connected(&stream, &solid.voxels(), Hierarchy::Divergence);
            assert_eq!(extraction.bridges, 0, "{}, {}", test.label, solid.name);
        }
    }
}
