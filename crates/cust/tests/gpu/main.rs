//! This crate on a real device. Where there is none, every test says so and returns.
//!
//! The kernels are in `kernels.ptx`; the driver compiles them for whichever device is present.

mod device;
mod graphs;
mod heap;
mod launches;
mod memory;
mod sharing;
mod unified;

use cust::prelude::*;

const KERNELS: &str = include_str!("kernels.ptx");

/// The context of a device, current on this thread; `None`, said aloud, where there is no such
/// device.
fn gpu(ordinal: u32) -> Option<Context> {
    match cust::init(CudaFlags::empty()) {
        Ok(()) => {}
        Err(error) if error.means_no_gpu() => {
            eprintln!("no CUDA device: skipped ({error})");
            return None;
        }
        Err(error) => panic!("there is a driver, but it does not start: {error}"),
    }
    if Device::num_devices().unwrap() <= ordinal {
        eprintln!("no CUDA device {ordinal}: skipped");
        return None;
    }
    Some(Context::new(Device::get_device(ordinal).unwrap()).unwrap())
}

fn kernels() -> Module {
    let (module, log) =
        Module::from_ptx_logged(KERNELS, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(log.error, "");
    module
}
