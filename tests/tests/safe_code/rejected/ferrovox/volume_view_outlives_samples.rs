// E0505: a view of a volume borrows its samples
#![forbid(unsafe_code)]

use ferrovox::grid::{Geometry, VolumeView};

fn main() {
    let samples = vec![0_u8; 8];
    let view = VolumeView::new(&samples, [2; 3], Geometry::default()).unwrap();
    drop(samples);
    println!("{:?}", view.get([0; 3]));
}
