//! Grids whose world positions exceed the range of `f32`, in every format with a geometry.

use ferrovox::io::{ReadOptions, VolumeReader};

use crate::helpers::message;
use crate::metaimage::mha;
use crate::nifti_files::Nifti;
use crate::nrrd::nrrd;

/// Checks that a file is rejected, as a whole and by planes, with a message that contains `part`.
fn check(name: &str, bytes: &[u8], part: &str) {
    let whole = message(name, bytes);
    assert!(whole.contains(part), "{whole}");
    assert!(whole.contains("1e27: correct the"), "{whole}");
    let reader = VolumeReader::from_bytes(name, bytes, &ReadOptions::default());
    assert_eq!(reader.err().expect("out of range").to_string(), whole);
}

/// Returns a NIfTI-2 file of 2 x 1 x 1 samples with an sform of this spacing and x origin.
fn nifti_2_file(spacing: f64, origin: f64) -> Vec<u8> {
    let mut bytes = vec![0; 544];
    let mut put = |offset: usize, value: &[u8]| {
        bytes[offset..offset + value.len()].copy_from_slice(value);
    };
    put(0, &540_i32.to_le_bytes());
    put(4, b"n+2\0\r\n\x1a\n");
    put(12, &2_i16.to_le_bytes());
    put(14, &8_i16.to_le_bytes());
    for (axis, size) in [3_i64, 2, 1, 1].into_iter().enumerate() {
        put(16 + 8 * axis, &size.to_le_bytes());
        put(104 + 8 * axis, &1.0_f64.to_le_bytes());
    }
    put(168, &544_i64.to_le_bytes());
    put(348, &1_i32.to_le_bytes());
    for row in 0..3 {
        put(400 + 40 * row, &spacing.to_le_bytes());
    }
    put(424, &origin.to_le_bytes());
    bytes.extend([1, 2]);
    bytes
}

#[test]
fn nifti_2() {
    assert!(crate::helpers::read_bytes("a.nii", &nifti_2_file(1e27, -1e27)).is_ok());
    check(
        "a.nii",
        &nifti_2_file(1e39, 0.0),
        "the spacing along x is 1e39",
    );
    check(
        "a.nii",
        &nifti_2_file(1e-40, 0.0),
        "the spacing along x is 1e-40",
    );
    check("a.nii", &nifti_2_file(1.0, 1e39), "the x coordinate 1e39");
    check(
        "a.nii",
        &nifti_2_file(1.0, -1e200),
        "the x coordinate -1e200",
    );
}

#[test]
fn analyze() {
    let mut file = Nifti::new(&[2, 1, 1], 2, 8);
    file.put(344, &[0; 4]);
    file.f32(84, 1e30);
    let error = ferrovox::io::read_volume_bytes("a.hdr", &file.0, &ReadOptions::default());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("the spacing along y is 1"), "{error}");
}

#[test]
fn nrrd_spacings_and_origins() {
    let small = "type: uint8\ndimension: 3\nsizes: 2 1 1\nencoding: raw";
    for (line, part) in [
        ("spacings: 1 1e39 1", "the spacing along y is 1e39"),
        ("spacings: 1 1 1e-39", "the spacing along z is 1e-39"),
        (
            "space dimension: 3\nspace directions: (1e39,0,0) (0,1,0) (0,0,1)",
            "the spacing along x is 1e39",
        ),
        (
            "space: RAS\nspace directions: (1,0,0) (0,1,0) (0,0,1)\nspace origin: (0,1e39,0)",
            "the y coordinate 1e39",
        ),
    ] {
        check("a.nrrd", &nrrd(&format!("{small}\n{line}"), &[1, 2]), part);
    }
}

#[test]
fn metaimage_spacings_and_offsets() {
    let small = "NDims = 3\nDimSize = 2 1 1\nElementType = MET_UCHAR";
    for (line, part) in [
        ("ElementSpacing = 1 1 1e39", "the spacing along z is 1e39"),
        ("ElementSpacing = 1e-39 1 1", "the spacing along x is 1e-39"),
        ("Offset = 0 0 1e39", "the z coordinate 1e39"),
    ] {
        check("a.mha", &mha(&format!("{small}\n{line}"), &[1, 2]), part);
    }
}
