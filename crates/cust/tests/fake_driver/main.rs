//! Calls passed to the driver, and handling of its results, tested with a stand-in for libcuda that
//! checks every handle against the current context (`libcuda.c`, `graphs.c`). Skipped with a
//! message without a C compiler.
#![cfg(target_os = "linux")]

mod context_stack;
mod contexts;
mod device_memory;
mod fake;
mod graphs;
mod heap;
mod links;
mod memory;
mod modules;
mod safe_code;
mod streams;
mod unified;

use cust::prelude::*;

/// Makes the context of a device current on this thread.
fn context(ordinal: u32) -> Context {
    Context::new(Device::get_device(ordinal).unwrap()).unwrap()
}
