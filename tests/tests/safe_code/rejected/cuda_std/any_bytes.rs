// E0200: promising that all bit patterns are valid is unsafe
#![forbid(unsafe_code)]

use cuda_std::AnyBytes;

#[derive(Clone, Copy)]
struct Flag(bool);

impl AnyBytes for Flag {}

fn main() {
    println!("{}", Flag(true).0);
}
