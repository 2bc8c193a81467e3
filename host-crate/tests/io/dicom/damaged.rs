//! Damaged files, and files with a transfer syntax that is not read.

use nalgebra::Vector3;
use std::fs;
use std::io::Write;

use super::{Slice, Writer, append_samples, read, start};

#[test]
fn lying_sizes_are_refused_before_memory_is_allocated() {
    for (tag, value, expected) in [
        (
            0x0028_0008_u32,
            "2000000000",
            "NumberOfFrames is 2000000000",
        ),
        (
            0x0028_0008,
            "70000",
            "70000 frames of 4 x 3 need 1680000 bytes, but there are 24",
        ),
    ] {
        let slice = Slice::new(Vector3::zeros());
        let mut bytes = slice.bytes();
        let mut out = Writer(std::mem::take(&mut bytes));
        out.text(tag, "IS", value);
        append_samples(&mut out.0, &[0; 12]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lie.dcm");
        fs::write(&path, &out.0).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn unread_transfer_syntaxes_are_named_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dcm");
    fs::write(&path, start("1.2.840.10008.1.2.4.50").0).unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(
        error.contains("JPEG baseline") && error.contains("dcmdjpeg"),
        "{error}"
    );
}

/// Returns a file whose data set is compressed with deflate.
fn deflated(dataset: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut content = Writer(Vec::new());
    dataset(&mut content);
    let mut encoder =
        flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&content.0).unwrap();
    let mut file = start("1.2.840.10008.1.2.1.99").0;
    file.extend(encoder.finish().unwrap());
    file
}

fn read_error(bytes: &[u8]) -> String {
    crate::helpers::message("a.dcm", bytes)
}

/// A few kilobytes can neither describe millions of frames nor gigabytes of attributes.
#[test]
fn small_files_do_not_expand_without_limit() {
    let frames = 40 << 20;
    let bomb = deflated(|out| {
        let slice = Slice {
            columns: 1,
            rows: 1,
            ..Slice::new(Vector3::zeros())
        };
        slice.pixels(out, 1, slice.spacing);
        out.text(0x0028_0008, "IS", &frames.to_string());
        out.element(0x7FE0_0010, "OW", &vec![0; 2 * frames]);
    });
    assert!(bomb.len() < 200_000);
    let error = read_error(&bomb);
    assert!(error.contains("NumberOfFrames is 41943040"), "{error}");
    let value = vec![b'A'; 60_000];
    let bomb = deflated(|out| {
        for _ in 0..10_000 {
            out.element(0x0008_103E, "LO", &value);
        }
    });
    assert!(bomb.len() < 2_000_000);
    let error = read_error(&bomb);
    assert!(error.contains("attributes"), "{error}");
}

#[test]
fn some_images_without_a_position_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for z in 0..3 {
        let slice = Slice::new(Vector3::z() * f64::from(z));
        slice.write(folder.path(), &format!("{z}.dcm"));
    }
    let mut bytes = fs::read(folder.path().join("1.dcm")).unwrap();
    let position = bytes.windows(4).position(|it| it == [0x20, 0, 0x32, 0]);
    // another element in its place
    bytes[position.unwrap() + 2] = 0x33;
    fs::write(folder.path().join("1.dcm"), bytes).unwrap();
    let error = read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("1 of 3 images"), "{error}");
}

/// Sequences whose representation is unknown are in implicit little-endian, and the fragments of a
/// preview are no data sets.
#[test]
fn unknown_sequences_and_previews_are_parsed() {
    let frames = 3_u16;
    let implicit = |tag: u32, value: &[u8]| {
        let mut bytes = ((tag >> 16) as u16).to_le_bytes().to_vec();
        bytes.extend((tag as u16).to_le_bytes());
        bytes.extend((value.len() as u32).to_le_bytes());
        bytes.extend(value);
        bytes
    };
    let sequence = |tag: u32, content: &[u8]| implicit(tag, &Writer::item(content));
    let mut groups = Vec::new();
    for frame in 0..frames {
        let position = implicit(0x0020_0032, format!("0\\0\\{} ", 3 * frame).as_bytes());
        groups.extend(Writer::item(&sequence(0x0020_9113, &position)));
    }
    let orientation = sequence(0x0020_9116, &implicit(0x0020_0037, b"1\\0\\0\\0\\1\\0 "));
    let slice = Slice::new(Vector3::zeros());
    let mut out = start(super::EXPLICIT);
    // an icon whose samples are compressed in fragments
    out.0
        .extend([0x88, 0, 0, 2, b'S', b'Q', 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]);
    out.0.extend([0xFE, 0xFF, 0, 0xE0, 0xFF, 0xFF, 0xFF, 0xFF]);
    out.0.extend([
        0xE0, 0x7F, 0x10, 0, b'O', b'B', 0, 0, 0xFF, 0xFF, 0xFF, 0xFF,
    ]);
    out.0.extend(Writer::item(&[]));
    out.0
        .extend(Writer::item(&[0xFF, 0xD8, 1, 2, 3, 4, 5, 6, 7, 8]));
    for end in [0xDD, 0x0D, 0xDD] {
        out.0.extend([0xFE, 0xFF, end, 0xE0, 0, 0, 0, 0]);
    }
    slice.pixels(&mut out, frames, slice.spacing);
    out.element(0x5200_9229, "UN", &Writer::item(&orientation));
    out.element(0x5200_9230, "UN", &groups);
    append_samples(&mut out.0, &[0; 36]);
    let file = crate::helpers::read_bytes("a.dcm", &out.0).unwrap();
    assert_eq!(file.volume.dims(), [4, 3, 3]);
    assert!((file.volume.geometry().spacing()[2] - 3.0).abs() < 1e-12);
}

#[test]
fn palettes_and_invalid_spacings_are_noted() {
    let slice = Slice {
        spacing: [0.0, 0.0],
        ..Slice::new(Vector3::zeros())
    };
    let mut bytes = slice.bytes();
    append_samples(&mut bytes, &[0; 12]);
    // as many characters: 12 with the padding
    let at = bytes.windows(11).position(|it| it == b"MONOCHROME2");
    let at = at.unwrap();
    bytes[at..at + 12].copy_from_slice(b"PALETTE     ");
    let file = crate::helpers::read_bytes("a.dcm", &bytes).unwrap();
    let notes = file.header.notes.join("; ");
    assert!(notes.contains("palette"), "{notes}");
    assert!(notes.contains("no valid PixelSpacing"), "{notes}");
}
