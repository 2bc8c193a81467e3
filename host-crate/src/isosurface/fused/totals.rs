//! Counts that begin as zero, in one piece of memory: on a small volume each piece that is set by
//! itself takes as long as a kernel.

use crate::device::{Buffer, DeviceError, Stream};
use cuda_std::{View, ViewMut};
use ferrovox_kernels::isosurface::fused::WordLayout;

/// The tiles' sums, the list of tiles with listed cells, and whether a sample is not finite.
pub(super) struct Totals {
    memory: Buffer<u64>,
    counts: usize,
    ambiguous_tiles: usize,
}

impl Totals {
    /// All of them zero.
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

    /// The sums; then, once they are scanned, places.
    pub fn counts(&self) -> View<'_, u64> {
        self.memory.view().slice(0, self.counts)
    }

    pub fn ambiguous_tiles(&self) -> View<'_, u64> {
        self.memory.view().slice(self.counts, self.ambiguous_tiles)
    }

    /// The sums, the list of tiles, and the element that says whether a sample is not finite.
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
