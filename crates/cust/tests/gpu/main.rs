//! Tests on a real device; without one, every test prints a message and returns.
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

/// Makes the context of a device current on this thread; prints a message and returns `None`
/// without such a device.
fn gpu(ordinal: u32) -> Option<Context> {
    match cust::init(CudaFlags::empty()) {
        Ok(()) => {}
        Err(error) if error.means_no_gpu() => {
            test_cases::report_skip(format_args!("no CUDA device ({error})"));
            return None;
        }
        Err(error) => panic!("the driver failed to initialize: {error}"),
    }
    if Device::num_devices().unwrap() <= ordinal {
        test_cases::report_skip(format_args!("no CUDA device {ordinal}"));
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
