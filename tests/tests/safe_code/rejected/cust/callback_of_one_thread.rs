// E0277: a callback runs on another thread
#![forbid(unsafe_code)]

use cust::stream::Stream;
use std::rc::Rc;

fn queue(stream: &Stream, count: Rc<u32>) {
    let queued = stream.add_callback(Box::new(move || drop(count)));
    println!("{queued:?}");
}

fn main() {
    let _ = queue;
}
