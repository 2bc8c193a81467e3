//! Temporary folders and the volumes of the tests.

use ferrovox::{
    grid::{AnyVolume, Geometry, Sample, Volume},
    io::{VolumeWriteOptions, write_volume},
    pipeline::VolumeSource,
};
use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

/// Samples along an axis: a mask with one bit each, in whole words, has 77 KB.
pub const N: usize = 80;

/// Temporary folder of a test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// Creates an empty folder.
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Returns the path of a file in the folder.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the names of all files in the folder.
    pub fn names(&self) -> BTreeSet<OsString> {
        let entries = fs::read_dir(self.0.path()).unwrap().flatten();
        entries.map(|entry| entry.file_name()).collect()
    }

    /// Writes a volume with [`N`] samples along each axis.
    pub fn volume<T: Sample>(
        &self,
        name: &str,
        sample: impl FnMut(usize, usize, usize) -> T,
    ) -> VolumeSource
    where
        AnyVolume: From<Volume<T>>,
    {
        self.sized_volume(N, name, sample)
    }

    /// Writes a volume with the given number of samples along each axis.
    pub fn sized_volume<T: Sample>(
        &self,
        n: usize,
        name: &str,
        sample: impl FnMut(usize, usize, usize) -> T,
    ) -> VolumeSource
    where
        AnyVolume: From<Volume<T>>,
    {
        let volume = Volume::from_fn([n; 3], Geometry::default(), sample).unwrap();
        write_volume(
            self.path(name),
            &volume.into(),
            &VolumeWriteOptions::default(),
        )
        .unwrap();
        VolumeSource::new(self.path(name))
    }
}

/// Returns an implicit function that is positive in two crossing tubes and a ball next to them.
pub fn solid(x: usize, y: usize, z: usize) -> f64 {
    let [x, y, z] = [x, y, z].map(|n| n as f64 - N as f64 / 2.0);
    let tube = 9.0 - y.hypot(z + 8.0);
    let other = 7.0 - x.hypot(z + 8.0);
    let ball = 12.0 - (x * x + y * y + (z - 24.0) * (z - 24.0)).sqrt();
    let border = N as f64 / 2.0 - 4.0 - x.abs().max(y.abs());
    tube.max(other).min(border).max(ball)
}
