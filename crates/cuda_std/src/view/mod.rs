//! Views of device buffers and of block-shared arrays.
//!
//! A view is a pointer and a length. In a release build for the device an access is a plain load or store; in a debug build for the
//! device an access past the end traps. On the CPU every access is checked, and in checked mode also watched for races.

mod atomic;
#[cfg(not(target_arch = "nvptx64"))]
mod cold;
mod read;
mod shared;
mod vector;
mod write;

pub use atomic::{AtomicElement, AtomicInteger};
pub use read::View;
pub use shared::SharedView;
pub use write::ViewMut;

/// Stops a debug build's thread where an index is past the end; a release build for the device does not look.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
fn check_on_device(index: usize, len: usize) {
    if cfg!(debug_assertions) && index >= len {
        crate::trap();
    }
}
