//! Integers that kernels do not read exactly.

/// Samples that f32 does not hold, of integers, which are not rounded unless the job says so.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "{count} integers are no exact numbers of f32, neither as they are nor as differences from the isovalue {level}; the first is {value} at \
     voxel ({}, {}, {}); bring the samples to a smaller range, or round the samples", voxel[0], voxel[1], voxel[2]
)]
pub struct WideSamples {
    /// How many.
    pub count: u64,
    /// The isovalue.
    pub level: f64,
    /// The voxel of the first.
    pub voxel: [usize; 3],
    /// The first.
    pub value: f64,
}
