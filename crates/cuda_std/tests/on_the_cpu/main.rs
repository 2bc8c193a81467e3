//! What a kernel may call, on the CPU executor.
#![allow(missing_docs)]

mod atomic;
mod float;
mod float_accuracy;
mod float_identities;
mod intrinsics;
mod kernel;
mod machine;
mod orders;
mod shared;
mod steps;
mod support;
mod thread;
mod view;
mod warp;
mod watched;
