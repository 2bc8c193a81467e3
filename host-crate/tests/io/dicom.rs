//! DICOM files: geometry of synthetic series with known positions, selection of a series, and
//! damaged files.

use ferrovox::grid::{AnyVolume, Geometry};
use ferrovox::io::{FileError, ReadOptions, SeriesSelector, VolumeFile, VolumeReader, read_volume};
use nalgebra::{Point3, Vector3};
use std::fs;
use std::path::Path;

use super::python;

/// JPEG 2000 that may be lossy.
const LOSSY: [&str; 1] = ["1.2.840.10008.1.2.4.91"];
/// Explicit little-endian.
const EXPLICIT: &str = "1.2.840.10008.1.2.1";

/// A DICOM file in memory.
struct Writer(Vec<u8>);

impl Writer {
    fn element(&mut self, tag: u32, vr: &str, value: &[u8]) {
        self.0.extend(((tag >> 16) as u16).to_le_bytes());
        self.0.extend((tag as u16).to_le_bytes());
        self.0.extend(vr.as_bytes());
        let mut value = value.to_vec();
        if value.len() % 2 == 1 {
            value.push(if vr == "UI" { 0 } else { b' ' });
        }
        if ["OB", "OW", "SQ", "UN"].contains(&vr) {
            self.0.extend([0, 0]);
            self.0.extend((value.len() as u32).to_le_bytes());
        } else {
            self.0.extend((value.len() as u16).to_le_bytes());
        }
        self.0.extend(value);
    }

    fn text(&mut self, tag: u32, vr: &str, value: &str) {
        self.element(tag, vr, value.as_bytes());
    }

    fn short(&mut self, tag: u32, value: u16) {
        self.element(tag, "US", &value.to_le_bytes());
    }

    fn item(content: &[u8]) -> Vec<u8> {
        let mut item = vec![0xFE, 0xFF, 0, 0xE0];
        item.extend((content.len() as u32).to_le_bytes());
        item.extend(content);
        item
    }
}

/// Attributes of a slice of 16-bit samples.
#[derive(Clone)]
struct Slice {
    series: String,
    description: String,
    image_type: String,
    position: Vector3<f64>,
    directions: [Vector3<f64>; 2],
    spacing: [f64; 2],
    instance: u32,
    time: u32,
    slope: f64,
    columns: u16,
    rows: u16,
    /// Value of all samples.
    value: i16,
}

impl Slice {
    fn new(position: Vector3<f64>) -> Self {
        Self {
            series: "1.2.3".to_owned(),
            description: "Thorax".to_owned(),
            image_type: "ORIGINAL\\PRIMARY\\AXIAL".to_owned(),
            position,
            directions: [Vector3::x(), Vector3::y()],
            spacing: [0.5, 0.75],
            instance: 1,
            time: 1,
            slope: 1.0,
            columns: 4,
            rows: 3,
            value: 0,
        }
    }

    fn numbers(numbers: impl IntoIterator<Item = f64>) -> String {
        let numbers: Vec<String> = numbers.into_iter().map(|it| format!("{it:.9}")).collect();
        numbers.join("\\")
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = start(EXPLICIT);
        out.text(0x0008_0008, "CS", &self.image_type);
        out.text(0x0008_0060, "CS", "CT");
        out.text(0x0008_103E, "LO", &self.description);
        out.text(0x0020_000E, "UI", &self.series);
        out.text(0x0020_0011, "IS", "7");
        out.text(0x0020_0013, "IS", &self.instance.to_string());
        out.text(
            0x0020_0032,
            "DS",
            &Self::numbers(self.position.iter().copied()),
        );
        let directions = self.directions.iter().flat_map(|it| it.iter().copied());
        out.text(0x0020_0037, "DS", &Self::numbers(directions));
        out.text(0x0020_0100, "IS", &self.time.to_string());
        self.pixels(&mut out, 1, self.spacing);
        out.0
    }

    /// Writes the attributes of the samples and the samples, all of one value per frame.
    fn pixels(&self, out: &mut Writer, frames: u16, spacing: [f64; 2]) {
        out.short(0x0028_0002, 1);
        out.text(0x0028_0004, "CS", "MONOCHROME2");
        if frames > 1 {
            out.text(0x0028_0008, "IS", &frames.to_string());
        }
        out.short(0x0028_0010, self.rows);
        out.short(0x0028_0011, self.columns);
        out.text(0x0028_0030, "DS", &Self::numbers([spacing[1], spacing[0]]));
        out.short(0x0028_0100, 16);
        out.short(0x0028_0101, 16);
        out.short(0x0028_0102, 15);
        out.short(0x0028_0103, 1);
        out.text(0x0028_1052, "DS", "-1024");
        out.text(0x0028_1053, "DS", &self.slope.to_string());
    }

    fn write(&self, folder: &Path, name: &str) {
        let mut bytes = self.bytes();
        let count = usize::from(self.columns) * usize::from(self.rows);
        append_samples(&mut bytes, &vec![self.value; count]);
        fs::write(folder.join(name), bytes).unwrap();
    }
}

fn start(syntax: &str) -> Writer {
    let mut out = Writer(vec![0; 128]);
    out.0.extend(b"DICM");
    out.text(0x0002_0010, "UI", syntax);
    out
}

fn append_samples(bytes: &mut Vec<u8>, samples: &[i16]) {
    let mut out = Writer(std::mem::take(bytes));
    let samples: Vec<u8> = samples.iter().flat_map(|it| it.to_le_bytes()).collect();
    out.element(0x7FE0_0010, "OW", &samples);
    *bytes = out.0;
}

fn read(path: &Path) -> Result<VolumeFile, FileError> {
    read_volume(path, &ReadOptions::default())
}

/// Returns the samples as `f64`.
pub fn samples(volume: &AnyVolume) -> Vec<f64> {
    fn list<T: Copy>(samples: &[T], to_f64: impl Fn(T) -> f64) -> Vec<f64> {
        samples.iter().map(|&it| to_f64(it)).collect()
    }
    match volume {
        AnyVolume::U8(volume) => list(volume.samples(), f64::from),
        AnyVolume::I8(volume) => list(volume.samples(), f64::from),
        AnyVolume::U16(volume) => list(volume.samples(), f64::from),
        AnyVolume::I16(volume) => list(volume.samples(), f64::from),
        AnyVolume::I32(volume) => list(volume.samples(), f64::from),
        AnyVolume::F32(volume) => list(volume.samples(), f64::from),
        AnyVolume::F64(volume) => list(volume.samples(), f64::from),
    }
}

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

#[test]
fn lying_sizes_are_refused_before_memory_is_allocated() {
    for (tag, value, expected) in [
        (
            0x0028_0008_u32,
            "2000000000",
            "NumberOfFrames is 2000000000",
        ),
        (
            0x0028_0008,
            "70000",
            "70000 frames of 4 x 3 need 1680000 bytes, but there are 24",
        ),
    ] {
        let slice = Slice::new(Vector3::zeros());
        let mut bytes = slice.bytes();
        let mut out = Writer(std::mem::take(&mut bytes));
        out.text(tag, "IS", value);
        append_samples(&mut out.0, &[0; 12]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lie.dcm");
        fs::write(&path, &out.0).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn unread_transfer_syntaxes_are_named_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dcm");
    fs::write(&path, start("1.2.840.10008.1.2.4.50").0).unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(
        error.contains("JPEG baseline") && error.contains("dcmdjpeg"),
        "{error}"
    );
}

/// Every test file of pydicom is read as pydicom reads it, or refused by name.
#[test]
fn values_equal_those_of_pydicom() {
    let folder = tempfile::tempdir().unwrap();
    let packages = ["numpy", "pydicom"];
    let Some(output) = python::run("dicom", &packages, &[folder.path()]) else {
        return;
    };
    let (mut equal, mut refused) = (0, 0);
    for line in output.lines() {
        let [path, values, syntax] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let expected = read(Path::new(values)).map(|file| samples(&file.volume));
        let expected = expected.or_else(|_| {
            let file = super::npy_by_python::read(Path::new(values));
            Ok::<_, FileError>(file.expect("python").1)
        });
        match read_components(Path::new(path)) {
            Ok(found) => {
                let expected = expected.unwrap();
                assert_eq!(found.len(), expected.len(), "{path}");
                for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    // Decoders of lossy JPEG 2000 may round differently.
                    let is_near = LOSSY.contains(&syntax) && (found - expected).abs() <= 1.0;
                    let is_equal = found == expected || *found == f64::from(*expected as f32);
                    let is_equal = is_equal || is_near;
                    assert!(is_equal, "{path} {syntax}: {found} {expected} at {index}");
                }
                equal += 1;
            }
            Err(error) => {
                println!("{syntax} {error}");
                refused += 1;
            }
        }
    }
    println!("{equal} files are equal, {refused} are refused");
    assert!(equal >= 30 && refused <= 30, "{equal} {refused}");
}

/// Reads all components, interleaved.
fn read_components(path: &Path) -> Result<Vec<f64>, FileError> {
    let first = match read(path) {
        Err(error) if error.to_string().contains("components") => 3,
        Err(error) => return Err(error),
        Ok(file) => return Ok(samples(&file.volume)),
    };
    let mut found = Vec::new();
    for component in 0..first {
        let options = ReadOptions {
            component: Some(component),
            ..ReadOptions::default()
        };
        found.push(samples(&read_volume(path, &options)?.volume));
    }
    let count = found[0].len();
    Ok((0..count * found.len())
        .map(|it| found[it % found.len()][it / found.len()])
        .collect())
}
