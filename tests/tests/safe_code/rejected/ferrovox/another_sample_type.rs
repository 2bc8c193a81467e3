// E0277: the sample types of volumes are a closed list
#![forbid(unsafe_code)]

use ferrovox::device::Device;
use ferrovox::grid::{DeviceVolume, Geometry, Volume};

fn main() {
    let stream = Device::cpu().stream().unwrap();
    let volume = Volume::new(vec![0_u128; 8], [2; 3], Geometry::default()).unwrap();
    println!("{}", DeviceVolume::upload(&stream, volume.view()).is_ok());
}
