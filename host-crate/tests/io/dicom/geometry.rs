//! Order of slices and frames along their normal, and positions of the voxels in the world.

use ferrovox::grid::Geometry;
use ferrovox::io::{ReadOptions, VolumeReader, read_volume};
use nalgebra::{Point3, Vector3};
use std::fs;
use std::path::Path;

use super::{EXPLICIT, Slice, Writer, append_samples, read, samples, start};

/// Compares the world position of every voxel of a slice with the position in the file.
fn check_positions(geometry: &Geometry, slices: &[Slice]) {
    for (z, slice) in slices.iter().enumerate() {
        for (x, y) in [(0.0, 0.0), (3.0, 0.0), (0.0, 2.0)] {
            let lps = slice.position
                + slice.directions[0] * slice.spacing[0] * x
                + slice.directions[1] * slice.spacing[1] * y;
            let expected = Point3::new(-lps.x, -lps.y, lps.z);
            let found = geometry.index_to_world(Point3::new(x, y, z as f64));
            assert!((found - expected).norm() < 1e-6, "{found} {expected}");
        }
    }
}

/// Returns slices along an oblique normal, by position, with values 1, 2, …
fn oblique(step: Vector3<f64>) -> Vec<Slice> {
    let x = Vector3::new(0.8, 0.6, 0.0);
    let y = Vector3::new(-0.36, 0.48, 0.8);
    let slice = |index: u16| Slice {
        directions: [x, y],
        instance: 100 - u32::from(index),
        value: 1 + index as i16,
        ..Slice::new(Vector3::new(-120.5, 33.25, 7.0) + step * f64::from(index))
    };
    (0..6).map(slice).collect()
}

fn write_shuffled(folder: &Path, slices: &[Slice]) {
    for (index, slice) in slices.iter().enumerate() {
        slice.write(folder, &format!("{}.dcm", (index * 5 + 2) % slices.len()));
    }
}

#[test]
fn slices_are_ordered_by_position_and_keep_their_world_positions() {
    let normal = Vector3::new(0.8, 0.6, 0.0).cross(&Vector3::new(-0.36, 0.48, 0.8));
    // Along the normal, and tilted against it, as with a tilted gantry.
    for step in [normal * 2.5, normal * 2.5 + Vector3::new(0.3, -0.2, 0.4)] {
        let folder = tempfile::tempdir().unwrap();
        let slices = oblique(step);
        write_shuffled(folder.path(), &slices);
        let file = read(folder.path()).unwrap();
        assert_eq!(file.volume.dims(), [4, 3, 6]);
        assert_eq!(file.header.notes, [""; 0]);
        assert_eq!(file.header.data_files.len(), 6);
        check_positions(file.volume.geometry(), &slices);
        let expected: Vec<f64> = (0..72).map(|i| f64::from(1 + i / 12) - 1024.0).collect();
        assert_eq!(samples(&file.volume), expected);
        let mut reader = VolumeReader::open(folder.path(), &ReadOptions::default()).unwrap();
        let plane = reader.read_planes::<f32>(4..5).unwrap();
        assert_eq!(plane, [5.0 - 1024.0; 12]);
        let plane = reader.read_planes::<f32>(1..2).unwrap();
        assert_eq!(plane, [2.0 - 1024.0; 12]);
    }
}

#[test]
fn missing_and_irregular_slices_are_errors_with_positions() {
    let folder = tempfile::tempdir().unwrap();
    for z in [0.0, 2.0, 4.0, 8.0, 10.0, 14.0] {
        let name = format!("{z}.dcm");
        Slice::new(Vector3::z() * z).write(folder.path(), &name);
    }
    let error = read(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("missing at 6.00, 12.00 along the normal"),
        "{error}"
    );
    // filled, each slice has its position as samples
    let folder = tempfile::tempdir().unwrap();
    for z in [0, 2, 6, 8, 14, 16] {
        let slice = Slice {
            value: z,
            ..Slice::new(Vector3::z() * f64::from(z))
        };
        slice.write(folder.path(), &format!("{z}.dcm"));
    }
    let options = ReadOptions {
        fill_gaps: true,
        ..ReadOptions::default()
    };
    let file = read_volume(folder.path(), &options).unwrap();
    assert_eq!(file.volume.dims(), [4, 3, 9]);
    assert_eq!(file.volume.geometry().spacing().z, 2.0);
    let expected: Vec<f64> = (0..108).map(|i| f64::from(2 * (i / 12)) - 1024.0).collect();
    for (found, expected) in samples(&file.volume).iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
    let note = "slices are missing at 4.00, 10.00, 12.00 along the normal (3 in all); \
                they are interpolated";
    assert_eq!(file.header.notes, [note]);
    // more missing than present
    for z in [18.0, 20.0, 60.0] {
        Slice::new(Vector3::z() * z).write(folder.path(), &format!("{z}.dcm"));
    }
    let error = read_volume(folder.path(), &options)
        .unwrap_err()
        .to_string();
    assert!(error.contains("slices are missing at 4.00"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    for z in [0.0, 2.0, 4.0, 6.0, 9.0] {
        Slice::new(Vector3::z() * z).write(folder.path(), &format!("{z}.dcm"));
    }
    let error = read(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("6.000 and 9.000 along the normal"),
        "{error}"
    );
}

#[test]
fn small_deviations_are_a_note_and_larger_ones_an_error() {
    for (deviation, is_error) in [(0.004, false), (0.5, true)] {
        let folder = tempfile::tempdir().unwrap();
        for index in 0..5 {
            let x = if index == 2 { deviation } else { 0.0 };
            let position = Vector3::new(x, 0.0, 2.0 * f64::from(index));
            Slice::new(position).write(folder.path(), &format!("{index}.dcm"));
        }
        match read(folder.path()) {
            Ok(file) if !is_error => {
                let notes = file.header.notes;
                assert!(notes[0].contains("by up to 0.20 %"), "{notes:?}");
            }
            Err(error) if is_error => {
                assert!(error.to_string().contains("deviate from a line"), "{error}");
            }
            other => panic!("{deviation}: {other:?}"),
        }
    }
}

#[test]
fn shuffled_frames_of_an_enhanced_file_are_ordered_by_position() {
    let slices = oblique(Vector3::new(0.5, -0.7, 1.5));
    let order = [3, 0, 5, 1, 4, 2];
    let mut per_frame = Vec::new();
    for index in order {
        let slice: &Slice = &slices[index];
        let mut position = Writer(Vec::new());
        position.text(
            0x0020_0032,
            "DS",
            &Slice::numbers(slice.position.iter().copied()),
        );
        let mut group = Writer(Vec::new());
        group.element(0x0020_9113, "SQ", &Writer::item(&position.0));
        per_frame.extend(Writer::item(&group.0));
    }
    let mut orientation = Writer(Vec::new());
    let directions = slices[0]
        .directions
        .iter()
        .flat_map(|it| it.iter().copied());
    orientation.text(0x0020_0037, "DS", &Slice::numbers(directions));
    let mut measures = Writer(Vec::new());
    measures.text(0x0028_0030, "DS", "0.75\\0.5");
    let mut shared = Writer(Vec::new());
    shared.element(0x0020_9116, "SQ", &Writer::item(&orientation.0));
    shared.element(0x0028_9110, "SQ", &Writer::item(&measures.0));
    let mut out = start(EXPLICIT);
    // The spacing at the top level is wrong on purpose: that of the functional group counts.
    slices[0].pixels(&mut out, 6, [9.0, 9.0]);
    out.element(0x5200_9229, "SQ", &Writer::item(&shared.0));
    out.element(0x5200_9230, "SQ", &per_frame);
    let values: Vec<i16> = order
        .iter()
        .flat_map(|&it| [slices[it].value; 12])
        .collect();
    append_samples(&mut out.0, &values);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("enhanced.dcm");
    fs::write(&path, &out.0).unwrap();
    let file = read(&path).unwrap();
    check_positions(file.volume.geometry(), &slices);
    let found: Vec<f64> = samples(&file.volume).into_iter().step_by(12).collect();
    assert_eq!(found, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(|it| it - 1024.0));
}
