// E0597: a view borrows its slice
#![forbid(unsafe_code)]

use cuda_std::View;

fn main() {
    let view;
    {
        let data = [1_u32, 2, 3];
        view = View::from(&data[..]);
    }
    println!("{}", view.read(0));
}
