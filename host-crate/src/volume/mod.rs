//! Volumes: samples on a regular grid, with the map from grid indices to the world.
//!
//! A [`Volume<T>`] owns its samples, a [`VolumeView`] borrows them, and an [`AnyVolume`] is what
//! a file reader returns, when the sample type is known only once the file has been opened.
//! Samples are stored with x fastest: the sample (x, y, z) of a volume of dims
//! (nx, ny, nz) is at `x + nx · (y + ny · z)`.

mod any;
mod convert;
mod dense;
mod error;
mod geometry;
mod sample;
mod summary;

pub use any::AnyVolume;
pub use convert::Conversion;
pub(crate) use convert::{f64_to_f32, i32_to_f32};
pub use dense::{Volume, VolumeView, sample_count};
pub use error::VolumeError;
pub use geometry::Geometry;
pub use sample::{Sample, SampleType};
pub use summary::SampleSummary;

pub(crate) use any::with_volume;
