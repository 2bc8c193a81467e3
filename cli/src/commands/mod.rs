//! One file per command.

pub mod demo;
pub mod devices;
pub mod info;
pub mod mesh;
mod mesh_report;
pub mod render;
