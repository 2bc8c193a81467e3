//! Volume, mesh, skeleton and point files through the public interface: round trips, handwritten
//! headers, invalid input, a real volume.

mod bad_input;
mod components;
mod dicom;
mod geometry_range;
mod helpers;
mod inr_and_afni;
mod label_atlas;
mod mesh_exchange;
mod mesh_files;
mod mesh_origin;
mod mesh_pieces;
mod mesh_readers;
mod mesh_space;
mod metaimage;
mod neurons;
mod nifti_by_python;
mod nifti_fields;
mod nifti_files;
mod nifti_scaling;
mod npy_by_python;
mod npy_files;
mod nrrd;
mod nrrd_geometry;
mod nrrd_headers;
mod oracle_files;
mod planes;
mod planes_of_files;
mod properties;
mod python;
mod raw;
mod real_volume;
mod replacing;
mod round_trip;
mod several_files;
mod skeleton_files;
mod skeleton_reader;
mod volume_exchange;
mod volume_filter;
mod volume_pieces;
mod vti;
#[path = "../fuzz_corpus/zip.rs"]
mod zip;
