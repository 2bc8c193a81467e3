//! The exclusive scan in three passes: reduce, scan of the sums, scan with the sums added.
//!
//! The input is cut into segments, one for each block that fits on the device at once (a few per core on the CPU), so that
//! the sums of all segments are scanned by a single block. Three times the input's traffic plus the output's; integers are
//! exact, and the result does not depend on the launch shape.

mod three_pass;

pub use three_pass::{ITEMS, Segments, reduce_segments, scan_segment_sums, scan_segments};

use cuda_std::{View, ViewMut, kernel, thread};

/// Copies four elements, so that one small transfer brings them to the host. The first thread does it.
///
/// # Safety
/// `values` has elements with the numbers `at`, `picked` has four.
#[kernel]
pub unsafe fn pick_four(values: View<u64>, at: [u64; 4], picked: ViewMut<u64>) {
    if thread::block_idx_x() == 0 && thread::thread_idx_x() == 0 {
        for (to, from) in at.into_iter().enumerate() {
            picked.write(to, values.read(from as usize));
        }
    }
}
