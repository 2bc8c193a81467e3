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
mod tests {
    use super::*;
    use crate::io::ByteOrder;

    fn header() -> Header {
        Header {
            version: 1,
            kind: crate::io::volume::nifti::header::Kind::Single,
            order: ByteOrder::Little,
            dim: [3, 2, 2, 2, 1, 1, 1, 1],
            datatype: 2,
            bitpix: 8,
            pixdim: [1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0],
            vox_offset: 352.0,
            scl_slope: 0.0,
            scl_inter: 0.0,
            intent_code: 0,
            xyzt_units: 0,
            qform_code: 0,
            sform_code: 0,
            quatern: [0.0; 3],
            qoffset: [10.0, 20.0, 30.0],
            srow: [
                [0.0, -3.0, 0.0, 7.0],
                [2.0, 0.0, 0.0, 8.0],
                [0.0, 0.0, 4.0, 9.0],
            ],
        }
    }

    fn world(header: &Header, index: [f64; 3]) -> Point3<f64> {
        stated_grid(header, &mut Vec::new())
            .unwrap()
            .geometry
            .index_to_world(Point3::from(index))
    }

    #[test]
    fn sform_takes_precedence_over_qform() {
        let both = Header {
            sform_code: 1,
            qform_code: 1,
            ..header()
        };
        // x' = -3·y + 7, y' = 2·x + 8, z' = 4·z + 9
        assert_eq!(world(&both, [1.0, 2.0, 3.0]), Point3::new(1.0, 10.0, 21.0));
    }

    #[test]
    fn difference_between_qform_and_sform_is_noted() {
        // Both are equal: spacing 2, 3, 4 and no rotation.
        let mut both = Header {
            sform_code: 1,
            qform_code: 1,
            srow: [
                [2.0, 0.0, 0.0, 10.0],
                [0.0, 3.0, 0.0, 20.0],
                [0.0, 0.0, 4.0, 30.0],
            ],
            ..header()
        };
        let notes = |header: &Header| {
            let mut notes = Vec::new();
            stated_grid(header, &mut notes).unwrap();
            notes
        };
        assert_eq!(notes(&both), [""; 0]);
        both.srow[0][3] += 0.001;
        assert_eq!(notes(&both), [""; 0], "rounding");
        both.srow[0][3] += 4.999;
        assert_eq!(
            notes(&both),
            [
                "the sform is used; the qform differs: it places a corner voxel 5.000 world units (2.500 voxels) away"
            ]
        );
        // The second of two samples along x is 0.5 farther away.
        both.srow[0] = [2.5, 0.0, 0.0, 10.0];
        assert!(notes(&both)[0].contains("0.500 world units (0.200 voxels)"));
        both.pixdim[1] = f64::INFINITY;
        assert!(notes(&both)[0].contains("the qform makes no map"));
        both.qform_code = 0;
        assert_eq!(notes(&both), [""; 0]);
    }

    #[test]
    fn qform_rotates_scales_and_shifts() {
        let plain = Header {
            qform_code: 1,
            ..header()
        };
        assert_eq!(
            world(&plain, [1.0, 1.0, 1.0]),
            Point3::new(12.0, 23.0, 34.0)
        );
        // 90 degrees about z (a = d = √½) maps x to y and y to -x; qfac -1 mirrors z.
        let half = 0.5_f64.sqrt();
        let mut turned = Header {
            quatern: [0.0, 0.0, half],
            ..plain
        };
        turned.pixdim[0] = -1.0;
        let position = world(&turned, [1.0, 1.0, 1.0]);
        assert!(
            (position - Point3::new(10.0 - 3.0, 20.0 + 2.0, 30.0 - 4.0)).norm() < 1e-12,
            "{position}"
        );
        // 180 degrees about y (c = 1, a = 0) negates x and z.
        let half_turn = Header {
            quatern: [0.0, 1.0, 0.0],
            ..header()
        };
        let position = world(
            &Header {
                qform_code: 2,
                ..half_turn
            },
            [1.0, 1.0, 1.0],
        );
        assert!(
            (position - Point3::new(8.0, 23.0, 26.0)).norm() < 1e-12,
            "{position}"
        );
    }

    #[test]
    fn spacing_is_used_and_noted_without_sform_and_qform() {
        let mut notes = Vec::new();
        let grid = stated_grid(&header(), &mut notes).unwrap();
        assert!(grid.has_spacing && !grid.has_origin);
        let geometry = grid.geometry;
        assert_eq!(geometry.origin(), Point3::origin());
        assert_eq!(geometry.spacing(), Vector3::new(2.0, 3.0, 4.0));
        assert!(notes[0].contains("origin 0"), "{notes:?}");
    }

    #[test]
    fn singular_sform_is_skipped_and_noted() {
        let mut flat = Header {
            sform_code: 1,
            qform_code: 1,
            ..header()
        };
        flat.srow[2] = [0.0; 4];
        let mut notes = Vec::new();
        let grid = stated_grid(&flat, &mut notes).unwrap();
        assert!(grid.has_spacing && grid.has_origin);
        let geometry = grid.geometry;
        assert_eq!(
            geometry.origin(),
            Point3::new(10.0, 20.0, 30.0),
            "origin of the qform"
        );
        assert!(notes[0].starts_with("the sform is not used"), "{notes:?}");
    }
}
