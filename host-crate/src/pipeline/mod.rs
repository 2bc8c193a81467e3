//! From files to files: source, algorithm, sink, in one call each.
//!
//! A pipeline reads what its job names, does the work on the devices that it is given, writes the results, and returns an outcome: what was found, how long each
//! stage took, and [`Note`]s of what a user should know. It prints nothing; a [`Monitor`](crate::monitor::Monitor) is told how far it is, and may stop it.
//!
//! | pipeline | from | to |
//! | --- | --- | --- |
//! | [`info`] | a volume's header, and its samples if asked | what it holds |
//! | [`skeleton`] | an object in a volume, or in a mesh | its curve skeleton, its force field, a picture |
//! | [`voxelize`] | a closed mesh | a volume of its voxels |

mod error;
pub mod info;
mod note;
mod picture;
pub mod skeleton;
mod stages;
mod volume_input;
pub mod voxelize;

pub use error::PipelineError;
pub use note::Note;
pub use volume_input::VolumeInput;
