// E0133: a slice of any address is unsafe
#![forbid(unsafe_code)]

use cust::memory::{DevicePointer, DeviceSlice};

fn main() {
    let slice = DeviceSlice::from_raw_parts(DevicePointer::<u32>::null(), 4);
    println!("{}", slice.len());
}
