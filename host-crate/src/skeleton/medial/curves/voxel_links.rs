//! Curves as links between voxels.

use crate::memory::{CollectOrUnwind, ExtendOrUnwind};
/// Ways through voxels that touch, as links between them.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Pairs of voxels that touch.
    pub pairs: Vec<[u32; 2]>,
    /// The only voxel, if there are no pairs.
    pub dot: Option<u32>,
}

impl Links {
    /// Only a voxel.
    pub fn dot(voxel: usize) -> Self {
        Self {
            pairs: Vec::new(),
            dot: Some(voxel as u32),
        }
    }

    /// Adds a way.
    pub fn add(&mut self, way: &[u32]) {
        self.pairs
            .extend_or_unwind(way.windows(2).map(|step| [step[0], step[1]]));
        if !self.pairs.is_empty() {
            self.dot = None;
        }
    }

    /// The voxels, ascending.
    pub fn voxels(&self) -> Vec<u32> {
        let mut voxels: Vec<u32> = self.pairs.iter().flatten().copied().collect_or_unwind();
        voxels.extend_or_unwind(self.dot);
        voxels.sort_unstable();
        voxels.dedup();
        voxels
    }
}
