//! Comparison of files that a script wrote with the samples that it wrote into them.

use std::path::Path;

use ferrovox::io::{ReadOptions, VolumeReader, read_volume};

use super::dicom::samples;
use super::npy_by_python;
use super::python;

/// Runs `oracles/SCRIPT.py` in a folder and reads every file that it lists. Each line states the
/// path; `-`, or the indices of the volume, the component and the resolution level; an npy file
/// with the samples, or `!` and a part of the error; the spacing; and optionally the affine, row by
/// row. Returns the number of files, or `None` if Python lacks the packages.
///
/// # Panics
/// If a file is read differently.
pub fn check(script: &str, packages: &[&str]) -> Option<usize> {
    let folder = tempfile::tempdir().unwrap();
    let output = python::run(script, packages, &[folder.path()])?;
    for line in output.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [path, selection, expected, spacing, ref affine @ ..] = words[..] else {
            panic!("{line}");
        };
        let index = |text: Option<&str>| text.and_then(|text| text.parse::<u64>().ok());
        let mut words = selection.split(' ');
        let options = ReadOptions {
            volume: index(words.next()),
            component: index(words.next()),
            scale_level: index(words.next()).map(|level| level as usize),
            ..ReadOptions::default()
        };
        let found = read_volume(path, &options);
        if let Some(expected) = expected.strip_prefix('!') {
            let error = found.map(|file| file.header).expect_err(path).to_string();
            assert!(
                error.starts_with(path) && error.contains(expected),
                "{error}"
            );
            continue;
        }
        let file = found.unwrap_or_else(|error| panic!("{error}"));
        let (_, expected) = npy_by_python::read(Path::new(expected)).expect("Python");
        let found = samples(&file.volume);
        assert_eq!(found.len(), expected.len(), "{path}");
        for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "{path} {selection}: sample {index}");
        }
        let spacing = spacing.split(' ').map(|it| it.parse::<f64>().unwrap());
        let found = file.volume.geometry().spacing();
        for (found, expected) in found.iter().zip(spacing) {
            assert!(
                (found - expected).abs() < 1e-6,
                "{path}: {found} {expected}"
            );
        }
        for affine in affine {
            let rows = file.volume.geometry().affine().transpose();
            let numbers = affine.split(' ').map(|it| it.parse::<f64>().unwrap());
            for (found, expected) in rows.iter().zip(numbers) {
                let tolerance = 1e-5 * (1.0 + expected.abs());
                assert!(
                    (found - expected).abs() < tolerance,
                    "{path}: {rows} {affine}"
                );
            }
        }
        // Any plane can be read first.
        let mut reader = VolumeReader::open(path, &options).unwrap();
        let dims = reader.dims();
        let z = dims[2] / 2;
        let plane = dims[0] * dims[1];
        let planes = read_plane(&mut reader, z);
        assert_eq!(
            planes,
            expected[z * plane..(z + 1) * plane],
            "{path}: plane {z}"
        );
    }
    Some(output.lines().count())
}

/// Returns the samples of a plane.
fn read_plane(reader: &mut VolumeReader<'_>, z: usize) -> Vec<f64> {
    use ferrovox::grid::SampleType;
    macro_rules! read {
        ($type:ty) => {{
            let samples = reader.read_planes::<$type>(z..z + 1).unwrap();
            samples.into_iter().map(|it| it as f64).collect()
        }};
    }
    match reader.sample_type() {
        SampleType::U8 => read!(u8),
        SampleType::I8 => read!(i8),
        SampleType::U16 => read!(u16),
        SampleType::I16 => read!(i16),
        SampleType::I32 => read!(i32),
        SampleType::I64 => read!(i64),
        SampleType::F32 => read!(f32),
        SampleType::F64 => read!(f64),
    }
}

/// Files that tifffile writes: types, compressions, predictors, tiles, ImageJ, OME, colours,
/// pyramids and slices in a folder.
#[test]
fn tiff_files_equal_those_of_tifffile() {
    if let Some(count) = check("tiff", &["numpy", "tifffile", "imagecodecs"]) {
        assert!(count >= 90, "{count}");
    }
}

/// Arrays and images that zarr-python writes: types, codecs, shards, missing chunks, OME-NGFF,
/// archives, and damage.
#[test]
fn zarr_files_equal_those_of_zarr_python() {
    if let Some(count) = check("zarr_files", &["numpy", "zarr", "numcodecs"]) {
        assert!(count >= 90, "{count}");
    }
}

/// Files that mrcfile, nibabel and VTK write: types, byte orders, encodings and compressions, and
/// rotated axes.
#[test]
fn images_equal_those_of_mrcfile_nibabel_and_vtk() {
    if let Some(count) = check("images", &["numpy", "mrcfile", "nibabel", "vtk"]) {
        assert!(count >= 80, "{count}");
    }
}

/// Files of the fuzzers' corpus, which other programs have written: these are read on every
/// machine.
#[test]
fn files_of_the_corpus_hold_the_samples_written() {
    let times_five = |index: usize| 5.0 * index as f64;
    let byte = |index: usize| (5 * index % 256) as f64;
    let scaled = |index: usize| 14.0 * index as f64 - 5.0;
    let signed = |index: usize| 2.0 * (7.0 * index as f64 - 60.0) - 5.0;
    type Expected<'e> = &'e dyn Fn(usize) -> f64;
    let files: [(&str, &[&str], Expected<'_>); 6] = [
        (
            "zarr",
            &[
                "v2-blosc.zip",
                "v2-raw.zip",
                "v3-zstd.zip",
                "v3-shards.zip",
                "ome.zip",
            ],
            &times_five,
        ),
        (
            "tiff",
            &[
                "stack.tif",
                "big-endian.tif",
                "lzw.tif",
                "deflate-float.tif",
                "zstd.tif",
                "imagej.tif",
                "half.tif",
            ],
            &times_five,
        ),
        ("tiff", &["packbits.tif"], &byte),
        (
            "images",
            &[
                "map.mrc",
                "image.mgh",
                "image.mgz",
                "ascii-none.vti",
                "binary-none.vti",
                "binary-zlib.vti",
                "binary-lz4.vti",
                "appended-none.vti",
                "appended-zlib.vti",
                "appended-lz4.vti",
            ],
            &times_five,
        ),
        (
            "dicom",
            &[
                "explicit.dcm",
                "implicit.dcm",
                "rle.dcm",
                "jpeg-lossless.dcm",
                "jpeg-ls.dcm",
                "jpeg2000.dcm",
            ],
            &scaled,
        ),
        ("dicom", &["deflated.dcm"], &signed),
    ];
    for (folder, names, expected) in files {
        for name in names {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
            let path = path.join(folder).join(name);
            let options = ReadOptions {
                component: (*name == "ome.zip").then_some(0),
                ..ReadOptions::default()
            };
            let file = read_volume(&path, &options).unwrap_or_else(|error| panic!("{error}"));
            let found = samples(&file.volume);
            assert!(found.len() >= 20, "{name}");
            for (index, sample) in found.into_iter().enumerate() {
                assert_eq!(sample, expected(index), "{name}: sample {index}");
            }
        }
    }
}
