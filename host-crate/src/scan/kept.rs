//! A scanner's memory, kept between scans.

use super::Scanner;
use crate::device::{Buffer, Stream};

/// What a [`Scanner`] keeps between scans, for an owner of its stream, which it can borrow only
/// while it scans.
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
