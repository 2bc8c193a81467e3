//! Numeric functions under the names of CUDA's device library, by type and rounding mode.
//!
//! | functions | behaviour |
//! | --- | --- |
//! | `sinf`, `pow`, … | as in [`GpuFloat`](crate::GpuFloat), with its error bounds |
//! | `fadd_rd`, `dmul_rz`, `fma_ru`, … | rounding as the suffix says; equal bits on the CPU |
//! | `float2int_rn`, `ll2float_rd`, … | conversions; they saturate, and NaN gives 0 |
//! | `brev`, `clz`, `mulhi`, … | integer operations; unsigned values as signed bits |
//!
//! New code should prefer the traits and `core`'s methods. Rust-CUDA's functions are all `unsafe`;
//! here only those that write through a pointer.
//!
//! On the CPU the directed `f64` operations are exact, except `fma_…` for products below about
//! 10⁻²⁹¹.

mod conversions;
mod functions;
mod integers;
mod rounding;

pub use conversions::*;
pub use functions::*;
pub use integers::*;
pub use rounding::*;
