//! Skeleton files: a registry of formats, their encoders, and a reader of SWC.

mod encoder;
mod formats;
mod polylines;
mod swc_forest;
mod swc_reader;

use crate::memory::catch_out_of_memory;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::graph::Skeleton;
use crate::io::catch_panic::read_file;
use crate::io::file_extension::extension;
use crate::io::output::group::write_alone;
use crate::io::source::Source;
use crate::io::{FileError, FileGroup, FileProblem};

pub use formats::SkeletonFormat;

use encoder::SkeletonContent;

/// Information that the format of a skeleton file could not store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkeletonWriteReport {
    /// Number of cycles that were cut because the format stores trees (SWC). Each lacks one segment
    /// between two points, next to a node of the edge that is farthest from the root.
    pub cut_cycles: usize,
}

/// Writes a skeleton file in the [format](SkeletonFormat) of the extension. A device, a pipe or
/// standard output (`-`) without an extension gets JSON.
///
/// | format | contents | coordinates |
/// | --- | --- | --- |
/// | `.swc` | a tree per component, rooted at its widest point; cycles are cut | world |
/// | `.obj` | `v` and `l` records, a group per level; nodes without edges as `p` | world |
/// | `.vtp` | lines; `radius`, `section_area` and `level` of points; `level`, `component` | world |
/// | `.json` | the complete graph and its branches | world; `voxel` of nodes in voxels |
/// | `.graphml` | the graph with lengths and radii, for network programs | world |
/// | `.csv` | a table of the branches | world |
/// | `.nodes.csv` | a table of the nodes | world |
/// | `.skel` | a line `x y z segment radius` per point of each edge | voxels; radius world |
///
/// The file is replaced atomically: it appears under its name once it is complete and on the disk.
/// Until then, and after any failure, an existing file is unchanged.
///
/// # Errors
/// [`FileError`] for an extension of no skeleton format, a skeleton that
/// [is not valid](Skeleton::validate), and errors of the operating system.
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
) -> Result<SkeletonWriteReport, FileError> {
    write_alone(|group| group.write_skeleton(path, skeleton))
}

/// Writes the skeletons of several labels to one file, in the given order, like
/// [`write_skeleton`].
///
/// | format | marking of the labels |
/// | --- | --- |
/// | `.swc` | a comment `# label L` before the trees of each label; point numbers continue |
/// | `.obj` | a group `label_L` per label |
/// | `.vtp` | array `label` of lines and single points; `component` counts within a label |
/// | `.json` | array `labels`: each element has `label` and the keys of a single skeleton |
/// | `.graphml` | attribute `label` of the nodes; node numbers continue |
/// | `.csv`, `.nodes.csv` | a first column `label`; numbers restart |
/// | `.skel` | none; segment numbers continue |
///
/// # Errors
/// The errors of [`write_skeleton`].
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
) -> Result<SkeletonWriteReport, FileError> {
    write_alone(|group| group.write_skeletons(path, skeletons))
}

/// Reads a skeleton file: `.swc`. Its trees become one graph.
///
/// - **Coordinates** are those of the file, usually micrometres: the geometry is the default one,
///   with a spacing of 1.
/// - **Nodes** are the roots, forks and endpoints, of kind
///   [`Junction`](crate::graph::NodeKind::Junction) or [`End`](crate::graph::NodeKind::End). The
///   chains of points between them become edges, directed away from the root. The component of a
///   node is the index of its tree, in the order of the file.
/// - **Order**: a parent may stand before or after its children. Point numbers range from 0 to
///   2⁶³ - 1 and need not be consecutive.
/// - **Ignored**: comments (`#`, also after a point), empty lines, and words after the seventh.
///   Types are checked and dropped. A negative radius, which some programs write for an unknown
///   one, becomes 0, which means unknown here too.
///
/// A file that [`write_skeleton`] wrote is read back with identical points, radii and segments.
/// Time: O(n log n) for n points. Memory: about 120 bytes per point in addition to the graph.
///
/// # Errors
/// [`FileError`] for another extension, errors of the operating system, insufficient memory, and
/// [`FileProblem::Swc`] for a damaged file: too few words, a word that is not a finite number, a
/// duplicate number, a missing parent, a cycle of parents.
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

/// Reads a skeleton from the bytes of a file. `name` stands for the file name: its extension
/// determines the format, and errors quote it.
///
/// # Errors
/// The errors of [`read_skeleton`].
pub fn read_skeleton_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<Skeleton, FileError> {
    read(name.as_ref(), || Ok(Source::from_bytes(bytes)))
}

fn read<'a>(
    path: &Path,
    open: impl FnOnce() -> Result<Source<'a>, FileProblem>,
) -> Result<Skeleton, FileError> {
    let reader = SkeletonFormat::from_path(path).and_then(SkeletonFormat::reader);
    read_file(path, || match reader {
        Some(reader) => reader(open()?),
        None => Err(FileProblem::UnknownExtension {
            extension: extension(path),
            known: SkeletonFormat::read_from(),
        }),
    })
}

impl FileGroup {
    /// Writes a skeleton file as one of the group; see [`write_skeleton`](fn@write_skeleton).
    ///
    /// # Errors
    /// The errors of [`write_skeleton`](fn@write_skeleton).
    pub fn write_skeleton(
        &mut self,
        path: impl AsRef<Path>,
        skeleton: &Skeleton,
    ) -> Result<SkeletonWriteReport, FileError> {
        write(self, path.as_ref(), SkeletonContent::Single(skeleton))
    }

    /// Writes the skeletons of several labels to one file of the group; see
    /// [`write_skeletons`](fn@write_skeletons).
    ///
    /// # Errors
    /// The errors of [`write_skeleton`](fn@write_skeleton).
    pub fn write_skeletons(
        &mut self,
        path: impl AsRef<Path>,
        skeletons: &[(i64, &Skeleton)],
    ) -> Result<SkeletonWriteReport, FileError> {
        write(self, path.as_ref(), SkeletonContent::Labels(skeletons))
    }
}

fn write(
    group: &mut FileGroup,
    path: &Path,
    content: SkeletonContent<'_>,
) -> Result<SkeletonWriteReport, FileError> {
    let problem = |problem| FileError::new(path, problem);
    let format = SkeletonFormat::from_output_path(path).ok_or_else(|| {
        problem(FileProblem::UnknownExtension {
            extension: extension(path),
            known: SkeletonFormat::written_as(),
        })
    })?;
    for (_, skeleton) in content.skeletons() {
        skeleton
            .validate()
            .map_err(|error| problem(FileProblem::Skeleton(error.to_string())))?;
    }
    let mut written = SkeletonWriteReport::default();
    group.write(path, |file| {
        let mut out = BufWriter::with_capacity(1 << 20, file);
        written = catch_out_of_memory("a skeleton file", || {
            format.encoder().write(content, &mut out)
        })?;
        out.flush()
    })?;
    Ok(written)
}
