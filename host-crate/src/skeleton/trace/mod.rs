//! Curves along the force.

mod flow;
mod grow;
mod inside;
mod near;
mod paths;

pub(super) use grow::{Growth, REACHED};
pub(super) use inside::Inside;
pub(super) use paths::paths;
