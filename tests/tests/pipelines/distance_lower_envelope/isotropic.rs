//! Isotropic voxels: compared bit by bit with the other exact kernels, and with minima along
//! scanlines.

use super::*;
use proptest::prelude::*;
use test_cases::{case_count, shard};

/// Computes the map with the lower-envelope kernels on any device.
fn lower_envelope_map(device: &Device, mask: &[u8], dims: Dims, side: f64) -> Vec<f32> {
    let stream = device.stream().unwrap();
    let geometry = Geometry::from_spacing([side; 3], [0.0; 3]).unwrap();
    let sites = DeviceMask::upload(&stream, mask, dims, geometry).unwrap();
    let map = distance::transform_by_envelopes(&stream, &sites, &params(), true).unwrap();
    stream
        .download(&map.expect("the grid is supported").distances)
        .unwrap()
}

/// Computes the map with the default kernels of a device.
fn map(device: &Device, mask: &[u8], dims: Dims, side: f64) -> Vec<f32> {
    let stream = device.stream().unwrap();
    let geometry = Geometry::from_spacing([side; 3], [0.0; 3]).unwrap();
    let sites = DeviceMask::upload(&stream, mask, dims, geometry).unwrap();
    let map = distance::transform(&stream, Sites::Voxels(&sites), &params()).unwrap();
    stream.download(&map.distances).unwrap()
}

/// Compares the lower-envelope kernels on `device` and the default kernels of each device with
/// minima along scanlines.
fn check_field(device: &Device, field: Field, dims: Dims, side: f64) {
    let context = format!("{} {field:?} {dims:?} {side}", device.id());
    let mask = mask(field, dims, dims.iter().sum::<usize>() as u64);
    let expected = distances(&mask, dims, isotropic(side));
    assert_same(
        &lower_envelope_map(device, &mask, dims, side),
        &expected,
        &context,
    );
    for test in devices::fast() {
        let found = map(&test.device, &mask, dims, side);
        assert_same(&found, &expected, &format!("{context} on {}", test.label));
    }
}

#[test]
fn small_volumes_match_in_checked_mode() {
    for n in [1, 2, 5, 31, 32, 33] {
        for field in shard(FIELDS, n) {
            for side in [1.0, 0.7] {
                check_field(&checked(n as u64), field, [n; 3], side);
            }
        }
    }
}

#[test]
fn thin_volumes_match_in_checked_mode() {
    for n in [63, 64, 65, 100] {
        for field in shard(FIELDS, n) {
            for dims in [
                [n, 1, 1],
                [1, n, 1],
                [1, 1, n],
                [3, n, 2],
                [2, 3, n],
                [n, 34, 2],
            ] {
                check_field(&checked(7), field, dims, 1.0);
            }
        }
    }
}

#[test]
fn long_scanlines_match_in_checked_mode() {
    for n in [640, 1024] {
        let fields = [
            Field::One,
            Field::Random(2),
            Field::Random(50),
            Field::Plane,
        ];
        for (axis, dims) in [[1, n, 1], [1, 1, n]].into_iter().enumerate() {
            for field in shard(fields, n / 128 + axis) {
                check_field(&checked(5), field, dims, 1.0);
            }
        }
    }
}

#[test]
fn sides_around_word_and_chunk_lengths_match() {
    for n in [31, 32, 33, 63, 64, 65] {
        for field in shard(FIELDS, n) {
            check_field(&Device::cpu(), field, [n, n, 20], 1.0);
            check_field(&Device::cpu(), field, [20, 35, n], 1.3);
        }
    }
}

#[test]
fn long_scanlines_match() {
    for n in [511, 512, 513, 640, 641, 1000, 1023, 1024] {
        for field in shard(FIELDS, n) {
            for dims in [[n, 3, 2], [33, n, 1], [4, 2, n]] {
                check_field(&Device::cpu(), field, dims, 1.0);
            }
        }
    }
}

/// Scanlines that a GPU divides into segments, around the segment lengths: 3 or 4 segments of 6
/// chunks, and a partial one.
#[test]
fn narrow_bands_of_long_scanlines_match() {
    for n in [513, 575, 576, 577, 609, 640, 769, 1024] {
        for field in shard(FIELDS, n) {
            for (dims, max_distance) in [([33, n, 2], 3.0), ([5, 3, n], 10.0), ([3, n, 1], 32.0)] {
                check_sites(
                    &Device::cpu(),
                    field,
                    dims,
                    isotropic(1.0),
                    Some(max_distance),
                );
            }
        }
    }
}

#[test]
fn roots_of_all_sums_of_two_squares_are_exact() {
    // One site in a corner of a plane: all distances that occur in a plane.
    let dims = [1024, 1024, 1];
    let mut mask = vec![0; 1 << 20];
    mask[0] = 1;
    for side in [1.0, 0.7] {
        let expected: Vec<f32> = (0..1u64 << 20)
            .map(|i| (side * (((i % 1024).pow(2) + (i / 1024).pow(2)) as f64).sqrt()) as f32)
            .collect();
        let found = lower_envelope_map(&Device::cpu(), &mask, dims, side);
        assert_same(&found, &expected, &format!("{side}"));
    }
}

/// Grids that the lower-envelope kernels do not support are computed by the other kernels, and the
/// maps agree on both sides of the limits.
#[test]
fn maps_agree_at_the_limits_of_the_lower_envelope_kernels() {
    let device = Device::cpu();
    let stream = device.stream().unwrap();
    let sites = |dims: Dims, spacing: [f64; 3]| {
        let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
        let mask = mask(Field::Random(300), dims, 3);
        DeviceMask::upload(&stream, &mask, dims, geometry).unwrap()
    };
    let is_supported = |sites: &DeviceMask, params: DistanceParams| {
        let map = distance::transform_by_envelopes(&stream, sites, &params, true).unwrap();
        map.is_some()
    };
    for (dims, expected) in [
        ([1024, 2, 2], true),
        ([1025, 2, 2], false),
        ([2, 1024, 2], true),
        ([2, 1025, 2], false),
        ([2, 2, 1024], true),
        ([2, 2, 1025], false),
    ] {
        assert_eq!(
            is_supported(&sites(dims, [1.0; 3]), params()),
            expected,
            "{dims:?}"
        );
    }
    let small = [9, 8, 7];
    assert!(is_supported(&sites(small, [0.7; 3]), params()));
    assert!(is_supported(&sites(small, [0.7, 0.7, 1.4]), params()));
    assert!(!is_supported(&sites(small, [0.7, 0.7, 1.5]), params()));
    for n in [1023, 1024, 1025] {
        for dims in [[n, 3, 2], [3, n, 2], [3, 2, n]] {
            let mask = mask(Field::Random(200), dims, n as u64);
            let expected = distances(&mask, dims, isotropic(1.0));
            for test in devices::fast() {
                let found = map(&test.device, &mask, dims, 1.0);
                assert_same(&found, &expected, &format!("{} {dims:?}", test.label));
            }
        }
    }
}

/// A memory limit that the lower-envelope kernels would exceed is kept by the other kernels.
#[test]
fn memory_limits_are_kept_by_the_part_transform() {
    let dims = [40, 50, 30];
    let mask = mask(Field::Random(100), dims, 8);
    let expected = distances(&mask, dims, isotropic(1.0));
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let sites = DeviceMask::upload(&stream, &mask, dims, Geometry::default()).unwrap();
        for memory in [
            50 * 30 * (2 * 136) + 120,
            50 * 30 * (2 * 136) + 119,
            50 * 30 * 144,
        ] {
            let params = DistanceParams {
                memory: Some(memory),
                ..params()
            };
            let map = distance::transform(&stream, Sites::Voxels(&sites), &params).unwrap();
            let found = stream.download(&map.distances).unwrap();
            assert_same(&found, &expected, &format!("{} {memory}", test.label));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(case_count(40)))]

    #[test]
    fn any_volume_matches(
        nx in 1usize..80,
        ny in 1usize..80,
        nz in 1usize..80,
        one_in in prop_oneof![1u64..6, 6u64..300, 300u64..100_000],
        side in prop_oneof![Just(1.0), 0.01f64..50.0],
        seed in any::<u64>(),
    ) {
        let dims = [nx, ny, nz];
        let mask = mask(Field::Random(one_in), dims, seed);
        let expected = distances(&mask, dims, isotropic(side));
        let found = lower_envelope_map(&Device::cpu(), &mask, dims, side);
        assert_same(&found, &expected, &format!("{dims:?} one in {one_in}, {side}, {seed}"));
        for test in devices::fast() {
            let found = map(&test.device, &mask, dims, side);
            assert_same(&found, &expected, &test.label);
        }
    }
}

#[test]
fn bounds_and_nearest_sites_match_in_checked_mode() {
    for dims in [
        [1, 1, 1],
        [5, 5, 5],
        [33, 33, 33],
        [65, 3, 2],
        [3, 100, 2],
        [2, 3, 100],
        [2, 70, 70],
    ] {
        for field in shard(FIELDS, dims[0]) {
            for max_distance in shard([None, Some(0.5), Some(3.0), Some(40.0)], dims[1]) {
                check_sites(&checked(3), field, dims, isotropic(1.0), max_distance);
            }
            check_sites(&checked(4), field, dims, isotropic(0.7), Some(7.0));
        }
    }
}

#[test]
fn bounds_and_nearest_sites_match() {
    for dims in [
        [64, 65, 20],
        [31, 100, 97],
        [20, 35, 200],
        [1000, 3, 5],
        [3, 1024, 2],
        [2, 2, 1023],
    ] {
        for field in shard(FIELDS, dims[0]) {
            let bounds = [None, Some(1.0), Some(10.0), Some(36.5), Some(5000.0)];
            for max_distance in shard(bounds, dims[1]) {
                check_sites(&Device::cpu(), field, dims, isotropic(1.0), max_distance);
            }
            check_sites(&Device::cpu(), field, dims, isotropic(1.3), Some(13.0));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(case_count(100)))]

    #[test]
    fn any_bound_and_nearest_sites_match(
        nx in 1usize..70,
        ny in 1usize..70,
        nz in 1usize..70,
        one_in in prop_oneof![1u64..6, 6u64..300, 300u64..100_000],
        side in prop_oneof![Just(1.0), 0.01f64..50.0],
        voxels in prop_oneof![Just(f64::INFINITY), (1u32..30).prop_map(f64::from), 0.1f64..100.0],
        seed in any::<u64>(),
    ) {
        let dims = [nx, ny, nz];
        let mask = mask(Field::Random(one_in), dims, seed);
        let max_distance = voxels.is_finite().then_some(voxels * side);
        check_mask(&Device::cpu(), &mask, dims, isotropic(side), max_distance, &format!("one in {one_in}, {seed}"));
    }
}
