//! Potential-field forces and skeletons on anisotropic and oblique grids: they must be those of the
//! object in the world.

use super::skeleton_classes::mask;
use ferrovox::{
    device::Stream,
    grid::{DeviceMask, DevicePoints, Geometry, Volume},
    skeleton::{
        NodeKind,
        potential_field::{
            self, Execution, Extraction, FieldVariant, Hierarchy, Precision, SurfaceNeighbours,
            classify,
            field::{self, Sources},
        },
    },
};
use ferrovox_tests::devices;
use nalgebra::{Matrix3, Point3, Vector3};

const SPACINGS: [[f64; 3]; 5] = [
    [1.0, 1.0, 1.0],
    [0.7, 0.7, 1.0],
    [1.0, 1.0, 2.0],
    [0.5, 0.5, 1.5],
    [0.5, 0.5, 2.5],
];

fn spaced(spacing: [f64; 3]) -> Matrix3<f64> {
    Matrix3::from_diagonal(&spacing.into())
}

/// Returns oblique axes, none of them along the world's.
fn oblique_axes() -> Matrix3<f64> {
    let turn = nalgebra::Rotation3::from_euler_angles(0.3, -0.2, 0.9);
    turn.matrix() * Matrix3::new(0.8, 0.3, -0.2, 0.0, 1.0, 0.4, 0.0, 0.0, 1.7)
}

/// Samples an object centred on the world's origin, which extends by at most `extent` along each
/// axis, shifted by a fraction of a voxel.
fn sampled(
    axes: Matrix3<f64>,
    extent: [f64; 3],
    inside: impl Fn(Vector3<f64>) -> bool,
) -> Volume<u8> {
    let back = axes.try_inverse().unwrap();
    let half = [0, 1, 2].map(|axis| {
        let along = (0..3).map(|k| (back[(axis, k)] * extent[k]).abs());
        along.sum::<f64>().ceil() + 2.0
    });
    let origin = -axes * (Vector3::from(half) + Vector3::new(0.2, -0.1, 0.3));
    let geometry = Geometry::new(axes, origin).unwrap();
    Volume::from_fn(
        half.map(|half| 2 * half as usize + 1),
        geometry,
        |x, y, z| {
            let voxel = Point3::new(x as f64, y as f64, z as f64);
            u8::from(inside(geometry.index_to_world(voxel).coords))
        },
    )
    .unwrap()
}

/// Returns a rod of radius 6 and length 48 along an axis of the world.
fn rod(axes: Matrix3<f64>, axis: usize) -> Volume<u8> {
    let mut extent = [6.0; 3];
    extent[axis] = 24.0;
    sampled(axes, extent, |at| {
        let along = at[axis];
        along.abs() <= 24.0 && at.norm_squared() - along * along <= 36.0
    })
}

/// Returns the axes of a grid without rotation, in units of the smallest spacing: x along the
/// first, y in the plane of the first two.
fn canonical_axes(geometry: &Geometry) -> Matrix3<f64> {
    let triangle = geometry.axes().qr().r() / geometry.spacing().min();
    Matrix3::from_diagonal(&triangle.diagonal().map(f64::signum)) * triangle
}

/// Returns the sum over all sources, with derivatives, and the sum of the magnitudes.
fn expected(
    axes: &Matrix3<f64>,
    at: Point3<f64>,
    sources: &[([f32; 3], f32)],
    exponent: f64,
) -> (Vector3<f64>, Matrix3<f64>, f64) {
    let nothing = (Vector3::zeros(), Matrix3::zeros(), 0.0);
    sources.iter().fold(nothing, |sum, (source, weight)| {
        let from = axes * (at - Point3::from(source.map(f64::from)));
        let weight = f64::from(*weight) * from.norm().powf(-exponent - 1.0);
        let fall = (exponent + 1.0) * weight / from.norm_squared();
        let jacobian = Matrix3::from_diagonal_element(weight) - fall * from * from.transpose();
        (
            sum.0 + weight * from,
            sum.1 + jacobian,
            sum.2 + weight * from.norm(),
        )
    })
}

/// Compares weights with areas: the sum of all steps to background voxels of a neighbourhood, as an
/// area vector in the world and on a grid of cubes.
fn check_weights(
    label: &str,
    solid: &Volume<u8>,
    axes: &Matrix3<f64>,
    sources: &[[f32; 3]],
    weights: &[f32],
) {
    let areas = Matrix3::from_columns(&[0, 1, 2].map(|axis| {
        let column = |k: usize| axes.column((axis + k) % 3).into_owned();
        column(1).cross(&column(2))
    }));
    let is_solid = |at: [i64; 3]| {
        let inside = (0..3).all(|axis| (0..solid.dims()[axis] as i64).contains(&at[axis]));
        let [nx, ny, _] = solid.dims().map(|side| side as i64);
        inside && solid.samples()[((at[2] * ny + at[1]) * nx + at[0]) as usize] != 0
    };
    for (source, weight) in sources.iter().zip(weights) {
        let position = source.map(|x| x as i64);
        let mut out = Vector3::zeros();
        for k in 0..125 {
            let step = [k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2];
            if !is_solid([0, 1, 2].map(|axis| position[axis] + step[axis])) {
                out += Vector3::from(step.map(|x| x as f64));
            }
        }
        let area = (areas * out).norm() / out.norm();
        let off = (f64::from(*weight) / area - 1.0).abs();
        assert!(off < 1e-6, "{label} {source:?}: {weight} {area}");
    }
}

/// Compares forces at some voxels and points of a solid with sums on the host.
fn check_forces(
    label: &str,
    stream: &Stream,
    solid: &Volume<u8>,
    params: &potential_field::Params,
) {
    let axes = canonical_axes(solid.geometry());
    let classes = classify(stream, &mask(stream, solid), SurfaceNeighbours::Faces).unwrap();
    let surface = Sources::from_surface(stream, &classes).unwrap();
    let sources = surface.points().download(stream).unwrap();
    let weights = surface.weights(stream).unwrap();
    let is_cubic = (axes - Matrix3::identity()).amax() < 1e-6;
    assert_eq!(weights.is_empty(), is_cubic);
    check_weights(label, solid, &axes, &sources, &weights);
    let weights = weights.into_iter().chain(std::iter::repeat(1.0));
    let sources: Vec<_> = sources.into_iter().zip(weights).collect();
    let interior = DevicePoints::from_mask(stream, &classes.interior).unwrap();
    let interior = interior.download(stream).unwrap();
    let [nx, ny, _] = solid.dims();
    let some = interior.iter().step_by(interior.len() / 12);
    let targets: Vec<[f32; 3]> = some.copied().collect();
    let indices: Vec<u64> = targets
        .iter()
        .map(|at| ((at[2] as usize * ny + at[1] as usize) * nx + at[0] as usize) as u64)
        .collect();
    let chosen =
        DeviceMask::from_indices(stream, &indices, solid.dims(), *solid.geometry()).unwrap();
    let field = field::forces_at_voxels(stream, &surface, chosen, params).unwrap();
    if !is_cubic {
        let is_tree = params.variant == FieldVariant::Multipole;
        let expected = [FieldVariant::Tuned, FieldVariant::Multipole][usize::from(is_tree)];
        assert_eq!(field.variant, expected);
    }
    let actual = stream.download(&field.forces).unwrap();
    for (&target, actual) in targets.iter().zip(actual.as_chunks::<4>().0) {
        let at = Point3::from(target.map(f64::from));
        let (force, _, scale) = expected(&axes, at, &sources, params.exponent);
        let [x, y, z, magnitude] = actual.map(f64::from);
        let off = (magnitude * Vector3::new(x, y, z) - force).norm() / scale;
        assert!(off < 1e-5, "{label} {params:?} {target:?}: {off}");
    }
    let positions: Vec<Point3<f64>> = targets[..2]
        .iter()
        .map(|at| Point3::from(at.map(f64::from)) + Vector3::new(0.3, -0.2, 0.45))
        .collect();
    let actual = field::forces_at_points(stream, &surface, &positions, params.exponent).unwrap();
    for (&at, actual) in positions.iter().zip(actual) {
        let (force, jacobian, scale) = expected(&axes, at, &sources, params.exponent);
        assert!(
            (actual.force - force).norm() < 1e-12 * scale,
            "{label} {at}"
        );
        assert!(
            (actual.jacobian - jacobian).norm() < 1e-11 * scale,
            "{label} {at}"
        );
        assert!((actual.scale - scale).abs() < 1e-12 * scale, "{label} {at}");
    }
}

#[test]
fn forces_are_computed_in_world_space() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for spacing in SPACINGS {
            for axis in 0..3 {
                let label = format!("{} {spacing:?} {axis}", test.label);
                let rod = rod(spaced(spacing), axis);
                check_forces(&label, &stream, &rod, &potential_field::Params::default());
            }
        }
    }
    // in checked mode too
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let ball = sampled(oblique_axes(), [5.0; 3], |at| at.norm() <= 5.0);
        for (exponent, precision) in [
            (6.0, Precision::Accurate),
            (6.0, Precision::F32),
            (2.5, Precision::Accurate),
            (2.5, Precision::F32),
        ] {
            let params = potential_field::Params {
                exponent,
                precision,
                ..potential_field::Params::default()
            };
            check_forces(&test.label, &stream, &ball, &params);
        }
    }
}

#[test]
fn every_variant_and_exponent_works_in_world_space() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for solid in [rod(spaced([1.0, 0.6, 2.0]), 1), rod(oblique_axes(), 0)] {
            for exponent in [2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0] {
                let variants = match exponent {
                    6.0 => &FieldVariant::ALL[..],
                    _ => &[FieldVariant::Auto],
                };
                for &variant in variants {
                    for precision in Precision::ALL {
                        let params = potential_field::Params {
                            exponent,
                            variant,
                            precision,
                            ..potential_field::Params::default()
                        };
                        check_forces(&test.label, &stream, &solid, &params);
                    }
                }
            }
        }
    }
}

fn extract_core(solid: &Volume<u8>) -> Extraction {
    let stream = ferrovox::device::Device::cpu().stream().unwrap();
    let params = potential_field::Params {
        hierarchy: Hierarchy::Core,
        ..potential_field::Params::default()
    };
    let extraction = potential_field::extract(&stream, &mask(&stream, solid), &params).unwrap();
    extraction.skeleton.validate().unwrap();
    extraction
}

/// Returns the world positions of the nodes of a kind.
fn node_positions(extraction: &Extraction, kind: NodeKind) -> Vec<Point3<f64>> {
    let nodes = extraction.skeleton.nodes.iter();
    let geometry = &extraction.skeleton.geometry;
    nodes
        .filter(|node| node.kind == kind)
        .map(|node| geometry.index_to_world(node.position))
        .collect()
}

#[test]
fn world_ball_has_its_point_at_the_centre() {
    let grids = SPACINGS.map(spaced).into_iter().chain([oblique_axes()]);
    for axes in grids {
        let ball = sampled(axes, [12.0; 3], |at| at.norm() <= 12.0);
        let extraction = extract_core(&ball);
        let widest = ball.geometry().spacing().max();
        let actual = node_positions(&extraction, NodeKind::Attracting);
        assert!(
            extraction.certificate[0].is_balanced(),
            "{axes} {:?}",
            extraction.certificate
        );
        assert!(
            actual.iter().any(|at| at.coords.norm() < 0.5 * widest),
            "{axes} {actual:?}"
        );
    }
}

/// Returns two overlapping balls of different radii: two attracting points, and a saddle at the
/// waist.
fn two_balls(axes: Matrix3<f64>, axis: usize) -> Volume<u8> {
    let mut extent = [14.0; 3];
    extent[axis] = 25.5;
    sampled(axes, extent, |at| {
        let along = at[axis];
        let across = (at.norm_squared() - along * along).max(0.0).sqrt();
        let ball = |middle: f64, radius: f64| (along - middle).hypot(across) <= radius;
        ball(-11.5, 14.0) || ball(11.0, 12.5)
    })
}

#[test]
fn critical_points_do_not_depend_on_the_spacing() {
    let kinds = [NodeKind::Attracting, NodeKind::Saddle { index: 1 }];
    for axis in 0..3 {
        let isotropic = extract_core(&two_balls(spaced([1.0; 3]), axis));
        for spacing in [[0.8, 0.8, 1.6], [0.8, 0.8, 2.5], [1.5, 1.0, 0.8]] {
            let extraction = extract_core(&two_balls(spaced(spacing), axis));
            let widest = spacing.into_iter().fold(0.0, f64::max);
            assert!(
                extraction.certificate[0].is_balanced(),
                "{spacing:?} {axis}"
            );
            for kind in kinds {
                let [isotropic, actual] =
                    [&isotropic, &extraction].map(|extraction| node_positions(extraction, kind));
                let message = format!("{spacing:?} {axis} {kind:?}: {isotropic:?} {actual:?}");
                assert_eq!(isotropic.len(), actual.len(), "{message}");
                for expected in isotropic {
                    let is_same = |at: &Point3<f64>| (at - expected).norm() < 0.5 * widest;
                    assert!(actual.iter().any(is_same), "{message}");
                }
            }
        }
    }
}

#[test]
fn core_of_rods_is_their_axis() {
    for spacing in SPACINGS {
        for axis in 0..3 {
            let extraction = extract_core(&rod(spaced(spacing), axis));
            assert!(
                extraction.certificate[0].is_balanced(),
                "{spacing:?} {axis}"
            );
            let geometry = extraction.skeleton.geometry;
            let widest = spacing.into_iter().fold(0.0, f64::max);
            let nodes = extraction.skeleton.nodes.iter().map(|node| &node.position);
            let points = extraction
                .skeleton
                .edges
                .iter()
                .flat_map(|edge| &edge.points);
            for &point in nodes.chain(points) {
                let at = geometry.index_to_world(point).coords;
                let off = (at.norm_squared() - at[axis] * at[axis]).max(0.0).sqrt();
                assert!(off < 0.5 * widest, "{spacing:?} {axis}: {at}");
                assert!(at[axis].abs() < 24.0, "{spacing:?} {axis}: {at}");
            }
            let along = extraction
                .skeleton
                .edges
                .iter()
                .flat_map(|edge| &edge.points);
            let along = along.map(|&point| geometry.index_to_world(point)[axis]);
            let ends = along.fold([0f64; 2], |[low, high], at| [low.min(at), high.max(at)]);
            assert!(ends[1] - ends[0] > 6.0, "{spacing:?} {axis} {ends:?}");
        }
    }
}

/// Several devices produce the same bits as one.
#[test]
fn several_devices_produce_the_same_world_space_field() {
    let cpu = ferrovox::device::Device::cpu;
    let streams = [cpu(), cpu()].map(|device| device.stream().unwrap());
    let solid = rod(spaced([0.7, 0.7, 1.0]), 2);
    let classes = classify(
        &streams[0],
        &mask(&streams[0], &solid),
        SurfaceNeighbours::Faces,
    )
    .unwrap();
    let params = potential_field::Params::default();
    let single = field::force_field(&streams[0], &classes, &params).unwrap();
    let execution = Execution::new(&streams).unwrap();
    let both = field::force_field_on_devices(execution, &classes, &params).unwrap();
    let [single, both] =
        [single, both].map(|extraction| streams[0].download(&extraction.forces).unwrap());
    assert_eq!(single, both);
}
