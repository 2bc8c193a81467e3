//! Tests of the preference among sform, qform and spacing, and of their formulas.

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
