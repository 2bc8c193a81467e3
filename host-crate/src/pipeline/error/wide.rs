//! Integers that kernels cannot represent.

/// Integer samples that `f32` cannot represent, in a job that does not permit rounding.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "{count} integers are no exact numbers of f32, neither as they are nor as differences from the isovalue {level}; the first is {value} at \
     voxel ({}, {}, {}); bring the samples to a smaller range, or round the samples", voxel[0], voxel[1], voxel[2]
)]
pub struct WideSamples {
    /// Number of such samples.
    pub count: u64,
    /// The isovalue.
    pub level: f64,
    /// Voxel of the first such sample.
    pub voxel: [usize; 3],
    /// Value of the first such sample.
    pub value: f64,
}
