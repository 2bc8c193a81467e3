//! Exact distance maps by lower hulls of chunks: for sides of up to [`MOST`] voxels whose lengths
//! are multiples of a unit.
//!
//! With the squared distance so far `g(p)` at place `p` of a line, the places that are the nearest
//! of some output are vertices of the lower convex hull of the points `(p, g(p) + p²)`; a later
//! vertex `b` takes over from the vertex `a` before it at the first output beyond
//! `(g(b) + b² - g(a) - a²) / (2 (b - a))`, its start (Felzenszwalb and Huttenlocher 2012;
//! Meijster, Roerdink and Hesselink 2000).
//!
//! A block has 32 neighbouring lines, a lane each, and a warp for each chunk of 32 places. The tile
//! has a word for each place, in shared memory: the cost, and above it ten bits that first hold the
//! start and later the next winner.
//!
//! 1. [`filter`]: while a chunk is loaded, a place stays only if it wins at some whole output
//!    against its four neighbours. What stays is a mask of bits.
//! 2. [`hull`]: Graham's scan (1972) over the mask. The mask is the stack too: what is dropped is a
//!    bit that is cleared.
//! 3. [`bridge`]: hulls of neighbouring chunks are joined, two by two (Preparata and Hong 1977):
//!    places at the end of the one and at the beginning of the other are dropped until what is left
//!    begins in order.
//! 4. [`scatter`]: each winner marks the output where it begins, and its word gets the next winner.
//! 5. [`outputs`]: a thread goes through the outputs of its chunk, and from winner to winner where
//!    one begins.
//!
//! A start is computed with one fused multiplication that is rounded down to a whole output, by a
//! reciprocal that is a little too large: with sides of up to 1024 the error is less than the least
//! distance of a quotient from a whole output. It can move a start only at an output where both are
//! even, and there either has the distance. Costs are integers, so distances have the same bits as
//! those of [`separable`](super::separable). Of voxels that are no cubes denominators are larger,
//! and a start is [put right](level::Spaced) by its remainder.
//!
//! | module | kernel | reads and writes for each voxel |
//! | --- | --- | --- |
//! | [`near`] | `near_words` | 1 bit; a quarter of a byte written |
//! | [`planes`] | `along_y`, `along_y_spaced` | a quarter of a byte, 4 bytes written; nothing for planes without a site |
//! | [`volume`] | `along_z`, `along_z_spaced` | 4 bytes but of planes without a site, 4 written |
//! | [`labels`], [`marks`] | five for distances to other labels | said there |
//!
//! Of places that are even the first wins: a difference of costs is an integer, and half of one
//! more moves a quotient beyond that place and no other. So nearest sites are those with the
//! smallest index. Their y lies above the costs between the two passes, and their x follows from
//! what is known of rows.
//!
//! With a [bound](Within) places beyond it never win. A line without any place left, and a chunk
//! that has no winner and none near enough, are left at once. Where the bound is no longer than a
//! chunk, blocks have [segments](segment) of lines.
//!
//! These kernels take whole warps, and blocks of [`Tile`]'s size: the host's `Launch` has it from
//! there.

#[macro_use]
mod repeat;
pub mod bridge;
mod bytes;
mod deal;
pub mod filter;
pub mod goal;
pub mod hull;
pub mod labels;
pub mod level;
pub mod marks;
pub mod near;
pub mod outputs;
pub mod planes;
pub mod scatter;
pub mod segment;
mod sites;
pub mod tile;
pub mod unit;
pub mod volume;

pub use goal::{
    BoundedDistances, Distances, Goal, NarrowBand, NearestSites, ToOtherLabels, Within,
};
pub use labels::near_changes;
pub use level::{MOST_WEIGHT, Spacing};
pub use marks::{mark_changes_along_z, mark_changes_in_planes};
pub use near::{near_words, row_words};
pub use planes::{along_y, along_y_spaced, along_y_to_labels};
pub use tile::Tile;
pub use unit::Unit;
pub use volume::{along_z, along_z_spaced, along_z_to_labels};

/// The longest side, in voxels.
pub const MOST: u32 = 1024;

/// What a place costs where there is no site: more than any.
pub const NONE: u32 = 2047 * 2047;
