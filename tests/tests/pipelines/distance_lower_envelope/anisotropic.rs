//! Anisotropic voxels whose spacings are multiples of a common length.

use super::*;
use proptest::prelude::*;
use test_cases::{case_count, shard};

/// Returns `true` if the lower-envelope kernels support a grid.
fn is_supported(dims: Dims, spacing: [f64; 3]) -> bool {
    let device = Device::cpu();
    let stream = device.stream().unwrap();
    let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
    let sites = DeviceMask::from_indices(&stream, &[0], dims, geometry).unwrap();
    distance::transform_by_envelopes(&stream, &sites, &params(), true)
        .unwrap()
        .is_some()
}

/// Squared spacings in units: different along z only, along y only, both, with a common divisor,
/// and a small and a large weight along z.
const METRICS: [Metric; 8] = [
    ([4, 4, 25], 0.5),
    ([1, 1, 4], 1.0),
    ([1, 4, 1], 0.75),
    ([9, 4, 4], 0.7),
    ([4, 9, 25], 0.25),
    ([16, 36, 9], 1.0),
    ([1, 1, 361], 1.0),
    ([25, 25, 4], 0.2),
];

#[test]
fn anisotropic_maps_match_in_checked_mode() {
    let dims_list = [
        [1, 1, 1],
        [5, 5, 5],
        [31, 32, 33],
        [65, 3, 2],
        [3, 100, 2],
        [2, 3, 100],
        [2, 40, 70],
    ];
    for (case_index, dims) in dims_list.into_iter().enumerate() {
        for (field_index, field) in shard(FIELDS.into_iter().enumerate(), case_index) {
            let metric = METRICS[(case_index + field_index) % METRICS.len()];
            check_sites(&checked(3), field, dims, metric, None);
            let metric = METRICS[(case_index + field_index + 3) % METRICS.len()];
            check_sites(&checked(5), field, dims, metric, Some(7.0));
        }
    }
}

/// The columns that pad a row to a multiple of 32 are farther from its sites than its voxels are:
/// their costs must fit too, even if the spacing along x is large.
#[test]
fn thin_grids_with_a_large_spacing_along_x_match_in_checked_mode() {
    let metrics: [Metric; 5] = [
        ([360_000, 1, 49], 1.0),
        ([4225, 1, 49], 1.0),
        ([2500, 9, 4], 0.5),
        ([400, 361, 1], 1.0),
        ([25, 4, 9], 1.0),
    ];
    let mut supported_count = 0;
    for nx in [1, 2, 3, 33, 40] {
        for dims in [[nx, 1, 133], [nx, 133, 1], [nx, 40, 35]] {
            for metric in metrics {
                if is_supported(dims, spacing(metric)) {
                    supported_count += 1;
                    check_sites(&checked(7), Field::Random(20), dims, metric, None);
                    check_sites(&checked(9), Field::One, dims, metric, Some(900.5));
                }
            }
        }
    }
    assert!(supported_count > 0);
}

#[test]
fn sides_around_word_and_chunk_lengths_match() {
    for n in [31, 32, 33, 63, 64, 65] {
        for (field_index, field) in shard(FIELDS.into_iter().enumerate(), n) {
            for metric in [
                METRICS[field_index % METRICS.len()],
                METRICS[(field_index + n) % METRICS.len()],
            ] {
                for max_distance in [None, Some(2.5), Some(11.0)] {
                    check_sites(&Device::cpu(), field, [n, n, 9], metric, max_distance);
                    check_sites(&Device::cpu(), field, [9, 35, n], metric, max_distance);
                }
            }
        }
    }
}

#[test]
fn long_scanlines_match() {
    for n in [511, 512, 513, 1000, 1023, 1024] {
        let fields = [
            Field::One,
            Field::Plane,
            Field::Random(2),
            Field::Random(50),
        ];
        for field in shard(fields, n) {
            for (axis, dims) in [[n, 3, 2], [33, n, 1], [4, 2, n]].into_iter().enumerate() {
                for metric in shard(METRICS, n + axis) {
                    let [x, y, z] = spacing(metric);
                    if is_supported(dims, [x, y, z]) {
                        check_sites(&Device::cpu(), field, dims, metric, None);
                    }
                }
            }
        }
    }
}

/// The maps agree on both sides of each limit between the variants.
#[test]
fn maps_agree_at_the_limits_of_the_lower_envelope_kernels() {
    // Spacing, dimensions, and whether the lower-envelope kernels support them.
    let cases = [
        // The largest weight, and the next one.
        ([1.0, 1.0, 19.0], [9, 40, 70], true),
        ([1.0, 1.0, 20.0], [9, 40, 70], false),
        ([1.0, 19.0, 1.0], [9, 70, 40], true),
        ([1.0, 20.0, 1.0], [9, 70, 40], false),
        // Takeover outputs without a bound: at most 2^24 units in the plane per unit along z.
        ([1.0, 1.0, 1.0 / 16.0], [250, 23, 3], true),
        ([1.0, 1.0, 1.0 / 16.0], [250, 24, 3], false),
        // Squared distances in the plane of up to 22 bits, and the smallest that do not fit.
        ([1.0, 2.0, 1.0], [3, 1023, 2], true),
        ([1.0, 2.0, 1.0], [85, 1024, 2], false),
        // The largest side.
        ([1.0, 1.0, 1.5], [3, 2, 1024], true),
        ([1.0, 1.0, 1.5], [3, 2, 1025], false),
        // Squared distances of up to 2^24: roots in f32, and in f64.
        ([1.0, 1.0, 4.0], [3, 2, 1024], true),
        ([1.0, 1.0, 3.5], [3, 2, 1024], true),
    ];
    for (spacing, dims, expected) in cases {
        assert_eq!(
            is_supported(dims, spacing),
            expected,
            "{spacing:?} {dims:?}"
        );
        let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
        for field in [Field::One, Field::Corners, Field::Random(200)] {
            let mask = mask(field, dims, 3);
            let unit = (1..=16)
                .map(|units| {
                    spacing.iter().copied().fold(f64::INFINITY, f64::min) / f64::from(units)
                })
                .find(|unit| spacing.iter().all(|s| (s / unit).round() * unit == *s))
                .unwrap();
            let weights = spacing.map(|s| (s / unit).round().powi(2) as u64);
            let (distances, sites) = bounded_map(&mask, dims, (weights, unit), None);
            let params = DistanceParams {
                nearest: true,
                ..params()
            };
            for test in devices::fast() {
                let stream = test.device.stream().unwrap();
                let mask = DeviceMask::upload(&stream, &mask, dims, geometry).unwrap();
                let map = distance::transform(&stream, Sites::Voxels(&mask), &params).unwrap();
                let context = format!("{} {spacing:?} {dims:?} {field:?}", test.label);
                assert_same(
                    &stream.download(&map.distances).unwrap(),
                    &distances,
                    &context,
                );
                let Some(NearestIndices::U32(found)) = map.nearest else {
                    panic!("{context}: no sites");
                };
                assert_eq!(stream.download(&found).unwrap(), sites, "{context}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(case_count(150)))]

    #[test]
    fn any_anisotropic_volume_matches(
        nx in 1usize..70,
        ny in 1usize..70,
        nz in 1usize..70,
        factors in [1u64..9, 1u64..9, 1u64..9],
        one_in in prop_oneof![1u64..6, 6u64..300, 300u64..100_000],
        unit in prop_oneof![Just(0.5), Just(1.0), Just(0.7)],
        voxels in prop_oneof![Just(f64::INFINITY), (1u32..30).prop_map(f64::from), 0.1f64..100.0],
        seed in any::<u64>(),
    ) {
        let dims = [nx, ny, nz];
        let factors = factors.map(|factor| factor.max(1));
        // Spacings as computed from a common unit.
        let spacing = factors.map(|factor| factor as f64 * unit);
        prop_assume!(is_supported(dims, spacing));
        let min_factor = factors.into_iter().min().unwrap();
        prop_assume!(factors.iter().any(|factor| factor % min_factor != 0) || min_factor == 1);
        let mask = mask(Field::Random(one_in), dims, seed);
        let max_distance = voxels.is_finite().then_some(voxels * unit);
        let metric = (factors.map(|factor| factor * factor), unit);
        check_mask(&Device::cpu(), &mask, dims, metric, max_distance, &format!("one in {one_in}, {seed}"));
    }
}
