//! The names of the device library, as the published crate has them: functions of numbers, by type
//! and by rounding.
//!
//! | what | how |
//! | --- | --- |
//! | `sinf`, `pow`, … | the functions of [`GpuFloat`](crate::GpuFloat) and [`FloatExt`](crate::FloatExt), with their errors and their bits, on both machines |
//! | `fadd_rd`, `dmul_rz`, `fma_ru`, … | rounded down (`rd`), to the nearest (`rn`), up (`ru`) or towards zero (`rz`): an instruction on the device, the same bits on the CPU |
//! | `float2int_rn`, `ll2float_rd`, … | conversions; what does not fit is the nearest that does, and NaN is 0 |
//! | `brev`, `clz`, `mulhi`, … | operations on integers; those on unsigned ones take and return the bits as signed ones |
//!
//! In code of one's own the traits and `core`'s methods read better. The published functions are
//! `unsafe`; here only those are that write through a pointer.
//!
//! The directed operations on `f64` are exact on the CPU but for `fma_…` of products below 10⁻²⁹¹
//! or so.

mod conversions;
mod functions;
mod integers;
mod rounding;

pub use conversions::*;
pub use functions::*;
pub use integers::*;
pub use rounding::*;
