//! MetaImage files with handwritten headers.

use std::fs;

use ferrovox::grid::AnyVolume;
use ferrovox::io::{ByteOrder, Compression, ReadOptions, StoredType, read_volume};
use nalgebra::{Point3, Vector3};

use crate::helpers::{folder, message, read_bytes};

/// Returns a file of header lines and local data.
pub fn mha(lines: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = format!("ObjectType = Image\n{lines}\nElementDataFile = LOCAL\n").into_bytes();
    bytes.extend_from_slice(data);
    bytes
}

const SMALL: &str = "NDims = 3\nDimSize = 2 1 3\nElementType = MET_UCHAR";

#[test]
fn every_element_type() {
    for (name, stored) in [
        ("MET_CHAR", StoredType::I8),
        ("MET_UCHAR", StoredType::U8),
        ("MET_SHORT", StoredType::I16),
        ("MET_USHORT", StoredType::U16),
        ("MET_INT", StoredType::I32),
        ("MET_UINT", StoredType::U32),
        ("MET_LONG", StoredType::I32),
        ("MET_ULONG", StoredType::U32),
        ("MET_LONG_LONG", StoredType::I64),
        ("MET_ULONG_LONG", StoredType::U64),
        ("MET_FLOAT", StoredType::F32),
        ("MET_DOUBLE", StoredType::F64),
    ] {
        let lines = format!("NDims = 2\nDimSize = 2 1\nElementType = {name}");
        let file = read_bytes("a.mha", &mha(&lines, &vec![0; 2 * stored.bytes()])).unwrap();
        assert_eq!(file.header.stored_type, stored, "{name}");
    }
}

#[test]
fn positions_are_turned_from_lps_to_ras() {
    // The first three numbers of the matrix are the direction of the first axis, here y; then z and
    // x.
    let lines = format!(
        "{SMALL}\nTransformMatrix = 0 1 0 0 0 1 1 0 0\nOffset = 10 20 30\nElementSpacing = 2 3 4"
    );
    let file = read_bytes("a.mha", &mha(&lines, &[0; 6])).unwrap();
    // LPS: (10 + 4·k, 20 + 2·i, 30 + 3·j) at i = 1, j = 2, k = 3.
    let world = file
        .volume
        .geometry()
        .index_to_world(Point3::new(1.0, 2.0, 3.0));
    assert_eq!(world, Point3::new(-22.0, -22.0, 36.0));
}

#[test]
fn older_names_of_the_fields() {
    let lines = format!(
        "{SMALL}\nPosition = 1 2 3\nElementSize = 2 2 2\nElementByteOrderMSB = False\nRotation = 1 0 0 0 1 0 0 0 1"
    );
    let file = read_bytes("a.mha", &mha(&lines, &[0; 6])).unwrap();
    let world = file
        .volume
        .geometry()
        .index_to_world(Point3::new(1.0, 1.0, 1.0));
    assert_eq!(world, Point3::new(-3.0, -4.0, 5.0));
}

#[test]
fn byte_order_compression_and_text() {
    let lines = "NDims = 1\nDimSize = 2\nElementType = MET_SHORT\nBinaryDataByteOrderMSB = True";
    let file = read_bytes("a.mha", &mha(lines, &[1, 0, 255, 254])).unwrap();
    assert_eq!(file.header.byte_order, ByteOrder::Big);
    let AnyVolume::I16(volume) = &file.volume else {
        panic!("i16 samples")
    };
    assert_eq!(volume.samples(), [256, -2]);

    let lines = format!("{SMALL}\nCompressedData = True\nCompressedDataSize = 14");
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut zlib, &[1, 2, 3, 4, 5, 6]).unwrap();
    let file = read_bytes("a.mha", &mha(&lines, &zlib.finish().unwrap())).unwrap();
    assert_eq!(file.volume.bytes(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(file.header.compression, Compression::Zlib);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &[1, 2, 3, 4, 5, 6]).unwrap();
    let file = read_bytes("a.mha", &mha(&lines, &gzip.finish().unwrap())).unwrap();
    assert_eq!(file.header.compression, Compression::Gzip);

    let lines = format!("{SMALL}\nBinaryData = False");
    let file = read_bytes("a.mha", &mha(&lines, b"1 2 3\n4 5 6\n")).unwrap();
    assert_eq!(file.volume.bytes(), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn detached_data_with_a_header_of_its_own() {
    let folder = folder();
    let path = folder.path().join("volume.mhd");
    for (header_size, data) in [
        ("0", &[1, 2, 3, 4, 5, 6][..]),
        ("2", &[9, 9, 1, 2, 3, 4, 5, 6]),
        ("-1", &[8, 8, 8, 1, 2, 3, 4, 5, 6]),
    ] {
        fs::write(
            &path,
            format!("{SMALL}\nHeaderSize = {header_size}\nElementDataFile = volume.raw\n"),
        )
        .unwrap();
        fs::write(folder.path().join("volume.raw"), data).unwrap();
        let file = read_volume(&path, &ReadOptions::default()).unwrap();
        assert_eq!(file.volume.bytes(), [1, 2, 3, 4, 5, 6], "{header_size}");
        assert_eq!(
            file.header.data_file,
            Some(folder.path().join("volume.raw"))
        );
    }
    fs::write(folder.path().join("volume.raw"), [1, 2]).unwrap();
    let error = read_volume(&path, &ReadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains(
            "data file volume.raw: sizes 2 x 1 x 3 of u8 need 6 bytes, but the file has only 2"
        ),
        "{error}"
    );
}

#[test]
fn bytes_before_local_samples_are_counted_from_the_files_start() {
    let header = |size: usize| format!("{SMALL}\nHeaderSize = {size:03}");
    let length = mha(&header(0), &[]).len();
    for more in [0, 5] {
        let data = [&vec![9; more][..], &[1, 2, 3, 4, 5, 6]].concat();
        let file = mha(&header(length + more), &data);
        let file = read_bytes("a.mha", &file).unwrap();
        assert_eq!(file.volume.bytes(), [1, 2, 3, 4, 5, 6]);
    }
    let error = message("a.mha", &mha(&header(7), &[0; 6]));
    let fact = format!("HeaderSize is 7, but the samples begin at byte {length} or later");
    assert!(error.contains(&fact), "{error}");
}

/// ITK ignores such fields.
#[test]
fn field_names_in_another_case_are_noted() {
    let read = |name: &str| {
        let lines = format!("{SMALL}\n{name} = 2 3 4");
        let file = read_bytes("a.mha", &mha(&lines, &[0; 6])).unwrap();
        (file.volume.geometry().spacing(), file.header.notes)
    };
    let spacing = Vector3::new(2.0, 3.0, 4.0);
    assert_eq!(read("ElementSpacing"), (spacing, Vec::new()));
    let note = "the field elementspacing is taken as ElementSpacing; other programs, which distinguish upper and lower case, ignore it";
    assert_eq!(read("elementspacing"), (spacing, vec![note.to_owned()]));
    assert_eq!(read("unknown").1, Vec::<String>::new());
}

#[test]
fn places_that_are_odd() {
    let read = |line: &str| {
        let file = read_bytes("a.mha", &mha(&format!("{SMALL}\n{line}"), &[0; 6])).unwrap();
        let world = file
            .volume
            .geometry()
            .index_to_world(Point3::new(1.0, 1.0, 1.0));
        (world, file.header.notes)
    };
    let (world, notes) = read("ElementSpacing = 1 -2 3");
    assert_eq!(world, Point3::new(-1.0, 2.0, 3.0));
    let note = "ElementSpacing has -2 for axis 1: the axis is taken to run the other way";
    assert_eq!(notes, [note]);
    let (world, notes) = read("Offset = 5 nan 7");
    assert_eq!(world, Point3::new(-1.0, -1.0, 1.0));
    assert_eq!(notes, ["Offset has NaN: the origin is taken as 0"]);
}

#[test]
fn contradictory_fields_are_rejected() {
    for (lines, fact) in [
        (
            "ElementSpacing = 1 1 1\nElementSpacing = 2 2 2",
            "the field ElementSpacing appears twice",
        ),
        (
            "ElementSpacing = 1 1 1\nelementspacing = 1 1 1",
            "the field elementspacing appears twice",
        ),
        ("DimSize = 3 1 2", "the field DimSize appears twice"),
        (
            "ElementType = MET_CHAR",
            "the field ElementType appears twice",
        ),
        ("NDims = 3", "the field NDims appears twice"),
        (
            "Offset = 1 2 3\nOrigin = 4 5 6",
            "the fields Offset and Origin have one meaning, but the values \"1 2 3\" and \"4 5 6\"",
        ),
        (
            "Position = 1 2 3\nOffset = 1 2 4",
            "the fields Position and Offset have one meaning",
        ),
        (
            "Rotation = 1 0 0 0 1 0 0 0 1\nTransformMatrix = 0 1 0 1 0 0 0 0 1",
            "the fields Rotation and TransformMatrix have one meaning",
        ),
        (
            "BinaryDataByteOrderMSB = False\nElementByteOrderMSB = True",
            "the fields BinaryDataByteOrderMSB and ElementByteOrderMSB have one meaning",
        ),
        (
            "Modality = MET_MOD_CT\nModality = MET_MOD_MR",
            "the field Modality appears twice",
        ),
    ] {
        let found = message("a.mha", &mha(&format!("{SMALL}\n{lines}"), &[0; 6]));
        assert!(found.contains(fact), "{lines}: {found}");
    }
    // Synonyms that agree, and comments, which have no meaning.
    for lines in [
        "BinaryDataByteOrderMSB = False\nElementByteOrderMSB = False",
        "Offset = 1 2 3\nOrigin = 1 2 3",
        "Comment = a\nComment = b",
        // The size of a sample is not its distance from the next one.
        "ElementSize = 2 2 2\nElementSpacing = 1 1 1",
    ] {
        let file = read_bytes("a.mha", &mha(&format!("{SMALL}\n{lines}"), &[0; 6])).unwrap();
        assert_eq!(file.volume.geometry().spacing().x, 1.0, "{lines}");
    }
}

#[test]
fn damaged_headers_are_reported_with_the_field() {
    for (line, fact) in [
        (
            "ElementSpacing = 1 1",
            "ElementSpacing has 2 numbers, but NDims is 3",
        ),
        ("ElementSpacing = 1 0 1", "ElementSpacing of axis 1 is 0"),
        ("Offset = 1 2 x", "Offset has \"x\""),
        (
            "TransformMatrix = 1 0 0 0 1 0",
            "TransformMatrix has 6 numbers, but NDims is 3, which needs 9",
        ),
        ("TransformMatrix = 1 0 0 1 0 0 0 0 1", "determinant 0e0"),
        (
            "ElementNumberOfChannels = 0",
            "ElementNumberOfChannels is \"0\"; use an integer of at least 1",
        ),
        (
            "BinaryDataByteOrderMSB = maybe",
            "BinaryDataByteOrderMSB is \"maybe\"",
        ),
        ("HeaderSize = -7", "HeaderSize is -7"),
        ("nonsense", "has no \"=\""),
    ] {
        let found = message("a.mha", &mha(&format!("{SMALL}\n{line}"), &[0; 6]));
        assert!(found.contains(fact), "{line}: {found}");
    }
    for (lines, fact) in [
        ("DimSize = 1 1 1\nElementType = MET_UCHAR", "no field NDims"),
        (
            "NDims = 0\nDimSize = 1\nElementType = MET_UCHAR",
            "NDims is \"0\"; use 1 to 10",
        ),
        ("NDims = 3\nElementType = MET_UCHAR", "no field DimSize"),
        (
            "NDims = 3\nDimSize = 1 1\nElementType = MET_UCHAR",
            "DimSize has 2 numbers",
        ),
        ("NDims = 1\nDimSize = 1", "no field ElementType"),
        (
            "NDims = 1\nDimSize = 1\nElementType = MET_STRING",
            "ElementType \"MET_STRING\" is not supported",
        ),
    ] {
        let found = message("a.mha", &mha(lines, &[0; 6]));
        assert!(found.contains(fact), "{lines}: {found}");
    }
    let unfinished = message("a.mhd", b"NDims = 3\nDimSize = 1 1 1\n");
    assert!(
        unfinished.contains("no field ElementDataFile; the file is truncated"),
        "{unfinished}"
    );
    let list = message(
        "a.mhd",
        b"NDims = 1\nDimSize = 1\nElementType = MET_CHAR\nElementDataFile = LIST\n",
    );
    assert!(
        list.contains("sizes 1 cannot be divided among 0 data files"),
        "{list}"
    );
    let not_one = message("a.mhd", b"\x7fELF\x02\x01");
    assert!(not_one.contains("not a MetaImage file"), "{not_one}");
}
