//! Volume formats: lists of extensions, and detection by extension or contents.

use crate::io::file_extension::{extension, list_extensions};
use std::fmt::{self, Write};
use std::path::Path;
use std::sync::LazyLock;

/// Extension of archives of Zarr.
pub(super) const ZARR_EXTENSION: &str = "zarr.zip";

/// Extensions of the samples of pairs of files.
const DATA_FILE_EXTENSIONS: [&str; 2] = ["img", "brik"];

/// First bytes of Inrimage 4.
pub(super) const INR_SIGNATURE: &[u8] = b"#INRIMAGE-4#{";

/// First bytes of TIFF and BigTIFF in both byte orders.
const TIFF_SIGNATURES: [&[u8]; 4] = [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"];

/// First bytes of PNG.
pub(super) const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

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
    /// NumPy's `.npz`, an archive of arrays.
    Npz,
    /// DICOM: a file, or a series of files in a folder.
    Dicom,
    /// TIFF and BigTIFF: a stack of pages, or a folder of slices.
    Tiff,
    /// PNG: a folder of slices, or an image as a single plane.
    Png,
    /// Zarr, versions 2 and 3, with OME-NGFF: a folder, or a zip archive.
    Zarr,
    /// VTK's XML image data.
    Vti,
    /// FreeSurfer's MGH and MGZ.
    Mgh,
    /// MRC and CCP4 maps.
    Mrc,
    /// AFNI, a pair of `.HEAD` and `.BRIK`.
    Afni,
    /// Inrimage 4.
    Inr,
    /// Headerless samples: `.raw`, `.bin`.
    Raw,
}

/// Properties of a volume format, from which lists, messages and tables are derived.
struct VolumeFormatInfo {
    /// Short name, for messages.
    name: &'static str,
    /// Name, for tables.
    description: &'static str,
    /// Extensions that name the format, without a dot, in lower case and without a final `gz`.
    extensions: &'static [&'static str],
    /// File names, for tables.
    read: &'static str,
    /// Extensions that it is written with.
    written: &'static [&'static str],
    /// Meaning of the positions in files, for tables.
    positions: &'static str,
}

impl fmt::Display for VolumeFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info().name)
    }
}

impl VolumeFormat {
    /// All formats, in the order in which tables and messages list them.
    pub const ALL: &'static [Self] = &[
        Self::Nifti,
        Self::Nrrd,
        Self::MetaImage,
        Self::Npy,
        Self::Npz,
        Self::Dicom,
        Self::Tiff,
        Self::Png,
        Self::Zarr,
        Self::Vti,
        Self::Mgh,
        Self::Mrc,
        Self::Afni,
        Self::Inr,
        Self::Raw,
    ];

    const fn info(self) -> VolumeFormatInfo {
        match self {
            Self::Nifti => VolumeFormatInfo {
                name: "NIfTI",
                description: "NIfTI, Analyze 7.5",
                extensions: &["nii", "hdr", "img"],
                read: "`.nii`, `.nii.gz`, `.hdr` + `.img`",
                written: &["nii", "nii.gz"],
                positions: "RAS or LAS",
            },
            Self::Nrrd => VolumeFormatInfo {
                name: "NRRD",
                description: "NRRD",
                extensions: &["nrrd", "nhdr"],
                read: "`.nrrd`, `.nhdr`",
                written: &["nrrd"],
                positions: "given by `space`, else as stored",
            },
            Self::MetaImage => VolumeFormatInfo {
                name: "MetaImage",
                description: "MetaImage",
                extensions: &["mha", "mhd"],
                read: "`.mha`, `.mhd`",
                written: &["mha"],
                positions: "LPS",
            },
            Self::Npy => VolumeFormatInfo {
                name: "npy",
                description: "NumPy array",
                extensions: &["npy"],
                read: "`.npy`",
                written: &["npy"],
                positions: "none",
            },
            Self::Npz => VolumeFormatInfo {
                name: "npz",
                description: "NumPy archive",
                extensions: &["npz"],
                read: "`.npz`",
                written: &[],
                positions: "none",
            },
            Self::Dicom => VolumeFormatInfo {
                name: "DICOM",
                description: "DICOM",
                extensions: &["dcm", "dicom", "ima"],
                read: "a folder, `.dcm`, any name",
                written: &[],
                positions: "LPS",
            },
            Self::Tiff => VolumeFormatInfo {
                name: "TIFF",
                description: "TIFF, BigTIFF, OME, ImageJ",
                extensions: &["tif", "tiff"],
                read: "`.tif`, `.tiff`, a folder of slices",
                written: &["tif"],
                positions: "spacing only",
            },
            Self::Png => VolumeFormatInfo {
                name: "PNG",
                description: "PNG",
                extensions: &["png"],
                read: "`.png`, a folder of slices",
                written: &[],
                positions: "none",
            },
            Self::Zarr => VolumeFormatInfo {
                name: "Zarr",
                description: "Zarr 2 and 3, OME-Zarr",
                extensions: &["zarr", "zip", "ozx"],
                read: "a folder, `.zip`, `.ozx`",
                written: &[ZARR_EXTENSION],
                positions: "spacing and origin",
            },
            Self::Vti => VolumeFormatInfo {
                name: "VTI",
                description: "VTK XML image data",
                extensions: &["vti"],
                read: "`.vti`",
                written: &["vti"],
                positions: "as stored; written in RAS",
            },
            Self::Mgh => VolumeFormatInfo {
                name: "MGH",
                description: "FreeSurfer MGH, MGZ",
                extensions: &["mgh", "mgz"],
                read: "`.mgh`, `.mgz`",
                written: &[],
                positions: "RAS",
            },
            Self::Mrc => VolumeFormatInfo {
                name: "MRC",
                description: "MRC, CCP4",
                extensions: &["mrc", "map", "ccp4"],
                read: "`.mrc`, `.map`, `.ccp4`",
                written: &[],
                positions: "as stored, in ångström",
            },
            Self::Afni => VolumeFormatInfo {
                name: "AFNI",
                description: "AFNI",
                extensions: &["head", "brik"],
                read: "`.HEAD` + `.BRIK`, `.BRIK.gz`",
                written: &[],
                positions: "LPS",
            },
            Self::Inr => VolumeFormatInfo {
                name: "Inrimage",
                description: "Inrimage 4",
                extensions: &["inr"],
                read: "`.inr`, `.inr.gz`",
                written: &[],
                positions: "as stored",
            },
            Self::Raw => VolumeFormatInfo {
                name: "raw",
                description: "headerless",
                extensions: &["raw", "bin"],
                read: "`.raw`, `.bin`, any with `--dims`",
                written: &[],
                positions: "none",
            },
        }
    }

    /// Returns the format that the extension of `path` names, ignoring a final `.gz`.
    pub fn from_path(path: &Path) -> Option<Self> {
        let extension = extension(path);
        let extension = extension.trim_end_matches(".gz");
        let mut formats = Self::ALL.iter().copied();
        formats.find(|format| format.info().extensions.contains(&extension))
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
        } else if start.starts_with(PNG_SIGNATURE) {
            Some(Self::Png)
        } else if start.starts_with(b"<") && contains(start, b"type=\"ImageData\"") {
            Some(Self::Vti)
        } else if start.starts_with(INR_SIGNATURE) {
            Some(Self::Inr)
        } else if start.get(208..212) == Some(b"MAP ") {
            Some(Self::Mrc)
        } else if nifti1 || nifti2 {
            Some(Self::Nifti)
        } else {
            None
        }
    }

    /// Returns the extensions that volumes can be written with, as a message lists them:
    /// `.nii, .nii.gz, .nrrd, .mha, .npy, .tif, .zarr.zip or .vti`.
    pub fn writable_extensions() -> &'static str {
        static LIST: LazyLock<String> = LazyLock::new(|| list_extensions(writable(), "or"));
        &LIST
    }

    /// Returns the extensions of files that are a volume each, without a dot and without a final
    /// `.gz`. Headerless files and the samples of pairs of files are left out.
    pub fn input_extensions(self) -> impl Iterator<Item = &'static str> {
        let extensions = match self {
            Self::Raw => &[],
            format => format.info().extensions,
        };
        let extensions = extensions.iter().copied();
        extensions.filter(|extension| !DATA_FILE_EXTENSIONS.contains(extension))
    }

    /// Returns `true` if the format defines the directions of its axes in the subject or the world.
    /// Positions of other formats are used as they are.
    pub fn has_world_directions(self) -> bool {
        !matches!(
            self,
            Self::Tiff
                | Self::Png
                | Self::Zarr
                | Self::Inr
                | Self::Mrc
                | Self::Npy
                | Self::Npz
                | Self::Raw
        )
    }

    /// Returns `true` if a folder of files of this format is one volume: a series or slices.
    pub fn is_read_from_folder(self) -> bool {
        matches!(self, Self::Dicom | Self::Tiff | Self::Png | Self::Zarr)
    }

    /// Returns the extensions that volumes are read with, as a message lists them.
    pub fn readable_extensions() -> &'static str {
        static LIST: LazyLock<String> = LazyLock::new(|| list_extensions(readable(), "and"));
        &LIST
    }

    /// Returns the Markdown table of volume formats that the README shows.
    pub fn markdown_table() -> String {
        let mut table = "| volume format | read | written | positions |\n\
                         | --- | --- | --- | --- |\n"
            .to_owned();
        for format in Self::ALL {
            let info = format.info();
            let written = info
                .written
                .iter()
                .map(|extension| format!("`.{extension}`"));
            let written = written.collect::<Vec<_>>().join(", ");
            let written = if written.is_empty() { "no" } else { &written };
            let row = writeln!(
                table,
                "| {} | {} | {written} | {} |",
                info.description, info.read, info.positions
            );
            debug_assert!(row.is_ok(), "a string accepts every write");
        }
        table
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

/// Returns the extensions that volumes can be read with.
fn readable() -> impl Iterator<Item = &'static str> {
    let formats = VolumeFormat::ALL.iter();
    formats.flat_map(|format| format.input_extensions())
}

/// Returns the extensions that volumes can be written with.
pub(super) fn writable() -> impl Iterator<Item = &'static str> {
    let formats = VolumeFormat::ALL.iter();
    formats.flat_map(|format| format.info().written.iter().copied())
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
