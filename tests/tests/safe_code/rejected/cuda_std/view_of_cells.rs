// E0277: the elements of a view are plain values
#![forbid(unsafe_code)]

use cuda_std::View;
use std::cell::Cell;

fn main() {
    let data = [Cell::new(1_u32)];
    let _ = View::from(&data[..]);
}
