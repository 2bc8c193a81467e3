//! Tests of [`VolumeSource`].

use super::*;
use crate::{
    grid::{Geometry, Volume},
    io::{VolumeWriteOptions, write_volume},
};
use std::fs;

#[test]
fn read_ahead_is_used_once_and_only_for_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first.npy", "second.npy"].map(|name| folder.path().join(name));
    for (path, value) in [(&first, 1_u8), (&second, 2)] {
        let volume = Volume::from_fn([3, 4, 5], Geometry::default(), |_, _, _| value).unwrap();
        write_volume(path, &volume.into(), &VolumeWriteOptions::default()).unwrap();
    }
    let taken = |source: &VolumeSource| source.ahead.take(&source.path, &source.options);
    let maximum = |source: &VolumeSource| source.read().unwrap().volume.summary().max;
    let source = VolumeSource::new(&first).read_ahead();
    let other = VolumeSource {
        path: second.clone(),
        ..source.clone()
    };
    assert_eq!(maximum(&other), maximum(&VolumeSource::new(&second)));
    assert!(taken(&source).is_some_and(|read| read.is_ok()));
    assert!(taken(&source).is_none());
    // the next read reads the file again
    assert_eq!(maximum(&source), maximum(&VolumeSource::new(&first)));
}

#[test]
fn unreadable_file_fails_when_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.npy");
    fs::write(&path, b"\x93NUMPY").unwrap();
    for path in [
        path,
        folder.path().join("missing.nii"),
        folder.path().into(),
    ] {
        let source = VolumeSource::new(path);
        let expected = source.read().map(|_| ()).unwrap_err().to_string();
        let found = source.read_ahead().read().map(|_| ()).unwrap_err();
        assert_eq!(found.to_string(), expected);
    }
}
