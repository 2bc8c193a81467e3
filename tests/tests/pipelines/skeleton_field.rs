//! Forces inside solids, compared with sums in `f64` on the host, source by source.

use super::{skeleton_classes::mask, skeleton_forces::force};
use ferrovox::{
    device::Stream,
    grid::DevicePoints,
    skeleton::potential_field::{
        self, BoundaryForce, FieldVariant, Precision, SurfaceNeighbours, VoxelClasses, classify,
        field::{self, ForceField, Sources},
    },
};
use ferrovox_tests::{
    devices::{self, TestDevice},
    noise::Noise,
    solids::Solid,
};
use nalgebra::{Matrix3, Point3, Vector3};

/// Returns the weight `R^-(m + 1)` of each source, and the vector from it.
fn force_terms(
    sources: &[[f32; 3]],
    at: Point3<f64>,
    exponent: f64,
) -> impl Iterator<Item = (f64, Vector3<f64>)> {
    sources.iter().map(move |source| {
        let from = at - Point3::from(source.map(f64::from));
        (from.norm().powf(-(exponent + 1.0)), from)
    })
}

fn classes(stream: &Stream, solid: &Solid) -> VoxelClasses {
    classify(
        stream,
        &mask(stream, &solid.voxels()),
        SurfaceNeighbours::Faces,
    )
    .unwrap()
}

/// Downloads the positions of a field's voxels, and their directions and magnitudes.
fn on_host(stream: &Stream, field: &ForceField) -> (Vec<[f32; 3]>, Vec<[f32; 4]>) {
    let positions = DevicePoints::from_mask(stream, &field.mask).unwrap();
    let forces = stream.download(&field.forces).unwrap();
    let positions = positions.download(stream).unwrap();
    assert_eq!(forces.len(), 4 * positions.len());
    (positions, forces.as_chunks().0.to_vec())
}

fn check(label: &str, stream: &Stream, classes: &VoxelClasses, params: &potential_field::Params) {
    let field = field::force_field(stream, classes, params).unwrap();
    let sources = DevicePoints::from_mask(stream, &classes.surface).unwrap();
    let sources = sources.download(stream).unwrap();
    let (positions, forces) = on_host(stream, &field);
    assert_eq!(
        positions.len() as u64,
        classes.counts.boundary + classes.counts.interior
    );
    for (position, [x, y, z, magnitude]) in positions.into_iter().zip(forces) {
        let (force, scale) = force(position, &sources, params.exponent);
        let actual = f64::from(magnitude) * Vector3::new(x, y, z).map(f64::from);
        // terms are rounded to f32, and for non-integer exponents the power too
        let error = (actual - force).norm() / scale;
        let tolerance = if params.exponent.fract() == 0.0 {
            3e-6
        } else {
            2e-5
        };
        assert!(
            error < tolerance,
            "{label}, {params:?}: {error} at {position:?}"
        );
    }
}

#[test]
fn every_variant_and_exponent_matches_f64_sums() {
    let solid = Solid::cuboid([7.0, 4.0, 3.0]).rotated([1.0, 2.0, 0.0], 0.4);
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let classes = classes(&stream, &solid);
        for exponent in [2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0] {
            for variant in FieldVariant::ALL {
                for precision in Precision::ALL {
                    let params = potential_field::Params {
                        exponent,
                        variant,
                        precision,
                        ..potential_field::Params::default()
                    };
                    check(&test.label, &stream, &classes, &params);
                }
            }
        }
    }
}

#[test]
fn mean_boundary_forces_are_means_of_neighbours() {
    let solid = Solid::ball(6.0);
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let classes = classes(&stream, &solid);
        let field = |boundary| {
            let params = potential_field::Params {
                boundary,
                ..potential_field::Params::default()
            };
            let field = field::force_field(&stream, &classes, &params).unwrap();
            on_host(&stream, &field)
        };
        let (positions, exact) = field(BoundaryForce::Exact);
        let (same, mean) = field(BoundaryForce::Mean);
        assert_eq!(positions, same);
        let interior = DevicePoints::from_mask(&stream, &classes.interior).unwrap();
        let interior = interior.download(&stream).unwrap();
        let vector = |[x, y, z, magnitude]: [f32; 4]| {
            f64::from(magnitude) * Vector3::new(x, y, z).map(f64::from)
        };
        for (k, position) in positions.iter().enumerate() {
            let neighbours = positions.iter().enumerate().filter(|(_, candidate)| {
                interior.contains(candidate)
                    && (0..3).all(|a| (position[a] - candidate[a]).abs() <= 1.0)
            });
            let neighbours: Vec<Vector3<f64>> = neighbours
                .map(|(neighbour, _)| vector(exact[neighbour]))
                .collect();
            let expected = match (interior.contains(position), neighbours.len()) {
                (true, _) => vector(exact[k]),
                (false, 0) => Vector3::zeros(),
                (false, count) => neighbours.iter().sum::<Vector3<f64>>() / count as f64,
            };
            let error = (vector(mean[k]) - expected).norm();
            assert!(
                error <= 1e-6 * expected.norm(),
                "{} {position:?} {error}",
                test.label
            );
        }
    }
}

#[test]
fn point_forces_and_derivatives_match_f64_sums() {
    let all = [2.0, 3.0, 4.0, 5.0, 6.0, 9.0, 2.5];
    for test in devices::all() {
        check_point_forces(&test, &Solid::capsule(5.0, 9.0), &all);
    }
    // more sources than a slice
    for test in devices::fast() {
        check_point_forces(&test, &Solid::tube(8.0, 100.0), &[6.0]);
    }
}

fn check_point_forces(test: &TestDevice, solid: &Solid, exponents: &[f64]) {
    let mut noise = Noise(3);
    let stream = test.device.stream().unwrap();
    let classes = classes(&stream, solid);
    let sources = Sources::from_surface(&stream, &classes).unwrap();
    let on_host = sources.points().download(&stream).unwrap();
    let origin = solid.origin();
    let points: Vec<Point3<f64>> = (0..5)
        .map(|_| origin + Vector3::from_fn(|_, _| noise.below(4000) as f64 * 1e-3 - 2.0))
        .collect();
    for &exponent in exponents {
        let actual = field::forces_at_points(&stream, &sources, &points, exponent).unwrap();
        for (&at, actual) in points.iter().zip(actual) {
            let all = || force_terms(&on_host, at, exponent);
            let force: Vector3<f64> = all().map(|(weight, from)| weight * from).sum();
            let jacobian: Matrix3<f64> = all()
                .map(|(weight, from)| {
                    let fall = (exponent + 1.0) * weight / from.norm_squared();
                    Matrix3::from_diagonal_element(weight) - fall * from * from.transpose()
                })
                .sum();
            let scale: f64 = all().map(|(weight, from)| weight * from.norm()).sum();
            let message = format!("{}, m = {exponent}, {at}", test.label);
            assert!((actual.force - force).norm() < 1e-13 * scale, "{message}");
            assert!(
                (actual.jacobian - jacobian).norm() < 1e-12 * scale,
                "{message}"
            );
            assert!((actual.scale - scale).abs() < 1e-12 * scale, "{message}");
            // the divergence vanishes for exponent 2
            let sum: f64 = all().map(|(weight, _)| weight).sum();
            let expected = (2.0 - exponent) * sum;
            assert!(
                (actual.jacobian.trace() - expected).abs() < 1e-12 * scale,
                "{message}"
            );
        }
    }
    let none = field::forces_at_points(&stream, &sources, &[], 6.0).unwrap();
    assert!(none.is_empty());
}

#[test]
fn directions_on_the_axis_of_a_long_tube_are_accurate() {
    // where the sum cancels, so that f32 sums are wrong
    let solid = Solid::tube(8.0, 200.0);
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let classes = classes(&stream, &solid);
        let sources = DevicePoints::from_mask(&stream, &classes.surface).unwrap();
        let sources = sources.download(&stream).unwrap();
        let centre = solid.origin();
        let mask = ferrovox::grid::DeviceMask::from_indices(
            &stream,
            &(20..80)
                .map(|x| {
                    let [nx, ny, _] = solid.dims();
                    let (y, z) = (centre.y as usize, centre.z as usize);
                    ((z * ny + y) * nx + x) as u64
                })
                .collect::<Vec<_>>(),
            solid.dims(),
            *classes.surface.geometry(),
        )
        .unwrap();
        let sites = Sources::from_surface(&stream, &classes).unwrap();
        let params = potential_field::Params::default();
        let field = field::forces_at_voxels(&stream, &sites, mask, &params).unwrap();
        let (positions, forces) = on_host(&stream, &field);
        for (position, [x, y, z, _]) in positions.into_iter().zip(forces) {
            let at = Point3::from(position.map(f64::from));
            let force: Vector3<f64> = force_terms(&sources, at, 6.0)
                .map(|(weight, from)| weight * from)
                .sum();
            let angle = Vector3::new(x, y, z)
                .map(f64::from)
                .angle(&force)
                .to_degrees();
            assert!(
                angle < 1e-3,
                "{}: {angle} degrees at {position:?}",
                test.label
            );
        }
    }
}
