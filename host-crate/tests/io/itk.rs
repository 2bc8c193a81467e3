//! Volumes that are written, as SimpleITK reads them: samples, sizes and orientation.

use std::path::Path;

use ferrovox::grid::SampleType;
use ferrovox::io::{VolumeWriteOptions, write_volume};

use crate::dicom::samples;
use crate::helpers::{folder, oblique, sample_volume};
use crate::{npy_by_python, python};

#[test]
fn written_volumes_have_their_samples_and_orientation_in_itk() {
    let (input, output) = (folder(), folder());
    let options = VolumeWriteOptions::default();
    for sample_type in SampleType::ALL {
        for extension in ["nii", "nii.gz", "nrrd", "mha", "tif"] {
            // ITK has no TIFF of wide integers or doubles.
            let is_wide = matches!(
                sample_type,
                SampleType::I32 | SampleType::I64 | SampleType::F64 | SampleType::I8
            );
            if extension == "tif" && is_wide {
                continue;
            }
            let path = input.path().join(format!("{sample_type}.{extension}"));
            write_volume(path, &sample_volume(sample_type, oblique()), &options).unwrap();
        }
    }
    let paths = [input.path(), output.path()];
    let Some(lines) = python::run("itk", &["numpy", "SimpleITK"], &paths) else {
        return;
    };
    let geometry = oblique();
    let affine = geometry.affine();
    for line in lines.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [name, found, ref numbers @ ..] = words[..] else {
            panic!("{line}")
        };
        let numbers: Vec<f64> = numbers.iter().map(|it| it.parse().unwrap()).collect();
        let (kind, extension) = name.split_once('.').unwrap();
        let sample_type = SampleType::ALL
            .into_iter()
            .find(|it| it.to_string() == kind);
        let volume = sample_volume(sample_type.expect("a type"), geometry);
        let (_, found) = npy_by_python::read(Path::new(found)).expect("Python");
        assert_eq!(found, samples(&volume), "{name}");
        assert_eq!(numbers[..3], [3.0, 4.0, 5.0], "{name}");
        let rows = &numbers[3..];
        if extension == "tif" {
            // TIFF has the distances of columns and rows only.
            for axis in 0..2 {
                let spacing = geometry.spacing()[axis];
                assert!((rows[5 * axis].abs() - spacing).abs() < 1e-6, "{line}");
            }
            continue;
        }
        // NIfTI stores the affine with 32 bits.
        for (index, found) in rows.iter().enumerate() {
            let expected = affine[(index / 4, index % 4)];
            assert!(
                (found - expected).abs() < 2e-5,
                "{name}: {found} {expected}"
            );
        }
    }
    assert_eq!(lines.lines().count(), 4 * 8 + 4);
}
