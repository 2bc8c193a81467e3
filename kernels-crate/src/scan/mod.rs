//! The exclusive scan in three passes: reduce, scan of the sums, scan with the sums added.
//!
//! The input is cut into segments, one for each block that fits on the device at once (a few per core on the CPU), so that
//! the sums of all segments are scanned by a single block. Three times the input's traffic plus the output's; integers are
//! exact, and the result does not depend on the launch shape.

mod three_pass;

pub use three_pass::{ITEMS, Segments, reduce_segments, scan_segment_sums, scan_segments};
