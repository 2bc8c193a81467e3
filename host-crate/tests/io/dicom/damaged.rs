//! Damaged files, and files with a transfer syntax that is not read.

use nalgebra::Vector3;
use std::fs;

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
