// E0277: a view of elements that are not `Sync` stays on its thread
#![forbid(unsafe_code)]

use cuda_std::View;

fn main() {
    let data = [std::ptr::null::<u8>()];
    let view = View::from(&data[..]);
    std::thread::scope(|scope| {
        scope.spawn(move || println!("{:?}", view.read(0)));
    });
}
