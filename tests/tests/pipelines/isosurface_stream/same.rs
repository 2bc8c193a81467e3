//! The streamed file equals the file of the whole volume.

use super::support::{Files, OUTPUTS, any_volume, height};
use ferrovox::{device::Device, pipeline::stream_mesh::StreamOptions};
use ferrovox_tests::{devices, noise::Noise, random};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.min(48), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn streamed_file_equals_whole_file(
        dims in prop_oneof![[1usize..10, 1usize..10, 1usize..14], [30usize..70, 1usize..5, 1usize..6]],
        seed in any::<u64>(),
        choice in 0u8..64,
        input in prop_oneof![Just("a.nrrd"), Just("a.nii"), Just("a.nii.gz"), Just("a.npy"), Just("a.mha")],
        planes in 1u32..6,
    ) {
        let mut noise = Noise(seed);
        let (volume, iso) = any_volume(dims, seed, noise.below(9));
        let mask = match noise.below(4) {
            0 => Some(random::mask(dims, seed).into()),
            1 => Some(random::integers(dims, seed, |bits| (bits % 9) as f64).into()),
            _ => None,
        };
        let files = Files::new(volume, input, mask);
        let output = OUTPUTS[noise.below(5) as usize];
        let params = random::params(iso, choice);
        for test in devices::fast() {
            let devices = vec![test.device.clone(); 1 + noise.below(3) as usize];
            files.assert_same(&test.label, &devices, &params, &height(planes), output);
        }
        files.assert_same("all", &Device::all(), &params, &StreamOptions::default(), output);
    }
}

#[test]
fn streamed_file_is_the_same_in_checked_mode() {
    let volume = random::floats([9, 8, 11], 4, 0.25, true);
    let mask = random::mask([9, 8, 11], 4);
    let files = Files::new(volume.into(), "a.nrrd", Some(mask.into()));
    for test in devices::all() {
        let devices = vec![test.device.clone(); 2];
        let report = files.assert_same(
            &test.label,
            &devices,
            &random::params(0.25, 63),
            &height(3),
            "a.ply",
        );
        assert_eq!(report.slabs, 4, "12 planes of cells");
        let slabs: Vec<u64> = report.devices.iter().map(|device| device.slabs).collect();
        assert_eq!(slabs, [2, 2]);
    }
}

#[test]
fn thin_and_empty_volumes_are_streamed() {
    for (dims, close) in [
        ([5, 4, 1], false),
        ([5, 4, 1], true),
        ([1, 4, 6], false),
        ([1, 1, 1], true),
        ([5, 4, 2], false),
    ] {
        let files = Files::new(random::floats(dims, 2, 0.0, true).into(), "a.nrrd", None);
        let params = random::params(0.0, if close { 14 } else { 12 });
        let devices = vec![Device::cpu(); 3];
        files.assert_same("cpu", &devices, &params, &StreamOptions::default(), "a.ply");
    }
}
