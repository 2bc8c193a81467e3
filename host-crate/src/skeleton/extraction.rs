//! From a solid to its skeleton.

use super::{Certificate, ClassCounts, Skeleton, SkeletonError, SkeletonParams, components};
use crate::{device::Stream, distance::SiteMask};
use std::time::Duration;

/// A skeleton, and what is known about how it was made.
#[derive(Clone, Debug)]
pub struct Extraction {
    /// The skeleton.
    pub skeleton: Skeleton,
    /// For each component of the solid whether all of its critical points have been found.
    pub certificate: Vec<Certificate>,
    /// How many voxels there are of each class.
    pub counts: ClassCounts,
    /// How long each stage took.
    pub timings: Vec<(&'static str, Duration)>,
}

/// The skeleton of a solid.
///
/// # Errors
/// [`SkeletonError`].
pub fn skeleton(
    stream: &Stream,
    solid: &SiteMask,
    params: &SkeletonParams,
) -> Result<Extraction, SkeletonError> {
    params.check()?;
    if components(stream, solid)?.count() == 0 {
        return Err(SkeletonError::Empty {
            voxels: solid.grid.samples(),
        });
    }
    Err(SkeletonError::NotYet)
}
