// E0277: an option of a number has no fixed layout
#![forbid(unsafe_code)]

use cust::memory::DeviceBox;

fn main() {
    let value = DeviceBox::new(&Some(1_u32));
    println!("{}", value.is_ok());
}
