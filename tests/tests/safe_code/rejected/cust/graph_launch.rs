// E0133: launching a graph is unsafe
#![forbid(unsafe_code)]

use cust::graph::GraphExec;
use cust::stream::Stream;

fn start(graph: &GraphExec, stream: &Stream) {
    println!("{:?}", graph.launch(stream));
}

fn main() {
    let _ = start;
}
