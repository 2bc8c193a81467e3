//! What each conformance kernel must compute.
//!
//! A case uploads its inputs to a [`Machine`], launches one kernel with a given block size and
//! compares what comes back with plain Rust. The tests here run every case on the CPU executor; a
//! runner for a GPU implements [`Machine`] over its driver and goes through the same list.

mod cases;
mod compare;
mod cpu;
mod machine;

pub use cases::{Case, all};
pub use cpu::Cpu;
pub use machine::{Buffer, Machine};
