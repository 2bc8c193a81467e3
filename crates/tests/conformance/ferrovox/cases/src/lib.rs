//! Expected results of the conformance kernels.
//!
//! A case uploads its inputs to a [`Machine`], launches one kernel with a given block size and
//! compares the result with plain Rust. The tests of this package run all cases on the CPU
//! executor; the GPU runner implements [`Machine`] with the driver and runs the same list.

mod cases;
mod compare;
mod cpu;
mod machine;

pub use cases::{Case, all_cases};
pub use cpu::Cpu;
pub use machine::{Buffer, Machine};
