// E0505: the total of a scan borrows its scanner
#![forbid(unsafe_code)]

use ferrovox::device::Device;
use ferrovox::scan::{Scanner, Sum};

fn main() {
    let stream = Device::cpu().stream().unwrap();
    let input = stream.upload(&[1_u32, 2]).unwrap();
    let mut output = stream.zeros::<u32>(2).unwrap();
    let mut scanner = Scanner::new(&stream).unwrap();
    let total = scanner.exclusive(Sum, &input, &mut output).unwrap();
    drop(scanner);
    println!("{:?}", total.download().unwrap());
}
