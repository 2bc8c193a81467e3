// E0200: promising a fixed layout is unsafe
#![forbid(unsafe_code)]

use cust::DeviceCopy;

#[derive(Clone, Copy)]
struct Name(&'static str);

impl DeviceCopy for Name {}

fn main() {
    println!("{}", Name("host").0);
}
