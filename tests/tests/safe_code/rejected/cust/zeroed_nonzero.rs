// E0599: zeroed memory needs a type whose zero is valid
#![forbid(unsafe_code)]

use cust::memory::DeviceBuffer;
use std::num::NonZeroU32;

fn main() {
    let buffer = DeviceBuffer::<NonZeroU32>::zeroed(4);
    println!("{}", buffer.is_ok());
}
