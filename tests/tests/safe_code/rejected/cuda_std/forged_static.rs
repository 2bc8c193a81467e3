// E0133: only the attribute creates the value of a shared static
#![forbid(unsafe_code)]

use cuda_std::shared::{InStatic, SharedStatic};

fn main() {
    let value = SharedStatic::new(String::from("on the stack"), InStatic::new(false));
    println!("{}", value.len());
}
