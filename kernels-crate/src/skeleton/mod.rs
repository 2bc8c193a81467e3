//! Curve skeletons.

pub mod classes;
pub mod euler;
pub mod field;
