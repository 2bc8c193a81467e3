//! Distances to points with fractional coordinates.

use super::distance_exact::{
    CUBES_EXACT_RANGE, Case, assert_within_cubes_error, download_map, limit_dims,
};
use ferrovox::{
    distance::{self, DistanceParams, Method, Sites},
    grid::{DevicePoints, Geometry},
};
use ferrovox_tests::{devices, noise::Noise};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(160)))]

    /// Points with fractional coordinates, some of them outside the volume.
    #[test]
    fn random_points_match_f64_distances(
        side_lengths in [1usize..=70, 1..=70, 1..=70],
        spacing in prop::sample::select(vec![[1.0, 1.0, 1.0], [0.7, 0.7, 3.1], [1e-9, 2e-9, 1e-9]]),
        count in 1usize..60,
        seed in any::<u64>(),
        bounded in any::<bool>(),
    ) {
        let dims = limit_dims(side_lengths, 800);
        let mut noise = Noise(seed);
        let mut coordinate = |n: usize| (n as f32 + 20.0) * (0.5 + 0.5 * noise.signed()) - 10.0;
        let points: Vec<[f32; 3]> = (0..count).map(|_| dims.map(&mut coordinate)).collect();
        check_points(&points, dims, spacing, bounded.then_some(spacing[0] * 4.25));
    }
}

/// Compares maps of points with squared distances in `f64`.
fn check_points(
    points: &[[f32; 3]],
    dims: [usize; 3],
    spacing: [f64; 3],
    max_distance: Option<f64>,
) {
    let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
    let case = Case {
        dims,
        spacing: [1; 3],
        sites: vec![],
    };
    let squared = |voxel: u64, point: &[f32; 3]| -> f64 {
        let voxel_position = case.at(voxel);
        (0..3)
            .map(|axis| {
                ((voxel_position[axis] as f64 - f64::from(point[axis])) * spacing[axis]).powi(2)
            })
            .sum()
    };
    let min_squared = |voxel: u64| {
        points
            .iter()
            .map(|point| squared(voxel, point))
            .fold(f64::INFINITY, f64::min)
    };
    let expected: Vec<f64> = (0..case.voxels() as u64).map(min_squared).collect();
    let mut first: Option<Vec<Vec<f32>>> = None;
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let sites = DevicePoints::from_voxels(&stream, points, dims, geometry).unwrap();
        let mut found = vec![];
        for method in [Method::BruteForce, Method::Bucketed, Method::Cubes] {
            let params = DistanceParams {
                method,
                max_distance,
                nearest: method == Method::BruteForce,
                ..Default::default()
            };
            let map = distance::transform(&stream, Sites::Points(&sites), &params).unwrap();
            let (distances, nearest) = download_map(&stream, &map);
            let target = CUBES_EXACT_RANGE * spacing.into_iter().fold(f64::INFINITY, f64::min);
            for (i, (&distance, &min_squared)) in distances.iter().zip(&expected).enumerate() {
                let context = format!("{} {method:?} {dims:?} voxel {i}", test.label);
                let exact = min_squared.sqrt();
                if method == Method::Cubes && exact > target {
                    assert_within_cubes_error(
                        &context,
                        distance,
                        min_squared,
                        spacing,
                        max_distance,
                    );
                    continue;
                }
                // Factors and spacings are rounded at different points: one unit in the last place
                // of 24 bits.
                let limited = max_distance.map_or(exact, |max_distance| exact.min(max_distance));
                let error = (f64::from(distance) - limited).abs();
                assert!(
                    error <= limited * 1.3e-7,
                    "{context}: {distance} for {limited}"
                );
                if let Some(nearest) = &nearest {
                    if max_distance.is_some_and(|max_distance| exact > max_distance * (1.0 + 1e-12))
                    {
                        assert_eq!(nearest[i], u64::MAX, "{context}");
                    } else if max_distance
                        .is_none_or(|max_distance| exact < max_distance * (1.0 - 1e-12))
                    {
                        let found_squared = squared(i as u64, &points[nearest[i] as usize]);
                        assert!(
                            found_squared <= min_squared * (1.0 + 1e-12),
                            "{context}: {found_squared} for {min_squared}"
                        );
                    }
                }
            }
            found.push(distances);
        }
        let [exact, bucketed, cubes] = &found[..] else {
            panic!("three methods")
        };
        assert_eq!(exact, bucketed, "{}", test.label);
        let target = (CUBES_EXACT_RANGE * spacing.into_iter().fold(f64::INFINITY, f64::min)) as f32;
        for (exact, cubes) in exact.iter().zip(cubes) {
            assert!(exact == cubes || *exact >= target, "{exact} is not {cubes}");
        }
        // All devices produce the same bits.
        assert_eq!(
            first.get_or_insert_with(|| found.clone()),
            &found,
            "{}",
            test.label
        );
    }
}

#[test]
fn points_between_voxels_match_f64_distances() {
    let one = [[0.5, 0.0, 0.0]];
    check_points(&one, [3, 1, 1], [1.0; 3], None);
    // Equal distances from voxel 1, and a duplicate point.
    check_points(
        &[[0.5, 0.0, 0.0], [1.5, 0.0, 0.0], [0.5, 0.0, 0.0]],
        [3, 2, 2],
        [1.0; 3],
        None,
    );
    // Far outside, on either side.
    check_points(&[[-1000.25, 3.0, 2.0]], [20, 9, 5], [1.0, 2.0, 1.0], None);
    check_points(
        &[[90.0, 70.0, 3.0], [5.0, -40.0, 3.0]],
        [30, 20, 3],
        [1.0; 3],
        Some(60.0),
    );
}

/// Fractional sites on a sphere: all of them are about equally far from its centre.
#[test]
fn points_on_a_sphere_match_at_its_distant_centre() {
    let mut noise = Noise(3);
    let points: Vec<[f32; 3]> = (0..300)
        .map(|_| {
            let at = [noise.signed(), noise.signed(), noise.signed()];
            let length = at.iter().map(|a| a * a).sum::<f32>().sqrt().max(1e-3);
            at.map(|a| 40.0 + 39.0 * a / length)
        })
        .collect();
    check_points(&points, [81, 80, 16], [1.0; 3], None);
    check_points(&points, [16, 81, 80], [0.7, 0.7, 1.3], Some(30.0));
    // No bucket is near.
    check_points(&points[..3], [9, 150, 70], [1.0; 3], None);
}

#[test]
fn ties_select_the_first_point() {
    let points = [[1.5, 0.0, 0.0], [0.5, 0.0, 0.0], [1.5, 0.0, 0.0]];
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let sites =
            DevicePoints::from_voxels(&stream, &points, [3, 1, 1], Geometry::default()).unwrap();
        let params = DistanceParams {
            method: Method::BruteForce,
            nearest: true,
            ..Default::default()
        };
        let map = distance::transform(&stream, Sites::Points(&sites), &params).unwrap();
        let (distances, nearest) = download_map(&stream, &map);
        assert_eq!(distances, [0.5; 3], "{}", test.label);
        assert_eq!(nearest.unwrap(), [1, 0, 0], "{}", test.label);
    }
}
