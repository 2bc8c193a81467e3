//! Volume formats: lists of extensions, and detection by extension or contents.

use crate::io::file_extension::{extension, list_extensions};
use std::fmt;
use std::path::Path;
use std::sync::LazyLock;

/// Extensions that volumes can be written with, as messages list them.
pub(super) const WRITABLE: [&str; 5] = ["nii", "nii.gz", "nrrd", "mha", "npy"];

/// First bytes of TIFF and BigTIFF in both byte orders.
const TIFF_SIGNATURES: [&[u8]; 4] = [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"];

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
    /// DICOM: a file, or a series of files in a folder.
    Dicom,
    /// TIFF and BigTIFF: a stack of pages, or a folder of slices.
    Tiff,
    /// Zarr, versions 2 and 3, with OME-NGFF: a folder, or a zip archive.
    Zarr,
    /// VTK's XML image data.
    Vti,
    /// FreeSurfer's MGH and MGZ.
    Mgh,
    /// MRC and CCP4 maps.
    Mrc,
    /// Headerless samples: `.raw`, `.bin`.
    Raw,
}

impl fmt::Display for VolumeFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nifti => "NIfTI",
            Self::Nrrd => "NRRD",
            Self::MetaImage => "MetaImage",
            Self::Npy => "npy",
            Self::Dicom => "DICOM",
            Self::Tiff => "TIFF",
            Self::Zarr => "Zarr",
            Self::Vti => "VTI",
            Self::Mgh => "MGH",
            Self::Mrc => "MRC",
            Self::Raw => "raw",
        })
    }
}

impl VolumeFormat {
    /// Returns the format that the extension of `path` names, ignoring a final `.gz`.
    pub fn from_path(path: &Path) -> Option<Self> {
        match extension(path).trim_end_matches(".gz") {
            "nii" | "hdr" | "img" => Some(Self::Nifti),
            "nrrd" | "nhdr" => Some(Self::Nrrd),
            "mha" | "mhd" => Some(Self::MetaImage),
            "npy" => Some(Self::Npy),
            "dcm" | "dicom" | "ima" => Some(Self::Dicom),
            "tif" | "tiff" => Some(Self::Tiff),
            "zarr" | "zip" | "ozx" => Some(Self::Zarr),
            "vti" => Some(Self::Vti),
            "mgh" | "mgz" => Some(Self::Mgh),
            "mrc" | "map" | "ccp4" => Some(Self::Mrc),
            "raw" | "bin" => Some(Self::Raw),
            _ => None,
        }
    }

    /// Returns the format that the first bytes of a file identify. 348 bytes, the size of a NIfTI-1
    /// header, suffice.
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
        } else if start.get(128..132) == Some(b"DICM") {
            // Before TIFF: the first 128 bytes of DICOM may be the header of a TIFF file.
            Some(Self::Dicom)
        } else if TIFF_SIGNATURES.iter().any(|it| start.starts_with(it)) {
            Some(Self::Tiff)
        } else if start.starts_with(b"<") && contains(start, b"type=\"ImageData\"") {
            Some(Self::Vti)
        } else if start.get(208..212) == Some(b"MAP ") {
            Some(Self::Mrc)
        } else if nifti1 || nifti2 {
            Some(Self::Nifti)
        } else {
            None
        }
    }

    /// Returns the extensions that volumes can be written with, as a message lists them:
    /// `.nii, .nii.gz, .nrrd, .mha or .npy`.
    pub fn writable_extensions() -> &'static str {
        static LIST: LazyLock<String> = LazyLock::new(|| list_extensions(WRITABLE, "or"));
        &LIST
    }

    /// Returns the sentence that errors about the extension of an output quote.
    pub(crate) fn written_as() -> &'static str {
        static SENTENCE: LazyLock<String> = LazyLock::new(|| {
            let extensions = VolumeFormat::writable_extensions();
            format!("volumes are written as {extensions}")
        });
        &SENTENCE
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extension_determines_the_format() {
        let format = |name: &str| VolumeFormat::from_path(Path::new(name));
        assert_eq!(format("a/b.c/brain.nii.gz"), Some(VolumeFormat::Nifti));
        assert_eq!(format("BRAIN.NII"), Some(VolumeFormat::Nifti));
        assert_eq!(format("x.nhdr"), Some(VolumeFormat::Nrrd));
        assert_eq!(format("x.raw.gz"), Some(VolumeFormat::Raw));
        assert_eq!(format("x.gz"), None);
        assert_eq!(format("nii"), None);
    }

    #[test]
    fn signature_determines_the_format() {
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
