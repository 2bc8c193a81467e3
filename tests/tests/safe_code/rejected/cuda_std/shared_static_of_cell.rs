// E0277: a shared static can be referenced by several threads
#![forbid(unsafe_code)]

use cuda_std::address_space;
use std::cell::Cell;

#[address_space(shared)]
static COUNT: Cell<u32> = Cell::new(0);

fn main() {
    COUNT.set(1);
}
