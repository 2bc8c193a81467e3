//! Volumes that are written piece by piece.

use std::fs;
use std::path::Path;

use ferrovox::grid::{Geometry, SampleType, Volume};
use ferrovox::io::{
    ByteOrder, FileProblem, ReadOptions, SampleProblem, VolumeWriteOptions, VolumeWriter,
    read_volume, write_volume,
};

use crate::helpers::folder;

const NAMES: [&str; 8] = [
    "v.nii",
    "v.nii.gz",
    "v.nrrd",
    "v.mha",
    "v.npy",
    "v.vti",
    "v.tif",
    "v.zarr.zip",
];
const DIMS: [usize; 3] = [7, 5, 11];

fn geometry() -> Geometry {
    Geometry::from_spacing([0.5, 1.0, 2.25], [-3.0, 10.0, 0.125]).unwrap()
}

fn volume() -> Volume<f32> {
    Volume::from_fn(DIMS, geometry(), |x, y, z| {
        (x as f32).sin() + (y * z) as f32
    })
    .unwrap()
}

fn options() -> impl Iterator<Item = VolumeWriteOptions> {
    [ByteOrder::Little, ByteOrder::Big]
        .into_iter()
        .flat_map(|byte_order| {
            [false, true].map(|compress| VolumeWriteOptions {
                byte_order,
                compress,
                ..VolumeWriteOptions::default()
            })
        })
}

fn create(path: &Path, options: &VolumeWriteOptions) -> VolumeWriter {
    VolumeWriter::create(path, DIMS, &geometry(), SampleType::F32, options).unwrap()
}

#[test]
fn file_does_not_depend_on_the_pieces() {
    let folder = folder();
    let volume = volume();
    for options in options() {
        for name in NAMES {
            let (whole, pieces) = (folder.path().join("whole"), folder.path().join("pieces"));
            fs::create_dir_all(&whole).unwrap();
            fs::create_dir_all(&pieces).unwrap();
            let (whole, pieces) = (whole.join(name), pieces.join(name));
            write_volume(&whole, &volume.clone().into(), &options).unwrap();
            for size in [1, 35, 36, 384, 385] {
                let mut writer = create(&pieces, &options);
                for samples in volume.samples().chunks(size) {
                    writer.append(samples).unwrap();
                }
                writer.append::<f32>(&[]).unwrap();
                writer.finish().unwrap();
                let [whole, pieces] = [&whole, &pieces].map(|path| fs::read(path).unwrap());
                assert!(whole == pieces, "{name} {options:?} {size}");
            }
            let read = read_volume(&pieces, &ReadOptions::default()).unwrap();
            // .npy stores no geometry.
            let found = read.volume.with_geometry(geometry());
            assert!(found == volume.clone().into(), "{name} {options:?}");
            assert_eq!(
                fs::read_dir(folder.path().join("pieces")).unwrap().count(),
                1
            );
            fs::remove_dir_all(folder.path().join("pieces")).unwrap();
        }
    }
}

/// Larger than all buffers: the output of a compressor depends on the sizes of the writes.
#[test]
fn compressed_bytes_do_not_depend_on_the_pieces() {
    let folder = folder();
    let dims = [64, 64, 100];
    let volume = Volume::from_fn(dims, geometry(), |x, y, z| {
        ((x * x + y * y + z * z) as f32).sqrt()
    })
    .unwrap();
    let options = VolumeWriteOptions {
        compress: true,
        ..VolumeWriteOptions::default()
    };
    for name in ["v.nii.gz", "v.nrrd", "v.mha"] {
        let path = folder.path().join(name);
        write_volume(&path, &volume.clone().into(), &options).unwrap();
        let whole = fs::read(&path).unwrap();
        for size in [999, 64 * 64 * 32, 300_000] {
            let f32 = SampleType::F32;
            let mut writer = VolumeWriter::create(&path, dims, &geometry(), f32, &options).unwrap();
            for samples in volume.samples().chunks(size) {
                writer.append(samples).unwrap();
            }
            writer.finish().unwrap();
            assert!(fs::read(&path).unwrap() == whole, "{name} {size}");
        }
        let read = read_volume(&path, &ReadOptions::default()).unwrap();
        assert!(read.volume == volume.clone().into(), "{name}");
    }
}

#[test]
fn unfinished_writer_leaves_the_old_file() {
    let folder = folder();
    let volume = volume();
    for options in options() {
        for name in NAMES {
            let path = folder.path().join(name);
            fs::write(&path, "old").unwrap();
            let mut dropped = create(&path, &options);
            dropped.append(&volume.samples()[..100]).unwrap();
            drop(dropped);
            let mut short = create(&path, &options);
            short.append(&volume.samples()[..384]).unwrap();
            let error = short.finish().unwrap_err();
            assert!(error.to_string().contains("384"), "{error}");
            let mut long = create(&path, &options);
            long.append(volume.samples()).unwrap();
            let error = long.append(&[1.0_f32]).unwrap_err();
            assert!(error.to_string().contains("386"), "{error}");
            let error = long.append(&[1_u8]).unwrap_err();
            assert!(matches!(
                error.problem,
                FileProblem::Sample(SampleProblem::TypeMismatch { .. })
            ));
            assert_eq!(fs::read(&path).unwrap(), b"old", "{name}");
            // The rejected samples leave the writer unchanged.
            long.finish().unwrap();
            assert!(fs::read(&path).unwrap() != b"old", "{name}");
            fs::remove_file(&path).unwrap();
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{name}");
        }
    }
}

#[test]
fn unsigned_samples_are_checked_piece_by_piece() {
    let folder = folder();
    let path = folder.path().join("v.nrrd");
    let options = VolumeWriteOptions {
        unsigned: true,
        ..VolumeWriteOptions::default()
    };
    let writer = |sample_type| {
        VolumeWriter::create(
            &path,
            [2, 1, 2],
            &Geometry::default(),
            sample_type,
            &options,
        )
    };
    assert!(writer(SampleType::F32).is_err());
    let mut writer = writer(SampleType::I32).unwrap();
    writer.append(&[1, 2]).unwrap();
    let error = writer.append(&[3, -4]).unwrap_err();
    assert!(matches!(
        error.problem,
        FileProblem::Sample(SampleProblem::Negative {
            index: 3,
            value: -4
        })
    ));
    writer.append(&[3, 4]).unwrap();
    writer.finish().unwrap();
    assert!(!String::from_utf8_lossy(&fs::read(&path).unwrap()).contains("type: int32"));
}

#[test]
fn unknown_extension_is_rejected_at_creation() {
    let folder = folder();
    let path = folder.path().join("v.png");
    let options = VolumeWriteOptions::default();
    let refused = VolumeWriter::create(&path, DIMS, &geometry(), SampleType::F32, &options);
    assert!(matches!(
        refused.map(|_| ()).unwrap_err().problem,
        FileProblem::UnknownExtension { .. }
    ));
    let nowhere = folder.path().join("none").join("v.nii");
    assert!(VolumeWriter::create(&nowhere, DIMS, &geometry(), SampleType::F32, &options).is_err());
}
