//! Printing whose formatting runs other code.

#![forbid(unsafe_code)]

use crate::closures::launch;
use simt::{LaunchError, LaunchShape, Mode};
use std::fmt;

struct PrintsWhileFormatted;

impl fmt::Display for PrintsWhileFormatted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        cuda_std::print!("");
        f.write_str("nested")
    }
}

struct PanicsWhileFormatted;

impl fmt::Display for PanicsWhileFormatted {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        std::panic::resume_unwind(Box::new("while formatted"))
    }
}

struct WaitsWhileFormatted;

impl fmt::Display for WaitsWhileFormatted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        simt::sync::barrier();
        f.write_str("")
    }
}

#[test]
fn formatting_may_print() {
    launch("prints", LaunchShape::new(2, 1), Mode::Fast, || {
        cuda_std::println!("{PrintsWhileFormatted}");
    })
    .unwrap();
}

/// The output stays usable after a panic.
#[test]
fn formatting_may_panic() {
    let result = launch("panics", LaunchShape::new(1, 1), Mode::Fast, || {
        cuda_std::println!("{PanicsWhileFormatted}");
    });
    assert!(matches!(result, Err(LaunchError::KernelPanicked { .. })));
    cuda_std::print!("");
}

/// No lock is held while the threads of a block wait for each other.
#[test]
#[cfg_attr(miri, ignore = "fibers")]
fn formatting_may_wait() {
    for mode in [Mode::Fast, Mode::Checked { seed: 4 }] {
        launch("waits", LaunchShape::new(2, 4), mode, || {
            cuda_std::print!("{WaitsWhileFormatted}");
        })
        .unwrap();
    }
}
