//! Sources of a kernel crate: the local packages of its device build, and a hash of them that
//! requires no compiler.

mod cfg;
mod hash;
mod manifest;
mod packages;

pub use hash::source_hash;
pub(crate) use packages::{Package, device_packages, workspace_root};
