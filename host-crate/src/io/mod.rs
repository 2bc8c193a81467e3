//! Volume, mesh, skeleton and point files.
//!
//! | data | read | write | piece by piece |
//! | --- | --- | --- | --- |
//! | volume | [`read_volume`] | [`write_volume`] | [`VolumeReader`], [`VolumeWriter`] |
//! | mesh | [`read_mesh`] | [`write_mesh`], [`write_labelled_mesh`] | [`MeshWriter`] |
//! | skeleton | [`read_skeleton`] | [`write_skeleton`], [`write_skeletons`] | |
//! | mask | [`read_mask`] | | |
//! | points | [`read_points`] | | |
//! | vector field | | [`write_field`] | |
//!
//! The piecewise readers and writers handle files larger than memory. All files are written
//! atomically, by [`replace_file`] or, for several files together, a [`FileGroup`]. This module
//! does not depend on a pipeline.
//!
//! # Formats
//! | volume format | read | written | positions |
//! | --- | --- | --- | --- |
//! | NIfTI, Analyze 7.5 | `.nii`, `.nii.gz`, `.hdr` + `.img` | `.nii`, `.nii.gz` | RAS or LAS |
//! | NRRD | `.nrrd`, `.nhdr` | `.nrrd` | given by `space`, else as stored |
//! | MetaImage | `.mha`, `.mhd` | `.mha` | LPS |
//! | NumPy array | `.npy` | `.npy` | none |
//! | NumPy archive | `.npz` | no | none |
//! | DICOM | a folder, `.dcm`, any name | no | LPS |
//! | TIFF, BigTIFF, OME, ImageJ | `.tif`, `.tiff`, a folder of slices | `.tif` | spacing only |
//! | PNG | `.png`, a folder of slices | no | none |
//! | Zarr 2 and 3, OME-Zarr | a folder, `.zip`, `.ozx` | `.zarr.zip` | spacing and origin |
//! | VTK XML image data | `.vti` | `.vti` | as stored; written in RAS |
//! | FreeSurfer MGH, MGZ | `.mgh`, `.mgz` | no | RAS |
//! | MRC, CCP4 | `.mrc`, `.map`, `.ccp4` | no | as stored, in ångström |
//! | AFNI | `.HEAD` + `.BRIK`, `.BRIK.gz` | no | LPS |
//! | Inrimage 4 | `.inr`, `.inr.gz` | no | as stored |
//! | headerless | `.raw`, `.bin`, any with `--dims` | no | none |
//!
//! - **NIfTI**: the affine is the sform, else the qform, else the spacing alone.
//! - **Analyze 7.5**: the origin is SPM's originator, else the centre of the grid.
//! - **NRRD**: raw, gzip, bzip2, ascii and hex encodings; attached, or in data files.
//! - **MetaImage**: raw, zlib and ascii; local, or in data files.
//! - **DICOM**: one file, or a series of a folder, ordered by position; exact oblique affines.
//! - **npy**: the axes are (z, y, x) in C and in Fortran order, or those of
//!   [`ReadOptions::axes`].
//! - **Headerless** files are described by a [`RawLayout`].
//!
//! If the sform and the qform of a NIfTI file place a corner voxel more than 0.001 voxels apart,
//! the sform is used, and a [note](HeaderInfo::notes) states the distance. A file with the
//! signature of one of these formats is read as that format regardless of its extension, with a
//! note; headerless files have no signature. The same applies to meshes with the signature of PLY
//! or text STL.
//!
//! All readers accept both byte orders. World coordinates of a [`Volume`](crate::grid::Volume) are
//! RAS: x to the subject's right, y to the front, z to the top. LPS positions are converted to RAS
//! by negating x and y, so that a volume has the same world positions in all formats.
//!
//! Samples of types that volumes do not have (unsigned 32-bit and 64-bit integers) are read as
//! `i32`, or as `f64` if one of them does not fit. The conversion is exact; otherwise the file is
//! rejected with the first inexact sample and its voxel. NIfTI's `scl_slope` and `scl_inter` are
//! applied in `f64`, unless they are the identity. The samples are then `f64`, or `f32` if that
//! represents the value of every integer that the stored type can hold; a sample whose value
//! exceeds `f64` is an error.
//!
//! One component of samples with several (colours, vectors, complex numbers) is read: the one of
//! [`ReadOptions::component`]. The fifth axis of a NIfTI file holds the components of each sample,
//! and the other axes after the third count volumes, which [`ReadOptions::volume`] selects.
//!
//! Meaningless header fields (a spacing of 0, an unknown code) are interpreted as by nibabel, each
//! with a [note](HeaderInfo::notes). A spacing or an origin out of the range of
//! [`Geometry`](crate::grid::Geometry) is an error.
//!
//! The mesh formats are those of [`MeshFormat`], and the skeleton formats those of
//! [`SkeletonFormat`]. [`read_skeleton`] reads `.swc`; [`write_field`] writes `.npy`;
//! [`read_points`] reads text (`.xyz`), tables (`.csv`, `.tsv`), the vertices of a mesh, or an
//! array of n rows and 3 columns (`.npy`).

mod catch_panic;
mod error;
mod file_extension;
pub mod fuzz;
mod label_table;
mod lz4;
mod mesh;
mod output;
mod points;
mod registry;
mod skeleton;
mod source;
mod stored_type;
mod table;
mod volume;
mod volume_format;
mod vtk_xml;
mod wavefront;
mod xml;
mod zip;

pub use catch_panic::is_panic_caught;
pub use error::{
    ByteCount, FileError, FileProblem, PointsProblem, SampleProblem, SelectionProblem, SwcField,
    SwcProblem,
};
pub use label_table::{LabelStyle, LabelTable, read_label_table};
pub use mesh::{
    MeshCounts, MeshFormat, MeshSpace, MeshWriteOptions, MeshWriter, read_mesh, read_mesh_bytes,
    write_label_scene, write_labelled_mesh, write_mesh,
};
pub(crate) use mesh::{SCENE_EXTENSION, distinct_color};
pub use output::destination::is_standard_output;
pub(crate) use output::destination::{
    ResolvedPath, Stream, is_stream, output_extension, parent_folder, resolve_links,
};
pub use output::group::{FileGroup, replace_file};
pub use output::lock::OutputLock;
pub use points::{point_extensions, read_points, read_points_bytes};
pub use skeleton::{
    SkeletonFormat, SkeletonWriteReport, read_skeleton, read_skeleton_bytes, write_skeleton,
    write_skeletons,
};
pub use stored_type::{ByteOrder, StoredType};
pub use table::{Cell, Table, write_table};
pub(crate) use volume::mask::read_mask_by;
pub use volume::mask::{ReadMaskError, read_mask};
pub use volume::options::{
    ArrayLayout, AxisOrder, Compression, HeaderInfo, RawLayout, ReadOptions, Scaling,
    SeriesSelector, VolumeFile, VolumeWriteOptions,
};
pub(crate) use volume::read::named_data_files;
pub use volume::read::{read_volume, read_volume_bytes};
pub(crate) use volume::reader::SharedReader;
pub use volume::reader::VolumeReader;
pub use volume::vector_field::write_field;
pub use volume::write::write_volume;
pub use volume::writer::VolumeWriter;
pub use volume_format::VolumeFormat;
