// E0133: a copy that outlives its call is unsafe
#![forbid(unsafe_code)]

use cust::memory::{AsyncCopyDestination, DeviceBuffer};
use cust::stream::Stream;

fn copy(buffer: &mut DeviceBuffer<u32>, stream: &Stream) {
    println!("{:?}", buffer.async_copy_from(&[1_u32, 2][..], stream));
}

fn main() {
    let _ = copy;
}
