//! Replacement of meaningless header fields, with a note for each.
//!
//! Headers are written by many programs. Replacements are those of nibabel, or those of ITK if
//! nibabel would use a value that is not finite.

use super::damaged;
use super::header::Header;
use crate::io::FileProblem;

/// `NIFTI_XFORM_*` codes: unknown, scanner, aligned, Talairach, MNI 152, another template.
const CODES: std::ops::RangeInclusive<i32> = 0..=5;
/// Amount by which the squares of a unit quaternion may exceed 1 because of rounding.
const ROUNDING: f64 = 4e-7;
/// Codes of the spatial units other than millimetres.
const UNITS: [(i32, &str); 2] = [(1, "metres"), (3, "micrometres")];

/// Replaces every meaningless field.
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

/// Returns the number of axes that the header declares; fields of further axes are meaningless.
fn axes(header: &Header) -> usize {
    header.dim[0].clamp(0, 7) as usize
}

fn spacing(header: &mut Header, notes: &mut Vec<String>) {
    let axes = axes(header);
    for (axis, step) in header.pixdim.iter_mut().enumerate().take(4).skip(1) {
        let replacement = match *step {
            step if step > 0.0 && step.is_finite() => continue,
            step if step < 0.0 && step.is_finite() => -step,
            _ => 1.0,
        };
        if axis <= axes {
            notes.push(format!(
                "pixdim[{axis}] is {step}, which is no spacing: it is taken as {replacement}"
            ));
        }
        *step = replacement;
    }
    // The standard defines 0 as 1.
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

/// Disables sform and qform if one of their fields is not finite.
fn maps(header: &mut Header, notes: &mut Vec<String>) {
    let first_invalid = |names: [&'static str; 3], values: [&[f64]; 3]| {
        let fields = names.into_iter().zip(values);
        let mut all = fields.flat_map(|(name, values)| values.iter().map(move |it| (name, *it)));
        all.find(|(_, value)| !value.is_finite())
    };
    let [b, c, d] = header.quatern.each_ref().map(std::slice::from_ref);
    let [x, y, z] = header.qoffset.each_ref().map(std::slice::from_ref);
    let rows = header.srow.each_ref().map(<[f64; 4]>::as_slice);
    let in_sform = first_invalid(["srow_x", "srow_y", "srow_z"], rows);
    let in_qform = first_invalid(["quatern_b", "quatern_c", "quatern_d"], [b, c, d])
        .or_else(|| first_invalid(["qoffset_x", "qoffset_y", "qoffset_z"], [x, y, z]));
    for (form, code, found) in [
        ("sform", &mut header.sform_code, in_sform),
        ("qform", &mut header.qform_code, in_qform),
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
    // NaN means no scaling, like 0.
    if slope != 0.0 && slope.is_finite() && !intercept.is_finite() {
        return Err(damaged(format!(
            "scl_inter is {intercept} with a scl_slope of {slope}; use a finite number, or a scl_slope of 0 for no scaling"
        )));
    }
    Ok(())
}
