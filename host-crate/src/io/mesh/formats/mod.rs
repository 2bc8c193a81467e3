//! Registry of the mesh formats, one module each: properties, encoder and, for some, a reader.
//!
//! Adding a format takes one module, its declaration and row in the table below, and one row in the
//! README's table, which a test compares with [`MeshFormat::markdown_table`].

mod gltf;
mod obj;
mod off;
mod ply;
mod stl;
mod threemf;
mod vtk;
mod vtp;

use super::encoder::{MeshEncoder, MeshFormatInfo};
use crate::io::file_extension::list_extensions;
use crate::io::registry::file_formats;
use std::fmt::Write;
use std::sync::LazyLock;

file_formats! {
    /// A format of mesh files.
    MeshFormat: MeshEncoder, streams: Ply {
        /// PLY, written as binary little-endian.
        Ply => ply::PlyEncoder,
        /// Wavefront OBJ: text.
        Obj => obj::ObjEncoder,
        /// STL, written as binary.
        Stl => stl::StlEncoder,
        /// VTK's legacy format: binary polydata, `.vtk`.
        Vtk => vtk::VtkEncoder,
        /// VTK's XML format: polydata with appended binary data, `.vtp`.
        Vtp => vtp::VtpEncoder,
        /// Geomview's Object File Format: text.
        Off => off::OffEncoder,
        /// glTF 2.0 in its binary form, `.glb`, in metres with y upwards.
        Gltf => gltf::GltfEncoder,
        /// 3D Manufacturing Format, in millimetres.
        ThreeMf => threemf::ThreeMfEncoder,
    }
}

impl MeshFormat {
    /// Returns the format that the first bytes of a file identify. OBJ and binary STL files have no
    /// signature.
    pub fn from_content(start: &[u8]) -> Option<Self> {
        let has_signature = |format: &Self| {
            let mut signatures = format.info().signatures.iter();
            signatures.any(|signature| starts_with_ignoring_case(start, signature))
        };
        Self::ALL.iter().copied().find(has_signature)
    }

    /// Returns `true` if files of this format can be read.
    pub fn is_readable(self) -> bool {
        self.info().reader.is_some()
    }

    /// Returns the extensions of the formats that can be read, without a dot.
    pub fn input_extensions() -> impl Iterator<Item = &'static str> {
        let readable = Self::ALL.iter().filter(|format| format.is_readable());
        readable.map(|format| format.extension())
    }

    /// Returns `true` if files of this format can store the two labels of each triangle.
    pub fn holds_face_labels(self) -> bool {
        self.info().holds_face_labels
    }

    /// Returns the extensions of all formats as a message lists them:
    /// `.ply, .obj, .stl, .vtk, .vtp, .off, .glb or .3mf`.
    pub fn writable_extensions() -> &'static str {
        static LIST: LazyLock<String> = LazyLock::new(|| extensions(|_| true, "or"));
        &LIST
    }

    /// Returns the extensions of the readable formats as a message lists them:
    /// `.ply, .obj, .stl, .vtp, .off, .glb and .3mf`.
    pub fn readable_extensions() -> &'static str {
        static LIST: LazyLock<String> =
            LazyLock::new(|| extensions(MeshFormat::is_readable, "and"));
        &LIST
    }

    /// Returns the extensions of the formats that store the two labels of each triangle:
    /// `.ply, .vtp or .glb`.
    pub fn face_label_extensions() -> &'static str {
        static LIST: LazyLock<String> =
            LazyLock::new(|| extensions(MeshFormat::holds_face_labels, "or"));
        &LIST
    }

    /// Returns the extensions of the formats that store `f64` positions:
    /// `.ply, .obj, .vtk, .vtp, .off or .glb`.
    pub fn f64_extensions() -> &'static str {
        static LIST: LazyLock<String> = LazyLock::new(|| extensions(MeshFormat::stores_f64, "or"));
        &LIST
    }

    /// Returns the extensions of the formats for meshes of any size: `.obj, .vtp or .off`.
    pub(in crate::io::mesh) fn unlimited_extensions() -> &'static str {
        static LIST: LazyLock<String> =
            LazyLock::new(|| extensions(|format| format.info().limit.is_none(), "or"));
        &LIST
    }

    /// Returns the sentence that errors about the extension of an output quote.
    pub(crate) fn written_as() -> &'static str {
        static SENTENCE: LazyLock<String> = LazyLock::new(|| {
            format!(
                "meshes are written as {}",
                MeshFormat::writable_extensions()
            )
        });
        &SENTENCE
    }

    /// Returns the sentence that errors about the extension of an input quote.
    pub(in crate::io::mesh) fn read_from() -> &'static str {
        static SENTENCE: LazyLock<String> =
            LazyLock::new(|| format!("meshes are read from {}", MeshFormat::readable_extensions()));
        &SENTENCE
    }

    /// Returns the Markdown table of mesh formats that the README shows.
    pub fn markdown_table() -> String {
        let mut table = "| mesh format | extension | read | normals | indices | face labels |\n\
                         | --- | --- | --- | --- | --- | --- |\n"
            .to_owned();
        for format in Self::ALL {
            let info = format.info();
            let read = info.reader.map_or("no", |reader| reader.encodings);
            let labels = if info.holds_face_labels { "yes" } else { "no" };
            let row = writeln!(
                table,
                "| {} | `.{}` | {read} | {} | {} | {labels} |",
                info.description, info.extension, info.normals, info.indices
            );
            debug_assert!(row.is_ok(), "a string accepts every write");
        }
        table
    }

    pub(in crate::io::mesh) fn info(self) -> &'static MeshFormatInfo {
        self.encoder().info()
    }
}

/// Returns `true` if `bytes` start with `word`, in upper or lower case.
pub(super) fn starts_with_ignoring_case(bytes: &[u8], word: &[u8]) -> bool {
    let start = bytes.get(..word.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(word))
}

fn extensions(is_listed: impl Fn(MeshFormat) -> bool, conjunction: &str) -> String {
    let formats = MeshFormat::ALL.iter().filter(|format| is_listed(**format));
    list_extensions(formats.map(|format| format.extension()), conjunction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn extension_determines_the_mesh_format() {
        let format = |name: &str| MeshFormat::from_path(Path::new(name));
        assert_eq!(format("brain.PLY"), Some(MeshFormat::Ply));
        assert_eq!(format("brain.ply.gz"), None);
        for &known in MeshFormat::ALL {
            assert_eq!(format(&format!("a.{}", known.extension())), Some(known));
        }
    }

    #[test]
    fn lists_of_extensions_follow_the_table() {
        assert_eq!(
            MeshFormat::written_as(),
            "meshes are written as .ply, .obj, .stl, .vtk, .vtp, .off, .glb or .3mf"
        );
        assert_eq!(
            MeshFormat::read_from(),
            "meshes are read from .ply, .obj, .stl, .vtp, .off, .glb and .3mf"
        );
        assert_eq!(MeshFormat::face_label_extensions(), ".ply, .vtp or .glb");
        assert_eq!(MeshFormat::unlimited_extensions(), ".obj, .vtp or .off");
        assert_eq!(
            MeshFormat::f64_extensions(),
            ".ply, .obj, .vtk, .vtp, .off or .glb"
        );
    }
}
