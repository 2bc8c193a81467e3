// E0505: a slice of pinned memory borrows its buffer
#![forbid(unsafe_code)]

use cust::memory::LockedBuffer;

fn free(buffer: LockedBuffer<u32>) {
    let values = buffer.as_slice();
    drop(buffer);
    println!("{values:?}");
}

fn main() {
    let _ = free;
}
