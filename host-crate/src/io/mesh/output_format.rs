//! The format of a mesh that is written, and its limits.

use super::MeshFormat;
use super::encoder::{Element, MeshLayout};
use crate::io::file_extension::extension;
use crate::io::{FileError, FileProblem};
use std::path::Path;

impl MeshFormat {
    /// Fails if the format cannot count this many vertices, triangles or bytes.
    pub(super) fn check_limit(self, layout: &MeshLayout) -> Result<(), FileProblem> {
        let too_large = |what, bits, count| FileProblem::MeshTooLarge {
            format: self.name(),
            what,
            bits,
            count,
            instead: Self::unlimited_extensions(),
        };
        if let Some(limit) = self.info().limit {
            let (what, count) = match limit.element {
                Element::Vertices => ("vertices", layout.counts.vertices),
                Element::Triangles => ("triangles", layout.counts.triangles),
            };
            if count > limit.max {
                return Err(too_large(what, limit.bits, count));
            }
        }
        let bytes = self.encoder().counted_bytes(layout);
        if bytes > u64::from(u32::MAX) {
            return Err(too_large("bytes", 32, bytes));
        }
        Ok(())
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
    use crate::io::MeshCounts;

    #[test]
    fn limit_error_names_the_count_and_an_alternative() {
        let check = |format: MeshFormat, vertices, triangles| {
            let mut layout = MeshLayout::new(None, [0.0; 3]);
            layout.counts = MeshCounts {
                vertices,
                triangles,
            };
            format.check_limit(&layout)
        };
        assert!(check(MeshFormat::Ply, 1 << 32, u64::MAX).is_ok());
        let error = check(MeshFormat::Ply, (1 << 32) + 1, 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "PLY counts vertices in 32 bits, but the mesh has 4294967297; write .obj, .vtp or .off instead"
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
        assert!(check(MeshFormat::Gltf, 1 << 27, 1 << 27).is_ok());
        let error = check(MeshFormat::Gltf, 1 << 28, 1 << 27).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("glTF counts bytes in 32 bits, but the mesh has 4831842304"),
            "{error}"
        );
        assert!(check(MeshFormat::ThreeMf, (1 << 31) + 1, 0).is_err());
    }
}
