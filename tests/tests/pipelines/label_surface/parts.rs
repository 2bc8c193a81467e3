//! Extraction in slabs, on several devices and within a limit of memory: the same bits.

use super::{Field, all_params, balls};
use ferrovox::{
    device::{Device, DeviceKind},
    grid::{Geometry, Volume},
    label_surface::{self, LabelField, LabelSurfaceError, LabelSurfaceParams},
    mesh::LabelledMesh,
    monitor::{CancelFlag, Monitor},
};
use ferrovox_tests::devices;

fn in_one_piece(
    device: &Device,
    field: &LabelField,
    params: &LabelSurfaceParams,
) -> (LabelledMesh, u64, u64) {
    let stream = device.stream().unwrap();
    let surface = label_surface::extract(&stream, field, params).unwrap();
    let walls = surface.download(&stream, field).unwrap();
    (walls, surface.wall_count(), surface.unshared_wall_count())
}

/// Returns the bytes that the error of a limit of one byte asks for.
fn needed_bytes(devices: &[Device], field: &LabelField, params: &LabelSurfaceParams) -> u64 {
    let parts = label_surface::extract_parts(devices, field, params, Some(1), &Monitor::new());
    match parts {
        Err(LabelSurfaceError::Budget(error)) => {
            assert_eq!(error.budget, 1);
            assert!(error.to_string().contains(&error.needed.to_string()));
            error.needed
        }
        other => panic!("{other:?}"),
    }
}

/// Slabs of any height, including single planes of cells, on one to three devices.
#[test]
fn slabs_have_the_bits_of_one_piece() {
    let cpu = Device::cpu();
    for seed in 0..40 {
        let random = Field::random(seed);
        let field = LabelField::new(&random.volume(), None).unwrap();
        for params in all_params() {
            let (whole, walls, unshared) = in_one_piece(&cpu, &field, &params);
            for count in 1..=3 {
                let list = vec![cpu.clone(); count];
                let needed = needed_bytes(&list, &field, &params);
                for limit in [Some(needed), Some(needed + needed / 20), None] {
                    let what = format!("seed {seed}, {count} devices, {limit:?}, {params:?}");
                    let monitor = Monitor::new();
                    let parts =
                        label_surface::extract_parts(&list, &field, &params, limit, &monitor);
                    let parts = parts.unwrap();
                    assert!(parts.walls == whole, "{what}");
                    assert_eq!(
                        (parts.wall_count, parts.unshared_wall_count),
                        (walls, unshared)
                    );
                    if limit.is_none() {
                        assert!(parts.slabs <= count, "{what}");
                    }
                }
            }
        }
    }
}

/// The number of slabs follows the limit, and every device gives the same bits.
#[test]
fn slabs_on_every_device_are_equal() {
    let volume = Volume::from_fn([48, 40, 44], Geometry::default(), |x, y, z| {
        balls([x, y, z])
    });
    let field = LabelField::new(&volume.unwrap().into(), None).unwrap();
    let params = LabelSurfaceParams::default();
    let (whole, ..) = in_one_piece(&Device::cpu(), &field, &params);
    for test in devices::all() {
        let list = [test.device.clone(), test.device.clone()];
        let needed = needed_bytes(&list, &field, &params);
        // on the CPU both devices and the host share the memory
        let min_slabs = match test.device.kind() {
            DeviceKind::Cpu => 3,
            DeviceKind::Cuda => 2,
        };
        for (limit, range) in [(Some(needed), min_slabs..=45), (None, 2..=2)] {
            let monitor = Monitor::new();
            let parts = label_surface::extract_parts(&list, &field, &params, limit, &monitor);
            let parts = parts.unwrap();
            assert!(parts.walls == whole, "{limit:?}");
            assert!(range.contains(&parts.slabs), "{} slabs", parts.slabs);
        }
    }
}

#[test]
fn extraction_needs_a_device_and_can_be_cancelled() {
    let volume = Volume::new(vec![1_u8; 8], [2; 3], Geometry::default()).unwrap();
    let field = LabelField::new(&volume.into(), None).unwrap();
    let extract = |devices: &[Device], monitor: &Monitor<'_>| {
        let params = LabelSurfaceParams::default();
        label_surface::extract_parts(devices, &field, &params, None, monitor)
    };
    let error = extract(&[], &Monitor::new()).unwrap_err();
    assert!(matches!(error, LabelSurfaceError::NoDevices));
    let cancel = CancelFlag::new();
    cancel.cancel();
    let monitor = Monitor::new().cancelled_by(&cancel);
    let error = extract(&[Device::cpu()], &monitor).unwrap_err();
    assert!(matches!(error, LabelSurfaceError::Cancelled(_)), "{error}");
}
