//! Curve skeletons.

pub mod classes;
pub mod critical;
pub mod curvature;
pub mod divergence;
pub mod doubt;
pub mod euler;
pub mod field;
pub mod radii;
