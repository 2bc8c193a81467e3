//! The 32 threads of a warp: lanes, shuffles, votes, matches and reductions.
//!
//! Every operation names the lanes that take part in `mask`, bit i for lane i, and each of those
//! lanes must come to the same call with the same mask. [`FULL_MASK`] is the whole warp; where a
//! block's size is no multiple of 32 its last warp is short, and the mask must name only the lanes
//! that exist. On the CPU a mask may name lanes that do not exist or have left: they are left out.
//!
//! Of all of these only [`sync_warp`] orders memory. A shuffle, vote or match makes lanes meet, but
//! what one of them wrote before, another need not see after: CUDA promises no more, and the CPU's
//! checked mode reports it as a race.
//!
//! On the device these are LLVM's convergent intrinsics, so the compiler neither duplicates them
//! nor moves them into branches.

mod mask;
mod reduce;
mod shuffle;
mod value;
mod vote;

pub use mask::*;
pub use reduce::*;
pub use shuffle::*;
pub use value::WarpShuffleValue;
pub use vote::*;

/// The mask of all 32 lanes.
pub const FULL_MASK: u32 = u32::MAX;
