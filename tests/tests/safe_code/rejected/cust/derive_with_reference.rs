// E0277: a struct with a reference is not copied to a device
#![forbid(unsafe_code)]

use cust::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Name {
    text: &'static str,
}

fn main() {
    println!("{}", Name { text: "host" }.text);
}
