// E0133: launching a closure is unsafe
#![forbid(unsafe_code)]

use simt::{LaunchShape, Mode};

fn main() {
    let result = simt::launch("k", LaunchShape::new(1, 1), Mode::Fast, || {});
    println!("{result:?}");
}
