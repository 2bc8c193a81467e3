// E0133: opening a view is unsafe
#![forbid(unsafe_code)]

use cuda_std::View;

fn main() {
    let mut view = View::for_launch(std::ptr::null::<u32>(), 8);
    view.open(false);
    println!("{}", view.read(0));
}
