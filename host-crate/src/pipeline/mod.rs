//! The commands of `ferrovox` as functions: from files to files.
//!
//! Each pipeline is one function. It takes a job (plain data: inputs, parameters, outputs) and a
//! [`Monitor`](crate::monitor::Monitor), and returns an outcome: a description of the result, the
//! time of each stage, the work of each device, and [`Warning`]s. A pipeline chooses the strategy:
//! in core or slab by slab, on which device, and how to continue when memory runs out.
//!
//! | pipeline | input | output |
//! | --- | --- | --- |
//! | [`mesh`] | a volume, optionally a mask | its isosurface as a mesh |
//! | [`label_mesh`] | a label map | surfaces with shared walls, as one mesh or one per label |
//! | [`distance`](mod@distance) | a volume or points | a distance map |
//! | [`point_distances`] | a volume or a mesh, and points | a table of their distances |
//! | [`render`] | volumes, labels, meshes, skeletons | a picture or animation of their surfaces |
//! | [`slices`] | a volume, optionally labels | a montage of planes |
//! | [`skeleton`] | an object in a volume | its curve skeleton as a graph |
//! | [`view`] | meshes, skeletons and volumes | a page to look at in a browser |
//! | [`voxelize`] | a closed mesh | a volume |
//! | [`info`] | a volume | a description of the file |
//! | [`demo`] | none: synthetic volumes | meshes and pictures |
//!
//! Jobs that derive an object or a surface from samples share one type for its definition,
//! [`Level`]. Output paths are [checked](paths) before anything is read. Files appear under their
//! names only when all outputs of a job are complete: all are replaced, or none.

mod coordinates;
pub mod demo;
pub mod distance;
mod error;
mod file_header;
mod histogram;
pub mod info;
mod kernel_volume;
pub mod label_mesh;
mod label_paths;
mod level;
mod map_samples;
mod mask;
pub mod mesh;
mod object_filter;
mod object_volume;
mod outcome;
pub mod paths;
pub mod point_distances;
mod read_ahead;
pub mod render;
mod scene_content;
pub mod skeleton;
pub mod slices;
mod source;
mod source_filter;
pub mod stream_mesh;
#[cfg(test)]
mod threads_tests;
pub mod view;
pub mod voxelize;
mod warning;
mod write_picture;

pub use coordinates::{Coordinates, PositionEncoding};
pub(crate) use error::at;
pub use error::{PipelineError, Problem, WideSamples};
pub use level::Level;
pub use object_filter::ObjectFilter;
pub use outcome::{DeviceRun, Timings};
pub use read_ahead::ReadAhead;
pub use scene_content::{SceneContent, SceneObject};
pub use source::VolumeSource;
pub use source_filter::SourceFilter;
pub use warning::{EmptyReason, OpenReason, Warning};
pub(crate) use write_picture::add_picture;
pub use write_picture::write_picture;
