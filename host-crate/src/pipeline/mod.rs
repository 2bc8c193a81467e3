//! What the `ferrovox` command does, as calls: from files to files.
//!
//! Each pipeline is one function: it takes a job, plain data that says what is read, computed and written, and a
//! [`Monitor`](crate::monitor::Monitor), and returns an outcome: what was made, how long each stage took, what each device did, and
//! [`Warning`]s. How it is done (in one piece or slab by slab, on which device, what follows when memory runs out) is decided here.
//!
//! Outputs are [checked](paths) before anything is read, and appear under their names only when they are complete.

mod error;
pub mod info;
mod outcome;
pub mod paths;
pub mod skeleton;
mod source;
pub mod voxelize;
mod warning;
mod write_picture;

pub(crate) use error::at;
pub use error::{PipelineError, Problem};
pub use outcome::{DeviceRun, Timings};
pub use source::VolumeSource;
pub use warning::Warning;
pub use write_picture::write_picture;
