//! Distance maps.

pub mod approximate;
pub mod brute_force;
pub mod crossings;
pub mod cubes;
pub mod enclosed;
mod held;
pub mod hulls;
pub mod labels;
pub mod measure;
pub mod separable;
pub mod sheared;
pub mod sites;
pub mod slabs;
pub mod squares;
