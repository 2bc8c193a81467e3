//! Volume files: formats, readers and writers.
//!
//! | modules | purpose |
//! | --- | --- |
//! | `nifti`, `nrrd`, `metaimage`, `npy`, `npz`, `raw` | formats: header, samples |
//! | `mgh`, `mrc`, `afni`, `inr` | formats with short headers |
//! | `dicom`, `tiff`, `png`, `vti`, `zarr` | formats whose samples are decoded plane by plane |
//! | `plane_file`, `pack_bits`, `half` | parts of several of them |
//! | `folder`, `file_list` | volumes in folders |
//! | `output_format`, `read`, `opened` | format, header contents |
//! | `layout`, `extra_axes` | sizes, types, selection of volumes and components |
//! | `samples` | decoding of the samples: type, byte order, component, scaling |
//! | `reader`, `planes` | reading plane by plane |
//! | `transpose` | samples with z as the fastest axis |
//! | `data_files`, `data_file_list` | data files of detached headers |
//! | `write`, `writer`, `sample_writer`, `vector_field` | writing |

mod afni;
pub(super) mod axes;
pub(super) mod data_file_list;
pub(super) mod data_files;
mod dicom;
mod extra_axes;
mod file_list;
mod folder;
mod gzip_writer;
mod half;
mod inr;
pub(super) mod layout;
mod length_unit;
pub(super) mod mask;
pub(super) mod metaimage;
mod mgh;
mod mrc;
pub(super) mod nifti;
pub(super) mod npy;
mod npz;
pub(super) mod nrrd;
pub(super) mod opened;
pub(super) mod options;
mod output_format;
mod pack_bits;
mod plane_file;
pub(super) mod planes;
mod png;
pub(super) mod raw;
pub(super) mod read;
pub(super) mod reader;
pub(super) mod sample_stream;
mod sample_writer;
pub(super) mod samples;
mod tiff;
mod transpose;
pub(super) mod vector_field;
mod vti;
pub(super) mod write;
pub(super) mod writer;
mod zarr;
