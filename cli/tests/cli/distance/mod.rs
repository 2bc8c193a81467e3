//! Tests of `ferrovox distance`, and helpers that they share.

mod files;
mod invalid_input;
mod invalid_options;
mod labels;
mod pictures;
mod points;
mod signed;
mod slabs;

use crate::{
    samples::{ball, nifti},
    support::Folder,
};
use ferrovox::{
    grid::AnyVolume,
    io::{ReadOptions, VolumeFile, read_volume},
};

const DIMS: [usize; 3] = [9, 7, 5];

/// Sites among the voxels of [`DIMS`].
const SITES: [[usize; 3]; 3] = [[1, 2, 3], [8, 0, 0], [4, 6, 4]];

/// Creates a folder with a mask of the sites and a ball.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut mask = vec![0.0; DIMS.iter().product()];
    for [x, y, z] in SITES {
        mask[(z * DIMS[1] + y) * DIMS[0] + x] = 2.0;
    }
    folder.file("mask.nii", nifti(&mask, DIMS.map(|n| n as u16)));
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder
}

/// Reads a volume of the folder.
fn read(folder: &Folder, name: &str) -> VolumeFile {
    read_volume(folder.path(name), &ReadOptions::default()).unwrap()
}

/// Reads the samples of a volume of f32.
fn distances(folder: &Folder, name: &str) -> Vec<f32> {
    match read(folder, name).volume {
        AnyVolume::F32(volume) => volume.samples().to_vec(),
        other => panic!("{}", other.sample_type()),
    }
}

/// Returns squared distances to the nearest of [`SITES`] for integer spacing.
fn squared_distances(spacing: [i64; 3]) -> Vec<i64> {
    let squared = |a: [usize; 3], b: [usize; 3]| -> i64 {
        let along = |k: usize| (a[k] as i64 - b[k] as i64) * spacing[k];
        (0..3).map(|k| along(k) * along(k)).sum()
    };
    voxels(DIMS)
        .map(|at| SITES.iter().map(|&site| squared(at, site)).min().unwrap())
        .collect()
}

/// Returns the indices of all voxels, x fastest.
fn voxels([nx, ny, nz]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..nx * ny * nz).map(move |i| [i % nx, i / nx % ny, i / nx / ny])
}
