// E0597: a callback does not borrow local data
#![forbid(unsafe_code)]

use cust::stream::Stream;

fn queue(stream: &Stream) {
    let data = vec![1, 2, 3];
    let borrowed = &data;
    let queued = stream.add_callback(Box::new(move || println!("{borrowed:?}")));
    println!("{queued:?}");
}

fn main() {
    let _ = queue;
}
