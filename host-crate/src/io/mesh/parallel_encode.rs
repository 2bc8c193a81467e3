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
/// Fewest and most tasks between two writes. All threads are started for each write, so that many
/// tasks are faster, but they need more memory.
const TASKS: [usize; 2] = [16, 256];
/// Number of writes of a mesh that is neither small nor very large, so that the memory for encoded
/// elements is a small part of the mesh.
const WRITES: usize = 64;
/// Purpose of the allocations, quoted in the error.
const PURPOSE: &str = "a piece of the file";

/// Encodes `count` elements on all threads and writes the bytes in the order of the elements, with
/// few calls of [`write`](Write::write), each for many bytes.
///
/// `encode` appends the bytes of a range of at most [`BATCH`] elements, at most
/// [`MAX_ITEM_BYTES`] per element.
pub(super) fn write_encoded(
    out: &mut dyn Write,
    count: usize,
    encode: impl Fn(Range<usize>, &mut Vec<u8>) + Sync,
) -> io::Result<()> {
    let encode = &encode;
    let section_len = TASK * tasks_per_write(count);
    let mut encoder = SectionEncoder::default();
    let (mut next, mut ready) = (Vec::new(), Vec::new());
    for start in (0..count).step_by(section_len) {
        let range = start..count.min(start + section_len);
        let mut encoded = Ok(());
        parallel::with_background(
            || encoded = encoder.encode(range, encode, &mut next),
            || out.write_all(&ready),
        )?;
        encoded?;
        std::mem::swap(&mut next, &mut ready);
    }
    out.write_all(&ready)
}

/// Returns the number of tasks between two writes of `count` elements.
fn tasks_per_write(count: usize) -> usize {
    let [fewest, most] = TASKS;
    (count / (TASK * WRITES)).clamp(fewest, most)
}

/// Encoder of the elements between two writes. Its memory is kept for the next ones.
#[derive(Default)]
struct SectionEncoder {
    /// Bytes of each task.
    tasks: Vec<Vec<u8>>,
}

impl SectionEncoder {
    /// Replaces `section` by the bytes of a range of elements.
    fn encode(
        &mut self,
        elements: Range<usize>,
        encode: &(impl Fn(Range<usize>, &mut Vec<u8>) + Sync),
        section: &mut Vec<u8>,
    ) -> Result<(), OutOfMemory> {
        self.tasks
            .resize_with(elements.len().div_ceil(TASK), Vec::new);
        parallel::try_map_mut(&mut self.tasks, |task, bytes| {
            let start = elements.start + task * TASK;
            encode_task(start..elements.end.min(start + TASK), encode, bytes)
        })?;
        let len = self.tasks.iter().map(Vec::len).sum();
        let missing = usize::saturating_sub(len, section.len());
        memory::try_reserve_amortized(PURPOSE, section, missing)?;
        section.resize(len, 0);
        let mut rest = &mut section[..];
        let places = self.tasks.iter().map(|task| {
            let place = rest.split_off_mut(..task.len());
            (place.unwrap_or_default(), task)
        });
        let mut copies = memory::try_collect(PURPOSE, places)?;
        parallel::for_each_mut(&mut copies, |_, (place, task)| place.copy_from_slice(task));
        Ok(())
    }
}

/// Replaces `bytes` by those of the elements of one task.
fn encode_task(
    elements: Range<usize>,
    encode: &(impl Fn(Range<usize>, &mut Vec<u8>) + Sync),
    bytes: &mut Vec<u8>,
) -> Result<(), OutOfMemory> {
    bytes.clear();
    memory::try_reserve(PURPOSE, bytes, elements.len() * 32)?;
    for first in elements.clone().step_by(BATCH) {
        let batch = first..elements.end.min(first + BATCH);
        memory::try_reserve_amortized(PURPOSE, bytes, batch.len() * MAX_ITEM_BYTES)?;
        encode(batch, bytes);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_output_equals_sequential_output() {
        let section = TASK * TASKS[0];
        for count in [0, 1, TASK, section, 2 * section + TASK + 17] {
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
    fn number_of_tasks_grows_with_the_mesh_up_to_a_limit() {
        assert_eq!(tasks_per_write(0), 16);
        assert_eq!(tasks_per_write(TASK * WRITES * 100), 100);
        assert_eq!(tasks_per_write(usize::MAX), 256);
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
        let section = TASK * TASKS[0];
        let count = 3 * section;
        for capacity in [0, 1000, section + 1, count - 1] {
            let result = write_encoded(&mut LimitedDisk(capacity), count, |range, bytes| {
                bytes.resize(bytes.len() + range.len(), 1);
            });
            assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
        }
    }
}
