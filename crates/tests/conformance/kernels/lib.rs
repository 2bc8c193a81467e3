//! Kernels in Rust-CUDA's style, which compile with any crate that has the API of `cuda_std` 0.2.2.
//! Inputs are slices, and outputs raw pointers.

#![cfg_attr(target_os = "cuda", no_std)]
#![allow(improper_ctypes_definitions, clippy::missing_safety_doc)]

mod atomics;
mod elementwise;
mod floats;
mod indices;
mod matrix;
mod reduction;
mod shared_memory;
mod synchronisation;
mod warps;

pub use atomics::*;
pub use elementwise::*;
pub use floats::*;
pub use indices::*;
pub use matrix::*;
pub use reduction::*;
pub use shared_memory::*;
pub use synchronisation::*;
pub use warps::*;
