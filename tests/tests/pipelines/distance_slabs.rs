//! Distance maps in slabs along z: devices and memory limits do not change the result.

use ferrovox::{
    device::{CpuOptions, Device},
    distance::{self, DistanceError, DistanceParams, Method, NoSites, Sites, Slabs},
    grid::{DeviceMask, Geometry, GridError, Mask, Volume},
    io::{ReadOptions, VolumeReader, VolumeWriteOptions, read_mask, write_volume},
    monitor::{CancelFlag, Monitor, Progress},
    partition::TooLittleMemory,
};
use ferrovox_tests::{devices, noise::Noise};
use simt::Mode;
use std::sync::Mutex;

/// Dimensions of 1, around 32, prime, and larger than a tile of bits.
const DIMS: [[usize; 3]; 9] = [
    [1, 1, 1],
    [1, 1, 70],
    [70, 1, 1],
    [1, 67, 33],
    [33, 5, 64],
    [31, 7, 97],
    [97, 13, 31],
    [40, 3, 270],
    [270, 2, 65],
];

fn geometry(spacing: [f64; 3]) -> Geometry {
    Geometry::from_spacing(spacing, [1.0, 2.0, 3.0]).unwrap()
}

fn random(dims: [usize; 3], spacing: [f64; 3], one_in: u64, seed: u64) -> Mask {
    let mut noise = Noise(seed);
    let len = dims.iter().product();
    let mut voxels: Vec<u8> = (0..len)
        .map(|_| u8::from(noise.below(one_in) == 0))
        .collect();
    voxels[noise.below(len as u64) as usize] = 1;
    let mut mask = Mask::new(dims, geometry(spacing)).unwrap();
    assert_eq!(mask.set_planes(0, &voxels, |sample| sample != 0.0), 0);
    mask
}

/// Computes the complete map on one device.
fn in_core_map(sites: &Mask, inside: Option<&Mask>, params: &DistanceParams) -> Volume<f32> {
    let stream = Device::cpu().stream().unwrap();
    let params = DistanceParams {
        memory: None,
        ..*params
    };
    let sites = sites.upload(&stream).unwrap();
    let mut map = distance::transform(&stream, Sites::Voxels(&sites), &params).unwrap();
    if let Some(inside) = inside {
        let inside = inside.upload(&stream).unwrap();
        distance::apply_sign(&stream, &mut map, &inside).unwrap();
    }
    map.download(&stream).unwrap()
}

fn assert_same(context: &str, found: &Volume<f32>, expected: &Volume<f32>) {
    assert_eq!(found.dims(), expected.dims(), "{context}");
    assert_eq!(found.geometry(), expected.geometry(), "{context}");
    let bits = |volume: &Volume<f32>| -> Vec<u32> {
        volume.samples().iter().map(|it| it.to_bits()).collect()
    };
    assert!(bits(found) == bits(expected), "{context}");
}

/// Returns the minimum memory limit, as reported by the error for a limit that is too small.
fn min_memory_limit(devices: &[Device], sites: &Mask, params: &DistanceParams) -> u64 {
    let params = DistanceParams {
        memory: Some(0),
        ..*params
    };
    let plain = DistanceParams::default();
    let reported = Slabs::new(devices, sites, &plain).unwrap().min_memory();
    match Slabs::new(devices, sites, &params) {
        Err(DistanceError::Memory(TooLittleMemory {
            budget: 0,
            needed: minimum,
        })) if minimum == reported => minimum,
        other => panic!("{other:?}"),
    }
}

#[test]
fn memory_limits_and_devices_do_not_change_the_map() {
    for (number, dims) in DIMS.into_iter().enumerate() {
        for (spacing, one_in, max_distance) in [
            ([1.0; 3], 5000, None),
            ([1.0; 3], 40, Some(4.5)),
            ([1.0, 2.0, 3.0], 300, None),
            ([600.0, 1.0, 7.0], 300, None),
            ([0.7, 0.9, 1.3], 100, None),
            ([0.7, 0.9, 1.3], 1000, Some(9.1)),
        ] {
            let sites = random(dims, spacing, one_in, number as u64);
            let inside = random(dims, spacing, 3, 100 + number as u64);
            let params = DistanceParams {
                max_distance,
                ..Default::default()
            };
            let expected = in_core_map(&sites, None, &params);
            let expected_signed = in_core_map(&sites, Some(&inside), &params);
            for count in [1, 3] {
                let devices: Vec<Device> = (0..count).map(|_| Device::cpu()).collect();
                let minimum = min_memory_limit(&devices, &sites, &params);
                for memory in [
                    None,
                    Some(minimum),
                    Some(minimum + minimum / 2),
                    Some(4 * minimum),
                ] {
                    let context =
                        format!("{dims:?} {spacing:?} {max_distance:?} {count} {memory:?}");
                    let params = DistanceParams { memory, ..params };
                    devices.iter().for_each(Device::reset_peak_memory);
                    let slabs = Slabs::new(&devices, &sites, &params).unwrap();
                    assert_same(&context, &slabs.map().unwrap(), &expected);
                    if memory == Some(minimum) {
                        assert_eq!(slabs.count(), dims[2].div_ceil(32), "{context}");
                    }
                    let slabs = slabs.with_sign(&inside).unwrap();
                    assert_same(&context, &slabs.map().unwrap(), &expected_signed);
                    for device in &devices {
                        let found = device.memory_use();
                        assert_eq!(found.now, 0, "{context}");
                        if let Some(limit) = memory {
                            assert!(found.peak <= limit, "{context}: {}", found.peak);
                        }
                    }
                }
            }
        }
    }
}

/// The minimum is exact, not an estimate.
#[test]
fn minimum_memory_is_used_exactly() {
    for spacing in [[1.0; 3], [600.0, 1.0, 7.0], [0.7, 0.9, 1.3]] {
        let sites = random([70, 31, 100], spacing, 100, 5);
        let devices = [Device::cpu()];
        let minimum = min_memory_limit(&devices, &sites, &DistanceParams::default());
        let params = DistanceParams {
            memory: Some(minimum),
            ..Default::default()
        };
        let slabs = Slabs::new(&devices, &sites, &params).unwrap();
        slabs.map().unwrap();
        assert_eq!(devices[0].memory_use().peak, minimum, "{spacing:?}");
        let slabs = slabs.with_sign(&sites).unwrap();
        slabs.map().unwrap();
        // The squared distances need more memory than a slab and its signs.
        assert_eq!(devices[0].memory_use().peak, minimum, "{spacing:?}");
    }
}

#[test]
fn block_sizes_do_not_change_the_map() {
    let mut all: Vec<Device> = devices::all().into_iter().map(|it| it.device).collect();
    for (block, seed) in [(32, 3), (64, 4), (96, 5)] {
        let mode = Mode::Checked { seed };
        all.push(Device::cpu_with(CpuOptions { mode, block }));
    }
    for dims in [[33, 3, 64], [40, 2, 270], [65, 1, 1], [1, 1, 40]] {
        for spacing in [[1.0; 3], [0.7, 0.9, 1.3]] {
            let sites = random(dims, spacing, 50, 9);
            let inside = random(dims, spacing, 3, 10);
            let params = DistanceParams::default();
            let expected = in_core_map(&sites, Some(&inside), &params);
            for device in &all {
                let devices = std::slice::from_ref(device);
                let params = DistanceParams {
                    memory: Some(3 * min_memory_limit(devices, &sites, &params)),
                    ..params
                };
                let slabs = Slabs::new(devices, &sites, &params).unwrap();
                let found = slabs.with_sign(&inside).unwrap().map().unwrap();
                assert_same(&format!("{device:?} {dims:?}"), &found, &expected);
            }
            let several = Slabs::new(&all, &sites, &params).unwrap();
            let found = several.with_sign(&inside).unwrap().map().unwrap();
            assert_same(&format!("all {dims:?}"), &found, &expected);
        }
    }
}

#[test]
fn host_masks_equal_device_masks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v.nrrd");
    let dims = [37, 5, 41];
    let mut noise = Noise(4);
    let volume = Volume::<f32>::from_fn(dims, geometry([1.0, 2.0, 1.0]), |_, _, z| {
        if z == 7 { f32::NAN } else { noise.signed() }
    })
    .unwrap();
    let stream = Device::cpu().stream().unwrap();
    let on_device = ferrovox::grid::DeviceVolume::upload(&stream, volume.view()).unwrap();
    let above = DeviceMask::above(&stream, &on_device, 0.25).unwrap();
    write_volume(&path, &volume.into(), &VolumeWriteOptions::default()).unwrap();
    let mut reader = VolumeReader::open(&path, &ReadOptions::default()).unwrap();
    let (mask, inexact) = read_mask(&mut reader, |sample| sample as f32 >= 0.25).unwrap();
    assert_eq!(inexact, 0);
    assert_eq!(mask, Mask::download(&stream, &above).unwrap());
    assert_eq!(mask.count(), above.count(&stream).unwrap());
    let device = Device::cpu();
    let surface = mask.surface(&device).unwrap();
    let expected = above.surface(&stream).unwrap();
    assert_eq!(surface, Mask::download(&stream, &expected).unwrap());
    let enclosed = surface.enclosed(&device).unwrap();
    let expected = DeviceMask::enclosed_by(&stream, &expected).unwrap();
    assert_eq!(enclosed, Mask::download(&stream, &expected).unwrap());
    device.reset_peak_memory();
    mask.surface(&device).unwrap();
    assert_eq!(device.memory_use().peak, mask.surface_bytes());
    mask.enclosed(&device).unwrap();
    assert!(device.memory_use().peak <= mask.enclosed_bytes());
    assert!(matches!(
        Mask::from_words(vec![0; 3], dims, Geometry::default()),
        Err(GridError::Words { found: 3, .. })
    ));
}

#[test]
fn invalid_requests_return_errors() {
    let sites = random([3, 3, 40], [1.0; 3], 10, 1);
    let none = Mask::new([3, 3, 40], Geometry::default()).unwrap();
    let devices = [Device::cpu(), Device::cpu()];
    let plain = DistanceParams::default();
    let rejection = |devices: &[Device], sites: &Mask, params: DistanceParams| {
        Slabs::new(devices, sites, &params).unwrap_err().to_string()
    };
    assert!(rejection(&[], &sites, plain).contains("no device"));
    assert!(rejection(&devices, &none, plain).contains("no sites"));
    let cubes = DistanceParams {
        method: Method::Cubes,
        ..plain
    };
    assert!(rejection(&devices, &sites, cubes).contains("cubes"));
    let nearest = DistanceParams {
        nearest: true,
        ..plain
    };
    assert!(rejection(&devices, &sites, nearest).contains("nearest"));
    let max_distance = DistanceParams {
        max_distance: Some(0.0),
        ..plain
    };
    assert!(rejection(&devices, &sites, max_distance).contains("greater than 0"));
    let other = random([3, 40, 3], [1.0; 3], 10, 1);
    let slabs = Slabs::new(&devices, &sites, &plain).unwrap();
    assert!(matches!(
        slabs.with_sign(&other),
        Err(DistanceError::GridMismatch { .. })
    ));
    let infinite = DistanceParams {
        no_sites: NoSites::Infinity,
        ..plain
    };
    let map = Slabs::new(&devices, &none, &infinite)
        .unwrap()
        .map()
        .unwrap();
    assert!(map.samples().iter().all(|&it| it == f32::INFINITY));
    let empty = Mask::new([3, 0, 40], Geometry::default()).unwrap();
    let slabs = Slabs::new(&devices, &empty, &infinite).unwrap();
    assert_eq!(
        (slabs.count(), slabs.map().unwrap().samples().len()),
        (0, 0)
    );
}

/// Stopping the consumer ends the computation without deadlock.
#[test]
fn consumer_can_stop_after_any_slab() {
    let sites = random([5, 3, 300], [1.0; 3], 10, 1);
    for count in [1, 2, 4] {
        let devices: Vec<Device> = (0..count).map(|_| Device::cpu()).collect();
        let params = DistanceParams {
            memory: Some(min_memory_limit(
                &devices,
                &sites,
                &DistanceParams::default(),
            )),
            ..Default::default()
        };
        let slabs = Slabs::new(&devices, &sites, &params).unwrap();
        assert_eq!(slabs.count(), 10);
        for stop in 0..10 {
            let mut seen = 0;
            let stopped = slabs.for_each(|slab| {
                assert_eq!(slab.z.start, 32 * seen);
                assert_eq!(slab.distances.len(), slab.z.len() * 15);
                if seen == stop {
                    return Err(DistanceError::NoDevices);
                }
                seen += 1;
                Ok(())
            });
            assert!(matches!(stopped, Err(DistanceError::NoDevices)));
            assert_eq!(seen, stop);
        }
    }
}

#[test]
fn progress_counts_slabs_and_cancellation_stops_them() {
    let sites = random([5, 3, 300], [1.0; 3], 10, 1);
    let devices = [Device::cpu(), Device::cpu()];
    let params = DistanceParams {
        memory: Some(min_memory_limit(
            &devices,
            &sites,
            &DistanceParams::default(),
        )),
        ..Default::default()
    };
    let cancel = CancelFlag::new();
    let reported = Mutex::new(Vec::new());
    let hook = |progress: Progress| {
        reported
            .lock()
            .unwrap()
            .push((progress.done, progress.total))
    };
    let monitor = Monitor::new().on_progress(&hook).cancelled_by(&cancel);
    let slabs = Slabs::new(&devices, &sites, &params)
        .unwrap()
        .with_monitor(monitor);
    slabs.map().unwrap();
    assert_eq!(reported.lock().unwrap().last(), Some(&(10, 10)));
    let mut seen = 0;
    let stopped = slabs.for_each(|_| {
        seen += 1;
        cancel.cancel();
        Ok::<_, DistanceError>(())
    });
    assert_eq!(stopped.unwrap_err().to_string(), "cancelled");
    assert_eq!(seen, 1);
}
