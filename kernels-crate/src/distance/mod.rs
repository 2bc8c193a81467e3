//! Distance maps.

pub mod separable;
