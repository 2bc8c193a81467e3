//! A SIMT executor for the CPU: grids, blocks, fibers, barriers, warp operations, checked mode.

mod arena;
mod checked;
pub mod current;
mod error;
mod executor;
mod fiber;
mod finding;
mod launch;
pub mod memory;
mod report;
mod shape;
pub mod sync;

pub use error::LaunchError;
pub use finding::{Access, Finding, FindingKind, Place, Site};
pub use launch::{Mode, launch};
pub use report::{MAX_FINDINGS, Report, Waiting};
pub use shape::{Dim3, LaunchShape, MAX_BLOCK_THREADS, MAX_BLOCK_Z, MAX_DYNAMIC_SHARED_BYTES};
