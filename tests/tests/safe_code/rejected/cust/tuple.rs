// E0277: a tuple has no fixed layout
#![forbid(unsafe_code)]

use cust::memory::DeviceBuffer;

fn main() {
    let buffer = DeviceBuffer::from_slice(&[(1_u8, 2_u32)]);
    println!("{}", buffer.is_ok());
}
