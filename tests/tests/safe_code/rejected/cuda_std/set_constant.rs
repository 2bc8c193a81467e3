// E0133: writing a constant is unsafe
#![forbid(unsafe_code)]

use cuda_std::address_space;
use cuda_std::constant::ConstantSymbol;

#[address_space(constant)]
static TABLE: [u32; 2] = [0; 2];

fn main() {
    TABLE.set_on_cpu(&[1, 2]);
}
