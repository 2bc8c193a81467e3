//! Kernels written as Rust-CUDA's examples are. There is no `no_std` here: Rust-CUDA's builder adds
//! it, and so does this one.

mod alloc_kernels;
mod arguments;
mod bits;
mod control_flow;
mod features;
mod gemm;
mod gemm_blocked;
mod gemm_tiled;
mod half_floats;
mod machine;
mod matrices;
mod memory;
mod named_barriers;
mod printing;
mod vecadd;
mod vectors;

pub use crate::alloc_kernels::*;
pub use crate::arguments::*;
pub use crate::bits::*;
pub use crate::control_flow::*;
pub use crate::features::*;
pub use crate::gemm_tiled::{neighbours, tile_product};
pub use crate::half_floats::*;
pub use crate::machine::*;
pub use crate::matrices::*;
pub use crate::memory::*;
pub use crate::named_barriers::*;
pub use crate::printing::*;
pub use crate::vectors::*;
// Modules and kernels of one name, and both are imported.
pub use crate::gemm::gemm;
pub use crate::gemm_blocked::gemm_blocked;
pub use crate::gemm_tiled::gemm_tiled;
pub use crate::vecadd::vecadd;

/// The types of kernels whose module has their name: what a launch on the CPU asks for.
pub mod types {
    pub use crate::gemm::gemm_kernel;
    pub use crate::gemm_blocked::gemm_blocked_kernel;
    pub use crate::gemm_tiled::gemm_tiled_kernel;
    pub use crate::vecadd::vecadd_kernel;
}
