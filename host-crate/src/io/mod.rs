//! Volume and mesh files.
//!
//! [`read_volume`] reads a volume, [`write_volume`] writes one; [`write_mesh`] writes a mesh,
//! [`read_mesh`] reads one back. [`VolumeReader`] reads a volume plane by plane, [`VolumeWriter`]
//! writes one so, and [`MeshWriter`] writes a mesh piece by piece, for files larger than memory;
//! [`replace_file`] is how all files are written, and a [`FileGroup`] several that are replaced
//! together. None of them depends on a pipeline.
//!
//! # Formats
//! | format | extensions | read | written | positions in the file |
//! | --- | --- | --- | --- | --- |
//! | NIfTI-1, NIfTI-2 | `.nii`, `.nii.gz`, pairs of `.hdr` and `.img` | yes | `.nii`, `.nii.gz` | RAS; sform, else qform, else the spacing |
//! | Analyze 7.5 | `.hdr` and `.img` | yes | | x to the left, y to the front, z to the top; SPM's originator, else the centre |
//! | NRRD | `.nrrd`, `.nhdr` | raw, gzip, bzip2, ascii, hex; in one other file or several | `.nrrd` | by its `space`; none: as they stand |
//! | MetaImage | `.mha`, `.mhd` | raw, zlib, ascii; in one other file or several | `.mha` | LPS |
//! | npy | `.npy` | yes | yes | none |
//! | headerless | `.raw`, `.bin`, any | yes, see [`RawLayout`] | | none |
//!
//! Where a NIfTI file has an sform and a qform that place a corner voxel more than 0.001 voxels
//! apart, the sform is used, and a [note](HeaderInfo::notes) has the distance. A file that begins
//! as one of these formats does (but a headerless one) is read as such whatever its extension, with
//! a note. The same holds for a mesh that begins as PLY or text STL does.
//!
//! All readers take both byte orders. World coordinates of a [`Volume`](crate::grid::Volume) are
//! RAS: x to the subject's right, y to the front, z to the top. LPS positions are turned to RAS by
//! negating x and y, so that one volume has the same world positions whatever the file.
//!
//! Samples of a type that volumes do not have (32 bit unsigned and 64 bit integers) are read as
//! i32, and as f64 if one of them does not fit: all of them exactly, or the file is refused with
//! the first that is not exact, and its voxel. NIfTI's `scl_slope` and `scl_inter` are applied
//! where they change something; then the samples are f32, or f64 where the file has f64 or integers
//! of 32 or 64 bits.
//!
//! Of samples that are several numbers each (colours, vectors, complex numbers) one
//! [component](ReadOptions::component) is read. Header fields that mean nothing (a spacing of 0, a
//! code that is none) are taken as nibabel takes them, each with a [note](HeaderInfo::notes).
//!
//! | mesh format | extension | read | normals written | indices written |
//! | --- | --- | --- | --- | --- |
//! | PLY, binary little-endian | `.ply` | text, binary of both byte orders | yes | 32 bits |
//! | OBJ | `.obj` | positions and faces | yes | any |
//! | STL, binary | `.stl` | binary and text | of the facets | none; 2^32 − 1 triangles |
//! | VTK legacy, binary | `.vtk` | | yes | 31 bits |
//! | VTK XML polydata, appended raw | `.vtp` | | yes | 63 bits |
//!
//! [`write_skeleton`] writes a skeleton: `.swc`, `.obj`, `.vtp`, `.json` or `.skel`;
//! [`write_skeletons`] those of several labels to one file; [`read_skeleton`] reads `.swc`.
//! [`write_field`] writes a vector for each voxel, as `.npy`.
//!
//! [`read_points`] reads points: text (`.xyz`), the vertices of a `.ply`, or an array of n rows and
//! 3 columns (`.npy`).

mod axes;
mod component;
mod data_files;
mod data_parts;
mod error;
mod field;
mod format;
pub mod fuzz;
mod group;
mod layout;
mod mask;
mod mesh;
mod metaimage;
mod nifti;
mod npy;
mod nrrd;
mod opened;
mod options;
mod place;
mod planes;
mod points;
mod positioned;
mod raw;
mod read;
mod read_ahead;
mod registry;
mod replace;
mod sample_stream;
mod samples;
mod scale;
mod skeleton;
mod source;
mod stored;
mod swc_problem;
mod temporary;
mod text;
mod volume_reader;
mod volume_writer;
mod vtk_xml;
mod wavefront;
mod write_volume;

pub use error::{Amount, FileError, FileProblem};
pub use field::write_field;
pub use format::VolumeFormat;
pub use group::{FileGroup, replace_file};
pub use mask::{ReadMaskError, read_mask};
pub use mesh::{
    MeshCounts, MeshFormat, MeshWriteOptions, MeshWriter, read_mesh, read_mesh_bytes,
    write_labelled_mesh, write_mesh,
};

pub use options::{
    Compression, HeaderInfo, RawLayout, ReadOptions, Scaling, VolumeFile, VolumeWriteOptions,
};
pub use place::is_standard_output;
pub(crate) use place::{Stream, Target, folder_of, follow, is_stream, output_extension};
pub use points::{read_points, read_points_bytes};
pub(crate) use read::named_data_files;
pub use read::{read_volume, read_volume_bytes};
pub use skeleton::{
    SkeletonFormat, SkeletonWritten, read_skeleton, read_skeleton_bytes, write_skeleton,
    write_skeletons,
};
pub use stored::{ByteOrder, StoredType};
pub use swc_problem::{SwcField, SwcProblem};
pub use temporary::{remove_temporaries, try_remove_temporaries};
pub use volume_reader::VolumeReader;
pub use volume_writer::VolumeWriter;
pub use write_volume::write_volume;
