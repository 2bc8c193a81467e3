//! Kernels written like Rust-CUDA's examples. There is no `no_std` here: `cuda_builder` adds it, as
//! Rust-CUDA's builder does.

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
// Modules and kernels with the same name, both imported.
pub use crate::gemm::gemm;
pub use crate::gemm_blocked::gemm_blocked;
pub use crate::gemm_tiled::gemm_tiled;
pub use crate::vecadd::vecadd;

/// Types of the kernels that have the name of their module, for launches on the CPU.
pub mod types {
    pub use crate::gemm::gemm_kernel;
    pub use crate::gemm_blocked::gemm_blocked_kernel;
    pub use crate::gemm_tiled::gemm_tiled_kernel;
    pub use crate::vecadd::vecadd_kernel;
}
