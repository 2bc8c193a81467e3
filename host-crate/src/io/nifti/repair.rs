//! Header fields with values that mean nothing: what is taken in their place, and a note of it.
//!
//! Headers come from many programs. What is taken is what nibabel takes; where that is no number,
//! what ITK takes.

use super::damaged;
use super::header::Header;
use crate::io::FileProblem;

/// `NIFTI_XFORM_*`: unknown, scanner, aligned, Talairach, MNI 152, another template.
const CODES: std::ops::RangeInclusive<i32> = 0..=5;
/// The squares of a rotation's quaternion may add up to so much more than 1 by rounding.
const ROUNDING: f64 = 4e-7;
/// Units of space other than millimetres, by their code.
const UNITS: [(i32, &str); 2] = [(1, "metres"), (3, "micrometres")];

/// Puts what is taken in the place of each field that means nothing.
pub(super) fn repair(header: &mut Header, notes: &mut Vec<String>) -> Result<(), FileProblem> {
    codes(header, notes);
    spacing(header, notes);
    rotation(header, notes);
    maps(header, notes);
    sizes(header, notes);
    scaling(header, notes)?;
    let unit = header.xyzt_units & 7;
    if let Some((_, name)) = UNITS.iter().find(|(code, _)| *code == unit) {
        notes.push(format!(
            "xyzt_units is {}: lengths in the file are {name}, and are taken as they stand",
            header.xyzt_units
        ));
    }
    Ok(())
}

fn codes(header: &mut Header, notes: &mut Vec<String>) {
    for (name, code) in [
        ("sform", &mut header.sform_code),
        ("qform", &mut header.qform_code),
    ] {
        if !CODES.contains(code) {
            notes.push(format!(
                "{name}_code is {code}; codes are 0 to 5: it is taken as 0, so there is no {name}"
            ));
            *code = 0;
        }
    }
}

/// The axes that the header says there are; fields of others mean nothing.
fn axes(header: &Header) -> usize {
    header.dim[0].clamp(0, 7) as usize
}

fn spacing(header: &mut Header, notes: &mut Vec<String>) {
    let axes = axes(header);
    for (axis, step) in header.pixdim.iter_mut().enumerate().take(4).skip(1) {
        let taken = match *step {
            step if step > 0.0 && step.is_finite() => continue,
            step if step < 0.0 && step.is_finite() => -step,
            _ => 1.0,
        };
        if axis <= axes {
            notes.push(format!(
                "pixdim[{axis}] is {step}, which is no spacing: it is taken as {taken}"
            ));
        }
        *step = taken;
    }
    // 0 stands for 1 by the standard
    let qfac = header.pixdim[0];
    if ![-1.0, 0.0, 1.0].contains(&qfac) {
        if header.qform_code > 0 {
            notes.push(format!(
                "pixdim[0] is {qfac}; the sign of z is -1 or 1: it is taken as 1"
            ));
        }
        header.pixdim[0] = 1.0;
    }
}

fn rotation(header: &Header, notes: &mut Vec<String>) {
    let [b, c, d] = header.quatern;
    let squares = b * b + c * c + d * d;
    if header.qform_code > 0 && squares > 1.0 + ROUNDING {
        notes.push(format!(
            "quatern_b, quatern_c and quatern_d are {b}, {c} and {d}, whose squares add up to {squares}, not 1 at most: \
             the rotation is taken as one by 180 degrees about that axis"
        ));
    }
}

/// A map that is no number somewhere is none.
fn maps(header: &mut Header, notes: &mut Vec<String>) {
    let bad = |names: [&'static str; 3], values: [&[f64]; 3]| {
        let fields = names.into_iter().zip(values);
        let mut all = fields.flat_map(|(name, values)| values.iter().map(move |it| (name, *it)));
        all.find(|(_, value)| !value.is_finite())
    };
    let [b, c, d] = header.quatern.each_ref().map(std::slice::from_ref);
    let [x, y, z] = header.qoffset.each_ref().map(std::slice::from_ref);
    let rows = header.srow.each_ref().map(<[f64; 4]>::as_slice);
    let of_sform = bad(["srow_x", "srow_y", "srow_z"], rows);
    let of_qform = bad(["quatern_b", "quatern_c", "quatern_d"], [b, c, d])
        .or_else(|| bad(["qoffset_x", "qoffset_y", "qoffset_z"], [x, y, z]));
    for (form, code, found) in [
        ("sform", &mut header.sform_code, of_sform),
        ("qform", &mut header.qform_code, of_qform),
    ] {
        if let (true, Some((name, value))) = (*code > 0, found) {
            notes.push(format!("{name} has {value}: the {form} is not used"));
            *code = 0;
        }
    }
}

fn sizes(header: &mut Header, notes: &mut Vec<String>) {
    let axes = axes(header);
    for (axis, size) in header.dim.iter_mut().enumerate().take(axes + 1).skip(4) {
        if *size == 0 {
            notes.push(format!("dim[{axis}] is 0: it is taken as 1"));
            *size = 1;
        }
    }
}

fn scaling(header: &Header, notes: &mut Vec<String>) -> Result<(), FileProblem> {
    let (slope, intercept) = (header.scl_slope, header.scl_inter);
    if slope.is_infinite() {
        notes.push(format!("scl_slope is {slope}: the samples are not scaled"));
    }
    // NaN, as 0, says that there is no scaling
    if slope != 0.0 && slope.is_finite() && !intercept.is_finite() {
        return Err(damaged(format!(
            "scl_inter is {intercept} with a scl_slope of {slope}; it must be a finite number, or scl_slope 0 for no scaling"
        )));
    }
    Ok(())
}
