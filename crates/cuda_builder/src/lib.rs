//! Compiles a kernel crate to a PTX file.
//!
//! The crate has the name and the builder interface of Rust-CUDA's `cuda_builder`, but a different
//! implementation. The kernel crate is compiled by an ordinary rustc for the target
//! `nvptx64-nvidia-cuda` and linked here with LLVM's tools:
//!
//! 1. `cargo rustc -Zbuild-std=core` up to the link step, whose inputs are recorded;
//! 2. `llvm-link`, followed by dead-code elimination;
//! 3. statics in the sections `.nvptx.shared` and `.nvptx.constant` move to shared and constant
//!    memory, and internal symbols get names that do not depend on the path of the checkout;
//! 4. `opt`, `llc`, and a [lint] over the PTX.
//!
//! Usage in a `build.rs`:
//!
//! ```no_run
//! use cuda_builder::{CudaBuilder, NvvmArch};
//!
//! fn main() {
//!     let ptx = CudaBuilder::new("../kernels").arch(NvvmArch::Compute70).build().unwrap();
//!     println!("cargo::rustc-env=KERNELS_PTX={}", ptx.display());
//! }
//! ```
//!
//! Builds are reproducible: the same sources produce the same bytes, regardless of the path of the
//! checkout. [`source_hash`] determines without a device toolchain whether PTX is older than its
//! sources.

mod arch;
mod build;
mod device_build;
mod environment;
mod error;
mod ir;
mod link;
pub mod lint;
mod options;
pub mod ptx;
mod resources;
mod sources;
mod toolchain;

pub use arch::NvvmArch;
pub use build::Output;
pub use error::{CudaBuilderError, Result};
pub use options::{CudaBuilder, DebugInfo, EmitOption};
pub use resources::{AssembledResources, KernelResources, Ptxas, ResourceTable};
pub use sources::source_hash;
pub use toolchain::{DeviceToolchain, LlvmTools, RustcVersion};
