//! Distance maps.

pub mod approximate;
pub mod crossings;
pub mod enclosed;
pub mod separable;
pub mod sites;
