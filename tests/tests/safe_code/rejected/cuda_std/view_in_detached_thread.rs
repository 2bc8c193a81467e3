// E0597: a thread that may outlive the slice does not get its view
#![forbid(unsafe_code)]

use cuda_std::View;

fn main() {
    let data = [1_u32, 2, 3];
    let view = View::from(&data[..]);
    std::thread::spawn(move || println!("{}", view.read(0)));
}
