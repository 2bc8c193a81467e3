//! The force that the surface of a solid exerts on what is inside: `Σ d / R^(m + 1)` over all
//! sources, `d` from the source to the target, `R` its length in the smallest spacing.
//!
//! Every target is compared with every source, so what a pair costs is everything. Coordinates are
//! integers below 2^24: differences, and squared distances below 2^24, are exact in `f32` where
//! voxels are cubes. What is left are the power and the sum. Far from the surface the sum cancels:
//! then it has to be made in `f64`, though its terms need not be.
//!
//! | kernel | sources come from | a thread has |
//! | --- | --- | --- |
//! | [`forces_simple`] | global memory | a target |
//! | [`forces_constant`] | constant memory, a piece for each launch | a target |
//! | [`forces_shared`] | shared memory, in tiles | a target |
//! | [`forces_tuned`] | shared memory, in tiles | four targets side by side along x, which share what does not depend on x |
//! | [`forces_in_world`] | the same | the same, where voxels are no cubes: weights of lengths in the world, and sums of differences that are made vectors of it |
//! | [`weigh_surface`] | | a voxel of the surface, and how much area it stands for, where voxels are no cubes |
//! | [`finish_forces`] | | adds up the slices of a target's force, and makes a direction and a magnitude of it |
//! | [`mean_forces`] | | Zhao et al.'s (2016) way for voxels next to the surface |
//! | [`forces_at`] | global memory | a part of a slice of the sources, for a point anywhere, with derivatives |
//! | [`forces_at_in_world`] | the same | the same, where voxels are no cubes |
//! | [`add_slices_at`] | | adds up the slices of a point |
//!
//! Those of [`tree`] compare every target with the sources around it only.

mod add;
mod finish;
mod lengths;
mod points;
mod power;
mod tile;
pub mod tree;
mod tuned;
mod variants;
mod weights;

pub use add::{Add, Portion, Slices};
pub use finish::{NUMBERS, Ranks, count_of_words, finish_forces, mean_forces};
pub use lengths::{Cubes, Lengths, World};
pub use points::{
    Exponent, OF_POINT, PointSlices, THREADS, add_slices_at, forces_at, forces_at_in_world,
};
pub use power::{
    AnyPower, Power, Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9, WholePower,
};
pub use tuned::{RUN, Runs, forces_in_world, forces_tuned, mark_runs};
pub use variants::{FIELD_SOURCES, PIECE, forces_constant, forces_shared, forces_simple};
pub use weights::weigh_surface;
