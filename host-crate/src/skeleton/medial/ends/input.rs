//! Inputs of the search for ends.

use crate::{
    grid::Metric,
    skeleton::medial::{progress::ComponentProgress, voxels::object::Object},
};

/// Inputs of the search.
pub struct EndSearchInput<'a> {
    /// Voxels of the component.
    pub object: &'a Object,
    /// Metric of the component's frame.
    pub metric: &'a Metric,
    /// Squared distance from each voxel to the background, in units of the smallest spacing
    /// squared.
    pub squared_distances: &'a [f32],
    /// `true` if the component has tunnels.
    pub has_tunnels: bool,
    /// Cancellation.
    pub progress: &'a ComponentProgress<'a>,
}

impl EndSearchInput<'_> {
    /// Returns the distance between the centres of two voxels, in units of the smallest spacing.
    pub fn distance(&self, a: u32, b: u32) -> f64 {
        let [a, b] = [a, b].map(|voxel| self.object.position(voxel as usize));
        self.metric
            .length([0, 1, 2].map(|axis| f64::from(b[axis] - a[axis])))
    }
}
