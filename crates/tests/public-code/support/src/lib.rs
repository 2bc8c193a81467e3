//! Helpers of the tests of public crates in kernels.

mod ptx;

use cuda_std::kernel::Kernel;
pub use simt::{LaunchShape, Mode};

pub use ptx::check_ptx;

/// Modes in which every test runs.
pub const MODES: [Mode; 2] = [Mode::Fast, Mode::Checked { seed: 7 }];

/// Launches one block of `threads` threads.
///
/// # Safety
/// The requirements of `cuda_std::launch_on_cpu`.
///
/// # Panics
/// If the launch fails.
pub unsafe fn launch<K: Kernel>(mode: Mode, threads: u32, arguments: K::Args<'_>) {
    let shape = LaunchShape {
        grid: 1.into(),
        block: threads.into(),
        dynamic_shared_bytes: 0,
    };
    // SAFETY: guaranteed by the caller.
    unsafe { launch_shape::<K>(mode, shape, arguments) };
}

/// Launches a grid.
///
/// # Safety
/// The requirements of `cuda_std::launch_on_cpu`.
///
/// # Panics
/// If the launch fails.
pub unsafe fn launch_shape<K: Kernel>(mode: Mode, shape: LaunchShape, arguments: K::Args<'_>) {
    // SAFETY: guaranteed by the caller.
    let done = unsafe { cuda_std::launch_on_cpu::<K>(shape, mode, arguments) };
    done.unwrap_or_else(|error| panic!("{}: {error}", K::entry()));
}

/// Parses hexadecimal digits.
///
/// # Panics
/// If the text contains other characters or has another length.
#[must_use]
pub fn hex<const N: usize>(text: &str) -> [u8; N] {
    assert_eq!(text.len(), 2 * N, "{text}");
    core::array::from_fn(|i| {
        let digits = &text[2 * i..2 * i + 2];
        u8::from_str_radix(digits, 16).unwrap_or_else(|_| panic!("{digits}"))
    })
}

/// Concatenates texts, and returns the end position of each.
#[must_use]
pub fn joined(texts: &[&[u8]]) -> (Vec<u8>, Vec<u32>) {
    let mut end = 0;
    let ends = texts.iter().map(|text| {
        end += text.len() as u32;
        end
    });
    (texts.concat(), ends.collect())
}
