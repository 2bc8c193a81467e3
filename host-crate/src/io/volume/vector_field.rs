//! Writing of vector fields.

use std::io::{BufWriter, Write};
use std::path::Path;

use crate::io::output::destination::output_extension;
use crate::io::output::group::write_alone;
use crate::io::output::replacement::Replacement;
use crate::io::volume::npy;
use crate::io::{ByteOrder, FileError, FileGroup, FileProblem, StoredType};

/// Writes one vector per voxel, x fastest, as `.npy`: `f32` of the shape (nz, ny, nx, 3), so that
/// NumPy's `field[z, y, x]` is the vector of voxel (x, y, z).
///
/// The file is replaced atomically: it appears under its name once it is complete and on the disk.
/// Until then, and after any failure, an existing file is unchanged.
///
/// # Errors
/// [`FileError`] for another extension, a number of vectors other than that of the voxels, and
/// errors of the operating system.
///
/// ```
/// use ferrovox::io::write_field;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("field.npy");
/// write_field(&path, [2, 1, 1], [[0.0, 0.0, 1.0], [0.5, 0.0, 0.0]])?;
/// assert!(std::fs::read(&path)?.ends_with(&[0, 0, 0, 63, 0, 0, 0, 0, 0, 0, 0, 0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_field(
    path: impl AsRef<Path>,
    dims: [usize; 3],
    vectors: impl IntoIterator<Item = [f32; 3]>,
) -> Result<(), FileError> {
    write_alone(|group| group.write_field(path, dims, vectors))
}

impl FileGroup {
    /// Writes a vector field as one file of the group; see [`write_field`](fn@write_field).
    ///
    /// # Errors
    /// The errors of [`write_field`](fn@write_field).
    pub fn write_field(
        &mut self,
        path: impl AsRef<Path>,
        dims: [usize; 3],
        vectors: impl IntoIterator<Item = [f32; 3]>,
    ) -> Result<(), FileError> {
        let path = path.as_ref();
        write(path, dims, vectors.into_iter())
            .and_then(|file| self.add(path, file))
            .map_err(|problem| FileError::new(path, problem))
    }
}

fn write(
    path: &Path,
    dims: [usize; 3],
    vectors: impl Iterator<Item = [f32; 3]>,
) -> Result<Replacement, FileProblem> {
    let extension = output_extension(path, "npy");
    if extension != "npy" {
        let known = "fields are written as .npy";
        return Err(FileProblem::UnknownExtension { extension, known });
    }
    let [nx, ny, nz] = dims;
    let dims = dims.map(|count| count as u64);
    let voxels = dims.iter().fold(1u128, |voxels, &count| {
        voxels.saturating_mul(u128::from(count))
    });
    let write_problem = |error| FileProblem::from_io("write", error);
    let mut out = BufWriter::with_capacity(1 << 20, Replacement::create(path)?);
    let header = npy::array_header(StoredType::F32, ByteOrder::Little, &[nz, ny, nx, 3]);
    out.write_all(&header).map_err(write_problem)?;
    let mut found = 0;
    for vector in vectors {
        found += 1;
        if u128::from(found) > voxels {
            break;
        }
        let bytes = vector.map(f32::to_le_bytes);
        out.write_all(bytes.as_flattened()).map_err(write_problem)?;
    }
    if u128::from(found) != voxels {
        return Err(FileProblem::FieldLength { found, dims });
    }
    let file = out.into_inner();
    file.map_err(|error| write_problem(error.into_error()))
}
