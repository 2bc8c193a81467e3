//! Parallel encoding of many elements, written in order while the next ones are encoded.

use std::io::{self, Write};
use std::ops::Range;

use super::encoder::MAX_ITEM_BYTES;
use crate::{
    memory::{self, OutOfMemory},
    parallel,
};

/// Elements per call of the encoder.
pub(super) const BATCH: usize = 32;
/// Elements per parallel task.
const TASK: usize = 1 << 13;
/// Tasks between two writes.
const TASKS: usize = 32;
/// Purpose of the allocations, quoted in the error.
const PURPOSE: &str = "a piece of the file";

/// Encodes `count` elements on all threads and writes the bytes in the order of the elements.
///
/// `encode` appends the bytes of a range of at most [`BATCH`] elements, at most
/// [`MAX_ITEM_BYTES`] per element.
pub(super) fn write_encoded(
    out: &mut dyn Write,
    count: usize,
    encode: impl Fn(Range<usize>, &mut Vec<u8>) + Sync,
) -> io::Result<()> {
    let encode = &encode;
    let mut encoded = Vec::new();
    for start in (0..count).step_by(TASK * TASKS) {
        let section = start..count.min(start + TASK * TASKS);
        let ready = std::mem::take(&mut encoded);
        let next = &mut encoded;
        // This thread writes while the others encode.
        rayon::in_place_scope(|scope| {
            scope.spawn(move |_| *next = encode_section(section, encode));
            write(out, ready)
        })?;
    }
    write(out, encoded)
}

/// Encoded bytes of each task.
type EncodedTasks = Vec<Result<Vec<u8>, OutOfMemory>>;

fn encode_section(
    section: Range<usize>,
    encode: &(impl Fn(Range<usize>, &mut Vec<u8>) + Sync),
) -> EncodedTasks {
    parallel::map_ranges(section.len(), TASK, |task| {
        let mut bytes = Vec::new();
        memory::try_reserve(PURPOSE, &mut bytes, task.len() * 32)?;
        let (start, end) = (section.start + task.start, section.start + task.end);
        for first in (start..end).step_by(BATCH) {
            let batch = first..end.min(first + BATCH);
            memory::try_reserve_amortized(PURPOSE, &mut bytes, batch.len() * MAX_ITEM_BYTES)?;
            encode(batch, &mut bytes);
        }
        Ok(bytes)
    })
}

fn write(out: &mut dyn Write, encoded: EncodedTasks) -> io::Result<()> {
    for bytes in encoded {
        out.write_all(&bytes?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_output_equals_sequential_output() {
        for count in [0, 1, TASK, TASK * TASKS, 2 * TASK * TASKS + TASK + 17] {
            // Encoded lengths vary; some exceed the reserved average.
            let append = |number: usize, bytes: &mut Vec<u8>| match number % 1000 {
                0 => bytes.extend_from_slice(&[7; 300]),
                _ => bytes.extend_from_slice(number.to_string().as_bytes()),
            };
            let encode = |range: Range<usize>, bytes: &mut Vec<u8>| {
                assert!(range.len() <= BATCH);
                range.for_each(|number| append(number, bytes));
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
        let count = 3 * TASK * TASKS;
        for capacity in [0, 1000, TASK * TASKS + 1, count - 1] {
            let result = write_encoded(&mut LimitedDisk(capacity), count, |range, bytes| {
                bytes.resize(bytes.len() + range.len(), 1);
            });
            assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
        }
    }
}
