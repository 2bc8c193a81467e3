//! Prefix scans, in a single pass and in three.
//!
//! | module | method | memory traffic |
//! | --- | --- | --- |
//! | [`kernels`], [`minima`] | single pass, [decoupled look-back](look_back) | 1 read, 1 write |
//! | [`checked`] | single pass in 128 bits; finds the first overflow | 2 reads, 1 write |
//! | [`three_pass`] | reduce, scan of segment sums, scan of segments | 2 reads, 1 write |
//! | [`resident`] | single pass, all tiles in shared memory at once | 1 read, 1 write |
//! | [`small`] | short lists, by a kernel that compiles quickly | 2 reads, 1 write |
//!
//! The single-pass kernels have two bodies, [`single_pass`] (tiles in registers) and
//! [`warp_specialised`] (tiles in shared memory). Both use [`tile`] for storage, [`scheduler`] to
//! assign tiles to blocks, and [`look_back`] for the published status of tiles.
//!
//! Integer results are exact. No result depends on the launch shape, except for the last bits of
//! floating-point sums.

pub mod checked;
pub mod kernels;
pub mod look_back;
pub mod minima;
pub mod resident;
pub mod scheduler;
pub mod single_pass;
pub mod small;
pub mod three_pass;
pub mod tile;
pub mod warp_specialised;

pub use checked::{CHECKED_ITEMS, scan_sum_checked, scan_sum_same_checked};
pub use kernels::{
    BlockShape, OFFSET_ITEMS, SUM_32, SUM_64, SUM_F32, SUM_INTO_32, SUM_INTO_64, add_offset,
    scan_sum_f32, scan_sum_f64, scan_sum_into_32, scan_sum_into_64, scan_sum_u32, scan_sum_u64,
};
pub use minima::{MIN_32, MIN_64, scan_min_f32, scan_min_f64, scan_min_u32, scan_min_u64};
pub use resident::{
    MAX_RESIDENT_VECTORS, RESIDENT_VECTOR_BYTES, scan_min_resident_f32, scan_min_resident_f64,
    scan_min_resident_u32, scan_min_resident_u64, scan_sum_resident,
};
pub use scheduler::ScanJob;
pub use small::{GATHERED_LEN, SMALL_ITEMS, scan_small};
pub use three_pass::{
    Segments, THREE_PASS_ITEMS, reduce_segments, scan_segment_sums, scan_segments, write_total,
};
