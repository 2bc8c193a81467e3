//! Volume filters: Gaussian smoothing and resampling to another spacing.
//!
//! | function | result |
//! | --- | --- |
//! | [`smooth`] | the convolution with a Gaussian, as `f32` on the same grid |
//! | [`resample`] | the trilinear interpolant on a grid of another spacing, as `f32` |
//! | [`resample_nearest`] | the nearest sample, of the same type: for labels |
//! | [`VolumeFilter::apply`] | both in turn, for a volume of any type on the host |
//!
//! All of them run on a device and yield the same bits on every device. World positions do not
//! change: the grid that is resampled to covers the same box of the world.

mod error;
mod filter;
mod gaussian;
mod resample;
mod resample_grid;

pub use error::VolumeFilterError;
pub use filter::{FilteredGrid, FilteredVolume, Interpolation, VolumeFilter};
pub use gaussian::smooth;
pub use resample::{resample, resample_nearest};
pub use resample_grid::{ResampleGrid, TargetSpacing};
