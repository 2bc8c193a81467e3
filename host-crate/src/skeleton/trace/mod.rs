//! Curves along the force.

mod follow;
mod grow;
mod near;
mod sampler;

pub(super) use follow::Follow;
pub(super) use grow::Growth;
pub(super) use sampler::Sampler;
