//! Curves as links between adjacent voxels.

use crate::memory::{CollectOrUnwind, ExtendOrUnwind};
/// Paths through adjacent voxels, stored as links between them.
#[derive(Clone, Debug, Default)]
pub struct VoxelLinks {
    /// Pairs of adjacent voxels.
    pub pairs: Vec<[u32; 2]>,
    /// The only voxel of the skeleton, if there are no pairs.
    pub isolated_voxel: Option<u32>,
}

impl VoxelLinks {
    /// Creates the links of a skeleton of a single voxel.
    pub fn from_voxel(voxel: usize) -> Self {
        Self {
            pairs: Vec::new(),
            isolated_voxel: Some(voxel as u32),
        }
    }

    /// Adds the links of a path.
    pub fn add_path(&mut self, path: &[u32]) {
        self.pairs
            .extend_or_unwind(path.windows(2).map(|step| [step[0], step[1]]));
        if !self.pairs.is_empty() {
            self.isolated_voxel = None;
        }
    }

    /// Returns the linked voxels, in ascending order.
    pub fn voxels(&self) -> Vec<u32> {
        let mut voxels: Vec<u32> = self.pairs.iter().flatten().copied().collect_or_unwind();
        voxels.extend_or_unwind(self.isolated_voxel);
        voxels.sort_unstable();
        voxels.dedup();
        voxels
    }
}
