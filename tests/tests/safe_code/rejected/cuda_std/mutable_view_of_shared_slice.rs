// E0277: a mutable view needs a mutable slice
#![forbid(unsafe_code)]

use cuda_std::ViewMut;

fn main() {
    let data = [1_u32, 2, 3];
    let view = ViewMut::from(&data[..]);
    println!("{}", view.len());
}
