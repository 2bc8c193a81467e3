//! One file per command.

pub mod demo;
pub mod devices;
pub mod info;
pub mod mesh;
mod mesh_report;
mod mesh_stream;
mod mesh_whole;
pub mod render;
