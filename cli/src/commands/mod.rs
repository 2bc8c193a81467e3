//! One file per command.

pub mod demo;
pub mod devices;
pub mod distance;
mod distance_compare;
mod distance_input;
mod distance_map;
mod distance_report;
mod distance_slabs;
mod distance_slice;
mod distance_squared;
pub mod info;
pub mod mesh;
mod mesh_report;
pub mod occupancy;
mod occupancy_report;
mod occupancy_text;
pub mod render;
pub mod skeleton;
mod skeleton_json;
mod skeleton_report;
pub mod voxelize;
