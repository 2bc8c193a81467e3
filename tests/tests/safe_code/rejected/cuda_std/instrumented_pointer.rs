// E0133: instrumentation does not make an access safe
#![forbid(unsafe_code)]

use cuda_std::instrument;

#[instrument]
fn read(pointer: *const u32) -> u32 {
    *pointer
}

fn main() {
    println!("{}", read(std::ptr::null()));
}
