//! The formats, and how a file's format is found.

use std::fmt;
use std::path::Path;

/// A format of volume files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VolumeFormat {
    /// NIfTI-1 and NIfTI-2, in one file (`.nii`, `.nii.gz`) or as a pair (`.hdr` and `.img`), and
    /// pairs of Analyze 7.5.
    Nifti,
    /// NRRD, attached `.nrrd` and detached `.nhdr`.
    Nrrd,
    /// MetaImage, `.mha` and `.mhd`.
    MetaImage,
    /// NumPy's `.npy`.
    Npy,
    /// Samples and nothing else: `.raw`, `.bin`.
    Raw,
}

impl fmt::Display for VolumeFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nifti => "NIfTI",
            Self::Nrrd => "NRRD",
            Self::MetaImage => "MetaImage",
            Self::Npy => "npy",
            Self::Raw => "raw",
        })
    }
}

impl VolumeFormat {
    /// The format of a file name's extension, a final `.gz` aside.
    pub fn from_path(path: &Path) -> Option<Self> {
        match extension(path).trim_end_matches(".gz") {
            "nii" | "hdr" | "img" => Some(Self::Nifti),
            "nrrd" | "nhdr" => Some(Self::Nrrd),
            "mha" | "mhd" => Some(Self::MetaImage),
            "npy" => Some(Self::Npy),
            "raw" | "bin" => Some(Self::Raw),
            _ => None,
        }
    }

    /// The format that a file's first bytes identify (the 348 of a NIfTI header are enough).
    pub fn from_content(start: &[u8]) -> Option<Self> {
        let nifti1 = start
            .get(344..348)
            .is_some_and(|magic| magic == b"n+1\0" || magic == b"ni1\0");
        let nifti2 = start
            .get(4..8)
            .is_some_and(|magic| magic == b"n+2\0" || magic == b"ni2\0");
        if start.starts_with(b"NRRD") {
            Some(Self::Nrrd)
        } else if start.starts_with(b"\x93NUMPY") {
            Some(Self::Npy)
        } else if start.starts_with(b"ObjectType") || start.starts_with(b"NDims") {
            Some(Self::MetaImage)
        } else if nifti1 || nifti2 {
            Some(Self::Nifti)
        } else {
            None
        }
    }
}

/// The extension in lower case, together with the one before a final `.gz`: `nii.gz`.
pub(crate) fn extension(path: &Path) -> String {
    let lower = |part: &std::ffi::OsStr| part.to_string_lossy().to_ascii_lowercase();
    let last = path.extension().map(lower).unwrap_or_default();
    if last != "gz" {
        return last;
    }
    let inner = path
        .file_stem()
        .map(Path::new)
        .and_then(Path::extension)
        .map(lower);
    inner.map_or(last, |inner| format!("{inner}.gz"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_formats() {
        let of = |name: &str| VolumeFormat::from_path(Path::new(name));
        assert_eq!(of("a/b.c/brain.nii.gz"), Some(VolumeFormat::Nifti));
        assert_eq!(of("BRAIN.NII"), Some(VolumeFormat::Nifti));
        assert_eq!(of("x.nhdr"), Some(VolumeFormat::Nrrd));
        assert_eq!(of("x.raw.gz"), Some(VolumeFormat::Raw));
        assert_eq!(of("x.gz"), None);
        assert_eq!(of("nii"), None);
    }

    #[test]
    fn contents_tell_formats() {
        assert_eq!(
            VolumeFormat::from_content(b"NRRD0004\n"),
            Some(VolumeFormat::Nrrd)
        );
        assert_eq!(
            VolumeFormat::from_content(b"\x93NUMPY\x01\0"),
            Some(VolumeFormat::Npy)
        );
        assert_eq!(
            VolumeFormat::from_content(b"NDims = 3\n"),
            Some(VolumeFormat::MetaImage)
        );
        assert_eq!(VolumeFormat::from_content(b""), None);
        let mut nifti = vec![0; 348];
        nifti[344..].copy_from_slice(b"n+1\0");
        assert_eq!(
            VolumeFormat::from_content(&nifti),
            Some(VolumeFormat::Nifti)
        );
    }
}
