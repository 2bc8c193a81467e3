//! Samples in data files: pairs, lists and file name patterns.

use std::fs;
use std::io::Write;
use std::path::Path;

use ferrovox::grid::Sample;
use ferrovox::io::{Compression, ReadOptions, VolumeFile, VolumeReader, read_volume};
use nalgebra::Point3;

use crate::helpers::folder;
use crate::nifti_files::Nifti;

/// Reads a file as a whole and by planes, which must agree.
fn read(path: &Path) -> VolumeFile {
    let file = read_volume(path, &ReadOptions::default()).unwrap();
    let mut reader = VolumeReader::open(path, &ReadOptions::default()).unwrap();
    let mut samples = Vec::new();
    for z in (0..reader.dims()[2]).rev() {
        let mut plane = reader.read_planes::<u8>(z..z + 1).unwrap();
        plane.append(&mut samples);
        samples = plane;
    }
    assert_eq!(samples, file.volume.bytes());
    assert_eq!(<u8 as Sample>::TYPE, file.volume.sample_type());
    file
}

fn failure(path: &Path) -> String {
    let error = read_volume(path, &ReadOptions::default()).unwrap_err();
    error.to_string()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// Returns the header of a NIfTI pair with 2 x 2 x 1 samples of u8.
fn pair() -> Nifti {
    let mut file = Nifti::new(&[2, 2, 1], 2, 8);
    file.put(344, b"ni1\0");
    file.f32(108, 0.0);
    file.i16(252, 1);
    file.f32(268, 5.0);
    file
}

#[test]
fn a_pair_is_read_by_either_name_packed_or_not() {
    for (header, data) in [
        ("a.hdr", "a.img"),
        ("B.HDR", "B.IMG"),
        ("c.hdr.gz", "c.img.gz"),
        ("d.hdr", "d.img.gz"),
        ("e.hdr.gz", "e.img"),
    ] {
        let folder = folder();
        let path = |name: &str| folder.path().join(name);
        let pack = |name: &str, bytes: &[u8]| {
            if name.ends_with("gz") {
                gzip(bytes)
            } else {
                bytes.to_vec()
            }
        };
        fs::write(path(header), pack(header, &pair().0)).unwrap();
        assert!(failure(&path(header)).contains("there is no such file"));
        fs::write(path(data), pack(data, &[1, 2, 3, 4])).unwrap();
        for name in [header, data] {
            let file = read(&path(name));
            assert_eq!(file.volume.bytes(), [1, 2, 3, 4], "{name}");
            assert_eq!(file.header.version.as_deref(), Some("NIfTI-1"));
            assert_eq!(file.header.data_file, Some(path(data)));
            assert_eq!(file.volume.geometry().origin().x, 5.0);
        }
        fs::write(path(data), pack(data, &[1, 2, 3])).unwrap();
        let error = failure(&path(header));
        let fact = format!(
            "data file {data}: sizes 2 x 2 x 1 of u8 need 4 bytes, but the file has only 3"
        );
        assert!(error.contains(&fact), "{error}");
    }
}

#[test]
fn a_pair_of_analyze_is_placed_as_spm_does() {
    let folder = folder();
    let path = folder.path().join("a.hdr");
    fs::write(folder.path().join("a.img"), [7, 7, 1, 2, 3, 4]).unwrap();
    let mut header = pair();
    header.put(344, &[0; 4]);
    header.f32(108, 2.0);
    for axis in 0..3 {
        header.f32(80 + 4 * axis, 2.0);
    }
    // Analyze 7.5 stores other values in the fields of NIfTI.
    header.put(252, &[0; 96]);
    fs::write(&path, &header.0[..348]).unwrap();
    let file = read(&path);
    assert_eq!(file.volume.bytes(), [1, 2, 3, 4]);
    assert_eq!(file.header.version.as_deref(), Some("Analyze 7.5"));
    let place = |file: &VolumeFile| {
        let at = Point3::new(1.0, 1.0, 0.0);
        file.volume.geometry().index_to_world(at)
    };
    assert_eq!(place(&file), Point3::new(-1.0, 1.0, 0.0));
    let notes = &file.header.notes;
    assert!(
        notes[0].contains("x is taken to run to the left"),
        "{notes:?}"
    );
    for (axis, voxel) in [2, 1, 1].into_iter().enumerate() {
        header.i16(253 + 2 * axis, voxel);
    }
    fs::write(&path, &header.0[..348]).unwrap();
    let file = read(&path);
    assert_eq!(place(&file), Point3::new(0.0, 2.0, 0.0));
    assert!(file.header.notes[0].contains("SPM's field originator"));
    // The scaling of SPM.
    header.f32(112, 2.0);
    header.f32(116, -3.0);
    fs::write(&path, &header.0[..348]).unwrap();
    let file = read_volume(&path, &ReadOptions::default()).unwrap();
    let scaled = bytemuck::cast_slice::<f32, u8>(&[-1.0, 1.0, 3.0, 5.0]).to_vec();
    assert_eq!(file.volume.bytes(), scaled);
    let note =
        "Analyze 7.5 has no scaling: that of SPM's fields is applied, slope 2 and intercept -3";
    assert_eq!(file.header.notes[1], note);
}

#[test]
fn a_pair_with_the_magic_of_one_file() {
    let folder = folder();
    let path = folder.path().join("a.hdr");
    let mut header = pair();
    header.put(344, b"n+1\0");
    fs::write(&path, &header.0[..348]).unwrap();
    assert!(failure(&path).contains("the NIfTI header ends after 348 bytes"));
    fs::write(folder.path().join("a.img"), [1, 2, 3, 4]).unwrap();
    let file = read(&path);
    assert_eq!(file.volume.bytes(), [1, 2, 3, 4]);
    let note = "the magic is that of one file, but the name is that of a pair: the samples are taken from a.img";
    assert_eq!(file.header.notes, [note]);
}

#[test]
fn lists_and_patterns_of_files() {
    let nrrd = |encoding: &str, files: &str| {
        format!(
            "NRRD0005\ntype: uint8\ndimension: 3\nsizes: 2 1 4\nencoding: {encoding}\n{files}\n"
        )
    };
    let mhd = |compressed: &str, files: &str| {
        format!(
            "NDims = 3\nDimSize = 2 1 4\nElementType = MET_UCHAR\nCompressedData = {compressed}\nElementDataFile = {files}\n"
        )
    };
    let (list, pattern) = ("s1\ns2\ns3\ns4", "s%d 1 4 1");
    let (halves, few) = ("h1\n\nh2", "h%01i 1 2 1 3");
    let cases = [
        (
            "a.nhdr",
            nrrd("raw", &format!("data file: LIST\n{list}")),
            0,
        ),
        (
            "a.nhdr",
            nrrd("raw", &format!("data file: LIST 2\n{list}")),
            0,
        ),
        ("a.nhdr", nrrd("raw", &format!("datafile: {pattern}")), 0),
        ("a.nhdr", nrrd("raw", &format!("data file: {few}")), 0),
        (
            "a.nhdr",
            nrrd("raw", &format!("data file: LIST 3\n{halves}")),
            0,
        ),
        (
            "a.nhdr",
            nrrd("gzip", &format!("data file: LIST\n{list}")),
            1,
        ),
        ("a.nhdr", nrrd("bzip2", &format!("data file: {pattern}")), 2),
        ("a.nhdr", nrrd("hex", &format!("data file: {pattern}")), 3),
        (
            "a.nhdr",
            nrrd("raw", &format!("byte skip: -1\ndata file: {pattern}")),
            4,
        ),
        (
            "a.nhdr",
            nrrd("raw", &format!("line skip: 1\ndata file: {pattern}")),
            4,
        ),
        ("a.mhd", mhd("False", &format!("LIST\n{list}")), 0),
        ("a.mhd", mhd("False", &format!("LIST 3D\n{halves}")), 0),
        ("a.mhd", mhd("False", pattern), 0),
        ("a.mhd", mhd("False", "s%d 1 4"), 0),
        ("a.mhd", mhd("True", pattern), 1),
    ];
    for (name, header, kind) in cases {
        let folder = folder();
        let write = |name: &str, bytes: &[u8]| {
            let bytes = match kind {
                0 => bytes.to_vec(),
                1 => gzip(bytes),
                2 => bzip2(bytes),
                3 => bytes
                    .iter()
                    .flat_map(|it| format!("{it:02x} ").into_bytes())
                    .collect(),
                _ => [b"one line\n", bytes].concat(),
            };
            fs::write(folder.path().join(name), bytes).unwrap();
        };
        for slice in 0..4 {
            write(&format!("s{}", slice + 1), &[2 * slice, 2 * slice + 1]);
        }
        write("h1", &[0, 1, 2, 3]);
        write("h2", &[4, 5, 6, 7]);
        let path = folder.path().join(name);
        fs::write(&path, &header).unwrap();
        let file = read(&path);
        assert_eq!(file.volume.bytes(), [0, 1, 2, 3, 4, 5, 6, 7], "{header}");
        let files = file.header.data_files.len();
        assert!(files == 4 || files == 2, "{header}");
        let last = file.header.data_files.last().unwrap().clone();
        if kind == 2 {
            assert_eq!(file.header.compression, Compression::Bzip2);
        }
        // A truncated file, one that is too long, and a missing one.
        let good = fs::read(&last).unwrap();
        fs::write(&last, &good[..1]).unwrap();
        let last_name = last.file_name().unwrap().to_str().unwrap();
        let error = failure(&path);
        assert!(
            error.contains(&format!("data file {last_name}: ")),
            "{error}"
        );
        if kind == 0 {
            fs::write(&last, [&good[..], &[9]].concat()).unwrap();
            let error = failure(&path);
            assert!(
                error.contains(&format!("data file {last_name}: ")),
                "{error}"
            );
            let lenient = ReadOptions {
                allow_trailing_bytes: true,
                ..ReadOptions::default()
            };
            let file = read_volume(&path, &lenient).unwrap();
            assert_eq!(file.volume.bytes(), [0, 1, 2, 3, 4, 5, 6, 7]);
        }
        fs::remove_file(&last).unwrap();
        let error = failure(&path);
        let fact = format!("data file {last_name}: there is no such file");
        assert!(error.contains(&fact), "{error}");
    }
    let folder = folder();
    let path = folder.path().join("a.nhdr");
    fs::write(&path, nrrd("raw", "data file: s%d 1 3 1")).unwrap();
    let error = failure(&path);
    let fact = "sizes 2 x 1 x 4 cannot be divided among 3 data files";
    assert!(error.contains(fact), "{error}");
}

/// A list with a number of axes per file counts the channels of MetaImage, which are no axis, and
/// the axis of the components of NRRD, which is one.
#[test]
fn lists_of_files_with_components() {
    let mhd = |list: &str| {
        format!(
            "NDims = 3\nDimSize = 2 1 2\nElementType = MET_UCHAR\nElementNumberOfChannels = 3\n\
             ElementDataFile = {list}\ns1\ns2\n"
        )
    };
    let nhdr = |list: &str| {
        format!(
            "NRRD0005\ntype: uint8\ndimension: 4\nsizes: 3 2 1 2\nkinds: vector domain domain domain\n\
             encoding: raw\ndata file: {list}\ns1\ns2\n"
        )
    };
    for (name, header) in [
        ("a.mhd", mhd("LIST")),
        ("a.mhd", mhd("LIST 2D")),
        ("a.mhd", mhd("LIST 2")),
        ("a.nhdr", nhdr("LIST")),
        ("a.nhdr", nhdr("LIST 3")),
    ] {
        let folder = folder();
        let path = folder.path().join(name);
        fs::write(&path, &header).unwrap();
        fs::write(folder.path().join("s1"), [0, 10, 20, 1, 11, 21]).unwrap();
        fs::write(folder.path().join("s2"), [2, 12, 22, 3, 13, 23]).unwrap();
        for component in 0..3 {
            let options = ReadOptions {
                component: Some(component),
                ..ReadOptions::default()
            };
            let file = read_volume(&path, &options).unwrap();
            let expected = [0, 1, 2, 3].map(|sample| sample + 10 * component as u8);
            assert_eq!(file.volume.bytes(), expected, "{header}");
        }
    }
}

#[test]
fn bzip2_behind_the_header() {
    let folder = folder();
    let path = folder.path().join("a.nrrd");
    let samples: Vec<u8> = (0..2_000_000_u32).map(|it| (it / 7) as u8).collect();
    let header = b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 1000 1000 2\nencoding: bz2\n\n";
    let packed = bzip2(&samples);
    fs::write(&path, [header, &packed[..]].concat()).unwrap();
    assert!(read(&path).volume.bytes() == samples);
    fs::write(&path, [header, &packed[..packed.len() - 9]].concat()).unwrap();
    assert!(
        failure(&path).contains("the bzip2 data end early"),
        "{}",
        failure(&path)
    );
    let mut damaged = packed.clone();
    damaged[packed.len() / 2] ^= 255;
    fs::write(&path, [header, &damaged[..]].concat()).unwrap();
    assert!(
        failure(&path).contains("the bzip2 data are damaged"),
        "{}",
        failure(&path)
    );
}
