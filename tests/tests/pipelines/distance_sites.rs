//! Site masks, compared with loops over voxels.

use ferrovox::{
    device::Stream,
    grid::{
        DeviceMask, DevicePoints, DeviceSample, DeviceVolume, Geometry, GridError, Sample, Volume,
    },
};
use ferrovox_tests::{devices, noise::Noise};

/// Dimensions around one word, four words and a group, and others.
pub const SIZES: [[usize; 3]; 16] = [
    [1, 1, 1],
    [31, 1, 1],
    [32, 1, 1],
    [33, 2, 1],
    [1, 33, 1],
    [1, 1, 37],
    [4, 3, 2],
    [3, 5, 7],
    [13, 17, 11],
    [64, 3, 3],
    [97, 5, 3],
    [100, 7, 5],
    [128, 2, 3],
    [132, 3, 2],
    [257, 3, 2],
    [0, 3, 2],
];

/// Packs the voxels for which `is_site` returns `true` into words.
pub fn pack_words(dims: [usize; 3], is_site: impl Fn([usize; 3]) -> bool) -> Vec<u32> {
    let [nx, ny, nz] = dims;
    let per_row = nx.div_ceil(32);
    let mut packed = vec![0; per_row * ny * nz];
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let word = (z * ny + y) * per_row + x / 32;
                packed[word] |= u32::from(is_site([x, y, z])) << (x % 32);
            }
        }
    }
    packed
}

/// Creates a volume of which about one sample in `one_in` is not 0.
pub fn random_mask(dims: [usize; 3], one_in: u64, seed: u64) -> Volume<u8> {
    let mut noise = Noise(seed);
    Volume::from_fn(dims, Geometry::default(), |_, _, _| {
        u8::from(noise.below(one_in) == 0) * 7
    })
    .expect("a size")
}

fn check_volume<T: DeviceSample + Sample>(
    label: &str,
    stream: &Stream,
    volume: &Volume<T>,
    level: f32,
    value: impl Fn(T) -> f32,
) {
    let dims = volume.dims();
    let label = format!("{label}: {} of {dims:?}", std::any::type_name::<T>());
    let at = |position| value(volume.get(position).expect("a voxel"));
    let on_device = DeviceVolume::upload(stream, volume.view()).unwrap();
    let check = |what: &str, found: DeviceMask, expected: &dyn Fn([usize; 3]) -> bool| {
        let expected = pack_words(dims, expected);
        assert!(
            found.download(stream).unwrap() == expected,
            "{label}: {what}"
        );
        let ones: u64 = expected
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum();
        assert_eq!(
            found.count(stream).unwrap(),
            ones,
            "{label}: count of {what}"
        );
        assert_eq!(found.dims(), dims);
    };
    let mask = DeviceMask::from_non_zero(stream, &on_device).unwrap();
    check("mask", mask, &|position| at(position) != 0.0);
    let above = DeviceMask::above(stream, &on_device, level).unwrap();
    check("above", above, &|position| at(position) >= level);
    let below = DeviceMask::below(stream, &on_device, level).unwrap();
    check("below", below, &|position| at(position) < level);
    let between = DeviceMask::between(stream, &on_device, level, level + 20.0).unwrap();
    check("between", between, &|position| {
        (level..=level + 20.0).contains(&at(position))
    });
    let surface = DeviceMask::from_level(stream, &on_device, level).unwrap();
    check("surface", surface, &|position| {
        let inside = |position| at(position) >= level;
        inside(position)
            && face_neighbours(dims, position)
                .into_iter()
                .any(|next| !inside(next))
    });
}

/// Returns the face neighbours of a voxel inside the grid.
pub fn face_neighbours(dims: [usize; 3], position: [usize; 3]) -> Vec<[usize; 3]> {
    let mut all = Vec::new();
    for axis in 0..3 {
        for forward in [false, true] {
            let mut next = position;
            next[axis] = if forward {
                position[axis] + 1
            } else {
                position[axis].wrapping_sub(1)
            };
            if next[axis] < dims[axis] {
                all.push(next);
            }
        }
    }
    all
}

#[test]
fn masks_of_volumes_match_voxel_loops() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for (number, dims) in SIZES.into_iter().enumerate() {
            let mut noise = Noise(number as u64);
            // Dense enough for voxels without a neighbour outside.
            let bits: Vec<u64> = (0..dims.iter().product::<usize>())
                .map(|_| match noise.below(8) {
                    0 => noise.bits(),
                    _ => 0xf7,
                })
                .collect();
            macro_rules! check {
                ($($type:ty, $level:expr);*) => {$({
                    let samples = bits.iter().map(|&bits| bits as $type).collect();
                    let volume = Volume::new(samples, dims, Geometry::default()).unwrap();
                    check_volume(&test.label, &stream, &volume, $level, |value: $type| value as f32);
                })*};
            }
            check!(u8, 100.0; i8, -9.0; u16, 247.0; i16, 0.5);
            let floats = bits.iter().map(|&bits| match bits % 17 {
                0 => f32::NAN,
                1 => f32::INFINITY,
                2 => f32::NEG_INFINITY,
                3 => -0.0,
                4 => 0.0,
                5 => 3.0,
                rest => rest as f32 - 7.5,
            });
            let floats = Volume::new(floats.collect(), dims, Geometry::default()).unwrap();
            for level in [0.0, 3.0] {
                check_volume(&test.label, &stream, &floats, level, |value| value);
            }
        }
    }
}

/// More words than many blocks process at a time.
#[test]
fn masks_of_larger_volumes_match_voxel_loops() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for dims in [[132, 61, 67], [131, 61, 67]] {
            let volume = random_mask(dims, 3, 5);
            check_volume(&test.label, &stream, &volume, 3.0, f32::from);
        }
    }
}

#[test]
fn masks_from_indices_and_words_match() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for dims in SIZES {
            let volume = random_mask(dims, 5, 9);
            let is_site = |position| volume.get(position).unwrap() != 0;
            let expected = pack_words(dims, is_site);
            let mut indices: Vec<u64> = (0..volume.samples().len() as u64)
                .filter(|&index| volume.samples()[index as usize] != 0)
                .collect();
            indices.reverse();
            indices.extend_from_within(..indices.len() / 2);
            let geometry = Geometry::default();
            let found = DeviceMask::from_indices(&stream, &indices, dims, geometry).unwrap();
            assert_eq!(found.download(&stream).unwrap(), expected, "{}", test.label);
            let mut dirty = expected.clone();
            if let (Some(last), true) = (dirty.last_mut(), dims[0] % 32 != 0) {
                *last |= 1 << 31;
            }
            let found = DeviceMask::from_words(&stream, &dirty, dims, geometry).unwrap();
            assert_eq!(found.download(&stream).unwrap(), expected, "{}", test.label);

            let voxels = volume.samples().len() as u64;
            let error =
                DeviceMask::from_indices(&stream, &[0, voxels], dims, geometry).unwrap_err();
            assert!(matches!(error, GridError::Index { voxels: v, .. } if v == voxels));
            let error =
                DeviceMask::from_words(&stream, &vec![0; expected.len() + 1], dims, geometry);
            assert!(matches!(error, Err(GridError::Words { .. })));
        }
    }
}

#[test]
fn points_from_sites_are_voxel_centres() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for dims in SIZES.into_iter().chain([[65, 40, 21]]) {
            let volume = random_mask(dims, 4, 21);
            let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
            let sites = DeviceMask::from_non_zero(&stream, &on_device).unwrap();
            let points = DevicePoints::from_mask(&stream, &sites).unwrap();
            let expected: Vec<[f32; 3]> = (0..volume.samples().len())
                .filter(|&index| volume.samples()[index] != 0)
                .map(|index| {
                    let [nx, ny, _] = dims;
                    [index % nx, index / nx % ny, index / nx / ny].map(|i| i as f32)
                })
                .collect();
            assert_eq!(points.len(), expected.len());
            assert!(
                points.download(&stream).unwrap() == expected,
                "{}: {dims:?}",
                test.label
            );
        }
    }
}

#[test]
fn non_finite_levels_return_an_error() {
    let stream = ferrovox::device::Device::cpu().stream().unwrap();
    let volume = random_mask([3, 3, 3], 2, 1);
    let volume = DeviceVolume::upload(&stream, volume.view()).unwrap();
    for level in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let errors = [
            DeviceMask::above(&stream, &volume, level).unwrap_err(),
            DeviceMask::below(&stream, &volume, level).unwrap_err(),
            DeviceMask::from_level(&stream, &volume, level).unwrap_err(),
            DevicePoints::from_crossings(&stream, &volume, level).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, GridError::Level { .. }), "{error}");
        }
    }
}
