//! Kernels for distance maps (distance transforms).

pub mod approximate;
pub mod brute_force;
pub mod crossings;
pub mod cubes;
pub mod enclosed;
pub mod labels;
pub mod lower_envelope;
pub mod metric;
pub mod oblique;
pub mod separable;
mod site_buffer;
pub mod sites;
pub mod slabs;
pub mod squared;
