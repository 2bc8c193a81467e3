//! Writing of a mesh piece by piece, in memory that does not grow with the mesh.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::encoder::{DataBlock, MeshLayout};
use super::forward_references::ForwardReferences;
use super::output_format::resolve_format;
use super::spool::Spool;
use super::write::{
    write_facets, write_file, write_normals, write_triangle_ends, write_triangles, write_vertices,
};
use super::{MeshCounts, MeshFormat, MeshWriteOptions, parallel_encode};
use crate::io::output::early_writeback::EarlyWriteback;
use crate::io::output::group::write_alone;
use crate::io::output::replacement::{create_problem, temporary_folder};
use crate::io::{FileError, FileGroup, FileProblem};
use crate::mesh::{MeshError, VertexIndex};

/// Writes a mesh that is produced piece by piece, for example slab by slab of a volume.
///
/// The file is byte for byte the one that [`write_mesh`](super::write_mesh) writes for the whole
/// mesh. The data blocks are collected in unnamed temporary files in the folder of the output until
/// [`finish`](Self::finish) joins them; the file appears under its name once it is complete and on
/// the disk. Until then, after any failure, and when the writer is dropped without `finish`, an
/// existing file is unchanged and no temporary file is left.
///
/// Memory: about 40 MB for the encoder, and 32 bytes per triangle that refers to vertices of later
/// pieces. Disk: up to twice the size of the file while it is joined. STL also stores vertices and
/// indices, 12 bytes per vertex and 24 per triangle, and maps them into memory while it is joined.
///
/// ```
/// use ferrovox::io::{MeshWriteOptions, MeshWriter, read_mesh};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("strip.ply");
/// let options = MeshWriteOptions { normals: false, ..MeshWriteOptions::default() };
/// let mut writer = MeshWriter::create(&path, &options)?;
/// // The second triangle's last vertex comes with the next piece.
/// let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// writer.append(&square, None, &[[0_u32, 1, 2], [1, 3, 2]])?;
/// writer.append(&[[1.0, 1.0, 0.0]], None, &[] as &[[u32; 3]])?;
/// let counts = writer.finish()?;
/// assert_eq!((counts.vertices, counts.triangles), (4, 2));
/// assert_eq!(read_mesh(&path)?.vertices.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MeshWriter {
    path: PathBuf,
    format: MeshFormat,
    layout: MeshLayout,
    spools: Spools,
    references: ForwardReferences,
    /// `true` after a piece was not written completely: the file cannot be finished.
    has_failed: bool,
}

/// Contents of the data blocks, in temporary files.
struct Spools {
    vertices: Spool,
    normals: Spool,
    triangles: Spool,
}

impl MeshWriter {
    /// Creates a writer. Nothing appears under the name `path` yet.
    ///
    /// # Errors
    /// [`FileError`] for an extension of no mesh format, and for a folder in which no file can be
    /// created.
    pub fn create(path: impl AsRef<Path>, options: &MeshWriteOptions) -> Result<Self, FileError> {
        let path = path.as_ref();
        let format = resolve_format(path, options.format)?;
        let spools = Spools::create(path).map_err(|problem| FileError::new(path, problem))?;
        Ok(Self {
            path: path.to_owned(),
            format,
            layout: MeshLayout {
                normals: options.normals,
                ..MeshLayout::new(options.space, [0.0; 3])
            },
            spools,
            references: ForwardReferences::default(),
            has_failed: false,
        })
    }

    /// Sets the world position that the vertices of all pieces are relative to; zero by default.
    ///
    /// # Errors
    /// [`FileProblem::LocalOrigin`] for an origin that is not zero in a format without `f64`
    /// positions. The writer is then unchanged.
    ///
    /// # Panics
    /// If vertices have been appended.
    pub fn set_origin(&mut self, origin: [f64; 3]) -> Result<(), FileError> {
        assert_eq!(
            self.layout.counts.vertices, 0,
            "the origin precedes all vertices"
        );
        self.format
            .check_origin(origin)
            .map_err(|problem| FileError::new(&self.path, problem))?;
        self.layout.origin = MeshLayout::file_origin(origin, self.layout.space);
        Ok(())
    }

    /// Appends vertices, whose indices continue those of earlier pieces, and triangles. Positions
    /// are relative to [the origin](Self::set_origin). A triangle
    /// refers to vertices by their indices in the whole mesh and may refer to vertices of any
    /// piece, including later ones.
    ///
    /// `normals`, one per vertex, are required if [`MeshWriteOptions::normals`] is set, and
    /// otherwise ignored.
    ///
    /// # Errors
    /// [`FileError`] for a number of normals other than that of the vertices, more vertices or
    /// triangles than the format can count, and errors of the operating system such as a full disk.
    /// After an error of the operating system the file cannot be finished; after the others the
    /// writer is unchanged.
    pub fn append<I: VertexIndex + Into<u64>>(
        &mut self,
        vertices: &[[f32; 3]],
        normals: Option<&[[f32; 3]]>,
        triangles: &[[I; 3]],
    ) -> Result<(), FileError> {
        self.append_piece(vertices, normals, triangles)
            .map_err(|problem| FileError::new(&self.path, problem))
    }

    fn append_piece<I: VertexIndex + Into<u64>>(
        &mut self,
        vertices: &[[f32; 3]],
        normals: Option<&[[f32; 3]]>,
        triangles: &[[I; 3]],
    ) -> Result<(), FileProblem> {
        self.check_usable()?;
        let normal_count = match normals {
            Some(normals) => normals.len(),
            None if self.layout.normals => 0,
            None => vertices.len(),
        };
        if normal_count != vertices.len() {
            return Err(MeshError::NormalCount {
                normals: normal_count,
                vertices: vertices.len(),
            }
            .into());
        }
        let before = self.layout.counts;
        let counts = MeshCounts {
            vertices: before.vertices + vertices.len() as u64,
            triangles: before.triangles + triangles.len() as u64,
        };
        self.layout.counts = counts;
        if let Err(problem) = self.format.check_limit(&self.layout) {
            self.layout.counts = before;
            return Err(problem);
        }
        let normals = normals.filter(|_| self.layout.normals);
        let appended = self
            .spools
            .append(self.format, &self.layout, vertices, normals, triangles);
        if let Err(error) = appended {
            self.has_failed = true;
            return Err(FileProblem::from_io("write", error));
        }
        self.layout.extend_bounds(self.format.info(), vertices);
        self.references
            .add(before.triangles, triangles, counts.vertices);
        Ok(())
    }

    /// Returns the numbers of vertices and triangles appended so far.
    pub fn counts(&self) -> MeshCounts {
        self.layout.counts
    }

    /// Completes the file and renames it to its path. Returns its numbers of vertices and
    /// triangles.
    ///
    /// # Errors
    /// [`FileError`] if a triangle refers to a vertex that was never appended, an earlier piece was
    /// not written completely, or the operating system reports an error. An existing file is then
    /// unchanged.
    pub fn finish(self) -> Result<MeshCounts, FileError> {
        write_alone(|group| self.finish_in(group))
    }

    /// Completes the file, which is renamed together with the others of the group.
    ///
    /// # Errors
    /// The errors of [`finish`](Self::finish).
    pub fn finish_in(self, group: &mut FileGroup) -> Result<MeshCounts, FileError> {
        let counts = self.layout.counts;
        let check = self
            .check_usable()
            .and_then(|()| Ok(self.references.check(counts.vertices)?));
        check.map_err(|problem| FileError::new(&self.path, problem))?;
        let Self {
            path,
            format,
            layout,
            spools,
            ..
        } = self;
        group.write(&path, |out| {
            if format.info().package.is_none() {
                let mut out = EarlyWriteback::new(out);
                return spools.join(format, &layout, &mut out, Spool::copy_to_file);
            }
            write_file(format, &layout, out, |mut out| {
                spools.join(format, &layout, &mut out, Spool::copy_to)
            })
        })?;
        Ok(counts)
    }

    fn check_usable(&self) -> Result<(), FileProblem> {
        if !self.has_failed {
            return Ok(());
        }
        Err(FileProblem::Io {
            action: "continue writing",
            source: io::Error::other(
                "an earlier piece of the mesh was not written completely; write the mesh again",
            ),
        })
    }
}

impl Spools {
    fn create(path: &Path) -> Result<Self, FileProblem> {
        let folder = temporary_folder(path)?;
        let create = || Spool::create(&folder).map_err(create_problem);
        Ok(Self {
            vertices: create()?,
            normals: create()?,
            triangles: create()?,
        })
    }

    /// Appends encoded elements; for a format that stores facets, elements as they are in memory,
    /// from which `join` encodes the facets.
    fn append<I: VertexIndex + Into<u64>>(
        &mut self,
        format: MeshFormat,
        layout: &MeshLayout,
        vertices: &[[f32; 3]],
        normals: Option<&[[f32; 3]]>,
        triangles: &[[I; 3]],
    ) -> io::Result<()> {
        if format.info().stores_facets {
            self.vertices.write_all(bytemuck::cast_slice(vertices))?;
            return write_indices(triangles, &mut self.triangles);
        }
        let encoder = format.encoder();
        write_vertices(encoder, layout, vertices, normals, &mut self.vertices)?;
        write_normals(
            encoder,
            layout,
            normals.unwrap_or_default(),
            &mut self.normals,
        )?;
        write_triangles(encoder, layout, None, triangles, None, &mut self.triangles)
    }

    /// Writes the blocks of the file, those of spools by `copy_spool`. A spool is dropped, and its
    /// disk space freed, as soon as it has been copied.
    fn join<W: Write>(
        self,
        format: MeshFormat,
        layout: &MeshLayout,
        out: &mut W,
        copy_spool: impl Fn(Spool, &mut W) -> io::Result<()>,
    ) -> io::Result<()> {
        let encoder = format.encoder();
        let mut vertices = Some(self.vertices);
        let mut normals = Some(self.normals);
        let mut triangles = Some(self.triangles);
        let copy = |spool: &mut Option<Spool>, out: &mut W| {
            // No format lists a block twice.
            spool.take().map_or(Ok(()), |spool| copy_spool(spool, out))
        };
        for block in encoder.blocks(layout) {
            match block {
                DataBlock::Bytes(bytes) => out.write_all(&bytes)?,
                DataBlock::Vertices => copy(&mut vertices, out)?,
                DataBlock::Normals => copy(&mut normals, out)?,
                DataBlock::Triangles => copy(&mut triangles, out)?,
                DataBlock::TriangleEnds => write_triangle_ends(encoder, layout.counts, out)?,
                DataBlock::Facets => {
                    if let (Some(vertices), Some(triangles)) = (&vertices, &triangles) {
                        let (vertices, triangles) = (vertices.map()?, triangles.map()?);
                        // `finish_in` has compared every index with the number of vertices.
                        write_facets::<u64>(
                            encoder,
                            layout,
                            vertices.elements(),
                            triangles.elements(),
                            out,
                        )?;
                    }
                }
                // The layout has no face labels.
                DataBlock::FaceLabels(_) => {}
            }
        }
        Ok(())
    }
}

/// Writes vertex indices as `u64` in native byte order.
fn write_indices<I: VertexIndex + Into<u64>>(
    triangles: &[[I; 3]],
    out: &mut dyn Write,
) -> io::Result<()> {
    parallel_encode::write_encoded(out, triangles.len(), |range, bytes| {
        for corner in triangles[range].as_flattened() {
            let index: u64 = (*corner).into();
            bytes.extend_from_slice(&index.to_ne_bytes());
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_beyond_the_limit_of_the_format_are_refused_before_writing() {
        let folder = tempfile::tempdir().unwrap();
        for (name, vertices, triangles) in [
            ("a.ply", 1 << 32, 0),
            ("a.vtk", 1 << 31, 0),
            ("a.stl", 0, u64::from(u32::MAX)),
        ] {
            let path = folder.path().join(name);
            let options = MeshWriteOptions {
                normals: false,
                ..MeshWriteOptions::default()
            };
            let mut writer = MeshWriter::create(&path, &options).unwrap();
            writer.layout.counts = MeshCounts {
                vertices,
                triangles,
            };
            let before = writer.layout.counts;
            let error = writer
                .append(&[[0.0; 3]], None, &[[0_u64, 0, 0]])
                .unwrap_err();
            assert!(
                matches!(error.problem, FileProblem::MeshTooLarge { count, .. } if count == vertices.max(triangles) + 1),
                "{error}"
            );
            assert_eq!(writer.layout.counts, before);
            writer.append(&[], None, &[] as &[[u32; 3]]).unwrap();
        }
    }
}
