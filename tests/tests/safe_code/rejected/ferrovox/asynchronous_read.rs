// E0133: a copy that outlives its call is unsafe
#![forbid(unsafe_code)]

use ferrovox::device::Device;

fn main() {
    let stream = Device::cpu().stream().unwrap();
    let buffer = stream.upload(&[1_u32]).unwrap();
    stream.begin_read(&buffer, &mut [0]).unwrap();
}
