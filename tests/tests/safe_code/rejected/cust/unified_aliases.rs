// E0502: unified memory follows the rules of borrows
#![forbid(unsafe_code)]

use cust::memory::UnifiedBuffer;

fn alias(buffer: &mut UnifiedBuffer<u32>) {
    let first = &buffer[0];
    buffer[0] = 1;
    println!("{first}");
}

fn main() {
    let _ = alias;
}
