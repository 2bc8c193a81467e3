// E0277: shared memory holds types without invalid values
#![forbid(unsafe_code)]

use cuda_std::shared_view;

fn main() {
    let view = shared_view![&'static str; 4];
    println!("{}", view.read(0));
}
