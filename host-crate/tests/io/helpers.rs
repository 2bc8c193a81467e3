//! Small volumes and files for the tests.

use std::path::PathBuf;

use ferrovox::grid::{AnyVolume, Geometry, SampleType, Volume};
use ferrovox::io::{FileError, ReadOptions, VolumeFile, read_volume_bytes};
use nalgebra::{Matrix3, Rotation3, Vector3};

/// Returns a folder that is removed at the end of the test.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Returns the path of the real volume in the repository.
pub fn mni152() -> PathBuf {
    let folder = std::env::var_os("FERROVOX_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../cli/data"),
        PathBuf::from,
    );
    folder.join("mni152_t1_1mm.nii.gz")
}

pub fn read_bytes(name: &str, bytes: &[u8]) -> Result<VolumeFile, FileError> {
    read_volume_bytes(name, bytes, &ReadOptions::default())
}

/// Returns the message of a read that must fail.
pub fn message(name: &str, bytes: &[u8]) -> String {
    read_bytes(name, bytes).expect_err("damaged").to_string()
}

/// Returns a volume with extreme, negative and fractional values, which reveal wrong byte orders
/// and types.
pub fn sample_volume(sample_type: SampleType, geometry: Geometry) -> AnyVolume {
    const DIMS: [usize; 3] = [3, 4, 5];
    let index = |x: usize, y: usize, z: usize| (x + 3 * (y + 4 * z)) as i32;
    fn make<T: Copy>(
        geometry: Geometry,
        sample: impl FnMut(usize, usize, usize) -> T,
    ) -> Volume<T> {
        Volume::from_fn(DIMS, geometry, sample).expect("sixty samples")
    }
    match sample_type {
        SampleType::U8 => make(geometry, |x, y, z| (255 - index(x, y, z)) as u8).into(),
        SampleType::I8 => make(geometry, |x, y, z| (index(x, y, z) - 128) as i8).into(),
        SampleType::U16 => make(geometry, |x, y, z| (65535 - 1000 * index(x, y, z)) as u16).into(),
        SampleType::I16 => make(geometry, |x, y, z| (1000 * index(x, y, z) - 32768) as i16).into(),
        SampleType::I32 => make(geometry, |x, y, z| {
            (i64::from(i32::MIN) + 70_000_000 * i64::from(index(x, y, z))) as i32
        })
        .into(),
        // integers that f64 does not represent
        SampleType::I64 => make(geometry, |x, y, z| {
            i64::MIN + 1 + 150_000_000_000_000_001 * i64::from(index(x, y, z))
        })
        .into(),
        SampleType::F32 => make(geometry, |x, y, z| index(x, y, z) as f32 / 3.0 - 7.0).into(),
        SampleType::F64 => make(geometry, |x, y, z| f64::from(index(x, y, z)) / 3.0 - 7.0).into(),
    }
}

/// Returns a geometry without symmetry: rotated, anisotropic and shifted.
pub fn oblique() -> Geometry {
    let rotation = Rotation3::from_euler_angles(0.3, -0.5, 1.1);
    let spacing = Matrix3::from_diagonal(&Vector3::new(0.7, 1.3, 2.9));
    let origin = Vector3::new(-91.25, 12.5, 33.0);
    Geometry::new(rotation.matrix() * spacing, origin).expect("an invertible map")
}

/// Compares two affines coefficient by coefficient.
pub fn assert_close(found: &Geometry, expected: &Geometry, tolerance: f64) {
    let difference = (found.affine() - expected.affine()).abs().max();
    assert!(
        difference <= tolerance,
        "{difference:e} apart:\n{}{}",
        found.affine(),
        expected.affine()
    );
}
