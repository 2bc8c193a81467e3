// E0502: a viewed volume is not written
#![forbid(unsafe_code)]

use ferrovox::grid::{Geometry, Volume};

fn main() {
    let mut volume = Volume::new(vec![0_u8; 8], [2; 3], Geometry::default()).unwrap();
    let view = volume.view();
    volume.samples_mut()[0] = 1;
    println!("{:?}", view.get([0; 3]));
}
