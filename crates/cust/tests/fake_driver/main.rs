//! What this crate passes to the driver, and what it makes of the driver's answers, tested against
//! a stand-in for libcuda that checks every handle against the current context (`libcuda.c`,
//! `graphs.c`). Skipped, aloud, where there is no C compiler.
#![cfg(target_os = "linux")]

mod context_stack;
mod contexts;
mod fake;
mod graphs;
mod heap;
mod links;
mod memory;
mod modules;
mod on_device;
mod streams;
mod unified;

use cust::prelude::*;

/// The context of a device, current on this thread.
fn context(ordinal: u32) -> Context {
    Context::new(Device::get_device(ordinal).unwrap()).unwrap()
}
