//! Writing a mesh piece by piece, in memory that does not grow with the mesh.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::ahead::Ahead;
use super::form::{Form, write_facets};
use super::parts::{MeshCounts, Part};
use super::spool::Spool;
use super::{MeshWriteOptions, format_of, limits, vtp};
use crate::io::group::alone;
use crate::io::replace::{create_problem, temporary_folder};
use crate::io::{FileError, FileGroup, FileProblem};
use crate::mesh::{MeshError, VertexIndex};

/// Writes a mesh that comes piece by piece, such as one slab of a volume after the other.
///
/// The file is byte for byte what [`write_mesh`](super::write_mesh) writes of the whole mesh. What
/// comes later in the file is kept in temporary files without a name in the output's folder until
/// [`finish`](Self::finish) joins them; the file appears under its name when it is complete and on
/// the disk. Until then, after any failure, and when the writer is dropped without `finish`, what
/// stood there before is untouched and nothing else stays behind.
///
/// Memory: some 40 MB for what is being encoded; and 32 bytes for a triangle that names vertices
/// which have not come yet. Disk: up to twice the file's size while it is joined. STL needs
/// vertices and indices as well, 12 bytes per vertex and 24 per triangle, and maps them into memory
/// when it is joined.
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
    form: Form,
    counts: MeshCounts,
    spools: Spools,
    ahead: Ahead,
    /// A piece was not written in full: the file cannot be finished.
    failed: bool,
}

struct Spools {
    vertices: Spool,
    normals: Spool,
    triangles: Spool,
}

impl MeshWriter {
    /// Prepares to write a mesh file; nothing appears under its name yet.
    ///
    /// # Errors
    /// [`FileError`] for an extension that names no mesh format, and a folder in which no file can
    /// be made.
    pub fn create(path: impl AsRef<Path>, options: &MeshWriteOptions) -> Result<Self, FileError> {
        let path = path.as_ref();
        let form = Form {
            format: format_of(path, options.format)?,
            normals: options.normals,
        };
        let spools = Spools::create(path).map_err(|problem| FileError::new(path, problem))?;
        Ok(Self {
            path: path.to_owned(),
            form,
            counts: MeshCounts::default(),
            spools,
            ahead: Ahead::default(),
            failed: false,
        })
    }

    /// Appends vertices, which get the numbers after those of the vertices before, and triangles,
    /// which name vertices by their numbers in the whole mesh: of any piece, those to come
    /// included.
    ///
    /// Normals, one per vertex, are needed where [`MeshWriteOptions::normals`] is set, and else
    /// ignored.
    ///
    /// # Errors
    /// [`FileError`] for normals that are not one per vertex, more vertices or triangles than the
    /// format counts, and what the operating system refuses, a full disk for one. After a refusal
    /// of the system the file cannot be finished; after the others it is as if nothing had been
    /// appended.
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
        let found = match normals {
            Some(normals) => normals.len(),
            None if self.form.normals => 0,
            None => vertices.len(),
        };
        if found != vertices.len() {
            return Err(MeshError::NormalCount {
                normals: found,
                vertices: vertices.len(),
            }
            .into());
        }
        let counts = MeshCounts {
            vertices: self.counts.vertices + vertices.len() as u64,
            triangles: self.counts.triangles + triangles.len() as u64,
        };
        limits(self.form.format, counts.vertices, counts.triangles)?;
        let normals = normals.filter(|_| self.form.normals);
        if let Err(error) = self.spools.append(self.form, vertices, normals, triangles) {
            self.failed = true;
            return Err(FileProblem::from_io("write", error));
        }
        self.ahead
            .note(self.counts.triangles, triangles, counts.vertices);
        self.counts = counts;
        Ok(())
    }

    /// How many vertices and triangles there are so far.
    pub fn counts(&self) -> MeshCounts {
        self.counts
    }

    /// Joins the file and puts it in its place. Returns how many vertices and triangles it has.
    ///
    /// # Errors
    /// [`FileError`] if a triangle names a vertex that never came, an earlier piece was not
    /// written, or the operating system refuses. What stood under the name is untouched then.
    pub fn finish(self) -> Result<MeshCounts, FileError> {
        alone(|group| self.finish_in(group))
    }

    /// Joins the file, which takes its place with the others of the group.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_in(self, group: &mut FileGroup) -> Result<MeshCounts, FileError> {
        let check = self
            .check_usable()
            .and_then(|()| Ok(self.ahead.check(self.counts.vertices)?));
        check.map_err(|problem| FileError::new(&self.path, problem))?;
        let Self {
            path,
            form,
            counts,
            spools,
            ..
        } = self;
        group.write(&path, |out| spools.join(form, counts, out))?;
        Ok(counts)
    }

    fn check_usable(&self) -> Result<(), FileProblem> {
        if !self.failed {
            return Ok(());
        }
        Err(FileProblem::Io {
            action: "go on writing",
            source: io::Error::other("an earlier piece of the mesh was not written in full"),
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

    fn append<I: VertexIndex + Into<u64>>(
        &mut self,
        form: Form,
        vertices: &[[f32; 3]],
        normals: Option<&[[f32; 3]]>,
        triangles: &[[I; 3]],
    ) -> io::Result<()> {
        form.write_vertices(vertices, normals, &mut self.vertices)?;
        form.write_normals(normals.unwrap_or_default(), &mut self.normals)?;
        form.write_triangles(triangles, &mut self.triangles)
    }

    /// Writes the file's parts. A spool is dropped, and its space free, as soon as it has been
    /// copied.
    fn join(self, form: Form, counts: MeshCounts, out: &mut File) -> io::Result<()> {
        let mut vertices = Some(self.vertices);
        let mut normals = Some(self.normals);
        let mut triangles = Some(self.triangles);
        let copy = |spool: &mut Option<Spool>, out: &mut File| {
            // No format has a part twice.
            spool.take().map_or(Ok(()), |spool| spool.copy_to(out))
        };
        for part in form.parts(counts) {
            match part {
                Part::Bytes(bytes) => out.write_all(&bytes)?,
                Part::Vertices => copy(&mut vertices, out)?,
                Part::Normals => copy(&mut normals, out)?,
                Part::Triangles => copy(&mut triangles, out)?,
                Part::Ends => vtp::write_ends(counts.triangles, out)?,
                Part::Facets => {
                    if let (Some(vertices), Some(triangles)) = (&vertices, &triangles) {
                        let (vertices, triangles) = (vertices.map()?, triangles.map()?);
                        // Every index has been compared with the number of vertices.
                        write_facets::<u64>(vertices.elements(), triangles.elements(), out)?;
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_format_cannot_count_is_refused_before_it_is_written() {
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
            writer.counts = MeshCounts {
                vertices,
                triangles,
            };
            let before = writer.counts;
            let error = writer
                .append(&[[0.0; 3]], None, &[[0_u64, 0, 0]])
                .unwrap_err();
            assert!(
                matches!(error.problem, FileProblem::MeshTooLarge { count, .. } if count == vertices.max(triangles) + 1),
                "{error}"
            );
            assert_eq!(writer.counts, before);
            writer.append(&[], None, &[] as &[[u32; 3]]).unwrap();
        }
    }
}
