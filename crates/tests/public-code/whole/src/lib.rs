//! Larger public crates in kernels, used like anywhere else, without code for this project.

#![allow(improper_ctypes_definitions, clippy::missing_safety_doc)]

mod curves;
mod hashes;
mod matrices;
mod miner;
mod random;
mod vectors;

pub use curves::*;
pub use hashes::*;
pub use matrices::*;
pub use miner::*;
pub use random::*;
pub use vectors::*;
