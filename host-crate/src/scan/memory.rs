//! Memory of a scanner, kept between scans.

use super::Scanner;
use crate::device::{Buffer, Stream};

/// The memory of a [`Scanner`], stored by the owner of a stream, which can lend the stream to a
/// scanner only during a scan.
pub(super) struct ScannerMemory {
    states: Buffer<u64>,
    total: Buffer<u64>,
    epoch: u32,
    next_number: u32,
}

impl ScannerMemory {
    /// Restores the scanner on the stream that it was created for.
    pub fn attach(self, stream: &Stream) -> Scanner<'_> {
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
