//! The methods for comparison: two against every site, one against what it promises.

use super::distance_sites::{SIZES, rare};
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
    let mask = DeviceMask::from_mask(stream, &on_device)?;
    distance::transform(stream, Sites::Voxels(&mask), params)
}

fn place(dims: [usize; 3], index: usize) -> [f64; 3] {
    let [nx, ny, _] = dims;
    [index % nx, index / nx % ny, index / nx / ny].map(|i| i as f64)
}

/// The least length over all sites, and the first site that has it.
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
            let here = place(dims, index);
            let mut best = (f64::INFINITY, usize::MAX);
            for &site in &all {
                let there = place(dims, site);
                let parts = [0, 1, 2].map(|i| spacing[i] * (here[i] - there[i]).abs());
                let found = length(parts);
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

fn spaced(sites: &Volume<u8>, spacing: [f64; 3]) -> Volume<u8> {
    let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
    sites.clone().with_geometry(geometry)
}

/// Some volumes of sites, with the numbers they are drawn by: all the small sizes, and those a word
/// and more along x.
fn volumes(spacing: [f64; 3], one_in: u64) -> impl Iterator<Item = Volume<u8>> {
    SIZES
        .into_iter()
        .filter(|dims| dims.iter().product::<usize>() < 1200)
        .chain([[24, 9, 10]])
        .enumerate()
        .map(move |(number, dims)| spaced(&rare(dims, one_in, number as u64), spacing))
}

fn two_metrics(spacing: [f64; 3]) {
    let devices = devices::all();
    for sites in volumes(spacing, 2).chain(volumes(spacing, 40)) {
        for method in [Method::CityBlock, Method::Chessboard] {
            let expected = brute_force(&sites, spacing, |parts| length(method, parts));
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
                let bound = max_distance.unwrap_or(f64::INFINITY);
                // the sum is rounded once for each axis
                let tolerance = if spacing[0].fract() == 0.0 { 0.0 } else { 2e-7 };
                for (&found, &(expected, _)) in found.samples().iter().zip(&expected) {
                    let expected = expected.min(bound) as f32;
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
fn two_metrics_are_exact() {
    two_metrics([1.0; 3]);
}

#[test]
fn two_metrics_are_exact_for_whole_spacings() {
    two_metrics([2.0, 3.0, 5.0]);
}

#[test]
fn two_metrics_are_exact_but_for_rounding() {
    two_metrics([0.7, 1.3, 0.9]);
}

/// Distances are to sites, never less than the least, seldom more; sites of voxels next to sites
/// are right.
fn center_points(one_in: u64, spacing: [f64; 3]) {
    let devices = devices::all();
    let of_parts = |parts| length(Method::CenterPoint, parts);
    for sites in volumes(spacing, one_in) {
        let dims = sites.dims();
        let expected = brute_force(&sites, spacing, of_parts);
        for test in &devices {
            let stream = test.device.stream().unwrap();
            let params = DistanceParams {
                method: Method::CenterPoint,
                nearest: true,
                no_sites: NoSites::Infinity,
                ..DistanceParams::default()
            };
            let made = map(&stream, &sites, &params).unwrap();
            let found = made.download(&stream).unwrap();
            let Some(NearestIndices::U32(nearest)) = &made.nearest else {
                panic!("32 bits are enough");
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
                let (here, there) = (place(dims, index), place(dims, site));
                let parts = [0, 1, 2].map(|i| spacing[i] * (here[i] - there[i]));
                assert_eq!(distance, of_parts(parts) as f32);
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
fn center_points_are_sites() {
    center_points(3, [1.0; 3]);
    center_points(60, [1.0; 3]);
}

#[test]
fn center_points_are_sites_for_whole_spacings() {
    center_points(60, [2.0, 1.0, 3.0]);
}

#[test]
fn center_points_are_the_same_on_all_devices_and_bounded() {
    let sites = spaced(&rare([71, 43, 38], 300, 8), [1.0, 1.5, 2.0]);
    let params = |max_distance| DistanceParams {
        method: Method::CenterPoint,
        nearest: true,
        max_distance,
        ..DistanceParams::default()
    };
    let made = |device: &Device, max_distance| {
        let stream = device.stream().unwrap();
        let made = map(&stream, &sites, &params(max_distance)).unwrap();
        let Some(NearestIndices::U32(nearest)) = &made.nearest else {
            panic!("32 bits are enough");
        };
        let nearest = stream.download(nearest).unwrap();
        (made.download(&stream).unwrap().into_samples(), nearest)
    };
    let (whole, whole_nearest) = made(&Device::cpu(), None);
    for test in devices::fast() {
        assert!(made(&test.device, None) == (whole.clone(), whole_nearest.clone()));
        let (bounded, nearest) = made(&test.device, Some(5.5));
        for index in 0..whole.len() {
            let beyond = whole[index] > 5.5;
            assert_eq!(bounded[index], whole[index].min(5.5));
            let site = if beyond {
                u32::MAX
            } else {
                whole_nearest[index]
            };
            assert_eq!(nearest[index], site);
        }
    }
}

#[test]
fn what_they_refuse() {
    let stream = Device::cpu().stream().unwrap();
    let none = Volume::new(vec![0u8; 60], [5, 4, 3], Geometry::default()).unwrap();
    let some = rare([5, 4, 3], 2, 2);
    for method in METHODS {
        let params = DistanceParams {
            method,
            ..DistanceParams::default()
        };
        let error = map(&stream, &none, &params).unwrap_err();
        assert!(matches!(error, DistanceError::NoSites));
        let empty = NoSites::Infinity;
        for max_distance in [None, Some(9.0)] {
            let params = DistanceParams {
                no_sites: empty,
                max_distance,
                ..params
            };
            let found = map(&stream, &none, &params)
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
        match map(&stream, &some, &nearest) {
            Ok(map) => assert!(map.nearest.is_some() && method == Method::CenterPoint),
            Err(error) => assert!(matches!(error, DistanceError::NearestUnsupported { .. })),
        }
    }
}

/// One site in the corner, whose distances have closed forms.
#[test]
fn errors_are_reported_where_they_are() {
    let stream = Device::cpu().stream().unwrap();
    let dims = [31, 31, 31];
    let mut sites = Volume::new(vec![0u8; 31 * 31 * 31], dims, Geometry::default()).unwrap();
    sites.samples_mut()[0] = 1;
    let of = |method| {
        let params = DistanceParams {
            method,
            ..DistanceParams::default()
        };
        let made = map(&stream, &sites, &params).unwrap();
        made.download(&stream).unwrap()
    };
    let exact = of(Method::CenterPoint);
    let limits = [10.0, 36.0];
    let city = distance::compare(&exact, &of(Method::CityBlock), &limits).unwrap();
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
    let board = distance::compare(&exact, &of(Method::Chessboard), &limits).unwrap();
    assert!((board.max - (diagonal - 30.0)).abs() < 1e-5, "{board:?}");
    let same = distance::compare(&exact, &exact, &limits).unwrap();
    assert_eq!(
        (same.max, same.mean, same.differing, same.missing),
        (0.0, 0.0, 0, 0)
    );
    let other = Volume::new(vec![0.0f32; 8], [2, 2, 2], Geometry::default()).unwrap();
    assert_eq!(distance::compare(&exact, &other, &limits), None);
}
