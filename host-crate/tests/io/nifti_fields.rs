//! NIfTI headers with meaningless fields, which are interpreted as by nibabel, with a note.

use ferrovox::io::VolumeFile;
use nalgebra::{Matrix4, Vector3};

use crate::helpers::{message, read_bytes};
use crate::nifti_files::Nifti;

const CODES: usize = 252;
const PIXDIM: usize = 76;
const QUATERN: usize = 256;
const SROW: usize = 280;
const SCL: usize = 112;

/// Returns a grid of 2 x 3 x 4 with an sform (origin 11, 21, 31), a qform (origin 10, 20, 30) and
/// the spacing 2, 3, 4.
fn both() -> Nifti {
    let mut file = Nifti::new(&[2, 3, 4], 2, 8);
    file.i16(CODES, 1);
    file.i16(CODES + 2, 1);
    for axis in 0..3 {
        file.f32(PIXDIM + 4 + 4 * axis, 2.0 + axis as f32);
        file.f32(QUATERN + 12 + 4 * axis, 10.0 * (1.0 + axis as f32));
        file.f32(SROW + 20 * axis, 2.0 + axis as f32);
        file.f32(SROW + 16 * axis + 12, 10.0 * (1.0 + axis as f32) + 1.0);
    }
    file
}

/// Returns the same grid with the qform only.
fn qform() -> Nifti {
    let mut file = both();
    file.i16(CODES + 2, 0);
    file
}

fn read(file: Nifti) -> VolumeFile {
    read_bytes("a.nii", &file.samples(&[7; 24])).unwrap()
}

fn affine(spacing: [f64; 3], origin: [f64; 3]) -> Matrix4<f64> {
    let mut affine = Matrix4::from_diagonal(&Vector3::from(spacing).push(1.0));
    affine
        .fixed_view_mut::<3, 1>(0, 3)
        .copy_from(&Vector3::from(origin));
    affine
}

/// Reads a file and checks the origin and a note.
fn check(file: Nifti, spacing: [f64; 3], origin: [f64; 3], note: &str) {
    let found = read(file);
    let notes = &found.header.notes;
    let place = found.volume.geometry().affine();
    assert!(
        (place - affine(spacing, origin)).abs().max() < 1e-6,
        "{note}: {place}"
    );
    assert!(
        notes.iter().any(|it| it.contains(note)),
        "{note}: {notes:?}"
    );
}

#[test]
fn unknown_form_codes_count_as_zero() {
    for code in [57, 6, -3] {
        let mut file = both();
        file.i16(CODES + 2, code);
        let note = format!("sform_code is {code}; codes are 0 to 5: it is taken as 0");
        check(file, [2.0, 3.0, 4.0], [10.0, 20.0, 30.0], &note);
        let mut file = qform();
        file.i16(CODES, code);
        let note = format!("qform_code is {code}; codes are 0 to 5");
        check(file, [2.0, 3.0, 4.0], [0.0; 3], &note);
    }
}

#[test]
fn invalid_spacings_are_replaced() {
    let origin = [10.0, 20.0, 30.0];
    for (value, taken) in [
        (0.0, 1.0),
        (-2.5, 2.5),
        (f32::NAN, 1.0),
        (f32::INFINITY, 1.0),
        (f32::NEG_INFINITY, 1.0),
    ] {
        let mut file = qform();
        file.f32(PIXDIM + 4, value);
        let note = format!("pixdim[1] is {value}, which is no spacing: it is taken as {taken}");
        check(file, [taken, 3.0, 4.0], origin, &note);
        // The sform does not use the spacing.
        let mut file = both();
        file.f32(PIXDIM + 4, value);
        check(file, [2.0, 3.0, 4.0], [11.0, 21.0, 31.0], &note);
    }
    // The spacing of an axis that does not exist.
    let mut image = Nifti::new(&[2, 3], 2, 8);
    image.f32(PIXDIM + 12, -7.0);
    let found = read_bytes("a.nii", &image.samples(&[0; 6])).unwrap();
    assert_eq!(found.header.notes.len(), 1, "{:?}", found.header.notes);
}

#[test]
fn invalid_qfac_counts_as_one() {
    for value in [0.5, -0.5, 2.0, -2.0, f32::NAN, f32::NEG_INFINITY] {
        let mut file = qform();
        file.f32(PIXDIM, value);
        let note = format!("pixdim[0] is {value}; the sign of z is -1 or 1: it is taken as 1");
        check(file, [2.0, 3.0, 4.0], [10.0, 20.0, 30.0], &note);
    }
    for (value, sign) in [(0.0, 1.0), (1.0, 1.0), (-1.0, -1.0)] {
        let mut file = qform();
        file.f32(PIXDIM, value);
        let found = read(file);
        assert_eq!(found.volume.geometry().axes()[(2, 2)], 4.0 * sign);
        assert_eq!(found.header.notes, [""; 0]);
    }
}

#[test]
fn affines_that_are_not_finite_are_not_used() {
    let mut file = both();
    file.f32(SROW + 4, f32::NAN);
    let origin = [10.0, 20.0, 30.0];
    check(
        file,
        [2.0, 3.0, 4.0],
        origin,
        "srow_x has NaN: the sform is not used",
    );
    for (offset, name) in [(4, "quatern_c"), (20, "qoffset_z")] {
        let mut file = qform();
        file.f32(QUATERN + offset, f32::INFINITY);
        let note = format!("{name} has inf: the qform is not used");
        check(file, [2.0, 3.0, 4.0], [0.0; 3], &note);
    }
    let mut file = qform();
    file.f32(QUATERN, 1.0);
    file.f32(QUATERN + 4, 1.0);
    let found = read(file);
    let note = "whose squares add up to 2, not 1 at most";
    assert!(
        found.header.notes[0].contains(note),
        "{:?}",
        found.header.notes
    );
}

#[test]
fn invalid_scalings_are_rejected_and_units_noted() {
    let mut file = both();
    file.f32(SCL, f32::INFINITY);
    let note = "scl_slope is inf: the samples are not scaled";
    check(file, [2.0, 3.0, 4.0], [11.0, 21.0, 31.0], note);
    let mut file = both();
    file.f32(SCL, 2.0);
    file.f32(SCL + 4, f32::NAN);
    let error = message("a.nii", &file.samples(&[0; 24]));
    assert!(
        error.contains("scl_inter is NaN with a scl_slope of 2"),
        "{error}"
    );
    for (code, name) in [(1, "metres"), (3 + 8, "micrometres")] {
        let mut file = both();
        file.put(123, &[code]);
        let note = format!("xyzt_units is {code}: lengths in the file are {name}");
        check(file, [2.0, 3.0, 4.0], [11.0, 21.0, 31.0], &note);
    }
}

#[test]
fn invalid_sizes_bits_and_offsets_are_replaced() {
    let (spacing, origin) = ([2.0, 3.0, 4.0], [11.0, 21.0, 31.0]);
    let mut file = both();
    file.i16(72, 16);
    let note = "bitpix is 16, but samples of datatype 2 have 8 bits: 8 are taken";
    check(file, spacing, origin, note);
    let mut file = both();
    file.i16(40, 5);
    file.i16(48, 0);
    file.i16(50, 1);
    check(file, spacing, origin, "dim[4] is 0: it is taken as 1");
    let mut file = both();
    file.f32(108, 352.5);
    let note = "vox_offset is 352.5: the samples are taken to begin at byte 352";
    check(file, spacing, origin, note);
    let mut file = both();
    file.f32(108, 0.0);
    let note = "vox_offset is 0: the samples are taken to begin at byte 352";
    check(file, spacing, origin, note);
    let mut file = both();
    file.put(344, b"ni1\0");
    let note = "the magic is that of a pair of files, but the name is not: the samples are taken from the same file";
    check(file, spacing, origin, note);
}

#[test]
fn maps_beyond_the_range_of_positions_are_errors() {
    // A fallback to the qform or to the spacing would place the volume elsewhere.
    let mut file = both();
    file.f32(SROW, 3e38);
    let error = message("a.nii", &file.samples(&[7; 24]));
    assert!(
        error.contains("e38; the range is 1e-27 to 1e27: correct the spacing"),
        "{error}"
    );
    let mut file = qform();
    file.f32(QUATERN + 12, 1e30);
    let error = message("a.nii", &file.samples(&[7; 24]));
    assert!(
        error.contains("the origin has the x coordinate 1"),
        "{error}"
    );
    let mut file = Nifti::new(&[2, 3, 4], 2, 8);
    file.f32(PIXDIM + 8, 1e-30);
    let error = message("a.nii", &file.samples(&[7; 24]));
    assert!(error.contains("e-30; the range is"), "{error}");
}
