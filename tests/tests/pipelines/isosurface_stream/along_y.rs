//! Slabs along y.

use super::support::{Files, any_volume, height};
use ferrovox::{
    grid::{AnyVolume, Geometry, Sample, Volume},
    pipeline::stream_mesh::{SlabAxis, StreamOptions},
};
use ferrovox_tests::{devices, noise::Noise, random};
use proptest::prelude::*;
use std::fs;

/// Returns a volume with its axes y and z exchanged: the same samples at the same world positions.
fn exchange_y_and_z(volume: &AnyVolume) -> AnyVolume {
    fn exchange<T: Sample>(volume: &Volume<T>) -> Volume<T> {
        let [nx, ny, nz] = volume.dims();
        let geometry = volume.geometry();
        let axes = [0, 2, 1].map(|axis| geometry.axes().column(axis).into_owned());
        let axes = nalgebra::Matrix3::from_columns(&axes);
        let geometry = Geometry::new(axes, geometry.origin().coords).unwrap();
        let at = |x, z, y| volume.samples()[(z * ny + y) * nx + x];
        Volume::from_fn([nx, nz, ny], geometry, at).unwrap()
    }
    match volume {
        AnyVolume::U8(volume) => exchange(volume).into(),
        AnyVolume::I8(volume) => exchange(volume).into(),
        AnyVolume::U16(volume) => exchange(volume).into(),
        AnyVolume::I16(volume) => exchange(volume).into(),
        AnyVolume::I32(volume) => exchange(volume).into(),
        AnyVolume::I64(volume) => exchange(volume).into(),
        AnyVolume::F32(volume) => exchange(volume).into(),
        AnyVolume::F64(volume) => exchange(volume).into(),
    }
}

/// Sorts vertices after rounding away what depends on the order of summation.
fn sorted(mesh: &ferrovox::mesh::TriangleMesh) -> Vec<[i64; 3]> {
    let vertices = mesh.vertices.iter();
    let mut sorted: Vec<[i64; 3]> = vertices
        .map(|vertex| vertex.map(|x| (f64::from(x) * 1e3).round() as i64))
        .collect();
    sorted.sort_unstable();
    sorted
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.min(48), failure_persistence: None, ..ProptestConfig::default() })]

    /// Slabs along y produce the file of the volume with exchanged axes, whose surface is the same.
    #[test]
    fn slabs_along_y_give_the_same_surface(
        dims in prop_oneof![[1usize..10, 1usize..14, 1usize..10], [30usize..70, 1usize..9, 1usize..6]],
        seed in any::<u64>(),
        choice in 0u8..64,
        input in prop_oneof![Just("a.nrrd"), Just("a.nii"), Just("a.nii.gz"), Just("a.mha")],
        planes in 1u32..6,
    ) {
        let mut noise = Noise(seed);
        let (volume, iso) = any_volume(dims, seed, noise.below(9));
        let mask: Option<AnyVolume> = match noise.below(3) {
            0 => Some(random::mask(dims, seed).into()),
            1 => Some(random::integers(dims, seed, |bits| (bits % 9) as f64).into()),
            _ => None,
        };
        let other = Files::new(exchange_y_and_z(&volume), input, mask.as_ref().map(exchange_y_and_z));
        let files = Files::new(volume, input, mask);
        let params = random::params(iso, choice);
        let expected = other.whole(&params, "a.ply");
        let options = StreamOptions { along: Some(SlabAxis::Y), ..height(planes) };
        for test in devices::fast() {
            let devices = vec![test.device.clone(); 1 + noise.below(3) as usize];
            let path = files.path("streamed.ply");
            let report = files.stream(&devices, &params, &options, &path).unwrap();
            prop_assert!(fs::read(&path).unwrap() == expected.bytes, "{}", test.label);
            prop_assert_eq!(report.along, SlabAxis::Y);
            prop_assert_eq!(report.non_finite_cells, expected.non_finite_cells);
            prop_assert_eq!(report.inexact_samples, expected.inexact);
            prop_assert_eq!(report.samples.count, expected.summary.count);
        }
        files.whole(&params, "a.ply");
        let read = |files: &Files| ferrovox::io::read_mesh(files.path("a.ply")).unwrap();
        let [mesh, exchange_y_and_z] = [&files, &other].map(read);
        prop_assert_eq!(mesh.triangles.len(), exchange_y_and_z.triangles.len());
        prop_assert_eq!(sorted(&mesh).len(), sorted(&exchange_y_and_z).len());
        let pairs = sorted(&mesh).into_iter().zip(sorted(&exchange_y_and_z));
        for (a, b) in pairs {
            let off = (0..3).map(|axis| (a[axis] - b[axis]).abs()).max();
            prop_assert!(off <= Some(1), "{:?} {:?}", a, b);
        }
    }
}

/// If planes along z exceed the budget, slabs along y are chosen automatically.
#[test]
fn large_planes_are_divided_along_y() {
    let dims = [40, 300, 6];
    let volume = random::floats(dims, 5, 0.25, false);
    let files = Files::new(volume.into(), "a.nrrd", None);
    let other = files.path("other.ply");
    let options = |memory| StreamOptions {
        memory: Some(memory),
        ..StreamOptions::default()
    };
    let params = random::params(0.25, 1);
    for test in devices::fast() {
        let devices = [test.device.clone()];
        let of = |memory| files.stream(&devices, &params, &options(memory), &other);
        assert_eq!(of(32 << 20).unwrap().along, SlabAxis::Z, "{}", test.label);
        let report = of(400_000).unwrap();
        assert_eq!(report.along, SlabAxis::Y, "{}", test.label);
        assert!(report.slabs > 4 && report.vertices > 10_000);
    }
}
