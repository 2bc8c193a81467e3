//! Invalid files of every format: missing, a folder, another format, truncated, too long, wrong
//! sizes.

use std::fs;

use ferrovox::grid::{Geometry, SampleType};
use ferrovox::io::{
    ReadOptions, VolumeFormat, VolumeWriteOptions, read_points, read_volume, read_volume_bytes,
    write_volume,
};

use crate::helpers::{folder, message, read_bytes, sample_volume};
use crate::metaimage::mha;
use crate::nifti_files::Nifti;
use crate::npy_files::npy;
use crate::nrrd::nrrd;

const KINDS: [(&str, bool); 7] = [
    ("nii", false),
    ("nii.gz", false),
    ("nrrd", false),
    ("nrrd", true),
    ("mha", false),
    ("mha", true),
    ("npy", false),
];

/// Returns a valid file of each format.
fn good_files() -> Vec<(String, Vec<u8>)> {
    let folder = folder();
    let volume = sample_volume(SampleType::I16, Geometry::default());
    let write = |(extension, compress): (&str, bool)| {
        let name = format!("a.{extension}");
        let path = folder.path().join(&name);
        let options = VolumeWriteOptions {
            compress,
            ..VolumeWriteOptions::default()
        };
        write_volume(&path, &volume, &options).unwrap();
        (name, fs::read(&path).unwrap())
    };
    KINDS.map(write).into()
}

#[test]
fn a_missing_file() {
    let error = read_volume("nowhere/brain.nii.gz", &ReadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "nowhere/brain.nii.gz: there is no such file; check the path"
    );
}

#[test]
fn a_folder() {
    let folder = folder();
    for name in ["volume.nii", "volume.mha", "volume"] {
        let path = folder.path().join(name);
        fs::create_dir(&path).unwrap();
        let error = read_volume(&path, &ReadOptions::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "{}: the folder holds no volume: none of its 0 files is DICOM, TIFF or PNG, and it is no Zarr hierarchy; \
                 name a file, or another folder",
                path.display()
            )
        );
    }
}

#[cfg(unix)]
#[test]
fn unreadable_file_is_rejected() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let path = folder.path().join("secret.nii");
    fs::write(&path, b"x").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::File::open(&path).is_ok() {
        return; // the superuser may read everything
    }
    let error = read_volume(&path, &ReadOptions::default()).unwrap_err();
    assert!(
        error.to_string().contains("secret.nii: permission denied"),
        "{error}"
    );
}

#[test]
fn an_empty_file() {
    for (name, format) in [
        ("a.nii", "NIfTI"),
        ("a.nrrd", "NRRD"),
        ("a.mha", "MetaImage"),
        ("a.npy", "npy"),
    ] {
        let found = message(name, b"");
        assert!(
            found.starts_with(&format!("{name}: not a {format} file: expected ")),
            "{found}"
        );
        assert!(found.contains("found an empty file"), "{found}");
    }
}

#[test]
fn the_wrong_magic() {
    let jpeg = b"\xFF\xD8\xFF\xE0 and so on, long enough to be a header if it were one";
    for (name, format) in [
        ("a.nii", "NIfTI"),
        ("a.nii.gz", "NIfTI"),
        ("a.nrrd", "NRRD"),
        ("a.mha", "MetaImage"),
        ("a.npy", "npy"),
    ] {
        let found = message(name, jpeg);
        assert!(
            found.starts_with(&format!("{name}: not a {format} file: expected ")),
            "{found}"
        );
        assert!(found.contains("found ff d8 ff e0"), "{found}");
    }
}

#[test]
fn a_file_with_the_extension_of_another_format_is_read_by_its_content() {
    let all = good_files();
    for (written, bytes) in &all {
        let expected = read_bytes(written, bytes).unwrap();
        for (named, _) in &all {
            // Compression is detected from the contents.
            let name = format!("named.{}", named.split_once('.').unwrap().1);
            let found = read_bytes(&name, bytes).unwrap();
            assert_eq!(found.volume, expected.volume, "{written} as {name}");
            assert_eq!(found.header.format, expected.header.format);
            let says_both = |note: &String| {
                note.starts_with("the extension is that of ")
                    && note.ends_with(&format!("the file is read as {}", found.header.format))
            };
            let is_same = VolumeFormat::from_path(name.as_ref()) == Some(found.header.format);
            let notes = &found.header.notes;
            assert_eq!(notes.iter().any(says_both), !is_same, "{notes:?}");
        }
        // A format given by the caller takes precedence.
        let other = match expected.header.format {
            VolumeFormat::Nrrd => VolumeFormat::Nifti,
            _ => VolumeFormat::Nrrd,
        };
        let options = ReadOptions {
            format: Some(other),
            ..ReadOptions::default()
        };
        let error = read_volume_bytes(written, bytes, &options).unwrap_err();
        let start = format!("{written}: not a {other} file: expected ");
        assert!(error.to_string().starts_with(&start), "{error}");
    }
}

#[test]
fn point_files_with_a_wrong_extension_are_read_by_content() {
    let folder = folder();
    let (ply, npy_file) = (
        b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n1 2 3\n".to_vec(),
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }", &[0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64]),
    );
    for (bytes, extension) in [(&ply, "ply"), (&npy_file, "npy")] {
        for named in ["xyz", "npy", "ply", extension] {
            let path = folder.path().join(format!("points.{named}"));
            fs::write(&path, bytes).unwrap();
            assert_eq!(
                read_points(&path).unwrap(),
                [[1.0, 2.0, 3.0]],
                "{extension} as {named}"
            );
        }
    }
    // Text has no signature, so the error shows what was found.
    let path = folder.path().join("points.npy");
    fs::write(&path, "1 2 3\n").unwrap();
    let error = read_points(&path).unwrap_err().to_string();
    assert!(
        error.contains("not a npy file: expected ") && error.contains("found 31 20 32"),
        "{error}"
    );
}

#[test]
fn unknown_format_shows_the_first_bytes() {
    let found = message("scan.jpg", b"\xFF\xD8\xFF\xE0");
    assert!(found.starts_with("scan.jpg: unknown format"), "{found}");
    assert!(
        found.contains("ff d8 ff e0") && found.contains(".nrrd"),
        "{found}"
    );
}

#[test]
fn every_truncation_of_every_format_is_an_error() {
    for (name, bytes) in good_files() {
        assert!(read_bytes(&name, &bytes).is_ok(), "{name}");
        for length in 0..bytes.len() {
            let error = read_bytes(&name, &bytes[..length])
                .expect_err(&name)
                .to_string();
            assert!(error.starts_with(&format!("{name}: ")), "{error}");
        }
    }
}

#[test]
fn truncated_samples_are_reported_with_their_size() {
    for (name, bytes) in good_files() {
        let cut = message(&name, &bytes[..bytes.len() - 1]);
        if name.ends_with("gz") || bytes.windows(8).any(|window| window == b"g: gzip\n") {
            assert!(cut.contains("the gzip data end early, after"), "{cut}");
        } else if bytes
            .windows(20)
            .any(|window| window == b"CompressedData = Tru")
        {
            assert!(cut.contains("the zlib data end early, after"), "{cut}");
        } else {
            let fact = "sizes 3 x 4 x 5 of i16 need 120 bytes, but the file has only 119";
            assert!(cut.contains(fact), "{cut}");
        }
    }
}

#[test]
fn bytes_after_the_samples_are_an_error_unless_allowed() {
    for (name, mut bytes) in good_files() {
        if name.ends_with("gz") || bytes.windows(4).any(|window| window == b"gzip") {
            continue; // more bytes behind gzip are another member, and damage
        }
        bytes.extend([0; 4]);
        let options = ReadOptions {
            allow_trailing_bytes: true,
            ..ReadOptions::default()
        };
        let lenient = read_volume_bytes(&name, &bytes, &options);
        assert!(lenient.is_ok(), "{name}: {lenient:?}");
        if bytes
            .windows(20)
            .any(|window| window == b"CompressedData = Tru")
        {
            continue; // the end of a zlib stream is its own
        }
        let found = message(&name, &bytes);
        assert!(
            found.contains("need 120 bytes, but the file has 124"),
            "{found}"
        );
    }
}

/// Archives and tapes pad compressed files with zeros, which `gzip` and `bzip2` ignore.
#[test]
fn zeros_after_compressed_data_are_ignored() {
    use std::io::Write;
    let header =
        |encoding: &str| format!("type: uint8\ndimension: 1\nsizes: 6\nencoding: {encoding}");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    gzip.write_all(&[1, 2, 3, 4, 5, 6]).unwrap();
    bzip2.write_all(&[1, 2, 3, 4, 5, 6]).unwrap();
    for (encoding, packed) in [
        ("gzip", gzip.finish().unwrap()),
        ("bzip2", bzip2.finish().unwrap()),
    ] {
        let read = |tail: &[u8]| {
            let file = nrrd(&header(encoding), &[&packed, tail].concat());
            read_bytes("a.nrrd", &file).map_err(|error| error.to_string())
        };
        for zeros in [1, 2, 511, 1 << 20] {
            let file = read(&vec![0; zeros]).unwrap();
            assert_eq!(file.volume.bytes(), [1, 2, 3, 4, 5, 6], "{encoding}");
        }
        // Padding is not what follows it.
        for tail in [&[1][..], &[0, 0, 1], &[0, 0x1f], &[b'B', 0]] {
            let found = read(tail).unwrap_err();
            assert!(found.contains(encoding), "{tail:?}: {found}");
        }
        // Another member, also after padding, continues the data.
        for zeros in [0, 7] {
            let found = read(&[&vec![0; zeros], &packed[..]].concat()).unwrap_err();
            assert!(found.contains("at least 7"), "{encoding}: {found}");
        }
    }
    let volume = sample_volume(SampleType::I16, Geometry::default());
    let folder = folder();
    let path = folder.path().join("a.nii.gz");
    write_volume(&path, &volume, &VolumeWriteOptions::default()).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend([0; 512]);
    assert_eq!(read_bytes("a.nii.gz", &bytes).unwrap().volume, volume);
}

#[test]
fn damaged_compression_is_an_error() {
    for (name, bytes) in good_files()
        .into_iter()
        .filter(|(name, _)| name.ends_with("gz"))
    {
        let mut flipped = 0;
        for index in 10..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[index] ^= 0x55;
            flipped += usize::from(read_bytes(&name, &damaged).is_err());
        }
        // gzip's checksum finds every change of the data
        assert_eq!(flipped, bytes.len() - 10);
    }
}

/// Sizes of terabytes in files of a few hundred bytes are rejected before memory is allocated.
#[test]
fn sizes_that_lie() {
    let nifti = Nifti::new(&[32767, 32767, 32767], 64, 64).samples(&[0; 64]);
    let found = message("a.nii", &nifti);
    assert!(
        found.contains("sizes 32767 x 32767 x 32767 of f64 need 281449207693304 bytes"),
        "{found}"
    );
    assert!(found.contains("but the file has only 64"), "{found}");
    let found = message(
        "a.nrrd",
        &nrrd(
            "type: double\ndimension: 3\nsizes: 100000 100000 1000\nendian: little\nencoding: raw",
            &[0; 9],
        ),
    );
    assert!(
        found.contains("need 80000000000000 bytes, but the file has only 9"),
        "{found}"
    );
    let found = message(
        "a.nrrd",
        &nrrd(
            "type: double\ndimension: 3\nsizes: 100000 100000 1000\nencoding: ascii",
            b"1 2 3",
        ),
    );
    assert!(found.contains("need 80000000000000 bytes"), "{found}");
    let found = message(
        "a.mha",
        &mha(
            "NDims = 3\nDimSize = 100000 100000 1000\nElementType = MET_DOUBLE",
            &[0; 9],
        ),
    );
    assert!(
        found.contains("need 80000000000000 bytes, but the file has only 9"),
        "{found}"
    );
    let found = message(
        "a.npy",
        &npy(
            "{'descr': '<f8', 'fortran_order': False, 'shape': (1000, 100000, 100000)}",
            &[0; 9],
        ),
    );
    assert!(
        found.contains("need 80000000000000 bytes, but the file has only 9"),
        "{found}"
    );
}

/// Compressed data expand by at most a factor of 1032.
#[test]
fn sizes_that_no_compression_reaches() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(
        &mut encoder,
        &Nifti::new(&[32767, 32767, 32767], 64, 64).samples(&[0; 64]),
    )
    .unwrap();
    let found = message("a.nii.gz", &encoder.finish().unwrap());
    assert!(
        found.contains("of f64 need") && found.contains("only at most "),
        "{found}"
    );
}

#[test]
fn sizes_whose_product_overflows() {
    let huge = u64::MAX / 3;
    for (name, bytes) in [
        (
            "a.nrrd",
            nrrd(
                &format!(
                    "type: float\ndimension: 3\nsizes: {huge} 3 5\nendian: little\nencoding: raw"
                ),
                &[0; 9],
            ),
        ),
        (
            "a.mha",
            mha(
                &format!("NDims = 3\nDimSize = {huge} 3 5\nElementType = MET_FLOAT"),
                &[0; 9],
            ),
        ),
        (
            "a.npy",
            npy(
                &format!("{{'descr': '<f4', 'fortran_order': True, 'shape': (5, 3, {huge})}}"),
                &[0; 9],
            ),
        ),
    ] {
        let found = message(name, &bytes);
        let fact = format!("sizes {huge} x 3 x 5 need more bytes than 64 bits can count");
        assert!(found.contains(&fact), "{found}");
    }
    let seven = Nifti::new(&[32767; 7], 2, 8).samples(&[0; 8]);
    assert!(message("a.nii", &seven).contains("need more bytes than 64 bits can count"));
}
