// E0277: a buffer holds types without host pointers
#![forbid(unsafe_code)]

use cust::memory::DeviceBuffer;

fn main() {
    let buffer = DeviceBuffer::from_slice(&[String::new()]);
    println!("{}", buffer.is_ok());
}
