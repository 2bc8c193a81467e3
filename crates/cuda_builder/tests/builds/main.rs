//! Complete builds of kernel crates, with the device compiler and the assembler.

mod build_script;
mod from_rust_cuda;
mod raw_kernels;
mod reproducible;
mod resources;
mod small_crates;
mod support;
mod with_cuda_std;
