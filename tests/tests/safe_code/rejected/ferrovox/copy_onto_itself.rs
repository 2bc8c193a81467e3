// E0502: source and target of a copy differ
#![forbid(unsafe_code)]

use ferrovox::device::Device;

fn main() {
    let stream = Device::cpu().stream().unwrap();
    let mut buffer = stream.upload(&[1_u32]).unwrap();
    stream.copy(&buffer, &mut buffer).unwrap();
}
