// E0499: a mutable view borrows its buffer exclusively
#![forbid(unsafe_code)]

use ferrovox::device::Device;

fn main() {
    let stream = Device::cpu().stream().unwrap();
    let mut buffer = stream.upload(&[1_u32]).unwrap();
    let first = buffer.view_mut();
    let second = buffer.view_mut();
    println!("{} {}", first.len(), second.len());
}
