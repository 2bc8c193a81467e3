//! Which thread this is, and how the threads of a block wait for each other.
//!
//! A launch runs a *grid* of *blocks* of *threads*. The threads of one block share memory
//! ([`shared`](crate::shared)) and can wait for each other ([`sync_threads`]); blocks run in any
//! order and cannot. On the CPU every function here works inside a launch of the executor and
//! panics outside one.
//!
//! Indices and extents of two and three axes are glam's [`UVec2`](glam::UVec2) and
//! [`UVec3`](glam::UVec3), as in today's Rust-CUDA. What is written for the published 0.2 finds its
//! methods ([`IndexVector`]), or makes vek's of them:
//! `vek::Vec2::from(thread::index_2d().to_array())`.

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
pub use named::NamedBarrier;
pub use sync::*;
pub use vectors::IndexVector;
