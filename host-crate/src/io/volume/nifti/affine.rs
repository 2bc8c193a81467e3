//! Voxel-to-world affine of a NIfTI header: sform, else qform, else the spacing alone.
//!
//! The order of preference and the formulas are those of the standard's header file, `nifti1.h`,
//! "3D image (volume) orientation and location in space", methods 3, 2 and 1.

use nalgebra::{Matrix3, Point3, Quaternion, UnitQuaternion, Vector3};

use super::header::Header;
use crate::grid::{Geometry, VolumeError};
use crate::io::FileProblem;

/// Grid that a header states.
pub(super) struct Grid {
    pub geometry: Geometry,
    /// `true` if the spacing is stated. Writers without a spacing leave 1 or 0.
    pub has_spacing: bool,
    /// `true` if there is an sform or a qform.
    pub has_origin: bool,
}

/// Returns the grid of the sform if the header has a valid one, else of the qform, else of the
/// spacing alone. Adds notes about an invalid method, a qform that differs from the sform, and a
/// header with neither. Pipelines report the notes of a reader as warnings.
///
/// # Errors
/// A spacing or an origin out of range.
pub(super) fn stated_grid(header: &Header, notes: &mut Vec<String>) -> Result<Grid, FileProblem> {
    type Method = fn(&Header) -> Result<Geometry, VolumeError>;
    let methods: [(&str, bool, Method); 2] = [
        ("sform", header.sform_code > 0, sform),
        ("qform", header.qform_code > 0, qform),
    ];
    for (name, present, method) in methods {
        if !present {
            continue;
        }
        match method(header) {
            Ok(geometry) => {
                if name == "sform" && header.qform_code > 0 {
                    notes.extend(difference(header, &geometry));
                }
                return Ok(Grid {
                    geometry,
                    has_spacing: true,
                    has_origin: true,
                });
            }
            // A map out of range is a mistake of units, not a field without a meaning.
            Err(error @ (VolumeError::SpacingRange { .. } | VolumeError::OriginRange { .. })) => {
                return Err(error.into());
            }
            Err(error) => notes.push(format!("the {name} is not used: {error}")),
        }
    }
    notes.push(
        "there is no usable sform or qform: the spacing is used, with origin 0 and x to the right, y to the front, z to the top, \
         as the standard has it; other programs may place and mirror it otherwise"
            .to_owned(),
    );
    let spacing = spacing(header);
    Ok(Grid {
        geometry: Geometry::from_spacing(spacing, [0.0; 3])?,
        has_spacing: spacing != [1.0; 3],
        has_origin: false,
    })
}

/// Returns the grid of an Analyze 7.5 volume: x to the left, y to the front, z to the top, as read
/// by SPM and nibabel; the format does not define it. `origin` is the 1-based voxel at the world
/// origin; without one, the centre of the grid is at the origin.
pub(super) fn analyze(
    header: &Header,
    origin: [i16; 3],
    notes: &mut Vec<String>,
) -> Result<Grid, FileProblem> {
    let [dx, dy, dz] = spacing(header);
    let size = [1, 2, 3].map(|axis| {
        if axis as i64 <= header.dim[0] {
            header.dim[axis].max(0)
        } else {
            1
        }
    });
    let is_inside = |axis: usize| {
        let at = i64::from(origin[axis]);
        at > -size[axis] && at < 2 * size[axis]
    };
    let has_origin = origin != [0; 3] && (0..3).all(is_inside);
    let at = [0, 1, 2].map(|axis| {
        if has_origin {
            f64::from(origin[axis]) - 1.0
        } else {
            (size[axis] - 1) as f64 / 2.0
        }
    });
    notes.push(format!(
        "Analyze 7.5 does not say where the axes point: x is taken to run to the left, y to the front, z to the top; the origin is {}",
        if has_origin {
    "that of SPM's field originator"
        } else {
    "the centre of the grid"
        }
    ));
    let axes = Matrix3::from_diagonal(&Vector3::new(-dx, dy, dz));
    let first = -(axes * Vector3::from(at));
    Ok(Grid {
        geometry: Geometry::new(axes, first)?,
        has_spacing: [dx, dy, dz] != [1.0; 3],
        has_origin,
    })
}

/// Largest displacement of a corner that is attributed to rounding, in voxels: the qform is stored
/// with 32 bits, and a component of its quaternion is computed by a square root.
const ROUNDING: f64 = 1e-3;

/// Returns a note with the displacement of a corner of the grid between sform and qform, if it
/// exceeds rounding.
fn difference(header: &Header, sform: &Geometry) -> Option<String> {
    let qform = match qform(header) {
        Ok(qform) => qform,
        Err(error) => {
            return Some(format!(
                "the sform is used; the qform makes no map: {error}"
            ));
        }
    };
    // Sizes of axes after the last one are meaningless.
    let last = [1, 2, 3].map(|axis| {
        if axis as i64 <= header.dim[0] {
            (header.dim[axis].max(1) - 1) as f64
        } else {
            0.0
        }
    });
    let corners = (0..8).map(|k| [0, 1, 2].map(|axis| last[axis] * f64::from(k >> axis & 1)));
    let moved = corners.map(|corner| {
        let corner = Point3::from(corner);
        (sform.index_to_world(corner) - qform.index_to_world(corner)).norm()
    });
    let largest = moved.fold(0.0, f64::max);
    let voxels = largest / sform.spacing().min();
    (voxels > ROUNDING).then(|| {
        format!(
            "the sform is used; the qform differs: it places a corner voxel {largest:.3} world units ({voxels:.3} voxels) away"
        )
    })
}

/// Method 3: the header stores the rows of the affine matrix.
fn sform(header: &Header) -> Result<Geometry, VolumeError> {
    let [x, y, z] = header.srow;
    Geometry::new(
        Matrix3::new(x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]),
        Vector3::new(x[3], y[3], z[3]),
    )
}

/// Method 2: scaling by the spacing, with z mirrored if qfac = pixdim[0] is negative, followed by a
/// rotation by the unit quaternion (a, b, c, d), whose a ≥ 0 is not stored.
fn qform(header: &Header) -> Result<Geometry, VolumeError> {
    let [b, c, d] = header.quatern;
    let a_squared = 1.0 - (b * b + c * c + d * d);
    // Like the standard's reference code: a rotation by 180 degrees if rounding, or worse, leaves
    // no positive a.
    let quaternion = if a_squared < 1e-7 {
        Quaternion::new(0.0, b, c, d)
    } else {
        Quaternion::new(a_squared.sqrt(), b, c, d)
    };
    let rotation = UnitQuaternion::from_quaternion(quaternion).to_rotation_matrix();
    let [dx, dy, dz] = spacing(header);
    let qfac = if header.pixdim[0] < 0.0 { -1.0 } else { 1.0 };
    let scale = Matrix3::from_diagonal(&Vector3::new(dx, dy, qfac * dz));
    Geometry::new(rotation.matrix() * scale, Vector3::from(header.qoffset))
}

/// Method 1: pixdim[1..4]. A spacing of zero, which writers of 2-D images leave, counts as 1; the
/// sign is meaningless. Values that are not finite are rejected by `Geometry`.
fn spacing(header: &Header) -> [f64; 3] {
    [1, 2, 3].map(|axis| match header.pixdim[axis].abs() {
        0.0 => 1.0,
        step => step,
    })
}

#[cfg(test)]
mod tests;
