//! Encoding of many items in parallel, written in order.

use std::io::{self, Write};

use rayon::prelude::*;

/// Items per task, and tasks between two writes.
const TASK: usize = 1 << 14;
const TASKS: usize = 32;

/// Encodes every item with `encode` and writes the bytes in the items' order.
pub(super) fn items<T: Sync>(
    out: &mut dyn Write,
    items: &[T],
    encode: impl Fn(&T, &mut Vec<u8>) + Sync,
) -> io::Result<()> {
    for batch in items.chunks(TASK * TASKS) {
        let encoded: Vec<Vec<u8>> = batch
            .par_chunks(TASK)
            .map(|task| {
                let mut bytes = Vec::with_capacity(task.len() * 32);
                for item in task {
                    encode(item, &mut bytes);
                }
                bytes
            })
            .collect();
        for bytes in encoded {
            out.write_all(&bytes)?;
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
