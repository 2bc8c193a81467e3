//! This project's `cuda_std` under the package name that published crates depend on.

pub use ours::*;
