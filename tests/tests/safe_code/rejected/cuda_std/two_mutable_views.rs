// E0499: a mutable view borrows its slice exclusively
#![forbid(unsafe_code)]

use cuda_std::ViewMut;

fn main() {
    let mut data = [1_u32, 2, 3];
    let first = ViewMut::from(&mut data[..]);
    let second = ViewMut::from(&mut data[..]);
    println!("{} {}", first.len(), second.len());
}
