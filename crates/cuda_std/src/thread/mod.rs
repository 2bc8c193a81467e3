//! Thread indices, barriers and fences.
//!
//! A launch runs a *grid* of *blocks* of *threads*. The threads of one block share memory
//! ([`shared`](crate::shared)) and can synchronise ([`sync_threads`]); blocks run in any order and
//! cannot. On the CPU the functions of this module work inside a launch of the executor and panic
//! outside.
//!
//! Two- and three-dimensional indices and extents are glam's [`UVec2`](glam::UVec2) and
//! [`UVec3`](glam::UVec3), as in current Rust-CUDA. Code for `cuda_std` 0.2 finds its methods in
//! [`IndexVector`], or converts to vek: `vek::Vec2::from(thread::index_2d().to_array())`.

#[cfg(not(target_arch = "nvptx64"))]
mod cpu;
#[cfg(target_arch = "nvptx64")]
mod device;
mod index;
mod named;
mod sync;
mod vectors;

#[cfg(not(target_arch = "nvptx64"))]
use cpu as imp;
#[cfg(target_arch = "nvptx64")]
use device as imp;

pub use index::*;
pub use named::{NamedBarrier, sync_named};
pub use sync::*;
pub use vectors::IndexVector;
