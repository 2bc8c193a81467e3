//! Repulsive force field of a solid's surface: `Σ d / R^(m + 1)` over all sources, where `d` is the
//! vector from the source to the target and `R` its length in units of the smallest spacing (Cornea
//! et al. 2005).
//!
//! The kernels of this module evaluate all pairs of targets and sources, so the cost per pair
//! dominates. Coordinates are integers below 2^24: for cubic voxels, differences and squared
//! distances below 2^24 are exact in `f32`. The power and the sum remain. Far from the surface the
//! sum cancels, so it must be accumulated in `f64`; its terms may stay in `f32`.
//!
//! | kernel | sources read from | work per thread |
//! | --- | --- | --- |
//! | [`forces_simple`] | global memory | one target |
//! | [`forces_constant`] | constant memory, one chunk per launch | one target |
//! | [`forces_shared`] | shared-memory tiles | one target |
//! | [`forces_tuned`] | shared-memory tiles | four targets adjacent along x |
//! | [`forces_at_points`] | global memory | a share of a point's sources, with derivatives |
//!
//! [`forces_tuned_in_world`] and [`forces_at_points_in_world`] are the variants for anisotropic or
//! oblique voxels, whose sources are weighted by [`compute_surface_weights`]. The sums of slices of
//! the sources are added by [`reduce_force_slices`] and [`reduce_point_slices`];
//! [`average_boundary_forces`] derives boundary forces from their neighbours (Zhao et al. 2016).
//!
//! The kernels of [`fmm`] evaluate only near pairs, and approximate the rest by the fast multipole
//! method.

mod accumulator;
pub mod fmm;
mod metric;
mod points;
mod power;
mod rank;
mod reduction;
mod surface_weights;
mod tile;
mod tuned;
mod variants;

pub use accumulator::{Accumulator, LaunchRange, SourceSlices};
pub use metric::{UnitMetric, VoxelMetric, WorldMetric};
pub use points::{
    Exponent, POINT_COMPONENTS, PointSlices, THREADS_PER_POINT, forces_at_points,
    forces_at_points_in_world, reduce_point_slices,
};
pub use power::{
    IntegerPower, Power, Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9, RealPower,
};
pub use rank::MaskRanks;
pub use reduction::{
    FORCE_COMPONENTS, average_boundary_forces, count_mask_bits, reduce_force_slices,
};
pub use surface_weights::compute_surface_weights;
pub use tuned::{RUN, TargetRuns, forces_tuned, forces_tuned_in_world, mark_target_runs};
pub use variants::{
    FIELD_SOURCES, MAX_CONSTANT_SOURCES, forces_constant, forces_shared, forces_simple,
};
