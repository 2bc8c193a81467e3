//! Input files and folders of a batch.

use ferrovox::io::{MeshFormat, VolumeFormat, point_extensions};
use std::path::{Path, PathBuf};

/// Kind of the files that a command reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// Volumes. A folder of DICOM files, slices or Zarr is one volume.
    Volumes,
    /// Meshes.
    Meshes,
    /// Points.
    Points,
}

impl InputKind {
    /// Returns the extensions of files that are an input each, without a final `.gz`.
    pub(super) fn extensions(self) -> Vec<&'static str> {
        match self {
            Self::Volumes => {
                let formats = VolumeFormat::ALL.iter();
                let single = formats.filter(|format| !format.is_read_from_folder());
                single
                    .flat_map(|format| format.input_extensions())
                    .collect()
            }
            Self::Meshes => MeshFormat::input_extensions().collect(),
            Self::Points => point_extensions().collect(),
        }
    }
}

/// Returns the name of a file without its folder and extension.
pub(super) fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() && !path.is_dir() => stem.to_owned(),
        _ => name.to_owned(),
    }
}

/// Returns the files with one of these extensions in a folder, in order of their names; `None` if
/// the path is not a folder, or a folder without such files, which is an input itself.
pub(super) fn files_in_folder(path: &Path, extensions: &[&str]) -> Option<Vec<PathBuf>> {
    let entries = std::fs::read_dir(path).ok()?;
    let has_extension = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        extensions
            .iter()
            .any(|extension| name.ends_with(&format!(".{extension}")))
    };
    let files = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files
        .filter(|it| it.is_file() && has_extension(it))
        .collect();
    files.sort();
    (!files.is_empty()).then_some(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_of_inputs_are_those_of_the_readers() {
        let volumes = InputKind::Volumes.extensions();
        for extension in ["nii", "npz", "mgz", "vti", "inr", "head"] {
            assert!(volumes.contains(&extension), "{extension}");
        }
        for extension in ["dcm", "tif", "zarr", "raw", "img", "brik"] {
            assert!(!volumes.contains(&extension), "{extension}");
        }
        let points = InputKind::Points.extensions();
        for extension in ["xyz", "csv", "ply", "glb", "3mf"] {
            assert!(points.contains(&extension), "{extension}");
        }
        assert!(!InputKind::Meshes.extensions().contains(&"vtk"));
    }

    #[test]
    fn stems_have_no_extension() {
        for (path, expected) in [
            ("a/b.nii.gz", "b"),
            ("b.nrrd", "b"),
            ("b.v2.npy", "b.v2"),
            ("series", "series"),
            ("a.b/c", "c"),
            (".nii", ".nii"),
        ] {
            assert_eq!(stem(Path::new(path)), expected);
        }
    }
}
