//! Force field by the fast multipole method, compared with sums over all sources in `f64`.

mod accuracy;
mod marked_cells;
mod targets;

use super::skeleton_classes::mask;
use ferrovox::{
    device::Stream,
    grid::{DevicePoints, Geometry},
    skeleton::potential_field::{
        self, FieldVariant, MultipoleParams, SurfaceNeighbours, VoxelClasses, classify,
        field::{ForceField, Sources, forces_at_points},
    },
};
use ferrovox_tests::solids::Solid;
use nalgebra::{Matrix3, Point3, Vector3};

const EXPONENTS: [f64; 9] = [2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];

/// Returns a palm and five fingers.
fn hand(size: f64) -> Solid {
    let part = |from: [f64; 3], to: [f64; 3], radius: f64| {
        (
            Point3::from(from) * size,
            Point3::from(to) * size,
            radius * size,
        )
    };
    let mut parts = vec![
        part([-0.2, -0.6, 0.0], [-0.1, 0.0, 0.0], 0.2),
        part([0.2, -0.6, 0.0], [0.1, 0.0, 0.0], 0.2),
        part([-0.3, -0.5, 0.0], [-0.7, 0.1, 0.15], 0.1),
    ];
    for finger in 0..4 {
        let x = -0.25 + 0.16 * f64::from(finger);
        parts.push(part([x, 0.0, 0.0], [1.3 * x, 0.75, 0.1], 0.075));
    }
    Solid::new(format!("hand {size}"), [size, size, 0.4 * size], move |p| {
        parts.iter().any(|(from, to, radius)| {
            let along = to - from;
            let part = (p - from).dot(&along) / along.norm_squared();
            (p - (from + along * part.clamp(0.0, 1.0))).norm() <= *radius
        })
    })
}

fn shapes() -> Vec<Solid> {
    vec![
        hand(40.0),
        Solid::tube(8.0, 110.0),
        Solid::ball(20.0),
        Solid::cuboid([40.0, 30.0, 3.0]),
        Solid::y_of_tubes(6.0, 40.0).shifted([3.0, 5.0, 1.0]),
    ]
}

fn classes(stream: &Stream, solid: &Solid) -> VoxelClasses {
    classes_in(stream, solid, Geometry::default())
}

fn classes_in(stream: &Stream, solid: &Solid, geometry: Geometry) -> VoxelClasses {
    let voxels = mask(stream, &solid.voxels_in(geometry));
    classify(stream, &voxels, SurfaceNeighbours::Faces).unwrap()
}

/// Anisotropic and oblique voxels: as in scans, long along x, nearly cubic, and with oblique axes.
fn voxel_shapes() -> [Geometry; 6] {
    let oblique = nalgebra::Rotation3::from_euler_angles(0.3, -0.2, 0.9).matrix()
        * Matrix3::new(0.8, 0.3, -0.2, 0.0, 1.0, 0.4, 0.0, 0.0, 1.7);
    let along = |x: f64, y: f64, z: f64| Matrix3::from_diagonal(&[x, y, z].into());
    [
        along(1.0, 1.0, 2.5),
        along(0.7, 0.7, 5.0),
        along(3.0, 1.0, 1.5),
        along(9.0, 2.0, 1.0),
        along(0.9, 0.8, 1.1),
        oblique,
    ]
    .map(|axes| Geometry::new(axes, Vector3::zeros()).unwrap())
}

fn params(exponent: f64, multipole: MultipoleParams) -> potential_field::Params {
    potential_field::Params {
        exponent,
        multipole,
        variant: FieldVariant::Multipole,
        ..potential_field::Params::default()
    }
}

/// Parameters without recomputation, except for possible critical points.
fn without_recomputation(order: Option<u32>, squared_near_radius: Option<u32>) -> MultipoleParams {
    MultipoleParams {
        order,
        squared_near_radius,
        bound_factor: 0.0,
    }
}

/// Downloads a field's voxels and forces.
fn on_host(stream: &Stream, field: &ForceField) -> (Vec<Point3<f64>>, Vec<Vector3<f64>>) {
    let positions = DevicePoints::from_mask(stream, &field.mask).unwrap();
    let positions = positions.download(stream).unwrap();
    let forces = stream.download(&field.forces).unwrap();
    let forces = forces.as_chunks::<4>().0.iter().map(|force| {
        let [x, y, z, magnitude] = force.map(f64::from);
        magnitude * Vector3::new(x, y, z)
    });
    let positions = positions.iter().map(|at| Point3::from(at.map(f64::from)));
    (positions.collect(), forces.collect())
}

/// Maximum errors relative to their bounds and to the sum of magnitudes, over a sample of the
/// voxels.
#[derive(Debug, Default)]
struct MaxErrors {
    relative_to_bound: f64,
    relative_to_scale: f64,
}

/// Compares a field with exact sums and its bounds.
fn check(
    label: &str,
    stream: &Stream,
    field: &ForceField,
    sources: &Sources,
    exponent: f64,
    step: usize,
) -> MaxErrors {
    let (positions, forces) = on_host(stream, field);
    let bounds = field.bounds.as_ref().unwrap();
    let [nx, ny, _] = bounds.dims();
    let brick = bounds.brick_dims();
    let of_brick = bounds.download(stream).unwrap();
    let some: Vec<usize> = (0..positions.len()).step_by(step).collect();
    let points: Vec<Point3<f64>> = some.iter().map(|&at| positions[at]).collect();
    let exact = forces_at_points(stream, sources, &points, exponent).unwrap();
    let mut worst = MaxErrors::default();
    for (&target, exact) in some.iter().zip(&exact) {
        let [x, y, z] = [0, 1, 2].map(|axis| positions[target][axis] as usize / brick[axis]);
        let bound = of_brick[(z * ny + y) * nx + x];
        let off = forces[target] - exact.force;
        for axis in 0..3 {
            // results are stored with 24 bits, and sums in f64 are rounded too
            let rounded = 3e-7 * exact.force[axis].abs() + 1e-13 * exact.scale;
            assert!(
                off[axis].abs() <= bound + rounded,
                "{label}, m = {exponent}, {:?}: {} by {} of {}, bound {bound}",
                positions[target],
                off[axis],
                exact.force[axis],
                exact.scale
            );
        }
        worst.relative_to_scale = worst.relative_to_scale.max(off.norm() / exact.scale);
        let beyond = off.norm() - 3e-7 * exact.force.norm();
        if bound > 0.0 && beyond > 0.0 {
            worst.relative_to_bound = worst.relative_to_bound.max(beyond / bound);
        }
    }
    worst
}

fn surface_sources(stream: &Stream, classes: &VoxelClasses) -> Sources {
    Sources::from_surface(stream, classes).unwrap()
}
