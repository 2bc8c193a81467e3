// E0505: a slice of host memory borrows its buffer
#![forbid(unsafe_code)]

use ferrovox::device::Device;

fn main() {
    let memory = Device::cpu().pinned::<u32>(4).unwrap();
    let values = &memory[..];
    drop(memory);
    println!("{values:?}");
}
