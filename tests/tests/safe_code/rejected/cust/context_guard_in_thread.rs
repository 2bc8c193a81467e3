// E0277: a current context belongs to its thread
#![forbid(unsafe_code)]

use cust::context::ContextGuard;

fn send(guard: ContextGuard<'static>) {
    std::thread::spawn(move || drop(guard));
}

fn main() {
    let _ = send;
}
