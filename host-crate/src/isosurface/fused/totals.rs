//! Buffers that are initially zero, in one allocation: on a small volume, clearing each separately
//! takes as long as a kernel.

use crate::device::{Buffer, DeviceError, Stream};
use cuda_std::{View, ViewMut};
use ferrovox_kernels::isosurface::fused::WordLayout;

/// Counts of the tiles, list of tiles with ambiguous cells, and the flag for non-finite samples.
pub(super) struct Totals {
    memory: Buffer<u64>,
    counts: usize,
    ambiguous_tiles: usize,
}

impl Totals {
    /// Allocates the buffers, filled with zeros.
    pub fn new(stream: &Stream, layout: WordLayout) -> Result<Self, DeviceError> {
        let (counts, ambiguous_tiles) = (
            layout.counts_len() as usize,
            layout.ambiguous_tiles_len() as usize,
        );
        Ok(Self {
            memory: stream.zeros(counts + ambiguous_tiles + 1)?,
            counts,
            ambiguous_tiles,
        })
    }

    /// Returns the counts; offsets after they have been scanned.
    pub fn counts(&self) -> View<'_, u64> {
        self.memory.view().slice(0, self.counts)
    }

    pub fn ambiguous_tiles(&self) -> View<'_, u64> {
        self.memory.view().slice(self.counts, self.ambiguous_tiles)
    }

    /// Returns the counts, the list of tiles, and the flag for non-finite samples.
    pub fn views_mut(&mut self) -> [ViewMut<'_, u64>; 3] {
        let all = self.memory.view_mut();
        let end = self.counts + self.ambiguous_tiles;
        [
            all.slice(0, self.counts),
            all.slice(self.counts, self.ambiguous_tiles),
            all.slice(end, 1),
        ]
    }
}
