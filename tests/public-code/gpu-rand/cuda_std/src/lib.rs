//! This project's `cuda_std`, by the name that published crates ask for.

pub use ours::*;
