//! Samples and data files of NRRD files with handwritten headers.

use std::fs;

use ferrovox::grid::{AnyVolume, SampleType};
use ferrovox::io::{ByteOrder, Compression, ReadOptions, StoredType, read_volume};

use crate::helpers::{folder, message, read_bytes};

/// Returns a file of header lines and data.
pub fn nrrd(lines: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = format!("NRRD0004\n{lines}\n\n").into_bytes();
    bytes.extend_from_slice(data);
    bytes
}

/// Header of six samples.
pub const SMALL: &str = "type: uint8\ndimension: 3\nsizes: 2 1 3\nencoding: raw";

#[test]
fn every_type_name_is_known() {
    let names: [(StoredType, &[&str]); 10] = [
        (StoredType::I8, &["signed char", "int8", "int8_t"]),
        (
            StoredType::U8,
            &["uchar", "unsigned char", "uint8", "uint8_t"],
        ),
        (
            StoredType::I16,
            &[
                "short",
                "short int",
                "signed short",
                "signed short int",
                "int16",
                "int16_t",
            ],
        ),
        (
            StoredType::U16,
            &[
                "ushort",
                "unsigned short",
                "unsigned short int",
                "uint16",
                "uint16_t",
            ],
        ),
        (StoredType::I32, &["int", "signed int", "int32", "int32_t"]),
        (
            StoredType::U32,
            &["uint", "unsigned int", "uint32", "uint32_t"],
        ),
        (
            StoredType::I64,
            &[
                "longlong",
                "long long",
                "long long int",
                "signed long long",
                "signed long long int",
                "int64",
                "int64_t",
            ],
        ),
        (
            StoredType::U64,
            &[
                "ulonglong",
                "unsigned long long",
                "unsigned long long int",
                "uint64",
                "uint64_t",
            ],
        ),
        (StoredType::F32, &["float"]),
        (StoredType::F64, &["double"]),
    ];
    for (stored, aliases) in names {
        for name in aliases {
            let header =
                format!("type: {name}\ndimension: 1\nsizes: 2\nendian: little\nencoding: raw");
            let file = read_bytes("a.nrrd", &nrrd(&header, &vec![0; 2 * stored.bytes()])).unwrap();
            assert_eq!(file.header.stored_type, stored, "{name}");
            assert_eq!(file.volume.dims(), [2, 1, 1]);
        }
    }
}

#[test]
fn text_and_hexadecimal_samples() {
    let header = "type: short\ndimension: 1\nsizes: 4\nencoding: ascii";
    let file = read_bytes("a.nrrd", &nrrd(header, b"1, -2\n+3\t32767 \n")).unwrap();
    let AnyVolume::I16(volume) = &file.volume else {
        panic!("i16 samples")
    };
    assert_eq!(volume.samples(), [1, -2, 3, 32767]);

    let header = "type: float\ndimension: 1\nsizes: 3\nencoding: text";
    let file = read_bytes("a.nrrd", &nrrd(header, b"1.5e-3 nan -inf")).unwrap();
    let AnyVolume::F32(volume) = &file.volume else {
        panic!("f32 samples")
    };
    assert_eq!(volume.samples()[0], 1.5e-3);
    assert!(volume.samples()[1].is_nan() && volume.samples()[2] == f32::NEG_INFINITY);

    let header = "type: uint16\ndimension: 1\nsizes: 2\nendian: big\nencoding: hex";
    let file = read_bytes("a.nrrd", &nrrd(header, b"0102 ffFE\n")).unwrap();
    let AnyVolume::U16(volume) = &file.volume else {
        panic!("u16 samples")
    };
    assert_eq!(volume.samples(), [0x0102, 0xFFFE]);

    let header = "type: uint8\ndimension: 1\nsizes: 3\nencoding: ascii";
    assert_eq!(
        message("a.nrrd", &nrrd(header, b"1 256 3")),
        "a.nrrd: sample 1 is \"256\", which is not a u8; correct the file"
    );
    assert!(
        message("a.nrrd", &nrrd(header, b"1   2  ")).contains("3 bytes, but the file has only 2")
    );
    assert!(message("a.nrrd", &nrrd(header, b"1 2 3 4")).contains("sample 3 is \"4\""));
    let header = "type: int64\ndimension: 1\nsizes: 1\nencoding: ascii";
    let file = read_bytes("a.nrrd", &nrrd(header, b"5000000000")).unwrap();
    assert_eq!(file.volume.summary().max, Some(5e9));
}

#[test]
fn detached_data_with_skips() {
    let folder = folder();
    let header = |more: &str| {
        format!(
            "NRRD0005\ntype: uint8\ndimension: 3\nsizes: 2 1 3\nencoding: raw\n{more}data file: samples.raw\n"
        )
    };
    let path = folder.path().join("volume.nhdr");
    let cases: [(&str, &[u8]); 5] = [
        ("", &[1, 2, 3, 4, 5, 6]),
        ("byte skip: 3\n", &[9, 9, 9, 1, 2, 3, 4, 5, 6]),
        ("line skip: 2\n", b"first\nsecond\n\x01\x02\x03\x04\x05\x06"),
        (
            "line skip: 1\nbyte skip: 2\n",
            b"first\nxx\x01\x02\x03\x04\x05\x06",
        ),
        (
            "byte skip: -1\n",
            b"anything at all\x01\x02\x03\x04\x05\x06",
        ),
    ];
    for (more, data) in cases {
        fs::write(&path, header(more)).unwrap();
        fs::write(folder.path().join("samples.raw"), data).unwrap();
        let file = read_volume(&path, &ReadOptions::default()).unwrap();
        assert_eq!(file.volume.bytes(), [1, 2, 3, 4, 5, 6], "{more}");
        assert_eq!(
            file.header.data_file,
            Some(folder.path().join("samples.raw"))
        );
    }
    fs::write(&path, header("line skip: 3\n")).unwrap();
    let error = read_volume(&path, &ReadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("\"line skip\" is 3, but the data have only"),
        "{error}"
    );
}

#[test]
fn a_missing_data_file_is_named() {
    let folder = folder();
    let path = folder.path().join("volume.nhdr");
    fs::write(
        &path,
        format!("NRRD0005\n{SMALL}\ndata file: nowhere.raw\n"),
    )
    .unwrap();
    let error = read_volume(&path, &ReadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        error
            .ends_with("volume.nhdr: data file nowhere.raw: there is no such file; check the path"),
        "{error}"
    );
}

/// The first line of the device would never end.
#[cfg(unix)]
#[test]
fn a_header_does_not_make_a_reader_wait_for_a_device() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nhdr");
    let header = "NRRD0005\ntype: uint8\ndimension: 3\nsizes: 2 1 3\nencoding: raw\n";
    for skip in ["", "line skip: 2\n", "byte skip: 9000000000000000000\n"] {
        fs::write(&path, format!("{header}{skip}data file: /dev/zero\n")).unwrap();
        let error = read_volume(&path, &ReadOptions::default()).unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("/dev/zero") && error.contains("a device"),
            "{error}"
        );
    }
}

#[test]
fn gzip_is_skipped_into_after_decompression() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &[7, 7, 1, 2, 3, 4, 5, 6]).unwrap();
    let packed = encoder.finish().unwrap();
    let header = "type: uint8\ndimension: 3\nsizes: 2 1 3\nencoding: gz\nbyte skip: 2";
    let file = read_bytes("a.nrrd", &nrrd(header, &packed)).unwrap();
    assert_eq!(file.volume.bytes(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(file.header.compression, Compression::Gzip);
}

#[test]
fn big_endian_samples() {
    let header = "type: int32\ndimension: 1\nsizes: 2\nendian: big\nencoding: raw";
    let file = read_bytes("a.nrrd", &nrrd(header, &[0, 0, 1, 0, 255, 255, 255, 254])).unwrap();
    assert_eq!(file.header.byte_order, ByteOrder::Big);
    assert_eq!(file.volume.sample_type(), SampleType::I32);
    let AnyVolume::I32(volume) = &file.volume else {
        panic!("i32 samples")
    };
    assert_eq!(volume.samples(), [256, -2]);
}
