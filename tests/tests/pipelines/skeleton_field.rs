//! Forces in solids, from their surface, against sums in `f64` on the host, one source after the
//! other.

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

/// Of each source what it is multiplied by, `R^-(m + 1)`, and the way from it.
fn parts(
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

/// The places of a field's voxels, their directions and magnitudes.
fn on_host(stream: &Stream, field: &ForceField) -> (Vec<[f32; 3]>, Vec<[f32; 4]>) {
    let places = DevicePoints::from_sites(stream, &field.mask).unwrap();
    let forces = stream.download(&field.forces).unwrap();
    let places = places.download(stream).unwrap();
    assert_eq!(forces.len(), 4 * places.len());
    (places, forces.as_chunks().0.to_vec())
}

fn check(label: &str, stream: &Stream, classes: &VoxelClasses, params: &potential_field::Params) {
    let field = field::force_field(stream, classes, params).unwrap();
    let sources = DevicePoints::from_sites(stream, &classes.surface).unwrap();
    let sources = sources.download(stream).unwrap();
    let (places, forces) = on_host(stream, &field);
    assert_eq!(
        places.len() as u64,
        classes.counts.boundary + classes.counts.interior
    );
    for (place, [x, y, z, magnitude]) in places.into_iter().zip(forces) {
        let (force, scale) = force(place, &sources, params.exponent);
        let found = f64::from(magnitude) * Vector3::new(x, y, z).map(f64::from);
        // terms are rounded to f32, and where exponents are no integers the power too
        let off = (found - force).norm() / scale;
        let most = if params.exponent.fract() == 0.0 {
            3e-6
        } else {
            2e-5
        };
        assert!(off < most, "{label}, {params:?}: {off} at {place:?}");
    }
}

#[test]
fn every_variant_and_exponent() {
    let solid = Solid::cuboid([7.0, 4.0, 3.0]).turned([1.0, 2.0, 0.0], 0.4);
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
fn boundary_voxels_take_the_mean_of_their_neighbours() {
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
        let (places, exact) = field(BoundaryForce::Exact);
        let (same, mean) = field(BoundaryForce::Mean);
        assert_eq!(places, same);
        let interior = DevicePoints::from_sites(&stream, &classes.interior).unwrap();
        let interior = interior.download(&stream).unwrap();
        let vector = |[x, y, z, magnitude]: [f32; 4]| {
            f64::from(magnitude) * Vector3::new(x, y, z).map(f64::from)
        };
        for (k, place) in places.iter().enumerate() {
            let near = places.iter().enumerate().filter(|(_, other)| {
                interior.contains(other) && (0..3).all(|a| (place[a] - other[a]).abs() <= 1.0)
            });
            let near: Vec<Vector3<f64>> = near.map(|(other, _)| vector(exact[other])).collect();
            let expected = match (interior.contains(place), near.len()) {
                (true, _) => vector(exact[k]),
                (false, 0) => Vector3::zeros(),
                (false, count) => near.iter().sum::<Vector3<f64>>() / count as f64,
            };
            let off = (vector(mean[k]) - expected).norm();
            assert!(
                off <= 1e-6 * expected.norm(),
                "{} {place:?} {off}",
                test.label
            );
        }
    }
}

#[test]
fn forces_anywhere_with_derivatives() {
    let all = [2.0, 3.0, 4.0, 5.0, 6.0, 9.0, 2.5];
    for test in devices::all() {
        check_anywhere(&test, &Solid::capsule(5.0, 9.0), &all);
    }
    // more sources than one slice has
    for test in devices::fast() {
        check_anywhere(&test, &Solid::tube(8.0, 100.0), &[6.0]);
    }
}

fn check_anywhere(test: &TestDevice, solid: &Solid, exponents: &[f64]) {
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
        let found = field::forces_at_points(&stream, &sources, &points, exponent).unwrap();
        for (&at, found) in points.iter().zip(found) {
            let all = || parts(&on_host, at, exponent);
            let force: Vector3<f64> = all().map(|(weight, from)| weight * from).sum();
            let jacobian: Matrix3<f64> = all()
                .map(|(weight, from)| {
                    let fall = (exponent + 1.0) * weight / from.norm_squared();
                    Matrix3::from_diagonal_element(weight) - fall * from * from.transpose()
                })
                .sum();
            let scale: f64 = all().map(|(weight, from)| weight * from.norm()).sum();
            let message = format!("{}, m = {exponent}, {at}", test.label);
            assert!((found.force - force).norm() < 1e-13 * scale, "{message}");
            assert!(
                (found.jacobian - jacobian).norm() < 1e-12 * scale,
                "{message}"
            );
            assert!((found.scale - scale).abs() < 1e-12 * scale, "{message}");
            // the divergence: with Newton's law there is none
            let sum: f64 = all().map(|(weight, _)| weight).sum();
            let expected = (2.0 - exponent) * sum;
            assert!(
                (found.jacobian.trace() - expected).abs() < 1e-12 * scale,
                "{message}"
            );
        }
    }
    let none = field::forces_at_points(&stream, &sources, &[], 6.0).unwrap();
    assert!(none.is_empty());
}

#[test]
fn directions_on_the_axis_of_a_long_tube() {
    // where the sum cancels: f32 sums are wrong there, by design of the test
    let solid = Solid::tube(8.0, 200.0);
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let classes = classes(&stream, &solid);
        let sources = DevicePoints::from_sites(&stream, &classes.surface).unwrap();
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
        let (places, forces) = on_host(&stream, &field);
        for (place, [x, y, z, _]) in places.into_iter().zip(forces) {
            let at = Point3::from(place.map(f64::from));
            let force: Vector3<f64> = parts(&sources, at, 6.0)
                .map(|(weight, from)| weight * from)
                .sum();
            let angle = Vector3::new(x, y, z)
                .map(f64::from)
                .angle(&force)
                .to_degrees();
            assert!(angle < 1e-3, "{}: {angle} degrees at {place:?}", test.label);
        }
    }
}
