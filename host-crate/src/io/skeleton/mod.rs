//! Skeleton files: one writer per format, and a reader of SWC.

mod json;
mod obj;
mod polylines;
mod skel;
mod swc;
mod swc_forest;
mod swc_read;
mod vtp;

use crate::memory::catch_out_of_memory;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::format::extension;
use super::group::alone;
use super::place::output_extension;
use super::source::Source;
use super::{FileError, FileGroup, FileProblem};
use crate::graph::Skeleton;

/// A format of skeleton files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SkeletonFormat {
    /// SWC, the text format of neuron tracings: trees. World coordinates.
    Swc,
    /// Wavefront OBJ, text: polylines. World coordinates.
    Obj,
    /// VTK's XML format, polydata with lines, text. World coordinates.
    Vtp,
    /// JSON: the whole graph. World coordinates, and nodes in voxels too.
    Json,
    /// Text: `x y z segment radius`. Coordinates in voxels, the radius in world units.
    Skel,
}

impl fmt::Display for SkeletonFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Swc => "SWC",
            Self::Obj => "OBJ",
            Self::Vtp => "VTP",
            Self::Json => "JSON",
            Self::Skel => "skel",
        })
    }
}

impl SkeletonFormat {
    /// The format of a file name's extension.
    pub fn from_path(path: &Path) -> Option<Self> {
        Self::from_extension(&extension(path))
    }

    /// The format of an output: JSON on a stream without an extension.
    pub(crate) fn of_output(path: &Path) -> Option<Self> {
        Self::from_extension(&output_extension(path, "json"))
    }

    fn from_extension(extension: &str) -> Option<Self> {
        match extension {
            "swc" => Some(Self::Swc),
            "obj" => Some(Self::Obj),
            "vtp" => Some(Self::Vtp),
            "json" => Some(Self::Json),
            "skel" => Some(Self::Skel),
            _ => None,
        }
    }
}

/// What a skeleton file leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkeletonWritten {
    /// Cycles that were cut because the format has trees only (SWC): each lacks one step between
    /// two points, where the way from the root is longest.
    pub cut_cycles: usize,
}

/// Writes a skeleton file; the extension determines the format: `.swc`, `.obj`, `.vtp`, `.json` or
/// `.skel`. A device, a pipe or standard output (`-`) without one gets JSON.
///
/// | format | what it has | coordinates |
/// | --- | --- | --- |
/// | `.swc` | a tree for each component, from its widest node; cycles are cut | world |
/// | `.obj` | `v` and `l` records, a group for each level; single nodes as `p` | world |
/// | `.vtp` | lines; at points `radius` and `level`, for lines `level` and `component` | world |
/// | `.json` | everything | world; `voxel` of nodes in voxels |
/// | `.skel` | a line `x y z segment radius` for each point of each edge | voxels; the radius in world units |
///
/// The file appears under its name when it is complete and on the disk; until then, and after any
/// failure, what stood there before is untouched.
///
/// # Errors
/// [`FileError`] for an extension that is none of these, a skeleton that
/// [is not valid](Skeleton::validate), and what the operating system refuses.
///
/// ```
/// use ferrovox::{io::write_skeleton, skeleton::Skeleton};
///
/// let folder = tempfile::tempdir()?;
/// let written = write_skeleton(folder.path().join("nothing.swc"), &Skeleton::default())?;
/// assert_eq!(written.cut_cycles, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_skeleton(
    path: impl AsRef<Path>,
    skeleton: &Skeleton,
) -> Result<SkeletonWritten, FileError> {
    alone(|group| group.write_skeleton(path, skeleton))
}

/// Writes the skeletons of several labels to one file, in their order; otherwise as
/// [`write_skeleton`].
///
/// | format | how labels are told apart |
/// | --- | --- |
/// | `.swc` | a comment `# label L` before the trees of each; numbers go on |
/// | `.obj` | a group `label_L` for each |
/// | `.vtp` | for lines and single points the array `label`; `component` counts within a label |
/// | `.json` | `labels`, a list of `label` and all that the file of one skeleton has |
/// | `.skel` | not at all; segments are counted on |
///
/// # Errors
/// Those of [`write_skeleton`].
///
/// ```
/// use ferrovox::{io::write_skeletons, skeleton::Skeleton};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("labels.obj");
/// write_skeletons(&path, &[(3, &Skeleton::default()), (7, &Skeleton::default())])?;
/// assert!(std::fs::read_to_string(&path)?.ends_with("g label_3\ng label_7\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_skeletons(
    path: impl AsRef<Path>,
    skeletons: &[(i64, &Skeleton)],
) -> Result<SkeletonWritten, FileError> {
    alone(|group| group.write_skeletons(path, skeletons))
}

/// Reads a skeleton file: `.swc`. Its trees become one graph.
///
/// - **Coordinates** are as the file has them: the geometry is the default one, so a voxel is a
///   unit of the file, usually a micrometre.
/// - **Nodes** are made of points without a parent, of forks and of ends, with the kinds
///   [`Junction`](crate::graph::NodeKind::Junction) and [`End`](crate::graph::NodeKind::End);
///   edges, away from the root, of all points between them. A node's component is the number of its
///   tree, in the order of the file.
/// - **Order**: a parent may stand before its children or after them, and numbers may be any from 0
///   to 2⁶³ - 1.
/// - **Passed over**: comments (`#`, also behind a point), empty lines, and words after the
///   seventh. Types are read and not kept; a radius below 0, by which some programs say that they
///   do not know it, is 0, which says the same here.
///
/// What [`write_skeleton`] wrote is read back with the same points, radii and steps between them,
/// digit for digit. Time: n log n for n points; memory: some 120 bytes for each beside the graph.
///
/// # Errors
/// [`FileError`] for another extension, what the operating system refuses, memory that cannot be
/// had, and [`FileProblem::Swc`] for a damaged file: too few words, what is no number or not
/// finite, a number twice, a parent that is not there, parents in a circle.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("fork.swc");
/// std::fs::write(&path, "1 1 0 0 0 2 -1\n2 3 0 0 3 1 1\n3 3 0 4 3 1 2\n4 3 0 -4 3 1 2\n")?;
/// let skeleton = ferrovox::io::read_skeleton(&path)?;
/// assert_eq!((skeleton.nodes.len(), skeleton.edges.len()), (4, 3));
/// assert_eq!(skeleton.length(), 11.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_skeleton(path: impl AsRef<Path>) -> Result<Skeleton, FileError> {
    let path = path.as_ref();
    read(path, || Source::open(path))
}

/// Reads a skeleton from the bytes of a file; `name` stands for the file's name: its extension
/// tells the format, and errors mention it.
///
/// # Errors
/// Those of [`read_skeleton`].
pub fn read_skeleton_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<Skeleton, FileError> {
    read(name.as_ref(), || Ok(Source::from_bytes(bytes)))
}

fn read<'a>(
    path: &Path,
    open: impl FnOnce() -> Result<Source<'a>, FileProblem>,
) -> Result<Skeleton, FileError> {
    let read = || match SkeletonFormat::from_path(path) {
        Some(SkeletonFormat::Swc) => swc_read::read(open()?),
        _ => Err(FileProblem::UnknownExtension {
            extension: extension(path),
            known: "skeletons are read from .swc",
        }),
    };
    read().map_err(|problem| FileError::new(path, problem))
}

impl FileGroup {
    /// Writes a skeleton file, as [`write_skeleton`].
    ///
    /// # Errors
    /// Those of [`write_skeleton`].
    pub fn write_skeleton(
        &mut self,
        path: impl AsRef<Path>,
        skeleton: &Skeleton,
    ) -> Result<SkeletonWritten, FileError> {
        write(self, path.as_ref(), Content::One(skeleton))
    }

    /// Writes the skeletons of several labels to one file, as [`write_skeletons`].
    ///
    /// # Errors
    /// Those of [`write_skeleton`].
    pub fn write_skeletons(
        &mut self,
        path: impl AsRef<Path>,
        skeletons: &[(i64, &Skeleton)],
    ) -> Result<SkeletonWritten, FileError> {
        write(self, path.as_ref(), Content::Labels(skeletons))
    }
}

/// What a file holds.
#[derive(Clone, Copy)]
enum Content<'a> {
    /// A skeleton without a label.
    One(&'a Skeleton),
    /// Those of labels.
    Labels(&'a [(i64, &'a Skeleton)]),
}

impl<'a> Content<'a> {
    /// Each skeleton with its label, if it has one.
    fn parts(self) -> impl Iterator<Item = (Option<i64>, &'a Skeleton)> {
        let (one, labels) = match self {
            Self::One(skeleton) => (Some((None, skeleton)), &[][..]),
            Self::Labels(labels) => (None, labels),
        };
        one.into_iter().chain(
            labels
                .iter()
                .map(|&(label, skeleton)| (Some(label), skeleton)),
        )
    }
}

fn write(
    group: &mut FileGroup,
    path: &Path,
    content: Content<'_>,
) -> Result<SkeletonWritten, FileError> {
    let problem = |problem| FileError::new(path, problem);
    let format = SkeletonFormat::of_output(path).ok_or_else(|| {
        problem(FileProblem::UnknownExtension {
            extension: extension(path),
            known: "skeletons are written as .swc, .obj, .vtp, .json and .skel",
        })
    })?;
    for (_, skeleton) in content.parts() {
        skeleton
            .validate()
            .map_err(|error| problem(FileProblem::Skeleton(error.to_string())))?;
    }
    let mut written = SkeletonWritten::default();
    group.write(path, |file| {
        let mut out = BufWriter::with_capacity(1 << 20, file);
        written = catch_out_of_memory(|| encode(format, content, &mut out))?;
        out.flush()
    })?;
    Ok(written)
}

/// Writes valid skeletons to anything.
fn encode(
    format: SkeletonFormat,
    content: Content<'_>,
    out: &mut dyn Write,
) -> io::Result<SkeletonWritten> {
    let mut written = SkeletonWritten::default();
    match format {
        SkeletonFormat::Swc => written.cut_cycles = swc::write(content, out)?,
        SkeletonFormat::Obj => obj::write(content, out)?,
        SkeletonFormat::Vtp => vtp::write(content, out)?,
        SkeletonFormat::Json => json::write(content, out)?,
        SkeletonFormat::Skel => skel::write(content, out)?,
    }
    Ok(written)
}
