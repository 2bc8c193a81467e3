// E0133: a mutable static is unsafe in any address space
#![forbid(unsafe_code)]

use cuda_std::address_space;

#[address_space(shared)]
static mut TILE: [u32; 4] = [0; 4];

fn main() {
    TILE[0] = 1;
}
