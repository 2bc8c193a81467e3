//! Memory of a scanner, kept between scans.

use super::{
    ScanKind, ScanValue, Scanner,
    tiling::Tiling,
    total::{TOTAL_WORDS, Total},
};
use crate::device::{Buffer, DeviceError, Stream};
use cuda_std::ViewMut;
use ferrovox_kernels::scan::{ScanJob, look_back::HEADER};

/// Last scan number that fits in the tags of the tile states.
const LAST_EPOCH: u32 = (1 << 30) - 1;

/// Number of words before the tile counter: those of the total, and others that align the counter
/// and the tile states to a cache line.
const TOTAL_LINE: usize = 16;

/// The memory of a [`Scanner`], stored by the owner of a stream, which can lend the stream to a
/// scanner only during a scan.
pub(super) struct ScannerMemory {
    memory: Buffer<u64>,
    epoch: u32,
    next_number: u32,
}

impl ScannerMemory {
    /// Restores the scanner on the stream that it was created for.
    pub fn attach(self, stream: &Stream) -> Scanner<'_> {
        Scanner {
            stream,
            memory: self.memory,
            epoch: self.epoch,
            next_number: self.next_number,
        }
    }
}

impl From<Scanner<'_>> for ScannerMemory {
    fn from(scanner: Scanner<'_>) -> Self {
        Self {
            memory: scanner.memory,
            epoch: scanner.epoch,
            next_number: scanner.next_number,
        }
    }
}

impl Scanner<'_> {
    /// Starts the next scan: assigns a new epoch, and the value at which the last scan left the
    /// counter, so that nothing needs to be cleared between scans.
    pub(super) fn begin(
        &mut self,
        tiling: Tiling,
        words_per_value: usize,
        kind: ScanKind,
    ) -> Result<ScanJob, DeviceError> {
        let words = TOTAL_LINE + HEADER + tiling.tiles as usize * words_per_value;
        if self.memory.len() < words {
            // avoids an allocation per scan for a sequence of growing inputs
            let words = words.max(self.memory.len() * 3 / 2);
            self.memory = self.stream.zeros(words)?;
            (self.epoch, self.next_number) = (0, 0);
        } else if self.epoch == 0 || self.epoch == LAST_EPOCH {
            self.stream.fill_with_zero(&mut self.memory)?;
            (self.epoch, self.next_number) = (0, 0);
        }
        self.epoch += 1;
        let counter_start = self.next_number;
        self.next_number = counter_start.wrapping_add(tiling.numbers());
        Ok(ScanJob {
            count: tiling.count,
            tile: tiling.tile,
            tiles: tiling.tiles,
            counter_start,
            epoch: self.epoch,
            inclusive: (kind == ScanKind::Inclusive).into(),
            one_tile_per_block: tiling.one_tile_per_block().into(),
        })
    }

    /// Returns the total, and the tile counter with the tile states, as kernel arguments of a scan
    /// that has [begun](Self::begin).
    pub(super) fn total_and_states<V: ScanValue>(&mut self) -> (ViewMut<'_, V>, ViewMut<'_, u64>) {
        let start = self.memory.pointer();
        let states = self.memory.len() - TOTAL_LINE;
        (
            // every bit pattern is a value, of at most the size of the total's words
            ViewMut::for_launch(start.cast(), 1),
            ViewMut::for_launch(start.wrapping_add(TOTAL_LINE), states),
        )
    }

    /// Returns the total as a kernel argument of a scan without tile states.
    pub(super) fn total_for_launch<V: ScanValue>(&mut self) -> Result<ViewMut<'_, V>, DeviceError> {
        if self.memory.is_empty() {
            self.memory = self.stream.zeros(TOTAL_WORDS)?;
        }
        Ok(ViewMut::for_launch(self.memory.pointer().cast(), 1))
    }

    /// Returns the total of the last scan, which is written even if the scan has no elements.
    pub(super) fn total<V>(&self) -> Total<'_, V> {
        Total::new(self.stream, &self.memory)
    }
}
