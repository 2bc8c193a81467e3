//! Counts that begin as zero, in one piece of memory: on a small volume each piece that is set by
//! itself takes as long as a kernel.

use crate::device::{Buffer, DeviceError, Stream};
use cuda_std::{View, ViewMut};
use ferrovox_kernels::isosurface::fused::Words;

/// The tiles' sums, the list of tiles with listed cells, and whether a sample is not finite.
pub(super) struct Totals {
    memory: Buffer<u64>,
    sums: usize,
    listed_tiles: usize,
}

impl Totals {
    /// All of them zero.
    pub fn new(stream: &Stream, words: Words) -> Result<Self, DeviceError> {
        let (sums, listed_tiles) = (words.sums() as usize, words.listed_tiles() as usize);
        Ok(Self {
            memory: stream.zeros(sums + listed_tiles + 1)?,
            sums,
            listed_tiles,
        })
    }

    /// The sums; then, once they are scanned, places.
    pub fn sums(&self) -> View<'_, u64> {
        self.memory.view().slice(0, self.sums)
    }

    pub fn listed_tiles(&self) -> View<'_, u64> {
        self.memory.view().slice(self.sums, self.listed_tiles)
    }

    /// The sums, the list of tiles, and the element that says whether a sample is not finite.
    pub fn parts_mut(&mut self) -> [ViewMut<'_, u64>; 3] {
        let all = self.memory.view_mut();
        let end = self.sums + self.listed_tiles;
        [
            all.slice(0, self.sums),
            all.slice(self.sums, self.listed_tiles),
            all.slice(end, 1),
        ]
    }
}
