//! Larger public crates, used in kernels as one would use them anywhere. No line is for this
//! project.

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
