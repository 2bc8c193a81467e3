//! Encoding of many items in parallel, written in order while the next are encoded.

use std::io::{self, Write};

use crate::{
    memory::{self, OutOfMemory},
    parallel,
};

/// Items per task, and tasks between two writes.
const TASK: usize = 1 << 13;
const TASKS: usize = 32;
/// Bytes of an item at most: six numbers of f32, of which a text has 50 characters at most, and
/// what stands between them.
const LONGEST: usize = 512;
/// What memory is for that holds bytes of the file.
const ENCODED: &str = "a piece of the file";

/// Encodes every item with `encode` and writes the bytes in the items' order.
pub(super) fn items<T: Sync>(
    out: &mut dyn Write,
    items: &[T],
    encode: impl Fn(&T, &mut Vec<u8>) + Sync,
) -> io::Result<()> {
    let mut encoded = Vec::new();
    for batch in items.chunks(TASK * TASKS) {
        let ready = std::mem::take(&mut encoded);
        let next = &mut encoded;
        let encode = &encode;
        // this thread writes, the others encode
        rayon::in_place_scope(|scope| {
            scope.spawn(move |_| *next = encode_batch(batch, encode));
            write(out, ready)
        })?;
    }
    write(out, encoded)
}

/// The bytes of each task.
type Encoded = Vec<Result<Vec<u8>, OutOfMemory>>;

fn encode_batch<T: Sync>(batch: &[T], encode: &(impl Fn(&T, &mut Vec<u8>) + Sync)) -> Encoded {
    parallel::map_ranges(batch.len(), TASK, |task| {
        let mut bytes = Vec::new();
        memory::try_reserve(ENCODED, &mut bytes, task.len() * 32)?;
        for item in &batch[task] {
            memory::try_reserve_amortized(ENCODED, &mut bytes, LONGEST)?;
            encode(item, &mut bytes);
        }
        Ok(bytes)
    })
}

fn write(out: &mut dyn Write, encoded: Encoded) -> io::Result<()> {
    for bytes in encoded {
        out.write_all(&bytes?)?;
    }
    Ok(())
}

/// Appends three floats, little-endian.
pub(super) fn put_le(bytes: &mut Vec<u8>, numbers: [f32; 3]) {
    bytes.extend_from_slice(numbers.map(f32::to_le_bytes).as_flattened());
}

/// Appends three floats, big-endian.
pub(super) fn put_be(bytes: &mut Vec<u8>, numbers: [f32; 3]) {
    bytes.extend_from_slice(numbers.map(f32::to_be_bytes).as_flattened());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_in_order_and_the_same_as_one_after_the_other() {
        for count in [0, 1, TASK, TASK * TASKS, 2 * TASK * TASKS + TASK + 17] {
            let numbers: Vec<usize> = (0..count).collect();
            // of several lengths, some beyond what was reserved
            let put = |&number: &usize, bytes: &mut Vec<u8>| match number % 1000 {
                0 => bytes.extend_from_slice(&[7; 300]),
                _ => bytes.extend_from_slice(number.to_string().as_bytes()),
            };
            let mut expected = Vec::new();
            for number in &numbers {
                put(number, &mut expected);
            }
            let mut found = Vec::new();
            items(&mut found, &numbers, put).unwrap();
            assert!(found == expected, "{count}");
        }
    }

    #[test]
    fn writing_ends_at_an_error() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                let room = self.0.min(bytes.len());
                self.0 -= room;
                match room {
                    0 => Err(io::ErrorKind::StorageFull.into()),
                    _ => Ok(room),
                }
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let numbers = vec![1_u8; 3 * TASK * TASKS];
        for room in [0, 1000, TASK * TASKS + 1, 3 * TASK * TASKS - 1] {
            let written = items(&mut Full(room), &numbers, |&number, bytes| {
                bytes.push(number)
            });
            assert_eq!(written.unwrap_err().kind(), io::ErrorKind::StorageFull);
        }
    }
}
