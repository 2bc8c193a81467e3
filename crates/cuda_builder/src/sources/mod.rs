//! The sources of a kernel crate: which packages on disk go into its device build, and a hash of
//! them that needs no compiler.

mod cfg;
mod hash;
mod manifest;
mod packages;

pub use hash::source_hash;
pub(crate) use packages::{Package, device_packages, workspace_root};
