//! Force field by the fast multipole method, compared with sums over all sources in `f64`.

use super::{skeleton_classes::mask, skeleton_kernels::marked_cell_words};
use ferrovox::{
    device::{Device, Stream},
    grid::{DeviceMask, DevicePoints, Geometry},
    skeleton::potential_field::{
        self, FieldVariant, MultipoleParams, SurfaceNeighbours, VoxelClasses, classify,
        field::{ForceField, PointForce, Sources, force_field, forces_at_points, forces_at_voxels},
    },
};
use ferrovox_tests::{
    devices::{self, TestDevice},
    solids::Solid,
};
use nalgebra::{Matrix3, Point3, Vector3};
use proptest::prelude::*;
use std::collections::HashMap;
use test_cases::shard;

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
fn without_recomputation(order: Option<u32>, near: Option<u32>) -> MultipoleParams {
    MultipoleParams {
        order,
        near,
        bound_factor: 0.0,
    }
}

/// Downloads a field's voxels and forces.
fn on_host(stream: &Stream, field: &ForceField) -> (Vec<Point3<f64>>, Vec<Vector3<f64>>) {
    let positions = DevicePoints::from_sites(stream, &field.mask).unwrap();
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

#[test]
fn errors_are_within_their_bounds() {
    for TestDevice { label, device } in devices::fast() {
        let stream = device.stream().unwrap();
        for (number, solid) in shapes().into_iter().enumerate() {
            let classes = classes(&stream, &solid);
            let sources = surface_sources(&stream, &classes);
            for (turn, exponent) in shard(EXPONENTS.into_iter().enumerate(), number) {
                // with a small radius much of such a solid is far, on several levels
                let near = [None, Some(3), Some(9)][(number + turn) % 3];
                let params = params(exponent, without_recomputation(None, near));
                let field = force_field(&stream, &classes, &params).unwrap();
                let label = format!("{label}, {}, near {near:?}", solid.name);
                let worst = check(&label, &stream, &field, &sources, exponent, 61);
                println!("{label}, m = {exponent}: {worst:?}");
                let far = near.is_some() || exponent < 4.0;
                assert!(
                    far || worst.relative_to_scale < 1e-4,
                    "{label} {exponent} {worst:?}"
                );
            }
        }
    }
}

#[test]
fn errors_are_within_their_bounds_for_anisotropic_voxels() {
    let solids = [
        hand(26.0),
        Solid::tube(6.0, 60.0).shifted([3.0, 5.0, 1.0]),
        Solid::ball(13.0),
    ];
    for TestDevice { label, device } in devices::fast() {
        let stream = device.stream().unwrap();
        for (number, shape) in voxel_shapes().into_iter().enumerate() {
            for (turn, exponent) in shard([2.0, 2.5, 6.0, 9.0].into_iter().enumerate(), number) {
                let solid = &solids[(number + turn) % 3];
                let classes = classes_in(&stream, solid, shape);
                let sources = surface_sources(&stream, &classes);
                let near = [None, Some(3), Some(9)][(number + turn) % 3];
                let params = params(exponent, without_recomputation(None, near));
                let field = force_field(&stream, &classes, &params).unwrap();
                assert_eq!(field.variant, FieldVariant::Multipole);
                let label = format!("{label}, {}, {shape:?}, near {near:?}", solid.name);
                let worst = check(&label, &stream, &field, &sources, exponent, 61);
                println!("{label}, m = {exponent}: {worst:?}");
                let far = near.is_some() || exponent < 4.0;
                assert!(
                    far || worst.relative_to_scale < 1e-4,
                    "{label} {exponent} {worst:?}"
                );
            }
        }
    }
}

/// Too elongated for the multipole method.
#[test]
fn very_elongated_voxels_use_all_pairs() {
    let stream = Device::cpu().stream().unwrap();
    let flat = Geometry::new(
        Matrix3::from_diagonal(&[1.0, 1.0, 40.0].into()),
        Vector3::zeros(),
    );
    let classes = classes_in(&stream, &Solid::ball(5.0), flat.unwrap());
    let field = force_field(&stream, &classes, &params(6.0, MultipoleParams::default())).unwrap();
    assert_eq!(field.variant, FieldVariant::Tuned);
    assert!(field.bounds.is_none());
}

/// Returns the cells in which no component of the exact forces has one sign at all corners.
fn exact_cells(positions: &[Point3<f64>], exact: &[PointForce]) -> Vec<[i64; 3]> {
    let key = |at: &Point3<f64>| [0, 1, 2].map(|axis| at[axis] as i64);
    let pairs = positions.iter().map(key).zip(exact);
    let by_voxel: HashMap<[i64; 3], &PointForce> = pairs.collect();
    let may_vanish = |cell: &[i64; 3]| {
        let corner = |k: i64| {
            [
                cell[0] + (k & 1),
                cell[1] + (k >> 1 & 1),
                cell[2] + (k >> 2),
            ]
        };
        let corners: Option<Vec<_>> = (0..8).map(|k| by_voxel.get(&corner(k))).collect();
        let Some(corners) = corners else {
            return false;
        };
        let largest = corners.iter().map(|at| at.force.norm()).fold(0.0, f64::max);
        (0..3).all(|axis| {
            let min = corners
                .iter()
                .map(|at| at.force[axis])
                .fold(f64::INFINITY, f64::min);
            let max = corners
                .iter()
                .map(|at| at.force[axis])
                .fold(f64::NEG_INFINITY, f64::max);
            min <= 1e-9 * largest && max >= -1e-9 * largest
        })
    };
    let mut cells: Vec<_> = by_voxel.keys().copied().filter(may_vanish).collect();
    cells.sort_unstable();
    cells
}

/// Returns the cells that the field marks as possibly containing a critical point.
fn marked_cells(stream: &Stream, field: &ForceField) -> Vec<[i64; 3]> {
    let words = marked_cell_words(stream, field, 64);
    let mask = DeviceMask::from_words(stream, &words, field.mask.dims(), Geometry::default());
    let actual = DevicePoints::from_sites(stream, &mask.unwrap()).unwrap();
    let actual = actual.download(stream).unwrap();
    let mut cells: Vec<_> = actual.iter().map(|at| at.map(|a| a as i64)).collect();
    cells.sort_unstable();
    cells
}

#[test]
fn marked_cells_match_all_pairs() {
    let solids = [
        hand(32.0),
        Solid::tube(6.0, 80.0),
        Solid::ball(13.0),
        Solid::cuboid([28.0, 20.0, 3.0]),
        Solid::y_of_tubes(5.0, 26.0).shifted([3.0, 5.0, 1.0]),
    ];
    for TestDevice { label, device } in devices::fast() {
        let stream = device.stream().unwrap();
        for (number, solid) in solids.iter().enumerate() {
            // the first solid on an anisotropic grid
            let shape = [voxel_shapes()[0], Geometry::default()][number.min(1)];
            let classes = classes_in(&stream, solid, shape);
            let sources = surface_sources(&stream, &classes);
            for exponent in [[3.0, 6.0], [6.0, 9.0]][number % 2] {
                let mut expected = None;
                for near in [None, Some(3)] {
                    let multipole = MultipoleParams {
                        near,
                        ..MultipoleParams::default()
                    };
                    let field =
                        force_field(&stream, &classes, &params(exponent, multipole)).unwrap();
                    let expected = expected.get_or_insert_with(|| {
                        let (positions, _) = on_host(&stream, &field);
                        let exact =
                            forces_at_points(&stream, &sources, &positions, exponent).unwrap();
                        exact_cells(&positions, &exact)
                    });
                    let recomputed = field.bounds.as_ref().unwrap().recomputed;
                    let actual = marked_cells(&stream, &field);
                    println!(
                        "{label}, {}, m = {exponent}, near {near:?}: {} cells, {recomputed} of {} voxels recomputed",
                        solid.name,
                        actual.len(),
                        classes.counts.boundary + classes.counts.interior
                    );
                    assert_eq!(&actual, expected, "{label} {} {exponent}", solid.name);
                }
            }
        }
    }
}

/// Includes checked mode.
#[test]
fn every_kernel_stays_within_its_buffers() {
    let solid = Solid::tube(4.0, 44.0).shifted([1.0, 3.0, 2.0]);
    for shape in [Geometry::default(), voxel_shapes()[0], voxel_shapes()[5]] {
        let mut bits: Option<Vec<u32>> = None;
        for TestDevice { label, device } in devices::all() {
            let stream = device.stream().unwrap();
            let classes = classes_in(&stream, &solid, shape);
            let sources = surface_sources(&stream, &classes);
            let params = params(6.0, without_recomputation(Some(3), Some(3)));
            let field = force_field(&stream, &classes, &params).unwrap();
            check(&label, &stream, &field, &sources, 6.0, 7);
            // few enough for the direct-summation kernel
            let recomputed = field.bounds.as_ref().unwrap().recomputed;
            let targets = classes.counts.boundary + classes.counts.interior;
            let few = recomputed > 0 && recomputed <= targets / 4;
            assert!(few, "{label}: {recomputed} of {targets} recomputed");
            let forces = stream.download(&field.forces).unwrap();
            let actual: Vec<u32> = forces.into_iter().map(f32::to_bits).collect();
            let expected = bits.get_or_insert_with(|| actual.clone());
            assert!(&actual == expected, "{label}: bits differ");
        }
    }
}

#[test]
fn higher_orders_are_more_accurate() {
    let stream = Device::cpu().stream().unwrap();
    let classes = classes(&stream, &hand(36.0));
    let sources = surface_sources(&stream, &classes);
    for exponent in [2.0, 6.0, 9.0] {
        let mut before = f64::INFINITY;
        for order in [4, 6, 8, 10, 12] {
            let params = params(exponent, without_recomputation(Some(order), Some(6)));
            let field = force_field(&stream, &classes, &params).unwrap();
            let label = format!("order {order}");
            let worst = check(&label, &stream, &field, &sources, exponent, 37);
            println!("m = {exponent}, order {order}: {worst:?}");
            // the precision of f32 is reached
            assert!(
                worst.relative_to_scale < before.max(3e-7),
                "{exponent} {order}"
            );
            before = worst.relative_to_scale;
        }
    }
}

#[test]
fn bits_do_not_depend_on_other_targets() {
    let stream = Device::cpu().stream().unwrap();
    let classes = classes(&stream, &Solid::tube(6.0, 70.0));
    let sources = surface_sources(&stream, &classes);
    let inside = classes.inside(&stream).unwrap();
    let params = params(6.0, without_recomputation(Some(5), Some(3)));
    let all = forces_at_voxels(&stream, &sources, inside.copy(&stream).unwrap(), &params).unwrap();
    let recomputed = all.bounds.as_ref().unwrap().recomputed;
    let (positions, all) = on_host(&stream, &all);
    let few: Vec<u64> = (0..positions.len())
        .step_by(11)
        .map(|at| {
            let [nx, ny, _] = inside.dims();
            let [x, y, z] = [0, 1, 2].map(|axis| positions[at][axis] as usize);
            ((z * ny + y) * nx + x) as u64
        })
        .collect();
    let mask = DeviceMask::from_indices(&stream, &few, inside.dims(), Geometry::default());
    let few = forces_at_voxels(&stream, &sources, mask.unwrap(), &params).unwrap();
    let (_, few) = on_host(&stream, &few);
    let pairs = all.iter().step_by(11).zip(&few);
    // without marked cells nothing is recomputed
    let others = pairs.filter(|(all, few)| all != few).count() as u64;
    assert!(
        others <= recomputed && recomputed < 500,
        "{others} {recomputed}"
    );
}

#[test]
fn sparse_large_grid_takes_little_memory() {
    let device = Device::cpu();
    let stream = device.stream().unwrap();
    // two bars in opposite corners
    let dims = [512, 512, 256];
    let index = |[x, y, z]: [usize; 3]| (z * dims[1] + y) as u64 * dims[0] as u64 + x as u64;
    let bar = |corner: [usize; 3]| {
        (0..40 * 9 * 9).map(move |i| {
            let at = [i % 40, i / 40 % 9, i / 360];
            index([0, 1, 2].map(|axis| corner[axis] + at[axis]))
        })
    };
    let voxels: Vec<u64> = bar([2, 3, 5]).chain(bar([465, 500, 240])).collect();
    let solid = DeviceMask::from_indices(&stream, &voxels, dims, Geometry::default()).unwrap();
    let classes = classify(&stream, &solid, SurfaceNeighbours::Faces).unwrap();
    let before = device.memory_use().now;
    let field = force_field(
        &stream,
        &classes,
        &params(3.0, without_recomputation(None, None)),
    )
    .unwrap();
    let used_bytes = device.memory_use().peak - before;
    let sources = surface_sources(&stream, &classes);
    check("two bars", &stream, &field, &sources, 3.0, 7);
    // a quarter of a byte per voxel of the grid
    assert!(used_bytes < 60 << 20, "{used_bytes} bytes");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Arbitrary source and target voxels.
    #[test]
    fn scattered_voxels(
        seed in any::<u64>(),
        dims in [1usize..70, 1usize..50, 1usize..40],
        counts in [1usize..200, 1usize..200],
        exponent in 2.0f64..9.0,
        order in 1u32..=6,
        near in 3u32..=10,
        shape in prop::option::of(0usize..6),
    ) {
        let geometry = shape.map_or(Geometry::default(), |shape| voxel_shapes()[shape]);
        let mut noise = ferrovox_tests::noise::Noise(seed);
        let voxels = dims.iter().product::<usize>() as u64;
        let mut draw = |count: usize| -> std::collections::BTreeSet<u64> {
            (0..count).map(|_| noise.below(voxels)).collect()
        };
        let (sources, mut targets) = (draw(counts[0]), draw(counts[1]));
        targets.retain(|target| !sources.contains(target));
        let coords = |&index: &u64| {
            let index = index as usize;
            [index % dims[0], index / dims[0] % dims[1], index / dims[0] / dims[1]].map(|a| a as f32)
        };
        let stream = Device::cpu().stream().unwrap();
        let points: Vec<[f32; 3]> = sources.iter().map(coords).collect();
        let points = DevicePoints::from_voxels(&stream, &points, dims, geometry).unwrap();
        let points = Sources::new(&stream, points).unwrap();
        let targets: Vec<u64> = targets.into_iter().collect();
        let mask = DeviceMask::from_indices(&stream, &targets, dims, geometry).unwrap();
        let params = params(exponent, without_recomputation(Some(order), Some(near)));
        let field = forces_at_voxels(&stream, &points, mask, &params).unwrap();
        check("scattered", &stream, &field, &points, exponent, 1);
    }
}
