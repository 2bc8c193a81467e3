// E0506: the slice of a view is not written
#![forbid(unsafe_code)]

use cuda_std::View;

fn main() {
    let mut data = [1_u32, 2, 3];
    let view = View::from(&data[..]);
    data[0] = 4;
    println!("{}", view.read(0));
}
