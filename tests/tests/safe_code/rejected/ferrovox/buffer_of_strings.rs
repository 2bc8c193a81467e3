// E0277: a buffer holds plain data
#![forbid(unsafe_code)]

use ferrovox::device::Device;

fn main() {
    let stream = Device::cpu().stream().unwrap();
    println!("{:?}", stream.upload(&[String::new()]));
}
