//! Skeletons of analytic solids compared with the specification and with theory.

use super::skeleton_classes::mask;
use ferrovox::{
    device::Stream,
    grid::{Geometry, Volume},
    skeleton::{
        NodeKind, Skeleton,
        potential_field::{self, Extraction, Hierarchy},
    },
};
use ferrovox_tests::{devices, solids::Solid};
use nalgebra::{Point3, Vector3};

fn extract_valid(
    stream: &Stream,
    solid: &Solid,
    exponent: f64,
    hierarchy: Hierarchy,
) -> Extraction {
    let params = potential_field::Params {
        exponent,
        hierarchy,
        ..potential_field::Params::default()
    };
    let extraction =
        potential_field::extract(stream, &mask(stream, &solid.voxels()), &params).unwrap();
    extraction.skeleton.validate().unwrap();
    // all curves are inside
    let voxels = solid.voxels();
    let [nx, ny, _] = voxels.dims();
    for point in extraction
        .skeleton
        .edges
        .iter()
        .flat_map(|edge| &edge.points)
    {
        let [x, y, z] = [point.x, point.y, point.z].map(|at| at.round() as usize);
        assert_eq!(
            voxels.samples()[(z * ny + y) * nx + x],
            1,
            "{} {point}",
            solid.name
        );
    }
    extraction
}

fn attracting_and_saddles(extraction: &Extraction) -> [u64; 2] {
    let certificate = extraction.certificate[0];
    assert!(certificate.is_balanced(), "{certificate:?}");
    assert_eq!(certificate.repelling, 0, "{certificate:?}");
    [certificate.attracting, certificate.saddles_index1]
}

/// Returns the skeleton with edges merged at nodes of degree 2.
fn with_merged_chains(skeleton: &Skeleton) -> Skeleton {
    let mut with_merged_chains = skeleton.clone();
    with_merged_chains.merge_chains();
    with_merged_chains
}

/// Returns the mean and the maximum distance of a skeleton's points from a line.
fn axis_distances(skeleton: &Skeleton, through: Point3<f64>, along: Vector3<f64>) -> [f64; 2] {
    let along = along.normalize();
    let points = skeleton.edges.iter().flat_map(|edge| &edge.points);
    let distances: Vec<f64> = points
        .map(|point| {
            let from = point - through;
            (from - from.dot(&along) * along).norm()
        })
        .collect();
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    [mean, distances.into_iter().fold(0.0, f64::max)]
}

#[test]
fn capsule_has_a_straight_core() {
    let solid = Solid::capsule(9.0, 41.0);
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for (exponent, length) in [(4.0, 34.0), (6.0, 20.0)] {
            let extraction = extract_valid(&stream, &solid, exponent, Hierarchy::Core);
            assert_eq!(
                attracting_and_saddles(&extraction),
                [2, 1],
                "{}",
                test.label
            );
            let core = &extraction.skeleton;
            assert!(
                (core.length() - length).abs() < 1.5,
                "{} {}",
                test.label,
                core.length()
            );
            assert_eq!(with_merged_chains(core).edges.len(), 1);
            let [_, max] = axis_distances(core, solid.origin(), Vector3::x());
            assert!(max < 1e-6, "{} {max}", test.label);
        }
    }
}

#[test]
fn oblique_capsule_has_a_straight_core() {
    let (axis, angle) = ([0.0, 1.0, 1.0], 0.7);
    let solid = Solid::capsule(9.0, 41.0).rotated(axis, angle);
    let turn = nalgebra::Rotation3::from_axis_angle(
        &nalgebra::Unit::new_normalize(Vector3::from(axis)),
        angle,
    );
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let extraction = extract_valid(&stream, &solid, 4.0, Hierarchy::Core);
        attracting_and_saddles(&extraction);
        assert!(extraction.skeleton.is_connected(), "{}", test.label);
        let [mean, _] = axis_distances(&extraction.skeleton, solid.origin(), turn * Vector3::x());
        assert!(mean <= 0.14, "{} {mean}", test.label);
    }
}

#[test]
fn three_tubes_meet_in_one_node() {
    let solid = Solid::y_of_tubes(7.0, 26.0);
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for exponent in [4.0, 6.0] {
            let extraction = extract_valid(&stream, &solid, exponent, Hierarchy::Core);
            attracting_and_saddles(&extraction);
            let core = with_merged_chains(&extraction.skeleton);
            let degrees = core.degrees();
            assert_eq!(core.edges.len(), 3, "{}, m = {exponent}", test.label);
            assert_eq!(degrees.iter().filter(|&&degree| degree == 3).count(), 1);
            let junction = degrees.iter().position(|&degree| degree == 3).unwrap();
            let distance = (core.nodes[junction].position - solid.origin()).norm();
            assert!(
                distance <= 1.6,
                "{}, m = {exponent}: {distance}",
                test.label
            );
        }
    }
}

#[test]
fn l_bar_has_one_curve_through_its_corner() {
    let solid = Solid::l_bar(4.5, 40.0);
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let extraction = extract_valid(&stream, &solid, 4.0, Hierarchy::Core);
        attracting_and_saddles(&extraction);
        let core = with_merged_chains(&extraction.skeleton);
        assert_eq!(core.edges.len(), 1, "{}", test.label);
        let corner = solid.origin() + Vector3::new(-15.5, -15.5, 0.0);
        let points = core.edges[0].points.iter();
        let nearest = points
            .map(|at| (at - corner).norm())
            .fold(f64::INFINITY, f64::min);
        assert!(nearest < 2.0, "{} {nearest}", test.label);
    }
}

#[test]
fn torus_has_one_ring() {
    let solid = Solid::torus(22.0, 8.0);
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for exponent in [3.0, 6.0] {
            let extraction = extract_valid(&stream, &solid, exponent, Hierarchy::Core);
            let [attracting, saddles] = attracting_and_saddles(&extraction);
            assert_eq!(attracting, saddles, "{}, m = {exponent}", test.label);
            assert!(attracting > 0);
            let core = &extraction.skeleton;
            assert!(core.is_connected() && core.cycles() == 1, "{}", test.label);
            assert!(core.degrees().iter().all(|&degree| degree == 2));
            assert_eq!(with_merged_chains(core).edges.len(), 1);
            // at the centre of the tube
            let centre = solid.origin();
            for point in core.edges.iter().flat_map(|edge| &edge.points) {
                let from = point - centre;
                assert!((from.x.hypot(from.y) - 22.0).abs() < 2.5 && from.z.abs() < 0.5);
            }
        }
    }
}

#[test]
fn balls_and_ellipsoids_have_one_point() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for solid in [Solid::ball(10.0), Solid::ellipsoid([13.0, 10.0, 9.0])] {
            let extraction = extract_valid(&stream, &solid, 6.0, Hierarchy::Core);
            assert_eq!(
                attracting_and_saddles(&extraction),
                [1, 0],
                "{}, {}",
                test.label,
                solid.name
            );
            assert!(extraction.skeleton.edges.is_empty());
            let distance = (extraction.skeleton.nodes[0].position - solid.origin()).norm();
            assert!(
                distance < 1e-6,
                "{}, {}: {distance}",
                test.label,
                solid.name
            );
        }
    }
}

#[test]
fn core_shortens_with_the_exponent_and_divergence_level_extends_it() {
    let solid = Solid::tube(6.0, 50.0);
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let lengths = [3.0, 4.0, 5.0, 6.0].map(|exponent| {
            let extraction = extract_valid(&stream, &solid, exponent, Hierarchy::Core);
            attracting_and_saddles(&extraction);
            extraction.skeleton.length()
        });
        assert!(
            lengths.is_sorted_by(|a, b| a > b),
            "{} {lengths:?}",
            test.label
        );
        assert!(lengths[0] < 50.0);
        let with_divergence = extract_valid(&stream, &solid, 6.0, Hierarchy::Divergence);
        assert!(
            with_divergence.skeleton.length() >= lengths[3],
            "{}",
            test.label
        );
    }
}

#[test]
fn exponent_2_has_no_attracting_point() {
    let solid = Solid::capsule(6.0, 20.0);
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let extraction = extract_valid(&stream, &solid, 2.0, Hierarchy::Core);
        assert_eq!(extraction.certificate[0].attracting, 0, "{}", test.label);
    }
}

#[test]
fn radii_are_distances_to_the_surface() {
    let solid = Solid::capsule(9.0, 41.0);
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let extraction = extract_valid(&stream, &solid, 6.0, Hierarchy::Core);
        for edge in &extraction.skeleton.edges {
            for radius in &edge.radii {
                assert!((radius - 9.0).abs() <= 0.6, "{} {radius}", test.label);
            }
        }
    }
}

#[test]
fn components_at_the_border_and_single_voxels_have_skeletons() {
    // two bars, one of them at the border, and a single voxel
    let dims = [30, 24, 11];
    let inside = |x: usize, y: usize, z: usize| {
        let first = x < 26 && y < 9 && z < 9;
        let second = (3..27).contains(&x) && (12..21).contains(&y) && (1..10).contains(&z);
        first || second || [x, y, z] == [29, 23, 10]
    };
    let volume = Volume::from_fn(dims, Geometry::default(), |x, y, z| {
        u8::from(inside(x, y, z))
    });
    let volume = volume.unwrap();
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let mask = mask(&stream, &volume);
        let extraction =
            potential_field::extract(&stream, &mask, &potential_field::Params::default()).unwrap();
        extraction.skeleton.validate().unwrap();
        assert_eq!(extraction.certificate.len(), 3, "{}", test.label);
        assert!(
            extraction.certificate[..2]
                .iter()
                .all(|certificate| certificate.is_balanced())
        );
        let components = extraction.skeleton.components();
        assert_eq!(components.count, 3, "{}", test.label);
        for (node, label) in extraction.skeleton.nodes.iter().zip(components.labels) {
            let node_of_component = extraction
                .skeleton
                .nodes
                .iter()
                .position(|n| n.component == node.component);
            let node_of_component = node_of_component.expect("each component has a node");
            assert_eq!(
                label,
                extraction.skeleton.components().labels[node_of_component],
                "{}",
                test.label
            );
        }
        let voxel = &extraction
            .skeleton
            .nodes
            .iter()
            .find(|node| node.component == 2)
            .unwrap();
        assert_eq!(voxel.position, Point3::new(29.0, 23.0, 10.0));
        assert_eq!(voxel.kind, NodeKind::End);
    }
}

#[test]
fn cavities_are_kept_or_filled() {
    let solid = Solid::shell(10.0, 3.0);
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let mask = mask(&stream, &solid.voxels());
        let filled = potential_field::Params {
            fill_cavities: true,
            ..potential_field::Params::default()
        };
        let extraction = potential_field::extract(&stream, &mask, &filled).unwrap();
        assert_eq!(extraction.certificate[0].euler_solid, 1, "{}", test.label);
        assert_eq!(
            attracting_and_saddles(&extraction),
            [1, 0],
            "{}",
            test.label
        );
        let extraction =
            potential_field::extract(&stream, &mask, &potential_field::Params::default()).unwrap();
        assert_eq!(extraction.certificate[0].euler_solid, 2, "{}", test.label);
    }
}

#[test]
fn empty_mask_is_an_error() {
    let empty = Volume::<u8>::from_fn([5, 4, 3], Geometry::default(), |_, _, _| 0).unwrap();
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let mask = mask(&stream, &empty);
        let error = potential_field::extract(&stream, &mask, &potential_field::Params::default());
        let error = error.unwrap_err().to_string();
        assert!(error.contains("none of the 60 voxels"), "{error}");
    }
}

#[test]
fn small_solid_passes_checked_mode() {
    let solid = Solid::cuboid([6.0, 3.0, 3.0]);
    let mut expected = None;
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let extraction = extract_valid(&stream, &solid, 6.0, Hierarchy::Curvature);
        let result = (
            extraction.certificate.clone(),
            extraction.skeleton.nodes.len(),
        );
        let expected = expected.get_or_insert(result.clone());
        assert_eq!(*expected, result, "{}", test.label);
    }
}
