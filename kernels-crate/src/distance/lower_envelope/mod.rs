//! Exact distance maps by lower envelopes of parabolas, for sides of at most [`MAX_SIDE`] voxels
//! and spacings whose squares are multiples of a common unit.
//!
//! Let `g(p)` be the squared distance from the previous passes at position `p` of a scanline. The
//! candidate `p` contributes the parabola `g(p) + (q - p)²` at output `q`; the candidates on the
//! lower envelope of these parabolas are the vertices of the lower convex hull of the points `(p,
//! g(p) + p²)`. A later vertex `b` takes over from the preceding vertex `a` at the first output
//! beyond `(g(b) + b² - g(a) - a²) / (2 (b - a))`, its takeover output (Felzenszwalb and
//! Huttenlocher 2012; Meijster, Roerdink and Hesselink 2000).
//!
//! A block processes 32 neighbouring scanlines, one per lane, with one warp per chunk of 32
//! positions; for [`LongDistances`], 16 scanlines with one warp per two chunks, so that several
//! blocks fit on a multiprocessor. The tile in shared memory has one word per position: the cost in
//! the low 22 bits, and a link in the high ten bits, which holds first the takeover output and
//! later the next candidate.
//!
//! 1. [`filter`]: while a chunk is loaded, a position remains a candidate only if it is nearest at
//!    some integer output compared with its four neighbours. The remaining candidates form a bit
//!    mask.
//! 2. [`chunk_envelope`]: Graham's scan (1972) over the mask. The mask doubles as the stack:
//!    dropping a candidate clears its bit.
//! 3. [`tangent`]: envelopes of neighbouring chunks are merged pairwise by their common tangent
//!    (Preparata and Hong 1977): candidates at the end of the left one and at the start of the
//!    right one are dropped until the takeover outputs increase.
//! 4. [`scatter`]: each candidate marks its takeover output, and the link in its word is replaced
//!    by the next candidate.
//! 5. [`evaluate`]: each thread evaluates the outputs of its chunk, advancing to the next candidate
//!    at each mark.
//!
//! A takeover output is computed with one fused multiply-add that rounds down to an integer, using
//! a reciprocal that is rounded up: for sides of up to 1024 the error is smaller than the minimum
//! distance of a quotient from an integer. It can shift a takeover output only where both
//! candidates have the same cost, so that either gives the same distance. Costs are integers, so
//! distances are bit-identical to those of [`separable`](super::separable). For anisotropic voxels
//! the denominators are larger, and takeover outputs are [corrected](pass_cost::Anisotropic) by the
//! remainder.
//!
//! | module | kernel | reads per voxel | writes per voxel |
//! | --- | --- | --- | --- |
//! | [`row_scan`] | `scan_rows` | 1 bit | a quarter of a byte |
//! | [`along_y`] | `envelope_along_y`, `…_anisotropic` | a quarter of a byte | 4 bytes * |
//! | [`along_z`] | `envelope_along_z`, `…_anisotropic` | 4 bytes * | 4 bytes |
//! | [`labels`], [`label_changes`] | distances to other labels | see there | see there |
//!
//! *: nothing for planes without sites
//!
//! With nearest sites, the first of several equally near candidates is selected: the later one
//! takes over at the first output beyond the tie. For isotropic voxels, the reciprocal rounded up
//! ensures this for quotients that are not negative, as where envelopes are merged. Within a chunk,
//! quotients are relative to its start and may be negative, so one half is added to the difference,
//! an integer: that moves the quotient beyond a tie but past no other output. Together with the
//! order of the axes, this selects the site with the smallest index. Its y is stored above the cost
//! between the two passes, and its x follows from the row scan.
//!
//! With a [bound](PassBound), positions beyond it are never candidates. Lines without candidates,
//! and chunks that neither contain a candidate nor have one near enough, return early. If the bound
//! is at most one chunk, blocks process [segments](segment) of lines.
//!
//! These kernels require full warps, and the block size and shared memory given by
//! [`tile::threads`] and [`tile::shared_bytes`], which the host's launches request.

#[macro_use]
mod unroll;
pub mod along_y;
pub mod along_z;
mod byte_labels;
pub mod chunk_envelope;
pub mod evaluate;
pub mod filter;
pub mod label_changes;
pub mod labels;
pub mod length_unit;
mod nearest_site;
pub mod output;
pub mod pass_cost;
pub mod row_scan;
pub mod scatter;
pub mod segment;
pub mod tangent;
pub mod tile;
mod warp_tiles;

pub use along_y::{envelope_along_y, envelope_along_y_anisotropic, label_envelope_along_y};
pub use along_z::{envelope_along_z, envelope_along_z_anisotropic, label_envelope_along_z};
pub use label_changes::{mark_changes_along_z, mark_changes_in_planes};
pub use labels::scan_label_changes;
pub use length_unit::LengthUnit;
pub use output::{
    DistanceOutput, Distances, LabelDistances, LongDistances, NarrowBand, NearestSites, PassBound,
    TruncatedDistances,
};
pub use pass_cost::{MAX_PASS_WEIGHT, PassWeights};
pub use row_scan::{padded_row_words, scan_rows};
pub use tile::Tile;

/// Largest supported side, in voxels.
pub const MAX_SIDE: u32 = 1024;

/// Cost of a position without a site; exceeds every other cost.
pub const NO_SITE_COST: u32 = 2047 * 2047;
