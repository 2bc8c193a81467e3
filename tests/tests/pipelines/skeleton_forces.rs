//! Forces on scattered voxels from scattered points, in any numbers, compared with sums in f64; and
//! on several devices.

use super::skeleton_classes::mask;
use ferrovox::{
    device::{Device, DeviceKind, Stream},
    grid::{DeviceMask, DevicePoints, Geometry},
    monitor::{CancelFlag, Monitor, Progress},
    skeleton::potential_field::{
        self, BoundaryForce, Execution, FieldVariant, Precision, SurfaceNeighbours, VoxelClasses,
        classify,
        field::{ForceField, Sources, force_field, force_field_on_devices, forces_at_voxels},
    },
};
use ferrovox_tests::{
    devices::{self, TestDevice},
    noise::Noise,
    solids::Solid,
};
use nalgebra::Vector3;
use proptest::prelude::*;
use std::sync::Mutex;

fn random(count: u64, below: u64) -> Vec<u64> {
    let mut noise = Noise(count);
    (0..count).map(|_| noise.below(below)).collect()
}

/// Returns some voxels of a grid, and points outside of it.
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

/// Returns the force on a target, and the sum of the magnitudes.
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
    let targets = DevicePoints::from_mask(&stream, &mask).unwrap();
    let targets = targets.download(&stream).unwrap();
    let sources = points.points().download(&stream).unwrap();
    for (variant, precision, &exponent) in variants
        .iter()
        .flat_map(|&variant| Precision::ALL.map(|precision| (variant, precision)))
        .flat_map(|(variant, precision)| exponents.iter().map(move |m| (variant, precision, m)))
    {
        let params = potential_field::Params {
            variant,
            precision,
            exponent,
            ..potential_field::Params::default()
        };
        let field =
            forces_at_voxels(&stream, &points, mask.copy(&stream).unwrap(), &params).unwrap();
        let actual = stream.download(&field.forces).unwrap();
        assert_eq!(actual.len(), 4 * targets.len());
        for (target, actual) in targets.iter().zip(actual.as_chunks::<4>().0) {
            let (expected, scale) = force(*target, &sources, exponent);
            let [x, y, z, magnitude] = actual.map(f64::from);
            let error = (magnitude * Vector3::new(x, y, z) - expected).norm();
            assert!(
                error <= 1e-5 * scale,
                "{} {params:?} {target:?}: {error} of {scale}",
                device.label
            );
        }
    }
}

/// Returns the bits of a field computed by one variant.
fn variant_bits(
    stream: &Stream,
    (sources, mask): (&Sources, &DeviceMask),
    variant: FieldVariant,
    precision: Precision,
    exponent: f64,
) -> Vec<u32> {
    let params = potential_field::Params {
        variant,
        precision,
        exponent,
        ..potential_field::Params::default()
    };
    let field = forces_at_voxels(stream, sources, mask.copy(stream).unwrap(), &params).unwrap();
    let forces = stream.download(&field.forces).unwrap();
    forces.into_iter().map(f32::to_bits).collect()
}

/// Checks that kernels with four targets and with one target per thread produce the same bits,
/// since there is one slice of so few sources.
fn check_runs_match_single_targets(
    device: &TestDevice,
    dims: [usize; 3],
    voxels: &[u64],
    at: &[[f32; 3]],
    m: f64,
) {
    let stream = device.device.stream().unwrap();
    let geometry = Geometry::default();
    let mask = DeviceMask::from_indices(&stream, voxels, dims, geometry).unwrap();
    let points = DevicePoints::from_voxels(&stream, at, dims, geometry).unwrap();
    let sources = Sources::new(&stream, points).unwrap();
    for precision in Precision::ALL {
        let bits = |variant| variant_bits(&stream, (&sources, &mask), variant, precision, m);
        assert!(
            bits(FieldVariant::Tuned) == bits(FieldVariant::Simple),
            "{} {dims:?}, {} targets, {} sources, m = {m}, {precision:?}",
            device.label,
            voxels.len(),
            at.len()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(160)))]

    #[test]
    fn runs_have_the_bits_of_single_targets(
        (nx, ny, nz) in (1usize..70, 1usize..12, 1usize..5),
        seed in 0u64..1 << 40,
        targets in 0u64..400,
        sources in 1u64..700,
        exponent in 2u32..10,
    ) {
        let mut noise = Noise(seed);
        let voxels: Vec<u64> = (0..targets).map(|_| noise.below((nx * ny * nz) as u64)).collect();
        let mut along = |limit: u64| noise.below(limit) as f32;
        let at: Vec<[f32; 3]> = (0..sources)
            // below the grid
            .map(|_| [along(200) - 60.0, along(200) - 60.0, -1.0 - along(90)])
            .collect();
        for device in devices::fast() {
            check_runs_match_single_targets(&device, [nx, ny, nz], &voxels, &at, f64::from(exponent));
        }
    }
}

#[test]
fn runs_pass_checked_mode() {
    let at: Vec<[f32; 3]> = (0..530)
        .map(|i| [(i % 90) as f32, (i / 90) as f32, -2.0])
        .collect();
    let voxels: Vec<u64> = (0..45 * 6).filter(|voxel| voxel % 7 < 4).collect();
    for device in devices::all() {
        check_runs_match_single_targets(&device, [45, 6, 1], &voxels, &at, 2.5);
        check_runs_match_single_targets(&device, [45, 6, 1], &voxels, &at, 6.0);
    }
}

/// One tile of sources close to the grid, one of sources so far away that some weights are
/// subnormal, and one of both.
#[test]
fn subnormal_weights_are_accurate() {
    let far = |i: u32| [300.0, 1.0, -(5000.0 + 40.0 * i as f32)];
    let near = |i: u32| [i as f32, 0.0, -3.0];
    let both = |i: u32| if i.is_multiple_of(2) { near(i) } else { far(i) };
    let at: Vec<[f32; 3]> = (0..512)
        .map(near)
        .chain((0..512).map(far))
        .chain((0..300).map(both))
        .collect();
    let voxels: Vec<u64> = (0..1200).step_by(3).collect();
    for device in devices::fast() {
        for exponent in [6.0, 8.0, 9.0, 11.5] {
            check_runs_match_single_targets(&device, [600, 2, 1], &voxels, &at, exponent);
        }
        check_runs_match_single_targets(&device, [600, 2, 1], &voxels, &at[512..], 9.0);
    }
}

#[test]
fn forces_match_f64_sums() {
    for device in devices::all() {
        check(&device, [60, 37], &[2.0, 6.0]);
    }
}

#[test]
fn forces_match_for_any_number_of_points() {
    for device in devices::fast() {
        for counts in [[0, 5], [5, 0], [1, 1], [200, 511], [3, 1537]] {
            check(&device, counts, &[3.0]);
        }
    }
}

#[test]
fn constant_memory_variant_handles_many_chunks_of_sources() {
    for device in devices::fast() {
        for sources in [5460, 5461, 5462, 3 * 5461 + 7] {
            let variants = [FieldVariant::Constant];
            check_variants(&device, [7, sources], &[3.0], &variants);
        }
    }
}

fn capsule(stream: &Stream, surface: SurfaceNeighbours) -> VoxelClasses {
    let solid = Solid::capsule(4.5, 15.0).rotated([1.0, 2.0, 0.0], 0.9);
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
fn several_devices_produce_the_same_bits() {
    for TestDevice { label, device } in devices::fast() {
        let streams: Vec<Stream> = (0..5).map(|_| device.stream().unwrap()).collect();
        let classes = capsule(&streams[0], SurfaceNeighbours::Faces);
        for variant in FieldVariant::ALL {
            for boundary in BoundaryForce::ALL {
                let params = potential_field::Params {
                    variant,
                    boundary,
                    ..potential_field::Params::default()
                };
                let single_device = force_field(&streams[0], &classes, &params).unwrap();
                let single_device = bits(&streams[0], &single_device);
                for count in [2, 5] {
                    let execution = Execution::new(&streams[..count]).unwrap();
                    let field = force_field_on_devices(execution, &classes, &params).unwrap();
                    assert_eq!(
                        bits(&streams[0], &field),
                        single_device,
                        "{label} {count} {params:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn devices_of_different_kinds_agree_within_rounding() {
    for TestDevice { label, device } in devices::fast() {
        if device.kind() == DeviceKind::Cpu {
            continue;
        }
        let streams = [device.stream().unwrap(), Device::cpu().stream().unwrap()];
        let classes = capsule(&streams[0], SurfaceNeighbours::Corners);
        let params = potential_field::Params::default();
        let single_device = force_field(&streams[0], &classes, &params).unwrap();
        let execution = Execution::new(&streams).unwrap();
        let field = force_field_on_devices(execution, &classes, &params).unwrap();
        let single_device = streams[0].download(&single_device.forces).unwrap();
        let actual = streams[0].download(&field.forces).unwrap();
        let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-4 * a.abs().max(1.0);
        assert!(actual.iter().zip(&single_device).all(is_near), "{label}");
    }
}

#[test]
fn progress_reports_do_not_change_the_field() {
    for TestDevice { label, device } in devices::fast() {
        let streams: Vec<Stream> = (0..2).map(|_| device.stream().unwrap()).collect();
        let classes = capsule(&streams[0], SurfaceNeighbours::Faces);
        for variant in FieldVariant::ALL {
            let params = potential_field::Params {
                variant,
                ..potential_field::Params::default()
            };
            let single_device = force_field(&streams[0], &classes, &params).unwrap();
            for count in [1, 2] {
                let reports = Mutex::new(Vec::<Progress>::new());
                let hook = |progress| reports.lock().unwrap().push(progress);
                let execution = Execution::new(&streams[..count])
                    .unwrap()
                    .on_progress(&hook);
                let field = force_field_on_devices(execution, &classes, &params).unwrap();
                let actual = bits(&streams[0], &field);
                assert!(
                    actual == bits(&streams[0], &single_device),
                    "{label} {params:?}"
                );
                let reports = reports.into_inner().unwrap();
                let counts = classes.counts;
                let pairs = counts.surface * (counts.boundary + counts.interior);
                assert!(reports.iter().all(|progress| progress.total == pairs));
                assert!(reports.windows(2).all(|pair| pair[0].done <= pair[1].done));
                assert_eq!(reports[reports.len() - 1].done, pairs, "{label} {params:?}");
            }
        }
    }
}

#[test]
fn field_can_be_cancelled_while_it_is_computed() {
    let streams = [
        Device::cpu().stream().unwrap(),
        Device::cpu().stream().unwrap(),
    ];
    let classes = capsule(&streams[0], SurfaceNeighbours::Faces);
    for count in [1, 2] {
        let cancel = CancelFlag::new();
        let hook = |_: Progress| cancel.cancel();
        let monitor = Monitor::new().on_progress(&hook).cancelled_by(&cancel);
        let execution = Execution::new(&streams[..count])
            .unwrap()
            .with_monitor(monitor);
        let error =
            force_field_on_devices(execution, &classes, &potential_field::Params::default());
        assert_eq!(error.unwrap_err().to_string(), "cancelled");
    }
}
