// E0277: scans have kernels for listed types and operators only
#![forbid(unsafe_code)]

use ferrovox::device::Device;
use ferrovox::scan::{Scanner, Sum};

fn main() {
    let stream = Device::cpu().stream().unwrap();
    let input = stream.upload(&[1_u8, 2]).unwrap();
    let mut output = stream.zeros::<i32>(2).unwrap();
    let mut scanner = Scanner::new(&stream).unwrap();
    println!("{}", scanner.exclusive(Sum, &input, &mut output).is_ok());
}
