//! Streams with a memory budget.

use super::support::{Files, any_volume};
use ferrovox::{
    device::Device,
    grid::{Geometry, Volume},
    isosurface::IsosurfaceError,
    partition::TooLittleMemory,
    pipeline::stream_mesh::{StreamError, StreamOptions},
};
use ferrovox_tests::{devices, random};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.min(48), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reported_minimum_memory_suffices(
        dims in [2usize..20, 2usize..20, 2usize..20],
        seed in any::<u64>(),
        choice in 0u8..64,
        count in 1usize..4,
    ) {
        let (volume, iso) = any_volume(dims, seed, seed);
        let files = Files::new(volume, "a.nrrd", None);
        let params = random::params(iso, choice);
        for test in devices::fast() {
            let devices = vec![test.device.clone(); count];
            let options = |memory| StreamOptions { memory: Some(memory), ..StreamOptions::default() };
            let path = files.path("never.ply");
            let least = match files.stream(&devices, &params, &options(0), &path) {
                Err(StreamError::Isosurface(IsosurfaceError::Memory(TooLittleMemory { budget: 0, needed: least }))) => least,
                Err(error) => panic!("{error}"),
                Ok(_) => panic!("no memory is too little"),
            };
            prop_assert!(!path.exists());
            files.assert_same(&test.label, &devices, &params, &options(least), "a.ply");
            files.assert_same(&test.label, &devices, &params, &options(least * 2), "a.ply");
        }
    }
}

/// A part that needs too much memory is divided.
#[test]
fn dense_slab_is_divided() {
    // empty except for a few planes of noise
    let noisy = random::floats([40, 40, 64], 8, 0.0, false);
    let volume = Volume::from_fn([40, 40, 64], Geometry::default(), |x, y, z| match z {
        30..36 => noisy.get([x, y, z]).unwrap(),
        _ => 1.0,
    })
    .unwrap();
    let files = Files::new(volume.into(), "a.nrrd", None);
    let options = StreamOptions {
        memory: Some(3 << 19),
        ..StreamOptions::default()
    };
    let params = random::params(0.0, 4);
    let report = files.assert_same("cpu", &[Device::cpu()], &params, &options, "a.ply");
    assert!(report.slabs > 1);
    assert!(report.devices[0].parts > report.slabs, "{report:?}");
}
