// E0133: an open view of any address is unsafe
#![forbid(unsafe_code)]

use cuda_std::View;

fn main() {
    let view = View::from_raw_parts(std::ptr::null::<u32>(), 8);
    println!("{}", view.read(0));
}
