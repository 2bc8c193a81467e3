//! Labels: compared with all pairs of voxels, and bit by bit with the other exact kernels.

use super::*;
use ferrovox::grid::{DeviceSample, DeviceVolume, Sample};
use proptest::prelude::*;
use test_cases::{case_count, shard};

/// Creates blocks of labels with random speckles of other labels, one voxel in `speckle_one_in`.
fn labels([nx, ny, nz]: Dims, count: u64, block: usize, speckle_one_in: u64, seed: u64) -> Vec<u8> {
    let mut noise = Noise(seed);
    let [bx, by, bz] = [nx, ny, nz].map(|n| n.div_ceil(block));
    let block_labels: Vec<u8> = (0..bx * by * bz)
        .map(|_| noise.below(count) as u8)
        .collect();
    (0..nx * ny * nz)
        .map(|i| {
            let [x, y, z] = [i % nx, i / nx % ny, i / (nx * ny)].map(|at| at / block);
            if speckle_one_in > 0 && noise.below(speckle_one_in) == 0 {
                noise.below(count) as u8
            } else {
                block_labels[(z * by + y) * bx + x]
            }
        })
        .collect()
}

/// Returns the squared distance from each voxel to the nearest voxel with another label.
fn squared_distances(labels: &[u8], [nx, ny, _]: Dims) -> Vec<Option<u64>> {
    let at = |i: usize| [i % nx, i / nx % ny, i / (nx * ny)];
    (0..labels.len())
        .map(|i| {
            let voxel_position = at(i);
            (0..labels.len())
                .filter(|&j| labels[j] != labels[i])
                .map(|j| {
                    let other_position = at(j);
                    (0..3)
                        .map(|axis| {
                            voxel_position[axis].abs_diff(other_position[axis]).pow(2) as u64
                        })
                        .sum()
                })
                .min()
        })
        .collect()
}

fn device_labels<T: Sample + DeviceSample>(
    device: &Device,
    labels: &[T],
    dims: Dims,
    side: f64,
) -> (ferrovox::device::Stream, DeviceVolume<T>) {
    let stream = device.stream().unwrap();
    let geometry = Geometry::from_spacing([side; 3], [0.0; 3]).unwrap();
    let buffer = stream.upload(labels).unwrap();
    let labels = DeviceVolume::from_buffer(buffer, dims, geometry).unwrap();
    (stream, labels)
}

fn lower_envelope_map<T: Sample + DeviceSample>(
    device: &Device,
    labels: &[T],
    dims: Dims,
    side: f64,
    max_distance: Option<f64>,
) -> Vec<f32> {
    let (stream, labels) = device_labels(device, labels, dims, side);
    let params = DistanceParams {
        max_distance,
        ..params()
    };
    let map = distance::transform_labels_by_envelopes(&stream, &labels, &params).unwrap();
    stream
        .download(&map.expect("the grid is supported").distances)
        .unwrap()
}

/// Computes the map with the default kernels of a device.
fn map<T: Sample + DeviceSample>(
    device: &Device,
    labels: &[T],
    dims: Dims,
    side: f64,
    max_distance: Option<f64>,
) -> Vec<f32> {
    let (stream, labels) = device_labels(device, labels, dims, side);
    let params = DistanceParams {
        max_distance,
        ..params()
    };
    let map = distance::transform_labels(&stream, &labels, &params).unwrap();
    stream.download(&map.distances).unwrap()
}

/// Compares the lower-envelope kernels on `device` and the default kernels of all devices with the
/// other kernels on the CPU.
fn check_labels<T: Sample + DeviceSample>(
    device: &Device,
    labels: &[T],
    dims: Dims,
    side: f64,
    max_distance: Option<f64>,
    context: &str,
) {
    let context = format!("{context} {dims:?} {side} {max_distance:?}");
    let expected = map(&Device::cpu(), labels, dims, side, max_distance);
    assert_same(
        &lower_envelope_map(device, labels, dims, side, max_distance),
        &expected,
        &context,
    );
    for test in devices::fast() {
        let found = map(&test.device, labels, dims, side, max_distance);
        assert_same(&found, &expected, &format!("{context} {}", test.label));
    }
}

const BOUNDS: [Option<f64>; 4] = [None, Some(1.0), Some(6.5), Some(40.0)];

#[test]
fn labels_match_all_pairs_in_checked_mode() {
    for (seed, dims) in [
        [1, 1, 1],
        [2, 1, 1],
        [1, 2, 1],
        [1, 1, 2],
        [5, 7, 11],
        [33, 3, 13],
        [3, 33, 13],
        [13, 3, 33],
        [70, 3, 2],
        [2, 3, 70],
        [3, 70, 2],
        // Rows of bytes that are read four at a time, with an odd number of words.
        [4, 3, 5],
        [36, 3, 5],
        [68, 5, 1],
        [132, 1, 5],
    ]
    .into_iter()
    .enumerate()
    {
        let kinds = [(1, 9, 0), (2, 4, 0), (9, 16, 0), (3, 20, 300), (40, 1, 0)];
        for (count, block, speckle_one_in) in shard(kinds, seed) {
            let labels = labels(dims, count, block, speckle_one_in, seed as u64);
            let squared_distances = squared_distances(&labels, dims);
            for max_distance in BOUNDS {
                let background = max_distance.unwrap_or(f64::INFINITY);
                let expected: Vec<f32> = squared_distances
                    .iter()
                    .map(|squared| {
                        squared.map_or(background, |squared| {
                            (squared as f64).sqrt().min(background)
                        }) as f32
                    })
                    .collect();
                let context = format!("{dims:?} {count} {block} {speckle_one_in} {max_distance:?}");
                let found =
                    lower_envelope_map(&checked(seed as u64), &labels, dims, 1.0, max_distance);
                assert_same(&found, &expected, &context);
                check_labels(&Device::cpu(), &labels, dims, 0.7, max_distance, &context);
            }
        }
    }
}

#[test]
fn all_sample_types_match_in_checked_mode() {
    let dims = [40, 35, 34];
    let bytes = labels(dims, 5, 13, 500, 4);
    let signed: Vec<i8> = bytes.iter().map(|&label| label as i8 - 3).collect();
    let words: Vec<u16> = bytes.iter().map(|&label| u16::from(label) * 9000).collect();
    let signed_words: Vec<i16> = bytes
        .iter()
        .map(|&label| i16::from(label) * 7000 - 9000)
        .collect();
    // NaN differs from every label, including itself.
    let floats: Vec<f32> = bytes
        .iter()
        .map(|&label| [f32::NAN, 0.0, -0.0, 0.5, 1e30][label as usize])
        .collect();
    for max_distance in [None, Some(3.0)] {
        check_labels(&checked(1), &bytes, dims, 1.0, max_distance, "u8");
        check_labels(&checked(1), &signed, dims, 1.0, max_distance, "i8");
        check_labels(&checked(1), &words, dims, 1.0, max_distance, "u16");
        check_labels(&checked(1), &signed_words, dims, 1.0, max_distance, "i16");
        check_labels(&checked(1), &floats, dims, 1.0, max_distance, "f32");
    }
}

#[test]
fn sides_around_word_and_chunk_lengths_match() {
    for n in [31, 32, 33, 63, 64, 65, 124, 132] {
        for (count, block, speckle_one_in) in [(2, 64, 2000), (9, 24, 0), (3, 8, 100)] {
            for max_distance in shard(BOUNDS, n + count as usize) {
                for dims in [[n, n, 9], [20, 35, n]] {
                    let labels = labels(dims, count, block, speckle_one_in, n as u64);
                    check_labels(&Device::cpu(), &labels, dims, 1.0, max_distance, "");
                }
            }
        }
    }
}

#[test]
fn long_scanlines_match() {
    for n in [511, 512, 513, 640, 1000, 1023, 1024, 1025] {
        for dims in [[n, 3, 2], [33, n, 1], [4, 2, n]] {
            let kinds = [(2, 700, 0), (9, 300, 0), (2, 1100, 900), (5, 40, 50)];
            for (count, block, speckle_one_in) in shard(kinds, n) {
                let labels = labels(dims, count, block, speckle_one_in, 7);
                for max_distance in [None, Some(10.0), Some(100.0)] {
                    if n <= 1024 {
                        check_labels(&Device::cpu(), &labels, dims, 1.0, max_distance, "");
                    } else {
                        // Not supported by the lower-envelope kernels.
                        let (stream, labels) = device_labels(&Device::cpu(), &labels, dims, 1.0);
                        let map =
                            distance::transform_labels_by_envelopes(&stream, &labels, &params());
                        assert!(map.unwrap().is_none());
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(case_count(100)))]

    #[test]
    fn any_labels_match(
        nx in 1usize..70,
        ny in 1usize..70,
        nz in 1usize..70,
        count in 1u64..12,
        block in 1usize..80,
        speckle_one_in in prop_oneof![Just(0), 1u64..50, 50u64..20_000],
        side in prop_oneof![Just(1.0), 0.01f64..50.0],
        voxels in prop_oneof![Just(f64::INFINITY), (1u32..30).prop_map(f64::from), 0.1f64..100.0],
        seed in any::<u64>(),
    ) {
        let dims = [nx, ny, nz];
        let labels = labels(dims, count, block, speckle_one_in, seed);
        let max_distance = voxels.is_finite().then_some(voxels * side);
        check_labels(&Device::cpu(), &labels, dims, side, max_distance, &format!("{count} {block} {speckle_one_in} {seed}"));
    }
}
