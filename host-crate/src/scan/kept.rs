//! A scanner that waits for its stream.

use super::Scanner;
use crate::device::{Buffer, Stream};

/// What a [`Scanner`] keeps between scans, for who owns its stream too and can borrow it only while it works.
pub(super) struct ScannerMemory {
    states: Buffer<u64>,
    total: Buffer<u64>,
    epoch: u32,
    next_number: u32,
}

impl ScannerMemory {
    /// The scanner again, on the stream that it was on.
    pub fn on(self, stream: &Stream) -> Scanner<'_> {
        Scanner {
            stream,
            states: self.states,
            total: self.total,
            epoch: self.epoch,
            next_number: self.next_number,
        }
    }
}

impl From<Scanner<'_>> for ScannerMemory {
    fn from(scanner: Scanner<'_>) -> Self {
        Self {
            states: scanner.states,
            total: scanner.total,
            epoch: scanner.epoch,
            next_number: scanner.next_number,
        }
    }
}
