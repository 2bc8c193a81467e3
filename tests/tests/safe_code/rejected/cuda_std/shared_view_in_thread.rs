// E0277: a view of shared memory stays on its thread
#![forbid(unsafe_code)]

use cuda_std::shared_view;

fn main() {
    let view = shared_view![u32; 4];
    std::thread::scope(|scope| {
        scope.spawn(move || view.write(0, 1));
    });
}
