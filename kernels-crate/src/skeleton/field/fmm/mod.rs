//! Fast multipole method: approximates the force field in time linear in the number of voxels.
//!
//! Space is divided into bricks of 8 lattice points along each axis; eight bricks form one brick of
//! the next coarser level, and so on. The sources of a brick are summarised by moments about its
//! centre (multipole expansion). The effect of a far brick on another is a Taylor series about the
//! other's centre (local expansion; Greengard and Rokhlin 1987; Cartesian expansions for arbitrary
//! powers of the distance as in Duan and Krasny 2001). Near bricks are summed source by source.
//!
//! Let `v` point from a brick's centre to a source, `u` from another brick's centre to a target and
//! `Δ` from one centre to the other, all in units of the brick's edge, and let `ψ(x) = |x|^-(m - 1)
//! / (m - 1)`. The force is minus the gradient of `Σ ψ(Δ + u - v)`, and
//!
//! `ψ(Δ + u - v) = Σ_a u^a / a! Σ_b D^(a + b) ψ(Δ) (-v)^b / b!`
//!
//! over all multi-indices `a` and `b`, truncated where `|a| + |b|` exceeds the order. The
//! truncation error depends on `u - v` alone, so the error of a pair of bricks is known in advance.
//!
//! 1. Tree construction: [`count_brick_voxels`], [`coarsen_bricks`] and [`compact_bricks`] find the
//!    occupied bricks of every level; [`list_sources_by_brick`] and [`list_weights_by_brick`] sort
//!    the sources by brick.
//! 2. Upward pass: [`compute_moments`] computes the moments of the finest bricks (P2M),
//!    [`translate_moments`] those of parents from their children (M2M).
//! 3. Downward pass: [`compute_local_expansions`] adds the expansions of far bricks (M2L) and of
//!    the parent (L2L), and bounds the error.
//! 4. Far field: [`evaluate_local_expansions`] computes the gradient at each voxel (L2P).
//! 5. Near field: [`add_near_field`] and [`add_near_field_in_world`] add the sources of near bricks
//!    (P2P) and write directions and magnitudes.
//! 6. Refinement: [`sum_all_pairs`] and [`sum_all_pairs_in_world`] sum over all sources where the
//!    error bound is too large.
//!
//! For anisotropic or oblique voxels, bricks are cut from a finer [`Lattice`] such that they are
//! approximately cubes in world space. `v`, `u` and `Δ` remain in units of the brick's edges, `ψ`
//! takes the world length of `Δ`, and forces are converted to world vectors at the end.
//!
//! All translations (M2M, M2L and L2L) are sums of products of two lists of coefficients; the same
//! code computes eight at a time ([`ProductTable`]). Sums are grouped by position in a list of
//! offsets alone, so the result does not depend on the device, on blocks or on other bricks.

mod all_pairs;
mod brick_list;
mod bricks;
mod far_field;
mod lattice;
mod local_expansions;
mod moments;
mod near_field;
mod near_field_world;
mod translations;

pub use all_pairs::{PARTIAL_SUMS, sum_all_pairs, sum_all_pairs_in_world};
pub use brick_list::{MAX_THREADS, OFFSET_BIAS, OFFSET_INDEX_SHIFT};
pub use bricks::{
    brick_coords, brick_index, coarsen_bricks, compact_bricks, count_brick_voxels,
    list_sources_by_brick, list_weights_by_brick,
};
pub use far_field::{FarFieldBatch, evaluate_local_expansions};
pub use lattice::Lattice;
pub use local_expansions::{LevelParams, compute_local_expansions};
pub use moments::{MomentParams, compute_moments, translate_moments};
pub use near_field::{MAX_SQUARED_DISTANCE, NearFieldBatch, add_near_field};
pub use near_field_world::add_near_field_in_world;
pub use translations::{MAX_TASK_PRODUCTS, MAX_TASKS, ProductTable, TRANSLATIONS};

/// Lattice points along the edge of a brick of the finest level; voxels, if these are cubic.
pub const BRICK: u32 = 8;

/// Lattice points per brick.
pub const BRICK_VOXELS: usize = (BRICK * BRICK * BRICK) as usize;

/// Maximum order of an expansion.
pub const MAX_ORDER: u32 = 12;

/// Coefficients of an expansion of order [`MAX_ORDER`].
pub const MAX_TERMS: usize = term_count(MAX_ORDER);

/// Index that stands for an empty or missing brick.
pub const NO_BRICK: u32 = u32::MAX;

/// Returns the number of coefficients of an expansion: multi-indices whose sum is at most `order`.
#[inline(always)]
pub const fn term_count(order: u32) -> usize {
    ((order + 1) * (order + 2) * (order + 3) / 6) as usize
}
