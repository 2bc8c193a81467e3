//! Labels: against all pairs of voxels, and against the other exact kernels bit by bit.

use super::*;
use ferrovox::grid::{DeviceSample, DeviceVolume, Sample};
use proptest::prelude::*;
use test_cases::{cases, some};

/// Boxes of labels, over which others are strewn: one voxel in so many.
fn labels([nx, ny, nz]: Dims, count: u64, block: usize, strewn: u64, seed: u64) -> Vec<u8> {
    let mut noise = Noise(seed);
    let [bx, by, bz] = [nx, ny, nz].map(|n| n.div_ceil(block));
    let of_block: Vec<u8> = (0..bx * by * bz)
        .map(|_| noise.below(count) as u8)
        .collect();
    (0..nx * ny * nz)
        .map(|i| {
            let [x, y, z] = [i % nx, i / nx % ny, i / (nx * ny)].map(|at| at / block);
            if strewn > 0 && noise.below(strewn) == 0 {
                noise.below(count) as u8
            } else {
                of_block[(z * by + y) * bx + x]
            }
        })
        .collect()
}

/// The squared distance of each voxel to the nearest one of another label.
fn squares(labels: &[u8], [nx, ny, _]: Dims) -> Vec<Option<u64>> {
    let at = |i: usize| [i % nx, i / nx % ny, i / (nx * ny)];
    (0..labels.len())
        .map(|i| {
            let here = at(i);
            (0..labels.len())
                .filter(|&j| labels[j] != labels[i])
                .map(|j| {
                    let there = at(j);
                    (0..3)
                        .map(|axis| here[axis].abs_diff(there[axis]).pow(2) as u64)
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

fn by_hulls<T: Sample + DeviceSample>(
    device: &Device,
    labels: &[T],
    dims: Dims,
    side: f64,
    bound: Option<f64>,
) -> Vec<f32> {
    let (stream, labels) = device_labels(device, labels, dims, side);
    let params = DistanceParams {
        max_distance: bound,
        ..params()
    };
    let map = distance::transform_labels_by_envelopes(&stream, &labels, &params).unwrap();
    stream
        .download(&map.expect("hulls are for it").distances)
        .unwrap()
}

/// The map that users get.
fn map<T: Sample + DeviceSample>(
    device: &Device,
    labels: &[T],
    dims: Dims,
    side: f64,
    bound: Option<f64>,
) -> Vec<f32> {
    let (stream, labels) = device_labels(device, labels, dims, side);
    let params = DistanceParams {
        max_distance: bound,
        ..params()
    };
    let map = distance::transform_labels(&stream, &labels, &params).unwrap();
    stream.download(&map.distances).unwrap()
}

/// Hulls on a device, and what users get on all, against the other kernels on the CPU.
fn check<T: Sample + DeviceSample>(
    device: &Device,
    labels: &[T],
    dims: Dims,
    side: f64,
    bound: Option<f64>,
    what: &str,
) {
    let what = format!("{what} {dims:?} {side} {bound:?}");
    let expected = map(&Device::cpu(), labels, dims, side, bound);
    assert_same(
        &by_hulls(device, labels, dims, side, bound),
        &expected,
        &what,
    );
    for labelled in devices::fast() {
        let found = map(&labelled.device, labels, dims, side, bound);
        assert_same(&found, &expected, &format!("{what} {}", labelled.label));
    }
}

const BOUNDS: [Option<f64>; 4] = [None, Some(1.0), Some(6.5), Some(40.0)];

#[test]
fn all_pairs_in_checked_mode() {
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
        // rows of bytes that are read four at a time, with an odd number of words
        [4, 3, 5],
        [36, 3, 5],
        [68, 5, 1],
        [132, 1, 5],
    ]
    .into_iter()
    .enumerate()
    {
        let kinds = [(1, 9, 0), (2, 4, 0), (9, 16, 0), (3, 20, 300), (40, 1, 0)];
        for (count, block, strewn) in some(kinds, seed) {
            let labels = labels(dims, count, block, strewn, seed as u64);
            let squares = squares(&labels, dims);
            for bound in BOUNDS {
                let most = bound.unwrap_or(f64::INFINITY);
                let expected: Vec<f32> = squares
                    .iter()
                    .map(|square| {
                        square.map_or(most, |square| (square as f64).sqrt().min(most)) as f32
                    })
                    .collect();
                let what = format!("{dims:?} {count} {block} {strewn} {bound:?}");
                let found = by_hulls(&checked(seed as u64), &labels, dims, 1.0, bound);
                assert_same(&found, &expected, &what);
                check(&Device::cpu(), &labels, dims, 0.7, bound, &what);
            }
        }
    }
}

#[test]
fn all_types_in_checked_mode() {
    let dims = [40, 35, 34];
    let bytes = labels(dims, 5, 13, 500, 4);
    let signed: Vec<i8> = bytes.iter().map(|&label| label as i8 - 3).collect();
    let words: Vec<u16> = bytes.iter().map(|&label| u16::from(label) * 9000).collect();
    let signed_words: Vec<i16> = bytes
        .iter()
        .map(|&label| i16::from(label) * 7000 - 9000)
        .collect();
    // what is not a number is of no label, not even of its own
    let floats: Vec<f32> = bytes
        .iter()
        .map(|&label| [f32::NAN, 0.0, -0.0, 0.5, 1e30][label as usize])
        .collect();
    for bound in [None, Some(3.0)] {
        check(&checked(1), &bytes, dims, 1.0, bound, "u8");
        check(&checked(1), &signed, dims, 1.0, bound, "i8");
        check(&checked(1), &words, dims, 1.0, bound, "u16");
        check(&checked(1), &signed_words, dims, 1.0, bound, "i16");
        check(&checked(1), &floats, dims, 1.0, bound, "f32");
    }
}

#[test]
fn borders_of_words_and_chunks() {
    for n in [31, 32, 33, 63, 64, 65, 124, 132] {
        for (count, block, strewn) in [(2, 64, 2000), (9, 24, 0), (3, 8, 100)] {
            for bound in some(BOUNDS, n + count as usize) {
                for dims in [[n, n, 9], [20, 35, n]] {
                    let labels = labels(dims, count, block, strewn, n as u64);
                    check(&Device::cpu(), &labels, dims, 1.0, bound, "");
                }
            }
        }
    }
}

#[test]
fn long_lines() {
    for n in [511, 512, 513, 640, 1000, 1023, 1024, 1025] {
        for dims in [[n, 3, 2], [33, n, 1], [4, 2, n]] {
            let kinds = [(2, 700, 0), (9, 300, 0), (2, 1100, 900), (5, 40, 50)];
            for (count, block, strewn) in some(kinds, n) {
                let labels = labels(dims, count, block, strewn, 7);
                for bound in [None, Some(10.0), Some(100.0)] {
                    if n <= 1024 {
                        check(&Device::cpu(), &labels, dims, 1.0, bound, "");
                    } else {
                        // left to the other kernels
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
    #![proptest_config(ProptestConfig::with_cases(cases(100)))]

    #[test]
    fn any_labels(
        nx in 1usize..70,
        ny in 1usize..70,
        nz in 1usize..70,
        count in 1u64..12,
        block in 1usize..80,
        strewn in prop_oneof![Just(0), 1u64..50, 50u64..20_000],
        side in prop_oneof![Just(1.0), 0.01f64..50.0],
        voxels in prop_oneof![Just(f64::INFINITY), (1u32..30).prop_map(f64::from), 0.1f64..100.0],
        seed in any::<u64>(),
    ) {
        let dims = [nx, ny, nz];
        let labels = labels(dims, count, block, strewn, seed);
        let bound = voxels.is_finite().then_some(voxels * side);
        check(&Device::cpu(), &labels, dims, side, bound, &format!("{count} {block} {strewn} {seed}"));
    }
}
