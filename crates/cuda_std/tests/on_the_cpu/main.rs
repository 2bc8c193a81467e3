//! Tests of the device library on the CPU executor.
#![allow(missing_docs)]

mod atomic;
mod coroutine;
mod float;
mod float_accuracy;
mod float_identities;
mod instrumented;
mod intrinsics;
mod kernel;
mod machine;
mod orders;
mod shared;
mod support;
mod thread;
mod view;
mod warp;
