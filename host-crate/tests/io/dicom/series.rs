//! Selection of a series and of a volume, and scaling of every slice.

use ferrovox::io::{ReadOptions, SeriesSelector, read_volume};
use nalgebra::Vector3;
use std::fs;

use super::{Slice, read, samples};

#[test]
fn repeated_positions_are_volumes_in_temporal_order() {
    let folder = tempfile::tempdir().unwrap();
    for index in 0..8_u32 {
        let (z, time) = (index % 4, index / 4);
        let slice = Slice {
            time: 2 - time,
            value: (10 * time + z) as i16,
            instance: index,
            ..Slice::new(Vector3::z() * f64::from(z))
        };
        slice.write(folder.path(), &format!("{index}.dcm"));
    }
    let error = read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("holds 2 volumes"), "{error}");
    for (volume, first) in [(0, 10.0), (1, 0.0)] {
        let options = ReadOptions {
            volume: Some(volume),
            ..ReadOptions::default()
        };
        let file = read_volume(folder.path(), &options).unwrap();
        let found: Vec<f64> = samples(&file.volume).into_iter().step_by(12).collect();
        let expected = [0.0, 1.0, 2.0, 3.0].map(|z| first + z - 1024.0);
        assert_eq!(found, expected);
    }
    Slice::new(Vector3::z()).write(folder.path(), "extra.dcm");
    let error = read(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("position 1.00 along the normal has 3 images"),
        "{error}"
    );
}

#[test]
fn a_series_is_selected_and_localizers_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let subfolder = folder.path().join("a/b");
    fs::create_dir_all(&subfolder).unwrap();
    for z in 0..3_i16 {
        let slice = Slice {
            value: z,
            ..Slice::new(Vector3::z() * f64::from(z))
        };
        slice.write(folder.path(), &format!("{z}"));
    }
    fs::write(folder.path().join("readme.txt"), "not an image").unwrap();
    let scout = Slice {
        image_type: "ORIGINAL\\PRIMARY\\LOCALIZER".to_owned(),
        columns: 9,
        ..Slice::new(Vector3::zeros())
    };
    scout.write(&subfolder, "scout");
    let file = read(folder.path()).unwrap();
    assert_eq!(file.volume.dims(), [4, 3, 3]);
    assert!(file.header.notes[0].contains("a localizer is skipped"));
    for z in 0..2_i16 {
        let slice = Slice {
            series: "1.2.4".to_owned(),
            description: "Bone kernel".to_owned(),
            value: 100 + z,
            ..Slice::new(Vector3::z() * f64::from(z))
        };
        slice.write(&subfolder, &format!("{z}"));
    }
    let error = read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("holds 2 series"), "{error}");
    assert!(
        error.contains("; 2: CT \"Bone kernel\", 4 x 3 x 2, 1.2.4"),
        "{error}"
    );
    for selector in ["bone", "1.2.4", "3"] {
        let options = ReadOptions {
            series: Some(SeriesSelector(selector.to_owned())),
            ..ReadOptions::default()
        };
        let file = read_volume(folder.path(), &options).unwrap();
        assert_eq!(file.volume.dims(), [4, 3, 2], "{selector}");
        assert_eq!(samples(&file.volume)[0], 100.0 - 1024.0);
    }
    let options = ReadOptions {
        series: Some(SeriesSelector("spine".to_owned())),
        ..ReadOptions::default()
    };
    let error = read_volume(folder.path(), &options)
        .unwrap_err()
        .to_string();
    assert!(error.contains("no series \"spine\""), "{error}");
}

#[test]
fn scaling_of_every_slice_is_applied() {
    let folder = tempfile::tempdir().unwrap();
    for index in 0..3_u8 {
        let slice = Slice {
            slope: 0.1 * f64::from(index + 1),
            value: 30,
            ..Slice::new(Vector3::z() * f64::from(index))
        };
        slice.write(folder.path(), &format!("{index}.dcm"));
    }
    let file = read(folder.path()).unwrap();
    let found: Vec<f64> = samples(&file.volume).into_iter().step_by(12).collect();
    let slopes = [0.1, 0.2, 0.1 * 3.0];
    assert_eq!(found, slopes.map(|slope: f64| slope * 30.0 - 1024.0));
}

/// Exports often hold some files twice.
#[test]
fn copies_of_images_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    for z in 0..3_u32 {
        let slice = Slice {
            instance: z,
            ..Slice::new(Vector3::z() * f64::from(z))
        };
        slice.write(folder.path(), &format!("{z}.dcm"));
    }
    let copy = folder.path().join("copy");
    fs::create_dir(&copy).unwrap();
    for name in ["0.dcm", "2.dcm"] {
        fs::copy(folder.path().join(name), copy.join(name)).unwrap();
    }
    let file = read(folder.path()).unwrap();
    assert_eq!(file.volume.dims(), [4, 3, 3]);
    assert!(
        file.header.notes[0].starts_with("2 files are copies"),
        "{:?}",
        file.header.notes
    );
    // images with the same identifier at other positions are no copies
    let other = Slice {
        instance: 3,
        uid: "1.2.9.0".to_owned(),
        ..Slice::new(Vector3::z() * 3.0)
    };
    other.write(folder.path(), "3.dcm");
    let file = read(folder.path()).unwrap();
    assert_eq!(file.volume.dims(), [4, 3, 4]);
}
