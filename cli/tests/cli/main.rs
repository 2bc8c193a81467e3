//! The `ferrovox` command, run as a user runs it.

mod bad_files;
mod bad_output;
mod block_size;
mod demo;
mod devices;
mod distance;
mod distance_bad;
mod distance_labels;
mod distance_points;
mod distance_slabs;
mod info;
mod interrupt;
mod library_import;
mod mesh;
mod mesh_parts;
mod occupancy;
mod readme;
mod render;
mod reports;
mod samples;
mod shells;
mod skeleton;
mod support;
mod usage;
mod voxelize;
