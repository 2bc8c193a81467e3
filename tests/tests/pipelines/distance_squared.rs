//! Integer squared distances, compared with every site.

use ferrovox::{
    device::Device,
    distance::{self, DistanceError, DistanceParams, Method, NoSites, SquaredValue},
    grid::{DeviceMask, DeviceVolume, Geometry, Volume},
    partition::TooLittleMemory,
};
use ferrovox_tests::{devices, noise::Noise};

fn geometry(spacing: [f64; 3]) -> Geometry {
    Geometry::from_spacing(spacing, [4.0, 5.0, -6.0]).unwrap()
}

fn squared_map<S: SquaredValue>(
    device: &Device,
    sites: &[u64],
    dims: [usize; 3],
    spacing: [f64; 3],
    params: &DistanceParams,
) -> Result<(Vec<S>, f64), DistanceError> {
    let stream = device.stream()?;
    let sites = DeviceMask::from_indices(&stream, sites, dims, geometry(spacing))?;
    let map = distance::transform_squared::<S>(&stream, &sites, params)?;
    assert_eq!((map.dims(), *map.geometry()), (dims, geometry(spacing)));
    Ok((map.download(&stream)?, map.unit()))
}

/// Returns squared distances in units of which the spacings are `multiples`.
fn exact(sites: &[u64], dims: [usize; 3], multiples: [u64; 3]) -> Vec<u64> {
    let [nx, ny, nz] = dims.map(|n| n as u64);
    let at = |i: u64| [i % nx, i / nx % ny, i / (nx * ny)];
    let sites: Vec<[u64; 3]> = sites.iter().map(|&site| at(site)).collect();
    (0..nx * ny * nz)
        .map(|voxel| {
            let voxel_position = at(voxel);
            let squared_to = |site_position: &[u64; 3]| -> u64 {
                (0..3)
                    .map(|axis| {
                        (voxel_position[axis].abs_diff(site_position[axis]) * multiples[axis])
                            .pow(2)
                    })
                    .sum()
            };
            sites.iter().map(squared_to).min().unwrap()
        })
        .collect()
}

fn truncated(max_distance: Option<f64>) -> DistanceParams {
    DistanceParams {
        max_distance,
        ..Default::default()
    }
}

#[test]
fn squared_distances_match_brute_force() {
    let mut noise = Noise(31);
    for case in 0..24u64 {
        let mut dims = [0, 1, 2].map(|_| 1 + noise.below(70) as usize);
        while dims.iter().product::<usize>() > 4000 {
            let longest = (0..3).max_by_key(|&axis| dims[axis]).unwrap();
            dims[longest] = dims[longest].div_ceil(2);
        }
        let voxels = dims.iter().product::<usize>() as u64;
        let sites: Vec<u64> = (0..1 + noise.below(case * case + 1))
            .map(|_| noise.below(voxels))
            .collect();
        let (spacing, unit, multiples) = [
            ([1.0; 3], 1.0, [1; 3]),
            ([1.0, 2.0, 3.0], 1.0, [1, 2, 3]),
            ([0.7; 3], 0.7, [1; 3]),
            ([1.5, 1.0, 2.0], 0.5, [3, 2, 4]),
            ([17.0, 18.0, 19.0], 1.0, [17, 18, 19]),
            ([4.0, 6.0, 2.0], 2.0, [2, 3, 1]),
        ][case as usize % 6];
        let expected = exact(&sites, dims, multiples);
        let largest_expected = *expected.iter().max().unwrap();
        // Checked mode is slow.
        let devices = match case % 7 {
            0 => devices::all(),
            _ => devices::fast(),
        };
        for test in devices {
            let device = &test.device;
            let context = format!("{} {dims:?} {spacing:?}", test.label);
            for steps in [None, Some(1u64), Some(7), Some(30)] {
                let params = truncated(steps.map(|steps| steps as f64 * unit));
                let limit = steps.map_or(u64::MAX, |steps| steps * steps);
                let (found, found_unit) =
                    squared_map::<u32>(device, &sites, dims, spacing, &params).unwrap();
                assert_eq!(found_unit, unit, "{context}");
                let limited = expected.iter().map(|&squared| squared.min(limit));
                assert!(
                    found.iter().map(|&it| u64::from(it)).eq(limited.clone()),
                    "{context}"
                );
                if largest_expected.min(limit) <= 65535 {
                    let (found, _) =
                        squared_map::<u16>(device, &sites, dims, spacing, &params).unwrap();
                    assert!(
                        found.iter().map(|&it| u64::from(it)).eq(limited),
                        "{context}"
                    );
                }
            }
        }
    }
}

/// Squared distances beyond the precision of f32.
#[test]
fn squared_distances_of_long_volumes_are_exact() {
    for dims in [[9000, 1, 2], [2, 9000, 1], [1, 2, 9000]] {
        let long = (0..3).max_by_key(|&axis| dims[axis]).unwrap();
        let mut multiples = [1; 3];
        multiples[(long + 1) % 3] = 3;
        let spacing = multiples.map(|m| m as f64);
        let expected = exact(&[0], dims, multiples);
        let largest_expected = *expected.iter().max().unwrap();
        assert!(largest_expected > 80_000_000);
        for test in devices::fast() {
            let (found, _) =
                squared_map::<u32>(&test.device, &[0], dims, spacing, &truncated(None)).unwrap();
            let found = found.into_iter().map(u64::from);
            assert!(
                found.eq(expected.iter().copied()),
                "{} {dims:?}",
                test.label
            );
            let error = squared_map::<u16>(&test.device, &[0], dims, spacing, &truncated(None))
                .unwrap_err();
            match &error {
                DistanceError::SquaredTooLarge {
                    largest,
                    unit: 1.0,
                    name: "u16",
                    max_distance: 255.0,
                } => assert_eq!(*largest, largest_expected),
                other => panic!("{other}"),
            }
            let message = error.to_string();
            for part in [
                &largest_expected.to_string()[..],
                "does not fit in u16",
                "use u32",
                "at 255",
            ] {
                assert!(message.contains(part), "{message}");
            }
            // All values fit with the bound named in the message.
            let params = truncated(Some(255.0));
            let (found, _) =
                squared_map::<u16>(&test.device, &[0], dims, spacing, &params).unwrap();
            let limited = expected.iter().map(|&squared| squared.min(255 * 255));
            assert!(found.into_iter().map(u64::from).eq(limited));
        }
    }
}

#[test]
fn squared_distances_above_u32_return_an_error() {
    let device = Device::cpu();
    let dims = [70_000, 1, 1];
    let error = squared_map::<u32>(&device, &[0], dims, [1.0; 3], &truncated(None)).unwrap_err();
    let message = error.to_string();
    for part in [
        &(69_999u64 * 69_999).to_string()[..],
        "u32",
        "f32",
        "at 65535",
    ] {
        assert!(message.contains(part), "{message}");
    }
    let (found, _) =
        squared_map::<u32>(&device, &[0], dims, [1.0; 3], &truncated(Some(65535.0))).unwrap();
    assert_eq!(
        found[65534..65537],
        [65534 * 65534, 65535 * 65535, 65535 * 65535]
    );
}

#[test]
fn memory_limits_do_not_change_the_map() {
    let dims = [100, 11, 5];
    let sites = [7, 803, 2222, 5499];
    for test in devices::all() {
        let device = &test.device;
        let limited = |limit| DistanceParams {
            memory: Some(limit),
            ..Default::default()
        };
        let compute = |params| squared_map::<u32>(device, &sites, dims, [1.0; 3], &params);
        let untruncated = compute(DistanceParams::default()).unwrap();
        let minimum = match compute(limited(1)) {
            Err(DistanceError::Memory(TooLittleMemory {
                budget: 1,
                needed: minimum,
            })) => minimum,
            other => panic!("{other:?}"),
        };
        assert!(matches!(
            compute(limited(minimum - 1)),
            Err(DistanceError::Memory(_))
        ));
        assert_eq!(
            compute(limited(minimum)).unwrap(),
            untruncated,
            "{}",
            test.label
        );
    }
}

#[test]
fn squared_label_distances_match_brute_force() {
    let mut noise = Noise(32);
    let labels: Vec<u8> = (0..9000 * 3)
        .map(|voxel| u8::from(voxel % 9000 == 4 || noise.below(20_000) == 0))
        .collect();
    for dims in [[9000, 3, 1], [3, 9000, 1], [1, 3, 9000]] {
        let geometry = geometry([1.0, 2.0, 1.0]);
        let volume = Volume::new(labels.clone(), dims, geometry).unwrap();
        let sites_with = |label: u8| -> Vec<u64> {
            let sites = (0..labels.len()).filter(|&voxel| labels[voxel] == label);
            sites.map(|voxel| voxel as u64).collect()
        };
        // There are few voxels with label 1; these are next to voxels with label 0.
        let to_one = exact(&sites_with(1), dims, [1, 2, 1]);
        for test in devices::fast() {
            let stream = test.device.stream().unwrap();
            let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
            let params = DistanceParams::default();
            let map =
                distance::transform_labels_squared::<u32, _>(&stream, &on_device, &params).unwrap();
            let found = map.download(&stream).unwrap();
            let distances = distance::transform_labels(&stream, &on_device, &params).unwrap();
            let distances = stream.download(&distances.distances).unwrap();
            for (voxel, &label) in labels.iter().enumerate() {
                let context = format!("{} {dims:?} {voxel}", test.label);
                if label == 0 {
                    assert_eq!(u64::from(found[voxel]), to_one[voxel], "{context}");
                }
                assert_eq!(
                    distances[voxel],
                    f64::from(found[voxel]).sqrt() as f32,
                    "{context}"
                );
            }
            let largest_expected = found.iter().max().unwrap();
            let narrow = distance::transform_labels_squared::<u16, _>(&stream, &on_device, &params);
            match narrow {
                Err(DistanceError::SquaredTooLarge { largest, .. }) => {
                    assert_eq!(largest, u64::from(*largest_expected));
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn unsupported_squared_requests_return_errors() {
    let one = [1, 1, 1];
    for test in devices::all() {
        let device = &test.device;
        let compute = |sites: &[u64], params: DistanceParams| {
            squared_map::<u16>(device, sites, [5, 3, 2], [1.0; 3], &params)
        };
        let none = compute(&[], DistanceParams::default());
        assert!(matches!(none, Err(DistanceError::NoSites)));
        let mut allowed = DistanceParams {
            no_sites: NoSites::Infinity,
            ..Default::default()
        };
        assert_eq!(
            compute(&[], allowed).unwrap().0,
            [u16::MAX; 30],
            "{}",
            test.label
        );
        // The squared bound is rounded up.
        allowed.max_distance = Some(2.5);
        assert_eq!(compute(&[], allowed).unwrap().0, [7; 30], "{}", test.label);
        allowed.max_distance = Some(300.0);
        let found = compute(&[], allowed);
        assert!(matches!(
            found,
            Err(DistanceError::SquaredTooLarge {
                largest: 90_000,
                ..
            })
        ));
    }
    let device = Device::cpu();
    let params = DistanceParams::default();
    let odd = squared_map::<u32>(&device, &[0], one, [1.0, 0.1234567, 1.0], &params).unwrap_err();
    let message = odd.to_string();
    for part in ["not integers", "1, 0.1234567, 1", "f32"] {
        assert!(message.contains(part), "{message}");
    }
    let with = |params| squared_map::<u32>(&device, &[0], one, [1.0; 3], &params).unwrap_err();
    let nearest = with(DistanceParams {
        nearest: true,
        ..Default::default()
    });
    assert!(matches!(
        nearest,
        DistanceError::NearestUnsupportedForSquared
    ));
    let cubes = with(DistanceParams {
        method: Method::Cubes,
        ..Default::default()
    });
    assert!(matches!(cubes, DistanceError::SquaredUnsupported { .. }));
    assert!(matches!(
        with(truncated(Some(0.0))),
        DistanceError::InvalidMaxDistance { .. }
    ));
}
