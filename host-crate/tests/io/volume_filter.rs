//! Smoothed and resampled volumes, compared with `scipy.ndimage`.

use super::npy_by_python;
use super::python;
use ferrovox::{
    device::Device,
    grid::{AnyVolume, Geometry, Volume},
    volume_filter::{Interpolation, TargetSpacing, VolumeFilter},
};
use std::path::Path;

/// Each line of the script states an npy file with the samples (z, y, x), the spacing along x, y
/// and z, the filter as `sigma`, `linear` or `nearest` and its numbers, and the expected samples.
#[test]
fn filters_equal_those_of_scipy() {
    let folder = tempfile::tempdir().unwrap();
    let packages = ["numpy", "scipy"];
    let Some(output) = python::run("volume_filter", &packages, &[folder.path()]) else {
        return;
    };
    let stream = Device::cpu().stream().unwrap();
    for line in output.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [samples, spacing, filter, numbers, expected] = words[..] else {
            panic!("{line}");
        };
        let numbers_in =
            |text: &str| -> Vec<f64> { text.split(' ').map(|it| it.parse().unwrap()).collect() };
        let three = |text: &str| -> [f64; 3] { numbers_in(text).try_into().unwrap() };
        let (shape, samples) = npy_by_python::read(Path::new(samples)).expect("Python");
        let dims = [shape[2], shape[1], shape[0]];
        let geometry = Geometry::from_spacing(three(spacing), [0.0; 3]).unwrap();
        let samples = samples.into_iter().map(|it| it as f32).collect();
        let volume = Volume::new(samples, dims, geometry).unwrap();
        let filter = match filter {
            "sigma" => VolumeFilter {
                sigma: Some(numbers_in(numbers)[0]),
                ..VolumeFilter::default()
            },
            interpolation => VolumeFilter {
                spacing: Some(TargetSpacing::Given(three(numbers))),
                interpolation: match interpolation {
                    "linear" => Interpolation::Linear,
                    _ => Interpolation::Nearest,
                },
                ..VolumeFilter::default()
            },
        };
        let (shape, expected) = npy_by_python::read(Path::new(expected)).expect("Python");
        let found = filter.apply(&stream, volume.into()).unwrap().volume;
        assert_eq!(found.dims(), [shape[2], shape[1], shape[0]], "{line}");
        let AnyVolume::F32(found) = found else {
            panic!("{line}");
        };
        for (found, expected) in found.samples().iter().zip(expected) {
            let error = (f64::from(*found) - expected).abs();
            assert!(
                error < 1e-4 * expected.abs().max(1.0),
                "{line}: {found} {expected}"
            );
        }
    }
    assert!(output.lines().count() >= 20);
}
