//! Kernels for curve skeletons: the potential-field method and geodesic paths.

pub mod classes;
pub mod critical;
pub mod curvature;
pub mod divergence;
pub mod error_bounds;
pub mod euler;
pub mod field;
pub mod geodesics;
pub mod interpolation;
