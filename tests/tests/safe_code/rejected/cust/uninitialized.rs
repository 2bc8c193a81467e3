// E0133: uninitialised memory is unsafe
#![forbid(unsafe_code)]

use cust::memory::DeviceBuffer;

fn main() {
    println!("{}", DeviceBuffer::<u32>::uninitialized(4).is_ok());
}
