//! The formats, and the files that are damaged: those of the fuzzers' corpus.

use anyhow::{Context, Result, ensure};
use ferrovox::io::fuzz;
use std::{fs, path::Path};

/// A format of input files.
pub struct Format {
    /// Its name, as the corpus has it.
    pub name: &'static str,
    /// How a file's name ends.
    pub extension: &'static str,
    /// Reads bytes in every way there is, and panics at a defect.
    pub read: fn(&[u8]),
    /// Whether files are volumes, meshes, points or skeletons.
    pub kind: Kind,
    /// Small files, most of them valid.
    pub files: Vec<Vec<u8>>,
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Volume,
    Raw,
    Mesh,
    Points,
    Skeleton,
}

/// All of them.
pub fn all(corpus: &Path) -> Result<Vec<Format>> {
    type Row = (&'static str, &'static str, fn(&[u8]), Kind);
    let rows: [Row; 10] = [
        ("nifti", "nii", fuzz::nifti, Kind::Volume),
        ("nrrd", "nrrd", fuzz::nrrd, Kind::Volume),
        ("metaimage", "mha", fuzz::metaimage, Kind::Volume),
        ("npy", "npy", fuzz::npy, Kind::Volume),
        ("raw", "raw", fuzz::raw, Kind::Raw),
        ("ply", "ply", fuzz::ply, Kind::Mesh),
        ("obj", "obj", fuzz::obj, Kind::Mesh),
        ("stl", "stl", fuzz::stl, Kind::Mesh),
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

/// The files of a folder, in the order of their names.
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
