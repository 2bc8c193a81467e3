//! The format of a mesh that is written, and its limits.

use super::MeshFormat;
use super::counts::MeshCounts;
use super::encoder::Element;
use crate::io::file_extension::extension;
use crate::io::{FileError, FileProblem};
use std::path::Path;

impl MeshFormat {
    /// Fails if the format cannot count this many vertices or triangles.
    pub(super) fn check_limit(self, counts: MeshCounts) -> Result<(), FileProblem> {
        let Some(limit) = self.info().limit else {
            return Ok(());
        };
        let (what, count) = match limit.element {
            Element::Vertices => ("vertices", counts.vertices),
            Element::Triangles => ("triangles", counts.triangles),
        };
        if count <= limit.max {
            return Ok(());
        }
        Err(FileProblem::MeshTooLarge {
            format: self.name(),
            what,
            bits: limit.bits,
            count,
            instead: Self::unlimited_extensions(),
        })
    }

    /// Returns `true` if files of this format store world positions as `f64` for a mesh with a
    /// local origin.
    pub fn stores_f64(self) -> bool {
        self.info().stores_f64
    }

    /// Fails if the format stores positions as `f32` only, and `origin` is not zero.
    pub(super) fn check_origin(self, origin: [f64; 3]) -> Result<(), FileProblem> {
        if origin == [0.0; 3] || self.stores_f64() {
            return Ok(());
        }
        Err(FileProblem::LocalOrigin {
            format: self.name(),
            origin,
            instead: Self::f64_extensions(),
        })
    }
}

/// Returns the format of an output file: `format` if given, else that of the extension.
pub(super) fn resolve_format(
    path: &Path,
    format: Option<MeshFormat>,
) -> Result<MeshFormat, FileError> {
    format
        .or_else(|| MeshFormat::from_output_path(path))
        .ok_or_else(|| {
            let unknown = FileProblem::UnknownExtension {
                extension: extension(path),
                known: MeshFormat::written_as(),
            };
            FileError::new(path, unknown)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_error_names_the_count_and_an_alternative() {
        let check = |format: MeshFormat, vertices, triangles| {
            let counts = MeshCounts {
                vertices,
                triangles,
            };
            format.check_limit(counts)
        };
        assert!(check(MeshFormat::Ply, 1 << 32, u64::MAX).is_ok());
        let error = check(MeshFormat::Ply, (1 << 32) + 1, 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "PLY counts vertices in 32 bits, but the mesh has 4294967297; write .obj or .vtp instead"
        );
        let error = check(MeshFormat::Stl, 3, 1 << 32).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("STL counts triangles in 32 bits"),
            "{error}"
        );
        assert!(check(MeshFormat::Vtk, (1 << 31) + 1, 0).is_err());
        assert!(check(MeshFormat::Vtp, u64::MAX, u64::MAX).is_ok());
    }
}
