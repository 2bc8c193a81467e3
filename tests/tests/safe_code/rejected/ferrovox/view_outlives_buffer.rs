// E0505: a view borrows its buffer
#![forbid(unsafe_code)]

use ferrovox::device::Device;

fn main() {
    let stream = Device::cpu().stream().unwrap();
    let buffer = stream.upload(&[1_u32]).unwrap();
    let view = buffer.view();
    drop(buffer);
    println!("{}", view.len());
}
