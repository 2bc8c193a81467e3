//! Approximate methods: city-block and chessboard compared with brute force, vector propagation
//! with its guarantees.

use super::distance_sites::{SIZES, random_mask};
use ferrovox::{
    device::{Device, Stream},
    distance::{
        self, DistanceError, DistanceMap, DistanceParams, Method, NearestIndices, NoSites, Sites,
    },
    grid::{DeviceMask, DeviceVolume, Geometry, Volume},
};
use ferrovox_tests::devices;

const METHODS: [Method; 3] = [Method::CityBlock, Method::Chessboard, Method::CenterPoint];

fn map(
    stream: &Stream,
    sites: &Volume<u8>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    let on_device = DeviceVolume::upload(stream, sites.view())?;
    let mask = DeviceMask::from_non_zero(stream, &on_device)?;
    distance::transform(stream, Sites::Voxels(&mask), params)
}

fn position(dims: [usize; 3], index: usize) -> [f64; 3] {
    let [nx, ny, _] = dims;
    [index % nx, index / nx % ny, index / nx / ny].map(|i| i as f64)
}

/// Returns the smallest length over all sites for each voxel, and the first site that attains it.
fn brute_force(
    sites: &Volume<u8>,
    spacing: [f64; 3],
    length: impl Fn([f64; 3]) -> f64,
) -> Vec<(f64, usize)> {
    let dims = sites.dims();
    let all: Vec<usize> = (0..sites.samples().len())
        .filter(|&index| sites.samples()[index] != 0)
        .collect();
    (0..sites.samples().len())
        .map(|index| {
            let voxel_position = position(dims, index);
            let mut best = (f64::INFINITY, usize::MAX);
            for &site in &all {
                let site_position = position(dims, site);
                let offsets =
                    [0, 1, 2].map(|i| spacing[i] * (voxel_position[i] - site_position[i]).abs());
                let found = length(offsets);
                if found < best.0 {
                    best = (found, site);
                }
            }
            best
        })
        .collect()
}

fn length(method: Method, [x, y, z]: [f64; 3]) -> f64 {
    match method {
        Method::CityBlock => x + y + z,
        Method::Chessboard => x.max(y).max(z),
        _ => (x * x + y * y + z * z).sqrt(),
    }
}

fn with_spacing(sites: &Volume<u8>, spacing: [f64; 3]) -> Volume<u8> {
    let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
    sites.clone().with_geometry(geometry)
}

/// Returns random site volumes: all small sizes, and one of more than a word along x.
fn volumes(spacing: [f64; 3], one_in: u64) -> impl Iterator<Item = Volume<u8>> {
    SIZES
        .into_iter()
        .filter(|dims| dims.iter().product::<usize>() < 1200)
        .chain([[24, 9, 10]])
        .enumerate()
        .map(move |(number, dims)| with_spacing(&random_mask(dims, one_in, number as u64), spacing))
}

fn check_metric(spacing: [f64; 3]) {
    let devices = devices::all();
    for sites in volumes(spacing, 2).chain(volumes(spacing, 40)) {
        for method in [Method::CityBlock, Method::Chessboard] {
            let expected = brute_force(&sites, spacing, |offsets| length(method, offsets));
            for (test, max_distance) in devices
                .iter()
                .flat_map(|test| [(test, None), (test, Some(4.5))])
            {
                let params = DistanceParams {
                    method,
                    max_distance,
                    no_sites: NoSites::Infinity,
                    ..DistanceParams::default()
                };
                let stream = test.device.stream().unwrap();
                let found = map(&stream, &sites, &params).unwrap();
                let found = found.download(&stream).unwrap();
                assert_eq!(found.geometry(), sites.geometry());
                let max_distance = max_distance.unwrap_or(f64::INFINITY);
                // The sum is rounded once per axis.
                let tolerance = if spacing[0].fract() == 0.0 { 0.0 } else { 2e-7 };
                for (&found, &(expected, _)) in found.samples().iter().zip(&expected) {
                    let expected = expected.min(max_distance) as f32;
                    assert!(
                        found == expected || (found - expected).abs() <= tolerance * expected,
                        "{}: {} {:?} {spacing:?}: {found}, not {expected}",
                        test.label,
                        method.name(),
                        sites.dims()
                    );
                }
            }
        }
    }
}

#[test]
fn city_block_and_chessboard_are_exact() {
    check_metric([1.0; 3]);
}

#[test]
fn city_block_and_chessboard_are_exact_for_integer_spacings() {
    check_metric([2.0, 3.0, 5.0]);
}

#[test]
fn city_block_and_chessboard_are_exact_up_to_rounding() {
    check_metric([0.7, 1.3, 0.9]);
}

/// Checks that distances refer to sites, are never underestimated and rarely overestimated, and are
/// exact next to sites.
fn check_vector_propagation(one_in: u64, spacing: [f64; 3]) {
    let devices = devices::all();
    let euclidean_length = |offsets| length(Method::CenterPoint, offsets);
    for sites in volumes(spacing, one_in) {
        let dims = sites.dims();
        let expected = brute_force(&sites, spacing, euclidean_length);
        for test in &devices {
            let stream = test.device.stream().unwrap();
            let params = DistanceParams {
                method: Method::CenterPoint,
                nearest: true,
                no_sites: NoSites::Infinity,
                ..DistanceParams::default()
            };
            let distance_map = map(&stream, &sites, &params).unwrap();
            let found = distance_map.download(&stream).unwrap();
            let Some(NearestIndices::U32(nearest)) = &distance_map.nearest else {
                panic!("indices are 32-bit");
            };
            let nearest = stream.download(nearest).unwrap();
            for (index, &(exact, _)) in expected.iter().enumerate() {
                let distance = found.samples()[index];
                if exact.is_infinite() {
                    assert_eq!((distance, nearest[index]), (f32::INFINITY, u32::MAX));
                    continue;
                }
                let site = nearest[index] as usize;
                assert!(sites.samples()[site] != 0);
                let (voxel_position, site_position) = (position(dims, index), position(dims, site));
                let offsets =
                    [0, 1, 2].map(|i| spacing[i] * (voxel_position[i] - site_position[i]));
                assert_eq!(distance, euclidean_length(offsets) as f32);
                let error = f64::from(distance) - f64::from(exact as f32);
                assert!((0.0..0.7).contains(&error), "{}: {error}", test.label);
                if exact <= 1.0 {
                    assert_eq!(error, 0.0);
                }
            }
        }
    }
}

#[test]
fn vector_propagation_returns_sites_near_the_nearest() {
    check_vector_propagation(3, [1.0; 3]);
    check_vector_propagation(60, [1.0; 3]);
}

#[test]
fn vector_propagation_works_for_integer_spacings() {
    check_vector_propagation(60, [2.0, 1.0, 3.0]);
}

#[test]
fn vector_propagation_is_identical_on_all_devices_and_truncated() {
    let sites = with_spacing(&random_mask([71, 43, 38], 300, 8), [1.0, 1.5, 2.0]);
    let params = |max_distance| DistanceParams {
        method: Method::CenterPoint,
        nearest: true,
        max_distance,
        ..DistanceParams::default()
    };
    let compute = |device: &Device, max_distance| {
        let stream = device.stream().unwrap();
        let distance_map = map(&stream, &sites, &params(max_distance)).unwrap();
        let Some(NearestIndices::U32(nearest)) = &distance_map.nearest else {
            panic!("indices are 32-bit");
        };
        let nearest = stream.download(nearest).unwrap();
        (
            distance_map.download(&stream).unwrap().into_samples(),
            nearest,
        )
    };
    let (untruncated, untruncated_nearest) = compute(&Device::cpu(), None);
    for test in devices::fast() {
        assert!(compute(&test.device, None) == (untruncated.clone(), untruncated_nearest.clone()));
        let (truncated, nearest) = compute(&test.device, Some(5.5));
        for index in 0..untruncated.len() {
            let beyond = untruncated[index] > 5.5;
            assert_eq!(truncated[index], untruncated[index].min(5.5));
            let site = if beyond {
                u32::MAX
            } else {
                untruncated_nearest[index]
            };
            assert_eq!(nearest[index], site);
        }
    }
}

#[test]
fn unsupported_requests_return_errors() {
    let stream = Device::cpu().stream().unwrap();
    let no_sites = Volume::new(vec![0u8; 60], [5, 4, 3], Geometry::default()).unwrap();
    let sites = random_mask([5, 4, 3], 2, 2);
    for method in METHODS {
        let params = DistanceParams {
            method,
            ..DistanceParams::default()
        };
        let error = map(&stream, &no_sites, &params).unwrap_err();
        assert!(matches!(error, DistanceError::NoSites));
        for max_distance in [None, Some(9.0)] {
            let params = DistanceParams {
                no_sites: NoSites::Infinity,
                max_distance,
                ..params
            };
            let found = map(&stream, &no_sites, &params)
                .unwrap()
                .download(&stream)
                .unwrap();
            let expected = max_distance.unwrap_or(f64::INFINITY) as f32;
            assert!(found.samples().iter().all(|&distance| distance == expected));
        }
        let nearest = DistanceParams {
            nearest: true,
            ..params
        };
        match map(&stream, &sites, &nearest) {
            Ok(map) => assert!(map.nearest.is_some() && method == Method::CenterPoint),
            Err(error) => assert!(matches!(error, DistanceError::NearestUnsupported { .. })),
        }
    }
}

/// A single site in the corner, for which the distances have closed forms.
#[test]
fn comparison_reports_the_location_of_the_largest_error() {
    let stream = Device::cpu().stream().unwrap();
    let dims = [31, 31, 31];
    let mut sites = Volume::new(vec![0u8; 31 * 31 * 31], dims, Geometry::default()).unwrap();
    sites.samples_mut()[0] = 1;
    let compute = |method| {
        let params = DistanceParams {
            method,
            ..DistanceParams::default()
        };
        let distance_map = map(&stream, &sites, &params).unwrap();
        distance_map.download(&stream).unwrap()
    };
    let exact = compute(Method::CenterPoint);
    let limits = [10.0, 36.0];
    let city = distance::compare(&exact, &compute(Method::CityBlock), &limits).unwrap();
    let diagonal = 30.0 * 3f64.sqrt();
    assert!((city.max - (90.0 - diagonal)).abs() < 1e-5, "{city:?}");
    assert!((city.distance_at_max - diagonal).abs() < 1e-5);
    assert_eq!(city.max_voxel, Some([30; 3]));
    assert_eq!(city.bands.len(), 3);
    assert_eq!(
        city.bands.iter().map(|band| band.count).sum::<u64>(),
        city.count
    );
    let weighted: f64 = city
        .bands
        .iter()
        .map(|band| band.mean * band.count as f64)
        .sum();
    assert!((weighted / city.count as f64 - city.mean).abs() < 1e-9);
    assert!(city.bands[0].max < city.bands[1].max && city.bands[1].max < city.max + 1e-9);
    let board = distance::compare(&exact, &compute(Method::Chessboard), &limits).unwrap();
    assert!((board.max - (diagonal - 30.0)).abs() < 1e-5, "{board:?}");
    let same = distance::compare(&exact, &exact, &limits).unwrap();
    assert_eq!(
        (same.max, same.mean, same.differing, same.missing),
        (0.0, 0.0, 0, 0)
    );
    let other = Volume::new(vec![0.0f32; 8], [2, 2, 2], Geometry::default()).unwrap();
    assert_eq!(distance::compare(&exact, &other, &limits), None);
}
