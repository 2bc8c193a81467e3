//! Lengths in the world, for steps between voxels.

pub(super) use crate::grid::Metric;
