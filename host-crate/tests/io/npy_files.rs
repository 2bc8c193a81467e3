//! npy files with handwritten headers, compared with Python.

use ferrovox::grid::{AnyVolume, Geometry, SampleType};
use ferrovox::io::{ByteOrder, StoredType, VolumeWriteOptions, write_volume};

use crate::helpers::{folder, message, read_bytes, sample_volume};
use crate::npy_by_python;

/// Returns a version 1.0 file of a header text and data.
pub fn npy(text: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(((text.len() + 1) as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.push(b'\n');
    bytes.extend(data);
    bytes
}

fn header(descr: &str, fortran: bool, shape: &str) -> String {
    let order = if fortran { "True" } else { "False" };
    format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}")
}

#[test]
fn the_fastest_axis_is_x_in_either_order() {
    let data = [0, 1, 2, 3, 4, 5];
    let c = read_bytes("a.npy", &npy(&header("|u1", false, "(1, 2, 3)"), &data)).unwrap();
    assert_eq!(c.volume.dims(), [3, 2, 1]);
    let fortran = read_bytes("a.npy", &npy(&header("|u1", true, "(3, 2, 1)"), &data)).unwrap();
    assert_eq!(fortran.volume, c.volume);
}

#[test]
fn arrays_with_fewer_and_more_axes_are_read() {
    let line = read_bytes("a.npy", &npy(&header("|u1", false, "(4,)"), &[0; 4])).unwrap();
    assert_eq!(line.volume.dims(), [4, 1, 1]);
    let scalar = read_bytes("a.npy", &npy(&header("|u1", false, "()"), &[9])).unwrap();
    assert_eq!(scalar.volume.dims(), [1, 1, 1]);
    let one = read_bytes(
        "a.npy",
        &npy(&header("|u1", false, "(1, 2, 2, 2)"), &[0; 8]),
    )
    .unwrap();
    assert_eq!(one.volume.dims(), [2, 2, 2]);
    let found = message(
        "a.npy",
        &npy(&header("|u1", false, "(5, 2, 2, 2)"), &[0; 40]),
    );
    assert!(found.contains("the file holds 5 volumes"), "{found}");
}

#[test]
fn all_dtypes_are_read_or_rejected() {
    for (descr, stored, order) in [
        ("|b1", StoredType::U8, ByteOrder::Little),
        ("|u1", StoredType::U8, ByteOrder::Little),
        ("|i1", StoredType::I8, ByteOrder::Little),
        ("<u2", StoredType::U16, ByteOrder::Little),
        (">i2", StoredType::I16, ByteOrder::Big),
        (">u4", StoredType::U32, ByteOrder::Big),
        ("<i4", StoredType::I32, ByteOrder::Little),
        ("<i8", StoredType::I64, ByteOrder::Little),
        (">u8", StoredType::U64, ByteOrder::Big),
        ("<f4", StoredType::F32, ByteOrder::Little),
        (">f8", StoredType::F64, ByteOrder::Big),
    ] {
        let bytes = npy(&header(descr, false, "(2,)"), &vec![0; 2 * stored.bytes()]);
        let file = read_bytes("a.npy", &bytes).unwrap();
        assert_eq!(
            (file.header.stored_type, file.header.byte_order),
            (stored, order),
            "{descr}"
        );
    }
    let file = read_bytes(
        "a.npy",
        &npy(
            &header(">i8", false, "(1,)"),
            &[255, 255, 255, 255, 255, 255, 255, 254],
        ),
    )
    .unwrap();
    let AnyVolume::I32(volume) = &file.volume else {
        panic!("i32 samples")
    };
    assert_eq!(volume.samples(), [-2]);
    for descr in ["<f2", "|O", "|S7", "<U3", "<M8[s]"] {
        let found = message("a.npy", &npy(&header(descr, false, "(1,)"), &[0; 12]));
        assert!(
            found.contains("is not supported") && found.contains("npy dtype"),
            "{found}"
        );
    }
    let record = "{'descr': [('a', '<f4'), ('b', '<i2')], 'fortran_order': False, 'shape': (1,)}";
    assert!(message("a.npy", &npy(record, &[0; 6])).contains("is not supported"));
}

#[test]
fn damaged_headers_are_reported_with_the_field() {
    for (text, fact) in [
        ("", "damaged npy header"),
        (
            "{'descr': '<f4', 'fortran_order': False}",
            "damaged npy header",
        ),
        (
            "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
            "damaged npy header",
        ),
        ("(((", "expected '{', found"),
    ] {
        let found = message("a.npy", &npy(text, &[0; 8]));
        assert!(found.contains(fact), "{text}: {found}");
    }
    assert!(
        message("a.npy", b"\x93NUMPY\x01")
            .contains("the npy header ends after 7 bytes instead of at least 10")
    );
    assert!(
        message("a.npy", b"\x93NUMPY\x01\x00\x50\x00{")
            .contains("the npy header ends after 11 bytes instead of at least 90")
    );
    // A length of 4 GiB.
    let found = message("a.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}");
    assert!(found.contains("it has 4294967295 bytes of text"), "{found}");
    assert!(message("a.npy", b"NUMPY").contains("not a npy file"));
}

#[test]
fn written_files_are_read_by_another_library() {
    let folder = folder();
    let path = folder.path().join("volume.npy");
    let volume = sample_volume(SampleType::F64, Geometry::default());
    for byte_order in [ByteOrder::Little, ByteOrder::Big] {
        write_volume(
            &path,
            &volume,
            &VolumeWriteOptions {
                byte_order,
                compress: false,
                ..VolumeWriteOptions::default()
            },
        )
        .unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!((bytes.len() - 60 * 8) % 64, 0, "the samples are aligned");
        let Some((shape, samples)) = npy_by_python::read(&path) else {
            return;
        };
        assert_eq!(shape, [5, 4, 3]);
        assert_eq!(bytemuck::cast_slice::<f64, u8>(&samples), volume.bytes());
    }
}
