//! Curves along the force.

mod bridges;
mod flow;
mod grow;
mod inside;
mod paths;
mod point_grid;

pub(super) use bridges::{Seed, bridges};
pub(super) use grow::{Growth, REACHED};
pub(super) use inside::Inside;
pub(super) use paths::paths;
