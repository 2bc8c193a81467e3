//! Parallel encoding of many elements, written in order while the next ones are encoded.

use std::io::{self, Write};
use std::ops::Range;

use super::encoder::MAX_ITEM_BYTES;
use crate::{memory, parallel};

/// Elements per call of the encoder.
pub(super) const BATCH: usize = 32;
/// Elements per parallel task, whose bytes are written together.
const TASK: usize = 1 << 15;
/// Purpose of the allocations, quoted in the error.
const PURPOSE: &str = "a piece of the file";

/// Encodes `count` elements on all threads and writes the bytes in the order of the elements, with
/// few calls of [`write`](Write::write), each for many bytes.
///
/// `encode` appends the bytes of a range of at most [`BATCH`] elements, at most
/// [`MAX_ITEM_BYTES`] per element. Its first error is returned, after the bytes before it have been
/// written.
pub(super) fn write_encoded(
    out: &mut dyn Write,
    count: usize,
    encode: impl Fn(Range<usize>, &mut Vec<u8>) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let encode_task = |task: usize, bytes: &mut Vec<u8>| {
        bytes.clear();
        let elements = task * TASK..count.min((task + 1) * TASK);
        for first in elements.clone().step_by(BATCH) {
            let batch = first..elements.end.min(first + BATCH);
            memory::try_reserve_amortized(PURPOSE, bytes, batch.len() * MAX_ITEM_BYTES)?;
            encode(batch, bytes)?;
        }
        Ok(())
    };
    parallel::produce_in_order(count.div_ceil(TASK), encode_task, |bytes| {
        out.write_all(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_output_equals_sequential_output() {
        for count in [0, 1, TASK, 5 * TASK, 20 * TASK + 17] {
            // Encoded lengths vary.
            let append = |number: usize, bytes: &mut Vec<u8>| match number % 1000 {
                0 => bytes.extend_from_slice(&[7; 300]),
                _ => bytes.extend_from_slice(number.to_string().as_bytes()),
            };
            let encode = |range: Range<usize>, bytes: &mut Vec<u8>| {
                assert!(range.len() <= BATCH);
                range.for_each(|number| append(number, bytes));
                Ok(())
            };
            let mut expected = Vec::new();
            for number in 0..count {
                append(number, &mut expected);
            }
            let mut found = Vec::new();
            write_encoded(&mut found, count, encode).unwrap();
            assert!(found == expected, "{count}");
        }
    }

    #[test]
    fn write_error_ends_the_encoding() {
        struct LimitedDisk(usize);
        impl Write for LimitedDisk {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                let accepted = self.0.min(bytes.len());
                self.0 -= accepted;
                match accepted {
                    0 => Err(io::ErrorKind::StorageFull.into()),
                    _ => Ok(accepted),
                }
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let count = 30 * TASK;
        for capacity in [0, 1000, TASK + 1, count - 1] {
            let result = write_encoded(&mut LimitedDisk(capacity), count, |range, bytes| {
                bytes.resize(bytes.len() + range.len(), 1);
                Ok(())
            });
            assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
        }
    }
}
