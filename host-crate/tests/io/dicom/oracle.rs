//! Comparison of the test files of pydicom with the values that pydicom reads.

use ferrovox::io::{FileError, ReadOptions, read_volume};
use std::path::Path;

use super::{read, samples};
use crate::{npy_by_python, python};

/// JPEG 2000 that may be lossy.
const LOSSY: [&str; 1] = ["1.2.840.10008.1.2.4.91"];
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
            let file = npy_by_python::read(Path::new(values));
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
