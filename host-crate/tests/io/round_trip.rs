//! Round trips of every format, sample type, byte order and compression.

use std::fs;

use ferrovox::grid::{AnyVolume, Geometry, SampleType, Volume};
use ferrovox::io::{
    ByteOrder, Compression, ReadOptions, StoredType, VolumeWriteOptions, read_volume, write_volume,
};

use crate::helpers::{assert_close, folder, oblique, sample_volume};

/// Extension, tolerance of the geometry (`None` if it is not stored), and compression.
const FORMATS: [(&str, bool, Option<f64>, Compression); 7] = [
    ("nii", false, Some(1e-5), Compression::None),
    ("nii.gz", false, Some(1e-5), Compression::Gzip),
    ("nrrd", false, Some(0.0), Compression::None),
    ("nrrd", true, Some(0.0), Compression::Gzip),
    ("mha", false, Some(1e-14), Compression::None),
    ("mha", true, Some(1e-14), Compression::Zlib),
    ("npy", false, None, Compression::None),
];

#[test]
fn every_format_type_and_byte_order() {
    let folder = folder();
    for (extension, compress, exactness, compression) in FORMATS {
        for sample_type in SampleType::ALL {
            for byte_order in [ByteOrder::Little, ByteOrder::Big] {
                let volume = sample_volume(sample_type, oblique());
                let path = folder.path().join(format!("volume.{extension}"));
                write_volume(
                    &path,
                    &volume,
                    &VolumeWriteOptions {
                        byte_order,
                        compress,
                        ..VolumeWriteOptions::default()
                    },
                )
                .unwrap();
                let file = read_volume(&path, &ReadOptions::default()).unwrap();

                let case = format!("{extension} {sample_type} {byte_order}");
                assert_eq!(file.volume.sample_type(), sample_type, "{case}");
                assert_eq!(file.volume.dims(), volume.dims(), "{case}");
                assert_eq!(file.volume.bytes(), volume.bytes(), "{case}");
                assert_eq!(
                    file.header.stored_type,
                    StoredType::from(sample_type),
                    "{case}"
                );
                assert_eq!(file.header.compression, compression, "{case}");
                assert_eq!(file.header.scaling, None, "{case}");
                if sample_type.bytes() > 1 {
                    assert_eq!(file.header.byte_order, byte_order, "{case}");
                }
                match exactness {
                    Some(tolerance) => {
                        assert_close(file.volume.geometry(), volume.geometry(), tolerance);
                    }
                    None => assert_eq!(file.volume.geometry(), &Geometry::default()),
                }
            }
        }
    }
}

#[test]
fn an_empty_volume_is_a_volume() {
    let folder = folder();
    let empty = Volume::<f32>::new(vec![], [3, 0, 2], Geometry::default()).unwrap();
    for extension in ["nii", "nii.gz", "nrrd", "mha", "npy"] {
        let path = folder.path().join(format!("empty.{extension}"));
        write_volume(&path, &empty.clone().into(), &VolumeWriteOptions::default()).unwrap();
        let file = read_volume(&path, &ReadOptions::default()).unwrap();
        assert_eq!(file.volume.dims(), [3, 0, 2], "{extension}");
    }
}

#[test]
fn non_finite_samples_survive() {
    let folder = folder();
    let samples = vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0];
    let volume = AnyVolume::from(Volume::new(samples, [4, 1, 1], Geometry::default()).unwrap());
    for extension in ["nii.gz", "nrrd", "mha", "npy"] {
        let path = folder.path().join(format!("values.{extension}"));
        write_volume(&path, &volume, &VolumeWriteOptions::default()).unwrap();
        let file = read_volume(&path, &ReadOptions::default()).unwrap();
        assert_eq!(file.volume.bytes(), volume.bytes(), "{extension}");
        assert_eq!(file.volume.summary().non_finite, 3);
    }
}

#[test]
fn content_tells_the_format_where_the_name_does_not() {
    let folder = folder();
    let volume = sample_volume(SampleType::I16, Geometry::default());
    for extension in ["nii", "nii.gz", "nrrd", "mha", "npy"] {
        let named = folder.path().join(format!("volume.{extension}"));
        write_volume(&named, &volume, &VolumeWriteOptions::default()).unwrap();
        let unnamed = folder.path().join("volume.dat");
        fs::copy(&named, &unnamed).unwrap();
        let file = read_volume(&unnamed, &ReadOptions::default()).unwrap();
        assert_eq!(file.volume, volume, "{extension}");
    }
}

#[test]
fn gzip_is_undone_whatever_the_name() {
    let folder = folder();
    let volume = sample_volume(SampleType::U16, Geometry::default());
    let packed = folder.path().join("volume.nii.gz");
    write_volume(&packed, &volume, &VolumeWriteOptions::default()).unwrap();
    // The extension promises no compression, but many such files are compressed.
    let misnamed = folder.path().join("volume.nii");
    fs::copy(&packed, &misnamed).unwrap();
    let file = read_volume(&misnamed, &ReadOptions::default()).unwrap();
    assert_eq!(file.volume, volume);
    assert_eq!(file.header.compression, Compression::Gzip);
}

#[test]
fn large_dims_are_written_as_nifti_2() {
    let folder = folder();
    let path = folder.path().join("long.nii");
    let long = Volume::from_fn([40_000, 2, 1], oblique(), |x, y, _| (x + y) as u16).unwrap();
    for byte_order in [ByteOrder::Little, ByteOrder::Big] {
        let options = VolumeWriteOptions {
            byte_order,
            compress: false,
            ..VolumeWriteOptions::default()
        };
        write_volume(&path, &long.clone().into(), &options).unwrap();
        let file = read_volume(&path, &ReadOptions::default()).unwrap();
        assert_eq!(file.header.version.as_deref(), Some("NIfTI-2"));
        assert_eq!(
            file.volume.bytes(),
            bytemuck::cast_slice::<u16, u8>(long.samples())
        );
        assert_close(file.volume.geometry(), long.geometry(), 0.0);
    }
}

#[test]
fn an_unknown_extension_is_refused_before_anything_is_written() {
    let folder = folder();
    let path = folder.path().join("volume.mrc");
    let volume = sample_volume(SampleType::U8, Geometry::default());
    let error = write_volume(&path, &volume, &VolumeWriteOptions::default()).unwrap_err();
    assert!(error.to_string().ends_with(
        "volume.mrc: unknown extension \"mrc\"; volumes are written as .nii, .nii.gz, .nrrd, .mha, .npy, .tif, .zarr.zip or .vti"
    ), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn numbers_without_a_sign_are_stored_so() {
    let folder = tempfile::tempdir().unwrap();
    let options = VolumeWriteOptions {
        unsigned: true,
        ..VolumeWriteOptions::default()
    };
    let write = |name: &str, samples: Vec<i32>| {
        let volume = Volume::new(samples, [3, 1, 1], Geometry::default()).unwrap();
        let path = folder.path().join(name);
        write_volume(&path, &volume.into(), &options).map(|()| path)
    };
    for name in ["a.nii", "a.nii.gz", "a.nrrd", "a.mha", "a.npy"] {
        let path = write(name, vec![0, 7, i32::MAX]).unwrap();
        let file = read_volume(&path, &ReadOptions::default()).unwrap();
        assert_eq!(file.header.stored_type, StoredType::U32, "{name}");
        let AnyVolume::I32(volume) = file.volume else {
            panic!("{name}: read as {}", file.volume.sample_type());
        };
        assert_eq!(volume.samples(), [0, 7, i32::MAX], "{name}");
    }
    let error = write("b.npy", vec![0, 1, -5]).unwrap_err().to_string();
    assert!(error.contains("sample 2 is -5"), "{error}");
    assert!(!folder.path().join("b.npy").exists());
}

#[test]
fn nifti_keeps_the_position_of_volumes_far_from_the_origin() {
    let folder = folder();
    let path = folder.path().join("far.nii");
    for (origin, version) in [(-127.3, "NIfTI-1"), (4_500_000.37, "NIfTI-2")] {
        let geometry = Geometry::from_spacing([0.01; 3], [origin, 5.0, 0.1]).unwrap();
        let volume = sample_volume(SampleType::U8, geometry);
        write_volume(&path, &volume, &VolumeWriteOptions::default()).unwrap();
        let file = read_volume(&path, &ReadOptions::default()).unwrap();
        let offset = geometry.misalignment(file.volume.geometry(), volume.dims());
        assert!(offset.voxels < 1e-3, "{offset:?}");
        assert_eq!(file.header.version.as_deref(), Some(version));
    }
}
