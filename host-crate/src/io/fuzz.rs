//! Entry points for fuzzers: one function per reader, which accepts any bytes and panics only at a
//! defect.
//!
//! Each function reads the bytes as a file of its format, checks the invariants of the result, and
//! checks that reading by planes gives the same samples or the same error. The targets under
//! `fuzz/` and the replay of the stored corpus call these functions.

use std::ops::Range;
use std::path::Path;

use crate::grid::{Geometry, Sample, Volume, sample_count, with_sample_type, with_volume};
use crate::io::source::gzip::fuzz::compare_decoders;
use crate::io::volume::read::read_with_data;
use crate::io::{
    AxisOrder, ByteOrder, FileError, FileProblem, RawLayout, ReadOptions, SeriesSelector,
    StoredType, VolumeFile, VolumeReader, read_mesh_bytes, read_points_bytes, read_skeleton_bytes,
};

/// Text of the error for an integer that no sample type represents.
const NO_SAMPLE: &str = "neither i32, f64 nor i64 represents exactly";
/// Part of the message about a scaled value beyond the range of `f64`.
const OVERFLOW: &str = "exceeds the range of f64";

/// Decompresses the bytes with several threads and with one, up to 4 MiB.
pub fn gzip(bytes: &[u8]) {
    for (threads, skip) in [(2, 0), (5, 1000)] {
        compare_decoders(bytes, skip, threads, 4 << 20);
    }
}

/// Reads the bytes as NIfTI, and as both files of a pair.
pub fn nifti(bytes: &[u8]) {
    read("fuzz.nii", bytes, None);
    read("fuzz.hdr", bytes, Some(bytes));
}

/// Reads the bytes as NRRD, and as the data file if they name one.
pub fn nrrd(bytes: &[u8]) {
    read("fuzz.nrrd", bytes, Some(bytes));
}

/// Reads the bytes as MetaImage, and as the data file if they name one.
pub fn metaimage(bytes: &[u8]) {
    read("fuzz.mha", bytes, Some(bytes));
}

/// Reads the bytes as npy.
pub fn npy(bytes: &[u8]) {
    read("fuzz.npy", bytes, None);
    let options = ReadOptions {
        axes: Some(AxisOrder::Xyz),
        ..ReadOptions::default()
    };
    read_both_ways("fuzz.npy", bytes, None, &options);
}

/// Reads the bytes as an archive of arrays, and its first array.
pub fn npz(bytes: &[u8]) {
    let series = Some(SeriesSelector("1".to_owned()));
    for series in [None, series] {
        let options = ReadOptions {
            series,
            ..ReadOptions::default()
        };
        read_both_ways("fuzz.npz", bytes, None, &options);
    }
}

/// Reads the bytes as DICOM.
pub fn dicom(bytes: &[u8]) {
    read("fuzz.dcm", bytes, None);
}

/// Reads the bytes as TIFF.
pub fn tiff(bytes: &[u8]) {
    read("fuzz.tif", bytes, None);
}

/// Reads the bytes as an archive of Zarr.
pub fn zarr(bytes: &[u8]) {
    read("fuzz.zip", bytes, None);
}

/// Reads the bytes as VTK's image data, as MGH, as MRC and as PNG.
pub fn images(bytes: &[u8]) {
    for name in ["fuzz.vti", "fuzz.mgh", "fuzz.mrc", "fuzz.png"] {
        read(name, bytes, None);
    }
}

/// Reads the bytes as Inrimage.
pub fn inr(bytes: &[u8]) {
    read("fuzz.inr", bytes, None);
}

/// Reads the bytes as the header of AFNI; what follows the first NUL are the samples.
pub fn afni(bytes: &[u8]) {
    let end = bytes.iter().position(|&byte| byte == 0);
    let (header, samples) = bytes.split_at(end.unwrap_or(bytes.len()));
    read(
        "fuzz.HEAD",
        header,
        Some(samples.get(1..).unwrap_or_default()),
    );
}

/// Reads the bytes as a PLY mesh.
pub fn ply(bytes: &[u8]) {
    mesh("fuzz.ply", bytes);
}

/// Reads the bytes as an OBJ mesh.
pub fn obj(bytes: &[u8]) {
    mesh("fuzz.obj", bytes);
}

/// Reads the bytes as an STL mesh.
pub fn stl(bytes: &[u8]) {
    mesh("fuzz.stl", bytes);
}

/// Reads the bytes as an OFF mesh.
pub fn off(bytes: &[u8]) {
    mesh("fuzz.off", bytes);
}

/// Reads the bytes as a VTP mesh.
pub fn vtp(bytes: &[u8]) {
    mesh("fuzz.vtp", bytes);
}

/// Reads the bytes as a glTF mesh.
pub fn gltf(bytes: &[u8]) {
    mesh("fuzz.glb", bytes);
}

/// Reads the bytes as a 3MF mesh.
pub fn threemf(bytes: &[u8]) {
    mesh("fuzz.3mf", bytes);
}

fn mesh(name: &str, bytes: &[u8]) {
    match read_mesh_bytes(name, bytes) {
        Ok(mesh) => assert_eq!(
            mesh.validate(),
            Ok(()),
            "a mesh that was read must be valid"
        ),
        Err(error) => check_error(name, &error),
    }
}

/// Reads the bytes as points: as text, as a table and as an array.
pub fn points(bytes: &[u8]) {
    for name in ["fuzz.xyz", "fuzz.csv", "fuzz.npy"] {
        match read_points_bytes(name, bytes) {
            Ok(points) => assert!(points.as_flattened().iter().all(|x| x.is_finite())),
            Err(error) => check_error(name, &error),
        }
    }
}

/// Reads the bytes as an SWC skeleton.
pub fn swc(bytes: &[u8]) {
    let name = "fuzz.swc";
    match read_skeleton_bytes(name, bytes) {
        Ok(skeleton) => {
            assert_eq!(
                skeleton.validate(),
                Ok(()),
                "a skeleton that was read must be valid"
            );
            assert_eq!(skeleton.cycles(), 0, "SWC stores trees");
            let trees = skeleton.nodes.iter().map(|node| node.component).max();
            let trees = trees.map_or(0, |last| last as usize + 1);
            assert_eq!(skeleton.components().count, trees);
        }
        Err(error) => check_error(name, &error),
    }
}

/// Decodes a layout from the first six bytes (three dims, type, byte order, offset) and reads the
/// remaining bytes as samples.
pub fn raw(bytes: &[u8]) {
    let Some((layout, samples)) = bytes.split_first_chunk::<6>() else {
        return;
    };
    let [nx, ny, nz, stored, order, offset] = *layout;
    let raw = RawLayout {
        dims: [nx, ny, nz].map(usize::from),
        stored_type: StoredType::ALL[usize::from(stored) % StoredType::ALL.len()],
        byte_order: if order % 2 == 0 {
            ByteOrder::Little
        } else {
            ByteOrder::Big
        },
        offset: u64::from(offset),
        geometry: Geometry::default(),
    };
    let options = ReadOptions {
        raw: Some(raw),
        ..ReadOptions::default()
    };
    // Read as a plain and as a compressed file.
    for name in ["fuzz.raw", "fuzz.raw.gz"] {
        read_both_ways(name, samples, None, &options);
    }
}

fn read(name: &str, bytes: &[u8], data: Option<&[u8]>) {
    let choices = [
        ReadOptions::default(),
        ReadOptions {
            volume: Some(1),
            allow_trailing_bytes: true,
            ..ReadOptions::default()
        },
        ReadOptions {
            component: Some(1),
            allow_trailing_bytes: true,
            ..ReadOptions::default()
        },
    ];
    for options in choices {
        read_both_ways(name, bytes, data, &options);
    }
}

/// Checks that an error names the file, and is not a panic of the reader.
fn check_error(name: &str, error: &FileError) {
    let mut problem = &error.problem;
    while let FileProblem::DataFile { problem: inner, .. } = problem {
        problem = inner;
    }
    assert!(
        !matches!(problem, FileProblem::ReaderPanic { .. }),
        "{error}"
    );
    assert!(error.to_string().starts_with(name), "{error}");
}

/// Reads a file as a whole and by planes, and compares.
fn read_both_ways(name: &str, bytes: &[u8], data: Option<&[u8]>, options: &ReadOptions) {
    let whole = read_with_data(Path::new(name), bytes, data, options);
    match &whole {
        Ok(file) => check(file),
        Err(error) => check_error(name, error),
    }
    let reader = VolumeReader::with_data(Path::new(name), bytes, data, options);
    match (&whole, reader) {
        (Ok(file), Ok(reader)) => {
            assert_eq!(reader.header(), &file.header);
            assert_eq!(reader.sample_type(), file.volume.sample_type());
            with_volume!(&file.volume, volume => compare(reader, volume));
        }
        (Err(whole), Ok(reader)) => {
            let by_planes = with_sample_type!(reader.sample_type(), T => failure::<T>(reader));
            check_error(name, &by_planes);
            check_failures(whole, &by_planes);
        }
        (Err(whole), Err(opened)) => {
            check_error(name, &opened);
            check_failures(whole, &opened);
        }
        (Ok(_), Err(opened)) => panic!("read as a whole, but not by planes: {opened}"),
    }
}

/// Compares the errors of both ways of reading. They may differ only if the file has a number that
/// no sample type represents, or whose scaled value overflows, and is damaged elsewhere too: either
/// may be found first.
fn check_failures(whole: &FileError, by_planes: &FileError) {
    let about_sample =
        |error: &FileError| [NO_SAMPLE, OVERFLOW].map(|text| error.to_string().contains(text));
    if about_sample(whole) == about_sample(by_planes) {
        assert_eq!(whole.to_string(), by_planes.to_string());
    }
}

/// Returns slabs that share a plane, and finally the first plane again.
fn slabs(planes: usize) -> Vec<Range<usize>> {
    // A damaged header may declare any number of planes without samples.
    let planes = planes.min(1 << 10);
    let height = 1 + planes / 3;
    let mut slabs: Vec<_> = (0..planes)
        .step_by(height)
        .map(|z| z..(z + height + 1).min(planes))
        .collect();
    slabs.push(0..planes.min(1));
    slabs
}

fn compare<T: Sample>(mut reader: VolumeReader<'_>, volume: &Volume<T>) {
    assert_eq!(
        (reader.dims(), reader.geometry()),
        (volume.dims(), volume.geometry())
    );
    let plane = volume.samples().len() / volume.dims()[2].max(1);
    for z in slabs(volume.dims()[2]) {
        let found = reader
            .read_planes::<T>(z.clone())
            .expect("the planes have been read before");
        let expected = &volume.samples()[z.start * plane..z.end * plane];
        assert!(
            bytemuck::cast_slice::<T, u8>(&found) == bytemuck::cast_slice::<T, u8>(expected),
            "planes {z:?} differ"
        );
    }
}

/// Reads all planes, which must fail, and returns the error.
fn failure<T: Sample>(mut reader: VolumeReader<'_>) -> FileError {
    let planes = reader.dims()[2];
    for z in 0..planes.div_ceil(2) {
        let z = 2 * z..(2 * z + 2).min(planes);
        if let Err(error) = reader.read_planes::<T>(z) {
            return error;
        }
    }
    panic!("read by planes, but not as a whole")
}

/// Checks the invariants of a volume that was read.
fn check(file: &VolumeFile) {
    let dims = file.volume.dims();
    assert_eq!(sample_count(dims), Ok(file.volume.len()), "dims {dims:?}");
    let geometry = file.volume.geometry();
    assert!(
        geometry.affine().iter().all(|number| number.is_finite()),
        "{geometry:?}"
    );
    assert!(geometry.determinant() != 0.0, "{geometry:?}");
    let header = &file.header;
    assert!(header.volume < header.volumes, "{header:?}");
    assert!(header.component < header.components, "{header:?}");
}
