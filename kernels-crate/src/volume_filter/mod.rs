//! Volume filters: Gaussian smoothing and resampling to another spacing.
//!
//! The host computes weights and positions along each axis in `f64`; kernels evaluate them in
//! `f32` in a fixed order, so that results have the same bits on every device.

mod gaussian;
mod resample;

pub use gaussian::convolve_axis;
pub use resample::{resample_linear, resample_nearest};
