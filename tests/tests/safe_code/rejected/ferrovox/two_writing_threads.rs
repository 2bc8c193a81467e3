// E0499: two threads do not write one buffer
#![forbid(unsafe_code)]

use ferrovox::device::Device;

fn main() {
    let stream = Device::cpu().stream().unwrap();
    let mut buffer = stream.upload(&[1_u32]).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| stream.write(&mut buffer, &[2]).unwrap());
        scope.spawn(|| stream.write(&mut buffer, &[3]).unwrap());
    });
}
