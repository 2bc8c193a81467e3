//! The scan, in a single pass and in three.
//!
//! | module | method | memory traffic |
//! | --- | --- | --- |
//! | [`kernels`] | single pass with decoupled look-back: tiles in the order of their numbers | input once, output once |
//! | [`checked`] | single pass in 128 bits, which finds the first sum that does not fit | input twice, output once |
//! | [`three_pass`] | reduce, scan of the sums, scan with the sums added | input twice, output once |
//! | [`small`] | two launches of a kernel that is quick to compile, for short lists | input twice, output once |
//!
//! Integers are exact in all, and no result depends on the launch shape but the last bits of
//! floating-point sums.

pub mod checked;
pub mod kernels;
pub mod look_back;
pub mod scheduler;
pub mod single_pass;
pub mod small;
pub mod specialised;
pub mod three_pass;
pub mod tile;

pub use checked::{CHECKED_ITEMS, sum_checked, sum_same_checked};
pub use kernels::{
    BlockShape, DOUBLES, INTO_LONGS, INTO_WORDS, LONG_EXTREMES, LONGS, OFFSET_ITEMS, WORD_EXTREMES,
    WORDS, add_offset, long_extremes, sum_doubles, sum_into_longs, sum_into_words, sum_longs,
    sum_words, word_extremes,
};
pub use scheduler::TileJob;
pub use small::{PICKED, SMALL, sum_small};
pub use three_pass::{
    ITEMS, Segments, put_total, reduce_segments, scan_segment_sums, scan_segments,
};
