//! Warp operations: lanes, shuffles, votes, matches and reductions.
//!
//! Every operation takes a `mask` of the participating lanes (bit i for lane i), and each of those
//! lanes must make the same call with the same mask. [`FULL_MASK`] is the whole warp. If the block
//! size is not a multiple of 32, the last warp is partial and the mask must contain existing lanes
//! only. On the CPU, lanes that do not exist or have exited are ignored.
//!
//! Only [`sync_warp`] orders memory. Shuffles, votes and matches synchronise the lanes, but a
//! lane's earlier writes need not be visible to other lanes afterwards. CUDA guarantees no more,
//! and the CPU's checked mode reports such accesses as races.
//!
//! On the device these are LLVM's convergent intrinsics, which the compiler neither duplicates nor
//! moves into branches. On the CPU [`sync_warp`] is the executor's `simt::sync::warp_sync`;
//! shuffles, votes, matches and reductions compute their results from `simt::sync::warp_exchange`,
//! which gives every lane the values of all participating lanes.

mod mask;
mod reduce;
mod shuffle;
pub(crate) mod value;
mod vote;

pub use mask::*;
pub use reduce::*;
pub use shuffle::*;
pub use value::WarpShuffleValue;
pub use vote::*;

/// Mask of all 32 lanes.
pub const FULL_MASK: u32 = u32::MAX;
