// E0133: a copy that outlives its call is unsafe
#![forbid(unsafe_code)]

use ferrovox::device::Device;

fn main() {
    let stream = Device::cpu().stream().unwrap();
    let mut buffer = stream.upload(&[1_u32]).unwrap();
    stream.begin_write(&mut buffer, &[2]).unwrap();
}
