//! Formats, and the files to damage: the fuzzers' corpus.

use anyhow::{Context, Result, ensure};
use ferrovox::io::fuzz;
use std::{fs, path::Path};

/// Format of input files.
pub struct Format {
    /// Name of the format in the corpus.
    pub name: &'static str,
    /// File name extension.
    pub extension: &'static str,
    /// Reads bytes in every supported way; panics on a defect.
    pub read: fn(&[u8]),
    /// Content of the files.
    pub kind: Kind,
    /// Small files, most of them valid.
    pub files: Vec<Vec<u8>>,
}

/// Content of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Volume,
    Raw,
    Mesh,
    Points,
    Skeleton,
}

/// Loads all formats with their corpus files.
pub fn all(corpus: &Path) -> Result<Vec<Format>> {
    type Row = (&'static str, &'static str, fn(&[u8]), Kind);
    let rows: [Row; 19] = [
        ("nifti", "nii", fuzz::nifti, Kind::Volume),
        ("nrrd", "nrrd", fuzz::nrrd, Kind::Volume),
        ("metaimage", "mha", fuzz::metaimage, Kind::Volume),
        ("npy", "npy", fuzz::npy, Kind::Volume),
        ("npz", "npz", fuzz::npz, Kind::Volume),
        ("dicom", "dcm", fuzz::dicom, Kind::Volume),
        ("tiff", "tif", fuzz::tiff, Kind::Volume),
        ("zarr", "zip", fuzz::zarr, Kind::Volume),
        ("images", "vti", fuzz::images, Kind::Volume),
        ("raw", "raw", fuzz::raw, Kind::Raw),
        ("ply", "ply", fuzz::ply, Kind::Mesh),
        ("obj", "obj", fuzz::obj, Kind::Mesh),
        ("stl", "stl", fuzz::stl, Kind::Mesh),
        ("off", "off", fuzz::off, Kind::Mesh),
        ("vtp", "vtp", fuzz::vtp, Kind::Mesh),
        ("gltf", "glb", fuzz::gltf, Kind::Mesh),
        ("threemf", "3mf", fuzz::threemf, Kind::Mesh),
        ("points", "xyz", fuzz::points, Kind::Points),
        ("swc", "swc", fuzz::swc, Kind::Skeleton),
    ];
    let read = |(name, extension, read, kind): Row| {
        let files = files(&corpus.join(name))?;
        ensure!(!files.is_empty(), "the corpus of {name} is empty");
        Ok(Format {
            name,
            extension,
            read,
            kind,
            files,
        })
    };
    rows.into_iter().map(read).collect()
}

/// Reads the files of a folder in the order of their names.
fn files(folder: &Path) -> Result<Vec<Vec<u8>>> {
    let shown = || format!("cannot read {}", folder.display());
    let entries = fs::read_dir(folder).with_context(shown)?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
        .iter()
        .map(|path| fs::read(path).with_context(shown))
        .collect()
}
