//! Samples, masks and points on a regular grid, and their position in the world.
//!
//! | on the host | on a device | holds |
//! | --- | --- | --- |
//! | [`Volume`], [`VolumeView`], [`AnyVolume`] | [`DeviceVolume`] | samples, x fastest |
//! | [`Mask`] | [`DeviceMask`] | one bit per voxel |
//! | [`Points`] | [`DevicePoints`] | coordinates in voxels |
//!
//! A [`Volume<T>`] owns its samples, a [`VolumeView`] borrows them, and an [`AnyVolume`] is
//! returned by file readers, since the sample type is known only once the file is open. Samples are
//! stored with x fastest: sample (x, y, z) of a volume of dims (nx, ny, nz) has the index `x + nx ·
//! (y + ny · z)`. A [`Geometry`] is the affine map from indices to the world. A [`Selection`]
//! defines a mask by the values of samples.

mod any_device_volume;
mod any_volume;
mod convert;
mod crop;
mod device_mask;
mod device_mask_constructors;
mod device_points_constructors;
mod device_volume;
mod distinct;
mod enclosed;
mod error;
mod geometry;
mod inside;
mod interpolate;
mod label_measure;
mod label_text;
mod local_origin;
mod mask;
mod mask_constructors;
mod mask_largest;
mod mask_volume;
mod metric;
mod points;
mod runs;
mod sample;
mod selection;
mod shear;
mod summary;
mod threshold;
mod volume;
mod volume_error;
mod voxel_box;

pub use any_device_volume::AnyDeviceVolume;
pub use any_volume::AnyVolume;
pub use convert::Conversion;
pub(crate) use convert::{f64_to_f32, i32_to_f32, i64_to_f32, subtract_level};
pub(crate) use crop::append_box;
pub use device_mask::DeviceMask;
pub(crate) use device_mask::count_ones;
pub use device_volume::{DeviceSample, DeviceVolume};
pub(crate) use device_volume::{gradient_to_world, index_to_world, kernel_grid};
pub(crate) use distinct::{distinct_labels, first_fraction};
pub use error::GridError;
pub use geometry::{Geometry, Misalignment};
pub use inside::Inside;
pub(crate) use label_measure::LabelMeasures;
pub use label_measure::{LabelMeasure, LabelMeasureError};
pub(crate) use label_text::format_label;
pub use mask::Mask;
pub(crate) use mask_volume::words_to_volume;
pub(crate) use metric::Metric;
pub use points::{DevicePoints, OutsidePoints, Points};
pub(crate) use runs::{Connectivity, Run, Runs};
pub use sample::{Sample, SampleType};
pub use selection::Selection;

pub(crate) use selection::SelectionPredicate;
pub use shear::Shear;
pub use summary::SampleSummary;
pub(crate) use summary::{RunningSummary, SharedSummary};
pub(crate) use threshold::{Histogram, SampleRange, ThresholdRule};
pub use threshold::{OtsuError, otsu_threshold, percentile};
pub use volume::{Volume, VolumeView, sample_count};
pub use volume_error::VolumeError;
pub use voxel_box::VoxelBox;

pub(crate) use any_volume::{match_kernel_volume, match_volume, with_kernel_volume, with_volume};
pub(crate) use sample::{
    SamplePredicate, for_sample_types, label_from_f64, match_kernel_sample_type, match_sample_type,
    with_kernel_sample_type, with_sample_type,
};
