//! NRRD files with handwritten headers.

use std::fs;

use ferrovox::grid::{AnyVolume, SampleType};
use ferrovox::io::{ByteOrder, Compression, ReadOptions, StoredType, read_volume};
use nalgebra::{Point3, Vector3};

use crate::helpers::{folder, message, read_bytes};

/// Returns a file of header lines and data.
pub fn nrrd(lines: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = format!("NRRD0004\n{lines}\n\n").into_bytes();
    bytes.extend_from_slice(data);
    bytes
}

const SMALL: &str = "type: uint8\ndimension: 3\nsizes: 2 1 3\nencoding: raw";

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
fn a_place_that_is_half_stated() {
    let read = |lines: &str| {
        let file = read_bytes("a.nrrd", &nrrd(&format!("{SMALL}\n{lines}"), &[0; 6])).unwrap();
        let place = Point3::new(1.0, 1.0, 1.0);
        (
            file.volume.geometry().index_to_world(place),
            file.header.notes,
        )
    };
    // The axes are those of the space.
    for (space, signs) in [
        ("RAS", [1.0, 1.0]),
        ("LAS", [-1.0, 1.0]),
        ("LPS", [-1.0, -1.0]),
    ] {
        for directions in ["", "\nspace directions: none none none"] {
            let lines = format!("space: {space}\nspace origin: (10,20,30){directions}");
            let (world, notes) = read(&lines);
            assert_eq!(world, Point3::new(signs[0] * 11.0, signs[1] * 21.0, 31.0));
            assert!(
                notes[0]
                    .starts_with("there are no space directions: the axes are taken to run along"),
                "{notes:?}"
            );
        }
    }
    // NaN means unknown.
    let directions = "space directions: (1,0,0) (0,1,0) (0,0,1)";
    let lines = format!("space: LPS\n{directions}\nspace origin: (nan,nan,nan)");
    let (world, notes) = read(&lines);
    assert_eq!(world, Point3::new(-1.0, -1.0, 1.0));
    let note = "space origin is nan, which stands for an unknown one: it is taken as 0";
    assert_eq!(notes, [note]);
}

#[test]
fn lps_and_las_are_turned_to_ras() {
    let header = |space: &str| {
        format!(
            "# a comment\ntype: uint8\ndimension: 3\nspace: {space}\nsizes: 2 2 2\n\
             space directions: (0,2,0) (3,0,0) (0,0,-4)\nkinds: domain domain domain\nencoding: raw\n\
             space origin: (10,20,30)\nnote:=kept: aside"
        )
    };
    for (space, signs) in [
        ("right-anterior-superior", [1.0, 1.0]),
        ("RAS", [1.0, 1.0]),
        ("left-anterior-superior", [-1.0, 1.0]),
        ("left-posterior-superior", [-1.0, -1.0]),
        ("LPS", [-1.0, -1.0]),
    ] {
        let file = read_bytes("a.nrrd", &nrrd(&header(space), &[0; 8])).unwrap();
        // In the file's space: (10 + 3·j, 20 + 2·i, 30 - 4·k) at i = 1, j = 2, k = 3.
        let world = file
            .volume
            .geometry()
            .index_to_world(Point3::new(1.0, 2.0, 3.0));
        assert_eq!(
            world,
            Point3::new(signs[0] * 16.0, signs[1] * 22.0, 18.0),
            "{space}"
        );
        assert_eq!(file.header.notes, Vec::<String>::new());
    }
    let file = read_bytes("a.nrrd", &nrrd(&header("scanner-xyz"), &[0; 8])).unwrap();
    let world = file
        .volume
        .geometry()
        .index_to_world(Point3::new(1.0, 2.0, 3.0));
    assert_eq!(world, Point3::new(16.0, 22.0, 18.0));
    assert!(
        file.header.notes[0].contains("scanner-xyz"),
        "{:?}",
        file.header.notes
    );
}

#[test]
fn spacings_without_directions() {
    let header = format!("{SMALL}\nspacings: 0.5 nan 2");
    let file = read_bytes("a.nrrd", &nrrd(&header, &[1, 2, 3, 4, 5, 6])).unwrap();
    assert_eq!(
        file.volume.geometry().spacing(),
        Vector3::new(0.5, 1.0, 2.0)
    );
    assert_eq!(file.volume.bytes(), [1, 2, 3, 4, 5, 6]);
    let note = "spacings has nan for axis 1, which stands for an unknown one: it is taken as 1";
    assert_eq!(file.header.notes, [note]);
    let header = format!("{SMALL}\nspacings: 0.5 1 -2");
    let file = read_bytes("a.nrrd", &nrrd(&header, &[0; 6])).unwrap();
    assert_eq!(file.volume.geometry().axes()[(2, 2)], -2.0);
    let note = "spacings has -2 for axis 2: the axis is taken to run the other way";
    assert_eq!(file.header.notes, [note]);
    let header = format!("{SMALL}\nspacings: 0.5 0 2");
    assert!(message("a.nrrd", &nrrd(&header, &[0; 6])).contains("the spacing of axis 1 is 0"));
}

#[test]
fn images_and_lines_are_thin_volumes() {
    let plane = "type: uint8\ndimension: 2\nspace: RAS\nsizes: 2 2\nspace directions: (0,0,2) (0,3,0)\nspace origin: (1,1,1)\nencoding: raw";
    let file = read_bytes("a.nrrd", &nrrd(plane, &[0; 4])).unwrap();
    assert_eq!(file.volume.dims(), [2, 2, 1]);
    let geometry = file.volume.geometry();
    assert_eq!(geometry.spacing(), Vector3::new(2.0, 3.0, 1.0));
    assert_eq!(
        geometry.index_to_world(Point3::new(1.0, 1.0, 0.0)),
        Point3::new(1.0, 4.0, 3.0)
    );
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
fn axes_that_are_not_space() {
    // Components before the spatial axes need a selection, however the header declares them.
    let rgb = "type: uint8\ndimension: 4\nsizes: 3 2 2 2\nkinds: RGB-color domain domain domain\nencoding: raw";
    assert_eq!(
        message("a.nrrd", &nrrd(rgb, &[0; 24])),
        "a.nrrd: each sample has 3 components; select one from 0 to 2"
    );
    let none = "type: uint8\ndimension: 4\nspace: RAS\nsizes: 3 2 2 2\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\nencoding: raw";
    assert!(message("a.nrrd", &nrrd(none, &[0; 24])).contains("has 3 components"));
    let middle = "type: uint8\ndimension: 4\nsizes: 2 2 3 2\nkinds: domain domain list domain\nencoding: raw";
    assert!(
        message("a.nrrd", &nrrd(middle, &[0; 24]))
            .contains("axis 2 (kind \"list\", size 3) between two spatial axes")
    );
    // An axis of size 1 is dropped.
    let single =
        "type: uint8\ndimension: 4\nsizes: 1 2 2 2\nkinds: vector space space space\nencoding: raw";
    assert_eq!(
        read_bytes("a.nrrd", &nrrd(single, &[0; 8]))
            .unwrap()
            .volume
            .dims(),
        [2, 2, 2]
    );
    // Time after the spatial axes counts volumes.
    let time = "type: uint8\ndimension: 4\nsizes: 2 2 2 3\nkinds: domain domain domain time\nencoding: raw";
    assert!(message("a.nrrd", &nrrd(time, &[0; 24])).contains("the file holds 3 volumes"));
}

/// The first colon of a line decides, as in teem, unless the word before it is no field.
#[test]
fn fields_and_key_value_pairs_are_told_apart() {
    let read = |line: &str| {
        let lines = format!("type: uint8\ndimension: 3\nsizes: 2 1 3\nencoding: raw\n{line}");
        read_bytes("a.nrrd", &nrrd(&lines, &[0; 6]))
    };
    let fact = "spacings has \":=x\", which is not a valid number";
    let found = read("spacings: 2 3 4 :=x").unwrap_err().to_string();
    assert!(found.contains(fact), "{found}");
    for line in [
        "spacings:=2 3 4",
        "my spacings: of today:=2 3 4",
        "DICOM:0018:=1",
        "content: a:=b",
    ] {
        let file = read(line).unwrap();
        assert_eq!(file.volume.geometry().spacing().x, 1.0, "{line}");
    }
    for (lines, fact) in [
        (
            "line skip: 0\nlineskip: 1",
            "the field \"line skip\" appears twice",
        ),
        (
            "byteskip: 0\nbyte skip: 0",
            "the field \"byte skip\" appears twice",
        ),
        (
            "datafile: a\ndata file: b",
            "the field \"data file\" appears twice",
        ),
        (
            "axis mins: 0 0 0\naxismins: 1 1 1",
            "the field \"axis mins\" appears twice",
        ),
    ] {
        let found = read(lines).unwrap_err().to_string();
        assert!(found.contains(fact), "{lines}: {found}");
    }
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

#[test]
fn damaged_headers_are_reported_with_the_field() {
    let with = |line: &str| message("a.nrrd", &nrrd(&format!("{SMALL}\n{line}"), &[0; 6]));
    for (line, fact) in [
        (
            "spacings: 1 1",
            "spacings has 2 entries, but dimension is 3",
        ),
        ("kinds: domain", "kinds has 1 entries, but dimension is 3"),
        (
            "space directions: (1,0,0)",
            "space directions has 1 entries, but dimension is 3",
        ),
        (
            "space directions: (1,0,0) (0,1,0) 5",
            "is not a list of vectors",
        ),
        (
            "space directions: (1,0,0) (1,0,0) (0,0,1)",
            "determinant 0e0",
        ),
        (
            "space directions: (1,0,0,0) (0,1,0,0) (0,0,1,0)",
            "a vector of 4 numbers",
        ),
        ("space origin: (1,2,inf)", "coefficient inf"),
        ("space: right-anterior-superior-time", "is not supported"),
        ("endian: middle", "endian is \"middle\""),
        ("byte skip: many", "byte skip is \"many\""),
        ("byte skip: -2", "\"byte skip\" is -2"),
        ("type: uint8", "the field \"type\" appears twice"),
        (
            "what is this",
            "the line \"what is this\" is neither a field nor a comment",
        ),
        (
            "data file: slice%03d.raw 1 9 1",
            "sizes 2 x 1 x 3 cannot be divided among 9 data files",
        ),
        ("data file: slice%s.raw 1 3 1", "is not a file name pattern"),
        ("data file: LIST x", "LIST \"x\" is not a number of axes"),
    ] {
        assert!(with(line).contains(fact), "{line}: {}", with(line));
    }
    for (header, fact) in [
        (
            "dimension: 3\nsizes: 1 1 1\nencoding: raw",
            "no field \"type\"",
        ),
        (
            "type: uint8\nsizes: 1 1 1\nencoding: raw",
            "no field \"dimension\"",
        ),
        (
            "type: uint8\ndimension: 3\nencoding: raw",
            "no field \"sizes\"",
        ),
        (
            "type: uint8\ndimension: 3\nsizes: 1 1 1",
            "no field \"encoding\"",
        ),
        (
            "type: uint8\ndimension: 3\nsizes: 1 1\nencoding: raw",
            "sizes has 2 entries",
        ),
        (
            "type: uint8\ndimension: 3\nsizes: 1 -1 1\nencoding: raw",
            "sizes has \"-1\"",
        ),
        (
            "type: uint8\ndimension: 99\nsizes: 1\nencoding: raw",
            "dimension is 99; use 1 to 16",
        ),
        (
            "type: block\ndimension: 1\nsizes: 1\nencoding: raw",
            "NRRD type \"block\" is not supported",
        ),
        (
            "type: uint8\ndimension: 1\nsizes: 1\nencoding: lzma",
            "NRRD encoding \"lzma\" is not supported",
        ),
        (
            "type: int16\ndimension: 1\nsizes: 1\nencoding: raw",
            "no field \"endian\"",
        ),
    ] {
        let found = message("a.nrrd", &nrrd(header, &[0; 6]));
        assert!(found.contains(fact), "{header}: {found}");
    }
    assert!(
        message("a.nrrd", b"NRRD0009\ntype: uint8\n")
            .contains("NRRD version \"NRRD0009\" is not supported")
    );
}
