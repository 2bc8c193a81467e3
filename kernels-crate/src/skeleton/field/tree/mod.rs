//! The force in time linear in the voxels: what is far is summed up by series.
//!
//! Space is cut into bricks of 8 voxels along each axis, bricks of which eight make one of the next
//! level, and so on. A brick's sources are summed up as moments about its centre; what a far brick
//! does to another is a series about the other's centre (Greengard and Rokhlin 1987; Cartesian
//! series with any power of the distance as in Duan and Krasny 2001). Near bricks are summed source
//! by source.
//!
//! With `v` from a brick's centre to a source, `u` from another's to a target, `Δ` between the
//! centres, all in sides of a brick, and `ψ(x) = |x|^-(m - 1) / (m - 1)`, the force is minus the
//! gradient of `Σ ψ(Δ + u - v)`, and
//!
//! `ψ(Δ + u - v) = Σ_a u^a / a! Σ_b D^(a + b) ψ(Δ) (-v)^b / b!`
//!
//! over all triples `a` and `b` of powers, cut off where `|a| + |b|` exceeds the order. What is cut
//! off depends on `u - v` alone, so that the error of a pair of bricks is known beforehand.
//!
//! | kernel | does |
//! | --- | --- |
//! | [`count_bricks`], [`coarsen_bricks`], [`number_bricks`], [`list_sources`], [`list_weights`] | which bricks have sources or targets, on every level; the sources brick after brick |
//! | [`moments_of_bricks`], [`moments_up`] | moments of the finest bricks, and those of a brick from its eight parts |
//! | [`make_series`] | the series of a brick: that of the brick it is a part of, and what far bricks add; with a bound of the error |
//! | [`far_forces`] | the gradient of a brick's series at its voxels |
//! | [`near_forces`], [`near_forces_in_world`] | what the bricks around add, source by source; directions and magnitudes |
//! | [`exact_forces`], [`exact_forces_in_world`] | forces of all sources, where the bound does not suffice |
//!
//! Where voxels are no cubes, bricks are cut from a [`Lattice`] with places between voxels, so that
//! they are about as long along each axis. `v`, `u` and `Δ` stay sides of a brick, and `ψ` takes
//! the length that `Δ` has in the world; forces are made vectors of the world at the end.
//!
//! All three kinds of translation (parts to whole, far to far, whole to part) are sums of products
//! of two lists of coefficients, and are made eight at a time by the same code ([`Pairs`]). Sums
//! are grouped by the place in a list of offsets alone: bits do not depend on the device, on
//! blocks, or on what other bricks there are.

mod bricks;
mod exact;
mod far;
mod lattice;
mod moments;
mod near;
mod near_world;
mod present;
mod products;
mod series;

pub use bricks::{
    coarsen_bricks, count_bricks, list_sources, list_weights, number as brick_number,
    number_bricks, place as brick_place,
};
pub use exact::{PARTIAL, exact_forces, exact_forces_in_world};
pub use far::{Far, far_forces};
pub use lattice::Lattice;
pub use moments::{Sums, moments_of_bricks, moments_up};
pub use near::{MAX_SQUARED, Near, near_forces};
pub use near_world::near_forces_in_world;
pub use present::{MAX_THREADS, NUMBER, ZERO};
pub use products::{LANES, LONGEST, MAX_TASKS, Pairs};
pub use series::{Level, make_series};

/// Places of the lattice along a side of a brick of the finest level: voxels, where they are cubes.
pub const BRICK: u32 = 8;

/// Places of a brick.
pub const VOXELS: usize = (BRICK * BRICK * BRICK) as usize;

/// The highest order of a series.
pub const MAX_ORDER: u32 = 12;

/// Coefficients of a series of that order.
pub const MAX_TERMS: usize = terms(MAX_ORDER);

/// The number of no brick.
pub const NONE: u32 = u32::MAX;

/// Coefficients of a series of an order: triples of powers whose sum is at most that.
#[inline(always)]
pub const fn terms(order: u32) -> usize {
    ((order + 1) * (order + 2) * (order + 3) / 6) as usize
}
