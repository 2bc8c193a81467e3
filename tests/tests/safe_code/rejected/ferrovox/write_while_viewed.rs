// E0502: a viewed buffer is not written
#![forbid(unsafe_code)]

use ferrovox::device::Device;

fn main() {
    let stream = Device::cpu().stream().unwrap();
    let mut buffer = stream.upload(&[1_u32]).unwrap();
    let view = buffer.view();
    stream.write(&mut buffer, &[2]).unwrap();
    println!("{}", view.len());
}
