//! Subcommands, one module each.

pub mod completions;
pub mod demo;
pub mod devices;
pub mod distance;
mod distance_comparison;
mod distance_report;
pub mod info;
mod info_report;
mod info_text;
mod label_mesh;
pub mod man_pages;
pub mod mesh;
mod mesh_report;
pub mod occupancy;
mod occupancy_input;
mod occupancy_report;
mod occupancy_text;
mod point_distances;
pub mod render;
mod scene_contents;
pub mod skeleton;
mod skeleton_json;
mod skeleton_method;
mod skeleton_report;
#[cfg(test)]
mod skeleton_tests;
pub mod slices;
pub mod view;
pub mod voxelize;
