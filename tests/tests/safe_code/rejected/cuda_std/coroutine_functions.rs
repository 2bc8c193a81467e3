// E0133: the functions of a coroutine are unsafe
#![forbid(unsafe_code)]

use simt::coroutine;

fn main() {
    if coroutine::arrive(false) {
        println!("never suspended");
    }
}
