//! Isosurfaces have the same bits on every device, for every sample type.

use ferrovox::{
    device::{Device, Recording},
    grid::{DeviceSample, Geometry, Sample, Volume},
    isosurface::{IsosurfaceParams, Method, Topology},
};
use ferrovox_tests::{
    devices::{self, TestDevice},
    extract::extract_volume_mesh,
    noise::Noise,
    random::{self, assert_equal, geometry},
};
use proptest::prelude::*;
use test_cases::case_count;

/// Compares every method on every device with `staged` on the CPU.
fn assert_same_bits<T: DeviceSample + Sample>(
    volume: &Volume<T>,
    mask: Option<&Volume<u8>>,
    params: &IsosurfaceParams,
) {
    assert_same_bits_on(&devices::all(), volume, mask, params);
}

fn assert_same_bits_on<T: DeviceSample + Sample>(
    devices: &[TestDevice],
    volume: &Volume<T>,
    mask: Option<&Volume<u8>>,
    params: &IsosurfaceParams,
) {
    let staged = IsosurfaceParams {
        method: Method::Staged,
        ..*params
    };
    let expected = extract_volume_mesh(&Device::cpu(), volume, mask, &staged);
    for test in devices {
        for method in Method::ALL {
            let params = IsosurfaceParams { method, ..*params };
            let found = extract_volume_mesh(&test.device, volume, mask, &params);
            let label = format!("{} on {}", method.name(), test.label);
            assert_equal(&label, &found, &expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: case_count(ProptestConfig::default().cases.min(24)), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn floats_with_holes_and_hits(
        dims in prop_oneof![[0usize..12, 1usize..12, 1usize..12], [30usize..70, 1usize..5, 1usize..4]],
        seed in any::<u64>(),
        masked in any::<bool>(),
        choice in 0u8..64,
    ) {
        let mut noise = Noise(seed);
        let samples: Vec<f32> = (0..dims.iter().product::<usize>())
            .map(|_| match noise.below(40) {
                0 => f32::NAN,
                1 => f32::INFINITY,
                2..6 => 0.25,
                _ => noise.signed(),
            })
            .collect();
        let volume = Volume::new(samples, dims, geometry(seed)).unwrap();
        let mask = masked.then(|| {
            let kept = (0..dims.iter().product::<usize>()).map(|_| (noise.below(15) > 0) as u8);
            Volume::new(kept.collect(), dims, geometry(seed)).unwrap()
        });
        let params = random::params(0.25, choice);
        assert_same_bits(&volume, mask.as_ref(), &params);
    }

    #[test]
    fn integers(dims in [1usize..12, 1usize..12, 1usize..12], seed in any::<u64>(), choice in 0u8..64) {
        let mut noise = Noise(seed);
        let count: usize = dims.iter().product();
        let params = |iso| random::params(iso, choice);
        let geometry_of_seed = geometry(seed);
        let bits: Vec<u64> = (0..count).map(|_| noise.bits()).collect();
        macro_rules! check {
            ($($type:ty, $iso:expr);*) => {$(
                let samples: Vec<$type> = bits.iter().map(|&bits| bits as $type).collect();
                assert_same_bits(&Volume::new(samples, dims, geometry_of_seed).unwrap(), None, &params($iso));
            )*};
        }
        check!(u8, 127.0; i8, 0.0; u16, 30000.5; i16, -12.0);
    }
}

#[test]
fn volume_larger_than_many_blocks_has_the_same_bits() {
    let dims = [131, 67, 41];
    let mut noise = Noise(77);
    let samples: Vec<f32> = (0..dims.iter().product::<usize>())
        .map(|_| noise.signed())
        .collect();
    let volume = Volume::new(samples, dims, Geometry::default()).unwrap();
    for topology in Topology::ALL {
        let params = IsosurfaceParams {
            normals: true,
            topology,
            ..Default::default()
        };
        assert_same_bits_on(&devices::fast(), &volume, None, &params);
    }
}

/// Planes of more words than a part of a tile has, but few of them, so that blocks share tiles: the
/// parts of the last tile are complete, truncated, and empty.
#[test]
fn blocks_share_the_tiles_of_small_volumes() {
    for (seed, dims) in [[70, 70, 3], [33, 150, 2], [40, 30, 2]]
        .into_iter()
        .enumerate()
    {
        let mut noise = Noise(seed as u64 + 40);
        let samples = (0..dims.iter().product::<usize>()).map(|_| match noise.below(50) {
            0 => f32::NAN,
            _ => noise.signed(),
        });
        let volume = Volume::new(samples.collect(), dims, Geometry::default()).unwrap();
        for topology in [Topology::Separated, Topology::Trilinear] {
            let params = IsosurfaceParams {
                topology,
                ..Default::default()
            };
            assert_same_bits(&volume, None, &params);
        }
    }
}

#[test]
fn few_tiles_are_shared_by_blocks() {
    // one tile per plane, at four tiles per multiprocessor; checked mode takes long for this many
    // planes
    for (planes, kernel, devices) in [
        (3, "emit_word_triangles_u32_4", devices::all()),
        (3000, "emit_word_triangles_u32_1", devices::fast()),
    ] {
        for test in devices {
            let volume = Volume::from_fn([4, 4, planes], Geometry::default(), |x, _, _| {
                x as f32 - 1.5
            });
            test.device.record_launches(Recording::Shapes);
            let params = IsosurfaceParams::default();
            let mesh = extract_volume_mesh(&test.device, &volume.unwrap(), None, &params);
            let launches = test.device.take_launches().unwrap();
            test.device.record_launches(Recording::Off);
            assert!(
                mesh.mesh.vertices.len() >= 16 * (planes - 1) / 4,
                "{planes}"
            );
            let of_triangles: Vec<_> = launches
                .iter()
                .map(|launch| &*launch.kernel)
                .filter(|name| name.starts_with("emit_word_triangles"))
                .collect();
            assert_eq!(of_triangles, [kernel], "{}", test.label);
        }
    }
}
