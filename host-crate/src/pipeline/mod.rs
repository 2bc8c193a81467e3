//! What the `ferrovox` command does, as calls: from files to files.
//!
//! Each pipeline is one function: it takes a job, plain data about what is read, computed and
//! written, and a [`Monitor`](crate::monitor::Monitor), and returns an outcome: what was made, how
//! long each stage took, what each device did, and [`Warning`]s. The strategy (in one piece or slab
//! by slab, on which device, what follows when memory runs out) is decided here.
//!
//! | pipeline | from | to |
//! | --- | --- | --- |
//! | [`mesh`] | a volume, perhaps with a mask | its isosurface, as a mesh |
//! | [`label_mesh`] | a volume of labels | their surfaces, which share their walls, as one mesh or one for each |
//! | [`distance`](mod@distance) | a volume, or points | the distance of every voxel to them |
//! | [`render`] | a volume | a picture of its isosurface |
//! | [`skeleton`] | an object in a volume | its curve skeleton, as a graph |
//! | [`voxelize`] | a closed mesh | a volume |
//! | [`info`] | a volume | what its file holds |
//! | [`demo`] | volumes that need no file | meshes and pictures of them |
//!
//! Outputs are [checked](paths) before anything is read, and appear under their names only when all
//! of the job are complete: they are replaced together, or none is.

pub mod demo;
pub mod distance;
mod error;
pub mod info;
mod kernel_samples;
pub mod label_mesh;
mod label_names;
mod map_samples;
mod mask;
pub mod mesh;
mod outcome;
pub mod paths;
mod read_ahead;
pub mod render;
pub mod skeleton;
mod source;
pub mod stream_mesh;
#[cfg(test)]
mod threads_tests;
pub mod voxelize;
mod warning;
mod write_picture;

pub(crate) use error::at;
pub use error::{PipelineError, Problem, WideSamples};
pub use outcome::{DeviceRun, Timings};
pub use read_ahead::ReadAhead;
pub use source::VolumeSource;
pub use warning::{Warning, WhyEmpty};
pub(crate) use write_picture::add_picture;
pub use write_picture::write_picture;
