//! MRC maps with a cell that is not rectangular.

use nalgebra::Vector3;

use crate::helpers::read_bytes;

/// Returns a map of 2 x 3 x 4 bytes in a cell with these lengths and angles, in degrees.
fn map(lengths: [f32; 3], angles: [f32; 3], axes: [i32; 3], starts: [i32; 3]) -> Vec<u8> {
    let mut words = [0_i32; 256];
    words[..3].copy_from_slice(&[2, 3, 4]);
    words[4..7].copy_from_slice(&starts);
    let mut intervals = [0; 3];
    for (column, axis) in axes.iter().enumerate() {
        intervals[*axis as usize - 1] = [2, 3, 4][column];
    }
    words[7..10].copy_from_slice(&intervals);
    for axis in 0..3 {
        words[10 + axis] = lengths[axis].to_bits() as i32;
        words[13 + axis] = angles[axis].to_bits() as i32;
        words[16 + axis] = axes[axis];
    }
    words[52] = i32::from_le_bytes(*b"MAP ");
    words[53] = 0x4444;
    let mut file: Vec<u8> = words.iter().flat_map(|it| it.to_le_bytes()).collect();
    file.extend([0; 24]);
    file
}

/// The steps are those of the cell's edges: x along the first, the second in the plane of x and y.
#[test]
fn angles_of_the_cell_make_oblique_axes() {
    let file = read_bytes(
        "a.mrc",
        &map(
            [20.0, 30.0, 40.0],
            [80.0, 70.0, 120.0],
            [1, 2, 3],
            [1, 0, 2],
        ),
    );
    let geometry = *file.unwrap().volume.geometry();
    let steps: Vec<Vector3<f64>> = (0..3)
        .map(|axis| geometry.axes().column(axis).into())
        .collect();
    for step in &steps {
        assert!((step.norm() - 10.0).abs() < 1e-6, "{step}");
    }
    assert!((steps[0] - Vector3::x() * 10.0).norm() < 1e-6);
    assert!(steps[1].z.abs() < 1e-9 && steps[2].z > 0.0);
    for (a, b, angle) in [(1, 2, 80.0_f64), (0, 2, 70.0), (0, 1, 120.0)] {
        let found = steps[a].angle(&steps[b]).to_degrees();
        assert!((found - angle).abs() < 1e-4, "{a} {b}: {found}");
    }
    let origin = steps[0] + 2.0 * steps[2];
    assert!((geometry.origin().coords - origin).norm() < 1e-6);
    // columns along the third edge
    let file = read_bytes(
        "a.mrc",
        &map([30.0, 40.0, 20.0], [90.0, 120.0, 90.0], [3, 1, 2], [0; 3]),
    );
    let axes = *file.unwrap().volume.geometry().axes();
    let expected = Vector3::new(-5.0, 0.0, 75.0_f64.sqrt());
    assert!((axes.column(0) - expected).norm() < 1e-5, "{axes}");
    for angles in [
        [0.0, 90.0, 90.0],
        [f32::NAN; 3],
        [10.0, 20.0, 170.0],
        [180.0, 90.0, 90.0],
    ] {
        let file =
            read_bytes("a.mrc", &map([20.0, 30.0, 40.0], angles, [1, 2, 3], [0; 3])).unwrap();
        let notes = file.header.notes.join("; ");
        assert!(notes.contains("angles") || angles[0] == 0.0, "{notes}");
        assert_eq!(file.volume.geometry().spacing(), Vector3::repeat(10.0));
    }
}
