//! Skeletons are connected where their solids are, and reach into what protrudes.

use super::skeleton_classes::mask;
use ferrovox::{
    device::Stream,
    grid::{Geometry, Volume},
    skeleton::{
        components,
        potential_field::{self, Extraction, Hierarchy},
    },
};
use ferrovox_tests::{devices, noise::Noise, solids::Solid};
use nalgebra::{Point3, Rotation3, Unit, Vector3};

/// The skeleton, of which every part has been seen to be inside, and each component to be in one
/// piece.
fn made(stream: &Stream, voxels: &Volume<u8>, hierarchy: Hierarchy) -> Extraction {
    let params = potential_field::Params {
        hierarchy,
        ..potential_field::Params::default()
    };
    let mask = mask(stream, voxels);
    let made = potential_field::extract(stream, &mask, &params).unwrap();
    made.skeleton.validate().unwrap();
    let [nx, ny, _] = voxels.dims();
    for point in made.skeleton.edges.iter().flat_map(|edge| &edge.points) {
        let [x, y, z] = [point.x, point.y, point.z].map(|at| at.round() as usize);
        assert_eq!(voxels.samples()[(z * ny + y) * nx + x], 1, "{point}");
    }
    let pieces = made.skeleton.components();
    let solid = components(stream, &mask).unwrap();
    assert_eq!(pieces.count, solid.count());
    for (node, &piece) in made.skeleton.nodes.iter().zip(&pieces.labels) {
        let other = pieces.labels.iter().position(|&label| label == piece);
        assert_eq!(
            node.component,
            made.skeleton.nodes[other.unwrap()].component
        );
    }
    made
}

/// How near the skeleton comes to a point.
fn nearest(made: &Extraction, to: Point3<f64>) -> f64 {
    let points = made.skeleton.edges.iter().flat_map(|edge| &edge.points);
    points
        .map(|at| (at - to).norm())
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn level_1_reaches_the_tips() {
    let (z, oblique) = ([0.0, 0.0, 1.0], [1.0, 2.0, 3.0]);
    let capsule = Solid::capsule(9.0, 41.0);
    let cases = [
        (capsule.clone(), z, 0.0),
        (capsule.shifted([0.5, 0.25, 0.0]), z, 0.0),
        (capsule.turned(z, 0.5), z, 0.5),
        (capsule.turned(oblique, 0.9), oblique, 0.9),
    ];
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for (solid, axis, angle) in &cases {
            let core = made(&stream, &solid.voxels(), Hierarchy::Core);
            let one = made(&stream, &solid.voxels(), Hierarchy::Divergence);
            let turn = Rotation3::from_axis_angle(&Unit::new_normalize((*axis).into()), *angle);
            for side in [-20.5, 20.5] {
                // the middle of the half ball at the end
                let tip = solid.origin() + turn * Vector3::new(side, 0.0, 0.0);
                let (before, after) = (nearest(&core, tip), nearest(&one, tip));
                let what = format!("{}, {}: {before} {after}", test.label, solid.name);
                assert!(before > 8.0 && after < 2.0, "{what}");
            }
            assert_eq!((one.bridges, one.skeleton.chains().len()), (0, 1));
        }
    }
}

#[test]
fn level_2_reaches_the_corners_of_a_cube() {
    let solid = Solid::cuboid([10.0; 3]);
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let made = made(&stream, &solid.voxels(), Hierarchy::Curvature);
        let tips: Vec<Point3<f64>> = made
            .skeleton
            .edges
            .iter()
            .filter(|edge| edge.level == 2)
            .map(|edge| edge.points[0])
            .filter(|tip| (tip - solid.origin()).norm() > 12.0)
            .collect();
        assert_eq!(tips.len(), 8, "{}: {tips:?}", test.label);
        for corner in 0..8 {
            let side = |axis: usize| if corner >> axis & 1 == 1 { 10.0 } else { -10.0 };
            let corner = solid.origin() + Vector3::new(side(0), side(1), side(2));
            let near = tips.iter().filter(|tip| (*tip - corner).norm() < 3.0);
            assert_eq!(near.count(), 1, "{}: {corner}, {tips:?}", test.label);
        }
    }
}

#[test]
fn what_a_thin_bar_joins_is_joined() {
    // two balls, and between them a bar of one voxel by one, in which there is no force
    let solid = Solid::new("dumbbell", [16.0, 5.0, 5.0], |p| {
        let bar = p.y.abs() < 0.5 && p.z.abs() < 0.5 && p.x.abs() < 14.0;
        bar || (p.x.abs() - 11.0).hypot(p.y).hypot(p.z) <= 5.0
    });
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for (solid, most) in [
            (solid.clone(), 0.01),
            (solid.turned([0.0, 0.0, 1.0], 0.6), 1.5),
        ] {
            let made = made(&stream, &solid.voxels(), Hierarchy::Core);
            assert_eq!(made.bridges, 1, "{}, {}", test.label, solid.name);
            assert!(!made.certificate[0].is_balanced());
            // through the bar's middle
            assert!(nearest(&made, solid.origin()) < most, "{}", test.label);
            assert!((made.skeleton.length() - 22.0).abs() < 4.0);
            assert!(made.skeleton.edges[0].radii.iter().all(|&r| r >= 0.5));
        }
    }
}

#[test]
fn heaps_of_balls_are_connected_where_they_touch() {
    let mut noise = Noise(77);
    for balls in [3, 9, 20] {
        let places: Vec<[f64; 4]> = (0..balls)
            .map(|_| {
                let [x, y, z] = [22, 18, 14].map(|n| 2.0 + noise.below(n) as f64);
                [x, y, z, 0.6 + noise.below(40) as f64 * 0.1]
            })
            .collect();
        let voxels = Volume::from_fn([26, 22, 18], Geometry::default(), |x, y, z| {
            let at = Vector3::new(x as f64, y as f64, z as f64);
            let near = |&[x, y, z, r]: &[f64; 4]| (at - Vector3::new(x, y, z)).norm() <= r;
            u8::from(places.iter().any(near))
        });
        let voxels = voxels.unwrap();
        for test in devices::fast() {
            let stream = test.device.stream().unwrap();
            made(&stream, &voxels, Hierarchy::Curvature);
        }
    }
}

#[test]
fn nothing_is_joined_that_is_apart_nor_where_all_hangs_together() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for solid in [Solid::torus(12.0, 5.0), Solid::y_of_tubes(5.0, 16.0)] {
            let made = made(&stream, &solid.voxels(), Hierarchy::Divergence);
            assert_eq!(made.bridges, 0, "{}, {}", test.label, solid.name);
        }
    }
}
