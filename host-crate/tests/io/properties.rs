//! Properties over generated volumes and headers.

use ferrovox::grid::{Geometry, Volume};
use ferrovox::io::{
    ByteOrder, ReadOptions, VolumeWriteOptions, read_volume, read_volume_bytes, write_volume,
};
use nalgebra::{Matrix3, Rotation3, Vector3};
use proptest::prelude::*;

use crate::helpers::{assert_close, folder};
use crate::metaimage::mha;
use crate::nifti_files::Nifti;
use crate::npy_files::npy;
use crate::nrrd::nrrd;

fn geometry() -> impl Strategy<Value = Geometry> {
    let angle = -3.0..3.0_f64;
    let spacing = 0.01..100.0_f64;
    let origin = -1e4..1e4_f64;
    (
        (angle.clone(), angle.clone(), angle),
        (spacing.clone(), spacing.clone(), spacing),
        (origin.clone(), origin.clone(), origin),
        any::<bool>(),
    )
        .prop_map(|((roll, pitch, yaw), (dx, dy, dz), (x, y, z), mirror)| {
            let rotation = Rotation3::from_euler_angles(roll, pitch, yaw);
            let dz = if mirror { -dz } else { dz };
            let scale = Matrix3::from_diagonal(&Vector3::new(dx, dy, dz));
            Geometry::new(rotation.matrix() * scale, Vector3::new(x, y, z)).expect("invertible")
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_volume_has_the_same_world_positions_in_every_format(
        geometry in geometry(),
        dims in [1_usize..6, 1_usize..6, 1_usize..6],
        big in any::<bool>(),
        compress in any::<bool>(),
        seed in any::<u16>(),
    ) {
        let folder = folder();
        let volume = Volume::from_fn(dims, geometry, |x, y, z| {
            seed.wrapping_mul(31).wrapping_add((x + 7 * y + 53 * z) as u16)
        }).unwrap();
        let byte_order = if big { ByteOrder::Big } else { ByteOrder::Little };
        for (extension, tolerance) in [("nii", 1e-3), ("nii.gz", 1e-3), ("nrrd", 0.0), ("mha", 1e-10)] {
            let path = folder.path().join(format!("v.{extension}"));
            write_volume(&path, &volume.clone().into(), &VolumeWriteOptions { byte_order, compress, ..VolumeWriteOptions::default() }).unwrap();
            let file = read_volume(&path, &ReadOptions::default()).unwrap();
            prop_assert_eq!(file.volume.bytes(), bytemuck::cast_slice::<u16, u8>(volume.samples()));
            prop_assert_eq!(file.volume.dims(), dims);
            assert_close(file.volume.geometry(), &geometry, tolerance);
        }
    }

    #[test]
    fn any_nifti_header_is_read_or_refused(
        dims in proptest::collection::vec(any::<i16>(), 0..7),
        datatype in prop_oneof![Just(2_i16), Just(4), Just(16), any::<i16>()],
        bits in prop_oneof![Just(8_i16), Just(16), Just(32), any::<i16>()],
        noise in proptest::collection::vec((0_usize..352, any::<u8>()), 0..12),
        data in proptest::collection::vec(any::<u8>(), 0..64),
    ) {
        let mut file = Nifti::new(&dims, datatype, bits);
        for (offset, byte) in noise {
            file.put(offset, &[byte]);
        }
        let _ = read_volume_bytes("a.nii", &file.samples(&data), &ReadOptions::default());
    }

    #[test]
    fn any_text_header_is_read_or_refused(
        text in "(type|sizes|dimension|encoding|endian|space|space directions|space origin|kinds|spacings|byte skip|line skip|data file|NDims|DimSize|ElementType|Offset|TransformMatrix)(: | = )[ -~]{0,40}\n?",
        value in "[0-9 .,()a-z_-]{0,30}",
        data in proptest::collection::vec(any::<u8>(), 0..32),
    ) {
        let lines = format!("type: uint8\ndimension: 1\nencoding: raw\n{text}\nsizes: {value}");
        let _ = read_volume_bytes("a.nrrd", &nrrd(&lines, &data), &ReadOptions::default());
        let lines = format!("NDims = 1\nDimSize = {value}\nElementType = MET_UCHAR\n{text}");
        let _ = read_volume_bytes("a.mha", &mha(&lines, &data), &ReadOptions::default());
        let lines = format!("{{'descr': '{value}', 'fortran_order': False, 'shape': ({value})}}");
        let _ = read_volume_bytes("a.npy", &npy(&lines, &data), &ReadOptions::default());
    }
}
