//! Headerless files.

use std::fs;
use std::io::Write;

use ferrovox::grid::{AnyVolume, Geometry};
use ferrovox::io::{
    ByteOrder, RawLayout, ReadOptions, StoredType, VolumeFormat, read_volume, read_volume_bytes,
};

use crate::helpers::{folder, message};

fn options(raw: RawLayout) -> ReadOptions {
    ReadOptions {
        raw: Some(raw),
        ..ReadOptions::default()
    }
}

#[test]
fn dims_type_order_and_offset_are_the_callers() {
    let geometry = Geometry::from_spacing([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]).unwrap();
    let raw = RawLayout {
        byte_order: ByteOrder::Big,
        offset: 3,
        geometry,
        ..RawLayout::new([2, 1, 1], StoredType::I16)
    };
    let file = read_volume_bytes("a.raw", &[9, 9, 9, 0, 1, 255, 255], &options(raw)).unwrap();
    let AnyVolume::I16(volume) = &file.volume else {
        panic!("i16 samples")
    };
    assert_eq!(volume.samples(), [1, -1]);
    assert_eq!(volume.geometry(), &geometry);
}

#[test]
fn any_name_is_headerless_when_a_layout_is_given() {
    // These samples equal the start of a gzip file.
    let options = options(RawLayout::new([2, 1, 1], StoredType::U8));
    let file = read_volume_bytes("a.dat", &[0x1f, 0x8b], &options).unwrap();
    assert_eq!(file.header.format, VolumeFormat::Raw);
    assert_eq!(file.volume.bytes(), [0x1f, 0x8b]);
}

#[test]
fn gzip_by_name() {
    let folder = folder();
    let path = folder.path().join("a.raw.gz");
    let mut encoder = flate2::write::GzEncoder::new(
        fs::File::create(&path).unwrap(),
        flate2::Compression::fast(),
    );
    encoder.write_all(&[1, 2, 3, 4]).unwrap();
    encoder.finish().unwrap();
    let file = read_volume(&path, &options(RawLayout::new([2, 2, 1], StoredType::U8))).unwrap();
    assert_eq!(file.volume.bytes(), [1, 2, 3, 4]);
}

#[test]
fn the_length_must_match() {
    let raw = RawLayout::new([2, 2, 1], StoredType::U16);
    let error = read_volume_bytes("a.raw", &[0; 7], &options(raw.clone())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a.raw: sizes 2 x 2 x 1 of u16 need 8 bytes, but the file has only 7; fetch the truncated file again, or correct the sizes"
    );
    let error = read_volume_bytes("a.raw", &[0; 9], &options(raw.clone())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a.raw: sizes 2 x 2 x 1 of u16 need 8 bytes, but the file has 9; correct the sizes, or allow trailing bytes"
    );
    let lenient = ReadOptions {
        allow_trailing_bytes: true,
        ..options(raw)
    };
    assert!(read_volume_bytes("a.raw", &[0; 9], &lenient).is_ok());
}

#[test]
fn an_offset_beyond_the_end() {
    let raw = RawLayout {
        offset: 9,
        ..RawLayout::new([2, 1, 1], StoredType::U8)
    };
    let error = read_volume_bytes("a.raw", &[0; 8], &options(raw)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a.raw: the raw header ends after 8 bytes instead of at least 9; the file is truncated, fetch it again"
    );
}

#[test]
fn without_a_layout_the_message_asks_for_one() {
    assert_eq!(
        message("a.raw", &[0; 8]),
        "a.raw: the file has no header; give its dims and sample type"
    );
}

#[test]
fn overflowing_dims_are_rejected() {
    let raw = RawLayout::new([usize::MAX, usize::MAX, 2], StoredType::U8);
    let error = read_volume_bytes("a.raw", &[0; 8], &options(raw)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("need more bytes than 64 bits can count"),
        "{error}"
    );
}
