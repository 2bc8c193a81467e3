//! Forces on scattered voxels from scattered points, in any numbers, against sums in f64; and by several devices.

use super::skeleton_classes::mask;
use ferrovox::{
    device::{Device, DeviceKind, Stream},
    grid::{DeviceMask, DevicePoints, Geometry},
    monitor::{CancelFlag, Monitor, Progress},
    skeleton::{
        BoundaryForce, Classes, Execution, FieldVariant, Precision, SkeletonParams, SurfaceBy,
        classify,
        field::{ForceField, Sources, force_field, force_field_on_devices, forces},
    },
};
use ferrovox_tests::{
    devices::{self, TestDevice},
    noise::Noise,
    solids::Solid,
};
use nalgebra::Vector3;
use std::sync::Mutex;

fn random(count: u64, below: u64) -> Vec<u64> {
    let mut noise = Noise(count);
    (0..count).map(|_| noise.below(below)).collect()
}

/// Some voxels of a grid, and points beside it.
fn targets_and_sources(stream: &Stream, targets: u64, sources: u64) -> (DeviceMask, Sources) {
    let dims = [37, 6, 5];
    let voxels = random(targets, 37 * 6 * 5);
    let mask = DeviceMask::from_indices(stream, &voxels, dims, Geometry::default()).unwrap();
    let numbers = random(3 * sources, 90);
    let points: Vec<[f32; 3]> = numbers
        .chunks(3)
        // below the grid
        .map(|at| {
            [
                at[0] as f32 - 20.0,
                at[1] as f32 - 40.0,
                -1.0 - at[2] as f32,
            ]
        })
        .collect();
    let points = DevicePoints::from_voxels(stream, &points, dims, Geometry::default()).unwrap();
    (mask, Sources::new(stream, points).unwrap())
}

/// The force on a target, and the sum of the magnitudes.
pub fn force(target: [f32; 3], sources: &[[f32; 3]], exponent: f64) -> (Vector3<f64>, f64) {
    let target = Vector3::from(target.map(f64::from));
    sources.iter().fold((Vector3::zeros(), 0.0), |sum, source| {
        let from = target - Vector3::from(source.map(f64::from));
        let weight = from.norm().powf(-exponent - 1.0);
        (sum.0 + weight * from, sum.1 + weight * from.norm())
    })
}

fn check(device: &TestDevice, counts: [u64; 2], exponents: &[f64]) {
    check_variants(device, counts, exponents, &FieldVariant::ALL);
}

fn check_variants(
    device: &TestDevice,
    counts: [u64; 2],
    exponents: &[f64],
    variants: &[FieldVariant],
) {
    let stream = device.device.stream().unwrap();
    let (mask, points) = targets_and_sources(&stream, counts[0], counts[1]);
    let targets = DevicePoints::from_sites(&stream, &mask).unwrap();
    let targets = targets.download(&stream).unwrap();
    let sources = points.points().download(&stream).unwrap();
    for (variant, precision, &exponent) in variants
        .iter()
        .flat_map(|&variant| Precision::ALL.map(|precision| (variant, precision)))
        .flat_map(|(variant, precision)| exponents.iter().map(move |m| (variant, precision, m)))
    {
        let params = SkeletonParams {
            variant,
            precision,
            exponent,
            ..SkeletonParams::default()
        };
        let field = forces(&stream, &points, mask.copy(&stream).unwrap(), &params).unwrap();
        let found = stream.download(&field.forces).unwrap();
        assert_eq!(found.len(), 4 * targets.len());
        for (target, found) in targets.iter().zip(found.as_chunks::<4>().0) {
            let (expected, scale) = force(*target, &sources, exponent);
            let [x, y, z, magnitude] = found.map(f64::from);
            let error = (magnitude * Vector3::new(x, y, z) - expected).norm();
            assert!(
                error <= 1e-5 * scale,
                "{} {params:?} {target:?}: {error} of {scale}",
                device.label
            );
        }
    }
}

#[test]
fn forces_are_sums() {
    for device in devices::all() {
        check(&device, [60, 37], &[2.0, 6.0]);
    }
}

#[test]
fn forces_of_any_number_of_points() {
    for device in devices::fast() {
        for counts in [[0, 5], [5, 0], [1, 1], [200, 511], [3, 1537]] {
            check(&device, counts, &[3.0]);
        }
    }
}

#[test]
fn constant_memory_takes_many_sources_in_pieces() {
    for device in devices::fast() {
        for sources in [5460, 5461, 5462, 3 * 5461 + 7] {
            let variants = [FieldVariant::Constant];
            check_variants(&device, [7, sources], &[3.0], &variants);
        }
    }
}

fn capsule(stream: &Stream, surface: SurfaceBy) -> Classes {
    let solid = Solid::capsule(4.5, 15.0).turned([1.0, 2.0, 0.0], 0.9);
    let solid = solid.voxels();
    classify(stream, &mask(stream, &solid), surface).unwrap()
}

fn bits(stream: &Stream, field: &ForceField) -> (Vec<u32>, Vec<u32>, Vec<u64>) {
    let forces = stream.download(&field.forces).unwrap();
    (
        forces.into_iter().map(f32::to_bits).collect(),
        field.mask.download(stream).unwrap(),
        stream.download(&field.before).unwrap(),
    )
}

#[test]
fn several_devices_make_the_same_bits() {
    for TestDevice { label, device } in devices::fast() {
        let streams: Vec<Stream> = (0..5).map(|_| device.stream().unwrap()).collect();
        let classes = capsule(&streams[0], SurfaceBy::Faces);
        for variant in FieldVariant::ALL {
            for boundary in BoundaryForce::ALL {
                let params = SkeletonParams {
                    variant,
                    boundary,
                    ..SkeletonParams::default()
                };
                let alone = force_field(&streams[0], &classes, &params).unwrap();
                let alone = bits(&streams[0], &alone);
                for count in [2, 5] {
                    let execution = Execution::on(&streams[..count]).unwrap();
                    let field = force_field_on_devices(execution, &classes, &params).unwrap();
                    assert_eq!(
                        bits(&streams[0], &field),
                        alone,
                        "{label} {count} {params:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn devices_of_different_kinds_make_the_same_field() {
    for TestDevice { label, device } in devices::fast() {
        if device.kind() == DeviceKind::Cpu {
            continue;
        }
        let streams = [device.stream().unwrap(), Device::cpu().stream().unwrap()];
        let classes = capsule(&streams[0], SurfaceBy::Corners);
        let params = SkeletonParams::default();
        let alone = force_field(&streams[0], &classes, &params).unwrap();
        let execution = Execution::on(&streams).unwrap();
        let field = force_field_on_devices(execution, &classes, &params).unwrap();
        let alone = streams[0].download(&alone.forces).unwrap();
        let found = streams[0].download(&field.forces).unwrap();
        let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-4 * a.abs().max(1.0);
        assert!(found.iter().zip(&alone).all(is_near), "{label}");
    }
}

#[test]
fn who_is_told_changes_nothing() {
    for TestDevice { label, device } in devices::fast() {
        let streams: Vec<Stream> = (0..2).map(|_| device.stream().unwrap()).collect();
        let classes = capsule(&streams[0], SurfaceBy::Faces);
        for variant in FieldVariant::ALL {
            let params = SkeletonParams {
                variant,
                ..SkeletonParams::default()
            };
            let alone = force_field(&streams[0], &classes, &params).unwrap();
            for count in [1, 2] {
                let told = Mutex::new(Vec::<Progress>::new());
                let hook = |progress| told.lock().unwrap().push(progress);
                let execution = Execution::on(&streams[..count]).unwrap().on_progress(&hook);
                let field = force_field_on_devices(execution, &classes, &params).unwrap();
                let found = bits(&streams[0], &field);
                assert!(found == bits(&streams[0], &alone), "{label} {params:?}");
                let told = told.into_inner().unwrap();
                let counts = classes.counts;
                let pairs = counts.surface * (counts.boundary + counts.interior);
                assert!(told.iter().all(|progress| progress.all == pairs));
                assert!(told.windows(2).all(|pair| pair[0].done <= pair[1].done));
                assert_eq!(told[told.len() - 1].done, pairs, "{label} {params:?}");
            }
        }
    }
}

#[test]
fn a_field_is_cancelled_in_the_midst_of_it() {
    let streams = [
        Device::cpu().stream().unwrap(),
        Device::cpu().stream().unwrap(),
    ];
    let classes = capsule(&streams[0], SurfaceBy::Faces);
    for count in [1, 2] {
        let cancel = CancelFlag::new();
        let hook = |_: Progress| cancel.cancel();
        let monitor = Monitor::silent().on_progress(&hook).cancelled_by(&cancel);
        let execution = Execution::on(&streams[..count])
            .unwrap()
            .monitored_by(monitor);
        let error = force_field_on_devices(execution, &classes, &SkeletonParams::default());
        assert_eq!(error.unwrap_err().to_string(), "cancelled");
    }
}
