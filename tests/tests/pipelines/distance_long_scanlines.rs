//! Scanlines that exceed a block's shared memory: their tiles lie in global memory.

use ferrovox::{
    device::{Buffer, Device, Stream},
    distance::{
        self, DistanceError, DistanceMap, DistanceParams, Method, NearestIndices,
        ScanlineKernels::{Groups, Tiles, TilesInScratch},
        SignConvention, Sites, Slabs,
    },
    grid::{DeviceMask, DeviceVolume, Geometry, Mask, Volume},
    partition::TooLittleMemory,
};
use ferrovox_tests::{devices, noise::Noise};
use nalgebra::{Matrix3, Point3, Vector3};

/// Relative error of distances rounded to f32.
const RELATIVE_ERROR: f64 = 1.3e-7;

fn spaced(spacing: [f64; 3]) -> Geometry {
    Geometry::from_spacing(spacing, [0.0; 3]).unwrap()
}

/// A few sites in a grid.
struct Scene {
    dims: [usize; 3],
    geometry: Geometry,
    sites: Vec<u64>,
}

impl Scene {
    fn new(dims: [usize; 3], geometry: Geometry, count: usize, seed: u64) -> Self {
        let mut noise = Noise(seed);
        let voxels: usize = dims.iter().product();
        let mut sites: Vec<u64> = (0..count).map(|_| noise.below(voxels as u64)).collect();
        sites.sort_unstable();
        sites.dedup();
        Self {
            dims,
            geometry,
            sites,
        }
    }

    fn upload(&self, stream: &Stream) -> DeviceMask {
        DeviceMask::from_indices(stream, &self.sites, self.dims, self.geometry).unwrap()
    }

    fn host_mask(&self) -> Mask {
        Mask::from_indices(&self.sites, self.dims, self.geometry).unwrap()
    }

    fn position(&self, voxel: usize) -> Point3<f64> {
        let [nx, ny, _] = self.dims;
        let at = Point3::new(voxel % nx, voxel / nx % ny, voxel / (nx * ny));
        self.geometry.index_to_world(at.map(|n| n as f64))
    }

    /// Returns the distance from a voxel to the nearest site, and the site.
    fn nearest(&self, voxel: usize) -> (f64, u64) {
        let position = self.position(voxel);
        let distances = self.sites.iter().map(|&site| {
            let distance = (self.position(site as usize) - position).norm();
            (distance, site)
        });
        distances
            .min_by(|one, other| one.0.total_cmp(&other.0))
            .unwrap()
    }

    fn check(&self, context: &str, found: &[f32], max_distance: Option<f64>) {
        assert_eq!(found.len(), self.dims.iter().product::<usize>());
        for (voxel, &found) in found.iter().enumerate() {
            let limit = max_distance.unwrap_or(f64::INFINITY);
            let expected = self.nearest(voxel).0.min(limit);
            let error = (f64::from(found) - expected).abs();
            assert!(
                error <= RELATIVE_ERROR * expected,
                "{context} {:?} voxel {voxel}: {found} for {expected}",
                self.dims
            );
        }
    }
}

fn bits(stream: &Stream, distances: &Buffer<f32>) -> Vec<u32> {
    let distances = stream.download(distances).unwrap();
    distances.into_iter().map(f32::to_bits).collect()
}

fn indices(stream: &Stream, map: &DistanceMap) -> Option<Vec<u32>> {
    match &map.nearest {
        Some(NearestIndices::U32(nearest)) => Some(stream.download(nearest).unwrap()),
        Some(NearestIndices::U64(_)) => panic!("indices of 64 bits"),
        None => None,
    }
}

/// The spacings lead to squared distances of 32-bit and 64-bit integers, and of floating point.
#[test]
fn all_scanline_kernels_give_the_same_bits() {
    for (number, dims) in [
        [1, 1, 1],
        [3, 70, 1],
        [2, 1, 133],
        [33, 17, 40],
        [17, 90, 23],
        [1, 300, 2],
    ]
    .into_iter()
    .enumerate()
    {
        for spacing in [[1.0, 2.0, 1.0], [600.0, 1.0, 7.0], [0.7, 0.9, 1.3]] {
            for max_distance in [None, Some(9.5)] {
                let scene = Scene::new(dims, spaced(spacing), 12, number as u64);
                for test in devices::all() {
                    for nearest in [false, true] {
                        let stream = test.device.stream().unwrap();
                        let sites = scene.upload(&stream);
                        let params = DistanceParams {
                            max_distance,
                            nearest,
                            ..Default::default()
                        };
                        let expected =
                            distance::transform(&stream, Sites::Voxels(&sites), &params).unwrap();
                        for kernels in [Tiles, TilesInScratch, Groups] {
                            let context =
                                format!("{} {dims:?} {spacing:?} {kernels:?}", test.label);
                            let found =
                                distance::transform_by_scanlines(&stream, &sites, &params, kernels)
                                    .unwrap();
                            let [found_bits, expected_bits] =
                                [&found, &expected].map(|map| bits(&stream, &map.distances));
                            assert_eq!(found_bits, expected_bits, "{context}");
                            let [found, expected] =
                                [&found, &expected].map(|map| indices(&stream, map));
                            assert_eq!(found, expected, "{context}");
                        }
                    }
                }
            }
        }
    }
}

/// The longest scanlines in shared memory and the shortest in global memory, along y and z, for the
/// shared memory of the CPU and of current GPUs.
#[test]
fn lengths_around_the_limit_of_shared_memory() {
    for len in (13_560..13_760).step_by(8) {
        for dims in [[1, len, 1], [1, 1, len]] {
            let scene = Scene::new(dims, Geometry::default(), 9, len as u64);
            for test in devices::fast() {
                let stream = test.device.stream().unwrap();
                let sites = scene.upload(&stream);
                let params = DistanceParams::default();
                let map = distance::transform(&stream, Sites::Voxels(&sites), &params).unwrap();
                let found = stream.download(&map.distances).unwrap();
                scene.check(&test.label, &found, None);
            }
        }
    }
}

#[test]
fn long_scanlines_in_checked_mode() {
    let scene = Scene::new([2, 13_800, 1], Geometry::default(), 20, 5);
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let sites = scene.upload(&stream);
        let params = DistanceParams::default();
        let map = distance::transform(&stream, Sites::Voxels(&sites), &params).unwrap();
        scene.check(&test.label, &stream.download(&map.distances).unwrap(), None);
    }
}

#[test]
fn every_kind_of_map_has_long_scanlines() {
    let tilted = Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.3, 0.0, 0.0, 1.0);
    let geometries = [
        Geometry::default(),
        spaced([1.0, 2.0, 3.0]),
        spaced([0.7, 0.9, 1.3]),
        Geometry::new(tilted, Vector3::zeros()).unwrap(),
    ];
    for dims in [[4, 20_000, 4], [3, 2, 20_000], [20_000, 2, 2]] {
        for geometry in geometries {
            let scene = Scene::new(dims, geometry, 7, 3);
            for test in devices::fast() {
                let stream = test.device.stream().unwrap();
                let sites = scene.upload(&stream);
                let is_oblique = geometry.shear().is_some();
                for (method, max_distance, nearest) in [
                    (Method::Separable, None, true),
                    (Method::Separable, Some(40.5), false),
                    (Method::Bucketed, None, false),
                    (Method::BruteForce, None, false),
                    // exact up to 36 voxels along the axis of the smallest spacing
                    (Method::Cubes, Some(25.0), false),
                ] {
                    if is_oblique && method == Method::Cubes {
                        continue;
                    }
                    let params = DistanceParams {
                        method,
                        max_distance,
                        nearest,
                        ..Default::default()
                    };
                    let map = distance::transform(&stream, Sites::Voxels(&sites), &params).unwrap();
                    let context = format!("{} {}", test.label, method.name());
                    let found = stream.download(&map.distances).unwrap();
                    scene.check(&context, &found, max_distance);
                    let Some(nearest) = indices(&stream, &map) else {
                        continue;
                    };
                    for (voxel, &site) in nearest.iter().enumerate() {
                        let (distance, _) = scene.nearest(voxel);
                        let found = (scene.position(site as usize) - scene.position(voxel)).norm();
                        assert!((found - distance).abs() <= 1e-9 * distance, "{context}");
                    }
                }
            }
        }
    }
}

#[test]
fn signed_and_squared_maps_have_long_scanlines() {
    let scene = Scene::new([2, 20_000, 2], Geometry::default(), 5, 8);
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let sites = scene.upload(&stream);
        let params = DistanceParams::default();
        let map =
            distance::transform_signed(&stream, &sites, SignConvention::Opposite, &params).unwrap();
        let found = stream.download(&map.distances).unwrap();
        for (voxel, &distance) in found.iter().enumerate() {
            let exact = scene.nearest(voxel).0 as f32;
            let expected = if exact == 0.0 { -1.0 } else { exact };
            assert_eq!(distance, expected, "{} {voxel}", test.label);
        }
        let squared = distance::transform_squared::<u32>(&stream, &sites, &params).unwrap();
        for (voxel, squared) in squared.download(&stream).unwrap().into_iter().enumerate() {
            let exact = scene.nearest(voxel).0.powi(2).round() as u32;
            assert_eq!(squared, exact, "{} {voxel}", test.label);
        }
    }
}

#[test]
fn labels_have_long_scanlines() {
    let len = 20_000;
    let starts = [0, 3000, 3001, 15_000];
    let label = |y: usize| starts.iter().filter(|&&start| start <= y).count() as u8;
    let distance = |y: usize| {
        let edges = starts[1..]
            .iter()
            .map(|&start| if y < start { start - y } else { y + 1 - start });
        edges.min().unwrap() as f32
    };
    for dims in [[3, len, 1], [3, 1, len]] {
        let labels = Volume::from_fn(dims, Geometry::default(), |_, y, z| label(y + z)).unwrap();
        for test in devices::fast() {
            let stream = test.device.stream().unwrap();
            let labels = DeviceVolume::upload(&stream, labels.view()).unwrap();
            let params = DistanceParams::default();
            let map = distance::transform_labels(&stream, &labels, &params).unwrap();
            for (voxel, found) in stream
                .download(&map.distances)
                .unwrap()
                .into_iter()
                .enumerate()
            {
                assert_eq!(
                    found,
                    distance(voxel / 3),
                    "{} {dims:?} {voxel}",
                    test.label
                );
            }
        }
    }
}

#[test]
fn memory_limits_hold_for_long_scanlines() {
    let device = Device::cpu();
    let stream = device.stream().unwrap();
    let scene = Scene::new([40, 20_000, 2], Geometry::default(), 6, 2);
    let sites = scene.upload(&stream);
    let transform = |memory: u64| {
        let params = DistanceParams {
            memory: Some(memory),
            ..Default::default()
        };
        distance::transform(&stream, Sites::Voxels(&sites), &params)
    };
    let minimum = match transform(0) {
        Err(DistanceError::Memory(TooLittleMemory { needed, .. })) => needed,
        other => panic!("{other:?}"),
    };
    assert!(matches!(
        transform(minimum - 1),
        Err(DistanceError::Memory(_))
    ));
    let before = device.memory_use().now;
    device.reset_peak_memory();
    let map = transform(minimum).unwrap();
    let used = device.memory_use().peak - before;
    assert!(used <= minimum + map.distances.bytes() as u64, "{used}");
    scene.check("minimum", &stream.download(&map.distances).unwrap(), None);
}

#[test]
fn slabs_have_long_scanlines() {
    for (dims, spacing) in [
        ([3, 20_000, 40], [1.0; 3]),
        ([20_000, 2, 40], [1.0; 3]),
        ([2, 2, 20_000], [0.7, 0.9, 1.3]),
        ([2, 20_000, 2], [0.7, 0.9, 1.3]),
    ] {
        let scene = Scene::new(dims, spaced(spacing), 6, 4);
        let mask = scene.host_mask();
        let devices = [Device::cpu()];
        let params = DistanceParams::default();
        let minimum = Slabs::new(&devices, &mask, &params).unwrap().min_memory();
        let params = DistanceParams {
            memory: Some(minimum),
            ..params
        };
        devices[0].reset_peak_memory();
        let map = Slabs::new(&devices, &mask, &params).unwrap().map().unwrap();
        let peak = devices[0].memory_use().peak;
        assert!(peak <= minimum, "{dims:?}: {peak} for {minimum}");
        scene.check("slabs", map.samples(), None);
    }
}
