// E0382: a dropped buffer is not used
#![forbid(unsafe_code)]

use cust::memory::DeviceBuffer;

fn free(buffer: DeviceBuffer<u32>) {
    drop(buffer);
    println!("{}", buffer.len());
}

fn main() {
    let _ = free;
}
