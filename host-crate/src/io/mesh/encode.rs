//! Encoding of many items in parallel, written in order.

use std::io::{self, Write};

use rayon::prelude::*;

use crate::memory::{self, OutOfMemory};

/// Items per task, and tasks between two writes.
const TASK: usize = 1 << 14;
const TASKS: usize = 32;
/// Bytes of an item at most: six numbers of f32, of which a text has 50 characters at most, and what stands between them.
const LONGEST: usize = 512;
/// What memory is for that holds bytes of the file.
const ENCODED: &str = "a piece of the file";

/// Encodes every item with `encode` and writes the bytes in the items' order.
pub(super) fn items<T: Sync>(
    out: &mut dyn Write,
    items: &[T],
    encode: impl Fn(&T, &mut Vec<u8>) + Sync,
) -> io::Result<()> {
    for batch in items.chunks(TASK * TASKS) {
        let tasks = batch.par_chunks(TASK).map(|task| {
            let mut bytes = Vec::new();
            memory::reserve(ENCODED, &mut bytes, task.len() * 32)?;
            for item in task {
                memory::grow(ENCODED, &mut bytes, LONGEST)?;
                encode(item, &mut bytes);
            }
            Ok(bytes)
        });
        let encoded: Vec<Result<Vec<u8>, OutOfMemory>> = tasks.collect();
        for bytes in encoded {
            out.write_all(&bytes?)?;
        }
    }
    Ok(())
}

/// Appends three floats, little-endian.
pub(super) fn put_le(bytes: &mut Vec<u8>, numbers: [f32; 3]) {
    for number in numbers {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
}

/// Appends three floats, big-endian.
pub(super) fn put_be(bytes: &mut Vec<u8>, numbers: [f32; 3]) {
    for number in numbers {
        bytes.extend_from_slice(&number.to_be_bytes());
    }
}
