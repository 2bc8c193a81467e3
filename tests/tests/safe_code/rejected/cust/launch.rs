// E0133: launching a kernel is unsafe
#![forbid(unsafe_code)]

use cust::function::Function;
use cust::stream::Stream;

fn start(stream: &Stream, function: &Function<'_>) {
    println!("{:?}", stream.launch(function, 1, 1, 0, &[]));
}

fn main() {
    let _ = start;
}
