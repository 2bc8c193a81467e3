//! Public crates in kernels, used like anywhere else, without code for this project.

#![allow(improper_ctypes_definitions, clippy::missing_safety_doc)]

mod ciphers;
mod collections;
mod hashes;
mod numbers;
mod random;

pub use ciphers::*;
pub use collections::*;
pub use hashes::*;
pub use numbers::*;
pub use random::*;
