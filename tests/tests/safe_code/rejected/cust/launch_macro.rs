// E0133: the launch macro is unsafe
#![forbid(unsafe_code)]

use cust::launch;
use cust::module::Module;
use cust::stream::Stream;

fn start(stream: &Stream, module: &Module) {
    println!("{:?}", launch!(module.kernel<<<1, 1, 0, stream>>>(0_u32)));
}

fn main() {
    let _ = start;
}
