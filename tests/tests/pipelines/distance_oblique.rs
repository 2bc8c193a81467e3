//! Distances on grids with oblique axes, compared with brute force in world coordinates.

use super::distance_exact::{download_map, limit_dims};
use ferrovox::{
    device::{CpuOptions, Device},
    distance::{self, DistanceError, DistanceParams, Method, NoSites, Sites, Slabs},
    grid::{DeviceMask, DevicePoints, DeviceVolume, Geometry, Mask, Volume},
};
use ferrovox_tests::{devices, noise::Noise};
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};
use proptest::prelude::*;
use simt::Mode;

/// Relative error of distances rounded to f32.
const RELATIVE_ERROR: f64 = 1.3e-7;

/// Creates axes that are rotated, sheared by up to `shear` voxels per step, of different lengths,
/// and mirrored in half of the cases.
fn geometry(seed: u64, shear: f64) -> Geometry {
    let mut noise = Noise(seed);
    let mut signed = || f64::from(noise.signed());
    let lengths = [signed(), signed(), signed()].map(|by| 3f64.powf(by));
    let mut axes = Matrix3::from_diagonal(&Vector3::from(lengths));
    for (row, column) in [(0, 1), (0, 2), (1, 2)] {
        axes[(row, column)] = shear * signed() * lengths[row];
    }
    let rotation = Rotation3::from_euler_angles(3.0 * signed(), 3.0 * signed(), 3.0 * signed());
    let mut axes = rotation.matrix() * axes;
    if signed() < 0.0 {
        axes.column_mut(1).neg_mut();
    }
    // Any axis may be the oblique one.
    axes.swap_columns(0, (seed % 3) as usize);
    axes.swap_columns(1, 1 + (seed / 3 % 2) as usize);
    Geometry::new(axes, Vector3::new(-7.0, 3.5, 100.0)).unwrap()
}

/// Grid and the world coordinates of its voxels.
struct World {
    dims: [usize; 3],
    geometry: Geometry,
    centres: Vec<Point3<f64>>,
}

impl World {
    fn new(dims: [usize; 3], geometry: Geometry) -> Self {
        let [nx, ny, nz] = dims;
        let at = |i: usize| Point3::new(i % nx, i / nx % ny, i / (nx * ny)).map(|n| n as f64);
        let centres = (0..nx * ny * nz).map(|i| geometry.index_to_world(at(i)));
        Self {
            dims,
            geometry,
            centres: centres.collect(),
        }
    }

    fn min_distance(&self, voxel: usize, sites: impl Iterator<Item = Point3<f64>>) -> f64 {
        let distance_to = |site: Point3<f64>| (site - self.centres[voxel]).norm();
        sites.map(distance_to).fold(f64::INFINITY, f64::min)
    }

    /// Asserts that a distance is exact, or equals the bound.
    fn check(&self, context: &str, found: f32, exact: f64, max_distance: Option<f64>) {
        let limited = max_distance.map_or(exact, |max_distance| exact.min(max_distance));
        // The reference's coordinates are rounded too.
        let error = (f64::from(found) - limited).abs();
        assert!(
            error <= RELATIVE_ERROR * limited + 1e-11,
            "{context}: {found} for {limited}, {:?} {:?}",
            self.dims,
            self.geometry.axes()
        );
    }
}

fn device(seed: u64, checked: bool, block: u32) -> Device {
    if checked {
        Device::cpu_with(CpuOptions {
            mode: Mode::Checked { seed },
            block,
        })
    } else {
        Device::cpu()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(200)))]

    #[test]
    fn random_sites_match_brute_force_in_the_world(
        side_lengths in [1usize..=41, 1..=41, 1..=41],
        shear in prop::sample::select(vec![0.0, 0.1, 0.36, 1.0, 3.0]),
        density in prop::sample::select(vec![0, 1, 10, 100, 500, 950]),
        seed in any::<u64>(),
        block in prop::sample::select(vec![1u32, 32, 64, 100]),
        checked in 0..8,
        max_distance in prop::sample::select(vec![None, None, Some(0.5), Some(2.0), Some(7.5)]),
        methods in prop::sample::select(vec![[Method::Separable; 2], [Method::Bucketed, Method::BruteForce]]),
    ) {
        let world = World::new(limit_dims(side_lengths, if density < 100 { 4000 } else { 900 }), geometry(seed, shear));
        let mut noise = Noise(seed ^ 5);
        let guaranteed_site = noise.below(world.centres.len() as u64);
        let sites: Vec<u64> = (0..world.centres.len() as u64)
            .filter(|&voxel| noise.below(1000) < density || voxel == guaranteed_site)
            .collect();
        let device = device(seed, checked == 0, block);
        let stream = device.stream().unwrap();
        let mask = DeviceMask::from_indices(&stream, &sites, world.dims, world.geometry).unwrap();
        let world_sites = || sites.iter().map(|&site| world.centres[site as usize]);
        for method in methods {
            if world.geometry.shear().is_none() && method == Method::Bucketed {
                continue;
            }
            let params = DistanceParams { method, max_distance, nearest: true, ..Default::default() };
            let map = distance::transform(&stream, Sites::Voxels(&mask), &params).unwrap();
            let (found, nearest) = download_map(&stream, &map);
            let nearest = nearest.unwrap();
            for voxel in 0..found.len() {
                let exact = world.min_distance(voxel, world_sites());
                let context = format!("{method:?} {seed} voxel {voxel}");
                world.check(&context, found[voxel], exact, max_distance);
                if max_distance.is_none_or(|max_distance| exact < max_distance * (1.0 - 1e-9)) {
                    let site = nearest[voxel];
                    prop_assert!(sites.binary_search(&site).is_ok(), "{context}: {site}");
                    let distance_to = (world.centres[site as usize] - world.centres[voxel]).norm();
                    prop_assert!(distance_to <= exact * (1.0 + 1e-9) + 1e-11, "{context}: {distance_to} {exact}");
                } else if max_distance.is_some_and(|max_distance| exact > max_distance * (1.0 + 1e-9)) {
                    prop_assert_eq!(nearest[voxel], u64::MAX, "{}", context);
                }
            }
        }
    }

    #[test]
    fn random_points_match_brute_force_in_the_world(
        side_lengths in [1usize..=41, 1..=41, 1..=41],
        shear in prop::sample::select(vec![0.1, 0.36, 3.0]),
        count in 1usize..40,
        seed in any::<u64>(),
        checked in 0..8,
        max_distance in prop::sample::select(vec![None, Some(2.0), Some(7.5)]),
    ) {
        let world = World::new(limit_dims(side_lengths, 1500), geometry(seed, shear));
        let mut noise = Noise(!seed);
        // Some points are outside the grid.
        let mut coordinate = |n: usize| (n as f32 + 20.0) * (0.5 + 0.5 * noise.signed()) - 10.0;
        let points: Vec<[f32; 3]> = (0..count).map(|_| world.dims.map(&mut coordinate)).collect();
        let world_sites: Vec<_> = points
            .iter()
            .map(|at| world.geometry.index_to_world(at.map(f64::from).into()))
            .collect();
        let device = device(seed, checked == 0, 32);
        let stream = device.stream().unwrap();
        let sites = DevicePoints::from_voxels(&stream, &points, world.dims, world.geometry).unwrap();
        let mut first: Option<(Vec<f32>, Option<Vec<u64>>)> = None;
        for method in [Method::BruteForce, Method::Bucketed] {
            let params = DistanceParams { method, max_distance, nearest: true, ..Default::default() };
            if world.geometry.shear().is_none() {
                continue;
            }
            let map = distance::transform(&stream, Sites::Points(&sites), &params).unwrap();
            let found = download_map(&stream, &map);
            for (voxel, &found) in found.0.iter().enumerate() {
                let exact = world.min_distance(voxel, world_sites.iter().copied());
                world.check(&format!("{method:?} {seed} voxel {voxel}"), found, exact, max_distance);
            }
            let first = first.get_or_insert_with(|| found.clone());
            prop_assert!(*first == found, "the methods have other bits");
        }
    }

    #[test]
    fn random_labels_match_brute_force_in_the_world(
        side_lengths in [1usize..=41, 1..=41, 1..=41],
        shear in prop::sample::select(vec![0.1, 0.36, 1.0, 3.0]),
        labels in 1u64..6,
        max_run_length in prop::sample::select(vec![1usize, 3, 40, 400]),
        seed in any::<u64>(),
        checked in 0..8,
        max_distance in prop::sample::select(vec![None, None, Some(0.9), Some(4.0)]),
    ) {
        let world = World::new(limit_dims(side_lengths, 1200), geometry(seed, shear));
        let mut noise = Noise(seed ^ 77);
        let mut samples: Vec<f32> = Vec::new();
        while samples.len() < world.centres.len() {
            let label = match noise.below(60) {
                0 => f32::NAN,
                _ => noise.below(labels) as f32,
            };
            samples.extend(std::iter::repeat_n(label, 1 + noise.below(max_run_length as u64) as usize));
        }
        samples.truncate(world.centres.len());
        let device = device(seed, checked == 0, 32);
        let stream = device.stream().unwrap();
        let volume = Volume::new(samples.clone(), world.dims, world.geometry).unwrap();
        let volume = DeviceVolume::upload(&stream, volume.view()).unwrap();
        let params = DistanceParams { max_distance, no_sites: NoSites::Infinity, ..Default::default() };
        let map = distance::transform_labels(&stream, &volume, &params).unwrap();
        let found = stream.download(&map.distances).unwrap();
        for voxel in 0..found.len() {
            let others = (0..found.len()).filter(|&it| it != voxel && samples[it] != samples[voxel]);
            let exact = world.min_distance(voxel, others.map(|it| world.centres[it]));
            if exact.is_finite() {
                world.check(&format!("{seed} voxel {voxel}"), found[voxel], exact, max_distance);
            } else {
                prop_assert_eq!(found[voxel], max_distance.map_or(f32::INFINITY, |max_distance| max_distance as f32));
            }
        }
    }
}

/// A shell in a grid with an oblique axis of 20 degrees, as for a CT with a tilted gantry. All
/// devices and slabs produce the same bits.
#[test]
fn tilted_gantry_gives_identical_maps_on_all_devices_and_in_slabs() {
    let dims = [70, 66, 61];
    let tilt = 20f64.to_radians().tan();
    let axes = Matrix3::new(0.5, 0.0, 0.0, 0.0, 0.5, 2.0 * tilt, 0.0, 0.0, 2.0);
    let world = World::new(dims, Geometry::new(axes, Vector3::zeros()).unwrap());
    let middle = world.geometry.index_to_world(Point3::new(35.0, 33.0, 30.0));
    let sites: Vec<u64> = (0..world.centres.len() as u64)
        .filter(|&i| ((world.centres[i as usize] - middle).norm() - 14.0).abs() < 1.5)
        .collect();
    let mut noise = Noise(3);
    let sampled: Vec<usize> = (0..200)
        .map(|_| noise.below(world.centres.len() as u64) as usize)
        .collect();
    let mut first: Option<Vec<f32>> = None;
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let mask = DeviceMask::from_indices(&stream, &sites, dims, world.geometry).unwrap();
        let map = distance::transform(&stream, Sites::Voxels(&mask), &Default::default()).unwrap();
        let found = stream.download(&map.distances).unwrap();
        for &voxel in &sampled {
            let exact =
                world.min_distance(voxel, sites.iter().map(|&it| world.centres[it as usize]));
            world.check(&test.label, found[voxel], exact, None);
        }
        let first = first.get_or_insert_with(|| found.clone());
        assert!(*first == found, "{} has other bits", test.label);
    }
    let host_mask = Mask::from_indices(&sites, dims, world.geometry).unwrap();
    let inside = host_mask.enclosed(&Device::cpu()).unwrap();
    let devices = [Device::cpu(), Device::cpu()];
    for memory in [None, Some(0)] {
        let mut params = DistanceParams {
            memory,
            ..Default::default()
        };
        let error = Slabs::new(&devices, &host_mask, &params).map(|slabs| slabs.min_memory());
        let minimum = match error {
            Ok(minimum) => minimum,
            Err(DistanceError::Memory(error)) => error.needed,
            Err(error) => panic!("{error}"),
        };
        params.memory = memory.map(|_| minimum);
        let slabs = Slabs::new(&devices, &host_mask, &params).unwrap();
        assert!(memory.is_none() || slabs.count() == 2);
        devices[0].reset_peak_memory();
        let before = devices[0].memory_use().now;
        assert!(slabs.map().unwrap().samples() == first.as_deref().unwrap());
        if memory.is_some() {
            // Both entries are the same device.
            assert!(devices[0].memory_use().peak - before <= 2 * minimum);
        }
        let signed = Slabs::new(&devices, &host_mask, &DistanceParams::default()).unwrap();
        let signed = signed.with_sign(&inside).unwrap().map().unwrap();
        let within = signed.samples().iter().filter(|&&it| it < 0.0).count();
        assert!(within > 10_000, "{within}");
    }
}

/// Rotations that are stored as f32 are not a shear: the map is computed as for orthogonal axes.
#[test]
fn rounded_rotations_count_as_orthogonal() {
    let stream = Device::cpu().stream().unwrap();
    let dims = [23, 19, 17];
    let orthogonal = Geometry::from_spacing([1.0, 1.0, 1.0], [0.0; 3]).unwrap();
    let rotation = Rotation3::from_euler_angles(0.4, 1.3, -2.0);
    let stored = rotation.matrix().map(|value| f64::from(value as f32));
    let rotated = Geometry::new(stored, Vector3::zeros()).unwrap();
    assert_eq!(rotated.shear(), None);
    let map = |geometry: Geometry| {
        let mask = DeviceMask::from_indices(&stream, &[5, 900, 7000], dims, geometry).unwrap();
        let map = distance::transform(&stream, Sites::Voxels(&mask), &Default::default()).unwrap();
        stream.download(&map.distances).unwrap()
    };
    for (orthogonal, rotated) in map(orthogonal).into_iter().zip(map(rotated)) {
        assert!((orthogonal - rotated).abs() <= 2e-6 * orthogonal);
    }
}

#[test]
fn methods_for_orthogonal_axes_reject_oblique_grids() {
    let stream = Device::cpu().stream().unwrap();
    let axes = Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.25, 0.0, 0.0, 1.0);
    let geometry = Geometry::new(axes, Vector3::zeros()).unwrap();
    let mask = DeviceMask::from_indices(&stream, &[3], [4, 4, 4], geometry).unwrap();
    for method in [
        Method::Cubes,
        Method::CityBlock,
        Method::Chessboard,
        Method::CenterPoint,
    ] {
        let params = DistanceParams {
            method,
            ..Default::default()
        };
        let error = distance::transform(&stream, Sites::Voxels(&mask), &params).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("y and z are 14.04 degrees"), "{text}");
        assert!(text.contains(method.name()), "{text}");
        assert!(!params.is_exact(&geometry));
    }
    let error =
        distance::transform_squared::<u32>(&stream, &mask, &Default::default()).unwrap_err();
    assert!(error.to_string().contains("14.04 degrees"), "{error}");
    let volume = Volume::from_fn([4, 4, 4], geometry, |x, _, _| x as u8).unwrap();
    let volume = DeviceVolume::upload(&stream, volume.view()).unwrap();
    let error =
        distance::transform_labels_squared::<u32, u8>(&stream, &volume, &Default::default());
    assert!(matches!(error, Err(DistanceError::SquaredOblique { .. })));
}

#[test]
fn empty_and_siteless_oblique_grids() {
    let stream = Device::cpu().stream().unwrap();
    let geometry = geometry(4, 1.0);
    for dims in [[9, 2, 3], [0, 2, 3], [4, 0, 1], [5, 5, 0]] {
        let voxels = dims.iter().product::<usize>();
        let mask = DeviceMask::from_indices(&stream, &[], dims, geometry).unwrap();
        let points = DevicePoints::from_voxels(&stream, &[], dims, geometry).unwrap();
        for (sites, method) in [
            (Sites::Voxels(&mask), Method::Separable),
            (Sites::Points(&points), Method::Bucketed),
            (Sites::Points(&points), Method::BruteForce),
        ] {
            let params = DistanceParams {
                method,
                ..Default::default()
            };
            let error = distance::transform(&stream, sites, &params).unwrap_err();
            assert!(matches!(error, DistanceError::NoSites), "{error}");
            let params = DistanceParams {
                no_sites: NoSites::Infinity,
                nearest: true,
                ..params
            };
            let (found, nearest) = download_map(
                &stream,
                &distance::transform(&stream, sites, &params).unwrap(),
            );
            assert_eq!(found, vec![f32::INFINITY; voxels]);
            assert_eq!(nearest.unwrap(), vec![u64::MAX; voxels]);
        }
        let outside_point =
            DevicePoints::from_voxels(&stream, &[[40.0, -3.5, 1.0]], dims, geometry).unwrap();
        let params = DistanceParams {
            method: Method::Bucketed,
            ..Default::default()
        };
        let map = distance::transform(&stream, Sites::Points(&outside_point), &params).unwrap();
        assert_eq!(map.distances.len(), voxels);
    }
}
