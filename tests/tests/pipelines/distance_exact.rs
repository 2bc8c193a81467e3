//! Exact distance maps, compared with a reference in integer arithmetic on the host.

use ferrovox::{
    device::{CpuOptions, Device},
    distance::{
        self, DistanceError, DistanceMap, DistanceParams, Method, NearestIndices, NoSites, Sites,
    },
    grid::{DeviceMask, DevicePoints, Geometry},
    partition::TooLittleMemory,
};
use ferrovox_tests::{devices, noise::Noise};
use proptest::prelude::*;
use simt::Mode;

/// Methods that are exact at every distance.
const EXACT: [Method; 3] = [Method::Separable, Method::BruteForce, Method::Bucketed];
/// Range up to which method `cubes` is exact, in units of the smallest spacing.
pub(crate) const CUBES_EXACT_RANGE: f64 = 36.0;

/// Sites on a grid.
pub(crate) struct Case {
    pub dims: [usize; 3],
    pub spacing: [u64; 3],
    /// Linear indices of the sites, ascending.
    pub sites: Vec<u64>,
}

impl Case {
    pub fn at(&self, voxel: u64) -> [i64; 3] {
        let [nx, ny, _] = self.dims.map(|n| n as u64);
        [voxel % nx, voxel / nx % ny, voxel / (nx * ny)].map(|at| at as i64)
    }

    pub fn voxels(&self) -> usize {
        self.dims.iter().product()
    }

    /// Returns the smallest squared distance of a voxel and the first site that attains it.
    fn nearest(&self, voxel: u64) -> (i64, u64) {
        let voxel_position = self.at(voxel);
        let squared = |&site: &u64| -> (i64, u64) {
            let site_position = self.at(site);
            let along = |axis: usize| {
                (site_position[axis] - voxel_position[axis]) * self.spacing[axis] as i64
            };
            ((0..3).map(|axis| along(axis).pow(2)).sum(), site)
        };
        self.sites.iter().map(squared).min().expect("a site")
    }

    fn nearest_of_all_voxels(&self) -> Vec<(i64, u64)> {
        (0..self.voxels() as u64).map(|i| self.nearest(i)).collect()
    }

    fn geometry(&self) -> Geometry {
        Geometry::from_spacing(self.spacing.map(|s| s as f64), [5.0, -3.0, 0.5]).unwrap()
    }

    fn map(&self, device: &Device, params: &DistanceParams) -> (Vec<f32>, Option<Vec<u64>>) {
        let stream = device.stream().unwrap();
        let sites =
            DeviceMask::from_indices(&stream, &self.sites, self.dims, self.geometry()).unwrap();
        let map = distance::transform(&stream, Sites::Voxels(&sites), params).unwrap();
        assert_eq!(map.dims(), self.dims);
        assert_eq!(*map.geometry(), self.geometry());
        download_map(&stream, &map)
    }

    /// Asserts that the maps of all methods match the reference.
    fn check(
        &self,
        label: &str,
        device: &Device,
        expected: &[(i64, u64)],
        max_distance: Option<f64>,
    ) {
        for method in EXACT {
            let params = DistanceParams {
                method,
                max_distance,
                nearest: matches!(method, Method::BruteForce | Method::Separable),
                ..Default::default()
            };
            let (distances, nearest) = self.map(device, &params);
            for (i, (&found, &(squared, site))) in distances.iter().zip(expected).enumerate() {
                let exact = (squared as f64).sqrt();
                let limited =
                    max_distance.map_or(exact, |max_distance| exact.min(max_distance)) as f32;
                let context = format!("{label} {method:?} {:?} {max_distance:?}", self.dims);
                assert_eq!(found, limited, "{context}: voxel {i}, site {site}");
                if let Some(nearest) = &nearest {
                    let is_within = max_distance.is_none_or(|max_distance| exact <= max_distance);
                    let site = if is_within { site } else { u64::MAX };
                    assert_eq!(nearest[i], site, "{context}: nearest of voxel {i}");
                }
            }
        }
        let params = DistanceParams {
            method: Method::Cubes,
            max_distance,
            ..Default::default()
        };
        let (distances, _) = self.map(device, &params);
        let spacing = self.spacing.map(|s| s as f64);
        for (i, (&found, &(squared, _))) in distances.iter().zip(expected).enumerate() {
            let context = format!("{label} cubes {:?} {max_distance:?}: voxel {i}", self.dims);
            assert_within_cubes_error(&context, found, squared as f64, spacing, max_distance);
        }
    }
}

/// Asserts the error bounds of method `cubes`.
pub(crate) fn assert_within_cubes_error(
    context: &str,
    found: f32,
    squared: f64,
    spacing: [f64; 3],
    max_distance: Option<f64>,
) {
    let exact = squared.sqrt();
    let target = CUBES_EXACT_RANGE * spacing.into_iter().fold(f64::INFINITY, f64::min);
    let max_distance = max_distance.unwrap_or(f64::INFINITY);
    if exact <= target || max_distance <= target {
        assert_eq!(found, exact.min(max_distance) as f32, "{context}");
        return;
    }
    let error = 16.0 * spacing.iter().map(|s| s * s).sum::<f64>();
    let min_distance = (exact - error.sqrt()).max(target).min(max_distance) * (1.0 - 1e-6);
    let max_distance_allowed = (squared + error).sqrt().min(max_distance) * (1.0 + 1e-6);
    let is_in_range = (min_distance..=max_distance_allowed).contains(&f64::from(found));
    assert!(is_in_range, "{context}: {found} for {exact}");
}

pub(crate) fn download_map(
    stream: &ferrovox::device::Stream,
    map: &DistanceMap,
) -> (Vec<f32>, Option<Vec<u64>>) {
    let nearest = map.nearest.as_ref().map(|nearest| match nearest {
        NearestIndices::U32(nearest) => {
            let widen = |&site: &u32| {
                if site == u32::MAX {
                    u64::MAX
                } else {
                    site.into()
                }
            };
            stream
                .download(nearest)
                .unwrap()
                .iter()
                .map(widen)
                .collect()
        }
        NearestIndices::U64(nearest) => stream.download(nearest).unwrap(),
    });
    (stream.download(&map.distances).unwrap(), nearest)
}

/// Reduces dimensions to at most `voxels` voxels by halving the largest one repeatedly.
pub(crate) fn limit_dims(mut dims: [usize; 3], voxels: usize) -> [usize; 3] {
    while dims.iter().product::<usize>() > voxels {
        *dims.iter_mut().max().expect("three axes") /= 2;
    }
    dims
}

/// Creates random sites with a density in 1/1000, and at least one site.
fn random(dims: [usize; 3], spacing: [u64; 3], density: u64, seed: u64) -> Case {
    let mut noise = Noise(seed);
    let voxels: usize = dims.iter().product();
    let guaranteed_site = noise.below(voxels as u64);
    let sites = (0..voxels as u64)
        .filter(|&voxel| noise.below(1000) < density || voxel == guaranteed_site)
        .collect();
    Case {
        dims,
        spacing,
        sites,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(160)))]

    /// Covers hundreds of sizes, densities and spacings.
    #[test]
    fn random_sites_match_the_integer_reference(
        side_lengths in [1usize..=70, 1..=70, 1..=70],
        spacing in prop::sample::select(vec![[1, 1, 1], [1, 1, 1], [1, 2, 3], [5, 1, 1], [2, 3, 2], [1, 1, 7]]),
        density in prop::sample::select(vec![0, 1, 10, 100, 500]),
        seed in any::<u64>(),
        block in prop::sample::select(vec![1u32, 32, 64, 100]),
        checked in 0..10,
        max_distance in prop::sample::select(vec![None, None, Some(0.5), Some(1.0), Some(2.0), Some(3.5), Some(9.0), Some(40.0)]),
    ) {
        // Fewer voxels for more sites, so that every case takes about the same time.
        let case = random(limit_dims(side_lengths, if density < 100 { 3000 } else { 700 }), spacing, density, seed);
        let expected = case.nearest_of_all_voxels();
        // Checked mode is slow; one case in ten suffices.
        let mode = if checked == 0 { Mode::Checked { seed } } else { Mode::Fast };
        let block = if checked == 0 { block } else { 1 };
        let label = format!("{spacing:?} {density} in 1000, seed {seed}, blocks of {block}");
        case.check(&label, &Device::cpu_with(CpuOptions { mode, block }), &expected, max_distance);
        for test in devices::fast().into_iter().skip(1) {
            case.check(&test.label, &test.device, &expected, max_distance);
        }
    }

}

#[test]
fn known_cases_match_the_integer_reference() {
    let all = |dims: [usize; 3]| (0..dims.iter().product::<usize>() as u64).collect::<Vec<_>>();
    let plane = |[nx, ny, _]: [usize; 3], z: u64| -> Vec<u64> {
        let voxels = (nx * ny) as u64;
        (z * voxels..(z + 1) * voxels).collect()
    };
    let cases = [
        ([1, 1, 1], vec![0]),
        ([7, 5, 3], all([7, 5, 3])),
        ([5, 7, 11], plane([5, 7, 11], 4)),
        ([13, 11, 1], vec![0, 142]),
        ([1, 1, 97], vec![96]),
        ([101, 1, 1], vec![0, 100]),
        ([1, 89, 2], vec![60]),
        // A voxel with the same distance to all corners.
        ([3, 3, 3], vec![0, 2, 6, 8, 18, 20, 24, 26]),
    ];
    for (dims, sites) in cases {
        for spacing in [[1, 1, 1], [2, 1, 3]] {
            let case = Case {
                dims,
                spacing,
                sites: sites.clone(),
            };
            let expected = case.nearest_of_all_voxels();
            for test in devices::all() {
                for max_distance in [None, Some(2.0)] {
                    case.check(&test.label, &test.device, &expected, max_distance);
                }
            }
        }
    }
}

/// A thin sphere with holes: compared near it, in its centre, where distances are estimated, and in
/// the corners.
#[test]
fn sampled_distances_of_a_large_shell_match_the_reference() {
    let n = 120usize;
    let dims = [n, n - 3, n + 2];
    let centre = [61.0, 55.0, 60.0];
    let mut case = Case {
        dims,
        spacing: [1; 3],
        sites: vec![],
    };
    case.sites = (0..case.voxels() as u64)
        .filter(|&voxel| {
            let at = case.at(voxel);
            let squared: f64 = (0..3).map(|i| (at[i] as f64 - centre[i]).powi(2)).sum();
            (squared.sqrt() - 52.0).abs() < 0.5 && voxel.wrapping_mul(0x9e37_79b9) >> 16 & 31 == 0
        })
        .collect();
    let mut noise = Noise(7);
    let sampled: Vec<u64> = (0..150)
        .map(|_| noise.below(case.voxels() as u64))
        .collect();
    let expected: Vec<f64> = sampled.iter().map(|&i| case.nearest(i).0 as f64).collect();
    let mut first: Option<Vec<f32>> = None;
    for test in devices::fast() {
        for method in [Method::Cubes, Method::Separable, Method::Bucketed] {
            let params = DistanceParams {
                method,
                ..Default::default()
            };
            let (distances, _) = case.map(&test.device, &params);
            for (&voxel, &squared) in sampled.iter().zip(&expected) {
                let found = distances[voxel as usize];
                if method == Method::Cubes {
                    assert_within_cubes_error(&test.label, found, squared, [1.0; 3], None);
                } else {
                    assert_eq!(found, squared.sqrt() as f32, "{} {voxel}", test.label);
                }
            }
            if method == Method::Cubes {
                // Neighbouring distances differ by at most their spacing, estimates by slightly
                // more.
                for pair in distances.chunks(n).flat_map(|row| row.windows(2)) {
                    assert!((pair[0] - pair[1]).abs() < 1.6, "{pair:?}");
                }
                let first = first.get_or_insert_with(|| distances.clone());
                assert!(*first == distances, "{} has other bits", test.label);
            }
        }
    }
}

#[test]
fn no_sites_is_an_error_unless_allowed() {
    let device = Device::cpu();
    let stream = device.stream().unwrap();
    let dims = [9, 2, 3];
    let voxels = DeviceMask::from_indices(&stream, &[], dims, Geometry::default()).unwrap();
    let points = DevicePoints::from_voxels(&stream, &[], dims, Geometry::default()).unwrap();
    for method in [
        Method::Separable,
        Method::BruteForce,
        Method::Cubes,
        Method::Bucketed,
    ] {
        for sites in [Sites::Voxels(&voxels), Sites::Points(&points)] {
            if matches!((method, sites), (Method::Separable, Sites::Points(_))) {
                continue;
            }
            for (max_distance, background) in [(None, f32::INFINITY), (Some(4.5), 4.5)] {
                let params = DistanceParams {
                    method,
                    max_distance,
                    ..Default::default()
                };
                let error = distance::transform(&stream, sites, &params).unwrap_err();
                assert!(matches!(error, DistanceError::NoSites), "{error}");
                let params = DistanceParams {
                    no_sites: NoSites::Infinity,
                    ..params
                };
                let map = distance::transform(&stream, sites, &params).unwrap();
                assert_eq!(stream.download(&map.distances).unwrap(), [background; 54]);
            }
        }
    }
}

#[test]
fn too_small_limit_reports_the_minimum() {
    let case = random([40, 30, 20], [1; 3], 20, 5);
    let device = Device::cpu();
    let stream = device.stream().unwrap();
    let sites = DeviceMask::from_indices(&stream, &case.sites, case.dims, case.geometry()).unwrap();
    let mut params = DistanceParams {
        method: Method::Cubes,
        memory: Some(100),
        ..Default::default()
    };
    let error = distance::transform(&stream, Sites::Voxels(&sites), &params).unwrap_err();
    let DistanceError::Memory(TooLittleMemory {
        budget: 100,
        needed: minimum,
    }) = error
    else {
        panic!("{error}");
    };
    params.memory = Some(minimum);
    let bytes = device.memory_use().now;
    device.reset_peak_memory();
    let map = distance::transform(&stream, Sites::Voxels(&sites), &params).unwrap();
    let peak = device.memory_use().peak - bytes;
    let map_bytes = map.distances.bytes() as u64;
    assert!(
        peak <= minimum + map_bytes,
        "{peak} bytes, {minimum} and a map of {map_bytes}"
    );
}
