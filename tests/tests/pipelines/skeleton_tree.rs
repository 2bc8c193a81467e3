//! The field by series over bricks, against sums over all sources in `f64`.

use super::{skeleton_classes::mask, skeleton_kernels::critical_cells_of};
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

/// A palm and five fingers.
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

/// Voxels that are no cubes: as in scans, long along x, nearly cubes, and with axes that lean.
fn forms() -> [Geometry; 6] {
    let leaning = nalgebra::Rotation3::from_euler_angles(0.3, -0.2, 0.9).matrix()
        * Matrix3::new(0.8, 0.3, -0.2, 0.0, 1.0, 0.4, 0.0, 0.0, 1.7);
    let along = |x: f64, y: f64, z: f64| Matrix3::from_diagonal(&[x, y, z].into());
    [
        along(1.0, 1.0, 2.5),
        along(0.7, 0.7, 5.0),
        along(3.0, 1.0, 1.5),
        along(9.0, 2.0, 1.0),
        along(0.9, 0.8, 1.1),
        leaning,
    ]
    .map(|axes| Geometry::new(axes, Vector3::zeros()).unwrap())
}

fn params(exponent: f64, tree: MultipoleParams) -> potential_field::Params {
    potential_field::Params {
        exponent,
        multipole: tree,
        variant: FieldVariant::Multipole,
        ..potential_field::Params::default()
    }
}

/// Nothing is summed up again but what may be a critical point even so.
fn plain(order: Option<u32>, near: Option<u32>) -> MultipoleParams {
    MultipoleParams {
        order,
        near,
        bound_factor: 0.0,
    }
}

/// A field's voxels, and its forces.
fn on_host(stream: &Stream, field: &ForceField) -> (Vec<Point3<f64>>, Vec<Vector3<f64>>) {
    let places = DevicePoints::from_sites(stream, &field.mask).unwrap();
    let places = places.download(stream).unwrap();
    let forces = stream.download(&field.forces).unwrap();
    let forces = forces.as_chunks::<4>().0.iter().map(|force| {
        let [x, y, z, magnitude] = force.map(f64::from);
        magnitude * Vector3::new(x, y, z)
    });
    let places = places.iter().map(|at| Point3::from(at.map(f64::from)));
    (places.collect(), forces.collect())
}

/// The largest part of its bound, and of the sum of magnitudes, that an error is, at every so many
/// voxels.
#[derive(Debug, Default)]
struct Worst {
    of_bound: f64,
    of_scale: f64,
}

/// Holds a field to exact sums and its bounds.
fn check(
    label: &str,
    stream: &Stream,
    field: &ForceField,
    sources: &Sources,
    exponent: f64,
    step: usize,
) -> Worst {
    let (places, forces) = on_host(stream, field);
    let bounds = field.bounds.as_ref().unwrap();
    let [nx, ny, _] = bounds.dims();
    let brick = bounds.brick_dims();
    let of_brick = bounds.download(stream).unwrap();
    let some: Vec<usize> = (0..places.len()).step_by(step).collect();
    let points: Vec<Point3<f64>> = some.iter().map(|&at| places[at]).collect();
    let exact = forces_at_points(stream, sources, &points, exponent).unwrap();
    let mut worst = Worst::default();
    for (&target, exact) in some.iter().zip(&exact) {
        let [x, y, z] = [0, 1, 2].map(|axis| places[target][axis] as usize / brick[axis]);
        let bound = of_brick[(z * ny + y) * nx + x];
        let off = forces[target] - exact.force;
        for axis in 0..3 {
            // what is kept has 24 bits, and sums in f64 are rounded too
            let rounded = 3e-7 * exact.force[axis].abs() + 1e-13 * exact.scale;
            assert!(
                off[axis].abs() <= bound + rounded,
                "{label}, m = {exponent}, {:?}: {} by {} of {}, bound {bound}",
                places[target],
                off[axis],
                exact.force[axis],
                exact.scale
            );
        }
        worst.of_scale = worst.of_scale.max(off.norm() / exact.scale);
        let beyond = off.norm() - 3e-7 * exact.force.norm();
        if bound > 0.0 && beyond > 0.0 {
            worst.of_bound = worst.of_bound.max(beyond / bound);
        }
    }
    worst
}

fn sources_of(stream: &Stream, classes: &VoxelClasses) -> Sources {
    Sources::from_surface(stream, classes).unwrap()
}

#[test]
fn errors_are_within_their_bounds() {
    for TestDevice { label, device } in devices::fast() {
        let stream = device.stream().unwrap();
        for (number, solid) in shapes().into_iter().enumerate() {
            let classes = classes(&stream, &solid);
            let sources = sources_of(&stream, &classes);
            for (turn, exponent) in shard(EXPONENTS.into_iter().enumerate(), number) {
                // a small radius makes much of such a solid far, on several levels
                let near = [None, Some(3), Some(9)][(number + turn) % 3];
                let params = params(exponent, plain(None, near));
                let field = force_field(&stream, &classes, &params).unwrap();
                let label = format!("{label}, {}, near {near:?}", solid.name);
                let worst = check(&label, &stream, &field, &sources, exponent, 61);
                println!("{label}, m = {exponent}: {worst:?}");
                let far = near.is_some() || exponent < 4.0;
                assert!(far || worst.of_scale < 1e-4, "{label} {exponent} {worst:?}");
            }
        }
    }
}

#[test]
fn errors_are_within_their_bounds_in_the_world() {
    let solids = [
        hand(26.0),
        Solid::tube(6.0, 60.0).shifted([3.0, 5.0, 1.0]),
        Solid::ball(13.0),
    ];
    for TestDevice { label, device } in devices::fast() {
        let stream = device.stream().unwrap();
        for (number, form) in forms().into_iter().enumerate() {
            for (turn, exponent) in shard([2.0, 2.5, 6.0, 9.0].into_iter().enumerate(), number) {
                let solid = &solids[(number + turn) % 3];
                let classes = classes_in(&stream, solid, form);
                let sources = sources_of(&stream, &classes);
                let near = [None, Some(3), Some(9)][(number + turn) % 3];
                let params = params(exponent, plain(None, near));
                let field = force_field(&stream, &classes, &params).unwrap();
                assert_eq!(field.variant, FieldVariant::Multipole);
                let label = format!("{label}, {}, {form:?}, near {near:?}", solid.name);
                let worst = check(&label, &stream, &field, &sources, exponent, 61);
                println!("{label}, m = {exponent}: {worst:?}");
                let far = near.is_some() || exponent < 4.0;
                assert!(far || worst.of_scale < 1e-4, "{label} {exponent} {worst:?}");
            }
        }
    }
}

/// Too flat for series.
#[test]
fn the_flattest_voxels_compare_all_pairs() {
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

/// The cells in which no component of the exact forces has one sign at all corners.
fn exact_cells(places: &[Point3<f64>], exact: &[PointForce]) -> Vec<[i64; 3]> {
    let key = |at: &Point3<f64>| [0, 1, 2].map(|axis| at[axis] as i64);
    let pairs = places.iter().map(key).zip(exact);
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
            let least = corners
                .iter()
                .map(|at| at.force[axis])
                .fold(f64::INFINITY, f64::min);
            let most = corners
                .iter()
                .map(|at| at.force[axis])
                .fold(f64::NEG_INFINITY, f64::max);
            least <= 1e-9 * largest && most >= -1e-9 * largest
        })
    };
    let mut cells: Vec<_> = by_voxel.keys().copied().filter(may_vanish).collect();
    cells.sort_unstable();
    cells
}

/// The cells that the field says may have a critical point.
fn cells_of(stream: &Stream, field: &ForceField) -> Vec<[i64; 3]> {
    let words = critical_cells_of(stream, field, 64);
    let mask = DeviceMask::from_words(stream, &words, field.mask.dims(), Geometry::default());
    let found = DevicePoints::from_sites(stream, &mask.unwrap()).unwrap();
    let found = found.download(stream).unwrap();
    let mut cells: Vec<_> = found.iter().map(|at| at.map(|a| a as i64)).collect();
    cells.sort_unstable();
    cells
}

#[test]
fn cells_with_critical_points_are_those_of_all_pairs() {
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
            // the first in the world of a scan
            let form = [forms()[0], Geometry::default()][number.min(1)];
            let classes = classes_in(&stream, solid, form);
            let sources = sources_of(&stream, &classes);
            for exponent in [[3.0, 6.0], [6.0, 9.0]][number % 2] {
                let mut expected = None;
                for near in [None, Some(3)] {
                    let tree = MultipoleParams {
                        near,
                        ..MultipoleParams::default()
                    };
                    let field = force_field(&stream, &classes, &params(exponent, tree)).unwrap();
                    let expected = expected.get_or_insert_with(|| {
                        let (places, _) = on_host(&stream, &field);
                        let exact = forces_at_points(&stream, &sources, &places, exponent).unwrap();
                        exact_cells(&places, &exact)
                    });
                    let corrected = field.bounds.as_ref().unwrap().recomputed;
                    let found = cells_of(&stream, &field);
                    println!(
                        "{label}, {}, m = {exponent}, near {near:?}: {} cells, {corrected} of {} voxels again",
                        solid.name,
                        found.len(),
                        classes.counts.boundary + classes.counts.interior
                    );
                    assert_eq!(&found, expected, "{label} {} {exponent}", solid.name);
                }
            }
        }
    }
}

/// In checked mode too.
#[test]
fn every_kernel_keeps_to_its_buffers() {
    let solid = Solid::tube(4.0, 44.0).shifted([1.0, 3.0, 2.0]);
    for form in [Geometry::default(), forms()[0], forms()[5]] {
        let mut bits: Option<Vec<u32>> = None;
        for TestDevice { label, device } in devices::all() {
            let stream = device.stream().unwrap();
            let classes = classes_in(&stream, &solid, form);
            let sources = sources_of(&stream, &classes);
            let params = params(6.0, plain(Some(3), Some(3)));
            let field = force_field(&stream, &classes, &params).unwrap();
            check(&label, &stream, &field, &sources, 6.0, 7);
            // few enough, so that they are summed up by the kernel for few
            let corrected = field.bounds.as_ref().unwrap().recomputed;
            let targets = classes.counts.boundary + classes.counts.interior;
            let few = corrected > 0 && corrected <= targets / 4;
            assert!(few, "{label}: {corrected} of {targets} again");
            let forces = stream.download(&field.forces).unwrap();
            let found: Vec<u32> = forces.into_iter().map(f32::to_bits).collect();
            let expected = bits.get_or_insert_with(|| found.clone());
            assert!(&found == expected, "{label}: other bits");
        }
    }
}

#[test]
fn a_higher_order_is_nearer() {
    let stream = Device::cpu().stream().unwrap();
    let classes = classes(&stream, &hand(36.0));
    let sources = sources_of(&stream, &classes);
    for exponent in [2.0, 6.0, 9.0] {
        let mut before = f64::INFINITY;
        for order in [4, 6, 8, 10, 12] {
            let params = params(exponent, plain(Some(order), Some(6)));
            let field = force_field(&stream, &classes, &params).unwrap();
            let label = format!("order {order}");
            let worst = check(&label, &stream, &field, &sources, exponent, 37);
            println!("m = {exponent}, order {order}: {worst:?}");
            // f32 has no more
            assert!(worst.of_scale < before.max(3e-7), "{exponent} {order}");
            before = worst.of_scale;
        }
    }
}

#[test]
fn bits_do_not_depend_on_what_else_is_there() {
    let stream = Device::cpu().stream().unwrap();
    let classes = classes(&stream, &Solid::tube(6.0, 70.0));
    let sources = sources_of(&stream, &classes);
    let inside = classes.inside(&stream).unwrap();
    let params = params(6.0, plain(Some(5), Some(3)));
    let all = forces_at_voxels(&stream, &sources, inside.copy(&stream).unwrap(), &params).unwrap();
    let corrected = all.bounds.as_ref().unwrap().recomputed;
    let (places, all) = on_host(&stream, &all);
    let few: Vec<u64> = (0..places.len())
        .step_by(11)
        .map(|at| {
            let [nx, ny, _] = inside.dims();
            let [x, y, z] = [0, 1, 2].map(|axis| places[at][axis] as usize);
            ((z * ny + y) * nx + x) as u64
        })
        .collect();
    let mask = DeviceMask::from_indices(&stream, &few, inside.dims(), Geometry::default());
    let few = forces_at_voxels(&stream, &sources, mask.unwrap(), &params).unwrap();
    let (_, few) = on_host(&stream, &few);
    let pairs = all.iter().step_by(11).zip(&few);
    // where there are no cells nothing is summed up again
    let others = pairs.filter(|(all, few)| all != few).count() as u64;
    assert!(
        others <= corrected && corrected < 500,
        "{others} {corrected}"
    );
}

#[test]
fn a_large_grid_with_little_in_it_takes_little() {
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
    let field = force_field(&stream, &classes, &params(3.0, plain(None, None))).unwrap();
    let taken = device.memory_use().peak - before;
    let sources = sources_of(&stream, &classes);
    check("two bars", &stream, &field, &sources, 3.0, 7);
    // a quarter of a byte for a voxel of the grid
    assert!(taken < 60 << 20, "{taken} bytes");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Any voxels on any others.
    #[test]
    fn scattered_voxels(
        seed in any::<u64>(),
        dims in [1usize..70, 1usize..50, 1usize..40],
        counts in [1usize..200, 1usize..200],
        exponent in 2.0f64..9.0,
        order in 1u32..=6,
        near in 3u32..=10,
        form in prop::option::of(0usize..6),
    ) {
        let geometry = form.map_or(Geometry::default(), |form| forms()[form]);
        let mut noise = ferrovox_tests::noise::Noise(seed);
        let voxels = dims.iter().product::<usize>() as u64;
        let mut draw = |count: usize| -> std::collections::BTreeSet<u64> {
            (0..count).map(|_| noise.below(voxels)).collect()
        };
        let (sources, mut targets) = (draw(counts[0]), draw(counts[1]));
        targets.retain(|target| !sources.contains(target));
        let place = |&index: &u64| {
            let index = index as usize;
            [index % dims[0], index / dims[0] % dims[1], index / dims[0] / dims[1]].map(|a| a as f32)
        };
        let stream = Device::cpu().stream().unwrap();
        let points: Vec<[f32; 3]> = sources.iter().map(place).collect();
        let points = DevicePoints::from_voxels(&stream, &points, dims, geometry).unwrap();
        let points = Sources::new(&stream, points).unwrap();
        let targets: Vec<u64> = targets.into_iter().collect();
        let mask = DeviceMask::from_indices(&stream, &targets, dims, geometry).unwrap();
        let params = params(exponent, plain(Some(order), Some(near)));
        let field = forces_at_voxels(&stream, &points, mask, &params).unwrap();
        check("scattered", &stream, &field, &points, exponent, 1);
    }
}
